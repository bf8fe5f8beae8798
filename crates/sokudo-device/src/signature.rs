//! Signs by which file systems, volumes and partition tables are recognised.
//!
//! Pure: bytes of a device go in, names come out. Every place is the one that the
//! format's own documentation or the kernel's headers give. A sign is enough;
//! nothing here checks whether what it belongs to is whole, for a damaged file
//! system is somebody's file system too.

mod title;

pub use title::{Title, title};

/// How much of the start of a device is looked at: the last sign there is the
/// uberblocks of ZFS's second label, which end at 512 KiB, and VMFS's at 1 MiB.
pub const HEAD_BYTES: u64 = (1 << 20) + 4096;

/// How much of the end: md's old superblock begins at most 128 KiB before it, the
/// two last labels of ZFS 512 KiB.
pub const TAIL_BYTES: u64 = 768 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name, such as `ext4`.
    pub what: &'static str,
    /// Where its sign is, in bytes from the device's start.
    pub offset: u64,
}

/// The parts of a device that are looked at.
#[derive(Clone, Copy, Debug)]
pub struct DeviceEnds<'a> {
    /// Its first bytes, [`HEAD_BYTES`] of them where it has so many.
    pub head: &'a [u8],
    /// Its last bytes, [`TAIL_BYTES`] of them where it has so many.
    pub tail: &'a [u8],
    pub size: u64,
}

impl<'a> DeviceEnds<'a> {
    /// `length` bytes at `offset`, if they were read.
    fn at(&self, offset: u64, length: usize) -> Option<&'a [u8]> {
        slice(self.head, offset, length).or_else(|| {
            let tail_start = self.size.checked_sub(self.tail.len() as u64)?;
            slice(self.tail, offset.checked_sub(tail_start)?, length)
        })
    }

    fn holds(&self, offset: u64, magic: &[u8]) -> bool {
        self.at(offset, magic.len()) == Some(magic)
    }

    /// What is at the first of these places where one of the magics is.
    fn first(
        &self,
        what: &'static str,
        places: impl IntoIterator<Item = u64>,
        magics: &[&[u8]],
    ) -> Option<Signature> {
        let is_there = |offset: &u64| magics.iter().any(|magic| self.holds(*offset, magic));
        let offset = places.into_iter().find(is_there)?;
        Some(Signature { what, offset })
    }
}

fn slice(bytes: &[u8], offset: u64, length: usize) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(length)?)
}

/// bcache and bcachefs: superblock at 4 KiB, magic after checksum, offset and
/// version.
const BCACHE_MAGIC: &[u8] = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
const BCACHEFS_MAGIC: &[u8] = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";

