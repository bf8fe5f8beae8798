//! How fast bytes pass through a simulated wire.

use std::fmt;
use std::str::FromStr;

use sokudo_model::Bytes;

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Bytes per second, at least 1; written as `180MB/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TransferRate(pub(super) u64);

impl TransferRate {
    /// `n` × 10^6 bytes per second.
    pub(super) const fn megabytes(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// How long `bytes` take, rounded up to whole nanoseconds. A request has at
    /// most 2^31 bytes, so the product fits.
    pub(super) const fn nanos(self, bytes: u64) -> u64 {
        (bytes * NANOS_PER_SECOND).div_ceil(self.0)
    }
}

impl FromStr for TransferRate {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let size = text.strip_suffix("/s").unwrap_or(text);
        size.parse().map(|Bytes(bytes)| Self(bytes)).map_err(|_| ())
    }
}

/// In MB/s, as on a drive's label.
impl fmt::Display for TransferRate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match rest {
            0 => write!(out, "{whole} MB/s"),
            _ => write!(out, "{} B/s", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_with_or_without_per_second() {
        assert_eq!("180MB/s".parse(), Ok(TransferRate::megabytes(180)));
        assert_eq!("1MiB".parse(), Ok(TransferRate(1 << 20)));
        assert_eq!("fast".parse::<TransferRate>(), Err(()));
        assert_eq!(TransferRate::megabytes(180).to_string(), "180 MB/s");
        assert_eq!(TransferRate(1 << 20).to_string(), "1048576 B/s");
    }

    #[test]
    fn times_are_rounded_up_and_do_not_overflow() {
        assert_eq!(TransferRate(1_000_000_000).nanos(4096), 4096);
        assert_eq!(TransferRate(3).nanos(1), 333_333_334);
        assert_eq!(TransferRate(NANOS_PER_SECOND).nanos(1 << 31), 1 << 31);
    }
}
