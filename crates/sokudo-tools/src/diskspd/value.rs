//! Numbers and sizes as diskspd writes them.

use sokudo_model::Bytes;

use crate::language::{plain_number, size_text};

/// A whole number without sign or spaces.
pub(super) fn number(text: &str) -> Option<u64> {
    plain_number(text)?
}

/// A whole number of 32 bits within limits.
pub(super) fn number_within(text: &str, least: u32, most: u32) -> Option<u32> {
    let value = u32::try_from(number(text)?).ok()?;
    (least..=most).contains(&value).then_some(value)
}

/// Bytes: a whole number with `K`, `M`, `G`, `T` (powers of 1024) or `b` (blocks) behind
/// it, or nothing.
pub(super) fn size(text: &str, block: u64) -> Option<u64> {
    let (digits, scale) = match text.char_indices().next_back()? {
        (at, last) if last.is_ascii_alphabetic() => (&text[..at], scale(last, block)?),
        _ => (text, 1),
    };
    number(digits)?.checked_mul(scale)
}

fn scale(letter: char, block: u64) -> Option<u64> {
    match letter.to_ascii_uppercase() {
        'K' => Some(1 << 10),
        'M' => Some(1 << 20),
        'G' => Some(1 << 30),
        'T' => Some(1 << 40),
        'B' => Some(block),
        _ => None,
    }
}

/// A size in the shortest exact form that [`size`] reads.
pub(super) fn shortest(bytes: u64) -> String {
    size_text(Bytes(bytes)).to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_have_units_of_1024_and_blocks() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4K", 4096),
            ("4k", 4096),
            ("1M", 1 << 20),
            ("2G", 2 << 30),
            ("3T", 3 << 40),
            ("10b", 655_360),
            ("10B", 655_360),
            ("0", 0),
        ] {
            assert_eq!(size(text, 65_536), Some(bytes), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_size() {
        for text in [
            "",
            "K",
            "4KB",
            "-1",
            "1.5G",
            "4 K",
            "1e3",
            "0x10",
            "99999999999T",
            "4é",
        ] {
            assert_eq!(size(text, 65_536), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_shortest_form_reads_back(bytes: u64) {
            prop_assert_eq!(size(&shortest(bytes), 1), Some(bytes));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,12}") {
            let _ = size(&text, 4096);
        }
    }
}
