//! `sokudo bonnie`, as people use it: figures, Bonnie++'s own line, and nothing left
//! behind.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::loop_device::FileSystem;
use crate::sokudo::{
    Ended, Nobody, WAIT_MAX, directory_on_disk, end, has, program, results, shell, skip, start,
    wait,
};

/// Fields of Bonnie++'s format 1.98, by its manual.
const FIELDS: usize = 50;

fn bonnie(directory: &Path, arguments: &[&str]) -> Ended {
    end(program()
        .arg("bonnie")
        .arg(directory)
        .args(["--quiet", "--seed", "7"])
        .args(arguments))
}

/// Small sizes for every phase.
const SMALL: [&str; 6] = [
    "--size",
    "8:8k:200:3",
    "--characters",
    "64KiB",
    "--files",
    "1:300:100:2",
];

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

fn of_phase<'a>(run: &'a Value, name: &str) -> &'a Value {
    results(run)
        .iter()
        .find(|result| result["name"] == name)
        .unwrap()
}

#[test]
fn every_phase_does_what_it_says_and_nothing_is_left() {
    let directory = directory_on_disk();
    let run = bonnie(
        directory.path(),
        &[&SMALL[..], &["--format", "json"]].concat(),
    )
    .json();
    assert!(is_empty(directory.path()));
    assert_eq!(run["method"], "bonnie");
    assert_eq!(results(&run).len(), 12);
    let trial = |name: &str, figure: &str| of_phase(&run, name)["trials"][0][figure].as_u64();
    assert_eq!(trial("Per-char write", "ios"), Some(64 << 10));
    assert_eq!(trial("Per-char read", "bytes"), Some(64 << 10));
    assert_eq!(trial("Block write", "bytes"), Some(8 << 20));
    assert_eq!(trial("Block read", "ios"), Some(1024));
    // Every block is read and written.
    assert_eq!(trial("Rewrite", "bytes"), Some(16 << 20));
    let seeks = &of_phase(&run, "Seeks")["shares"]["read"];
    assert!(seeks["iops"]["median"].as_f64().unwrap() > 0.0, "{seeks}");
    for phase in ["create", "stat", "delete"] {
        for kind in ["Sequential", "Random"] {
            let result = of_phase(&run, &format!("{kind} {phase}"));
            assert_eq!(result["direction"], phase);
            assert_eq!(result["trials"][0]["ios"], 1024);
            assert_eq!(result["latency_ns"]["count"], 1024);
            assert!(result["files_per_s"]["median"].as_f64().unwrap() > 0.0);
            assert!(result["cpu"]["system_ns"].is_u64(), "{result}");
        }
    }
    assert!(of_phase(&run, "Block write")["files_per_s"].is_null());
}

#[test]
fn a_table_and_a_page_show_every_phase() {
    let directory = directory_on_disk();
    for format in ["table", "markdown", "csv"] {
        let ended = bonnie(
            directory.path(),
            &[&SMALL[..], &["--format", format]].concat(),
        );
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        for phase in ["Per-char write", "Rewrite", "Seeks", "Random delete"] {
            assert!(ended.printed.contains(phase), "{phase}: {ended:?}");
        }
        if format == "table" {
            assert!(ended.printed.contains(" files"), "{ended:?}");
            assert!(ended.printed.contains(" seeks"), "{ended:?}");
        }
    }
}

#[test]
fn the_line_is_bonnies_and_there_is_one_per_run() {
    let directory = directory_on_disk();
    let arguments = [&SMALL[..], &["--bonnie-csv", "--runs", "2"]].concat();
    let ended = bonnie(directory.path(), &arguments);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let lines: Vec<Vec<&str>> = ended
        .printed
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(lines.len(), 2);
    for fields in &lines {
        assert_eq!(fields.len(), FIELDS, "{fields:?}");
        assert_eq!(fields[0], "1.98");
        // 200 seeks by 3 seekers are 67 each.
        assert_eq!(fields[4..9], ["7", "8M", "", "201", "3"]);
        assert_eq!(fields[21..26], ["1", "300", "100", "2", ""]);
        for (index, field) in fields.iter().enumerate().skip(38) {
            assert!(field.ends_with('s'), "latency in field {index}: {field}");
        }
    }
    let without = bonnie(
        directory.path(),
        &["--size", "0", "--files", "1", "--bonnie-csv"],
    );
    let fields: Vec<&str> = without.printed.trim_end().split(',').collect();
    assert_eq!(fields.len(), FIELDS);
    assert!(
        fields[5..21].iter().all(|field| field.is_empty()),
        "{fields:?}"
    );
}

