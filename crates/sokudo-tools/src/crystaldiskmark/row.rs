//! One row of the table, such as `SEQ1M,Q8,T1`.

use std::fmt;

use sokudo_model::{BackendKind, Bytes};

use crate::language::limits::{DEPTH_MAX, DEPTH_MAX_IO_URING, THREADS_MAX};
use crate::language::plain_number;

use super::direction::RowDirection;
use super::durability::{FLUSH_EVERY_MAX, RowDurability};
use super::mix::{Mix, MixError};

/// No device has a smaller sector.
pub const BLOCK_MIN: Bytes = Bytes(512);
/// Eight times what CrystalDiskMark offers; larger I/O is split by the kernel.
pub const BLOCK_MAX: Bytes = Bytes::mib(64);
/// Stands for a number of too many digits: beyond every range, and refused with it.
const COUNT_TOO_LARGE: u32 = u32::MAX;

/// One row: an access pattern, and the directions it is measured in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSpec {
    /// Size of one I/O.
    pub block: Bytes,
    /// In which order blocks are visited.
    pub pattern: RowPattern,
    /// I/Os in flight per thread.
    pub depth: u32,
    pub threads: u32,
    /// The directions that the row itself names; empty is whatever is asked for
    /// the whole table.
    pub directions: Vec<RowDirection>,
    /// When its writes are durable, if it says so; it is then only measured where it writes.
    pub durability: Option<RowDurability>,
}

/// In which order blocks are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPattern {
    /// `SEQ`: one after the other.
    Sequential,
    /// `RND`: uniformly at random.
    Random,
}

/// Why a row could not be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum RowError {
    /// It does not start with SEQ or RND and a size.
    #[error(
        "row \"{row}\" does not start with a pattern and a block size; write it like SEQ1M,Q8,T1 or RND4K,Q32,T16,read"
    )]
    Start { row: String },
    /// The block size is out of range.
    #[error(
        "row \"{row}\": a block is a multiple of 512 B from {BLOCK_MIN} to {BLOCK_MAX}; with fsync or fdatasync, which go through the page cache, any size between"
    )]
    Block { row: String },
    /// The depth is out of range.
    #[error(
        "row \"{row}\": the depth Q is from 1 to {DEPTH_MAX}, with --engine io_uring to {DEPTH_MAX_IO_URING}"
    )]
    Depth { row: String },
    /// The number of threads is out of range.
    #[error("row \"{row}\": the number of threads T is from 1 to {THREADS_MAX}")]
    Threads { row: String },
    /// A mix is wrong.
    #[error("row \"{row}\": {source}")]
    Mix { row: String, source: MixError },
    /// A part says nothing known.
    #[error(
        "row \"{row}\": \"{part}\" is none of Q<depth>, T<threads>, read, write, mix<percent of reads>, dsync, sync, fsync=<writes>, fdatasync=<writes>"
    )]
    Part { row: String, part: String },
    /// A flush comes after too many writes, or after none.
    #[error(
        "row \"{row}\": \"{part}\" is no number of writes before a flush; use 1 to {FLUSH_EVERY_MAX}, such as fsync=16"
    )]
    Flush { row: String, part: String },
    /// Reads are asked to be durable.
    #[error(
        "row \"{row}\": \"{part}\" is about writes, and the row reads; leave read or {part} out"
    )]
    DurableReads { row: String, part: String },
    /// A part is there twice.
    #[error("row \"{row}\": \"{part}\" repeats an earlier part; leave one out")]
    Twice { row: String, part: String },
}

