//! Where texts go: standard output, or a file that is replaced as a whole.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::Context;
use rustix::fs::{Access, FallocateFlags, FileType};
use rustix::io::Errno;
use sokudo_engine::NamedEntry;
use sokudo_report::{BandwidthUnit, TableStyle};
use sokudo_store::Sqlite;
use sokudo_words::{Text, text};

use crate::exit::{self, Exit};
use crate::{escape, invocation, language};

mod replacing;

use replacing::ReplaceFault;

/// Width of a table that goes to no terminal: what mail, issues and printed pages hold.
const WIDTH_WITHOUT_TERMINAL: usize = 80;

/// Writes text to standard output. A terminal is sent nothing that commands it.
pub fn print(text: &str) -> Result<(), Exit> {
    match invocation::is_output_terminal() {
        true => print_bytes(escape::lines(text).as_bytes()),
        false => print_bytes(text.as_bytes()),
    }
}

/// The same for a text with colours of our own.
pub fn print_coloured(text: &str) -> Result<(), Exit> {
    match invocation::is_output_terminal() {
        true => print_bytes(escape::coloured(text).as_bytes()),
        false => print_bytes(text.as_bytes()),
    }
}

/// Says a sentence on standard output.
pub fn say(sentence: &Text) -> Result<(), Exit> {
    print(&format!("{}\n", sentence.in_language(language::current())))
}

/// Says a sentence on each line of standard output.
pub fn print_lines(lines: &[Text]) -> Result<(), Exit> {
    let lines = lines
        .iter()
        .map(|line| line.in_language(language::current()) + "\n");
    print(&lines.collect::<String>())
}

/// Writes a question to standard error, behind which the answer is typed, and reads that.
pub fn ask(question: &Text) -> Result<bool, Exit> {
    let question = question.in_language(language::current());
    invocation::write_error(format!("{} ", exit::fitting(&question)).as_bytes())
        .map_err(Exit::failed)?;
    let answer = invocation::read_line()
        .context(text!("the answer cannot be read"))
        .map_err(Exit::Failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Writes what is no text to standard output. A reader that has seen enough is no failure.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Exit> {
    match invocation::write_output(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error)
            .context(text!("the result cannot be printed"))
            .map_err(Exit::Failed),
        _ => Ok(()),
    }
}

/// Writes a result where it was asked for. What people read has colours on a terminal.
pub fn put(path: Option<&Path>, text: &str, is_for_people: bool) -> Result<(), Exit> {
    match path {
        None if is_for_people => print_coloured(text),
        None => print(text),
        Some(path) => write_file(path, text),
    }
}

/// Writes to a file as it is, unless a terminal is behind its name.
pub fn write_all(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    match file.is_terminal() {
        true => file.write_all(escape::lines(&String::from_utf8_lossy(bytes)).as_bytes()),
        false => file.write_all(bytes),
    }
}

/// Makes a file for results, or empties the one that is there. A pipe, a terminal and
/// the like are written to as they are; a block device never, whatever its name, for
/// results are no reason to destroy what it holds.
pub fn create(path: &Path) -> Result<File, Exit> {
    let (file, is_regular) = open(path)?;
    if is_regular {
        file.set_len(0).map_err(|error| not_opened(path, &error))?;
    }
    Ok(file)
}

/// Opens or makes a file that lines are added to while something goes on. One that holds something
/// is left as it is.
pub(crate) fn open_stream(path: &Path) -> Result<File, Exit> {
    let (file, is_regular) = open(path)?;
    let length = file.metadata().map_err(|error| not_opened(path, &error))?;
    match is_regular && length.len() > 0 {
        true => Err(Exit::refused(text!(
            "{} holds something already; name a new file",
            path.display()
        ))),
        false => Ok(file),
    }
}

/// Opens or makes a file for results, and tells whether it is a regular one. It holds
/// what it held.
fn open(path: &Path) -> Result<(File, bool), Exit> {
    let refused = || {
        Exit::refused(text!(
            "{} is a block device, and sokudo writes no results to one, because that would destroy its data; name a file",
            path.display()
        ))
    };
    refuse_store(path)?;
    let not_opened = |error: io::Error| not_opened(path, &error);
    let entry = NamedEntry::of(path).map_err(not_opened)?;
    if let Some(there) = &entry.there {
        let status = rustix::fs::fstat(there).map_err(|errno| not_opened(errno.into()))?;
        // A device is not even opened.
        if FileType::from_raw_mode(status.st_mode) == FileType::BlockDevice {
            return Err(refused());
        }
    }
    let opened = entry.open_or_create(OpenOptions::new().write(true));
    let file = opened.map_err(not_opened)?;
    let is_regular = file.metadata().map_err(not_opened)?.is_file();
    Ok((file, is_regular))
}

fn not_opened(path: &Path, error: &io::Error) -> Exit {
    Exit::failed(text!(
        "{} cannot be written: {error}; name a file in a directory that you may write to",
        path.display()
    ))
}

/// Writes over what a regular file holds. Where there is no room for the new, the old
/// stays as it was.
fn overwrite(file: &File, bytes: &[u8]) -> io::Result<()> {
    let length = bytes.len() as u64;
    if length > 0 {
        match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, length) {
            // Room cannot be reserved everywhere.
            Ok(()) | Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::INTR) => {}
            Err(errno) => {
                // A part of the room may have been taken beyond the old content.
                let _ = file.metadata().and_then(|held| file.set_len(held.len()));
                return Err(errno.into());
            }
        }
    }
    let mut file = file;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.set_len(length))
        // Some file systems tell only here that they are full.
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // Parts of both would pass for one result.
        let _ = file.set_len(0);
    }
    written
}

