//! The targets of jobs: refused, opened, created and laid out.
//!
//! Everything that can be refused is refused before the first file is made.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use sokudo_device::{Inspected, System, inspect, occupants, users};
use sokudo_engine::{
    Consent, Control, DevicePermit, FileTarget, JobDataFile, JobFileRequest, SimulatedTarget,
    Target, sim, unfit_for_files,
};
use sokudo_model::{DataContent, Event, JobTargetKind, TargetKind};
use sokudo_stats::mix64;
use sokudo_words::{Text, text};

use crate::error::MeasureError;
use crate::job_target::JobTarget;
use crate::named::{bare_info, simulated_info};
use crate::subject::{HeldJobFile, OpenedTarget, OwnedFile, PreparedTargets, Settling};

/// A target that has been allowed, and not touched.
enum AllowedTarget {
    Null,
    Simulated(Box<sim::SimulatedDevice>),
    /// A device, or an existing file that is only read.
    File(FileTarget),
    /// A file that is written or made; it does not exist if `None`.
    Job(Option<JobDataFile>),
}

impl PreparedTargets {
    /// Makes every target ready, or refuses.
    pub(crate) fn of_targets(
        targets: &[JobTarget],
        consent: &Consent,
        seed: u64,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Self, MeasureError> {
        let allowed = targets
            .iter()
            .map(|job_target| allow(job_target, consent))
            .collect::<Result<Vec<_>, _>>()?;
        let mut subject = Self::of_opened(Vec::new(), Vec::new());
        let mut seen = InspectionCache::default();
        for (index, (job_target, allowed)) in targets.iter().zip(allowed).enumerate() {
            let making = TargetToMake {
                job_target,
                index,
                consent,
                seed: mix64(seed ^ index as u64),
                control,
            };
            let (target, ours) = making.make(allowed, listener)?;
            let opened = opened(job_target, &target, ours, &mut seen)?;
            subject.targets.push(target);
            subject.opened.push(opened);
            if job_target.pre_read
                && let Some(mut file) = subject.handle(index)
            {
                // What cannot be read now fails again in the job, where it is reported.
                let _ = io::copy(&mut file, &mut io::sink());
            }
        }
        Ok(subject)
    }
}

/// Whether a place may be used as its jobs want to.
fn allow(job_target: &JobTarget, consent: &Consent) -> Result<AllowedTarget, MeasureError> {
    Ok(match job_target.kind {
        JobTargetKind::Null => AllowedTarget::Null,
        JobTargetKind::Simulated => AllowedTarget::Simulated(Box::new(
            sim::SimulatedDevice::parse(&job_target.path.to_string_lossy())?,
        )),
        JobTargetKind::BlockDevice if job_target.written => {
            let consent = consent.for_occupied(job_target.allow_occupied);
            let occupancy = occupants(&System::host(), &job_target.path)?;
            let permit = DevicePermit::obtain(&job_target.path, &occupancy, &consent, users)?;
            AllowedTarget::File(FileTarget::of_device(permit))
        }
        JobTargetKind::BlockDevice => AllowedTarget::File(FileTarget::read_only(&job_target.path)?),
        JobTargetKind::File => return allow_file(job_target, consent),
    })
}

fn allow_file(job_target: &JobTarget, consent: &Consent) -> Result<AllowedTarget, MeasureError> {
    let metadata = match job_target.path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return absent(job_target);
        }
        Err(source) => {
            let text = text!("{} cannot be used: {source}", job_target.path.display());
            return Err(MeasureError::because(text, source));
        }
    };
    let is_large_enough = metadata.len() >= job_target.bytes.0;
    if !job_target.written && is_large_enough {
        return Ok(AllowedTarget::File(FileTarget::read_only(
            &job_target.path,
        )?));
    }
    // A file that is too small must be written before it is read.
    Ok(AllowedTarget::Job(Some(JobDataFile::open(request(
        job_target, consent,
    ))?)))
}

fn absent(job_target: &JobTarget) -> Result<AllowedTarget, MeasureError> {
    let path = job_target.path.display();
    if !job_target.create {
        return Err(MeasureError::system(text!(
            "{} does not exist and is not to be created; make it, or allow that (allow_file_create=1)",
            path
        )));
    }
    let parent = directory_of(&job_target.path);
    let present = present(parent);
    let may_be_made = present.is_dir()
        && job_target.made_below.as_deref().is_some_and(|base| {
            let is_here = base.as_os_str().is_empty();
            is_here || base.is_dir()
        });
    if !parent.is_dir() && !may_be_made {
        return Err(MeasureError::system(text!(
            "{} cannot be made, because {} is no directory; make it first",
            path,
            parent.display()
        )));
    }
    if let Some(reason) = unfit_for_files(present) {
        return Err(MeasureError::refused(text!(
            "{} does not exist, and no file is made there, because {} {reason}; name an existing device, or a file elsewhere",
            path,
            present.display(),
            reason = Text::from(reason)
        )));
    }
    Ok(AllowedTarget::Job(None))
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
fn make_directories(job_target: &JobTarget) -> Result<(), MeasureError> {
    let parent = directory_of(&job_target.path);
    if job_target.made_below.is_none() || parent.is_dir() {
        return Ok(());
    }
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent);
    made.map_err(|source| {
        let text = text!(
            "{} cannot be made: {source}; make it first",
            parent.display()
        );
        MeasureError::because(text, source)
    })
}

