//! What the models of devices have in common.

use std::fmt::Debug;

use sokudo_model::DeviceCounters;

use super::job::PendingRequest;
use super::presentation::Presentation;

/// Takes jobs and gives them back when they are done, in its own time.
pub(super) trait DeviceModel: Debug + Send + Sync {
    fn presentation(&self) -> Presentation;

    /// Chooses what is left to chance.
    fn seed(&mut self, seed: u64);

    fn submit(&mut self, now_ns: u64, job: PendingRequest);

    /// When [`Self::advance`] would do anything next.
    fn next_ns(&self) -> Option<u64>;

    fn advance(&mut self, now_ns: u64, finished: &mut Vec<PendingRequest>);

    /// What members have moved, of a model that has some.
    fn member_counters(&self) -> Option<DeviceCounters> {
        None
    }

    /// Where the block at an address really lies; `None` is nowhere.
    fn cell_of(&self, offset: u64) -> Option<u64> {
        Some(offset)
    }

    /// Up to where blocks lie one behind the other as their addresses do.
    fn cells_until(&self, _offset: u64) -> u64 {
        u64::MAX
    }

    /// So many bytes that were written last are answered from memory, wherever they were
    /// to go.
    fn remembered_bytes(&self) -> u64 {
        0
    }
}
