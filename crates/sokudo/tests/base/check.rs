//! `sokudo check`: a baseline's measurement made again.

use std::fs;

use serde_json::Value;

use crate::sokudo::{end, has, holds, skip, sokudo};
use crate::store_file::Store;

/// One disk at three ages.
const NEW: &str = "sim:const?latency=100us&jitter=10us&serial=A1";
const OLD: &str = "sim:const?latency=125us&jitter=12us&serial=A1";
const TUNED: &str = "sim:const?latency=80us&jitter=8us&serial=A1";

/// A store whose only baseline is of the new disk.
fn with_baseline() -> Store {
    let store = Store::new();
    store.mark(NEW);
    store.ok("baseline set last");
    store
}

#[test]
fn a_disk_that_fails_is_not_ok_whatever_its_rows_are() {
    let store = Store::new();
    let rows = "--row SEQ1M,Q1,read --row RND4K,Q1,read --time 50ms --runs 12";
    store.ok(&format!("mark sim:hdd?serial=B2 {rows} -q"));
    store.ok("baseline set last");
    let check = "check sim:hdd?serial=B2&fail_at=0:EIO -q -f";
    let table = store.run(&format!("{check} table")).ends(1);
    let says = "FAILED: ";
    assert!(table.printed.starts_with(says), "{table:?}");
    assert!(table.printed.contains("EIO"), "{table:?}");
    let nagios = store.run(&format!("{check} nagios")).ends(2);
    let critical = format!("SOKUDO CRITICAL - {says}");
    assert!(nagios.printed.starts_with(&critical), "{nagios:?}");
    let prometheus = store.run(&format!("{check} prom")).ends(1).printed;
    let failed = prometheus
        .lines()
        .find(|it| it.contains("outcome=\"failed\""));
    assert!(failed.is_some_and(|it| it.ends_with(" 1")), "{prometheus}");
}

fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).unwrap();
    assert_eq!(document["schema"], "sokudo.check/1");
    document
}

#[test]
fn a_disk_that_has_not_changed_is_unchanged_and_one_that_aged_is_slower() {
    // A disk that was tuned after it had aged three times would be one whose runs differ.
    let tuned = with_baseline();
    let ended = tuned.run(&format!("check {TUNED} -q --format json"));
    assert_eq!(document(&ended.printed)["outcome"], "faster", "{ended:?}");
    let store = with_baseline();
    store.ok("edit 1 --label fresh");
    for (arguments, code, outcome) in [
        ("check", 0, "unchanged"),
        ("check 1", 0, "unchanged"),
        (&*format!("check {NEW}"), 0, "unchanged"),
        ("check A1", 0, "unchanged"),
        ("check fresh", 0, "unchanged"),
        (&*format!("check {OLD}"), 1, "slower"),
        (
            &*format!("check {OLD} --min-difference 40%"),
            0,
            "unchanged",
        ),
        (&*format!("check {OLD} --unit iops"), 1, "slower"),
    ] {
        let ended = store.run(&format!("{arguments} -q --format json"));
        assert_eq!((ended.code(), &*ended.told), (Some(code), ""), "{ended:?}");
        let document = document(&ended.printed);
        assert_eq!(document["outcome"], outcome, "{arguments:?}: {document}");
        assert_eq!(document["baseline_run"], 1);
        // Every check is a run like any other.
        let newest = &store.list("--limit 1")[0];
        assert_eq!(document["run"], newest["id"]);
        assert!(newest["command"].to_string().starts_with("\"sokudo mark"));
    }
}

#[test]
fn the_text_begins_with_the_answer_and_says_how_much_and_what_else_changed() {
    let store = with_baseline();
    let ended = store.run(&format!("check {OLD} -q")).ends(1);
    let start = "SLOWER: 1 of 1 rows is slower than in run 1";
    assert!(ended.printed.starts_with(start), "{ended:?}");
    ended.prints(&["slower by 20 % (", "target: "]);
    let newest = store.list("--limit 1");
    assert_eq!(newest[0]["target"], OLD);
    assert_eq!(newest[0]["is_baseline"], false);
}

#[test]
fn where_there_is_no_baseline_the_way_to_one_is_told() {
    let store = with_baseline();
    let other = "sim:ssd?serial=B2";
    store.refuses(
        &format!("check {other}"),
        2,
        &["no baseline", "sokudo baseline set -- mark"],
    );
    store.refuses("check --method scan", 2, &["no baseline"]);
    store.refuses("check 99", 2, &["no run 99"]);
    store.refuses("check /missing/place", 2, &["/missing/place"]);
    store.mark(other);
    store.ok("baseline set");
    store.refuses(
        "check",
        2,
        &["2 baselines", "sokudo check 1", "sokudo check 2"],
    );
    assert_eq!(store.run("check B2 -q").code(), Some(0));
}

