//! Arguments of `sokudo prepare`.

use std::path::PathBuf;

use clap::Args;
use sokudo_methods::arguments::destroying::Destroying;
use sokudo_model::FileSystemKind;
use sokudo_words::{Text, text};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  sudo sokudo prepare /dev/sdb --fs ext4 --mount /mnt/new --dry-run
  sudo sokudo prepare /dev/sdb --fs ext4 --mount /mnt/new --destroy WD-1234
  sudo sokudo prepare /dev/sdb --undo --destroy WD-1234

Every command is shown before the first one is run. If one fails, the earlier ones are undone.";

/// Arguments of `sokudo prepare`, as given.
#[derive(Debug, Args)]
pub(crate) struct PrepareArguments {
    /// Whole disk, such as /dev/sdb, or its serial number
    pub(crate) device: String,

    /// File system: ext2, ext3, ext4, xfs, btrfs, jfs or f2fs
    #[arg(long = "fs", value_name = "NAME", value_parser = file_system, required_unless_present = "undo")]
    pub(crate) file_system: Option<FileSystemKind>,

    /// Empty directory to mount it on; made if it is not there
    #[arg(long, value_name = "DIR", required_unless_present = "undo")]
    pub(crate) mount: Option<PathBuf>,

    /// Label of the file system
    #[arg(long, value_name = "TEXT", default_value = "sokudo")]
    pub(crate) label: String,

    /// Owner of the mounted directory [default: the user who called sudo]
    #[arg(long, value_name = "USER[:GROUP]", value_parser = owner)]
    pub(crate) owner: Option<(u32, u32)>,

    /// Further options for mkfs, such as "-b 4096"
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) mkfs: Option<String>,

    /// Show every command, and run none
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Unmount and empty a disk made by sokudo prepare, and no other
    #[arg(long, conflicts_with_all = ["file_system", "mount", "label", "owner", "mkfs"])]
    pub(crate) undo: bool,

    #[command(flatten)]
    pub(crate) destroying: Destroying,
}

fn file_system(word: &str) -> Result<FileSystemKind, Text> {
    let known = FileSystemKind::ALL.into_iter();
    // ZFS takes whole disks, and makes partitions of its own.
    let mut known = known.filter(|(kind, _)| *kind != FileSystemKind::Zfs);
    known
        .find(|(_, name)| *name == word)
        .map(|(kind, _)| kind)
        .ok_or_else(|| text!("use ext2, ext3, ext4, xfs, btrfs, jfs or f2fs"))
}

/// A user by name or number, with a group or that user's own.
fn owner(word: &str) -> Result<(u32, u32), Text> {
    let (user, group) = word.split_once(':').unwrap_or((word, ""));
    let unknown = || {
        text!("there is no such user or group; use a name or number of /etc/passwd and /etc/group")
    };
    let by_name = entry("/etc/passwd", user);
    let user_number = user
        .parse()
        .ok()
        .or_else(|| by_name.as_ref()?.get(2)?.parse().ok());
    let group_number = match group {
        "" => by_name
            .as_ref()
            .and_then(|fields| fields.get(3)?.parse().ok())
            .or(user_number),
        group => group
            .parse()
            .ok()
            .or_else(|| entry("/etc/group", group)?.get(2)?.parse().ok()),
    };
    user_number.zip(group_number).ok_or_else(unknown)
}

/// The fields of the line that begins with a name, or whose number it is.
fn entry(path: &str, name: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = lines.find(|fields| fields.first() == Some(&name) || fields.get(2) == Some(&name));
    found.map(|fields| fields.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_a_name_or_a_number() {
        assert_eq!(owner("root"), Ok((0, 0)));
        assert_eq!(owner("0"), Ok((0, 0)));
        assert_eq!(owner("4321:12"), Ok((4321, 12)));
        assert_eq!(owner("4321"), Ok((4321, 4321)));
        assert!(owner("no such user").is_err());
        assert!(owner("").is_err());
    }

    #[test]
    fn pools_are_not_prepared_on_a_partition() {
        assert_eq!(file_system("xfs"), Ok(FileSystemKind::Xfs));
        assert!(file_system("zfs").is_err());
    }
}
