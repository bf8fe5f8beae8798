//! When the writes of a row are durable: `dsync`, `sync`, `fsync=16`, `fdatasync`.

use std::fmt;

use sokudo_model::Durability;

/// More writes before a flush than a trial of any row makes in which flushes matter.
pub const FLUSH_EVERY_MAX: u32 = 1_000_000;

/// When the writes of a row are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowDurability {
    /// `dsync`: each write returns when its data are durable (`O_DSYNC`; fio: `sync=dsync`).
    Dsync,
    /// `sync`: its metadata as well (`O_SYNC`; fio: `sync=1`).
    Sync,
    /// `fsync=N`: fsync after every N writes, as in fio.
    Fsync(u32),
    /// `fdatasync=N`: fdatasync after every N writes, as in fio.
    Fdatasync(u32),
}

impl RowDurability {
    /// Reads a word in small letters; a flush without a number follows each write. `None` for
    /// any other word, [`FLUSH_EVERY_MAX`] exceeded or not a number is `Some(None)`.
    pub(super) fn read(word: &str) -> Option<Option<Self>> {
        let flush = |rest: &str, rule: fn(u32) -> Self| {
            let number = rest.strip_prefix('=').unwrap_or(rest);
            let every = match rest {
                "" => Some(1),
                _ => number.parse().ok(),
            };
            every
                .filter(|every| (1..=FLUSH_EVERY_MAX).contains(every))
                .map(rule)
        };
        match word {
            "dsync" => Some(Some(Self::Dsync)),
            "sync" => Some(Some(Self::Sync)),
            _ => word
                .strip_prefix("fsync")
                .map(|rest| flush(rest, Self::Fsync))
                .or_else(|| {
                    let rest = word.strip_prefix("fdatasync")?;
                    Some(flush(rest, Self::Fdatasync))
                }),
        }
    }

    /// Whether programs that do so write through the page cache, which the call empties:
    /// databases and logs do. With `dsync` and `sync` it is bypassed like in other rows.
    pub const fn goes_through_cache(self) -> bool {
        matches!(self, Self::Fsync(_) | Self::Fdatasync(_))
    }

    /// The same as a plan says it.
    pub fn rule(self) -> Durability {
        let mut rule = Durability::default();
        match self {
            Self::Dsync => rule.write_through = true,
            Self::Sync => (rule.write_through, rule.with_metadata) = (true, true),
            Self::Fsync(every) => rule.fsync_every = Some(every),
            Self::Fdatasync(every) => rule.fdatasync_every = Some(every),
        }
        rule
    }
}

/// Prints the word: `dsync`, `fsync` for one after each write, `fsync=16`.
impl fmt::Display for RowDurability {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dsync => out.write_str("dsync"),
            Self::Sync => out.write_str("sync"),
            Self::Fsync(1) => out.write_str("fsync"),
            Self::Fdatasync(1) => out.write_str("fdatasync"),
            Self::Fsync(every) => write!(out, "fsync={every}"),
            Self::Fdatasync(every) => write!(out, "fdatasync={every}"),
        }
    }
}
