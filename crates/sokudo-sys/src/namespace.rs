//! A namespace of an NVMe drive, to which commands are passed around the block layer, and its
//! two nodes: the block device (`nvme0n1`) and the character device that takes the commands
//! (`ng0n1`). Nodes belong together where both are below one controller or subsystem in sysfs and
//! both, when they are open, say the same number (`NVME_IOCTL_ID`). Names are not compared.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{ioctl_blksszget, major, makedev, minor};

use crate::nvme::{NvmeCommand, ask_nvme, nvme_namespace};
use crate::question::AskError;
use crate::request::{IoAction, Request};

/// `NVME_URING_CMD_IO` of <linux/nvme_ioctl.h>: `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
pub(crate) const NVME_URING_CMD_IO: u32 = 0xc048_4e80;

/// Of a completion: the drive's status, which is no error number, is this much below zero.
const STATUS_BASE: i32 = 1 << 16;

// Opcodes of the NVM command set.
const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;

/// Force Unit Access, in dword 12.
const FUA: u32 = 1 << 30;

/// A command counts its blocks in 16 bits, from 0.
const BLOCKS_MAX: u32 = 1 << 16;

/// Where `Identify Namespace` says which format is in use, and where its formats begin.
const FORMAT_IN_USE_AT: usize = 26;
const FORMATS_AT: usize = 128;

/// A namespace that takes commands.
#[derive(Debug)]
pub struct Namespace {
    pub(crate) node: OwnedFd,
    id: u32,
    block_bytes: u32,
    may_write: bool,
}

/// Why a block device takes no commands.
#[derive(Debug, sokudo_words::Error)]
pub enum NamespaceError {
    #[error("it is no namespace of an NVMe drive")]
    NotNvme,
    #[error("it is a partition, and commands reach the whole drive; name the drive")]
    Partition,
    #[error("no character device (ng…) of it is below /dev; Linux makes one since 5.13")]
    NoNode,
    #[error(
        "several device nodes claim to be namespace {0}, and which of them belongs to this drive is not known; use io_uring"
    )]
    Ambiguous(u32),
    #[error("{path} cannot be opened: {source}; run as root, or as a user who may", path = path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error(
        "its blocks have {0} bytes of metadata, which these commands do not move; measure it as a block device"
    )]
    Metadata(u16),
    #[error(transparent)]
    Identify(#[from] AskError),
    #[error("its blocks have no size: {0}")]
    BlockSize(io::Error),
}

impl Namespace {
    /// That of a block device which is held open. The node for commands is opened to be read
    /// unless it `may_write`; the kernel lets root write through it either way, so that no
    /// write is ever made of a request where it may not.
    ///
    /// # Errors
    /// As they say.
    pub fn of_block_device(device: &File, may_write: bool) -> Result<Self, NamespaceError> {
        let directory = directory_of(device).ok_or(NamespaceError::NotNvme)?;
        if directory.join("partition").exists() {
            return Err(NamespaceError::Partition);
        }
        let id = nvme_namespace(device).map_err(|_| NamespaceError::NotNvme)?;
        let node = twin(&directory, id, NodeKind::Generic, may_write)?;
        let page = ask_nvme(device, &NvmeCommand::identify_namespace(id))?.data;
        match metadata_bytes(&page) {
            0 => {}
            bytes => return Err(NamespaceError::Metadata(bytes)),
        }
        let block_bytes = ioctl_blksszget(device);
        Ok(Self {
            node: node.0.into(),
            id,
            block_bytes: block_bytes.map_err(|errno| NamespaceError::BlockSize(errno.into()))?,
            may_write,
        })
    }

