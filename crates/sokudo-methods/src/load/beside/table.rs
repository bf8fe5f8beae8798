//! A workload beside another one and alone, for people: one sentence, then a line per figure of
//! both.

use sokudo_report::article::{Article, Element};
use sokudo_report::document::RunDocument;
use sokudo_report::grouping::row_name;
use sokudo_report::number;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, left, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_report::wording::row;
use sokudo_words::{Text, text};

use crate::load::beside::comparison::BesideFigure;
use crate::load::beside::view::{BesideDocument, BesideRowDocument};

impl ShownView for BesideDocument {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        article.paragraph(sentence(document, self));
        article.add(Element::Table(table(document, self)));
        article.paragraph(LEGEND);
        ShownBehind::Nothing
    }
}

const LEGEND: &str = "Alone and beside: from the round with the median ratio, so drift affects none of the three. A 95 % interval needs 6 rounds. Latencies at the fixed rate count from the intended start of an I/O. The other workload runs in a closed loop; its latencies count from the issue.";

/// What a figure is, which decides how it is printed.
#[derive(Clone, Copy, PartialEq)]
enum FigureUnit {
    Time,
    Rate,
}

impl FigureUnit {
    fn format_value(self, value: f64) -> String {
        match self {
            Self::Time => number::nanos(value).to_string(),
            Self::Rate => number::rate(value),
        }
    }
}

/// A line of the table.
struct BesideLine<'a> {
    /// The row's name, at its first line.
    row: Option<Text>,
    figure: Text,
    unit: FigureUnit,
    compared: &'a BesideFigure,
}

fn lines<'a>(document: &RunDocument, of_row: &'a BesideRowDocument) -> Vec<BesideLine<'a>> {
    let rate = of_row.ios_per_s.iter().map(|compared| BesideLine {
        row: None,
        figure: text!("IOPS"),
        unit: FigureUnit::Rate,
        compared,
    });
    let latencies = of_row.latency_ns.iter().map(|it| BesideLine {
        row: None,
        figure: Text::phrase(&it.figure),
        unit: FigureUnit::Time,
        compared: &it.compared,
    });
    let mut lines: Vec<BesideLine<'_>> = latencies.chain(rate).collect();
    if let Some(first) = lines.first_mut() {
        first.row = Some(name(document, of_row));
    }
    lines
}

fn name(document: &RunDocument, of_row: &BesideRowDocument) -> Text {
    let result = document.results.get(of_row.alone);
    result.map_or_else(Text::default, |result| row(&row_name(result)))
}

fn table(document: &RunDocument, beside: &BesideDocument) -> Table {
    let mut lines_of_both = lines(document, &beside.row);
    lines_of_both.extend(lines(document, &beside.neighbour));
    Table::of(&lines_of_both)
        .column(left("Row"), |line: &BesideLine<'_>| {
            Some(Cell::Text(line.row.clone().unwrap_or_default()))
        })
        .column(left(""), |line| Some(line.figure.clone()))
        .column(right("alone"), |line| {
            Some(line.unit.format_value(line.compared.alone))
        })
        .column(right("beside"), |line| {
            Some(line.unit.format_value(line.compared.beside))
        })
        .column(right("ratio"), |line| Some(factor(line.compared.ratio)))
        .column(right("95 %").rank(1), |line| {
            let [low, high] = line.compared.interval?;
            Some(number::rate_range(low, high))
        })
        .turning(|_, next| next.row.is_some())
        .table()
}

fn factor(ratio: f64) -> String {
    format!("{} ×", number::rate(ratio))
}

fn sentence(document: &RunDocument, beside: &BesideDocument) -> Text {
    let row = name(document, &beside.row);
    let neighbour = name(document, &beside.neighbour);
    let parts = [
        Some(of_latency(&beside.row, &row, &neighbour)),
        of_own_rate(&beside.row, &row),
        of_neighbours_rate(&beside.neighbour, neighbour),
    ];
    text!("{}.", Text::list(parts.into_iter().flatten(), "; "))
}

fn of_latency(of_row: &BesideRowDocument, row: &Text, neighbour: &Text) -> Text {
    let Some(headline) = of_row.headline() else {
        return text!(
            "While {} runs, a trial of {} completes too few I/Os for a percentile; make the trials longer (--time)",
            neighbour.clone(),
            row.clone()
        );
    };
    let compared = &headline.compared;
    let [alone, beside] =
        [compared.alone, compared.beside].map(|it| FigureUnit::Time.format_value(it));
    let (figure, ratio) = (&*headline.figure, factor(compared.ratio));
    let (row, neighbour) = (row.clone(), neighbour.clone());
    let Some([low, high]) = compared.interval.map(|ends| ends.map(number::rate)) else {
        return text!(
            "While {neighbour} runs, {figure} of {row} is {beside} instead of {alone} ({ratio}; fewer than 6 rounds give no interval)"
        );
    };
    match compared.changed {
        true => text!(
            "While {neighbour} runs, {figure} of {row} is {beside} instead of {alone} ({ratio}, with 95 % confidence {low} to {high} ×)"
        ),
        false => text!(
            "While {neighbour} runs, {figure} of {row} does not change beyond noise: {beside} instead of {alone} ({ratio}, with 95 % confidence {low} to {high} ×)"
        ),
    }
}

/// Where a fixed rate was not kept.
fn of_own_rate(of_row: &BesideRowDocument, row: &Text) -> Option<Text> {
    let row = row.clone();
    if of_row.rate_kept_alone == Some(false) {
        return Some(text!(
            "{row} cannot sustain its rate even alone, so its latencies grow with the length of a trial; use a lower share (--at)"
        ));
    }
    let rate = of_row
        .ios_per_s
        .filter(|_| of_row.rate_kept_beside == Some(false))?;
    Some(text!(
        "it starts only {} of its rate there, so its latencies grow with the length of a trial",
        number::percent(rate.ratio)
    ))
}

fn of_neighbours_rate(of_row: &BesideRowDocument, neighbour: Text) -> Option<Text> {
    let rate = of_row.ios_per_s?;
    Some(text!(
        "{neighbour} keeps {} of its own rate: {} instead of {} IOPS",
        number::percent(rate.ratio),
        number::rate(rate.beside),
        number::rate(rate.alone)
    ))
}
