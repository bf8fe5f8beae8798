//! Where the bands and the persistent cache of a shingled disk lie.

use std::ops::Range;

use crate::model::MIB;
use crate::rotating::{DataSheet, Mechanics};

/// Bands follow each other in the order of their bytes. The cache is in regions, each before an
/// equal part of the bands.
pub(crate) struct Layout {
    pub bytes: u64,
    pub cache_bytes: u64,
    pub regions: u64,
    /// Where bands begin.
    bands: Vec<u64>,
}

impl Layout {
    /// Bands are as many tracks each: 36 to 17 MiB in the ST5000AS0011, and 40 to 15 in the
    /// ST8000AS0002, whose rates would make it 19 (Skylight).
    pub(crate) fn new(
        sheet: &DataSheet,
        mechanics: &Mechanics,
        cache_bytes: u64,
        regions: u64,
    ) -> Self {
        let bytes = sheet.bytes();
        let outer = if sheet.gigabytes < 6000 { 36 } else { 40 };
        let rates = mechanics.geometry.rates(mechanics.turn_s);
        let mut bands = Vec::new();
        let mut start = 0;
        while start < bytes {
            bands.push(start);
            let zone = rates.partition_point(|(from, _)| *from <= start) - 1;
            let share = rates[zone].1 / rates[0].1;
            start += (f64::from(outer) * share).round() as u64 * MIB;
        }
        Self {
            bytes,
            cache_bytes,
            regions,
            bands,
        }
    }

    pub(crate) fn region_bytes(&self) -> u64 {
        self.cache_bytes / self.regions
    }

    fn part(&self) -> u64 {
        self.bytes.div_ceil(self.regions)
    }

    /// Before which region of the cache a byte of the disk is written.
    pub(crate) fn region(&self, offset: u64) -> u64 {
        offset / self.part()
    }

    /// Where a region of the cache begins on the platters.
    pub(crate) fn region_start(&self, region: u64) -> u64 {
        region * (self.part() + self.region_bytes())
    }

    /// Where a byte lies on the platters when it is in its band.
    pub(crate) fn home(&self, offset: u64) -> u64 {
        offset + (self.region(offset) + 1) * self.region_bytes()
    }

    /// Where the next region of the cache is in the way.
    pub(crate) fn border(&self, offset: u64) -> u64 {
        (self.region(offset) + 1) * self.part()
    }

    pub(crate) fn band_count(&self) -> usize {
        self.bands.len()
    }

    pub(crate) fn band_of(&self, offset: u64) -> usize {
        self.bands.partition_point(|start| *start <= offset) - 1
    }

    pub(crate) fn band(&self, band: usize) -> Range<u64> {
        let end = self.bands.get(band + 1).copied().unwrap_or(self.bytes);
        self.bands[band]..end
    }
}
