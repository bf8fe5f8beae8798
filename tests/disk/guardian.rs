//! Processes that measure together are killed, all at once: what they have made is gone soon
//! after, and nothing else is. It has no harness, for the processes are this program, too.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and says what it sees"
)]

#[path = "../support/fuse.rs"]
mod fuse;
#[path = "guardian/named_files.rs"]
mod named_files;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use named_files::NamedFiles;
use rustix::process::{Signal, getpid, kill_process};
use sokudo_engine::{JobDataFile, JobFileRequest, OwnDirectory, TestFile};
use sokudo_measure::{guard, guarded_by, have_files_guarded};
use sokudo_model::{Bytes, Users};

/// Makes this program one that measures.
const RANK: &str = "--rank";

/// The same, with nothing but a test file.
const TEST_FILE_RANK: &str = "--test-file-rank";

/// The same, which makes test files and removes them all the time.
const MAKING_RANK: &str = "--making-rank";

/// How often a kill is to meet the making of a file by chance.
const CHANCES: u32 = 40;

/// From the kill until nothing is left, on a busy machine.
const GONE_MAX: Duration = Duration::from_secs(300);

fn main() {
    if let Some(processes) = guarded_by(std::env::args_os()) {
        std::process::exit(i32::from(!guard(&processes)));
    }
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, directory] = &arguments[..] {
        let directory = Path::new(directory);
        match word.as_str() {
            RANK => return measure(|| make_files(directory)),
            TEST_FILE_RANK => return measure(|| TestFile::create(directory, Bytes(4096)).unwrap()),
            MAKING_RANK => return measure(|| make_and_remove(directory)),
            _ => {}
        }
    }
    // `cargo test -- --list` and the like ask for nothing that is here.
    if arguments.iter().any(|word| word == "--list") {
        return;
    }
    for (name, test) in TESTS {
        test();
        println!("test {name} ... ok");
    }
}

const TESTS: [(&str, fn()); 5] = [
    (
        "a test file that had to have a name is removed",
        killed_where_files_have_names,
    ),
    ("what killed processes have made is removed", killed),
    (
        "what was just being made when they were killed is removed",
        killed_while_files_are_made,
    ),
    ("what ends in order leaves nothing to remove", in_order),
    (
        "what has taken a name, and what its user has filled, stays",
        foreign,
    ),
];

/// Makes something, and keeps it until its standard input ends.
fn measure<T>(make: impl FnOnce() -> T) {
    let mut lines = std::io::stdin().lines().map_while(Result::ok);
    let processes = lines.next().unwrap();
    let processes: Vec<u32> = processes.split(' ').map(|it| it.parse().unwrap()).collect();
    have_files_guarded(&processes).unwrap();
    let made = make();
    println!("ready");
    for _ in lines {}
    drop(made);
}

/// A job's file and a directory of files, each of which has a name anywhere.
fn make_files(directory: &Path) -> impl Sized {
    let path = directory.join(format!("job-{}", getpid().as_raw_nonzero()));
    let request = JobFileRequest {
        path: &path,
        jobs: &[],
        size: Bytes(1 << 20),
        overwrite: false,
        look: |_| Users::default(),
        is_written: true,
        is_removed: true,
    };
    let file = JobDataFile::open_or_create(request).unwrap();
    let tree = OwnDirectory::create(directory, &[]).unwrap();
    // What has vanished in order is not looked for.
    drop(OwnDirectory::create(directory, &[]).unwrap());
    (RemovedLast(path), file, tree)
}

fn make_and_remove(directory: &Path) {
    let directory = directory.to_owned();
    thread::spawn(move || {
        loop {
            drop(TestFile::create_for_readers(&directory, Bytes(4096)).unwrap());
        }
    });
}

/// As the engine does at the end of a run.
struct RemovedLast(PathBuf);

