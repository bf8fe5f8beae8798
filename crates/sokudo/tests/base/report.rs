//! Reports: every format from kept results, what is masked, and what is refused.

use std::fs;
use std::process::{Command, Stdio};

use sokudo_report::RunDocument;

use crate::sokudo::{Ended, end, holds, program, skip, split};
use crate::store_file::Store;

/// Results as JSON, in a directory of their own.
fn kept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, run) in [("one.json", "mark"), ("two.json", "scan")] {
        let document = RunDocument::from_run(&crate::kept::kept(run));
        fs::write(directory.path().join(name), document.to_json()).unwrap();
    }
    directory
}

fn report(directory: &tempfile::TempDir, arguments: &str) -> Ended {
    sokudo_in(directory, &format!("report {arguments}"))
}

fn sokudo_in(directory: &tempfile::TempDir, arguments: &str) -> Ended {
    let mut command = program();
    command.current_dir(directory.path()).args(split(arguments));
    end(&mut command)
}

fn read(directory: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(directory.path().join(name)).unwrap()
}

#[test]
fn the_comment_of_a_text_is_what_somebody_wrote_and_nothing_else() {
    let store = Store::new();
    store.mark("sim:const");
    let text = store.ok("report 1 --format text");
    assert!(!text.contains("Comment:"), "{text}");
    store.ok("edit 1 --note 'after the move'");
    let text = store.ok("report 1 --format text");
    let comment = text.lines().find(|line| line.starts_with("Comment:"));
    assert_eq!(comment, Some("Comment: after the move"), "{text}");
    assert!(text.contains("VERIFIED"), "{text}");
}

#[test]
fn the_end_of_a_name_says_the_format_and_one_call_writes_several() {
    let directory = kept();
    let mut arguments = "one.json two.json --title 'Both <disks>'".to_owned();
    let endings = [
        ("html", "<!DOCTYPE html>"),
        ("md", "# Both \\<disks\\>"),
        ("csv", "run,device,"),
        ("json", "{\n  \"schema\": \"sokudo.report/1\""),
        ("jsonl", "{"),
        ("txt", "------"),
        ("prom", "# HELP sokudo_run_timestamp_seconds"),
        ("svg", "<svg "),
    ];
    let names = endings.map(|(ending, _)| format!("report.{ending}"));
    for name in &names {
        arguments += &format!(" -o {name}");
    }
    if cfg!(feature = "png") {
        arguments += " -o report.png";
    }
    let ended = report(&directory, &arguments).ok();
    assert_eq!(ended.printed, "");
    for ((_, begin), name) in endings.iter().zip(&names) {
        let text = read(&directory, name);
        assert!(text.starts_with(begin), "{name}: {:?}", text.get(..80));
    }
    assert!(read(&directory, "report.html").contains("<h1>Both &lt;disks&gt;</h1>"));
    if cfg!(feature = "png") {
        let png = fs::read(directory.path().join("report.png")).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n"));
    }
}

#[test]
fn show_writes_reports_of_several_runs_and_one_run_in_its_own_forms() {
    let directory = kept();
    for (ending, is_own) in [
        ("html", false),
        ("jsonl", false),
        ("prom", false),
        ("md", false),
        ("csv", true),
        ("json", true),
    ] {
        let of = |words: &str| {
            sokudo_in(&directory, &format!("{words} -o written.{ending}")).ok();
            read(&directory, &format!("written.{ending}"))
        };
        let several = of("report one.json two.json");
        assert_eq!(of("show one.json two.json"), several, "{ending}");
        let one = of("report one.json");
        assert_eq!(of("show one.json") != one, is_own, "{ending}");
        let titled = of("report one.json --title A --mask-serial");
        assert_eq!(
            of("show one.json --title A --mask-serial"),
            titled,
            "{ending}"
        );
    }
    let kept = read(&directory, "one.json");
    assert_eq!(
        sokudo_in(&directory, "show one.json -f json").ok().printed,
        kept
    );
    let printed = |words: &str| sokudo_in(&directory, words).ok().printed;
    let several = printed("show one.json two.json");
    assert_eq!(several, printed("report one.json two.json"));
    assert_eq!(
        printed("show one.json -f text"),
        printed("report one.json -f text")
    );
    printed("show one.json -o shown.txt");
    assert_eq!(read(&directory, "shown.txt"), printed("show one.json"));
    printed("report one.json -o shown.txt");
    assert_eq!(
        read(&directory, "shown.txt"),
        printed("show one.json -f text")
    );
    assert_eq!(
        printed("show one.json -f picture"),
        printed("plot one.json -")
    );
    assert_eq!(printed("show one.json -f svg"), {
        printed("plot one.json shown.svg");
        read(&directory, "shown.svg")
    });
    for option in ["--card", "--judge-again", "--plot -", "--plot-kind bars"] {
        for words in ["one.json two.json", "one.json --mask-serial"] {
            let ended = sokudo_in(&directory, &format!("show {words} {option}"));
            ended.refused(2, &["a single run", "--mask-serial"]);
        }
    }
}

