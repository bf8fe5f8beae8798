//! A document as few bytes, for keeping many of them.
//!
//! What can be computed again is left out (`lean`), the rest is written without keys and
//! with what is alike together (`binary`), and zstd makes it small with a dictionary of
//! what most documents say. Nothing is rounded: the same document comes back.

use std::io::{self, Read};

use super::{JSON_BYTES_MAX, ReadDocumentError, RunDocument};

mod binary;
mod lean;

/// How the bytes behind it are packed, by the first byte: as JSON, for what is too large
/// for the other.
const ZSTD_OF_JSON: u8 = 1;
/// As [`binary`], with the dictionary. Neither the dictionary nor a formula of `lean` may
/// be changed without a new way.
const ZSTD_OF_BINARY: u8 = 2;
/// zstd's strongest that still takes milliseconds for a usual document.
const LEVEL: i32 = 19;
/// The same for large ones.
const LEVEL_OF_JSON: i32 = 9;
/// So many bytes are unpacked from however few, and so many from each packed one. Points of
/// a scan never pack as tightly; bytes that somebody made to fill our memory do.
const JSON_BYTES_LEAST: u64 = 64 << 20;
const JSON_BYTES_PER_PACKED: u64 = 1_000;
/// What has more rows, as only files of other tools have, is packed as JSON.
const RESULTS_BINARY_MAX: usize = 1_000;
/// What is larger is packed as JSON.
const BINARY_BYTES_MAX: u64 = 8 << 20;
/// Memory of zstd's while it unpacks, as a power of two: none of ours needs more, and
/// hostile bytes get none.
const WINDOW_LOG_MAX: u32 = 27;

/// What documents say again and again; `examples/packed_dictionary.rs` has made it.
const DICTIONARY: &[u8] = include_bytes!("../../assets/packed-2.dictionary");

/// Why packed bytes are no document.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// They were packed in a way that this program does not know.
    #[error(
        "is packed in a way that this sokudo does not know ({0}); use the sokudo that kept it or a newer one"
    )]
    Unknown(u8),
    /// They are damaged.
    #[error("is damaged: {0}; restore it from a copy, or delete it")]
    Damaged(String),
    /// What was packed is no document.
    #[error(transparent)]
    Document(#[from] ReadDocumentError),
}

impl UnpackError {
    fn damaged(error: impl std::fmt::Display) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl RunDocument {
    /// The document as few bytes.
    pub fn pack(&self) -> Vec<u8> {
        (!self.is_long())
            .then(|| self.pack_binary())
            .flatten()
            // What does not come back the same is packed in the plain way.
            .filter(|packed| Self::unpack(packed).is_ok_and(|again| again == *self))
            .unwrap_or_else(|| self.pack_json())
    }

    /// Whether writing it without keys would take more time and memory than that is worth.
    fn is_long(&self) -> bool {
        self.results.len() > RESULTS_BINARY_MAX
    }

    fn pack_json(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).expect("a document is plain JSON");
        let mut packed = vec![ZSTD_OF_JSON];
        let small = zstd::bulk::compress(&json, LEVEL_OF_JSON);
        packed.extend(small.expect("memory is written to"));
        packed
    }

    fn pack_binary(&self) -> Option<Vec<u8>> {
        let plain = self.to_binary()?;
        if plain.len() as u64 > BINARY_BYTES_MAX {
            return None;
        }
        let mut compressor = zstd::bulk::Compressor::with_dictionary(LEVEL, DICTIONARY).ok()?;
        compressor.include_checksum(true).ok()?;
        let mut packed = vec![ZSTD_OF_BINARY];
        packed.extend(compressor.compress(&plain).ok()?);
        Some(packed)
    }

    /// What zstd makes small; `None` where that is too much.
    fn to_binary(&self) -> Option<Vec<u8>> {
        let (lean, left_out) = lean::lean(self);
        let value = serde_json::to_value(&lean).ok()?;
        let mut plain = u32::try_from(left_out.len()).ok()?.to_le_bytes().to_vec();
        plain.extend(left_out);
        plain.extend(binary::encode(&value)?);
        Some(plain)
    }

    /// What a dictionary for packing documents like this one is made of.
    pub fn dictionary_part(&self) -> Vec<u8> {
        self.to_binary().unwrap_or_default()
    }

    /// The document that was packed.
    ///
    /// # Errors
    /// When the bytes are damaged or from a newer program.
    pub fn unpack(packed: &[u8]) -> Result<Self, UnpackError> {
        match packed.split_first() {
            Some((&ZSTD_OF_JSON, rest)) => {
                let most = (rest.len() as u64 * JSON_BYTES_PER_PACKED)
                    .clamp(JSON_BYTES_LEAST, JSON_BYTES_MAX);
                let json = unpacked(rest, &[], most)?;
                let json = String::from_utf8(json).map_err(UnpackError::damaged)?;
                Ok(Self::from_json(&json)?)
            }
            Some((&ZSTD_OF_BINARY, rest)) => {
                Self::of_binary(&unpacked(rest, DICTIONARY, BINARY_BYTES_MAX)?)
            }
            Some((way, _)) => Err(UnpackError::Unknown(*way)),
            None => Err(UnpackError::damaged("nothing is there")),
        }
    }

    fn of_binary(plain: &[u8]) -> Result<Self, UnpackError> {
        let senseless = || UnpackError::damaged("its parts do not fit together");
        let (count, rest) = plain.split_first_chunk().ok_or_else(senseless)?;
        let count = usize::try_from(u32::from_le_bytes(*count)).map_err(UnpackError::damaged)?;
        let (left_out, rest) = rest.split_at_checked(count).ok_or_else(senseless)?;
        let value = binary::decode(rest).map_err(UnpackError::damaged)?;
        let mut document = Self::from_value(value)?;
        lean::fill(&mut document, left_out).ok_or_else(senseless)?;
        Ok(document)
    }
}

/// All that was packed, if that is not more than so many bytes.
fn unpacked(packed: &[u8], dictionary: &[u8], bytes_max: u64) -> Result<Vec<u8>, UnpackError> {
    let too_much = || UnpackError::damaged("it holds more than any document");
    // What says how much it holds is believed where that is too much.
    let declared = zstd::zstd_safe::get_frame_content_size(packed)
        .ok()
        .flatten();
    if declared.is_some_and(|declared| declared > bytes_max) {
        return Err(too_much());
    }
    let read = || -> io::Result<Vec<u8>> {
        let mut decoder = zstd::Decoder::with_dictionary(packed, dictionary)?.single_frame();
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
