//! Arguments of `sokudo compare`.

use clap::Args;
use sokudo_analysis::threshold::DIFFERENCE_MIN;
use sokudo_report::pivot::{Key, Keys, PivotValue, Ratio};
use sokudo_terminal::arguments::mistake::whole_number;
use sokudo_terminal::arguments::one_of::one_of;
use sokudo_terminal::arguments::percent::{Percent, percent};
use sokudo_terminal::arguments::pictures::Pictures;
use sokudo_terminal::arguments::printing::{Asking, Masking, Rendering};
use sokudo_terminal::arguments::store::RunKeeping;
use sokudo_words::{Text, text};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  sokudo mark /mnt/a --format json -o a.json
  sokudo mark /mnt/b --format json -o b.json
  sokudo compare a.json b.json                   which is faster, row by row
  sokudo compare old.json new.json --fail-if-slower --min-difference 5%
  sokudo compare --live 'mark /mnt/a' 'mark /mnt/b' --pairs 12
  sokudo compare --live 'mark FILE --row RND4K,Q32 --engine libaio' \\
                        'mark FILE --row RND4K,Q32 --engine io_uring'
  sokudo compare --live 'run a.fio' 'run b.fio'
  sokudo compare 3 7 12 --reference 7            three runs side by side, the best marked
  sokudo compare all --pivot raid:file-system --only row=RND4K --plot matrix.svg
  sokudo compare 12 --ratio write/read           how much slower it writes, row by row

sokudo compares only rows of the same load: block, order, depth, span, time and so on.
Device, file system, kernel and engine may differ, and are listed. With --live, trials of
both alternate in random order, so drift affects both alike; this shows smaller
differences than two separate runs.

Exit codes: 0 compared, whatever the outcome; 1 something failed, or with --fail-if-slower
a row is slower or none could be judged; 2 wrong arguments, 3 refused because it would
endanger data, 130 interrupted.";

/// Pairs of trials of a live comparison, unless told: the smallest p that they can give,
/// 2 ÷ 2¹², passes among 102 rows.
const PAIRS: u32 = 12;

/// Arguments of `sokudo compare`, as given.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Runs, the reference first: numbers, last, all, tag:TAG, files, or -
    ///
    /// With --live, two plans instead: arguments of sokudo mark, scan or run, each as one word. The
    /// number of trials and the output are set here, not in the plans.
    #[arg(required = true, num_args = 1.., value_name = "RUN|PLAN")]
    pub(crate) sides: Vec<String>,

    /// Measure both plans now, alternately
    #[arg(long, help_heading = "How it is compared")]
    pub(crate) live: bool,

    /// With --live: trials of each, in pairs
    #[arg(long, value_name = "N", default_value_t = PAIRS, requires = "live", value_parser = whole_number(1..=10_000), help_heading = "How it is compared")]
    pub(crate) pairs: u32,

    /// With --live: random seed of the order of trials and of all else
    #[arg(
        long,
        value_name = "N",
        requires = "live",
        help_heading = "How it is compared"
    )]
    pub(crate) seed: Option<u64>,

    /// Ignore differences smaller than this, such as 5%
    #[arg(long, value_name = "PERCENT", default_value_t = Percent(DIFFERENCE_MIN), value_parser = percent, help_heading = "How it is compared")]
    pub(crate) min_difference: Percent,

    /// Also compare rows of different loads, by their position
    #[arg(long, help_heading = "How it is compared")]
    pub(crate) by_position: bool,

    /// Exit with 1 if a row of B is slower
    #[arg(long, help_heading = "How it is compared")]
    pub(crate) fail_if_slower: bool,

    #[command(flatten)]
    pub(crate) rendering: Rendering,

    #[command(flatten)]
    pub(crate) masking: Masking,

    #[command(flatten)]
    pub(crate) asking: Asking,

    #[command(flatten)]
    pub(crate) shape: ComparisonShape,

    #[command(flatten)]
    pub(crate) pictures: Pictures,

    #[command(flatten)]
    pub(crate) keeping: RunKeeping,
}

