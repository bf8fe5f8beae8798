//! Latency against load for people: a line per rate, then what the curve says.

use sokudo_model::Nanos;

use crate::document::{
    LatencyFigures, LoadDocument, LoadStepDocument, ResultDocument, RunDocument,
};
use crate::layout::{Align, Column, table_lines, table_width};
use crate::number::{self, MISSING};
use crate::shortfall::verdict_cell;
use crate::style::{TableStyle, coloured};

/// A line: a step, or none for the closed loop, and its result.
type Line<'a> = (Option<&'a LoadStepDocument>, &'a ResultDocument);

/// A column that a narrow table can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Asked,
    ServiceP50,
    ServiceP99,
    ServiceP99_9,
    IntendedP50,
    IntendedP99_9,
}

/// Figures are left out in this order until the table fits.
const DROP_ORDER: [Figure; 6] = [
    Figure::ServiceP99_9,
    Figure::IntendedP99_9,
    Figure::ServiceP50,
    Figure::Asked,
    Figure::IntendedP50,
    Figure::ServiceP99,
];

/// The table with what the curve says, and what its figures are.
pub(crate) fn figure_lines(
    document: &RunDocument,
    load: &LoadDocument,
    style: &TableStyle,
) -> Vec<String> {
    let rows = rows(document, load);
    let mut dropped = Vec::new();
    let mut columns = columns(document, load, &rows, style, &dropped);
    for figure in DROP_ORDER {
        if table_width(&columns) <= style.width {
            break;
        }
        dropped.push(figure);
        columns = self::columns(document, load, &rows, style, &dropped);
    }
    let verdicts = columns.last().map_or(&[][..], |verdict| &verdict.cells);
    let table = table_lines(&columns, style.rule());
    let (titles, lines_of_rows) = table.split_at(2);
    let mut lines = titles.to_vec();
    lines.push(style.rule().to_string().repeat(table_width(&columns)));
    for (((_, result), line), verdict) in rows.iter().zip(lines_of_rows).zip(verdicts) {
        lines.push(coloured(line, verdict, result, style));
    }
    lines.push(String::new());
    for (label, sentence) in sentences(load) {
        lines.extend(style.wrapped(&style.label(label, 9), &sentence));
    }
    lines.push(String::new());
    lines.extend(style.wrapped("", LEGEND));
    lines
}

const LEGEND: &str = "Load: part of the closed loop's rate. Latencies are of service: from the \
    issue of an I/O; and intended: from the instant at which the rate meant it to start. In an \
    overload the latter grow with the length of a trial.";

fn rows<'a>(document: &'a RunDocument, load: &'a LoadDocument) -> Vec<Line<'a>> {
    let closed = document
        .results
        .iter()
        .filter(|result| result.workload.rate.is_none())
        .map(|result| (None, result));
    let steps = load.steps.iter().filter_map(|step| {
        let result = document.results.get(step.result)?;
        Some((Some(step), result))
    });
    closed.chain(steps).collect()
}

