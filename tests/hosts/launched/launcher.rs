//! The launchers, and what they have started.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use crate::written::executable;

/// No job of these tests takes longer, on whatever machine.
const JOB_MAX: Duration = Duration::from_secs(600);

/// A launcher has nobody left, or has started nobody yet, for no longer.
const ALONE_MAX: Duration = Duration::from_secs(30);

/// A launcher that is asked to end has this long for it.
const GOODBYE_MAX: Duration = Duration::from_secs(3);

/// No job of these tests has more.
const RANKS_MAX: usize = 8;

const NOBODY: &str = "65534";

/// A launcher as Debian has it.
pub(crate) struct Launcher {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) library: &'static str,
    /// What it prints of a process that was killed.
    pub(crate) says_killed: &'static str,
}

pub(crate) const OPEN_MPI: Launcher = Launcher {
    name: "Open MPI",
    program: "mpirun.openmpi",
    arguments: &["--allow-run-as-root", "--oversubscribe"],
    library: "libmpi.so.40",
    says_killed: "exited on signal 9 (Killed)",
};

pub(crate) const MPICH: Launcher = Launcher {
    name: "MPICH",
    program: "mpirun.mpich",
    arguments: &[],
    library: "libmpich.so.12",
    says_killed: "Killed (signal 9)",
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    Own,
    Nobody,
}

pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether this program is there.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    folders.any(|folder| folder.join(program).is_file())
}

/// Whether what it has started still runs. Who has ended and was not asked for its end does not.
fn has_children(pid: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let mut tasks = tasks.into_iter().flatten().flatten();
    tasks.any(|task| {
        let children = fs::read_to_string(task.path().join("children"));
        // Not every kernel tells.
        children.map_or(true, |it| it.split_whitespace().any(runs))
    })
}

/// Whether a process is there that has not ended: its state stands behind its name (proc(5)).
fn runs(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|rest| !rest.starts_with(['Z', 'X']))
}

/// A copy of this program that everybody may start, in a folder in which they may write.
pub(crate) fn copy() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let copy = folder.path().join("peer");
    executable(&copy, File::open("/proc/self/exe").unwrap());
    (folder, copy)
}

impl Launcher {
    pub(crate) fn is_installed(&self) -> bool {
        has(self.program)
    }

    /// The words that start so many peers, which play this part.
    pub(crate) fn command_line(&self, more: &[&str], program: &Path, part: &str) -> Vec<String> {
        let words = [self.program]
            .into_iter()
            .chain(self.arguments.iter().copied());
        let words = words.chain(more.iter().copied());
        let words = words.chain([program.to_str().unwrap(), super::PEER, part]);
        words.map(str::to_owned).collect()
    }

    /// `None`, said loudly, where nobody can be.
    pub(crate) fn start(
        &self,
        count: u32,
        variables: &[(&str, &str)],
        user: User,
        part: &str,
    ) -> Option<Job> {
        let (folder, program) = copy();
        let count = count.to_string();
        let mut words = self.command_line(&["-n", &count], &program, part);
        if user == User::Nobody {
            if !is_root() || !has("setpriv") {
                skip("only root, with setpriv, can become nobody");
                return None;
            }
            let nobody = [
                "setpriv",
                "--reuid",
                NOBODY,
                "--regid",
                NOBODY,
                "--clear-groups",
            ];
            words.splice(0..0, nobody.map(str::to_owned));
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("HOME", folder.path());
        command.env("TMPDIR", folder.path());
        command
            .env_remove("SOKUDO_MPI")
            .envs(variables.iter().copied());
        Some(Job::start(command, folder))
    }
}

/// What a launcher has started, and what it has printed so far.
pub(crate) struct Job {
    child: Child,
    printed: Arc<Mutex<String>>,
    readers: Vec<thread::JoinHandle<()>>,
    folder: Option<TempDir>,
}

pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) text: String,
    folder: TempDir,
}

impl Ended {
    /// Lines that start so.
    pub(crate) fn count(&self, start: &str) -> usize {
        let lines = self.text.lines();
        lines.filter(|line| line.starts_with(start)).count()
    }

    /// Why those have not joined who came so far as to say it.
    pub(crate) fn not_joined(&self) -> String {
        let files = (0..).map(|rank| self.folder.path().join(format!("said-{rank}")));
        let said = files
            .take(RANKS_MAX)
            .filter_map(|file| fs::read_to_string(file).ok());
        said.collect::<Vec<_>>().join("\n")
    }
}

impl Job {
    pub(crate) fn start(mut command: Command, folder: TempDir) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = Arc::new(Mutex::new(String::new()));
        let pipes: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        let readers = pipes.map(|pipe| {
            let printed = Arc::clone(&printed);
            thread::spawn(move || {
                for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                    let line = String::from_utf8_lossy(&line).into_owned();
                    printed.lock().unwrap().push_str(&(line + "\n"));
                }
            })
        });
        Self {
            child,
            printed,
            readers: readers.into(),
            folder: Some(folder),
        }
    }

    fn text(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    /// How long that took.
    pub(crate) fn wait_until(&mut self, is_so: impl Fn(&str) -> bool, limit: Duration) -> Duration {
        let begin = Instant::now();
        while !is_so(&self.text()) {
            assert!(begin.elapsed() < limit, "{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
        begin.elapsed()
    }

    /// Until so many lines start so.
    pub(crate) fn wait_for(&mut self, start: &str, count: usize) {
        let is_so =
            |text: &str| text.lines().filter(|line| line.starts_with(start)).count() >= count;
        self.wait_until(is_so, JOB_MAX);
    }

    /// As it has said itself.
    pub(crate) fn pid_of(&self, rank: u32) -> Pid {
        let text = self.text();
        let start = format!("joined {rank} of ");
        let line = text.lines().find(|line| line.starts_with(&start)).unwrap();
        let (_, pid) = line.rsplit_once(' ').unwrap();
        Pid::from_raw(pid.parse().unwrap()).unwrap()
    }

    pub(crate) fn end(mut self) -> Ended {
        let begin = Instant::now();
        let mut busy_at = begin;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            if has_children(self.child.id()) {
                busy_at = Instant::now();
            }
            // Open MPI's may wait for itself for ever once all have gone without a farewell.
            if busy_at.elapsed() > ALONE_MAX {
                self.child.kill().unwrap();
            }
            if begin.elapsed() > JOB_MAX {
                let _ = self.child.kill();
                panic!("it does not end: {}", self.text());
            }
            thread::sleep(Duration::from_millis(10));
        };
        for reader in self.readers.drain(..) {
            reader.join().unwrap();
        }
        Ended {
            code,
            text: self.text(),
            folder: self.folder.take().unwrap(),
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        // It takes what it has started along, if it still reaches it.
        let pid = Pid::from_child(&self.child);
        for signal in [Signal::TERM, Signal::KILL] {
            let begin = Instant::now();
            let _ = rustix::process::kill_process(pid, signal);
            while begin.elapsed() < GOODBYE_MAX {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
