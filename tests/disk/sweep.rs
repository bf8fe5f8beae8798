//! Block sizes against depths and threads.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, codes, directory_on_disk, results, sokudo_on};
use crate::written::write;

/// `sokudo sweep TARGET ARGUMENTS`.
fn sweep(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("sweep --quiet", target, arguments)
}

/// Its result.
fn swept(target: impl AsRef<Path>, arguments: &str) -> Value {
    sweep(target, &format!("{arguments} --format json")).json()
}

fn blocks(run: &Value) -> Vec<u64> {
    let block = |result: &Value| result["workload"]["blocks"][0]["bytes"].as_u64().unwrap();
    results(run).iter().map(block).collect()
}

#[test]
fn what_cannot_be_had_directly_is_left_out_with_a_note() {
    let directory = directory_on_disk();
    let arguments = "--sizes 512,4K --length 16MiB --runs 1 --time 20ms --format json";
    let ended = sokudo_on("sweep", directory.path(), arguments);
    let run = ended.json();
    let is_left_out = ended.told.contains("left out: 512 B");
    assert_eq!(blocks(&run).contains(&512), !is_left_out, "{ended:?}");
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        0,
        "nothing is left"
    );
}

#[test]
fn what_was_written_is_checked() {
    let directory = directory_on_disk();
    let arguments = "--sizes 64K --length 4MiB --runs 1 --write-only --verify";
    let run = swept(directory.path(), arguments);
    let result = &results(&run)[0];
    // Reading back is not counted: as many bytes as were written, and all of them.
    assert_eq!(result["trials"][0]["bytes"], 4 << 20);
    assert_eq!(result["latency_ns"]["count"], 64);
    assert!(!codes(result).contains(&"wrong-data"));
    sweep("sim:ssd", "--verify").refused(2, &["keeps no data"]);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn files_and_devices_are_only_read_without_consent() {
        let directory = directory_on_disk();
        let file = directory.path().join("data");
        let content = vec![7u8; 1 << 20];
        write(&file, &content);
        let short = "--sizes 64K --runs 1 --time 20ms";
        assert_eq!(results(&swept(&file, short)).len(), 1);
        for option in ["--write-only", "--verify", "--write-through"] {
            sweep(&file, &format!("{short} {option}")).refused(3, &["--overwrite"]);
        }
        assert_eq!(fs::read(&file).unwrap(), content);
        let whole = "--sizes 64K --runs 1 --length 1MiB --time 1m";
        let run = swept(&file, &format!("{whole} --overwrite --data 0x55"));
        assert_eq!(results(&run).len(), 2);
        assert_eq!(fs::read(&file).unwrap(), vec![0x55; 1 << 20]);
        let Some(device) = LoopDevice::new(16 << 20, true) else {
            return;
        };
        assert_eq!(results(&swept(&device.path, short)).len(), 1);
        sweep(&device.path, &format!("{short} --write-only")).refused(3, &["--destroy"]);
        let untouched = fs::read(device.image()).unwrap();
        assert!(untouched.iter().all(|byte| *byte == 0), "it was written");
    }
}
