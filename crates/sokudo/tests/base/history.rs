//! The commands about runs that are kept: list, show, note, tag, delete, baseline.

use std::fs;

use serde_json::Value;

use crate::sokudo::{end, holds, split};
use crate::store_file::Store;

/// A simulated disk that is measured in no time.
const DISK: &str = "sim:const?latency=100us&jitter=10us&serial=A1";

#[test]
fn a_list_has_a_format_as_all_results_have() {
    let store = Store::new();
    store.mark(DISK);
    store.ok("baseline set 1");
    for command in ["list", "baseline show", "info"] {
        let json = store.ok(&format!("{command} --format json"));
        assert!(json.starts_with("{\n  \"schema\": \"sokudo."), "{json}");
        let table = store.ok(&format!("{command} --format table"));
        assert!(!table.starts_with('{'), "{table}");
        // Disks come and go, and tell another thing of themselves from one moment to the next.
        if command != "info" {
            assert_eq!(store.ok(command), table);
            assert_eq!(store.ok(&format!("{command} -f json")), json);
        }
    }
}

#[test]
fn tags_become_columns_as_their_help_says() {
    let store = Store::new();
    let help = store.ok("edit --help");
    assert!(help.contains("compare all --pivot row:tag:raid"), "{help}");
    for (run, tag) in [("1", "raid=5"), ("2", "raid=10"), ("3", "idle")] {
        store.mark(DISK);
        store.ok(&format!("edit {run} --tag {tag}"));
    }
    let json = store.ok("compare all --pivot row:tag:raid -f json");
    let matrix: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(matrix["columns"], serde_json::json!(["5", "10", "—"]));
}

#[test]
fn an_empty_store_says_what_to_do_and_is_not_made() {
    let store = Store::new();
    assert!(store.ok("list").contains("sokudo mark ."));
    assert_eq!(store.ids(""), [0; 0]);
    assert!(!store.file().exists(), "nothing is made by looking");
    store.refuses("show", 2, &["no run is kept yet"]);
    store.refuses("show 7", 2, &["no run 7", "sokudo list"]);
    store.refuses("plot last", 2, &["no run is kept"]);
    store.refuses("edit last --note x", 2, &["no run is kept"]);
    store.refuses("edit 7 --tag x", 2, &["no run 7"]);
    store.refuses("delete 7 -y", 2, &["no run 7"]);
    store.refuses("baseline set 7", 2, &["no run 7"]);
    store.refuses("baseline unset 7", 2, &["no run 7"]);
    for command in ["baseline show", "baseline list", "baseline"] {
        let shown = store.ok(command);
        assert!(shown.contains("sokudo baseline set"), "{command}");
    }
    store.refuses("check", 2, &["no baseline", "baseline set"]);
}

#[test]
fn runs_are_listed_the_newest_first_and_found_by_what_they_are() {
    let store = Store::new();
    store.mark(DISK);
    store.mark("sim:ssd");
    store.ok("quick sim:ssd -q");
    store.ok("edit 2 --tag idle --tag 'before update'");
    assert_eq!(store.ids(""), [3, 2, 1]);
    for (filter, ids) in [
        ("constant", &[1][..]),
        ("A1", &[1]),
        ("solid-state", &[3, 2]),
        ("100%", &[]),
        ("--method quick", &[3]),
        ("--method mark --limit 1", &[2]),
        ("--skip 1 --limit 0", &[2, 1]),
        ("--tag idle --tag 'before update'", &[2]),
        ("--tag idle --tag other", &[]),
        ("--verdict verified", &[3, 2, 1]),
        ("--verdict invalid", &[]),
        ("--since 1h", &[3, 2, 1]),
        ("--since 2000-01-01 --until 2001-01-01", &[]),
        ("--until 1h", &[]),
    ] {
        assert_eq!(store.ids(filter), ids, "{filter:?}");
    }
    let table = store.ok("list");
    let first = table.lines().nth(2).unwrap();
    assert!(first.trim_start().starts_with('3'), "{table}");
    holds(store.ok("show 2"), &["tags  before update, idle"]);
    assert!(store.ok("list --tag none").contains("No kept run"));
    store.refuses("list --since yesterday", 2, &["yesterday", "7d"]);
}

