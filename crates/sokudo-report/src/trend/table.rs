//! Rows over time for people: one line for each row, or its levels.

use std::collections::BTreeMap;

use sokudo_words::{Text, text};

use super::{LevelChange, LevelDocument, SeriesDocument, TrendDocument};
use crate::article::{Article, Element};
use crate::comparison::{interval_text, sides_of};
use crate::date::to_the_minute;
use crate::forms::Forms;
use crate::grouping::notes_of_rows;
use crate::number::{self, change_text, percent};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Skin, Table, left, point, point_with_room, right};
use crate::wording::{device, phrase, row};

impl Forms for TrendDocument {
    /// The levels of one row, or a line for each of several; on paper also their levels.
    fn article(&self, requested: BandwidthUnit) -> Article<'_> {
        let unit = self.unit(requested);
        let title = text!(
            "sokudo {} · trend · {}",
            self.sokudo_version,
            device(&self.device, &self.device_name)
        );
        let mut article = Article::default();
        article.add(Element::Title(Cell::Text(title)));
        match &self.series[..] {
            [only] => {
                let course = vec![(row(&only.row), course(only))];
                article.add(Element::Facts(course));
                article.add(Element::Table(levels(only, unit)));
                for (level, change) in only.changes() {
                    article.paragraph(what_changed(level, change));
                }
                if only.changes().next().is_none() {
                    article.paragraph(steady(only));
                }
            }
            several => {
                article.add(Element::Table(overview(several, unit)));
                for series in several {
                    article.add_on(Skin::Paper, Element::Heading(row(&series.row)));
                    article.add_on(Skin::Paper, Element::Table(levels(series, unit)));
                }
                article.notes(changes(several));
                article.notes(short(several));
            }
        }
        let left_out = self.series.iter().flat_map(|series| {
            let name = (self.series.len() > 1).then(|| row(&series.row));
            let texts = left_out(series).into_iter();
            texts.map(move |text| (name.clone().unwrap_or_default(), text))
        });
        article.add(Element::OfRows(left_out.collect()));
        article.paragraph(self.left_out().unwrap_or_default());
        article.paragraph(legend(self, unit));
        article.add(Element::StoredCommand(&self.command));
        article
    }
}

fn legend(document: &TrendDocument, unit: BandwidthUnit) -> Text {
    text!(
        "{}: median of the runs of a level, ± its 95 % interval. A level changes where runs differ \
         by more than their noise (5 % false alarms in series without a change) and by at least \
         {}.",
        unit.name(),
        percent(document.difference_min)
    )
}

fn levels(series: &SeriesDocument, unit: BandwidthUnit) -> Table {
    Table::of(&series.levels)
        .column(left("from"), |level| Some(to_the_minute(&level.from)))
        .column(left("until"), |level| Some(to_the_minute(&level.until)))
        .column(right("runs"), |level| Some(level.runs.to_string()))
        .column(point(unit.name()), |level| {
            Some(Cell::rate(level.median_per_s / unit.bytes()))
        })
        .column(right("±"), |level| spread(level, unit))
        .column(right("change"), |level| {
            Some(change_text(level.change.as_ref()?.ratio))
        })
        .column(right("95 % interval"), |level| {
            let change = level.change.as_ref()?;
            Some(interval_text(change.ratio, change.ratio_interval_95?))
        })
        .table()
}

/// What is said where nothing changes.
fn steady(series: &SeriesDocument) -> Text {
    let runs = series.points.len();
    match series.is_long_enough() {
        true => text!("No change in {runs} runs."),
        false => text!("{}.", too_few(series)),
    }
}

fn too_few(series: &SeriesDocument) -> Text {
    let needed = series.runs_needed;
    match series.points.len() {
        1 => text!(
            "1 run is too few to show a change, {needed} are needed; sokudo check compares two runs"
        ),
        runs => text!(
            "{runs} runs are too few to show a change, {needed} are needed; sokudo check compares \
             two runs"
        ),
    }
}

