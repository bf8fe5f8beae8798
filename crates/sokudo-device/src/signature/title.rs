//! The label and the identifier that a file system or volume bears.
//!
//! Pure: bytes of a device go in. Every place is the one that the format's own
//! documentation or the kernel's headers give (`fs/ext4/ext4.h`, `xfs_format.h`,
//! `btrfs_tree.h`, `linux/swap.h`, `md_p.h`, the LUKS 1 and 2 specifications, LVM2's
//! `lib/format_text/layout.h`, Microsoft's FAT and exFAT specifications, UEFI for GPT).
//! What is not there, or is not text, is `None`.

use super::{DeviceEnds, Signature};
use crate::page;

/// The metadata of LVM is text that begins with the group's name, which is no longer.
const GROUP_NAME_BYTES_MAX: usize = 128;
/// Entries of exFAT's root directory in which the label is looked for; it is among the
/// first, where mkfs puts it.
const DIRECTORY_ENTRIES_MAX: u64 = 128;

/// What something on a device calls itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    pub label: Option<String>,
    /// Universally unique identifier, or the serial number that takes its place.
    pub uuid: Option<String>,
}

/// The title of what `signature` has recognised.
pub fn title(ends: &DeviceEnds<'_>, signature: &Signature) -> Title {
    let at = |label: Option<String>, uuid: Option<String>| Title { label, uuid };
    match signature.what {
        "ext2" | "ext3" | "ext4" => at(text(ends, 1024 + 120, 16), uuid(ends, 1024 + 104)),
        "XFS" => at(text(ends, 108, 12), uuid(ends, 32)),
        "btrfs" => at(text(ends, 0x1_0000 + 299, 256), uuid(ends, 0x1_0000 + 32)),
        "swap space" => at(text(ends, 1052, 16), uuid(ends, 1036)),
        "F2FS" => at(wide_text(ends, 1024 + 124, 64), uuid(ends, 1024 + 108)),
        "FAT" => fat(ends),
        "exFAT" => at(exfat_label(ends), serial(ends, 100)),
        "NTFS" => at(None, ntfs_serial(ends)),
        "ISO 9660" => at(text(ends, 0x8028, 32), None),
        "LUKS" => luks(ends, signature.offset),
        "an LVM physical volume" => lvm(ends, signature.offset),
        "an md RAID superblock (1.0)"
        | "an md RAID superblock (1.1)"
        | "an md RAID superblock (1.2)" => at(
            text(ends, signature.offset + 32, 32),
            uuid(ends, signature.offset + 16),
        ),
        "a GPT partition table" => at(None, mixed_uuid(ends, signature.offset + 56)),
        "an MBR partition table" => at(None, word(ends, 440).map(|word| format!("{word:08x}"))),
        _ => Title::default(),
    }
}

/// Text that ends at its first zero, without space around it.
fn text(ends: &DeviceEnds<'_>, offset: u64, length: usize) -> Option<String> {
    let bytes = ends.at(offset, length)?;
    let end = bytes.iter().position(|byte| *byte == 0);
    non_empty(&String::from_utf8_lossy(
        &bytes[..end.unwrap_or(bytes.len())],
    ))
}

