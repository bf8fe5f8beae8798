//! `sokudo check`: a baseline's measurement made again.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use serde_json::Value;

use crate::history::Store;
use crate::interruption::{interrupt, wait_for_io};
use crate::loop_device::LoopDevice;
use crate::sokudo::{directory_on_disk, end, has, shell, skip, start};

/// One disk at three ages.
const NEW: &str = "sim:const?latency=100us&jitter=10us&serial=A1";
const OLD: &str = "sim:const?latency=125us&jitter=12us&serial=A1";
const TUNED: &str = "sim:const?latency=80us&jitter=8us&serial=A1";

/// A store whose only baseline is of the new disk.
fn with_baseline() -> Store {
    let store = Store::new();
    store.mark(NEW);
    store.ok(&["baseline", "set", "last"]);
    store
}

fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).unwrap();
    assert_eq!(document["schema"], "sokudo.check/1");
    document
}

#[test]
fn a_disk_that_has_not_changed_is_unchanged_and_one_that_aged_is_slower() {
    let store = with_baseline();
    for (arguments, code, outcome) in [
        (&["check"][..], 0, "unchanged"),
        (&["check", "1"], 0, "unchanged"),
        (&["check", NEW], 0, "unchanged"),
        (&["check", "A1"], 0, "unchanged"),
        (&["check", OLD], 1, "slower"),
        (&["check", TUNED], 0, "faster"),
        (&["check", OLD, "--min-difference", "40%"], 0, "unchanged"),
        (&["check", OLD, "--unit", "iops"], 1, "slower"),
    ] {
        let all = [arguments, &["-q", "--format", "json"]].concat();
        let ended = store.run(&all);
        assert_eq!((ended.code(), &*ended.told), (Some(code), ""), "{ended:?}");
        let document = document(&ended.printed);
        assert_eq!(document["outcome"], outcome, "{arguments:?}: {document}");
        assert_eq!(document["baseline_run"], 1);
        // Every check is a run like any other.
        let newest = &store.list(&["--limit", "1"])[0];
        assert_eq!(document["run"], newest["id"]);
        assert!(
            newest["command"]
                .as_str()
                .unwrap()
                .starts_with("sokudo mark")
        );
    }
}

#[test]
fn the_text_begins_with_the_answer_and_says_how_much_and_what_else_changed() {
    let store = with_baseline();
    let ended = store.run(&["check", OLD, "-q"]);
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    let text = &ended.printed;
    assert!(
        text.starts_with("SLOWER: 1 of 1 rows is slower than in run 1"),
        "{text}"
    );
    assert!(text.contains("slower by 20 % ("), "{text}");
    assert!(text.contains("target: "), "{text}");
    let newest = store.list(&["--limit", "1"]);
    assert_eq!(newest[0]["target"], OLD);
    assert_eq!(newest[0]["is_baseline"], false);
}

#[test]
fn where_there_is_no_baseline_the_way_to_one_is_told() {
    let store = with_baseline();
    let other = "sim:ssd?serial=B2";
    store
        .run(&["check", other])
        .refused(2, &["no baseline", "sokudo baseline set -- mark"]);
    store
        .run(&["check", "--method", "scan"])
        .refused(2, &["no baseline"]);
    store.run(&["check", "99"]).refused(2, &["no run 99"]);
    store
        .run(&["check", "/missing/place"])
        .refused(2, &["/missing/place"]);
    store.mark(other);
    store.ok(&["baseline", "set"]);
    store
        .run(&["check"])
        .refused(2, &["2 baselines", "sokudo check 1", "sokudo check 2"]);
    assert_eq!(store.run(&["check", "B2", "-q"]).code(), Some(0));
}

#[test]
fn too_few_trials_are_no_proof() {
    let store = Store::new();
    store.ok(&["mark", NEW, "--row", "RND4K", "-t", "10ms", "-n", "1", "-q"]);
    let ended = store.run(&["check", "1", "-q"]);
    assert_eq!(ended.code(), Some(4), "{ended:?}");
    assert!(ended.printed.starts_with("NOT JUDGED"), "{ended:?}");
    assert!(ended.told.contains("no row could be judged"), "{ended:?}");
    assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
}

