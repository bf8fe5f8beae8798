//! A table for people: columns with what stands in them, not yet laid out.
//!
//! It is made once for each kind of document. The terminal (`text`), Markdown and HTML write it,
//! each in its way; none of them knows what it is about.

mod drawn;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Nanos, RunAnswer, Verdict};
use sokudo_words::{Language, Text};

use crate::number::{self, MISSING};

/// Where the cells of a column line up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
    /// At the decimal point, so that magnitudes can be compared by eye.
    Point,
    /// At the decimal point, until columns have to give way: at the end takes less room.
    PointWithRoom,
}

/// Where something is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Skin {
    #[default]
    Both,
    Terminal,
    /// Markdown and HTML, which have no width.
    Paper,
}

/// What a colour repeats that a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    None,
    Good,
    Doubtful,
    Bad,
}

impl Tone {
    pub const fn of(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::Verified) => Self::Good,
            Some(Verdict::Unverified) => Self::Doubtful,
            Some(Verdict::Invalid) => Self::Bad,
            None => Self::None,
        }
    }

    /// How good an answer is.
    pub const fn of_answer(answer: RunAnswer) -> Self {
        match answer {
            RunAnswer::Ok | RunAnswer::OkSoFar | RunAnswer::FastEnough => Self::Good,
            RunAnswer::OkBut | RunAnswer::CannotSay => Self::Doubtful,
            RunAnswer::NotOk | RunAnswer::TooSlow => Self::Bad,
        }
    }
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Sokudo's own words, which are translated.
    Text(Text),
    /// What somebody has called something, or a figure: the same in all languages.
    Name(String),
    /// Words in the colour of a judgement.
    Judged(Tone, Text),
    /// A figure with its share of the largest that it is compared with.
    Figure {
        text: String,
        /// What is to be known of it, in signs.
        signs: String,
        share: f64,
    },
    /// A share as a length.
    Bar(f64),
    /// Figures as heights, in order of time.
    Course(Vec<f64>),
    /// The number of a run of the same report.
    Run(usize),
    /// How many rows have which verdict.
    Verdicts(Vec<(Option<Verdict>, usize)>),
}

impl Cell {
    /// A rate with as many digits as it deserves.
    pub fn rate(value: f64) -> Self {
        Self::Name(number::rate(value))
    }

    /// A time; `None` where it is not known.
    pub fn time(nanos: Option<u64>) -> Option<Self> {
        nanos.map(|nanos| Self::Name(Nanos(nanos).to_string()))
    }

    pub fn missing() -> Self {
        Self::Name(MISSING.to_owned())
    }

    /// As text in a language.
    pub fn in_language(&self, language: Language, ascii: bool) -> Cow<'_, str> {
        Cow::Owned(match self {
            Self::Text(text) | Self::Judged(_, text) => text.in_language(language),
            Self::Name(text) => return Cow::Borrowed(text),
            Self::Figure { text, signs, .. } => format!("{text} {signs}").trim_end().to_owned(),
            Self::Bar(share) => drawn::bar(*share, ascii),
            Self::Course(values) => drawn::course(values, ascii),
            Self::Run(number) => number.to_string(),
            Self::Verdicts(counts) => {
                let count = |(verdict, count): &(Option<Verdict>, usize)| {
                    format!("{count} {}", language.word(verdict_name(*verdict)))
                };
                counts.iter().map(count).collect::<Vec<_>>().join(", ")
            }
        })
    }
}

/// Name of a verdict.
pub(crate) const fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(verdict) => verdict.name(),
        None => "not judged",
    }
}

impl From<Text> for Cell {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}

impl From<&'static str> for Cell {
    fn from(words: &'static str) -> Self {
        Self::Text(words.into())
    }
}

/// A name or a figure.
impl From<String> for Cell {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

/// What stands over a column, and how the column is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Heading over neighbouring columns of one group; empty for none.
    pub group: &'static str,
    pub title: Text,
    pub align: Align,
    /// Where there is no room, columns of the highest rank give way first. Those of rank 0
    /// never do.
    pub rank: u8,
    pub on: Skin,
    /// On a terminal it would be wider than what it stands over, which says it, too.
    pub is_quiet: bool,
    /// How wide a cell is at most, and to how much it may be cut where there is no room.
    pub widths: Option<Widths>,
    /// What must be known to read it, said beside the table where the column is shown and has
    /// figures; empty for nothing.
    pub note: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    pub most: usize,
    pub least: usize,
    /// Of a sentence the begin says most; of names of one kind the end differs, too.
    pub is_sentence: bool,
}

fn head(title: impl Into<Text>, align: Align) -> Head {
    Head {
        group: "",
        title: title.into(),
        align,
        rank: 0,
        on: Skin::Both,
        is_quiet: false,
        widths: None,
        note: "",
    }
}

pub fn left(title: impl Into<Text>) -> Head {
    head(title, Align::Left)
}

