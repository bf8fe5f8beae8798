//! Runs that are kept whole, a run that sokudo 0.1.0 kept, and what today's rules think of
//! both.

use std::path::{Path, PathBuf};

use sokudo_model::Nanos;
use sokudo_store::{NewRun, Sqlite, Store};

use crate::sokudo::{Ended, end, program};

/// A run as 0.1.0 (51903c2) packed it, and as it printed it.
const EARLY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../sokudo-report/tests/kept/packed-2"
);
const MARK: [&str; 12] = [
    "mark",
    "sim:ssd",
    "--row",
    "SEQ1M,Q8",
    "--row",
    "RND4K,Q32",
    "--runs",
    "8",
    "--time",
    "100ms",
    "--seed",
    "1",
];

fn sokudo(store: &Path, arguments: &[&str]) -> Ended {
    end(program().args(arguments).env("SOKUDO_STORE", store))
}

/// A store with a run that 0.1.0 has packed.
fn early_store(folder: &Path) -> PathBuf {
    let path = folder.join("runs.db");
    let run = NewRun {
        started_at: Nanos(1_795_226_288_250_000_000),
        method: "mark/default".to_owned(),
        target: "/mnt/data".to_owned(),
        device: "Samsung SSD 980 PRO 1TB".to_owned(),
        device_name: "Samsung SSD 980 PRO 1TB".to_owned(),
        host: None,
        verdict: None,
        fingerprint: "run".to_owned(),
        sokudo_version: "0.1.0".to_owned(),
        origin: None,
        command: "sokudo mark /mnt/data --seed 42".to_owned(),
        interrupted: false,
        rows: Vec::new(),
        document: std::fs::read(format!("{EARLY}.bin")).unwrap(),
    };
    Sqlite::open(&path).unwrap().keep(&run).unwrap();
    path
}

#[test]
fn what_early_versions_kept_is_shown_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = early_store(folder.path());
    let (file, json) = (format!("{EARLY}.json"), ["--format", "json"]);
    let text = std::fs::read_to_string(&file).unwrap();
    for run in ["1", &*file] {
        let shown = sokudo(&store, &[&["show", run][..], &json].concat());
        assert_eq!(shown.printed, text, "{run}");
    }
    let compared = sokudo(&store, &["compare", "1", &file]);
    assert_eq!(compared.code(), Some(0), "{compared:?}");
}

#[test]
fn a_run_of_today_is_judged_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let import = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sokudo-import/corpus/kdiskmark/2.txt"
    );
    for arguments in [
        &MARK[..],
        &["scan", "sim:hdd"],
        &["explain", "sim:hdd"],
        &["import", import],
    ] {
        let kept = sokudo(&store, &[arguments, &["--quiet"]].concat());
        assert_eq!(kept.code(), Some(0), "{kept:?}");
        let judged = sokudo(&store, &["show", "--judge-again"]);
        assert_eq!(judged.code(), Some(0), "{judged:?}");
        assert!(judged.printed.contains("and find the same."), "{judged:?}");
        assert_eq!(judged.printed.lines().count(), 1, "{judged:?}");
    }
}

#[test]
fn a_run_of_then_is_judged_as_far_as_it_goes_and_what_it_lacks_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = early_store(folder.path());
    let judged = |run: &str, more: &[&str]| {
        let ended = sokudo(&store, &[&["show", run, "--judge-again"], more].concat());
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        ended
    };
    let text = judged("1", &[]).printed;
    assert!(text.contains("Not kept of this run"), "{text}");
    assert!(text.contains("the latencies of each trial"), "{text}");
    let json = judged("1", &["--format", "json"]).json();
    assert_eq!(json["schema"], "sokudo.judgement/1");
    assert_eq!(json["run"], "run 1");
    assert_eq!(json["rows"].as_array().unwrap().len(), 7);
    assert!(!json["lacking"].as_array().unwrap().is_empty(), "{json}");
    let file = format!("{EARLY}.json");
    assert_eq!(judged(&file, &[]).printed, text);
    // It stays as it was.
    let shown = sokudo(&store, &["show", "1", "--format", "json"]);
    assert_eq!(shown.printed, std::fs::read_to_string(&file).unwrap());
}

#[test]
fn other_formats_have_no_form_for_two_judgements() {
    let folder = tempfile::tempdir().unwrap();
    let store = early_store(folder.path());
    for format in ["csv", "markdown"] {
        let arguments = ["show", "1", "--judge-again", "--format", format];
        sokudo(&store, &arguments).refused(2, &["--judge-again prints a table or JSON"]);
    }
}