#[test]
fn a_list_has_what_each_run_answered_and_how_good_that_is() {
    let store = Store::new();
    let rows = "--time 50ms --runs 12";
    let mark = |target: &str, row: &str| format!("mark {target} --row {row},Q1,read {rows}");
    let surface = "scan sim:hdd?size=4GiB&fail_at=1GiB+64MiB:EIO --full";
    let answers = [
        (mark(DISK, "RND4K"), None, "good"),
        // It answers no question, and its disk fails.
        (
            mark("sim:hdd?fail_at=0:EIO", "SEQ1M"),
            Some("NOT OK"),
            "bad",
        ),
        (surface.to_owned(), Some("NOT OK"), "bad"),
        ("checkup sim:hdd".to_owned(), Some("OK so far"), "good"),
        (
            "checkup sim:const?latency=410us&jitter=0s".to_owned(),
            Some("OK BUT"),
            "doubtful",
        ),
        (
            "checkup sim:const?latency=810us&jitter=0s".to_owned(),
            Some("NOT OK"),
            "bad",
        ),
        (
            "checkup sim:raid5 --time 100ms".to_owned(),
            Some("CANNOT SAY"),
            "doubtful",
        ),
        (
            "fit etcd sim:const?latency=9.9ms&jitter=0s".to_owned(),
            Some("FAST ENOUGH"),
            "good",
        ),
        (
            "fit etcd sim:const?latency=10.2ms&jitter=0s".to_owned(),
            Some("TOO SLOW"),
            "bad",
        ),
    ];
    for ((command, answer, tone), id) in answers.iter().zip(1..) {
        let ended = store.run(&format!("{command} -q"));
        let run = &store.list("--limit 1")[0];
        assert_eq!(run["id"], id, "{ended:?}");
        assert_eq!(run["answer"].as_str(), *answer, "{command}");
        assert_eq!(run["tone"], *tone, "{command}");
        assert_eq!(run["tags"], serde_json::json!([]), "{command}");
        let line = store.ok("list --limit 1");
        assert!(line.contains(answer.unwrap_or("VERIFIED")), "{line}");
    }
}

#[test]
fn the_figure_that_list_has_of_a_scan_is_that_of_its_own_table() {
    let store = Store::new();
    let scanned = store.ok("scan sim:hdd?size=20GB --points 20 --access-count 0 -q");
    let row = scanned.lines().find(|line| line.starts_with("TRANSFER"));
    let cells = split(row.unwrap());
    // TRANSFER read, min, mean, median.
    let median = &cells[4];
    let listed = store.list("")[0]["rows"][0]["bytes_per_s"].clone();
    let shown = format!("{:.1}", listed.as_f64().unwrap() / 1e6);
    assert_eq!(*median, shown, "{scanned}");
    let list = store.ok("list");
    let line = list.lines().find(|line| line.contains("VERIFIED")).unwrap();
    assert!(split(line).contains(median), "{list}");
    let run: Value = serde_json::from_str(&store.ok("show 1 --format json")).unwrap();
    let places = &run["figures"][0]["surface"]["rate_bytes_per_s"];
    assert_eq!(places["median"], listed);
    // Without this the test would show nothing: the row's own figure counts bytes and time.
    let bandwidth = &run["figures"][0]["bandwidth_bytes_per_s"];
    assert_ne!(bandwidth["median"], listed);
}

