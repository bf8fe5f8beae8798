//! What loop devices show: by identity, which the device itself tells, and by name only
//! where it cannot be asked.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sokudo_sys::LoopStatus;

use super::FileIdentity;
use crate::block::{self, SECTOR_BYTES, number_text};
use crate::system::{self, System};

/// A length that is not told is taken for the longest, which shares bytes with all.
const UNTOLD_BYTES: u64 = u64::MAX;

/// A loop device that shows something.
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) shown: LoopSource,
    /// Where it begins in what is shown, in bytes.
    offset: u64,
    bytes: u64,
    /// Whether it goes to the end of what is shown.
    is_open_ended: bool,
}

pub(super) enum LoopSource {
    /// As the device itself tells.
    Known(LoopStatus),
    /// The device could not be asked: what sysfs calls it, which may be the name of
    /// something else here.
    Named(PathBuf),
}

/// Whether a loop device shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Yes,
    No,
    Unknown,
}

impl Shows {
    const fn of(is_same: bool) -> Self {
        if is_same { Self::Yes } else { Self::No }
    }
}

/// All loop devices that show something, of every mount namespace.
pub(super) fn loops(system: &System) -> Vec<Loop> {
    let class = system.path("sys/class/block");
    system::names(&class)
        .into_iter()
        .filter(|name| name.starts_with("loop"))
        .filter_map(|name| Loop::of(system, &class.join(&name), name))
        .collect()
}

impl Loop {
    /// `None` if it shows nothing.
    fn of(system: &System, directory: &Path, name: String) -> Option<Self> {
        let mut text = system::bytes(directory.join("loop/backing_file"))?;
        // sysfs ends the line; a name may end in another.
        text.pop_if(|last| *last == b'\n');
        let number = |file| system::number(directory.join(file));
        let shown = match block::open(system, directory, OFlags::empty()) {
            Ok(device) => match sokudo_sys::loop_status(device) {
                Ok(status) => LoopSource::Known(status),
                Err(error) if error.raw_os_error() == Some(ENXIO) => return None,
                Err(_) => LoopSource::Named(PathBuf::from(OsString::from_vec(text))),
            },
            Err(_) => LoopSource::Named(PathBuf::from(OsString::from_vec(text))),
        };
        Some(Self {
            name,
            offset: match &shown {
                LoopSource::Known(status) => status.offset,
                LoopSource::Named(_) => number("loop/offset").unwrap_or(0),
            },
            shown,
            bytes: block::size(directory).map_or(UNTOLD_BYTES, |size| size.0),
            is_open_ended: number("loop/sizelimit") == Some(0),
        })
    }

    /// Whether it shows this file. A name that leads to another file is believed, because
    /// a file of that name in another mount namespace is as rare as the note about it would
    /// be frequent: every machine with snaps has dozens of loop devices.
    pub(super) fn shows_file(&self, file: FileIdentity) -> Shows {
        match &self.shown {
            LoopSource::Known(status) => Shows::of(
                status.block_device.is_none()
                    && (status.file_system, status.inode) == (file.file_system, file.inode),
            ),
            LoopSource::Named(path) => path.metadata().map_or(Shows::Unknown, |found: Metadata| {
                Shows::of(FileIdentity::of(&found) == file)
            }),
        }
    }

    /// Whether it shows the device with this number (`major:minor`) and of this many
    /// bytes.
    pub(super) fn shows_device(&self, number: &str, bytes: u64) -> Shows {
        match &self.shown {
            LoopSource::Known(status) => {
                Shows::of(status.block_device.map(number_text).as_deref() == Some(number))
            }
            LoopSource::Named(path) => {
                let is_node = path.metadata().is_ok_and(|node| {
                    node.file_type().is_block_device() && number_text(node.rdev()) == number
                });
                match (is_node, self.may_be_of(bytes)) {
                    (true, _) => Shows::Yes,
                    (false, true) => Shows::Unknown,
                    (false, false) => Shows::No,
                }
            }
        }
    }

    /// Whether what is shown may be of this size.
    fn may_be_of(&self, bytes: u64) -> bool {
        let whole = bytes / SECTOR_BYTES * SECTOR_BYTES;
        let end = self.offset.saturating_add(self.bytes) / SECTOR_BYTES * SECTOR_BYTES;
        if self.is_open_ended {
            end == whole
        } else {
            end <= whole
        }
    }

    /// Whether both show some byte, if both show the same file.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let end = |it: &Self| it.offset.saturating_add(it.bytes);
        self.offset < end(other) && other.offset < end(self)
    }
}

/// `ENXIO`: nothing is shown any more.
const ENXIO: i32 = rustix::io::Errno::NXIO.raw_os_error();

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &Path, offset: u64, bytes: u64, is_open_ended: bool) -> Loop {
        Loop {
            name: "loop7".to_owned(),
            shown: LoopSource::Named(path.to_owned()),
            offset,
            bytes,
            is_open_ended,
        }
    }

    #[test]
    fn a_device_that_cannot_be_asked_is_excluded_by_its_size_only() {
        let missing = Path::new("/does/not/exist");
        for (offset, bytes, is_open_ended, size, expected) in [
            (0, 1024, true, 1024, Shows::Unknown),
            (0, 1024, true, 1535, Shows::Unknown),
            (0, 1024, true, 2048, Shows::No),
            (512, 1024, true, 1536, Shows::Unknown),
            (0, 1024, false, 2048, Shows::Unknown),
            (512, 1024, false, 1024, Shows::No),
        ] {
            let device = named(missing, offset, bytes, is_open_ended);
            assert_eq!(
                device.shows_device("8:0", size),
                expected,
                "{offset} {size}"
            );
        }
    }

    #[test]
    fn devices_on_different_parts_of_a_file_do_not_overlap() {
        let of = |offset, bytes| named(Path::new("/x"), offset, bytes, false);
        assert!(of(0, 1024).overlaps(&of(1023, 1)));
        assert!(!of(0, 1024).overlaps(&of(1024, 1024)));
        assert!(!of(1024, 1024).overlaps(&of(0, 1024)));
        assert!(of(0, u64::MAX).overlaps(&of(5, 1)));
    }

    #[test]
    fn a_name_that_ends_in_a_newline_keeps_it() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("sys/class/block/loop7/loop");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("backing_file"), "/a\n\n").unwrap();
        let found = loops(&System::at(root.path()));
        assert!(
            matches!(&found[..], [Loop { shown: LoopSource::Named(path), .. }]
            if path == Path::new("/a\n"))
        );
    }
}
