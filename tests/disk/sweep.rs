//! Block sizes against depths and threads.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, codes, directory_on_disk, results, sokudo_on};

/// `sokudo sweep TARGET ARGUMENTS`.
fn sweep(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("sweep --quiet", target, arguments)
}

/// Its result.
fn swept(target: impl AsRef<Path>, arguments: &str) -> Value {
    sweep(target, &format!("{arguments} --format json")).json()
}

fn median(result: &Value) -> f64 {
    result["bandwidth_bytes_per_s"]["median"].as_f64().unwrap()
}

fn blocks(run: &Value) -> Vec<u64> {
    let block = |result: &Value| result["workload"]["blocks"][0]["bytes"].as_u64().unwrap();
    results(run).iter().map(block).collect()
}

#[test]
fn a_matrix_grows_with_the_depth() {
    let arguments = "--sizes 4K --random --read-only --depths 1..32";
    let run = swept("sim:ssd", arguments);
    let medians: Vec<f64> = results(&run).iter().map(median).collect();
    assert_eq!(medians.len(), 6);
    assert!(
        medians.is_sorted_by(|less, more| less * 1.3 < *more),
        "{medians:?}"
    );
    let table = sweep("sim:ssd", arguments).printed;
    let heading = table.lines().find(|line| line.contains("Block")).unwrap();
    assert!(
        heading.contains("Q1T1") && heading.contains("Q32T1"),
        "{table}"
    );
    sweep("sim:ssd", &format!("{arguments} --unit iops")).prints(&["read, IOPS"]);
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

#[test]
fn bad_arguments_are_told_in_one_line() {
    let directory = directory_on_disk();
    let file = directory.path().join("data");
    fs::write(&file, vec![7u8; 64 << 10]).unwrap();
    let file = file.to_str().unwrap();
    for (target, arguments, words) in [
        ("sim:const", "--from 8K --to 4K", &["backwards"][..]),
        ("sim:const", "--from 0", &["no block size"]),
        ("sim:const", "--from 3K", &["no power of two", "--sizes"]),
        ("sim:const", "--sizes 128M", &["to 64 MiB"]),
        ("sim:const", "--sizes 4K --to 8K", &["--to"]),
        ("sim:const", "--depths 0", &["1 to 1024"]),
        ("sim:const", "--depths 3..8", &["power of two"]),
        ("sim:const", "--threads 512", &["1 to 256"]),
        (
            "sim:const",
            "--depths 1,2 --threads 1,2",
            &["varies only one of them"],
        ),
        (
            "sim:const",
            "--from 4K --length 1K",
            &["no room for a block"],
        ),
        ("sim:const", "--length 0", &["--length is 0"]),
        ("sim:const", "--time 0s", &["--time is 0"]),
        ("sim:const", "--precision x", &["0.1%"]),
        ("sim:const", "--data 0xf", &["0xdeadbeef"]),
        ("sim:const", "--atto --minitool", &["--minitool"]),
        (file, "--sizes 4K,1M", &["64 KiB", "1 MiB"]),
        (file, "--length 1M", &["has only 64 KiB"]),
        (file, "--sizes 512 --direct loud", &["on, off or auto"]),
    ] {
        sweep(target, &format!("--read-only {arguments}")).refused(2, words);
    }
    let list: Vec<String> = (1..=128).map(|size| (512 * size).to_string()).collect();
    let counts: Vec<String> = (1..=64).map(|count: u32| count.to_string()).collect();
    sweep(
        "sim:const",
        &format!("--sizes {} --depths {}", list.join(","), counts.join(",")),
    )
    .refused(2, &["16384 cells", "at most 2048"]);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn files_and_devices_are_only_read_without_consent() {
        let directory = directory_on_disk();
        let file = directory.path().join("data");
        let content = vec![7u8; 1 << 20];
        fs::write(&file, &content).unwrap();
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
