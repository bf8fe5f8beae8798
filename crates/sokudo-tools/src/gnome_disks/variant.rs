//! As much of GVariant's serialised form as an `a{sv}` of plain values needs.
//!
//! Framing: a container of things of variable length ends in a table of where each of
//! them ends, counted from the container's start, in as many bytes each as the length of
//! the container needs (1, 2, 4 or 8), little-endian always. Values are in the byte order
//! of the machine that wrote them, and aligned to their own size.
//! (<https://docs.gtk.org/glib/gvariant-format-strings.html> and the `GVariant`
//! specification, 2010.)

/// Dictionary entries begin at multiples of this, because variants do.
const ALIGNMENT: usize = 8;
/// A pair of `(td)`.
const PAIR_BYTES: usize = 16;

/// The entries of an `a{sv}`.
pub(super) struct Dictionary<'bytes> {
    entries: Vec<DictionaryEntry<'bytes>>,
}

struct DictionaryEntry<'bytes> {
    key: &'bytes [u8],
    value: &'bytes [u8],
    signature: &'bytes [u8],
}

/// An element of `a(td)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) offset: u64,
    pub(super) value: f64,
}

impl<'bytes> Dictionary<'bytes> {
    /// `None` where the framing leads outside.
    pub(super) fn read(bytes: &'bytes [u8]) -> Option<Self> {
        let width = offset_width(bytes.len());
        let table_start = offset(bytes, bytes.len().checked_sub(width)?, width)?;
        let table = bytes.get(table_start..)?;
        if table.is_empty() || !table.len().is_multiple_of(width) {
            return None;
        }
        let (mut entries, mut start) = (Vec::new(), 0_usize);
        for index in 0..table.len() / width {
            let end = offset(table, index * width, width)?;
            if end > table_start {
                return None;
            }
            // An entry that is damaged is missing; the others are not.
            entries.extend(bytes.get(start..end).and_then(DictionaryEntry::read));
            start = end.checked_next_multiple_of(ALIGNMENT)?;
        }
        Some(Self { entries })
    }

    /// The value of a key, if it is of this type.
    pub(super) fn get(&self, key: &str, signature: &str) -> Option<&'bytes [u8]> {
        let found = self
            .entries
            .iter()
            .find(|entry| entry.key == key.as_bytes())?;
        (found.signature == signature.as_bytes()).then_some(found.value)
    }
}

impl<'bytes> DictionaryEntry<'bytes> {
    fn read(bytes: &'bytes [u8]) -> Option<Self> {
        let width = offset_width(bytes.len());
        let table_start = bytes.len().checked_sub(width)?;
        let key_end = offset(bytes, table_start, width)?;
        let (key, nul) = bytes
            .get(..key_end)?
            .split_at_checked(key_end.checked_sub(1)?)?;
        let value_start = key_end.checked_next_multiple_of(ALIGNMENT)?;
        let variant = bytes.get(value_start..table_start)?;
        // A variant is its value, a zero byte and its type.
        let nul_at = variant.iter().rposition(|byte| *byte == 0)?;
        (nul == [0]).then(|| Self {
            key,
            value: &variant[..nul_at],
            signature: &variant[nul_at + 1..],
        })
    }
}

fn offset_width(length: usize) -> usize {
    match length {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    }
}

fn offset(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let mut whole = [0; 8];
    let part = bytes.get(at..at.checked_add(width)?)?;
    whole.get_mut(..width)?.copy_from_slice(part);
    usize::try_from(u64::from_le_bytes(whole)).ok()
}

/// That of the machine which wrote the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The order in which the bytes are this number; `None` in neither.
    pub(super) fn of_number(bytes: &[u8], number: i32) -> Option<Self> {
        let bytes: [u8; 4] = bytes.try_into().ok()?;
        match number {
            _ if i32::from_le_bytes(bytes) == number => Some(Self::Little),
            _ if i32::from_be_bytes(bytes) == number => Some(Self::Big),
            _ => None,
        }
    }

    pub(super) fn number(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    /// The elements of an `a(td)`; a rest that is none is ignored.
    pub(super) fn pairs(self, bytes: &[u8]) -> Vec<Pair> {
        let (pairs, _) = bytes.as_chunks::<PAIR_BYTES>();
        pairs
            .iter()
            .map(|pair| {
                let (numbers, _) = pair.as_chunks::<8>();
                Pair {
                    offset: self.number(numbers[0]),
                    value: f64::from_bits(self.number(numbers[1])),
                }
            })
            .collect()
    }
}
