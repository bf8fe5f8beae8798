//! A document as few bytes, for keeping many of them.

use super::{ReadDocumentError, RunDocument};

/// How the bytes behind it are packed, by the first byte.
const ZSTD_OF_JSON: u8 = 1;
/// Its strongest that still takes milliseconds.
const LEVEL: i32 = 15;
/// No document has more: as for files.
const BYTES_MAX: usize = 1 << 30;

/// Why packed bytes are no document.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// They were packed in a way that this program does not know.
    #[error(
        "is packed in a way that this sokudo does not know ({0}); use the sokudo that kept it or a newer one"
    )]
    Unknown(u8),
    /// They are damaged.
    #[error("is damaged: {0}")]
    Damaged(std::io::Error),
    /// What was packed is no document.
    #[error(transparent)]
    Document(#[from] ReadDocumentError),
}

impl RunDocument {
    /// The document as few bytes.
    pub fn pack(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).expect("a document is plain JSON");
        let mut packed = vec![ZSTD_OF_JSON];
        packed.extend(zstd::bulk::compress(&json, LEVEL).expect("memory is written to"));
        packed
    }

    /// The document that was packed.
    ///
    /// # Errors
    /// When the bytes are damaged or from a newer program.
    pub fn unpack(packed: &[u8]) -> Result<Self, UnpackError> {
        match packed.split_first() {
            Some((&ZSTD_OF_JSON, rest)) => {
                let mut json = Vec::new();
                let decoder = zstd::Decoder::with_buffer(rest).map_err(UnpackError::Damaged)?;
                let mut decoder = std::io::Read::take(decoder, BYTES_MAX as u64);
                std::io::Read::read_to_end(&mut decoder, &mut json)
                    .map_err(UnpackError::Damaged)?;
                Ok(Self::from_json(&String::from_utf8_lossy(&json))?)
            }
            Some((way, _)) => Err(UnpackError::Unknown(*way)),
            None => Err(UnpackError::Damaged(
                std::io::ErrorKind::UnexpectedEof.into(),
            )),
        }
    }
}
