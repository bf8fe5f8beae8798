//! A drive that says it is larger than it is, as sold by swindlers.

use sokudo_model::Bytes;

use super::constant::Constant;
use super::spec::{SIZE, Spec, SpecError, SpecKey, not_a_multiple};
use super::{PendingRequest, Presentation};

/// What the cheapest controllers hold in memory.
const CACHE_DEFAULT: Bytes = Bytes::mib(8);

/// A drive of constant latency of which only the first `real` bytes exist.
#[derive(Debug)]
pub(super) struct Fake {
    real_bytes: u64,
    beyond: BeyondSize,
    cache_bytes: u64,
    pub(super) drive: Constant,
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
        let real = SpecKey::new("real", SIZE, Bytes::mib(1), size);
        let real = spec.value(real, Bytes((size.0 / 32).next_multiple_of(4096)))?;
        not_a_multiple(("real", real), Bytes::kib(4))?;
        let beyond = match spec.text("beyond")? {
            None | Some("wrap") => BeyondSize::Wrap,
            Some("lost") => BeyondSize::Lost,
            Some(other) => {
                return Err(SpecError::NotAValue {
                    key: "beyond",
                    value: other.to_owned(),
                    expected: "wrap or lost",
                });
            }
        };
        let cache = SpecKey::new("cache", SIZE, Bytes(4096), Bytes::gib(64));
        let cache = spec.value(cache, CACHE_DEFAULT)?;
        Ok(Self {
            real_bytes: real.0,
            beyond,
            cache_bytes: cache.0,
            drive: Constant::parse(spec)?,
        })
    }

    pub(super) fn presentation(&self) -> Presentation {
        Presentation {
            model: "sokudo simulated drive of false capacity",
            ..self.drive.presentation()
        }
    }

    /// Where the block at an address really lies; `None` is nowhere.
    pub(super) const fn cell_of(&self, offset: u64) -> Option<u64> {
        match self.beyond {
            _ if offset < self.real_bytes => Some(offset),
            BeyondSize::Wrap => Some(offset % self.real_bytes),
            BeyondSize::Lost => None,
        }
    }

    /// So many bytes that were written last are answered from memory, wherever they were
    /// to go.
    pub(super) const fn cache_bytes(&self) -> u64 {
        self.cache_bytes
    }

    pub(super) fn submit(&mut self, now_ns: u64, job: PendingRequest) {
        self.drive.submit(now_ns, job);
    }
}
