//! What programs read line by line: typed fields under names. CSV and JSON lines are
//! written from the same columns, so that they cannot disagree.
//!
//! What a field is stands in the type of what is picked, and is never guessed from a name or a text.

use std::borrow::Cow;

use serde_json::{Number, Value};
use sokudo_model::Verdict;

/// A field of a line. A text without signs is missing, too.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    Missing,
    Text(String),
    Whole(u64),
    Real(f64),
    Truth(bool),
}

/// Columns of lines that are each about an `L`.
pub struct Columns<'a, L>(Vec<RecordColumn<'a, L>>);

/// A name, and what is picked of each line.
struct RecordColumn<'a, L> {
    name: Cow<'static, str>,
    pick: Box<dyn Fn(&L) -> Field + 'a>,
}

impl<'a, L: 'a> Columns<'a, L> {
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// With one more of this name.
    pub fn column<F: Into<Field>>(
        mut self,
        name: impl Into<Cow<'static, str>>,
        pick: impl Fn(&L) -> F + 'a,
    ) -> Self {
        self.0.push(RecordColumn {
            name: name.into(),
            pick: Box::new(move |line| pick(line).into()),
        });
        self
    }

    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// The same columns of lines that may have such a one in them.
    pub fn within<O: 'a>(self, line: fn(&O) -> Option<&L>) -> Columns<'a, O> {
        let columns = self.0.into_iter().map(|RecordColumn { name, pick }| {
            let pick = move |other: &O| line(other).map_or(Field::Missing, &pick);
            RecordColumn {
                name,
                pick: Box::new(pick) as Box<dyn Fn(&O) -> Field + 'a>,
            }
        });
        Columns(columns.collect())
    }

    /// A line of names, then one per line of these.
    pub fn csv(&self, lines: impl IntoIterator<Item = L>) -> String {
        self.fitting_csv(lines, |field| field)
    }

    /// The same, with every field made fit for whoever reads it.
    pub(crate) fn fitting_csv(
        &self,
        lines: impl IntoIterator<Item = L>,
        fit: fn(Field) -> Field,
    ) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write = |line: Vec<String>| {
            let written = writer.write_record(line);
            written.expect("every line has as many fields and goes to memory");
        };
        write(self.0.iter().map(|it| it.name.to_string()).collect());
        for line in lines {
            let fields = self.0.iter().map(|it| fit((it.pick)(&line)).text());
            write(fields.collect());
        }
        let bytes = writer.into_inner().expect("memory can be flushed");
        String::from_utf8(bytes).expect("all fields are text")
    }

    /// One JSON object per line.
    pub fn json_lines(&self, lines: impl IntoIterator<Item = L>) -> String {
        let lines = lines.into_iter().map(|line| {
            let fields = self.0.iter();
            let fields = fields.map(|it| (it.name.to_string(), (it.pick)(&line).json()));
            format!("{}\n", Value::Object(fields.collect()))
        });
        lines.collect()
    }
}

impl<T: Into<Self>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, T::into)
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        match text.is_empty() {
            true => Self::Missing,
            false => Self::Text(text),
        }
    }
}

macro_rules! fields {
    ($($from:ty: $value:ident => $field:expr;)+) => {
        $(impl From<$from> for Field {
            fn from($value: $from) -> Self {
                $field
            }
        })+
    };
}

fields! {
    &'static str: text => text.to_owned().into();
    Verdict: verdict => verdict.name().into();
    u64: number => Self::Whole(number);
    u32: number => Self::Whole(number.into());
    f64: number => Self::Real(number);
    bool: truth => Self::Truth(truth);
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

/// A name as the JSON document has it.
pub fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
