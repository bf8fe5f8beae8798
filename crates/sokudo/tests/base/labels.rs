//! Labels: what somebody calls a run, wherever the run is shown and named.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::sokudo::{Ended, end, program, sokudo, split};

const ROW: &str = "--row RND4K,Q1,write --time 50ms --runs 12 -q";

/// Runs sokudo with a store of the test's own.
fn kept(store: &Path, arguments: &str) -> Ended {
    sokudo(&format!("{arguments} --store {}", store.display()))
}

/// A simulated device of one latency, measured under a label.
fn mark(store: &Path, latency_us: u32, label: &str) -> Ended {
    let device = format!("sim:const?latency={latency_us}us&jitter=1us");
    kept(store, &format!("mark {device} {ROW} --label '{label}'")).ok()
}

#[test]
fn a_label_is_shown_and_names_the_newest_run_that_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = &directory.path().join("runs.db");
    mark(store, 200, "ext4").prints(&["Label", "ext4"]);
    mark(store, 100, "bare metal");
    mark(store, 110, "ext4");
    kept(store, "list")
        .ok()
        .prints(&["label", "bare metal", "ext4"]);
    kept(store, "show 'bare metal'").ok().prints(&["run 2"]);
    let both = kept(store, "compare 'bare metal' ext4 --format json").json();
    assert_eq!(both["reference"]["source"], "run 2");
    assert_eq!(both["others"][0]["side"]["source"], "run 3", "the newest");
    assert_eq!(both["others"][0]["side"]["label"], "ext4");
    kept(store, "compare 'bare metal' ext4").ok().prints(&[
        "bare metal (run 2, ",
        "ext4 (run 3, ",
        "A bare metal",
        "B ext4",
    ]);
    let picture = directory.path().join("both.svg");
    kept(
        store,
        &format!("compare 2 3 1 --plot {}", picture.display()),
    )
    .ok();
    let picture = fs::read_to_string(picture).unwrap();
    assert!(
        picture.contains("ext4") && picture.contains("bare metal"),
        "{picture}"
    );
    kept(store, "compare all --pivot row:label")
        .ok()
        .prints(&["bare metal", "ext4"]);
}

#[test]
fn a_label_can_be_given_later_and_is_no_part_of_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let store = &directory.path().join("runs.db");
    mark(store, 100, "old");
    kept(
        store,
        &format!("mark sim:const?latency=100us&jitter=1us {ROW}"),
    )
    .ok();
    kept(store, "edit 1 --label new --tag idle").ok();
    kept(store, "show old").refused(2, &["old cannot be read", "--label"]);
    let [named, plain] = ["show new --format json", "show 2 --format json"]
        .map(|arguments| kept(store, arguments).json());
    assert_eq!(named["label"], "new");
    assert!(plain.get("label").is_none(), "absent where nobody gave one");
    assert_eq!(named["fingerprint"], plain["fingerprint"]);
}

#[test]
fn a_label_comes_with_a_file_from_another_machine_and_can_be_given_to_an_import() {
    let directory = tempfile::tempdir().unwrap();
    let store = &directory.path().join("runs.db");
    let file = directory.path().join("a.json");
    let output = format!("--no-store --format json -o {}", file.display());
    sokudo(&format!(
        "mark sim:const?latency=100us {ROW} --label vm {output}"
    ))
    .ok();
    kept(store, &format!("import {} -q", file.display())).ok();
    kept(store, "show vm").ok().prints(&["run 1"]);
    kept(store, "show latest").ok().prints(&["run 1"]);
    kept(store, &format!("import {} -q --label host", file.display())).ok();
    kept(store, "show host").ok().prints(&["run 1"]);
}

#[test]
fn a_name_that_would_be_taken_for_something_else_is_refused() {
    let long = "x".repeat(41);
    for label in [
        "44",
        "last",
        "latest",
        "all",
        "run 3",
        "tag:a",
        "a,b",
        "",
        " ",
        "\u{1b}[31m",
        &long,
    ] {
        sokudo(&format!("mark sim:const --label '{label}'")).refused(2, &["--label"]);
    }
}

