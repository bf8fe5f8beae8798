//! What a block device holds, as far as its ends say.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use sokudo_model::Occupant;
use sokudo_words::text;

use crate::signature::{DeviceEnds, HEAD_BYTES, TAIL_BYTES, signatures};

/// What is read at a time where not all can be read.
const PAGE_BYTES: usize = 4096;

/// What the device's own bytes say.
pub(crate) fn held(device: &File) -> io::Result<Vec<Occupant>> {
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

pub(crate) fn read_part(device: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = vec![0; length];
    device.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
