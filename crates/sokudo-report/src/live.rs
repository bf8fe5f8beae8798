//! What a run has come to, as data in a language: the tables, findings and answer that people
//! read on a terminal, for a page that shows them while it is measured.

use serde::Serialize;
use sokudo_words::{Language, Text};

use crate::article::{Article, Element};
use crate::check::CheckDocument;
use crate::comparison::{self, ComparisonDocument};
use crate::document::RunDocument;
use crate::explain;
use crate::grouping::{FindingGroup, grouped_findings};
use crate::matrix::{self, MatrixDocument};
use crate::run::{self, RunVerdict};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Column, Table, Tone};

/// What the tables of a page have.
const MEGABYTES: BandwidthUnit = BandwidthUnit::MegabytesPerSecond;

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LiveRun {
    /// The tables that the command prints, in its order.
    pub tables: Vec<LiveTable>,
    /// What they say, as labels and sentences: where the knee of a load is, how each point of an
    /// assessment stands.
    pub facts: Vec<LiveFact>,
    /// What stands below them.
    pub notes: Vec<String>,
    /// What was found, the gravest first.
    pub findings: Vec<LiveFinding>,
    /// How good the figures are; `None` where nothing has been judged.
    pub answer: Option<LiveAnswer>,
    /// How many hosts measured together; 0 where one process measured alone.
    pub hosts: usize,
}

/// A sentence under its label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveFact {
    /// What it is about.
    pub label: String,
    /// `none`, `good`, `doubtful` or `bad`.
    pub tone: &'static str,
    /// The sentence.
    pub text: String,
}

/// A table as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveTable {
    /// Empty for none.
    pub title: String,
    /// What must be known to read it; empty for nothing.
    pub note: String,
    /// Headings.
    pub columns: Vec<LiveColumn>,
    /// A cell for each column.
    pub rows: Vec<Vec<LiveCell>>,
}

/// The heading of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveColumn {
    /// Heading over neighbouring columns of one group; empty for none.
    pub group: &'static str,
    /// Its own heading.
    pub title: String,
    /// `left`, or `right` for numbers.
    pub align: &'static str,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveCell {
    /// As it is said.
    pub text: String,
    /// `none`, `good`, `doubtful` or `bad`.
    pub tone: &'static str,
    /// A part of the largest that it is compared with, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveFinding {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The same in the language.
    pub label: String,
    /// What was seen.
    pub symptom: String,
    /// Why that is so, most likely.
    pub cause: String,
    /// What to do.
    pub remedy: String,
    /// Of which rows; empty where it concerns the run.
    pub rows: String,
}

/// A sentence that answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveAnswer {
    /// `none`, `good`, `doubtful` or `bad`.
    pub tone: &'static str,
    /// The sentence.
    pub text: String,
}

impl LiveRun {
    /// Of a run that may still be measured.
    pub fn of(document: &RunDocument, language: Language) -> Self {
        let mut article = Article::default();
        run::add_answer(&mut article, document);
        article.append(run::brief_figures(document, MEGABYTES));
        let mut live = Self {
            answer: RunVerdict::of(document)
                .goodness
                .map(|(tone, text)| answer(tone, &text, language)),
            findings: Self::findings_of(document, language),
            hosts: document.hosts.len(),
            ..Self::default()
        };
        for (_, element) in &article.0 {
            live.add(element, language);
        }
        live
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
        let sentences: Vec<String> = sentences.iter().map(|it| it.said(language)).collect();
        for (_, element) in &comparison::table::article(comparison, MEGABYTES).0 {
            match element {
                Element::Facts(sides) => live.notes.extend(sides.iter().map(|(letter, side)| {
                    format!("{}: {}", letter.said(language), side.said(language, false))
                })),
                element => live.add(element, language),
            }
        }
        // What it comes to stands above all, not at the end as on a terminal.
        live.notes.retain(|note| !sentences.contains(note));
        live.answer = (!sentences.is_empty()).then(|| LiveAnswer {
            tone: name(Tone::None),
            text: sentences.join(" "),
        });
        live
    }

