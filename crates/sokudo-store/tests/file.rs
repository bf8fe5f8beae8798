//! What happens to a store in a file: hostile files, no rights, no room, death, rivals.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sokudo_model::{Nanos, RunAnswer};
use sokudo_store::{Filter, NewRun, Page, RunId, Sqlite, Store, StoreError};

const ALL: Page = Page {
    skip: 0,
    count: 100_000,
};

fn run() -> NewRun {
    NewRun {
        started_at: Nanos(1),
        method: "mark/default".to_owned(),
        target: "/mnt/a".to_owned(),
        device: "a".to_owned(),
        device_name: "Example 1000".to_owned(),
        host: None,
        verdict: None,
        fingerprint: "f".to_owned(),
        sokudo_version: "0.1.0".to_owned(),
        origin: None,
        command: "sokudo mark /mnt/a".to_owned(),
        interrupted: false,
        answer: None,
        rows: Vec::new(),
        document: vec![7; 3000],
        summary: vec![8; 30],
    }
}

fn kept(path: &Path) -> Vec<RunId> {
    let found = Sqlite::open(path).unwrap().list(&Filter::default(), ALL);
    found.unwrap().into_iter().map(|entry| entry.id).collect()
}

/// Why nothing can be kept there, in words.
fn refusal(path: &Path) -> String {
    let kept = Sqlite::open(path).and_then(|mut store| store.keep(&run()));
    kept.unwrap_err().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |it: std::io::Result<fs::DirEntry>| it.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn reading_makes_nothing_and_keeping_makes_one_file_that_only_its_owner_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("share/sokudo/runs.db");
    assert_eq!(kept(&path), []);
    let mut store = Sqlite::open(&path).unwrap();
    assert!(matches!(store.entry(RunId(1)), Err(StoreError::NoRun(_))));
    assert_eq!(names(folder.path()), Vec::<String>::new());
    store.keep(&run()).unwrap();
    drop(store);
    let folder = path.parent().unwrap();
    assert_eq!(names(folder), ["runs.db"]);
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    assert_eq!((mode(&path), mode(folder)), (0o600, 0o700));
    assert_eq!(kept(&path).len(), 1);
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(
        at("text"),
        "these are no runs, and there are many of them".repeat(50),
    )
    .unwrap();
    fs::create_dir(at("directory")).unwrap();
    symlink(at("one"), at("two")).unwrap();
    symlink(at("two"), at("one")).unwrap();
    let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    for (path, expected) in [
        (at("text"), "not a store of sokudo"),
        (at("directory"), "is a directory; name a file"),
        (at("pipe"), "is a pipe (FIFO); name a file"),
        (at("one"), "symbolic links"),
        (at("text/below"), "Not a directory"),
        (
            PathBuf::from("/dev/zero"),
            "is a character device; name a file",
        ),
    ] {
        let bytes = || path.is_file().then(|| fs::read(&path).unwrap());
        let before = bytes();
        let message = refusal(&path);
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains('\n'), "{message}");
        assert_eq!(bytes(), before);
    }
}

#[test]
fn the_database_of_another_program_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.db");
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    drop(theirs);
    // One that holds no table yet, and says whose it is or does not.
    let (tagged, bare) = (
        folder.path().join("tagged.db"),
        folder.path().join("bare.db"),
    );
    for (path, setup) in [
        (&tagged, "PRAGMA application_id = 7"),
        (&bare, "CREATE TABLE t (c); DROP TABLE t"),
    ] {
        rusqlite::Connection::open(path)
            .and_then(|it| it.execute_batch(setup))
            .unwrap();
    }
    for path in [&path, &tagged, &bare] {
        let before = fs::read(path).unwrap();
        assert!(!before.is_empty());
        let told = refusal(path);
        assert!(told.contains("database of another program"), "{told}");
        assert_eq!(&fs::read(path).unwrap(), &before);
    }
}

#[test]
fn an_empty_file_is_not_taken_for_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    fs::write(&path, "").unwrap();
    let told = refusal(&path);
    assert!(told.contains("remove it to have one made there"), "{told}");
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn a_newer_version_is_refused_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    Sqlite::open(&path).unwrap().keep(&run()).unwrap();
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 42).unwrap();
    drop(newer);
    let message = refusal(&path);
    assert!(message.contains("has version 42"), "{message}");
}

