//! What the kernel says of the queue of the device that a file is, or lies on.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{major, minor};

use crate::target::FileTarget;

/// A number in `queue/` of its device; `None` where there is no such number, as for file systems on
/// several devices.
pub(crate) fn queue_setting(file: &FileTarget, name: &str) -> Option<u64> {
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
    ["queue", "../queue"].into_iter().find_map(|queue| {
        let text = fs::read_to_string(device.join(queue).join(name)).ok()?;
        text.trim().parse().ok()
    })
}
