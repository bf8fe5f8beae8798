//! A check, `sokudo.check/1`: the same measurement as a baseline's, made again, and what
//! has become of every row since.
//!
//! It tests nothing: what was concluded of every row comes to it with the comparison. It
//! says it the way somebody asks who wants to know whether a disk has become slower.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Change, Compared, Conclusion, PartDifference};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::comparison::table::median;
use crate::comparison::{
    ComparisonDocument, OtherDocument, RowDocument, SideDocument, runs_differ, sides_of,
};
use crate::date;
use crate::forms::Forms;
use crate::grouping::notes_of_rows;
use crate::number::{percent, range_text};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, Tone, left, right};
use crate::wording::{self, phrase};

mod fleet;
mod monitoring;

pub use fleet::{BaselineCheck, ChecksDocument, gravest_code};

const SCHEMA: &str = "sokudo.check/1";

/// Whoever finds no change where half the speed may be lost has found nothing.
const RATIO_LOW_MIN: f64 = 0.5;

/// A check as JSON: `sokudo.check/1`. Missing figures are null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.check/1")]
pub struct CheckDocument {
    /// Name and version of this format: `sokudo.check/1`.
    #[schemars(extend("const" = "sokudo.check/1"))]
    pub schema: String,
    /// What it comes to.
    pub outcome: CheckOutcome,
    /// The same in one sentence.
    pub sentence: String,
    /// The run it is compared with; null where that is no run of a store.
    pub baseline_run: Option<u64>,
    /// The run that was made for it; null where it could not be kept.
    pub run: Option<u64>,
    /// What every row came to, in the order of the comparison's rows.
    pub rows: Vec<CheckedRow>,
    /// What makes either run a doubtful witness, such as other I/O meanwhile.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "Vec<String>")]
    pub doubts: Vec<Text>,
    /// The comparison in full: figures, trials, what has changed since.
    pub comparison: ComparisonDocument,
}

/// What has become of a row, and what a check comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Of a check alone: I/O failed while it was measured, whatever its rows are.
    Failed,
    /// It is slower; of a check: a row is, whatever the others are.
    Slower,
    /// It is faster; of a check: a row is, none is slower, and all were judged.
    Faster,
    /// Any change is smaller than what matters: the whole interval is; of a check: that of
    /// every row.
    Unchanged,
    /// No change was shown, but the interval leaves room for one that matters.
    NoChangeShown,
    /// It was not judged, because it cannot be (why is in the comparison), because the
    /// interval leaves room for a loss of half the speed, or because something else than the
    /// device disturbed it (why is in the doubts); of a check: a row of the baseline was not, and
    /// none is slower.
    NotJudged,
}

/// One row of both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedRow {
    /// Its name and direction.
    pub row: String,
    /// What has become of it.
    pub outcome: CheckOutcome,
    /// The same in words, such as `slower by 9.0 % (8.8 to 9.2 %)`.
    pub words: String,
    /// Something else than the device disturbed it in the later run, as the doubts say, so
    /// that it was not judged.
    pub disturbed: bool,
}

impl CheckedRow {
    fn is_open(&self) -> bool {
        self.outcome == CheckOutcome::NotJudged
    }
}

impl CheckDocument {
    /// What a comparison of a baseline (its reference) with one later run comes to.
    /// `runs` are the numbers of both in the store, `doubts` whole sentences, and
    /// `disturbed` the rows of the later run that are no witnesses because of these.
    pub fn new(
        comparison: ComparisonDocument,
        runs: [Option<u64>; 2],
        doubts: Vec<Text>,
        disturbed: &[String],
    ) -> Self {
        let [baseline_run, run] = runs;
        let rows: Vec<CheckedRow> = comparison
            .rows()
            .map(|row| {
                let disturbed = disturbed.contains(row.other_row.as_ref().unwrap_or(&row.row));
                let outcome = match disturbed {
                    true => CheckOutcome::NotJudged,
                    false => outcome_of(&row.compared),
                };
                CheckedRow {
                    row: row.row.clone(),
                    outcome,
                    words: words(outcome, disturbed, &row.compared).english(),
                    disturbed,
                }
            })
            .collect();
        let mut document = Self {
            schema: SCHEMA.to_owned(),
            outcome: CheckOutcome::NotJudged,
            sentence: String::new(),
            baseline_run,
            run,
            rows,
            doubts,
            comparison,
        };
        let lacks_rows = rows_not_measured(&document.comparison) > 0;
        document.outcome = overall(&document.deciding(), lacks_rows);
        document.sentence = document.sentence_text().english();
        document
    }

    /// The same where this failed meanwhile, which is the first doubt.
    #[must_use]
    pub fn failed_by(mut self, failure: Text) -> Self {
        self.outcome = CheckOutcome::Failed;
        self.doubts.insert(0, failure);
        self.sentence = self.sentence_text().english();
        self
    }

