//! Questions as they stand in a file, with the bounds of every value.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Deserialize;
use sokudo_model::{Bytes, FitLimit, FitMetric, Nanos, Rate};
use sokudo_words::{Text, text};
use toml::Spanned;

use crate::fit::plan::limit::Limit;

/// A file of questions is not larger.
pub const QUESTIONS_BYTES_MAX: u64 = 64 << 10;
const QUESTIONS_MAX: usize = 100;
const ROWS_MAX: usize = 32;
const FIGURES_MAX: usize = 16;
const TEXT_CHARACTERS_MAX: usize = 400;
const BLOCK_MAX: u64 = 256 << 20;
/// More than any file system of today holds in a file.
pub(super) const SIZE_MAX: u64 = 1 << 50;
const TIME: RangeInclusive<Nanos> = Nanos::from_millis(10)..=Nanos::from_secs(3_600);

/// Why a file of questions cannot be used, with its line, to be read after its name.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("line {line}: {reason}")]
pub struct ReadQuestionsError {
    line: usize,
    reason: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionsTable {
    #[serde(rename = "question")]
    questions: Vec<Spanned<QuestionTable>>,
}

impl QuestionTable {
    /// Whether it is asked by this name; nobody is to know which letters are large.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let mut names = std::iter::once(&self.name).chain(&self.also);
        names.any(|it| it.0.eq_ignore_ascii_case(name))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionTable {
    pub(super) name: ShortName<24>,
    /// Another name for it.
    also: Option<ShortName<24>>,
    pub(super) asks: Sentence,
    #[serde(default)]
    pub(super) source: Sentence,
    #[serde(default)]
    pub(super) date: Sentence,
    #[serde(default)]
    pub(super) remark: Sentence,
    #[serde(rename = "row")]
    pub(super) rows: Vec<RowTable>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowTable {
    pub(super) name: ShortName<40>,
    pub(super) direction: DirectionWord,
    #[serde(default)]
    pub(super) order: OrderWord,
    pub(super) block: SizeWithin<1, BLOCK_MAX>,
    #[serde(default)]
    pub(super) depth: Count<1_024>,
    #[serde(default)]
    pub(super) jobs: Count<64>,
    /// Size of the test file; `span` is how much of it is used.
    pub(super) size: SizeWithin<4_096, SIZE_MAX>,
    /// How much of it is used, from its start.
    pub(super) span: Option<SizeWithin<1, SIZE_MAX>>,
    /// What a trial moves at most.
    pub(super) amount: Option<SizeWithin<1, SIZE_MAX>>,
    pub(super) time: Time,
    #[serde(default)]
    pub(super) durability: DurabilityWord,
    #[serde(default)]
    pub(super) writes_per_commit: Count<1_000>,
    #[serde(default = "yes")]
    pub(super) direct: bool,
    #[serde(default)]
    pub(super) grows: bool,
    #[serde(rename = "figure")]
    pub(super) figures: Vec<RequestedFigure>,
    /// How fast it is, as the parameter says.
    #[serde(skip)]
    pub(super) rate: Option<Rate>,
    #[serde(skip)]
    pub(super) ios: Option<u64>,
}

const fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DirectionWord {
    Read,
    Write,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OrderWord {
    #[default]
    Sequential,
    Random,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DurabilityWord {
    #[default]
    None,
    Fsync,
    Fdatasync,
    Dsync,
    Sync,
    /// One fsync when all is written.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "FigureTable")]
pub(super) struct RequestedFigure {
    pub(super) metric: FitMetric,
    pub(super) limit: Option<FitLimit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureTable {
    metric: FitMetric,
    must_be: Option<LimitText>,
}

impl TryFrom<FigureTable> for RequestedFigure {
    type Error = Text;

    fn try_from(table: FigureTable) -> Result<Self, Text> {
        let FigureTable { metric, must_be } = table;
        match must_be {
            Some(LimitText(limit)) if !limit.is_for(metric) => Err(text!(
                "{} has the wrong kind of value; write a time for a latency, 200/s for commits and iops, 10MB/s for bandwidth, a number for dropped",
                metric.to_string()
            )),
            limit => Ok(Self {
                metric,
                limit: limit.map(|LimitText(limit)| limit.limit),
            }),
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
struct LimitText(Limit);

impl TryFrom<String> for LimitText {
    type Error = crate::fit::plan::limit::LimitError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

/// A number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct Count<const MAX: u32>(pub(super) u32);

impl<const MAX: u32> Default for Count<MAX> {
    fn default() -> Self {
        Self(1)
    }
}

impl<const MAX: u32> TryFrom<u32> for Count<MAX> {
    type Error = Text;

    fn try_from(count: u32) -> Result<Self, Text> {
        match (1..=MAX).contains(&count) {
            true => Ok(Self(count)),
            false => Err(text!("{count} is out of range; it goes from 1 to {MAX}")),
        }
    }
}

/// A size within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct SizeWithin<const MIN: u64, const MAX: u64>(pub(super) Bytes);

impl<const MIN: u64, const MAX: u64> TryFrom<String> for SizeWithin<MIN, MAX> {
    type Error = Text;

    fn try_from(text: String) -> Result<Self, Text> {
        let size = text.parse::<Bytes>();
        let size = size.map_err(|error| text!("{}", error.to_string()))?;
        within(size, Bytes(MIN)..=Bytes(MAX)).map(Self)
    }
}

/// How long a trial lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Time(pub(super) Nanos);

impl TryFrom<String> for Time {
    type Error = Text;

    fn try_from(text: String) -> Result<Self, Text> {
        let time = text.parse::<Nanos>();
        let time = time.map_err(|error| text!("{}", error.to_string()))?;
        within(time, TIME).map(Self)
    }
}

fn within<T: PartialOrd + Display>(value: T, bounds: RangeInclusive<T>) -> Result<T, Text> {
    match bounds.contains(&value) {
        true => Ok(value),
        false => Err(text!(
            "{} is out of range; it goes from {} to {}",
            value.to_string(),
            bounds.start().to_string(),
            bounds.end().to_string()
        )),
    }
}

/// What something is called: letters, digits and a few signs, and no others, because it is
/// written into file names, commands and tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ShortName<const MAX: usize>(pub(super) String);

impl<const MAX: usize> TryFrom<String> for ShortName<MAX> {
    type Error = Text;

    fn try_from(name: String) -> Result<Self, Text> {
        let is_plain = |sign: char| sign.is_alphanumeric() || " -_.+×".contains(sign);
        let begins = name.starts_with(char::is_alphanumeric);
        match begins && name.chars().count() <= MAX && name.chars().all(is_plain) {
            true => Ok(Self(name)),
            false => Err(text!(
                "{name:?} is no name; use up to {MAX} letters, digits and the signs - _ . +"
            )),
        }
    }
}

/// What somebody says in one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Sentence(pub(super) String);

impl TryFrom<String> for Sentence {
    type Error = Text;

    fn try_from(sentence: String) -> Result<Self, Text> {
        let is_long = sentence.chars().count() > TEXT_CHARACTERS_MAX;
        match is_long || sentence.chars().any(char::is_control) {
            false => Ok(Self(sentence)),
            true => Err(text!(
                "it is not one line of up to {TEXT_CHARACTERS_MAX} characters"
            )),
        }
    }
}

/// Reads questions.
///
/// # Errors
/// When the text is no TOML, has other fields, or values beyond their bounds.
pub(super) fn read(text: &str) -> Result<Vec<QuestionTable>, ReadQuestionsError> {
    let at = |offset: usize, reason: Text| ReadQuestionsError {
        line: line_of(text, offset),
        reason,
    };
    if text.len() as u64 > QUESTIONS_BYTES_MAX {
        let reason = text!("it is longer than {QUESTIONS_BYTES_MAX} bytes; leave questions out");
        return Err(at(0, reason));
    }
    let table: QuestionsTable = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        at(offset, Text::name(one_line(error.message())))
    })?;
    if table.questions.len() > QUESTIONS_MAX {
        return Err(at(
            0,
            text!("it has more than {QUESTIONS_MAX} questions; leave some out"),
        ));
    }
    let mut read: Vec<QuestionTable> = Vec::new();
    for question in table.questions {
        let offset = question.span().start;
        let question = question.into_inner();
        if let Some(fault) = fault(&question, &read) {
            return Err(at(offset, fault));
        }
        read.push(question);
    }
    Ok(read)
}

/// What no value says by itself.
fn fault(question: &QuestionTable, others: &[QuestionTable]) -> Option<Text> {
    let name = &question.name.0;
    let rows = &question.rows;
    let any = |is: fn(&RowTable) -> bool| rows.iter().any(is);
    if others.iter().any(|other| other.is_called(name)) {
        return Some(text!("{name} is there twice; give one another name"));
    }
    if rows.is_empty() || rows.len() > ROWS_MAX {
        return Some(text!("{name} has no rows, or more than {ROWS_MAX}"));
    }
    let figures: usize = rows.iter().map(|row| row.figures.len()).sum();
    if figures == 0 || figures > FIGURES_MAX {
        return Some(text!("{name} has no figures, or more than {FIGURES_MAX}"));
    }
    let part = |row: &RowTable| row.span.map_or(row.size.0, |span| span.0);
    if any(|row| row.span.is_some_and(|span| span.0 > row.size.0)) {
        return Some(text!("{name} has a row whose span is larger than its size"));
    }
    if rows.iter().any(|row| row.block.0 > part(row)) {
        return Some(text!(
            "{name} has a row whose block is larger than what it is in"
        ));
    }
    if any(|row| row.durability != DurabilityWord::None && row.direction == DirectionWord::Read) {
        return Some(text!(
            "{name} has a row that makes reads durable; leave durability out"
        ));
    }
    let grown = rows[0].grows && rows[0].direction == DirectionWord::Write;
    if any(|row| row.grows) && !(grown && rows.iter().all(|row| row.amount.is_some())) {
        return Some(text!(
            "{name} has a row that grows; then the first row has to grow and to write, and all have to name an amount"
        ));
    }
    None
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    before.filter(|byte| **byte == b'\n').count() + 1
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