#[test]
fn older_names_of_show_are_commands_where_files_are_called_so() {
    let directory = kept();
    for name in ["report", "plot"] {
        fs::create_dir(directory.path().join(name)).unwrap();
        let [named, japanese] = ["", "--lang ja "].map(|lang| {
            let ended = sokudo_in(&directory, &format!("{lang}{name} one.json")).ok();
            ended.printed
        });
        assert!(
            named.contains("MB/s") && japanese.contains("MB/s"),
            "{named}{japanese}"
        );
    }
    let help = sokudo_in(&directory, "help --all").ok().printed;
    assert!(
        help.contains("\n  show ") && !help.contains("\n  report "),
        "{help}"
    );
    let script = sokudo_in(&directory, "completions bash").ok().printed;
    assert!(
        script.contains(",show)") && !script.contains(",report)") && !script.contains(",plot)")
    );
}

#[test]
fn without_a_file_it_prints_markdown_and_a_report_is_read_again() {
    let directory = kept();
    let printed = report(&directory, "one.json").printed;
    assert!(printed.starts_with("## sokudo "), "{printed}");
    assert!(
        printed.contains("| Row | Direction | MB/s median |"),
        "{printed}"
    );
    report(&directory, "one.json two.json -o all.json").ok();
    let again = report(&directory, "all.json --format jsonl");
    let once = report(&directory, "one.json two.json --format jsonl");
    assert_eq!(again.printed, once.printed);
    assert!(once.printed.lines().count() > 8);
}

#[test]
fn runs_of_the_store_are_chosen_as_list_does_and_what_was_said_stays_with_them() {
    let store = Store::new();
    for serial in ["A1", "B2"] {
        store.mark(&format!("sim:const?latency=100us&serial={serial}"));
    }
    store.ok("edit 2 --tag cold --tag room=cellar");
    store.ok("edit 2 --note 'before the update'");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("b.json");
    let path = path.to_str().unwrap();
    store.ok(&format!("report --device B2 --since 1d -o {path}"));
    let kept: serde_json::Value = serde_json::from_str(&read(&directory, "b.json")).unwrap();
    assert_eq!(kept["runs"].as_array().unwrap().len(), 1);
    for name in [path, "--tag=cold"] {
        let told = store.ok(&format!("report {name}"));
        holds(&told, &["before the update", "cold"]);
    }
    let all = store.ok("report --method mark --format jsonl");
    assert_eq!(all.lines().count(), 2, "the oldest first: {all}");
    assert!(all.lines().next().unwrap().contains("serial=A1"));
    let pivot = store.ok(&format!("compare {path} --pivot row:tag:room"));
    holds(&pivot, &["cellar"]);
    for (arguments, said) in [
        ("report --until 2001-01-01", "no kept run matches"),
        ("report", "<RUN"),
        ("report 1 --tag x", "cannot be used with"),
    ] {
        store.run(arguments).ends(2).tells(&[said]);
    }
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is() {
    let directory = kept();
    report(&directory, "one.json -o a.html -o b.odt").refused(2, &["b.odt", "--format"]);
    report(&directory, "one.json -o b.PDF").refused(2, &["b.PDF", ".html"]);
    report(&directory, "one.json -o a.html -o a.html").refused(2, &["a.html", "twice"]);
    report(&directory, "one.json -o none/a.html").refused(2, &["none/a.html"]);
    report(&directory, "none.json").refused(2, &["none.json"]);
    assert!(!directory.path().join("a.html").exists());
    report(&directory, "one.json -o a.parquet").refused(2, &["a.parquet", ".jsonl"]);
}

#[test]
fn an_older_report_survives_a_writing_that_fails() {
    let directory = kept();
    let small = directory.path().join("small");
    fs::create_dir(&small).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
        .arg(&small)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        return skip("mounting needs root");
    }
    fs::write(small.join("old.html"), "the old one").unwrap();
    let over_old = report(&directory, "one.json -o small/old.html");
    let new = report(&directory, "one.json -o small/new.html");
    let old = fs::read_to_string(small.join("old.html"));
    let count = fs::read_dir(&small).unwrap().count();
    // Programs that other tests start may still hold what was open in it.
    let unmounted = Command::new("umount").arg("--lazy").arg(&small).status();
    assert!(unmounted.unwrap().success());
    over_old.refused(1, &["small/old.html", "No space left"]);
    new.refused(1, &["small/new.html", "No space left"]);
    assert_eq!(old.unwrap(), "the old one");
    assert_eq!(count, 1);
}

#[test]
fn a_masked_report_tells_no_serial_number() {
    const SERIAL: &str = "WD-WX11D1234567";
    let directory = kept();
    let text = read(&directory, "one.json");
    let told = text
        .replacen("\"serial\": null", &format!("\"serial\": \"{SERIAL}\""), 1)
        .replace(
            "\"command\": \"sokudo mark",
            &format!(
                "\"command\": \"sokudo mark /dev/disk/by-id/ata-WDC_{SERIAL} --destroy {SERIAL}"
            ),
        );
    assert!(told.contains(SERIAL));
    fs::write(directory.path().join("told.json"), told).unwrap();
    for format in [
        "html",
        "markdown",
        "csv",
        "json",
        "jsonl",
        "text",
        "prometheus",
    ] {
        let arguments = format!("told.json --format {format} --mask-serial");
        let ended = report(&directory, &arguments).ok();
        assert!(!ended.printed.contains("WX11D1234567"), "{format}");
    }
    let open = report(&directory, "told.json").printed;
    assert!(open.contains(SERIAL));
}
