//! Whether the driver of a device can be asked for completions.

use std::path::PathBuf;

use crate::kernel_settings::queue_setting;
use crate::target::FileTarget;

/// Why completions cannot be asked for.
#[derive(Debug, sokudo_words::Error)]
pub enum PollingError {
    /// No queue of its driver is for polling.
    #[error("{path} cannot be polled: its driver has no queues for that; load it with some (NVMe: nvme.poll_queues=2 on the kernel's command line), or measure without polling", path = .0.display())]
    NoQueues(PathBuf),
}

/// Checks that the device under a file has queues that are polled. Where that cannot be seen,
/// as of file systems on several devices, the kernel refuses the first I/O instead.
pub(crate) fn check_polled(file: &FileTarget) -> Result<(), PollingError> {
    // Before Linux 6.11 an I/O on a device without such queues was carried out by interrupt, and
    // nothing else says so.
    match queue_setting(file, "io_poll") {
        Some(0) => Err(PollingError::NoQueues(file.path().to_owned())),
        _ => Ok(()),
    }
}
