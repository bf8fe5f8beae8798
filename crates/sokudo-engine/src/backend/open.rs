//! Which backend is used: the one asked for, or the best that there is.

use std::io::{self, IoSliceMut};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::FileType;
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use sokudo_model::{BackendFeature, BackendKind, BackendUse, BufferMemory, Order, Workload};
use sokudo_sys::{
    Aio, Blocking, Calls, Commands, Completions, IoAction, Mapped, Namespace, PageWish, Pages,
    Queue, Region, Request, Ring, RingFeatures, nvme_status,
};
use sokudo_words::{Text, text};

use super::{Mmap, Null, Psync, Queued, TICK, Vsync};

/// A healthy drive answers within milliseconds, one that collects garbage within seconds.
const TRY_TIME_MAX: Duration = Duration::from_secs(10);

/// What a thread needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackendRequirements {
    pub(crate) kind: BackendKind,
    pub(crate) polled: bool,
    pub(crate) depth: u32,
    pub(crate) buffers: u32,
    pub(crate) buffer_length: u32,
    pub(crate) memory: BufferMemory,
}

/// A backend of any kind; the worker's loop is compiled once for each.
pub(crate) enum AnyBackend {
    IoUring(Queued<Ring>),
    IoUringCmd(Queued<Ring<Commands>>),
    Libaio(Queued<Aio>),
    /// psync, sync and pvsync2.
    Psync(Psync),
    Vsync(Vsync),
    Mmap(Mmap),
    Null(Null),
}

