//! One run of a report: what was measured and what came out, pictures, figures, how it
//! was measured, what speaks for and against it, where, and how to do it again.

use maud::{Markup, html};
use sokudo_model::{Nanos, Operation, Order};

use super::elements::{elements, facts};
use super::page::{HtmlPage, lines, part, text};
use super::table::table;
use super::{charts, evidence};
use crate::article::{Article, Element};
use crate::document::{Direction, ResultDocument, RunDocument};
use crate::facts::facts as facts_of;
use crate::number::rate;
use crate::report::ReportedRun;
use crate::report::method;
use crate::run::{RunVerdict, answered, disks_instead_of, figures, shortfalls_of};
use crate::style::BandwidthUnit;
use crate::table::{Table, left};
use crate::view::{self, ShownView, views};
use crate::wording::{row_alone, source};
use crate::{date, surface};

/// Blocks up to this size are what people mean by small random I/O.
const SMALL_BYTES_MAX: u64 = 16 << 10;

pub(super) fn section(page: &HtmlPage, number: usize, reported: &ReportedRun) -> Markup {
    let run = &reported.run;
    let figures = figures(run, BandwidthUnit::MegabytesPerSecond);
    let mut findings = Article::default();
    findings.add(Element::OfRows(shortfalls_of(run)));
    findings.add(Element::Findings(view::findings(run)));
    let (mut answer, _) = answered(run);
    let of_disks = disks_instead_of(&answer, run);
    answer.append(of_disks);
    if let Some((tone, sentence)) = RunVerdict::of(run).goodness {
        answer.add(Element::Answer(tone, sentence));
    }
    let to_know = page.say("What to know about these figures");
    let (trials, trials_title) = (evidence::trials(page, run), page.say("Trials"));
    let (machine, machine_title) = (
        evidence::environment(page, run),
        page.say("Machine and devices"),
    );
    html! {
        section.run.only[page.is_only] id={ "run-" (number) } {
            (heading(page, number, reported))
            (elements(page, &answer))
            (tiles(page, run))
            (part(&page.say("Figures"), &elements(page, &figures), false))
            (part(&page.say("Pictures"), &charts::of_run(page, run), false))
            (part(&to_know, &elements(page, &findings), false))
            (part(&page.say("How it was measured"), &measured(page, run), true))
            (part(&page.say("Evidence"), &evidence::rows(page, run), true))
            @if page.is_full {
                (part(&trials_title, &trials, true))
                (part(&machine_title, &machine, true))
            } @else {
                details.detail { summary { (trials_title) } (trials) }
                details.detail { summary { (machine_title) } (machine) }
            }
            (part(&page.say("To measure it again"), &repeat(run), false))
        }
    }
}

fn heading(page: &HtmlPage, number: usize, reported: &ReportedRun) -> Markup {
    let run = &reported.run;
    let called = text(&run.called(page.style.language));
    let device = run.label.as_ref();
    let device = device.map(|_| text(&run.device(page.style.language)));
    let interrupted = run.interrupted.then(|| page.say("interrupted"));
    let parts = [
        Some(text(&run.plan.method.to_string())),
        device,
        Some(text(run.target.path.as_ref().unwrap_or(&run.target.name))),
        Some(text(&date::for_people(&run.began()))),
        Some(text(&run.measurer())),
        Some(page.text(&source(&reported.source))),
        interrupted,
    ];
    html! {
        // A page about one run has this as its heading, unless it has a title.
        @if !page.is_only { h2 { (number) " · " (called) } }
        @else if page.has_title { h2 { (called) } }
        p.lead {
            @for (index, part) in parts.iter().flatten().enumerate() {
                @if index > 0 { " · " }
                (part)
            }
        }
        @if !reported.tags.is_empty() {
            p { @for tag in &reported.tags { span.chip { (text(tag)) } } }
        }
        @if !reported.note.is_empty() {
            p.note { (lines(&reported.note)) }
        }
    }
}

