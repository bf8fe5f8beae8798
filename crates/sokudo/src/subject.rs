//! What is measured: opened, laid out where it must be, and with its evidence.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use sokudo_device::{
    CounterSource, FileStateError, FindError, InspectError, Inspected, Neighbours, OccupancyError,
    System, occupants, users,
};
use sokudo_engine::{
    Consent, ConsentError, Control, DevicePermit, FileTarget, Front, MakeDurable, RewritePermit,
    SimulatedTarget, StageError, Target, TargetError, TestFile, TestFileError, lay_out, sim,
};
use sokudo_model::{
    BlockDeviceKind, Bytes, DataContent, DeviceCounters, DirectIoSupport, Event, Layout,
    TargetInfo, TargetKind, Workload,
};

use crate::cli::Destroying;
use crate::exit::Exit;

/// Size that the null target pretends to have, unless told.
const NULL_SIZE: Bytes = Bytes::gib(1);

/// A simulated device starts from this seed unless told, so that a demonstration
/// shows the same figures everywhere.
const SIMULATION_SEED: u64 = 1;

/// What the user named, recognised but not yet touched.
pub(crate) enum Named {
    /// A simulated device.
    Simulated(sim::Device),
    /// No device.
    Null,
    /// Something with a path.
    Path(Inspected),
}

impl Named {
    /// Recognises a target by its name.
    pub(crate) fn recognise(name: &str) -> Result<Self, Exit> {
        if name.is_empty() {
            return Err(Exit::usage(anyhow!(
                "the target is an empty word; name a directory, or . for this one"
            )));
        }
        if let Some(parameters) = name.strip_prefix("null:") {
            return match parameters {
                "" => Ok(Self::Null),
                _ => Err(Exit::usage(anyhow!(
                    "null: takes no parameters such as {parameters:?}; leave them out"
                ))),
            };
        }
        if name.starts_with("sim:") {
            return sim::Device::parse(name)
                .map(Self::Simulated)
                .map_err(Exit::usage);
        }
        inspect_named(&System::host(), name).map(Self::Path)
    }

    /// What kind of thing it is.
    pub(crate) fn kind(&self) -> TargetKind {
        match self {
            Self::Simulated(_) => TargetKind::Simulated,
            Self::Null => TargetKind::Null,
            Self::Path(inspected) => inspected.info.kind,
        }
    }

    /// Which device it is, as runs of it are known by.
    pub(crate) fn identity(&self, name: &str) -> String {
        match self {
            Self::Path(inspected) => inspected.info.identity(),
            Self::Simulated(device) => {
                let mut info = bare_info(name, TargetKind::Simulated, device.size());
                info.devices = device.block_devices();
                info.identity()
            }
            Self::Null => TargetInfo::new(name, TargetKind::Null).identity(),
        }
    }

    /// Its size, where it has one of its own.
    pub(crate) fn size(&self) -> Option<Bytes> {
        match self {
            Self::Simulated(device) => Some(device.size()),
            Self::Null => None,
            Self::Path(inspected) => inspected.info.size_bytes,
        }
    }

    /// What direct I/O on it is a multiple of, where that is known.
    pub(crate) fn direct_unit(&self) -> Option<Bytes> {
        let info = match self {
            Self::Simulated(device) => return device.block_device().logical_block_bytes,
            Self::Null => return None,
            Self::Path(inspected) => &inspected.info,
        };
        match info.direct_io {
            DirectIoSupport::Supported {
                offset_alignment, ..
            } => Some(offset_alignment),
            // A partition has none of its own; its disk has.
            _ => info.devices.iter().find_map(|it| it.logical_block_bytes),
        }
    }

    /// Its absolute path, where it has one.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Path(inspected) => inspected.info.path.as_deref(),
            _ => None,
        }
    }

    /// The seed of a run that was given none.
    pub(crate) fn default_seed(&self) -> u64 {
        match self {
            Self::Simulated(_) => SIMULATION_SEED,
            _ => u64::from(random_u32()),
        }
    }
}

