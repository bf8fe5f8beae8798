//! Sense data: why a disk did not do what it was asked, or what its registers were.

/// Sense data of either format (SPC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sense {
    /// Sense key; 0 and 1 are no failure.
    pub key: u8,
    /// Additional sense code, which says more than the key.
    pub code: u8,
    pub qualifier: u8,
    /// The registers of an ATA disk, where they came along.
    pub registers: Option<AtaRegisters>,
}

/// Registers of an ATA disk after a command (SAT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtaRegisters {
    pub error: u8,
    /// Status; bit 0 says that it failed.
    pub status: u8,
    /// Bits 8 to 15 of the address.
    pub lba_middle: u8,
    /// Bits 16 to 23 of the address.
    pub lba_high: u8,
}

/// The descriptor that carries the registers.
const ATA_STATUS_RETURN: u8 = 0x09;

/// "ATA pass through information available".
const PASS_THROUGH_INFORMATION: (u8, u8) = (0x00, 0x1d);

impl Sense {
    /// Reads sense data; `None` if it is none.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match bytes.first()? & 0x7f {
            0x70 | 0x71 => Self::fixed(bytes),
            0x72 | 0x73 => Self::descriptors(bytes),
            _ => None,
        }
    }

    /// Whether the command was not done.
    pub fn is_failure(&self) -> bool {
        let aborted = self.registers.is_some_and(|it| it.status & 1 == 1);
        self.key > 1 || aborted
    }

    fn fixed(bytes: &[u8]) -> Option<Self> {
        let at = |index: usize| bytes.get(index).copied();
        let (code, qualifier) = (at(12).unwrap_or(0), at(13).unwrap_or(0));
        let carries = (code, qualifier) == PASS_THROUGH_INFORMATION && bytes.len() >= 12;
        Some(Self {
            key: at(2)? & 0xf,
            code,
            qualifier,
            registers: carries.then(|| AtaRegisters {
                error: bytes[3],
                status: bytes[4],
                lba_middle: bytes[10],
                lba_high: bytes[11],
            }),
        })
    }

    fn descriptors(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.get(8..).unwrap_or_default();
        let mut registers = None;
        while let [kind, length, ..] = *rest {
            let end = (usize::from(length) + 2).min(rest.len());
            if let (ATA_STATUS_RETURN, Some(it)) = (kind, rest.get(..14)) {
                registers = Some(AtaRegisters {
                    error: it[3],
                    lba_middle: it[9],
                    lba_high: it[11],
                    status: it[13],
                });
            }
            rest = &rest[end..];
        }
        Some(Self {
            key: bytes.get(1)? & 0xf,
            code: *bytes.get(2)?,
            qualifier: *bytes.get(3)?,
            registers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_give_the_registers() {
        let mut descriptor = vec![0x72, 1, 0, 0x1d, 0, 0, 0, 14];
        descriptor.extend_from_slice(&[9, 12, 0, 0, 0, 0, 0, 0, 0, 0xf4, 0, 0x2c, 0x40, 0x50]);
        let fixed = [0xf0, 0, 1, 0, 0x50, 0x40, 0, 10, 0, 0, 0xf4, 0x2c, 0, 0x1d];
        for bytes in [&descriptor[..], &fixed] {
            let sense = Sense::parse(bytes).unwrap();
            assert!(!sense.is_failure());
            let registers = sense.registers.unwrap();
            assert_eq!((registers.lba_middle, registers.lba_high), (0xf4, 0x2c));
        }
    }

    #[test]
    fn an_aborted_command_is_a_failure() {
        let bytes = [
            0x72, 0x0b, 0, 0, 0, 0, 0, 14, 9, 12, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x51,
        ];
        let sense = Sense::parse(&bytes).unwrap();
        assert!(sense.is_failure());
        assert_eq!(sense.registers.unwrap().error, 4);
    }

    #[test]
    fn cut_off_or_odd_sense_never_panics() {
        let whole: Vec<u8> = (0..=255_u8).collect();
        for kind in 0..=u8::MAX {
            for length in 0..40 {
                let mut bytes = whole[..length].to_vec();
                if let Some(first) = bytes.first_mut() {
                    *first = kind;
                }
                let _ = Sense::parse(&bytes);
            }
        }
    }
}
