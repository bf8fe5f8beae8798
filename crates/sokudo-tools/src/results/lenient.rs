//! Values of JSON that other tools print, in whatever type they print them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use crate::results::number::float;
use crate::results::text::label;

/// No bandwidth, rate, time in nanoseconds or latency is larger.
const FIGURE_MAX: f64 = 1e19;

/// A number in any form; what is none, or is of no disk, counts as missing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LenientNumber(pub(crate) Option<f64>);

impl<'de> Deserialize<'de> for LenientNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = LenientNumber;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<LenientNumber, E> {
                self.visit_f64(float(value))
            }
            fn visit_i64<E>(self, _: i64) -> Result<LenientNumber, E> {
                Ok(LenientNumber(None))
            }
            fn visit_f64<E>(self, value: f64) -> Result<LenientNumber, E> {
                Ok(LenientNumber(
                    (0.0..=FIGURE_MAX).contains(&value).then_some(value),
                ))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<LenientNumber, E> {
                self.visit_f64(value.parse().unwrap_or(-1.0))
            }
            fn visit_unit<E>(self) -> Result<LenientNumber, E> {
                Ok(LenientNumber(None))
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// A text of limited length, without signs that command a terminal.
#[derive(Clone, Debug, Default)]
pub(crate) struct LenientText(pub(crate) Option<String>);

impl<'de> Deserialize<'de> for LenientText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Labels;
        impl Visitor<'_> for Labels {
            type Value = LenientText;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text")
            }
            fn visit_u64<E>(self, value: u64) -> Result<LenientText, E> {
                Ok(LenientText(Some(value.to_string())))
            }
            fn visit_str<E>(self, value: &str) -> Result<LenientText, E> {
                Ok(LenientText(label(value)))
            }
        }
        deserializer.deserialize_any(Labels)
    }
}