    /// The smallest that it reads and writes.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// The command (`struct nvme_uring_cmd`) that does what is requested, or the error number
    /// that the block layer would answer.
    #[inline]
    pub(crate) fn command(&self, request: Request, buffer: *mut u8) -> Result<[u8; 80], i32> {
        let Request {
            action,
            length,
            offset,
            ..
        } = request;
        let (opcode, access) = match action {
            IoAction::Read => (READ, 0),
            IoAction::Fsync | IoAction::Fdatasync => (FLUSH, 0),
            IoAction::Trim => return Err(-libc::EOPNOTSUPP),
            _ if !self.may_write => return Err(-libc::EBADF),
            IoAction::Write => (WRITE, 0),
            IoAction::WriteThrough | IoAction::WriteThroughWithMetadata => (WRITE, FUA),
        };
        let mut command = [0; 80];
        let mut put =
            |at: usize, bytes: &[u8]| command[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &[opcode]);
        put(4, &self.id.to_ne_bytes());
        if !action.moves_data() {
            return Ok(command);
        }
        let (blocks, block_bytes) = (length / self.block_bytes, u64::from(self.block_bytes));
        let is_whole = offset % block_bytes == 0 && length % self.block_bytes == 0;
        if !is_whole || !(1..=BLOCKS_MAX).contains(&blocks) {
            return Err(-libc::EINVAL);
        }
        let address = buffer.expose_provenance() as u64;
        put(24, &address.to_ne_bytes());
        put(36, &length.to_ne_bytes());
        let block = offset / block_bytes;
        #[expect(clippy::cast_possible_truncation, reason = "its lower half")]
        put(40, &(block as u32).to_ne_bytes());
        put(44, &((block >> 32) as u32).to_ne_bytes());
        put(48, &((blocks - 1) | access).to_ne_bytes());
        Ok(command)
    }
}

/// What a completion of a command says as those of a read or a write do: bytes moved, minus the
/// error number, or what [`nvme_status`] takes apart.
#[inline]
pub(crate) fn result_of(answer: i32, moved: u32) -> i32 {
    match answer {
        0 => moved.cast_signed(),
        1.. => -(STATUS_BASE + answer),
        _ => answer,
    }
}

/// The status with which a drive answered, of a result that is one: type in bits 8–10, code in
/// bits 0–7.
pub fn nvme_status(result: i32) -> Option<u16> {
    let status = result.checked_neg()?.checked_sub(STATUS_BASE)?;
    // Above it are hints for the host: whether to try again, and when.
    u16::try_from(status & 0x7ff).ok().filter(|_| status > 0)
}