#[test]
fn nagios_and_prometheus_are_told_in_their_own_words() {
    let store = with_baseline();
    let ended = store.run("check -q -f nagios").ends(0);
    assert!(
        ended.printed.starts_with("SOKUDO OK - UNCHANGED"),
        "{ended:?}"
    );
    let ended = store.run(&format!("check {OLD} -q -f nagios")).ends(1);
    ended.prints(&[
        "SOKUDO WARNING - SLOWER",
        " | 'RND4K Q1T1 read'=",
        "change'=-20.",
    ]);
    let half = NEW.replace("100us", "250us");
    let ended = store.run(&format!("check {half} -q -f nagios")).ends(2);
    ended.prints(&["SOKUDO CRITICAL - SLOWER"]);
    let ended = store.run("check 99 -q -f nagios").ends(3);
    assert!(ended.printed.starts_with("SOKUDO UNKNOWN - "), "{ended:?}");
    assert_eq!(ended.told, "", "{ended:?}");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sokudo.prom");
    let path = file.to_str().unwrap();
    let ended = store
        .run(&format!("check {OLD} -q -f prom -o {path}"))
        .ends(1);
    assert_eq!(ended.printed, "");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("outcome=\"slower\"} 1\n"), "{text}");
}

#[test]
fn a_slower_disk_has_the_trials_that_judge_its_rows() {
    let store = Store::new();
    store.ok("baseline set -- mark sim:hdd?serial=R1 -q");
    let aged = "sim:hdd?serial=R1&seek=16ms";
    let ended = store.run(&format!("check {aged} -q -f json")).ends(1);
    let document = document(&ended.printed);
    for row in document["comparison"]["others"][0]["rows"]
        .as_array()
        .unwrap()
    {
        let conclusion = &row["compared"]["conclusion"];
        assert_ne!(conclusion, "too_few_trials", "{row}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_printed_and_hides_no_slower_disk() {
    let store = with_baseline();
    // That it is slower is told by the code all the same.
    for (target, code) in [(NEW, 2), (OLD, 1)] {
        let ended = store
            .run(&format!("check {target} -q -o /dev/full"))
            .ends(code);
        assert!(ended.told.contains("/dev/full"), "{ended:?}");
        assert!(ended.printed.contains("run 1"), "{ended:?}");
    }
}

#[test]
fn a_dry_run_says_what_would_be_measured_and_does_nothing() {
    let store = with_baseline();
    for command in [
        "check --dry-run",
        "check --all --dry-run",
        "baseline set --all --dry-run",
        &*format!("baseline set --dry-run -- mark {NEW} --row RND4K,Q1,read"),
    ] {
        let printed = store.ok(command);
        assert!(printed.starts_with("sokudo mark "), "{command}: {printed}");
        holds(&printed, &["mark/rows: RND4K Q1T1", "written"]);
        assert_eq!(store.list("").len(), 1, "{command}");
    }
    store.refuses("baseline set --dry-run", 2, &["need a measurement"]);
    store.refuses("check 99 --dry-run", 2, &["no run 99"]);
}

#[test]
fn too_few_trials_are_no_proof() {
    let store = Store::new();
    store.ok(&format!("mark {NEW} --row RND4K -t 10ms -n 1 -q"));
    let ended = store.run("check 1 -q").ends(4);
    assert!(ended.printed.starts_with("NOT JUDGED"), "{ended:?}");
    let told = "not every row could be judged";
    assert!(ended.told.contains(told), "{ended:?}");
    assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
}

#[test]
fn what_check_could_not_judge_is_no_baseline_whatever_is_said() {
    let store = Store::new();
    store.ok(&format!("mark {NEW} --row RND4K -t 10ms -n 1 -q"));
    for arguments in ["baseline set", "baseline set --anyway"] {
        let words = [
            "run 1 cannot serve as a baseline",
            "have 1 trials",
            "--runs 5",
        ];
        store.refuses(arguments, 2, &words);
    }
    // What is asked for is refused before anything is measured.
    let few = "baseline set -- scan sim:hdd?serial=S --runs 2";
    store.refuses(few, 2, &["this command makes 2", "use --runs 5"]);
    assert_eq!(store.list("").len(), 1);
    for command in [
        "load sim:hdd?serial=L --time 100ms --runs 1",
        "explain sim:hdd?serial=X --only rotation",
    ] {
        let ended = store.run(&format!("baseline set --anyway -- {command} -q"));
        ended.ends(2).tells(&["cannot serve as a baseline"]);
    }
}

#[test]
fn what_is_printed_for_programs_has_nothing_for_people_behind_it() {
    let store = Store::new();
    let measure = "baseline set --anyway -- mark sim:ssd?serial=P --row RND4K,Q1,read -t 1ms -q";
    for more in ["--format json", "--events -"] {
        let ended = store.run(&format!("{measure} {more}")).ok();
        let ended = ended.tells(&["the baseline of sokudo simulated"]);
        let last = ended.printed.lines().last().unwrap();
        assert!(last.ends_with('}'), "{ended:?}");
    }
    let told = "Run 3 replaces run 2 as the baseline";
    store.run(measure).ok().prints(&[told]);
}

#[test]
fn the_example_of_the_help_makes_a_baseline_that_can_be_judged() {
    let store = Store::new();
    let ended = store
        .run("baseline set --wait-idle -- scan sim:hdd?serial=S -q")
        .ok();
    let told = "each row gets 5 trials, as many as sokudo check needs";
    assert!(ended.told.contains(told), "{ended:?}");
    let ended = store.run("check -q -f json").ok();
    let document = document(&ended.printed);
    assert_eq!(document["outcome"], "unchanged", "{document}");
}

#[test]
fn every_method_can_be_checked() {
    let store = Store::new();
    for command in [
        "scan sim:hdd?serial=S --points 8 --access-count 20",
        "sweep sim:ssd?serial=W --sizes 4KiB,1MiB --runs 6",
        "quick sim:ssd?serial=Q --runs 6 --time 100ms",
        "steady sim:ssd?size=1GiB&serial=T --test throughput",
    ] {
        store.ok(&format!("baseline set -- {command} -q"));
        let ended = store.run("check last -q -f json");
        assert!(matches!(ended.code(), Some(0 | 4)), "{command}: {ended:?}");
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
fn a_kept_file_may_be_the_baseline_and_the_report_goes_where_it_is_told() {
    let store = with_baseline();
    let directory = tempfile::tempdir().unwrap();
    let [kept, report] = ["kept.json", "report.json"].map(|name| directory.path().join(name));
    let [kept, report] = [&kept, &report].map(|path| path.to_str().unwrap());
    store.ok(&format!("show 1 -f json -o {kept}"));
    let printed = store.ok(&format!("check {kept} -q -f json -o {report}"));
    assert_eq!(printed, "");
    let document = document(&fs::read_to_string(report).unwrap());
    assert_eq!(document["outcome"], "unchanged");
    assert_eq!(document["baseline_run"], Value::Null);
    let ended = sokudo(&format!("check {kept} -q --no-store")).ok();
    let words = "UNCHANGED: no row differs";
    assert!(ended.printed.starts_with(words), "{ended:?}");
    // Nothing is read from it that commands the program.
    let text = fs::read_to_string(kept).unwrap();
    let at = text.find("\"command\": \"").unwrap();
    let rest = text[at..].find('\n').unwrap();
    let (before, after) = (&text[..at], &text[at + rest..]);
    let changed = format!("{before}\"command\": \"sokudo delete 1 --yes\",{after}");
    fs::write(kept, changed).unwrap();
    store.refuses(&format!("check {kept} -q"), 2, &["cannot be repeated"]);
    assert_eq!(store.list("").len(), 2);
}

#[test]
fn a_run_of_another_tool_is_no_baseline_whatever_is_said() {
    let store = Store::new();
    let corpus = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sokudo-tools/corpus/fio/json.json"
    );
    store.ok(&format!("import {corpus} -q"));
    for arguments in ["baseline set 1", "baseline set 1 --anyway", "check 1"] {
        let words = ["run 1 comes from fio", "sokudo baseline set -- mark"];
        store.refuses(arguments, 2, &words);
    }
    store.refuses(
        &format!("import {corpus} --tag a,b"),
        2,
        &["without commas"],
    );
    store.refuses(
        &format!("import {corpus} --note {}", "x".repeat(20_000)),
        2,
        &["10000 characters"],
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
    let units = [
        "sokudo-check.service",
        "sokudo-check.timer",
        "sokudo-check-all.service",
        "sokudo-check-all.timer",
    ];
    let units = units.map(|name| {
        let unit = fs::read_to_string(example(name)).unwrap();
        // Only its own place is not known here.
        let unit = unit.replace("/usr/local/bin/sokudo", crate::sokudo::path());
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
    for name in [
        "sokudo-check.service",
        "sokudo-check-all.service",
        "github-action.yml",
    ] {
        let text = fs::read_to_string(example(name)).unwrap();
        assert!(text.contains("check "), "{name}");
        holds(&text, &["--wait-idle", "--min-difference 10%", "--quiet"]);
    }
    // Nobody else says that nothing was judged.
    for name in ["sokudo-check.service", "sokudo-check-all.service"] {
        let text = fs::read_to_string(example(name)).unwrap();
        assert!(!text.contains("\nSuccessExitStatus=4\n"), "{name}");
    }
    // What is installed is what somebody has chosen, and not what has that name today.
    let text = fs::read_to_string(example("github-action.yml")).unwrap();
    let installing = text.lines().find(|line| line.contains("cargo install"));
    let chosen = "--git \"$SOKUDO_REPOSITORY\" --rev \"$SOKUDO_REVISION\" --locked";
    holds(installing.unwrap(), &[chosen]);
    let store = Store::new();
    let all = "check --all --wait-idle=10min --min-difference 10% --quiet";
    store.refuses(all, 2, &["no baseline"]);
    let store = Store::new();
    store.refuses(
        "check sim:const --wait-idle=2h --min-difference 10% --quiet",
        2,
        &["no baseline"],
    );
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
        _ => assert_eq!(ended.ok().printed, "5\n"),
    }
}
