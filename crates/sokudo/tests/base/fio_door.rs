//! fio's command lines and job files, as scripts use them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sokudo::{end, fio, shell, sokudo_in};
use crate::written;

/// The JSON of a run that succeeded with nothing but notes on standard error.
pub(crate) fn fio_json(directory: &Path, arguments: &str) -> Value {
    let ended = fio(directory, &format!("--output-format=json {arguments}"));
    let mut lines = ended.told.lines();
    let is_doubt = |line: &str| {
        let begins = ["sokudo: INVALID: ", "sokudo: note: "];
        begins.iter().any(|it| line.starts_with(it)) && !line.contains("VERIFIED, ")
    };
    assert!(
        lines.all(is_doubt),
        "of what is proven nothing is told: {ended:?}"
    );
    ended.json()
}

#[test]
fn figures_that_are_not_the_disks_are_told_beside_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=one --size=1m --ioengine=null --rw=read";
    for format in ["normal", "terse", "json", "json+"] {
        let ended = fio(directory.path(), &format!("{job} --output-format={format}"));
        assert!(
            ended.told.starts_with("sokudo: INVALID: one: "),
            "{ended:?}"
        );
    }
    let mut without_notes = crate::sokudo::program();
    without_notes.arg("fio").args(crate::sokudo::split(job));
    let without_notes = without_notes.env("SOKUDO_NOTES", "off");
    let ended = end(without_notes.current_dir(directory.path()));
    assert!(
        ended.told.starts_with("sokudo: INVALID: one: "),
        "{ended:?}"
    );
    let to_file = fio(directory.path(), &format!("{job} --output=result.txt"));
    assert!(to_file.told.starts_with("sokudo: INVALID: one: "));
    let text = fs::read_to_string(directory.path().join("result.txt")).unwrap();
    for printed in [text, fio(directory.path(), job).printed] {
        assert!(printed.contains("Run status group 0"), "{printed}");
        assert!(!printed.contains("INVALID"), "{printed}");
    }
}

/// Whatever the verdict is of, one line says it.
#[test]
fn the_verdict_is_told_beside_every_format() {
    let job = "--name=one --size=1m --rw=write";
    for format in ["normal", "terse", "json"] {
        let directory = tempfile::tempdir().unwrap();
        let told = fio(directory.path(), &format!("{job} --output-format={format}")).told;
        assert!(told.starts_with("sokudo: INVALID: one: "), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

/// fio says the same, and its first line has the depth that was asked for.
#[test]
fn a_depth_that_a_synchronous_engine_cannot_keep_is_always_told() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=one --size=1m --rw=write --ioengine=psync --iodepth=32";
    let ended = fio(directory.path(), job).prints(&[
        "ioengine=psync, iodepth=32\n",
        "percentile=100.00%, depth=32",
    ]);
    let note = "iodepth=32 has no effect with ioengine=psync";
    let warned = fio(directory.path(), &format!("{job} --warnings --parse-only"));
    for told in [&ended.told, &warned.told] {
        assert_eq!(told.matches(note).count(), 1, "{told}");
    }
}

#[test]
fn json_is_valid_says_what_was_done_and_carries_the_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=one --size=1m --bs=4k --rw=randwrite";
    let run = fio_json(directory.path(), job);
    let job = &run["jobs"][0];
    assert_eq!(job["jobname"], "one");
    assert_eq!(job["error"], 0);
    assert_eq!(job["write"]["total_ios"], 256);
    assert_eq!(job["write"]["io_bytes"], 1 << 20);
    assert_eq!(job["job options"]["rw"], "randwrite");
    assert!(run.get("sokudo").is_some(), "{run}");
    assert!(
        directory.path().join("one.0.0").exists(),
        "as fio leaves it"
    );
}

#[test]
fn several_formats_are_printed_and_json_goes_to_its_file_alone() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=one --size=1m";
    let to_file = "--output=result.json --output-format=json --status-interval=60";
    let ended = fio(directory.path(), &format!("{job} {to_file}")).ok();
    assert_eq!(ended.printed, "");
    assert!(!ended.told.contains(" VERIFIED"), "{ended:?}");
    let text = fs::read_to_string(directory.path().join("result.json")).unwrap();
    assert!(text.starts_with("{\n") && text.ends_with("}\n"), "{text}");
    serde_json::from_str::<Value>(&text).unwrap();
    fio(
        directory.path(),
        &format!("{job} --output-format=normal,terse"),
    )
    .prints(&["\n3;fio-", "Run status group 0"]);
}