#[test]
fn what_a_cache_answers_is_no_headline() {
    let store = Store::new();
    store.ok("scan sim:hdd?size=20GB&cache=64MiB --extra --points 20 -q");
    let rows = store.list("")[0]["rows"].as_array().unwrap().clone();
    let stands = |row: &Value| row["stands_for_disk"].as_bool().unwrap();
    let is_of_cache = |row: &Value| {
        let name = row["name"].as_str().unwrap();
        name.starts_with("BURST") || name.starts_with("CACHE")
    };
    assert!(rows.iter().any(&is_of_cache), "{rows:?}");
    for row in &rows {
        assert_eq!(stands(row), !is_of_cache(row), "{row}");
    }
    let best = |rows: &mut dyn Iterator<Item = &Value>| {
        let rates = rows.filter_map(|row| row["bytes_per_s"].as_f64());
        rates.fold(0.0, f64::max)
    };
    // Without this the test would show nothing.
    let cache = best(&mut rows.iter());
    let disk = best(&mut rows.iter().filter(|row| stands(row)));
    assert!(cache > disk, "{cache} {disk}");
    let page = store.ok("report 1 --format html");
    let (_, card) = page.split_once("Fastest read").unwrap();
    let (card, _) = card.split_once("</dd>").unwrap();
    assert!(!card.contains("CACHE") && !card.contains("BURST"), "{card}");
    let trend = store.ok("trend");
    assert!(
        trend.contains("rows of caches are left out") && !trend.contains("CACHE"),
        "{trend}"
    );
    assert!(store.ok("trend --row 'CACHE 1M'").contains("CACHE 1M"));
}

#[test]
fn a_run_is_shown_in_every_format_as_it_was_measured() {
    let store = Store::new();
    store.mark(DISK);
    store.ok("edit 1 last --note 'before the update' --tag idle");
    let table = store.ok("show --why");
    let words = [
        "run 1",
        "note  before the update",
        "tags  idle",
        "RND4K Q1T1",
    ];
    holds(&table, &words);
    let json: Value = serde_json::from_str(&store.ok("show 1 -f json")).unwrap();
    assert_eq!(json["schema"], "sokudo.run/1");
    assert_eq!(json["figures"][0]["trials"].as_array().unwrap().len(), 12);
    for format in ["csv", "markdown"] {
        assert!(store.ok(&format!("show 1 -f {format}")).contains("RND4K"));
    }
    let picture = store.directory.path().join("a.svg");
    store.ok(&format!("show last --plot {}", picture.display()));
    assert!(fs::read_to_string(picture).unwrap().contains("<svg"));
    // The end of a file's name says how it is written.
    for (name, begin) in [
        ("b.html", "<!doctype html>"),
        ("b.svg", "<svg"),
        ("b.md", "#"),
        ("b.json", "{"),
        ("b.csv", "started_at,"),
        ("b.txt", "sokudo"),
    ] {
        let file = store.directory.path().join(name);
        store.ok(&format!("show 1 -o {}", file.display()));
        let written = fs::read_to_string(file).unwrap().to_lowercase();
        assert!(written.trim_start().starts_with(begin), "{name}: {written}");
    }
    store.refuses("show 1 -o b.pdf", 2, &["no PDF"]);
    store.refuses("show 1 -o b.foo", 2, &["b.foo", ".html", "--format"]);
    store.ok("show 1 -o /dev/stdout");
    // What a file holds is shown likewise.
    let file = store.directory.path().join("a.json");
    store.ok(&format!("show 1 -f json -o {}", file.display()));
    let of_file = store.ok(&format!("show {} --why", file.display()));
    assert!(table.ends_with(&of_file), "{table}\n{of_file}");
}

#[test]
fn absurd_numbers_and_words_are_no_crash_and_no_flood() {
    let store = Store::new();
    store.mark(DISK);
    let most = u64::MAX.to_string();
    assert_eq!(store.ids(&format!("--skip {most}")), [0; 0]);
    assert_eq!(store.ids(&format!("--skip {most} --limit {most}")), [0; 0]);
    assert_eq!(store.ids(&format!("--limit {most}")), [1]);
    let long = "x".repeat(100_000);
    let refused = store.run(&format!("edit 1 --tag {long}"));
    refused.refused(2, &["64 characters"]);
    assert!(refused.told.len() < 10_000, "{}", refused.told.len());
}

