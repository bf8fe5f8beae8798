//! The mark on what sokudo has made: by it, and by nothing else, a file or directory is
//! known again as ours.
//!
//! It is one extended attribute of the inode, [`ATTRIBUTE`], that holds one line. The line
//! says what the thing was made for, who made it, which inode it is, and what we have last
//! written: so a copy is not ours, nor is a file that somebody has filled with contents of
//! his own. While a job writes, and after it was killed, the line says that it is
//! unfinished: then the size must be one that the job could have left.

use std::fs::{File, Metadata};
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;

use rustix::fs::XattrFlags;
use rustix::io::Errno;

/// Where the mark is kept. It is short, so that it has room in the inode itself.
const ATTRIBUTE: &str = "user.sokudo";

/// What the line begins with: its version.
const VERSION: &str = "1";

/// No line of ours is longer.
const LINE_BYTES_MAX: usize = 256;

/// What a thing was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilePurpose {
    /// A job's file, which stays.
    Kept,
    /// A job's file, which is removed at the end of its run, whatever its name is.
    Removed,
    /// A test file or a directory of them, which has a name of ours.
    Test,
}

const PURPOSES: [(FilePurpose, &str); 3] = [
    (FilePurpose::Kept, "kept"),
    (FilePurpose::Removed, "removed"),
    (FilePurpose::Test, "test"),
];

/// Why a file or directory does not count as ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum NotOurs {
    /// It has no mark, or none that we understand.
    #[error("nothing shows that sokudo has made it")]
    Unmarked,
    /// It cannot have one.
    #[error("its file system keeps no attributes, by which sokudo knows its own files")]
    Unmarkable,
    /// Another user has made it.
    #[error("sokudo has made it for another user")]
    OfAnother,
    /// Somebody else has written it, or it is a copy of what was ours.
    #[error("it has been changed since sokudo wrote it")]
    Changed,
    /// A job was killed while it wrote it, so that others may have written it since.
    #[error("a job that wrote it was killed, and others may have written to it since")]
    Unfinished,
}

/// What we have last written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WriteState {
    /// We may be writing still: its size is within these.
    Unfinished(RangeInclusive<u64>),
    /// So many bytes, the last of them at this time.
    Finished { bytes: u64, at: (i64, i64) },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FileMark {
    purpose: FilePurpose,
    user: u32,
    inode: u64,
    written: WriteState,
}

/// Marks what is about to be written, and may have such a size meanwhile.
///
/// # Errors
/// When the file system keeps no attributes.
pub(crate) fn begin(
    file: &File,
    purpose: FilePurpose,
    sizes: RangeInclusive<u64>,
) -> io::Result<()> {
    let metadata = file.metadata()?;
    put(file, &metadata, purpose, WriteState::Unfinished(sizes))
}

/// Marks what is written, as it is now.
///
/// # Errors
/// As [`begin`].
pub(crate) fn finish(file: &File, purpose: FilePurpose) -> io::Result<()> {
    let metadata = file.metadata()?;
    let written = WriteState::Finished {
        bytes: metadata.len(),
        at: modified(&metadata),
    };
    put(file, &metadata, purpose, written)
}

/// What we have made this for; why it is not ours, if it is not.
pub(crate) fn standing(file: &File) -> Result<FilePurpose, NotOurs> {
    known(file).map(|mark| mark.purpose)
}

/// Whether we may have been writing it still when its mark was made.
pub(crate) fn is_unfinished(file: &File) -> bool {
    known(file).is_ok_and(|mark| matches!(mark.written, WriteState::Unfinished(_)))
}

fn known(file: &File) -> Result<FileMark, NotOurs> {
    let mut line = [0; LINE_BYTES_MAX];
    let length = match rustix::fs::fgetxattr(file, ATTRIBUTE, &mut line) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP) => return Err(NotOurs::Unmarkable),
        Err(_) => return Err(NotOurs::Unmarked),
    };
    let line = std::str::from_utf8(&line[..length]).ok();
    let mark = line.and_then(FileMark::parse).ok_or(NotOurs::Unmarked)?;
    let metadata = file.metadata().map_err(|_| NotOurs::Unmarked)?;
    mark.holds(&metadata, rustix::process::geteuid().as_raw())?;
    Ok(mark)
}

