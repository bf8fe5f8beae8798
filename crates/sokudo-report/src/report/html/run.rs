//! One run of a report: what was measured and what came out, pictures, figures, how it
//! was measured, what speaks for and against it, where, and how to do it again.

use std::fmt::Write;

use sokudo_model::{Nanos, Operation, Order, Severity};

use super::page::{Page, detail, facts, lines, part, prose, text};
use super::table::{Cell, Line, table};
use super::{charts, evidence, figures};
use crate::document::{Direction, ResultDocument, RunDocument};
use crate::facts::facts as facts_of;
use crate::grouping::{FindingGroup, grouped_findings, row_name, rows_text, said_name};
use crate::number::rate;
use crate::report::ReportedRun;
use crate::report::method;
use crate::report::overview::verdicts;
use crate::shortfall::shortfalls;
use crate::{date, surface};

/// Blocks up to this size are what people mean by small random I/O.
const SMALL_BYTES_MAX: u64 = 16 << 10;

pub(super) fn section(page: &Page, number: usize, reported: &ReportedRun) -> String {
    let run = &reported.run;
    let class = if page.is_only { "run only" } else { "run" };
    let mut out = format!("<section class=\"{class}\" id=\"run-{number}\">\n");
    out += &heading(page, number, reported);
    out += &tiles(page, run);
    out += &verdict_list(page, run);
    out += &part(&page.say("Figures"), &figures::tables(page, run));
    out += &part(&page.say("Pictures"), &charts::of_run(page, run));
    out += &part(
        &page.say("What to know about these figures"),
        &findings(page, run),
    );
    out += &detail(&page.say("How it was measured"), &measured(page, run));
    out += &detail(&page.say("Evidence"), &evidence::rows(page, run));
    let trials = evidence::trials(page, run);
    let environment = evidence::environment(page, run);
    if page.is_full {
        out += &detail(&page.say("Trials"), &trials);
        out += &detail(&page.say("Machine and devices"), &environment);
    } else {
        let (trials_are, machine_is) = (page.say("Trials"), page.say("Machine and devices"));
        let _ = writeln!(
            out,
            "<details class=\"detail\"><summary>{trials_are}</summary>\n{trials}</details>\n\
             <details class=\"detail\"><summary>{machine_is}</summary>\n{environment}</details>"
        );
    }
    out += &part(&page.say("To measure it again"), &repeat(run));
    out + "</section>\n"
}

fn heading(page: &Page, number: usize, reported: &ReportedRun) -> String {
    let run = &reported.run;
    let device = text(&run.device(page.style.language));
    // A page about one run has the device as its heading, unless it has a title.
    let title = match (page.is_only, page.has_title) {
        (true, false) => String::new(),
        (true, true) => format!("<h2>{device}</h2>\n"),
        (false, _) => format!("<h2>{number} · {device}</h2>\n"),
    };
    let interrupted = run.interrupted.then(|| page.say("interrupted"));
    let parts = [
        Some(text(&run.method)),
        Some(text(run.target.path.as_ref().unwrap_or(&run.target.name))),
        Some(text(&date::for_people(&run.started_at))),
        Some(text(&run.measurer())),
        Some(page.say(&reported.source)),
        interrupted,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let mut out = format!("{title}<p class=\"lead\">{}</p>\n", parts.join(" · "));
    if !reported.tags.is_empty() {
        let tags: String = reported
            .tags
            .iter()
            .map(|tag| format!("<span class=\"chip\">{}</span>", text(tag)))
            .collect();
        let _ = writeln!(out, "<p>{tags}</p>");
    }
    if !reported.note.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", lines(&reported.note));
    }
    out
}

/// The figures that people ask for first: the fastest read and write, small random I/O,
/// and how long one takes.
fn tiles(page: &Page, run: &RunDocument) -> String {
    if run.is_explanation() || run.steady.is_some() {
        return String::new();
    }
    let of_disk = || run.results.iter().filter(|result| result.stands_for_disk());
    let fastest = |direction: Direction| {
        let of_direction = of_disk().filter(|result| result.direction == direction);
        of_direction
            .filter_map(|result| {
                Some((
                    result,
                    result.bandwidth_bytes_per_s.as_ref()?.median_mb_per_s,
                ))
            })
            .max_by(|left, right| left.1.total_cmp(&right.1))
    };
    let mut out = String::new();
    for (label, direction) in [
        ("Fastest read", Direction::Read),
        ("Fastest write", Direction::Write),
    ] {
        if let Some((result, value)) = fastest(direction) {
            out += &tile(page, label, (&rate(value), "MB/s"), result);
        }
    }
    for (label, direction) in [
        ("Most random reads", Direction::Read),
        ("Most random writes", Direction::Write),
    ] {
        let small = of_disk().filter(|result| is_small_random(result));
        let most = small
            .filter(|result| result.direction == direction)
            .filter_map(|result| Some((result, result.iops.as_ref()?.median)))
            .max_by(|left, right| left.1.total_cmp(&right.1));
        if let Some((result, value)) = most {
            out += &tile(page, label, (&rate(value), "IOPS"), result);
        }
    }
    let alone = of_disk().filter(|result| {
        let workload = &result.workload;
        is_small_random(result)
            && result.direction == Direction::Read
            && workload.depth * workload.clones == 1
    });
    let shortest = alone
        .filter_map(|result| Some((result, result.latency_ns.as_ref()?.p50?)))
        .min_by_key(|(_, nanos)| *nanos);
    if let Some((result, nanos)) = shortest {
        let time = Nanos(nanos).to_string();
        let (value, unit) = time.split_once(' ').unwrap_or((&time, ""));
        out += &tile(page, "Random read alone, p50", (value, unit), result);
    }
    match out.is_empty() {
        true => out,
        false => format!("<dl class=\"tiles\">\n{out}</dl>\n"),
    }
}

