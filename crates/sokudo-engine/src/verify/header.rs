//! The header that each checked piece of a block begins with, byte for byte fio's
//! (`struct verify_header` of fio 3.33, little-endian machines), so that fio reads
//! ours and we read fio's. It knows nothing of sums and contents.

use sokudo_model::Check;

/// What every header begins with.
const MAGIC: u16 = 0xACCA;

/// Its length without the sum that follows it.
pub(crate) const HEADER_BYTES: usize = 40;

/// Where the header's own checksum lies; it covers all before it.
const OWN_SUM_AT: usize = 36;

/// The fields of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerifyHeader {
    /// Which check, in fio's numbers.
    pub(crate) kind: u16,
    /// Bytes from this header to the next one.
    pub(crate) length: u32,
    /// What the contents were made from; fio leaves it 0 for patterns.
    pub(crate) seed: u64,
    /// Where in the file the piece belongs.
    pub(crate) offset: u64,
    /// Number of the thread that wrote it.
    pub(crate) thread: u16,
    /// Lowest bits of the write's serial.
    pub(crate) serial: u16,
}

/// Why bytes are no valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// They do not look like one.
    Absent,
    /// The header's own checksum does not fit.
    Damaged {
        /// What the header says.
        stored: u32,
        /// What its bytes come to.
        found: u32,
    },
}

impl VerifyHeader {
    /// Writes the header at the start of `piece`. The time is left 0: it is nowhere
    /// checked, and the same run writes the same bytes.
    pub(crate) fn write(&self, piece: &mut [u8]) {
        piece[..HEADER_BYTES].fill(0);
        piece[0..2].copy_from_slice(&MAGIC.to_le_bytes());
        piece[2..4].copy_from_slice(&self.kind.to_le_bytes());
        piece[4..8].copy_from_slice(&self.length.to_le_bytes());
        piece[8..16].copy_from_slice(&self.seed.to_le_bytes());
        piece[16..24].copy_from_slice(&self.offset.to_le_bytes());
        // 24..32 are seconds and nanoseconds.
        piece[32..34].copy_from_slice(&self.thread.to_le_bytes());
        piece[34..36].copy_from_slice(&self.serial.to_le_bytes());
        let own_sum = own_sum(piece);
        piece[OWN_SUM_AT..HEADER_BYTES].copy_from_slice(&own_sum.to_le_bytes());
    }

    /// Reads the header at the start of `piece`.
    pub(crate) fn read(piece: &[u8]) -> Result<Self, Invalid> {
        let stored = u32::from_le_bytes(array(piece, OWN_SUM_AT));
        if u16::from_le_bytes(array(piece, 0)) != MAGIC {
            // Flipped bits in the magic number are no missing header.
            let mut repaired = [0; OWN_SUM_AT];
            repaired.copy_from_slice(&piece[..OWN_SUM_AT]);
            repaired[0..2].copy_from_slice(&MAGIC.to_le_bytes());
            if own_sum(&repaired) != stored {
                return Err(Invalid::Absent);
            }
        }
        let found = own_sum(piece);
        if found != stored {
            return Err(Invalid::Damaged { stored, found });
        }
        Ok(Self {
            kind: u16::from_le_bytes(array(piece, 2)),
            length: u32::from_le_bytes(array(piece, 4)),
            seed: u64::from_le_bytes(array(piece, 8)),
            offset: u64::from_le_bytes(array(piece, 16)),
            thread: u16::from_le_bytes(array(piece, 32)),
            serial: u16::from_le_bytes(array(piece, 34)),
        })
    }
}

/// CRC-32C without the final inversion, as fio computes it.
fn own_sum(piece: &[u8]) -> u32 {
    !crc32c::crc32c(&piece[..OWN_SUM_AT])
}

fn array<const N: usize>(piece: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&piece[at..at + N]);
    bytes
}

/// fio's number of a check; `None` where there is no header. crc32c has a second
/// one, 6, for the processor's instruction; it means the same.
pub(crate) const fn kind_of(check: Check) -> Option<u16> {
    Some(match check {
        Check::Header => 1,
        Check::Md5 => 2,
        Check::Crc64 => 3,
        Check::Crc32 => 4,
        Check::Crc32c => 5,
        Check::Crc16 => 7,
        Check::Crc7 => 8,
        Check::Sha256 => 9,
        Check::Sha512 => 10,
        Check::Sha3_224 => 11,
        Check::Sha3_256 => 12,
        Check::Sha3_384 => 13,
        Check::Sha3_512 => 14,
        Check::Xxhash => 15,
        Check::Sha1 => 16,
        Check::PatternHeader => 17,
        Check::Pattern | Check::Null => return None,
    })
}

/// The name of a check by fio's number, for messages.
pub(crate) fn name_of(kind: u16) -> &'static str {
    const NAMES: &str = "none meta md5 crc64 crc32 crc32c crc32c-intel crc16 crc7 sha256 sha512 \
        sha3-224 sha3-256 sha3-384 sha3-512 xxhash sha1 pattern_hdr pattern null";
    let mut names = NAMES.split_ascii_whitespace();
    names.nth(usize::from(kind)).unwrap_or("an unknown check")
}

/// Whether a header's check is the one that is asked for.
pub(crate) fn is_kind(kind: u16, check: Check) -> bool {
    Some(kind) == kind_of(check) || (kind == 6 && check == Check::Crc32c)
}
