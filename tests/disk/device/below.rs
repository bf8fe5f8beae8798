//! What is below a loop device whose file has no name any more.

use std::fs::{self, File};

use sokudo_device::{System, inspect};

use crate::loop_device::LoopDevice;

fn leaves(device: &LoopDevice) -> (Vec<String>, String) {
    let found = inspect(&System::host(), device.path.to_str().unwrap()).unwrap();
    let leaves = found.info.leaves().map(|leaf| leaf.name.clone()).collect();
    let blind = found.info.blind_spots.iter().map(ToString::to_string);
    (leaves, blind.collect::<Vec<_>>().join("; "))
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn the_disk_below_a_file_is_the_same_once_the_file_is_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        File::create(&file).unwrap().set_len(8 << 20).unwrap();
        let Some(device) = LoopDevice::on(&file, &[]) else {
            return;
        };
        let before = leaves(&device);
        fs::remove_file(&file).unwrap();
        let after = leaves(&device);
        assert_eq!(after, before);
        assert!(!after.1.contains("has been deleted"), "{after:?}");
    }
}
