//! `--notify`: the answer is handed to a program, which changes nothing of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::sokudo::{sokudo, sokudo_on};
use crate::store_file::Store;

const SLOW: &str = "sim:const?latency=810us&jitter=0s";

/// What a program has read.
fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_program_gets_the_answer_that_is_kept_and_nothing_of_the_environment() {
    let (store, folder) = (Store::new(), tempfile::tempdir().unwrap());
    let (to, seen) = (folder.path().join("answer"), folder.path().join("seen"));
    let script = format!("cat > {}; env > {}", to.display(), seen.display());
    let notify = format!("--quiet --notify 'sh -c \"{script}\"'");
    let ended = store.run(&format!("checkup sim:hdd '{SLOW}' {notify}"));
    assert_eq!((ended.code(), &*ended.told), (Some(1), ""), "{ended:?}");
    let answer = read(&to);
    assert_eq!(answer["schema"], "sokudo.answer/1");
    assert_eq!(
        (&answer["run"], &answer["exit_code"]),
        (&1.into(), &1.into())
    );
    let first = answer["sentence"].as_str().unwrap();
    assert!(
        first.starts_with("NOT OK: 1 of 2 disks; B: 1,235"),
        "{first}"
    );
    let answers = [0, 1].map(|disk| answer["disks"][disk]["assessment"]["answer"].clone());
    assert_eq!(answers, ["ok", "not_ok"]);
    let seen = fs::read_to_string(seen).unwrap();
    let of_shell = ["PWD=", "SHLVL=", "_=", "OLDPWD="];
    let mut given = seen
        .lines()
        .filter(|line| !of_shell.iter().any(|it| line.starts_with(it)));
    let is_plain = |line: &str| line.starts_with("PATH=/usr/sbin:") || line == "LC_ALL=C";
    assert!(given.all(is_plain), "{seen}");
    let kept = store.list("--limit 1")[0]["command"].to_string();
    assert!(!kept.contains("notify") && !kept.contains("cat"), "{kept}");
    let burn_in = format!("burn-in sim:ssd?size=1GiB --yes --no-store {notify}");
    store.ok(&burn_in);
    let answer = read(&to);
    let of_it = (&answer["command"], &answer["run"], &answer["exit_code"]);
    assert_eq!(of_it, (&"burn-in".into(), &Value::Null, &0.into()));
    assert_eq!(answer["disks"][0]["assessment"]["answer"], "ok");
}

#[test]
fn where_nothing_could_be_measured_the_program_gets_the_reason() {
    let (store, folder) = (Store::new(), tempfile::tempdir().unwrap());
    let to = folder.path().join("answer");
    let notify = format!("--quiet --notify 'sh -c \"cat > {}\"'", to.display());
    store.run(&format!("checkup /does/not/exist --dry-run {notify}"));
    assert!(!to.exists());
    for (command, name, words) in [
        ("checkup /does/not/exist", "checkup", "/does/not/exist"),
        ("burn-in --yes null:", "burn-in", "null:"),
        ("check --all", "check", "there is no baseline"),
        ("check /does/not/exist", "check", "/does/not/exist"),
    ] {
        store.run(&format!("{command} {notify}")).ends(2);
        let answer = read(&to);
        let of_it = (&answer["schema"], &answer["command"], &answer["exit_code"]);
        assert_eq!(of_it, (&"sokudo.answer/1".into(), &name.into(), &2.into()));
        let why = answer["sentence"].as_str().unwrap();
        assert!(why.contains(words), "{why}");
        assert_eq!(answer["disks"].as_array().unwrap().len(), 0);
        fs::remove_file(&to).unwrap();
    }
}

#[test]
fn what_fails_is_one_line_and_changes_no_exit_code() {
    for (command, words) in [
        (
            "sh -c \"printf \\\"a\\\\033[31mb\\\" >&2; exit 3\"",
            "(exit status: 3): a[31mb",
        ),
        ("sh -c \"kill -9 $$\"", "signal: 9"),
    ] {
        for (target, code) in [("sim:ssd", 0), (SLOW, 1)] {
            let options = format!("--quiet --no-store --notify '{command}'");
            let ended = sokudo_on("checkup", target, &options).ends(code);
            assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
            assert!(ended.told.starts_with("sokudo: --notify: sh has failed"));
            assert!(ended.told.contains(words), "{ended:?}");
            assert!(ended.printed.contains("single random reads"), "{ended:?}");
        }
    }
}

#[test]
fn what_cannot_be_called_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    let touch = format!("sim:ssd --notify 'echo; touch {}'", made.display());
    sokudo(&format!("checkup {touch}")).refused(2, &["no echo; in /usr/sbin"]);
    assert!(!made.exists());
    sokudo("checkup sim:ssd --notify ./here").refused(2, &["by its whole path"]);
    sokudo("checkup sim:ssd --notify ' '").refused(2, &["it is no command"]);
    sokudo("check --notify true").ends(2);
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let options = format!(
        "checkup sim:ssd --quiet --no-store --notify {}",
        script.display()
    );
    if rustix::process::geteuid().is_root() {
        // Anybody may write to the folder above it.
        sokudo(&options).refused(3, &["can be changed by users other than root"]);
    } else {
        sokudo(&options).ok();
    }
}

#[test]
fn a_check_of_all_hands_its_document_on() {
    let (store, folder) = (Store::new(), tempfile::tempdir().unwrap());
    let to = folder.path().join("checks");
    store.mark("sim:const?latency=100us&jitter=10us&serial=A1");
    store.ok("baseline set last");
    let notify = format!("--notify 'sh -c \"cat > {}\"'", to.display());
    for which in ["--all", "1", "A1"] {
        store.ok(&format!("check {which} --quiet {notify}"));
        let checks = read(&to);
        assert_eq!(
            (&checks["schema"], &checks["exit_code"]),
            (&"sokudo.checks/1".into(), &0.into())
        );
        fs::remove_file(&to).unwrap();
    }
    let unknown = store.run("check 1 --notify /no/such/program");
    unknown.refused(2, &["is no program that can be run"]);
}
