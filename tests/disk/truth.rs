//! A verdict is what is so: each of these is known beforehand.

use std::fs::{self, File};

use serde_json::Value;

use crate::loop_device::FileSystem;
use crate::sokudo::{codes, end, measured, program, results, skip, split};

/// Findings that lower a verdict for what others do on a shared machine.
const DISTURBANCES: [&str; 3] = ["foreign-io", "depth-not-reached", "processor-refused"];

/// Jobs that leave their ramps at different moments, with I/Os of the ramp in flight.
const RAMPED: &str = "[global]
size=32m
direct=1
time_based=1
runtime=200ms
[reads]
rw=randread
bs=4k
ioengine=libaio
iodepth=16
numjobs=2
ramp_time=100ms
[writes]
rw=write
bs=256k
ioengine=io_uring
iodepth=8
ramp_time=250ms
[alone]
stonewall
rw=read
bs=1m
ioengine=psync
ramp_time=100ms
";

fn expect_invalid(run: &Value, code: &str) {
    for result in results(run) {
        assert_eq!(result["verdict"], "INVALID", "{result}");
        assert!(codes(result).contains(&code), "{code} is missing: {result}");
    }
}

/// VERIFIED, or lowered by nothing but what others did on this machine meanwhile.
fn verified_but_for_others(kind: &str, result: &Value) {
    if result["verdict"] == "VERIFIED" {
        return;
    }
    let explained = codes(result).iter().any(|code| DISTURBANCES.contains(code));
    assert!(
        result["verdict"] == "UNVERIFIED" && explained,
        "{kind}: {result}"
    );
    eprintln!("{kind} was disturbed: {}", result["findings"]);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn direct_reads_and_writes_on_a_disk_are_verified() {
        for kind in ["ext4", "xfs", "btrfs"] {
            let Some(system) = FileSystem::new(kind, 512 << 20, true) else {
                continue;
            };
            let rows = "--row SEQ1M,Q8 --row RND4K,Q1 --time 200ms";
            let run = measured(system.path(), rows);
            assert_eq!(run["target"]["file_system"]["kind"], kind);
            for result in results(&run) {
                assert_eq!(result["direct"], true, "{kind}");
                verified_but_for_others(kind, result);
            }
            assert_eq!(system.files(), [""; 0]);
        }
    }

    #[test]
    fn rows_with_a_ramp_on_a_disk_are_verified() {
        let Some(system) = FileSystem::new("ext4", 512 << 20, true) else {
            return;
        };
        let store = tempfile::tempdir().unwrap();
        let sokudo = |arguments: &str| {
            let mut command = program();
            command.current_dir(system.path()).args(split(arguments));
            end(command.env("SOKUDO_STORE", store.path().join("runs.db")))
        };
        fs::write(store.path().join("ramped.fio"), RAMPED).unwrap();
        let job = store.path().join("ramped.fio").display().to_string();
        let ramp_of_diskspd = "-c32M -b64K -o8 -d1 -W1 -Sh -r file";
        sokudo(&format!("diskspd {ramp_of_diskspd}")).ok();
        let runs = [
            sokudo(&format!("run {job} --format json --quiet")).json(),
            sokudo("show 1 --format json").json(),
        ];
        for (run, rows) in runs.iter().zip([3, 1]) {
            assert_eq!(results(run).len(), rows, "{run}");
            for result in results(run) {
                assert!(!codes(result).contains(&"ramp-in-counters"), "{result}");
                assert!(result["device_ratio"].as_f64().unwrap() >= 0.98, "{result}");
                verified_but_for_others("a ramp", result);
            }
        }
    }

    #[test]
    fn what_holds_no_data_or_is_memory_is_invalid() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("sparse");
        File::create(&file).unwrap().set_len(32 << 20).unwrap();
        expect_invalid(&measured(&file, "--row RND4K,Q8"), "sparse-file");
        match std::path::Path::new("/dev/shm") {
            path if path.is_dir() => {
                expect_invalid(&measured(path, "--row RND4K"), "memory-file-system");
            }
            _ => skip("there is no /dev/shm"),
        }
        let Some(system) = FileSystem::new("ext4", 128 << 20, true) else {
            return;
        };
        let file = system.path().join("allocated");
        let handle = File::create(&file).unwrap();
        let all = rustix::fs::FallocateFlags::empty();
        rustix::fs::fallocate(&handle, all, 0, 32 << 20).unwrap();
        handle.sync_all().unwrap();
        expect_invalid(&measured(&file, "--row RND4K,Q8"), "unwritten-extents");
    }

    #[test]
    fn reads_that_the_page_cache_answers_are_invalid() {
        let Some(system) = FileSystem::new("ext4", 128 << 20, true) else {
            return;
        };
        // A pass takes much less than the trial, so that most reads are repeats.
        let again_and_again = "--direct off --row SEQ1M,read --time 5s";
        let run = measured(system.path(), again_and_again);
        let result = &results(&run)[0];
        // The disk below the loop device may have read as much for others.
        if result["verdict"] == "UNVERIFIED" && codes(result).contains(&"foreign-io") {
            return eprintln!("the page cache was disturbed: {}", result["findings"]);
        }
        expect_invalid(&run, "not-from-device");
        let findings = result["findings"].as_array().unwrap();
        let finding = findings.iter().find(|it| it["code"] == "not-from-device");
        let cause = finding.unwrap()["cause"].as_str().unwrap();
        assert!(cause.contains("page cache"), "{cause}");
    }

    #[test]
    fn a_loop_device_over_the_page_cache_is_not_verified() {
        let Some(system) = FileSystem::new("ext4", 128 << 20, false) else {
            return;
        };
        let run = measured(system.path(), "--row RND4K,Q8");
        for result in results(&run) {
            assert_ne!(result["verdict"], "VERIFIED", "{result}");
        }
    }
}