/// Signs at fixed places from the start: what they are of, where they stand, and how they read.
const SIGNS: &[(&str, u64, &[u8])] = &[
    ("XFS", 0, b"XFSB"),
    ("btrfs", 0x1_0040, b"_BHRfS_M"),
    ("F2FS", 1024, b"\x10\x20\xf5\xf2"),
    ("NTFS", 3, b"NTFS    "),
    ("exFAT", 3, b"EXFAT   "),
    ("BitLocker", 3, b"-FVE-FS-"),
    ("FAT", 0x52, b"FAT32   "),
    ("FAT", 0x36, b"FAT16   "),
    ("FAT", 0x36, b"FAT12   "),
    ("FAT", 0x36, b"FAT     "),
    ("LUKS", 0, b"LUKS\xba\xbe"),
    ("LUKS", 0x4000, b"SKUL\xba\xbe"),
    ("LUKS", 0x8000, b"SKUL\xba\xbe"),
    ("LUKS", 0x1_0000, b"SKUL\xba\xbe"),
    ("an md RAID superblock (1.1)", 0, b"\xfc\x4e\x2b\xa9"),
    ("an md RAID superblock (1.2)", 4096, b"\xfc\x4e\x2b\xa9"),
    ("bcache", 4096 + 24, BCACHE_MAGIC),
    ("bcachefs", 4096 + 24, BCACHEFS_MAGIC),
    ("ISO 9660", 0x8001, b"CD001"),
    ("UDF", 0x8001, b"BEA01"),
    ("UDF", 0x8801, b"NSR02"),
    ("UDF", 0x8801, b"NSR03"),
    ("squashfs", 0, b"hsqs"),
    ("squashfs", 0, b"sqsh"),
    ("EROFS", 1024, b"\xe2\xe1\xf5\xe0"),
    ("cramfs", 0, b"\x45\x3d\xcd\x28"),
    ("JFS", 0x8000, b"JFS1"),
    ("ReiserFS", 0x1_0034, b"ReIsEr"),
    ("Reiser4", 0x1_0000, b"ReIsEr4"),
    ("NILFS2", 1024 + 6, b"\x34\x34"),
    ("GFS2", 0x1_0000, b"\x01\x16\x19\x70"),
    ("OCFS2", 1024, b"OCFSV2"),
    ("OCFS2", 2048, b"OCFSV2"),
    ("OCFS2", 4096, b"OCFSV2"),
    ("APFS", 32, b"NXSB"),
    ("HFS+", 1024, b"H+\x00\x04"),
    ("HFS+", 1024, b"HX\x00\x05"),
    ("Oracle ASM", 32, b"ORCLDISK"),
    ("VDO", 0, b"dmvdo001"),
    ("Ceph BlueStore", 0, b"bluestore block device"),
    ("Stratis", 512, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("VMFS", 0x10_0000, b"\x0d\xd0\x01\xc0"),
    ("UBI", 0, b"UBI#"),
];

/// Swap's sign ends the first page, whatever the page size of the machine that
/// made it.
const SWAP_PAGES: [u64; 5] = [4096, 8192, 16_384, 32_768, 65_536];
const SWAP_MAGICS: [&[u8]; 4] = [b"SWAPSPACE2", b"SWAP-SPACE", b"S1SUSPEND\0", b"ULSUSPEND\0"];

/// The magic of every GPT header, in block 1 and in the last block.
const GPT_MAGIC: &[u8] = b"EFI PART";

/// The magic of ZFS's uberblocks, in either byte order.
const ZFS_MAGICS: [&[u8]; 2] = [
    b"\x0c\xb1\xba\x00\x00\x00\x00\x00",
    b"\x00\x00\x00\x00\x00\xba\xb1\x0c",
];
const ZFS_LABEL_BYTES: u64 = 256 << 10;

/// Everything that is recognised, each kind once, in order of place.
pub fn signatures(ends: &DeviceEnds<'_>) -> Vec<Signature> {
    let fixed = SIGNS.iter().filter(|(_, at, sign)| ends.holds(*at, sign));
    let fixed = fixed.map(|&(what, offset, _)| Signature { what, offset });
    let mut found: Vec<Signature> = fixed.collect();
    found.extend(extended(ends));
    found.extend(swap(ends));
    found.extend(lvm(ends));
    found.extend(raid(ends));
    found.extend(zfs(ends));
    found.extend(gpt(ends));
    found.extend(mbr(ends));
    found.sort_by_key(|signature| signature.offset);
    let mut kinds: Vec<&str> = Vec::new();
    found.retain(|signature| {
        let is_new = !kinds.contains(&signature.what);
        kinds.push(signature.what);
        is_new
    });
    found
}

/// ext2, 3 and 4: superblock at 1024, magic at 56 in it, feature words at 92 and 96
/// (`fs/ext4/ext4.h`).
fn extended(ends: &DeviceEnds<'_>) -> Option<Signature> {
    const SUPERBLOCK: u64 = 1024;
    const HAS_JOURNAL: u32 = 0x4;
    /// Extents, 64 bits, flexible groups: what only ext4 has.
    const ONLY_EXT4: u32 = 0x40 | 0x80 | 0x200;
    if !ends.holds(SUPERBLOCK + 56, b"\x53\xef") {
        return None;
    }
    let word = |offset| {
        let bytes = ends.at(SUPERBLOCK + offset, 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let compatible = word(92).unwrap_or_default();
    let incompatible = word(96).unwrap_or_default();
    let what = if incompatible & ONLY_EXT4 != 0 {
        "ext4"
    } else if compatible & HAS_JOURNAL != 0 {
        "ext3"
    } else {
        "ext2"
    };
    Some(Signature {
        what,
        offset: SUPERBLOCK + 56,
    })
}

fn swap(ends: &DeviceEnds<'_>) -> Option<Signature> {
    let places = SWAP_PAGES.map(|page| page - 10);
    ends.first("swap space", places, &SWAP_MAGICS)
}

/// LVM2 writes its label to one of the first four sectors, as a rule the second.
fn lvm(ends: &DeviceEnds<'_>) -> Option<Signature> {
    let places = (0..4).map(|sector| sector * 512);
    ends.first("an LVM physical volume", places, &[b"LABELONE"])
}

/// Superblocks at the end: md 0.90 at the last 64 KiB boundary that leaves 64 KiB
/// behind it, md 1.0 between 8 and 12 KiB before the end, the firmware RAIDs of
/// Intel and of the DDF standard in the last sectors.
fn raid(ends: &DeviceEnds<'_>) -> Vec<Signature> {
    const MD_MAGIC: u32 = 0xa92b_4efc;
    let old = (ends.size & !0xffff).checked_sub(0x1_0000);
    let new = ends.size.checked_sub(0x2000).map(|at| at & !0xfff);
    let md = MD_MAGIC.to_le_bytes();
    let md_swapped = MD_MAGIC.to_be_bytes();
    let places = [
        ("an md RAID superblock (0.90)", old, &md[..]),
        ("an md RAID superblock (0.90)", old, &md_swapped[..]),
        ("an md RAID superblock (1.0)", new, &md[..]),
        (
            "an Intel RAID member",
            ends.size.checked_sub(1024),
            b"Intel Raid ISM Cfg Sig. ",
        ),
        (
            "a DDF RAID member",
            ends.size.checked_sub(512),
            b"\xde\x11\xde\x11",
        ),
    ];
    places
        .into_iter()
        .filter_map(|(what, offset, magic)| {
            let offset = offset?;
            ends.holds(offset, magic)
                .then_some(Signature { what, offset })
        })
        .collect()
}

/// ZFS: two labels of 256 KiB at each end; the second half of a label is an array
/// of uberblocks, at steps of 1 KiB or more.
fn zfs(ends: &DeviceEnds<'_>) -> Option<Signature> {
    let aligned = ends.size & !(ZFS_LABEL_BYTES - 1);
    let labels = [
        Some(0),
        Some(ZFS_LABEL_BYTES),
        aligned.checked_sub(2 * ZFS_LABEL_BYTES),
        aligned.checked_sub(ZFS_LABEL_BYTES),
    ];
    let uberblocks = labels
        .into_iter()
        .flatten()
        .flat_map(|label| (0..128).map(move |index| label + ZFS_LABEL_BYTES / 2 + index * 1024));
    ends.first("a ZFS label", uberblocks, &ZFS_MAGICS)
}

/// A GPT in block 1 or, as its spare copy, in the last block, of 512 or 4096 bytes.
fn gpt(ends: &DeviceEnds<'_>) -> Option<Signature> {
    let places = [512, 4096].into_iter().flat_map(|block| {
        let last = ends.size.checked_sub(block);
        [Some(block), last]
    });
    ends.first("a GPT partition table", places.flatten(), &[GPT_MAGIC])
}

/// A boot sector's sign at 510. It belongs to a partition table if one of the four
/// entries at 446 has a type; a boot loader without any is somebody's as well.
fn mbr(ends: &DeviceEnds<'_>) -> Option<Signature> {
    if !ends.holds(510, b"\x55\xaa") {
        return None;
    }
    let has_type = |index: u64| {
        ends.at(446 + index * 16 + 4, 1)
            .is_some_and(|kind| kind != [0])
    };
    let what = if (0..4).any(has_type) {
        "an MBR partition table"
    } else {
        "a boot sector"
    };
    Some(Signature { what, offset: 510 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The names of what a device of zeros with these bytes holds.
    fn found(size: usize, writes: &[(usize, &[u8])]) -> Vec<&'static str> {
        let mut device = vec![0; size];
        for (offset, bytes) in writes {
            device[*offset..*offset + bytes.len()].copy_from_slice(bytes);
        }
        names(&device)
    }

    fn names(device: &[u8]) -> Vec<&'static str> {
        signatures(&ends_of(device))
            .iter()
            .map(|signature| signature.what)
            .collect()
    }

    fn ends_of(device: &[u8]) -> DeviceEnds<'_> {
        let head = device.len().min(HEAD_BYTES as usize);
        let tail = device.len().saturating_sub(TAIL_BYTES as usize);
        DeviceEnds {
            head: &device[..head],
            tail: &device[tail..],
            size: device.len() as u64,
        }
    }

    const SIZE: usize = 8 << 20;

    #[test]
    fn an_empty_device_holds_nothing() {
        assert_eq!(found(SIZE, &[]), Vec::<&str>::new());
        assert_eq!(found(0, &[]), Vec::<&str>::new());
        assert_eq!(found(512, &[]), Vec::<&str>::new());
    }

    #[test]
    fn every_sign_of_the_table_is_found_at_its_place() {
        for (what, offset, magic) in SIGNS {
            let names = found(SIZE, &[(*offset as usize, magic)]);
            assert!(names.contains(what), "{what} in {names:?}");
        }
    }

    #[test]
    fn signs_at_the_end_are_found() {
        let md = 0xa92b_4efc_u32.to_le_bytes();
        let old = [(SIZE - 0x1_0000, &md[..])];
        assert_eq!(found(SIZE, &old), ["an md RAID superblock (0.90)"]);
        assert_eq!(
            found(SIZE, &[(SIZE - 0x2000, &md)]),
            ["an md RAID superblock (1.0)"]
        );
        assert_eq!(
            found(SIZE, &[(SIZE - 512, b"EFI PART")]),
            ["a GPT partition table"]
        );
        let label = SIZE - (256 << 10) + (128 << 10) + 5 * 1024;
        assert_eq!(found(SIZE, &[(label, ZFS_MAGICS[0])]), ["a ZFS label"]);
    }

    #[test]
    fn the_extended_file_systems_are_told_apart() {
        let magic: (usize, &[u8]) = (1080, b"\x53\xef");
        assert_eq!(found(SIZE, &[magic]), ["ext2"]);
        assert_eq!(found(SIZE, &[magic, (1024 + 92, &[4])]), ["ext3"]);
        assert_eq!(
            found(SIZE, &[magic, (1024 + 92, &[4]), (1024 + 96, &[0x40])]),
            ["ext4"]
        );
    }

    #[test]
    fn swap_lvm_and_boot_sectors_are_found() {
        assert_eq!(found(SIZE, &[(4086, b"SWAPSPACE2")]), ["swap space"]);
        assert_eq!(found(SIZE, &[(65_526, b"SWAPSPACE2")]), ["swap space"]);
        assert_eq!(
            found(SIZE, &[(512, b"LABELONE")]),
            ["an LVM physical volume"]
        );
        let boot: (usize, &[u8]) = (510, b"\x55\xaa");
        assert_eq!(found(SIZE, &[boot]), ["a boot sector"]);
        assert_eq!(
            found(SIZE, &[boot, (450, &[0x83])]),
            ["an MBR partition table"]
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..4096),
            size in any::<u64>(),
        ) {
            let ends = DeviceEnds { head: &bytes, tail: &bytes, size };
            let _ = signatures(&ends);
        }

        #[test]
        fn a_sign_is_found_whatever_surrounds_it(fill in any::<u8>(), index in 0..SIGNS.len()) {
            let (what, offset, magic) = SIGNS[index];
            let mut device = vec![fill; 2 << 20];
            let start = offset as usize;
            device[start..start + magic.len()].copy_from_slice(magic);
            prop_assert!(names(&device).contains(&what));
        }
    }
}
