//! A process of its own, one a host, that removes the named test files of processes that measure
//! together when all of them have ended and could not: launchers kill whoever is left of a run,
//! some at once.
//!
//! It is told by each of them of what is made and of what has vanished, and waits for their end.
//! It removes only the very file that it was told of, if it is still ours by its mark. It holds
//! nothing of theirs: no file that a launcher watches, and no test file, whose room it would keep.
//! What a launcher ends with its whole control group (Slurm), it ends with, too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use sokudo_engine::{RemovalEntry, RemovalNews, remove_for_dead, tell_removals};
use sokudo_words::{Fault, PlainError, Text, text};

/// The argument that makes this program a guardian. Not for users.
const ARGUMENT: &str = "--guard-files-of";

/// What it answers when it can be told of files.
const READY: &str = "ready";

/// Of its socket, before the number of the first process.
const ADDRESS: &str = "sokudo-guards-files-of-";

/// Processes of one host; a host has a few hundred processors.
const PROCESSES_MAX: usize = 4096;

/// A path takes 4096 bytes, and each two digits.
const LINE_BYTES_MAX: usize = 3 * 4096;

/// Named files of one process.
const ENTRIES_MAX: usize = 100_000;

/// How long the others wait for the first one of their host to have started it.
const READY_MAX: Duration = Duration::from_secs(20);
const READY_PAUSE: Duration = Duration::from_millis(20);

/// A guardian that does not take what it is told for so long is not waited for.
const TELLING_MAX: Duration = Duration::from_secs(2);

/// A file may be in use after its process has ended, as long as a busy disk takes for what is in
/// flight, and a server may be away.
const ATTEMPTS: u32 = 60;
const PAUSE: Duration = Duration::from_secs(1);

/// Whether this program asks at its beginning whether it is a guardian.
static IS_REQUESTED: AtomicBool = AtomicBool::new(false);

/// The processes, if these arguments make the program a guardian. A program that measures
/// together with others asks this before anything else, and then calls [`guard`].
pub fn guarded_by(mut arguments: impl Iterator<Item = OsString>) -> Option<Vec<u32>> {
    IS_REQUESTED.store(true, Ordering::Relaxed);
    let is_guardian = arguments.nth(1)? == ARGUMENT;
    let number = |word: OsString| word.to_str()?.parse().ok();
    is_guardian.then(|| {
        arguments
            .map(number)
            .collect::<Option<_>>()
            .unwrap_or_default()
    })
}

/// Has the named test files of this process removed if it cannot itself: all that are to vanish
/// with it, now and from now on. Every process of this host calls it with the same list, before
/// it prepares anything; the first of the list starts the guardian.
///
/// # Errors
/// If there is no guardian.
pub fn have_files_guarded(processes: &[u32]) -> Result<(), PlainError> {
    assert!(processes.len() <= PROCESSES_MAX, "{}", processes.len());
    let first = *processes.first().expect("this process is in the list");
    if first == std::process::id() {
        start(processes)?;
    }
    let mut stream = connect(first).map_err(not_there)?;
    if socket_peercred(&stream).is_ok_and(|peer| peer.uid != geteuid()) {
        return Err(failed(text!(
            "another user's process has taken the place of the one that removes test files; start sokudo again"
        )));
    }
    let limited = stream.set_write_timeout(Some(TELLING_MAX));
    limited.map_err(not_there)?;
    let mut is_there = true;
    tell_removals(move |news| {
        // One that was killed is no reason to end a measurement.
        // Whole at once, lest a kill leave half of a line.
        let line = format!("{}\n", news.line());
        is_there = is_there && stream.write_all(line.as_bytes()).is_ok();
    });
    Ok(())
}

fn start(processes: &[u32]) -> Result<(), PlainError> {
    if !IS_REQUESTED.load(Ordering::Relaxed) {
        return Err(failed(text!(
            "this program does not ask at its beginning whether it is to guard test files"
        )));
    }
    let mut command = Command::new("/proc/self/exe");
    command
        .arg0("sokudo")
        .arg(ARGUMENT)
        .args(processes.iter().map(u32::to_string))
        // No file system is held, and nothing of the launcher's.
        .current_dir("/")
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    sokudo_sys::inherit_nothing(&mut command);
    let mut child = command.spawn().map_err(not_started)?;
    let mut line = String::new();
    let read = (child.stdout.take())
        .map(|stdout| BufReader::new(stdout).read_line(&mut line))
        .transpose();
    match read.map_err(not_started)? {
        Some(_) if line.trim() == READY => Ok(()),
        _ => Err(not_started(io::Error::other(line.trim().to_owned()))),
    }
}

fn failed(text: Text) -> PlainError {
    PlainError::new(Fault::System, text)
}

fn not_started(error: io::Error) -> PlainError {
    failed(text!(
        "the process that removes test files after a kill cannot be started: {}",
        error
    ))
}

fn not_there(error: io::Error) -> PlainError {
    failed(text!(
        "the process that removes test files after a kill does not answer ({}); start sokudo again",
        error
    ))
}

fn connect(first: u32) -> io::Result<UnixStream> {
    let begin = Instant::now();
    loop {
        match UnixStream::connect_addr(&address(first)?) {
            Err(_) if begin.elapsed() < READY_MAX => thread::sleep(READY_PAUSE),
            other => return other,
        }
    }
}

/// A name without a file, which vanishes with whoever has it.
fn address(first: u32) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("{ADDRESS}{first}"))
}

/// Waits until these processes have ended, and removes what they have left. False if it could
/// not begin, or something is left.
pub fn guard(processes: &[u32]) -> bool {
    let guardian = Guardian::begin(processes);
    let answer = match &guardian {
        Ok(_) => READY.to_owned(),
        Err(error) => error.to_string(),
    };
    let _ = writeln!(io::stdout(), "{answer}");
    let _ = io::stdout().flush();
    match guardian {
        Ok(mut guardian) => {
            guardian.outlive();
            guardian.remove()
        }
        Err(_) => false,
    }
}