/// What of the surroundings differs at a change.
fn what_changed(level: &LevelDocument, change: &LevelChange) -> Text {
    let begin = text!(
        "{}, between runs {} and {}",
        to_the_minute(&level.from),
        change.run_before,
        change.run_after
    );
    let Some(differs) = &change.differs else {
        return text!("{begin}: what changed is not known.");
    };
    if differs.is_empty() {
        return text!("{begin}: nothing that sokudo sees of target, machine or program changed.");
    }
    let parts = differs.iter().map(|part| {
        let [before, after] = sides_of(part);
        text!("{} {before}, then {after}", phrase(&part.name))
    });
    text!("{begin}: {}.", Text::list(parts, "; "))
}

fn overview(all: &[SeriesDocument], unit: BandwidthUnit) -> Table {
    Table::of(all)
        .column(left("row"), |series| Some(row(&series.row)))
        .column(right("runs").rank(3), |series| {
            Some(series.points.len().to_string())
        })
        .column(left("over time"), |series| Some(course(series)))
        .column(point_with_room(text!("level {}", unit.name())), |series| {
            let level = series.levels.last()?;
            Some(Cell::rate(level.median_per_s / unit.bytes()))
        })
        .column(right("±").rank(4), |series| {
            spread(series.levels.last()?, unit)
        })
        .column(
            point_with_room(text!("last {}", unit.name())).rank(1),
            |series| Some(Cell::rate(series.points.last()?.per_second / unit.bytes())),
        )
        .column(right("changes").rank(2), |series| {
            let is_long_enough = series.is_long_enough();
            is_long_enough.then(|| series.changes().count().to_string())
        })
        .column(left("last change"), |series| {
            let (level, change) = series.changes().last()?;
            let day = to_the_minute(&level.from);
            Some(text!("{} on {day}", change_text(change.ratio)))
        })
        .table()
}

/// What of the surroundings differs at the changes of several rows, each once.
fn changes(all: &[SeriesDocument]) -> Vec<Text> {
    let changes = all.iter().flat_map(SeriesDocument::changes);
    let texts = changes.map(|(level, change)| what_changed(level, change));
    let texts: BTreeMap<String, Text> = texts.map(|text| (text.english(), text)).collect();
    texts.into_values().collect()
}

/// Rows with so few runs that nothing can be said of them, those of one number together.
fn short(all: &[SeriesDocument]) -> Vec<Text> {
    let short = all.iter().filter(|series| !series.is_long_enough());
    notes_of_rows(short.map(|it| (&*it.row, too_few(it))), all.len())
}

fn left_out(series: &SeriesDocument) -> Vec<Text> {
    let others = match series.runs_of_other_loads {
        0 => None,
        1 => Some("1 run of another load is left out; it is not comparable.".into()),
        runs => Some(text!(
            "{runs} runs of other loads are left out; they are not comparable."
        )),
    };
    let without = match series.runs_without_figure {
        0 => None,
        1 => Some(
            "1 run is left out that is INVALID, has no figure, or was made at an unknown time."
                .into(),
        ),
        runs => Some(text!(
            "{runs} runs are left out that are INVALID, have no figure, or were made at an unknown time."
        )),
    };
    others.into_iter().chain(without).collect()
}

/// Without its sign, which is the column's title.
fn spread(level: &LevelDocument, unit: BandwidthUnit) -> Option<String> {
    let interval = level.interval_95?;
    let ends = [interval.low, interval.high].map(|it| it / unit.bytes());
    let spread = number::spread(level.median_per_s / unit.bytes(), ends)?;
    Some(spread.trim_start_matches("± ").to_owned())
}

fn course(series: &SeriesDocument) -> Cell {
    let rates = series.points.iter().map(|point| point.per_second);
    Cell::Course(rates.collect())
}
