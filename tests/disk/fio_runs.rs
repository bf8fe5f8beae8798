//! Printed job files, and those of the methods, run by fio itself: it accepts and carries out each,
//! and leaves nothing behind.

use std::path::Path;
use std::process::{Command, Output};

use sokudo_model::{Bytes, Nanos, Plan, Stage};
use sokudo_tools::crystaldiskmark::{self, Mix, Profile, RowDirection};
use sokudo_tools::fio::{JobFileTarget, TEST_FILE_NAME, render};

use crate::sokudo::{has, skip};

/// Enough for the largest block at the greatest depth of the methods.
const SIZE: Bytes = Bytes::mib(16);
const TRIAL: Nanos = Nanos::from_millis(40);

fn fio_is_installed() -> bool {
    let found = has("fio");
    if !found {
        skip("fio is not installed, so it cannot run our job files");
    }
    found
}

fn fio(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("fio")
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("fio starts, for it said its version")
}

fn assert_accepted(output: &Output, text: &str) {
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}\n{text}");
    assert!(complaints.trim().is_empty(), "{complaints}\n{text}");
}

/// What works in this directory: sandboxes deny io_uring, and some file systems
/// direct I/O.
fn usable(directory: &Path) -> (&'static str, &'static str) {
    let ways = [("io_uring", "1"), ("libaio", "1"), ("psync", "0")];
    let works = |(engine, direct): &(&str, &str)| {
        let engine = format!("--ioengine={engine}");
        let direct = format!("--direct={direct}");
        let fixed = [
            "--name=probe",
            "--size=4k",
            "--bs=4k",
            "--unlink=1",
            "--thread=1",
        ];
        let arguments = [&fixed[..], &[&engine, &direct]].concat();
        fio(directory, &arguments).status.success()
    };
    let way = ways
        .into_iter()
        .find(works)
        .expect("psync works wherever there are files");
    if way != ways[0] {
        skip(&format!(
            "io_uring with direct I/O does not work here; {way:?} stands in for it"
        ));
    }
    way
}

fn in_usable_way(text: &str, directory: &Path) -> String {
    let (engine, direct) = usable(directory);
    // While fio looks for its disk among all there are, those of other tests go, and it complains.
    let text = text.replace("[global]\n", "[global]\ndisk_util=0\n");
    assert!(text.contains("disk_util=0"), "{text}");
    text.replace("ioengine=io_uring", &format!("ioengine={engine}"))
        .replace("direct=1", &format!("direct={direct}"))
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}

/// Runs a job file for `directory` and checks that it worked and left nothing.
fn run_and_check(text: &str, directory: &Path, jobs: usize) {
    let files = tempfile::tempdir().unwrap();
    let file = files.path().join("job.fio");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    assert_accepted(&fio(directory, &["--parse-only", file]), text);
    let output = fio(directory, &["--eta=never", file]);
    assert_accepted(&output, text);
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(report.matches("err= 0").count(), jobs, "{report}");
    assert!(
        is_empty(directory),
        "left behind in {}",
        directory.display()
    );
}

fn brief(profile: Profile) -> Plan {
    let both = [RowDirection::Read, RowDirection::Write];
    let mut plan = profile.plan();
    plan.stages = crystaldiskmark::stages(crystaldiskmark::workloads(
        &profile.rows(),
        &both,
        &[Mix::R70_W30],
    ));
    for workload in plan
        .stages
        .iter_mut()
        .flat_map(|stage| &mut stage.workloads)
    {
        workload.limits.time = Some(TRIAL);
    }
    plan
}

#[test]
fn fio_runs_every_printed_method_and_leaves_nothing_behind() {
    if !fio_is_installed() {
        return;
    }
    for profile in Profile::ALL {
        let directory = tempfile::tempdir().unwrap();
        let place = JobFileTarget::directory(directory.path().to_str().unwrap(), SIZE).unwrap();
        let plan = brief(profile);
        let text = in_usable_way(&render(&plan, &place), directory.path());
        run_and_check(&text, directory.path(), plan.stages.len());
    }
}

#[test]
fn fio_runs_every_method_file_and_leaves_nothing_behind() {
    if !fio_is_installed() {
        return;
    }
    for profile in Profile::ALL {
        let directory = tempfile::tempdir().unwrap();
        let methods = Path::new(env!("CARGO_MANIFEST_DIR")).join("../methods");
        let text = std::fs::read_to_string(methods.join(format!("{profile}.fio")))
            .unwrap()
            .replace("size=1g", "size=16m")
            .replace("runtime=1s", "runtime=40ms");
        let text = in_usable_way(&text, directory.path());
        run_and_check(&text, directory.path(), profile.plan().stages.len());
    }
}

#[test]
fn jobs_that_run_together_leave_nothing_behind_either() {
    if !fio_is_installed() {
        return;
    }
    let mut plan = brief(Profile::Nvme);
    let mut workloads: Vec<_> = plan.stages.into_iter().flat_map(|s| s.workloads).collect();
    // Were the first to end to remove the file, the others would miss it.
    workloads[0].limits.time = Some(Nanos::from_millis(10));
    plan.stages = vec![Stage { workloads }];
    let directory = tempfile::tempdir().unwrap();
    let name = directory.path().join("a:b c");
    std::fs::create_dir(&name).unwrap();
    let place = JobFileTarget::directory(name.to_str().unwrap(), SIZE).unwrap();
    let text = in_usable_way(&render(&plan, &place), directory.path());
    assert!(text.contains("[REMOVE_TEST_FILE]"), "{text}");
    // One group, and the job that removes the file.
    run_and_check(&text, &name, 2);
}

#[test]
fn the_file_that_fio_reads_was_written() {
    use std::os::unix::fs::MetadataExt as _;
    if !fio_is_installed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let place = JobFileTarget::directory(path.to_str().unwrap(), SIZE).unwrap();
    let text = in_usable_way(&render(&brief(Profile::Default), &place), path);
    // fio removes the file even if it does no more than lay it out.
    let text = text.replace("unlink=1\n", "");
    let job = path.join("job.fio");
    std::fs::write(&job, &text).unwrap();
    assert_accepted(&fio(path, &["--create_only=1", "job.fio"]), &text);
    let written = std::fs::read(path.join(TEST_FILE_NAME)).unwrap();
    let blocks = std::fs::metadata(path.join(TEST_FILE_NAME))
        .unwrap()
        .blocks();
    assert_eq!(written.len() as u64, SIZE.0);
    assert!(
        blocks * 512 >= SIZE.0,
        "only {blocks} sectors are allocated"
    );
    let zero = written
        .chunks(4096)
        .filter(|block| block.iter().all(|byte| *byte == 0));
    assert_eq!(zero.count(), 0);
}
