//! fio's JSON, and json+ with the classes of every latency.
//!
//! One key is added to each document: `sokudo`, with verdicts and what was found.

use sokudo_model::Finding;
use sokudo_report::date;
use sokudo_stats::Histogram;

use crate::fio::session::{FioJob, FioReporting, UnifiedReporting};

use super::bins::Bins;
use super::figures::{CLASS_ENDS, GroupFigures, JobFigures, ReportedDirection, groups, jobs};
use super::json_value::{JsonObject, JsonValue, document, float};
use super::spread::Spread;
use super::{DiskUse, FIO_VERSION, FioReport};

/// What fio prints for `eta` when nothing is left to do.
const NO_ETA: u64 = 2_147_483_647;

/// Output of `--output-format=json`, without histogram bins.
pub fn json(report: &FioReport) -> String {
    document(root(report, false))
}

/// fio's `--output-format=json+`: with `bins`.
pub fn json_plus(report: &FioReport) -> String {
    document(root(report, true))
}

fn root(report: &FioReport, with_bins: bool) -> JsonObject {
    let made_at = report.made_at();
    let mut root = JsonObject::default();
    root.add("fio version", FIO_VERSION)
        .add("timestamp", made_at.0 / 1_000_000_000)
        .add("timestamp_ms", made_at.0 / 1_000_000)
        .add("time", date::ctime(made_at, report.utc_offset_seconds));
    if !report.session.global_options.is_empty() {
        root.add("global options", options(&report.session.global_options));
    }
    let figures = jobs(report);
    let groups = groups(&figures);
    let job = |figures: &JobFigures| {
        let group = &groups[figures.job.group as usize];
        job_block(report, figures, group, with_bins)
    };
    root.add("jobs", JsonValue::list(figures.iter().map(job)));
    if shows_disks(report) {
        let disks = report.disks.iter().map(disk_block);
        root.add("disk_util", JsonValue::list(disks));
    }
    root.add("sokudo", sokudo_block(report));
    root
}

/// fio watches no device when a job says so.
pub(super) fn shows_disks(report: &FioReport) -> bool {
    let watched = |job: &FioJob| job.reporting.disk_util;
    !report.disks.is_empty() && report.session.jobs.iter().any(watched)
}

/// Options as they were written. fio 3.33 does not echo a flag that stands alone.
fn options(options: &[(String, String)]) -> JsonObject {
    let mut block = JsonObject::default();
    for (name, value) in options.iter().filter(|(_, value)| !value.is_empty()) {
        block.add(name, value.as_str());
    }
    block
}

fn job_block(
    report: &FioReport,
    figures: &JobFigures,
    group: &GroupFigures,
    with_bins: bool,
) -> JsonObject {
    let job = figures.job;
    let eta = report
        .remaining
        .map_or(NO_ETA, |left| left.0.div_ceil(1_000_000_000));
    let mut block = JsonObject::default();
    block
        .add("jobname", job.name.as_str())
        .add("groupid", job.group)
        .add("error", figures.error)
        .add("eta", eta)
        .add("elapsed", report.elapsed.0.div_ceil(1_000_000_000).max(1));
    // fio leaves the block out where a job has no option of its own.
    if !figures.options.is_empty() {
        block.add("job options", options(figures.options));
    }
    add_directions(&mut block, figures, group, with_bins);
    let [user, system] = figures.cpu_percent();
    block
        .add("job_runtime", figures.runtime_ms)
        .add("usr_cpu", user)
        .add("sys_cpu", system)
        .add("ctx", figures.context_switches)
        .add("majf", figures.major_faults)
        .add("minf", figures.minor_faults);
    add_distributions(&mut block, figures);
    block
        .add("latency_depth", job.depth)
        .add("latency_target", 0u32)
        .add("latency_percentile", 100.0)
        .add("latency_window", 0u32);
    if let Some(description) = job.description.as_deref().filter(|text| !text.is_empty()) {
        block.add("desc", description);
    }
    if let Some(steady) = &figures.steady {
        block.add("steadystate", steady.block());
    }
    block
}

