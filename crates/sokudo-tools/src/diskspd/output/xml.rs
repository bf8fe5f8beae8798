//! The XML of diskspd 2.2: system, profile, and what was measured of each time span.
//!
//! Elements that Linux has no figures for (socket, node and core of a processor) are left
//! out, not made up.

use sokudo_model::{CpuUse, Nanos, Operation};
use sokudo_report::number::float;
use sokudo_stats::Histogram;

use super::figures::{
    RowFigures, SpanFigures, TableSection, ThreadTotals, cpu_mean, cpu_percent, interval_number,
    milliseconds, spans, whole_milliseconds,
};
use super::profile::{Xml, profile_xml};
use super::report::DiskspdReport;

/// The results as XML.
pub fn xml(report: &DiskspdReport<'_>) -> String {
    let mut xml = Xml::new(0);
    xml.inside("Results", |xml| {
        system(xml, report);
        xml.text.push_str(&profile_xml(report.session, 1));
        for (number, figures) in spans(report.run, report.session).iter().enumerate() {
            let cpus = report.cpu_of(number);
            xml.inside("TimeSpan", |xml| match figures.elapsed {
                Some(elapsed) => span(xml, report, figures, elapsed, cpus),
                None => xml.value(
                    "Error",
                    "The test was interrupted before the measurements began. No results are displayed.",
                ),
            });
        }
        if !report.verdicts.is_empty() {
            xml.inside("Sokudo", |xml| {
                for (number, sentence) in report.verdicts.iter().enumerate() {
                    let name = if number == 0 { "Verdict" } else { "Finding" };
                    xml.value(name, sentence);
                }
            });
        }
    });
    xml.text
}

fn system(xml: &mut Xml, report: &DiskspdReport<'_>) {
    let run = report.run;
    xml.inside("System", |xml| {
        if let Some(host) = &run.environment.host {
            xml.value("ComputerName", host);
        }
        xml.inside("Tool", |xml| {
            xml.value("Version", format!("sokudo {}", run.sokudo_version));
        });
        xml.value("RunTime", report.started());
        let count = report.processor_count();
        xml.inside("ProcessorTopology", |xml| {
            xml.line(&format!(
                "<Group Group=\"0\" MaximumProcessors=\"{count}\" ActiveProcessors=\"{count}\"/>"
            ));
        });
    });
}

fn span(
    xml: &mut Xml,
    report: &DiskspdReport<'_>,
    figures: &SpanFigures<'_>,
    elapsed: Nanos,
    cpus: &[CpuUse],
) {
    let seconds = elapsed.as_secs_f64();
    xml.value("TestTimeSeconds", format!("{seconds:.2}"));
    xml.value("ThreadCount", figures.threads());
    xml.value("RequestCount", figures.requests());
    xml.value("ProcCount", report.processor_count());
    cpu_utilization(xml, cpus);
    if figures.span.measure_latency {
        latency(xml, figures);
    }
    if figures.span.iops_interval.is_some() {
        let rows: Vec<&RowFigures<'_>> = figures.rows.iter().collect();
        let totals = TableSection::ALL.map(|section| figures.total(section));
        iops(xml, figures, &rows, &totals);
    }
    let mut rows = figures.rows.iter().peekable();
    while let Some(first) = rows.next() {
        xml.inside("Thread", |xml| {
            xml.value("Id", first.row.thread);
            target(xml, figures, first);
            // With -F a thread has several targets.
            while let Some(next) = rows.next_if(|next| next.row.thread == first.row.thread) {
                target(xml, figures, next);
            }
        });
    }
}

fn cpu_utilization(xml: &mut Xml, cpus: &[CpuUse]) {
    let Some(mean) = cpu_mean(cpus) else {
        return;
    };
    let percents = |xml: &mut Xml, [user, kernel, iowait, idle]: [f64; 4]| {
        xml.value("UsagePercent", format!("{:.2}", user + kernel));
        xml.value("UserPercent", format!("{user:.2}"));
        xml.value("KernelPercent", format!("{kernel:.2}"));
        // Windows counts waiting for I/O as idle.
        xml.value("IdlePercent", format!("{:.2}", iowait + idle));
    };
    xml.inside("CpuUtilization", |xml| {
        for cpu in cpus {
            xml.inside("CPU", |xml| {
                xml.value("Group", 0);
                xml.value("Id", cpu.cpu);
                percents(xml, cpu_percent(cpu));
            });
        }
        xml.inside("Average", |xml| percents(xml, mean));
    });
}

