//! The layout in which CrystalDiskMark saves its text, which readers of forums know.
//!
//! The first line says that it was sokudo, and the second what the figures are: medians
//! with verdicts, not the best of several.

use std::fmt::Write;

use sokudo_model::{Bytes, MethodTrait, Operation, Order, PlanPart, TargetKind};
use sokudo_report::document::{Direction, ResultDocument, RunDocument};
use sokudo_report::number::{self, BYTES_PER_MB, float};
use sokudo_report::report::{Report, ReportedRun};
use sokudo_report::shortfall::{trials_made, trials_text};
use sokudo_report::{TableStyle, date};

const RULE: &str = "------------------------------------------------------------------------------";
const NANOS_PER_US: f64 = 1e3;
/// What a stranger has written is cut where a line would grow longer than that.
const CHARACTERS_MAX: usize = 120;

/// One run after the other; lines end as CrystalDiskMark's do.
pub fn render(report: &Report) -> String {
    let texts = report.runs.iter().map(run_text);
    let text = texts.collect::<Vec<_>>().join("\n");
    text.replace('\n', "\r\n")
}

fn run_text(reported: &ReportedRun) -> String {
    let run = &reported.run;
    let mut text = format!(
        "{RULE}\n{}\n{:>78}\n{RULE}\n\
         * MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n\
         * KB = 1000 bytes, KiB = 1024 bytes\n\
         * {}\n\
         * {}\n",
        measured_by(run),
        "in the layout of CrystalDiskMark, but not by it",
        what_figures_are(run),
        line(&of_what(run)),
    );
    for (title, results) in blocks(run) {
        let _ = writeln!(text, "\n{title}");
        for result in results {
            let _ = writeln!(text, "{}", row(result));
        }
    }
    text + "\n" + &footer(reported)
}

fn measured_by(run: &RunDocument) -> String {
    match run.origin() {
        None => line(&format!("sokudo {}", run.sokudo_version)),
        Some(_) => line(&format!(
            "{} (read by sokudo {})",
            run.measurer(),
            run.sokudo_version
        )),
    }
}

fn what_figures_are(run: &RunDocument) -> String {
    match run.origin() {
        None => format!(
            "figures are medians of {}, latencies are means",
            trials_text(trials_made(run.results.iter()))
        ),
        Some(origin) => line(&format!("figures are those of {}, unverified", origin.tool)),
    }
}

/// Reads, writes, then one block per mix; results without figures are in none.
fn blocks(run: &RunDocument) -> Vec<(String, Vec<&ResultDocument>)> {
    let mut blocks: Vec<(String, Vec<&ResultDocument>)> = Vec::new();
    for result in run.results_by_direction() {
        if result.bandwidth_bytes_per_s.is_none() {
            continue;
        }
        let title = title(result);
        match blocks.iter_mut().find(|(other, _)| *other == title) {
            Some((_, results)) => results.push(result),
            None => blocks.push((title, vec![result])),
        }
    }
    blocks
}

fn title(result: &ResultDocument) -> String {
    let operations = &result.workload.operations;
    match result.direction {
        Direction::Read => "[Read]".to_owned(),
        Direction::Write => "[Write]".to_owned(),
        Direction::Mix => format!(
            "[Mix] Read {}%/Write {}%",
            operations.percent(Operation::Read),
            operations.percent(Operation::Write)
        ),
        other => format!("[{}]", capitalised(other.name())),
    }
}

