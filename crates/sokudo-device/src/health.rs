//! What speaks against a disk, said alike whatever language it speaks.

use sokudo_model::disk::{Health, HealthState};
use sokudo_words::{Text, text};

/// No disk works outside of these temperatures, so a number outside is another kind of
/// number.
const CELSIUS: std::ops::RangeInclusive<i32> = -60..=150;

/// A temperature that a disk can have.
pub(crate) fn celsius(degrees: impl Into<i32>) -> Option<i32> {
    Some(degrees.into()).filter(|degrees| CELSIUS.contains(degrees))
}

/// Adds a sentence against a disk that may call itself well.
pub(crate) fn warn(health: &mut Health, sentence: Text) {
    health.reasons.push(sentence);
    if health.state != HealthState::Failing {
        health.state = HealthState::Warning;
    }
}

pub(crate) fn uncorrected(errors: u64) -> Text {
    text!("Errors that the disk could not correct: {errors}")
}

pub(crate) fn worn(used: impl std::fmt::Display) -> Text {
    text!("Of the life that the maker expected, {used} % is used")
}
