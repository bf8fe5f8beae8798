//! Sizes and times that arguments give, held against what there is.

use sokudo_model::{Bytes, Nanos};
use sokudo_words::text;

use crate::exit::Exit;

/// A trial of no time measures nothing.
pub(crate) fn check_time(time: Nanos) -> Result<(), Exit> {
    match time {
        Nanos(0) => Err(Exit::usage(text!(
            "--time is 0; use a longer time, such as 1s"
        ))),
        _ => Ok(()),
    }
}

/// Of a target whose size is known no more can be used than it has.
pub(crate) fn check_size(asked: Bytes, known: Option<Bytes>, target: &str) -> Result<(), Exit> {
    match known.filter(|known| asked > *known) {
        Some(known) => Err(Exit::usage(text!(
            "--size is {asked}, but {target} has only {known}; use less, or leave it out"
        ))),
        None => Ok(()),
    }
}

/// A target that is there holds something.
pub(crate) fn check_not_empty(known: Option<Bytes>, target: &str) -> Result<(), Exit> {
    match known {
        Some(Bytes(0)) => Err(Exit::usage(text!(
            "{target} is empty, so there is nothing to read; name a file with data in it, or a directory"
        ))),
        _ => Ok(()),
    }
}
