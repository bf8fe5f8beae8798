//! Runs are kept, and where they cannot be, that is told and changes nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use sokudo_store::{Filter, Page, Sqlite, Store};

use crate::sokudo::{Ended, end, program};

const RUN: [&str; 7] = [
    "mark", "sim:ssd", "--runs", "1", "--time", "20ms", "--quiet",
];

/// `sokudo ARGUMENTS` with a store, given by the variable.
fn with_store(store: &Path, arguments: &[&str]) -> Ended {
    end(program().args(arguments).env("SOKUDO_STORE", store))
}

fn numbers(store: &Path) -> Vec<u64> {
    let all = Page {
        skip: 0,
        count: 100,
    };
    let found = Sqlite::open(store).unwrap().list(&Filter::default(), all);
    found.unwrap().iter().map(|entry| entry.id.0).collect()
}

#[test]
fn every_command_that_measures_keeps_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("data/runs.db");
    let job = folder.path().join("job.fio");
    let text = format!(
        "[a]\ndirectory={}\nsize=1m\nrw=read\nbs=64k\n",
        folder.path().display()
    );
    fs::write(&job, text).unwrap();
    let job = job.to_str().unwrap();
    let file = folder.path().join("file.dat");
    let file = file.to_str().unwrap();
    let commands: [&[&str]; 6] = [
        &RUN,
        &["quick", "sim:ssd", "--quiet"],
        &["scan", "sim:ssd", "--quiet"],
        &["run", job, "--quiet"],
        &["fio", job],
        &["diskspd", "-c1M", "-b64K", "-d1", "-W0", file],
    ];
    for (index, arguments) in commands.iter().enumerate() {
        let ended = with_store(&store, arguments);
        assert_eq!(ended.code(), Some(0), "{arguments:?} {ended:?}");
        assert_eq!(ended.told, "", "{arguments:?}");
        assert_eq!(numbers(&store).len(), index + 1, "{arguments:?}");
    }
    // One file, and it is the owner's alone.
    use std::os::unix::fs::MetadataExt;
    assert_eq!(store.metadata().unwrap().mode() & 0o777, 0o600);
    let data = store.parent().unwrap();
    assert_eq!(data.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(data).unwrap().count(), 1);
}

#[test]
fn nothing_is_kept_where_that_is_not_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    for more in [["--no-store", "--quiet"], ["--store", "none"]] {
        let arguments = [&RUN[..], &more].concat();
        let arguments: Vec<&str> = arguments
            .into_iter()
            .filter(|it| *it != "--quiet")
            .collect();
        let ended = with_store(&store, &arguments);
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        assert!(!ended.told.contains("kept as run"), "{ended:?}");
    }
    // Doors do what their tools do, and keep only where the variable says so.
    let mut door = program();
    let data = tempfile::tempdir().unwrap();
    door.args(["fio", "--name=a", "--filename=a.dat", "--size=1m"]);
    door.current_dir(data.path());
    door.env_remove("SOKUDO_STORE");
    door.env("XDG_DATA_HOME", folder.path());
    assert_eq!(end(&mut door).code(), Some(0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_store_that_cannot_be_used_is_told_in_one_line_and_the_result_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text"), "no runs\n".repeat(500)).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::create_dir(at("directory")).unwrap();
    std::os::unix::fs::symlink(at("loop"), at("loop")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(at("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let whole = at("whole.db");
    assert_eq!(with_store(&whole, &RUN).code(), Some(0));
    let bytes = fs::read(&whole).unwrap();
    fs::write(at("cut"), &bytes[..bytes.len() / 2]).unwrap();
    let expected = with_store(&whole, &RUN).printed;
    for (store, words) in [
        (at("text"), "damaged or no store"),
        (at("cut"), "damaged or no store"),
        (at("empty"), "is an empty file"),
        (at("directory"), "is a directory"),
        (at("pipe"), "is a pipe (FIFO)"),
        (at("loop"), "symbolic links"),
        (at("text/below.db"), "Not a directory"),
        ("/dev/zero".into(), "is a character device"),
        ("/dev/full".into(), "is a character device"),
        ("/proc/sokudo/runs.db".into(), "cannot be made"),
        (
            "postgresql://me:secret@localhost:1/runs".into(),
            if cfg!(feature = "postgres") {
                "cannot be used"
            } else {
                "built without PostgreSQL"
            },
        ),
    ] {
        let ended = with_store(&store, &RUN);
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        let same = |text: &str| text.lines().skip(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(same(&ended.printed), same(&expected), "{ended:?}");
        assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
        assert!(ended.told.contains("this run is not kept"), "{ended:?}");
        assert!(ended.told.contains(words), "{ended:?}");
        assert!(!ended.told.contains("secret"), "{ended:?}");
    }
    for address in ["mysql://me:secret@host/base", "POSTGRESQL://me:secret@host"] {
        let ended = end(program()
            .current_dir(folder.path())
            .args(RUN)
            .args(["--store", address]));
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        assert!(ended.told.contains("does not know"), "{ended:?}");
        assert!(!ended.told.contains("secret"), "{ended:?}");
    }
    let left = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left(), 7);
    // A name that would command the terminal is told in one line all the same.
    let hostile = with_store(&at("text/\u{1b}[31m\nb"), &RUN);
    assert_eq!(hostile.told.lines().count(), 1, "{hostile:?}");
    assert!(!hostile.told.contains('\u{1b}'), "{hostile:?}");
}

#[test]
fn no_result_takes_the_place_of_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    assert_eq!(with_store(&store, &RUN).code(), Some(0));
    let name = store.to_str().unwrap();
    for arguments in [
        &["report", "1", "--format", "json"][..],
        &["show", "1", "--format", "json"],
        &["check", "1"],
        &RUN,
    ] {
        let arguments = [arguments, &["--output", name]].concat();
        with_store(&store, &arguments).refused(3, &["is a store"]);
    }
    assert_eq!(numbers(&store), [1]);
}

#[test]
fn a_store_that_cannot_be_looked_at_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink(at("loop"), at("loop")).unwrap();
    fs::write(at("text"), "").unwrap();
    for (store, words) in [
        (at("loop"), "symbolic links"),
        (at("text/below"), "Not a directory"),
    ] {
        for arguments in [&["list"][..], &["baseline", "show"], &["show", "1"]] {
            with_store(&store, arguments).refused(1, &[words]);
        }
    }
}

#[test]
fn looking_makes_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("data/runs.db");
    for run in ["last", "1"] {
        assert_eq!(with_store(&store, &["plot", run]).code(), Some(2));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_password_is_in_no_result() {
    let address = "postgresql://me:secret@localhost:1/runs";
    let arguments = [
        "mark", "sim:ssd", "--runs", "1", "--time", "20ms", "--store", address,
    ];
    let ended = end(program().args(arguments).args(["--format", "json"]));
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(ended.printed.contains("postgresql://..."));
    assert!(!ended.printed.contains("secret") && !ended.told.contains("secret"));
}
