//! The table of mounts, `/proc/self/mountinfo`, and which mount holds a path.
//! Pure text: it asks the file system nothing.

use std::path::{Path, PathBuf};

use crate::system::System;

/// One line of the table; `proc_pid_mountinfo(5)` names the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The kernel's number for the mount, as `statx` gives it for a file.
    pub(crate) id: u64,
    /// `major:minor` of the file system; major 0 is anonymous, no device.
    pub(crate) device_number: String,
    /// Which directory of the file system is mounted; not `/` for bind mounts.
    pub(crate) root: PathBuf,
    /// Where it is mounted.
    pub(crate) mount_point: PathBuf,
    /// File system type, such as `ext4`.
    pub(crate) kind: String,
    /// What is mounted, such as `/dev/sda1`.
    pub(crate) source: String,
    /// Options of the mount, then those of the file system that are not among
    /// them.
    pub(crate) options: Vec<String>,
}

impl Mount {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split(' ');
        let id = fields.next()?.parse().ok()?;
        let device_number = fields.nth(1)?.to_owned();
        let root = PathBuf::from(unescape(fields.next()?));
        let mount_point = PathBuf::from(unescape(fields.next()?));
        let mut options: Vec<String> = split_options(fields.next()?);
        // Any number of optional fields ends with a lone dash.
        fields.find(|field| *field == "-")?;
        let kind = fields.next()?.to_owned();
        let source = unescape(fields.next()?);
        for option in split_options(fields.next().unwrap_or_default()) {
            if !options.contains(&option) {
                options.push(option);
            }
        }
        Some(Self {
            id,
            device_number,
            root,
            mount_point,
            kind,
            source,
            options,
        })
    }

    /// Whether the file system stands on no block device of its own number.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.device_number.starts_with("0:")
    }

    /// The values of the option `name`, written `name=value`.
    pub(crate) fn option_values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.options
            .iter()
            .filter_map(move |option| option.strip_prefix(name)?.strip_prefix('='))
    }
}

/// All mounts that can be seen from here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mounts(Vec<Mount>);

impl Mounts {
    /// The table of this process; `None` where it is not seen.
    pub(crate) fn of(system: &System) -> Option<Self> {
        let table = system.text("proc/self/mountinfo")?;
        Some(Self::parse(&table))
    }

    /// Reads the table; lines that make no sense are passed over.
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(Mount::parse).collect())
    }

    /// Every mount, in the table's order.
    pub(crate) fn all(&self) -> &[Mount] {
        &self.0
    }

    /// A mount of the file system with this number.
    pub(crate) fn of_number(&self, number: &str) -> Option<&Mount> {
        self.0.iter().find(|mount| mount.device_number == number)
    }

    /// The mount that holds an absolute path without symbolic links: by its id
    /// where the kernel told it, else by the longest mount point above it, and of
    /// several on one point by the topmost, which is the last.
    pub(crate) fn holding(&self, path: &Path, mount_id: Option<u64>) -> Option<&Mount> {
        let by_id = mount_id.and_then(|id| self.0.iter().find(|mount| mount.id == id));
        by_id.or_else(|| {
            self.0
                .iter()
                .filter(|mount| path.starts_with(&mount.mount_point))
                .max_by_key(|mount| mount.mount_point.components().count())
        })
    }
}

/// Every mount point in a table of mounts (`/proc/self/mountinfo`), in its order.
pub fn mount_points(table: &str) -> Vec<PathBuf> {
    let mounts = Mounts::parse(table).0.into_iter();
    mounts.map(|mount| mount.mount_point).collect()
}

fn split_options(text: &str) -> Vec<String> {
    let mut options = split_unescaped(&unescape(text), ',');
    options.retain(|option| !option.is_empty());
    options
}

