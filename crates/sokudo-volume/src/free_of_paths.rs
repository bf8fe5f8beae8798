//! Options that users add to commands. None may name another disk or file: consent was given
//! for the disks of the volume alone.

use sokudo_model::VolumePlan;

use crate::error::VolumeError;

/// What names a device without a path: external journals and logs of ext4 and XFS, and what
/// libblkid looks up.
const NAMING: [&str; 5] = ["dev=", "device=", "uuid=", "label=", "logdev"];

/// Options of mount that make another thing of a mount than a fresh file system on its disk.
const OTHER_MOUNTS: [&str; 6] = ["bind", "rbind", "move", "remount", "loop", "fake"];

/// Refuses options that could reach another disk or file.
///
/// # Errors
/// Which.
pub fn check_options(plan: &VolumePlan) -> Result<(), VolumeError> {
    let options = &plan.options;
    check_mkfs(&options.mkfs)?;
    refuse_unless("mount", &options.mount, is_harmless_of_mount)?;
    // Whatever is no option is a disk to mdadm and zpool, with or without a path.
    refuse_unless("mdadm", &options.mdadm, |option| {
        is_harmless(option) && option.starts_with("--") && option.len() > 2
    })?;
    refuse_unless("zpool", &options.zpool, is_harmless)?;
    check_pairs(&options.zpool)
}

/// The same for options of `mkfs` alone.
pub(crate) fn check_mkfs(options: &[String]) -> Result<(), VolumeError> {
    refuse_unless("mkfs", options, is_harmless)?;
    check_no_lone_words(options)
}

fn refuse_unless(
    program: &'static str,
    options: &[String],
    is_harmless: impl Fn(&str) -> bool,
) -> Result<(), VolumeError> {
    match options.iter().find(|option| !is_harmless(option)) {
        Some(option) => Err(VolumeError::Option {
            program,
            option: option.clone(),
        }),
        None => Ok(()),
    }
}

fn is_harmless(option: &str) -> bool {
    let lower = option.to_lowercase();
    !lower.is_empty()
        && !lower.contains('/')
        && !lower.chars().any(char::is_control)
        && !NAMING.iter().any(|naming| lower.contains(naming))
}

fn is_harmless_of_mount(option: &str) -> bool {
    let is_other = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        OTHER_MOUNTS.contains(&name) || name.to_lowercase().starts_with("x-")
    };
    is_harmless(option) && !option.split(',').any(is_other)
}

/// `zpool create` looks up words in `/dev`; ours come in pairs: `-o ashift=12`.
fn check_pairs(options: &[String]) -> Result<(), VolumeError> {
    let is_pair = |pair: &[String]| matches!(pair, [flag, value] if matches!(flag.as_str(), "-o" | "-O") && value.contains('='));
    match options.chunks(2).find(|pair| !is_pair(pair)) {
        Some(pair) => Err(VolumeError::Option {
            program: "zpool",
            option: pair.join(" "),
        }),
        None => Ok(()),
    }
}

/// A word that follows no option would be a device to `mkfs`.
fn check_no_lone_words(options: &[String]) -> Result<(), VolumeError> {
    let mut before = "";
    for option in options {
        if !option.starts_with('-') && !before.starts_with('-') {
            return Err(VolumeError::Option {
                program: "mkfs",
                option: option.clone(),
            });
        }
        before = option;
    }
    match before {
        // It would take the device for its value.
        "--" => Err(VolumeError::Option {
            program: "mkfs",
            option: before.to_owned(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use sokudo_model::{FileSystemKind, RaidBy, RaidLevel, RaidPlan, VolumeOptions};

    use super::*;

    fn is_refused(change: impl FnOnce(&mut VolumeOptions)) -> bool {
        let mut options = VolumeOptions::default();
        change(&mut options);
        let raid = RaidPlan {
            level: RaidLevel::None,
            disks: 1,
            by: RaidBy::Md,
        };
        let plan = VolumePlan {
            raid,
            file_system: FileSystemKind::Ext4,
            options,
            scheduler: None,
            ageing: None,
        };
        check_options(&plan).is_err()
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(ToOwned::to_owned).collect()
    }

    #[test]
    fn options_that_name_other_disks_are_refused() {
        for hostile in [
            "-J device=/dev/sdz",
            "-J device=LABEL=x",
            "-l logdev=sdz,size=1",
            "-f /dev/sdz",
            "sdz",
            "-f yes sdz",
            "UUID=1234",
            "--",
            "-r rtdev=sdz",
        ] {
            assert!(is_refused(|it| it.mkfs = words(hostile)), "{hostile}");
        }
        for hostile in ["/dev/sdz", "sdz", "--bitmap=/x", "-c 64", "--"] {
            assert!(is_refused(|it| it.mdadm = words(hostile)), "{hostile}");
        }
        for hostile in [
            "sdz",
            "-f sdz",
            "-o ashift=12 sdz",
            "log sdz",
            "-o cachefile=/x",
            "-O",
        ] {
            assert!(is_refused(|it| it.zpool = words(hostile)), "{hostile}");
        }
        for hostile in [
            "noatime,bind",
            "loop",
            "device=/dev/sdz",
            "X-mount.mkdir",
            "a\nb",
            "",
        ] {
            assert!(
                is_refused(|it| it.mount = vec![hostile.to_owned()]),
                "{hostile}"
            );
        }
    }

    #[test]
    fn ordinary_options_pass() {
        for ordinary in [
            "-E stride=16",
            "-b 4096",
            "-O ^has_journal",
            "-m reflink=0,crc=1 -f",
            "-d su=64k,sw=2",
            "--nodesize=32k",
        ] {
            assert!(!is_refused(|it| it.mkfs = words(ordinary)), "{ordinary}");
        }
        assert!(!is_refused(|it| it.mdadm = words("--chunk=64 --layout=f2")));
        assert!(!is_refused(
            |it| it.zpool = words("-o ashift=12 -O recordsize=16k")
        ));
        assert!(!is_refused(
            |it| it.mount = words("noatime compress=zstd,data=writeback commit=60")
        ));
    }
}
