//! What is measured: opened, laid out where it must be, and held open until all of it is
//! measured.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{major, minor};
use sokudo_device::{
    CounterSource, DriveMonitor, FileStateError, Inspected, Neighbours, System, occupants, users,
};
use sokudo_engine::{
    Control, DevicePermit, FileTarget, JobDataFile, MakeDurable, OwnDirectory, RewritePermit,
    SimulatedTarget, Target, TestFile, Walked, lay_out,
};
use sokudo_model::{
    BlockDeviceKind, Bytes, DataContent, DriveCache, Event, FileTree, Layout, Nanos, Spent, Stage,
    TargetInfo, TargetKind, Workload,
};
use sokudo_words::text;

use crate::cache_guard::CacheGuard;
use crate::error::MeasureError;
use crate::named::{Named, bare_info, simulated_info};
use crate::open_as::FileUser;
use crate::permission::Permission;
use crate::run_clock::RunClock;
use crate::shared_test_file::LentFile;
use crate::together::Together;

/// Size that the null target pretends to have, unless told.
const NULL_SIZE: Bytes = Bytes::gib(1);

/// How a target named on its own is made ready.
pub(crate) struct TargetSetup<'a> {
    pub(crate) name: &'a str,
    /// Size of the test file, for a directory.
    pub(crate) size: Bytes,
    pub(crate) permission: Permission,
    /// What the test file is filled with; `None` where it is not.
    pub(crate) data: Option<DataContent>,
    pub(crate) seed: u64,
    /// Other processes read the test file, too.
    pub(crate) has_readers: bool,
    pub(crate) files_as: Option<FileUser>,
}

/// A device that is read beside the target, to be compared with it: open, and only for reading.
pub struct DeviceBeside {
    target: FileTarget,
    opened: OpenedTarget,
}

impl DeviceBeside {
    /// Opens what the target stands on, as far as that may be read: the device that its file
    /// system is on, and the members of an array.
    pub fn below(named: &Named) -> Vec<Self> {
        let Named::Path(Inspected { info, .. }) = named else {
            return Vec::new();
        };
        let own = info.file_system.as_ref().and(info.devices.first());
        let own = own.map(|device| device.name.clone());
        let arrays = info.devices.iter();
        let arrays = arrays.filter(|device| device.kind == BlockDeviceKind::Raid);
        let members = arrays.flat_map(|device| device.parents.clone());
        let names = own.into_iter().chain(members).take(Self::COUNT_MAX);
        names.filter_map(|name| Self::open(&name)).collect()
    }

    /// More would take longer than anyone waits.
    const COUNT_MAX: usize = 32;

    fn open(name: &str) -> Option<Self> {
        // sysfs has `!` where a name has `/`.
        let path = Path::new("/dev").join(name.replace('!', "/"));
        let target = FileTarget::read_only(&path).ok()?;
        let Inspected { info, counters } =
            sokudo_device::inspect(&System::host(), path.to_str()?).ok()?;
        // A node of this name may be another device, and another one now than a moment ago.
        let number = target.handle().metadata().ok()?.rdev();
        let number = format!("{}:{}", major(number), minor(number));
        let mut devices = info.devices.first().into_iter();
        let is_it = devices.any(|device| device.name == name && device.number == number);
        let mut opened = OpenedTarget {
            counters,
            ..OpenedTarget::bare(info)
        };
        opened.describe(target.handle());
        is_it.then_some(Self { target, opened })
    }

    /// Kernel name of the device itself, such as `sda`; empty where none was found.
    pub fn name(&self) -> &str {
        let devices = &self.opened.info.devices;
        devices.first().map_or("", |device| &device.name)
    }

    /// Capacity that the kernel reports; `None` where it reports none.
    pub fn size(&self) -> Option<Bytes> {
        self.opened.info.size_bytes
    }
}

/// Everything that one plan measures, ready.
pub(crate) struct PreparedTargets {
    /// Every drive's cache is as it was found when this is dropped.
    caches: Option<CacheGuard>,
    /// What stages run on; workloads name them by their places in this list.
    pub(crate) targets: Vec<Target>,
    /// What is known and held of each of them.
    pub(crate) opened: Vec<OpenedTarget>,
    /// Where many files are made and deleted; removed when this is dropped.
    directory: Option<OwnDirectory>,
    /// How the test file was made.
    pub(crate) layout: Option<Layout>,
    /// Where this process is one of several.
    pub(crate) together: Option<Together>,
    /// What is seen beside the run, and wants to know when I/O is measured.
    pub(crate) drive_monitor: Option<DriveMonitor>,
    /// How far the sequential I/Os of all rows have come.
    pub(crate) walked: Walked,
    pub(crate) clock: RunClock,
    /// What other processes had moved behind the last trial, and when.
    pub(crate) seen_neighbours: Option<(Instant, Neighbours)>,
}

