//! The text of diskspd-for-linux.

use sokudo_model::CpuUse;

use crate::diskspd::session::{
    DiskspdContent, DiskspdSession, DiskspdSpan, DiskspdTarget, DiskspdTargetState,
    DiskspdWriteThrough,
};

use super::figures::ThreadFigure::{IopsDeviation, LatencyDeviation, MeanLatency};
use super::figures::{
    SpanFigures, TableLayout, TableSection, cpu_mean, cpu_percent, io_table, spans,
};
use super::percentiles;
use super::profile::order;
use super::report::DiskspdReport;

/// The results as diskspd-for-linux prints them.
pub fn linux_text(report: &DiskspdReport<'_>) -> String {
    let session = report.session;
    let mut text = format!("\nCommand Line: {}\n\n", session.command_line);
    text.push_str("System info:\n");
    text.push_str(&format!(
        "\tprocessor count: {}\n",
        report.processor_count()
    ));
    let caches = report
        .run
        .target
        .leaves()
        .filter_map(|leaf| leaf.write_cache.as_deref());
    if let Some(cache) = caches.into_iter().next() {
        text.push_str(&format!("\tcaching options: {cache}\n"));
    }
    text.push('\n');
    for (number, figures) in spans(report.run, session).iter().enumerate() {
        text.push_str(&input(number + 1, figures, session));
        text.push_str(&results(number + 1, figures, report.cpu_of(number)));
    }
    for verdict in report.verdicts {
        text.push_str(&format!("sokudo: {verdict}\n"));
    }
    text
}

/// `MB/s` of diskspd-for-linux was MiB/s all along; it is called so, in the same column.
const IO: TableLayout = TableLayout {
    head: "thread |           bytes |         I/Os |      MiB/s |  I/O per s |",
    bar: "-------------------------------------------------------------------------------",
    columns: [
        (IopsDeviation, " IopsStdDev |", "------------", " | "),
        (MeanLatency, " AvgLat(ms) |", "------------", " |    "),
        (LatencyDeviation, " LatStdDev  |", "------------", " |    "),
    ],
    ends: [" file", "", " \n"],
    size: |bytes| format!("{bytes}B"),
};

fn input(number: usize, figures: &SpanFigures<'_>, session: &DiskspdSession) -> String {
    let span = figures.span;
    let mut text = format!(
        "Input parameters:\n\n\tjob:   {number}\n\t________\n\tduration: {}s\n\twarm up time: {}s\n",
        span.duration_s, span.warmup_s
    );
    if span.cooldown_s > 0 {
        text.push_str(&format!("\tcool down time: {}s\n", span.cooldown_s));
    }
    if span.measure_latency {
        text.push_str("\tmeasuring latency\n");
    }
    if let Some(interval) = span.iops_interval {
        let milliseconds = interval.0 / 1_000_000;
        text.push_str(&format!(
            "\tgathering IOPs at intervals of {milliseconds}ms\n"
        ));
    }
    text.push_str(&format!("\trandom seed: {}\n", span.seed));
    text.push_str(&format!("\ttotal threads: {}\n", figures.threads()));
    for target in &span.targets {
        let target_state = session
            .target_states
            .iter()
            .find(|target_state| target_state.path == target.path);
        text.push_str(&target_input(span, target, target_state));
        if !was_direct(figures, target) {
            text.push_str("\t\tO_DIRECT was not possible, the page cache was used\n");
        }
    }
    text.push('\n');
    text
}

/// Whether direct I/O was used wherever it was asked for.
fn was_direct(figures: &SpanFigures<'_>, target: &DiskspdTarget) -> bool {
    let mut rows = figures.rows.iter();
    !target.unbuffered
        || rows.all(|row| {
            let is_its = row.targets.iter().any(|(path, _)| *path == target.path);
            !is_its || row.outcome.direct
        })
}