/// The word behind a link's name is the tool's, also where it is a file that is there.
#[test]
fn a_link_named_like_a_tool_is_that_tool() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("job.fio"), "[a]\nsize=1m\n").unwrap();
    fs::write(at("data"), vec![7; 1 << 20]).unwrap();
    for tool in ["fio", "diskspd", "hdparm"] {
        std::os::unix::fs::symlink(crate::sokudo::path(), at(tool)).unwrap();
    }
    let linked = |tool: &str, arguments: &str| {
        let mut link = Command::new(at(tool));
        link.args(crate::sokudo::split(arguments));
        end(link
            .env("SOKUDO_STORE", "none")
            .current_dir(directory.path()))
    };
    linked("fio", "--version").ok().prints(&["fio-3."]);
    linked("fio", "-name=x -size=1m -rw=write -thread")
        .ok()
        .prints(&["write: IOPS="]);
    linked("fio", "job.fio").ok().prints(&["read: IOPS="]);
    linked("diskspd", "data -d1 -W0")
        .ok()
        .prints(&["Command Line:", "Total IO"]);
    linked("hdparm", "--help")
        .ok()
        .prints(&["Usage: sokudo hdparm [OPTIONS]"]);
    linked("hdparm", "data -t")
        .ends(1)
        .tells(&["data is not a block device"]);
}

/// All at once, a line each: unknown, not supported, not valid.
#[test]
fn every_option_that_is_wrong_is_named_in_one_run() {
    let directory = tempfile::tempdir().unwrap();
    let file = "[global]\nfoo=1\nrw=frobnicate\n[a]\nsize=1m\nbarbaz\nflow=3\n";
    fs::write(directory.path().join("job.fio"), file).unwrap();
    let ended = fio(directory.path(), "--qux=1 job.fio");
    assert_eq!((ended.code(), &*ended.printed), (Some(1), ""), "{ended:?}");
    let lines: Vec<_> = ended.told.lines().collect();
    let places = [
        ("command line", "qux"),
        ("job.fio:2:1", "foo"),
        ("job.fio:6:1", "barbaz"),
        ("job.fio:3:4", "frobnicate"),
        ("job.fio:7:1", "flow"),
    ];
    assert_eq!(lines.len(), places.len(), "{ended:?}");
    for (line, (place, word)) in lines.iter().zip(places) {
        assert!(line.contains(place) && line.contains(word), "{line}");
    }
}

/// A harmless depth is no doubt that ends a run with --warnings-fatal, as with fio.
#[test]
fn fatal_warnings_are_those_of_fio() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--warnings-fatal --name=x --size=1m --rw=write";
    let with = |option: &str| fio(directory.path(), &format!("{job} {option}")).code();
    assert_eq!(with("--iodepth=8"), Some(0));
    assert_eq!(with("--time_based"), Some(1));
    assert_eq!(with("--verifysort=1"), Some(0));
}

/// The counts are those that fio 3.33 printed for the same lines. The flush at the end is
/// among our latencies, not among fio's.
#[test]
fn flushes_are_counted_as_fio_counts_them() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=x --size=64k --rw=write --filename=x";
    for (options, counted) in [
        ("--fsync=4", 3),
        ("--fsync=1", 15),
        ("--fdatasync=4", 0),
        ("--fsync=4 --end_fsync=1", 3),
        ("--fsync=4 --fdatasync=3", 3),
        ("--end_fsync=1", 0),
    ] {
        let run = fio_json(directory.path(), &format!("{job} {options}"));
        assert_eq!(run["jobs"][0]["sync"]["total_ios"], counted, "{options:?}");
    }
}

