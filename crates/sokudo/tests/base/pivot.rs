//! `sokudo compare` of many runs: matrices, and three and more sides.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::sokudo::{Ended, end, shell, skip, sokudo, sokudo_in};

fn repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

fn compare(arguments: &str) -> Ended {
    sokudo_in(&repository(""), &format!("compare {arguments}"))
}

/// The tables of docs/PUBLISHED.md are what the commands above them print.
#[test]
fn the_published_tables_are_what_their_commands_print() {
    let page = std::fs::read_to_string(repository("docs/PUBLISHED.md")).unwrap();
    let commands: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("$ sokudo compare "))
        .collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        let script = format!("exec \"$SOKUDO\" compare {command}");
        let ended = end(shell(&script).current_dir(repository(""))).ok();
        let table: Vec<&str> = ended
            .printed
            .lines()
            .filter(|line| line.starts_with('|'))
            .collect();
        assert!(table.len() > 2, "{ended:?}");
        let table = table.join("\n");
        assert!(page.contains(&table), "not on the page:\n{table}");
    }
}

#[test]
fn figures_of_other_tools_are_compared_with_a_warning_and_no_best() {
    let ended = compare("examples/published-results.csv")
        .ok()
        .prints(&["warning  these are figures of several tools"]);
    assert!(!ended.printed.contains("better than every other"));
}

fn marked(folder: &std::path::Path, name: &str, target: &str) -> String {
    let file = folder.join(name);
    let output = format!(
        "--time 50ms --size 64MiB --format json --quiet -o {}",
        file.display()
    );
    sokudo(&format!(
        "mark {target} --row SEQ1M,Q8,T1,read --runs 12 {output}"
    ))
    .ok();
    file.display().to_string()
}

#[test]
fn of_three_runs_the_best_is_marked_where_it_is_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let slow = marked(folder.path(), "slow.json", "sim:const?latency=300us");
    let fast = marked(folder.path(), "fast.json", "sim:const?latency=100us");
    let slower = marked(folder.path(), "slower.json", "sim:const?latency=600us");
    let picture = folder.path().join("bars.svg");
    let picture = picture.to_str().unwrap();
    let ended = compare(&format!(
        "{slow} {fast} {slower} --plot {picture} --format json"
    ));
    let json = ended.json();
    let cells = json["matrix"]["rows"][0]["cells"].as_array().unwrap();
    let best: Vec<bool> = cells
        .iter()
        .map(|cell| cell["is_best"] == Value::Bool(true))
        .collect();
    assert_eq!(best, [false, true, false], "{json}");
    assert!(cells[1]["ratio"].as_f64().unwrap() > 1.0);
    assert!(
        std::fs::read_to_string(picture)
            .unwrap()
            .contains("fast.json")
    );
    let table = compare(&format!("{slow} {fast} {slower} --reference fast")).printed;
    assert!(table.contains("A fast.json"), "{table}");
    // Of two that are the same, neither is the best.
    let equal = compare(&format!("{slow} {fast} {fast} --format json")).json();
    assert!(!equal.to_string().contains("is_best"), "{equal}");
}

#[test]
fn the_examples_draw_into_the_folder_that_is_named() {
    if !cfg!(feature = "png") {
        return skip("built without PNG, which the examples draw");
    }
    let folder = tempfile::tempdir().unwrap();
    let sokudo = folder.path().join("sokudo");
    std::os::unix::fs::symlink(crate::sokudo::path(), &sokudo).unwrap();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for name in ["document-000", "document-001"] {
        let mut command = Command::new(format!("{examples}/{name}"));
        command
            .current_dir(folder.path())
            .args(["a folder"])
            .env("SOKUDO", "./sokudo")
            .env("SOKUDO_STORE", "none")
            .env("SOKUDO_LANG", "en");
        let ended = end(&mut command).ok();
        assert!(ended.printed.starts_with("## "), "{ended:?}");
        for ending in ["svg", "png"] {
            let picture = folder.path().join("a folder").join(name);
            assert!(picture.with_extension(ending).exists(), "{name}.{ending}");
        }
    }
}

#[test]
fn labels_of_a_matrix_are_whole_in_every_form() {
    let file = "examples/published-results.csv";
    let pivot = "--only document=000 --pivot tool+method+row:target";
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("a.svg");
    let drawn = format!("--plot {} --plot -", picture.display());
    let table = compare(&format!("{file} {pivot} {drawn}")).printed;
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(!svg.contains('…') && !table.contains('…'), "{table}");
    let japanese = "--lang ja --format markdown";
    let said = compare(&format!("{file} {pivot} {japanese}")).printed;
    let title = said.lines().next().unwrap();
    assert!(
        title.contains(" · ツール、測定方法、項目 × 測定対象 · "),
        "{title}"
    );
}

#[test]
fn what_makes_no_matrix_is_refused_in_a_line() {
    let file = "examples/published-results.csv";
    compare(&format!("{file} --pivot row:colour")).refused(2, &["colour", "file-system"]);
    compare(&format!("{file} --pivot row:target --only row=none")).refused(2, &["--only"]);
    compare(&format!("{file} {file} --reference nobody")).refused(2, &["nobody"]);
    compare("Cargo.toml --pivot row:target").refused(2, &["Cargo.toml"]);
}
