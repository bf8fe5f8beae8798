//! Foreign tools, a folder each: what people write in its language, as a
//! [`Plan`](sokudo_model::Plan) and back; a [`Run`](sokudo_model::Run) as it prints one;
//! and what it has printed itself, as an [`ImportedRun`].
//!
//! - [`language`] is what the languages share, [`results`] what the readers of results do.
//!   Neither knows a tool, and no tool knows another.
//! - [`READERS`] lists the formats that are read. A reader says whether a text looks like
//!   its own, and reads what is whole of it; known wrong units are put right, and the
//!   correction is in the run.
//!
//! Nothing here touches the system: no file is opened, no device is looked at, no clock is
//! read. Whether a plan can run on a target is decided elsewhere.

#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

pub mod bonnie;
pub mod crystaldiskmark;
pub mod dd;
pub mod diskspd;
mod elbencho;
mod f3;
pub mod fio;
mod gnome_disks;
pub mod hdparm;
mod hdtune;
mod ioping;
mod ior;
mod kdiskmark;
mod kubestr;
pub mod language;
mod published;
mod pveperf;
mod results;
#[cfg(test)]
mod sample;
mod sysbench;
mod yabs;

use std::io::BufRead;

use results::format::{HEAD_BYTES, Reader};
use results::{text, unread};
use sokudo_model::ImportedRun;

pub use results::{Import, ImportError, LeftOut};

/// Those whose signs are most certain come first.
const READERS: &[Reader] = &[
    fio::import::READER,
    fio::import::log::READER,
    diskspd::import::XML,
    diskspd::import::TEXT,
    elbencho::CSV,
    elbencho::JSON,
    published::READER,
    yabs::READER,
    kubestr::READER,
    sysbench::READER,
    ior::READER,
    ior::MDTEST_READER,
    pveperf::READER,
    f3::READER,
    gnome_disks::READER,
    crystaldiskmark::import::READER,
    kdiskmark::READER,
    hdtune::READER,
    hdparm::import::READER,
    dd::READER,
    bonnie::import::READER,
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
    let mut import = reader.read(name, &mut whole)?;
    let others = READERS.iter().filter(|it| it.format != reader.format);
    let (mut readers, mut unread_parts) = (vec![reader], Vec::new());
    for other in others.filter(|it| (it.recognise)(&beginning)) {
        // A longer text is read once, by the reader whose signs are most certain.
        match other.read(name, &mut &head[..]) {
            Ok(more) if head.len() < HEAD_BYTES => {
                import = import.with(more);
                readers.push(other);
            }
            _ => unread_parts.push(LeftOut {
                line: None,
                why: sokudo_words::text!(
                    "it holds results of {} too; import them from a file of their own",
                    other.format
                ),
            }),
        }
    }
    if !import.runs.iter().all(ImportedRun::is_countable) {
        return Err(ImportError::Broken {
            format: reader.format,
            why: "it counts more bytes, I/Os or time than any run does".into(),
        });
    }
    unread::name(&readers, name, &beginning, &mut import);
    for run in &mut import.runs {
        run.origin.file = Some(name.to_owned());
    }
    import.left_out.extend(unread_parts);
    Ok(import)
}

#[cfg(test)]
mod tests;
