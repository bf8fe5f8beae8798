//! A run as the bytes of a store.
//!
//! What sokudo has measured or imported is kept whole, as the [`Run`] that it is: figures are
//! computed of it, and it can be judged again. It is JSON that zstd has made small.

use std::io::{self, Read};

use sokudo_model::{Run, with_texts_as_data};
use sokudo_words::Text;

use super::reading::{
    HISTOGRAMS_MAX, JSON_BYTES_MAX, ReadDocumentError, is_readable, run_of_json, without_long_logs,
};

mod summary;

pub use summary::{SummaryReader, summary};

/// How the bytes behind it are packed, by the first byte: a run as JSON. 1 to 3 were other forms,
/// which no version that was given out has written.
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

/// Why packed bytes are no run.
#[derive(Debug, sokudo_words::Error)]
pub enum UnpackError {
    /// They were packed in a way that this program does not know.
    #[error(
        "is packed in a way that this sokudo does not know ({0}); use the sokudo that kept it or a newer one"
    )]
    Unknown(u8),
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

/// Why a run cannot be kept.
#[derive(Debug, sokudo_words::Error)]
#[error(
    "it is larger than what a store holds of one ({} MiB, {HISTOGRAMS_MAX} histograms); measure fewer rows, trials or places at once",
    JSON_BYTES_MAX >> 20
)]
pub struct PackError;

/// A run as few bytes.
///
/// # Errors
/// When it is larger than what is read again.
pub fn pack(run: &Run) -> Result<Vec<u8>, PackError> {
    let run = without_long_logs(run);
    let json = with_texts_as_data(|| serde_json::to_string(&run))
        .expect("a run is plain data and is written to memory");
    match is_readable(&json) {
        true => Ok(compressed(&json)),
        false => Err(PackError),
    }
}

/// The run that was packed.
///
/// # Errors
/// When the bytes are damaged or from another program.
pub fn unpack(packed: &[u8]) -> Result<Run, UnpackError> {
    let (way, rest) = packed
        .split_first()
        .ok_or_else(|| UnpackError::Damaged("nothing is there".into()))?;
    if *way != ZSTD_OF_RUN {
        return Err(UnpackError::Unknown(*way));
    }
    let json = json(rest)?;
    if !is_readable(&json) {
        return Err(ReadDocumentError::TooLarge.into());
    }
    run_of_json(&json).map_err(|error| match error {
        ReadDocumentError::Malformed(error) => UnpackError::damaged(error),
        error => error.into(),
    })
}

fn compressed(json: &str) -> Vec<u8> {
    let level = match json.len() > LARGE_BYTES {
        true => LEVEL_OF_LARGE,
        false => LEVEL,
    };
    compressed_by(level, ZSTD_OF_RUN, json.as_bytes())
}

fn compressed_by(level: i32, way: u8, bytes: &[u8]) -> Vec<u8> {
    let small = zstd::bulk::Compressor::new(level).and_then(|mut compressor| {
        compressor.include_checksum(true)?;
        compressor.compress(bytes)
    });
    [vec![way], small.expect("memory is written to")].concat()
}

fn json(packed: &[u8]) -> Result<String, UnpackError> {
    let most = packed.len() as u64 * JSON_BYTES_PER_PACKED;
    let most = most.clamp(JSON_BYTES_LEAST, JSON_BYTES_MAX);
    String::from_utf8(unpacked(packed, most)?).map_err(UnpackError::damaged)
}

/// All that was packed, if that is not more than so many bytes.
fn unpacked(packed: &[u8], bytes_max: u64) -> Result<Vec<u8>, UnpackError> {
    let too_much = || UnpackError::Damaged("it is larger than any document of sokudo".into());
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
