//! `--stop-when`, and fio's `rate_min`: what ends a run before its time, and what is left of it.

use std::fs;

use serde_json::Value;

use crate::sokudo::{Ended, directory_on_disk, end, fio, program};

/// The document of a run that did not end with 0.
fn printed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.printed).unwrap()
}

#[test]
fn a_rule_ends_jobs_of_fio_too() {
    let directory = directory_on_disk();
    let job = "[slow]\nfilename=data\nsize=4m\nrw=read\nbs=4k\nrate=1m\ntime_based\nruntime=60\n";
    fs::write(directory.path().join("job.fio"), job).unwrap();
    let mut command = program();
    command.current_dir(directory.path());
    command.args(["run", "job.fio", "--format", "json", "--quiet"]);
    let ended = end(command.args(["--stop-when", "rate<2MB/s for 2s"])).ends(5);
    let run = printed(&ended);
    assert_eq!(run["stopped_by"]["row"], "slow");
}

#[test]
fn a_job_below_its_least_rate_fails_as_in_fio() {
    let directory = directory_on_disk();
    let job = "--name=j --filename=data --size=4m --rw=read --bs=4k --rate=1m --time_based \
               --runtime=60 --output-format=json";
    let ended = fio(directory.path(), &format!("{job} --rate_min=2m")).ends(1);
    assert_eq!(printed(&ended)["jobs"][0]["error"], 5);
    fio(directory.path(), &job.replace("runtime=60", "runtime=1")).ok();
    let iops = job.replace("runtime=60", "runtime=1");
    // No cycle ends in it: a busy disk may stand still for one.
    let kept = format!("{iops} --rate_iops_min=1 --rate_cycle=4000");
    fio(directory.path(), &kept).ok();
}
