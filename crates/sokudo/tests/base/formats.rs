//! What is printed, in every format, and where it goes.

use std::fs;

use serde_json::Value;

use crate::sokudo::{SHORT, end, has, holds, mark, program, results, shell, skip, sokudo, split};
use crate::store_file::Store;

#[test]
fn the_command_that_repeats_a_run_names_the_directory_whatever_its_name_holds() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("a\u{1b}[31mred\nb'c\\");
    std::fs::create_dir(&place).unwrap();
    let ended = mark(&place, "--row RND4K --why").ok();
    assert!(!ended.printed.contains('\u{1b}'), "{ended:?}");
    let repeat = ended.printed.split("Repeat: sokudo mark ").nth(1).unwrap();
    let repeat = repeat.lines().next().unwrap();
    let said = end(&mut crate::sokudo::shell(&format!("printf %s {repeat}")));
    let place = place.to_str().unwrap();
    assert!(said.printed.starts_with(place), "{said:?} from {repeat}");
}

#[test]
fn a_result_whose_file_is_a_dash_is_printed() {
    let run = mark("null:", "--format json --quiet --output -").json();
    assert_eq!(run["target"]["name"], "null:");
    assert!(fs::metadata("-").is_err(), "no file of that name is made");
}

#[test]
fn a_result_file_of_several_names_keeps_them() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("result"), "a longer text\n".repeat(1000)).unwrap();
    std::fs::hard_link(at("result"), at("other")).unwrap();
    let output = at("result");
    let arguments = format!("--format json --output {}", output.display());
    mark("sim:hdd", &arguments).ok();
    let read = |name| std::fs::read_to_string(at(name)).unwrap();
    assert_eq!(read("result"), read("other"));
    let run: serde_json::Value = serde_json::from_str(&read("other")).unwrap();
    assert_eq!(run["target"]["name"], "sim:hdd");
}

#[test]
fn another_seed_gives_other_results() {
    let [first, again, other] =
        [7, 7, 8].map(|seed| mark("sim:ssd", &format!("--seed {seed} --format json -q")).json());
    assert_eq!(first["figures"], again["figures"]);
    assert_ne!(first["figures"], other["figures"]);
}

#[test]
fn the_printed_command_repeats_the_run() {
    let first = mark("sim:hdd?size=4TB&rpm=5900", "--format json -q").json();
    let command = first["command"].as_str().unwrap();
    let repeated = command.replacen("sokudo", "\"$SOKUDO\"", 1);
    let second = end(&mut shell(&repeated)).json();
    assert_eq!(first["figures"], second["figures"]);
    assert_eq!(first["command"], second["command"]);
}

#[test]
fn the_ending_of_a_file_is_its_format_and_no_table_is_called_a_picture() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("result.md");
    mark("null:", &format!("--output {} -q", file.display())).ok();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with('#') || text.contains("|---"), "{text}");
    for name in ["x.png", "x.svg", "x.HTML"] {
        let picture = directory.path().join(name);
        let ended = mark("null:", &format!("--output {}", picture.display()));
        ended.refused(2, &[name, "--plot"]);
        assert!(!picture.exists());
    }
}

#[test]
fn the_ending_decides_only_where_no_format_is_given() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new();
    store.mark("sim:ssd");
    let written = |command: &str, name: &str| {
        let file = directory.path().join(name);
        store.ok(&format!("{command} -o {}", file.display()));
        fs::read_to_string(&file).unwrap()
    };
    let run = "mark sim:ssd --row RND4K,Q1,read --runs 1 --time 20ms -q";
    for command in [run, "show last"] {
        let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
        assert!(is_json(&written(command, "a.json")), "{command}");
        let table = written(&format!("{command} -f table"), "b.json");
        assert!(!is_json(&table) && table.contains("RND4K"), "{table}");
        // The same name of it is an option's word and an ending.
        let markdown = written(command, "c.md");
        assert!(markdown.contains("| :-- |"), "{markdown}");
        let again = written(&format!("{command} -f md"), "d.csv");
        assert!(again.contains("| :-- |"), "{again}");
        assert!(is_json(&written(&format!("{command} -f json"), "e.svg")));
    }
}