fn row(result: &ResultDocument) -> String {
    let workload = &result.workload;
    let order = match workload.order {
        Order::Random { .. } => "RND",
        _ => "SEQ",
    };
    let (size, unit) = block(workload.blocks.largest());
    let rates = result.bandwidth_bytes_per_s.as_ref();
    let rate = shown(
        rates.map(|rates| rates.bytes_per_s.median / BYTES_PER_MB),
        3,
    );
    let iops = shown(result.iops.as_ref().map(|iops| iops.median), 1);
    let latency = result.latency_ns.as_ref();
    let latency = shown(latency.map(|times| times.mean / NANOS_PER_US), 2);
    let known = |part: PlanPart, value: u32| match result.knows(part) {
        true => value.to_string(),
        false => "?".to_owned(),
    };
    let depth = known(PlanPart::Depth, workload.depth);
    let threads = known(PlanPart::Threads, workload.threads);
    format!(
        "  {order} {size:>4}{unit} (Q={depth:>3}, T={threads:>2}): {rate:>9} MB/s [{iops:>9} IOPS] <{latency:>9} us>"
    )
}

/// What is missing is no zero.
fn shown(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// A size in the largest unit that it is a whole number of.
fn block(Bytes(bytes): Bytes) -> (u64, &'static str) {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        0 => (0, "  B"),
        bytes if bytes.is_multiple_of(MIB) => (bytes / MIB, "MiB"),
        bytes if bytes.is_multiple_of(KIB) => (bytes / KIB, "KiB"),
        bytes => (bytes, "  B"),
    }
}

fn footer(reported: &ReportedRun) -> String {
    let run = &reported.run;
    let mut text = format!("Profile: {}\n", line(&profile(run)));
    let _ = writeln!(text, "   Test: {}", line(&test(run)));
    if run.environment.root {
        text += "   Mode: [Admin]\n";
    }
    let _ = writeln!(text, "   Time: {} ", time(run));
    let _ = writeln!(text, "   Date: {}", line(&date_text(&run.began())));
    let _ = writeln!(text, "     OS: {}", line(&system(run)));
    if !reported.note.trim().is_empty() {
        let _ = writeln!(text, "Comment: {}", line(&reported.note));
    }
    text
}

/// `mark/default` as CrystalDiskMark calls it, `Default`; other methods by their names.
fn profile(run: &RunDocument) -> String {
    let method = &run.plan.method;
    match method.variant() {
        Some(profile) if method.is(MethodTrait::PairsDirections) => capitalised(profile),
        _ => method.to_string(),
    }
}

fn capitalised(name: &str) -> String {
    let mut signs = name.chars();
    signs.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(signs).collect()
    })
}

fn test(run: &RunDocument) -> String {
    let target = &run.target;
    let size = target
        .size_bytes
        .map_or_else(|| "?".to_owned(), |size| size.to_string());
    let gib = |bytes: Bytes| bytes.0 >> 30;
    let space = target.file_system.as_ref().and_then(|system| {
        let total = system.total_bytes.filter(|total| total.0 > 0)?;
        let used = Bytes(total.0.saturating_sub(system.available_bytes?.0));
        let percent = u128::from(used.0) * 100 / u128::from(total.0);
        let (used, total, mount_point) = (gib(used), gib(total), &system.mount_point);
        Some(format!("{mount_point}: {percent}% ({used}/{total}GiB)"))
    });
    let drive = space.unwrap_or_else(|| target.name.clone());
    let trials = match trials_made(run.results.iter()) {
        [least, most] if least == most => format!("x{most}"),
        [least, most] => format!("x{least}-{most}"),
    };
    format!("{size} ({trials}) [{drive}]")
}

fn time(run: &RunDocument) -> String {
    let limits = run
        .results
        .iter()
        .filter_map(|result| result.workload.limits.time);
    let measured = limits
        .max()
        .map_or_else(|| "?".to_owned(), |time| seconds(time.0));
    format!(
        "Measure {measured} sec / Interval {} sec",
        seconds(run.schedule.pause.0)
    )
}