#[test]
fn sigusr1_prints_results_so_far_and_the_run_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let script = "$SOKUDO fio --name=x --size=1m --rw=write --time_based --runtime=600 \
                  --output-format=terse --output=result.txt & \
                  until [ -s x.0.0 ]; do :; done; \
                  until [ -s result.txt ]; do kill -USR1 $!; sleep 0.1; done; \
                  kill -0 $! && echo goes on; \
                  kill -INT $!; wait $!; echo $?";
    let ended = end(shell(script).current_dir(directory.path()));
    assert_eq!(ended.printed, "goes on\n128\n", "{ended:?}");
    let text = fs::read_to_string(directory.path().join("result.txt")).unwrap();
    let results: Vec<_> = text.lines().filter(|line| line.starts_with("3;")).collect();
    assert!(results.len() >= 2, "{text}");
}

#[test]
fn missing_directories_of_a_filename_are_made() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=x --size=64k --rw=write";
    for (option, file) in [
        ("--filename=a/b/x", "a/b/x"),
        ("--filename_format=c/d/x", "c/d/x"),
    ] {
        fio(directory.path(), &format!("{job} {option}")).ok();
        assert!(directory.path().join(file).is_file());
    }
    // fio makes what stands behind directory=, which itself must be there.
    let missing = format!("{job} --directory=none --filename=x");
    fio(directory.path(), &missing).refused(1, &["none"]);
    assert!(!directory.path().join("none").exists());
}

#[test]
fn parse_only_and_readonly_write_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=x --size=1m --rw=write";
    fio(directory.path(), &format!("--parse-only {job}")).ok();
    fio(directory.path(), &format!("--readonly {job}")).ends(1);
    fio(directory.path(), "no-such-file.fio").refused(1, &["no-such-file.fio"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn groups_are_reported_as_one_and_jobs_run_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let file = "[global]\nsize=1m\ngroup_reporting\n[many]\nnumjobs=3\nrw=write\n\
                [after]\nstonewall\nrw=read\n";
    fs::write(directory.path().join("groups.fio"), file).unwrap();
    let run = fio_json(directory.path(), "groups.fio");
    let jobs = run["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 2, "{run}");
    assert_eq!(jobs[0]["write"]["io_bytes"], 3 << 20);
    assert_eq!(jobs[1]["read"]["io_bytes"], 1 << 20);
    assert!(jobs[1]["job_start"].as_u64() >= jobs[0]["job_start"].as_u64());
}

#[test]
fn logs_are_written_and_files_unlinked() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=x --size=1m --rw=write --write_lat_log=l --unlink=1";
    let run = fio_json(directory.path(), job);
    let ios = run["jobs"][0]["write"]["total_ios"].as_u64().unwrap();
    let log = fs::read_to_string(directory.path().join("l_lat.1.log")).unwrap();
    assert_eq!(log.lines().count() as u64, ios, "one line per I/O");
    assert!(!directory.path().join("x.0.0").exists());
}

/// Which kinds of damage there are is the engine's; here it ends the run, on a line.
#[test]
fn damage_that_verify_finds_is_an_error_that_names_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=v --size=1m --bs=4k --rw=write --verify=crc32c --overwrite=1";
    fio(directory.path(), &format!("{job} --do_verify=0")).ok();
    let file = directory.path().join("v.0.0");
    let mut bytes = fs::read(&file).unwrap();
    bytes[5 * 4096 + 2000] ^= 1;
    written::write(&file, bytes);
    let ended = fio(directory.path(), &format!("{job} --verify_only")).ends(1);
    let is_note = |line: &str| line.contains("note:") && line.contains("offset 20480");
    assert!(!ended.told.lines().any(is_note), "an error: {ended:?}");
    ended.tells(&["offset 20480, length 4096: the data do not fit"]);
    let read = job.replace("--rw=write", "--rw=read");
    fio(directory.path(), &read).ends(1).tells(&["verify"]);
}