struct Guardian {
    listener: UnixListener,
    processes: Vec<u32>,
    /// Of those that live.
    living: Vec<OwnedFd>,
    reporters: Vec<Reporter>,
}

/// One process that tells of its files.
struct Reporter {
    stream: UnixStream,
    /// The beginning of a line.
    unread: Vec<u8>,
    entries: BTreeMap<u64, RemovalEntry>,
    is_over: bool,
}

impl Guardian {
    fn begin(processes: &[u32]) -> io::Result<Self> {
        // Whoever ends the run, its terminal or its launcher, does not reach us.
        let _ = rustix::process::setsid();
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        let first = *processes.first().ok_or(ErrorKind::InvalidInput)?;
        let listener = UnixListener::bind_addr(&address(first)?)?;
        listener.set_nonblocking(true)?;
        let alive = |number: &u32| {
            let pid = Pid::from_raw(i32::try_from(*number).ok()?)?;
            // One that is not there has ended.
            pidfd_open(pid, PidfdFlags::empty()).ok()
        };
        Ok(Self {
            listener,
            processes: processes.to_vec(),
            living: processes.iter().filter_map(alive).collect(),
            reporters: Vec::new(),
        })
    }

    /// Until all have ended, and have told what they had to tell.
    fn outlive(&mut self) {
        while !self.living.is_empty() {
            let ready = self.wait();
            self.hear();
            let mut ready = ready.into_iter();
            self.living.retain(|_| !ready.next().unwrap_or(false));
        }
        // What they said last is still there.
        self.hear();
    }

    /// Which of the living have ended.
    fn wait(&self) -> Vec<bool> {
        let readable = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        let streams = self.reporters.iter().filter(|it| !it.is_over);
        let mut watched: Vec<PollFd<'_>> = (self.living.iter())
            .map(|fd| readable(fd.as_fd()))
            .chain([readable(self.listener.as_fd())])
            .chain(streams.map(|it| readable(it.stream.as_fd())))
            .collect();
        // A signal that is held back ends it early.
        if poll(&mut watched, None).is_err() {
            return Vec::new();
        }
        let living = watched.iter().take(self.living.len());
        living.map(|fd| !fd.revents().is_empty()).collect()
    }

    /// Takes whatever is there to be read.
    fn hear(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            let is_one_of_them = socket_peercred(&stream).is_ok_and(|peer| {
                let pid = u32::try_from(peer.pid.as_raw_nonzero().get()).unwrap_or_default();
                peer.uid == geteuid() && self.processes.contains(&pid)
            });
            if is_one_of_them && stream.set_nonblocking(true).is_ok() {
                self.reporters.push(Reporter {
                    stream,
                    unread: Vec::new(),
                    entries: BTreeMap::new(),
                    is_over: false,
                });
            }
        }
        self.reporters.iter_mut().for_each(Reporter::hear);
    }

    /// Whether nothing of ours is left.
    fn remove(&self) -> bool {
        let entries = self.reporters.iter().flat_map(|it| it.entries.values());
        let mut left: Vec<&RemovalEntry> = entries.collect();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                thread::sleep(PAUSE);
            }
            // What is ours no longer will not be so again.
            let may_go = |error: io::Error| error.kind() != ErrorKind::InvalidData;
            left.retain(|entry| remove_for_dead(entry).is_err_and(may_go));
            if left.is_empty() {
                return true;
            }
        }
        false
    }
}

impl Reporter {
    fn hear(&mut self) {
        let mut bytes = [0; 4096];
        while !self.is_over {
            match self.stream.read(&mut bytes) {
                Ok(0) => self.is_over = true,
                Ok(count) => self.read(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.is_over = true,
            }
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        self.unread.extend(bytes);
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            let news = str::from_utf8(&line[..end])
                .ok()
                .and_then(RemovalNews::parse);
            match news {
                Some(RemovalNews::Made(entry)) if self.entries.len() < ENTRIES_MAX => {
                    self.entries.insert(entry.number, entry);
                }
                Some(RemovalNews::Over(number)) => drop(self.entries.remove(&number)),
                _ => {}
            }
        }
        if self.unread.len() > LINE_BYTES_MAX {
            self.is_over = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_argument_makes_a_guardian() {
        let of = |words: &[&str]| guarded_by(words.iter().map(OsString::from));
        assert_eq!(of(&["sokudo"]), None);
        assert_eq!(of(&["sokudo", "mark", ARGUMENT]), None);
        assert_eq!(of(&["sokudo", ARGUMENT, "12", "13"]), Some(vec![12, 13]));
        assert_eq!(of(&["sokudo", ARGUMENT, "x"]), Some(Vec::new()));
    }

    #[test]
    fn lines_come_in_pieces_and_what_is_over_is_forgotten() {
        let (stream, _other) = UnixStream::pair().unwrap();
        let mut reporter = Reporter {
            stream,
            unread: Vec::new(),
            entries: BTreeMap::new(),
            is_over: false,
        };
        reporter.read(b"made 1 2 3 false 2f");
        reporter.read(b"61\nmade 2 2 4 true 2f62\nnonsense\nov");
        assert_eq!(reporter.entries.len(), 2);
        reporter.read(b"er 1\n");
        let left: Vec<_> = reporter
            .entries
            .values()
            .map(|it| it.path.clone())
            .collect();
        assert_eq!(left, [std::path::PathBuf::from("/b")]);
        reporter.read(&[b'x'; LINE_BYTES_MAX + 1]);
        assert!(reporter.is_over);
    }
}
