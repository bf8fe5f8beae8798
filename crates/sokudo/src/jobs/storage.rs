//! The targets of jobs: refused, opened, created and laid out, with their evidence.
//!
//! Everything that can be refused is refused before the first file is made.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use anyhow::anyhow;
use sokudo_device::{CounterSource, Inspected, System, inspect, occupants, users};
use sokudo_engine::{
    Consent, Control, DevicePermit, FileTarget, JobFile, JobFileError, JobFileRequest,
    SimulatedTarget, Target, no_place_for_files, sim,
};
use sokudo_model::{Bytes, DataContent, Event, FileState, TargetInfo, TargetKind};

use super::place::{Place, PlaceKind};
use crate::exit::Exit;
use crate::subject::{from_consent, from_stage, from_target};

/// All targets of a plan, in its order.
pub(crate) struct Storage {
    /// What stages run on.
    pub(crate) targets: Vec<Target>,
    /// What is known about each of them.
    pub(crate) pieces: Vec<Piece>,
}

/// One target's evidence.
pub(crate) struct Piece {
    pub(crate) info: TargetInfo,
    pub(crate) counters: CounterSource,
    file: Option<Held>,
    invalidate: bool,
    /// Removed when the storage is dropped.
    is_removed: bool,
}

/// The open file of a target.
enum Held {
    /// One that jobs write, and that is marked as written when this is dropped.
    Job(JobFile),
    Other(File),
}

impl Held {
    fn handle(&self) -> &File {
        match self {
            Self::Job(file) => file.handle(),
            Self::Other(file) => file,
        }
    }
}

/// What the user is told while files are made.
pub(crate) trait Layouts {
    /// A file is about to be filled.
    fn begins(&mut self, place: &Place);
    /// How far it has come.
    fn event(&mut self, event: &Event);
}

/// A target that has been allowed, and not touched.
enum Allowed {
    Null,
    Simulated(sim::Device),
    Device(FileTarget),
    /// An existing file that is only read.
    ReadOnly(FileTarget),
    /// A file that is written or made; it does not exist if `None`.
    Job(Option<JobFile>),
}

impl Storage {
    /// Makes every place ready, or refuses.
    pub(crate) fn prepare(
        places: &[Place],
        consent: &Consent,
        seed: u64,
        control: &Control,
        layouts: &mut dyn Layouts,
    ) -> Result<Self, Exit> {
        let allowed = places
            .iter()
            .map(|place| allow(place, consent))
            .collect::<Result<Vec<_>, Exit>>()?;
        let mut storage = Self {
            targets: Vec::with_capacity(places.len()),
            pieces: Vec::with_capacity(places.len()),
        };
        let mut seen = Seen::default();
        for (index, (place, allowed)) in places.iter().zip(allowed).enumerate() {
            let seed = sokudo_stats::mix64(seed ^ index as u64);
            let (target, job) = make(place, allowed, consent, seed, control, layouts)?;
            let piece = Piece::new(place, &target, job, &mut seen)?;
            if place.pre_read
                && let Some(file) = &piece.file
            {
                // What cannot be read now fails again in the job, where it is reported.
                let _ = io::copy(&mut file.handle(), &mut io::sink());
            }
            storage.targets.push(target);
            storage.pieces.push(piece);
        }
        Ok(storage)
    }

    /// Drops from the page cache what its jobs want dropped, among these targets.
    pub(crate) fn settle(&self, targets: &[usize]) {
        let pieces = targets.iter().filter_map(|index| self.pieces.get(*index));
        for piece in pieces.filter(|piece| piece.invalidate) {
            if let Some(file) = piece.file.as_ref().map(Held::handle) {
                let _ = match piece.info.kind {
                    TargetKind::BlockDevice => sokudo_device::drop_cached_device(file),
                    _ => sokudo_device::drop_cached(file),
                };
            }
        }
    }

    /// How much of these targets is in the page cache; `None` where that cannot be
    /// seen of one of them.
    pub(crate) fn cached(&self, targets: &[usize]) -> Option<Bytes> {
        targets.iter().try_fold(Bytes(0), |sum, index| {
            let piece = self.pieces.get(*index)?;
            let file = piece.file.as_ref()?.handle();
            let size = piece.info.size_bytes?;
            let cached = sokudo_device::cached_bytes(file, size)?;
            Some(Bytes(sum.0 + cached.0))
        })
    }

