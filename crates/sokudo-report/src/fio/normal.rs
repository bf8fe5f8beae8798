//! fio's normal output, line for line.
//!
//! One line is added at the end: sokudo's verdict.

use sokudo_model::fio::UnifiedReporting;
use sokudo_model::{MismatchKind, Verdict};

use super::FioReport;
use super::failure::error_text;
use super::figures::{
    CLASS_ENDS, DirectionFigures, GroupDirection, GroupFigures, JobFigures, groups, jobs,
};
use super::json::shows_disks;
use super::number::{UnitSuffix, scaled};
use crate::date;

mod latency;
mod line;
mod totals;

use latency::{add_latency, add_percentiles};
use line::line;
use totals::{add_disk, add_group};

/// Shares of latencies that stand in one line.
const SHARES_PER_LINE: usize = 5;

/// fio's `--output-format=normal`, without what it prints before the jobs run.
pub fn normal(report: &FioReport) -> String {
    let figures = jobs(report);
    let groups = groups(&figures);
    let mut text = String::from("\n");
    for job in &figures {
        // fio says nothing of a job that has done nothing.
        if job.ios() > 0 || job.directions.iter().any(|direction| direction.bytes > 0) {
            add_job(&mut text, report, job, &groups[job.job.group as usize]);
        }
    }
    for (number, group) in groups.iter().enumerate() {
        line(
            &mut text,
            format_args!("\nRun status group {number} (all jobs):"),
        );
        add_group(&mut text, group);
    }
    if shows_disks(report) {
        line(&mut text, format_args!("\nDisk stats (read/write):"));
        for disk in report.disks {
            add_disk(&mut text, disk);
        }
    }
    line(&mut text, format_args!("\n{}", verdict_line(report)));
    text
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

fn add_job(text: &mut String, report: &FioReport, figures: &JobFigures, group: &GroupFigures) {
    let job = figures.job;
    let error = match figures.error {
        0 => " 0".to_owned(),
        number => format!("{number:2} ({})", error_text(number)),
    };
    let (name, process) = (&job.name, report.process);
    let made_at = date::ctime(report.made_at(), report.utc_offset_seconds);
    line(
        text,
        format_args!(
            "{name}: (groupid={}, jobs={}): err={error}: pid={process}: {made_at}",
            job.group, figures.members
        ),
    );
    if let Some(description) = job.description.as_deref().filter(|text| !text.is_empty()) {
        line(text, format_args!("  Description  : [{description}]"));
    }
    add_directions(text, figures, group);
    add_latency_shares(text, figures);
    if let Some(flush) = figures.flush.as_ref().filter(|flush| !flush.is_empty()) {
        line(text, format_args!("  fsync/fdatasync/sync_file_range:"));
        add_latency(text, "sync", flush);
        add_percentiles(text, "sync", flush, &job.reporting.percentiles);
    }
    add_totals(text, figures);
    if let Some(steady) = &figures.steady {
        add_steady(text, figures, steady);
    }
}

fn add_directions(text: &mut String, figures: &JobFigures, group: &GroupFigures) {
    let unified = figures.job.reporting.unified;
    for (index, direction) in figures.directions.iter().enumerate() {
        let name = match (unified, index) {
            (UnifiedReporting::Mixed, _) => "mixed",
            (_, 0) => "read",
            (_, 1) => "write",
            _ => "trim",
        };
        if direction.bytes > 0 {
            add_direction(
                text,
                name,
                direction,
                figures,
                (group, &group.directions[index]),
            );
        }
    }
    if unified == UnifiedReporting::Both {
        let whole = GroupDirection::mixed(&group.directions);
        add_direction(text, "mixed", &figures.mixed(), figures, (group, &whole));
    }
}

fn add_direction(
    text: &mut String,
    name: &str,
    direction: &DirectionFigures,
    figures: &JobFigures,
    (group, whole): (&GroupFigures, &GroupDirection),
) {
    let reporting = &figures.job.reporting;
    let binary = group.is_binary();
    let digits = reporting.significant_figures as usize;
    let unit = UnitSuffix::of_base(reporting.unit_base);
    let rate = direction.bytes_per_second();
    let iops = direction.ios.saturating_mul(1000) / direction.runtime_ms.max(1);
    // Zoned devices are not among what is measured, so there is nothing to reset.
    let resets = if name == "write" {
        "; 0 zone resets"
    } else {
        ""
    };
    line(
        text,
        format_args!(
            "  {name}: IOPS={}, BW={} ({})({}/{}msec){resets}",
            scaled(iops, digits, false, UnitSuffix::None),
            scaled(rate, digits, binary, unit),
            scaled(rate, digits, !binary, unit),
            scaled(direction.bytes, digits, binary, UnitSuffix::Bytes),
            direction.runtime_ms
        ),
    );
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
        add_latency(text, kind, latency);
    }
    for (kind, latency, _) in present.filter(|(_, _, ranked)| *ranked) {
        add_percentiles(text, kind.trim_start(), latency, &reporting.percentiles);
    }
    add_sampled(text, direction, group, whole);
}