#[test]
fn damaged_files_are_an_error_or_keep_what_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = Sqlite::open(&path).unwrap();
    for _ in 0..50 {
        store.keep(&run()).unwrap();
    }
    drop(store);
    let whole = fs::read(&path).unwrap();
    for length in [
        1,
        99,
        100,
        4096,
        8_192,
        8_193,
        whole.len() / 2,
        whole.len() - 8_192,
    ] {
        fs::write(&path, &whole[..length]).unwrap();
        eprintln!("the first {length} bytes");
        let message = refusal(&path);
        assert!(
            message.contains("damaged or not a store"),
            "{length}: {message}"
        );
    }
    // Whatever is overwritten: an answer, no panic.
    for place in (0..whole.len()).step_by(7_919) {
        let mut damaged = whole.clone();
        let end = (place + 600).min(damaged.len());
        damaged[place..end].fill(0xa5);
        fs::write(&path, &damaged).unwrap();
        if let Ok(mut store) = Sqlite::open(&path) {
            let _ = store.list(&Filter::default(), ALL);
            let _ = store.document(RunId(1));
            let _ = store.history("a", "x");
            let _ = store.keep(&run());
        }
    }
}

#[test]
fn a_name_that_sqlite_takes_for_something_else_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x?mode=memory"] {
        let path = folder.path().join(name);
        Sqlite::open(&path).unwrap().keep(&run()).unwrap();
        assert_eq!(kept(&path).len(), 1);
    }
}

#[test]
fn a_store_that_may_only_be_read_is_read() {
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        eprintln!("SKIPPED: root may write everything; run as another user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let id = Sqlite::open(&path).unwrap().keep(&run()).unwrap();
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    // The file, its folder, and both.
    for (file, inside) in [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)] {
        set(&path, file);
        set(folder.path(), inside);
        assert_eq!(kept(&path), [id]);
        let message = refusal(&path);
        assert!(message.contains("this user may"), "{message}");
    }
    set(folder.path(), 0o500);
    let message = refusal(&folder.path().join("new/runs.db"));
    assert!(message.contains("cannot be made"), "{message}");
    set(folder.path(), 0o000);
    let message = refusal(&path);
    assert!(message.contains("Permission denied"), "{message}");
    set(folder.path(), 0o700);
}

#[test]
fn many_at_once_lose_nothing() {
    // In memory: who waits for others waits for their turn, and not for a busy disk.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.unwrap();
    let path = folder.path().join("new/runs.db");
    let keep = || {
        let keep = |_| Sqlite::open(&path).unwrap().keep(&run()).unwrap();
        (0..10).map(keep).collect::<Vec<RunId>>()
    };
    let mut ids = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(keep)).collect();
        let ids: Vec<_> = threads.into_iter().map(|it| it.join().unwrap()).collect();
        ids.concat()
    });
    ids.sort_by(|one, other| other.cmp(one));
    assert_eq!(kept(&path), ids);
}

#[test]
fn who_holds_it_for_ever_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let id = Sqlite::open(&path).unwrap().keep(&run()).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(kept(&path), [id]);
    let mut store = Sqlite::open_with(&path, Duration::from_millis(200)).unwrap();
    let message = store.keep(&run()).unwrap_err().to_string();
    assert!(
        message.contains("another program has been writing to it for 0.2 s"),
        "{message}"
    );
}

#[test]
fn a_full_disk_loses_nothing_that_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mounted) = tmpfs(folder.path(), "size=2m") else {
        return;
    };
    let path = folder.path().join("runs.db");
    let mut store = Sqlite::open(&path).unwrap();
    let mut ids = Vec::new();
    let message = loop {
        match store.keep(&run()) {
            Ok(id) => ids.push(id),
            Err(error) => break error.to_string(),
        }
    };
    drop(store);
    ids.reverse();
    let found = kept(&path);
    drop(mounted);
    assert!(message.contains("its disk is full"), "{message}");
    assert!(ids.len() > 10);
    assert_eq!(found, ids);
}

