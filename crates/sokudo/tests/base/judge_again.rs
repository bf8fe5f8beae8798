//! Runs that are kept whole, files of figures, and what today's rules think of both.

use crate::store_file::Store;
use crate::stored;

const IMPORT: &str = concat!(
    "import ",
    env!("CARGO_MANIFEST_DIR"),
    "/../sokudo-import/corpus/kdiskmark/2.txt"
);

#[test]
fn a_run_of_today_is_judged_as_it_was() {
    let store = Store::new();
    for measured in [
        "mark sim:ssd --row SEQ1M,Q8 --row RND4K,Q32 --runs 8 --time 100ms --seed 1",
        "scan sim:hdd",
        "explain sim:hdd",
        IMPORT,
    ] {
        store.ok(&format!("{measured} --quiet"));
        let judged = store.ok("show --judge-again");
        assert!(judged.contains("and find the same."), "{judged:?}");
        assert_eq!(judged.lines().count(), 1, "{judged:?}");
    }
}

#[test]
fn a_file_is_judged_as_far_as_it_goes_and_what_it_lacks_is_told() {
    let store = Store::new();
    let file = format!("{}/mark.json", stored::KEPT);
    store.ok(&format!("import {file} --quiet"));
    let text = store.ok("show 1 --judge-again");
    assert!(text.contains("the latencies of each trial"), "{text}");
    assert_eq!(store.ok(&format!("show {file} --judge-again")), text);
    let json = store.run("show 1 --judge-again -f json").json();
    assert_eq!(json["schema"], "sokudo.judgement/1");
    assert_eq!(json["run"], "run 1");
    assert_eq!(json["rows"].as_array().unwrap().len(), 4);
    assert!(!json["lacking"].as_array().unwrap().is_empty(), "{json}");
}

#[test]
fn other_formats_have_no_form_for_two_judgements() {
    let store = stored::store();
    for format in ["csv", "markdown"] {
        let arguments = format!("show 1 --judge-again --format {format}");
        store.refuses(&arguments, 2, &["--judge-again prints a table or JSON"]);
    }
}