    /// The rows that decide what it comes to.
    fn deciding(&self) -> Vec<(&RowDocument, &CheckedRow)> {
        let rows = self.comparison.rows().zip(&self.rows);
        rows.filter(|(row, _)| self.comparison.decides(row))
            .collect()
    }

    /// What the outcome comes to, in one sentence.
    fn sentence_text(&self) -> Text {
        let mut rows = self.rows.iter();
        let is_disturbed = rows.clone().all(CheckedRow::is_open) && rows.any(|row| row.disturbed);
        match self.outcome {
            CheckOutcome::Failed => {
                text!("FAILED: {}", Text::list(self.doubts.first().cloned(), ""))
            }
            CheckOutcome::NotJudged if is_disturbed => disturbed_sentence(&self.comparison),
            outcome => sentence(outcome, &self.deciding(), &self.comparison),
        }
    }

    fn table(&self, other: &OtherDocument, unit: BandwidthUnit) -> Table {
        let rows: Vec<(&RowDocument, &CheckedRow)> = other.rows.iter().zip(&self.rows).collect();
        Table::of(&rows)
            .column(left("row"), |(row, _)| Some(wording::row(&row.row)))
            .column(right(text!("then {}", unit.name())), |(row, _)| {
                median(&row.reference, unit)
            })
            .column(right(text!("now {}", unit.name())), |(row, _)| {
                median(&row.other, unit)
            })
            .column(left("since then"), |(row, checked)| {
                let tone = match checked.outcome {
                    CheckOutcome::Failed | CheckOutcome::Slower => Tone::Bad,
                    CheckOutcome::Faster => Tone::Good,
                    CheckOutcome::NotJudged => Tone::Doubtful,
                    CheckOutcome::Unchanged | CheckOutcome::NoChangeShown => Tone::None,
                };
                let words = words(checked.outcome, checked.disturbed, &row.compared);
                Some(Cell::Judged(tone, words))
            })
            .table()
    }

    /// Why rows were not judged, and what makes others uncertain, each once.
    fn reasons(&self, other: &OtherDocument) -> Vec<Text> {
        let checked = other.rows.iter().zip(&self.rows);
        let row_notes = checked.flat_map(|(row, checked)| {
            // What is said of an unchanged row is in its words.
            let is_open = checked.is_open() && !checked.disturbed;
            let reason = row.compared.reason.iter().filter(move |_| is_open);
            let texts = reason.chain(&row.compared.warnings);
            texts.map(|text| (&*row.row, text.clone()))
        });
        let mut notes = notes_of_rows(row_notes, other.rows.len());
        let names_sides = |text: &str| text.contains("A ") || text.contains("B ");
        if notes.iter().any(|note| names_sides(&note.english())) {
            notes.push("A is the baseline, B this run.".into());
        }
        if !other.only_in_reference.is_empty() {
            let rows = wording::rows(&other.only_in_reference);
            notes.push(text!("Only the baseline has {rows}."));
        }
        if !other.only_in_other.is_empty() {
            let rows = wording::rows(&other.only_in_other);
            notes.push(text!("Only this run has {rows}."));
        }
        notes
    }
}

impl Forms for CheckDocument {
    fn article(&self, unit: BandwidthUnit) -> Article<'_> {
        let mut article = Article::default();
        let tone = match self.outcome {
            CheckOutcome::Failed | CheckOutcome::Slower => Tone::Bad,
            CheckOutcome::Faster | CheckOutcome::Unchanged => Tone::Good,
            CheckOutcome::NoChangeShown | CheckOutcome::NotJudged => Tone::Doubtful,
        };
        article.add(Element::Answer(tone, self.sentence_text()));
        let doubts = self.doubts.iter();
        let doubts = doubts.map(|doubt| ("warning".into(), doubt.clone().into()));
        article.add(Element::Facts(doubts.collect()));
        for other in &self.comparison.others {
            let (then, now) = (&self.comparison.reference, &other.side);
            article.add(Element::Facts(vec![run("then", then), run("now", now)]));
            if !other.rows.is_empty() {
                article.add(Element::Table(self.table(other, unit)));
            }
            article.notes(self.reasons(other));
            since(&mut article, other);
        }
        if !self.rows.iter().all(CheckedRow::is_open) {
            article.paragraph(legend(&self.comparison, unit));
            if let Some(differ) = runs_differ(&self.comparison) {
                article.paragraph(differ);
            }
        }
        if let (Some(baseline), Some(run)) = (self.baseline_run, self.run) {
            article.paragraph(text!(
                "Both runs: sokudo show {baseline}, sokudo show {run}"
            ));
        }
        article.add(Element::StoredCommand(&self.comparison.command));
        article
    }
}

