//! What a volume is called by.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An identifier of 128 bits, as file systems and arrays have it. `Display` groups its
/// digits as `8-4-4-4-12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Uuid([u8; 16]);

impl Uuid {
    /// A new one, of chance (version 4 of RFC 9562).
    ///
    /// # Errors
    /// When the system has no chance to give.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Ok(Self(bytes))
    }

    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// As `mdadm` writes it: `8:8:8:8`.
    pub fn for_mdadm(&self) -> String {
        let digits = self.digits();
        let groups = [0, 8, 16, 24].map(|at| &digits[at..at + 8]);
        groups.join(":")
    }

    fn digits(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits();
        let (first, rest) = digits.split_at(8);
        write!(
            f,
            "{first}-{}-{}-{}-{}",
            &rest[..4],
            &rest[4..8],
            &rest[8..12],
            &rest[12..]
        )
    }
}

/// Reads any grouping of its 32 digits.
impl FromStr for Uuid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: String = text.chars().filter(|sign| !"-:".contains(*sign)).collect();
        let is_hexadecimal = digits.len() == 32 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        let bits = is_hexadecimal.then(|| u128::from_str_radix(&digits, 16).ok());
        let bits = bits.flatten().ok_or_else(|| text.to_owned())?;
        Ok(Self(bits.to_be_bytes()))
    }
}

impl From<Uuid> for String {
    fn from(uuid: Uuid) -> Self {
        uuid.to_string()
    }
}

impl TryFrom<String> for Uuid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// What a volume is called by. All its names are our own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeNames {
    /// Where it is mounted. The directory is made if it is not there.
    pub mount_point: PathBuf,
    /// `sokudo-1a2b3c4d-12`, of arrays and pools.
    pub name: String,
    /// Of the file system; an array has `array_uuid`.
    pub uuid: Uuid,
    pub array_uuid: Uuid,
}

impl VolumeNames {
    /// Volume `number` of the matrix `id`, mounted on `mount_point`.
    ///
    /// # Errors
    /// When the system has no chance to give.
    pub fn new(id: &str, number: usize, mount_point: PathBuf) -> io::Result<Self> {
        Ok(Self {
            mount_point,
            name: format!("sokudo-{id}-{number}"),
            uuid: Uuid::random()?,
            array_uuid: Uuid::random()?,
        })
    }

    /// Where an array is found by its name.
    pub fn array(&self) -> PathBuf {
        PathBuf::from("/dev/md").join(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_read_as_it_is_written() {
        let uuid: Uuid = "0011223344556677-8899-aabbccddeeff".parse().unwrap();
        assert_eq!(uuid.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(uuid.for_mdadm(), "00112233:44556677:8899aabb:ccddeeff");
        assert_eq!(uuid.for_mdadm().parse(), Ok(uuid));
        for wrong in [
            "",
            "0",
            "zz112233-4455-6677-8899-aabbccddeeff",
            "+0112233445566778899aabbccddeeff",
        ] {
            assert!(wrong.parse::<Uuid>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn identifiers_of_chance_differ() {
        assert_ne!(Uuid::random().unwrap(), Uuid::random().unwrap());
    }
}
