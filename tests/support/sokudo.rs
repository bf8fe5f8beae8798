//! Starts sokudo and holds it to what is true of every start: it ends in time,
//! does not panic, and tells an error in one line.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT};
use sokudo::{Environment, Streams};

pub(crate) use crate::program::path;

/// Nothing that the tests start takes this long, even on a very busy machine: what lasts
/// longer hangs.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(300);

/// Makes a run short.
pub(crate) const SHORT: &str = "--size 16MiB --time 50ms --runs 1";

/// What a start of sokudo has left.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Empty where the child was waited for by itself.
    #[expect(dead_code, reason = "a test that fails shows it")]
    pub(crate) command: String,
    pub(crate) status: ExitStatus,
    pub(crate) printed: String,
    pub(crate) told: String,
}

impl Ended {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// It ended with this code.
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code(), Some(code), "{self:?}");
        self
    }

    /// It succeeded.
    pub(crate) fn ok(self) -> Self {
        self.ends(0)
    }

    /// The results hold these words.
    pub(crate) fn prints(self, words: &[&str]) -> Self {
        assert_eq!(missing(&self.printed, words), NOTHING, "{self:?}");
        self
    }

    /// The messages hold these words.
    pub(crate) fn tells(self, words: &[&str]) -> Self {
        assert_eq!(missing(&self.told, words), NOTHING, "{self:?}");
        self
    }

    /// The result as JSON, after a success.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code(), Some(0), "{self:?}");
        serde_json::from_str(&self.printed).unwrap()
    }

    /// The one line that an error is told in, with its words checked.
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code(), Some(code), "{self:?}");
        assert_eq!(self.printed, "", "an error prints no result: {self:?}");
        assert_eq!(self.told.lines().count(), 1, "{self:?}");
        assert!(self.told.starts_with("sokudo: "), "{self:?}");
        assert_eq!(missing(&self.told, words), NOTHING, "{self:?}");
    }
}

const NOTHING: [&str; 0] = [];

/// Which of the words a text does not hold.
fn missing<'a>(text: &str, words: &[&'a str]) -> Vec<&'a str> {
    let words = words.iter().copied();
    words.filter(|word| !text.contains(word)).collect()
}

/// The text holds these words.
pub(crate) fn holds(text: impl AsRef<str>, words: &[&str]) {
    let text = text.as_ref();
    assert_eq!(missing(text, words), NOTHING, "{text}");
}

/// Arguments as they are written at a shell: one that holds a blank stands between `'`.
pub(crate) fn split(line: &str) -> Vec<String> {
    let (mut words, mut is_quoted, mut is_between) = (Vec::<String>::new(), false, true);
    for sign in line.chars() {
        if sign == ' ' && !is_quoted {
            is_between = true;
            continue;
        }
        if std::mem::take(&mut is_between) {
            words.push(String::new());
        }
        match sign {
            '\'' => is_quoted = !is_quoted,
            sign => words.last_mut().unwrap().push(sign),
        }
    }
    words
}

/// `sokudo ARGUMENTS`, to its end.
pub(crate) fn sokudo(arguments: &str) -> Ended {
    end(program().args(split(arguments)))
}

/// `sokudo COMMAND TARGET ARGUMENTS`, to its end.
pub(crate) fn sokudo_on(command: &str, target: impl AsRef<Path>, arguments: &str) -> Ended {
    let mut program = program();
    program.args(split(command)).arg(target.as_ref());
    end(program.args(split(arguments)))
}

/// `sokudo ARGUMENTS` in a directory.
pub(crate) fn sokudo_in(directory: &Path, arguments: &str) -> Ended {
    end(program().args(split(arguments)).current_dir(directory))
}

/// `sokudo fio ARGUMENTS` in a directory.
pub(crate) fn fio(directory: &Path, arguments: &str) -> Ended {
    sokudo_in(directory, &format!("fio {arguments}"))
}

/// Gives programs that are started the signals back that this test may have been told to
/// ignore, as a shell does to all that runs in the background of a script: sokudo keeps to
/// that. What is handled here is handled by default there.
fn ignore_no_signal() {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap().trim(), 16).unwrap();
    for signal in [SIGHUP, SIGINT, SIGQUIT] {
        if ignored >> (signal - 1) & 1 == 1 {
            signal_hook::flag::register(signal, Arc::default()).unwrap();
        }
    }
}

/// sokudo itself, yet to be given arguments.
pub(crate) fn program() -> Command {
    static ONCE: Once = Once::new();
    ONCE.call_once(ignore_no_signal);
    let mut command = Command::new(path());
    // Tests of the store name their own, and those of languages theirs.
    command.env("SOKUDO_STORE", "none").env("SOKUDO_LANG", "en");
    command
}

/// A directory of our own where direct I/O most likely works: beside what was built, unless
/// only its owner may write there. The usual one may lie in memory.
pub(crate) fn directory_on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .or_else(|_| tempfile::tempdir_in("/var/tmp"))
        .unwrap()
}

