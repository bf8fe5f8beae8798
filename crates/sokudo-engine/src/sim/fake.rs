//! A drive that says it is larger than it is, as sold by swindlers.

use sokudo_model::Bytes;

use super::constant::Constant;
use super::spec::{Spec, SpecError, not_a_multiple};
use super::{DeviceModel, PendingRequest, Presentation};

/// What the cheapest controllers hold in memory.
const CACHE_DEFAULT: Bytes = Bytes::mib(8);
const WINDOW_DEFAULT: Bytes = Bytes::mib(64);
/// What is real ends at a sector, within a block or not.
const SECTOR: Bytes = Bytes(512);

/// A drive of constant latency of which only the first `real` bytes exist.
#[derive(Debug)]
pub(super) struct Fake {
    real_bytes: u64,
    beyond: BeyondSize,
    window_at: u64,
    window_bytes: u64,
    cache_bytes: u64,
    drive: Constant,
}

/// What becomes of a block beyond the real size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeyondSize {
    /// It lies where the address modulo the real size points to.
    Wrap,
    /// It lies in the window, which addresses pass through again and again.
    Window,
    /// It lies in the last part of what is real, likewise.
    Tail,
    /// It is nowhere, and reads as zeros.
    Lost,
}

impl Fake {
    pub(super) fn parse(spec: &mut Spec, size: Bytes) -> Result<Self, SpecError> {
        let real = Bytes((size.0 / 32).next_multiple_of(4096));
        let real = spec.value("real", Bytes::mib(1)..=size, real)?;
        not_a_multiple(("real", real), SECTOR)?;
        let words = [
            ("wrap", BeyondSize::Wrap),
            ("tail", BeyondSize::Tail),
            ("window", BeyondSize::Window),
            ("lost", BeyondSize::Lost),
        ];
        let beyond = spec.choice("beyond", words, "wrap, tail, window or lost")?;
        let window = spec.value("window", Bytes(4096)..=real, WINDOW_DEFAULT.min(real))?;
        not_a_multiple(("window", window), Bytes::kib(4))?;
        let last = Bytes(real.0 - window.0);
        let at = match beyond {
            BeyondSize::Window => spec.value("at", Bytes(0)..=last, Bytes(0))?,
            _ => last,
        };
        not_a_multiple(("at", at), SECTOR)?;
        let cache = spec.value("cache", Bytes(4096)..=Bytes::gib(64), CACHE_DEFAULT)?;
        Ok(Self {
            real_bytes: real.0,
            beyond,
            window_at: at.0,
            window_bytes: window.0,
            cache_bytes: cache.0,
            drive: Constant::parse(spec, None)?,
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
            BeyondSize::Window | BeyondSize::Tail => {
                Some(self.window_at + (offset - self.real_bytes) % self.window_bytes)
            }
            BeyondSize::Lost => None,
        }
    }

    fn cells_until(&self, offset: u64) -> u64 {
        let turn = match self.beyond {
            _ if offset < self.real_bytes => return self.real_bytes,
            BeyondSize::Wrap => self.real_bytes,
            BeyondSize::Window | BeyondSize::Tail => self.window_bytes,
            BeyondSize::Lost => return u64::MAX,
        };
        // The real size is the start of the first turn.
        offset + turn - (offset - self.real_bytes) % turn
    }

    fn remembered_bytes(&self) -> u64 {
        self.cache_bytes
    }
}