fn columns(
    document: &RunDocument,
    load: &LoadDocument,
    rows: &[Line<'_>],
    style: &TableStyle,
    dropped: &[Figure],
) -> Vec<Column> {
    type Cell<'a> = &'a dyn Fn(&Line<'_>) -> String;
    let column = |group, title: &str, align, cell: Cell<'_>| Column {
        group: style.group(group),
        title: style.text(title),
        align,
        cells: rows.iter().map(|row| style.text(&cell(row))).collect(),
    };
    let mut columns = vec![column("", "Load", Align::Right, &|(step, _)| {
        step.map_or_else(|| "most".to_owned(), |step| number::percent(step.share))
    })];
    if !dropped.contains(&Figure::Asked) {
        columns.push(column("IOPS", "asked", Align::Right, &|(step, _)| {
            step.map_or_else(missing, |step| number::rate(step.asked_ios_per_s))
        }));
    }
    columns.push(column("IOPS", "median", Align::Right, &|(_, result)| {
        let iops = result.iops.as_ref();
        iops.map_or_else(missing, |iops| number::rate(iops.median))
    }));
    type Pick = fn(&LatencyFigures) -> Option<u64>;
    let latencies: [(Option<Figure>, &'static str, &str, Pick); 6] = [
        (Some(Figure::ServiceP50), SERVICE, "p50", |l| l.p50),
        (Some(Figure::ServiceP99), SERVICE, "p99", |l| l.p99),
        (Some(Figure::ServiceP99_9), SERVICE, "p99.9", |l| l.p99_9),
        (Some(Figure::IntendedP50), INTENDED, "p50", |l| l.p50),
        (None, INTENDED, "p99", |l| l.p99),
        (Some(Figure::IntendedP99_9), INTENDED, "p99.9", |l| l.p99_9),
    ];
    for (figure, group, title, pick) in latencies {
        if figure.is_some_and(|figure| dropped.contains(&figure)) {
            continue;
        }
        columns.push(column(group, title, Align::Right, &|(_, result)| {
            let figures = match group {
                SERVICE => &result.latency_ns,
                _ => &result.latency_from_intended_ns,
            };
            number::latency(figures.as_ref().and_then(pick))
        }));
    }
    columns.push(column("", "", Align::Left, &|(step, _)| {
        step.map_or_else(String::new, |step| remark(step, load))
    }));
    columns.push(column("", "Verdict", Align::Left, &|(_, result)| {
        verdict_cell(result, document.schedule.trials)
    }));
    columns
}

const SERVICE: &str = "service";
const INTENDED: &str = "intended";

fn missing() -> String {
    MISSING.to_owned()
}

/// What is to be seen at a rate.
fn remark(step: &LoadStepDocument, load: &LoadDocument) -> String {
    let is_at = |rate: Option<f64>| rate == Some(step.asked_ios_per_s);
    let limit = load.limit.as_ref().and_then(|limit| limit.ios_per_s);
    let remarks = [
        (is_at(load.knee.map(|knee| knee.ios_per_s)), "knee"),
        (is_at(limit), "limit"),
        (step.kept == Some(false), "overload"),
    ];
    let said: Vec<&str> = remarks
        .into_iter()
        .filter_map(|(holds, word)| holds.then_some(word))
        .collect();
    said.join(", ")
}

/// What the curve says, as labels and sentences.
pub(crate) fn sentences(load: &LoadDocument) -> Vec<(&'static str, String)> {
    let mut sentences = vec![(
        "most",
        format!(
            "{} IOPS in a closed loop{}",
            number::rate(load.maximum_ios_per_s),
            match (load.steps.is_empty(), load.poisson) {
                // How they would have been started nobody has seen.
                (true, _) => "; no rate was measured",
                (false, true) =>
                    "; the rates are parts of it, with I/Os started at random instants (Poisson)",
                (false, false) => "; the rates are parts of it, with I/Os started evenly",
            }
        ),
    )];
    sentences.push(("knee", knee(load)));
    sentences.extend(limit(load).map(|sentence| ("limit", sentence)));
    sentences
}

fn knee(load: &LoadDocument) -> String {
    let Some(knee) = load.knee else {
        return "none between the rates that were kept: rate ÷ mean latency is largest at an end of \
                them, or not the same from trial to trial"
            .to_owned();
    };
    let confidence = if knee.rounds >= 6 {
        "with 95 % confidence"
    } else {
        "in all trials, which are too few for an interval"
    };
    format!(
        "{} IOPS ({} of the most), between {} and {} {confidence}; there rate ÷ mean latency is \
         largest, and the mean latency {}",
        number::rate(knee.ios_per_s),
        number::percent(knee.ios_per_s / load.maximum_ios_per_s),
        number::rate(knee.low_ios_per_s),
        number::rate(knee.high_ios_per_s),
        nanos(knee.latency_mean_ns)
    )
}

fn limit(load: &LoadDocument) -> Option<String> {
    let limit = load.limit.as_ref()?;
    let name = format!("{} ≤ {}", limit.percentile, Nanos(limit.latency_ns));
    let Some(rate) = limit.ios_per_s else {
        let lowest = load.steps.first().map(|step| step.asked_ios_per_s);
        return Some(match (limit.high_ios_per_s, lowest) {
            (Some(_), Some(lowest)) => {
                format!(
                    "{name} is exceeded already at {} IOPS",
                    number::rate(lowest)
                )
            }
            _ => format!(
                "whether {name} holds cannot be told: too few I/Os for {} in a trial; make them \
                 longer (--time)",
                limit.percentile
            ),
        });
    };
    let from = limit
        .low_ios_per_s
        .map_or_else(|| "0".to_owned(), number::rate);
    let between = match limit.high_ios_per_s {
        Some(high) => format!(
            "; with 95 % confidence the highest such rate is between {from} and {}",
            number::rate(high)
        ),
        None => String::new(),
    };
    Some(format!(
        "{name} up to {} IOPS ({} of the most){between}",
        number::rate(rate),
        number::percent(rate / load.maximum_ios_per_s)
    ))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a latency is not negative"
)]
fn nanos(value: f64) -> Nanos {
    Nanos(value.round() as u64)
}
