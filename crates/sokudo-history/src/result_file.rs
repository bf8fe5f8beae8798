//! Files that hold results: opened without waiting for ever, read within bounds, and what other
//! tools have printed into them.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sokudo_model::{ImportedRun, Run};
use sokudo_report::RunDocument;
use sokudo_report::document::JSON_BYTES_MAX;
use sokudo_terminal::invocation;
use sokudo_tools::{Import, ImportError, LeftOut};
use sokudo_words::{Text, text};

/// How long a file may say nothing. Those of disks never wait, those of the kernel without
/// an end (`/proc/kmsg`) do.
const PATIENCE: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// What is read by this name; `-` is standard input. A pipe is waited for, as people expect of
/// one, until they interrupt; what has no end is refused.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if path.as_os_str() == "-" {
        return Ok(invocation::input());
    }
    let endless = |why: Text| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    // Looked at before it is opened: to open a device may already do something.
    let kind = path.metadata()?.file_type();
    if kind.is_char_device() {
        return endless(text!("it is a character device, which has no end"));
    }
    if kind.is_block_device() {
        return endless(text!("it is a block device, which has no end"));
    }
    let file = File::open(path)?;
    Ok(match kind.is_fifo() {
        true => Box::new(file),
        false => Box::new(Impatient(file)),
    })
}

/// A file that is not waited for.
struct Impatient(File);

impl Read for Impatient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut readable = [PollFd::new(&self.0, PollFlags::IN)];
        match poll(&mut readable, Some(&PATIENCE)) {
            Ok(0) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                text!("no data came from it for {} s", PATIENCE.tv_sec),
            )),
            // What cannot be asked is read.
            _ => self.0.read(buffer),
        }
    }
}

/// All of a text that is not longer than a result can be.
pub(crate) fn read_bounded(reader: impl Read) -> io::Result<String> {
    let bytes = bounded(reader, JSON_BYTES_MAX)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, text!("it is not a text")))
}

/// All of what has `bytes_max` bytes at most.
pub fn bounded(reader: impl Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            text!("it is larger than {bytes_max} bytes"),
        ));
    }
    Ok(bytes)
}

/// What another tool has printed into a file of this name.
pub fn imported(file: &Path, source: impl BufRead) -> Result<Import, ImportError> {
    let name = match file.file_name() {
        Some(name) => name.to_string_lossy(),
        None => file.to_string_lossy(),
    };
    sokudo_tools::read(&name, source)
}

/// A run of another tool, which nobody but that tool can vouch for.
/// Of its trials so many at each end are left out of a trimmed mean.
pub fn judged(run: ImportedRun, trim: u32) -> RunDocument {
    let mut run = Run::from(run);
    run.schedule.trim = trim;
    sokudo_analysis::judge(&mut run);
    RunDocument::new(run)
}

/// What could not be used, with its place.
pub fn left_out(file: &Path, left: &LeftOut) -> Text {
    let (name, why) = (file.display(), &left.why);
    match left.line {
        Some(line) => text!("left out of {name}, line {line}: {why}"),
        None => text!("left out of {name}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read_for_ever() {
        let error = bounded(io::repeat(b' '), 64).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 64 bytes");
        assert_eq!(bounded(&b"four"[..], 4).unwrap(), b"four");
        assert!(read_bounded(&b"\xff"[..]).is_err());
    }
}
