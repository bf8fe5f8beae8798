//! A store and files that sokudo 0.1.0 has made, used with the program of today.

use std::fs::File;

use serde_json::Value;

use crate::store_file::Store;

pub(crate) const KEPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/sokudo/tests/kept/0.1.0"
);
/// Those of simulated devices, which are what they were.
const SIMULATED: [u32; 8] = [1, 2, 4, 5, 6, 9, 10, 11];

pub(crate) fn store() -> Store {
    let store = Store::new();
    let packed = File::open(format!("{KEPT}/runs.db.zst")).unwrap();
    zstd::stream::copy_decode(packed, File::create(store.file()).unwrap()).unwrap();
    store
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
        if differs.is_empty() {
            assert_eq!(rates("reference"), rates("other"), "{row}");
        } else {
            assert_eq!(row["compared"]["conclusion"], "cannot_be_compared", "{row}");
            let ratio = median("other") / median("reference");
            assert!((0.3..1.7).contains(&ratio), "{row}");
        }
    }
}
