//! What programs read line by line: typed fields under names. CSV and JSON lines are
//! written from the same columns, so that they cannot disagree.
//!
//! What a field is stands in how it is picked, and is never guessed from a name or a text.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// A field of a line. A text without signs is missing, too.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    Missing,
    Text(String),
    Whole(u64),
    Real(f64),
    Truth(bool),
}

/// A column of lines that are each about an `L`.
pub struct RecordColumn<L> {
    name: Cow<'static, str>,
    pick: Pick<L>,
}

enum Pick<L> {
    Text(fn(&L) -> String),
    Whole(fn(&L) -> Option<u64>),
    Real(fn(&L) -> Option<f64>),
    Truth(fn(&L) -> Option<bool>),
}

impl<L> RecordColumn<L> {
    fn new(name: impl Into<Cow<'static, str>>, pick: Pick<L>) -> Self {
        Self {
            name: name.into(),
            pick,
        }
    }

    pub fn text(name: impl Into<Cow<'static, str>>, pick: fn(&L) -> String) -> Self {
        Self::new(name, Pick::Text(pick))
    }

    pub fn whole(name: &'static str, pick: fn(&L) -> Option<u64>) -> Self {
        Self::new(name, Pick::Whole(pick))
    }

    pub fn real(name: &'static str, pick: fn(&L) -> Option<f64>) -> Self {
        Self::new(name, Pick::Real(pick))
    }

    pub fn truth(name: &'static str, pick: fn(&L) -> Option<bool>) -> Self {
        Self::new(name, Pick::Truth(pick))
    }

    pub fn name(&self) -> String {
        self.name.to_string()
    }

    pub fn field(&self, line: &L) -> Field {
        match self.pick {
            Pick::Text(pick) => Some(pick(line))
                .filter(|text| !text.is_empty())
                .map(Field::Text),
            Pick::Whole(pick) => pick(line).map(Field::Whole),
            Pick::Real(pick) => pick(line).map(Field::Real),
            Pick::Truth(pick) => pick(line).map(Field::Truth),
        }
        .unwrap_or(Field::Missing)
    }
}

impl Field {
    fn text(self) -> String {
        match self {
            Self::Missing => String::new(),
            Self::Text(text) => text,
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    /// What is missing is null, not 0 and not an empty text.
    fn json(self) -> Value {
        match self {
            Self::Missing => Value::Null,
            Self::Text(text) => Value::String(text),
            Self::Whole(number) => number.into(),
            Self::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
            Self::Truth(truth) => Value::Bool(truth),
        }
    }
}

/// A line of names, then one per line of these columns.
pub fn csv<L>(columns: &[RecordColumn<L>], lines: impl Iterator<Item = L>) -> String {
    let names: Vec<String> = columns.iter().map(RecordColumn::name).collect();
    let fields = |line: L| columns.iter().map(|column| column.field(&line)).collect();
    csv_of(names, lines.map(fields))
}

/// The same of fields.
pub fn csv_of(names: Vec<String>, lines: impl Iterator<Item = Vec<Field>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let texts = |line: Vec<Field>| line.into_iter().map(Field::text).collect();
    for line in std::iter::once(names).chain(lines.map(texts)) {
        writer
            .write_record(&line)
            .expect("every line has as many fields and goes to memory");
    }
    let bytes = writer.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("all fields are text")
}

/// One JSON object per line.
pub fn json_lines(names: &[String], lines: impl Iterator<Item = Vec<Field>>) -> String {
    let mut text = String::new();
    for line in lines {
        let fields = names.iter().cloned().zip(line);
        let object: Map<String, Value> = fields.map(|(name, field)| (name, field.json())).collect();
        text += &Value::Object(object).to_string();
        text.push('\n');
    }
    text
}

/// A name as the JSON document has it.
pub fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// A text that may be missing.
pub fn or_missing(text: Option<impl ToString>) -> String {
    text.map_or_else(String::new, |text| text.to_string())
}
