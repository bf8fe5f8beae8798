//! What a run has come to, as data in a language: the tables, findings and answer that people
//! read on a terminal, for a page that shows them while it is measured.

use serde::Serialize;
use sokudo_words::{Language, Text, WrittenFigure};

use crate::article::Element;
use crate::check::CheckDocument;
use crate::comparison::{self, ComparisonDocument};
use crate::document::RunDocument;
use crate::explain;
use crate::forms::Forms;
use crate::grouping::FindingGroup;
use crate::matrix::MatrixDocument;
use crate::plot;
use crate::run::{self, RunVerdict};
use crate::shortfall::completed_trials;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Column, Table, Tone};
use crate::view::findings;

/// What the tables of a page have.
const MEGABYTES: BandwidthUnit = BandwidthUnit::MegabytesPerSecond;

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LiveRun {
    /// The tables that the command prints, in its order.
    tables: Vec<LiveTable>,
    /// What they say, as labels and sentences: where the knee of a load is, how each point of an
    /// assessment stands.
    facts: Vec<LiveText>,
    /// What stands below them.
    notes: Vec<String>,
    /// What was found, the gravest first.
    findings: Vec<LiveFinding>,
    /// How good the figures are; `None` where nothing has been judged.
    answer: Option<LiveText>,
    /// Trials that each row has, in the order of the plan.
    trials: Vec<usize>,
    /// How many hosts measured together; 0 where one process measured alone.
    hosts: usize,
    /// The kinds of pictures that can be drawn of it; none while it is measured.
    pictures: Vec<&'static str>,
}

/// What stands in a cell or answers something, or a fact under its label.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct LiveText {
    /// What it is about; of an answer the word with which it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// As it is said.
    text: String,
    tone: Tone,
    /// A part of the largest that it is compared with, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
}

/// A table as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct LiveTable {
    /// Heading over the table; empty for none.
    title: String,
    /// What must be known to read it; empty for nothing.
    note: String,
    columns: Vec<LiveColumn>,
    /// A cell for each column.
    rows: Vec<Vec<LiveText>>,
}

/// The heading of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct LiveColumn {
    /// Heading over neighbouring columns of one group; empty for none.
    group: &'static str,
    /// Heading of this column alone, below that of its group.
    title: String,
    /// `left`, or `right` for numbers.
    align: &'static str,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct LiveFinding {
    /// `error`, `warning` or `note`.
    severity: &'static str,
    /// The same in the language.
    label: String,
    symptom: String,
    /// Why that is so, most likely.
    cause: String,
    remedy: String,
    /// The options and commands that it names, by the words that scripts know them by.
    options: Vec<String>,
    /// Of which rows; empty where it concerns the run.
    rows: String,
}

impl LiveRun {
    /// Of a run that may still be measured.
    pub fn of(document: &RunDocument, language: Language) -> Self {
        let (mut article, answered) = run::answered(document);
        article.append(run::brief_figures(document, MEGABYTES));
        let mut live = Self {
            answer: RunVerdict::of(document)
                .goodness
                .map(|(tone, text)| LiveText::answer(tone, text.in_language(language))),
            findings: Self::findings_of(document, language),
            trials: document.results.iter().map(completed_trials).collect(),
            hosts: document.hosts.len(),
            ..Self::default()
        };
        for (_, element) in &article.0 {
            live.add(element, language);
        }
        if let (Some(answer), Some(sentence)) = (answered, &mut live.answer) {
            let word = language.word(answer.name());
            sentence.label = sentence.text.starts_with(word).then(|| word.to_owned());
        }
        live
    }

    /// The same with the pictures that the run has data for.
    #[must_use]
    pub fn with_pictures(self, document: &RunDocument) -> Self {
        let kinds = plot::fitting(document).into_iter();
        Self {
            pictures: kinds.map(|kind| kind.name).collect(),
            ..self
        }
    }

    /// Of a check, with what was found in the run that was made for it.
    pub fn of_check(check: &CheckDocument, run: &RunDocument, language: Language) -> Self {
        let mut live = Self {
            findings: Self::findings_of(run, language),
            ..Self::default()
        };
        check.doubts.iter().for_each(|it| live.note(it, language));
        for (_, element) in &check.article(MEGABYTES).0 {
            match element {
                // They are the doubts, and which runs they are.
                Element::Facts(_) => {}
                element => live.add(element, language),
            }
        }
        live
    }

