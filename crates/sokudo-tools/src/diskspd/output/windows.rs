//! The text of diskspd 2.2 on Windows.

use std::collections::BTreeSet;

use sokudo_model::{CpuUse, Nanos};

use super::figures::ThreadFigure::{IopsDeviation, LatencyDeviation, MeanLatency};
use super::figures::{
    SpanFigures, TableLayout, TableSection, ThreadTotals, cpu_mean, cpu_percent, io_table, spans,
};
use super::percentiles;
use super::profile::{profile_text, sized};
use super::report::DiskspdReport;

const STARS: &str =
    "*******************************************************************************\n";

/// The results as diskspd 2.2 prints them on Windows.
pub fn windows_text(report: &DiskspdReport<'_>) -> String {
    let mut text = profile_text(report.session);
    text.push_str(&system(report));
    let figures = spans(report.run, report.session);
    for (number, span) in figures.iter().enumerate() {
        let cpus = report.cpu_of(number);
        let gap = if number == 0 { "\n" } else { "\n\n" };
        text.push_str(&format!(
            "{gap}Results for timespan {}:\n{STARS}",
            number + 1
        ));
        match span.elapsed {
            Some(elapsed) => text.push_str(&results(span, elapsed, cpus)),
            None => text.push_str(
                "The test was interrupted before the measurements began. No results are displayed.\n",
            ),
        }
    }
    if figures.len() > 1 {
        text.push_str(&totals(&figures));
    }
    for verdict in report.verdicts {
        text.push_str(&format!("\nsokudo: {verdict}"));
    }
    if !report.verdicts.is_empty() {
        text.push('\n');
    }
    text
}

fn system(report: &DiskspdReport<'_>) -> String {
    let environment = &report.run.environment;
    let unknown = |name: &Option<String>| name.clone().unwrap_or_else(|| "unknown".to_owned());
    format!(
        "System information:\n\n\tcomputer name: {}\n\tstart time: {}\n\n\
         \tcpu count:\t\t{}\n\n\tactive power scheme:\t{}\n",
        unknown(&environment.host),
        report.started(),
        report.processor_count(),
        unknown(&environment.governor),
    )
}

fn results(figures: &SpanFigures<'_>, elapsed: Nanos, cpus: &[CpuUse]) -> String {
    let mut text = format!(
        "\nactual test time:\t{:.2}s\nthread count:\t\t{}\n",
        elapsed.as_secs_f64(),
        figures.threads()
    );
    if figures.requests() > 0 {
        text.push_str(&format!("request count:\t\t{}\n", figures.requests()));
    }
    text.push_str(&cpu_table(cpus));
    for section in TableSection::ALL {
        text.push_str(&format!("\n{}\n", section.title()));
        text.push_str(&io_table(figures, elapsed, section, &IO));
    }
    if figures.span.measure_latency {
        text.push_str(&latencies(figures));
    }
    text
}

/// Of each target where there are several, in the order of their names, and of all together.
fn latencies(figures: &SpanFigures<'_>) -> String {
    let table = |title: &str, of: &dyn Fn(TableSection) -> ThreadTotals| {
        let [total, read, write] = TableSection::ALL.map(|section| of(section).latency);
        format!(
            "\n{title}\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n\
             ----------------------------------------------\n{}",
            percentiles::lines(&read, &write, &total)
        )
    };
    let rows = figures.rows.iter();
    // A thread that draws its targets has one histogram of all of them.
    let single = rows.filter_map(|row| match row.targets[..] {
        [(path, _)] => Some(path),
        _ => None,
    });
    let targets: BTreeSet<&str> = single.collect();
    let mut text = String::new();
    for target in targets.iter().filter(|_| targets.len() > 1) {
        let of = |section| figures.of_target(section, target);
        text.push_str(&table(&format!("Latency distribution: {target}"), &of));
    }
    text + &table("Total latency distribution:", &|section| {
        figures.total(section)
    })
}

fn cpu_table(cpus: &[CpuUse]) -> String {
    const BAR: &str = "----------------------------------------\n";
    let mut text = format!("\nCPU |  Usage |  User  | Kernel |  Idle\n{BAR}");
    // Windows counts waiting for I/O as idle.
    let columns = |[user, kernel, iowait, idle]: [f64; 4]| {
        let (used, idle) = (user + kernel, iowait + idle);
        format!("{used:6.2}%| {user:6.2}%| {kernel:6.2}%| {idle:6.2}%\n")
    };
    for cpu in cpus {
        text.push_str(&format!("{:4}| {}", cpu.cpu, columns(cpu_percent(cpu))));
    }
    let mean = cpu_mean(cpus).map_or_else(
        || "    N/A|     N/A|     N/A|     N/A\n".to_owned(),
        columns,
    );
    text.push_str(&format!("{BAR}avg.| {mean}"));
    text
}

const IO: TableLayout = TableLayout {
    head: "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s ",
    bar: "------------------------------------------------------------------",
    columns: [
        (MeanLatency, "|  AvgLat  ", "-----------", " | "),
        (IopsDeviation, "| IopsStdDev ", "-------------", " | "),
        (LatencyDeviation, "| LatStdDev ", "------------", " |  "),
    ],
    ends: ["|  file", "------------", ""],
    size: sized,
};

/// All time spans together.
fn totals(figures: &[SpanFigures<'_>]) -> String {
    const BAR: &str =
        "-------------------------------------------------------------------------------\n";
    let elapsed = figures.iter().filter_map(|span| span.elapsed);
    let elapsed = Nanos(elapsed.map(|elapsed| elapsed.0).sum());
    let line = |name: &str, section: TableSection| {
        let mut sum = ThreadTotals::default();
        for span in figures.iter().filter(|span| span.elapsed.is_some()) {
            let total = span.total(section);
            sum.bytes += total.bytes;
            sum.ios += total.ios;
        }
        let rates = match elapsed.0 {
            0 => format!("{:15} | {:12} | {:>10} | {:>10}", 0, 0, "N/A", "N/A"),
            _ => sum.rates(elapsed),
        };
        format!("{name:<6} | {rates}\n")
    };
    format!(
        "\n\nTotals:\n{STARS}\ntype   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n{BAR}{}{}{BAR}{}\ntotal test time:\t{:.2}s\n",
        line("write", TableSection::Write),
        line("read", TableSection::Read),
        line("total", TableSection::Total),
        elapsed.as_secs_f64(),
    )
}