/// Why there is no backend.
#[derive(Debug, sokudo_words::Error)]
pub enum OpenError {
    /// Not so much memory.
    #[error(
        "no memory for {bytes} bytes of buffers: {source}; use a smaller depth, block or number of threads"
    )]
    Memory {
        /// Size of all buffers that were asked for, in bytes.
        bytes: u64,
        /// What the system said.
        source: io::Error,
    },
    /// No huge pages, or not enough of them.
    #[error(
        "no huge pages for {bytes} bytes of buffers: {source}; allow them (as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled), reserve some (vm.nr_hugepages), or measure without them"
    )]
    HugePages {
        /// Size of all buffers that were asked for, in bytes.
        bytes: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The drive takes no commands from here.
    #[error(
        "io_uring_cmd cannot be used here: {0}; it needs Linux 6.1, and root before 6.2; use io_uring"
    )]
    Commands(io::Error),
    /// The backend asked for is not allowed here.
    #[error("{backend} cannot be used here: {source}; use --engine auto to take the best there is")]
    Denied {
        /// Name of the backend.
        backend: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// Opens the backend that is wanted. `Auto` is psync at depth 1, where one
/// system call per I/O is the least there can be, else io_uring, else libaio, else
/// psync; libaio comes before io_uring on block devices that make rings wait. What is
/// polled is io_uring or nothing. No files are the null target.
pub(crate) fn open(
    wanted: BackendRequirements,
    files: Vec<OwnedFd>,
) -> Result<(AnyBackend, BackendUse), OpenError> {
    let (region, features) = region(wanted)?;
    if files.is_empty() || wanted.kind == BackendKind::Null {
        let backend = AnyBackend::Null(Null::new(region, wanted.depth));
        return Ok((backend, used(BackendKind::Null, features)));
    }
    let opened = match wanted.kind {
        BackendKind::IoUring => open_ring(files, region, wanted, features),
        // Nothing else asks for completions.
        BackendKind::Auto if wanted.polled => open_ring(files, region, wanted, features),
        BackendKind::Libaio => open_aio(files, region, wanted, features),
        BackendKind::Mmap => open_mmap(files, region, features),
        BackendKind::Auto if wanted.depth > 1 => Ok(open_best(files, region, wanted, features)),
        _ => Ok(open_blocking(files, region, wanted, features)),
    };
    opened.map_err(|(source, ..)| OpenError::Denied {
        backend: wanted.kind.name(),
        source,
    })
}

/// Opens the backend that passes commands to drives; none are the null target.
pub(crate) fn open_commands(
    wanted: BackendRequirements,
    namespaces: Vec<Namespace>,
) -> Result<(AnyBackend, BackendUse), OpenError> {
    if namespaces.is_empty() {
        return open(wanted, Vec::new());
    }
    let (region, features) = region(wanted)?;
    let blocks: Vec<u32> = namespaces.iter().map(Namespace::block_bytes).collect();
    let completions = completions(wanted);
    let mut ring = Ring::of_commands(namespaces, region, wanted.depth, TICK, completions)
        .map_err(OpenError::Commands)?;
    for (file, block_bytes) in (0..).zip(blocks) {
        try_out(&mut ring, file, block_bytes).map_err(OpenError::Commands)?;
    }
    let used = used_of_ring(
        BackendKind::IoUringCmd,
        ring.features(),
        BackendFeature::RegisteredFile,
        features,
    );
    Ok((AnyBackend::IoUringCmd(Queued(ring)), used))
}

/// Reads the first block: who may pass commands, and whether the drive is polled, is seen by nothing
/// else. What the drive answers does not matter.
fn try_out(ring: &mut Ring<Commands>, file: u32, block_bytes: u32) -> io::Result<()> {
    ring.prepare(Request {
        action: IoAction::Read,
        buffer: 0,
        file,
        length: block_bytes,
        offset: 0,
    });
    let started = Instant::now();
    let mut answer = None;
    while answer.is_none() && started.elapsed() < TRY_TIME_MAX {
        ring.submit_and_wait(1)?;
        ring.reap(|_, result| answer = Some(result));
    }
    match answer {
        None => Err(io::ErrorKind::TimedOut.into()),
        Some(result) if result < 0 && nvme_status(result).is_none() => {
            Err(io::Error::from_raw_os_error(-result))
        }
        Some(_) => Ok(()),
    }
}

/// The buffers that are wanted, and what they are made of.
fn region(wanted: BackendRequirements) -> Result<(Region, Vec<BackendFeature>), OpenError> {
    let bytes = u64::from(wanted.buffers) * u64::from(wanted.buffer_length);
    let wish = match wanted.memory {
        BufferMemory::Auto => PageWish::Best,
        BufferMemory::SmallPages => PageWish::Small,
        BufferMemory::HugePages => PageWish::Huge,
    };
    let region = Region::with_pages(wanted.buffers, wanted.buffer_length as usize, wish).map_err(
        |source| match wish {
            PageWish::Huge => OpenError::HugePages { bytes, source },
            PageWish::Best | PageWish::Small => OpenError::Memory { bytes, source },
        },
    )?;
    let mut features = Vec::new();
    match region.pages() {
        Pages::Huge => features.push(BackendFeature::HugePages),
        Pages::TransparentHuge if gives_huge_pages() => {
            features.push(BackendFeature::TransparentHugePages);
        }
        Pages::TransparentHuge if wish == PageWish::Huge => {
            let source = io::ErrorKind::OutOfMemory.into();
            return Err(OpenError::HugePages { bytes, source });
        }
        Pages::TransparentHuge | Pages::Small => {}
    }
    Ok((region, features))
}

/// The kernel takes the wish for transparent huge pages even when the system is
/// set to grant none.
fn gives_huge_pages() -> bool {
    std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
        .is_ok_and(|setting| !setting.contains("[never]"))
}

type Refused = (io::Error, Vec<OwnedFd>, Region);

fn open_best(
    mut files: Vec<OwnedFd>,
    mut region: Region,
    wanted: BackendRequirements,
    features: Vec<BackendFeature>,
) -> (AnyBackend, BackendUse) {
    let mut notes = Vec::new();
    let order = if files.iter().any(makes_rings_wait) {
        notes.push(
            "the device cannot take I/O without waiting (RWF_NOWAIT), so io_uring would hand it to kernel threads"
                .into(),
        );
        [BackendKind::Libaio, BackendKind::IoUring]
    } else {
        [BackendKind::IoUring, BackendKind::Libaio]
    };
    for kind in order {
        let opened = match kind {
            BackendKind::IoUring => open_ring(files, region, wanted, features.clone()),
            _ => open_aio(files, region, wanted, features.clone()),
        };
        match opened {
            Ok((backend, mut used)) => {
                notes.append(&mut used.notes);
                used.notes = notes;
                return (backend, used);
            }
            Err((error, same_files, same_region)) => {
                notes.push(refusal(kind, &error));
                (files, region) = (same_files, same_region);
            }
        }
    }
    let (backend, mut used) = open_blocking(files, region, wanted, features);
    used.notes = notes;
    (backend, used)
}

/// Whether the file is a block device whose driver may block while it takes an
/// I/O: io_uring then hands every I/O to a kernel thread, of which there are four
/// per processor, where libaio calls the driver itself.
fn makes_rings_wait(file: &OwnedFd) -> bool {
    let is_device = rustix::fs::fstat(file)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice);
    // The flag is looked at before anything else, so that the buffer need not be
    // aligned; a device that knows it answers something else, or a sector.
    let mut sector = [0; 512];
    let buffer = &mut [IoSliceMut::new(&mut sector)];
    is_device && preadv2(file, buffer, 0, ReadWriteFlags::NOWAIT) == Err(Errno::OPNOTSUPP)
}

