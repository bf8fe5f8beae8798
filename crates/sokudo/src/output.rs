//! Where results go: the terminal or a file, in the format asked for.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::Context;
use rustix::fs::Access;
use sokudo_report::{BandwidthUnit, RunDocument, TableStyle, csv, markdown, table};

use crate::cli::Format;
use crate::exit::Exit;

/// Width of a table that goes to no terminal: enough for every column.
const WIDTH_WITHOUT_TERMINAL: usize = 120;

/// Writes text to standard output. A reader that has seen enough is no failure.
pub(crate) fn print(text: &str) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error)
            .context("the result cannot be printed")
            .map_err(Exit::Failed),
        _ => Ok(()),
    }
}

/// Makes a file for results, or empties the one that is there. A pipe, a terminal and
/// the like are written to as they are; a block device never, whatever its name, for
/// results are no reason to destroy what it holds.
pub(crate) fn create(path: &Path) -> Result<File, Exit> {
    let opened = |error: io::Error| {
        Exit::Failed(anyhow::anyhow!(
            "{} cannot be written: {error}; name a file in a directory that you may write to",
            path.display()
        ))
    };
    let refused = || {
        Exit::Refused(anyhow::anyhow!(
            "{} is a block device, and results are never written to one, because that destroys what it holds; name a file",
            path.display()
        ))
    };
    // A device is not even opened.
    if path
        .metadata()
        .is_ok_and(|metadata| metadata.file_type().is_block_device())
    {
        return Err(refused());
    }
    // Emptied only after a look at what was opened: the name may be exchanged.
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(opened)?;
    let kind = file.metadata().map_err(opened)?.file_type();
    if kind.is_block_device() {
        return Err(refused());
    }
    if kind.is_file() {
        file.set_len(0).map_err(opened)?;
    }
    Ok(file)
}

/// Writes all of a file for results.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Exit> {
    create(path)?
        .write_all(text.as_bytes())
        .with_context(|| format!("{} cannot be written", path.display()))
        .map_err(Exit::Failed)
}

/// Fails early when a result could not be written at the end.
pub(crate) fn check_writable(path: Option<&Path>) -> Result<(), Exit> {
    let Some(path) = path else { return Ok(()) };
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let is_device = |metadata: std::fs::Metadata| metadata.file_type().is_block_device();
    if path.metadata().is_ok_and(is_device) {
        // Refuses, and changes nothing.
        return create(path).map(|_| ());
    }
    let refusal = if path.is_dir() {
        "it is a directory; name a file"
    } else if !parent.is_dir() {
        "its directory does not exist; make it first"
    } else {
        let written = if path.exists() { path } else { parent };
        return rustix::fs::access(written, Access::WRITE_OK).map_err(|errno| {
            Exit::Failed(anyhow::anyhow!(
                "{} cannot be written: {}; name a file in a directory that you may write to",
                path.display(),
                io::Error::from(errno)
            ))
        });
    };
    Err(Exit::usage(anyhow::anyhow!(
        "{} cannot be written: {refusal}",
        path.display()
    )))
}

/// Writes a run in the format asked for.
pub(crate) fn write(
    document: &RunDocument,
    format: Format,
    path: Option<&Path>,
) -> Result<(), Exit> {
    let text = match format {
        Format::Table => table::render(document, &style(path.is_none())),
        Format::Json => document.to_json(),
        Format::Csv => csv::render(document),
        Format::Markdown => markdown::render(document),
    };
    match path {
        None => print(&text),
        Some(path) => write_file(path, &text),
    }
}

fn style(to_terminal: bool) -> TableStyle {
    let terminal = to_terminal && io::stdout().is_terminal();
    let width = terminal
        .then(terminal_size::terminal_size)
        .flatten()
        .map_or(WIDTH_WITHOUT_TERMINAL, |(width, _)| usize::from(width.0));
    TableStyle {
        width,
        colour: terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        ascii: terminal && !speaks_utf8(),
        unit: BandwidthUnit::MegabytesPerSecond,
    }
}

/// Whether the locale's characters are UTF-8, by the variables in their order of
/// precedence.
fn speaks_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    locale.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