fn add_directions(
    block: &mut JsonObject,
    figures: &JobFigures,
    group: &GroupFigures,
    with_bins: bool,
) {
    let reporting = &figures.job.reporting;
    let (sums, apart): (Vec<_>, Vec<_>) = figures
        .reported(group)
        .into_iter()
        .partition(|reported| reported.is_sum);
    for it in &apart {
        block.add(it.name, direction_block(it, reporting, with_bins));
    }
    if reporting.unified != UnifiedReporting::Mixed {
        let percentiles = reporting.clat_percentiles || reporting.lat_percentiles;
        let latency = latency_block(figures.flush.as_ref(), percentiles, reporting, with_bins);
        let mut sync = JsonObject::default();
        sync.add("total_ios", figures.flushes)
            .add("lat_ns", latency);
        block.add("sync", sync);
    }
    for it in &sums {
        block.add(it.name, direction_block(it, reporting, with_bins));
    }
}

fn direction_block(
    reported: &ReportedDirection<'_>,
    reporting: &FioReporting,
    with_bins: bool,
) -> JsonObject {
    let figures = &reported.figures;
    let latency = |histogram: &Option<Histogram>, percentiles| {
        latency_block(histogram.as_ref(), percentiles, reporting, with_bins)
    };
    let bytes_per_second = figures.bytes_per_second();
    let (bandwidth, iops) = (&figures.bandwidth, &figures.iops);
    let mut block = JsonObject::default();
    block
        .add("io_bytes", figures.bytes)
        .add("io_kbytes", figures.bytes >> 10)
        .add("bw_bytes", bytes_per_second)
        .add("bw", bytes_per_second / 1024)
        .add("iops", figures.ios_per_second())
        .add("runtime", figures.runtime_ms)
        .add("total_ios", figures.ios)
        .add("short_ios", figures.short_ios)
        // fio drops an I/O when the engine moved nothing; here that is an error.
        .add("drop_ios", 0u32)
        .add(
            "slat_ns",
            latency(&figures.submission, reporting.slat_percentiles),
        )
        .add(
            "clat_ns",
            latency(&figures.completion, reporting.clat_percentiles),
        )
        .add("lat_ns", latency(&figures.total, reporting.lat_percentiles))
        .add("bw_min", bandwidth.min)
        .add("bw_max", bandwidth.max)
        .add("bw_agg", figures.share_of(reported.group.aggregate))
        .add("bw_mean", bandwidth.mean)
        .add("bw_dev", bandwidth.deviation())
        .add("bw_samples", bandwidth.samples)
        .add("iops_min", iops.min)
        .add("iops_max", iops.max)
        .add("iops_mean", iops.mean)
        .add("iops_stddev", iops.deviation())
        .add("iops_samples", iops.samples);
    block
}

fn latency_block(
    histogram: Option<&Histogram>,
    percentiles: bool,
    reporting: &FioReporting,
    with_bins: bool,
) -> JsonObject {
    let spread = histogram.map_or_else(Spread::default, Spread::of_histogram);
    let mut block = JsonObject::default();
    block
        .add("min", spread.min)
        .add("max", spread.max)
        .add("mean", spread.mean)
        .add("stddev", spread.deviation())
        .add("N", spread.samples);
    let Some(histogram) = histogram.filter(|h| percentiles && !h.is_empty()) else {
        return block;
    };
    let bins = Bins::of(histogram);
    let wanted = &reporting.percentiles;
    let mut values = JsonObject::default();
    for (percentage, value) in wanted.iter().zip(bins.percentiles(wanted)) {
        values.add(&float(*percentage), value);
    }
    block.add("percentile", values);
    if with_bins {
        let mut filled = JsonObject::default();
        for (value, count) in bins.filled() {
            filled.add(&value.to_string(), count);
        }
        block.add("bins", filled);
    }
    block
}

fn add_distributions(block: &mut JsonObject, figures: &JobFigures) {
    const LEVELS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
    const AT_ONCE: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
    let [level, submitted, completed] = figures.depth_percent();
    block
        .add("iodepth_level", shares(LEVELS, &level))
        .add("iodepth_submit", shares(AT_ONCE, &submitted))
        .add("iodepth_complete", shares(AT_ONCE, &completed));
    let ends = CLASS_ENDS.map(|end| end.to_string());
    let names = || ends.iter().map(String::as_str);
    let (nanos, micros, millis) = figures.latency_percent();
    block
        .add("latency_ns", shares(names().take(10), &nanos))
        .add("latency_us", shares(names().take(10), &micros))
        .add("latency_ms", shares(names().chain([">=2000"]), &millis));
}