/// Which run is compared, and of when it is.
fn run(label: &'static str, side: &SideDocument) -> (Text, Cell) {
    let text = text!(
        "{} ({}, {}, {})",
        wording::source(&side.source),
        side.target,
        side.method,
        phrase(&date::for_people(&side.started_at))
    );
    (label.into(), text.into())
}

fn outcome_of(compared: &Compared) -> CheckOutcome {
    match compared.conclusion {
        Conclusion::Slower => CheckOutcome::Slower,
        Conclusion::Faster => CheckOutcome::Faster,
        Conclusion::Same => CheckOutcome::Unchanged,
        Conclusion::TooFewTrials | Conclusion::CannotBeCompared => CheckOutcome::NotJudged,
        Conclusion::NoDifferenceShown => {
            let interval = compared.change.and_then(|change| change.ratio_interval_95);
            match interval {
                Some(it) if it.low >= RATIO_LOW_MIN => CheckOutcome::NoChangeShown,
                _ => CheckOutcome::NotJudged,
            }
        }
    }
}

/// Rows of the baseline that the later run does not have.
fn rows_not_measured(comparison: &ComparisonDocument) -> usize {
    let others = comparison.others.iter();
    others.map(|it| it.only_in_reference.len()).sum()
}

/// A row that was not judged may be slower, so that all others together are not well.
fn overall(rows: &[(&RowDocument, &CheckedRow)], lacks_rows: bool) -> CheckOutcome {
    let gravest_first = [
        CheckOutcome::Slower,
        CheckOutcome::NotJudged,
        CheckOutcome::Faster,
        CheckOutcome::NoChangeShown,
        CheckOutcome::Unchanged,
    ];
    let has = |outcome: &CheckOutcome| {
        let is_lacking = lacks_rows && *outcome == CheckOutcome::NotJudged;
        is_lacking || rows.iter().any(|(_, row)| row.outcome == *outcome)
    };
    let gravest = gravest_first.into_iter().find(has);
    gravest.unwrap_or(CheckOutcome::NotJudged)
}

/// `slower by 9.0 % (8.8 to 9.2 %)`, `unchanged (-0.4 to +0.3 %)`.
fn words(outcome: CheckOutcome, disturbed: bool, compared: &Compared) -> Text {
    if disturbed {
        return "not judged: disturbed".into();
    }
    let Some(change) = &compared.change else {
        return "not judged".into();
    };
    match outcome {
        CheckOutcome::Slower => text!("slower by {}", by(change, |ratio| 1.0 - ratio)),
        CheckOutcome::Faster => text!("faster by {}", by(change, |ratio| ratio - 1.0)),
        CheckOutcome::Unchanged => text!("{}{}", Text::from("unchanged"), signed_interval(change)),
        CheckOutcome::NoChangeShown => text!("no change shown{}", signed_interval(change)),
        CheckOutcome::NotJudged if compared.conclusion == Conclusion::NoDifferenceShown => {
            text!("too unsteady to judge{}", signed_interval(change))
        }
        CheckOutcome::NotJudged | CheckOutcome::Failed => "not judged".into(),
    }
}

/// `9.0 % (8.8 to 9.2 %)`.
fn by(change: &Change, share: impl Fn(f64) -> f64) -> Text {
    let amount = percent(share(change.ratio));
    match change.ratio_interval_95 {
        None => Text::name(amount),
        Some(interval) => {
            let mut ends = [interval.low, interval.high].map(share);
            ends.sort_by(f64::total_cmp);
            text!("{amount} ({})", range_text(ends.map(percent)))
        }
    }
}

fn signed_interval(change: &Change) -> Text {
    let Some(interval) = change.ratio_interval_95 else {
        return Text::default();
    };
    let ends = [interval.low, interval.high].map(|ratio| {
        let text = percent(ratio - 1.0);
        match text.starts_with('-') || text.starts_with("0.0") {
            true => text,
            false => format!("+{text}"),
        }
    });
    text!(" ({})", range_text(ends))
}

