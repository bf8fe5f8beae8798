//! What a checked block holds besides its headers: random bytes that its seed names,
//! or a pattern.

use sokudo_model::PatternPart;
use sokudo_stats::{Random, mix64};

/// The contents of blocks, to be made again when something is wrong.
pub(crate) enum Contents {
    /// Pseudorandom bytes that follow from the header's seed.
    Random,
    /// A pattern over and over, from the start of each block.
    Pattern {
        /// One turn of it.
        bytes: Vec<u8>,
        /// Where in it the block's offset stands.
        offsets: Vec<usize>,
    },
}

impl Contents {
    /// Of the parts of a pattern; random without any.
    pub(crate) fn new(parts: Option<&[PatternPart]>) -> Self {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        for part in parts.unwrap_or_default() {
            match part {
                PatternPart::Bytes(part) => bytes.extend_from_slice(part),
                PatternPart::Offset => {
                    offsets.push(bytes.len());
                    bytes.extend_from_slice(&[0; 8]);
                }
            }
        }
        if bytes.is_empty() {
            return Self::Random;
        }
        Self::Pattern { bytes, offsets }
    }

    /// Whether contents are the same in every write of a place.
    pub(crate) fn is_pattern(&self) -> bool {
        matches!(self, Self::Pattern { .. })
    }

    /// Fills a piece that begins `start` bytes after its block's offset.
    pub(crate) fn fill(&mut self, piece: &mut [u8], seed: u64, block: u64, start: usize) {
        match self {
            Self::Random => {
                // Each piece by itself, so that one can be made again without the
                // others.
                let offset = block + start as u64;
                Random::new(mix64(seed ^ mix64(offset))).fill(piece);
            }
            Self::Pattern { bytes, offsets } => {
                for at in offsets.iter() {
                    bytes[*at..*at + 8].copy_from_slice(&block.to_le_bytes());
                }
                let mut phase = start % bytes.len();
                let mut rest = piece;
                while !rest.is_empty() {
                    let count = rest.len().min(bytes.len() - phase);
                    let (now, later) = rest.split_at_mut(count);
                    now.copy_from_slice(&bytes[phase..phase + count]);
                    rest = later;
                    phase = 0;
                }
            }
        }
    }
}