fn refusal(kind: BackendKind, error: &io::Error) -> Text {
    let name = kind.name();
    match error.kind() {
        io::ErrorKind::OutOfMemory => text!(
            "{name} is not allowed here ({error}); raise the limit of locked memory (ulimit -l)"
        ),
        _ => text!("{name} is not allowed here ({error})"),
    }
}

fn open_ring(
    files: Vec<OwnedFd>,
    region: Region,
    wanted: BackendRequirements,
    features: Vec<BackendFeature>,
) -> Result<(AnyBackend, BackendUse), Refused> {
    let registered = if files.len() == 1 {
        BackendFeature::RegisteredFile
    } else {
        BackendFeature::RegisteredFiles
    };
    let ring = Ring::new(files, region, wanted.depth, TICK, completions(wanted))?;
    let used = used_of_ring(BackendKind::IoUring, ring.features(), registered, features);
    Ok((AnyBackend::IoUring(Queued(ring)), used))
}

fn completions(wanted: BackendRequirements) -> Completions {
    match wanted.polled {
        true => Completions::Polled,
        false => Completions::Interrupt,
    }
}

/// What is used of a ring, by what it has `registered`.
fn used_of_ring(
    kind: BackendKind,
    granted: RingFeatures,
    registered: BackendFeature,
    mut features: Vec<BackendFeature>,
) -> BackendUse {
    let RingFeatures {
        registered_buffers,
        spares_zfs,
        registered_files,
        single_issuer,
        deferred_task_work,
        polled,
    } = granted;
    let granted = [
        (registered_buffers, BackendFeature::RegisteredBuffers),
        (registered_files, registered),
        (single_issuer, BackendFeature::SingleIssuer),
        (deferred_task_work, BackendFeature::DeferredTaskWork),
        (polled, BackendFeature::Polled),
    ];
    let granted = granted.into_iter().filter(|(is_on, _)| *is_on);
    features.extend(granted.map(|(_, feature)| feature));
    let mut used = used(kind, features);
    if spares_zfs {
        used.notes.push(
            "buffers are not registered, because ZFS 2.3 can crash the kernel when it writes registered ones directly"
                .into(),
        );
    } else if !registered_buffers {
        used.notes.push(
            "buffers could not be registered; raise the limit of locked memory (ulimit -l)".into(),
        );
    }
    used
}

fn open_aio(
    files: Vec<OwnedFd>,
    region: Region,
    wanted: BackendRequirements,
    features: Vec<BackendFeature>,
) -> Result<(AnyBackend, BackendUse), Refused> {
    let aio = Aio::new(files, region, wanted.depth, TICK)?;
    let used = used(BackendKind::Libaio, features);
    Ok((AnyBackend::Libaio(Queued(aio)), used))
}

/// By system calls that wait, one for each I/O or for several that lie next to each other.
fn open_blocking(
    files: Vec<OwnedFd>,
    region: Region,
    wanted: BackendRequirements,
    features: Vec<BackendFeature>,
) -> (AnyBackend, BackendUse) {
    let (kind, calls) = match wanted.kind {
        kind @ BackendKind::Vsync => (kind, Calls::Vectored),
        kind @ BackendKind::Sync => (kind, Calls::Seeking),
        kind @ BackendKind::Pvsync2 => (kind, Calls::VectoredWithFlags),
        _ => (BackendKind::Psync, Calls::Positioned),
    };
    let blocking = Blocking::with_calls(files, region, calls);
    let backend = match kind {
        BackendKind::Vsync => AnyBackend::Vsync(Vsync::new(blocking, wanted.depth)),
        _ => AnyBackend::Psync(Psync::new(blocking)),
    };
    (backend, used(kind, features))
}

