//! One invocation of sokudo: what it finds around itself, and where its words go. That is the
//! process's own for the program, and kept in memory for whoever calls `sokudo::run`, a test most
//! of all. Nothing but this file and `output.rs` names the streams and variables of the process.
//!
//! It does not stand for signals, limits, users and the working directory: these are the process's
//! alone, and what needs them starts one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, Cursor, IsTerminal, Read, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use sokudo_measure::since_epoch;
use sokudo_model::Nanos;
use sokudo_words::Language;
use terminal_size::{Height, Width, terminal_size_of};

/// What an invocation finds around itself.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The environment variables; `None` for those of the process.
    pub variables: Option<BTreeMap<OsString, OsString>>,
    /// Columns and lines where the standard output of kept streams is a terminal.
    pub terminal: Option<(usize, usize)>,
    /// The time of day, since 1970; `None` for the system's clock.
    pub now: Option<Nanos>,
}

/// Standard input, output and error.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// `None` for those of the process.
    kept: Option<Arc<KeptStreams>>,
}

#[derive(Debug, Default)]
struct KeptStreams {
    input: Mutex<Cursor<Vec<u8>>>,
    output: Mutex<Vec<u8>>,
    error: Mutex<Vec<u8>>,
}

impl Streams {
    /// Those of the process.
    #[must_use]
    pub fn of_process() -> Self {
        Self::default()
    }

    /// Streams in memory: this is read, and what is written is kept.
    #[must_use]
    pub fn kept(input: impl Into<Vec<u8>>) -> Self {
        let kept = KeptStreams {
            input: Mutex::new(Cursor::new(input.into())),
            ..KeptStreams::default()
        };
        Self {
            kept: Some(Arc::new(kept)),
        }
    }

    /// What kept streams hold of standard output so far.
    #[must_use]
    pub fn output(&self) -> Vec<u8> {
        let kept = self.kept.as_ref();
        kept.map_or_else(Vec::new, |kept| locked(&kept.output).clone())
    }

    /// What kept streams hold of standard error so far.
    #[must_use]
    pub fn error(&self) -> Vec<u8> {
        let kept = self.kept.as_ref();
        kept.map_or_else(Vec::new, |kept| locked(&kept.error).clone())
    }
}

/// A panic of one that writes harms no bytes.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An invocation while it lasts.
#[derive(Debug, Default)]
pub struct Invocation {
    environment: Environment,
    streams: Streams,
    /// The words that were given, the program's name first.
    arguments: Mutex<Vec<OsString>>,
    pub language: OnceLock<Language>,
    pub events: OnceLock<EventStream>,
    /// Set where several measurements are told as one, by whoever makes them, and where another
    /// process tells what this one takes part in.
    pub is_left_to_another: AtomicBool,
}

/// File or standard output that `--events` writes its lines to.
#[derive(Debug)]
pub struct EventStream {
    /// `None` for the standard output.
    pub file: Option<File>,
    pub since: Instant,
    /// Some of it is missing, which has been told.
    pub is_broken: AtomicBool,
}

thread_local! {
    /// The invocation that this thread works for, where it is not the process's.
    static OWN: RefCell<Option<Arc<Invocation>>> = const { RefCell::new(None) };
}

static OF_PROCESS: LazyLock<Arc<Invocation>> = LazyLock::new(Arc::default);

/// The invocation that this thread works for.
pub fn current() -> Arc<Invocation> {
    OWN.with_borrow(|own| own.as_ref().map_or_else(|| OF_PROCESS.clone(), Arc::clone))
}

impl Invocation {
    /// One with an environment and streams; the process's own where neither is another.
    pub fn new(environment: &Environment, streams: &Streams) -> Arc<Self> {
        if environment.variables.is_none() && streams.kept.is_none() {
            return OF_PROCESS.clone();
        }
        Arc::new(Self {
            environment: environment.clone(),
            streams: streams.clone(),
            ..Self::default()
        })
    }

    /// Has this thread work for it.
    pub fn enter<T>(self: Arc<Self>, work: impl FnOnce() -> T) -> T {
        let is_of_process = Arc::ptr_eq(&self, &OF_PROCESS);
        let before = OWN.replace((!is_of_process).then_some(self));
        let _leave = Leave(before);
        work()
    }

