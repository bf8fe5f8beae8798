//! A fill for people: what it will take, and what came of it in one sentence and two tables.

use std::sync::Arc;

use sokudo_model::{Bytes, Fill, FillStretch, Nanos};
use sokudo_report::article::{Article, Element};
use sokudo_report::document::{RunDocument, ViewKind};
use sokudo_report::number::{self, BYTES_PER_MB, decimal_size, float};
use sokudo_report::shortfall::verdict_cell;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, left, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_report::wording::duration;
use sokudo_words::{Text, text};

use super::rules::fill_of;
use crate::rows::writing_cost::{time_of, wear};

/// Slow cells take about so much less than what a drive is taken for.
const SLOW_DIVISOR: u64 = 5;

const LEGEND: &str = "From, to: bytes written, as drives are sold. MB/s: mean over the level. Of the first: its rate ÷ that of the first level after the drive's memory. A level ends where the rate changes by more than it fluctuates.";

/// What a fill will write, before it is begun.
#[derive(Clone, Debug)]
pub(crate) struct FillEstimate {
    /// As it was named.
    pub target: String,
    /// Bytes written, at most.
    pub written: Bytes,
    /// Of the target, or of the file system that a test file is made in.
    pub capacity: Bytes,
    /// How fast the target is taken to be, sequentially.
    pub assumed_bytes_per_s: u64,
    /// What that is taken from, such as `an NVMe drive`.
    pub assumed_of: Text,
    /// Sum of the pauses in which nothing is written.
    pub rests: Nanos,
    /// When writing ends at the latest.
    pub time_max: Option<Nanos>,
    /// Its time is virtual, and nothing wears.
    pub is_virtual: bool,
}

impl FillEstimate {
    /// One sentence a line, without an end.
    pub(crate) fn lines(&self) -> Vec<Text> {
        let size = |bytes| Text::name(decimal_size(bytes, 3));
        let share = float(self.written.0) / float(self.capacity.0.max(1));
        let mut lines = vec![
            text!(
                "{}: {} will be written, {} of {}",
                self.target,
                size(self.written),
                number::percent(share),
                size(self.capacity)
            ),
            self.time(),
        ];
        if !self.is_virtual {
            lines.push(wear(share));
        }
        lines
    }

    fn time(&self) -> Text {
        let at = |bytes_per_s: u64| {
            let writing = time_of(self.written.0.into(), bytes_per_s).0;
            let bounded = self.time_max.map_or(writing, |most| writing.min(most.0));
            duration(Nanos(bounded.saturating_add(self.rests.0)))
        };
        text!(
            "expected: {} at {} MB/s, as for {}; {} where slow cells reach a fifth of that",
            at(self.assumed_bytes_per_s),
            self.assumed_bytes_per_s / 1_000_000,
            self.assumed_of.clone(),
            at(self.assumed_bytes_per_s / SLOW_DIVISOR)
        )
    }
}

/// Levels of a drive.
pub(crate) static VIEW: ViewKind =
    ViewKind::new::<Fill>("fill", |run, _| Some(Arc::new(fill_of(run)?)));

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    document.views.get::<Fill>()?;
    Some(&ShownFill)
}

struct ShownFill;

impl ShownView for ShownFill {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        let Some(fill) = document.views.get() else {
            return ShownBehind::Nothing;
        };
        article.paragraph(sentence(fill));
        article.add(Element::Table(levels(document, fill).noted(LEGEND)));
        if !fill.rests.is_empty() {
            article.add(Element::Table(recovery(fill)));
        }
        if let Some(reads) = fill.reads {
            article.paragraph(text!(
                "Reads of one block between the writes: median {}, p99 {}, longest {} ({} reads).",
                Nanos(reads.p50),
                Nanos(reads.p99),
                Nanos(reads.max),
                reads.count
            ));
        }
        if let Some(amplification) = fill.write_amplification {
            article.paragraph(text!(
                "Write amplification {amplification:.2}, by the drive's own counters: what it wrote to its flash ÷ what it was given."
            ));
        }
        ShownBehind::Nothing
    }
}

