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
    /// Until fast cells must be emptied while it is written; `None` where that never comes.
    folding: Option<Folding>,
    /// How fast they are emptied.
    fold: TransferRate,
    programming: u32,
    idle_since_ns: u64,
}

/// A drive that has no free slow cells left but by emptying fast ones.
#[derive(Debug)]
struct Folding {
    /// Slow cells take so much before.
    room_bytes: u64,
    taken_bytes: u64,
    program_ns: u64,
}

impl FastCells {
    /// Reads `slc=SIZE`, and where that is given `direct=RATE`, the rate of writes once it
    /// is full, `fold=RATE`, at which it is emptied, `room=SIZE`, what slow cells take until it
    /// must be emptied while it is written, and `folding=RATE`, the rate from there on. `None`
    /// without `slc`.
    pub(super) fn parse(
        spec: &mut Spec,
        flash: &Flash,
        dies: u64,
    ) -> Result<Option<Self>, SpecError> {
        let capacity = spec.optional("slc", Bytes::mib(1)..=Bytes::gib(1 << 20))?;
        let rates = TransferRate::megabytes(1)..=TransferRate::megabytes(100_000);
        let direct = spec.optional("direct", rates.clone())?;
        let fold = spec.optional("fold", rates.clone())?;
        let room = spec.optional("room", Bytes::mib(1)..=Bytes::gib(1 << 20))?;
        let folding = spec.optional("folding", rates)?;
        let Some(capacity) = capacity else {
            let lonely = [
                direct.map(|_| "direct"),
                fold.map(|_| "fold"),
                room.map(|_| "room"),
                folding.map(|_| "folding"),
            ];
            let lonely = lonely.into_iter().flatten().next();
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
        let program_ns = |rate: TransferRate| {
            narrow::<u128, u64>(fast_bytes / u128::from(rate.0))
                .saturating_sub(page_ns)
                .max(1)
        };
        if folding.is_some() && room.is_none() {
            let (key, other_key) = ("folding", "room");
            return Err(SpecError::Without { key, other_key });
        }
        let folding = folding.unwrap_or(TransferRate((direct.0 / 3).max(1)));
        not_above(("folding", folding), ("direct", direct))?;
        Ok(Some(Self {
            capacity_bytes: capacity.0,
            used_bytes: 0,
            slow_program_ns: program_ns(direct),
            folding: room.map(|room| Folding {
                room_bytes: room.0,
                taken_bytes: 0,
                program_ns: program_ns(folding),
            }),
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
            if let Some(folding) = &mut self.folding {
                folding.taken_bytes -= narrow::<_, u64>(freed.min(folding.taken_bytes.into()));
            }
        }
        self.programming += 1;
        if self.used_bytes + bytes > self.capacity_bytes {
            return self.slow_ns(bytes);
        }
        self.used_bytes += bytes;
        fast_ns
    }

    /// How long it takes to program `bytes` while fast cells are full.
    fn slow_ns(&mut self, bytes: u64) -> u64 {
        match &mut self.folding {
            Some(folding) if folding.taken_bytes + bytes > folding.room_bytes => folding.program_ns,
            Some(folding) => {
                folding.taken_bytes += bytes;
                self.slow_program_ns
            }
            None => self.slow_program_ns,
        }
    }

    /// What was begun has ended.
    pub(super) fn end(&mut self, now_ns: u64) {
        self.programming -= 1;
        self.idle_since_ns = now_ns;
    }
}
