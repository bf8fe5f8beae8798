//! `sokudo compare`: results that were kept, and plans measured by turns.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sokudo::{Ended, end, holds, program, shell, sokudo, split};

/// A device of one latency, give or take; at depth 1 its bandwidth is 4 KiB ÷ latency.
const SLOW: &str = "sim:const?latency=110us&jitter=11us";
const QUICK: &str = "sim:const?latency=100us&jitter=10us";

/// Keeps the result of `mark TARGET ARGUMENTS`.
fn keep(directory: &Path, name: &str, target: &str, arguments: &str) -> PathBuf {
    let path = directory.join(name);
    let runs = if arguments.contains("--runs") {
        ""
    } else {
        "--runs 12"
    };
    let output = format!("--time 50ms -q --format json -o {}", path.display());
    sokudo(&format!("mark {target} {output} {runs} {arguments}")).ok();
    path
}

/// Random reads at depth 1.
fn keep_reads(directory: &Path, name: &str, target: &str, seed: &str) -> PathBuf {
    let arguments = format!("--row RND4K,Q1,read --seed {seed}");
    keep(directory, name, target, &arguments)
}

fn compare(sides: &[&Path], arguments: &str) -> Ended {
    let mut command = program();
    end(command.arg("compare").args(sides).args(split(arguments)))
}

fn live(plans: [&str; 2], arguments: &str) -> Ended {
    let mut command = program();
    end(command
        .args(["compare", "--live", "-q"])
        .args(plans)
        .args(split(arguments)))
}

/// The rows of the first other.
fn rows(document: &Value) -> &[Value] {
    document["others"][0]["rows"].as_array().unwrap()
}

fn conclusion(row: &Value) -> &str {
    row["compared"]["conclusion"].as_str().unwrap()
}

#[test]
fn a_step_is_told_in_every_format_and_fails_only_where_that_was_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let slow = keep_reads(directory.path(), "slow.json", SLOW, "1");
    let quick = keep_reads(directory.path(), "quick.json", QUICK, "2");
    let (down, up): ([&Path; 2], [&Path; 2]) = ([&quick, &slow], [&slow, &quick]);
    let document = compare(&up, "--format json").json();
    assert_eq!(document["schema"], "sokudo.compare/1");
    assert_eq!(conclusion(&rows(&document)[0]), "faster");
    for (sides, arguments, code, words) in [
        (down, "", 0, "slower"),
        (down, "--fail-if-slower", 1, "slower"),
        (up, "--fail-if-slower", 0, "faster"),
        (down, "--fail-if-slower --min-difference 20%", 0, "same"),
    ] {
        let ended = compare(&sides, arguments).ends(code).prints(&[words]);
        assert_eq!(ended.told, "");
    }
    let three: [&Path; 3] = [&quick, &slow, &quick];
    let document = compare(&three, "--format json").json();
    assert_eq!(document["others"][1]["side"]["letter"], "C");
    for (format, words) in [("table", "-9."), ("csv", "slower"), ("markdown", "-9.")] {
        let format = format!("--format {format}");
        compare(&three, &format).ok().prints(&[words]);
    }
    // One side may come from standard input.
    let script = format!("\"$SOKUDO\" compare {0} - < {0}", slow.display());
    end(&mut shell(&script)).ok();
    compare(&[Path::new("-"), Path::new("-")], "").refused(2, &["given twice"]);
    // A comparison does not take the place of what it compares.
    let before = fs::read(&slow).unwrap();
    let output = format!("-o {}", slow.display());
    compare(&down, &output).refused(3, &["would overwrite"]);
    assert_eq!(fs::read(&slow).unwrap(), before);
}

#[test]
fn the_same_device_twice_is_the_same_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let one = keep_reads(directory.path(), "one.json", QUICK, "1");
    let two = keep_reads(directory.path(), "two.json", QUICK, "2");
    for pair in [[&one, &two], [&one, &one]] {
        let document = compare(&pair.map(PathBuf::as_path), "--format json").json();
        assert_eq!(conclusion(&rows(&document)[0]), "same");
    }
    for (arguments, words) in [
        ("", "same (within 2 %)"),
        ("--min-difference 0.01%", "no difference shown"),
        ("--format markdown", "| same (within 2 %) |"),
        ("--format csv", ",same,"),
        ("--lang ja", "同等 (2 % 以内)"),
    ] {
        compare(&[&one, &two], &format!("--fail-if-slower {arguments}"))
            .ok()
            .prints(&[words]);
    }
    // Where a matrix stands in the place of conclusions, it is told below.
    compare(&[&one, &two, &one], "").prints(&["B is the same (within 2 %) as A."]);
}