/// Reads a row: `SEQ128K,Q32,T4`, `RND4K,Q1,T1,mix70`, `rnd512k,q1,t1,read|write`.
///
/// Q and T are 1 if not given. `dsync`, `sync`, `fsync=16` and `fdatasync` make its writes
/// durable. Names as the table shows them (`SEQ1M Q8T1`) and as
/// job files have them (`SEQ1M_Q8T1_READ`) are read too.
///
/// # Errors
/// [`RowError`], which names the part that is wrong.
pub fn row(text: &str) -> Result<RowSpec, RowError> {
    let row = || text.trim().to_owned();
    let separators = |c: char| matches!(c, ',' | '|' | '_') || c.is_whitespace();
    let mut parts = text.split(separators).filter(|part| !part.is_empty());
    let (pattern, block) = parts
        .next()
        .and_then(pattern_and_block)
        .ok_or_else(|| RowError::Start { row: row() })?;
    let (mut depth, mut threads, mut directions) = (None, None, Vec::new());
    let mut durability = None;
    for part in parts {
        let again = match read_part(part, &row)? {
            RowToken::Load(q, t) => {
                let again = (q.is_some() && depth.is_some()) || (t.is_some() && threads.is_some());
                depth = depth.or(q);
                threads = threads.or(t);
                again
            }
            RowToken::Direction(direction) => {
                let again = directions.contains(&direction);
                directions.push(direction);
                again
            }
            RowToken::Durability(word) => durability.replace(word).is_some(),
        };
        if again {
            let part = part.to_owned();
            return Err(RowError::Twice { row: row(), part });
        }
    }
    let is_cut_freely = durability.is_some_and(RowDurability::goes_through_cache);
    let fits = is_cut_freely || block.0.is_multiple_of(BLOCK_MIN.0);
    if !(BLOCK_MIN..=BLOCK_MAX).contains(&block) || !fits {
        return Err(RowError::Block { row: row() });
    }
    if let Some(word) = durability.filter(|_| directions.contains(&RowDirection::Read)) {
        let part = word.to_string();
        return Err(RowError::DurableReads { row: row(), part });
    }
    Ok(RowSpec {
        block,
        pattern,
        depth: depth.unwrap_or(1),
        threads: threads.unwrap_or(1),
        directions,
        durability,
    })
}

impl RowSpec {
    /// Whether it can be measured in this direction: what is durable is written.
    pub fn takes(&self, direction: RowDirection) -> bool {
        self.durability.is_none() || direction != RowDirection::Read
    }

    /// Checks the depth for a backend, once that is known.
    ///
    /// # Errors
    /// [`RowError::Depth`] above [`DEPTH_MAX`], with io_uring above
    /// [`DEPTH_MAX_IO_URING`].
    pub fn check_depth(&self, backend: BackendKind) -> Result<(), RowError> {
        let max = match backend {
            BackendKind::IoUring | BackendKind::IoUringCmd => DEPTH_MAX_IO_URING,
            _ => DEPTH_MAX,
        };
        if (1..=max).contains(&self.depth) {
            return Ok(());
        }
        Err(RowError::Depth {
            row: self.to_string(),
        })
    }
}

/// Prints the canonical name, without directions: `SEQ1M Q8T1`, `RND4K Q1T1 dsync`.
impl fmt::Display for RowSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = match self.pattern {
            RowPattern::Sequential => "SEQ",
            RowPattern::Random => "RND",
        };
        let block = self.block.short();
        let (depth, threads) = (self.depth, self.threads);
        let durability = self.durability.map(|word| format!(" {word}"));
        let durability = durability.unwrap_or_default();
        out.pad(&format!("{pattern}{block} Q{depth}T{threads}{durability}"))
    }
}

/// What one part of a row says.
enum RowToken {
    Load(Option<u32>, Option<u32>),
    Direction(RowDirection),
    Durability(RowDurability),
}

fn read_part(part: &str, row: &dyn Fn() -> String) -> Result<RowToken, RowError> {
    let lower = part.to_ascii_lowercase();
    match lower.as_str() {
        "read" => return Ok(RowToken::Direction(RowDirection::Read)),
        "write" => return Ok(RowToken::Direction(RowDirection::Write)),
        // How a job file names the default mix.
        "mix" => return Ok(RowToken::Direction(RowDirection::Mix(Mix::R70_W30))),
        _ => {}
    }
    if let Some(mix) = lower.strip_prefix("mix") {
        return match mix.parse() {
            Ok(mix) => Ok(RowToken::Direction(RowDirection::Mix(mix))),
            Err(source) => Err(RowError::Mix { row: row(), source }),
        };
    }
    if let Some(durability) = RowDurability::read(&lower) {
        let wrong = || RowError::Flush {
            row: row(),
            part: part.to_owned(),
        };
        return durability.map(RowToken::Durability).ok_or_else(wrong);
    }
    let unknown = || RowError::Part {
        row: row(),
        part: part.to_owned(),
    };
    let (depth, threads) = load(&lower).ok_or_else(unknown)?;
    if depth.is_some_and(|depth| !(1..=DEPTH_MAX_IO_URING).contains(&depth)) {
        return Err(RowError::Depth { row: row() });
    }
    if threads.is_some_and(|threads| !(1..=THREADS_MAX).contains(&threads)) {
        return Err(RowError::Threads { row: row() });
    }
    Ok(RowToken::Load(depth, threads))
}

