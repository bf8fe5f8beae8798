//! The quick look: hdparm's two timings and dd.

use std::fs;
use std::path::Path;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_on_disk, results, sokudo, sokudo_on};
use crate::written::write;

const MIB: usize = 1 << 20;

/// `sokudo quick TARGET ARGUMENTS`, short.
fn quick(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("quick --quiet --time 50ms", target, arguments)
}

fn names(run: &serde_json::Value) -> Vec<(&str, &str)> {
    results(run)
        .iter()
        .map(|row| {
            let (name, direction) = (&row["name"], &row["direction"]);
            (name.as_str().unwrap(), direction.as_str().unwrap())
        })
        .collect()
}

#[test]
fn a_directory_is_looked_at_in_every_way() {
    let directory = directory_on_disk();
    let arguments = "--size 16MiB --time 1s --format json";
    let run = sokudo_on("quick --quiet", directory.path(), arguments).json();
    assert_eq!(
        names(&run),
        [
            ("cached (hdparm -T)", "read"),
            ("buffered (hdparm -t)", "read"),
            ("direct (dd)", "read"),
            ("direct (dd)", "write"),
        ]
    );
    assert_eq!(run["plan"]["method"], "quick");
    let rows = results(&run);
    assert_eq!(rows[0]["direct"], false);
    assert_eq!(rows[0]["workload"]["blocks"][0]["bytes"], 2 * MIB);
    // Not more than once over the file through the cache, so that the disk is read.
    let buffered = rows[1]["trials"][0]["bytes"].as_u64().unwrap();
    assert!(buffered <= 16 * MIB as u64, "{buffered}");
    // Again and again at one place, which no figure of a disk can be.
    let cached = rows[0]["trials"][0]["bytes"].as_u64().unwrap();
    assert!(cached > 2 * MIB as u64, "{cached}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn as_many_bytes_are_moved_as_are_asked_for_zeros_if_wanted() {
    let directory = directory_on_disk();
    let arguments = "--bytes 24MiB --data zero --format json";
    let run = sokudo_on("quick --quiet", directory.path(), arguments).json();
    assert_eq!(
        names(&run),
        [("direct (dd)", "read"), ("direct (dd)", "write")]
    );
    for row in results(&run) {
        assert_eq!(row["trials"][0]["bytes"], 24 * MIB, "{row}");
        assert_eq!(row["workload"]["limits"]["time"], serde_json::Value::Null);
        assert_eq!(row["workload"]["data"], "zero");
    }
    assert_eq!(run["layout"]["bytes"], 24 * MIB, "{run}");
    for (arguments, words) in [
        ("--bytes 1500KiB", "use a multiple"),
        ("--bytes 32MiB --size 16MiB", "has only 16 MiB"),
        ("--bytes 1MiB --test cached", "leave one out"),
    ] {
        let ended = sokudo_on("quick --quiet", directory.path(), arguments);
        ended.refused(2, &["--bytes is", words]);
    }
    sokudo("quick sim:hdd --bytes 1GiB --time 1s").refused(2, &["--bytes", "--time"]);
}

#[test]
fn what_dd_writes_with_fdatasync_is_all_of_a_file_and_a_flush() {
    let directory = directory_on_disk();
    for (tests, emptied) in [("", true), ("--test write", false)] {
        let arguments = format!("--size 16MiB --test fdatasync {tests} --format json");
        let run = sokudo_on("quick --quiet", directory.path(), &arguments).json();
        let rows = results(&run);
        let row = rows.last().unwrap();
        assert_eq!(row["name"], "fdatasync (dd)");
        assert_eq!(row["direct"], false);
        assert_eq!(row["trials"][0]["bytes"], 16 * MIB, "{row}");
        assert_eq!(row["workload"]["durability"]["final_flush"], true);
        let is_emptied = row["workload"]["files"]["from_empty"] == true;
        assert_eq!(is_emptied, emptied, "{row}");
        // What is written to an empty file is not laid out before.
        assert_eq!(run["layout"].is_null(), emptied, "{run}");
    }
    quick("sim:ssd", "--test fdatasync").refused(2, &["no page cache"]);
}

#[test]
fn a_file_is_only_read_unless_it_may_be_overwritten() {
    let directory = directory_on_disk();
    let file = directory.path().join("data");
    let content = vec![7u8; 4 * MIB];
    write(&file, &content);
    let ended = quick(&file, "--format json");
    assert_eq!(results(&ended.json()).len(), 3);
    assert_eq!(fs::read(&file).unwrap(), content);
    quick(&file, "--test write").refused(3, &["--overwrite"]);
    assert_eq!(fs::read(&file).unwrap(), content);
    let run = quick(&file, "--test write --overwrite --format json").json();
    assert_eq!(names(&run), [("direct (dd)", "write")]);
    assert_ne!(fs::read(&file).unwrap(), content);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_device_is_only_read_and_its_reads_come_from_it() {
        let Some(device) = LoopDevice::new(64 << 20, true) else {
            return;
        };
        let before = fs::read(device.image()).unwrap();
        // A trial ends with the pass, long before the time that it may take.
        let arguments = "--test buffered --format json --runs 2";
        let run = sokudo_on("quick --quiet --time 20s", &device.path, arguments).json();
        let buffered = &results(&run)[0];
        assert_eq!(names(&run)[0].0, "buffered (hdparm -t)");
        // The second trial found an emptied cache too, but for what somebody reads meanwhile who looks
        // for signatures on all disks, as a test beside this one does.
        let of_looks = 1 << 20;
        for trial in buffered["trials"].as_array().unwrap() {
            assert!(
                trial["cached_before_bytes"].as_u64().unwrap() < of_looks,
                "{trial}"
            );
            assert!(trial["bytes"].as_u64().unwrap() > 8 * of_looks, "{trial}");
        }
        quick(&device.path, "--test write").refused(3, &["only reads devices"]);
        quick(&device.path, "--overwrite").refused(3, &["for regular files"]);
        let after = fs::read(device.image()).unwrap();
        assert!(after == before, "it was written");
    }
}
