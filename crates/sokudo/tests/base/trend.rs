//! `sokudo trend`, on runs with invented dates.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sokudo_model::{ListedRow, Nanos, Verdict};
use sokudo_report::RunDocument;
use sokudo_report::document::pack;
use sokudo_store::{NewRun, Sqlite, Store};

use crate::sokudo::{Ended, end, measured, program, split};

/// 2026-01-01.
const BEGIN: u64 = 1_767_225_600;
const DAY: u64 = 86_400;

fn document() -> Value {
    measured("sim:const", "--row SEQ1M,Q8,T1,read")
}

fn keep(store: &mut Sqlite, document: &Value, day: u64, device: &str, rate: f64) {
    let started_at = Nanos::from_secs(BEGIN + day * DAY);
    let (device, name) = device.split_once('|').unwrap_or((device, device));
    let run = RunDocument::from_json(&document.to_string()).unwrap();
    let row = |direction: &str, rate: f64| ListedRow {
        name: "SEQ1M Q8T1".to_owned(),
        direction: direction.to_owned(),
        fingerprint: "load".to_owned(),
        verdict: Some(Verdict::Verified),
        bytes_per_s: Some(rate),
        ios_per_s: Some(rate / 1_048_576.0),
        latency_ns: None,
        trials: 1,
        stands_for_disk: Some(true),
    };
    let run = NewRun {
        started_at,
        method: "mark/default".to_owned(),
        target: "/mnt/data".to_owned(),
        device: device.to_owned(),
        device_name: name.to_owned(),
        host: None,
        verdict: Some(Verdict::Verified),
        fingerprint: "run".to_owned(),
        sokudo_version: run.sokudo_version.clone(),
        origin: None,
        command: "sokudo mark /mnt/data".to_owned(),
        interrupted: false,
        answer: None,
        rows: vec![row("read", rate), row("write", 100e6)],
        document: pack(&run).unwrap(),
        summary: Vec::new(),
    };
    store.keep(&run).unwrap();
}

/// Rates that vary by up to 1 %, without a pattern.
fn noisy(rate: f64, day: u64) -> f64 {
    let scattered = (day * 7_919 + 13) % 101;
    rate * (0.99 + 0.02 * f64::from(u32::try_from(scattered).unwrap()) / 100.0)
}

/// A device that becomes slower by a fifth when the kernel changes.
fn store(folder: &Path) -> PathBuf {
    let path = folder.join("runs.db");
    let mut store = Sqlite::open(&path).unwrap();
    let mut document = document();
    for day in 0..70 {
        let (kernel, rate) = if day < 40 {
            ("6.1.0", 500e6)
        } else {
            ("6.8.0", 400e6)
        };
        document["environment"]["kernel"] = kernel.into();
        keep(
            &mut store,
            &document,
            day,
            "Example 1000 S1",
            noisy(rate, day),
        );
    }
    path
}

fn trend(store: &Path, arguments: &str) -> Ended {
    let mut command = program();
    command
        .arg("trend")
        .args(split(arguments))
        .arg("--store")
        .arg(store);
    end(&mut command)
}

#[test]
fn only_the_time_that_is_asked_for_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let json = trend(&store, "--since 2026-02-15 --format json").json();
    assert_eq!(json["series"][0]["levels"].as_array().unwrap().len(), 1);
    assert_eq!(json["series"][0]["points"].as_array().unwrap().len(), 25);
    let json = trend(&store, "--until 2026-01-05 --format json").json();
    assert_eq!(json["series"][0]["points"].as_array().unwrap().len(), 5);
    trend(&store, "--until 2025-01-05").refused(2, &["--since"]);
}

#[test]
fn a_word_that_fits_several_devices_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = Sqlite::open(&path).unwrap();
    trend(&path, "").refused(2, &["no run is kept"]);
    let document = document();
    keep(&mut store, &document, 1, "Example 1000 S1", 1e6);
    keep(&mut store, &document, 2, "Example 1000 S2", 1e6);
    trend(&path, "example").refused(2, &["Example 1000 S1", "Example 1000 S2"]);
    trend(&path, "").refused(2, &["several"]);
    trend(&path, "other").refused(2, &["other", "sokudo list"]);
    trend(&path, "s2 --row RND").refused(2, &["RND", "SEQ1M Q8T1"]);
    trend(&path, "s2").ok().prints(&["Example 1000 S2"]);
    let looped = "file /gone/a.img · ext4 7|loop7 (ext4)";
    keep(&mut store, &document, 3, looped, 1e6);
    let several = trend(&path, "");
    several.refused(2, &["loop7 (ext4)", "Example 1000 S2"]);
    assert!(!several.told.contains("/gone/a.img"), "{several:?}");
    trend(&path, "'loop7 (ext4)'")
        .ok()
        .prints(&["loop7 (ext4)"]);
}
