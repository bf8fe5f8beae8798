//! What a file system does to the data of its files: compression and checksums, as it says
//! itself.

use std::fs;
use std::path::Path;

use sokudo_model::FileSystemKind;
use sokudo_words::{Text, text};

use crate::action::CommandLine;
use crate::names::VolumeNames;
use crate::program::{self, ProgramLimits};

/// Both in a sentence; `None` of file systems that do neither, and where it is not told.
pub(crate) fn in_force(file_system: FileSystemKind, names: &VolumeNames) -> Option<Text> {
    let (compression, checksums) = match file_system {
        FileSystemKind::Zfs => of_zfs(&names.name)?,
        FileSystemKind::Btrfs => of_btrfs(names)?,
        _ => return None,
    };
    Some(text!(
        "in force: compression {compression}, checksums of data {checksums}"
    ))
}

fn of_zfs(name: &str) -> Option<(String, String)> {
    let what = ["get", "-H", "-o", "value", "compression,checksum", name];
    let printed = program::run(&CommandLine::new("zfs", what), ProgramLimits::undoing()).ok()?;
    let mut values = printed.lines().map(str::to_owned);
    Some((values.next()?, values.next()?))
}

fn of_btrfs(names: &VolumeNames) -> Option<(String, String)> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let options = mount_options(&mounts, &names.mount_point)?;
    let checksum = fs::read_to_string(format!("/sys/fs/btrfs/{}/checksum", names.uuid)).ok();
    Some(of_btrfs_options(options, checksum.as_deref()))
}

/// The options of the mount at this place, the last one that covers it.
fn mount_options<'a>(mounts: &'a str, mount_point: &Path) -> Option<&'a str> {
    let mut lines = mounts.lines().rev().map(str::split_whitespace);
    lines.find_map(|mut words| (Path::new(words.nth(1)?) == mount_point).then(|| words.nth(1))?)
}

fn of_btrfs_options(options: &str, checksum: Option<&str>) -> (String, String) {
    let mut compression = "off";
    let mut is_summed = true;
    for option in options.split(',') {
        match option.split_once('=') {
            Some(("compress" | "compress-force", how)) => compression = how,
            _ if ["nodatasum", "nodatacow"].contains(&option) => is_summed = false,
            _ => {}
        }
    }
    // `crc32c (crc32c-intel)`: the sum, and who computes it.
    let checksum = checksum.and_then(|it| it.split_whitespace().next());
    let checksum = match is_summed {
        true => checksum.unwrap_or("on"),
        false => "off",
    };
    (compression.to_owned(), checksum.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "/dev/sda / ext4 rw 0 0\n\
                          /dev/sdb /run/sokudo/a-1 btrfs rw,relatime,compress=zstd:3,subvol=/ 0 0\n\
                          /dev/sdc /run/sokudo/a-10 btrfs rw,nodatasum 0 0\n";

    #[test]
    fn options_are_those_of_the_mount_itself() {
        let options = |at: &str| mount_options(MOUNTS, Path::new(at));
        assert_eq!(
            options("/run/sokudo/a-1"),
            Some("rw,relatime,compress=zstd:3,subvol=/")
        );
        assert_eq!(options("/run/sokudo/a-10"), Some("rw,nodatasum"));
        assert_eq!(options("/run/sokudo"), None);
    }

    #[test]
    fn compression_and_checksums_of_btrfs_are_what_its_mount_says() {
        let of = |options, checksum| {
            let (compression, checksums) = of_btrfs_options(options, checksum);
            format!("{compression} {checksums}")
        };
        assert_eq!(
            of("rw,compress=zstd:3", Some("xxhash64 (generic)")),
            "zstd:3 xxhash64"
        );
        assert_eq!(of("rw,nodatasum", Some("crc32c (crc32c-intel)")), "off off");
        assert_eq!(of("rw,relatime", None), "off on");
    }
}
