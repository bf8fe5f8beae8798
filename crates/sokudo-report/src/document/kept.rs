//! A run as the bytes of a store.
//!
//! What sokudo has measured or imported is kept whole, as the [`Run`] that it is: figures are
//! computed of it, and it can be judged again. What came as a document, a file of another
//! sokudo, is kept as that document. Both are JSON that zstd has made small.

use std::borrow::Cow;
use std::io::{self, Read};

use sokudo_model::{Logs, Run, with_texts_as_data};
use sokudo_words::Text;

use super::{JSON_BYTES_MAX, ReadDocumentError, RunDocument, SCHEMA, is_bounded};

mod summary;

pub use summary::{SummaryReader, summary};

/// How the bytes behind it are packed, by the first byte: a document as JSON.
const ZSTD_OF_DOCUMENT: u8 = 1;
/// A run as JSON. 2 and 3 were other forms, which no version that was given out has written.
const ZSTD_OF_RUN: u8 = 4;
/// zstd's strongest that still takes milliseconds for a usual run.
const LEVEL: i32 = 19;
/// The same for large ones.
const LEVEL_OF_LARGE: i32 = 9;
const LARGE_BYTES: usize = 4 << 20;
/// So many bytes are unpacked from however few, and so many from each packed one. Points of
/// a scan never pack as tightly; bytes that somebody made to fill our memory do.
const JSON_BYTES_LEAST: u64 = 64 << 20;
const JSON_BYTES_PER_PACKED: u64 = 1_000;
/// Memory of zstd's while it unpacks, as a power of two: none of ours needs more, and
/// hostile bytes get none.
const WINDOW_LOG_MAX: u32 = 27;
/// Histograms of one run, each with some hundred bytes besides what its text takes. The largest
/// sweeps and steady tests have some thousands, a thousand hosts ten times as many.
const HISTOGRAMS_MAX: usize = 200_000;
/// Rows of one run; fio starts no more than 4,096 jobs, the largest sweeps have some thousands.
const ROWS_MAX: usize = 20_000;
/// Points of logs in one run, 35 bytes each: `explain`, whose conclusions are drawn from
/// logs, has some thousands.
const LOG_POINTS_MAX: usize = 100_000;
/// What each histogram has once, plain or with a letter as `\u…`, which we never write so.
const HISTOGRAM_MARKS: [&str; 2] = ["\"sum_of_squares\"", "\\u"];

/// Why packed bytes are no run.
#[derive(Debug, sokudo_words::Error)]
pub enum UnpackError {
    /// They were packed in a way that this program does not know.
    #[error(
        "is packed in a way that this sokudo does not know ({0}); use the sokudo that kept it or a newer one"
    )]
    Unknown(u8),
    /// They are damaged.
    #[error("is damaged: {0}; restore it from a copy, or delete it")]
    Damaged(Text),
    /// What was packed is no document.
    #[error(transparent)]
    Document(#[from] ReadDocumentError),
}

impl UnpackError {
    fn damaged(error: impl std::fmt::Display) -> Self {
        Self::Damaged(Text::name(error.to_string()))
    }
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// All that happened.
    Run(Box<Run>),
    /// Its figures, as files of sokudo's hold them.
    Document(Box<RunDocument>),
}

impl Kept {
    /// The figures.
    pub fn document(&self) -> RunDocument {
        match self {
            Self::Run(run) => RunDocument::from_run(run),
            Self::Document(document) => (**document).clone(),
        }
    }

    /// The figures, of what is needed no more.
    pub fn into_document(self) -> RunDocument {
        match self {
            Self::Run(run) => RunDocument::from_run(&run),
            Self::Document(document) => *document,
        }
    }

    /// It as few bytes.
    pub fn pack(&self) -> Vec<u8> {
        match self {
            Self::Run(run) => pack(run),
            Self::Document(document) => pack_document(document),
        }
    }

    /// What was packed.
    ///
    /// # Errors
    /// When the bytes are damaged or from a newer program.
    pub fn unpack(packed: &[u8]) -> Result<Self, UnpackError> {
        let (way, rest) = packed
            .split_first()
            .ok_or_else(|| UnpackError::Damaged("nothing is there".into()))?;
        Ok(match *way {
            ZSTD_OF_RUN => Self::Run(Box::new(run_of_json(&json(rest)?)?)),
            ZSTD_OF_DOCUMENT => {
                let json = as_any_run(json(rest)?);
                Self::Document(Box::new(RunDocument::from_json(&json)?))
            }
            way => return Err(UnpackError::Unknown(way)),
        })
    }
}