fn is_small_random(result: &ResultDocument) -> bool {
    let workload = &result.workload;
    matches!(workload.order, Order::Random { .. })
        && workload.blocks.largest().0 <= SMALL_BYTES_MAX
        && workload.survey.is_none()
        && !workload
            .operations
            .shares()
            .iter()
            .any(|(operation, _)| *operation == Operation::Trim)
}

fn tile(page: &Page, label: &str, (value, unit): (&str, &str), result: &ResultDocument) -> String {
    format!(
        "<div class=\"tile\"><dt>{}</dt><dd><div class=\"value\">{} <small>{}</small></div>\
         <div class=\"of\">{}<br>{}</div></dd></div>\n",
        page.say(label),
        text(value),
        text(unit),
        text(said_name(&result.name, page.style.language)),
        page.verdict(result.verdict)
    )
}

fn verdict_list(page: &Page, run: &RunDocument) -> String {
    let items: String = verdicts(run)
        .into_iter()
        .map(|(verdict, count)| format!("<li>{count} {}</li>\n", page.verdict(verdict)))
        .collect();
    match items.is_empty() {
        true => items,
        false => format!("<ul class=\"summary\">\n{items}</ul>\n"),
    }
}

/// Findings, the worst first, and why rows have fewer trials than planned.
fn findings(page: &Page, run: &RunDocument) -> String {
    let mut out = String::new();
    for result in run.results_by_direction() {
        for why in shortfalls(result, &run.schedule) {
            let (row, why) = (page.say(&row_name(result)), page.say(&why));
            let _ = writeln!(out, "<p><b>{row}</b>: {why}</p>");
        }
    }
    out + &grouped_findings(run)
        .iter()
        .map(|group| finding(page, group))
        .collect::<String>()
}

fn finding(page: &Page, group: &FindingGroup<'_>) -> String {
    let (class, sign) = match group.severity {
        Severity::Error => ("error", "✗"),
        Severity::Warning => ("warning", "!"),
        Severity::Info => ("info", "i"),
    };
    let label = page.say(group.label());
    let mut out = format!("<article class=\"finding {class}\">\n<h4>{sign} {label}</h4>\n");
    for (symptom, rows) in &group.symptoms {
        let _ = write!(out, "<p>{}", prose(&page.words(symptom)));
        if !rows.is_empty() {
            let _ = write!(
                out,
                " <span class=\"rows\">({})</span>",
                page.say(&rows_text(rows))
            );
        }
        out += "</p>\n";
    }
    for (name, said) in [("Cause", group.cause), ("Remedy", group.remedy)] {
        if !said.is_empty() {
            let (name, said) = (page.say(name), prose(&page.words(said)));
            let _ = writeln!(out, "<p><b>{name}:</b> {said}</p>");
        }
    }
    out + "</article>\n"
}

/// The method in words, and all that must be known to measure so again.
fn measured(page: &Page, run: &RunDocument) -> String {
    let told: Vec<(String, String)> = facts_of(run)
        .into_iter()
        .map(|fact| (page.say(fact.label), page.say(&fact.value)))
        .collect();
    let headings = [(page.say("Row"), false), (page.say("What it does"), false)];
    let rows: Vec<Line> = method::sentences(run)
        .into_iter()
        .map(|row| {
            Line::of(vec![
                Cell::html(page.say(&row.name), ""),
                Cell::html(page.say(&row.sentence), "wrap"),
            ])
        })
        .collect();
    let mut out = table(page, "", &headings, &rows) + &facts(&told);
    if surface::is_scan(run) {
        return out;
    }
    let _ = writeln!(
        out,
        "<p class=\"lead\" style=\"margin-top:12px\">{} <code>{}</code></p>",
        page.say("Fingerprint of the method; runs with the same one can be compared:"),
        text(&run.fingerprint)
    );
    out
}

fn repeat(run: &RunDocument) -> String {
    if run.command.is_empty() {
        return String::new();
    }
    format!(
        "<pre class=\"wraps\"><code>{}</code></pre>\n<p class=\"lead\">{}</p>\n",
        text(&run.command),
        text(&run.measurer())
    )
}