/// A path that exists is that path; another word without a slash may name a device by its
/// kernel name, by-id name, serial number or model. The target keeps the name that was typed.
fn inspect_named(system: &System, name: &str) -> Result<Inspected, Exit> {
    let missing = match sokudo_device::inspect(system, name) {
        Err(error @ InspectError::Missing { .. }) if !name.contains('/') => error,
        other => return other.map_err(from_inspect),
    };
    let path = match sokudo_device::find(system, name) {
        Ok(path) => path,
        Err(error @ FindError::Ambiguous { .. }) => return Err(Exit::usage(error)),
        Err(FindError::Nothing { .. }) => {
            return Err(Exit::Usage(anyhow!(
                "{missing}; nor has a disk this name, model or serial number (sokudo info lists them)"
            )));
        }
    };
    let mut inspected =
        sokudo_device::inspect(system, &path.to_string_lossy()).map_err(from_inspect)?;
    inspected.info.name = name.to_owned();
    Ok(inspected)
}

/// A target that cannot be used as it was named is a wrong argument; that the system
/// fails to tell what it is, is none.
pub(crate) fn from_inspect(error: InspectError) -> Exit {
    match error {
        InspectError::Failed { .. } => Exit::failed(error),
        _ => Exit::usage(error),
    }
}

/// 32 random bits: a seed that is short enough to be typed again.
pub(crate) fn random_u32() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    let hash = RandomState::new().hash_one(std::process::id());
    u32::try_from(hash >> 32).unwrap_or_default()
}

/// What of the things that exist may be written.
pub(crate) enum Permission {
    /// Nothing: they are only read.
    ReadOnly,
    /// This file, whose contents are lost.
    OverwriteFile,
    /// This file or device, but only with what was read at the same place.
    WriteBack,
    /// The block devices that the user names.
    Destroy(Consent),
}

impl Permission {
    /// What these flags allow.
    pub(crate) fn new(overwrite: bool, destroying: &Destroying) -> Self {
        if overwrite {
            Self::OverwriteFile
        } else if destroying.destroy.is_empty() {
            Self::ReadOnly
        } else {
            Self::Destroy(Consent::new(
                Front::Own,
                destroying.destroy.iter().cloned(),
                destroying.destroy_contents,
            ))
        }
    }
}

/// What a subject needs to be made ready.
pub(crate) struct Preparation<'a> {
    pub(crate) name: &'a str,
    /// Size of the test file, for a directory.
    pub(crate) size: Bytes,
    pub(crate) permission: Permission,
    pub(crate) data: DataContent,
    pub(crate) seed: u64,
}

/// Something that can be measured, with its evidence.
pub(crate) struct Subject {
    /// What the engine works on.
    pub(crate) target: Target,
    /// What is known about it.
    pub(crate) info: TargetInfo,
    counters: CounterSource,
    file: Option<File>,
    /// Removed when the subject is dropped.
    _test_file: Option<TestFile>,
    /// How the test file was made.
    pub(crate) layout: Option<Layout>,
}

impl Subject {
    /// Opens it; in a directory, lays a test file out and checks it.
    pub(crate) fn prepare(
        named: Named,
        preparation: &Preparation<'_>,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Self, Exit> {
        match named {
            Named::Null => Ok(Self::null(preparation)),
            Named::Simulated(device) => Ok(Self::simulated(device, preparation)),
            Named::Path(inspected) => match inspected.info.kind {
                TargetKind::Directory => {
                    Self::in_directory(inspected, preparation, control, listener)
                }
                _ => Self::existing(inspected, &preparation.permission),
            },
        }
    }

    /// What the leaf devices have counted so far.
    pub(crate) fn counters(&self) -> Option<DeviceCounters> {
        match &self.target {
            Target::Simulated(simulated) => Some(simulated.device.counters()),
            _ => self.counters.read(),
        }
    }

    /// What is run on, and what counts its devices meanwhile.
    pub(crate) fn with_counters(&mut self) -> (&mut [Target], &CounterSource) {
        (std::slice::from_mut(&mut self.target), &self.counters)
    }

