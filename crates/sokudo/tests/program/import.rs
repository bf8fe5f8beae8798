//! `sokudo import`, and files of other tools in the place of runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::sokudo::{Ended, end, program};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../sokudo-import/corpus")
        .join(name)
}

fn sokudo(arguments: &[&str]) -> Ended {
    end(program().args(arguments))
}

/// `sokudo import` into a store of its own.
fn import(store: &Path, arguments: &[&str]) -> Ended {
    let mut command = program();
    command
        .arg("import")
        .args(arguments)
        .arg("--store")
        .arg(store);
    end(&mut command)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_file_is_read_shown_kept_and_not_kept_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let file = corpus("fio/json+.json");
    let first = import(
        &store,
        &[text(&file), "--tag", "old", "--note", "from the shelf"],
    );
    assert_eq!(first.code(), Some(0), "{first:?}");
    for words in [
        "fio 3.33",
        "fio json+",
        "UNVERIFIED",
        "measured by fio 3.33, not by sokudo",
    ] {
        assert!(first.printed.contains(words), "{words}: {first:?}");
    }
    assert!(first.told.contains("kept as run 1"), "{first:?}");
    let copy = folder.path().join("copy.json");
    std::fs::copy(&file, &copy).unwrap();
    let again = import(&store, &[text(&copy), "--quiet"]);
    assert_eq!(
        (again.code(), &*again.printed, &*again.told),
        (Some(0), "", "")
    );
    let again = import(&store, &[text(&copy)]);
    assert!(again.told.contains("kept already as run 1"), "{again:?}");
    let other = import(
        &store,
        &[text(&file), "--model", "ST6000", "--serial", "Z1"],
    );
    assert!(other.told.contains("kept as run 2"), "{other:?}");
}

#[test]
fn what_cannot_be_read_fails_and_what_can_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let nothing = folder.path().join("nothing.txt");
    std::fs::write(&nothing, "nothing of any tool\n").unwrap();
    let good = corpus("diskspd/linux-broken.txt");
    let ended = import(&store, &["/nowhere", text(&nothing), text(&good)]);
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    for words in [
        "/nowhere cannot be read",
        "nothing.txt is of no tool that sokudo knows",
        "kept as run 1",
    ] {
        assert!(ended.told.contains(words), "{words}: {ended:?}");
    }
    for words in ["31.25 are 32.8 MB/s", "2432.032 s, are left out"] {
        let printed = ended
            .printed
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(printed.contains(words), "{words}: {ended:?}");
    }
}

#[test]
fn standard_input_is_read_and_every_format_is_written() {
    let file = corpus("fio/terse3.txt");
    for (format, words) in [
        ("table", "UNVERIFIED"),
        ("json", "\"sokudo.run/1\""),
        ("csv", "UNVERIFIED"),
        ("markdown", "| mix "),
    ] {
        let script = format!(
            "\"$SOKUDO\" import - --format {format} < {}",
            file.display()
        );
        let ended = end(&mut crate::sokudo::shell(&script));
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        assert!(ended.printed.contains(words), "{ended:?}");
    }
}

#[test]
fn a_file_of_another_tool_stands_for_a_run() {
    let (one, other) = (corpus("fio/json.json"), corpus("fio/json+.json"));
    let compared = sokudo(&["compare", text(&one), text(&other)]);
    assert_eq!(compared.code(), Some(0), "{compared:?}");
    assert!(compared.printed.contains("seq"), "{compared:?}");
    let plotted = sokudo(&["plot", text(&one)]);
    assert_eq!(plotted.code(), Some(0), "{plotted:?}");
    let reported = sokudo(&["report", text(&other)]);
    assert_eq!(reported.code(), Some(0), "{reported:?}");
    let nothing = sokudo(&["plot", "/etc/hostname"]);
    assert_eq!(nothing.code(), Some(2), "{nothing:?}");
}

/// The figures of rows by name and direction: rate, I/Os, mean latency and percentiles.
fn figures(run: &Value) -> Vec<[f64; 4]> {
    let results = run["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| {
            [
                &result["bandwidth_bytes_per_s"]["median"],
                &result["iops"]["median"],
                &result["latency_ns"]["mean"],
                &result["latency_ns"]["p99"],
            ]
            .map(|value| value.as_f64().unwrap())
        })
        .collect()
}

/// Runs fio's command line at sokudo's own door and reads what it has printed.
fn imported_from_door(format: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    let mut command: Command = program();
    command.args([
        "fio",
        "--name=x",
        "--ioengine=null",
        "--size=64m",
        "--rw=randrw",
        "--bs=4k",
    ]);
    command.args(["--filename=x", "--randseed=7", "--io_size=8m"]);
    command.arg(format!("--output-format={format}"));
    command.arg(format!("--output={}", file.display()));
    command.current_dir(folder.path());
    let ended = end(&mut command);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let printed = std::fs::read_to_string(&file).unwrap();
    let ended = sokudo(&["import", text(&file), "--format", "json"]);
    assert_eq!(ended.code(), Some(0), "{ended:?} of {printed}");
    let run = ended.json();
    if ["json", "json+"].contains(&format) {
        let told: Value = serde_json::from_str(&printed).unwrap();
        let (read, write) = (&told["jobs"][0]["read"], &told["jobs"][0]["write"]);
        for (side, figures) in [read, write].iter().zip(figures(&run)) {
            let expected = [
                &side["bw_bytes"],
                &side["iops"],
                &side["clat_ns"]["mean"],
                &side["clat_ns"]["percentile"]["99.000000"],
            ];
            assert_eq!(figures, expected.map(|value| value.as_f64().unwrap()));
        }
    }
    run
}

#[test]
fn what_sokudo_prints_at_fios_door_is_read_back() {
    for format in ["json", "json+", "terse", "normal", "json,normal"] {
        let run = imported_from_door(format);
        assert_eq!(figures(&run).len(), 2, "{format}");
        let origin = run["origin"]["format"].as_str().unwrap();
        assert!(origin.starts_with("fio"), "{origin}");
    }
}
