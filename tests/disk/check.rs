//! `sokudo check`: a baseline's measurement made again.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::signals::{interrupt, wait_for_io};
use crate::sokudo::{directory_on_disk, end, split, start};
use crate::store_file::Store;
use crate::written::write;

/// One disk at three ages.
const NEW: &str = "sim:const?latency=100us&jitter=10us&serial=A1";

/// A store whose only baseline is of the new disk.
fn with_baseline() -> Store {
    let store = Store::new();
    store.mark(NEW);
    store.ok("baseline set last");
    store
}

fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).unwrap();
    assert_eq!(document["schema"], "sokudo.check/1");
    document
}

#[test]
fn all_baselines_are_checked_with_one_table_and_one_code() {
    let store = with_baseline();
    let other = "sim:const?latency=100us&jitter=10us&serial=B2";
    store.mark(other);
    store.ok("baseline set");
    let ended = store.run("check --all -q").ends(0);
    ended.prints(&[
        "NONE SLOWER: 2 of 2 baselines",
        "serial=A1",
        "serial=B2",
        "unchanged",
    ]);
    let ended = store.run("check --all -q -f json").ends(0);
    let document: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(document["schema"], "sokudo.checks/1");
    assert_eq!(document["checks"].as_array().unwrap().len(), 2);
    store.refuses("check 1 --all", 2, &["--all"]);
    // A file that is gone does not keep the others from being checked.
    let directory = directory_on_disk();
    let gone = directory.path().to_str().unwrap();
    store.ok(&format!(
        "mark {gone} --row RND4K,Q1,read --size 16MiB -t 200ms -n 6 -q"
    ));
    store.ok("baseline set --anyway");
    drop(directory);
    let ended = store.run("check --all -q").ends(2);
    ended.prints(&[
        "NOT JUDGED: 1 of 3 baselines",
        "not measured",
        "was not found",
    ]);
    let ended = store.run("baseline set --all").ends(2);
    let ended = ended.prints(&["2 of 3 baselines were measured again."]);
    // One table: those that were measured by their new runs, the other by its old one.
    let baselines: Vec<u64> = store
        .list("")
        .iter()
        .filter(|run| run["is_baseline"] == true)
        .map(|run| run["id"].as_u64().unwrap())
        .collect();
    assert_eq!(baselines.len(), 3);
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let shown: Vec<String> = ended.printed.lines().filter_map(first).collect();
    for id in baselines {
        assert!(shown.contains(&id.to_string()), "{id}: {ended:?}");
    }
    assert!(!ended.printed.contains("replaces"), "{ended:?}");
    let told = store.run("baseline set --all").ends(2).told;
    assert!(told.contains("was not found"), "{told}");
    Store::new().refuses("check --all", 2, &["no baseline"]);
    Store::new().refuses("baseline set --all", 2, &["no baseline"]);
}

