//! The pipe between the two processes: frames of one line of JSON, and bytes behind it where its
//! field `bytes` says so. Both ends refuse what is larger than agreed.

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sokudo_words::Error;

/// A table of many rows is a hundredth of it.
pub const LINE_BYTES_MAX: usize = 4 << 20;
/// A report of a thousand runs is a tenth of it.
pub const BYTES_MAX: u64 = 256 << 20;

/// One message, and what comes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<M> {
    pub message: M,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Error)]
pub enum PipeError {
    #[error("the pipe to the other process failed: {0}; start sokudo page again")]
    Failed(#[from] io::Error),
    #[error("the other process sent what is no message: {0}; both must be the same sokudo")]
    NoMessage(serde_json::Error),
    #[error("a message of {bytes} B is larger than the pipe carries; ask for less at once")]
    TooLarge { bytes: u64 },
    #[error("the other process ended in the middle of a message; start sokudo page again")]
    CutOff,
}

#[derive(Serialize, Deserialize)]
struct Line<M> {
    #[serde(flatten)]
    message: M,
    #[serde(default, skip_serializing_if = "is_zero")]
    bytes: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// Writes a frame whole, and flushes.
///
/// # Errors
/// When it is too large, or the pipe is closed.
pub fn write_frame<M: Serialize>(
    out: &mut impl Write,
    message: &M,
    bytes: &[u8],
) -> Result<(), PipeError> {
    let length = bytes.len() as u64;
    if length > BYTES_MAX {
        return Err(PipeError::TooLarge { bytes: length });
    }
    let line = Line {
        message,
        bytes: length,
    };
    let mut line = serde_json::to_vec(&line).map_err(PipeError::NoMessage)?;
    if line.len() > LINE_BYTES_MAX {
        return Err(PipeError::TooLarge {
            bytes: line.len() as u64,
        });
    }
    line.push(b'\n');
    out.write_all(&line)?;
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Reads a frame; `None` where the other process has closed the pipe.
///
/// # Errors
/// When what comes is no frame, is too large, or ends in the middle.
pub fn read_frame<M: DeserializeOwned>(
    input: &mut impl BufRead,
) -> Result<Option<Frame<M>>, PipeError> {
    let mut line = Vec::new();
    // One more than allowed tells a line that is too long from one that is cut off.
    let limit = LINE_BYTES_MAX as u64 + 1;
    input.by_ref().take(limit).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err(match line.len() >= LINE_BYTES_MAX {
            true => PipeError::TooLarge { bytes: limit },
            false => PipeError::CutOff,
        });
    }
    let line: Line<M> = serde_json::from_slice(&line).map_err(PipeError::NoMessage)?;
    if line.bytes > BYTES_MAX {
        return Err(PipeError::TooLarge { bytes: line.bytes });
    }
    // It grows with what arrives, not with what was announced.
    let mut bytes = Vec::new();
    input.by_ref().take(line.bytes).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != line.bytes {
        return Err(PipeError::CutOff);
    }
    Ok(Some(Frame {
        message: line.message,
        bytes,
    }))
}
