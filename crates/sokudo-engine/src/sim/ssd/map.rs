//! The map from logical to physical blocks, of which only a part is in memory.

use std::collections::{BTreeMap, HashMap};

use sokudo_model::{Bytes, narrow};

use super::super::spec::{Spec, SpecError};

/// One page of the map: 1,024 entries of 4 bytes for 4 KiB each.
const SEGMENT_BYTES: u64 = 4 << 20;

/// What has to be read to have a segment.
pub(super) const SEGMENT_MAP_BYTES: u64 = 4096;

/// What the host lends such drives, as a rule 64 MiB, maps so much (one entry of 4 bytes
/// per 4 KiB).
const COVERED_DEFAULT: Bytes = Bytes::gib(64);

/// The segments of the map that were used last are in memory. Any other must be read
/// from the flash before the block itself can be.
#[derive(Debug, Default)]
pub(super) struct MappingCache {
    segments_max: usize,
    uses: u64,
    used_at: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
}

impl MappingCache {
    /// Reads `map=SIZE`, the number of bytes of the drive that the part in memory maps.
    /// `None` where all of it is in memory.
    pub(super) fn parse(spec: &mut Spec, is_dramless: bool) -> Result<Option<Self>, SpecError> {
        let covered = spec
            .optional("map", Bytes(SEGMENT_BYTES)..=Bytes::gib(1 << 20))?
            .or(is_dramless.then_some(COVERED_DEFAULT));
        Ok(covered.map(|covered| Self {
            segments_max: narrow(covered.0 / SEGMENT_BYTES),
            ..Self::default()
        }))
    }

    /// Uses the map for these bytes and says how many segments had to be read.
    pub(super) fn look_up(&mut self, offset: u64, bytes: u64) -> u64 {
        let (first, last) = (offset / SEGMENT_BYTES, (offset + bytes - 1) / SEGMENT_BYTES);
        (first..=last).filter(|it| !self.was_held(*it)).count() as u64
    }

    fn was_held(&mut self, segment: u64) -> bool {
        self.uses += 1;
        self.by_use.insert(self.uses, segment);
        let before = self.used_at.insert(segment, self.uses);
        if let Some(before) = before {
            self.by_use.remove(&before);
        } else if self.used_at.len() > self.segments_max
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.used_at.remove(&oldest);
        }
        before.is_some()
    }
}
