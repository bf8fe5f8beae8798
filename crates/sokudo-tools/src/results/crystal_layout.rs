//! The text that CrystalDiskMark saves, and KDiskMark after it: a heading, rows below
//! `[Read]`, `[Write]` and `[Mix]`, and what was chosen.
//!
//! ```text
//! [Read]
//!   SEQ    1MiB (Q=  8, T= 1):  3550.123 MB/s [   3385.7 IOPS] <  2361.23 us>
//! [Mix] Read 70%/Write 30%
//! Profile: Default
//!    Test: 1 GiB (x3) [C: 45% (210/476GiB)]
//! ```
//!
//! Versions up to 6 have no sections; their rows name the direction themselves
//! (`Random Write 4KiB (Q=  8,T= 8) :`). What is an I/O and what a unit is for the
//! readers of the two tools to know.

mod label;

use sokudo_model::{Bytes, Correction, HostEnvironment, ImportedRun, ImportedTarget, Nanos};
use sokudo_words::{Text, text};

pub(crate) use self::label::{CrystalLabel, LabelDirection};
use crate::results::row::{ROWS_MAX, run};
use crate::results::text::{Line, label, leave_out};
use crate::results::{Import, ImportError, LeftOut, number};

/// One text of the tool: a file can hold several.
#[derive(Debug, Default)]
pub(crate) struct CrystalReport {
    /// Its heading, as the tool's reader knows it.
    pub(crate) heading: String,
    /// The line before it.
    pub(crate) before: String,
    /// Whether its figures are medians of the runs.
    pub(crate) are_medians: bool,
    pub(crate) rows: Vec<CrystalRow>,
    pub(crate) profile: Option<String>,
    pub(crate) test: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) time: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) system: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) comment: Option<String>,
    section: Option<LabelDirection>,
}

/// A row with its figures as they are printed.
#[derive(Debug)]
pub(crate) struct CrystalRow {
    pub(crate) label: CrystalLabel,
    pub(crate) mb_per_s: f64,
    pub(crate) iops: Option<f64>,
    pub(crate) latency_ns: Option<f64>,
}

/// A line without the signs of a quotation in a forum or in Markdown, or of a comment.
pub(crate) fn unquoted(line: &str) -> &str {
    line.trim_start_matches(['>', '/', ' ', '\t'])
}

/// What a text holds, and what could not be used.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    pub(crate) reports: Vec<CrystalReport>,
    pub(crate) left_out: Vec<LeftOut>,
    rows: usize,
}

impl Reports {
    /// Reads a text in which `heading` knows the line that begins a report.
    pub(crate) fn read<'text>(
        lines: impl Iterator<Item = Line<'text>>,
        heading: fn(&str) -> bool,
    ) -> Self {
        let mut reports = Self::default();
        let mut before = "";
        for line in lines {
            let text = unquoted(line.text);
            let line = Line { text, ..line };
            if heading(line.text) {
                reports.reports.push(CrystalReport {
                    heading: line.text.trim().to_owned(),
                    before: before.trim().to_owned(),
                    section: LabelDirection::of_section(line.text.trim()),
                    ..CrystalReport::default()
                });
            } else if !reports.read_line(line) {
                break;
            }
            if !line.text.trim().is_empty() {
                before = line.text;
            }
        }
        reports
    }

    /// Reads a line; `false` when there is too much.
    fn read_line(&mut self, line: Line<'_>) -> bool {
        let Some(report) = self.reports.last_mut() else {
            return true;
        };
        match row(line, report.section) {
            None => report.read_field(line.text),
            Some(Err(why)) => leave_out(&mut self.left_out, line.number, why),
            Some(Ok(_)) if self.rows >= ROWS_MAX => {
                let why = text!("there are more than {ROWS_MAX} rows; split the file");
                leave_out(&mut self.left_out, line.number, why);
                return false;
            }
            Some(Ok(row)) => {
                self.rows += 1;
                report.rows.push(row);
            }
        }
        true
    }

    /// The runs that `run` makes of the reports that have rows.
    ///
    /// # Errors
    /// When no report has any.
    pub(crate) fn import(
        self,
        format: &'static str,
        run: fn(CrystalReport) -> ImportedRun,
    ) -> Result<Import, ImportError> {
        let with_rows = self
            .reports
            .into_iter()
            .filter(|report| !report.rows.is_empty());
        let runs: Vec<ImportedRun> = with_rows.map(run).collect();
        Import::of(format, runs, self.left_out, "it has no row of results")
    }
}

/// A row; `None` where the line is something else.
fn row(line: Line<'_>, section: Option<LabelDirection>) -> Option<Result<CrystalRow, Text>> {
    let (before, after) = line.text.split_once("MB/s")?;
    let (text, rate) = before.rsplit_once(':')?;
    let label = CrystalLabel::read(text, section)?;
    let Some(mb_per_s) = number::rate(rate, 1e6).map(|rate| rate / 1e6) else {
        return Some(Err(text!("`{}` is not a possible rate", rate.trim())));
    };
    if label.direction.is_none() {
        return Some(Err(
            "it does not say whether this was read or written".into()
        ));
    }
    if mb_per_s == 0.0 {
        return Some(Err(text!("`{}` shows 0: it was not measured", text.trim())));
    }
    let between = |open: &str, close: &str| {
        let (_, figure) = after.split_once(open)?;
        figure.split_once(close).map(|(figure, _)| figure)
    };
    Some(Ok(CrystalRow {
        label,
        mb_per_s,
        iops: between("[", "IOPS]").and_then(|iops| number::rate(iops, 1.0)),
        latency_ns: between("<", "us>").and_then(|time| number::nanos(time, 1e3)),
    }))
}