#[test]
fn notes_and_tags_of_hostile_people_do_no_harm() {
    let store = Store::new();
    store.mark(DISK);
    let hostile = "\u{1b}[31m\u{7}<script>alert(1)</script>\r速度\u{202e}'; DROP TABLE runs;--";
    end(store.program().args(["edit", "1", "--note", hostile])).ok();
    assert_eq!(store.list("")[0]["note"], hostile);
    let table = store.ok("show 1");
    assert!(table.contains("<script>alert(1)</script>"), "{table}");
    assert!(!table.contains('\u{1b}') && !table.contains('\u{202e}'));
    let long = format!("edit 1 --note {}", "x".repeat(100_000));
    store.refuses(&long, 2, &["10000", "keep the text in a file"]);
    assert_eq!(store.list("")[0]["note"], hostile);
    store.ok("edit 1 --note ''");
    assert_eq!(store.list("")[0]["note"], "");
    store.refuses("edit 1", 2, &["--note"]);
    store.ok("edit 1 --tag <b> --tag 速度");
    store.ok("edit 1 --tag 速度 --untag <b>");
    assert_eq!(store.list("")[0]["tags"], serde_json::json!(["速度"]));
    for tag in ["", "a,b", "\u{1b}[31m"] {
        store.refuses(&format!("edit 1 --tag '{tag}'"), 2, &["a tag has"]);
    }
    let name = "nothing-of-this-name";
    store.refuses(&format!("edit {name} --note x"), 2, &[name, "sokudo list"]);
}

#[test]
fn what_is_deleted_is_gone_and_its_number_never_comes_back() {
    let store = Store::new();
    for _ in 0..3 {
        store.mark(DISK);
    }
    store.refuses("delete 1", 2, &["--yes"]);
    store.refuses("delete 1 99 -y", 2, &["no run 99"]);
    assert_eq!(store.ids(""), [3, 2, 1], "all or nothing");
    store.ok("delete 1 last 1 --yes");
    assert_eq!(store.ids(""), [2]);
    store.mark(DISK);
    assert_eq!(store.ids(""), [4, 2]);
}

#[test]
fn a_baseline_is_one_per_device_and_method_and_is_not_deleted() {
    let store = Store::new();
    store.mark(DISK);
    store.mark(DISK);
    let told = store.ok("baseline set 1");
    assert!(told.contains("Run 1 is the baseline"), "{told}");
    let words = ["is the baseline", "baseline unset 1"];
    store.refuses("delete 1 --yes", 3, &words);
    let told = store.ok("baseline set last");
    assert!(told.contains("replaces run 1 as the baseline"), "{told}");
    let shown: Value = serde_json::from_str(&store.ok("baseline show --format json")).unwrap();
    assert_eq!(shown["runs"].as_array().unwrap().len(), 1);
    assert_eq!(shown["runs"][0]["id"], 2);
    assert!(store.ok("list").contains('★') || store.ok("list").contains('*'));
    store.refuses("baseline unset 1", 2, &["is not a baseline"]);
    store.ok("baseline unset 2");
    store.ok("delete 1 2 --yes");
    assert_eq!(store.ids(""), [0; 0]);
}

#[test]
fn a_baseline_is_measured_and_set_at_once() {
    let store = Store::new();
    let ended = store.run(&format!(
        "baseline set --wait-idle -- mark {DISK} --row RND4K,Q1 -t 50ms -n 12 -q"
    ));
    assert_eq!((ended.code(), &*ended.told), (Some(0), ""), "{ended:?}");
    assert!(ended.printed.contains("RND4K Q1T1"), "the result, too");
    let run = &store.list("")[0];
    assert_eq!(run["is_baseline"], true);
    // What repeats it is the command that measured, with its seed.
    let command = run["command"].as_str().unwrap();
    assert!(command.starts_with("sokudo mark 'sim:const"), "{command}");
    assert!(command.ends_with("-q --seed 1"), "{command}");
    for (command, words) in [
        ("info", "cannot be repeated"),
        ("list", "cannot be repeated"),
        ("mark --nonsense", "--nonsense"),
    ] {
        let ended = store.run(&format!("baseline set -- {command}")).ends(2);
        assert!(ended.told.contains(words) || ended.told.contains("cannot be repeated"));
    }
    store.refuses("baseline set --wait-idle", 2, &["--wait-idle -- mark"]);
}

#[test]
fn what_says_nothing_of_its_device_is_no_baseline_whatever_is_said() {
    let store = Store::new();
    store.ok("mark null: -t 10ms -n 1 --row RND4K -q");
    store.refuses(
        "baseline set",
        4,
        &["cannot serve as a baseline", "INVALID"],
    );
    let words = ["all its rows are INVALID", "sokudo show 1 --why"];
    store.refuses("baseline set --anyway", 2, &words);
}
