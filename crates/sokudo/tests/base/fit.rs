//! Whether a disk is fast enough: on simulated devices just fast enough and just too slow, and on
//! a real directory.

use std::fs;

use serde_json::Value;

use crate::run_json::view;
use crate::sokudo::{Ended, holds, sokudo, sokudo_on};

/// `sokudo fit WHAT TARGET ARGUMENTS`.
fn fit(what: &str, target: &str, arguments: &str) -> Ended {
    sokudo_on(&format!("fit --quiet --no-store {what}"), target, arguments)
}

fn first_line(ended: &Ended) -> &str {
    ended.printed.lines().next().unwrap_or_default()
}

#[test]
fn what_can_be_asked_is_listed() {
    let listed = sokudo("fit list").ok();
    holds(&listed.printed, &["etcd", "postgres", "proxmox"]);
    assert_eq!(listed.printed, sokudo("fit").ok().printed);
}

/// What each question comes to on a device of one latency: just enough, and just too little.
#[test]
fn a_device_just_fast_enough_and_one_just_too_slow_are_told_apart() {
    for (what, enough, too_slow) in [
        ("etcd", "latency=9.9ms", "latency=10.2ms"),
        ("proxmox", "latency=2.49ms", "latency=2.51ms"),
        (
            "sd-a1",
            "latency=660us&parallel=1&rate=4GB/s",
            "latency=670us&parallel=1&rate=4GB/s",
        ),
        (
            "sd-a2",
            "latency=245us&parallel=1&rate=4GB/s",
            "latency=255us&parallel=1&rate=4GB/s",
        ),
        ("video:v210-hd@25", "latency=39ms", "latency=41ms"),
        (
            "backup:1TB/1",
            "latency=1us&rate=279MB/s",
            "latency=1us&rate=276MB/s",
        ),
        ("checkpoint:100MB/1s", "latency=9.9ms", "latency=11ms"),
        (
            "dataloader:resnet50-h100",
            "latency=1us&rate=186MB/s",
            "latency=1us&rate=183MB/s",
        ),
    ] {
        let device = |keys: &str| format!("sim:const?{keys}&jitter=0s");
        let ended = fit(what, &device(enough), "").ok();
        let begins = |words: &str| format!("{words} for {what}: ");
        assert!(
            first_line(&ended).starts_with(&begins("FAST ENOUGH")),
            "{ended:?}"
        );
        let ended = fit(what, &device(too_slow), "").ends(1);
        assert!(
            first_line(&ended).starts_with(&begins("TOO SLOW")),
            "{ended:?}"
        );
        assert_eq!(ended.told, "", "{ended:?}");
    }
}

#[test]
fn a_disk_that_syncs_too_slowly_for_an_interval_is_still_too_slow() {
    // Ten syncs a trial, sixty in all: the 99th percentile takes 299 to be shown.
    let ended = fit("etcd", "sim:const?latency=500ms", "").ends(1);
    let said = ended
        .printed
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    holds(
        said,
        &[
            "TOO SLOW for etcd: p99 of fdatasync is 5",
            " at least (95 %); it must be below 10 ms.",
            "missed",
        ],
    );
    // As few that are fast enough prove nothing.
    let few = fit("etcd", "sim:const?latency=1ms", "--time 20ms").ends(4);
    assert!(first_line(&few).starts_with("CANNOT SAY"), "{few:?}");
}

#[test]
fn an_interval_that_crosses_the_threshold_and_too_few_trials_say_nothing() {
    let crossed = "sim:const?latency=10ms&jitter=2ms";
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("own.toml");
    let own = "\
[[question]]
name = \"mine\"
asks = \"Is it?\"

[[question.row]]
name = \"row\"
direction = \"write\"
block = \"4KiB\"
size = \"1MiB\"
time = \"1s\"

[[question.row.figure]]
metric = \"iops\"
must_be = \"> 100/s\"
";
    fs::write(&file, own).unwrap();
    let with_file = |arguments: &str| format!("--file {} {arguments}", file.display());
    let ended = fit("mine", crossed, &with_file("")).ends(4);
    assert!(
        first_line(&ended).starts_with("CANNOT SAY for mine: "),
        "{ended:?}"
    );
    let said = ended
        .printed
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    holds(said, &["its 95 % interval is on both sides of that."]);
    assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
    let few = fit("mine", "sim:const?latency=1ms", &with_file("--runs 5")).ends(4);
    let said = few.printed.split_whitespace().collect::<Vec<_>>().join(" ");
    holds(said, &["too little was measured for a 95 % interval"]);
    // What is wrong in a file is told with its line.
    fs::write(&file, own.replace("1MiB", "1 cow")).unwrap();
    fit("mine", crossed, &with_file("")).refused(2, &["own.toml, line 9: ", "not a size"]);
    let nowhere = place.path().join("nowhere");
    let arguments = format!("--file {}", nowhere.display());
    fit("mine", crossed, &arguments).refused(1, &["nowhere cannot be read"]);
}

#[test]
fn without_a_threshold_there_is_a_table_and_no_answer() {
    let ended = fit("postgres", "sim:const?latency=1ms", "--time 200ms").ok();
    assert!(
        first_line(&ended).starts_with("No threshold is known for postgres: fdatasync 1 × 8 KiB"),
        "{ended:?}"
    );
    for row in [
        "open_datasync 1 × 8 KiB",
        "fsync 2 × 8 KiB",
        "open_sync 2 × 8 KiB",
    ] {
        holds(&ended.printed, &[row]);
    }
    let run = fit(
        "postgres",
        "sim:const?latency=1ms",
        "--time 200ms --format json",
    )
    .json();
    assert_eq!(view(&run, "fit")["answer"], Value::Null);
    let measured: Vec<f64> = view(&run, "fit")["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["measured"].as_f64().unwrap())
        .collect();
    // A write and a flush are two latencies.
    let near =
        |measured: f64, truth: f64| assert!((measured / truth - 1.0).abs() < 0.01, "{measured}");
    [(0, 500.0), (2, 500.0), (4, 333.3), (6, 333.3)]
        .into_iter()
        .for_each(|(row, truth)| near(measured[row], truth));
}

#[test]
fn all_that_can_be_asked_is_listed_with_who_says_so() {
    let listed = sokudo("fit").ok();
    for name in [
        "etcd", "proxmox", "postgres", "ceph-osd", "zfs-slog", "sd-a1", "sd-a2",
    ] {
        holds(&listed.printed, &[&format!("{name} ")]);
    }
    holds(
        &listed.printed,
        &["sync-p99 < 10 ms", "commits > 200", "2019-04-18"],
    );
    assert!(
        listed
            .printed
            .lines()
            .all(|line| line.contains("https://") || line.chars().count() <= 80),
        "{listed:?}"
    );
    let document = sokudo("fit --format json").json();
    assert_eq!(document["schema"], "sokudo.fit/1");
    sokudo("fit etd sim:ssd").refused(2, &["etd", "use etcd, "]);
    sokudo("fit etcd /dev/null").refused(2, &[]);
}

#[test]
fn an_answer_is_kept_and_shown_again() {
    let place = tempfile::tempdir().unwrap();
    let store = place.path().join("runs.db");
    let with_store = |words: &str| sokudo(&format!("{words} --store {}", store.display()));
    let device = "'sim:const?latency=1ms'";
    let ended = with_store(&format!("fit etcd {device} --quiet --time 200ms")).ok();
    let shown = with_store("show last").ok();
    holds(&shown.printed, &[first_line(&ended)]);
    holds(with_store("list").ok().printed, &["fit/etcd"]);
}
