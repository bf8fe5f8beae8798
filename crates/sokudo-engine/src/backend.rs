//! How I/O is issued: one trait, one file per way.

mod any;
mod null;
mod open;
mod psync;
mod queued;
mod vsync;

use std::io;
use std::time::Duration;

use sokudo_sys::Request;

pub(crate) use any::each;
pub(crate) use null::Null;
pub use open::OpenError;
pub(crate) use open::{AnyBackend, BackendRequirements, depth_used, open, open_commands, used};
pub(crate) use psync::{Mmap, Psync};
pub(crate) use queued::Queued;
pub(crate) use vsync::Vsync;

/// How long a backend waits for a silent device before it lets the worker look at
/// the clock and the control: short enough for Ctrl-C to feel immediate.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Submits I/Os and reaps their completions; nothing else.
///
/// Buffers belong to the backend. A buffer's index names its I/O.
pub(crate) trait Backend {
    /// Whether submitting is a step of its own, whose length can be measured.
    const SUBMITS: bool = false;
    /// Whether the contents of buffers go anywhere.
    const MOVES_DATA: bool = true;

    /// A buffer that is not in flight.
    fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8];
    /// Takes an I/O; it starts at the next submission.
    fn prepare(&mut self, request: Request);
    /// Submits what was prepared, without waiting; nothing where that is no step.
    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Submits what was prepared and waits for `wanted` completions, at most a
    /// [`TICK`].
    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()>;
    /// Submits what was prepared and waits for a completion, at most `patience`.
    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()>;
    /// Hands buffer and result (bytes, or minus errno) of each completion to `each`.
    fn reap(&mut self, each: impl FnMut(u32, i32));
}