impl Drop for RemovedLast {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

struct Ranks(Vec<Child>);

impl Ranks {
    /// Two of one host, which have made their files.
    fn start(word: &str, directory: &Path) -> Self {
        let start = |_| {
            Command::new(std::env::current_exe().unwrap())
                .args([word, directory.to_str().unwrap()])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let mut ranks = Self((0..2).map(start).collect());
        let processes: Vec<String> = ranks.0.iter().map(|it| it.id().to_string()).collect();
        for rank in &mut ranks.0 {
            let stdin = rank.stdin.as_mut().unwrap();
            writeln!(stdin, "{}", processes.join(" ")).unwrap();
        }
        for rank in &mut ranks.0 {
            let mut line = String::new();
            BufReader::new(rank.stdout.as_mut().unwrap())
                .read_line(&mut line)
                .unwrap();
            assert_eq!(line, "ready\n");
        }
        ranks
    }

    fn kill(&mut self) {
        for rank in &mut self.0 {
            rank.kill().unwrap();
        }
        for rank in &mut self.0 {
            rank.wait().unwrap();
        }
    }

    /// The guardian, a child of the first.
    fn guardian(&self) -> rustix::process::Pid {
        let first = self.0[0].id();
        let children = fs::read_to_string(format!("/proc/{first}/task/{first}/children"));
        let children = children.unwrap();
        let child = children.split_whitespace().next().unwrap();
        rustix::process::Pid::from_raw(child.parse().unwrap()).unwrap()
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) -> Duration {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < GONE_MAX, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
    begin.elapsed()
}

/// Also one that its launcher has sent all its signals, and that holds nothing of its.
fn killed() {
    let directory = tempfile::tempdir().unwrap();
    let mut ranks = Ranks::start(RANK, directory.path());
    assert_eq!(
        names(directory.path()).len(),
        4,
        "{:?}",
        names(directory.path())
    );
    let guardian = ranks.guardian();
    for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
        kill_process(guardian, signal).unwrap();
    }
    let number = guardian.as_raw_nonzero();
    let files = fs::read_dir(format!("/proc/{number}/fd")).unwrap();
    for file in files.flatten() {
        let leads_to = fs::read_link(file.path()).unwrap_or_default();
        assert!(!leads_to.starts_with(directory.path()), "{leads_to:?}");
    }
    let begin = Instant::now();
    ranks.kill();
    wait_until(|| names(directory.path()).is_empty(), "files are left");
    println!("    removed {:?} after the kill", begin.elapsed());
    let is_over = || !Path::new(&format!("/proc/{number}")).exists();
    wait_until(is_over, "the guardian stays");
}

fn killed_while_files_are_made() {
    let directory = tempfile::tempdir().unwrap();
    if !can_be_named_last(directory.path()) {
        return skip("files cannot get their names last here");
    }
    for chance in 0..CHANCES {
        let mut ranks = Ranks::start(MAKING_RANK, directory.path());
        thread::sleep(Duration::from_micros(137) * chance);
        ranks.kill();
        wait_until(|| names(directory.path()).is_empty(), "a file is left");
    }
}

/// Says loudly that something did not run.
fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Elsewhere a kill may leave what has just been made.
fn can_be_named_last(directory: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
    let flags = OFlags::TMPFILE | OFlags::RDWR;
    let Ok(unnamed) = openat(CWD, directory, flags, Mode::RUSR) else {
        return false;
    };
    let held = format!("/proc/self/fd/{}", unnamed.as_raw_fd());
    let name = directory.join("named");
    let named = linkat(CWD, held, CWD, &name, AtFlags::SYMLINK_FOLLOW);
    named.is_ok_and(|()| fs::remove_file(&name).is_ok())
}

fn killed_where_files_have_names() {
    let directory = tempfile::tempdir().unwrap();
    let mounted = match NamedFiles::mount(directory.path()) {
        Ok(mounted) => mounted,
        Err(error) => return skip(&error.to_string()),
    };
    let mut ranks = Ranks::start(TEST_FILE_RANK, directory.path());
    assert_eq!(mounted.names().len(), 2, "{:?}", mounted.names());
    let begin = Instant::now();
    ranks.kill();
    wait_until(|| mounted.names().is_empty(), "files are left");
    println!("    removed {:?} after the kill", begin.elapsed());
}

fn in_order() {
    let directory = tempfile::tempdir().unwrap();
    let mut ranks = Ranks::start(RANK, directory.path());
    let number = ranks.guardian().as_raw_nonzero();
    for rank in &mut ranks.0 {
        drop(rank.stdin.take());
        assert!(rank.wait().unwrap().success());
    }
    assert!(names(directory.path()).is_empty());
    let is_over = || !Path::new(&format!("/proc/{number}")).exists();
    wait_until(is_over, "the guardian stays");
}

fn foreign() {
    let directory = tempfile::tempdir().unwrap();
    let mut ranks = Ranks::start(RANK, directory.path());
    let guardian = ranks.guardian();
    let job = |rank: usize| directory.path().join(format!("job-{}", ranks.0[rank].id()));
    let (first, second) = (job(0), job(1));
    // Another file has the name of the first, and the second has grown by somebody's data.
    fs::rename(&first, directory.path().join("away")).unwrap();
    fs::write(&first, "mine").unwrap();
    let has_marks = rustix::fs::getxattr(&second, "user.sokudo", &mut [0; 512]).is_ok();
    File::options()
        .append(true)
        .open(&second)
        .unwrap()
        .set_len(9 << 20)
        .unwrap();
    ranks.kill();
    let number = guardian.as_raw_nonzero();
    let is_over = || !Path::new(&format!("/proc/{number}")).exists();
    wait_until(is_over, "the guardian stays");
    assert_eq!(fs::read_to_string(&first).unwrap(), "mine");
    if has_marks {
        assert!(second.exists());
    } else {
        skip("no attributes here");
    }
}