fn target_input(
    span: &DiskspdSpan,
    target: &DiskspdTarget,
    target_state: Option<&DiskspdTargetState>,
) -> String {
    let bytes = target_state.map_or(0, |target_state| target_state.bytes.0);
    let mut text = format!("\tpath: '{}'\n\t\tsize: {bytes}B\n", target.path);
    let mut say = |line: String| text.push_str(&format!("\t\t{line}\n"));
    if target.unbuffered {
        say("using O_DIRECT".into());
    }
    match target.write_through {
        DiskspdWriteThrough::Off => {}
        DiskspdWriteThrough::Data => say("using O_DSYNC".into()),
        DiskspdWriteThrough::DataAndMetadata => say("using O_SYNC".into()),
    }
    let writes = target.write_percent;
    let reads = 100 - writes.min(100);
    say(format!(
        "performing mix test (read/write ratio: {reads}/{writes})"
    ));
    say(format!("block size: {}", target.block.0));
    let is_random = target.random_percent > 0;
    let percent = if is_random { 100 } else { 0 };
    say(order(
        target,
        percent,
        &target.stride_or_block().0.to_string(),
    ));
    // The lone parenthesis is diskspd's.
    say(format!(
        "number of outstanding I/O operations: {})",
        target.requests
    ));
    if target.base.0 > 0 {
        say(format!("base file offset: {} bytes", target.base.0));
    }
    if let Some(max) = target.max.filter(|max| max.0 != bytes) {
        say(format!("max file size: {} bytes", max.0));
    }
    say(format!("thread stride size: {}", target.thread_stride.0));
    match target.content {
        DiskspdContent::Zero => say("zeroing I/O buffers".into()),
        DiskspdContent::Random | DiskspdContent::Source { .. } => {
            say("filling I/O buffers with random data".into());
        }
        DiskspdContent::Sequence => {}
    }
    if span.thread_count == 0 {
        say(format!("threads per file: {}", target.threads));
    }
    let known = |name: Option<&str>| name.unwrap_or("unknown").to_owned();
    let device = target_state.and_then(|target_state| target_state.device.as_deref());
    let scheduler = target_state.and_then(|target_state| target_state.scheduler.as_deref());
    say(format!("block device: {}", known(device)));
    say(format!("device scheduler: {}", known(scheduler)));
    text
}

fn results(number: usize, figures: &SpanFigures<'_>, cpus: &[CpuUse]) -> String {
    let mut text = format!("Results for job {number}:\n");
    let Some(elapsed) = figures.elapsed else {
        text.push_str("The test was interrupted before the measurements began.\n\n");
        return text;
    };
    text.push_str(&format!(
        "test time:         {:.2}s\n",
        elapsed.as_secs_f64()
    ));
    text.push_str("*****************************************************\n\n");
    text.push_str(&cpu_table(cpus));
    for section in TableSection::ALL {
        text.push_str(&format!("{}\n", section.title()));
        text.push_str(&io_table(figures, elapsed, section, &IO));
    }
    text.push('\n');
    if figures.span.measure_latency {
        text.push_str("  %-ile |\tRead (ms) | Write (ms) | Total (ms)\n");
        text.push_str("----------------------------------------------\n");
        let [total, read, write] = TableSection::ALL.map(|section| figures.total(section).latency);
        text.push_str(&percentiles::lines(&read, &write, &total));
        text.push('\n');
    }
    text
}

fn cpu_table(cpus: &[CpuUse]) -> String {
    const BAR: &str = "-------------------------------------------------------\n";
    let mut text = format!(" CPU  |  Usage  |   User  |  Kernel | IO Wait |   Idle \n{BAR}");
    let cells = |[user, kernel, iowait, idle]: [f64; 4]| {
        [user + kernel, user, kernel, iowait, idle].map(|part| format!("{part:6.2}%"))
    };
    for cpu in cpus {
        let cells = cells(cpu_percent(cpu)).map(|cell| format!("| {cell} "));
        text.push_str(&format!("{:5} {}\n", cpu.cpu, cells.concat()));
    }
    let mean = match cpu_mean(cpus) {
        Some(mean) => cells(mean),
        None => [(); 5].map(|()| format!("{:>7}", "N/A")),
    };
    text.push_str(&format!("{BAR} avg:\t{}\n\n", mean.join(" | ")));
    text
}