fn shares<'a>(names: impl IntoIterator<Item = &'a str>, values: &[f64]) -> JsonObject {
    let mut block = JsonObject::default();
    for (name, value) in names.into_iter().zip(values) {
        block.add(name, *value);
    }
    block
}

fn disk_block(disk: &DiskUse) -> JsonObject {
    let mut block = JsonObject::default();
    block
        .add("name", disk.name.as_str())
        .add("read_ios", disk.ios[0])
        .add("write_ios", disk.ios[1])
        .add("read_merges", disk.merges[0])
        .add("write_merges", disk.merges[1])
        .add("read_ticks", disk.ticks[0])
        .add("write_ticks", disk.ticks[1])
        .add("in_queue", disk.in_queue)
        .add("util", disk.utilisation());
    if let Some((mean, busiest)) = disk.aggregate() {
        block
            .add("aggr_read_ios", mean.ios[0])
            .add("aggr_write_ios", mean.ios[1])
            .add("aggr_read_merges", mean.merges[0])
            .add("aggr_write_merge", mean.merges[1])
            .add("aggr_read_ticks", mean.ticks[0])
            .add("aggr_write_ticks", mean.ticks[1])
            .add("aggr_in_queue", mean.in_queue)
            .add("aggr_util", busiest);
    }
    block
}

/// What fio does not have: whether the figures can be trusted, job by job.
fn sokudo_block(report: &FioReport) -> JsonObject {
    let rows = report.session.jobs.iter().zip(&report.run.rows).enumerate();
    let verdicts = rows.map(|(index, (job, row))| {
        let mut verdict = JsonObject::default();
        verdict
            .add("jobname", job.name.as_str())
            .add("jobnum", job.job_number);
        let outcome = report.outcome(index);
        let engine = outcome.map(|outcome| outcome.backend.kind.name());
        verdict.add("engine", engine);
        let assessment = row.assessment.as_ref();
        let word = assessment.map(|assessment| assessment.verdict.name());
        verdict.add("verdict", word);
        verdict.add(
            "findings",
            findings(assessment.map_or(&[], |a| &a.findings)),
        );
        if let Some(verified) = outcome.and_then(|outcome| outcome.verified.as_ref()) {
            verdict
                .add("blocks_checked", verified.checked)
                .add("blocks_wrong", verified.wrong);
        }
        verdict
    });
    let mut notes = report.session.notes.clone();
    notes.extend(unrecorded(report));
    let mut block = JsonObject::default();
    block
        .add("version", report.run.sokudo_version.as_str())
        .add("verdicts", JsonValue::list(verdicts))
        .add("findings", findings(&report.run.findings))
        .add("notes", JsonValue::list(notes))
        .add("left_out", JsonValue::list(report.session.left_out.clone()));
    block
}

/// fio's format has no place for what was not recorded but a 0, so that is said here.
fn unrecorded(report: &FioReport) -> Vec<String> {
    let outcomes = || (0..report.session.jobs.len()).filter_map(|job| report.outcome(job));
    let depths = outcomes().any(|outcome| outcome.depths.is_none());
    let cpu = outcomes().any(|outcome| outcome.cpu.is_none());
    let usage = outcomes().any(|outcome| outcome.usage.is_none());
    let sentences = [
        (depths, "iodepth_level, iodepth_submit and iodepth_complete"),
        (cpu, "usr_cpu and sys_cpu"),
        (usage, "ctx, majf and minf"),
    ];
    let missing = sentences.into_iter().filter(|(is_missing, _)| *is_missing);
    missing
        .map(|(_, keys)| format!("{keys} were not recorded for every job; 0 is not their value."))
        .collect()
}

fn findings(findings: &[Finding]) -> JsonValue {
    let one = |finding: &Finding| {
        let mut block = JsonObject::default();
        block
            .add("code", finding.code.as_str())
            .add("sentence", finding.symptom.english());
        block
    };
    JsonValue::list(findings.iter().map(one))
}

#[cfg(test)]
mod tests;