fn latency(xml: &mut Xml, figures: &SpanFigures<'_>) {
    let [total, read, write] = TableSection::ALL.map(|section| figures.total(section).latency);
    let columns = [("Read", &read), ("Write", &write), ("Total", &total)];
    xml.inside("Latency", |xml| {
        for (name, histogram) in columns {
            let of = if name == "Total" { "" } else { name };
            let mean = format!("Average{name}Milliseconds");
            average(xml, histogram, &mean, &format!("{of}LatencyStdev"));
        }
        let bucket = |xml: &mut Xml, percentile: &str, at: &dyn Fn(&Histogram) -> Option<u64>| {
            xml.inside("Bucket", |xml| {
                xml.value("Percentile", percentile);
                for (name, histogram) in columns {
                    if let Some(nanos) = at(histogram) {
                        let value = format!("{:.3}", whole_milliseconds(nanos));
                        xml.value(&format!("{name}Milliseconds"), value);
                    }
                }
            });
        };
        bucket(xml, "0", &Histogram::min);
        for percent in 1..=99u32 {
            let fraction = f64::from(percent) / 100.0;
            bucket(xml, &percent.to_string(), &|h| h.quantile(fraction));
        }
        for (nines, digits) in (1..=7).zip(1..) {
            let percent = format!("99.{}", "9".repeat(digits));
            let fraction = 1.0 - 0.01 * 0.1f64.powi(nines);
            bucket(xml, &percent, &|h| h.quantile(fraction));
        }
        bucket(xml, "100", &Histogram::max);
    });
}

fn average(xml: &mut Xml, histogram: &Histogram, mean_name: &str, spread_name: &str) {
    if let Some(mean) = histogram.mean() {
        xml.value(mean_name, format!("{:.3}", milliseconds(mean)));
    }
    if let Some(spread) = histogram.stdev() {
        xml.value(spread_name, format!("{:.3}", milliseconds(spread)));
    }
}

/// Deviation and intervals of I/Os per second; counts are total, read, write.
fn iops(
    xml: &mut Xml,
    figures: &SpanFigures<'_>,
    rows: &[&RowFigures<'_>],
    [total, read, write]: &[ThreadTotals; 3],
) {
    let Some(interval) = figures.span.iops_interval else {
        return;
    };
    xml.inside("Iops", |xml| {
        for (name, counts) in [("Read", read), ("Write", write), ("", total)] {
            let deviation = figures.iops_deviation(counts).filter(|_| counts.ios > 0);
            if let Some(deviation) = deviation {
                xml.value(&format!("{name}IopsStdDev"), format!("{deviation:.3}"));
            }
        }
        for number in 0..figures.interval_count() {
            let rate =
                |counts: &ThreadTotals| float(counts.of_interval(number)) / interval.as_secs_f64();
            let end = (number + 1) * (interval.0 / 1_000_000);
            let mut attributes = format!(
                "SampleMillisecond=\"{end}\" Read=\"{:.0}\" Write=\"{:.0}\" Total=\"{:.0}\"",
                rate(read),
                rate(write),
                rate(total)
            );
            for operation in [Operation::Read, Operation::Write] {
                attributes.push_str(&interval_latency(rows, operation, number, interval));
            }
            xml.line(&format!("<Bucket {attributes}/>"));
        }
    });
}

/// Latencies of one interval, where they were recorded.
fn interval_latency(
    rows: &[&RowFigures<'_>],
    operation: Operation,
    number: u64,
    interval: Nanos,
) -> String {
    let mut merged = Histogram::new();
    for row in rows {
        let points = row.histograms(operation);
        for point in points.filter(|p| interval_number(p.at, Some(interval)) == number) {
            merged.merge(&point.latency);
        }
    }
    let (Some(least), Some(most), Some(mean)) = (merged.min(), merged.max(), merged.mean()) else {
        return String::new();
    };
    let name = match operation {
        Operation::Write => "Write",
        _ => "Read",
    };
    format!(
        " {name}MinLatencyMilliseconds=\"{:.3}\" {name}MaxLatencyMilliseconds=\"{:.3}\" {name}AvgLatencyMilliseconds=\"{:.3}\" {name}LatencyStdDev=\"{:.3}\"",
        whole_milliseconds(least),
        whole_milliseconds(most),
        milliseconds(mean),
        milliseconds(merged.stdev().unwrap_or(0.0)),
    )
}

fn target(xml: &mut Xml, figures: &SpanFigures<'_>, row: &RowFigures<'_>) {
    let counts = TableSection::ALL.map(|section| row.counts(section, figures.span));
    let [total, read, write] = &counts;
    xml.inside("Target", |xml| {
        let paths: Vec<&str> = row.targets.iter().map(|(path, _)| *path).collect();
        xml.value("Path", paths.join(", "));
        xml.value("BytesCount", total.bytes);
        let size: u64 = row.targets.iter().map(|(_, bytes)| bytes).sum();
        xml.value("FileSize", size);
        xml.value("IOCount", total.ios);
        xml.value("ReadBytes", read.bytes);
        xml.value("ReadCount", read.ios);
        xml.value("WriteBytes", write.bytes);
        xml.value("WriteCount", write.ios);
        if figures.span.measure_latency {
            for (name, counts) in [("Read", read), ("Write", write), ("", total)] {
                let mean = format!("Average{name}LatencyMilliseconds");
                average(xml, &counts.latency, &mean, &format!("{name}LatencyStdev"));
            }
        }
        if figures.span.iops_interval.is_some() {
            iops(xml, figures, &[row], &counts);
        }
    });
}
