//! The figures of Bonnie++'s phases for people: MB/s where bytes count, files or seeks
//! per second where those do, and what it took of the processor.

use sokudo_report::article::{Article, Element};
use sokudo_report::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument};
use sokudo_report::number;
use sokudo_report::shortfall::{trials_made, verdict_cell};
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, left, point, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_report::wording::phrase;
use sokudo_tools::bonnie::phase::BonniePhase;
use sokudo_words::{Text, text};

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    is_of_phases(document).then_some(&ShownPhases)
}

fn is_of_phases(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    document.plan.method.is_of(&super::plan::METHOD)
        && results.all(|result| BonniePhase::of(&result.workload).is_some())
}

struct ShownPhases;

impl ShownView for ShownPhases {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        unit: BandwidthUnit,
    ) -> ShownBehind {
        // What counts has a column of its own.
        let unit = match unit {
            BandwidthUnit::IosPerSecond => BandwidthUnit::MegabytesPerSecond,
            unit => unit,
        };
        let table = table(document, unit);
        article.add(Element::Table(table.noted(legend(document, unit))));
        ShownBehind::NoRows
    }
}

fn table(document: &RunDocument, unit: BandwidthUnit) -> Table {
    let results = &document.results;
    let has_spread = results.iter().any(|result| spread(result, unit).is_some());
    let latency = |pick: fn(&LatencyFigures) -> Option<u64>| {
        move |result: &ResultDocument| Cell::time(result.latency_ns.as_ref().and_then(pick))
    };
    let is_on_files = |result: &ResultDocument| result.workload.tree().is_some();
    Table::of(results)
        .column(left("Phase"), |result| Some(phrase(&result.name)))
        .column(point(unit.name()), |result| {
            bandwidth(result).map(|rate| Cell::rate(rate.median / unit.bytes()))
        })
        .column(right("per second"), |result| {
            let counted = BonniePhase::of(&result.workload)?.counted()?;
            let rate = number::rate(counted_rate(result)?.median);
            Some(text!("{rate} {}", Text::from(counted)))
        })
        .column_if(has_spread, right("± run").rank(1), |result| {
            spread(result, unit).map(|spread| spread.replace("± ", "±"))
        })
        .column(right("CPU"), |result| {
            result.cpu_share().map(number::percent)
        })
        .column(right("p50").under("latency").rank(3), latency(|l| l.p50))
        .column(right("p95").under("latency").rank(4), latency(|l| l.p95))
        .column(right("p99").under("latency").rank(2), latency(|l| l.p99))
        .column(right("max").under("latency"), latency(|l| l.max))
        .column(left("Verdict"), |result| {
            Some(verdict_cell(result, document.schedule.trials))
        })
        .turning(|before, after| is_on_files(after) && !is_on_files(before))
        .table()
}

/// Bytes per second, where those are the phase's figure.
fn bandwidth(result: &ResultDocument) -> Option<&RateFigures> {
    let phase = BonniePhase::of(&result.workload)?;
    if phase.counted().is_some() {
        return None;
    }
    let of_share = result
        .shares
        .as_ref()
        .and_then(|shares| shares.get(&phase.operation()));
    let figures = match of_share {
        Some(share) => &share.bandwidth_bytes_per_s,
        None => &result.bandwidth_bytes_per_s,
    };
    figures.as_ref().map(|figures| &figures.bytes_per_s)
}

/// Files or seeks per second, where those are the phase's figure.
fn counted_rate(result: &ResultDocument) -> Option<&RateFigures> {
    let phase = BonniePhase::of(&result.workload)?;
    let of_share = result
        .shares
        .as_ref()
        .and_then(|shares| shares.get(&phase.operation()));
    match of_share {
        Some(share) => share.iops.as_ref(),
        None => result.files_per_s.as_ref(),
    }
}

fn spread(result: &ResultDocument, unit: BandwidthUnit) -> Option<String> {
    match bandwidth(result) {
        Some(rates) => rates.spread(unit.bytes()),
        None => counted_rate(result)?.spread(1.0),
    }
}

fn legend(document: &RunDocument, unit: BandwidthUnit) -> Text {
    let median = Text::from(match trials_made(document.results.iter()) {
        [_, 1] => "one run of every phase",
        _ => "the median of all runs",
    });
    let definition = Text::from(unit.definition());
    text!(
        "Figures are {median}; {definition}. CPU: 100 % is one CPU. Latency is that of one read, write or file; final flushes count in the rate alone."
    )
}
