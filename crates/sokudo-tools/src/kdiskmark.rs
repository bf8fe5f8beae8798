//! KDiskMark's report.
//!
//! What it calls MB/s is not, and differs from version to version; its IOPS are right, and
//! their product with the block size shows what it is. Its mixed rows show an average of
//! reads and writes instead of their sum, and many versions count every other thread.

use sokudo_model::{BackendKind, ImportedRow, ImportedRun, Order, PlanPart};
use sokudo_words::{Text, text};

use crate::results::crystal_layout::{self, CrystalReport, CrystalRow, LabelDirection, Reports};
use crate::results::row::{self, PACE};
use crate::results::text::{self, lines};
use crate::results::wrong_unit::{KDISKMARK, KDISKMARK_MIB, WrongUnit};
use crate::results::{Import, ImportError, Reader, Source, number};

const FORMAT: &str = "KDiskMark";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));

/// How far bandwidth may be from IOPS times block size: both are rounded, and means of
/// runs are taken of each by itself.
const DISAGREEMENT_MAX: f64 = 0.01;

const WHY_MIX: &str = "KDiskMark weights the rates of reads and of writes with their shares \
    instead of adding them (its source, 3.3.0): with shares p and q of all I/Os it shows \
    (p² + q²) of the sum";

/// Versions that sum up only every other thread.
const EVERY_OTHER_THREAD: std::ops::RangeInclusive<[u32; 3]> = [1, 6, 0]..=[3, 2, 0];

const WHY_THREADS: &str = "KDiskMark 1.6.0 to 3.2.0 take every other of fio's jobs out of the \
    list that they go through, and divide the latencies of those that are left by the number of \
    all (their source; KDiskMark #182), so that the others are taken to have done as much";

fn recognise(head: &str) -> bool {
    lines(head).any(|line| is_heading(line.text))
}

/// Whether a line is a heading: `KDiskMark (3.1.3): https://…/JonMagon/KDiskMark`.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("KDiskMark") && line.contains("JonMagon/KDiskMark")
}

fn read(text: &str) -> Result<Import, ImportError> {
    Reports::read(lines(text), is_heading).import(FORMAT, run)
}

fn run(report: CrystalReport) -> ImportedRun {
    let version = report
        .heading
        .split_once('(')
        .and_then(|(_, text)| text.split_once(')'));
    let version = version.and_then(|(version, _)| text::label(version));
    let mut run = report.run("KDiskMark", version, FORMAT);
    let unit = unit(&report, &mut run);
    if let (Some(wrong), Some(row)) = (unit, report.rows.first()) {
        run.origin
            .corrections
            .push(wrong.correction("MB/s", row.mb_per_s));
    }
    let scale = unit.map_or(1e6, |wrong| wrong.scale);
    correct_mixes(&report, &mut run, scale);
    let version = run.origin.version.as_deref();
    let version = version.and_then(numbers);
    let is_halved = version.is_some_and(|it| EVERY_OTHER_THREAD.contains(&it));
    let factor = |row: &CrystalRow| {
        if is_halved {
            threads_per_counted(row)
        } else {
            1.0
        }
    };
    correct_threads(&report, &mut run, factor);
    let is_older = version.is_none_or(|it| it < *EVERY_OTHER_THREAD.start());
    if is_older && report.rows.iter().any(|row| threads_per_counted(row) > 1.0) {
        run.origin.remarks.push(
            "rows of several threads may be too low: KDiskMark before 1.6.0 did not sum up all \
             threads (KDiskMark #5)"
                .into(),
        );
    }
    run.rows = report
        .rows
        .iter()
        .map(|row| imported(&report, row, scale, factor(row)))
        .collect();
    run
}

/// `3.1.4`, or `2.2`, which is `2.2.0`.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    let numbers = [
        parts.next()??,
        parts.next()??,
        parts.next().unwrap_or(Some(0))?,
    ];
    parts.next().is_none().then_some(numbers)
}

/// Threads for each that was summed up: the first, the third and so on.
fn threads_per_counted(row: &CrystalRow) -> f64 {
    let threads = row.label.threads.unwrap_or(1);
    f64::from(threads) / f64::from(threads.div_ceil(2))
}

