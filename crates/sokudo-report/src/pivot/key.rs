//! What results can be told apart by.

use std::fmt;
use std::str::FromStr;

use sokudo_words::Text;

use crate::document::{ResultDocument, RunDocument};
use crate::grouping::{have_one_name, row_name};
use crate::number::MISSING;
use crate::wording::phrase;

/// One thing in which results differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// The row with its direction.
    Row,
    Direction,
    /// The target, as it was named.
    Target,
    /// The model of the disks.
    Device,
    /// The type of the file system.
    FileSystem,
    /// The level of the array of Linux software RAID.
    Raid,
    Method,
    /// Tool that measured, which may be sokudo.
    Tool,
    Host,
    Kernel,
    /// Day on which the run began.
    Date,
    /// What the run is called by.
    Run,
    /// The label of the run.
    Label,
    /// Where the figures were published.
    Document,
    /// What follows `KEY=` in a tag.
    Tag(String),
}

/// A word that is no key.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error(
    "{0} does not distinguish runs; name {known}, or tag:KEY for what follows KEY= in tags",
    known = Key::WORDS.map(|(word, _)| word).join(", ")
)]
pub struct KeyError(pub String);

impl Key {
    pub(crate) const WORDS: [(&'static str, Self); 14] = [
        ("row", Self::Row),
        ("direction", Self::Direction),
        ("target", Self::Target),
        ("device", Self::Device),
        ("file-system", Self::FileSystem),
        ("raid", Self::Raid),
        ("method", Self::Method),
        ("tool", Self::Tool),
        ("host", Self::Host),
        ("kernel", Self::Kernel),
        ("date", Self::Date),
        ("run", Self::Run),
        ("label", Self::Label),
        ("document", Self::Document),
    ];

    /// Of this result; a dash where it is not known.
    pub(crate) fn of(&self, run: &PivotRun<'_>, result: &ResultDocument) -> String {
        let document = run.run;
        let target = &document.target;
        let known = match self {
            Self::Row => Some(row_title(result)),
            Self::Direction => result.direction_shown(),
            Self::Target => Some(target.name.clone()),
            Self::Device => Some(target.device_name()),
            Self::FileSystem => target.file_system.as_ref().map(|it| it.kind.clone()),
            Self::Raid => raid(run),
            Self::Method => Some(document.plan.method.to_string()),
            Self::Tool => Some(document.measurer()),
            Self::Host => document.environment.host.clone(),
            Self::Kernel => document.environment.kernel.clone(),
            Self::Date => document.began().split('T').next().map(str::to_owned),
            Self::Run => Some(run.source.to_owned()),
            Self::Label => document.label.clone(),
            Self::Document => document.origin().and_then(|it| it.document.clone()),
            Self::Tag(key) => run.tags.iter().find_map(|tag| {
                let value = tag.strip_prefix(key.as_str())?.strip_prefix('=')?;
                Some(value.to_owned())
            }),
        };
        known
            .filter(|text| !text.trim().is_empty())
            .unwrap_or_else(|| MISSING.to_owned())
    }
}

/// A row's name with its direction, once: other tools' names often say it themselves.
pub(super) fn row_title(result: &ResultDocument) -> String {
    let direction = result.direction_label();
    let mut words = result.name.split_whitespace();
    match result.reported.is_some() && words.any(|word| word.eq_ignore_ascii_case(&direction)) {
        true => result.name.clone(),
        false => row_name(result),
    }
}

/// A row's name of which the direction stands apart.
pub(super) fn row_without_direction(result: &ResultDocument) -> String {
    let direction = result.direction_shown().unwrap_or_default();
    let is_other = |word: &&str| !word.eq_ignore_ascii_case(&direction);
    let words: Vec<&str> = result.name.split_whitespace().filter(is_other).collect();
    match words[..] {
        [] => result.name.clone(),
        _ => words.join(" "),
    }
}

/// Whether both rows have one title.
pub(super) fn have_one_title(one: &ResultDocument, other: &ResultDocument) -> bool {
    one.reported.is_some() == other.reported.is_some() && have_one_name(one, other)
}

/// The level of the array, or of a file system that is one, as the kernel says it, or as whoever
/// named the target does.
fn raid(run: &PivotRun<'_>) -> Option<String> {
    let array = run.run.conditions.arrays.first();
    let level = array.and_then(|array| array.level.clone());
    let file_system = run.run.target.file_system.as_ref();
    let level = level.or_else(|| file_system?.level.clone());
    level.or_else(|| {
        let mut words = run
            .run
            .target
            .name
            .split(|sign: char| !sign.is_alphanumeric());
        let is_level = |word: &&str| {
            let word = word.to_ascii_lowercase();
            let level = word.strip_prefix("raid");
            level.is_some_and(|it| it.parse::<u8>().is_ok()) || word == "single"
        };
        // `none` of a matrix has no array that could be seen.
        let tagged = || run.tags.iter().find_map(|tag| tag.strip_prefix("raid="));
        words.find(is_level).or_else(tagged).map(str::to_lowercase)
    })
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        if let Some(tag) = text.strip_prefix("tag:").filter(|tag| !tag.is_empty()) {
            return Ok(Self::Tag(tag.to_owned()));
        }
        let found = Self::WORDS.into_iter().find(|(word, _)| *word == text);
        found.map_or_else(|| Err(KeyError(text.to_owned())), |(_, key)| Ok(key))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => write!(formatter, "tag:{tag}"),
            key => {
                let mut words = Self::WORDS.iter();
                let word = words.find(|(_, known)| known == key).map(|(word, _)| *word);
                formatter.write_str(word.unwrap_or_default())
            }
        }
    }
}

/// One or several keys, such as `tool+row`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(pub(super) Vec<Key>);

impl Keys {
    /// Those of this result, one after the other; names of rows without a direction that stands apart.
    pub(super) fn of(&self, run: &PivotRun<'_>, result: &ResultDocument, apart: bool) -> String {
        let value = |key: &Key| match key {
            Key::Row if apart => row_without_direction(result),
            key => key.of(run, result),
        };
        let values: Vec<String> = self.0.iter().map(value).collect();
        values.join(" · ")
    }
}

/// Keys as people read them: `row, file system` of `row+file-system`, and alone what follows `tag:`,
/// which is somebody's word.
pub(crate) fn keys_text(keys: &str) -> Text {
    let word = |key: &str| match key {
        "raid" => "RAID".into(),
        key => match key.strip_prefix("tag:") {
            Some(tag) => Text::name(tag),
            None => phrase(&key.replace('-', " ")),
        },
    };
    Text::list(keys.split('+').map(word), ", ")
}

impl FromStr for Keys {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let keys: Result<Vec<Key>, _> = text.split('+').map(str::parse).collect();
        Ok(Self(keys?))
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(Key::to_string).collect();
        formatter.write_str(&words.join("+"))
    }
}

/// A run that goes into a matrix, with what the store knows of it.
#[derive(Clone, Copy, Debug)]
pub struct PivotRun<'a> {
    pub run: &'a RunDocument,
    /// What it was called by.
    pub source: &'a str,
    pub tags: &'a [String],
}
