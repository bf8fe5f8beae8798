//! A store and files that an earlier commit has made, used with the program of today.

use std::fs::{self, File};

use serde_json::Value;

use crate::store_file::Store;

pub(crate) const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/store");
/// Runs of the store, and the methods that they are of.
const METHODS: [&str; 11] = [
    "mark/rows",
    "mark/default",
    "mark/rows",
    "sweep",
    "scan/surface",
    "load",
    "fio/job.fio",
    "Peak Performance, 1 GiB (x5) [Interval: 5 sec]",
    "explain",
    "steady/iops",
    "mark/rows",
];
/// That of a file of sokudo's, of which nothing but figures was kept then.
const OF_FILE: u32 = 11;
/// Those of simulated devices, which are what they were.
const SIMULATED: [u32; 7] = [1, 2, 4, 5, 6, 9, 10];
/// Runs that were printed, too.
const PRINTED: [(&str, &str); 2] = [("1", "mark.json"), ("3", "file.json")];

pub(crate) fn store() -> Store {
    let store = Store::new();
    let packed = File::open(format!("{KEPT}/runs.db.zst")).unwrap();
    zstd::stream::copy_decode(packed, File::create(store.file()).unwrap()).unwrap();
    store
}

/// Those that are read.
fn runs() -> impl Iterator<Item = u32> {
    (1..OF_FILE).zip(METHODS).map(|(run, _)| run)
}

#[test]
fn its_runs_are_listed_with_their_tags_and_baselines() {
    let store = store();
    let mut listed = store.list("");
    listed.sort_by_key(|run| run["id"].as_u64());
    let methods: Vec<_> = listed.iter().map(|run| &run["method"]).collect();
    assert_eq!(methods, METHODS);
    let is_baseline = |run: &&Value| run["is_baseline"] == true;
    let baselines = listed.iter().filter(is_baseline);
    let baselines: Vec<_> = baselines.map(|run| &run["id"]).collect();
    assert_eq!(baselines, [1, 5]);
    assert_eq!(listed[0]["note"], "as it was bought");
    assert_eq!(listed[0]["tags"], serde_json::json!(["new"]));
}

/// The figures that were printed then are those of today, to the last bit.
#[test]
fn its_runs_are_shown_as_they_were() {
    let store = store();
    for (run, file) in PRINTED {
        let printed = fs::read_to_string(format!("{KEPT}/{file}")).unwrap();
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let now = store.run(&format!("show {run} -f json")).json();
        assert_eq!(now["fingerprint"], printed["fingerprint"]);
        let (then, now) = (&printed["results"], &now["figures"]);
        let (then, now) = (then.as_array().unwrap(), now.as_array().unwrap());
        assert_eq!(then.len(), now.len());
        for (then, now) in then.iter().zip(now) {
            for (name, figure) in then.as_object().unwrap() {
                let is_in_run = ["histogram", "series"].contains(&name.as_str());
                assert!(is_in_run || now[name] == *figure, "{name}: {now}");
            }
        }
    }
    for (run, format) in runs().flat_map(|run| ["table", "csv", "markdown"].map(|it| (run, it))) {
        assert!(!store.ok(&format!("show {run} -f {format}")).is_empty());
    }
}

#[test]
fn what_was_kept_by_its_figures_alone_is_listed_and_refused() {
    let store = store();
    for arguments in ["show 11", "show 11 --judge-again", "check 11"] {
        let words = ["run 11", "does not know (1)"];
        store.run(arguments).refused(1, &words);
    }
}

/// What the list tells of a run was computed then, and what is shown of it is computed now.
#[test]
fn its_runs_have_the_figures_that_they_had() {
    let store = store();
    let then = store.list("");
    assert_eq!(then.len(), METHODS.len());
    for run in then.iter().filter(|run| run["id"] != OF_FILE) {
        let now = store.run(&format!("show {} -f json", run["id"])).json();
        assert_eq!(now["fingerprint"], run["fingerprint"], "{run}");
        let results = now["figures"].as_array().unwrap();
        let rows = run["rows"].as_array().unwrap();
        assert_eq!(rows.len(), results.len(), "{run}");
        for (row, result) in rows.iter().zip(results) {
            let figures = [
                ("fingerprint", "/fingerprint"),
                ("verdict", "/verdict"),
                ("bytes_per_s", "/bandwidth_bytes_per_s/median"),
                ("ios_per_s", "/iops/median"),
                ("latency_ns", "/latency_ns/mean"),
            ];
            // Of places the rate is the one that their table shows.
            let from_samples = result.pointer("/surface/rate_bytes_per_s/median");
            for (then, now) in figures {
                let now = match from_samples.filter(|_| then == "bytes_per_s") {
                    Some(rate) => rate,
                    None => result.pointer(now).unwrap_or(&Value::Null),
                };
                assert_eq!(*now, row[then], "{then} of {row}");
            }
        }
    }
}

#[test]
fn its_runs_are_judged_again() {
    let store = store();
    for run in runs() {
        let judged = store.ok(&format!("show {run} --judge-again"));
        assert!(judged.contains("and find the same."), "{run}: {judged}");
    }
}

#[test]
fn its_runs_are_reported() {
    let store = store();
    let runs: Vec<String> = runs().map(|run| run.to_string()).collect();
    let files = ["html", "md", "csv", "jsonl", "json"].map(|kind| store.beside(kind));
    let outputs = files
        .each_ref()
        .map(|file| format!("-o {}", file.display()));
    store.ok(&format!("report {} {}", runs.join(" "), outputs.join(" ")));
    for file in files {
        let written = fs::read_to_string(&file).unwrap();
        assert!(written.contains("RND4K Q32T1"), "{}", file.display());
    }
}

#[test]
fn its_baselines_are_those_of_today() {
    let store = store();
    for arguments in ["check sim:ssd", "check sim:hdd"] {
        let ended = store.run(&format!("{arguments} -q -f json"));
        let document: Value = serde_json::from_str(&ended.printed).unwrap();
        same_figures(&document["comparison"]);
    }
    assert!(
        store
            .list("--limit 2")
            .iter()
            .all(|run| run["is_baseline"] == false)
    );
}

/// Both sides of a comparison have done the same, and have the same rates to the last bit.
fn same_figures(compared: &Value) {
    let other = &compared["others"][0];
    for only in ["only_in_reference", "only_in_other"] {
        assert_eq!(other[only], serde_json::json!([]), "{compared}");
    }
    for row in other["rows"].as_array().unwrap() {
        assert_eq!(row["compared"]["differs"], serde_json::json!([]), "{row}");
        let rates = |side: &str| &row[side]["per_second"];
        assert_eq!(rates("reference"), rates("other"), "{row}");
    }
}

#[test]
fn what_is_measured_today_is_set_beside_what_was_measured_then() {
    let store = store();
    for run in SIMULATED {
        let ended = store.run(&format!("check {run} -q -f json"));
        let document: Value = serde_json::from_str(&ended.printed).unwrap();
        assert_ne!(document["outcome"], "slower", "{run}");
        same_figures(&document["comparison"]);
    }
    let trend = store.run("trend sim:ssd -f json").json();
    let series = trend["series"].as_array().unwrap();
    let marked = series.iter().find(|row| row["row"] == "RND4K Q32T1 read");
    let marked = marked.unwrap();
    // Runs 1 and 6, and the checks of both.
    assert_eq!(marked["points"].as_array().unwrap().len(), 4, "{marked}");
    assert_eq!(marked["runs_of_other_loads"], 0);
}