/// The figures that people ask for first: the fastest read and write, small random I/O,
/// and how long one takes.
fn tiles(page: &HtmlPage, run: &RunDocument) -> Markup {
    if !views(run).all(ShownView::has_headlines) {
        return html! {};
    }
    let of_disk = || run.results.iter().filter(|result| result.stands_for_disk());
    type Figure = fn(&ResultDocument) -> Option<f64>;
    let bandwidth: Figure = |it| Some(it.bandwidth_bytes_per_s.as_ref()?.median_mb_per_s);
    let small_ios: Figure = |it| Some(it.iops.as_ref().filter(|_| is_small_random(it))?.median);
    let mut tiles = Vec::new();
    for (label, direction, unit, figure) in [
        ("Fastest read", Direction::Read, "MB/s", bandwidth),
        ("Fastest write", Direction::Write, "MB/s", bandwidth),
        ("Most random reads", Direction::Read, "IOPS", small_ios),
        ("Most random writes", Direction::Write, "IOPS", small_ios),
    ] {
        let of_direction = of_disk().filter(|result| result.direction == direction);
        let figures = of_direction.filter_map(|result| Some((result, figure(result)?)));
        let most = figures.max_by(|left, right| left.1.total_cmp(&right.1));
        if let Some((result, value)) = most {
            tiles.push(tile(page, label, (&rate(value), unit), result));
        }
    }
    let alone = of_disk().filter(|result| {
        let workload = &result.workload;
        is_small_random(result)
            && result.direction == Direction::Read
            && workload.depth * workload.threads == 1
    });
    let shortest = alone
        .filter_map(|result| Some((result, result.latency_ns.as_ref()?.p50?)))
        .min_by_key(|(_, nanos)| *nanos);
    if let Some((result, nanos)) = shortest {
        let time = Nanos(nanos).to_string();
        let (value, unit) = time.split_once(' ').unwrap_or((&time, ""));
        tiles.push(tile(page, "Random read alone, p50", (value, unit), result));
    }
    html! {
        @if !tiles.is_empty() {
            dl.tiles { @for tile in tiles { (tile) } }
        }
    }
}

fn is_small_random(result: &ResultDocument) -> bool {
    let workload = &result.workload;
    matches!(workload.order, Order::Random { .. })
        && workload.blocks.largest().0 <= SMALL_BYTES_MAX
        && workload.survey().is_none()
        && !workload
            .operations
            .shares()
            .iter()
            .any(|(operation, _)| *operation == Operation::Trim)
}

fn tile(
    page: &HtmlPage,
    label: &'static str,
    (value, unit): (&str, &str),
    result: &ResultDocument,
) -> Markup {
    html! {
        div.tile {
            dt { (page.say(label)) }
            dd {
                div.value { (text(value)) " " small { (text(unit)) } }
                div.of {
                    (page.text(&row_alone(&result.name)))
                    br;
                    (page.verdict(result.verdict))
                }
            }
        }
    }
}

/// The method in words, and all that must be known to measure so again.
fn measured(page: &HtmlPage, run: &RunDocument) -> Markup {
    let run_facts = facts_of(run).into_iter();
    let run_facts: Vec<_> = run_facts
        .map(|(label, value)| (label.into(), value.into()))
        .collect();
    let rows = Table::of(&method::sentences(run))
        .column(left("Row"), |(name, _)| Some(name.clone()))
        .column(left("What it does"), |(_, sentence)| Some(sentence.clone()))
        .table();
    html! {
        (table(page, &rows))
        (facts(page, &run_facts))
        @if !surface::is_scan(run) {
            p.lead style="margin-top:12px" {
                (page.say("Fingerprint of the method; runs with the same one can be compared:"))
                " " code { (text(&run.fingerprint)) }
            }
        }
    }
}

fn repeat(run: &RunDocument) -> Markup {
    html! {
        @if !run.command.is_empty() {
            pre.wraps { code { (text(&run.command)) } }
            p.lead { (text(&run.measurer())) }
        }
    }
}
