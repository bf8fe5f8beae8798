//! How the flash behaves.

use sokudo_model::{Bytes, Nanos};
use sokudo_stats::Random;

use super::super::rate::TransferRate;
use super::super::spec::{Spec, SpecError, not_above};

/// The times of the flash.
#[derive(Debug)]
pub(super) struct Flash {
    pub(super) page_bytes: u64,
    read_ns: u64,
    pub(super) program_ns: u64,
    jitter_ns: u64,
    pub(super) bus: TransferRate,
}

impl Flash {
    pub(super) fn parse(spec: &mut Spec) -> Result<Self, SpecError> {
        let page = spec.value("page", Bytes(512)..=Bytes::mib(1), Bytes::kib(16))?;
        let times = Nanos(1)..=Nanos::from_secs(1);
        let read = spec.value("read", times.clone(), Nanos::from_micros(60))?;
        let program = spec.value("program", times.clone(), Nanos::from_micros(500))?;
        // Pages of one cell differ in how often it must be sensed.
        let jitter = spec.value("jitter", Nanos(0)..=*times.end(), Nanos(read.0 / 10))?;
        not_above(("jitter", jitter), ("read", read))?;
        let buses = TransferRate::megabytes(1)..=TransferRate::megabytes(100_000);
        let bus = spec.value("bus", buses, TransferRate::megabytes(1_200))?;
        Ok(Self {
            page_bytes: page.0,
            read_ns: read.0,
            program_ns: program.0,
            jitter_ns: jitter.0,
            bus,
        })
    }

    /// Time to read a page, in nanoseconds: uniform within `jitter_ns` of `read_ns`.
    pub(super) fn sense_ns(&self, random: &mut Random) -> u64 {
        self.read_ns - self.jitter_ns + random.below(2 * self.jitter_ns + 1)
    }
}
