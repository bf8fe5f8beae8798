//! A share of reads and writes, such as `R70/W30`.

use std::fmt;
use std::str::FromStr;

use sokudo_model::OperationMix;

use crate::language::plain_number;

/// Reads and writes at once, in percent; each at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mix {
    read_percent: u32,
}

/// Why a mix could not be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum MixError {
    /// It is not written as one.
    #[error("\"{text}\" is not a mix; write R70/W30, R70 or 70")]
    Malformed { text: String },
    /// The shares do not fill up 100 %.
    #[error("the shares of \"{text}\" sum up to {sum} %, not 100 %")]
    Sum {
        text: String,
        /// What they sum up to.
        sum: u64,
    },
    /// One of them has no share.
    #[error("\"{text}\" is no mix: give reads a share from 1 to 99 %")]
    OneSided { text: String },
}

impl Mix {
    /// CrystalDiskMark's default mix, with 70 % reads.
    pub const R70_W30: Self = Self { read_percent: 70 };

    /// A mix with reads in `read_percent` of the I/Os; `None` outside 1 to 99.
    pub const fn new(read_percent: u32) -> Option<Self> {
        match read_percent {
            1..=99 => Some(Self { read_percent }),
            _ => None,
        }
    }

    pub(super) fn operations(self) -> OperationMix {
        OperationMix::read_write(self.read_percent).expect("a mix has less than 100 % reads")
    }
}

impl FromStr for Mix {
    type Err = MixError;

    fn from_str(text: &str) -> Result<Self, MixError> {
        let owned = || text.trim().to_owned();
        let (read, write) = shares(text).ok_or_else(|| MixError::Malformed { text: owned() })?;
        let write = write.unwrap_or_else(|| 100u32.saturating_sub(read));
        let sum = u64::from(read) + u64::from(write);
        if sum != 100 {
            return Err(MixError::Sum { text: owned(), sum });
        }
        Self::new(read).ok_or_else(|| MixError::OneSided { text: owned() })
    }
}

/// Prints the mix as CrystalDiskMark does, such as `R70/W30`.
impl fmt::Display for Mix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "R{}/W{}", self.read_percent, 100 - self.read_percent)
    }
}

fn shares(text: &str) -> Option<(u32, Option<u32>)> {
    let lower = text.trim().to_ascii_lowercase();
    let (read, write) = match lower.split_once('/') {
        Some((read, write)) => (read, Some(write.strip_prefix('w').unwrap_or(write))),
        None => (lower.as_str(), None),
    };
    let read = percent(read.strip_prefix('r').unwrap_or(read))?;
    match write {
        None => Some((read, None)),
        Some(write) => Some((read, Some(percent(write)?))),
    }
}

fn percent(text: &str) -> Option<u32> {
    plain_number(text)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_written_in_three_ways() {
        for text in ["R70/W30", "r70/w30", "70", "R70", "70/30", " 70 "] {
            let mix: Mix = text.parse().unwrap();
            assert_eq!(mix, Mix::R70_W30, "{text}");
            assert_eq!(mix.to_string(), "R70/W30");
        }
    }

    #[test]
    fn what_is_no_mix_is_refused_with_the_reason() {
        let error = |text: &str| text.parse::<Mix>().unwrap_err().to_string();
        assert_eq!(
            error("R70/W40"),
            "the shares of \"R70/W40\" sum up to 110 %, not 100 %"
        );
        assert_eq!(
            error("170"),
            "the shares of \"170\" sum up to 170 %, not 100 %"
        );
        assert_eq!(
            error("R100"),
            "\"R100\" is no mix: give reads a share from 1 to 99 %"
        );
        for text in [
            "",
            "R",
            "W30",
            "70/",
            "/30",
            "+70",
            "-1",
            "R70/R30",
            "99999999999",
            "７０",
        ] {
            assert_eq!(
                error(text),
                format!("\"{text}\" is not a mix; write R70/W30, R70 or 70"),
            );
        }
    }
}