/// A target as it was opened.
pub(crate) struct OpenedTarget {
    pub(crate) info: TargetInfo,
    pub(crate) counters: CounterSource,
    pub(crate) ours: OwnedFile,
    pub(crate) settling: Settling,
    /// It may have been written since it was last on the device as a whole.
    pub(crate) is_unsynced: bool,
}

/// A file of ours behind a target.
pub(crate) enum OwnedFile {
    Nothing,
    /// Removed when this is dropped.
    TestFile(TestFile),
    /// Marked as written when this is dropped.
    JobFile {
        _held: HeldJobFile,
    },
}

/// A file that jobs write.
pub(crate) struct HeldJobFile {
    pub(crate) file: JobDataFile,
    /// As soon as this is dropped.
    pub(crate) is_removed: bool,
}

impl Drop for HeldJobFile {
    fn drop(&mut self) {
        if self.is_removed {
            self.file.remove();
        }
    }
}

/// What is done to a target before each trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settling {
    /// What was written before is on the device, and what is only read is not in the page
    /// cache.
    Fully,
    /// It is taken out of the page cache, if its jobs want that.
    Invalidated(bool),
    /// What begins with an empty file gets one; what follows finds the file as it was left,
    /// but out of the page cache if that is wanted.
    InPhases { cold: bool },
}

impl PreparedTargets {
    /// Opens what the user named; in a directory, lays a test file out and checks it.
    pub(crate) fn prepare(
        named: Named,
        preparation: &TargetSetup<'_>,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Self, MeasureError> {
        let size = preparation.size;
        match named {
            Named::Null => {
                let size = if size.0 == 0 { NULL_SIZE } else { size };
                let info = bare_info(preparation.name, TargetKind::Null, size);
                Ok(Self::of_one(Target::Null(size), OpenedTarget::bare(info)))
            }
            Named::Simulated(mut device) => {
                device.seed(preparation.seed);
                let info = simulated_info(preparation.name, &device);
                let target = Target::Simulated(SimulatedTarget::new(device));
                Ok(Self::of_one(target, OpenedTarget::bare(info)))
            }
            Named::Path(inspected) => match inspected.info.kind {
                TargetKind::Directory => {
                    Self::in_directory(inspected, preparation, control, listener)
                }
                _ => Self::existing(inspected, preparation),
            },
        }
    }