/// Tells what was done about rows of several threads.
fn correct_threads(
    report: &CrystalReport,
    run: &mut ImportedRun,
    factor: impl Fn(&CrystalRow) -> f64,
) {
    let mut halved = report.rows.iter().filter(|row| factor(row) > 1.0);
    if let Some((row, iops)) = halved.find_map(|row| Some((row, row.iops?))) {
        let (factor, right) = (factor(row), factor(row) * iops);
        let what = text!("rows of several threads × {factor}: {iops} are {right} IOPS, and so on");
        crystal_layout::correct(run, what, WHY_THREADS);
    }
}

/// What its MB/s are; `None` where they are MB/s.
fn unit(report: &CrystalReport, run: &mut ImportedRun) -> Option<WrongUnit> {
    let (mut from_iops, mut shown) = (0.0, 0.0);
    for row in &report.rows {
        if let (Some(iops), Some(block)) = (row.iops, row.label.block) {
            from_iops += iops * number::float(block.0);
            shown += row.mb_per_s * 1e6;
        }
    }
    if shown == 0.0 {
        return Some(KDISKMARK);
    }
    let units = [Some(KDISKMARK), Some(KDISKMARK_MIB), None];
    let distance = |unit: &Option<WrongUnit>| {
        let scale = unit.map_or(1.0, |wrong| wrong.scale / 1e6);
        (from_iops / shown / scale - 1.0).abs()
    };
    let nearest = units
        .into_iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    if distance(&nearest) <= DISAGREEMENT_MAX {
        return nearest;
    }
    run.origin.remarks.push(text!(
        "its bandwidths and its IOPS times the block sizes differ by a factor of {:.3}, which \
         no known version explains",
        from_iops / shown
    ));
    Some(KDISKMARK)
}

/// By what the figures of a mixed row are to be divided.
fn mix_share(direction: Option<LabelDirection>) -> Option<f64> {
    match direction {
        Some(LabelDirection::Mix(Some(percent))) => {
            let reads = f64::from(percent) / 100.0;
            Some(reads.powi(2) + (1.0 - reads).powi(2))
        }
        Some(LabelDirection::Mix(None)) => None,
        _ => Some(1.0),
    }
}

/// Tells what was done about mixed rows.
fn correct_mixes(report: &CrystalReport, run: &mut ImportedRun, scale: f64) {
    let is_mix = |row: &&CrystalRow| matches!(row.label.direction, Some(LabelDirection::Mix(_)));
    let Some(row) = report.rows.iter().find(is_mix) else {
        return;
    };
    let right = row.mb_per_s * scale / 1e6;
    match mix_share(row.label.direction) {
        Some(share) => {
            let sum = right / share;
            let what = text!("mixed rows / {share:.2}: {right:.1} are {sum:.1} MB/s, and so on");
            crystal_layout::correct(run, what, WHY_MIX);
        }
        None => run.origin.remarks.push(
            "mixed rows are averages of reads and writes, and not their sum; in which shares is \
             not reported, so they are as KDiskMark shows them"
                .into(),
        ),
    }
}

fn imported(report: &CrystalReport, row: &CrystalRow, scale: f64, factor: f64) -> ImportedRow {
    let mut description = row.label.workload();
    description.workload.backend = BackendKind::Libaio;
    if let Order::Random { map } = &mut description.workload.order {
        *map = true;
    }
    // fio's jobs each read the file from its start, and visit each block once at random.
    let description = description
        .parts(PACE)
        .parts(&[PlanPart::Backend, PlanPart::Order])
        .parts_if(report.file_size().is_some(), &[PlanPart::Span]);
    let is_mean = report
        .profile
        .as_ref()
        .is_some_and(|name| name.starts_with("Default"));
    let kind = match report.runs() {
        None | Some(1) => Text::default(),
        Some(runs) if is_mean => text!("mean of {runs} runs"),
        Some(runs) => text!("best of {runs}"),
    };
    let share = mix_share(row.label.direction).unwrap_or(1.0) / factor;
    let mut imported = description.row();
    imported.reported.bandwidth = Some(row::rate(row.mb_per_s * scale / share, kind.clone()));
    imported.reported.iops = row.iops.map(|iops| row::rate(iops / share, kind));
    imported.reported.latency = row.latency_ns.map(|mean| row::latency(mean * factor));
    imported
}

#[cfg(test)]
mod tests;
