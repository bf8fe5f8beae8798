//! `sokudo prepare` makes one file system of one disk, and takes back only that.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::loop_device::LoopDevice;
use crate::sokudo::{has, skip, sokudo};

const DISK_BYTES: u64 = 128 << 20;

/// A disk that can have partitions. None, said loudly, where there can be none.
fn disk() -> Option<LoopDevice> {
    if !has("sfdisk") {
        skip("sfdisk is not installed");
        return None;
    }
    LoopDevice::with_partitions(DISK_BYTES)
}

fn wipefs(path: &str) -> String {
    let output = Command::new("wipefs")
        .args(["--noheadings", path])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn is_mounted(at: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    mounts.contains(at.to_str().unwrap())
}

#[test]
fn what_is_no_whole_disk_is_refused() {
    sokudo("prepare /etc/passwd --fs ext4 --mount /mnt/x --dry-run")
        .refused(2, &["no block device"]);
    sokudo("prepare /dev/sdx --fs zfs --mount /mnt/x").refused(2, &["ext4"]);
    sokudo("prepare /dev/sdx").refused(2, &["--fs"]);
}