    /// Several, each prepared by itself, as one.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Self::of_opened(Vec::new(), Vec::new());
        for one in all {
            joined.targets.extend(one.targets);
            joined.opened.extend(one.opened);
            // Files in several directories are made alike.
            joined.layout = joined.layout.or(one.layout);
        }
        joined
    }

    /// A test file, a directory of many files, or both, as the plan's workloads need them,
    /// all of them empty. Refuses what has no room before anything is made.
    pub(crate) fn in_phases<'a>(
        inspected: Inspected,
        workloads: impl Iterator<Item = &'a Workload> + Clone,
        cold: bool,
        files_as: Option<FileUser>,
    ) -> Result<Self, MeasureError> {
        let Inspected { mut info, counters } = inspected;
        let path = named_path_of(&info);
        let trees: Vec<FileTree> = workloads.clone().filter_map(|it| it.tree()).collect();
        let of_file = workloads.filter(|workload| workload.tree().is_none());
        let size = of_file.filter_map(|workload| workload.limits.bytes).max();
        let directory = (!trees.is_empty())
            .then(|| FileUser::open(files_as, || Ok(OwnDirectory::create(&path, &trees)?)))
            .transpose()?;
        info.size_bytes = size;
        let mut subject = Self {
            directory,
            ..Self::of_opened(Vec::new(), Vec::new())
        };
        let mut ours = OwnedFile::Nothing;
        if let Some(size) = size {
            let file = FileUser::open(files_as, || Ok(TestFile::create(&path, size)?))?;
            subject
                .targets
                .push(file.target().map_err(MeasureError::no_descriptor)?);
            ours = OwnedFile::TestFile(file);
        }
        subject.opened.push(OpenedTarget {
            info,
            counters,
            ours,
            settling: Settling::InPhases { cold },
            is_unsynced: true,
        });
        Ok(subject)
    }

    pub(crate) fn of_opened(targets: Vec<Target>, opened: Vec<OpenedTarget>) -> Self {
        Self {
            caches: None,
            targets,
            opened,
            directory: None,
            layout: None,
            together: None,
            drive_monitor: None,
            walked: Walked::default(),
            clock: RunClock::start(),
            seen_neighbours: None,
        }
    }

    fn of_one(target: Target, opened: OpenedTarget) -> Self {
        Self::of_opened(vec![target], vec![opened])
    }

    /// What is known about the target, or about the first of them.
    pub(crate) fn info(&self) -> &TargetInfo {
        &self.opened[0].info
    }

    /// How long it has been measured.
    pub(crate) fn passed(&self) -> Nanos {
        self.clock.passed(self.info().kind == TargetKind::Simulated)
    }

    /// Since `before` something was looked at that is no trial of a row.
    pub(crate) fn check_since(&mut self, before: Nanos) {
        let taken = self.passed().0.saturating_sub(before.0);
        let checks = &mut self.clock.spent.checks;
        checks.0 = checks.0.saturating_add(taken);
    }

    /// What the time went to until now, with the test file.
    pub(crate) fn spent(&self) -> Spent {
        let layout = self.layout.map(|layout| layout.elapsed).unwrap_or_default();
        Spent {
            whole: Nanos(self.passed().0.saturating_add(layout.0)),
            layout,
            ..self.clock.spent
        }
    }

    /// What is known about each target.
    pub(crate) fn infos(&self) -> impl Iterator<Item = &TargetInfo> + Clone {
        self.opened.iter().map(|opened| &opened.info)
    }

    /// Size of each target, 0 where it has none.
    pub(crate) fn sizes(&self) -> Vec<Bytes> {
        let size = |info: &TargetInfo| info.size_bytes.unwrap_or_default();
        self.infos().map(size).collect()
    }

    /// Where many files are made.
    pub(crate) fn directory(&self) -> Option<&OwnDirectory> {
        self.directory.as_ref()
    }

    /// Whether each workload finds what the one before has left.
    pub(crate) fn is_in_phases(&self) -> bool {
        let is_phase = |it: &OpenedTarget| matches!(it.settling, Settling::InPhases { .. });
        self.opened.iter().any(is_phase)
    }

    /// The open file of a target, where it is one.
    pub(crate) fn handle(&self, target: usize) -> Option<&File> {
        match self.targets.get(target)? {
            Target::File(file) => Some(file.handle()),
            Target::Null(_) | Target::Simulated(_) => None,
        }
    }

    /// What is flushed behind a trial, to see when it is durable: what the page cache
    /// took, and what a loop device left in that of the disk below.
    pub(crate) fn make_durable(&self) -> MakeDurable {
        if self.is_in_phases() {
            return MakeDurable::Nothing;
        }
        if self.infos().any(|info| info.cached_loop().is_some()) {
            MakeDurable::All
        } else {
            MakeDurable::Buffered
        }
    }

    /// Brings every drive's write cache into the state that a workload wants.
    pub(crate) fn switch_caches(&mut self, workload: &Workload) -> Result<(), MeasureError> {
        if workload.drive_cache == DriveCache::Keep && self.caches.is_none() {
            return Ok(());
        }
        let info = &self.opened[0].info;
        let caches = self.caches.get_or_insert_with(|| CacheGuard::of(info));
        caches.ensure(workload.drive_cache)
    }

    /// Brings every drive's write cache into the state in which it was found.
    pub(crate) fn put_caches_back(&mut self) {
        self.caches = None;
    }

    /// Brings targets into the state that a trial of a stage starts from.
    pub(crate) fn settle(&mut self, targets: &[usize], stage: &Stage) -> Result<(), MeasureError> {
        for target in targets {
            match self.opened.get(*target).map(|opened| opened.settling) {
                Some(Settling::Fully) => self.settle_fully(*target, stage),
                Some(Settling::Invalidated(true)) => self.drop_cached(*target),
                Some(Settling::InPhases { cold }) => self.settle_phase(*target, stage, cold)?,
                Some(Settling::Invalidated(false)) | None => {}
            }
        }
        Ok(())
    }

    fn settle_fully(&mut self, target: usize, stage: &Stage) {
        let opened = &mut self.opened[target];
        // Nobody else writes a test file. A flush of each trial would take the time of another one.
        let is_synced = opened.is_ours() && !opened.is_unsynced;
        match &mut self.targets[target] {
            Target::Simulated(simulated) => simulated.settle(),
            Target::File(file) if file.is_writable() && !is_synced => {
                // What fails here fails again in the trial, where it is reported.
                opened.is_unsynced = file.handle().sync_all().is_err();
            }
            _ => {}
        }
        let changes_data = |it: &Workload| it.operations.changes_data();
        if !stage.workloads.iter().any(changes_data) {
            self.drop_cached(target);
        }
    }

    /// A trial of a stage has run on these targets.
    pub(crate) fn note_written(&mut self, targets: &[usize], stage: &Stage) {
        let mut workloads = stage.workloads.iter();
        if workloads.any(|it| it.operations.changes_data()) {
            for target in targets {
                if let Some(opened) = self.opened.get_mut(*target) {
                    opened.is_unsynced = true;
                }
            }
        }
    }

    fn settle_phase(&self, target: usize, stage: &Stage, cold: bool) -> Result<(), MeasureError> {
        let opened = &self.opened[target];
        let OwnedFile::TestFile(file) = &opened.ours else {
            return Ok(());
        };
        // The many files get the room of the one.
        let begins_empty = |it: &Workload| it.files.from_empty || it.tree().is_some();
        if stage.workloads.iter().any(begins_empty) {
            let name = &opened.info.name;
            return file.empty().map_err(|source| {
                let text = text!("the test file in {name} cannot be emptied");
                MeasureError::because(text, source)
            });
        }
        if cold {
            // What fails here fails again in the phase, where it is reported.
            let _ = file.handle().sync_all();
            self.drop_cached(target);
        }
        Ok(())
    }

    /// What cannot be dropped is seen in the evidence.
    fn drop_cached(&self, target: usize) {
        if let Some(file) = self.handle(target) {
            let opened = &self.opened[target];
            let _ = match opened.info.kind {
                TargetKind::BlockDevice => sokudo_device::drop_cached_device(file),
                _ if opened.is_ours() && !opened.is_unsynced => sokudo_device::drop_synced(file),
                _ => sokudo_device::drop_cached(file),
            };
        }
    }

    /// How much of these targets is in the page cache; `None` where that cannot be
    /// seen of one of them.
    pub(crate) fn cached(&self, targets: &[usize]) -> Option<Bytes> {
        targets.iter().try_fold(Bytes(0), |sum, target| {
            let size = self.targets.get(*target)?.size();
            let cached = sokudo_device::cached_bytes(self.handle(*target)?, size)?;
            Some(Bytes(sum.0 + cached.0))
        })
    }

    /// Looks again at what files are made of, after they have been written. Of a file that
    /// is emptied between phases that is seen behind the phase that fills it.
    pub(crate) fn look_again(&mut self) {
        for target in 0..self.opened.len() {
            if !matches!(self.opened[target].settling, Settling::InPhases { .. }) {
                self.look_at(target);
            }
        }
    }

    pub(crate) fn look_at(&mut self, target: usize) {
        if let Some(Target::File(file)) = self.targets.get(target) {
            self.opened[target].describe(file.handle());
        }
    }

    fn existing(inspected: Inspected, preparation: &TargetSetup<'_>) -> Result<Self, MeasureError> {
        let Inspected { mut info, counters } = inspected;
        let path = path_of(&info);
        // A device is guarded by its own rules, and only root may read it.
        let is_file = info.kind == TargetKind::File;
        let files_as = preparation.files_as.filter(|_| is_file);
        let target = match &preparation.permission {
            Permission::ReadOnly => FileUser::open(files_as, || Ok(FileTarget::read_only(&path)?))?,
            Permission::OverwriteFile => FileTarget::overwrite(&named_path_of(&info), users)?,
            Permission::WriteBack if info.kind == TargetKind::BlockDevice => {
                let occupancy = occupants(&System::host(), &path)?;
                RewritePermit::obtain(&path, &occupancy, users).map(FileTarget::for_write_back)?
            }
            Permission::WriteBack => {
                // Who else uses it only root sees.
                FileUser::open(files_as, || check_writable(&path))?;
                FileTarget::file_for_write_back(&named_path_of(&info), users)?
            }
            Permission::Destroy(consent) => {
                let occupancy = occupants(&System::host(), &path)?;
                DevicePermit::obtain(&path, &occupancy, consent, users)
                    .map(FileTarget::of_device)?
            }
        };
        info.blind_spots.extend_from_slice(target.blind_spots());
        let mut opened = OpenedTarget {
            counters,
            ..OpenedTarget::bare(info)
        };
        opened.describe(target.handle());
        Ok(Self::of_one(Target::File(target), opened))
    }

    /// The name of the test file and what tells it from any other, where others read it.
    pub(crate) fn lent(&self) -> Option<LentFile> {
        let OwnedFile::TestFile(file) = &self.opened.first()?.ours else {
            return None;
        };
        Some(LentFile {
            path: file.name()?.to_owned(),
            inode: file.handle().metadata().ok()?.ino(),
            size: self.opened[0].info.size_bytes?,
        })
    }

    /// Adds the test file of another process, which is only read. Its place among the targets.
    pub(crate) fn borrow(&mut self, lent: &LentFile) -> Result<usize, MeasureError> {
        let target = FileTarget::read_only(&lent.path)?;
        let inode = target.handle().metadata().map(|it| it.ino());
        let is_it = inode.is_ok_and(|inode| inode == lent.inode);
        let target = Target::File(target);
        if !is_it || target.size() != lent.size {
            return Err(MeasureError::system(text!(
                "{} is not the test file that another process has made, as it is seen from here; mount the same directory everywhere, or leave --read-back-shifted out",
                lent.path.display()
            )));
        }
        let own = &self.opened[0];
        let opened = OpenedTarget {
            counters: own.counters.clone(),
            ..OpenedTarget::bare(own.info.clone())
        };
        self.targets.push(target);
        self.opened.push(opened);
        Ok(self.targets.len() - 1)
    }

    /// Adds devices beside the target, which are only read.
    pub(crate) fn add(&mut self, beside: Vec<DeviceBeside>) {
        for DeviceBeside { target, opened } in beside {
            self.targets.push(Target::File(target));
            self.opened.push(opened);
        }
    }

    fn in_directory(
        inspected: Inspected,
        preparation: &TargetSetup<'_>,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Self, MeasureError> {
        let Inspected { mut info, counters } = inspected;
        let create = match preparation.has_readers {
            true => TestFile::create_for_readers,
            false => TestFile::create,
        };
        let path = named_path_of(&info);
        let file = FileUser::open(preparation.files_as, || {
            Ok(create(&path, preparation.size)?)
        })?;
        let layout = match preparation.data.clone() {
            Some(data) => Some(lay_out(&file, data, preparation.seed, control, listener)?),
            None => {
                file.reserve()?;
                None
            }
        };
        let target = file.target().map_err(MeasureError::no_descriptor)?;
        info.size_bytes = Some(preparation.size);
        let mut opened = OpenedTarget {
            counters,
            ..OpenedTarget::bare(info)
        };
        opened.describe(file.handle());
        opened.ours = OwnedFile::TestFile(file);
        Ok(Self {
            layout,
            ..Self::of_one(target, opened)
        })
    }
}