#[test]
fn a_comparison_ends_with_a_sentence_that_is_true_of_two_disks_of_known_ratio() {
    let directory = tempfile::tempdir().unwrap();
    let store = &directory.path().join("runs.db");
    mark(store, 108, "xfs");
    mark(store, 100, "ext4");
    mark(store, 100, "btrfs");
    let compared = kept(store, "compare xfs ext4").ok();
    let last = compared.printed.trim_end().rsplit("\n\n").next().unwrap();
    let said = "ext4 is 8.0 % faster than xfs in RND4K Q1T1 write (";
    assert!(last.replace('\n', " ").starts_with(said), "{last}");
    let document = kept(store, "compare xfs ext4 --format json").json();
    let sentence = document["others"][0]["sentence"].as_str().unwrap();
    assert_eq!(last.replace('\n', " "), sentence);
    kept(store, "compare xfs ext4 --format markdown")
        .ok()
        .prints(&[sentence]);
    kept(store, "compare ext4 btrfs")
        .ok()
        .prints(&["btrfs and ext4 are the same within 2 %."]);
    kept(store, "compare xfs ext4 btrfs").ok().prints(&[
        "ext4 is 8.0 % faster than xfs",
        "btrfs is 8.0 % faster than xfs",
    ]);
}

#[test]
fn plans_of_a_live_comparison_have_labels_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let store = &directory.path().join("runs.db");
    let plan = |latency_us: u32, label: &str| {
        let row = "--row RND4K,Q1,write --time 50ms";
        format!("'mark sim:const?latency={latency_us}us&jitter=1us {row} --label {label}'")
    };
    let plans = format!("{} {}", plan(100, "slow"), plan(50, "quick"));
    kept(store, &format!("compare --live -q {plans}"))
        .ok()
        .prints(&["quick is 100 % faster than slow in RND4K Q1T1 write ("]);
    kept(store, "list").ok().prints(&["slow", "quick"]);
}

#[test]
fn rows_of_one_run_are_divided_where_their_names_differ_in_one_word() {
    let directory = tempfile::tempdir().unwrap();
    let store = &directory.path().join("runs.db");
    let device = "sim:const?latency=100us&jitter=1us&parallel=2";
    let rows = "--row RND4K,Q1,T1 --row RND4K,Q1,T4 --time 50ms --runs 12 -q --label ssd";
    kept(store, &format!("mark {device} {rows}")).ok();
    let ratios = kept(store, "compare ssd --ratio T4/T1 --format json").json();
    assert_eq!(ratios["columns"][0], "ssd");
    assert_eq!(ratios["rows"].as_array().unwrap().len(), 2);
    for row in ratios["rows"].as_array().unwrap() {
        let cell = &row["cells"][0];
        let ratio = cell["median"].as_f64().unwrap();
        assert!((ratio - 2.0).abs() < 0.02, "two of four at once: {row}");
        assert!(cell["interval_95"][0].as_f64().unwrap() < ratio, "{row}");
    }
    kept(store, "compare ssd --ratio write/read")
        .ok()
        .prints(&["RND4K Q1T4 write ÷ read", "1.00 ± "]);
    kept(store, "compare ssd --ratio T8/T1").refused(2, &["no run has two rows"]);
    kept(store, "compare ssd --ratio read").refused(2, &["write/read"]);
}

#[test]
fn a_run_of_a_drop_in_has_the_label_of_its_variable() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let fio = |label: &str| {
        let mut command = program();
        command.current_dir(folder.path());
        command.args(split("fio --name=a --ioengine=null --size=1m --rw=read"));
        command
            .env("SOKUDO_STORE", &store)
            .env("SOKUDO_LABEL", label);
        end(&mut command).ok()
    };
    fio("ext4");
    let unlabelled = fio("tag:x");
    unlabelled.tells(&["SOKUDO_LABEL is left out", "a label has"]);
    let list = kept(&store, "list --format json").json();
    let tags = |run: usize| &list["runs"][run]["tags"];
    assert_eq!(
        (tags(0), tags(1)),
        (&json!([]), &json!(["label=ext4"])),
        "{list}"
    );
}
