//! A message is sent as one frame, or as several where it is large, so that small ones get
//! through between them. A frame says that it is sokudo's, of which protocol, and what it is.

/// What other versions must not be able to misunderstand. Counted up with every change of the
/// messages; the form of a frame and of [`crate::message::Message::Hello`] stays for ever.
pub(crate) const PROTOCOL: u16 = 1;

const MAGIC: [u8; 4] = *b"SKDU";
const HEAD_BYTES: usize = 7;

/// Within what Open MPI and MPICH send over TCP without asking (64 KiB, 128 KiB), and small
/// enough that a beat behind it is on time.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 32 << 10;

pub(crate) const FRAME_BYTES_MAX: usize = HEAD_BYTES + PAYLOAD_BYTES_MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A message that overtakes parts of others.
    Whole,
    Part,
    LastPart,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DecodedFrame<'a> {
    pub(crate) protocol: u16,
    pub(crate) kind: FrameKind,
    pub(crate) payload: &'a [u8],
}

pub(crate) fn encode(kind: FrameKind, payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() <= PAYLOAD_BYTES_MAX, "{}", payload.len());
    let mut frame = Vec::with_capacity(HEAD_BYTES + payload.len());
    frame.extend(MAGIC);
    frame.extend(PROTOCOL.to_le_bytes());
    frame.push(match kind {
        FrameKind::Whole => 0,
        FrameKind::Part => 1,
        FrameKind::LastPart => 2,
    });
    frame.extend(payload);
    frame
}

/// `None` if it is no frame of sokudo's.
pub(crate) fn decode(bytes: &[u8]) -> Option<DecodedFrame<'_>> {
    if bytes.len() > FRAME_BYTES_MAX {
        return None;
    }
    let (head, payload) = bytes.split_at_checked(HEAD_BYTES)?;
    let (magic, rest) = head.split_at(MAGIC.len());
    if magic != MAGIC {
        return None;
    }
    let kind = match rest[2] {
        0 => FrameKind::Whole,
        1 => FrameKind::Part,
        2 => FrameKind::LastPart,
        _ => return None,
    };
    Some(DecodedFrame {
        protocol: u16::from_le_bytes([rest[0], rest[1]]),
        kind,
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written_and_nothing_else_is() {
        for kind in [FrameKind::Whole, FrameKind::Part, FrameKind::LastPart] {
            let bytes = encode(kind, b"abc");
            let frame = decode(&bytes).unwrap();
            assert_eq!(
                (frame.kind, frame.payload, frame.protocol),
                (kind, &b"abc"[..], PROTOCOL)
            );
        }
        let good = encode(FrameKind::Part, &[]);
        for length in 0..good.len() {
            assert_eq!(decode(&good[..length]), None);
        }
        let mut other = good.clone();
        other[6] = 3;
        assert_eq!(decode(&other), None);
        other = good.clone();
        other[0] = b'x';
        assert_eq!(decode(&other), None);
        assert_eq!(decode(&vec![0; FRAME_BYTES_MAX + 1]), None);
    }
}
