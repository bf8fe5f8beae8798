//! `sokudo import`, and files of other tools in the place of runs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sokudo::{Ended, directory_in_memory, end, holds, sokudo, sokudo_in};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../sokudo-tools/corpus")
        .join(name)
}

/// `sokudo import` into a store of its own.
fn import(store: &Path, arguments: &str) -> Ended {
    sokudo(&format!("import {arguments} --store {}", store.display()))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_slowest_and_the_fastest_trials_may_be_left_out_of_the_mean() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hdparm.txt");
    let timed = |megabytes: u32| {
        format!(
            "/dev/sda:\n Timing buffered disk reads: {megabytes} MB in  3.00 seconds = {} MB/sec\n\n",
            megabytes / 3
        )
    };
    std::fs::write(&file, [300, 600, 630, 2700].map(timed).concat()).unwrap();
    let of = |trim: &str| {
        let words = format!("import {} --no-store --format json {trim}", text(&file));
        let figures = sokudo(&words).json()["figures"][0]["bandwidth_bytes_per_s"].clone();
        figures["trimmed_mean"]
            .as_f64()
            .map(|it| it / f64::from(1 << 20))
    };
    assert_eq!(of(""), None);
    assert_eq!(of("--trim 1").map(f64::round), Some(205.0));
}

#[test]
fn what_hdparm_has_timed_is_compared_with_a_quick_look() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![7; 8 << 20]).unwrap();
    let quick = folder.path().join("quick.json");
    let quick_look = "--test cached --time 20ms --no-store --quiet --format json --output";
    sokudo(&format!(
        "quick {} {quick_look} {}",
        text(&file),
        text(&quick)
    ))
    .ok();
    let log = corpus("hdparm/by-sokudo.txt");
    let compared = sokudo(&format!("compare {} {}", text(&log), text(&quick)));
    assert!(
        compared.printed.contains("cached (hdparm -T) read"),
        "{compared:?}"
    );
    assert!(!compared.printed.contains("Only in B"), "{compared:?}");
    // Rows of other kinds are no pair because they stand in the same order.
    let direct = "quick sim:const --test direct --runs 2 --no-store --quiet --format json";
    sokudo(&format!("{direct} --output {}", text(&quick))).ok();
    let apart = sokudo(&format!("compare {} {}", text(&log), text(&quick)));
    assert!(apart.printed.contains("Only in B"), "{apart:?}");
    assert!(!apart.printed.contains("--by-position"), "{apart:?}");
}

#[test]
fn a_file_is_read_shown_kept_and_not_kept_twice() {
    let folder = directory_in_memory();
    let store = folder.path().join("runs.db");
    let file = corpus("fio/json+.json");
    let said = "--tag old --note 'from the shelf'";
    let first = import(&store, &format!("{} {said}", text(&file))).ok();
    holds(
        &first.printed,
        &[
            "fio 3.33",
            "fio json+",
            "UNVERIFIED",
            "measured by fio 3.33, not by sokudo",
        ],
    );
    assert!(first.told.contains("kept as run 1"), "{first:?}");
    let copy = folder.path().join("copy.json");
    std::fs::copy(&file, &copy).unwrap();
    let again = import(&store, &format!("{} --quiet", text(&copy))).ok();
    assert_eq!((&*again.printed, &*again.told), ("", ""));
    import(&store, text(&copy)).tells(&["already kept as run 1"]);
    let named = format!("{} --model ST6000 --serial Z1", text(&file));
    import(&store, &named).tells(&["kept as run 2"]);
}

#[test]
fn a_log_without_a_date_can_be_given_one() {
    let folder = directory_in_memory();
    let store = folder.path().join("runs.db");
    let log = corpus("hdparm/by-sokudo.txt");
    let trend = format!(
        "trend loop1 --row buffered -f json --store {}",
        store.display()
    );
    let plain = format!("trend loop1 --store {}", store.display());
    import(&store, &format!("{} -q", text(&log))).ok();
    sokudo(&plain).refused(2, &["date", "import --date"]);
    import(&store, &format!("{} -q --date 2024-05-01", text(&log))).ok();
    sokudo(&trend).ok().prints(&["2024-05-01"]);
    // A name that is exactly that of one device is not taken for a part of others.
    let other = "-q --date 2024-06-01 --device loop1";
    import(&store, &format!("{} {other}", text(&log))).ok();
    sokudo(&trend).ok().prints(&["2024-06-01"]);
    let label = format!("edit old --note x --store {}", store.display());
    sokudo(&label).refused(2, &["no kept run old", "label"]);
    import(&store, &format!("{} -q --label old", text(&log))).ok();
    sokudo(&label).ok();
}

#[test]
fn what_is_said_of_a_run_that_is_kept_already_is_not_lost() {
    let folder = directory_in_memory();
    let store = folder.path().join("runs.db");
    let file = corpus("hdparm/two-timings.txt");
    let said = |more: &str| import(&store, &format!("{} --quiet {more}", text(&file)));
    said("").ok();
    assert_eq!(said("--tag old --note 'by hand'").told, "");
    said("--note another").tells(&["keeps its earlier note"]);
    let store = text(&store);
    let listed = sokudo(&format!("list --store {store} --format json")).json();
    assert_eq!(listed["runs"][0]["tags"][0], "old");
    assert_eq!(listed["runs"][0]["note"], "by hand");
}

