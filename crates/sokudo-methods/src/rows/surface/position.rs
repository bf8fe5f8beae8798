//! A place of a target, as people name it.

use std::fmt;
use std::str::FromStr;

use sokudo_model::{Bytes, narrow};

/// Places named by a share begin at multiples of it, where the target is large enough: what
/// disks are partitioned by.
const SHARE_UNIT: Bytes = Bytes::mib(1);
/// Of smaller targets a share is told to the block.
const SHARE_UNIT_FROM: Bytes = Bytes::mib(256);
/// Thousandths of a percent in all of a target.
pub(super) const WHOLE: u32 = 100_000;

/// A place of a target, by its distance from the start or its share of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    At(Bytes),
    /// In thousandths of a percent, up to 100 %.
    Share(u32),
}

impl Position {
    /// Its byte in a target of this size whose blocks are so large, rounded down to one.
    pub(super) fn within(self, size: Bytes, block: Bytes) -> u64 {
        let (at, unit) = match self {
            Self::At(at) => (at.0, block.0),
            Self::Share(WHOLE) => (size.0, block.0),
            Self::Share(share) => {
                let at = u128::from(size.0) * u128::from(share) / u128::from(WHOLE);
                let unit = match size < SHARE_UNIT_FROM {
                    true => block.0,
                    false => SHARE_UNIT.0.max(block.0),
                };
                (narrow(at), unit)
            }
        };
        at / unit.max(1) * unit.max(1)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => at.fmt(out),
            Self::Share(share) => write!(out, "{}%", f64::from(*share) / 1e3),
        }
    }
}

impl FromStr for Position {
    type Err = UnknownPosition;

    fn from_str(text: &str) -> Result<Self, UnknownPosition> {
        let Some(percent) = text.strip_suffix('%') else {
            return text.parse().map(Self::At).map_err(|_| UnknownPosition);
        };
        let (whole, part) = percent.split_once('.').unwrap_or((percent, ""));
        let digits = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
        if whole.is_empty() || part.len() > 3 || !digits(whole) || !digits(part) {
            return Err(UnknownPosition);
        }
        let thousandths = format!("{whole}{part:0<3}").parse();
        let share = thousandths.ok().filter(|share| *share <= WHOLE);
        share.map(Self::Share).ok_or(UnknownPosition)
    }
}

/// A position that there is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("use a size such as 500GB, or a share of the target such as 40%")]
pub struct UnknownPosition;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_sizes_or_shares() {
        let read = |text: &str| text.parse::<Position>().ok();
        assert_eq!(read("500GB"), Some(Position::At(Bytes(500_000_000_000))));
        assert_eq!(read("40%"), Some(Position::Share(40_000)));
        assert_eq!(read("12.5%"), Some(Position::Share(12_500)));
        assert_eq!(read("100%"), Some(Position::Share(WHOLE)));
        for text in [
            "", "%", "100.001%", "101%", "-1%", "1.2345%", "+5%", "x", "1e1%",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(Position::Share(12_500).to_string(), "12.5%");
    }

    #[test]
    fn a_share_of_a_disk_begins_at_a_mebibyte_and_all_of_it_is_all() {
        let size = Bytes(6_001_175_126_016);
        let block = Bytes(512);
        assert_eq!(Position::Share(WHOLE).within(size, block), size.0);
        let third = Position::Share(33_333).within(size, block);
        assert_eq!(third % SHARE_UNIT.0, 0);
        assert!(third.abs_diff(size.0 / 100_000 * 33_333) < 2 * SHARE_UNIT.0);
        assert_eq!(Position::Share(50_000).within(Bytes(10_240), block), 5_120);
        assert_eq!(Position::At(Bytes(1_000)).within(size, block), 512);
    }
}