/// The same in UTF-16, little endian.
fn wide_text(ends: &DeviceEnds<'_>, offset: u64, length: usize) -> Option<String> {
    let units = ends.at(offset, length)?.chunks_exact(2);
    let units: Vec<u16> = units
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .take_while(|unit| *unit != 0)
        .collect();
    non_empty(&String::from_utf16_lossy(&units))
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn word(ends: &DeviceEnds<'_>, offset: u64) -> Option<u32> {
    Some(u32::from_le_bytes(ends.at(offset, 4)?.try_into().ok()?))
}

fn long_word(ends: &DeviceEnds<'_>, offset: u64) -> Option<u64> {
    Some(u64::from_le_bytes(ends.at(offset, 8)?.try_into().ok()?))
}

/// 16 bytes as 8-4-4-4-12 digits; zeros are none.
fn uuid(ends: &DeviceEnds<'_>, offset: u64) -> Option<String> {
    let bytes: [u8; 16] = ends.at(offset, 16)?.try_into().ok()?;
    dashed(bytes)
}

/// As GPT stores it: the first three groups are little endian.
fn mixed_uuid(ends: &DeviceEnds<'_>, offset: u64) -> Option<String> {
    let mut bytes: [u8; 16] = ends.at(offset, 16)?.try_into().ok()?;
    bytes[0..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    dashed(bytes)
}

fn dashed(bytes: [u8; 16]) -> Option<String> {
    (bytes != [0; 16]).then(|| page::dashed(bytes))
}

/// A volume's serial number as DOS writes it.
fn serial(ends: &DeviceEnds<'_>, offset: u64) -> Option<String> {
    let word = word(ends, offset)?;
    (word != 0).then(|| format!("{:04X}-{:04X}", word >> 16, word & 0xffff))
}

fn ntfs_serial(ends: &DeviceEnds<'_>) -> Option<String> {
    let number = long_word(ends, 0x48)?;
    (number != 0).then(|| format!("{number:016X}"))
}

/// FAT32 has its fields 28 bytes further than the older ones.
fn fat(ends: &DeviceEnds<'_>) -> Title {
    let is_32 = ends.holds(0x52, b"FAT32   ");
    let (serial_at, label_at) = if is_32 { (0x43, 0x47) } else { (0x27, 0x2b) };
    Title {
        label: text(ends, label_at, 11).filter(|label| label != "NO NAME"),
        uuid: serial(ends, serial_at),
    }
}

/// The label is an entry of the root directory (type 83h), whose place the boot sector
/// tells in clusters.
fn exfat_label(ends: &DeviceEnds<'_>) -> Option<String> {
    let shift = |offset| ends.at(offset, 1).map(|byte| u32::from(byte[0]));
    let (sector_shift, cluster_shift) = (shift(108)?, shift(109)?);
    let root_cluster = u64::from(word(ends, 96)?).checked_sub(2)?;
    if sector_shift > 12 || cluster_shift > 25 - sector_shift {
        return None;
    }
    let sectors = u64::from(word(ends, 88)?) + (root_cluster << cluster_shift);
    let root = sectors << sector_shift;
    let entry = (0..DIRECTORY_ENTRIES_MAX)
        .map(|index| root + index * 32)
        .find(|entry| ends.holds(*entry, &[0x83]))?;
    let characters = usize::from(ends.at(entry + 1, 1)?[0].min(11));
    wide_text(ends, entry + 2, characters * 2)
}

/// LUKS 1 has no label; both have the identifier as text in the same place.
fn luks(ends: &DeviceEnds<'_>, offset: u64) -> Title {
    let is_second = ends.at(offset + 6, 2) == Some(&[0, 2]);
    Title {
        label: if is_second {
            text(ends, offset + 24, 48)
        } else {
            None
        },
        uuid: text(ends, offset + 168, 40),
    }
}

/// The label's sector says where the volume's header is, that where the metadata is, and
/// that begins with the name of the volume group.
fn lvm(ends: &DeviceEnds<'_>, label: u64) -> Title {
    let header = word(ends, label + 20).map(|offset| label + u64::from(offset));
    Title {
        label: header.and_then(|header| volume_group(ends, header)),
        uuid: header.and_then(|header| volume_uuid(ends, header)),
    }
}

/// 32 signs in groups of 6-4-4-4-4-4-6.
fn volume_uuid(ends: &DeviceEnds<'_>, header: u64) -> Option<String> {
    let signs = text(ends, header, 32).filter(|signs| {
        signs.len() == 32 && signs.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })?;
    let groups = [0..6, 6..10, 10..14, 14..18, 18..22, 22..26, 26..32];
    Some(groups.map(|group| &signs[group]).join("-"))
}

fn volume_group(ends: &DeviceEnds<'_>, header: u64) -> Option<String> {
    /// Identifier and size come before the list of data areas.
    const LIST_OFFSET: u64 = 40;
    /// A list of areas is ended by one of zeros; there are one or two.
    const AREAS_MAX: u64 = 16;
    let area = |index: u64| {
        let offset = header + LIST_OFFSET + index * 16;
        Some((long_word(ends, offset)?, long_word(ends, offset + 8)?))
    };
    let end = (0..AREAS_MAX).find(|index| area(*index) == Some((0, 0)))?;
    let (metadata, _) = area(end + 1)?;
    // In the header of the metadata area, the place of the text is at 40.
    let text_at = metadata.checked_add(long_word(ends, metadata.checked_add(40)?)?)?;
    let begin = (1..=GROUP_NAME_BYTES_MAX + 2)
        .rev()
        .find_map(|length| ends.at(text_at, length))?;
    let name = String::from_utf8_lossy(begin)
        .split_once(" {")
        .map(|(name, _)| name.to_owned())?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+_.-".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::signatures;
    use super::*;
    use proptest::prelude::*;

    /// The titles of what a device of 1 MiB of zeros with these bytes holds.
    fn titles(writes: &[(usize, &[u8])]) -> Vec<(&'static str, Title)> {
        let mut device = vec![0; 1 << 20];
        for (offset, bytes) in writes {
            device[*offset..*offset + bytes.len()].copy_from_slice(bytes);
        }
        let ends = DeviceEnds {
            head: &device,
            tail: &device,
            size: device.len() as u64,
        };
        signatures(&ends)
            .iter()
            .map(|signature| (signature.what, title(&ends, signature)))
            .collect()
    }

    const UUID: [u8; 16] = [
        0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
    ];

    #[test]
    fn a_table_of_partitions_has_its_identifier_in_mixed_order() {
        let found = titles(&[(512, b"EFI PART"), (512 + 56, &UUID)]);
        assert_eq!(
            found[0].1.uuid.as_deref(),
            Some("33221100-5544-7766-8899-aabbccddeeff")
        );
    }

    #[test]
    fn an_array_has_a_name_and_an_identifier() {
        let found = titles(&[
            (4096, b"\xfc\x4e\x2b\xa9"),
            (4096 + 16, &UUID),
            (4096 + 32, b"host:data"),
        ]);
        assert_eq!(found[0].1.label.as_deref(), Some("host:data"));
        assert_eq!(
            found[0].1.uuid.as_deref(),
            Some("00112233-4455-6677-8899-aabbccddeeff")
        );
    }

    #[test]
    fn a_label_in_utf_16_ends_at_its_first_zero() {
        let label = b"s\0s\0d\0\0\0x\0";
        let found = titles(&[(1024, b"\x10\x20\xf5\xf2"), (1024 + 124, label)]);
        assert_eq!(
            (found[0].0, found[0].1.label.as_deref()),
            ("F2FS", Some("ssd"))
        );
    }

    #[test]
    fn luks_of_both_versions_is_told() {
        let id = b"0a1b2c3d-0000-4000-8000-000000000001";
        let second = titles(&[(0, b"LUKS\xba\xbe\0\x02"), (24, b"secrets"), (168, id)]);
        assert_eq!(second[0].1.label.as_deref(), Some("secrets"));
        let first = titles(&[(0, b"LUKS\xba\xbe\0\x01"), (24, b"xts-plain64"), (168, id)]);
        assert_eq!(first[0].1.label, None);
        assert_eq!(first[0].1.uuid.as_deref().map(str::len), Some(36));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..8192),
            size in any::<u64>(),
            offset in any::<u32>(),
            index in 0usize..12,
        ) {
            let names = [
                "ext4", "XFS", "btrfs", "swap space", "F2FS", "FAT", "exFAT", "NTFS", "LUKS",
                "an LVM physical volume", "an md RAID superblock (1.2)", "a GPT partition table",
            ];
            let ends = DeviceEnds { head: &bytes, tail: &bytes, size };
            for offset in [0, 512, 4096, u64::from(offset)] {
                let _ = title(&ends, &Signature { what: names[index], offset });
            }
        }
    }
}