    /// What is flushed behind a trial, to see when it is durable: what the page cache
    /// took, and what a loop device left in that of the disk below.
    pub(crate) fn make_durable(&self) -> MakeDurable {
        let has_cached_loop = self.info.devices.iter().any(|device| {
            device.kind == BlockDeviceKind::Loop && device.backing_direct != Some(true)
        });
        if has_cached_loop {
            MakeDurable::All
        } else {
            MakeDurable::Buffered
        }
    }

    /// What all other processes have read and written so far; `None` where there is no
    /// device that they could use.
    pub(crate) fn neighbours(&self) -> Option<Neighbours> {
        let is_real = !matches!(self.info.kind, TargetKind::Simulated | TargetKind::Null);
        is_real.then(|| Neighbours::look(&System::host()))
    }

    /// Brings the subject into the state that a trial starts from: nothing of
    /// earlier writes still under way, and for reads nothing in the page cache.
    pub(crate) fn settle(&mut self, workload: &Workload) {
        if let Target::Simulated(simulated) = &mut self.target {
            simulated.settle();
        }
        let Some(file) = &self.file else { return };
        if matches!(&self.target, Target::File(target) if target.is_writable()) {
            // What fails here fails again in the trial, where it is reported.
            let _ = file.sync_all();
        }
        if !workload.operations.changes_data() {
            let _ = match self.info.kind {
                TargetKind::BlockDevice => sokudo_device::drop_cached_device(file),
                _ => sokudo_device::drop_cached(file),
            };
        }
    }

    /// How much of it is in the page cache.
    pub(crate) fn cached(&self) -> Option<Bytes> {
        let file = self.file.as_ref()?;
        sokudo_device::cached_bytes(file, self.target.size())
    }

    /// Looks again at what the file is made of.
    pub(crate) fn look_again(&mut self) {
        if self.info.kind != TargetKind::BlockDevice
            && let Some(file) = &self.file
        {
            describe_file(&mut self.info, file);
        }
    }

    fn null(preparation: &Preparation<'_>) -> Self {
        let size = if preparation.size.0 == 0 {
            NULL_SIZE
        } else {
            preparation.size
        };
        Self {
            target: Target::Null(size),
            info: bare_info(preparation.name, TargetKind::Null, size),
            counters: CounterSource::default(),
            file: None,
            _test_file: None,
            layout: None,
        }
    }

    fn simulated(mut device: sim::Device, preparation: &Preparation<'_>) -> Self {
        device.seed(preparation.seed);
        let mut info = bare_info(preparation.name, TargetKind::Simulated, device.size());
        info.devices = device.block_devices();
        Self {
            target: Target::Simulated(SimulatedTarget::new(device)),
            info,
            counters: CounterSource::default(),
            file: None,
            _test_file: None,
            layout: None,
        }
    }

    fn existing(inspected: Inspected, permission: &Permission) -> Result<Self, Exit> {
        let Inspected { mut info, counters } = inspected;
        let path = PathBuf::from(info.path.as_deref().unwrap_or(&info.name));
        let target = match permission {
            Permission::ReadOnly => FileTarget::read_only(&path).map_err(from_target)?,
            Permission::OverwriteFile => {
                FileTarget::overwrite(&path, users).map_err(from_target)?
            }
            Permission::WriteBack => to_write_back(&path, info.kind)?,
            Permission::Destroy(consent) => {
                let occupancy = occupants(&System::host(), &path).map_err(from_occupancy)?;
                DevicePermit::obtain(&path, &occupancy, consent, users)
                    .map(FileTarget::of_device)
                    .map_err(from_consent)?
            }
        };
        info.blind_spots.extend_from_slice(target.blind_spots());
        let file = target
            .handle()
            .try_clone()
            .context("no file descriptor is left")
            .map_err(Exit::Failed)?;
        let mut subject = Self {
            target: Target::File(target),
            info,
            counters,
            file: Some(file),
            _test_file: None,
            layout: None,
        };
        subject.look_again();
        Ok(subject)
    }