impl CrystalReport {
    /// Reads a section, or what was chosen; anything else means nothing.
    fn read_field(&mut self, line: &str) {
        let line = line.trim();
        if let Some(section) = LabelDirection::of_section(line) {
            self.section = Some(section);
            return;
        }
        self.are_medians |= line.starts_with("* figures are medians");
        let Some((name, value)) = line.split_once(':') else {
            return;
        };
        let field = match name.trim() {
            "Profile" => &mut self.profile,
            "Test" => &mut self.test,
            "Mode" => &mut self.mode,
            "Time" => &mut self.time,
            "Date" => &mut self.date,
            "OS" => &mut self.system,
            "Target" => &mut self.target,
            "Comment" => &mut self.comment,
            _ => return,
        };
        *field = label(value);
    }

    /// How often each row was measured: the `3` of `(x3)`.
    pub(crate) fn runs(&self) -> Option<u32> {
        let (_, after) = self.test.as_ref()?.split_once("(x")?;
        number::depth(after.split_once(')')?.0)
    }

    /// The size of the file: `1 GiB`. Sizes in `MB`, which old versions have, are told
    /// without saying which MB.
    pub(crate) fn file_size(&self) -> Option<Bytes> {
        let mut words = self.test.as_ref()?.split_whitespace();
        let (size, unit) = (words.next()?, words.next()?);
        let scale = number::size_scale(unit).filter(|_| unit.contains('i'))?;
        number::block(size, scale)
    }

    /// The drive in `[C: 45% (210/476GiB)]`, and how full it was.
    pub(crate) fn drive(&self) -> Option<(String, Option<String>)> {
        let test = self.test.as_ref()?;
        let bracketed = test.split('[').skip(1);
        let mut inner = bracketed.filter_map(|text| text.split_once(']').map(|(text, _)| text));
        let text = inner.find(|text| text.contains('%'))?;
        match text.split_once(": ") {
            Some((path, fill)) if path.len() > 1 => Some((label(path)?, label(fill))),
            Some((letter, fill)) => Some((label(&format!("{letter}:"))?, label(fill))),
            None => Some((label(text)?, None)),
        }
    }

    /// How long each was measured: the `5` of `Measure 5 sec`.
    pub(crate) fn measured(&self) -> Option<Nanos> {
        let (_, after) = self.time.as_ref()?.split_once("Measure ")?;
        let seconds = number::depth(after.split_once(" sec")?.0)?;
        Some(Nanos::from_secs(u64::from(seconds)))
    }

    /// A run without rows of what was chosen.
    pub(crate) fn run(&self, tool: &str, version: Option<String>, format: &str) -> ImportedRun {
        let mut origin = run(tool, format).origin;
        origin.version = version;
        let started_at = self.date.as_deref().and_then(number::date_time);
        let without_zone = self.date.as_ref().filter(|date| !date.ends_with("UTC"));
        if let (Some(_), Some(date)) = (started_at, without_zone) {
            origin.remarks.push(text!(
                "the date {date} has no time zone and is taken as UTC"
            ));
        }
        let drive = self.drive();
        if let Some((drive, Some(fill))) = &drive {
            origin.remarks.push(text!("{drive} was filled by {fill}"));
        }
        if let Some(comment) = &self.comment {
            origin.remarks.push(text!("comment: {comment}"));
        }
        let chosen = [&self.profile, &self.test, &self.mode, &self.time];
        let chosen: Vec<&str> = chosen.into_iter().flatten().map(String::as_str).collect();
        let (system, kernel) = system(self.system.as_deref().unwrap_or_default());
        ImportedRun {
            origin,
            started_at,
            method: chosen.join(", "),
            target: ImportedTarget {
                name: (self.target.clone())
                    .or(drive.map(|(drive, _)| drive))
                    .unwrap_or_default(),
                size: self.file_size(),
                ..ImportedTarget::default()
            },
            environment: HostEnvironment {
                distribution: system,
                kernel,
                ..HostEnvironment::default()
            },
            ..ImportedRun::default()
        }
    }
}

/// Operating system and, behind `[linux ` or `[Linux `, its kernel.
fn system(text: &str) -> (Option<String>, Option<String>) {
    let linux = ["[linux ", "[Linux "].iter().find_map(|begin| {
        let (system, kernel) = text.split_once(begin)?;
        let kernel = kernel.split_once(']')?.0;
        Some((label(system), label(kernel)))
    });
    linux.unwrap_or_else(|| (label(text), None))
}

/// Adds a correction, where there is one.
pub(crate) fn correct(run: &mut ImportedRun, what: Text, why: &'static str) {
    run.origin.corrections.push(Correction {
        what,
        why: why.into(),
    });
}
