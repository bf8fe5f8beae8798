//! `sokudo explain`: conclusions, what is asked for before anything is written, and that
//! nothing is claimed of what is no disk.

use serde_json::Value;
use std::path::Path;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_on_disk, sokudo_on};
use crate::written::write;

fn explain(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("explain", target, arguments)
}

fn inferences(run: &Value) -> Vec<&str> {
    let inferences = run["inferences"].as_array();
    let codes = inferences.into_iter().flatten();
    codes.filter_map(|it| it["code"].as_str()).collect()
}

#[test]
fn a_file_that_exists_is_not_written_and_what_needs_it_is_refused() {
    let directory = directory_on_disk();
    let file = directory.path().join("data");
    write(&file, vec![7u8; 8 << 20]);
    let ended = explain(&file, "--only shingles");
    ended.refused(3, &["--only shingles writes", "--overwrite"]);
    // A directory would not help: only a device has a capacity of its own.
    let ended = explain(&file, "--only capacity");
    ended.refused(3, &["--only capacity writes", "name the device"]);
    explain(directory.path(), "--only capacity").refused(2, &["is not a device"]);
    explain(&file, "--only read-cache --quiet").ok();
    assert_eq!(std::fs::read(&file).unwrap(), vec![7u8; 8 << 20]);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_loop_device_is_taken_for_no_disk() {
        let Some(device) = LoopDevice::new(256 << 20, true) else {
            return;
        };
        let arguments = "--only rotation --only seek --quiet --format json";
        let run = explain(&device.path, arguments).json();
        // That no seek curve is told, and why.
        assert_eq!(inferences(&run), ["not-concluded"], "{run}");
    }
}