    /// Looks again at what files are made of, after jobs have written them.
    pub(crate) fn look_again(&mut self) {
        for piece in &mut self.pieces {
            piece.look_at_file();
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        for piece in &self.pieces {
            if let (true, Some(Held::Job(file))) = (piece.is_removed, &piece.file) {
                file.remove();
            }
        }
    }
}

/// Whether a place may be used as its jobs want to.
fn allow(place: &Place, consent: &Consent) -> Result<Allowed, Exit> {
    match place.kind {
        PlaceKind::Null => Ok(Allowed::Null),
        PlaceKind::Simulated => sim::Device::parse(&place.path.to_string_lossy())
            .map(Allowed::Simulated)
            .map_err(Exit::failed),
        PlaceKind::BlockDevice if place.written => {
            let consent = consent.for_occupied(place.allow_occupied);
            let occupancy = occupants(&System::host(), &place.path).map_err(Exit::failed)?;
            DevicePermit::obtain(&place.path, &occupancy, &consent, users)
                .map(|permit| Allowed::Device(FileTarget::of_device(permit)))
                .map_err(from_consent)
        }
        PlaceKind::BlockDevice => FileTarget::read_only(&place.path)
            .map(Allowed::Device)
            .map_err(from_target),
        PlaceKind::File => allow_file(place, consent),
    }
}

fn allow_file(place: &Place, consent: &Consent) -> Result<Allowed, Exit> {
    let metadata = match place.path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return absent(place);
        }
        Err(error) => {
            return Err(Exit::Failed(anyhow!(
                "{} cannot be used: {error}",
                place.path.display()
            )));
        }
    };
    let is_large_enough = metadata.len() >= place.bytes.0;
    if !place.written && is_large_enough {
        return FileTarget::read_only(&place.path)
            .map(Allowed::ReadOnly)
            .map_err(from_target);
    }
    // A file that is too small must be written before it is read.
    JobFile::open(request(place, consent))
        .map(|file| Allowed::Job(Some(file)))
        .map_err(from_job_file)
}

fn absent(place: &Place) -> Result<Allowed, Exit> {
    if !place.create {
        return Err(Exit::Failed(anyhow!(
            "{} does not exist and is not to be created; make it, or allow that (allow_file_create=1)",
            place.path.display()
        )));
    }
    let parent = directory_of(&place.path);
    let present = present(parent);
    let may_be_made = present.is_dir()
        && place.made_below.as_deref().is_some_and(|base| {
            let is_here = base.as_os_str().is_empty();
            is_here || base.is_dir()
        });
    if !parent.is_dir() && !may_be_made {
        return Err(Exit::Failed(anyhow!(
            "{} cannot be made, because {} is no directory; make it first",
            place.path.display(),
            parent.display()
        )));
    }
    if let Some(reason) = no_place_for_files(present) {
        return Err(Exit::Refused(anyhow!(
            "{} does not exist, and no file is made there, because {} {reason}; name an existing device, or a file elsewhere",
            place.path.display(),
            present.display()
        )));
    }
    Ok(Allowed::Job(None))
}

/// The directory that a path lies in.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Of a directory's path, the longest part that is there.
fn present(directory: &Path) -> &Path {
    let mut there = directory
        .ancestors()
        .filter(|path| path.symlink_metadata().is_ok());
    there.next().unwrap_or(Path::new("."))
}

/// Makes what is missing of the directories of a file, for its owner alone, as fio does.
fn make_directories(place: &Place) -> Result<(), Exit> {
    let parent = directory_of(&place.path);
    if place.made_below.is_none() || parent.is_dir() {
        return Ok(());
    }
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent);
    made.map_err(|error| {
        Exit::Failed(anyhow!(
            "{} cannot be made: {error}; make it first",
            parent.display()
        ))
    })
}

fn request<'a>(place: &'a Place, consent: &Consent) -> JobFileRequest<'a> {
    JobFileRequest {
        path: &place.path,
        jobs: &place.jobs,
        size: place.bytes,
        overwrite: place.overwrite || consent.reaches_files(),
        look: users,
        is_written: place.written,
        is_removed: place.unlink,
    }
}

/// The target, and the file if jobs write it.
fn make(
    place: &Place,
    allowed: Allowed,
    consent: &Consent,
    seed: u64,
    control: &Control,
    layouts: &mut dyn Layouts,
) -> Result<(Target, Option<JobFile>), Exit> {
    let file = match allowed {
        Allowed::Null => return Ok((Target::Null(place.bytes), None)),
        Allowed::Simulated(mut device) => {
            device.seed(seed);
            let target = SimulatedTarget::new(device);
            return Ok((Target::Simulated(target), None));
        }
        Allowed::Device(device) => return Ok((Target::File(device), None)),
        Allowed::ReadOnly(file) => return Ok((Target::File(file), None)),
        Allowed::Job(Some(file)) => file,
        Allowed::Job(None) => {
            make_directories(place)?;
            JobFile::open_or_create(request(place, consent)).map_err(from_job_file)?
        }
    };
    let present = file.present_size().map_err(from_job_file)?;
    if present < place.bytes {
        if place.needs_data {
            layouts.begins(place);
            file.lay_out(
                place.allocation,
                DataContent::Random,
                seed,
                control,
                &mut |event| layouts.event(&event),
            )
            .map_err(from_job_file)?;
        } else {
            layouts.begins(place);
            file.allocate(place.allocation).map_err(from_job_file)?;
        }
    }
    let target = file.target().map_err(from_job_file)?;
    Ok((target, Some(file)))
}

