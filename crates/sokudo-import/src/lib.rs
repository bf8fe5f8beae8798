//! Results that other tools have printed, read as runs.
//!
//! Each format is a reader: it says whether a text looks like its own, and reads what is
//! whole of it. Known wrong units are put right, and the correction is in the run. It
//! reads bytes that it is given, and touches no system.

mod bonnie;
mod crystal;
mod crystaldiskmark;
mod dd;
mod diskspd;
mod elbencho;
mod fio;
mod gnome_disks;
mod hdparm;
mod hdtune;
mod ioping;
mod kdiskmark;
mod lenient;
mod number;
mod published;
mod reader;
mod row;
mod text;
mod unread;
mod wrong_unit;

use std::io::BufRead;

use sokudo_model::ImportedRun;

pub use reader::{Import, ImportError, LeftOut};

pub(crate) use reader::{HEAD_BYTES, Reader};

/// Those whose signs are most certain come first.
const READERS: &[Reader] = &[
    fio::READER,
    diskspd::XML,
    diskspd::TEXT,
    elbencho::CSV,
    elbencho::JSON,
    published::READER,
    gnome_disks::READER,
    crystaldiskmark::READER,
    kdiskmark::READER,
    hdtune::READER,
    hdparm::READER,
    dd::READER,
    bonnie::READER,
    ioping::READER,
];

/// Names of all formats.
pub fn known() -> Vec<&'static str> {
    READERS.iter().map(|reader| reader.format).collect()
}

/// Reads a text of whatever tool.
///
/// # Errors
/// When no reader knows it, or nothing of it is whole.
pub fn read(name: &str, mut source: impl BufRead) -> Result<Import, ImportError> {
    let mut head = Vec::new();
    let mut source: &mut dyn BufRead = &mut source;
    std::io::Read::read_to_end(
        &mut std::io::Read::take(&mut source, HEAD_BYTES as u64),
        &mut head,
    )?;
    let beginning = text::decoded(&head);
    if head.len() < HEAD_BYTES && beginning.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    let reader = READERS
        .iter()
        .find(|reader| (reader.recognise)(&beginning))
        .ok_or_else(|| ImportError::Unknown(known()))?;
    let mut whole = std::io::Read::chain(&head[..], source);
    let mut import = (reader.read)(&mut whole)?;
    if !import.runs.iter().all(ImportedRun::is_countable) {
        return Err(ImportError::Broken {
            format: reader.format,
            why: "it counts more bytes, I/Os or time than any run does".into(),
        });
    }
    unread::name(reader, &beginning, &mut import);
    for run in &mut import.runs {
        run.origin.file = Some(name.to_owned());
    }
    let others = READERS.iter().filter(|other| other.format != reader.format);
    for other in others.filter(|other| (other.recognise)(&beginning)) {
        import.left_out.push(LeftOut {
            line: None,
            why: sokudo_words::text!(
                "it holds results of {} too; import them from a file of their own",
                other.format
            ),
        });
    }
    Ok(import)
}

#[cfg(test)]
mod tests;
