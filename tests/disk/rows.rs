//! Which rows are measured, in which direction and order.

use std::ffi::OsStr;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{codes, end, has, mark, measured, program, results, shell, skip};

#[test]
fn a_real_directory_yields_every_row_and_keeps_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let run = measured(directory.path(), "--profile nvme --mix");
    assert_eq!(results(&run).len(), 12);
    for result in results(&run) {
        assert!(
            result["latency_ns"]["count"].as_u64().unwrap() > 0,
            "{result}"
        );
        for code in codes(result) {
            assert!(!code.starts_with("breach"), "{code}: {result}");
        }
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn every_engine_can_be_asked_for_and_is_the_one_that_is_used() {
    let directory = tempfile::tempdir().unwrap();
    for engine in ["libaio", "psync"] {
        let run = measured(
            directory.path(),
            &format!("--engine {engine} --row RND4K,Q4"),
        );
        for result in results(&run) {
            assert_eq!(result["backend"]["kind"], engine);
            let mut codes = codes(result).into_iter();
            assert!(!codes.any(|code| code.starts_with("breach")), "{result}");
        }
    }
    let ended = mark(directory.path(), "--engine io_uring --row RND4K,read --why");
    if ended.code() == Some(0) {
        assert!(ended.printed.contains("io_uring"), "{ended:?}");
    } else {
        ended.refused(1, &["io_uring", "--engine auto"]);
    }
}

#[test]
fn fio_runs_the_printed_job() {
    if !has("fio") {
        return skip("fio is not installed");
    }
    let directory = tempfile::tempdir().unwrap();
    let spaced = directory.path().join("a place with spaces");
    std::fs::create_dir(&spaced).unwrap();
    let script = "\"$SOKUDO\" mark . --size 16MiB --time 1s --engine psync --print-job \
                  --row RND4K,Q1,T1,mix70 > job.fio && fio --output-format=json job.fio";
    let ended = end(shell(script).current_dir(&spaced)).ok();
    let start = ended.printed.find('{').unwrap();
    let report: Value = serde_json::from_str(&ended.printed[start..]).unwrap();
    assert!(report["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 0);
    assert!(report["jobs"][0]["write"]["total_ios"].as_u64().unwrap() > 0);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn the_printed_job_of_a_device_writes_where_the_device_may_be_destroyed() {
        let Some(device) = LoopDevice::new(16 << 20, true) else {
            return;
        };
        let printed = |more: &[&OsStr]| {
            let mut command = program();
            command.arg("mark").arg(&device.path).args(more);
            command.args(["--print-job", "--row", "RND4K"]);
            let ended = end(&mut command);
            assert_eq!(ended.code(), Some(0), "{ended:?}");
            ended.printed.matches("rw=randwrite").count()
        };
        assert_eq!(printed(&[]), 0);
        let destroy = ["--destroy".as_ref(), device.path.as_os_str()];
        assert_eq!(printed(&destroy), 1);
    }
}