#[test]
fn output_goes_to_the_file_and_nowhere_else() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("result.json");
    let path = file.to_str().unwrap();
    let ended = mark("null:", &format!("--format json --output {path} -q"));
    assert_eq!((ended.code(), ended.printed.as_str()), (Some(0), ""));
    let run: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(results(&run).len(), 8);
}

#[test]
fn an_output_with_a_strange_name_is_written() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().unwrap();
    let file = directory
        .path()
        .join(std::ffi::OsStr::from_bytes(b"result-\xff"));
    let mut command = program();
    command.args(["mark", "null:", "--output"]).arg(&file);
    end(command.args(split(SHORT))).ok();
    assert!(fs::read_to_string(&file).unwrap().contains("SEQ1M"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    for arguments in ["mark null: -n 1 -t 20ms", "help mark", "completions bash"] {
        let script = format!("\"$SOKUDO\" {arguments} | head -1; exit ${{PIPESTATUS[0]}}");
        let ended = end(&mut shell(&script)).ok();
        assert_eq!(ended.printed.lines().count(), 1);
    }
}

#[test]
fn a_full_device_behind_the_output_is_told() {
    let ended = end(&mut shell(
        "\"$SOKUDO\" mark null: -n 1 -t 20ms > /dev/full",
    ));
    ended.refused(1, &["the result cannot be printed", "No space left"]);
}

#[test]
fn without_a_terminal_there_are_neither_colours_nor_progress() {
    for variable in ["NO_COLOR", "SOKUDO_NOTHING"] {
        let mut command = program();
        command.args(["mark", "sim:hdd"]).args(split(SHORT));
        let ended = end(command.env(variable, "1"));
        assert!(!ended.printed.contains('\x1b'), "{ended:?}");
        assert_eq!(ended.told, "", "{ended:?}");
    }
}

#[test]
fn on_a_terminal_there_is_progress_unless_quiet_and_colour_unless_refused() {
    if !has("script") {
        return skip("script (util-linux), which makes a terminal, is not installed");
    }
    let on_terminal = |arguments: &str, no_color: &str| {
        let inner = format!("\"$SOKUDO\" mark null: -n 1 -t 300ms --row RND4K,read {arguments}");
        let mut command = shell("script -qec \"$INNER\" /dev/null");
        command.env("INNER", inner).env("NO_COLOR", no_color);
        let ended = end(command.env("TERM", "xterm-256color")).ok();
        ended.printed
    };
    let plain = on_terminal("", "");
    holds(&plain, &["left", "\x1b["]);
    let quiet = on_terminal("--quiet", "1");
    assert!(!quiet.contains("left"), "{quiet:?}");
    assert!(
        !quiet.contains("\x1b[3") && !quiet.contains("\x1b[1m"),
        "{quiet:?}"
    );
}

#[test]
fn rates_are_shown_in_the_unit_that_was_asked_for_and_kb_stand_beside_iops() {
    let shown = |unit: &str, format: &str| {
        let row = "--row RND4K,Q1,write --seed 1";
        sokudo(&format!(
            "mark sim:const?latency=100us&jitter=0s {row} {SHORT} -f {format} --unit {unit}"
        ))
        .ok()
        .printed
    };
    // 4 KiB in 100 microseconds.
    for (unit, figure) in [("kb", "40,960"), ("gb", "0.04"), ("mb", "40.96")] {
        let name = format!("{}B/s", unit.to_uppercase().trim_end_matches('B'));
        for format in ["table", "markdown"] {
            holds(shown(unit, format), &[figure, &name, "IOPS", "10,000"]);
        }
    }
    // But for the instant at which it began.
    let rows = |unit| shown(unit, "csv").split_once("Z,").unwrap().1.to_owned();
    assert_eq!(rows("kb"), rows("mb"));
}