fn sentence(fill: &Fill) -> Text {
    let rate = |bytes_per_s: f64| number::rate(bytes_per_s / BYTES_PER_MB);
    let size = |bytes| Text::name(decimal_size(bytes, 3));
    let levels = &fill.levels[fill.first..];
    let [first, later @ ..] = levels else {
        return Text::default();
    };
    let rested = fill.rests.last().map(|rest| {
        text!(
            "{} MB/s after {} of rest",
            rate(rest.bytes_per_s),
            duration(rest.rest)
        )
    });
    let Some((last, between)) = later.split_last() else {
        let all = match fill.first {
            0 => text!(
                "{} MB/s over {}: the end of the fast part was not reached",
                rate(first.bytes_per_s),
                size(first.to)
            ),
            _ => text!(
                "{} MB/s after the drive's memory was full, up to {}: the end of the fast part was not reached",
                rate(first.bytes_per_s),
                size(first.to)
            ),
        };
        return text!("{}.", Text::list([all].into_iter().chain(rested), "; "));
    };
    let first = text!("{} MB/s up to {}", rate(first.bytes_per_s), size(first.to));
    let between = between.iter().map(|level| {
        text!(
            "then {} MB/s up to {}",
            rate(level.bytes_per_s),
            size(level.to)
        )
    });
    let last = text!("then {} MB/s", rate(last.bytes_per_s));
    let levels = Text::list([first].into_iter().chain(between).chain([last]), ", ");
    text!("{}.", Text::list([levels].into_iter().chain(rested), "; "))
}

fn levels(document: &RunDocument, fill: &Fill) -> Table {
    let result = document.results.get(fill.row);
    let size = |bytes| Cell::Name(decimal_size(bytes, 3));
    let lines: Vec<(usize, &FillStretch)> = fill.levels.iter().enumerate().collect();
    Table::of(&lines)
        .column(left("Level"), |(number, _)| Some(name(fill, *number)))
        .column(right("From"), |(_, level)| Some(size(level.from)))
        .column(right("To"), |(_, level)| Some(size(level.to)))
        .column(right("GiB").rank(2), |(_, level)| {
            let gib = float(level.bytes().0) / float(Bytes::GIB);
            Some(Cell::rate(gib))
        })
        .column(right("Time").rank(3), |(_, level)| {
            Some(duration(level.elapsed))
        })
        .column(right("MB/s"), |(_, level)| {
            Some(Cell::rate(level.bytes_per_s / BYTES_PER_MB))
        })
        .column(right("Of the first").rank(1), |(_, level)| {
            Some(number::percent(share(fill, level.bytes_per_s)))
        })
        .column_if(result.is_some(), left("Verdict"), |_| {
            Some(verdict_cell(result?, 1))
        })
        .table()
}

/// A rate ÷ that of the first level of the drive's cells.
fn share(fill: &Fill, bytes_per_s: f64) -> f64 {
    bytes_per_s / fill.levels[fill.first].bytes_per_s
}

/// What a level is, where the rate only falls, as it does in drives.
pub(crate) fn name(fill: &Fill, number: usize) -> Text {
    let falls = |pair: &[FillStretch]| pair[1].bytes_per_s < pair[0].bytes_per_s;
    let is_drive = fill.collapse.is_some() && fill.levels.windows(2).all(falls);
    let Some(of_cells) = number.checked_sub(fill.first) else {
        return text!("memory");
    };
    match (is_drive, fill.levels.len() - fill.first, of_cells) {
        (true, 2 | 3, 0) => text!("fast cells"),
        (true, 2, 1) => text!("after them"),
        (true, 3, 1) => text!("direct writes"),
        (true, 3, 2) => text!("folding"),
        _ => text!("level {}", of_cells + 1),
    }
}

fn recovery(fill: &Fill) -> Table {
    Table::of(&fill.rests)
        .column(right("After a rest of"), |rest| Some(duration(rest.rest)))
        .column(right("Written"), |rest| {
            Some(Cell::Name(decimal_size(rest.bytes, 3)))
        })
        .column(right("MB/s"), |rest| {
            Some(Cell::rate(rest.bytes_per_s / BYTES_PER_MB))
        })
        .column(right("Of the first").rank(1), |rest| {
            Some(number::percent(share(fill, rest.bytes_per_s)))
        })
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    #[test]
    fn an_estimate_says_how_much_how_long_and_what_wears() {
        let mut estimate = FillEstimate {
            target: "/dev/sdb".to_owned(),
            written: Bytes(500 * GB),
            capacity: Bytes(1_000 * GB),
            assumed_bytes_per_s: 500_000_000,
            assumed_of: "a drive".into(),
            rests: Nanos::from_secs(70),
            time_max: None,
            is_virtual: false,
        };
        let lines = |estimate: &FillEstimate| -> Vec<String> {
            estimate.lines().iter().map(Text::english).collect()
        };
        assert_eq!(
            lines(&estimate),
            [
                "/dev/sdb: 500 GB will be written, 50 % of 1.00 TB",
                "expected: 17 min 50 s at 500 MB/s, as for a drive; 1 h 24 min where slow cells reach a fifth of that",
                "flash wears with it: makers rate drives for 200 times their capacity and more, of which this takes 0.2 % at most",
            ]
        );
        (estimate.time_max, estimate.is_virtual) = (Some(Nanos::from_secs(600)), true);
        let bounded = lines(&estimate);
        assert!(
            bounded[1].starts_with("expected: 11 min 10 s"),
            "{bounded:?}"
        );
        assert_eq!(bounded.len(), 2);
    }
}
