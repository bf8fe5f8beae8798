//! A comparison for people. A narrow terminal gets fewer columns; the change and the
//! conclusion are always there.

use sokudo_model::Conclusion;
use sokudo_words::{Text, text};

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument, SideDocument, words};
use crate::article::{Article, Element};
use crate::date;
use crate::document::RateFigures;
use crate::forms::Forms;
use crate::number::{self, change_text};
use crate::pivot;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, Tone, left, point_with_room, right};
use crate::wording::{phrase, row, source};

impl Forms for ComparisonDocument {
    fn article(&self, requested: BandwidthUnit) -> Article<'_> {
        let unit = words::unit(self, requested);
        let title = text!("sokudo {} · compare", self.sokudo_version);
        let others = self.others.iter().map(|it| &it.side);
        let sides = std::iter::once(&self.reference).chain(others);
        let mut article = Article::default();
        article.add(Element::Title(Cell::Text(title)));
        article.add(Element::Facts(sides.map(side).collect()));
        if let Some(matrix) = &self.matrix {
            pivot::table::add(&mut article, matrix);
        }
        for other in &self.others {
            match (&self.matrix, &other.rows[..]) {
                (Some(_), _) => {}
                (None, []) => {
                    let letter = &other.side.letter;
                    article.paragraph(text!("{letter} has no row in common with A."));
                }
                (None, _) => article.add(Element::Table(table(self, other, unit))),
            }
            let mut notes = words::notes(self, other);
            notes.extend(words::alone(other));
            article.notes(notes);
            for row in &other.rows {
                if let Some((title, stretches)) = words::slower_samples(row, &other.side.letter) {
                    article.marked(title, "  ", stretches);
                }
            }
            let title = text!("What differs (A | {}):", other.side.letter);
            article.marked(title, "  ", words::differing(other));
        }
        if self.rows().next().is_some() && self.matrix.is_none() {
            article.paragraph(words::legend(self, unit));
        } else if let Some(differ) = words::runs_differ(self) {
            article.paragraph(differ);
        }
        article.add(Element::StoredCommand(&self.command));
        article.notes(words::answer(self));
        article
    }
}

fn side(side: &SideDocument) -> (Text, Cell) {
    let about = [
        side.label.as_ref().map(|_| source(&side.source)),
        Some(Text::name(&side.method)),
        Some(phrase(&date::for_people(&side.started_at))),
        side.interrupted.then(|| "interrupted".into()),
    ];
    let about = Text::list(about.into_iter().flatten(), ", ");
    let name = side.label.as_ref().map(Text::name);
    let text = text!("{} ({about})", name.unwrap_or_else(|| source(&side.source)));
    (Text::name(side.letter.clone()), text.into())
}

type PickSide = fn(&RowDocument) -> &RowSideDocument;

/// As on a control chart.
const R: &str = "mean, R: of the trials; R is the largest minus the smallest.";
const EFFECT: &str = "Effect: how little the trials of both overlap (Cliff).";

fn table(document: &ComparisonDocument, other: &OtherDocument, unit: BandwidthUnit) -> Table {
    let median = |side: &SideDocument| {
        let named = [
            Some(&*side.letter),
            side.label.as_deref(),
            Some(unit.name()),
        ];
        let named: Vec<&str> = named.into_iter().flatten().collect();
        point_with_room(Text::name(named.join(" ")))
    };
    let sides: [(_, PickSide); 2] = [
        (&document.reference, |row| &row.reference),
        (&other.side, |row| &row.other),
    ];
    let rows = Table::of(&other.rows).column(left("row"), |row| Some(row_name(row)));
    let rows = sides.into_iter().fold(rows, |rows, (named, of)| {
        // Said once.
        let [note, range_note] = match named.letter == document.reference.letter {
            true => ["±: 95 % interval of the median, of its run only.", R],
            false => [""; 2],
        };
        rows.column(median(named), move |row| self::median(of(row), unit))
            .column(right("±").rank(2).noted(note), move |row| {
                spread(of(row), unit)
            })
            .column(right("mean").rank(5), move |row| {
                trials(of(row), unit, |it| it.mean)
            })
            .column(right("R").rank(4).noted(range_note), move |row| {
                trials(of(row), unit, |it| it.range)
            })
    });
    rows.column(right("change"), |row| {
        Some(change_text(row.compared.change.as_ref()?.ratio))
    })
    .column(right("95 % interval").rank(1), |row| {
        let change = row.compared.change.as_ref()?;
        let interval = change.ratio_interval_95?;
        Some(words::interval_text(change.ratio, interval))
    })
    .column(left("effect").rank(3).noted(EFFECT), |row| {
        let change = row.compared.change.as_ref()?;
        Some(change.effect.name())
    })
    .column(left("conclusion"), |row| {
        let tone = tone(row.compared.conclusion);
        let text = words::conclusion(document, &row.compared);
        Some(Cell::Judged(tone, text))
    })
    .table()
}

fn row_name(names: &RowDocument) -> Text {
    match &names.other_row {
        Some(other) => text!("{} | {}", row(&names.row), row(other)),
        None => row(&names.row),
    }
}

pub(crate) fn median(side: &RowSideDocument, unit: BandwidthUnit) -> Option<Cell> {
    if let Some(nanos) = side
        .access_ns
        .filter(|_| unit != BandwidthUnit::IosPerSecond)
    {
        return Some(Cell::Name(number::nanos(nanos).to_string()));
    }
    let rates = side.per_second.as_ref()?;
    Some(Cell::rate(rates.median / unit.bytes()))
}

/// A figure of several trials.
fn trials(
    side: &RowSideDocument,
    unit: BandwidthUnit,
    pick: fn(&RateFigures) -> f64,
) -> Option<Cell> {
    let rates = side.per_second.as_ref()?;
    let is_shown = rates.trials.len() > 1 && side.access_ns.is_none();
    is_shown.then(|| Cell::rate(pick(rates) / unit.bytes()))
}

/// Without its sign, which is the column's title.
fn spread(side: &RowSideDocument, unit: BandwidthUnit) -> Option<String> {
    let spread = side.per_second.as_ref()?.spread(unit.bytes())?;
    Some(spread.trim_start_matches("± ").to_owned())
}

const fn tone(conclusion: Conclusion) -> Tone {
    match conclusion {
        Conclusion::Faster => Tone::Good,
        Conclusion::Slower => Tone::Bad,
        Conclusion::TooFewTrials | Conclusion::CannotBeCompared => Tone::Doubtful,
        Conclusion::Same | Conclusion::NoDifferenceShown => Tone::None,
    }
}
