//! What sokudo is asked for and cannot do: one line that names the thing and the
//! way out, and nothing left behind.

use std::fs::{self};

use crate::loop_device::FileSystem;
use crate::sokudo::{Nobody, end, mark};

/// Arguments that make no sense, and words of the line that says so.
const USAGE: [(&str, &[&str]); 22] = [
    ("--profile fast", &["\"fast\"", "choose one of default"]),
    ("--row FOO", &["FOO", "write it like SEQ1M,Q8,T1"]),
    ("--row ''", &["write it like SEQ1M,Q8,T1"]),
    ("--row RND5000", &["RND5000", "multiple of 512 B"]),
    ("--row RND4K,Q0", &["RND4K,Q0", "from 1 to"]),
    ("--row RND4K,T0", &["RND4K,T0", "from 1 to 256"]),
    ("--row RND4K,Q1,Q2", &["Q2", "leave one out"]),
    ("--row RND4K,mix170", &["170", "not 100 %"]),
    ("--mix R70/W40", &["R70/W40", "not 100 %"]),
    ("--size 0", &["--size", "at least 16 MiB"]),
    ("--size 1MiB", &["--size", "at least 16 MiB"]),
    ("--size 17000001", &["17000001", "use 16777216"]),
    ("--size big", &["\"big\"", "such as 4KiB"]),
    ("--size 99999999999999999999", &["below 16 EiB"]),
    ("--time 0s", &["--time", "such as 1s"]),
    ("--runs 0", &["--runs", "1 to 10000"]),
    ("--threads 257", &["--threads", "1 to 256"]),
    ("--depth 0", &["--depth", "1 to 32767"]),
    (
        "--engine fast",
        &[
            "fast",
            "use auto, fastest, io_uring, io_uring_cmd, libaio or psync",
        ],
    ),
    ("--read-only --write-only", &["--read-only", "--write-only"]),
    ("--overwrite", &["leave --overwrite out"]),
    ("--frobnicate", &["--frobnicate"]),
];

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
        assert_eq!(system.free_bytes(), free);
        assert_eq!(system.files(), [""; 0]);
    }
}