fn request<'a>(job_target: &'a JobTarget, consent: &Consent) -> JobFileRequest<'a> {
    JobFileRequest {
        path: &job_target.path,
        jobs: &job_target.jobs,
        size: job_target.bytes,
        overwrite: job_target.overwrite || consent.reaches_files(),
        look: users,
        is_written: job_target.written,
        is_removed: job_target.unlink,
    }
}

/// One target to be made.
struct TargetToMake<'a> {
    job_target: &'a JobTarget,
    index: usize,
    consent: &'a Consent,
    seed: u64,
    control: &'a Control,
}

impl TargetToMake<'_> {
    /// The target, and the file if jobs write it.
    fn make(
        &self,
        allowed: AllowedTarget,
        listener: &mut dyn FnMut(Event),
    ) -> Result<(Target, OwnedFile), MeasureError> {
        let job_target = self.job_target;
        let file = match allowed {
            AllowedTarget::Null => return Ok((Target::Null(job_target.bytes), OwnedFile::Nothing)),
            AllowedTarget::Simulated(mut device) => {
                device.seed(self.seed);
                let target = SimulatedTarget::new(*device);
                return Ok((Target::Simulated(target), OwnedFile::Nothing));
            }
            AllowedTarget::File(file) => return Ok((Target::File(file), OwnedFile::Nothing)),
            AllowedTarget::Job(Some(file)) => file,
            AllowedTarget::Job(None) => {
                make_directories(job_target)?;
                JobDataFile::open_or_create(request(job_target, self.consent))?
            }
        };
        if file.present_size()? < job_target.bytes {
            let target = self.index;
            listener(Event::LayoutStarted { target });
            if job_target.needs_data {
                let random = DataContent::Random;
                file.lay_out(
                    job_target.allocation,
                    random,
                    self.seed,
                    self.control,
                    listener,
                )?;
            } else {
                file.allocate(job_target.allocation)?;
            }
        }
        let target = file.target()?;
        let is_removed = job_target.unlink;
        let _held = HeldJobFile { file, is_removed };
        Ok((target, OwnedFile::JobFile { _held }))
    }
}

/// What was inspected already, by file system: many files share one.
#[derive(Default)]
struct InspectionCache(HashMap<u64, Inspected>);

impl InspectionCache {
    fn inspect(
        &mut self,
        path: &Path,
        metadata: Option<&std::fs::Metadata>,
    ) -> Result<Inspected, MeasureError> {
        let look = || inspect(&System::host(), &path.to_string_lossy());
        let Some(metadata) = metadata.filter(|metadata| metadata.is_file()) else {
            return Ok(look()?);
        };
        if let Some(known) = self.0.get(&metadata.dev()) {
            return Ok(known.clone());
        }
        let inspected = look()?;
        self.0.insert(metadata.dev(), inspected.clone());
        Ok(inspected)
    }
}

fn opened(
    job_target: &JobTarget,
    target: &Target,
    ours: OwnedFile,
    seen: &mut InspectionCache,
) -> Result<OpenedTarget, MeasureError> {
    let name = job_target.path.to_string_lossy();
    let settling = Settling::Invalidated(job_target.invalidate && !job_target.pre_read);
    let file = match target {
        Target::File(file) => file,
        Target::Simulated(simulated) => {
            return Ok(OpenedTarget {
                settling,
                ..OpenedTarget::bare(simulated_info(&name, &simulated.device))
            });
        }
        Target::Null(size) => {
            return Ok(OpenedTarget {
                settling,
                ..OpenedTarget::bare(bare_info("null:", TargetKind::Null, *size))
            });
        }
    };
    let metadata = file.handle().metadata().ok();
    let Inspected { mut info, counters } = seen.inspect(&job_target.path, metadata.as_ref())?;
    let path = job_target.path.canonicalize();
    let path = path.unwrap_or_else(|_| job_target.path.clone());
    info.name = name.into_owned();
    info.path = Some(path.to_string_lossy().into_owned());
    info.size_bytes = Some(target.size());
    // What was inspected may be another file of the same file system.
    info.file_state = None;
    info.blind_spots.extend_from_slice(file.blind_spots());
    let mut opened = OpenedTarget {
        counters,
        ours,
        settling,
        ..OpenedTarget::bare(info)
    };
    opened.describe(file.handle());
    Ok(opened)
}