impl OpenedTarget {
    /// Something without counters or files of ours.
    pub(crate) fn bare(info: TargetInfo) -> Self {
        Self {
            info,
            counters: CounterSource::default(),
            ours: OwnedFile::Nothing,
            settling: Settling::Fully,
            is_unsynced: true,
        }
    }

    fn is_ours(&self) -> bool {
        matches!(self.ours, OwnedFile::TestFile(_))
    }

    /// Notes what the open file is made of, and whether it can be read directly. Of an
    /// existing file it was noted before where that cannot be seen.
    pub(crate) fn describe(&mut self, file: &File) {
        let info = &mut self.info;
        if info.kind == TargetKind::BlockDevice {
            return;
        }
        info.direct_io = sokudo_device::direct_io_support(file);
        let blind_spot = match sokudo_device::file_state(file) {
            Ok(state) => {
                info.file_state = Some(state.after(info.file_state));
                return;
            }
            Err(_) if info.kind == TargetKind::File => return,
            Err(FileStateError::Unsupported) => {
                "The file system does not report what the file is made of, so holes and unwritten blocks cannot be seen".into()
            }
            Err(error) => text!("What the file is made of cannot be seen: {error}"),
        };
        if !info.blind_spots.contains(&blind_spot) {
            info.blind_spots.push(blind_spot);
        }
    }
}

/// Refuses what this thread's user may not write.
fn check_writable(path: &Path) -> Result<(), MeasureError> {
    let opened = OpenOptions::new().write(true).open(path);
    opened.map(drop).map_err(|source| {
        let text = text!(
            "{path} may not be written by the user of the page: {source}; measure it without writing",
            path = path.display()
        );
        MeasureError::because(text, source)
    })
}

/// As it was named, for what is written there: which links on the way are followed, who writes
/// decides.
fn named_path_of(info: &TargetInfo) -> PathBuf {
    PathBuf::from(&info.name)
}

fn path_of(info: &TargetInfo) -> PathBuf {
    PathBuf::from(info.path.as_deref().unwrap_or(&info.name))
}