#[test]
fn a_store_that_cannot_be_made_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    // From no room for anything to room for all but the last page.
    for pages in [1, 2, 10, 30, 45] {
        let Some(_mounted) = tmpfs(folder.path(), &format!("size={}k", pages * 4)) else {
            return;
        };
        fs::write(folder.path().join("other"), "x").unwrap();
        let path = folder.path().join("share/sokudo/runs.db");
        let mut store = Sqlite::open(&path).unwrap();
        let message = store.keep(&run()).unwrap_err().to_string();
        assert!(message.contains("No space left on device"), "{message}");
        assert_eq!(names(folder.path()), ["other"], "{pages} pages");
    }
}

#[test]
fn a_store_is_not_made_for_what_is_said_of_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = Sqlite::open(&path).unwrap();
    let answers = [
        store.note(RunId(1), "x"),
        store.tag(RunId(1), &[], &[]),
        store.delete(RunId(1)),
        store.set_baseline(RunId(1)),
        store.unset_baseline(RunId(1)),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(StoreError::NoRun(_))), "{answer:?}");
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink("second", at("first")).unwrap();
    symlink(at("file"), at("second")).unwrap();
    kept_one(&at("first"));
    assert_eq!(names(folder.path()), ["file", "first", "second"]);
    assert_eq!(kept(&at("file")).len(), 1);
}

#[test]
fn who_comes_second_keeps_its_run_in_the_file_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut stores = [(); 3].map(|()| Sqlite::open(&path).unwrap());
    let ids: Vec<RunId> = stores
        .iter_mut()
        .map(|store| store.keep(&run()).unwrap())
        .collect();
    assert_eq!(ids, [RunId(1), RunId(2), RunId(3)]);
    assert_eq!(kept(&path).len(), 3);
}

#[test]
fn what_is_left_of_a_store_that_is_gone_spoils_no_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    for ending in ["runs.db-journal", "runs.db-wal"] {
        let left = folder.path().join(ending);
        fs::write(&left, "pages of another file").unwrap();
        let message = Sqlite::open(&path).unwrap().keep(&run()).unwrap_err();
        assert!(message.to_string().contains(ending), "{message}");
        assert_eq!(names(folder.path()), [ending]);
        fs::remove_file(left).unwrap();
    }
    kept_one(&path);
}

#[test]
fn tables_that_are_not_as_we_make_them_are_damage_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    for change in [
        "PRAGMA user_version = -1",
        "PRAGMA user_version = 0",
        "DROP TABLE rows",
        "UPDATE runs SET started_at = 'noon'",
    ] {
        kept_one(&path);
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(change)
            .unwrap();
        let answer = Sqlite::open(&path).and_then(|mut store| store.entry(RunId(1)));
        let message = answer.unwrap_err().to_string();
        assert!(message.contains("is damaged or not a store"), "{message}");
        assert!(!message.contains('\n'), "{message}");
        fs::remove_file(&path).unwrap();
    }
}

fn kept_one(path: &Path) {
    Sqlite::open(path).unwrap().keep(&run()).unwrap();
}

/// A small file system that is unmounted when it is dropped; `None`, which is told, where
/// that needs root.
#[expect(
    clippy::print_stderr,
    reason = "who runs the tests sees what was skipped"
)]
fn tmpfs<'a>(folder: &'a Path, options: &str) -> Option<Mounted<'a>> {
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "tmpfs"])
        .arg(folder)
        .stderr(Stdio::null())
        .status();
    if mounted.is_ok_and(|status| status.success()) {
        return Some(Mounted(folder));
    }
    eprintln!("SKIPPED: mounting needs root");
    None
}

struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("--lazy").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

/// Not a test of its own: what is killed again and again by the next one.
#[test]
fn keep_until_killed() {
    let Some(path) = std::env::var_os("SOKUDO_TEST_KEEP_IN") else {
        return;
    };
    let report = std::env::var_os("SOKUDO_TEST_REPORT_TO").unwrap();
    loop {
        let id = Sqlite::open(Path::new(&path))
            .unwrap()
            .keep(&run())
            .unwrap();
        use std::io::Write;
        let mut report = fs::OpenOptions::new().append(true).open(&report).unwrap();
        // In one piece, so that no line is cut in two by the kill.
        report.write_all(format!("{id}\n").as_bytes()).unwrap();
    }
}

