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
        offsets: impl IntoIterator<Item = u64>,
        magics: &[&[u8]],
    ) -> Option<Signature> {
        let is_there = |offset: &u64| magics.iter().any(|magic| self.holds(*offset, magic));
        let offset = offsets.into_iter().find(is_there)?;
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
/// Most are those of `libblkid/src/superblocks` and `partitions` (util-linux 2.41); images of
/// disks are those that `qemu/block` opens.
const SIGNS: &[(&str, u64, &[u8])] = &[
    ("XFS", 0, b"XFSB"),
    ("an XFS log", 0, b"\xfe\xed\xba\xbe"),
    ("btrfs", 0x1_0040, b"_BHRfS_M"),
    ("F2FS", 1024, b"\x10\x20\xf5\xf2"),
    ("NTFS", 3, b"NTFS    "),
    ("ReFS", 0, b"\0\0\0ReFS\0"),
    ("exFAT", 3, b"EXFAT   "),
    ("BitLocker", 3, b"-FVE-FS-"),
    ("FAT", 0x52, b"FAT32   "),
    ("FAT", 0x52, b"MSWIN"),
    ("FAT", 0x36, b"FAT16   "),
    ("FAT", 0x36, b"FAT12   "),
    ("FAT", 0x36, b"MSDOS"),
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
    ("ISO 9660", 0x8009, b"CDROM"),
    ("UDF", 0x8001, b"BEA01"),
    ("UDF", 0x8801, b"NSR02"),
    ("UDF", 0x8801, b"NSR03"),
    // With blocks of 4 KiB.
    ("UDF", 0x9001, b"NSR02"),
    ("UDF", 0x9001, b"NSR03"),
    ("squashfs", 0, b"hsqs"),
    ("squashfs", 0, b"sqsh"),
    ("EROFS", 1024, b"\xe2\xe1\xf5\xe0"),
    ("cramfs", 0, b"\x45\x3d\xcd\x28"),
    ("cramfs", 0, b"\x28\xcd\x3d\x45"),
    ("romfs", 0, b"-rom1fs-"),
    ("JFS", 0x8000, b"JFS1"),
    ("ReiserFS", 0x1_0034, b"ReIsEr"),
    ("ReiserFS", 0x2034, b"ReIsEr"),
    ("ReiserFS", 0x2014, b"ReIsEr"),
    ("Reiser4", 0x1_0000, b"ReIsEr4"),
    ("NILFS2", 1024 + 6, b"\x34\x34"),
    ("GFS2", 0x1_0000, b"\x01\x16\x19\x70"),
    ("OCFS2", 1024, b"OCFSV2"),
    ("OCFS2", 2048, b"OCFSV2"),
    ("OCFS2", 4096, b"OCFSV2"),
    // With blocks of 4 KiB: the superblock is block 2.
    ("OCFS2", 8192, b"OCFSV2"),
    ("OCFS", 8, b"OracleCFS"),
    ("APFS", 32, b"NXSB"),
    ("HFS", 1024, b"BD"),
    ("HFS+", 1024, b"H+\x00\x04"),
    ("HFS+", 1024, b"HX\x00\x05"),
    ("HPFS", 0x2000, b"\x49\xe8\x95\xf9"),
    ("BeFS", 32, b"BFS1"),
    ("BeFS", 32, b"1SFB"),
    ("BeFS", 544, b"BFS1"),
    ("BeFS", 544, b"1SFB"),
    ("BFS", 0, b"\xce\xfa\xad\x1b"),
    ("VxFS", 1024, b"\xf5\xfc\x01\xa5"),
    ("VxFS", 8192, b"\xa5\x01\xfc\xf5"),
    ("Xenix", 2040, b"\x44\x55\x2b\x00"),
    ("System V", 1016, b"\x20\x7e\x18\xfd"),
    ("System V", 1016, b"\xfd\x18\x7e\x20"),
    ("NetWare", 4096, b"SPB5"),
    ("UBIFS", 0, b"\x31\x18\x10\x06"),
    ("zonefs", 0, b"SFOZ"),
    ("EXFS", 0, b"EXFS"),
    ("Oracle ASM", 32, b"ORCLDISK"),
    ("VDO", 0, b"dmvdo001"),
    ("Ceph BlueStore", 0, b"bluestore block device"),
    ("Stratis", 512, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("VMFS", 0x10_0000, b"\x0d\xd0\x01\xc0"),
    ("UBI", 0, b"UBI#"),
    ("dm-verity", 0, b"verity\0\0"),
    ("dm-integrity", 0, b"integrt\0"),
    ("dm-writecache", 0, b"\x21\x93\x48\x23"),
    ("dm-thin", 32, b"\xba\x52\x9c\x01\0\0\0\0"),
    ("dm-cache", 32, b"\x33\xb8\x5d\0\0\0\0\0"),
    ("dm-era", 32, b"\x7b\x07\xc1\x7e\0\0\0\0"),
    ("an LVM snapshot", 0, b"SnAp"),
    ("DRBD", 0, b"$DRBDmgr=q"),
    ("DRBD", 0, b"DRBDdlh*"),
    ("a Mac partition table", 512, b"PM\0\0"),
    ("an SGI disk label", 0, b"\x0b\xe5\xa9\x41"),
    ("a Sun disk label", 508, b"\xda\xbe"),
    ("a BSD disk label", 512, b"\x57\x45\x56\x82"),
    ("a BSD disk label", 64, b"\x57\x45\x56\x82"),
    ("an AIX disk label", 0, b"\xc9\xc2\xd4\xc1"),
    ("an Amiga partition table", 0, b"RDSK"),
    ("a qcow2 image", 0, b"QFI\xfb"),
    ("a VMDK image", 0, b"KDMV"),
    ("a VMDK image", 0, b"COWD"),
    ("a VMDK image", 0, b"# Disk DescriptorFile"),
    ("a VHD image", 0, b"conectix"),
    ("a VHDX image", 0, b"vhdxfile"),
    ("a VDI image", 64, b"\x7f\x10\xda\xbe"),
    ("a QED image", 0, b"QED\0"),
    ("a Parallels image", 0, b"WithoutFreeSpace"),
    ("a Parallels image", 0, b"WithouFreSpacExt"),
];

/// Signs at fixed places from the end, which are counted in bytes from behind it. Those of firmware
/// RAIDs stand in the last sectors; DRBD's, of version 8.3, 8.4 and 9, in its last 4 KiB.
const END_SIGNS: &[(&str, u64, &[u8])] = &[
    ("DRBD", 4096 - 60, b"\x83\x74\x02\x6b"),
    ("DRBD", 4096 - 60, b"\x83\x74\x02\x6c"),
    ("DRBD", 4096 - 60, b"\x83\x74\x02\x6d"),
    ("an Intel RAID member", 1024, b"Intel Raid ISM Cfg Sig. "),
    ("an Intel RAID member", 8192, b"Intel Raid ISM Cfg Sig. "),
    ("a DDF RAID member", 512, b"\xde\x11\xde\x11"),
    ("a DDF RAID member", 257 * 512, b"\xde\x11\xde\x11"),
    ("an Adaptec RAID member", 512, b"\x37\xfc\x4d\x1e"),
    ("an LSI RAID member", 512, b"$XIDE$"),
    ("an NVIDIA RAID member", 1024, b"NVIDIA  "),
    ("a Silicon Image RAID member", 512 - 0x60, b"\0\0\0\x2f"),
    ("a HighPoint RAID member", 11 * 512, b"\xf3\x16\x78\x5a"),
    ("a HighPoint RAID member", 11 * 512, b"\xfd\x16\x78\x5a"),
    ("GEOM metadata", 512, b"GEOM::"),
    ("GEOM metadata", 4096, b"GEOM::"),
    ("a VHD image", 512, b"conectix"),
];

/// Swap's sign ends the first page, whatever the page size of the machine that
/// made it.
const SWAP_PAGES: [u64; 5] = [4096, 8192, 16_384, 32_768, 65_536];
const SWAP_MAGICS: [&[u8]; 6] = [
    b"SWAPSPACE2",
    b"SWAP-SPACE",
    b"S1SUSPEND\0",
    b"S2SUSPEND\0",
    b"ULSUSPEND\0",
    b"LINHIB0001",
];

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
    found.extend(END_SIGNS.iter().filter_map(|&(what, back, sign)| {
        let offset = ends.size.checked_sub(back)?;
        ends.holds(offset, sign)
            .then_some(Signature { what, offset })
    }));
    found.extend(extended(ends));
    found.extend(minix(ends));
    found.extend(ufs(ends));
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
    let offsets = SWAP_PAGES.map(|page| page - 10);
    ends.first("swap space", offsets, &SWAP_MAGICS)
}

/// LVM2 writes its label to one of the first four sectors, as a rule the second.
fn lvm(ends: &DeviceEnds<'_>) -> Option<Signature> {
    let offsets = (0..4).map(|sector| sector * 512);
    ends.first("an LVM physical volume", offsets, &[b"LABELONE"])
}

/// md's superblocks at the end: 0.90 at the last 64 KiB boundary that leaves 64 KiB behind it,
/// 1.0 between 8 and 12 KiB before the end.
fn raid(ends: &DeviceEnds<'_>) -> Vec<Signature> {
    const MD_MAGIC: u32 = 0xa92b_4efc;
    let old = (ends.size & !0xffff).checked_sub(0x1_0000);
    let new = ends.size.checked_sub(0x2000).map(|at| at & !0xfff);
    let (md, swapped) = (MD_MAGIC.to_le_bytes(), MD_MAGIC.to_be_bytes());
    let old = ends.first("an md RAID superblock (0.90)", old, &[&md, &swapped]);
    let new = ends.first("an md RAID superblock (1.0)", new, &[&md]);
    old.into_iter().chain(new).collect()
}

/// Minix 1 and 2: magic at 16 of the superblock at 1024; 3: at 24 (`linux/minix_fs.h`), in either
/// byte order. Two bytes are few: zones are as large as blocks besides, wherever it was made.
fn minix(ends: &DeviceEnds<'_>) -> Option<Signature> {
    const SUPERBLOCK: u64 = 1024;
    let old: [u16; 4] = [0x137f, 0x138f, 0x2468, 0x2478];
    let old = old.map(|magic| (magic, 16, 10));
    let signs = old.into_iter().chain([(0x4d5a, 24, 12)]);
    signs.into_iter().find_map(|(magic, at, zone_log)| {
        let is_plain = ends.holds(SUPERBLOCK + zone_log, &[0, 0]);
        let orders: [[u8; 2]; 2] = [magic.to_le_bytes(), magic.to_be_bytes()];
        let [one, other] = &orders;
        let found = ends.first("Minix", [SUPERBLOCK + at], &[one, other]);
        found.filter(|_| is_plain)
    })
}

/// UFS: magic at 1372 of a superblock at 0, 8, 64 or 256 KiB (`linux/ufs_fs.h`), in either byte
/// order.
fn ufs(ends: &DeviceEnds<'_>) -> Option<Signature> {
    const MAGICS: [u32; 5] = [
        0x0001_1954,
        0x1954_0119,
        0x0009_5014,
        0x0019_5612,
        0x0523_1994,
    ];
    let offsets = [0, 8, 64, 256].map(|kib| kib * 1024 + 1372);
    MAGICS.into_iter().find_map(|magic| {
        let (one, other) = (magic.to_le_bytes(), magic.to_be_bytes());
        ends.first("UFS", offsets, &[&one, &other])
    })
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
    let offsets = [512, 4096].into_iter().flat_map(|block| {
        let last = ends.size.checked_sub(block);
        [Some(block), last]
    });
    ends.first("a GPT partition table", offsets.flatten(), &[GPT_MAGIC])
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
        for (what, back, magic) in END_SIGNS {
            let names = found(SIZE, &[(SIZE - *back as usize, magic)]);
            assert!(names.contains(what), "{what} in {names:?}");
        }
    }

    #[test]
    fn minix_and_ufs_are_found_in_either_byte_order() {
        for magic in [0x137f_u16, 0x138f, 0x2468, 0x2478] {
            for bytes in [magic.to_le_bytes(), magic.to_be_bytes()] {
                assert_eq!(found(SIZE, &[(1040, &bytes)]), ["Minix"]);
            }
        }
        assert_eq!(found(SIZE, &[(1048, b"\x5a\x4d")]), ["Minix"]);
        // By chance two bytes stand anywhere.
        assert!(found(SIZE, &[(1040, b"\x7f\x13"), (1034, &[7])]).is_empty());
        for superblock in [0, 8 << 10, 64 << 10, 256 << 10] {
            for magic in [b"\x54\x19\x01\0", b"\x19\x01\x54\x19", b"\x19\x54\x01\x19"] {
                assert_eq!(found(SIZE, &[(superblock + 1372, magic)]), ["UFS"]);
            }
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
