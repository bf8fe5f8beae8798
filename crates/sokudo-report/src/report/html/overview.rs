//! The beginning of a report of several runs: contents, all runs, all rows.

use std::fmt::Write;

use super::charts;
use super::page::{Page, part, text};
use super::table::{Cell, Line, table};
use crate::date;
use crate::grouping::said_name;
use crate::plot;
use crate::report::Report;
use crate::report::overview::{Cell as Figure, Overview, alone_text, verdicts};

/// More runs side by side would be stripes.
const RUNS_DRAWN_MAX: usize = 8;

pub(super) fn contents(page: &Page, report: &Report) -> String {
    let mut items = String::new();
    for (number, reported) in (1..).zip(&report.runs) {
        let run = &reported.run;
        let _ = writeln!(
            items,
            "<li><a href=\"#run-{number}\">{}</a> {}</li>",
            text(&run.device(page.style.language)),
            text(&run.method_of_tool())
        );
    }
    let (label, overview) = (page.say("Contents"), page.say("Overview"));
    format!(
        "<nav aria-label=\"{label}\">\n<p><a href=\"#overview\">{overview}</a></p>\n<ol>\n{items}</ol>\n</nav>\n"
    )
}

pub(super) fn section(page: &Page, report: &Report) -> String {
    let (overviews, alone) = Overview::of(report);
    let tables = overviews.iter().map(|it| rows(page, report, it));
    let mut rows: String = tables.collect();
    if let Some(alone) = alone_text(&alone) {
        rows += &format!("<p>{}</p>\n", page.say(&alone));
    }
    let heading = page.say("Overview");
    format!(
        "<section id=\"overview\">\n<h2 style=\"margin-top:36px\">{heading}</h2>\n{}{}{}</section>\n",
        part(&page.say("Runs"), &runs(page, report)),
        part(&page.say("Rows"), &rows),
        picture(page, report),
    )
}

fn runs(page: &Page, report: &Report) -> String {
    let headings = [
        "#", "Device", "Target", "Method", "Started", "Verdicts", "Run",
    ];
    let headings: Vec<_> = headings
        .iter()
        .map(|it| (page.say(it), *it == "#"))
        .collect();
    let line = |(number, reported): (usize, &crate::report::ReportedRun)| {
        let run = &reported.run;
        let told = verdicts(run).into_iter().map(|(verdict, count)| {
            let badge = page.verdict(verdict);
            format!("{count} {badge}")
        });
        let number = format!("<a href=\"#run-{}\">{0}</a>", number + 1);
        let started = date::for_people(&run.started_at);
        Line::of(vec![
            Cell::html(number, "n"),
            Cell::html(text(&run.device(page.style.language)), "device"),
            Cell::text(run.target.path.as_ref().unwrap_or(&run.target.name)),
            Cell::text(&run.method_of_tool()),
            Cell::html(text(&started), "when"),
            Cell::html(told.collect::<Vec<_>>().join("<br>"), "when"),
            Cell::html(page.say(&reported.source), "source"),
        ])
    };
    let lines: Vec<Line> = report.runs.iter().enumerate().map(line).collect();
    table(page, "", &headings, &lines)
}

/// A line per row and a column per run, or the other way round where there are many runs.
fn rows(page: &Page, report: &Report, overview: &Overview) -> String {
    let names: Vec<String> = overview
        .rows
        .iter()
        .map(|row| {
            format!(
                "{} <small>{}</small>",
                text(said_name(&row.name, page.style.language)),
                page.say(&row.direction)
            )
        })
        .collect();
    let runs = overview.numbers().map(|number| {
        let device = report.runs[number - 1].run.device(page.style.language);
        format!(
            "<a href=\"#run-{number}\">{number}</a> <small>{}</small>",
            text(&device)
        )
    });
    let runs: Vec<String> = runs.collect();
    let is_wide = overview.is_wide();
    let (headings, firsts) = if is_wide {
        (&runs, &names)
    } else {
        (&names, &runs)
    };
    // Bars compare what stands beside each other: the same row of all runs.
    let most: Vec<f64> = overview
        .rows
        .iter()
        .map(|row| {
            row.cells
                .iter()
                .flatten()
                .filter_map(|cell| cell.megabytes_per_s)
        })
        .map(|rates| rates.fold(0.0, f64::max))
        .collect();
    let line = |(number, first): (usize, &String)| {
        let first = Cell::html(first.clone(), "");
        let cells = (0..headings.len()).map(|other| {
            let (row, run) = if is_wide {
                (number, other)
            } else {
                (other, number)
            };
            cell(overview.rows[row].cells[run].as_ref(), most[row])
        });
        Line::of(std::iter::once(first).chain(cells).collect())
    };
    let lines: Vec<Line> = firsts.iter().enumerate().map(line).collect();
    let headings: Vec<_> = std::iter::once(("MB/s".to_owned(), false))
        .chain(headings.iter().map(|heading| (heading.clone(), true)))
        .collect();
    table(page, &legend(page, overview), &headings, &lines)
}

fn cell(figure: Option<&Figure>, most: f64) -> Cell {
    let Some(figure) = figure else {
        return Cell::number(crate::number::MISSING);
    };
    let html = format!(
        "{} <small>{}</small>",
        text(&figure.figure()),
        text(&figure.signs())
    );
    Cell {
        bar: figure.megabytes_per_s.map(|value| (value / most, "h-read")),
        ..Cell::html(html, "n")
    }
}

fn legend(page: &Page, overview: &Overview) -> String {
    let mut parts = vec![page.say(
        "MB/s: median of the trials, ± how far its 95 % interval reaches; 1 MB is 1,000,000 bytes.",
    )];
    parts.push(page.say("✓ VERIFIED, ? UNVERIFIED, ✗ INVALID."));
    if overview.has(|cell| cell.is_incomplete) {
        parts.push(page.say("…: not all trials were made."));
    }
    if overview.has(|cell| cell.differs) {
        parts.push(page.say(
            "≠: measured in another way than the first of its row, so the two say nothing about each other.",
        ));
    }
    if overview.left_out > 0 {
        parts.push(page.say(&format!(
            "{} more rows are told by each run below.",
            overview.left_out
        )));
    }
    parts.join(" ")
}

fn picture(page: &Page, report: &Report) -> String {
    let drawn = report
        .runs
        .iter()
        .filter(|reported| !reported.run.is_explanation());
    if drawn.count() > RUNS_DRAWN_MAX {
        return String::new();
    }
    let figure = plot::several(&report.heading(page.style.language), &report.named_runs());
    figure.map_or_else(String::new, |figure| {
        charts::picture(
            page,
            &figure,
            "Rates of all runs, with the 95 % interval of the median",
        )
    })
}
