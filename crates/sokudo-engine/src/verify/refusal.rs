//! Whether blocks can be checked as a plan asks, before anything is touched.

use sokudo_model::{BlockSizes, Check, Operation, WriteCheck};

use super::pattern::Contents;
use super::writer::overhead;

/// Why blocks cannot be checked as asked.
#[derive(Debug, sokudo_words::Error, PartialEq, Eq)]
pub enum VerifyError {
    /// No room for the header.
    #[error(
        "verify: {interval} bytes have no room for {needed} bytes of header and some data; use a larger block or verify_interval"
    )]
    TooSmall {
        /// Bytes that one header covers: `verify_interval`, or the block if it is smaller.
        interval: u64,
        /// Bytes of header and sum.
        needed: u64,
    },
    /// The header would not fit where it is to lie.
    #[error(
        "verify_offset {offset}: the header of {needed} bytes must lie outside the first {needed} bytes and inside {interval}; use {needed} to {last}, or 0"
    )]
    Offset {
        /// Where the header is to lie.
        offset: u64,
        /// Bytes of header and sum.
        needed: u64,
        /// Bytes that one header covers: `verify_interval`, or the block if it is smaller.
        interval: u64,
        /// The last offset with room.
        last: u64,
    },
    /// A pattern to check, and none given.
    #[error("verify=pattern needs verify_pattern; say what the blocks hold")]
    NoPattern,
}

/// Whether blocks of these sizes can be checked as asked.
///
/// # Errors
/// What is in the way.
pub(crate) fn check_verify(verify: &WriteCheck, blocks: &BlockSizes) -> Result<(), VerifyError> {
    let smallest = [Operation::Read, Operation::Write]
        .map(|operation| blocks.of(operation).smallest().0)
        .into_iter()
        .min()
        .unwrap_or(0);
    let interval = verify
        .interval
        .map_or(smallest, |bytes| bytes.0.min(smallest));
    let needed = overhead(verify.check) as u64;
    let is_pattern = matches!(verify.check, Check::Pattern | Check::PatternHeader);
    if is_pattern && !Contents::new(verify.pattern.as_deref()).is_pattern() {
        return Err(VerifyError::NoPattern);
    }
    if interval <= needed && needed > 0 {
        return Err(VerifyError::TooSmall { interval, needed });
    }
    let offset = verify.offset.0;
    let last = interval.saturating_sub(needed);
    if needed > 0 && offset > 0 && !(needed..=last).contains(&offset) {
        return Err(VerifyError::Offset {
            offset,
            needed,
            interval,
            last,
        });
    }
    Ok(())
}
