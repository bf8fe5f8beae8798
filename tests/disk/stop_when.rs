//! `--stop-when`, and fio's `rate_min`: what ends a run before its time, and what is left of it.

use std::fs;
use std::time::Instant;

use serde_json::Value;

use crate::sokudo::fio;
use crate::sokudo::{Ended, codes, directory_on_disk, end, program, results, sokudo};

/// One request takes a millisecond, one after the other: 1,000 reads per second.
const SLOW: &str = "sim:const?latency=1ms&parallel=1";

/// The document of a run that did not end with 0.
fn printed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.printed).unwrap()
}

fn stopped(arguments: &str) -> Value {
    let ended = sokudo(&format!("{arguments} --format json --quiet")).ends(5);
    let run = printed(&ended);
    assert_eq!(run["interrupted"], false, "a rule is no interruption");
    assert!(
        codes(&run).contains(&"stopped-by-rule"),
        "{}",
        run["findings"]
    );
    run
}

#[test]
fn every_command_that_measures_over_time_has_it() {
    stopped(&format!(
        "load {SLOW} --row RND4K,Q1,T1 --time 5s --stop-when 'iops<2000 for 2s'"
    ));
    stopped("steady 'sim:ssd?size=64GB' --stop-when 'iops>10'");
    stopped("mark sim:hdd --row RND4K,Q1,T1,read --time 5s --stop-when 'iops<100 for 3s'");
    let sweep = stopped(&format!(
        "sweep {SLOW} --sizes 4K,8K --read-only --time 400ms --runs 9 --stop-when 'iops<2000 for 2s'"
    ));
    assert!(results(&sweep).len() == 2, "{sweep}");
    let scan = stopped(
        "scan 'sim:hdd?size=6TB' --full --access-count 0 --stop-when 'rate<100MB/s for 1min'",
    );
    let places = results(&scan)[0]["places"].as_array().unwrap();
    let last = places.last().unwrap()["offset"].as_u64().unwrap();
    assert!(
        (3_000_000_000_000..5_900_000_000_000).contains(&last),
        "{last}"
    );
    let directory = directory_on_disk();
    let job = "[slow]\nfilename=data\nsize=4m\nrw=read\nbs=4k\nrate=1m\ntime_based\nruntime=60\n";
    fs::write(directory.path().join("job.fio"), job).unwrap();
    let mut command = program();
    command.current_dir(directory.path());
    command.args(["run", "job.fio", "--format", "json", "--quiet"]);
    let began = Instant::now();
    let ended = end(command.args(["--stop-when", "rate<2MB/s for 2s"])).ends(5);
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    let run = printed(&ended);
    assert_eq!(run["stopped_by"]["row"], "slow");
}

#[test]
fn a_job_below_its_least_rate_fails_as_in_fio() {
    let directory = directory_on_disk();
    let job = "--name=j --filename=data --size=4m --rw=read --bs=4k --rate=1m --time_based \
               --runtime=60 --output-format=json";
    let began = Instant::now();
    let ended = fio(directory.path(), &format!("{job} --rate_min=2m")).ends(1);
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    assert_eq!(printed(&ended)["jobs"][0]["error"], 5);
    let kept = fio(directory.path(), &job.replace("runtime=60", "runtime=4"));
    kept.ok();
    let iops = job.replace("runtime=60", "runtime=4");
    // No cycle ends in it: a busy disk may stand still for one.
    let kept = format!("{iops} --rate_iops_min=1 --rate_cycle=4000");
    fio(directory.path(), &kept).ok();
}