#[test]
fn what_cannot_be_read_fails_and_what_can_is_kept() {
    let folder = directory_in_memory();
    let store = folder.path().join("runs.db");
    let nothing = folder.path().join("nothing.txt");
    std::fs::write(&nothing, "nothing of any tool\n").unwrap();
    let good = corpus("diskspd/linux-broken.txt");
    let files = format!("/nowhere {} {}", text(&nothing), text(&good));
    let ended = import(&store, &files).ends(1);
    holds(
        &ended.told,
        &[
            "/nowhere cannot be read",
            "nothing.txt is not from a tool that sokudo knows",
            "kept as run 1",
        ],
    );
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
        let script = format!("$SOKUDO import - --format {format} < {}", file.display());
        end(&mut crate::sokudo::shell(&script))
            .ok()
            .prints(&[words]);
    }
}

#[test]
fn a_file_of_another_tool_stands_for_a_run() {
    let (one, other) = (corpus("fio/json.json"), corpus("fio/json+.json"));
    sokudo(&format!("compare {} {}", text(&one), text(&other)))
        .ok()
        .prints(&["seq"]);
    sokudo(&format!("plot {}", text(&one))).ok();
    sokudo(&format!("report {}", text(&other))).ok();
    sokudo("plot /etc/hostname").ends(2);
}

/// The figures of rows by name and direction: rate, I/Os, mean latency and percentiles.
fn figures(run: &Value) -> Vec<[f64; 4]> {
    let results = run["figures"].as_array().unwrap();
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

/// What `sokudo import` says of a text.
fn read_back(folder: &Path, printed: &str) -> Value {
    let file = folder.join("printed");
    std::fs::write(&file, printed).unwrap();
    sokudo(&format!("import {} --format json", text(&file))).json()
}

/// Each figure with how far it may be from that of another text.
fn assert_near(figures: &[[f64; 4]], expected: &[[f64; 4]], near: impl Fn(usize, f64) -> f64) {
    assert_eq!(figures.len(), expected.len());
    for (row, rows) in figures.iter().zip(expected).enumerate() {
        for (place, (figure, expected)) in rows.0.iter().zip(rows.1).enumerate() {
            let apart = (figure - expected).abs();
            assert!(
                apart <= near(place, *expected),
                "row {row}, {place}: {figure} for {expected}"
            );
        }
    }
}

#[test]
fn every_format_of_one_run_at_fios_door_is_read_back_to_the_digits_that_it_prints() {
    let folder = tempfile::tempdir().unwrap();
    let job = "--ioengine=null --size=64m --rw=randrw --bs=4k --filename=x --io_size=32m";
    let formats = "--output-format=normal,terse,json+";
    let ended = sokudo_in(folder.path(), &format!("fio --name=x {job} {formats}")).ok();
    let lines: Vec<&str> = ended.printed.lines().collect();
    let place = |wanted: &str| lines.iter().position(|line| line.starts_with(wanted));
    let (terse, begin, end) = (
        place("3;").unwrap(),
        place("{").unwrap(),
        place("}").unwrap(),
    );
    let read = |lines: &[&str]| {
        let run = read_back(folder.path(), &(lines.join("\n") + "\n"));
        let origin = run["provenance"]["reported"]["format"].as_str().unwrap();
        assert!(origin.starts_with("fio"), "{origin}");
        figures(&run)
    };
    let json = &lines[begin..=end];
    let whole = read(json);
    let told: Value = serde_json::from_str(&json.join("\n")).unwrap();
    for (direction, figures) in ["read", "write"].iter().zip(&whole) {
        let side = &told["jobs"][0][direction];
        let expected = [
            &side["bw_bytes"],
            &side["iops"],
            &side["clat_ns"]["mean"],
            &side["clat_ns"]["percentile"]["99.000000"],
        ];
        assert_eq!(*figures, expected.map(|value| value.as_f64().unwrap()));
    }
    // KiB/s, I/Os per second and microseconds as whole numbers; of the mean six digits behind.
    let near = |place: usize, _: f64| [1_024.0, 1.0, 0.5, 1_000.0][place];
    assert_near(&read(&lines[terse..=terse]), &whole, near);
    // Three or four digits.
    let text = [&lines[..terse], &lines[end + 1..]].concat();
    assert_near(&read(&text), &whole, |_, value| 0.005 * value);
}

#[test]
fn what_a_tool_does_not_tell_is_no_direction() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dd.txt");
    let dd = "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.02 s, 210 MB/s\n";
    std::fs::write(&file, format!("1+0 records in\n1+0 records out\n{dd}")).unwrap();
    let shown = sokudo(&format!("import {} --no-store", text(&file))).ok();
    let row = shown
        .printed
        .lines()
        .find(|line| line.contains("UNVERIFIED"));
    assert!(!row.unwrap().contains("read"), "{shown:?}");
}
