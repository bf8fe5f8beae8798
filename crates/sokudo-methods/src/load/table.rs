//! Latency against load for people: a line per rate, then what the curve says.

use sokudo_report::article::{Article, Element};
use sokudo_report::document::{LatencyFigures, ResultDocument, RunDocument};
use sokudo_report::number;
use sokudo_report::shortfall::verdict_cell;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, left, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_words::{Text, text};

use crate::load::view::{LoadDocument, LoadStepDocument};

/// A line: a step, or none for the closed loop, and its result.
type Line<'a> = (Option<&'a LoadStepDocument>, &'a ResultDocument);

impl ShownView for LoadDocument {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        article.add(Element::Table(table(document, self)));
        let sentences = sentences(self).into_iter();
        let facts = sentences.map(|(label, sentence)| (label.into(), sentence.into()));
        article.add(Element::Facts(facts.collect()));
        article.paragraph(LEGEND);
        ShownBehind::NoRows
    }

    /// Its rates are in the table.
    fn fact(&self, label: &'static str, _: &RunDocument) -> Option<Option<Text>> {
        (label == "Load").then_some(None)
    }
}

const LEGEND: &str = "Load: share of the closed loop's rate. Service latencies count from the issue of an I/O, intended ones from the instant at which the rate meant it to start. In an overload, intended latencies grow with the length of a trial.";

/// What the rare latencies of the line without a load leave out.
const CLOSED_LOOP: &str = "p99.9 of the closed loop: while the disk stalls, no new I/O starts, so stalls are under-counted; compare the p99.9 of the rates.";

fn rows<'a>(document: &'a RunDocument, load: &'a LoadDocument) -> Vec<Line<'a>> {
    // The first row; while it is measured, those of rates that are not chosen yet have none either.
    let closed = document
        .results
        .iter()
        .take(1)
        .filter(|result| result.workload.pacing.rate.is_none())
        .map(|result| (None, result));
    let steps = load.steps.iter().filter_map(|step| {
        let result = document.results.get(step.result)?;
        Some((Some(step), result))
    });
    closed.chain(steps).collect()
}

fn table(document: &RunDocument, load: &LoadDocument) -> Table {
    let rows = rows(document, load);
    let service = |title| right(title).under("service");
    let intended = |title| right(title).under("intended");
    let table = Table::of(&rows)
        .column(right("Load"), |(step, _)| {
            let share = step.map(|step| number::percent(step.share));
            Some(share.map_or_else(|| "maximum".into(), Cell::Name))
        })
        .column(right("asked").under("IOPS").rank(3), |(step, _)| {
            Some(Cell::rate((*step)?.intended_ios_per_s))
        })
        .column(right("median").under("IOPS"), |(_, result)| {
            Some(Cell::rate(result.iops.as_ref()?.median))
        })
        .column(service("p50").rank(4), of_service(|it| it.p50))
        .column(service("p95").rank(8), of_service(|it| it.p95))
        .column(service("p99").rank(1), of_service(|it| it.p99))
        .column(
            service("p99.9").rank(6).noted(CLOSED_LOOP),
            of_service(|it| it.p99_9),
        )
        .column(intended("p50").rank(2), of_intended(|it| it.p50))
        .column(intended("p95").rank(7), of_intended(|it| it.p95))
        .column(intended("p99"), of_intended(|it| it.p99))
        .column(intended("p99.9").rank(5), of_intended(|it| it.p99_9))
        .column(left(""), |(step, _)| {
            Some(step.map_or_else(Text::default, |step| remark(step, load)))
        })
        .column(left("Verdict"), |(_, result)| {
            Some(verdict_cell(result, document.schedule.trials))
        })
        .table();
    Table {
        note_on_paper: "A percentile without enough samples is missing (—).",
        ..table
    }
}

type Pick = fn(&LatencyFigures) -> Option<u64>;

fn of_service(pick: Pick) -> impl Fn(&Line<'_>) -> Option<Cell> {
    move |(_, result)| Cell::time(result.latency_ns.as_ref().and_then(pick))
}

fn of_intended(pick: Pick) -> impl Fn(&Line<'_>) -> Option<Cell> {
    move |(_, result)| Cell::time(result.latency_from_intended_ns.as_ref().and_then(pick))
}

/// What is to be seen at a rate.
fn remark(step: &LoadStepDocument, load: &LoadDocument) -> Text {
    let is_at = |rate: Option<f64>| rate == Some(step.intended_ios_per_s);
    let limit = load.limit.as_ref().and_then(|limit| limit.ios_per_s);
    let remarks = [
        (is_at(load.knee.map(|knee| knee.ios_per_s)), "knee"),
        (is_at(limit), "limit"),
        (step.kept == Some(false), "overload"),
    ];
    let words = remarks.into_iter();
    let words = words.filter_map(|(holds, word)| holds.then_some(word.into()));
    Text::list(words, ", ")
}

/// What the curve says, as labels and sentences.
fn sentences(load: &LoadDocument) -> Vec<(&'static str, Text)> {
    let most = text!(
        "{} IOPS in a closed loop",
        number::rate(load.maximum_ios_per_s)
    );
    let rates = match (load.steps.is_empty(), load.poisson) {
        // How they would have been started nobody has seen.
        (true, _) => "no rate was measured",
        (false, true) => {
            "the rates are parts of it, with I/Os started at random instants (Poisson)"
        }
        (false, false) => "the rates are parts of it, with I/Os started evenly",
    };
    let mut sentences = vec![("maximum", Text::list([most, rates.into()], "; "))];
    sentences.push(("knee", knee(load)));
    sentences.extend(limit(load).map(|sentence| ("limit", sentence)));
    sentences
}

fn knee(load: &LoadDocument) -> Text {
    let Some(knee) = load.knee else {
        return "none within the rates that were reached: rate ÷ mean latency is largest at one end, or differs from trial to trial"
            .into();
    };
    let confidence = Text::from(if knee.rounds >= 6 {
        "with 95 % confidence"
    } else {
        "in all trials, which are too few for an interval"
    });
    text!(
        "{} IOPS ({} of the maximum), between {} and {} {confidence}; there rate ÷ mean latency is largest, and the mean latency {}",
        number::rate(knee.ios_per_s),
        number::percent(knee.ios_per_s / load.maximum_ios_per_s),
        number::rate(knee.low_ios_per_s),
        number::rate(knee.high_ios_per_s),
        number::nanos(knee.latency_mean_ns)
    )
}

fn limit(load: &LoadDocument) -> Option<Text> {
    let limit = load.limit.as_ref()?;
    let name = limit.name();
    let Some(rate) = limit.ios_per_s else {
        let lowest = load.steps.first().map(|step| step.intended_ios_per_s);
        return Some(match (limit.high_ios_per_s, lowest) {
            (Some(_), Some(lowest)) => {
                text!(
                    "{name} is exceeded already at {} IOPS",
                    number::rate(lowest)
                )
            }
            _ => text!(
                "whether {name} holds cannot be judged: a trial has too few I/Os for {}; make the trials longer (--time)",
                limit.limit.percentile.name()
            ),
        });
    };
    let from = limit
        .low_ios_per_s
        .map_or_else(|| "0".to_owned(), number::rate);
    let between = limit.high_ios_per_s.map(|high| {
        text!(
            "with 95 % confidence the highest such rate is between {from} and {}",
            number::rate(high)
        )
    });
    let up_to = text!(
        "{name} up to {} IOPS ({} of the maximum)",
        number::rate(rate),
        number::percent(rate / load.maximum_ios_per_s)
    );
    Some(Text::list(std::iter::once(up_to).chain(between), "; "))
}