/// Whether these bytes hold a document: of a run, its figures alone.
pub fn is_document(packed: &[u8]) -> bool {
    packed.first() == Some(&ZSTD_OF_DOCUMENT)
}

/// A run as few bytes. One that is larger than what is read again is kept by its figures.
pub fn pack(run: &Run) -> Vec<u8> {
    let run = without_long_logs(run);
    let json = with_texts_as_data(|| serde_json::to_string(&run))
        .expect("a run is plain data and is written to memory");
    match is_readable(&json) {
        true => compressed(ZSTD_OF_RUN, json.as_bytes()),
        false => pack_document(&RunDocument::from_run(&run)),
    }
}

/// The run, without logs of every I/O: files of their own hold them.
fn without_long_logs(run: &Run) -> Cow<'_, Run> {
    let trials = run.rows.iter().flat_map(|row| &row.trials);
    let points: usize = trials.map(|trial| trial.outcome.logs.points()).sum();
    let mut run = Cow::Borrowed(run);
    if points > LOG_POINTS_MAX {
        let rows = run.to_mut().rows.iter_mut();
        let trials = rows.flat_map(|row| &mut row.trials);
        trials.for_each(|trial| trial.outcome.logs = Logs::default());
    }
    run
}

fn pack_document(document: &RunDocument) -> Vec<u8> {
    let json =
        with_texts_as_data(|| serde_json::to_vec(document)).expect("a document is plain JSON");
    compressed(ZSTD_OF_DOCUMENT, &json)
}

fn compressed(way: u8, bytes: &[u8]) -> Vec<u8> {
    let level = match bytes.len() > LARGE_BYTES {
        true => LEVEL_OF_LARGE,
        false => LEVEL,
    };
    compressed_by(level, way, bytes)
}

fn compressed_by(level: i32, way: u8, bytes: &[u8]) -> Vec<u8> {
    let small = zstd::bulk::Compressor::new(level).and_then(|mut compressor| {
        compressor.include_checksum(true)?;
        compressor.compress(bytes)
    });
    [vec![way], small.expect("memory is written to")].concat()
}

/// Whether a text is no more than a run may be.
fn is_readable(json: &str) -> bool {
    let histograms = HISTOGRAM_MARKS.map(|mark| json.matches(mark).count());
    is_bounded(json) && histograms.iter().sum::<usize>() <= HISTOGRAMS_MAX
}

fn run_of_json(json: &str) -> Result<Run, UnpackError> {
    if !is_readable(json) {
        return Err(ReadDocumentError::TooLarge.into());
    }
    let run: Run = serde_json::from_str(json).map_err(UnpackError::damaged)?;
    if run.rows.len() > ROWS_MAX {
        return Err(ReadDocumentError::TooLarge.into());
    }
    match run.is_countable() {
        true => Ok(run),
        false => Err(ReadDocumentError::Uncountable.into()),
    }
}

/// A document with the schema of a run: what stores hold of hosts together was called otherwise.
fn as_any_run(json: String) -> String {
    match json.strip_prefix("{\"schema\":\"sokudo.together/1\"") {
        Some(rest) => format!("{{\"schema\":\"{SCHEMA}\"{rest}"),
        None => json,
    }
}

fn json(packed: &[u8]) -> Result<String, UnpackError> {
    let most = packed.len() as u64 * JSON_BYTES_PER_PACKED;
    let most = most.clamp(JSON_BYTES_LEAST, JSON_BYTES_MAX);
    String::from_utf8(unpacked(packed, most)?).map_err(UnpackError::damaged)
}

/// All that was packed, if that is not more than so many bytes.
fn unpacked(packed: &[u8], bytes_max: u64) -> Result<Vec<u8>, UnpackError> {
    let too_much = || UnpackError::Damaged("it holds more than any document".into());
    // What says how much it holds is believed where that is too much.
    let declared = zstd::zstd_safe::get_frame_content_size(packed)
        .ok()
        .flatten();
    if declared.is_some_and(|declared| declared > bytes_max) {
        return Err(too_much());
    }
    let read = || -> io::Result<Vec<u8>> {
        let mut decoder = zstd::Decoder::with_buffer(packed)?.single_frame();
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        let mut bytes = Vec::new();
        decoder.take(bytes_max + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(UnpackError::damaged)?;
    match bytes.len() as u64 > bytes_max {
        true => Err(too_much()),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests;
