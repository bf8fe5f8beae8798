//! `sokudo check-against fio JOB.fio`: the same jobs by sokudo and by the installed
//! fio, in turn, and whether their figures differ.
//!
//! Runs come in pairs, and in every other pair the order is turned (A B, B A), so that
//! drift of the disk hits both alike. sokudo begins: the files that it makes are marked
//! as its own, and fio uses them as they are.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::Context;
use serde_json::Value;
use sokudo_engine::Control;
use sokudo_stats::{Interval, Summary, median_interval};
use sokudo_words::text;
use unicode_width::UnicodeWidthStr;

use crate::cli::{CheckAgainstArguments, Peer};
use crate::exit::Exit;
use crate::run_door::JobFilePlan;
use crate::{exit, interrupt, language, output, writing};

/// The interval that decides whether both differ.
const CONFIDENCE: f64 = 0.95;

/// A job's name and direction.
type Key = (String, &'static str);

/// Bytes per second of every job and direction of one run.
type Figures = BTreeMap<Key, f64>;

/// Runs both in turn and prints the comparison.
pub(crate) fn run(arguments: &CheckAgainstArguments) -> Result<(), Exit> {
    let Peer::Fio = arguments.peer;
    let jobs = JobFilePlan::of_words(&arguments.files)?;
    writing::ask_jobs(&jobs.jobs(2 * arguments.pairs), arguments.asking)?;
    let version = peer_version()?;
    let control = Control::new();
    interrupt::watch(&control)?;
    let mut pairs = Vec::new();
    for number in 0..arguments.pairs {
        let order = match number % 2 {
            0 => [Tool::Sokudo, Tool::Fio],
            _ => [Tool::Fio, Tool::Sokudo],
        };
        let mut pair = [Figures::new(), Figures::new()];
        for tool in order {
            exit::progress(text!(
                "pair {} of {}: {}",
                number + 1,
                arguments.pairs,
                tool.name()
            ));
            pair[tool as usize] = tool.measure(&arguments.files)?;
            if control.is_cancelled() {
                return Err(Exit::InterruptedEarly(
                    text!("interrupted before both had run; nothing can be compared").into(),
                ));
            }
        }
        pairs.push(pair);
    }
    output::print(&table(&compare(&pairs), &version, arguments.pairs))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Sokudo,
    Fio,
}

impl Tool {
    const fn name(self) -> &'static str {
        match self {
            Self::Sokudo => "sokudo",
            Self::Fio => "fio",
        }
    }

    fn command(self) -> Result<Command, Exit> {
        match self {
            Self::Fio => Ok(Command::new("fio")),
            Self::Sokudo => {
                let mut command = Command::new(std::env::current_exe().map_err(Exit::failed)?);
                command.arg("fio");
                Ok(command)
            }
        }
    }

    fn measure(self, files: &[String]) -> Result<Figures, Exit> {
        let name = self.name();
        let ended = self
            .command()?
            .arg("--output-format=json")
            .args(files)
            .stdin(Stdio::null())
            .output()
            .with_context(|| text!("{name} cannot be started"))
            .map_err(Exit::Failed)?;
        if !ended.status.success() {
            let told = String::from_utf8_lossy(&ended.stderr);
            let told = told.trim().replace('\n', "; ");
            let told = told.strip_prefix("sokudo: ").unwrap_or(&told);
            let error = text!("{name} has failed ({}): {told}", ended.status);
            return Err(match ended.status.code() {
                Some(3) if self == Self::Sokudo => Exit::refused(error),
                _ => Exit::failed(error),
            });
        }
        figures(&String::from_utf8_lossy(&ended.stdout)).ok_or_else(|| {
            Exit::failed(text!("the result of {name} is not the JSON of fio's jobs"))
        })
    }
}

/// The bandwidth of every job and direction. Jobs of one name count together.
fn figures(text: &str) -> Option<Figures> {
    // fio prints messages before the JSON, and may behind it.
    let json = serde_json::Deserializer::from_str(&text[text.find('{')?..]);
    let document: Value = json.into_iter().next()?.ok()?;
    let mut figures = Figures::new();
    for job in document["jobs"].as_array()? {
        let name = job["jobname"].as_str()?;
        for direction in ["read", "write", "trim"] {
            let part = &job[direction];
            if part["total_ios"].as_f64().is_some_and(|ios| ios > 0.0) {
                let key = (name.to_owned(), direction);
                *figures.entry(key).or_default() += part["bw_bytes"].as_f64()?;
            }
        }
    }
    Some(figures)
}

/// One line of the comparison.
#[derive(Debug, PartialEq)]
struct Comparison {
    name: String,
    direction: &'static str,
    /// Medians in bytes per second: sokudo's, fio's.
    medians: [f64; 2],
    /// sokudo's figure per fio's.
    ratio: f64,
    interval: Option<Interval>,
}