/// A directory of our own in memory, where there is enough. A store in it takes what it is given at
/// once, however busy the disks are: one that does not is told of.
pub(crate) fn directory_in_memory() -> tempfile::TempDir {
    const FREE_BYTES: u64 = 256 << 20;
    let memory = "/dev/shm";
    let has_room =
        rustix::fs::statvfs(memory).is_ok_and(|it| it.f_bavail * it.f_frsize > FREE_BYTES);
    let made = has_room
        .then(|| tempfile::tempdir_in(memory).ok())
        .flatten();
    made.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

/// A shell that runs `script` with sokudo as `$SOKUDO`.
pub(crate) fn shell(script: &str) -> Command {
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .env("SOKUDO", path())
        .env("SOKUDO_STORE", "none")
        .env("SOKUDO_LANG", "en");
    command
}

/// `sokudo mark TARGET ARGUMENTS`, short where the arguments do not say how long.
pub(crate) fn mark(target: impl AsRef<Path>, arguments: &str) -> Ended {
    let mut arguments = arguments.to_owned();
    for option in split(SHORT).chunks(2) {
        if !arguments.contains(&option[0]) {
            arguments += &format!(" {} {}", option[0], option[1]);
        }
    }
    sokudo_on("mark", target, &arguments)
}

/// The results of `sokudo mark TARGET ARGUMENTS`, short.
pub(crate) fn measured(target: impl AsRef<Path>, arguments: &str) -> Value {
    mark(target, &format!("{arguments} --format json --quiet")).json()
}

/// The results of a run, one per row and direction.
pub(crate) fn results(run: &Value) -> &[Value] {
    run["figures"].as_array().unwrap()
}

/// The codes of the findings of `value`.
pub(crate) fn codes(value: &Value) -> Vec<&str> {
    let findings = value["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

/// Runs a command to its end: sokudo in this process, where the command says no more than words
/// and variables.
pub(crate) fn end(command: &mut Command) -> Ended {
    let is_sokudo = command.get_program() == path();
    // It mounts in a namespace of its own, which a process with several threads cannot have.
    let mounts = command
        .get_args()
        .next()
        .is_some_and(|word| word == "matrix");
    let ended = match is_sokudo && !mounts && command.get_current_dir().is_none() {
        true => run_here(command),
        false => wait(start(command)),
    };
    Ended {
        command: format!("{command:?}"),
        ..ended
    }
}

/// `sokudo ARGUMENTS`, to its end in a process of its own.
pub(crate) fn sokudo_apart(arguments: &str) -> Ended {
    end_apart(program().args(split(arguments)))
}

/// Runs a command to its end in a process of its own, as signals, limits, users and mounts need.
pub(crate) fn end_apart(command: &mut Command) -> Ended {
    Ended {
        command: format!("{command:?}"),
        ..wait(start(command))
    }
}

/// Whether this process is the test's own. If not, one is started that is, and must succeed.
pub(crate) fn apart(test: &str) -> bool {
    const APART: &str = "SOKUDO_TEST_APART";
    if std::env::var_os(APART).is_some_and(|name| name == test) {
        return true;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    let again = again.args(["--exact", test, "--nocapture"]);
    end_apart(again.env(APART, test)).ok().prints(&["1 passed"]);
    false
}

/// What the command says, done by sokudo's library in a thread with the stack that the program has.
fn run_here(command: &Command) -> Ended {
    const STACK_BYTES: usize = 8 << 20;
    let mut variables: BTreeMap<_, _> = std::env::vars_os().collect();
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => variables.insert(name.to_owned(), value.to_owned()),
            None => variables.remove(name),
        };
    }
    let environment = Environment {
        variables: Some(variables),
        ..Environment::default()
    };
    let words = std::iter::once("sokudo".into()).chain(command.get_args().map(OsString::from));
    let words: Vec<_> = words.collect();
    let (done, ended) = mpsc::channel();
    let run = move || {
        let mut streams = Streams::kept("");
        let code = sokudo::run(words, &mut streams, &environment);
        // Who has waited too long does not listen any more.
        let _ = done.send((code, streams));
    };
    let name = thread::current().name().unwrap_or("test").to_owned();
    let thread = thread::Builder::new().name(name).stack_size(STACK_BYTES);
    let thread = thread.spawn(run).unwrap();
    let (code, streams) = match ended.recv_timeout(WAIT_MAX) {
        Ok(ended) => ended,
        Err(RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().unwrap_err())
        }
        Err(RecvTimeoutError::Timeout) => panic!("sokudo hangs: {command:?}"),
    };
    Ended {
        command: String::new(),
        status: ExitStatus::from_raw(i32::from(code) << 8),
        printed: String::from_utf8_lossy(&streams.output()).into_owned(),
        told: String::from_utf8_lossy(&streams.error()).into_owned(),
    }
}

/// Starts a command whose output is kept.
pub(crate) fn start(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end. One that does not come is a failure of its own.
pub(crate) fn wait(mut child: Child) -> Ended {
    let printed = reader(child.stdout.take());
    let told = reader(child.stderr.take());
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > WAIT_MAX {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("sokudo hangs; it has told {:?}", told.join());
        }
        thread::park_timeout(Duration::from_millis(5));
    };
    let ended = Ended {
        command: String::new(),
        status,
        printed: printed.join().unwrap(),
        told: told.join().unwrap(),
    };
    assert!(!ended.told.contains("panicked"), "{ended:?}");
    ended
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).unwrap();
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Whether we are root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether a program is installed.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Says loudly, past the capture of what a test prints, that it did not run.
pub(crate) fn skip(why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {why}");
}