fn pattern_and_block(part: &str) -> Option<(RowPattern, Bytes)> {
    let (pattern, size) = part.split_at_checked(3)?;
    let pattern = match pattern.to_ascii_lowercase().as_str() {
        "seq" => RowPattern::Sequential,
        "rnd" => RowPattern::Random,
        _ => return None,
    };
    Some((pattern, size.parse().ok()?))
}

/// `q8`, `t1` or `q8t1`; a number too large for its type is out of every range.
fn load(part: &str) -> Option<(Option<u32>, Option<u32>)> {
    let (depth, threads) = match part.strip_prefix('q') {
        None => (None, Some(part.strip_prefix('t')?)),
        Some(rest) => match rest.split_once('t') {
            None => (Some(rest), None),
            Some((depth, threads)) => (Some(depth), Some(threads)),
        },
    };
    let count = |digits: &str| plain_number(digits).map(|number| number.unwrap_or(COUNT_TOO_LARGE));
    match (depth.map(count), threads.map(count)) {
        (Some(None), _) | (_, Some(None)) => None,
        (depth, threads) => Some((depth.flatten(), threads.flatten())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(text: &str) -> String {
        row(text).unwrap_err().to_string()
    }

    #[test]
    fn a_row_is_read_in_any_case() {
        let expected = RowSpec {
            block: Bytes::kib(128),
            pattern: RowPattern::Sequential,
            depth: 32,
            threads: 4,
            directions: vec![],
            durability: None,
        };
        for text in [
            "SEQ128K,Q32,T4",
            "seq128k,q32,t4",
            "SEQ128KiB,T4,Q32",
            "SEQ128K Q32T4",
        ] {
            assert_eq!(row(text), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn a_row_may_name_its_directions() {
        let directions = |text: &str| row(text).unwrap().directions;
        let mix = RowDirection::Mix(Mix::R70_W30);
        assert_eq!(directions("RND4K,Q1,T1"), []);
        assert_eq!(directions("RND4K,Q1,T1,mix70"), [mix]);
        assert_eq!(directions("RND4K,Q1,T1,MIXR70/W30"), [mix]);
        let both = [RowDirection::Read, RowDirection::Write];
        assert_eq!(directions("RND512K,Q1,T1,read|write"), both);
        assert_eq!(directions("RND512K,Q1,T1,read,write"), both);
        assert_eq!(directions("SEQ1M_Q8T1_READ"), [RowDirection::Read]);
    }

    #[test]
    fn a_row_may_say_when_its_writes_are_durable() {
        use RowDurability::{Dsync, Fdatasync, Fsync, Sync};
        let read = |text: &str| row(text).unwrap().durability;
        for (text, durability) in [
            ("RND4K,Q1,T1,dsync", Dsync),
            ("RND4K,DSYNC", Dsync),
            ("RND4K,Q1,sync,write", Sync),
            ("SEQ1M,fsync=16", Fsync(16)),
            ("SEQ8K,fsync", Fsync(1)),
            ("SEQ2300B,Q1,T1,fdatasync=1", Fdatasync(1)),
            ("SEQ2300,fdatasync", Fdatasync(1)),
            // As a job file names it.
            ("SEQ1M_Q1T1_fsync16_WRITE", Fsync(16)),
            ("RND4K,mix70,fdatasync=4", Fdatasync(4)),
        ] {
            assert_eq!(read(text), Some(durability), "{text}");
        }
        for text in ["SEQ2300,Q1", "SEQ2300,Q1,dsync", "SEQ100,fsync"] {
            assert!(matches!(row(text), Err(RowError::Block { .. })), "{text}");
        }
        for text in ["RND4K,fsync=0", "RND4K,fsync=x", "RND4K,fdatasync=9999999"] {
            assert!(matches!(row(text), Err(RowError::Flush { .. })), "{text}");
        }
        for text in ["RND4K,dsync,fsync", "RND4K,sync,sync"] {
            assert!(matches!(row(text), Err(RowError::Twice { .. })), "{text}");
        }
        assert_eq!(
            error("RND4K,Q1,read,dsync"),
            "row \"RND4K,Q1,read,dsync\": \"dsync\" is about writes, and the row reads; leave read or dsync out"
        );
    }

    #[test]
    fn names_are_canonical() {
        for (text, name) in [
            ("seq1024k,q8,t1", "SEQ1M Q8T1"),
            ("rnd4096,q32,t16", "RND4K Q32T16"),
            ("RND512B,Q1", "RND512B Q1T1"),
            ("SEQ2300,fdatasync=1", "SEQ2300B Q1T1 fdatasync"),
            ("SEQ1M,fsync16", "SEQ1M Q1T1 fsync=16"),
        ] {
            assert_eq!(row(text).unwrap().to_string(), name);
        }
    }

    #[test]
    fn a_wrong_row_is_refused_with_the_part_that_is_wrong() {
        let start = "does not start with a pattern and a block size; write it like SEQ1M,Q8,T1 or RND4K,Q32,T16,read";
        for text in [
            "",
            "Q8,T1",
            "SEQ",
            "SEQ,Q1,T1",
            "XYZ4K,Q1,T1",
            "日本4K",
            "SEQ1X,Q1",
        ] {
            assert_eq!(error(text), format!("row \"{text}\" {start}"));
        }
        for text in [
            "SEQ0,Q1,T1",
            "SEQ256,Q1,T1",
            "SEQ65M,Q1,T1",
            "SEQ1000,Q1,T1",
        ] {
            assert_eq!(
                error(text),
                format!(
                    "row \"{text}\": a block is a multiple of 512 B from 512 B to 64 MiB; with fsync or fdatasync, which go through the page cache, any size between"
                )
            );
        }
        for text in ["SEQ1M,Q0,T1", "SEQ1M,Q32769,T1", "SEQ1M,Q99999999999"] {
            assert_eq!(
                error(text),
                format!(
                    "row \"{text}\": the depth Q is from 1 to 1024, with --engine io_uring to 32767"
                )
            );
        }
        for text in ["SEQ1M,Q1,T0", "SEQ1M,Q1,T257"] {
            assert_eq!(
                error(text),
                format!("row \"{text}\": the number of threads T is from 1 to 256")
            );
        }
        assert_eq!(
            error("SEQ1M,Q1,fast"),
            "row \"SEQ1M,Q1,fast\": \"fast\" is none of Q<depth>, T<threads>, read, write, mix<percent of reads>, dsync, sync, fsync=<writes>, fdatasync=<writes>"
        );
        assert_eq!(
            error("SEQ1M,Q1,Q2"),
            "row \"SEQ1M,Q1,Q2\": \"Q2\" repeats an earlier part; leave one out"
        );
        assert_eq!(
            error("SEQ1M,mix100"),
            "row \"SEQ1M,mix100\": \"100\" is no mix: give reads a share from 1 to 99 %"
        );
        for text in ["SEQ1M,Q", "SEQ1M,T", "SEQ1M,Q1T", "SEQ1M,Q-1", "SEQ1M,Q+1"] {
            assert!(matches!(row(text), Err(RowError::Part { .. })), "{text}");
        }
    }

    #[test]
    fn only_io_uring_takes_great_depths() {
        let deep = row("RND4K,Q4096,T1").unwrap();
        assert_eq!(deep.check_depth(BackendKind::IoUring), Ok(()));
        assert!(deep.check_depth(BackendKind::Libaio).is_err());
        let usual = row("RND4K,Q1024,T1").unwrap();
        assert_eq!(usual.check_depth(BackendKind::Auto), Ok(()));
    }

    proptest! {
        #[test]
        fn every_name_is_read_back(
            sectors in 1u64..=131_072,
            depth in 1..=DEPTH_MAX_IO_URING,
            threads in 1..=THREADS_MAX,
            random: bool,
            durability in proptest::option::of(prop_oneof![
                Just(RowDurability::Dsync),
                Just(RowDurability::Sync),
                (1..=FLUSH_EVERY_MAX).prop_map(RowDurability::Fsync),
                (1..=FLUSH_EVERY_MAX).prop_map(RowDurability::Fdatasync),
            ]),
        ) {
            let spec = RowSpec {
                block: Bytes(sectors * 512),
                pattern: if random { RowPattern::Random } else { RowPattern::Sequential },
                depth,
                threads,
                directions: vec![],
                durability,
            };
            prop_assert_eq!(row(&spec.to_string()), Ok(spec));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*", tail in "(SEQ|RND)?[0-9]{0,12}[KMG]?[,|_ QTqtmixread0-9/]*") {
            let _ = row(&text);
            let _ = row(&tail);
        }
    }
}