#[test]
fn notes_are_told_when_asked_and_remedies_speak_fios_language() {
    let directory = tempfile::tempdir().unwrap();
    let job = "--name=x --size=1m --rw=write --create_fsync=1";
    let quiet = fio(directory.path(), &format!("{job} --parse-only")).ok();
    assert_eq!(quiet.told, "");
    let asked = fio(directory.path(), &format!("{job} --parse-only --warnings"));
    asked.tells(&["create_fsync has no effect"]);
    let buffered = fio(directory.path(), job);
    assert!(!buffered.told.contains("--direct"), "{buffered:?}");
}

#[test]
fn run_prints_one_row_per_section_with_a_verdict() {
    let directory = tempfile::tempdir().unwrap();
    let file = "[global]\nsize=1m\n[many]\nnumjobs=2\nrw=randwrite\n[after]\nstonewall\nrw=read\n";
    fs::write(directory.path().join("job.fio"), file).unwrap();
    let run = "run job.fio --format json --quiet --runs 2";
    let run = sokudo_in(directory.path(), run).json();
    let results = crate::sokudo::results(&run);
    let names: Vec<_> = results.iter().map(|result| &result["name"]).collect();
    assert_eq!(names, ["many", "after"], "{run}");
    let is_judged = results.iter().all(|result| result["verdict"].is_string());
    assert!(is_judged, "{run}");
}

#[test]
fn an_interrupted_run_prints_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let script = "$SOKUDO fio --name=x --size=1m --rw=write --time_based --runtime=60 \
                  --output-format=json --output=result.json & \
                  until [ -s x.0.0 ]; do :; done; kill -INT $!; wait $!";
    end(shell(script).current_dir(directory.path())).ends(128);
    let text = fs::read_to_string(directory.path().join("result.json")).unwrap();
    let run: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(run["jobs"][0]["jobname"], "x");
}

#[test]
fn a_job_that_cannot_start_does_not_take_the_others_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = "[global]\nsize=1m\n[good]\nrw=read\n[bad]\nstonewall\nrw=read\nbs=3000\n\
                direct=1\n[last]\nstonewall\nrw=read\n";
    fs::write(directory.path().join("job.fio"), file).unwrap();
    let ended = fio(directory.path(), "job.fio --output-format=terse").ends(1);
    let lines = ended.printed.lines();
    let names: Vec<_> = lines.filter_map(|line| line.split(';').nth(2)).collect();
    let are_others = names.contains(&"good") && names.contains(&"last");
    assert!(are_others, "{ended:?}");
    let json = fio(directory.path(), "job.fio --output-format=json");
    let run: Value = serde_json::from_str(&json.printed).unwrap();
    let errors: Vec<_> = (0..3).map(|job| run["jobs"][job]["error"] == 0).collect();
    assert_eq!(errors, [true, false, true], "{json:?}");
}

#[test]
fn jobs_of_which_none_can_start_end_with_their_number() {
    let folder = tempfile::tempdir().unwrap();
    for (jobs, number) in [
        ("--name=a", 1),
        ("--name=a --name=b", 2),
        ("--numjobs=3 --name=a", 3),
    ] {
        fio(folder.path(), &format!("--rw=read {jobs}"))
            .ends(number)
            .tells(&["say with size= how large"]);
    }
}

#[test]
fn exitall_ends_its_stage_or_all_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let file = "[global]\nioengine=null\nsize=1m\nrw=read\nexitall\n[first]\n[beside]\n\
                time_based\nruntime=60\n[after]\nstonewall\n";
    fs::write(directory.path().join("job.fio"), file).unwrap();
    let measured = |arguments: &str| -> Vec<bool> {
        let run = fio_json(directory.path(), arguments);
        let jobs = run["jobs"].as_array().unwrap();
        jobs.iter()
            .map(|job| job["read"]["total_ios"].as_u64().unwrap() > 0)
            .collect()
    };
    assert_eq!(measured("job.fio").last(), Some(&true));
    let all = file.replace("exitall\n", "exitall\nexit_what=all\n");
    fs::write(directory.path().join("job.fio"), all).unwrap();
    assert_eq!(measured("job.fio").last(), Some(&false));
}

#[test]
fn a_full_disk_for_messages_changes_no_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let script = "$SOKUDO fio --no-such-option 2>/dev/full";
    end(shell(script).current_dir(directory.path())).ends(1);
}