    fn in_directory(
        inspected: Inspected,
        preparation: &Preparation<'_>,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Self, Exit> {
        let Inspected { mut info, counters } = inspected;
        let directory = info.path.clone().unwrap_or_else(|| info.name.clone());
        let test_file =
            TestFile::create(Path::new(&directory), preparation.size).map_err(from_test_file)?;
        let layout = lay_out(
            &test_file,
            preparation.data.clone(),
            preparation.seed,
            control,
            listener,
        )
        .map_err(from_test_file)?;
        let file = test_file
            .handle()
            .try_clone()
            .context("no file descriptor is left")
            .map_err(Exit::Failed)?;
        let target = test_file
            .target()
            .context("no file descriptor is left")
            .map_err(Exit::Failed)?;
        info.size_bytes = Some(preparation.size);
        describe_file(&mut info, &file);
        Ok(Self {
            target,
            info,
            counters,
            file: Some(file),
            _test_file: Some(test_file),
            layout: Some(layout),
        })
    }
}

/// A device that nobody uses, or a file, to which only what was read there is written.
fn to_write_back(path: &Path, kind: TargetKind) -> Result<FileTarget, Exit> {
    if kind != TargetKind::BlockDevice {
        return FileTarget::file_for_write_back(path, users).map_err(from_target);
    }
    let occupancy = occupants(&System::host(), path).map_err(from_occupancy)?;
    RewritePermit::obtain(path, &occupancy, users)
        .map(FileTarget::for_write_back)
        .map_err(from_consent)
}

fn bare_info(name: &str, kind: TargetKind, size: Bytes) -> TargetInfo {
    TargetInfo {
        size_bytes: Some(size),
        ..TargetInfo::new(name, kind)
    }
}

/// What an open file is made of, and whether it can be read directly.
pub(crate) fn describe_file(info: &mut TargetInfo, file: &File) {
    info.direct_io = sokudo_device::direct_io_support(file);
    match sokudo_device::file_state(file) {
        Ok(state) => info.file_state = Some(state.after(info.file_state)),
        Err(error) => {
            let blind_spot = match error {
                FileStateError::Unsupported => {
                    "The file system does not tell what the file is made of, so holes and unwritten blocks cannot be seen.".to_owned()
                }
                other => format!("What the file is made of cannot be seen: {other}."),
            };
            if !info.blind_spots.contains(&blind_spot) {
                info.blind_spots.push(blind_spot);
            }
        }
    }
}

/// Sorts the refusals of targets by whose fault they are.
pub(crate) fn from_target(error: TargetError) -> Exit {
    match error {
        TargetError::ReadOnly(_) | TargetError::NotRegular(_) | TargetError::InUse(..) => {
            Exit::Refused(error.into())
        }
        TargetError::NoDirect(_) => Exit::usage(error),
        _ => Exit::failed(error),
    }
}

/// What this user may not look at is a matter of the command, not of the device.
pub(crate) fn from_occupancy(error: OccupancyError) -> Exit {
    match &error {
        OccupancyError::Unreadable { source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            Exit::usage(error)
        }
        _ => Exit::failed(error),
    }
}

/// Refusals of consent endanger data; what cannot be opened fails.
pub(crate) fn from_consent(error: ConsentError) -> Exit {
    match error {
        ConsentError::Open { ref source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            Exit::usage(error)
        }
        ConsentError::Open { .. } => Exit::failed(error),
        _ => Exit::Refused(error.into()),
    }
}

pub(crate) fn from_test_file(error: TestFileError) -> Exit {
    match error {
        TestFileError::Cancelled => Exit::InterruptedEarly(error.into()),
        TestFileError::Stage(error) => from_stage(error),
        _ => Exit::failed(error),
    }
}

/// Sorts the engine's refusals by whose fault they are.
pub(crate) fn from_stage(error: StageError) -> Exit {
    match error {
        StageError::Target(error) => from_target(error),
        StageError::Check(_) => Exit::usage(error),
        _ => Exit::failed(error),
    }
}