/// Splits at a sign, but not where overlay escapes it with a backslash because it is part of a
/// directory's name.
pub(crate) fn split_unescaped(text: &str, separator: char) -> Vec<String> {
    let mut is_escaped = false;
    let parts = text.split(|sign| {
        let is_end = sign == separator && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        is_end
    });
    parts.map(str::to_owned).collect()
}

fn unescape(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text.as_bytes())).into_owned()
}

/// Undoes the kernel's `\040` for space and the like; anything else stays.
pub(crate) fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        if let Some(byte) = octal_escape(&bytes[index..]) {
            plain.push(byte);
            index += 4;
        } else {
            plain.push(bytes[index]);
            index += 1;
        }
    }
    plain
}

fn octal_escape(bytes: &[u8]) -> Option<u8> {
    let [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] = bytes else {
        return None;
    };
    Some(((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 22 0:39 / /mnt/my\\040disk rw,noatime shared:1 master:2 - btrfs /dev/sdb rw,subvol=/\\134a
31 22 0:40 / /mnt rw - tmpfs first rw
32 22 0:41 / /mnt rw - tmpfs second rw
33 32 0:42 / /mnt/over rw - overlay overlay rw,lowerdir=/a\\134,b:/c,upperdir=/up
";

    fn source_of(path: &str, id: Option<u64>) -> String {
        let mounts = Mounts::parse(TABLE);
        mounts.holding(Path::new(path), id).unwrap().source.clone()
    }

    #[test]
    fn mount_points_are_those_of_the_table() {
        let points = mount_points(TABLE);
        assert_eq!(points.len(), 5);
        assert_eq!(points[1], Path::new("/mnt/my disk"));
    }

    #[test]
    fn the_longest_mount_point_holds_a_path() {
        assert_eq!(source_of("/home/x", None), "/dev/vda");
        assert_eq!(source_of("/mnt/my disk/file", None), "/dev/sdb");
        assert_eq!(source_of("/mntx", None), "/dev/vda");
    }

    #[test]
    fn the_last_mount_on_a_point_is_the_visible_one() {
        assert_eq!(source_of("/mnt/x", None), "second");
    }

    #[test]
    fn the_mount_id_decides_where_it_is_known() {
        assert_eq!(source_of("/mnt/x", Some(31)), "first");
        assert_eq!(source_of("/mnt/x", Some(999)), "second");
    }

    #[test]
    fn options_are_joined_and_escapes_undone() {
        let mounts = Mounts::parse(TABLE);
        let mount = mounts.holding(Path::new("/mnt/my disk"), None).unwrap();
        assert_eq!(mount.options, ["rw", "noatime", "subvol=/\\a"]);
        assert!(mount.is_anonymous());
        let overlay = mounts.holding(Path::new("/mnt/over"), None).unwrap();
        let lower: Vec<_> = overlay.option_values("lowerdir").collect();
        assert_eq!(lower, ["/a\\,b:/c"]);
    }

    #[test]
    fn hostile_tables_give_nothing_and_no_panic() {
        for length in 0..TABLE.len() {
            if let Some(text) = TABLE.get(..length) {
                let _ = Mounts::parse(text).holding(Path::new("/mnt/x"), None);
            }
        }
        for line in [
            "",
            "-",
            "1 2 3",
            "x 1 8:1 / / rw - ext4 /dev/sda rw",
            "1 1 8:1 / / rw no dash",
            "1 1 8:1 / / rw - ext4",
            "99999999999999999999 1 8:1 / / rw - ext4 /dev/sda rw",
            "\\\\\\0\\04\\999 \u{fffd}",
        ] {
            assert!(Mounts::parse(line).0.is_empty(), "{line}");
        }
    }

    #[test]
    fn what_is_no_octal_escape_stays_as_it_is() {
        assert_eq!(unescape("a\\04"), "a\\04");
        assert_eq!(unescape("a\\999b"), "a\\999b");
        assert_eq!(unescape("\\303\\244"), "ä");
        assert_eq!(unescape("\\400"), "\\400");
    }
}