    /// Of a matrix that may still be measured.
    pub fn of_matrix(matrix: &MatrixDocument, language: Language) -> Self {
        let mut live = Self::default();
        for (_, element) in &matrix::table::article(matrix, MEGABYTES).0 {
            match element {
                Element::Title(_) => {}
                Element::Answer(tone, text) => live.answer = Some(answer(*tone, text, language)),
                element => live.add(element, language),
            }
        }
        live
    }

    fn findings_of(document: &RunDocument, language: Language) -> Vec<LiveFinding> {
        let groups = grouped_findings(document);
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
            Element::Answer(tone, text) => self.answer = Some(answer(*tone, text, language)),
            Element::Paragraph(text) => self.note(text, language),
            Element::Notes { items, .. } if items.is_empty() => {}
            Element::Notes { title, items, .. } => {
                self.note(title, language);
                items.iter().for_each(|item| self.note(item, language));
            }
            Element::OfRows(rows) => {
                for (row, said) in rows {
                    let [row, said] = [row, said].map(|text| text.said(language));
                    self.notes.push(format!("{row}: {said}"));
                }
            }
            Element::Facts(facts) => {
                self.facts
                    .extend(facts.iter().map(|(label, fact)| LiveFact {
                        label: label.said(language),
                        tone: tone(fact),
                        text: fact.said(language, false).into_owned(),
                    }));
            }
            Element::Title(_)
            | Element::Heading(_)
            | Element::Curve(_)
            | Element::Findings(_)
            | Element::Commands(..)
            | Element::Repeat(_) => {}
        }
    }

    fn note(&mut self, text: &Text, language: Language) {
        if !text.is_empty() {
            self.notes.push(text.said(language));
        }
    }
}

impl LiveTable {
    fn of(table: &Table, language: Language) -> Self {
        let columns: Vec<&Column> = table.on_paper().collect();
        let row = |row: usize| {
            let cells = columns.iter().map(|column| &column.cells[row]);
            cells.map(|cell| LiveCell::of(cell, language)).collect()
        };
        Self {
            title: table.title.said(language),
            note: table.note.said(language),
            rows: (0..table.len()).map(row).collect(),
            columns: columns
                .iter()
                .map(|column| LiveColumn {
                    group: match column.head.group {
                        "" => "",
                        group => language.word(group),
                    },
                    title: column.head.title.said(language),
                    align: match column.head.is_number() {
                        true => "right",
                        false => "left",
                    },
                })
                .collect(),
        }
    }
}

impl LiveCell {
    fn of(cell: &Cell, language: Language) -> Self {
        Self {
            text: cell.said(language, false).into_owned(),
            tone: tone(cell),
            share: match cell {
                Cell::Figure { share, .. } | Cell::Bar(share) if share.is_finite() => {
                    Some(share.clamp(0.0, 1.0))
                }
                _ => None,
            },
        }
    }
}

fn tone(cell: &Cell) -> &'static str {
    match cell {
        Cell::Judged(tone, _) => name(*tone),
        _ => name(Tone::None),
    }
}

impl LiveFinding {
    fn of(group: &FindingGroup<'_>, language: Language) -> Self {
        Self {
            severity: group.label(),
            label: language.word(group.label()).to_owned(),
            symptom: group.summary.said(language),
            cause: group.cause.said(language),
            remedy: group.remedy.said(language),
            rows: group.rows.said(language),
        }
    }
}

fn answer(tone: Tone, text: &Text, language: Language) -> LiveAnswer {
    LiveAnswer {
        tone: name(tone),
        text: text.said(language),
    }
}

const fn name(tone: Tone) -> &'static str {
    match tone {
        Tone::None => "none",
        Tone::Good => "good",
        Tone::Doubtful => "doubtful",
        Tone::Bad => "bad",
    }
}
