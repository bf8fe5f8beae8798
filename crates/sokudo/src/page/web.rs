//! The process that speaks to browsers: as whom it runs, and the pipe to it.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};

use rustix::fs::{Access, access};
use sokudo_page::{ARGUMENT, Hello, Told, write_frame};
use sokudo_words::text;

use crate::exit::Exit;
use crate::invoker;

/// This program, wherever it was started from.
pub(crate) const PROGRAM: &str = "/proc/self/exe";

/// The argument that makes this program say whether a path may be read. Not for users.
const MAY_READ: &str = "--may-read";

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

    /// Whether that user may read a path.
    pub(crate) fn may_read(&self, path: &str) -> bool {
        if !self.is_dropped() {
            return true;
        }
        let mut asked = Command::new(PROGRAM);
        asked
            .args([MAY_READ, path])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.become_in(&mut asked);
        asked.status().is_ok_and(|status| status.success())
    }
}

/// Speaks to browsers for the process at the other end of the standard input. What is measured
/// goes before it wherever both want a processor.
pub(crate) fn serve() -> ExitCode {
    const NICE_MOST: i32 = 19;
    let _ = rustix::process::nice(NICE_MOST);
    // Whoever starts it by hand has no pipe there.
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(pipe) => sokudo_page::serve(UnixStream::from(pipe)),
        Err(_) => ExitCode::FAILURE,
    }
}

/// The path, if these arguments ask whether it may be read.
pub(crate) fn path_to_read(arguments: &[OsString]) -> Option<&Path> {
    let is_asked = arguments.get(1)? == MAY_READ;
    arguments.get(2).filter(|_| is_asked).map(Path::new)
}

/// Whether this process may read it, or make files in it where it is a directory.
pub(crate) fn may_read(path: &Path) -> bool {
    match path.is_dir() {
        // A test file is made there: where the user may make none, the page makes none as root.
        true => access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_ok(),
        false => File::open(path).is_ok(),
    }
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
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .current_dir("/")
            // The terminal's Ctrl-C is ours to answer.
            .process_group(0);
        user.become_in(&mut command);
        let process = command.spawn().map_err(|error: io::Error| {
            Exit::failed(text!(
                "the process that serves the page cannot be started: {error}; raise the limit of processes (ulimit -u)"
            ))
        })?;
        let web = Self {
            pipe: Arc::new(Mutex::new(ours)),
            process,
        };
        web.tell(&Told::Hello(hello), &[])?;
        Ok(web)
    }

    /// Its number.
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

    pub(crate) fn tell(&self, told: &Told, bytes: &[u8]) -> Result<(), Exit> {
        let mut pipe = self.pipe.lock().expect("no writer panics");
        write_frame(&mut *pipe, told, bytes).map_err(Exit::failed)
    }
}