fn open_mmap(
    files: Vec<OwnedFd>,
    region: Region,
    features: Vec<BackendFeature>,
) -> Result<(AnyBackend, BackendUse), Refused> {
    let mapped = Mapped::new(files, region)?;
    let mut used = used(BackendKind::Mmap, features);
    used.notes
        .push("a mapped file is always reached through the page cache".into());
    Ok((AnyBackend::Mmap(Mmap::new(mapped)), used))
}

/// I/Os that a backend of this kind keeps in flight: blocking ones do one at a time.
/// vsync gathers what lies next to each other; of random I/Os, that is one.
pub(crate) fn depth_used(kind: BackendKind, workload: &Workload) -> u32 {
    match kind {
        BackendKind::Psync | BackendKind::Sync | BackendKind::Pvsync2 | BackendKind::Mmap => 1,
        BackendKind::Vsync if matches!(workload.order, Order::Random { .. }) => 1,
        _ => workload.depth,
    }
}

/// What is used of a backend, with nothing to be said about it.
pub(crate) fn used(kind: BackendKind, features: Vec<BackendFeature>) -> BackendUse {
    BackendUse {
        kind,
        features,
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use sokudo_model::{Bytes, DirectMode};

    const WANTED: BackendRequirements = BackendRequirements {
        kind: BackendKind::Auto,
        polled: false,
        depth: 2,
        buffers: 2,
        buffer_length: 4096,
        memory: BufferMemory::SmallPages,
    };

    fn perform(backend: &mut impl Backend, action: IoAction, buffer_index: u32, file: u32) -> i32 {
        backend.prepare(Request {
            action,
            buffer: buffer_index,
            file,
            length: 4096,
            offset: 4096,
        });
        let mut result = None;
        while result.is_none() {
            backend.submit_and_wait(1).unwrap();
            backend.reap(|_, moved| result = Some(moved));
        }
        result.unwrap()
    }

    fn use_two_files(backend: &mut impl Backend) {
        for file in 0..2 {
            backend.buffer_mut(0).fill(file as u8 + 1);
            assert_eq!(perform(backend, IoAction::Write, 0, file), 4096);
        }
        for file in 0..2 {
            assert_eq!(perform(backend, IoAction::Read, 1, file), 4096);
            assert_eq!(backend.buffer_mut(1)[7], file as u8 + 1);
        }
    }

    #[test]
    fn every_kind_is_what_it_says_and_uses_every_file() {
        let kinds = [
            BackendKind::IoUring,
            BackendKind::Libaio,
            BackendKind::Psync,
            BackendKind::Sync,
            BackendKind::Vsync,
            BackendKind::Pvsync2,
            BackendKind::Mmap,
        ];
        for kind in kinds {
            let files = [(); 2].map(|()| tempfile::tempfile().unwrap());
            files.iter().for_each(|file| file.set_len(16384).unwrap());
            let files = files.map(OwnedFd::from).into();
            match open(BackendRequirements { kind, ..WANTED }, files) {
                Ok((mut backend, used)) => {
                    assert_eq!(used.kind, kind);
                    use_two_files(&mut backend);
                }
                Err(error) => eprintln!("SKIPPED: {kind:?}: {error}"),
            }
        }
    }

    #[test]
    fn what_cannot_be_mapped_is_said() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let wanted = BackendRequirements {
            kind: BackendKind::Mmap,
            ..WANTED
        };
        let refused = open(wanted, vec![reader.into()]);
        assert!(matches!(
            refused,
            Err(OpenError::Denied {
                backend: "mmap",
                ..
            })
        ));
    }

    #[test]
    fn only_queues_and_gathering_keep_the_depth() {
        let sequential = with!(
            Workload::new("w", Bytes(4096)),
            depth = 8,
            direct = DirectMode::Off
        );
        let random = with!(sequential.clone(), order = Order::Random { map: false });
        for (kind, in_order, at_random) in [
            (BackendKind::IoUring, 8, 8),
            (BackendKind::Vsync, 8, 1),
            (BackendKind::Sync, 1, 1),
            (BackendKind::Mmap, 1, 1),
        ] {
            let used = [&sequential, &random].map(|workload| depth_used(kind, workload));
            assert_eq!(used, [in_order, at_random], "{kind:?}");
        }
    }
}