pub fn right(title: impl Into<Text>) -> Head {
    head(title, Align::Right)
}

pub fn point(title: impl Into<Text>) -> Head {
    head(title, Align::Point)
}

pub(crate) fn point_with_room(title: impl Into<Text>) -> Head {
    head(title, Align::PointWithRoom)
}

impl Head {
    pub const fn under(mut self, group: &'static str) -> Self {
        self.group = group;
        self
    }

    pub const fn rank(mut self, rank: u8) -> Self {
        self.rank = rank;
        self
    }

    pub const fn on(mut self, on: Skin) -> Self {
        self.on = on;
        self
    }

    pub const fn quiet(mut self) -> Self {
        self.is_quiet = true;
        self
    }

    pub const fn at_most(mut self, most: usize, least: usize) -> Self {
        self.widths = Some(Widths {
            most,
            least,
            is_sentence: false,
        });
        self
    }

    /// The same of sentences.
    pub const fn sentence_at_most(mut self, most: usize, least: usize) -> Self {
        self.widths = Some(Widths {
            most,
            least,
            is_sentence: true,
        });
        self
    }

    pub const fn noted(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    pub const fn is_number(&self) -> bool {
        !matches!(self.align, Align::Left)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub head: Head,
    pub cells: Vec<Cell>,
}

impl Column {
    /// What must be known to read its figures, if it has any; empty for nothing.
    pub fn note(&self) -> &'static str {
        let missing = Cell::missing();
        match self.cells.iter().all(|cell| *cell == missing) {
            true => "",
            false => self.head.note,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What stands above it; empty for nothing.
    pub title: Text,
    pub columns: Vec<Column>,
    /// Rows at which something else begins.
    pub turns: Vec<usize>,
    /// Columns that do not fit go on below, behind so many of the first ones; `None` where
    /// columns give way.
    pub repeated: Option<usize>,
    /// What must be known to read it; empty for nothing.
    pub note: Text,
    /// The same on paper alone.
    pub note_on_paper: &'static str,
}

impl Table {
    /// A table with a line per row.
    pub const fn of<R>(rows: &[R]) -> TableBuilder<'_, R> {
        TableBuilder {
            rows,
            columns: Vec::new(),
            turns: Vec::new(),
        }
    }

    pub fn titled(mut self, title: impl Into<Text>) -> Self {
        self.title = title.into();
        self
    }

    pub fn noted(mut self, note: impl Into<Text>) -> Self {
        self.note = note.into();
        self
    }

    /// So that columns that do not fit go on below, behind so many of the first ones.
    pub const fn repeating(mut self, repeated: usize) -> Self {
        self.repeated = Some(repeated);
        self
    }

    /// How many rows there are.
    pub(crate) fn row_count(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// Columns that are shown on paper.
    pub(crate) fn on_paper(&self) -> impl Iterator<Item = &Column> {
        let columns = self.columns.iter();
        columns.filter(|column| column.head.on != Skin::Terminal)
    }

    /// What must be known to read columns that are shown on paper.
    pub(crate) fn column_notes_on_paper(&self) -> impl Iterator<Item = &'static str> {
        self.on_paper()
            .map(Column::note)
            .filter(|note| !note.is_empty())
    }
}

/// A table while its columns are made.
pub struct TableBuilder<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
    turns: Vec<usize>,
}

impl<R> TableBuilder<'_, R> {
    /// A column whose cell is missing where there is `None`.
    pub fn column<C: Into<Cell>>(mut self, head: Head, cell: impl Fn(&R) -> Option<C>) -> Self {
        let cell = |row| cell(row).map_or_else(Cell::missing, Into::into);
        let cells = self.rows.iter().map(cell).collect();
        self.columns.push(Column { head, cells });
        self
    }

    /// The same where it is wanted.
    pub fn column_if<C: Into<Cell>>(
        self,
        is_wanted: bool,
        head: Head,
        cell: impl Fn(&R) -> Option<C>,
    ) -> Self {
        match is_wanted {
            true => self.column(head, cell),
            false => self,
        }
    }

    /// The same where any of its cells is there.
    pub fn column_if_any<C: Into<Cell>>(self, head: Head, cell: impl Fn(&R) -> Option<C>) -> Self {
        let is_any = self.rows.iter().any(|row| cell(row).is_some());
        self.column_if(is_any, head, cell)
    }

    /// With a turn between rows of which this holds.
    pub fn turning(mut self, turns: impl Fn(&R, &R) -> bool) -> Self {
        let pairs = (1..).zip(self.rows.windows(2));
        let pairs = pairs.filter(|(_, pair)| turns(&pair[0], &pair[1]));
        self.turns = pairs.map(|(row, _)| row).collect();
        self
    }

    pub fn table(self) -> Table {
        Table {
            columns: self.columns,
            turns: self.turns,
            ..Table::default()
        }
    }
}