impl Comparison {
    fn verdict(&self) -> &'static str {
        match self.interval {
            None => "too few pairs to say",
            Some(interval) if interval.low > 1.0 => "sokudo is faster",
            Some(interval) if interval.high < 1.0 => "fio is faster",
            Some(_) => "no difference",
        }
    }
}

fn compare(pairs: &[[Figures; 2]]) -> Vec<Comparison> {
    let Some(first) = pairs.first() else {
        return Vec::new();
    };
    let compared = first[0].keys().filter_map(|key| {
        let of = |tool: usize| -> Option<Vec<f64>> {
            pairs
                .iter()
                .map(|pair| pair[tool].get(key).copied())
                .collect()
        };
        let (ours, theirs) = (of(0)?, of(1)?);
        let ratios: Vec<f64> = ours
            .iter()
            .zip(&theirs)
            .map(|(ours, theirs)| ours / theirs)
            .collect();
        Some(Comparison {
            name: key.0.clone(),
            direction: key.1,
            medians: [Summary::of(&ours)?.median, Summary::of(&theirs)?.median],
            ratio: Summary::of(&ratios)?.median,
            interval: median_interval(&ratios, CONFIDENCE),
        })
    });
    compared.collect()
}

fn table(lines: &[Comparison], version: &str, pairs: u32) -> String {
    let language = language::current();
    let name = |line: &Comparison| format!("{} {}", line.name, language.word(line.direction));
    let headings = ["Job", "sokudo", "fio", "ratio", "95 % interval", ""];
    let mut rows = vec![headings.map(|heading| language.word(heading).to_owned())];
    rows.extend(lines.iter().map(|line| {
        let interval = line.interval.map_or_else(
            || "—".to_owned(),
            |interval| format!("{:.3}–{:.3}", interval.low, interval.high),
        );
        [
            name(line),
            format!("{:.2}", line.medians[0] / 1e6),
            format!("{:.2}", line.medians[1] / 1e6),
            format!("{:.3}", line.ratio),
            interval,
            language.word(line.verdict()).to_owned(),
        ]
    }));
    let mut text = in_columns(&rows);
    let about = text!(
        "MB/s, medians of {pairs} runs each, measured alternately; 1 MB is 1,000,000 bytes. {version}, sokudo {}.",
        env!("CARGO_PKG_VERSION")
    );
    let ratio = text!("The ratio is the median of the pairs' ratios, so drift affects both alike.");
    let few = (pairs < 6)
        .then(|| text!("Fewer than 6 pairs give no 95 % interval; use --pairs 6 or more."));
    text.push('\n');
    for line in [about, ratio].into_iter().chain(few) {
        text += &format!("{}\n", line.said(language));
    }
    text
}

/// Figures to the right, names and what is said to the left, as wide as they are shown.
fn in_columns(rows: &[[String; 6]]) -> String {
    let mut text = String::new();
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let fill = " ".repeat(width(column).unwrap_or(0).saturating_sub(cell.width()));
            let is_figure = (1..=4).contains(&column);
            line += &match is_figure {
                true => format!("{fill}{cell}  "),
                false => format!("{cell}{fill}  "),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn peer_version() -> Result<String, Exit> {
    let answer = Command::new("fio").arg("--version").output();
    match answer {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        _ => Err(Exit::failed(text!(
            "fio is not installed, or not in PATH; install it (Debian: apt install fio) to compare with it"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_of(bandwidth: f64) -> Figures {
        figures(&format!(
            r#"note: something
{{"jobs": [{{"jobname": "a", "read": {{"total_ios": 5, "bw_bytes": {bandwidth}}},
  "write": {{"total_ios": 0, "bw_bytes": 0}}, "trim": {{"total_ios": 0, "bw_bytes": 0}}}}]}}
fio: a message behind it"#
        ))
        .unwrap()
    }

    #[test]
    fn only_directions_that_did_something_are_compared() {
        let figures = run_of(7.0);
        assert_eq!(figures.len(), 1);
        assert_eq!(figures[&("a".to_owned(), "read")], 7.0);
    }

    #[test]
    fn a_difference_is_one_only_if_the_interval_says_so() {
        let pairs = |ratio: f64| -> Vec<[Figures; 2]> {
            (0..6)
                .map(|n| {
                    [
                        run_of(ratio * f64::from(100 + n)),
                        run_of(f64::from(100 + n)),
                    ]
                })
                .collect()
        };
        assert_eq!(compare(&pairs(1.2))[0].verdict(), "sokudo is faster");
        assert_eq!(compare(&pairs(0.8))[0].verdict(), "fio is faster");
        let mut mixed = pairs(1.01);
        mixed[0][0] = run_of(50.0);
        assert_eq!(compare(&mixed)[0].verdict(), "no difference");
        assert_eq!(compare(&mixed[..3])[0].verdict(), "too few pairs to say");
    }

    #[test]
    fn a_result_that_is_none_is_told() {
        assert_eq!(figures("fio: error"), None);
        assert_eq!(figures("{\"jobs\": 3}"), None);
    }
}