/// What it comes to, for somebody who reads one line.
fn sentence(
    outcome: CheckOutcome,
    rows: &[(&RowDocument, &CheckedRow)],
    comparison: &ComparisonDocument,
) -> Text {
    let than = wording::source(&comparison.reference.source);
    let least = comparison.difference_min_text();
    let of = |outcome| rows.iter().filter(move |(_, row)| row.outcome == outcome);
    let count = |outcome| of(outcome).count();
    let judged = rows.len() - count(CheckOutcome::NotJudged);
    let open = match count(CheckOutcome::NotJudged) {
        0 => Text::default(),
        1 => text!(" {}", Text::from("1 row could not be judged.")),
        open => text!(" {}", text!("{open} rows could not be judged.")),
    };
    let of_caches = match comparison.rows().count() - rows.len() {
        0 => Text::default(),
        1 => text!(" {}", Text::from("1 row of a cache does not count.")),
        of_caches => text!(" {}", text!("{of_caches} rows of caches do not count.")),
    };
    let open = text!("{open}{of_caches}");
    match outcome {
        CheckOutcome::Slower => {
            let slower = count(CheckOutcome::Slower);
            let worst = worst(rows);
            let what = match slower {
                1 => text!("SLOWER: 1 of {judged} rows is slower than in {than}"),
                _ => text!("SLOWER: {slower} of {judged} rows are slower than in {than}"),
            };
            match worst {
                Some((row, by)) => text!("{what}, most of all {row}: by {by}.{open}"),
                None => text!("{what}.{open}"),
            }
        }
        CheckOutcome::Faster => {
            let faster = count(CheckOutcome::Faster);
            let what = match faster {
                1 => text!("FASTER: 1 of {judged} rows is faster than in {than}"),
                _ => text!("FASTER: {faster} of {judged} rows are faster than in {than}"),
            };
            text!("{what}, and none was shown to be slower.{open}")
        }
        CheckOutcome::Unchanged => {
            text!("UNCHANGED: no row differs by {least} or more from {than}.{open}")
        }
        CheckOutcome::NoChangeShown => text!(
            "NO CHANGE SHOWN: no row was shown to differ by {least} or more from {than}, but some \
             vary too much to exclude it.{open}"
        ),
        CheckOutcome::NotJudged if judged > 0 => {
            let all = rows.len() + rows_not_measured(comparison);
            let why = why_not_judged(rows, all > rows.len());
            text!(
                "NOT JUDGED: {} of {all} rows ({why}), so a slower row may go unnoticed; none of the others was shown to be slower.{of_caches}",
                all - judged
            )
        }
        CheckOutcome::NotJudged | CheckOutcome::Failed => text!(
            "NOT JUDGED: no row could be compared with {than}, so a slower row may go unnoticed."
        ),
    }
}

/// Why rows were not judged, each reason once.
fn why_not_judged(rows: &[(&RowDocument, &CheckedRow)], lacks_rows: bool) -> Text {
    let open = rows.iter().filter(|(_, row)| row.is_open());
    let reasons = open.map(|(row, checked)| match row.compared.conclusion {
        _ if checked.disturbed => "disturbed",
        Conclusion::TooFewTrials => "too few trials",
        Conclusion::CannotBeCompared => "cannot be compared",
        _ => "too unsteady",
    });
    let reasons: BTreeSet<&str> = reasons
        .chain(lacks_rows.then_some("not measured"))
        .collect();
    Text::list(reasons.into_iter().map(Text::from), ", ")
}

/// What is said of a run that was disturbed: what made it slower may not be the device.
fn disturbed_sentence(comparison: &ComparisonDocument) -> Text {
    text!(
        "NOT JUDGED: something other than the device disturbed this run, so it cannot be compared with {}; measure again on an idle machine (--wait-idle), or judge it anyway (--anyway).",
        wording::source(&comparison.reference.source)
    )
}

/// The row that has lost most of those that decide, with how much.
fn worst(rows: &[(&RowDocument, &CheckedRow)]) -> Option<(Text, Text)> {
    let slower = rows.iter();
    let slower = slower.filter(|(_, checked)| checked.outcome == CheckOutcome::Slower);
    let slower = slower.filter_map(|(row, _)| Some((row, row.compared.change?)));
    let (row, change) = slower.min_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio))?;
    Some((wording::row(&row.row), by(&change, |ratio| 1.0 - ratio)))
}

/// A paragraph with the parts of the system that differ from those of the baseline.
fn since(article: &mut Article<'_>, other: &OtherDocument) {
    if other.differs.is_empty() {
        return article.paragraph("Nothing else is known to have changed since then: kernel, mount options, firmware and so on are the same.");
    }
    let line = |part: &PartDifference| {
        let [then, now] = sides_of(part);
        text!("{}: {then} → {now}", phrase(&part.name))
    };
    let lines = other.differs.iter().map(line).collect();
    article.marked("What else has changed since then:", "  ", lines);
}

fn legend(comparison: &ComparisonDocument, unit: BandwidthUnit) -> Text {
    text!(
        "{}: medians of the trials. In brackets the 95 % interval of the change. Slower and faster: by more than {}, with at most 5 % false alarms over all rows. Unchanged: the whole interval lies within that.",
        unit.name(),
        comparison.difference_min_text()
    )
}

#[cfg(test)]
mod tests;