/// The block device of the character device at `path`, where that is of an NVMe namespace.
pub fn nvme_block_device(path: &Path) -> Option<PathBuf> {
    let generic = open_node(path, false).ok()?;
    let directory = directory_of(&generic)?;
    if !is_of(&directory, NodeKind::Generic) {
        return None;
    }
    let id = nvme_namespace(&generic).ok()?;
    twin(&directory, id, NodeKind::Block, false)
        .ok()
        .map(|it| it.1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    Block,
    Generic,
}

/// The node of this kind beside another of the same namespace, and its path.
fn twin(
    directory: &Path,
    id: u32,
    kind: NodeKind,
    may_write: bool,
) -> Result<(File, PathBuf), NamespaceError> {
    let beside = directory
        .parent()
        .and_then(|parent| fs::read_dir(parent).ok());
    let beside = beside.into_iter().flatten().flatten();
    let mut failed = NamespaceError::NoNode;
    let mut found = None;
    for entry in beside.filter(|entry| is_of(&entry.path(), kind)) {
        let path = Path::new("/dev").join(entry.file_name());
        let Some(number) = number_in(&entry.path()) else {
            continue;
        };
        let node = match open_node(&path, may_write) {
            Ok(node) => node,
            Err(source) if source.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => {
                failed = NamespaceError::Open { path, source };
                continue;
            }
        };
        // The node below /dev may be anything by that name.
        let is_it = kind_and_number(&node) == Some((kind, number));
        let has_number = nvme_namespace(&node).is_ok_and(|its| its == id);
        // Private namespaces of two controllers of one subsystem may share a number.
        if is_it && has_number && found.replace((node, path)).is_some() {
            return Err(NamespaceError::Ambiguous(id));
        }
    }
    found.ok_or(failed)
}

fn open_node(path: &Path, may_write: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(may_write);
    // A pipe of that name must not hang us.
    options.custom_flags(libc::O_NONBLOCK).open(path)
}

fn kind_and_number(node: &File) -> Option<(NodeKind, u64)> {
    let metadata = node.metadata().ok()?;
    let kind = match metadata.file_type() {
        kind if kind.is_block_device() => NodeKind::Block,
        kind if kind.is_char_device() => NodeKind::Generic,
        _ => return None,
    };
    Some((kind, metadata.rdev()))
}

/// The directory in sysfs of an open node.
fn directory_of(node: &File) -> Option<PathBuf> {
    let (kind, number) = kind_and_number(node)?;
    let kind = match kind {
        NodeKind::Block => "block",
        NodeKind::Generic => "char",
    };
    let path = format!("/sys/dev/{kind}/{}:{}", major(number), minor(number));
    fs::canonicalize(path).ok()
}

/// Whether a directory of sysfs is a device of this kind.
fn is_of(directory: &Path, kind: NodeKind) -> bool {
    let class = match kind {
        NodeKind::Block => "block",
        NodeKind::Generic => "nvme-generic",
    };
    fs::read_link(directory.join("subsystem")).is_ok_and(|link| link.ends_with(class))
}

fn number_in(directory: &Path) -> Option<u64> {
    let text = fs::read_to_string(directory.join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// Bytes of metadata of each block, of `Identify Namespace`.
fn metadata_bytes(page: &[u8]) -> u16 {
    let flags = page.get(FORMAT_IN_USE_AT).copied().unwrap_or(0);
    let format = usize::from(flags & 0xf) | usize::from(flags >> 5 & 3) << 4;
    let at = FORMATS_AT + 4 * format;
    page.get(at..at + 2)
        .map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(may_write: bool) -> Namespace {
        Namespace {
            node: File::open("/dev/null").unwrap().into(),
            id: 7,
            block_bytes: 4096,
            may_write,
        }
    }

    fn request(action: IoAction, length: u32, offset: u64) -> Request {
        Request {
            action,
            buffer: 0,
            file: 0,
            length,
            offset,
        }
    }

    fn command(may_write: bool, request: Request) -> Result<[u8; 80], i32> {
        namespace(may_write).command(request, std::ptr::without_provenance_mut(0x1234_5000))
    }

    /// A word of the command, as it lies in memory.
    fn word(command: &[u8; 80], at: usize) -> u32 {
        u32::from_ne_bytes(command[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn a_command_names_blocks_and_memory() {
        let read = command(false, request(IoAction::Read, 8192, 5 << 33)).unwrap();
        let words = [4, 24, 28, 36, 40, 44, 48].map(|at| word(&read, at));
        let block = (5_u64 << 33) / 4096;
        assert_eq!(read[0], 2);
        assert_eq!(
            words,
            [
                7,
                0x1234_5000,
                0,
                8192,
                block as u32,
                (block >> 32) as u32,
                1
            ]
        );
        let through = command(true, request(IoAction::WriteThrough, 4096, 0)).unwrap();
        assert_eq!((through[0], word(&through, 48)), (1, 1 << 30));
        let write = command(true, request(IoAction::Write, 4096, 0)).unwrap();
        assert_eq!((write[0], word(&write, 48)), (1, 0));
        let flush = command(false, request(IoAction::Fsync, 4096, 4096)).unwrap();
        assert!(flush[8..].iter().all(|byte| *byte == 0) && flush[0] == 0);
    }

    #[test]
    fn nothing_is_written_without_leave_or_in_pieces_of_blocks() {
        for action in [
            IoAction::Write,
            IoAction::WriteThrough,
            IoAction::WriteThroughWithMetadata,
        ] {
            assert_eq!(command(false, request(action, 4096, 0)), Err(-libc::EBADF));
        }
        for (length, offset) in [(512, 0), (4096, 512), (4097, 0), (0, 0)] {
            let refused = command(true, request(IoAction::Write, length, offset));
            assert_eq!(refused, Err(-libc::EINVAL), "{length} at {offset}");
        }
        let trim = command(true, request(IoAction::Trim, 4096, 0));
        assert_eq!(trim, Err(-libc::EOPNOTSUPP));
    }

    #[test]
    fn an_answer_is_bytes_an_error_number_or_a_status() {
        assert_eq!(result_of(0, 4096), 4096);
        assert_eq!(result_of(-5, 4096), -5);
        assert_eq!(nvme_status(-5), None);
        assert_eq!(nvme_status(4096), None);
        assert_eq!(nvme_status(i32::MIN), None);
        // Unrecovered read error, and that it is no use to try again.
        assert_eq!(nvme_status(result_of(0x4281, 4096)), Some(0x281));
    }

    #[test]
    fn the_format_in_use_says_how_much_metadata_there_is() {
        let mut page = vec![0; 4096];
        page[FORMAT_IN_USE_AT] = 0b0100_0010;
        page[128 + 4 * 0x22] = 8;
        assert_eq!(metadata_bytes(&page), 8);
        page[FORMAT_IN_USE_AT] = 0;
        assert_eq!((metadata_bytes(&page), metadata_bytes(&[])), (0, 0));
    }

    #[test]
    fn what_is_no_namespace_is_refused() {
        let file = File::open("/proc/self/exe").unwrap();
        let refused = Namespace::of_block_device(&file, false);
        assert!(matches!(refused, Err(NamespaceError::NotNvme)));
        assert_eq!(nvme_block_device(Path::new("/dev/null")), None);
    }
}
