//! The only crate with `unsafe`.

#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

pub mod extents;
pub mod residency;
