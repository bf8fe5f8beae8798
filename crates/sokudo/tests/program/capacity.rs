//! `sokudo explain --only capacity` on devices that are as large as they say, and on one
//! that is not.

use std::path::Path;

use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::sokudo::sokudo;

const MIB: usize = 1 << 20;

/// What is concluded about a device that may be destroyed.
fn concluded(device: &Path) -> Value {
    let device = device.display();
    let arguments = format!("explain {device} --only capacity --format json --destroy {device}");
    sokudo(&arguments).json()["inferences"][0].clone()
}

#[test]
fn a_drive_whose_addresses_wrap_is_found_out() {
    let faults = Faults {
        wraps_at: Some(48 * MIB as u64),
        ..Faults::default()
    };
    let Some(file) = FaultyFile::new(256 * MIB, faults) else {
        return;
    };
    let Some(disk) = file.as_disk() else { return };
    let found = concluded(disk.path());
    assert_eq!(found["code"], "fake-capacity", "{found}");
    assert_eq!(found["figures"][0]["value"], (48 * MIB) as f64, "{found}");
}
