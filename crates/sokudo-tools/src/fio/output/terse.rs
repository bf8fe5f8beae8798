//! fio's terse lines, versions 2 to 5: one line per job, its fields separated by
//! semicolons, at the positions that scripts count on.
//!
//! fio separates the description of version 2 from its line by a line feed; so do we.

use sokudo_stats::Histogram;

use crate::fio::session::FioReporting;

use super::bins::Bins;
use super::figures::{DirectionFigures, GroupFigures, JobFigures, ReportedDirection, groups, jobs};
use super::json::shows_disks;
use super::spread::Spread;
use super::{DiskUse, FIO_VERSION, FioReport};

/// Every line has room for so many percentiles, whatever was asked for.
const PERCENTILE_FIELDS: usize = 20;

/// A line per reported job, in the version that the session asks for.
pub fn terse(report: &FioReport) -> String {
    let figures = jobs(report);
    let groups = groups(&figures);
    let mut text = String::new();
    for job in &figures {
        let group = &groups[job.job.group as usize];
        text.push_str(&line(report, job, group));
        text.push('\n');
    }
    text
}

fn line(report: &FioReport, figures: &JobFigures, group: &GroupFigures) -> String {
    let version = report.session.output.terse_version;
    let (job, reporting) = (figures.job, &figures.job.reporting);
    // A separator inside a name would move every field behind it.
    let name = job.name.replace([';', '\n', '\r'], "_");
    let mut line = match version {
        2 => format!("2;{name};{};{}", job.group, figures.error),
        _ => format!(
            "{version};{FIO_VERSION};{name};{};{}",
            job.group, figures.error
        ),
    };
    for reported in figures.reported(group) {
        // Version 3 knows no trims.
        if version != 3 || reported.name != "trim" {
            add_direction(&mut line, &reported, reporting, version);
        }
    }
    add_totals(&mut line, figures);
    if version >= 3 && shows_disks(report) {
        for disk in report.disks {
            add_disk(&mut line, disk);
        }
    }
    if let Some(description) = job.description.as_deref().filter(|text| !text.is_empty()) {
        line.push_str(if version == 2 { "\n;" } else { ";" });
        line.push_str(description);
    }
    line
}

fn add_direction(
    line: &mut String,
    reported: &ReportedDirection<'_>,
    reporting: &FioReporting,
    version: u8,
) {
    let figures = &reported.figures;
    let bandwidth = figures.bytes_per_second() / 1024;
    let (kib, iops) = (figures.bytes >> 10, whole_iops(figures));
    *line += &format!(";{kib};{bandwidth};{iops};{}", figures.runtime_ms);
    add_latency(line, figures.submission.as_ref());
    add_latency(line, figures.completion.as_ref());
    let ranked = match (reporting.lat_percentiles, reporting.clat_percentiles) {
        (true, _) => figures.total.as_ref(),
        (_, true) => figures.completion.as_ref(),
        _ => None,
    };
    let has_percentiles = reporting.lat_percentiles || reporting.clat_percentiles;
    let percentages = if has_percentiles {
        &reporting.percentiles[..]
    } else {
        &[]
    };
    add_percentiles(line, ranked, percentages);
    add_latency(line, figures.total.as_ref());
    add_sampled(line, reported, version);
}

/// fio cuts off what is behind the point.
fn whole_iops(figures: &DirectionFigures) -> u64 {
    match figures.runtime_ms {
        0 => 0,
        runtime => figures.ios.saturating_mul(1000) / runtime,
    }
}

/// Minimum, maximum, mean and deviation in microseconds.
fn add_latency(line: &mut String, histogram: Option<&Histogram>) {
    let spread = histogram.map_or_else(Spread::default, Spread::of_histogram);
    let (min, max) = (spread.min / 1000, spread.max / 1000);
    let (mean, deviation) = (spread.mean / 1000.0, spread.deviation() / 1000.0);
    *line += &format!(";{min};{max};{mean:.6};{deviation:.6}");
}

fn add_percentiles(line: &mut String, histogram: Option<&Histogram>, percentages: &[f64]) {
    let bins = histogram.map(Bins::of);
    let values = bins.map_or_else(Vec::new, |bins| bins.percentiles(percentages));
    for index in 0..PERCENTILE_FIELDS {
        match percentages.get(index) {
            Some(percentage) => {
                let value = values.get(index).map_or(0, |nanos| nanos / 1000);
                *line += &format!(";{percentage:.6}%={value}");
            }
            None => line.push_str(";0%=0"),
        }
    }
}

fn add_sampled(line: &mut String, reported: &ReportedDirection<'_>, version: u8) {
    let figures = &reported.figures;
    let sampled = &figures.bandwidth;
    let share = figures.share_of(reported.group.aggregate);
    let (mean, deviation) = (sampled.mean, sampled.deviation());
    *line += &format!(
        ";{};{};{share:.6}%;{mean:.6};{deviation:.6}",
        sampled.min, sampled.max
    );
    if version == 5 {
        let iops = &figures.iops;
        let (mean, deviation) = (iops.mean, iops.deviation());
        *line += &format!(
            ";{};{};{};{mean:.6};{deviation:.6};{}",
            sampled.samples, iops.min, iops.max, iops.samples
        );
    }
}

fn add_totals(line: &mut String, figures: &JobFigures) {
    let [user, system] = figures.cpu_percent();
    *line += &format!(
        ";{user:.6}%;{system:.6}%;{};{};{}",
        figures.context_switches, figures.major_faults, figures.minor_faults
    );
    let [level, ..] = figures.depth_percent();
    for share in level {
        *line += &format!(";{share:.1}%");
    }
    let (nanos, mut micros, millis) = figures.latency_percent();
    // The format is older than nanoseconds: all of them are below 2 µs.
    micros[0] += nanos.iter().sum::<f64>().min(100.0);
    for share in micros.into_iter().chain(millis) {
        *line += &format!(";{share:.2}%");
    }
}

fn add_disk(line: &mut String, disk: &DiskUse) {
    add_disk_fields(line, &disk.name, disk, disk.utilisation());
    if let Some((mean, busiest)) = disk.aggregate() {
        add_disk_fields(line, "slaves", &mean, busiest);
    }
}

fn add_disk_fields(line: &mut String, name: &str, disk: &DiskUse, utilisation: f64) {
    let ([reads, writes], [read_merges, write_merges]) = (disk.ios, disk.merges);
    let ([read_ticks, write_ticks], queue) = (disk.ticks, disk.in_queue);
    *line += &format!(
        ";{name};{reads};{writes};{read_merges};{write_merges};{read_ticks};{write_ticks};\
             {queue};{utilisation:.2}%"
    );
}

#[cfg(test)]
mod tests;
