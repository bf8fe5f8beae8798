//! Events where somebody has asked for them with `--events`.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;
use sokudo_measure::since_epoch;
use sokudo_page::RunEvent;
use sokudo_report::rfc3339;
use sokudo_words::text;

use crate::cli::{Destination, Printing};
use crate::exit::{self, Exit};
use crate::{command_line, harmless, output};

/// The form of the lines: docs/EVENTS.md.
const SCHEMA: &str = "sokudo.events/1";

/// The name of the standard output.
const PRINTED: &str = "-";

static STREAM: OnceLock<Stream> = OnceLock::new();

struct Stream {
    /// `None` for the standard output.
    file: Option<File>,
    since: Instant,
    /// Some of it is missing, which has been told.
    is_broken: AtomicBool,
}

/// The first line.
#[derive(Serialize)]
#[serde(tag = "event", rename = "begun")]
struct Begun<'a> {
    schema: &'static str,
    version: &'static str,
    command: &'a str,
    started_at: String,
}

/// What happened, and how many seconds after the first line.
#[derive(Serialize)]
struct Line<'a> {
    elapsed: f64,
    #[serde(flatten)]
    event: &'a RunEvent,
}

/// Begins to tell, where somebody has asked for it.
///
/// # Errors
/// Where nothing can be told, or what is there would be mixed with something else.
pub(crate) fn open(printing: &Printing) -> Result<(), Exit> {
    let Some(path) = printing.events.as_deref() else {
        return Ok(());
    };
    let file = match path == Path::new(PRINTED) {
        true if is_mixed(printing) => {
            return Err(Exit::usage(text!(
                "the events and the picture of --plot - would be mixed; write one of them to a file (--events FILE, --plot FILE.svg)"
            )));
        }
        true => None,
        false => Some(output::open_stream(path)?),
    };
    let stream = STREAM.get_or_init(|| Stream {
        file,
        since: Instant::now(),
        is_broken: AtomicBool::new(false),
    });
    stream.put(&Begun {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        command: &command_line::as_given(),
        started_at: rfc3339(since_epoch()),
    });
    Ok(())
}

fn is_mixed(printing: &Printing) -> bool {
    let pictures = &printing.plotting.pictures.destinations;
    pictures.contains(&Destination::Terminal)
}

pub(super) fn is_open() -> bool {
    STREAM.get().is_some()
}

/// Whether the standard output takes them.
pub(crate) fn is_printed() -> bool {
    STREAM.get().is_some_and(|stream| stream.file.is_none())
}

pub(super) fn tell(event: &RunEvent) {
    if let Some(stream) = STREAM.get() {
        stream.put(&Line {
            elapsed: stream.since.elapsed().as_secs_f64(),
            event,
        });
    }
}

impl Stream {
    /// A line. Who does not read any more is no reason to stop, and a full disk is told once.
    fn put(&self, line: &impl Serialize) {
        let mut line = serde_json::to_string(line).expect("it has string keys and finite numbers");
        line.push('\n');
        let Err(error) = self.write(&line) else {
            return;
        };
        let is_told = self.is_broken.swap(true, Ordering::Relaxed);
        if !is_told && error.kind() != io::ErrorKind::BrokenPipe {
            exit::note(text!(
                "events are missing from where --events writes them: {error}"
            ));
        }
    }

    fn write(&self, line: &str) -> io::Result<()> {
        if let Some(file) = &self.file {
            return output::write_all(file, line.as_bytes());
        }
        let mut out = io::stdout().lock();
        match out.is_terminal() {
            true => out.write_all(harmless::lines(line).as_bytes())?,
            false => out.write_all(line.as_bytes())?,
        }
        out.flush()
    }
}