fn seconds(nanos: u64) -> String {
    let text = format!("{:.3}", float(nanos) / 1e9);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `2025/06/19 9:05:07`, the hour without a leading zero, in UTC.
fn date_text(rfc3339: &str) -> String {
    let people = date::for_people(rfc3339);
    let Some((day, time)) = people
        .strip_suffix(" UTC")
        .and_then(|text| text.split_once(' '))
    else {
        return people;
    };
    let time = time.strip_prefix('0').unwrap_or(time);
    format!("{} {time} UTC", day.replace('-', "/"))
}

fn system(run: &RunDocument) -> String {
    let environment = &run.environment;
    let distribution = environment.distribution.as_deref().unwrap_or("unknown");
    match &environment.kernel {
        Some(kernel) => format!("{distribution} [Linux {kernel}]"),
        None => distribution.to_owned(),
    }
}

/// What was measured, and the worst verdict.
fn of_what(run: &RunDocument) -> String {
    let verdict = run.results.iter().filter_map(|result| result.verdict).max();
    let device = match run.target.kind {
        TargetKind::Simulated => format!("{} (simulated)", run.target.name),
        _ => run.target.device_name(),
    };
    let parts = [
        Some(device),
        verdict.map(|verdict| verdict.name().to_owned()),
        run.interrupted.then(|| "interrupted".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// One line without signs that could command a terminal.
fn line(text: &str) -> String {
    let safe = TableStyle::default().name(text);
    let mut line: String = safe.chars().take(CHARACTERS_MAX).collect();
    if safe.chars().count() > CHARACTERS_MAX {
        line.push('…');
    }
    match line.trim() {
        "" => number::MISSING.to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::Provenance;

    #[test]
    fn the_layout_is_that_of_crystal_disk_mark_and_says_that_it_is_not() {
        let text = render(&sample::report());
        assert!(
            text.lines().count() > 40 && text.matches("\r\n").count() == text.matches('\n').count()
        );
    }

    #[test]
    fn trials_that_were_made_are_counted_not_those_that_were_allowed() {
        let mut report = sample::report();
        report.runs.truncate(1);
        let run = &mut report.runs[0].run;
        run.provenance = Provenance::Measured;
        run.schedule.trials = 40;
        let made = run.results[0].trials.len();
        let text = render(&report);
        assert!(
            text.contains(&format!("medians of {made} trials")) && text.contains("(x6)"),
            "{text}"
        );
        report.runs[0].run.results[0].trials.truncate(2);
        let text = render(&report);
        assert!(
            text.contains(&format!("medians of 2 to {made} trials")) && text.contains("(x2-6)"),
            "{text}"
        );
    }

    #[test]
    fn what_a_device_calls_itself_ends_no_line() {
        let mut report = sample::report();
        report.runs[0].run.target.name = "a\r\n[Read]\u{1b}[2J".into();
        report.runs[0].note = "x".repeat(1 << 20);
        let text = render(&report);
        assert!(!text.contains("\n[Read]\u{1b}") && !text.contains('\u{1b}'));
        assert!(text.lines().all(|line| line.chars().count() < 200));
    }

    #[test]
    fn what_is_masked_is_not_told() {
        let mut report = sample::report();
        let target = &mut report.runs[0].run.target;
        target.devices[0].serial = Some("S649NX0R".into());
        report.runs[0].note = "the drive S649NX0R in bay 3".into();
        assert!(render(&report).contains("S649NX0R"));
        let masked = sokudo_report::report::masked(&report, &[]);
        assert!(!render(&masked.unwrap()).contains("S649NX0R"));
    }

    #[test]
    fn sizes_are_whole_numbers_of_their_unit() {
        for (bytes, size, unit) in [
            (4_096, 4, "KiB"),
            (512, 512, "  B"),
            (1 << 20, 1, "MiB"),
            (1_536, 1_536, "  B"),
        ] {
            assert_eq!(block(Bytes(bytes)), (size, unit));
        }
    }

    #[test]
    fn an_hour_has_no_leading_zero() {
        assert_eq!(
            date_text("2025-06-19T09:05:07.123Z"),
            "2025/06/19 9:05:07 UTC"
        );
        assert_eq!(date_text("yesterday"), "yesterday");
    }
}
