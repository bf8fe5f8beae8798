//! What io_uring and libaio have in common: I/Os are prepared, submitted and
//! reaped, on buffers that the queue owns.

use std::io;
use std::time::{Duration, Instant};

use crate::region::Region;
use crate::request::Request;

/// How long dropping a queue waits for I/O in flight before it leaks its memory
/// instead: as long as the SCSI layer gives a command by default.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(30);

/// A queue of asynchronous I/O on one file.
pub trait Queue {
    fn region_mut(&mut self) -> &mut Region;

    /// I/Os prepared or submitted and not yet reaped.
    fn in_flight(&self) -> u32;

    /// Prepares one I/O; it starts with the next submission.
    ///
    /// # Panics
    /// If more I/Os are prepared than the queue is deep, or the buffer is in
    /// flight.
    fn prepare(&mut self, request: Request);

    /// Submits what is prepared and returns at once.
    ///
    /// # Errors
    /// Those of the system call, not those of single I/Os, which are results;
    /// nothing is lost, what was prepared stays so.
    fn submit(&mut self) -> io::Result<()>;

    /// Submits what is prepared and waits until `wanted` I/Os have completed, or
    /// the queue's tick has passed. Waits for no more than are in flight.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()>;

    /// Submits what is prepared and waits for a completion, but not longer than
    /// `patience`, which may be shorter than the tick.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()>;

    /// Hands every completed I/O to `each`: its buffer and its result.
    fn reap(&mut self, each: impl FnMut(u32, i32));
}

/// Waits until nothing is in flight; false when the device does not answer.
pub(crate) fn drain(queue: &mut impl Queue) -> bool {
    let started = Instant::now();
    while queue.in_flight() > 0 {
        if started.elapsed() > DRAIN_TIME_MAX || queue.submit_and_wait(1).is_err() {
            return false;
        }
        queue.reap(|_, _| {});
    }
    true
}