fn put(
    file: &File,
    metadata: &Metadata,
    purpose: FilePurpose,
    written: WriteState,
) -> io::Result<()> {
    let mark = FileMark {
        purpose,
        user: rustix::process::geteuid().as_raw(),
        inode: metadata.ino(),
        written,
    };
    let line = mark.line();
    Ok(rustix::fs::fsetxattr(
        file,
        ATTRIBUTE,
        line.as_bytes(),
        XattrFlags::empty(),
    )?)
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

impl FileMark {
    fn line(&self) -> String {
        let known = PURPOSES.iter().find(|(known, _)| *known == self.purpose);
        let purpose = known.expect("every purpose has a word").1;
        let (user, inode) = (self.user, self.inode);
        match &self.written {
            WriteState::Unfinished(sizes) => format!(
                "{VERSION} {purpose} {user} {inode} unfinished {} {}",
                sizes.start(),
                sizes.end()
            ),
            WriteState::Finished { bytes, at: (s, ns) } => {
                format!("{VERSION} {purpose} {user} {inode} finished {bytes} {s} {ns}")
            }
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let [VERSION, purpose, user, inode, written @ ..] = &words[..] else {
            return None;
        };
        let written = match written {
            ["unfinished", least, most] => {
                WriteState::Unfinished(least.parse().ok()?..=most.parse().ok()?)
            }
            ["finished", bytes, seconds, nanoseconds] => WriteState::Finished {
                bytes: bytes.parse().ok()?,
                at: (seconds.parse().ok()?, nanoseconds.parse().ok()?),
            },
            _ => return None,
        };
        let (purpose, _) = PURPOSES.iter().find(|(_, word)| word == purpose)?;
        Some(Self {
            purpose: *purpose,
            user: user.parse().ok()?,
            inode: inode.parse().ok()?,
            written,
        })
    }

    fn holds(&self, metadata: &Metadata, user: u32) -> Result<FilePurpose, NotOurs> {
        let is_as_written = match &self.written {
            // A directory has no size of its own.
            WriteState::Unfinished(_) if metadata.is_dir() => true,
            WriteState::Unfinished(sizes) => sizes.contains(&metadata.len()),
            WriteState::Finished { bytes, at } => {
                *bytes == metadata.len() && *at == modified(metadata)
            }
        };
        if self.user != user {
            Err(NotOurs::OfAnother)
        } else if self.inode != metadata.ino() || !is_as_written {
            Err(NotOurs::Changed)
        } else {
            Ok(self.purpose)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_line_says_what_was_marked_and_no_other_line_does() {
        for (purpose, _) in PURPOSES {
            for written in [
                WriteState::Unfinished(5..=7),
                WriteState::Finished {
                    bytes: 9,
                    at: (-3, 999_999_999),
                },
            ] {
                let mark = FileMark {
                    purpose,
                    user: 1000,
                    inode: u64::MAX,
                    written,
                };
                assert_eq!(FileMark::parse(&mark.line()), Some(mark));
            }
        }
        for line in [
            "",
            "2 kept 0 1 finished 1 2 3",
            "1 other 0 1 finished 1 2 3",
            "1 kept 0 1 finished 1 2",
            "1 kept 0 1 finished 1 2 3 4",
            "1 kept -1 1 unfinished 0 1",
            "1 kept 0 1 unfinished 0 1\n",
        ] {
            assert_eq!(FileMark::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_mark_ends_with_what_was_written() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        assert!(standing(file.as_file()).is_err());
        if begin(file.as_file(), FilePurpose::Kept, 0..=8).is_err() {
            eprintln!("SKIPPED: no attributes here");
            return;
        }
        file.write_all(b"12345678").unwrap();
        assert_eq!(
            standing(file.as_file()),
            Ok(FilePurpose::Kept),
            "unfinished"
        );
        file.write_all(b"9").unwrap();
        assert_eq!(standing(file.as_file()), Err(NotOurs::Changed), "too large");
        finish(file.as_file(), FilePurpose::Kept).unwrap();
        assert_eq!(standing(file.as_file()), Ok(FilePurpose::Kept));
        file.as_file().set_len(8).unwrap();
        assert_eq!(standing(file.as_file()), Err(NotOurs::Changed), "cut");
        finish(file.as_file(), FilePurpose::Kept).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
        file.as_file().set_modified(later).unwrap();
        assert_eq!(standing(file.as_file()), Err(NotOurs::Changed), "rewritten");
    }

    #[test]
    fn a_copy_with_all_attributes_and_times_is_not_ours() {
        let directory = tempfile::tempdir().unwrap();
        let (path, copy) = (directory.path().join("a"), directory.path().join("b"));
        let file = File::create(&path).unwrap();
        if finish(&file, FilePurpose::Kept).is_err() {
            eprintln!("SKIPPED: no attributes here");
            return;
        }
        let copied = std::process::Command::new("cp")
            .arg("-a")
            .args([&path, &copy])
            .status();
        assert!(copied.unwrap().success());
        assert_eq!(standing(&file), Ok(FilePurpose::Kept));
        assert!(standing(&File::open(&copy).unwrap()).is_err());
    }

    #[test]
    fn what_another_user_has_made_is_not_ours() {
        let file = tempfile::tempfile().unwrap();
        let metadata = file.metadata().unwrap();
        let mark = FileMark {
            purpose: FilePurpose::Kept,
            user: 1000,
            inode: metadata.ino(),
            written: WriteState::Unfinished(0..=0),
        };
        assert_eq!(mark.holds(&metadata, 1000), Ok(FilePurpose::Kept));
        assert_eq!(mark.holds(&metadata, 0), Err(NotOurs::OfAnother));
    }
}