#[test]
fn bonnies_own_programs_read_the_line() {
    let tools = ["bon_csv2txt", "bon_csv2html"];
    if !tools.iter().all(|tool| has(tool)) {
        return skip("bon_csv2txt and bon_csv2html, which read Bonnie++'s line, are not installed");
    }
    let directory = directory_on_disk();
    let line = bonnie(directory.path(), &[&SMALL[..], &["--bonnie-csv"]].concat()).printed;
    for (tool, sign) in tools.into_iter().zip(["1:300:100/2", "</html>"]) {
        let mut child = Command::new(tool)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(line.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
        assert!(output.stderr.is_empty(), "{tool}: {output:?}");
        assert!(text.contains(sign), "{tool}: {text}");
    }
}

#[test]
fn interrupted_in_any_phase_nothing_is_left_and_what_was_measured_is_printed() {
    // Long enough that no machine is through with it before the signal comes.
    for arguments in [
        &["--characters", "1GiB", "--size", "1GiB", "--files", "0"][..],
        &[
            "--characters",
            "0",
            "--size",
            "16MiB:256:4000000000",
            "--files",
            "0",
        ],
        &["--size", "0", "--files", "100:10:10:4"],
    ] {
        let directory = directory_on_disk();
        let mut command = program();
        command
            .arg("bonnie")
            .arg(directory.path())
            .args(["--quiet", "--format", "json"])
            .args(arguments);
        let child = start(&mut command);
        let io = format!("/proc/{}/io", child.id());
        let deadline = Instant::now() + WAIT_MAX;
        let calls = || {
            let text = fs::read_to_string(&io).unwrap_or_default();
            let of = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                line.and_then(|count| count.trim().parse::<u64>().ok())
                    .unwrap_or(0)
            };
            of("syscr:") + of("syscw:")
        };
        // In the first phase, in the rewrite, and among the first files.
        let enough = if arguments.contains(&"0") && arguments.contains(&"16MiB:256:4000000000") {
            70_000
        } else {
            500
        };
        while calls() < enough && Instant::now() < deadline {
            thread::park_timeout(Duration::from_millis(5));
        }
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
        let ended = wait(child);
        assert_eq!(ended.code(), Some(130), "{ended:?}");
        let run: Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(run["interrupted"], true);
        assert!(is_empty(directory.path()), "{arguments:?}");
    }
}

#[test]
fn what_a_killed_run_leaves_is_found_and_cleaned() {
    let directory = directory_on_disk();
    let mut command = program();
    command.arg("bonnie").arg(directory.path()).args([
        "--quiet",
        "--size",
        "0",
        "--files",
        "100:10:10:4",
    ]);
    let child = start(&mut command);
    let deadline = Instant::now() + WAIT_MAX;
    while is_empty(directory.path()) && Instant::now() < deadline {
        thread::park_timeout(Duration::from_millis(1));
    }
    let clean = || end(program().arg("clean").arg(directory.path()));
    let in_use = clean();
    assert!(
        in_use.printed.contains("nothing was left behind"),
        "{in_use:?}"
    );
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    wait(child);
    assert!(!is_empty(directory.path()));
    let cleaned = clean();
    assert_eq!(cleaned.code(), Some(0), "{cleaned:?}");
    assert!(cleaned.printed.contains("sokudo-files-"), "{cleaned:?}");
    assert!(is_empty(directory.path()));
}

