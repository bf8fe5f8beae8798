//! Events where somebody has asked for them with `--events`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;
use sokudo_page::RunEvent;
use sokudo_report::rfc3339;
use sokudo_words::text;

use crate::arguments::pictures::Destination;
use crate::arguments::printing::{Printing, result_file};
use crate::exit::{self, Exit};
use crate::invocation::{self, EventStream};
use crate::{command_line, escape, output};

/// The form of the lines: docs/EVENTS.md.
const SCHEMA: &str = "sokudo.events/1";

/// First line of the stream: its schema and the command that runs.
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
pub fn open(printing: &Printing) -> Result<(), Exit> {
    let Some(name) = printing.events.as_deref() else {
        return Ok(());
    };
    let file = match result_file(Some(name)) {
        None if is_mixed(printing) => {
            return Err(Exit::usage(text!(
                "the events and the picture of --plot - would be mixed; write one of them to a file (--events FILE, --plot FILE.svg)"
            )));
        }
        None => None,
        Some(path) => Some(output::open_stream(path)?),
    };
    let here = invocation::current();
    let stream = here.events.get_or_init(|| EventStream {
        file,
        since: Instant::now(),
        is_broken: AtomicBool::new(false),
    });
    put(
        stream,
        &Begun {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: &command_line::as_given(),
            started_at: rfc3339(invocation::now()),
        },
    );
    Ok(())
}

fn is_mixed(printing: &Printing) -> bool {
    let mut pictures = printing.plotting.destinations();
    pictures.any(|it| *it == Destination::Terminal)
}

pub(super) fn is_open() -> bool {
    invocation::current().events.get().is_some()
}

/// Whether the standard output takes them.
pub fn is_printed() -> bool {
    let here = invocation::current();
    here.events
        .get()
        .is_some_and(|stream| stream.file.is_none())
}

pub(super) fn tell(event: &RunEvent) {
    if let Some(stream) = invocation::current().events.get() {
        let elapsed = stream.since.elapsed().as_secs_f64();
        put(stream, &Line { elapsed, event });
    }
}

/// A line. Who does not read any more is no reason to stop, and a full disk is told once.
fn put(stream: &EventStream, line: &impl Serialize) {
    let mut line = serde_json::to_string(line).expect("it has string keys and finite numbers");
    line.push('\n');
    let Err(error) = write(stream, &line) else {
        return;
    };
    let is_reported = stream.is_broken.swap(true, Ordering::Relaxed);
    if !is_reported && error.kind() != io::ErrorKind::BrokenPipe {
        exit::note(text!(
            "events are missing from where --events writes them: {error}"
        ));
    }
}

fn write(stream: &EventStream, line: &str) -> io::Result<()> {
    match &stream.file {
        Some(file) => output::write_all(file, line.as_bytes()),
        None if invocation::is_output_terminal() => {
            invocation::write_output(escape::lines(line).as_bytes())
        }
        None => invocation::write_output(line.as_bytes()),
    }
}
