//! What is told of a run: what was measured, the figures, what is thought of them, and how to
//! measure again.

mod answer;
mod columns;

pub use answer::RunVerdict;

use sokudo_model::{DiskAnswer, MethodTrait, RunAnswer};
use sokudo_stats::INTERVAL_TRIALS_MIN;
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::assessment_table;
use crate::date;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::explain;
use crate::facts::{Fact, facts};
use crate::grouping::row_name;
use crate::hosts::HostFigures;
use crate::number;
use crate::shortfall::shortfalls;
use crate::style::BandwidthUnit;
use crate::surface;
use crate::table::{Cell, Skin, Table, Tone};
use crate::view::{self, ShownBehind, ShownView, views};
use crate::wording::row;

/// The whole of it.
pub fn article(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let (mut article, _) = answered(document);
    let of_disks = disks_instead_of(&article, document);
    article.add(title(document));
    article.add(fact_lines(facts(document).into_iter()));
    article.append(figures(document, unit));
    article.append(of_disks);
    let of_one = document.disk_assessment.iter().map(|it| &**it);
    let of_several = document.assessed_disks.iter().map(|it| &it.assessment);
    let points = of_one.chain(of_several).flat_map(|it| &it.points);
    assessment_table::add_sources(&mut article, points);
    for view in views(document) {
        view.add_sources(&mut article, document);
    }
    article.add(Element::OfRows(shortfalls_of(document)));
    article.add(Element::Findings(view::findings(document)));
    article.add(Element::StoredCommand(&document.command));
    article
}

/// What was measured, and the brief figures.
pub fn brief(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let (mut article, _) = answered(document);
    article.add(title(document));
    let of_target = |fact: &Fact| ["Label", "Target", "Device"].contains(&fact.0);
    let facts = facts(document).into_iter().filter(of_target);
    article.add(fact_lines(facts));
    if views(document).all(ShownView::has_brief_figures) {
        article.append(brief_figures(document, unit));
    }
    article
}

/// The figures without what must be known to doubt them.
pub(crate) fn brief_figures(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let mut figures = figures(document, unit);
    for (_, element) in &mut figures.0 {
        if let Element::Table(table) = element {
            table.note = Text::default();
            for column in &mut table.columns {
                column.head.note = "";
            }
        }
    }
    figures
}

/// The answer to the question that it was measured for, as it is shown and in a word.
pub fn answered(document: &RunDocument) -> (Article<'_>, Option<RunAnswer>) {
    let mut article = Article::default();
    let of_views = views(document).fold(None, |answer, view| {
        answer.or(view.add_answer(&mut article, document))
    });
    let asks = document.plan.method.is(MethodTrait::AsksForDisk);
    let of_disk = match &document.disk_assessment {
        Some(assessment) if asks => assessment_table::add(&mut article, assessment),
        _ if asks && !document.assessed_disks.is_empty() => {
            let disks = assessment_table::judged_disks(document);
            let table = assessment_table::table_of_all(document, &disks);
            assessment_table::add_all(&mut article, &disks, table)
        }
        _ if article.0.is_empty() => surface::unreadable(document).map(|text| {
            article.add(Element::Answer(Tone::Bad, text));
            RunAnswer::NotOk
        }),
        _ => None,
    };
    (article, of_views.or(of_disk))
}

/// What its disks come to, where a run has no answer.
pub(crate) fn disks_instead_of<'a>(answer: &Article<'a>, document: &'a RunDocument) -> Article<'a> {
    let mut of_disks = Article::default();
    if answer.0.is_empty() {
        assessment_table::add_answers(&mut of_disks, document);
    }
    of_disks
}

/// The answer alone, with its tone; `None` where the run was for no question.
pub fn answer(document: &RunDocument) -> Option<(Tone, Text)> {
    let (article, _) = answered(document);
    let mut elements = article.0.into_iter();
    elements.find_map(|(_, element)| match element {
        Element::Answer(tone, sentence) => Some((tone, sentence)),
        _ => None,
    })
}

/// What a run is listed with: its answer, or without one that a disk of it is not well.
pub fn listed_answer(document: &RunDocument) -> Option<RunAnswer> {
    let disks = assessment_table::judged_disks(document);
    let is_bad = (disks.iter()).any(|disk| disk.assessment.answer == Some(DiskAnswer::NotOk));
    let (_, answer) = answered(document);
    answer.or(is_bad.then_some(RunAnswer::NotOk))
}

fn title(document: &RunDocument) -> Element<'_> {
    Element::Title(Cell::Name(format!(
        "{} · {} · {}",
        document.measurer(),
        document.plan.method,
        date::for_people(&document.began())
    )))
}

fn fact_lines<'a>(facts: impl Iterator<Item = Fact>) -> Element<'a> {
    let facts = facts.map(|(label, value)| (label.into(), value.into()));
    Element::Facts(facts.collect())
}

/// What the command was for, and what else its figures say.
pub fn figures(document: &RunDocument, unit: BandwidthUnit) -> Article<'_> {
    let mut article = Article::default();
    let hosts = HostFigures::of(document);
    if let Some(hosts) = &hosts {
        article.paragraph(hosts.sentence());
    }
    let shown = views(document).map(|view| view.add_figures(&mut article, document, unit));
    match shown.max().unwrap_or(ShownBehind::Rows) {
        ShownBehind::Nothing => return article,
        ShownBehind::NoRows => (),
        _ if surface::is_scan(document) => surface::add(&mut article, document, unit),
        shown => rows(&mut article, document, unit, shown),
    }
    if document.schedule.surveys_once {
        surface::add_beside(&mut article, document);
    }
    if let Some(hosts) = &hosts {
        article.add(Element::Table(hosts.table(unit)));
    }
    if let Some(explanation) = explain::explanation(document) {
        article.paragraph(explanation);
    }
    article
}