/// How many runs become one table.
#[derive(Debug, Args)]
pub(crate) struct ComparisonShape {
    /// Reference run: its position, or a part of its name
    #[arg(long, value_name = "N|NAME", conflicts_with_all = ["live", "pivot"], help_heading = "How it is compared")]
    pub(crate) reference: Option<String>,

    /// One matrix of all runs, such as row:target or raid:file-system
    ///
    /// What the rows are, and what the columns: row, direction, target, device,
    /// file-system, raid, method, tool, host, kernel, date, run, label, document, or tag:KEY for
    /// what follows KEY= in tags. Several are joined by +, as in tool+row:target. A cell
    /// is the median of all results that belong there.
    #[arg(long, value_name = "ROWS:COLUMNS", value_parser = axes, conflicts_with = "live", help_heading = "Matrix")]
    pub(crate) pivot: Option<Axes>,

    /// One matrix of ratios within each run, such as write/read or T4/T1
    ///
    /// Each row whose name has the first word is divided by the row whose name is the same
    /// with the second: T4/T1 divides Q8T4 by Q8T1. A run alone is enough. Ratios have the 95 %
    /// interval that the trials of both rows give.
    #[arg(long, value_name = "A/B", value_parser = ratio, conflicts_with_all = ["live", "pivot", "reference", "fail_if_slower"], help_heading = "Matrix")]
    pub(crate) ratio: Option<Ratio>,

    /// Only results whose key contains this, such as row=RND4K (repeatable)
    #[arg(long, value_name = "KEY=TEXT", value_parser = only, requires = "pivot", help_heading = "Matrix")]
    pub(crate) only: Vec<(Key, String)>,

    /// What the cells show: rate, or mean latency
    #[arg(
        long,
        value_parser = one_of(VALUES),
        hide_possible_values = true,
        value_name = "NAME",
        default_value = "rate",
        help_heading = "Matrix"
    )]
    pub(crate) value: PivotValue,
}

/// Rows and columns of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axes {
    pub(crate) rows: Keys,
    pub(crate) columns: Keys,
}

/// What a matrix shows.
const VALUES: &[(&str, PivotValue)] =
    &[("rate", PivotValue::Rate), ("latency", PivotValue::Latency)];

/// Reads `row:target`. The colon of `tag:KEY` is none that parts.
fn axes(text: &str) -> Result<Axes, Text> {
    let keys = |text: &str| text.parse::<Keys>();
    let colons = text.match_indices(':').map(|(colon, _)| colon);
    let mut refusal = text!("name rows and columns, such as row:target");
    for colon in colons {
        let (rows, columns) = (&text[..colon], &text[colon + 1..]);
        match (keys(rows), keys(columns)) {
            (Ok(rows), Ok(columns)) => return Ok(Axes { rows, columns }),
            (Err(error), _) | (_, Err(error)) => refusal = text!("{error}"),
        }
    }
    Err(refusal)
}

/// Reads two keys of figures with a slash between, such as `write/read`.
fn ratio(text: &str) -> Result<Ratio, Text> {
    text.parse::<Ratio>().map_err(|error| text!("{error}"))
}

/// Reads a key and the text that it must have, such as `row=RND4K`.
fn only(text: &str) -> Result<(Key, String), Text> {
    let parts = text.split_once('=');
    let (key, value) = parts.ok_or_else(|| text!("name a key and a text, such as row=RND4K"))?;
    let key = key.parse::<Key>().map_err(|error| text!("{error}"))?;
    Ok((key, value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_parted_at_the_colon_that_is_no_tags() {
        for (text, rows, columns) in [
            ("row:target", "row", "target"),
            ("tool+row:target", "tool+row", "target"),
            ("tag:fs:tag:raid", "tag:fs", "tag:raid"),
            ("row:tag:fs", "row", "tag:fs"),
        ] {
            let read = axes(text).unwrap();
            assert_eq!(
                (&*read.rows.to_string(), &*read.columns.to_string()),
                (rows, columns)
            );
        }
        for text in ["row", "row:", ":row", "row:colour", "tag:", ""] {
            assert!(axes(text).is_err(), "{text}");
        }
        assert!(only("row").is_err() && only("colour=red").is_err());
    }
}
