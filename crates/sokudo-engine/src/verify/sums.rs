//! The sum that follows a header: one per kind of check, in fio's variants, which
//! are not all the usual ones. Found by comparing with blocks that fio 3.33 wrote.

use crc::{Algorithm, Crc, Table};
use md5::Md5;
use sha1::Sha1;
use sha2::Sha512;
use sha2::block_api::compress256;
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use sokudo_model::Check;
use twox_hash::XxHash32;

use md5::Digest as _;

/// The longest sum: fio reserves 128 bytes for SHA-512.
pub(crate) const SUM_BYTES_MAX: usize = 128;

/// fio's crc64: the polynomial of Redis, nothing inverted.
static CRC64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&crc::CRC_64_REDIS);
/// fio's crc32: that of `cksum` without the length and the inversion.
static CRC32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&Algorithm {
    width: 32,
    poly: 0x04C1_1DB7,
    init: 0,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x89A1_897F,
    residue: 0,
});
static CRC16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&crc::CRC_16_ARC);
static CRC7: Crc<u8, Table<16>> = Crc::<u8, Table<16>>::new(&crc::CRC_7_MMC);

/// fio's seed of xxHash.
const XXHASH_SEED: u32 = 1;

/// A sum in the room that its header has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    bytes: [u8; SUM_BYTES_MAX],
    length: usize,
}

impl Sum {
    /// Of the contents of a piece, header and sum not included.
    pub(crate) fn of(check: Check, contents: &[u8]) -> Self {
        match check {
            Check::Md5 => Self::new(check, &Md5::digest(contents)),
            Check::Crc64 => Self::new(check, &CRC64.checksum(contents).to_le_bytes()),
            // Without the final inversion.
            Check::Crc32c => Self::new(check, &(!crc32c::crc32c(contents)).to_le_bytes()),
            Check::Crc32 => Self::new(check, &CRC32.checksum(contents).to_le_bytes()),
            Check::Crc16 => Self::new(check, &CRC16.checksum(contents).to_le_bytes()),
            Check::Crc7 => Self::new(check, &[CRC7.checksum(contents)]),
            Check::Xxhash => {
                let hash = XxHash32::oneshot(XXHASH_SEED, contents);
                Self::new(check, &hash.to_le_bytes())
            }
            Check::Sha1 => {
                let mut digest: [u8; 20] = Sha1::digest(contents).into();
                // fio keeps the words in the machine's order.
                digest.chunks_exact_mut(4).for_each(<[u8]>::reverse);
                Self::new(check, &digest)
            }
            Check::Sha256 => Self::new(check, &sha256_of_fio(contents)),
            Check::Sha512 => Self::new(check, &Sha512::digest(contents)),
            Check::Sha3_224 => Self::new(check, &Sha3_224::digest(contents)),
            Check::Sha3_256 => Self::new(check, &Sha3_256::digest(contents)),
            Check::Sha3_384 => Self::new(check, &Sha3_384::digest(contents)),
            Check::Sha3_512 => Self::new(check, &Sha3_512::digest(contents)),
            Check::Header | Check::PatternHeader | Check::Pattern | Check::Null => {
                Self::new(check, &[])
            }
        }
    }

    /// What fio 3.33 keeps for SHA-512 instead of a digest: its work buffer, which holds
    /// the end of the contents and then a part of their start, and says nothing of what
    /// lies between. `None` for other checks, and for contents shorter than one block.
    pub(crate) fn of_fio(check: Check, contents: &[u8]) -> Option<Self> {
        if check != Check::Sha512 {
            return None;
        }
        let mut block = [0; 128];
        block.copy_from_slice(contents.get(..128)?);
        let tail = contents.len() % 128;
        block[..tail].copy_from_slice(&contents[contents.len() - tail..]);
        Some(Self::new(check, &block))
    }

    fn new(check: Check, sum: &[u8]) -> Self {
        let mut bytes = [0; SUM_BYTES_MAX];
        bytes[..sum.len()].copy_from_slice(sum);
        Self {
            bytes,
            length: sum_bytes(check),
        }
    }

    /// Its bytes, as they are stored.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Room that a header has for its sum.
pub(crate) const fn sum_bytes(check: Check) -> usize {
    match check {
        Check::Md5 => 16,
        Check::Crc64 => 8,
        Check::Crc32 | Check::Crc32c | Check::Xxhash => 4,
        Check::Crc16 => 2,
        Check::Crc7 => 1,
        Check::Sha1 => 20,
        // Twice the digest, as fio reserves.
        Check::Sha256 => 64,
        Check::Sha512 => 128,
        Check::Sha3_224 => 28,
        Check::Sha3_256 => 32,
        Check::Sha3_384 => 48,
        Check::Sha3_512 => 64,
        Check::Header | Check::PatternHeader | Check::Pattern | Check::Null => 0,
    }
}

/// Initial hash value of SHA-256 (FIPS 180-4, section 5.3.3).
const SHA256_START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// SHA-256 as fio has it: the length that ends the message lies in the machine's order,
/// and what is kept is the last block, its first eight bytes being the lowest byte of
/// each word of the digest.
fn sha256_of_fio(contents: &[u8]) -> [u8; 64] {
    let (blocks, tail) = contents.as_chunks::<64>();
    let mut state = SHA256_START;
    compress256(&mut state, blocks);
    let mut last = [[0; 64]; 2];
    last[0][..tail.len()].copy_from_slice(tail);
    last[0][tail.len()] = 0x80;
    // With less than nine bytes left, the padding fills one block more.
    let count = if tail.len() < 56 { 1 } else { 2 };
    let bits = 8 * contents.len() as u64;
    last[count - 1][56..].copy_from_slice(&bits.to_le_bytes());
    compress256(&mut state, &last[..count]);
    let mut kept = last[count - 1];
    for (byte, word) in kept.iter_mut().zip(state) {
        *byte = word.to_le_bytes()[0];
    }
    kept
}

/// A sum as people read it.
pub(crate) fn hexadecimal(sum: &[u8]) -> String {
    use std::fmt::Write as _;
    sum.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
