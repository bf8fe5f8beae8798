//! CrystalDiskMark's saved or copied text, versions 3 to 9; and what sokudo writes in the
//! same layout, which says so.

use sokudo_model::{DataContent, ImportedRow, ImportedRun, PlanPart};
use sokudo_words::{Text, text};

use crate::results::crystal_layout::{CrystalReport, CrystalRow, Reports, unquoted};
use crate::results::row::{self, PACE};
use crate::results::text::{self, lines};
use crate::results::{Import, ImportError, Reader, Source};

const FORMAT: &str = "CrystalDiskMark";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));

/// The version since which its source was read: what older ones do is not known so well.
const KNOWN_SINCE: u32 = 8;
/// The version since which threads of a sequential row share one position (`-si`).
const INTERLOCKED_SINCE: u32 = 9;

/// Where a text without headings begins a report.
const BODY: &str = "[Read]";

fn is_body(line: &str) -> bool {
    line.trim() == BODY
}

/// Whether it has rows as only `CrystalDiskMark` prints them, under no tool's heading.
fn is_without_heading(head: &str) -> bool {
    let is_row = |line: &str| {
        let is_short = ["SEQ ", "RND "].iter().any(|word| line.starts_with(word));
        is_short && line.contains("iB (Q=")
    };
    let is_headed = |line: &str| is_heading(line) || line.contains("DiskMark (");
    let mut texts = lines(head).map(|line| unquoted(line.text));
    texts.clone().any(is_row) && !texts.any(is_headed)
}

/// Whether it has the heading, by its author or with a row.
fn recognise(head: &str) -> bool {
    if is_without_heading(head) {
        let reports = Reports::read(lines(head), is_body).reports;
        return reports.iter().any(|report| !report.rows.is_empty());
    }
    let reports = Reports::read(lines(head), is_heading).reports;
    reports
        .iter()
        .any(|report| report.heading.contains("hiyohiyo") || !report.rows.is_empty())
}

/// What sokudo writes below the name of who measured.
const NOT_BY_IT: &str = "in the layout of CrystalDiskMark, but not by it";

/// `CrystalDiskMark 9.0.1 x64 (C) 2007-2025 hiyohiyo`, or what sokudo writes instead.
fn is_heading(line: &str) -> bool {
    if line.trim() == NOT_BY_IT {
        return true;
    }
    let version = line.trim_start().strip_prefix("CrystalDiskMark ");
    version.is_some_and(|text| text.starts_with(|sign: char| sign.is_ascii_digit()))
}

fn read(text: &str) -> Result<Import, ImportError> {
    let begins = if is_without_heading(text) {
        is_body
    } else {
        is_heading
    };
    Reports::read(lines(text), begins).import(FORMAT, run)
}

fn run(report: CrystalReport) -> ImportedRun {
    let measurer = Measurer::of(&report);
    let mut run = report.run(&measurer.tool, measurer.version, FORMAT);
    if report.heading == BODY {
        run.origin.remarks.push(
            "the text is without its heading: that CrystalDiskMark measured is concluded from its \
             layout, and its version is not known"
                .into(),
        );
        if let Some(before) = text::label(&report.before) {
            run.origin
                .remarks
                .push(text!("the line above it: {before}"));
        }
    }
    if report.runs().is_some_and(|runs| runs > 1) && measurer.major >= KNOWN_SINCE {
        run.origin.remarks.push(
            "CrystalDiskMark keeps the best bandwidth and the best mean latency of all runs; \
             they can be of different ones, and say nothing of the spread"
                .into(),
        );
    }
    run.rows = report
        .rows
        .iter()
        .map(|row| imported(&report, row, measurer.major))
        .collect();
    run
}

/// Who measured what is in this layout.
struct Measurer {
    tool: String,
    version: Option<String>,
    /// Of CrystalDiskMark; 0 for any other tool.
    major: u32,
}

impl Measurer {
    fn of(report: &CrystalReport) -> Self {
        if report.heading != NOT_BY_IT {
            let version = report.heading.split_whitespace().nth(1);
            let major = version.and_then(|text| text.split('.').next()?.parse().ok());
            return Self {
                tool: "CrystalDiskMark".to_owned(),
                version: version.and_then(text::label),
                major: major.unwrap_or(0),
            };
        }
        // `sokudo 0.1.0`, or `fio 3.41 (read by sokudo 0.1.0)`.
        let (measurer, _) =
            (report.before.split_once(" (read by ")).unwrap_or((&report.before, ""));
        let (tool, version) = match measurer.rsplit_once(' ') {
            Some((tool, version)) => (tool, Some(version)),
            None => (measurer, None),
        };
        Self {
            tool: text::label(tool).unwrap_or_else(|| "sokudo".to_owned()),
            version: version.and_then(text::label),
            major: 0,
        }
    }
}

fn imported(report: &CrystalReport, row: &CrystalRow, major: u32) -> ImportedRow {
    let mut description = row.label.workload();
    let measured = report.measured();
    description.workload.limits.time = measured;
    if major >= KNOWN_SINCE {
        let is_zero = report
            .mode
            .as_ref()
            .is_some_and(|mode| mode.contains("<0Fill>"));
        description.workload.data = match is_zero {
            true => DataContent::Zero,
            false => DataContent::Repeated,
        };
        description = description
            .direct(Some(true))
            .parts(PACE)
            .parts(&[PlanPart::Data, PlanPart::Durability]);
    }
    let is_shared = !row.label.is_random && description.workload.threads > 1;
    let is_interlocked = is_shared && major >= INTERLOCKED_SINCE;
    let description = description
        .order(is_interlocked.then_some(row::INTERLOCKED))
        .parts_if(report.file_size().is_some(), &[PlanPart::Span])
        .parts_if(measured.is_some(), &[PlanPart::Duration]);
    let kind = match report.runs() {
        None | Some(1) => Text::default(),
        Some(runs) if report.are_medians => text!("median of {runs} runs"),
        Some(runs) if major >= KNOWN_SINCE => text!("best of {runs}"),
        Some(runs) => text!("of {runs} runs"),
    };
    let mut imported = description.row();
    imported.reported.bandwidth = Some(row::rate(row.mb_per_s * 1e6, kind.clone()));
    imported.reported.iops = row.iops.map(|iops| row::rate(iops, kind));
    imported.reported.latency = row.latency_ns.map(row::latency);
    imported
}

#[cfg(test)]
mod tests;
