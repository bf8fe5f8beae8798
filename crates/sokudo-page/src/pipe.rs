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
    #[error(
        "the other process sent an invalid message: {0}; both must be the same version of sokudo"
    )]
    NoMessage(serde_json::Error),
    #[error("a message of {bytes} B is larger than the pipe carries; ask for less at once")]
    TooLarge { bytes: u64 },
    #[error("the other process ended in the middle of a message; start sokudo page again")]
    CutOff,
}

#[derive(Serialize, Deserialize)]
struct MessageLine<M> {
    #[serde(flatten)]
    message: M,
    #[serde(default, skip_serializing_if = "is_zero")]
    bytes: u64,
}

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
    let line = MessageLine {
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
    let line: MessageLine<M> = serde_json::from_slice(&line).map_err(PipeError::NoMessage)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::RunEvent;
    use crate::message::{Ask, MeasurerMessage};

    fn read(mut bytes: &[u8]) -> Result<Option<Frame<Ask>>, PipeError> {
        read_frame(&mut bytes)
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let event = RunEvent::Latency {
            row: 3,
            at: 0.25,
            counts: vec![(7, u64::MAX), (127, 1)],
        };
        let event = MeasurerMessage::Event { run: 1, event };
        let answer = MeasurerMessage::Answer {
            id: 9,
            ok: true,
            kind: "text/plain".to_owned(),
            name: Some("a\nb".to_owned()),
        };
        let mut pipe = Vec::new();
        write_frame(&mut pipe, &event, b"").unwrap();
        write_frame(&mut pipe, &answer, b"{\n\0").unwrap();
        let mut input = pipe.as_slice();
        let mut next = || read_frame::<MeasurerMessage>(&mut input).unwrap();
        let first = next().unwrap();
        assert_eq!(format!("{:?}", first.message), format!("{event:?}"));
        assert_eq!(first.bytes, b"");
        let second = next().unwrap();
        assert!(
            matches!(second.message, MeasurerMessage::Answer { name: Some(name), .. } if name == "a\nb")
        );
        assert_eq!(second.bytes, b"{\n\0");
        assert!(next().is_none(), "the pipe is closed");
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let long = vec![b' '; LINE_BYTES_MAX + 2];
        let large = format!(
            "{{\"ask\":\"stop\",\"id\":1,\"run\":2,\"bytes\":{}}}\n",
            BYTES_MAX + 1
        );
        for (bytes, expected) in [
            (&long[..], "larger than the pipe carries"),
            (large.as_bytes(), "larger than the pipe carries"),
            (br#"{"ask":"stop""#, "in the middle"),
            (
                b"{\"ask\":\"stop\",\"id\":1,\"run\":2,\"bytes\":5}\nabc",
                "in the middle",
            ),
            (b"\n", "an invalid message"),
            (b"{\"ask\":\"measure\",\"id\":1}\n", "an invalid message"),
            (
                b"{\"ask\":\"stop\",\"id\":-1,\"run\":2}\n",
                "an invalid message",
            ),
        ] {
            let error = read(bytes).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_opens_sessions_is_not_printed() {
        let json = r#"{"told":"hello","control_token":"secret1","read_token":"secret2","lang":"en","port":1,"version":"1"}"#;
        let hello: MeasurerMessage = serde_json::from_str(json).unwrap();
        let code = MeasurerMessage::Code {
            code: "secret3".to_owned(),
        };
        let token = MeasurerMessage::Token {
            control_token: "secret4".to_owned(),
        };
        let printed = format!("{hello:?} {code:?} {token:?}");
        assert!(!printed.contains("secret"), "{printed}");
    }
}