#[test]
fn a_run_has_one_figure_wherever_it_is_printed_also_where_one_trial_stood_still() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs.db");
    let target = "sim:const?latency=300us&jitter=30us&parallel=32";
    let keep = |name: &str, target: &str, seed| {
        let arguments = "--row RND4K,Q32,read --runs 12 --store";
        let arguments = format!("{arguments} {} --seed {seed}", store.display());
        keep(directory.path(), name, target, &arguments)
    };
    let still = keep("still.json", &format!("{target}&stall=100ms:2s"), 1);
    let even = keep("even.json", target, 2);
    let marked = |path: &Path| -> Value {
        let run: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        run["figures"][0]["bandwidth_bytes_per_s"].clone()
    };
    let figure = marked(&still)["median"].as_f64().unwrap();
    let trials = marked(&still)["trials"].as_array().unwrap().clone();
    let mut trials: Vec<f64> = trials.iter().map(|it| it.as_f64().unwrap()).collect();
    trials.sort_by(f64::total_cmp);
    assert!(figure < trials[5] / 2.0, "{figure} of {trials:?}");

    let compared = compare(&[&still, &even], "--format json").json();
    let row = &rows(&compared)[0];
    assert_eq!(row["reference"]["per_second"], rates(&marked(&still)));
    assert_eq!(row["other"]["per_second"], rates(&marked(&even)));
    assert_eq!(conclusion(row), "cannot_be_compared");
    holds(row["compared"]["reason"].as_str().unwrap(), &["A stalled"]);

    let shown = format!(
        "trend '{target}&stall=100ms:2s' --store {} --format json",
        store.display()
    );
    let trend = sokudo(&shown).json();
    assert_eq!(trend["series"][0]["points"][0]["per_second"], figure);
}

/// Figures without the units that people confuse.
fn rates(figures: &Value) -> Value {
    let mut figures = figures.clone();
    let fields = figures.as_object_mut().unwrap();
    fields.retain(|name, _| !name.starts_with("median_"));
    figures
}

#[test]
fn other_rows_cannot_be_compared_and_the_parts_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let one = keep_reads(directory.path(), "one.json", QUICK, "1");
    let deep = keep(directory.path(), "deep.json", QUICK, "--row RND4K,Q8,read");
    let zero = "--row RND4K,Q1,read --data zero";
    let zeros = keep(directory.path(), "zeros.json", QUICK, zero);
    let ended = compare(&[&one, &zeros], "").ok();
    holds(
        &ended.printed,
        &["cannot be compared", "data", "--by-position"],
    );
    let ended = compare(&[&one, &deep], "").ok();
    holds(
        &ended.printed,
        &[
            "Only in A: RND4K Q1T1 read.",
            "Only in B: RND4K Q8T1 read.",
            "--by-position",
        ],
    );
    // Silence is no proof.
    compare(&[&one, &deep], "--fail-if-slower")
        .ends(1)
        .tells(&["no row could be judged"]);
    let document = compare(&[&one, &deep], "--by-position -f json").json();
    assert_eq!(conclusion(&rows(&document)[0]), "faster");
    let warnings = rows(&document)[0]["compared"]["warnings"].to_string();
    assert!(warnings.contains("depth"), "{warnings}");
}

#[test]
fn several_runs_hold_no_other_load_under_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let of = |name: &str, arguments: &str| keep(directory.path(), name, QUICK, arguments);
    let one = of("one.json", "--row RND4K,Q1,read");
    let same = of("same.json", "--row RND4K,Q1,read --seed 7");
    let other = of("other.json", "--row SEQ1M,Q8,read");
    let zeros = of("zeros.json", "--row RND4K,Q1,read --data zero");
    let sides: [&Path; 4] = [&one, &other, &same, &zeros];
    let matrix = compare(&sides, "-f json").json()["matrix"].clone();
    let rows = matrix["rows"].as_array().unwrap();
    let shape: Vec<(&str, Vec<bool>)> = rows
        .iter()
        .map(|row| {
            let cells = row["cells"].as_array().unwrap();
            let there = cells.iter().map(|cell| !cell.is_null()).collect();
            (row["name"].as_str().unwrap(), there)
        })
        .collect();
    assert_eq!(
        shape,
        [
            ("RND4K Q1T1 read", vec![true, false, true, false]),
            ("SEQ1M Q8T1 read", vec![false, true, false, false]),
            (
                "RND4K Q1T1 read (other data)",
                vec![false, false, false, true]
            ),
        ]
    );
    // Only what was measured alike is set against the reference.
    assert!(rows[0]["cells"][2]["ratio"].is_number(), "{matrix}");
    assert!(rows[1]["cells"][1]["ratio"].is_null(), "{matrix}");
    let table = compare(&sides, "--by-position").printed;
    holds(&table, &["RND4K Q1T1 read | SEQ1M Q8T1 read"]);
}