    /// Whether it is the whole process's, so that signals are its affair.
    pub(crate) fn is_of_process(&self) -> bool {
        self.streams.kept.is_none()
    }

    /// From now on these are the words that are carried out.
    pub fn carry_out(&self, words: Vec<OsString>) -> Vec<OsString> {
        locked(&self.arguments).clone_from(&words);
        words
    }

    /// The words that are carried out, the program's name first.
    pub fn arguments(&self) -> Vec<OsString> {
        locked(&self.arguments).clone()
    }
}

/// Gives a thread back to the invocation that it worked for before.
struct Leave(Option<Arc<Invocation>>);

impl Drop for Leave {
    fn drop(&mut self) {
        OWN.set(self.0.take());
    }
}

// ── What it finds ────────────────────────────────────────────────────────────

/// The value of an environment variable.
pub fn variable_os(name: &str) -> Option<OsString> {
    match &current().environment.variables {
        None => std::env::var_os(name),
        Some(variables) => variables.get(OsStr::new(name)).cloned(),
    }
}

/// The value of an environment variable that is UTF-8.
pub fn variable(name: &str) -> Option<String> {
    variable_os(name)?.into_string().ok()
}

/// The time of day, since 1970.
pub fn now() -> Nanos {
    current().environment.now.unwrap_or_else(since_epoch)
}

/// Columns and lines of the terminal that standard output is, if it is one whose size is known.
pub(crate) fn terminal_size() -> Option<(usize, usize)> {
    let here = current();
    match here.is_of_process() {
        true => terminal_size::terminal_size()
            .map(|(width, height)| (usize::from(width.0), usize::from(height.0))),
        false => here.environment.terminal,
    }
}

/// Whether somebody can be asked: standard input and error are terminals.
pub fn is_somebody_there() -> bool {
    is_input_terminal() && is_error_terminal()
}

/// Whether somebody types at standard input.
pub fn is_input_terminal() -> bool {
    current().is_of_process() && io::stdin().is_terminal()
}

/// Whether people read standard output as it is written.
pub fn is_output_terminal() -> bool {
    let here = current();
    match here.is_of_process() {
        true => io::stdout().is_terminal(),
        false => here.environment.terminal.is_some(),
    }
}

/// Whether people read standard error as it is written.
pub fn is_error_terminal() -> bool {
    current().is_of_process() && io::stderr().is_terminal()
}

/// The size of the terminal that standard error is.
pub(crate) fn error_terminal() -> Option<(Width, Height)> {
    let size = || terminal_size_of(io::stderr());
    is_error_terminal().then(size).flatten()
}

// ── Its streams ──────────────────────────────────────────────────────────────

/// Standard input, or the text that a test gives in its place.
pub fn input() -> Box<dyn Read> {
    match &current().streams.kept {
        None => Box::new(io::stdin()),
        Some(kept) => Box::new(KeptInput(kept.clone())),
    }
}

/// A line of standard input, with its end; of what follows nothing is taken.
pub fn read_line() -> io::Result<String> {
    let mut line = String::new();
    match &current().streams.kept {
        None => io::stdin().read_line(&mut line)?,
        Some(kept) => locked(&kept.input).read_line(&mut line)?,
    };
    Ok(line)
}

struct KeptInput(Arc<KeptStreams>);

impl Read for KeptInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        locked(&self.0.input).read(buffer)
    }
}

/// Writes all of it to standard output, at once.
pub fn write_output(bytes: &[u8]) -> io::Result<()> {
    match &current().streams.kept {
        None => {
            let mut output = io::stdout().lock();
            output.write_all(bytes).and_then(|()| output.flush())
        }
        Some(kept) => locked(&kept.output).write_all(bytes),
    }
}

/// Writes all of it to standard error, in one piece: other processes may write there, too.
pub fn write_error(bytes: &[u8]) -> io::Result<()> {
    match &current().streams.kept {
        None => io::stderr().lock().write_all(bytes),
        Some(kept) => locked(&kept.error).write_all(bytes),
    }
}