/// Writes all of a file for results, or leaves what was there before: a part would pass
/// for the whole, and an older result is better than none.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Exit> {
    let bytes = bytes.as_ref();
    check_writable(Some(path))?;
    let is_new = path.symlink_metadata().is_err();
    let written = match replacing::replace(path, bytes) {
        Ok(()) => return Ok(()),
        Err(ReplaceFault::Unwritten(error)) => Err(error),
        Err(ReplaceFault::NotReplaceable) => {
            let (file, is_regular) = open(path)?;
            let written = match is_regular {
                true => overwrite(&file, bytes),
                false => write_all(&file, bytes),
            };
            if written.is_err() && is_new {
                // What cannot be taken away either is told with the reason below.
                let _ = sokudo_engine::remove_held(path, &file);
            }
            written
        }
    };
    written
        .with_context(|| text!("{} cannot be written", path.display()))
        .map_err(Exit::Failed)
}

/// Results never take the place of all runs that are kept.
fn refuse_store(path: &Path) -> Result<(), Exit> {
    match Sqlite::is_at(path) {
        false => Ok(()),
        true => Err(Exit::refused(text!(
            "{} is a store, and a result written there would destroy its runs; name another file",
            path.display()
        ))),
    }
}

/// Fails early when a result could not be written at the end.
pub fn check_writable(path: Option<&Path>) -> Result<(), Exit> {
    let Some(path) = path else {
        return Ok(());
    };
    refuse_store(path)?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let is_device = |metadata: std::fs::Metadata| metadata.file_type().is_block_device();
    if path.metadata().is_ok_and(is_device) {
        // Refuses, and changes nothing.
        return open(path).map(|_| ());
    }
    let refusal = if path.is_dir() {
        text!("it is a directory; name a file")
    } else if !parent.is_dir() {
        text!("its directory does not exist; make it first")
    } else {
        let written = if path.exists() { path } else { parent };
        return rustix::fs::access(written, Access::WRITE_OK).map_err(|errno| {
            Exit::failed(text!(
                "{} cannot be written: {}; name a file in a directory that you may write to",
                path.display(),
                io::Error::from(errno)
            ))
        });
    };
    Err(Exit::usage(text!(
        "{} cannot be written: {refusal}",
        path.display()
    )))
}

/// How tables are written to standard output.
pub fn terminal_style() -> TableStyle {
    style(true, BandwidthUnit::MegabytesPerSecond)
}

/// How tables are written to the terminal or a file.
pub fn style(to_terminal: bool, unit: BandwidthUnit) -> TableStyle {
    let terminal = if to_terminal {
        terminal()
    } else {
        Terminal::default()
    };
    TableStyle {
        width: terminal
            .size
            .map_or(WIDTH_WITHOUT_TERMINAL, |(width, _)| width),
        colour: terminal.colour,
        ascii: terminal.ascii,
        unit,
        language: language::current(),
    }
}

/// What standard output shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Columns and lines; `None` where it is no terminal.
    pub size: Option<(usize, usize)>,
    /// Whether it is to have colours.
    pub colour: bool,
    /// Whether it shows nothing but ASCII.
    pub ascii: bool,
}

/// What standard output is.
pub fn terminal() -> Terminal {
    if !invocation::is_output_terminal() {
        return Terminal::default();
    }
    Terminal {
        size: invocation::terminal_size(),
        colour: is_coloured(),
        ascii: !language::speaks_utf8(),
    }
}

/// Whether a terminal is to have colours. Launchers of several processes may give them a terminal
/// whose output they write into a file, and nothing tells.
fn is_coloured() -> bool {
    let is_set = |name: &str| invocation::variable_os(name).is_some_and(|value| !value.is_empty());
    let is_forced = || invocation::variable_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    !is_set("NO_COLOR") && (sokudo_peers::launch().is_none() || is_forced())
}
