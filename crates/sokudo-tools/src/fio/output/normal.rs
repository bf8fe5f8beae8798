//! fio's normal output, line for line.
//!
//! sokudo's verdict is a line of its own, which stands beside it and not in it.

use sokudo_model::{MismatchKind, Nanos, Verdict};
use sokudo_report::date;
use sokudo_words::{Text, text};

use super::FioReport;
use super::failure::error_text;
use super::figures::{CLASS_ENDS, GroupFigures, JobFigures, ReportedDirection, groups, jobs};
use super::json::shows_disks;
use super::number::{UnitSuffix, scaled};

mod latency;
mod totals;

use latency::{add_latency, add_percentiles};
use totals::{add_disk, add_group};

/// Shares of latencies that stand in one line.
const SHARES_PER_LINE: usize = 5;
/// A shorter run may have met nothing but a drive's memory.
const SHORT_RUN: Nanos = Nanos::from_millis(500);

/// fio's `--output-format=normal`, without what it prints before the jobs run.
pub fn normal(report: &FioReport) -> String {
    let figures = jobs(report);
    let groups = groups(&figures);
    let mut lines = vec![String::new()];
    for job in &figures {
        // fio says nothing of a job that has done nothing.
        if job.ios() > 0 || job.directions.iter().any(|direction| direction.bytes > 0) {
            add_job(&mut lines, report, job, &groups[job.job.group as usize]);
        }
    }
    for (number, group) in groups.iter().enumerate() {
        lines.push(format!("\nRun status group {number} (all jobs):"));
        add_group(&mut lines, group);
    }
    if shows_disks(report) {
        lines.push("\nDisk stats (read/write):".to_owned());
        for disk in report.disks {
            add_disk(&mut lines, disk);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What checking found wrong, one sentence per block: for the standard error.
pub fn mismatch_lines(report: &FioReport) -> Vec<String> {
    let jobs = report.session.jobs.iter().enumerate();
    let mismatches = jobs.filter_map(|(index, job)| {
        let verified = report.outcome(index)?.verified.as_ref()?;
        Some((job, &verified.mismatches))
    });
    mismatches
        .flat_map(|(job, found)| found.iter().map(move |mismatch| (job, mismatch)))
        .map(|(job, mismatch)| {
            format!(
                "{}: verify failed at file {} offset {}, length {}: {}: {}",
                job.name,
                mismatch.file,
                mismatch.offset.0,
                mismatch.length.0,
                mismatch_text(mismatch.kind),
                mismatch.detail
            )
        })
        .collect()
}

const fn mismatch_text(kind: MismatchKind) -> &'static str {
    match kind {
        MismatchKind::NoHeader => "no header of a written block",
        MismatchKind::Checksum => "the data do not fit their checksum",
        MismatchKind::Stale => "an earlier version of the block, so a write was lost",
        MismatchKind::WrongOffset => "the block of another offset",
        MismatchKind::Pattern => "not the pattern that was written",
        MismatchKind::Length => "a block of another length",
        MismatchKind::WrongJob => "the block of another job",
    }
}

fn add_job(
    lines: &mut Vec<String>,
    report: &FioReport,
    figures: &JobFigures,
    group: &GroupFigures,
) {
    let job = figures.job;
    let error = match figures.error {
        0 => " 0".to_owned(),
        number => format!("{number:2} ({})", error_text(number)),
    };
    let (name, process) = (&job.name, report.process);
    let made_at = date::ctime(report.made_at(), report.utc_offset_seconds);
    lines.push(format!(
        "{name}: (groupid={}, jobs={}): err={error}: pid={process}: {made_at}",
        job.group, figures.members
    ));
    if let Some(description) = job.description.as_deref().filter(|text| !text.is_empty()) {
        lines.push(format!("  Description  : [{description}]"));
    }
    for reported in figures.reported(group) {
        if reported.figures.bytes > 0 || reported.is_sum {
            add_direction(lines, &reported, figures, group);
        }
    }
    add_latency_shares(lines, figures);
    if let Some(flush) = figures.flush.as_ref().filter(|flush| !flush.is_empty()) {
        lines.push("  fsync/fdatasync/sync_file_range:".to_owned());
        add_latency(lines, "sync", flush);
        add_percentiles(lines, "sync", flush, &job.reporting.percentiles);
    }
    add_totals(lines, figures);
    if let Some(steady) = &figures.steady {
        add_steady(lines, figures, steady);
    }
}

fn add_direction(
    lines: &mut Vec<String>,
    reported: &ReportedDirection<'_>,
    figures: &JobFigures,
    group: &GroupFigures,
) {
    let (name, direction) = (reported.name, &reported.figures);
    let reporting = &figures.job.reporting;
    let binary = group.is_binary();
    let digits = reporting.significant_figures as usize;
    let unit = UnitSuffix::of_base(reporting.unit_base);
    let rate = direction.bytes_per_second();
    let iops = direction.ios.saturating_mul(1000) / direction.runtime_ms.max(1);
    // Zoned devices are not among what is measured, so there is nothing to reset.
    let resets = match name {
        "write" => "; 0 zone resets",
        _ => "",
    };
    lines.push(format!(
        "  {name}: IOPS={}, BW={} ({})({}/{}msec){resets}",
        scaled(iops, digits, false, UnitSuffix::None),
        scaled(rate, digits, binary, unit),
        scaled(rate, digits, !binary, unit),
        scaled(direction.bytes, digits, binary, UnitSuffix::Bytes),
        direction.runtime_ms
    ));
    let kinds = [
        ("slat", &direction.submission, reporting.slat_percentiles),
        ("clat", &direction.completion, reporting.clat_percentiles),
        (" lat", &direction.total, reporting.lat_percentiles),
    ];
    let present = kinds
        .iter()
        .filter_map(|(kind, latency, ranked)| Some((kind, latency.as_ref()?, *ranked)))
        .filter(|(_, latency, _)| !latency.is_empty());
    for (kind, latency, _) in present.clone() {
        add_latency(lines, kind, latency);
    }
    for (kind, latency, _) in present.filter(|(_, _, ranked)| *ranked) {
        add_percentiles(lines, kind.trim_start(), latency, &reporting.percentiles);
    }
    add_sampled(lines, reported, group);
}

fn add_sampled(lines: &mut Vec<String>, reported: &ReportedDirection<'_>, group: &GroupFigures) {
    let direction = &reported.figures;
    let base = group.job.reporting.kb_base;
    let bits = group.job.reporting.unit_base == 1;
    let sampled = &direction.bandwidth;
    if sampled.samples > 0 {
        let share = direction.share_of(reported.group.aggregate);
        let factor: u32 = if bits { 8 } else { 1 };
        let large = sampled.mean * f64::from(factor) > f64::from(base).powi(2);
        let divisor = if large { base } else { 1 };
        let unit = match (bits, large, group.is_binary()) {
            (true, true, _) => "Mibit",
            (true, false, true) => "Kibit",
            (true, false, false) => "kbit",
            (false, true, _) => "MiB",
            (false, false, true) => "KiB",
            (false, false, false) => "kB",
        };
        let whole = |value: u64| value * u64::from(factor) / u64::from(divisor);
        let float = |value: f64| value * f64::from(factor) / f64::from(divisor);
        lines.push(format!(
            "   bw ({unit:>5}/s): min={:5}, max={:5}, per={share:.2}%, avg={:5.2}, \
                 stdev={:5.2}, samples={}",
            whole(sampled.min),
            whole(sampled.max),
            float(sampled.mean),
            float(sampled.deviation()),
            sampled.samples
        ));
    }
    let iops = &direction.iops;
    if iops.samples > 0 {
        let (mean, deviation) = (iops.mean, iops.deviation());
        lines.push(format!(
            "   iops        : min={:5}, max={:5}, avg={mean:5.2}, stdev={deviation:5.2}, \
                 samples={}",
            iops.min, iops.max, iops.samples
        ));
    }
}

fn add_latency_shares(lines: &mut Vec<String>, figures: &JobFigures) {
    let (nanos, micros, millis) = figures.latency_percent();
    for (unit, shares) in [("nsec", &nanos[..]), ("usec", &micros), ("msec", &millis)] {
        let named = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        let words: Vec<String> = named
            .map(|(index, share)| match CLASS_ENDS.get(index) {
                Some(end) => format!("{end}={share:.2}%"),
                None => format!(">=2000={share:.2}%"),
            })
            .collect();
        for words in words.chunks(SHARES_PER_LINE) {
            lines.push(format!("  lat ({unit})   : {}", words.join(", ")));
        }
    }
}

fn add_totals(lines: &mut Vec<String>, figures: &JobFigures) {
    let [user, system] = figures.cpu_percent();
    lines.push(format!(
        "  cpu          : usr={user:.2}%, sys={system:.2}%, ctx={}, majf={}, minf={}",
        figures.context_switches, figures.major_faults, figures.minor_faults
    ));
    let labels = [
        ("  IO depths    ", ["1", "2", "4", "8", "16", "32", ">=64"]),
        ("     submit    ", ["0", "4", "8", "16", "32", "64", ">=64"]),
        ("     complete  ", ["0", "4", "8", "16", "32", "64", ">=64"]),
    ];
    for ((label, names), shares) in labels.into_iter().zip(figures.depth_percent()) {
        let words: Vec<String> = names
            .iter()
            .zip(shares)
            .map(|(name, share)| format!("{name}={share:.1}%"))
            .collect();
        lines.push(format!("{label}: {}", words.join(", ")));
    }
    let [read, write, trim] = figures.directions.each_ref();
    lines.push(format!(
        "     issued rwts: total={},{},{},{} short={},{},{},0 dropped=0,0,0,0",
        read.ios,
        write.ios,
        trim.ios,
        figures.flushes,
        read.short_ios,
        write.short_ios,
        trim.short_ios
    ));
    lines.push(format!(
        "     latency   : target=0, window=0, percentile=100.00%, depth={}",
        figures.job.depth
    ));
}

fn add_steady(lines: &mut Vec<String>, figures: &JobFigures, steady: &super::steady::SteadyReport) {
    let reporting = &figures.job.reporting;
    let digits = reporting.significant_figures as usize;
    let binary = reporting.kb_base.is_power_of_two();
    let unit = UnitSuffix::of_base(reporting.unit_base);
    let bandwidth = steady.bandwidth();
    lines.push(format!(
        "  steadystate  : attained={}, bw={} ({}), iops={}, {}{}={:.3}{}",
        if steady.outcome.attained { "yes" } else { "no" },
        scaled(bandwidth, digits, binary, unit),
        scaled(bandwidth, digits, !binary, unit),
        scaled(steady.iops(), digits, false, UnitSuffix::None),
        steady.figure(),
        if steady.rule.slope {
            " slope"
        } else {
            " mean dev"
        },
        steady.outcome.criterion,
        steady.unit()
    ));
}

/// The worst verdict of all jobs; `None` where none was judged.
pub fn worst_verdict(report: &FioReport) -> Option<Verdict> {
    let judged = report.run.rows.iter();
    let judged = judged.filter_map(|row| Some(row.assessment.as_ref()?.verdict));
    judged.max()
}

/// Whether I/O was carried out, so that figures are shown.
pub fn has_figures(report: &FioReport) -> bool {
    let trials = report.run.rows.iter().flat_map(|row| &row.trials);
    trials.map(|trial| trial.outcome.ios()).any(|ios| ios > 0)
}

/// The worst verdict of all jobs, and why: for the standard error, for programs read what fio prints.
pub fn verdict_line(report: &FioReport) -> Text {
    let judged = report.session.jobs.iter().zip(&report.run.rows);
    let judged = judged.filter_map(|(job, row)| Some((job, row.assessment.as_ref()?)));
    let Some((job, worst)) = judged
        .rev()
        .max_by_key(|(_, assessment)| assessment.verdict)
    else {
        let is_measured = (0..report.session.jobs.len()).any(|job| report.outcome(job).is_some());
        return match is_measured {
            true => "no verdict: the run was not judged".into(),
            false => "no verdict: no job was measured".into(),
        };
    };
    let verdict = worst.verdict.name();
    match worst.findings.first() {
        _ if worst.verdict == Verdict::Verified => verified_line(report),
        None => Text::name(verdict),
        Some(finding) => text!(
            "{verdict}: {job}: {symptom}; cause: {cause}; remedy: {remedy} ({code})",
            job = job.name,
            symptom = finding.symptom,
            cause = finding.cause,
            remedy = finding.remedy,
            code = finding.code
        ),
    }
}

/// That nothing speaks against the figures, and on how little they rest: a job has one trial.
fn verified_line(report: &FioReport) -> Text {
    let jobs = 0..report.session.jobs.len();
    let elapsed = jobs.filter_map(|job| Some(report.outcome(job)?.elapsed));
    let verdict = Verdict::Verified.name();
    match elapsed.min().filter(|shortest| *shortest < SHORT_RUN) {
        Some(shortest) => text!("{verdict}, but {shortest} long"),
        None => text!("{verdict}, of one trial"),
    }
}

#[cfg(test)]
mod tests;