#[test]
fn what_check_could_not_judge_is_no_baseline_whatever_is_said() {
    let store = Store::new();
    store.ok(&["mark", NEW, "--row", "RND4K", "-t", "10ms", "-n", "1", "-q"]);
    for arguments in [&["baseline", "set"][..], &["baseline", "set", "--anyway"]] {
        let words = ["run 1 is no baseline", "1 of the 5 trials", "--runs 5"];
        store.run(arguments).refused(2, &words);
    }
    // What is asked for is refused before anything is measured.
    let few = [
        "baseline",
        "set",
        "--",
        "scan",
        "sim:hdd?serial=S",
        "--runs",
        "2",
    ];
    let words = ["would be measured 2 times", "use --runs 5"];
    store.run(&few).refused(2, &words);
    assert_eq!(store.list(&[]).len(), 1);
    for command in [
        &["load", "sim:hdd?serial=L", "--time", "100ms", "--runs", "1"][..],
        &["explain", "sim:hdd?serial=X", "--only", "rotation"],
    ] {
        let set = [&["baseline", "set", "--anyway", "--"], command, &["-q"]].concat();
        let ended = store.run(&set);
        assert_eq!(ended.code(), Some(2), "{command:?}: {ended:?}");
        assert!(
            ended.told.contains("is no baseline"),
            "{command:?}: {ended:?}"
        );
    }
}

#[test]
fn the_example_of_the_help_makes_a_baseline_that_can_be_judged() {
    let store = Store::new();
    let ended = store.run(&[
        "baseline",
        "set",
        "--wait-idle",
        "--",
        "scan",
        "sim:hdd?serial=S",
        "-q",
    ]);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let told = "2 rows will be measured 5 times, as sokudo check needs it";
    assert!(ended.told.contains(told), "{ended:?}");
    let ended = store.run(&["check", "-q", "-f", "json"]);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let document = document(&ended.printed);
    assert_eq!(document["outcome"], "unchanged", "{document}");
}

