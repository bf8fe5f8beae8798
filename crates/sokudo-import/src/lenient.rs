//! Values of JSON that other tools print, in whatever type they print them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use crate::text::label;

/// No bandwidth, rate, time in nanoseconds or latency is larger.
const FIGURE_MAX: f64 = 1e19;

/// A number in any form; what is none, or is of no disk, counts as missing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Number(pub(crate) Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Number;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number")
            }
            #[expect(clippy::cast_precision_loss, reason = "figures are floats")]
            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                self.visit_f64(value as f64)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Number, E> {
                Ok(Number(None))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(Number((0.0..=FIGURE_MAX).contains(&value).then_some(value)))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Number, E> {
                self.visit_f64(value.parse().unwrap_or(-1.0))
            }
            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// A text of limited length, without signs that command a terminal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Label(pub(crate) Option<String>);

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Labels;
        impl Visitor<'_> for Labels {
            type Value = Label;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text")
            }
            fn visit_u64<E>(self, value: u64) -> Result<Label, E> {
                Ok(Label(Some(value.to_string())))
            }
            fn visit_str<E>(self, value: &str) -> Result<Label, E> {
                Ok(Label(label(value)))
            }
        }
        deserializer.deserialize_any(Labels)
    }
}
