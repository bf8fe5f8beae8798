//! A drive that says it is larger than it is, as sold by swindlers.

use sokudo_model::Bytes;

use super::constant::Constant;
use super::spec::{Spec, SpecError, not_a_multiple};
use super::{DeviceModel, PendingRequest, Presentation};

/// What the cheapest controllers hold in memory.
const CACHE_DEFAULT: Bytes = Bytes::mib(8);

/// A drive of constant latency of which only the first `real` bytes exist.
#[derive(Debug)]
pub(super) struct Fake {
    real_bytes: u64,
    beyond: BeyondSize,
    cache_bytes: u64,
    drive: Constant,
}

/// What becomes of a block beyond the real size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeyondSize {
    /// It lies where the address modulo the real size points to.
    Wrap,
    /// It is nowhere, and reads as zeros.
    Lost,
}

impl Fake {
    pub(super) fn parse(spec: &mut Spec, size: Bytes) -> Result<Self, SpecError> {
        let real = Bytes((size.0 / 32).next_multiple_of(4096));
        let real = spec.value("real", Bytes::mib(1)..=size, real)?;
        not_a_multiple(("real", real), Bytes::kib(4))?;
        let words = [("wrap", BeyondSize::Wrap), ("lost", BeyondSize::Lost)];
        let beyond = spec.choice("beyond", words, "wrap or lost")?;
        let cache = spec.value("cache", Bytes(4096)..=Bytes::gib(64), CACHE_DEFAULT)?;
        Ok(Self {
            real_bytes: real.0,
            beyond,
            cache_bytes: cache.0,
            drive: Constant::parse(spec)?,
        })
    }
}

impl DeviceModel for Fake {
    fn presentation(&self) -> Presentation {
        Presentation {
            model: "sokudo simulated drive of false capacity",
            ..self.drive.presentation()
        }
    }

    fn seed(&mut self, seed: u64) {
        self.drive.seed(seed);
    }

    fn submit(&mut self, now_ns: u64, job: PendingRequest) {
        self.drive.submit(now_ns, job);
    }

    fn next_ns(&self) -> Option<u64> {
        self.drive.next_ns()
    }

    fn advance(&mut self, now_ns: u64, finished: &mut Vec<PendingRequest>) {
        self.drive.advance(now_ns, finished);
    }

    fn cell_of(&self, offset: u64) -> Option<u64> {
        match self.beyond {
            _ if offset < self.real_bytes => Some(offset),
            BeyondSize::Wrap => Some(offset % self.real_bytes),
            BeyondSize::Lost => None,
        }
    }

    fn remembered_bytes(&self) -> u64 {
        self.cache_bytes
    }
}