/// Keeps every processor at work while `during` runs.
fn on_a_busy_machine(during: impl FnOnce()) {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        during();
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_busy_machine_is_refused_before_anything_is_measured() {
    let store = Store::new();
    let place = directory_on_disk();
    let target = place.path().to_str().unwrap();
    let row = [
        "--row",
        "RND4K,Q1,read",
        "--size",
        "16MiB",
        "-t",
        "10ms",
        "-q",
    ];
    let mark = [&["--", "mark", target], &row[..]].concat();
    let words = ["nothing was measured", "busy", "--wait-idle", "--anyway"];
    on_a_busy_machine(|| {
        let set = [&["baseline", "set"], &mark[..]].concat();
        store.run(&set).refused(4, &words);
        assert_eq!(store.list(&[]).len(), 0, "something was measured");
        let anyway = [&["baseline", "set", "--anyway"], &mark[..]].concat();
        assert_eq!(store.run(&anyway).code(), Some(0));
        store.run(&["check", "-q"]).refused(4, &words);
        assert_eq!(store.list(&[]).len(), 1, "something was measured");
        let ended = store.run(&["check", "-q", "--anyway", "-f", "json"]);
        let document = document(&ended.printed);
        let rows = document["rows"].as_array().unwrap();
        assert!(
            rows.iter().all(|row| row["disturbed"] == false),
            "{document}"
        );
    });
}

#[test]
fn every_method_can_be_checked() {
    let store = Store::new();
    for command in [
        &[
            "scan",
            "sim:hdd?serial=S",
            "--points",
            "8",
            "--access-count",
            "20",
        ][..],
        &[
            "sweep",
            "sim:ssd?serial=W",
            "--sizes",
            "4KiB,1MiB",
            "--runs",
            "6",
        ],
        &[
            "quick",
            "sim:ssd?serial=Q",
            "--runs",
            "6",
            "--time",
            "100ms",
        ],
        &[
            "steady",
            "sim:ssd?size=1GiB&serial=T",
            "--test",
            "throughput",
        ],
    ] {
        let set = [&["baseline", "set", "--"], command, &["-q"]].concat();
        let ended = store.run(&set);
        assert_eq!(ended.code(), Some(0), "{command:?}: {ended:?}");
        let ended = store.run(&["check", "last", "-q", "-f", "json"]);
        assert!(
            matches!(ended.code(), Some(0 | 4)),
            "{command:?}: {ended:?}"
        );
        let document = document(&ended.printed);
        let sides = [
            &document["comparison"]["reference"],
            &document["comparison"]["others"][0]["side"],
        ];
        assert_eq!(sides[0]["method"], sides[1]["method"], "{command:?}");
        assert_eq!(sides[0]["command"], sides[1]["command"], "{command:?}");
        assert_ne!(document["outcome"], "slower", "{command:?}: {document}");
    }
}

#[test]
fn a_baseline_given_relative_is_measured_where_it_was() {
    let store = Store::new();
    let place = directory_on_disk();
    let mut command = store.program();
    command
        .args([
            "mark", ".", "--size", "16MiB", "-t", "20ms", "-n", "6", "-q",
        ])
        .args(["--row", "RND4K,Q1,read"])
        .current_dir(place.path());
    assert_eq!(end(&mut command).code(), Some(0));
    assert_eq!(store.run(&["baseline", "set", "--anyway"]).code(), Some(0));
    let elsewhere = tempfile::tempdir().unwrap();
    let mut check = store.program();
    check
        .args(["check", "1", "-q", "--min-difference", "99%", "--anyway"])
        .current_dir(elsewhere.path());
    let ended = end(&mut check);
    assert!(matches!(ended.code(), Some(0 | 4)), "{ended:?}");
    let target = store.list(&["--limit", "1"])[0]["target"].clone();
    let canonical = place.path().canonicalize().unwrap();
    assert_eq!(target.as_str(), canonical.to_str());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    let gone = place.path().to_owned();
    drop(place);
    store
        .run(&["check", "1", "-q"])
        .refused(2, &["is not here", gone.to_str().unwrap()]);
}

#[test]
fn what_destroys_is_not_repeated_without_new_leave() {
    let store = Store::new();
    let directory = directory_on_disk();
    let file = directory.path().join("file");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    let name = file.to_str().unwrap();
    store.ok(&[
        "mark",
        name,
        "--overwrite",
        "--row",
        "RND4K,Q1,write",
        "-t",
        "10ms",
        "-n",
        "6",
        "-q",
    ]);
    store.run(&["baseline", "set", "--anyway"]);
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    store
        .run(&["check", "1", "-q"])
        .refused(3, &["--overwrite", "baseline overwrites"]);
    assert!(fs::read(&file).unwrap().iter().all(|byte| *byte == 7));
    store
        .run(&["check", "1", "-q", "--destroy", name])
        .refused(3, &["--overwrite"]);
    let ended = store.run(&["check", "1", "-q", "--overwrite", "--anyway"]);
    assert!(matches!(ended.code(), Some(0 | 1 | 4)), "{ended:?}");
    assert!(fs::read(&file).unwrap().iter().any(|byte| *byte != 7));
}

#[test]
fn a_device_is_found_again_under_another_name() {
    let Some(device) = LoopDevice::new(16 << 20, true) else {
        return;
    };
    let path = device.path.to_str().unwrap();
    let store = Store::new();
    store.ok(&[
        "mark",
        path,
        "--row",
        "RND4K,Q1,write",
        "--destroy",
        path,
        "-t",
        "10ms",
        "-n",
        "6",
        "-q",
    ]);
    store.run(&["baseline", "set", "--anyway"]);
    let ended = store.run(&["check", path, "-q"]);
    ended.refused(3, &["--destroy", "name the device again"]);
    let ended = store.run(&["check", path, "-q", "--destroy", path, "--destroy-contents"]);
    assert!(matches!(ended.code(), Some(0 | 1 | 4)), "{ended:?}");
    // A link is another name of the same device.
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("disk");
    std::os::unix::fs::symlink(&device.path, &link).unwrap();
    let ended = store.run(&["check", link.to_str().unwrap(), "-q"]);
    ended.refused(3, &["--destroy"]);
}

#[test]
fn an_interrupted_check_is_kept_and_concludes_nothing() {
    let store = Store::new();
    let place = directory_on_disk();
    let target = place.path().to_str().unwrap();
    let row = [
        "--row",
        "RND4K,Q1,read",
        "--engine",
        "psync",
        "--size",
        "16MiB",
        "-q",
    ];
    let first = [&["mark", target, "-t", "20ms", "-n", "6"], &row[..]].concat();
    store.ok(&first);
    store.run(&["baseline", "set", "--anyway"]);
    // The same method, but so long that it can be stopped in the middle.
    let file = place.path().join("long.json");
    let long = [&["mark", target, "-t", "100ms", "-n", "9999"], &row[..]].concat();
    let mut command = store.program();
    let child = start(command.args(&long));
    wait_for_io(&child, "rchar", 4 << 20);
    interrupt(child, Signal::INT);
    store
        .run(&["baseline", "set"])
        .refused(4, &["it was interrupted"]);
    let mut check = store.program();
    let child = start(check.args(["check", "last", "-q", "--anyway"]));
    wait_for_io(&child, "rchar", 4 << 20);
    let ended = interrupt(child, Signal::TERM);
    assert_eq!((&*ended.printed, &*ended.told), ("", ""), "{ended:?}");
    assert_eq!(store.list(&["--limit", "1"])[0]["interrupted"], true);
    assert!(!file.exists());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_kept_file_may_be_the_baseline_and_the_report_goes_where_it_is_told() {
    let store = with_baseline();
    let directory = tempfile::tempdir().unwrap();
    let [kept, report] = ["kept.json", "report.json"].map(|name| directory.path().join(name));
    let [kept, report] = [&kept, &report].map(|path| path.to_str().unwrap());
    store.ok(&["show", "1", "-f", "json", "-o", kept]);
    let printed = store.ok(&["check", kept, "-q", "-f", "json", "-o", report]);
    assert_eq!(printed, "");
    let document = document(&fs::read_to_string(report).unwrap());
    assert_eq!(document["outcome"], "unchanged");
    assert_eq!(document["baseline_run"], Value::Null);
    // Nothing is read from it that commands the program.
    let text = fs::read_to_string(kept).unwrap();
    let at = text.find("\"command\": \"").unwrap();
    let rest = text[at..].find('\n').unwrap();
    let changed = format!(
        "{}\"command\": \"sokudo delete 1 --yes\",{}",
        &text[..at],
        &text[at + rest..]
    );
    fs::write(kept, changed).unwrap();
    store
        .run(&["check", kept, "-q"])
        .refused(2, &["no measurement"]);
    assert_eq!(store.list(&[]).len(), 2);
}

#[test]
fn a_run_of_another_tool_is_no_baseline_whatever_is_said() {
    let store = Store::new();
    let corpus = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sokudo-import/corpus/fio/json.json"
    );
    store.ok(&["import", corpus, "-q"]);
    for arguments in [
        &["baseline", "set", "1"][..],
        &["baseline", "set", "1", "--anyway"],
        &["check", "1"],
    ] {
        let words = ["run 1 is one of fio", "sokudo baseline set -- mark"];
        store.run(arguments).refused(2, &words);
    }
    let tag = store.run(&["import", corpus, "--tag", "a,b"]);
    tag.refused(2, &["without commas"]);
    let note = store.run(&["import", corpus, "--note", &"x".repeat(20_000)]);
    note.refused(2, &["10000 characters"]);
}

#[test]
fn a_check_without_a_store_concludes_all_the_same() {
    let store = with_baseline();
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("kept.json");
    store.ok(&["show", "1", "-f", "json", "-o", kept.to_str().unwrap()]);
    let script = format!("\"$SOKUDO\" check '{}' -q --no-store", kept.display());
    let ended = end(&mut shell(&script));
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(
        ended.printed.starts_with("UNCHANGED: no row differs"),
        "{ended:?}"
    );
}

/// A file of `examples/`.
fn example(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

#[test]
fn the_units_of_the_examples_are_understood_by_systemd() {
    if !has("systemd-analyze") {
        return skip("systemd-analyze is not installed");
    }
    let directory = tempfile::tempdir().unwrap();
    let units = ["sokudo-check.service", "sokudo-check.timer"].map(|name| {
        let unit = fs::read_to_string(example(name)).unwrap();
        // Only its own place is not known here.
        let unit = unit.replace("/usr/local/bin/sokudo", env!("CARGO_BIN_EXE_sokudo"));
        let copy = directory.path().join(name);
        fs::write(&copy, unit).unwrap();
        copy
    });
    let mut command = std::process::Command::new("systemd-analyze");
    let ended = end(command.arg("verify").args(&units));
    assert_eq!((ended.code(), &*ended.told), (Some(0), ""), "{ended:?}");
}

#[test]
fn the_commands_of_the_examples_are_understood() {
    for name in ["sokudo-check.service", "github-action.yml"] {
        let text = fs::read_to_string(example(name)).unwrap();
        assert!(text.contains("check "), "{name}");
        for option in ["--wait-idle", "--min-difference 10%", "--quiet"] {
            assert!(text.contains(option), "{name}: {option}");
        }
    }
    let store = Store::new();
    store
        .run(&[
            "check",
            "sim:const",
            "--wait-idle=2h",
            "--min-difference",
            "10%",
            "--quiet",
        ])
        .refused(2, &["no baseline"]);
    if !has("python3") {
        return skip("python3 is not installed, which reads YAML");
    }
    let script = "import sys\ntry:\n    import yaml\nexcept ImportError:\n    sys.exit(9)\n\
                  job = yaml.safe_load(open(sys.argv[1]))['jobs']['check']\n\
                  print(len(job['steps']))";
    let mut command = std::process::Command::new("python3");
    let ended = end(command
        .args(["-c", script])
        .arg(example("github-action.yml")));
    match ended.code() {
        Some(9) => skip("python3 has no yaml"),
        _ => assert_eq!(
            (ended.code(), &*ended.printed),
            (Some(0), "5\n"),
            "{ended:?}"
        ),
    }
}