#[test]
fn what_was_judged_before_ctrl_c_is_told() {
    let store = with_baseline();
    let directory = directory_on_disk();
    let place = directory.path().to_str().unwrap();
    store.ok(&format!(
        "mark {place} --row RND64K,Q1,read --engine psync --size 16MiB -t 1s -n 6 -q"
    ));
    store.ok("baseline set --anyway");
    let mut command = store.program();
    let child = start(command.args(split("check --all -q --anyway -f json")));
    wait_for_io(&child, "rchar", 4 << 20);
    let ended = interrupt(child, Signal::INT);
    let document: Value = serde_json::from_str(&ended.printed).unwrap();
    let checks = document["checks"].as_array().unwrap();
    let ended_in = checks.iter().position(|it| it["target"] == place).unwrap();
    assert_eq!(
        (document["exit_code"].as_u64(), checks.len()),
        (Some(130), 2)
    );
    // Baselines are checked by the names of their devices, and that of the disk here may be any.
    for (number, check) in checks.iter().enumerate() {
        let is_judged = number < ended_in;
        let error = if is_judged {
            Value::Null
        } else {
            "interrupted".into()
        };
        assert_eq!(check["error"], error, "{document}");
        assert_eq!(check["check"].is_object(), is_judged, "{document}");
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn no_result_of_a_baseline_takes_the_place_of_the_file_that_is_measured() {
    let store = Store::new();
    let directory = directory_on_disk();
    let file = directory.path().join("data");
    write(&file, vec![7; 1 << 20]);
    let path = file.display();
    let command = format!("baseline set --anyway -- mark {path} --output {path}");
    store.refuses(&command, 3, &["is the target of the measurement"]);
    assert_eq!(fs::read(&file).unwrap(), vec![7; 1 << 20]);
}

/// Keeps every processor at work while `during` runs.
fn on_a_busy_machine(during: impl FnOnce()) {
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A failure must not leave them at work.
        let _over = Over(&is_over);
        for _ in 0..count {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        during();
    });
}

#[test]
fn a_busy_machine_is_refused_before_anything_is_measured() {
    let store = Store::new();
    let place = directory_on_disk();
    let target = place.path().to_str().unwrap();
    let row = "--row RND4K,Q1,read --size 16MiB -t 10ms -q";
    let mark = format!("-- mark {target} {row}");
    let words = ["nothing was measured", "busy", "--wait-idle", "--anyway"];
    on_a_busy_machine(|| {
        store.refuses(&format!("baseline set {mark}"), 4, &words);
        assert_eq!(store.list("").len(), 0, "something was measured");
        store.ok(&format!("baseline set --anyway {mark}"));
        store.refuses("check -q", 4, &words);
        assert_eq!(store.list("").len(), 1, "something was measured");
        let ended = store.run("check -q --anyway -f json");
        let document = document(&ended.printed);
        let rows = document["rows"].as_array().unwrap();
        let is_calm = rows.iter().all(|row| row["disturbed"] == false);
        assert!(is_calm, "{document}");
    });
}

#[test]
fn a_baseline_given_relative_is_measured_where_it_was() {
    let store = Store::new();
    let place = directory_on_disk();
    let mut command = store.program();
    command
        .args(split(
            "mark . --size 16MiB -t 20ms -n 6 -q --row RND4K,Q1,read",
        ))
        .current_dir(place.path());
    end(&mut command).ok();
    store.ok("baseline set --anyway");
    let elsewhere = tempfile::tempdir().unwrap();
    let mut check = store.program();
    check
        .args(["check", "1", "-q", "--min-difference", "99%", "--anyway"])
        .current_dir(elsewhere.path());
    let ended = end(&mut check);
    assert!(matches!(ended.code(), Some(0 | 4)), "{ended:?}");
    let target = store.list("--limit 1")[0]["target"].clone();
    let canonical = place.path().canonicalize().unwrap();
    assert_eq!(target.as_str(), canonical.to_str());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    let gone = place.path().to_owned();
    drop(place);
    store.refuses("check 1 -q", 2, &["was not found", gone.to_str().unwrap()]);
}

#[test]
fn what_destroys_is_not_repeated_without_new_leave() {
    let store = Store::new();
    let directory = directory_on_disk();
    let file = directory.path().join("file");
    write(&file, vec![7; 1 << 20]);
    let name = file.to_str().unwrap();
    store.ok(&format!(
        "mark {name} --overwrite --row RND4K,Q1,write -t 10ms -n 6 -q"
    ));
    store.run("baseline set --anyway");
    write(&file, vec![7; 1 << 20]);
    store.refuses("check 1 -q", 3, &["--overwrite", "overwrites the file"]);
    assert!(fs::read(&file).unwrap().iter().all(|byte| *byte == 7));
    store.refuses(&format!("check 1 -q --destroy {name}"), 3, &["--overwrite"]);
    let ended = store.run("check 1 -q --overwrite --anyway");
    assert!(matches!(ended.code(), Some(0 | 1 | 4)), "{ended:?}");
    assert!(fs::read(&file).unwrap().iter().any(|byte| *byte != 7));
}

#[test]
fn an_interrupted_check_is_kept_and_concludes_nothing() {
    let store = Store::new();
    let place = directory_on_disk();
    let target = place.path().to_str().unwrap();
    let row = "--row RND4K,Q1,read --engine psync --size 16MiB -q";
    store.ok(&format!("mark {target} -t 20ms -n 6 {row}"));
    store.run("baseline set --anyway");
    // The same method, but so long that it can be stopped in the middle.
    let file = place.path().join("long.json");
    let long = format!("mark {target} -t 100ms -n 9999 {row}");
    let mut command = store.program();
    let child = start(command.args(split(&long)));
    wait_for_io(&child, "rchar", 4 << 20);
    interrupt(child, Signal::INT);
    store.refuses("baseline set", 4, &["it was interrupted"]);
    let mut check = store.program();
    let child = start(check.args(["check", "last", "-q", "--anyway"]));
    wait_for_io(&child, "rchar", 4 << 20);
    let ended = interrupt(child, Signal::TERM);
    assert_eq!((&*ended.printed, &*ended.told), ("", ""), "{ended:?}");
    assert_eq!(store.list("--limit 1")[0]["interrupted"], true);
    assert!(!file.exists());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_device_is_found_again_under_another_name() {
        let Some(device) = LoopDevice::new(16 << 20, true) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        let store = Store::new();
        store.ok(&format!(
            "mark {path} --row RND4K,Q1,write --destroy {path} -t 10ms -n 6 -q"
        ));
        store.run("baseline set --anyway");
        store.refuses(
            &format!("check {path} -q"),
            3,
            &["--destroy", "name the device again"],
        );
        let ended = store.run(&format!(
            "check {path} -q --destroy {path} --destroy-contents"
        ));
        assert!(matches!(ended.code(), Some(0 | 1 | 4)), "{ended:?}");
        // A link is another name of the same device.
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("disk");
        std::os::unix::fs::symlink(&device.path, &link).unwrap();
        store.refuses(&format!("check {} -q", link.display()), 3, &["--destroy"]);
    }
}
