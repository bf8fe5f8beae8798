//! What sokudo is asked for and cannot do: one line that names the thing and the
//! way out, and nothing left behind.

use std::fs::{self};

use crate::loop_device::FileSystem;
use crate::nobody::Nobody;
use crate::sokudo::{end, mark, sokudo_on};

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_directory_without_permission_is_refused() {
        let Some(nobody) = Nobody::new() else { return };
        let ended = end(&mut nobody.shell("\"$SOKUDO\" mark .. --size 16MiB"));
        ended.refused(1, &["Permission denied", "that you may write to"]);
        assert_eq!(ended.told.matches("Permission denied").count(), 1);
    }

    #[test]
    fn a_read_only_file_system_is_refused_and_an_existing_file_on_it_is_read() {
        let Some(system) = FileSystem::new("ext4", 64 << 20, true) else {
            return;
        };
        let file = system.path().join("data");
        fs::write(&file, vec![7; 16 << 20]).unwrap();
        system.make_read_only();
        mark(system.path(), "").refused(1, &["read-only", "remount it for writing"]);
        mark(&file, "--row RND4K --quiet").ok();
    }

    #[test]
    fn a_full_disk_is_refused_and_stays_as_it_is() {
        let Some(system) = FileSystem::new("ext4", 64 << 20, true) else {
            return;
        };
        let free = system.free_bytes();
        mark(system.path(), "--size 128MiB").refused(1, &["free", "make room"]);
        let checked = sokudo_on("checkup --no-store", system.path(), "--size 128MiB");
        checked.refused(1, &["free", "make room", "(--size)"]);
        assert_eq!(system.free_bytes(), free);
        assert_eq!(system.files(), [""; 0]);
        let Some(system) = FileSystem::new("ext4", 8 << 20, true) else {
            return;
        };
        let checked = sokudo_on("checkup --no-store", system.path(), "");
        checked.refused(1, &["free", "make room, or check the device below"]);
    }
}