/// What was inspected already, by file system: many files share one.
#[derive(Default)]
struct Seen(HashMap<u64, Inspected>);

impl Seen {
    fn inspect(
        &mut self,
        path: &Path,
        metadata: Option<&std::fs::Metadata>,
    ) -> Result<Inspected, Exit> {
        let name = path.to_string_lossy();
        let look = || inspect(&System::host(), &name).map_err(Exit::failed);
        match metadata {
            Some(metadata) if metadata.is_file() => {
                if let Some(known) = self.0.get(&metadata.dev()) {
                    return Ok(known.clone());
                }
                let inspected = look()?;
                self.0.insert(metadata.dev(), inspected.clone());
                Ok(inspected)
            }
            _ => look(),
        }
    }
}

impl Piece {
    fn new(
        place: &Place,
        target: &Target,
        job: Option<JobFile>,
        seen: &mut Seen,
    ) -> Result<Self, Exit> {
        let target = match target {
            Target::File(target) => target,
            Target::Simulated(simulated) => {
                let mut piece = Self::null(place);
                piece.info.name = place.path.to_string_lossy().into_owned();
                piece.info.kind = TargetKind::Simulated;
                piece.info.size_bytes = Some(simulated.device.size());
                piece.info.devices = simulated.device.block_devices();
                return Ok(piece);
            }
            Target::Null(_) => return Ok(Self::null(place)),
        };
        let metadata = target.handle().metadata().ok();
        let Inspected { mut info, counters } = seen.inspect(&place.path, metadata.as_ref())?;
        let path = place
            .path
            .canonicalize()
            .unwrap_or_else(|_| place.path.clone());
        info.name = place.path.to_string_lossy().into_owned();
        info.path = Some(path.to_string_lossy().into_owned());
        info.size_bytes = Some(target.size());
        info.blind_spots.extend_from_slice(target.blind_spots());
        let again = || {
            target.handle().try_clone().map_err(|error| {
                Exit::Failed(anyhow!(
                    "no file descriptor is left: {error}; raise the limit (ulimit -n)"
                ))
            })
        };
        let mut piece = Self {
            info,
            counters,
            file: Some(match job {
                Some(job) => Held::Job(job),
                None => Held::Other(again()?),
            }),
            invalidate: place.invalidate && !place.pre_read,
            is_removed: place.unlink,
        };
        piece.look_at_file();
        Ok(piece)
    }

    fn null(place: &Place) -> Self {
        Self {
            info: TargetInfo {
                size_bytes: Some(place.bytes),
                ..TargetInfo::new("null:", TargetKind::Null)
            },
            counters: CounterSource::default(),
            file: None,
            invalidate: false,
            is_removed: false,
        }
    }

    /// What the file is made of, and whether it can be read directly. Where its file
    /// system does not say, its blind spot was noted when it was inspected.
    fn look_at_file(&mut self) {
        if self.info.kind != TargetKind::File {
            return;
        }
        if let Some(file) = self.file.as_ref().map(Held::handle) {
            self.info.direct_io = sokudo_device::direct_io_support(file);
            let state = sokudo_device::file_state(file).ok();
            self.info.file_state = state.map(|state| state.after(self.info.file_state));
        }
    }
}

fn from_job_file(error: JobFileError) -> Exit {
    match error {
        JobFileError::Foreign { .. }
        | JobFileError::NotRegular(_)
        | JobFileError::Kernel { .. }
        | JobFileError::InUse { .. }
        | JobFileError::Dangling(_) => Exit::Refused(error.into()),
        JobFileError::Cancelled(_) => Exit::InterruptedEarly(error.into()),
        JobFileError::Stage(error) => from_stage(error),
        _ => Exit::failed(error),
    }
}

/// The sum of what files are made of; `None` if it is unknown of one of them.
pub(crate) fn sum_of_states<'a>(
    mut states: impl Iterator<Item = &'a Option<FileState>>,
) -> Option<FileState> {
    states.try_fold(FileState::default(), |sum, state| {
        let state = state.as_ref()?;
        let plus = |left: Bytes, right: Bytes| Bytes(left.0.saturating_add(right.0));
        Some(FileState {
            size_bytes: plus(sum.size_bytes, state.size_bytes),
            extents: sum.extents.saturating_add(state.extents),
            hole_bytes: plus(sum.hole_bytes, state.hole_bytes),
            unwritten_bytes: plus(sum.unwritten_bytes, state.unwritten_bytes),
            encoded_bytes: plus(sum.encoded_bytes, state.encoded_bytes),
            inline_bytes: plus(sum.inline_bytes, state.inline_bytes),
            shared_bytes: plus(sum.shared_bytes, state.shared_bytes),
            is_exempt_from_copies: if sum == FileState::default() {
                state.is_exempt_from_copies
            } else {
                let alike = sum.is_exempt_from_copies == state.is_exempt_from_copies;
                sum.is_exempt_from_copies.filter(|_| alike)
            },
        })
    })
}
