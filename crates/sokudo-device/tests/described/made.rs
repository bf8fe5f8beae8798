//! What programs make on an image of a disk: where they are there, it is known.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use sokudo_device::{DeviceEnds, HEAD_BYTES, TAIL_BYTES, signatures};

/// What is made by which line, of which `IMAGE` is the disk and `FOLDER` an empty folder.
const MADE: &[(&str, &str)] = &[
    ("ext2", "mkfs.ext2 -q -F IMAGE"),
    ("ext3", "mkfs.ext3 -q -F IMAGE"),
    ("ext4", "mkfs.ext4 -q -F IMAGE"),
    ("XFS", "mkfs.xfs -q IMAGE"),
    ("btrfs", "mkfs.btrfs -q IMAGE"),
    ("F2FS", "mkfs.f2fs -q IMAGE"),
    ("JFS", "mkfs.jfs -q IMAGE"),
    ("NILFS2", "mkfs.nilfs2 -q IMAGE"),
    ("NTFS", "mkfs.ntfs -q -F IMAGE"),
    ("FAT", "mkfs.fat -F 12 -S 4096 -s 64 IMAGE"),
    ("FAT", "mkfs.fat -F 16 IMAGE"),
    ("FAT", "mkfs.fat -F 32 IMAGE"),
    ("exFAT", "mkfs.exfat IMAGE"),
    ("Minix", "mkfs.minix IMAGE"),
    ("Minix", "mkfs.minix -2 IMAGE"),
    ("Minix", "mkfs.minix -3 IMAGE"),
    ("BFS", "mkfs.bfs IMAGE"),
    ("UDF", "mkfs.udf IMAGE"),
    ("UDF", "mkfs.udf --blocksize=4096 IMAGE"),
    ("ReiserFS", "mkfs.reiserfs -q -ff IMAGE"),
    ("Reiser4", "mkfs.reiser4 -f -y IMAGE"),
    ("OCFS2", "mkfs.ocfs2 -F -b 512 -M local IMAGE"),
    ("OCFS2", "mkfs.ocfs2 -F -b 1024 -M local IMAGE"),
    ("OCFS2", "mkfs.ocfs2 -F -b 2048 -M local IMAGE"),
    ("OCFS2", "mkfs.ocfs2 -F -b 4096 -M local IMAGE"),
    ("GFS2", "mkfs.gfs2 -O -p lock_nolock IMAGE"),
    ("HFS+", "mkfs.hfsplus IMAGE"),
    ("cramfs", "mkfs.cramfs FOLDER IMAGE"),
    ("squashfs", "mksquashfs FOLDER IMAGE -noappend -quiet"),
    ("EROFS", "mkfs.erofs IMAGE FOLDER"),
    ("swap space", "mkswap IMAGE"),
    ("bcache", "make-bcache -C IMAGE"),
    (
        "LUKS",
        "cryptsetup luksFormat -q --type luks1 --pbkdf-force-iterations 1000 IMAGE KEY",
    ),
    (
        "LUKS",
        "cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 IMAGE KEY",
    ),
    ("a qcow2 image", "qemu-img create -q -f qcow2 IMAGE 64M"),
    ("a VMDK image", "qemu-img create -q -f vmdk IMAGE 64M"),
    ("a VHDX image", "qemu-img create -q -f vhdx IMAGE 64M"),
    ("a VDI image", "qemu-img create -q -f vdi IMAGE 64M"),
];

/// Most programs want more.
const IMAGE_BYTES: u64 = 320 << 20;

/// `None` where the program is not there.
fn made(line: &str, folder: &Path) -> Option<bool> {
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let words: Vec<String> = line
        .split(' ')
        .map(|word| match word {
            "IMAGE" | "FOLDER" | "KEY" => place(word),
            other => other.to_owned(),
        })
        .collect();
    let status = Command::new(&words[0])
        .args(&words[1..])
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.ok().map(|status| status.success())
}

fn found(image: &Path) -> Vec<&'static str> {
    let image = File::open(image).unwrap();
    let size = image.metadata().unwrap().len();
    let read = |from: u64, length: u64| {
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        image.read_exact_at(&mut bytes, from).unwrap();
        bytes
    };
    let (head, tail) = (size.min(HEAD_BYTES), size.min(TAIL_BYTES));
    let ends = DeviceEnds {
        head: &read(0, head),
        tail: &read(size - tail, tail),
        size,
    };
    signatures(&ends).iter().map(|it| it.what).collect()
}

#[test]
fn whatever_a_program_makes_of_a_disk_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("IMAGE");
    fs::create_dir(folder.path().join("FOLDER")).unwrap();
    fs::write(folder.path().join("FOLDER/file"), "contents").unwrap();
    fs::write(folder.path().join("KEY"), "secret").unwrap();
    for (what, line) in MADE {
        File::create(&image).unwrap().set_len(IMAGE_BYTES).unwrap();
        match made(line, folder.path()) {
            Some(true) => {
                let found = found(&image);
                assert!(found.contains(what), "{line}: {found:?}");
            }
            Some(false) => eprintln!("SKIPPED: {line} makes nothing here"),
            None => eprintln!("SKIPPED: {line} is not installed"),
        }
        fs::remove_file(&image).unwrap();
    }
}
