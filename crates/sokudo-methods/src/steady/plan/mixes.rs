//! Mixes as people write them: `100/0,65/35,0/100`.

use std::str::FromStr;

use sokudo_tools::language::plain_number;

use crate::steady::plan::error::SteadyError;

/// How many percent of the I/Os are reads, at most 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadPercent(pub(super) u32);

impl ReadPercent {
    /// No reads: every I/O is a write.
    pub const WRITES: Self = Self(0);

    /// From 0 to 100.
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// Several mixes, in the order in which they are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixes(pub(super) Vec<ReadPercent>);

/// A list such as `100/0,65/35,0/100`.
impl FromStr for Mixes {
    type Err = SteadyError;

    fn from_str(text: &str) -> Result<Self, SteadyError> {
        let mut mixes = Vec::new();
        for part in text.split(',').map(str::trim) {
            let wrong = || SteadyError::Mix {
                mix: part.to_owned(),
            };
            let number = |digits| plain_number::<u32>(digits)?;
            let (reads, writes) = part.split_once('/').ok_or_else(wrong)?;
            let (reads, writes) = number(reads).zip(number(writes)).ok_or_else(wrong)?;
            if reads.checked_add(writes) != Some(100) {
                return Err(wrong());
            }
            if mixes.contains(&ReadPercent(reads)) {
                return Err(SteadyError::Twice {
                    mix: part.to_owned(),
                });
            }
            mixes.push(ReadPercent(reads));
        }
        Ok(Self(mixes))
    }
}