#[test]
fn who_quits_at_once_is_told_what_is_left_and_how_it_is_removed() {
    let directory = directory_on_disk();
    let mut command = program();
    command.arg("bonnie").arg(directory.path());
    command.args(["--quiet", "--size", "0", "--files", "100:10:10:4"]);
    let child = start(&mut command);
    let deadline = Instant::now() + Duration::from_secs(50);
    while is_empty(directory.path()) && Instant::now() < deadline {
        thread::park_timeout(Duration::from_millis(1));
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::QUIT).unwrap();
    let ended = wait(child);
    assert!(
        !is_empty(directory.path()),
        "it is emptied in its time, not at once"
    );
    let place = directory.path().to_str().unwrap();
    assert!(
        ended.told.contains(&format!("sokudo clean {place}")),
        "{ended:?}"
    );
    assert!(ended.told.contains("sokudo-files-"), "{ended:?}");
    let cleaned = end(program().arg("clean").arg(directory.path()));
    assert!(is_empty(directory.path()), "{cleaned:?}");
}

#[test]
fn what_cannot_be_measured_is_told_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let file = path.join("file");
    fs::write(&file, "mine").unwrap();
    let refused = |target: &Path, arguments: &[&str], code, words: &[&str]| {
        bonnie(target, arguments).refused(code, words);
    };
    refused(&file, &[], 2, &["is no directory", "name a directory"]);
    refused(Path::new("sim:hdd"), &[], 2, &["is no directory"]);
    refused(Path::new("/no/such/place"), &[], 2, &["/no/such/place"]);
    refused(Path::new(""), &[], 2, &["empty word"]);
    refused(
        path,
        &["--size", "0", "--files", "0"],
        2,
        &["nothing to measure"],
    );
    refused(
        path,
        &["--size", "8:3k"],
        2,
        &["the chunk is 3 KiB", "power of two"],
    );
    refused(path, &["--size", "lots"], 2, &["lots", "SIZE[:CHUNK"]);
    refused(path, &["--files", "1:10:20"], 2, &["smallest size"]);
    refused(
        path,
        &["--bonnie-csv", "--format", "json"],
        2,
        &["cannot be used with"],
    );
    refused(
        path,
        &["--size", "900PiB", "--files", "0"],
        1,
        &["use a smaller test file"],
    );
    refused(
        path,
        &["--size", "0", "--files", "4000000:5GB"],
        2,
        &["the size of a file"],
    );
    refused(
        path,
        &["--size", "0", "--files", "4000000:1GB"],
        1,
        &["free", "fewer or smaller"],
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}

#[test]
fn where_nothing_may_be_made_that_is_told() {
    let Some(nobody) = Nobody::new() else { return };
    let script = "\"$SOKUDO\" bonnie / --size 0 --files 1 --quiet";
    end(&mut nobody.shell(script)).refused(1, &["Permission denied", "you may write to"]);
    let script = "\"$SOKUDO\" bonnie . --size 2 --files 1 --characters 1k --format json --quiet";
    let run = end(&mut nobody.shell(script)).json();
    assert_eq!(results(&run).len(), 12);
}

#[test]
fn a_file_system_that_fills_up_or_is_read_only_is_told_and_left_clean() {
    let Some(system) = FileSystem::new("ext4", 64 << 20, true) else {
        return;
    };
    let before = system.files();
    let too_large = bonnie(system.path(), &["--size", "1GiB", "--files", "0"]);
    too_large.refused(1, &["free", "use a smaller test file"]);
    let too_many = bonnie(system.path(), &["--size", "0", "--files", "64"]);
    too_many.refused(1, &["use fewer"]);
    assert_eq!(system.files(), before);
    system.make_read_only();
    let read_only = bonnie(system.path(), &["--size", "0", "--files", "1"]);
    read_only.refused(1, &["Read-only file system", "remount it"]);
}

#[test]
fn a_write_that_fails_is_in_the_result_and_the_files_are_still_measured() {
    let directory = directory_on_disk();
    let script = "ulimit -f 4096; \"$SOKUDO\" bonnie . --size 16 --characters 0 --files 1 --format json --quiet";
    let ended = end(shell(script).current_dir(directory.path()));
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    let write = of_phase(&run, "Block write");
    assert_eq!(write["status"], "failed");
    assert!(
        write["failures"][0]["message"]
            .as_str()
            .unwrap()
            .contains("File too large")
    );
    assert_eq!(of_phase(&run, "Block read")["status"], "not_reached");
    assert_eq!(of_phase(&run, "Random delete")["status"], "complete");
    assert!(is_empty(directory.path()));
}
