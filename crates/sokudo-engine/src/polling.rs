//! Whether the driver of a device can be asked for completions.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{major, minor};

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
    match polls(file) {
        Some(false) => Err(PollingError::NoQueues(file.path().to_owned())),
        _ => Ok(()),
    }
}

/// `queue/io_poll` of the device: before Linux 6.11 an I/O on a device without such queues was
/// carried out by interrupt, and nothing else says so.
fn polls(file: &FileTarget) -> Option<bool> {
    let metadata = file.handle().metadata().ok()?;
    let number = match file.is_regular() {
        true => metadata.dev(),
        false => metadata.rdev(),
    };
    let device = PathBuf::from(format!(
        "/sys/dev/block/{}:{}",
        major(number),
        minor(number)
    ));
    // A partition has the queue of its disk.
    let mut settings = ["queue/io_poll", "../queue/io_poll"]
        .into_iter()
        .filter_map(|path| fs::read_to_string(device.join(path)).ok());
    Some(settings.next()?.trim() != "0")
}
