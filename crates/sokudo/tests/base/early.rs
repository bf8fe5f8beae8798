//! A store and files that sokudo 0.1.0 has made, used with the program of today.

use std::fs::{self, File};

use serde_json::Value;

use crate::store_file::Store;

pub(crate) const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/0.1.0");
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
/// Those that another tool has measured: nothing more is known of them than then.
const IMPORTED: u32 = 8;
/// Those of simulated devices, which are what they were.
const SIMULATED: [u32; 8] = [1, 2, 4, 5, 6, 9, 10, 11];
/// Runs that were printed, too.
const PRINTED: [(&str, &str); 2] = [("1", "mark.json"), ("3", "file.json")];

pub(crate) fn store() -> Store {
    let store = Store::new();
    let packed = File::open(format!("{KEPT}/runs.db.zst")).unwrap();
    zstd::stream::copy_decode(packed, File::create(store.file()).unwrap()).unwrap();
    store
}

fn runs() -> impl Iterator<Item = u32> {
    (1..).zip(METHODS).map(|(run, _)| run)
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

#[test]
fn its_runs_and_files_are_shown_as_they_were() {
    let store = store();
    for (run, file) in PRINTED {
        let file = format!("{KEPT}/{file}");
        let printed = as_then(&fs::read_to_string(&file).unwrap());
        for shown in [run, &file] {
            let now = as_then(&store.ok(&format!("show {shown} -f json")));
            assert_eq!(now, printed, "{shown}");
        }
        let compared = store.ok(&format!("compare {run} {file} -f json"));
        let compared: Value = serde_json::from_str(&compared).unwrap();
        same_figures(&compared);
    }
    for (run, format) in runs().flat_map(|run| ["table", "csv", "markdown"].map(|it| (run, it))) {
        assert!(!store.ok(&format!("show {run} -f {format}")).is_empty());
    }
}

#[test]
fn its_runs_are_judged_again_and_what_they_lack_is_told() {
    let store = store();
    for run in runs() {
        let judged = store.ok(&format!("show {run} --judge-again"));
        assert!(judged.contains("and find the same."), "{run}: {judged}");
        let lacks = judged.contains("Not kept of this run");
        assert_eq!(lacks, run != IMPORTED, "{run}: {judged}");
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

/// A document without what is taken anew of it whenever it is read.
fn as_then(document: &str) -> Value {
    let mut document: Value = serde_json::from_str(document).unwrap();
    let taken_anew = ["fingerprint", "fingerprint_parts", "steadiness"];
    let forget = |value: &mut Value| {
        let fields = value.as_object_mut().unwrap();
        fields.retain(|name, _| !taken_anew.contains(&name.as_str()));
    };
    document["results"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(forget);
    forget(&mut document);
    forget_p95(&mut document);
    document
}

/// Latencies had five percentiles then.
fn forget_p95(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        if fields.contains_key("p99_99") {
            fields.remove("p95");
        }
        fields.values_mut().for_each(forget_p95);
    }
    let list = value.as_array_mut().into_iter().flatten();
    list.for_each(forget_p95);
}

/// Both sides of a comparison have done the same, and have the same rates to the last bit.
/// The rows are those of then and so are their figures, but where a load that lasts is measured:
/// then the filling and the draining of its queue counted. `explain` asks for more than then.
fn same_figures(compared: &Value) {
    let other = &compared["others"][0];
    let rows = other["rows"].as_array().unwrap();
    if rows
        .iter()
        .any(|row| row["row"].as_str().unwrap().starts_with("explain/"))
    {
        return;
    }
    for only in ["only_in_reference", "only_in_other"] {
        assert_eq!(other[only], serde_json::json!([]), "{compared}");
    }
    for row in rows {
        let differs = row["compared"]["differs"].as_array().unwrap();
        // Rates of `load` follow from what lasts.
        let is_known = |part: &Value| part["name"] == "estimand" || part["name"] == "rate";
        assert!(differs.iter().all(is_known), "{row}");
        let rates = |side: &str| &row[side]["per_second"];
        let median = |side: &str| rates(side)["median"].as_f64().unwrap();
        let ratio = median("other") / median("reference");
        let is_sequential = row["row"].as_str().unwrap().contains("SEQ");
        if differs.is_empty() && is_sequential {
            // Each trial began at the first byte.
            assert!((0.99..1.01).contains(&ratio), "{row}");
        } else if differs.is_empty() {
            assert_eq!(rates("reference"), rates("other"), "{row}");
        } else {
            assert_eq!(row["compared"]["conclusion"], "cannot_be_compared", "{row}");
            assert!((0.3..1.7).contains(&ratio), "{row}");
        }
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
    let trend = store.ok("trend sim:ssd -f json");
    let trend: Value = serde_json::from_str(&trend).unwrap();
    let series = trend["series"].as_array().unwrap();
    let marked = series.iter().find(|row| row["row"] == "RND4K Q1T1 read");
    let marked = marked.unwrap();
    // What lasts is another figure than that of then, and no change of its level.
    assert_eq!(marked["points"].as_array().unwrap().len(), 1, "{marked}");
    assert_eq!(marked["runs_of_other_loads"], 1);
}
