//! The process that speaks to browsers: as whom it runs, and the pipe to it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rustix::fs::{Access, Mode, OFlags, access};
use rustix::process::DumpableBehavior;
use sokudo_measure::FileUser;
use sokudo_page::{ARGUMENT, Hello, MeasurerMessage, write_frame};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{invocation, invoker};
use sokudo_words::{Text, text};

use super::child::{PROGRAM, each_line};
use super::forms;

/// The argument that makes this program say where a path leads that may be measured. Not for users.
const LEADS_TO: &str = "--leads-to";

/// What the process that speaks HTTP knows of this one's environment: others hold what opens
/// something, such as the password of a store.
const VARIABLES: [&str; 2] = ["HOME", "RUST_BACKTRACE"];

/// A directory on a server that is away is waited for no longer.
const LOOK_TIME_MAX: Duration = Duration::from_secs(5);

/// As long as Linux has paths.
const PATH_BYTES_MAX: u64 = 4_096;

/// Of what goes wrong in the process that speaks HTTP, so many lines are told.
const LINES_MAX: usize = 40;

/// Nobody's number on every Linux.
const NOBODY: u32 = 65_534;

/// As whom runs what is exposed: whoever has called root, or nobody.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WebUser {
    /// User and group; `None` where this process is not root.
    drops_to: Option<(u32, u32)>,
}

impl WebUser {
    pub(crate) fn find() -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self { drops_to: None };
        }
        Self {
            drops_to: Some(invoker::behind_sudo().unwrap_or((NOBODY, NOBODY))),
        }
    }

    /// Whether this process may more than that user.
    pub(crate) const fn is_dropped(&self) -> bool {
        self.drops_to.is_some()
    }

    /// Has a command run as that user; supplementary groups go with root's rights.
    pub(crate) fn become_in(&self, command: &mut Command) {
        if let Some((user, group)) = self.drops_to {
            command.uid(user).gid(group);
        }
    }

    /// As whom files are opened for it.
    pub(crate) fn files_as(&self) -> Option<FileUser> {
        let (user, group) = self.drops_to?;
        Some(FileUser { user, group })
    }

    /// Where a path leads, if that user may measure there: without links, so that none can be
    /// turned elsewhere afterwards. As it is where this process may no more than that user.
    pub(crate) fn leads_to(&self, path: &str) -> Option<String> {
        if !self.is_dropped() {
            return Some(path.to_owned());
        }
        let mut command = Command::new(PROGRAM);
        command
            .args([LEADS_TO, path])
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        self.become_in(&mut command);
        let mut looking = command.spawn().ok()?;
        let out = looking.stdout.take().expect("it is piped");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut path = Vec::new();
            let read = out.take(PATH_BYTES_MAX).read_to_end(&mut path);
            let _ = sender.send(read.map(|_| path));
        });
        let found = receiver.recv_timeout(LOOK_TIME_MAX);
        // One that waits for a server may not be killed; nobody waits for it.
        let _ = looking.kill();
        thread::spawn(move || looking.wait());
        let path = found.ok()?.ok()?;
        String::from_utf8(path).ok().filter(|path| !path.is_empty())
    }
}

/// Speaks to browsers for the process at the other end of the standard input. What is measured
/// goes before it wherever both want a processor.
pub(crate) fn serve() -> ExitCode {
    const NICE_MOST: i32 = 19;
    let _ = rustix::process::nice(NICE_MOST);
    // Away from the terminal, whose Ctrl-C is the other process's to answer, and into which this
    // one could type; and no program that it starts has more rights than it has.
    let _ = rustix::process::setsid();
    let _ = rustix::thread::set_no_new_privs(true);
    // Others of its user would read the keys in its memory.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    // Whoever starts it by hand has no pipe there.
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(pipe) => sokudo_page::serve(UnixStream::from(pipe), forms::list),
        Err(_) => ExitCode::FAILURE,
    }
}

/// The path, if these arguments ask where it leads.
pub(crate) fn path_to_look_at(arguments: &[OsString]) -> Option<&Path> {
    let is_requested = arguments.get(1)? == LEADS_TO;
    arguments.get(2).filter(|_| is_requested).map(Path::new)
}

/// Prints where a path leads, if this process may read it, or make files in it where it is a
/// directory.
pub(crate) fn tell_where(path: &Path) -> ExitCode {
    let found = measurable(path);
    let is_written = found.is_some_and(|path| {
        let bytes = path.into_os_string().into_vec();
        invocation::write_output(&bytes).is_ok()
    });
    ExitCode::from(u8::from(!is_written))
}

/// Where a path leads, if this process may measure there.
fn measurable(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let is_allowed = match path.is_dir() {
        // A test file is made there: where the user may make none, the page makes none as root.
        true => access(&path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_ok(),
        // A pipe would be waited for.
        false => {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            let opened = rustix::fs::open(&path, flags, Mode::empty());
            opened.is_ok_and(|file| fs::File::from(file).metadata().is_ok_and(|it| it.is_file()))
        }
    };
    is_allowed.then_some(path)
}

fn known_variables() -> impl Iterator<Item = (&'static str, OsString)> {
    let known = VARIABLES.into_iter();
    known.filter_map(|name| Some((name, invocation::variable_os(name)?)))
}

/// Tells in the terminal what goes wrong in the process that speaks HTTP, and nothing that the
/// terminal would take for a command.
fn relay(errors: ChildStderr) {
    thread::spawn(move || {
        let mut lines = 0;
        each_line(errors, |line| {
            lines += 1;
            if lines <= LINES_MAX {
                exit::note(Text::name(line.replace(char::is_control, " ")));
            }
        });
    });
}

/// Frames from several threads, one after the other.
pub(crate) type PipeWriter = Arc<Mutex<UnixStream>>;

/// The process and the pipe to it. It ends when the pipe does.
pub(crate) struct Web {
    pipe: PipeWriter,
    process: Child,
}

impl Web {
    pub(crate) fn start(user: &WebUser, hello: Hello) -> Result<Self, Exit> {
        let (ours, theirs) = UnixStream::pair().map_err(Exit::failed)?;
        let mut command = Command::new(PROGRAM);
        command
            .arg(ARGUMENT)
            .env_clear()
            .envs(known_variables())
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .current_dir("/");
        user.become_in(&mut command);
        let mut process = command.spawn().map_err(|error: io::Error| {
            Exit::failed(text!(
                "the process that serves the page cannot be started: {error}; raise the limit of processes (ulimit -u)"
            ))
        })?;
        relay(process.stderr.take().expect("it is piped"));
        let web = Self {
            pipe: Arc::new(Mutex::new(ours)),
            process,
        };
        web.tell(&MeasurerMessage::Hello(hello), &[])?;
        Ok(web)
    }

    /// Process id of the web process.
    pub(crate) fn process(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn reader(&self) -> Result<UnixStream, Exit> {
        let pipe = self.pipe.lock().expect("no writer panics");
        pipe.try_clone().map_err(Exit::failed)
    }

    pub(crate) fn writer(&self) -> PipeWriter {
        Arc::clone(&self.pipe)
    }

    pub(crate) fn tell(&self, message: &MeasurerMessage, bytes: &[u8]) -> Result<(), Exit> {
        let mut pipe = self.pipe.lock().expect("no writer panics");
        write_frame(&mut *pipe, message, bytes).map_err(Exit::failed)
    }
}
