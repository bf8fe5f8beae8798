//! Bytes of a page that a device has sent, read without trusting it: what lies beyond
//! the end is `None`.

/// Why a page cannot be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum PageError {
    /// It ends too early.
    #[error("{page} has {bytes} bytes, where {needed} are needed")]
    Short {
        page: &'static str,
        bytes: usize,
        needed: usize,
    },
    /// Its own checksum does not fit.
    #[error("{page} was damaged on its way: its checksum does not match")]
    Checksum { page: &'static str },
    #[error("{page} is empty")]
    Empty { page: &'static str },
    /// It says itself that it is another one.
    #[error("{page} is not the page that was asked for")]
    Other { page: &'static str },
}

/// The bytes from `at` on.
pub(crate) fn bytes<const COUNT: usize>(page: &[u8], at: usize) -> Option<[u8; COUNT]> {
    page.get(at..at.checked_add(COUNT)?)?.try_into().ok()
}

/// Numbers of a page: `le` has the lowest byte first, `be` the highest.
macro_rules! numbers {
    ($($name:ident $number:ident $from_bytes:ident;)+) => {
        $(pub(crate) fn $name(page: &[u8], at: usize) -> Option<$number> {
            bytes(page, at).map($number::$from_bytes)
        })+
    };
}

numbers! {
    le16 u16 from_le_bytes;
    le32 u32 from_le_bytes;
    le64 u64 from_le_bytes;
    le128 u128 from_le_bytes;
    be16 u16 from_be_bytes;
    be32 u32 from_be_bytes;
    be64 u64 from_be_bytes;
}

/// Text of a device: padding is cut off, and what cannot be printed, such as a
/// terminal's control sequence, becomes `?`.
pub(crate) fn text(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .map(|byte| match byte {
            0x20..=0x7e => char::from(*byte),
            0 => ' ',
            _ => '?',
        })
        .collect();
    text.trim().to_owned()
}

/// Formats bytes as lower-case hexadecimal digits, two per byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A UUID, as `blkid` and the links of udev have it.
pub(crate) fn dashed(bytes: [u8; 16]) -> String {
    let parts = [0..4, 4..6, 6..8, 8..10, 10..16];
    parts.map(|part| hexadecimal(&bytes[part])).join("-")
}

/// Whether there is anything but zeros.
pub(crate) fn is_set(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte != 0)
}

/// Fails unless the page is long enough.
pub(crate) fn at_least(page: &[u8], needed: usize, name: &'static str) -> Result<(), PageError> {
    if page.len() < needed {
        return Err(PageError::Short {
            page: name,
            bytes: page.len(),
            needed,
        });
    }
    // A dead bus reads as all ones.
    if !is_set(page) || page.iter().all(|byte| *byte == 0xff) {
        return Err(PageError::Empty { page: name });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_end_is_none() {
        assert_eq!(le16(&[1, 2, 3], 1), Some(0x0302));
        assert_eq!(le16(&[1, 2, 3], 2), None);
        assert_eq!(be64(&[0; 8], usize::MAX), None);
    }

    #[test]
    fn text_of_a_device_cannot_steer_a_terminal() {
        assert_eq!(text(b" ST\x1b[2J4000\xff  \0\0"), "ST?[2J4000?");
        assert_eq!(text(b"\0\0\0"), "");
    }

    #[test]
    fn uuids_are_written_as_everywhere() {
        let bytes = std::array::from_fn(|index| u8::try_from(index * 17).unwrap());
        assert_eq!(dashed(bytes), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