fn add_sampled(
    text: &mut String,
    direction: &DirectionFigures,
    group: &GroupFigures,
    whole: &GroupDirection,
) {
    let base = group.job.reporting.kb_base;
    let bits = group.job.reporting.unit_base == 1;
    let sampled = &direction.bandwidth;
    if sampled.samples > 0 {
        let share = direction.share_of(whole.aggregate);
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
        line(
            text,
            format_args!(
                "   bw ({unit:>5}/s): min={:5}, max={:5}, per={share:.2}%, avg={:5.2}, \
                 stdev={:5.2}, samples={}",
                whole(sampled.min),
                whole(sampled.max),
                float(sampled.mean),
                float(sampled.deviation()),
                sampled.samples
            ),
        );
    }
    let iops = &direction.iops;
    if iops.samples > 0 {
        let (mean, deviation) = (iops.mean, iops.deviation());
        line(
            text,
            format_args!(
                "   iops        : min={:5}, max={:5}, avg={mean:5.2}, stdev={deviation:5.2}, \
                 samples={}",
                iops.min, iops.max, iops.samples
            ),
        );
    }
}

fn add_latency_shares(text: &mut String, figures: &JobFigures) {
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
            line(
                text,
                format_args!("  lat ({unit})   : {}", words.join(", ")),
            );
        }
    }
}

fn add_totals(text: &mut String, figures: &JobFigures) {
    let [user, system] = figures.cpu_percent();
    line(
        text,
        format_args!(
            "  cpu          : usr={user:.2}%, sys={system:.2}%, ctx={}, majf={}, minf={}",
            figures.context_switches, figures.major_faults, figures.minor_faults
        ),
    );
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
        line(text, format_args!("{label}: {}", words.join(", ")));
    }
    let [read, write, trim] = figures.directions.each_ref();
    line(
        text,
        format_args!(
            "     issued rwts: total={},{},{},{} short={},{},{},0 dropped=0,0,0,0",
            read.ios,
            write.ios,
            trim.ios,
            figures.flushes,
            read.short_ios,
            write.short_ios,
            trim.short_ios
        ),
    );
    line(
        text,
        format_args!(
            "     latency   : target=0, window=0, percentile=100.00%, depth={}",
            figures.depth
        ),
    );
}

fn add_steady(text: &mut String, figures: &JobFigures, steady: &super::steady::SteadyReport) {
    let reporting = &figures.job.reporting;
    let digits = reporting.significant_figures as usize;
    let binary = reporting.kb_base.is_power_of_two();
    let unit = UnitSuffix::of_base(reporting.unit_base);
    let bandwidth = steady.bandwidth();
    line(
        text,
        format_args!(
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
        ),
    );
}

/// The worst verdict of all jobs, and why.
fn verdict_line(report: &FioReport) -> String {
    let judged = report.session.jobs.iter().zip(&report.run.rows);
    let judged = judged.filter_map(|(job, row)| Some((job, row.assessment.as_ref()?)));
    let Some((job, worst)) = judged
        .rev()
        .max_by_key(|(_, assessment)| assessment.verdict)
    else {
        let measured = (0..report.session.jobs.len()).any(|job| report.outcome(job).is_some());
        let reason = if measured {
            "the run was not judged"
        } else {
            "no job was measured"
        };
        return format!("sokudo: no verdict: {reason}");
    };
    let reason = worst
        .findings
        .first()
        .filter(|_| worst.verdict != Verdict::Verified);
    let verdict = worst.verdict.name();
    match reason {
        None => format!("sokudo: {verdict}"),
        Some(finding) => format!(
            "sokudo: {verdict}: {}: {}; cause: {}; remedy: {} ({})",
            job.name, finding.symptom, finding.cause, finding.remedy, finding.code
        ),
    }
}

#[cfg(test)]
mod tests;