#[test]
fn serial_numbers_are_masked_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let sides = ["S1SECRET01", "S2SECRET02"].map(|serial| {
        let (name, target) = (format!("{serial}.json"), format!("{QUICK}&serial={serial}"));
        keep_reads(directory.path(), &name, &target, "1")
    });
    let sides: [&Path; 2] = [&sides[0], &sides[1]];
    for form in ["", "-f json", "-f csv", "--pivot row:target", "--plot -"] {
        let shown = compare(&sides, form).ok().printed;
        assert!(shown.contains("S1SECRET01"), "{form}: {shown}");
        let masked = compare(&sides, &format!("{form} --mask-serial")).ok();
        let masked = masked.printed;
        assert!(!masked.contains("SECRET"), "{form}: {masked}");
        holds(&masked, &["SERIAL-1", "SERIAL-2"]);
    }
}

#[test]
fn what_is_no_result_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let good = keep_reads(directory.path(), "good.json", QUICK, "1");
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let text = fs::read_to_string(&good).unwrap();
    let cases = [
        (file("empty", ""), "is empty"),
        (file("garbage", "\u{1b}[31m\0"), "not valid JSON"),
        (
            file("other", "{\"schema\": \"fio\"}"),
            "not a run of sokudo",
        ),
        (
            file("newer", &text.replace("sokudo.run/1", "sokudo.run/9")),
            "newer",
        ),
        (file("cut", &text[..text.len() / 2]), "not valid JSON"),
        (directory.path().join("missing"), "cannot be read"),
    ];
    for (path, words) in cases {
        compare(&[&good, &path], "").refused(2, &[words]);
        compare(&[&path, &good], "").refused(2, &[words]);
    }
    compare(&[&good], "").refused(2, &["at least two runs"]);
    let way = "compare --live 'mark ";
    compare(&[directory.path(), &good], "").refused(2, &["cannot be read", way]);
}

#[test]
fn two_simulated_devices_are_told_apart_by_turns() {
    let plan = |target: &str| format!("mark '{target}' --row RND4K,Q1,read --time 50ms");
    let plans = [plan(SLOW), plan(QUICK)];
    let ended = live([&plans[0], &plans[1]], "--format json --pairs 8");
    let document = ended.json();
    assert_eq!(document["way"], "live");
    let row = &rows(&document)[0];
    assert_eq!(conclusion(row), "faster");
    assert_eq!(row["compared"]["change"]["test"], "wilcoxon_signed_rank");
    let trials = &row["reference"]["per_second"]["trials"];
    assert_eq!(trials.as_array().unwrap().len(), 8);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("compared.md");
    let output = format!("--pairs 8 -o {}", file.display());
    live([&plans[0], &plans[1]], &output).tells(&["the comparison is in ", "compared.md"]);
    let same = live([&plans[0], &plans[0]], "--format json --pairs 8").json();
    assert_eq!(conclusion(&rows(&same)[0]), "same");
    // The same seed gives the same trials.
    let again = live([&plans[0], &plans[1]], "--format json --pairs 8").json();
    assert_eq!(again["others"][0]["rows"], document["others"][0]["rows"]);
    // Plans of other loads are compared by position, and say so.
    let of = |block: &str| format!("mark sim:ssd --row {block},Q1,read --time 20ms");
    let document = live([&of("RND4K"), &of("RND64K")], "--format json --pairs 6").json();
    let row = &rows(&document)[0];
    assert_eq!(conclusion(row), "faster");
    assert!(row["other_row"].to_string().contains("RND64K"), "{row}");
    let warnings = row["compared"]["warnings"].to_string();
    assert!(warnings.contains("blocks"), "{row}");
}

#[test]
fn plans_that_cannot_be_carried_out_are_refused_before_anything_is_measured() {
    let existing = tempfile::NamedTempFile::new().unwrap();
    fs::write(existing.path(), vec![1u8; 1 << 20]).unwrap();
    let write = format!("mark '{}' --write-only", existing.path().display());
    let good = "mark sim:hdd";
    live([good, &write], "").refused(3, &["--overwrite"]);
    live([&write, good], "").refused(3, &["--overwrite"]);
    live([good, "mark sim:hdd -n 5"], "").refused(2, &["--pairs"]);
    live([good, "mark sim:hdd -qo kept"], "").refused(2, &["--output"]);
    live([good, "mark 'sim:hdd"], "").refused(2, &["not closed"]);
    live([good, "info"], "").refused(2, &["begin it with mark"]);
    live([good, "mark /missing/directory"], "").refused(2, &["/missing/directory"]);
    let mut three = program();
    three.args(["compare", "--live", good, good, good]);
    end(&mut three).refused(2, &["give two"]);
    let mut pairs = program();
    pairs.args(["compare", "a.json", "b.json", "--pairs", "3"]);
    end(&mut pairs).refused(2, &["--live"]);
}
