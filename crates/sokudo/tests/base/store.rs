//! Runs are kept, and where they cannot be, that is told and changes nothing else.

use std::fs;
#[cfg(feature = "postgres")]
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

#[cfg(feature = "postgres")]
use rustix::process::{Signal, kill_process};
use sokudo_model::Nanos;
use sokudo_store::{Filter, NewRun, Page, RunId, Sqlite, Store};

#[cfg(feature = "postgres")]
use crate::signals::pid;
use crate::sokudo::{Ended, directory_in_memory, end, program, sokudo, sokudo_in, split};
#[cfg(feature = "postgres")]
use crate::sokudo::{start, wait};

const RUN: &str = "mark sim:ssd --runs 1 --time 20ms --why --quiet";

/// `sokudo ARGUMENTS` with a store, given by the variable.
fn with_store(store: &Path, arguments: &str) -> Ended {
    end(program().args(split(arguments)).env("SOKUDO_STORE", store))
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
fn nothing_is_kept_where_that_is_not_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    for more in ["--no-store --quiet", "--store none"] {
        let loud = RUN.replace("--quiet", more).replace(" --quiet", "");
        let ended = with_store(&store, &loud).ok();
        assert!(!ended.told.contains("kept as run"), "{ended:?}");
    }
    // Doors do what their tools do, and keep only where the variable says so.
    let mut door = program();
    let data = tempfile::tempdir().unwrap();
    door.args(["fio", "--name=a", "--filename=a.dat", "--size=1m"]);
    door.current_dir(data.path());
    door.env_remove("SOKUDO_STORE");
    door.env("XDG_DATA_HOME", folder.path());
    end(&mut door).ok();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_store_that_cannot_be_used_is_told_in_one_line_and_the_result_is_printed() {
    let folder = directory_in_memory();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text"), "no runs\n".repeat(500)).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::create_dir(at("directory")).unwrap();
    std::os::unix::fs::symlink(at("loop"), at("loop")).unwrap();
    let made = Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.unwrap().success());
    let whole = at("whole.db");
    with_store(&whole, RUN).ok();
    let bytes = fs::read(&whole).unwrap();
    fs::write(at("cut"), &bytes[..bytes.len() / 2]).unwrap();
    let expected = with_store(&whole, RUN).printed;
    let without_server = match cfg!(feature = "postgres") {
        true => "cannot be used",
        false => "built without PostgreSQL",
    };
    for (store, words) in [
        (at("text"), "damaged or not a store"),
        (at("cut"), "damaged or not a store"),
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
            without_server,
        ),
    ] {
        let ended = with_store(&store, RUN)
            .ok()
            .tells(&["this run is not kept", words]);
        let same = |text: &str| text.lines().skip(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(same(&ended.printed), same(&expected), "{ended:?}");
        assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
        assert!(!ended.told.contains("secret"), "{ended:?}");
    }
    for address in ["mysql://me:secret@host/base", "POSTGRESQL://me:secret@host"] {
        let ended = sokudo_in(folder.path(), &format!("{RUN} --store {address}"))
            .ok()
            .tells(&["does not know"]);
        assert!(!ended.told.contains("secret"), "{ended:?}");
    }
    let left = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left(), 7);
    // A name that would command the terminal is told in one line all the same.
    let hostile = with_store(&at("text/\u{1b}[31m\nb"), RUN);
    assert_eq!(hostile.told.lines().count(), 1, "{hostile:?}");
    assert!(!hostile.told.contains('\u{1b}'), "{hostile:?}");
}

#[test]
fn no_result_takes_the_place_of_a_store() {
    let folder = directory_in_memory();
    let store = folder.path().join("runs.db");
    with_store(&store, RUN).ok();
    let name = store.to_str().unwrap();
    for arguments in [
        "report 1 --format json",
        "show 1 --format json",
        "check 1",
        RUN,
    ] {
        let arguments = format!("{arguments} --output {name}");
        with_store(&store, &arguments).refused(3, &["is a store"]);
    }
    assert_eq!(numbers(&store), [1]);
}

#[test]
fn a_password_is_in_no_result() {
    let address = "postgresql://me:secret@localhost:1/runs";
    let ended = sokudo(&format!("{RUN} --store {address} --format json"))
        .ok()
        .prints(&["postgresql://..."]);
    assert!(!ended.printed.contains("secret") && !ended.told.contains("secret"));
}

/// Every command about kept runs.
const LOOKING: &str = "list,show 1,edit 1 --note x,delete 1 -y,baseline show,baseline set,check";

#[test]
fn a_store_that_cannot_be_used_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink(at("loop"), at("loop")).unwrap();
    fs::write(at("text"), "no runs\n".repeat(500)).unwrap();
    for (store, words) in [
        (at("loop"), "symbolic links"),
        (at("text"), "--store"),
        (at("text/below"), "Not a directory"),
    ] {
        for arguments in LOOKING.split(',') {
            with_store(&store, arguments).refused(1, &[words]);
        }
    }
    for command in ["show 1", "check", "baseline show"] {
        sokudo(&format!("{command} --store none")).refused(2, &["no store is given"]);
    }
}

