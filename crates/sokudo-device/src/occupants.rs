//! Who uses a block device (`users`) and what it holds, before anything is written to it.
//! It only looks.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, SeekFrom};
use rustix::io::Errno;
use sokudo_model::{Occupancy, Occupant};
use sokudo_words::text;

use crate::block::{self, number_text};
use crate::disk;
use crate::signature::{DeviceEnds, HEAD_BYTES, TAIL_BYTES, signatures};
use crate::system::{self, System};
use crate::users;

/// What is read at a time where not all can be read.
const PAGE_BYTES: usize = 4096;

/// Why it is not known who uses a device.
#[derive(Debug, sokudo_words::Error)]
pub enum OccupancyError {
    /// It cannot be looked at.
    #[error("{path} cannot be examined: {source}; nothing is written to a device that cannot be read first", path = path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// It is no block device.
    #[error("{path} is not a block device", path = .0.display())]
    NotBlockDevice(PathBuf),
}

/// Who uses the block device at `path`, and what it holds.
///
/// # Errors
/// If it is no block device or cannot be read.
pub fn occupants(system: &System, path: &Path) -> Result<Occupancy, OccupancyError> {
    let unreadable = |source| OccupancyError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // O_NONBLOCK: a FIFO must not hang us, nor a drive without a medium.
    let device = rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK,
        rustix::fs::Mode::empty(),
    )
    .map(File::from)
    .map_err(|errno| unreadable(errno.into()))?;
    let metadata = device.metadata().map_err(unreadable)?;
    if !metadata.file_type().is_block_device() {
        return Err(OccupancyError::NotBlockDevice(path.to_owned()));
    }
    let device_number = metadata.rdev();
    let (directory, users) = users::of_device(system, device_number);
    let mut occupants = users.occupants;
    occupants.extend(directory.as_deref().and_then(unwritable));
    occupants.extend(held(&device).map_err(unreadable)?);
    Ok(Occupancy {
        device_number,
        name: directory
            .as_deref()
            .map_or_else(|| number_text(device_number), block::name),
        serial: directory.and_then(|directory| serial(system, &directory)),
        occupants,
    })
}

/// The serial number of the disk, or the world-wide name that SCSI has in its place.
fn serial(system: &System, directory: &Path) -> Option<String> {
    let disk = block::disk(directory);
    disk::serial(system, &disk).or_else(|| block::describe(&disk).serial)
}

/// Why nothing can be written to the device in this directory, if so.
fn unwritable(directory: &Path) -> Option<Occupant> {
    let name = block::name(directory);
    let is_optical = name
        .strip_prefix("sr")
        .is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()));
    let sentence = if is_optical {
        text!("{name} is an optical drive")
    } else if system::flag(directory.join("ro")) == Some(true) {
        text!("{name} is write-protected")
    } else {
        return None;
    };
    Some(Occupant::Unwritable { sentence })
}

/// What the device's own bytes say.
fn held(device: &File) -> io::Result<Vec<Occupant>> {
    let size = rustix::fs::seek(device, SeekFrom::End(0))?;
    let head = read_part(device, 0, size.min(HEAD_BYTES))?;
    let tail_bytes = size.min(TAIL_BYTES);
    let tail_at = size - tail_bytes;
    let (tail, unread) = match read_part(device, tail_at, tail_bytes) {
        Ok(tail) => (tail, None),
        // Its start was read: it may be a drive that has less than it says.
        Err(error) if is_of_the_medium(&error) => readable_pages(device, tail_at, tail_bytes)?,
        Err(error) => return Err(error),
    };
    let unread = unread.map(|(from, error)| Occupant::EndUnread {
        sentence: text!("what it holds at its end, from byte {from} on, cannot be read ({error})"),
    });
    let ends = DeviceEnds {
        head: &head,
        tail: &tail,
        size,
    };
    let found = signatures(&ends).into_iter();
    Ok(found
        .map(|signature| Occupant::Signature {
            what: signature.what.into(),
            offset: signature.offset,
        })
        .chain(unread)
        .collect())
}

/// Whether the device itself could not read it; what else goes wrong says nothing of its end.
fn is_of_the_medium(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(
        errno,
        Some(Errno::IO | Errno::REMOTEIO | Errno::NODATA | Errno::ILSEQ | Errno::TIMEDOUT)
    )
}

/// What of a part can be read, page by page, so that signatures in it are seen; zeros stand
/// for the rest. With the first byte that could not be read, and why.
#[expect(clippy::type_complexity, reason = "it is taken apart at once")]
fn readable_pages(
    device: &File,
    at: u64,
    length: u64,
) -> io::Result<(Vec<u8>, Option<(u64, io::Error)>)> {
    let (mut bytes, mut unread) = (Vec::new(), None);
    for offset in (0..length).step_by(PAGE_BYTES) {
        let page = (length - offset).min(PAGE_BYTES as u64);
        match read_part(device, at + offset, page) {
            Ok(read) => bytes.extend(read),
            Err(error) if is_of_the_medium(&error) => {
                bytes.extend(vec![0; usize::try_from(page).unwrap_or(PAGE_BYTES)]);
                unread.get_or_insert((at + offset, error));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((bytes, unread))
}

fn read_part(device: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = vec![0; length];
    device.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