    /// Of runs beside each other.
    pub fn of_comparison(comparison: &ComparisonDocument, language: Language) -> Self {
        let mut live = Self::default();
        let sentences = comparison::answer(comparison);
        let sentences: Vec<String> = sentences
            .iter()
            .map(|it| it.in_language(language))
            .collect();
        for (_, element) in &comparison.article(MEGABYTES).0 {
            match element {
                Element::Facts(sides) => live.notes.extend(sides.iter().map(|(letter, side)| {
                    format!(
                        "{}: {}",
                        letter.in_language(language),
                        side.in_language(language, false)
                    )
                })),
                element => live.add(element, language),
            }
        }
        // What it comes to stands above all, not at the end as on a terminal.
        live.notes.retain(|note| !sentences.contains(note));
        let answer = (!sentences.is_empty()).then(|| sentences.join(" "));
        live.answer = answer.map(|text| LiveText::answer(Tone::None, text));
        live
    }

    /// Of a matrix that may still be measured.
    pub fn of_matrix(matrix: &MatrixDocument, language: Language) -> Self {
        let mut live = Self::default();
        for (_, element) in &matrix.article(MEGABYTES).0 {
            match element {
                Element::Title(_) => {}
                element => live.add(element, language),
            }
        }
        live
    }

    fn findings_of(document: &RunDocument, language: Language) -> Vec<LiveFinding> {
        let groups = findings(document);
        groups
            .iter()
            .map(|group| LiveFinding::of(group, language))
            .collect()
    }

    fn add(&mut self, element: &Element<'_>, language: Language) {
        match element {
            Element::Table(table) => self.tables.push(LiveTable::of(table, language)),
            Element::Conclusions([]) => self.notes.push(language.word(explain::NOTHING).into()),
            Element::Conclusions(inferences) => {
                self.tables
                    .push(LiveTable::of(&explain::table(inferences), language));
            }
            // The answer to what the command was asked for goes before that of the figures.
            Element::Answer(tone, text) => {
                self.answer = Some(LiveText::answer(*tone, text.in_language(language)));
            }
            Element::Paragraph(text) => self.note(text, language),
            Element::Notes { items, .. } if items.is_empty() => {}
            Element::Notes { title, items, .. } => {
                self.note(title, language);
                items.iter().for_each(|item| self.note(item, language));
            }
            Element::OfRows(rows) => {
                for (row, sentence) in rows {
                    let [row, sentence] = [row, sentence].map(|text| text.in_language(language));
                    self.notes.push(format!("{row}: {sentence}"));
                }
            }
            Element::Facts(facts) => {
                let fact = |(label, fact): &(Text, Cell)| LiveText {
                    label: Some(label.in_language(language)),
                    ..LiveText::of(fact, language)
                };
                self.facts.extend(facts.iter().map(fact));
            }
            Element::Title(_)
            | Element::Heading(_)
            | Element::Curve(_)
            | Element::Findings(_)
            | Element::Commands(..)
            | Element::StoredCommand(_) => {}
        }
    }

    fn note(&mut self, text: &Text, language: Language) {
        if !text.is_empty() {
            self.notes.push(text.in_language(language));
        }
    }
}

impl LiveTable {
    fn of(table: &Table, language: Language) -> Self {
        let columns: Vec<&Column> = table.on_paper().collect();
        let row = |row: usize| {
            let cells = columns.iter().map(|column| &column.cells[row]);
            cells.map(|cell| LiveText::of(cell, language)).collect()
        };
        Self {
            title: table.title.in_language(language),
            note: table.note.in_language(language),
            rows: (0..table.row_count()).map(row).collect(),
            columns: columns
                .iter()
                .map(|column| LiveColumn {
                    group: match column.head.group {
                        "" => "",
                        group => language.word(group),
                    },
                    title: column.head.title.in_language(language),
                    align: match column.head.is_number() {
                        true => "right",
                        false => "left",
                    },
                })
                .collect(),
        }
    }
}

impl LiveText {
    const fn answer(tone: Tone, text: String) -> Self {
        Self {
            label: None,
            tone,
            text,
            share: None,
        }
    }

    fn of(cell: &Cell, language: Language) -> Self {
        let tone = match cell {
            Cell::Judged(tone, _) => *tone,
            _ => Tone::None,
        };
        let share = match cell {
            Cell::Figure { share, .. } | Cell::Bar(share) if share.is_finite() => {
                Some(share.clamp(0.0, 1.0))
            }
            _ => None,
        };
        Self {
            share,
            ..Self::answer(tone, cell.in_language(language, false).into_owned())
        }
    }
}

impl LiveFinding {
    fn of(group: &FindingGroup<'_>, language: Language) -> Self {
        let figures = group.remedy.figures().into_iter();
        let options = figures.filter(|it| it.unit == WrittenFigure::OPTION);
        let options = options.flat_map(|it| it.value.split(' '));
        Self {
            options: options.map(str::to_owned).collect(),
            severity: group.label(),
            label: language.word(group.label()).to_owned(),
            symptom: group.summary.in_language(language),
            cause: group.cause.in_language(language),
            remedy: group.remedy.in_language(language),
            rows: group.rows.in_language(language),
        }
    }
}
