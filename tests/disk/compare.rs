//! `sokudo compare`: results that were kept, and plans measured by turns.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_on_disk, end, program, split};

fn live(plans: [&str; 2], arguments: &str) -> Ended {
    let mut command = program();
    end(command
        .args(["compare", "--live", "-q"])
        .args(plans)
        .args(split(arguments)))
}

/// The rows of the first other.
fn rows(document: &Value) -> &[Value] {
    document["others"][0]["rows"].as_array().unwrap()
}

#[test]
fn two_directories_are_measured_by_turns_and_nothing_is_left() {
    let (one, two) = (directory_on_disk(), directory_on_disk());
    let plan = |directory: &Path| {
        format!(
            "mark '{}' --size 16MiB --time 30ms --row RND4K,Q1",
            directory.display()
        )
    };
    let plans = [plan(one.path()), plan(two.path())];
    let ended = live([&plans[0], &plans[1]], "--format json --pairs 6");
    let document = ended.json();
    assert_eq!(rows(&document).len(), 2, "reads and writes: {document}");
    for row in rows(&document) {
        let trials = &row["other"]["per_second"]["trials"];
        assert_eq!(trials.as_array().unwrap().len(), 6);
    }
    for directory in [&one, &two] {
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn job_files_take_turns_as_wholes() {
    let directory = directory_on_disk();
    let job = |name: &str, depth: u32| {
        let path = directory.path().join(name);
        let text = format!(
            "[reads]\nfilename={}/data\nsize=4m\nrw=randread\nbs=4k\niodepth={depth}\ntime_based\nruntime=50ms\n",
            directory.path().display()
        );
        fs::write(&path, text).unwrap();
        format!("run '{}'", path.display())
    };
    let (one, two) = (job("one.fio", 1), job("two.fio", 1));
    let document = live([&one, &two], "--format json --pairs 6").json();
    assert_eq!(rows(&document)[0]["row"], "reads read");
    let trials = &rows(&document)[0]["reference"]["per_second"]["trials"];
    assert_eq!(trials.as_array().unwrap().len(), 6);
    live([&one, "mark sim:hdd"], "").refused(2, &["only with jobs"]);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn two_plans_that_write_one_device_are_told_so() {
        let Some(device) = LoopDevice::new(16 << 20, true) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        let plan = |only: &str| {
            format!("mark {path} --row RND4K,Q1 {only} --destroy {path} --time 5ms --size 4MiB")
        };
        let (write, read) = (plan("--write-only"), plan("--read-only"));
        let ended = live([&write, &write], "--pairs 1");
        ended.refused(2, &["both plans write", path, "a kept result of each"]);
        live([&write, &read], "--pairs 1").ok();
    }
}
