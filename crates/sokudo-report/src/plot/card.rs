//! The card of a run as a picture: what people show each other.

use sokudo_model::Steadiness;
use sokudo_words::{Text, spoken, text};

use super::curve::ink_of;
use super::figure::{Body, Card, CardRow, CardTile, PlotFigure};
use super::scale::{PlotAxis, whole_rate};
use crate::assessment_table;
use crate::card::{Sides, disks, heading};
use crate::document::{ResultDocument, RunDocument};
use crate::number::{self, BYTES_PER_MB};
use crate::run::RunVerdict;
use crate::shortfall::{is_sound, verdict_text};
use crate::wording::row_alone;

/// `None` where a run is no table of rows, or none has a bandwidth.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let sides = Sides::of(document)?;
    let rates = || sides.all().filter_map(rate).filter(|it| *it > 0.0);
    let (lowest, highest) = (rates().reduce(f64::min)?, rates().reduce(f64::max)?);
    let label = text!("MB/s, logarithmic");
    // So that the shortest is a bar, too.
    let axis = PlotAxis::decades(label, lowest / 2.0, highest, whole_rate);
    let rows: Vec<CardRow> = sides
        .rows
        .iter()
        .map(|(name, row)| CardRow {
            name: row_alone(name).to_string(),
            tiles: row.iter().map(|it| tile(document, (*it)?)).collect(),
        })
        .collect();
    let (title, facts) = heading(document);
    let all = match document.assessed_disks.is_empty() {
        true => None,
        false => assessment_table::answer_of_all(&assessment_table::judged_disks(document)),
    };
    let answers = all
        .into_iter()
        .chain(assessment_table::answers(document))
        .map(|it| it.1);
    let answers = answers.chain(RunVerdict::of(document).goodness.map(|it| it.1));
    let sentences = answers.chain(disks(document));
    rows.iter()
        .any(|row| row.tiles.iter().any(Option::is_some))
        .then(|| PlotFigure {
            language: spoken(),
            title: title.into(),
            subtitle: Text::list(facts, " · ").into(),
            footer: text!(
                "{}; ± is the 95 % interval within the run",
                document.measurer()
            )
            .into(),
            body: Body::Card(Card {
                sides: sides.names.iter().map(|name| spoken().word(name)).collect(),
                rows,
                axis,
                sentences: sentences.map(|text| text.to_string()).collect(),
            }),
        })
}

fn rate(result: &ResultDocument) -> Option<f64> {
    let figures = result.bandwidth_bytes_per_s.as_ref()?;
    Some(figures.bytes_per_s.median / BYTES_PER_MB)
}

pub(super) fn tile(document: &RunDocument, result: &ResultDocument) -> Option<CardTile> {
    let rate_here = rate(result)?;
    let figures = &result.bandwidth_bytes_per_s.as_ref()?.bytes_per_s;
    let steadiness = result.steadiness.filter(|it| *it == Steadiness::Unsteady);
    let unsteady = steadiness.map(|it| spoken().word(it.name()).to_owned());
    let iops = result.iops.as_ref();
    let p99 = result.latency_ns.as_ref().and_then(|it| it.p99);
    let trials = document.schedule.trials_of(&result.workload);
    let doubt = (!is_sound(result)).then(|| verdict_text(result, trials).to_string());
    let details = [
        doubt,
        figures.spread(BYTES_PER_MB),
        unsteady,
        iops.map(|iops| format!("{} IOPS", number::rate(iops.median))),
        p99.map(|p99| format!("p99 {}", number::latency(Some(p99)))),
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    Some(CardTile {
        value: format!("{} MB/s", number::rate(rate_here)),
        details: details.join(" · "),
        rate: rate_here,
        ink: ink_of(result.direction),
        verdict: result.verdict,
    })
}