#[test]
fn what_is_compared_of_many_runs_is_the_same_from_summaries_as_from_the_runs() {
    const COPIES: u64 = 120;
    let folder = directory_in_memory();
    let path = folder.path().join("runs.db");
    with_store(
        &path,
        "mark sim:ssd --row RND4K,Q1 --runs 6 --time 50ms --quiet",
    )
    .ok();
    let mut store = Sqlite::open(&path).unwrap();
    let summarised = store.summaries(&[RunId(1)]).unwrap().swap_remove(0);
    assert!(summarised.is_some(), "a run is kept with its summary");
    let entry = store.entry(RunId(1)).unwrap();
    let document = store.document(RunId(1)).unwrap();
    let copy = |number| NewRun {
        started_at: Nanos(entry.run.started_at.0 + number * 1_000),
        document: document.clone(),
        ..entry.run.clone()
    };
    let copies: Vec<NewRun> = (1..COPIES).map(copy).collect();
    let mut ids = vec![RunId(1)];
    ids.extend(store.keep_all(&copies).unwrap());
    let without = store.summaries(&ids[1..]).unwrap();
    assert!(without.iter().all(Option::is_none));

    // A comparison of many has them computed, and leaves them for the next.
    let commands = [
        "compare all --pivot row:run --format json --quiet",
        "compare all --format json --quiet",
        "compare 2 all --quiet",
    ];
    let compared = || commands.map(|command| with_store(&path, command).ok().printed);
    let of_runs = compared();
    let summaries = store.summaries(&ids).unwrap();
    assert!(summaries.iter().all(|summary| *summary == summarised));
    assert!(compared() == of_runs);
    // Such as cannot be read are as none, and a comparison of few writes nothing.
    let damaged = |id: &RunId| (*id, vec![1, 2, 3]);
    let damaged: Vec<(RunId, Vec<u8>)> = ids.iter().take(90).map(damaged).collect();
    store.keep_summaries(&damaged).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(compared() == of_runs);
    assert!(
        fs::read(&path).unwrap() == bytes,
        "looking at few writes nothing"
    );
}

#[test]
fn every_command_that_measures_keeps_its_run() {
    let (folder, memory) = (tempfile::tempdir().unwrap(), directory_in_memory());
    let store = memory.path().join("data/runs.db");
    let job = folder.path().join("job.fio");
    let text = format!(
        "[a]\ndirectory={}\nsize=1m\nrw=read\nbs=64k\n",
        folder.path().display()
    );
    fs::write(&job, text).unwrap();
    let job = job.to_str().unwrap();
    let file = folder.path().join("file.dat");
    let file = file.to_str().unwrap();
    let commands = [
        RUN,
        "quick sim:ssd --quiet",
        "scan sim:ssd --quiet",
        &format!("run {job} --quiet"),
        &format!("fio {job}"),
        &format!("diskspd -c1M -b64K -d1 -W0 {file}"),
    ];
    for (index, arguments) in commands.iter().enumerate() {
        let ended = with_store(&store, arguments).ok();
        // What prints as fio does tells its verdict beside it.
        let told = ended.told.strip_prefix("sokudo: note: VERIFIED, but ");
        match arguments.starts_with("fio ") {
            true => assert!(told.is_some_and(|it| it.ends_with(" long\n")), "{ended:?}"),
            false => assert_eq!(ended.told, "", "{arguments:?}"),
        }
        assert_eq!(numbers(&store).len(), index + 1, "{arguments:?}");
    }
    // One file, and it is the owner's alone.
    use std::os::unix::fs::MetadataExt;
    assert_eq!(store.metadata().unwrap().mode() & 0o777, 0o600);
    let data = store.parent().unwrap();
    assert_eq!(data.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(data).unwrap().count(), 1);
}

/// A server that lets in whoever comes, and says nothing more; told of the first question.
#[cfg(feature = "postgres")]
fn silent_server() -> (u16, std::sync::mpsc::Receiver<()>) {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (asked, was_asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut bytes) = (stream.unwrap(), [0; 1_024]);
            for answer in [&b"N"[..], b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"] {
                if stream.read(&mut bytes).is_ok_and(|count| count > 0) {
                    let _ = stream.write_all(answer);
                }
            }
            let _ = stream.read(&mut bytes);
            let _ = asked.send(());
            while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
        }
    });
    (port, was_asked)
}

#[cfg(feature = "postgres")]
#[test]
fn what_a_silent_server_does_not_take_is_printed_and_kept_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (port, _) = silent_server();
    let mut command = program();
    command.args(split(RUN)).env("XDG_DATA_HOME", folder.path());
    // Longer than a busy machine takes for the log-in.
    let store = format!("postgresql://me@127.0.0.1:{port}/runs?connect_timeout=4");
    let ended = end(command.env("SOKUDO_STORE", store))
        .ok()
        .prints(&["RND4K"])
        .tells(&["not answered within 4 s", "sokudo import"]);
    let files: Vec<_> = fs::read_dir(folder.path().join("sokudo"))
        .unwrap()
        .collect();
    let [Ok(file)] = &files[..] else {
        panic!("{files:?}: {ended:?}");
    };
    let later = folder.path().join("later.db");
    with_store(&later, &format!("import {}", file.path().display())).ok();
    assert_eq!(numbers(&later), [1]);
}

#[cfg(feature = "postgres")]
#[test]
fn ctrl_c_ends_the_wait_for_a_store_and_not_the_printing() {
    let folder = tempfile::tempdir().unwrap();
    let (port, was_asked) = silent_server();
    let mut command = program();
    command.args(split(RUN)).env("XDG_DATA_HOME", folder.path());
    // Longer than any test is waited for.
    let store = format!("postgresql://me@127.0.0.1:{port}/runs?connect_timeout=900");
    let mut child = start(command.env("SOKUDO_STORE", store));
    was_asked.recv().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let note = told.find_map(|it| it.ok().filter(|it| it.contains("waiting for the store")));
    // Three answers of ten seconds each.
    let note = note.unwrap();
    assert!(note.contains("30 s at most"), "{note}");
    kill_process(pid(&child), Signal::INT).unwrap();
    let rest: String = told.map_while(Result::ok).collect();
    assert!(rest.contains("interrupted"), "{rest}");
    wait(child).ok().prints(&["RND4K"]);
}