/// A line per result, but for those that have figures of their own.
pub fn row_table(document: &RunDocument, unit: BandwidthUnit) -> Table {
    let mut results = document.results_by_direction();
    results.retain(|result| !document.schedule.makes_once(&result.workload));
    columns::table(document, &results, unit)
}

fn rows(
    article: &mut Article<'_>,
    document: &RunDocument,
    unit: BandwidthUnit,
    shown: ShownBehind,
) {
    let table = row_table(document, unit).noted(legend(document, unit));
    match shown {
        ShownBehind::RowsOnPaper => article.add_on(Skin::Paper, Element::Table(table)),
        _ => article.add(Element::Table(table)),
    }
}

/// What latencies are where a rate was fixed.
const INTENDED: &str = "Service latencies count from the issue of an I/O, intended ones from the instant at which the fixed rate meant it to start, whether or not the disk was ready.";

/// What is to be known of the figures of rows.
pub fn legend(document: &RunDocument, unit: BandwidthUnit) -> Text {
    let results = &document.results_by_direction();
    if let Some(origin) = document.origin() {
        let (name, tool) = (unit.name(), document.measurer());
        let definition = Text::from(unit.definition());
        let is_converted = !origin.corrections.is_empty();
        return match (columns::are_medians(document), is_converted) {
            (false, _) => text!("{name}: as {tool} reported it; {definition}."),
            (true, false) => text!("{name}: median of what {tool} reported; {definition}."),
            (true, true) => {
                text!("{name}: median of what {tool} reported, converted; {definition}.")
            }
        };
    }
    let rates = || {
        let bandwidths = results.iter().map(|it| it.bandwidth_bytes_per_s.as_ref());
        bandwidths.flatten().map(|bandwidth| &bandwidth.bytes_per_s)
    };
    let has_interval = rates().any(|rates| rates.interval_95.is_some());
    let are_many = rates().any(|rates| rates.trials.len() >= INTERVAL_TRIALS_MIN);
    let are_few = rates().any(|rates| rates.trials.len() < INTERVAL_TRIALS_MIN);
    let interval = match (has_interval, document.spread()) {
        (true, None) if are_few => {
            "± its 95 % interval, this run only; lowest to highest of fewer than 6 trials".into()
        }
        (true, None) => "± its 95 % interval, this run only".into(),
        (true, Some(over)) if are_few => {
            text!("± its 95 % interval over {over}; lowest to highest of fewer than 6 trials")
        }
        (true, Some(over)) => text!("± its 95 % interval over {over}"),
        (false, _) if are_many => "no 95 % interval: the trials differ too much in length".into(),
        (false, _) => "no 95 % interval below 6 trials, so lowest to highest".into(),
    };
    let trim = document.schedule.trim;
    let trimmed = match trim {
        0 => Text::default(),
        _ => text!(
            "; {}",
            text!("trimmed: mean without the {trim} slowest and the {trim} fastest")
        ),
    };
    let latencies = match columns::is_at_rates(document) {
        false => Text::default(),
        true => text!(" {}", Text::from(INTENDED)),
    };
    let legend = text!(
        "{}: median of the trials, {}{trimmed}; {}.{}{}",
        unit.name(),
        interval,
        Text::from(unit.definition()),
        estimand(results),
        latencies
    );
    match other_runs(results) {
        None => legend,
        Some(others) => text!("{legend} {others}"),
    }
}

/// How far a run's figure is from what the disk does from run to run, as kept ones tell it.
fn other_runs(results: &[&ResultDocument]) -> Option<Text> {
    let known = || results.iter().filter_map(|result| result.runs_differ);
    let reaches = || known().map(|it| it.reach_95);
    let (least, most) = (reaches().reduce(f64::min)?, reaches().reduce(f64::max)?);
    let runs = known().map(|it| it.runs).min()?;
    let reach = match [least, most].map(number::percent) {
        [least, most] if least == most => text!("± {least}"),
        [least, most] => text!("± {least} to ± {most}"),
    };
    Some(text!(
        "From run to run: judging by {runs} or more kept runs of a row, the figure of one run lies within {reach} of its level with 95 % confidence."
    ))
}

/// What the rates are the rates of, where all rows have it in common.
fn estimand(results: &[&ResultDocument]) -> Text {
    let trials = || results.iter().flat_map(|result| &result.trials);
    let sustained = trials().filter(|trial| trial.settled_ns.is_some()).count();
    let kind = match sustained {
        0 => return Text::default(),
        count if count == trials().count() => {
            Text::from("Rates are measured once the queue is full and has settled.")
        }
        _ => Text::from(
            "Where only time ends a row, its rate is measured once the queue is full and has settled.",
        ),
    };
    let unsettled = results
        .iter()
        .map(|result| u64::from(result.unsettled_trials));
    match unsettled.sum() {
        0_u64 => text!(" {kind}"),
        1 => text!(" {kind} 1 calibration trial is excluded."),
        count => {
            text!(" {kind} {count} calibration trials are excluded.")
        }
    }
}

/// Why rows have fewer figures than were planned. Of a row that was not reached the table
/// says it.
pub(crate) fn shortfalls_of(document: &RunDocument) -> Vec<(Text, Text)> {
    let results = document.results_by_direction().into_iter();
    let reached = results.filter(|result| result.status != Status::NotReached);
    let of_row = |result: &ResultDocument| {
        let row = row(&row_name(result));
        let why = shortfalls(result, &document.schedule).into_iter();
        why.map(|why| (row.clone(), why)).collect::<Vec<_>>()
    };
    reached.flat_map(of_row).collect()
}
