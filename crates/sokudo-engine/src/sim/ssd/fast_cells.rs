//! Cells that are written as if they held one bit each: fast, but few (pseudo-SLC).

use sokudo_model::{Bytes, narrow};

use super::super::rate::TransferRate;
use super::super::spec::{Spec, SpecError, not_above};
use super::flash::Flash;

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// The part of the flash that is programmed fast until it is full. What it holds is
/// moved to slow cells while nothing is programmed, which makes room again.
#[derive(Debug)]
pub(super) struct FastCells {
    capacity_bytes: u64,
    used_bytes: u64,
    /// How long programming a page takes when they are full.
    slow_program_ns: u64,
    /// How fast they are emptied.
    fold: TransferRate,
    programming: u32,
    idle_since_ns: u64,
}

impl FastCells {
    /// Reads `slc=SIZE`, and where that is given `direct=RATE`, the rate of writes once it
    /// is full, and `fold=RATE`, at which it is emptied. `None` without `slc`.
    pub(super) fn parse(
        spec: &mut Spec,
        flash: &Flash,
        dies: u64,
    ) -> Result<Option<Self>, SpecError> {
        let capacity = spec.optional("slc", Bytes::mib(1)..=Bytes::gib(1 << 20))?;
        let rates = TransferRate::megabytes(1)..=TransferRate::megabytes(100_000);
        let direct = spec.optional("direct", rates.clone())?;
        let fold = spec.optional("fold", rates)?;
        let Some(capacity) = capacity else {
            let lonely = direct.map(|_| "direct").or(fold.map(|_| "fold"));
            return lonely.map_or(Ok(None), |key| {
                Err(SpecError::Without {
                    key,
                    other_key: "slc",
                })
            });
        };
        let page_ns = flash.bus.nanos(flash.page_bytes);
        let fast_bytes = u128::from(dies * flash.page_bytes) * NANOS_PER_SECOND;
        let fast_rate = fast_bytes / u128::from(page_ns + flash.program_ns);
        let fast = TransferRate(narrow(fast_rate));
        let direct = direct.unwrap_or(TransferRate((fast.0 / 3).max(1)));
        not_above(("direct", direct), ("the rate of the flash", fast))?;
        let slow_ns: u64 = narrow(fast_bytes / u128::from(direct.0));
        Ok(Some(Self {
            capacity_bytes: capacity.0,
            used_bytes: 0,
            slow_program_ns: slow_ns.saturating_sub(page_ns).max(1),
            fold: fold.unwrap_or(direct),
            programming: 0,
            idle_since_ns: 0,
        }))
    }

    /// How long it takes to program `bytes` from `now_ns` on, of which fast cells would
    /// take `fast_ns`.
    pub(super) fn begin(&mut self, now_ns: u64, bytes: u64, fast_ns: u64) -> u64 {
        if self.programming == 0 {
            let idle_ns = now_ns.saturating_sub(self.idle_since_ns);
            let freed = u128::from(idle_ns) * u128::from(self.fold.0) / NANOS_PER_SECOND;
            // A long rest frees all.
            self.used_bytes -= narrow::<_, u64>(freed.min(self.used_bytes.into()));
        }
        self.programming += 1;
        if self.used_bytes + bytes > self.capacity_bytes {
            return self.slow_program_ns;
        }
        self.used_bytes += bytes;
        fast_ns
    }

    /// What was begun has ended.
    pub(super) fn end(&mut self, now_ns: u64) {
        self.programming -= 1;
        self.idle_since_ns = now_ns;
    }
}