#[test]
fn what_was_reported_as_kept_is_there_after_death() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let report = folder.path().join("report");
    fs::write(&report, "").unwrap();
    for round in 0..30_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "file::keep_until_killed"])
            .env("SOKUDO_TEST_KEEP_IN", &path)
            .env("SOKUDO_TEST_REPORT_TO", &report)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Killed at another moment of its work in each round.
        let lines = || {
            fs::read(&report)
                .unwrap()
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
        };
        let enough = lines() + 1;
        let deadline = Instant::now() + Duration::from_secs(300);
        while lines() < enough {
            assert!(Instant::now() < deadline, "nothing is kept");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(round * 700));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let reported: Vec<u64> = fs::read_to_string(&report)
        .unwrap()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert!(reported.len() >= 30, "{}", reported.len());
    let found = kept(&path);
    for id in reported {
        assert!(found.contains(&RunId(id)), "run {id} is lost");
    }
    let whole = rusqlite::Connection::open(&path).unwrap();
    let answer: String = whole
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(answer, "ok");
}

/// Stores of earlier versions, as these have made them. Once the tables change: leave the
/// file and this test as they are, add a migration, and make the next file with
/// `SOKUDO_BLESS=1 cargo test -p sokudo-store --test file` after adding its name here.
#[test]
fn stores_of_earlier_versions_are_read_and_go_on() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
    let is_blessed = std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1");
    const VERSIONS: &[&str] = &["version-1.db", "version-2.db", "version-3.db"];
    for version in VERSIONS {
        let kept = fixtures.join(version);
        // One that is there is of the version that made it, and stays.
        if is_blessed && !kept.exists() {
            let mut store = Sqlite::open(&kept).unwrap();
            let id = store.keep(&run()).unwrap();
            store.note(id, "the first").unwrap();
            store.tag(id, &["old".to_owned()], &[]).unwrap();
            store.set_baseline(id).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(version);
        fs::copy(kept, &path).unwrap();
        let older = rusqlite::Connection::open(&path).unwrap();
        older
            .execute_batch(
                "INSERT INTO row_kinds VALUES (1, 'SEQ1M Q8T1', 'read', 'r'); \
                 INSERT INTO rows (run, position, kind, device, trials) VALUES (1, 0, 1, 1, 6); \
                 INSERT INTO tags VALUES (1, 'answer=NOT OK')",
            )
            .unwrap();
        drop(older);
        let bytes = fs::read(&path).unwrap();
        let mut store = Sqlite::open(&path).unwrap();
        let entry = store.entry(RunId(1)).unwrap();
        assert_eq!(
            (entry.note.as_str(), entry.is_baseline),
            ("the first", true)
        );
        assert_eq!(entry.tags, ["old"]);
        assert_eq!(entry.run.answer, Some(RunAnswer::NotOk));
        let tagged = |tag: &str| Filter {
            tags: vec![tag.to_owned()],
            ..Filter::default()
        };
        for (tag, found) in [("old", 1), ("answer=NOT OK", 0)] {
            assert_eq!(store.list(&tagged(tag), ALL).unwrap().len(), found, "{tag}");
        }
        assert_eq!(store.document(RunId(1)).unwrap(), run().document);
        let history = store.history("a", "SEQ1M Q8T1").unwrap();
        assert_eq!((history.len(), history[0].row.trials), (1, 6));
        assert_eq!(history[0].row, entry.run.rows[0]);
        // Who only looks at an older store leaves it as it is.
        let summary = [(RunId(1), vec![9])];
        store.keep_summaries(&summary).unwrap();
        assert_eq!(store.summaries(&[RunId(1)]).unwrap(), [None]);
        drop(store);
        assert_eq!(fs::read(&path).unwrap(), bytes, "looking writes nothing");
        let mut store = Sqlite::open(&path).unwrap();
        assert_eq!(store.keep(&run()).unwrap(), RunId(2));
        assert_eq!(store.entry(RunId(1)).unwrap(), entry);
        store.keep_summaries(&summary).unwrap();
        let summaries = store.summaries(&[RunId(1), RunId(2)]).unwrap();
        assert_eq!(summaries, [Some(vec![9]), Some(run().summary)]);
    }
}
