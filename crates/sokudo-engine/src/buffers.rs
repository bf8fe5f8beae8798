//! Which buffers there are and which are free. Buffers themselves belong to the
//! backend.

use sokudo_model::{Bytes, DataContent, Operation, Plan, Stage, Workload, narrow};

use crate::data::POOL_BYTES;

/// Buffers that are not in flight, longest unused first, so that all are used in
/// turn. Holds at most as many as there are.
pub(crate) struct FreeSlots {
    ring: Box<[u32]>,
    ends: RingEnds,
}

/// How many have been taken from a ring and given back to it, modulo 2^32.
#[derive(Clone, Copy)]
struct RingEnds {
    mask: u32,
    taken: u32,
    given_back: u32,
}

/// The same for a loop: its ends are where the processor has them at hand, and are put back when
/// it is dropped.
pub(crate) struct FreeSlotsAtHand<'a> {
    ring: &'a mut [u32],
    ends: RingEnds,
    to: &'a mut RingEnds,
}

impl RingEnds {
    #[inline(always)]
    fn take(&mut self, ring: &[u32]) -> u32 {
        debug_assert_ne!(self.taken, self.given_back, "a buffer per I/O in flight");
        let buffer_index = ring[(self.taken & self.mask) as usize];
        self.taken = self.taken.wrapping_add(1);
        buffer_index
    }

    #[inline(always)]
    fn give_back(&mut self, ring: &mut [u32], buffer_index: u32) {
        ring[(self.given_back & self.mask) as usize] = buffer_index;
        self.given_back = self.given_back.wrapping_add(1);
    }
}

impl FreeSlotsAtHand<'_> {
    #[inline(always)]
    pub(crate) fn take(&mut self) -> u32 {
        self.ends.take(self.ring)
    }

    #[inline(always)]
    pub(crate) fn give_back(&mut self, buffer_index: u32) {
        self.ends.give_back(self.ring, buffer_index);
    }
}

impl Drop for FreeSlotsAtHand<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.to = self.ends;
    }
}

impl FreeSlots {
    /// All of them are free.
    pub(crate) fn new(slots: u32) -> Self {
        let size = slots.next_power_of_two();
        Self {
            ring: (0..size).collect(),
            ends: RingEnds {
                mask: size - 1,
                taken: 0,
                given_back: slots,
            },
        }
    }

    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        self.ends.take(&self.ring)
    }

    #[inline]
    pub(crate) fn give_back(&mut self, buffer_index: u32) {
        self.ends.give_back(&mut self.ring, buffer_index);
    }

    #[inline]
    pub(crate) fn at_hand(&mut self) -> FreeSlotsAtHand<'_> {
        FreeSlotsAtHand {
            ring: &mut self.ring,
            ends: self.ends,
            to: &mut self.ends,
        }
    }

    /// Those that are free.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let RingEnds {
            mask,
            taken,
            given_back,
        } = self.ends;
        let count = given_back.wrapping_sub(taken);
        (0..count).map(move |index| self.ring[(taken.wrapping_add(index) & mask) as usize])
    }
}

/// Memory that the buffers of a plan take at most, of all threads that run together.
pub fn buffer_bytes(plan: &Plan) -> Bytes {
    let of_workload = |workload: &Workload| {
        let buffers = u64::from(buffers_for(workload, workload.depth));
        let thread_bytes = buffers.saturating_mul(workload.blocks.largest().0);
        thread_bytes.saturating_mul(workload.threads.into())
    };
    let of_stage = |stage: &Stage| {
        let workloads = stage.workloads.iter().map(of_workload);
        workloads.fold(0, u64::saturating_add)
    };
    Bytes(plan.stages.iter().map(of_stage).max().unwrap_or(0))
}

/// What a survey writes back at a sample is read and written in portions of at most this, or
/// of one block, so that little is under way when the power fails, and memory stays small.
pub(crate) const PORTION_BYTES_MAX: u64 = 64 << 20;

/// Buffers are kept for so many I/Os of a survey that hang at the same time; with more the survey ends. On
/// a disk of which a part answers nothing each takes as long as is waited for one.
pub(crate) const HUNG_MAX: u32 = 32;

/// Buffers for a thread: one per I/O in flight, and for random data enough more
/// that none is written again soon. A survey has room for what is to be written back, and one
/// more for what is done alone; where it does not wait for what hangs, as many more as may; where
/// its blocks are sealed, as many again as are in flight, which wait to be looked at.
pub(crate) fn buffers_for(workload: &Workload, depth: u32) -> u32 {
    let Some(survey) = workload.survey() else {
        return pool_of(workload, depth);
    };
    let held = if survey.write_back {
        narrow(PORTION_BYTES_MAX / workload.blocks.largest().0.max(1))
    } else if workload.seal().is_some() {
        depth.saturating_mul(2)
    } else {
        pool_of(workload, depth)
    };
    let spare = survey.timeout.map_or(0, |_| HUNG_MAX);
    held.max(depth).saturating_add(1 + spare)
}

/// The size of each of them, in units that can be read.
pub(crate) fn buffer_length(workload: &Workload, logical_bytes: u64) -> u32 {
    let approach = workload.survey().and_then(|survey| survey.approach);
    let most = workload.blocks.largest().max(approach.unwrap_or(Bytes(0)));
    narrow(most.0.next_multiple_of(logical_bytes))
}

fn pool_of(workload: &Workload, depth: u32) -> u32 {
    let writes_new =
        workload.operations.percent(Operation::Write) > 0 && workload.rewritten_percent() == 0;
    if !writes_new || workload.data != DataContent::Random {
        return depth;
    }
    let pool = POOL_BYTES / u64::from(workload.threads) / workload.blocks.largest().0.max(1);
    depth.max(narrow(pool))
}
