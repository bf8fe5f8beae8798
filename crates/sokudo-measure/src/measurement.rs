//! One measurement: prepared, measured trial by trial, finished.

use std::path::Path;
use std::time::SystemTime;

use sokudo_device::{DriveMonitor, System, Watch, occupants, users};
use sokudo_engine::{Control, DevicePermit, check_room, may_make_in};
use sokudo_model::{
    BurnIn, Bytes, DataContent, Enough, Event, MethodTrait, Nanos, Plan, Row, Run, RunPart,
    Schedule, StopReason, TargetInfo, TargetKind, Trial,
};

use sokudo_words::{Text, text};

use crate::backends::{self, Choosing};
use crate::campaign::{self, MeasuredRows};
use crate::drive_health;
use crate::error::MeasureError;
use crate::memory;
use crate::named::Named;
use crate::open_as::FileUser;
use crate::pages;
use crate::permission::Permission;
use crate::run_clock::RunClock;
use crate::several::{self, OtherTarget};
use crate::slow;
use crate::subject::{DeviceBeside, PreparedTargets, TargetSetup};
use crate::together::Together;

/// Size of a test file unless told otherwise, as CrystalDiskMark's.
pub const TEST_FILE_SIZE: Bytes = Bytes::gib(1);

/// What is to be measured, how often, and what may be written.
///
/// Rules that single methods have are known only once `sokudo_methods::commands::hand_over` was called,
/// once for the whole process: without it the run is judged by the rules of all methods alone, and
/// nothing says so.
pub struct Measurement<'a> {
    /// The target as the user named it.
    pub target: &'a str,
    /// The target as it was recognised.
    pub named: Named,
    /// What is done to it; each stage is one row.
    pub plan: Plan,
    /// How often, and in what order.
    pub schedule: Schedule,
    /// Size of the test file, for a directory.
    pub test_file_size: Bytes,
    /// What of the things that exist may be written.
    pub permission: Permission,
    /// Targets that are measured with it: rows name them from 1 on.
    pub others: Vec<OtherTarget>,
    /// Devices that rows read beside it: those of the second target, the third, and so on.
    pub beside: Vec<DeviceBeside>,
    /// What the user should know before it starts.
    pub notes: Vec<Text>,
    /// What becomes of a directory.
    pub files: OwnFiles,
    /// The command line that repeats it.
    pub command: String,
    /// Other processes read the test file, so that it has a name.
    pub has_readers: bool,
    /// Rows that leave their backend open may poll and pass commands around the block layer, where
    /// that is faster.
    pub any_backend: bool,
    /// What an earlier part of the run has measured of its rows; empty for a run that begins.
    pub before: Vec<Row>,
    /// When that part and those before it were measured.
    pub parts: Vec<RunPart>,
    /// What a burn-in has beside its rows, as far as an earlier part of it has come; `None` of
    /// anything else.
    pub burn_in: Option<Box<BurnIn>>,
    /// As whom files and directories are opened, where that is another user than this process's.
    pub files_as: Option<FileUser>,
}

/// What is made in a directory that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnFiles {
    /// One file, full of data before the first trial.
    Full(DataContent),
    /// One file with room reserved and nothing written: the first writes are those that are
    /// measured.
    Reserved,
    /// A file, a directory of many files, or both, empty at first; each row finds what the
    /// one before has left.
    InPhases {
        /// The file is taken out of the page cache between rows.
        cold: bool,
    },
}

impl<'a> Measurement<'a> {
    /// Six trials of each row, in turn, of a target that is only read where it exists.
    pub fn new(target: &'a str, named: Named, plan: Plan) -> Self {
        Self {
            target,
            named,
            plan,
            schedule: Schedule::in_turn(Enough::TRIALS_MIN, Nanos(0)),
            test_file_size: TEST_FILE_SIZE,
            permission: Permission::ReadOnly,
            others: Vec::new(),
            beside: Vec::new(),
            notes: Vec::new(),
            files: OwnFiles::Full(DataContent::Random),
            command: String::new(),
            has_readers: false,
            any_backend: false,
            before: Vec::new(),
            parts: Vec::new(),
            burn_in: None,
            files_as: None,
        }
    }

    /// Every target with its name.
    pub fn targets(&self) -> impl Iterator<Item = (&str, &Named)> {
        let others = self.others.iter().map(|it| (it.name.as_str(), &it.named));
        std::iter::once((self.target, &self.named)).chain(others)
    }

    /// Refuses consent that is for another kind of target, and one disk by two names.
    ///
    /// # Errors
    /// When a device is to be destroyed and no target is one, or two targets are one.
    pub fn check_permission(&self) -> Result<(), MeasureError> {
        let is_device = |(_, named): (_, &Named)| named.kind() == TargetKind::BlockDevice;
        match &self.permission {
            Permission::Destroy(consent) if !self.targets().any(is_device) => {
                Err(MeasureError::usage(self.without_device(consent.named())))
            }
            _ => several::check(&self.targets().collect::<Vec<_>>()),
        }
    }

    /// What allows a device to be destroyed names no target: that is a word of its own.
    fn without_device(&self, allowed: &[String]) -> Text {
        let command = self.plan.method.command().unwrap_or("mark");
        let word = allowed.first().map_or("DEVICE", String::as_str);
        let path = Some(word).filter(|it| it.starts_with('/'));
        let device = path.unwrap_or("DEVICE");
        text!(
            "{} is no block device, so there is nothing to --destroy; leave it out, or name the device as the target, too: sokudo {command} {device} --destroy {word}",
            self.target
        )
    }

    /// Refuses a directory in which the test file cannot be made, before it is.
    ///
    /// # Errors
    /// When this process may make none there, or it does not fit.
    pub fn check_directory(&self) -> Result<(), MeasureError> {
        for (_, named) in self.targets() {
            let path = named.path().map(Path::new);
            if let Some(directory) = path.filter(|_| named.kind() == TargetKind::Directory) {
                may_make_in(directory)?;
                check_room(directory, self.test_file_size)?;
            }
        }
        Ok(())
    }

    /// Refuses devices that would be written and may not be, as where it begins, before anybody is
    /// asked or hears what would be done. Writes nothing.
    ///
    /// # Errors
    /// When one was not named, holds something, or somebody uses it; and as of
    /// [`Self::check_permission`].
    pub fn check_devices(&self) -> Result<(), MeasureError> {
        self.check_permission()?;
        let Permission::Destroy(consent) = &self.permission else {
            return Ok(());
        };
        let targets = self.targets().filter(|_| self.changes_data());
        for (_, named) in targets.filter(|(_, named)| named.kind() == TargetKind::BlockDevice) {
            if let Some(path) = named.path().map(Path::new) {
                let occupancy = occupants(&System::host(), path)?;
                DevicePermit::obtain(path, &occupancy, consent, users).map(drop)?;
            }
        }
        Ok(())
    }

    fn changes_data(&self) -> bool {
        let mut workloads = self.plan.stages.iter().flat_map(|stage| &stage.workloads);
        workloads.any(|workload| workload.operations.changes_data())
    }

    /// Size of each target, or what it will be once the test file is made.
    pub fn sizes(&self) -> Vec<Bytes> {
        let size = |(_, named): (_, &Named)| named.size().unwrap_or(self.test_file_size);
        self.targets().map(size).collect()
    }

    /// What is written to make the target ready; `None` where the rows make files themselves.
    pub fn lays_out(&self) -> Option<Bytes> {
        let of_one = |(_, named): (_, &Named)| match (named.kind(), &self.files) {
            (TargetKind::Directory, OwnFiles::Full(_)) => Some(self.test_file_size),
            (TargetKind::Directory, OwnFiles::Reserved | OwnFiles::InPhases { .. }) => None,
            _ => Some(Bytes(0)),
        };
        self.targets().try_fold(Bytes(0), |sum, target| {
            Some(Bytes(sum.0.saturating_add(of_one(target)?.0)))
        })
    }

    /// Opens the target with the consent that is there, lays a test file out where it is a
    /// directory, and looks at the system. What the plan only reads gets no means to write,
    /// whatever was allowed.
    ///
    /// # Errors
    /// When consent is missing, or the target cannot be measured.
    pub fn prepare(
        self,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Prepared, MeasureError> {
        self.check_permission()?;
        let changes_data = self.changes_data();
        let (named, files) = (self.named, self.files);
        let permission = match changes_data {
            true => self.permission,
            false => Permission::ReadOnly,
        };
        memory::check(&self.plan)?;
        let started_at = since_epoch();
        let mut subject = match (named, files) {
            (Named::Path(inspected), OwnFiles::InPhases { cold })
                if inspected.info.kind == TargetKind::Directory =>
            {
                let workloads = self.plan.stages.iter().flat_map(|stage| &stage.workloads);
                PreparedTargets::in_phases(inspected, workloads, cold, self.files_as)?
            }
            (named, files) => {
                let preparation = TargetSetup {
                    name: self.target,
                    size: self.test_file_size,
                    permission,
                    data: match files {
                        OwnFiles::Full(data) => Some(data),
                        OwnFiles::Reserved | OwnFiles::InPhases { .. } => None,
                    },
                    seed: self.plan.seed,
                    has_readers: self.has_readers,
                    files_as: self.files_as,
                };
                match self.others.is_empty() {
                    true => PreparedTargets::prepare(named, &preparation, control, listener)?,
                    false => {
                        let first = OtherTarget {
                            name: self.target.to_owned(),
                            named,
                        };
                        let all = std::iter::once(first).chain(self.others).collect();
                        several::prepare(all, &preparation, control, listener)?
                    }
                }
            }
        };
        let target = TargetInfo::together(subject.infos());
        let target = target.unwrap_or_else(|| subject.info().clone());
        let targets = several::infos(&subject);
        let own = subject.infos().count();
        subject.add(self.beside);
        let burn_in = self.burn_in.map(|mut burn_in| {
            if burn_in.before.is_empty() {
                burn_in.before = drive_health::health(subject.infos());
            }
            burn_in
        });
        let run = Run {
            started_at: Some(started_at),
            command: self.command,
            parts: self.parts,
            burn_in,
            targets,
            rows: campaign::rows_begun(&self.plan, &self.before),
            ..empty_run(self.plan, self.schedule, target)
        };
        Ok(Prepared {
            notes: self.notes,
            any_backend: self.any_backend,
            before: self.before,
            own,
            ..Prepared::new(run, subject)
        })
    }
}

/// A measurement that can begin.
pub struct Prepared {
    /// The run as far as it has come: what was measured is to be put into its rows.
    pub run: Run,
    /// What the user should know before it starts.
    pub notes: Vec<Text>,
    pub(crate) subject: PreparedTargets,
    pub(crate) any_backend: bool,
    /// What an earlier part of the run has measured.
    pub before: Vec<Row>,
    /// So many targets are what is measured; others are there to compare them with.
    own: usize,
    watch: Watch,
    /// All trials were made; what follows them may be interrupted.
    pub(crate) is_complete: bool,
}

impl Prepared {
    pub(crate) fn new(run: Run, mut subject: PreparedTargets) -> Self {
        let watch = Watch::begin(&System::host(), &run.target);
        subject.drive_monitor = watch.drive_monitor();
        Self {
            watch,
            run,
            notes: Vec::new(),
            any_backend: false,
            before: Vec::new(),
            own: usize::MAX,
            subject,
            is_complete: false,
        }
    }

    /// What is seen while the run goes on; `None` of what is no device.
    pub fn drive_monitor(&self) -> Option<DriveMonitor> {
        self.watch.drive_monitor()
    }

    /// What is known about each target.
    pub fn targets(&self) -> impl Iterator<Item = &TargetInfo> + Clone {
        self.subject.infos()
    }

    /// Whether nothing has been measured yet.
    pub fn is_empty(&self) -> bool {
        self.run.rows.iter().all(|row| row.trials.is_empty())
    }

    /// Measures with others from now on: every workload is done by all of them, each its part. The
    /// rows of the run are those of all.
    ///
    /// # Errors
    /// When somebody is lost or all are to stop.
    pub(crate) fn join(&mut self, mut together: Together) -> Result<(), MeasureError> {
        let joined = self.join_by(&mut together);
        // Also who cannot join leaves the others in order.
        self.subject.together = Some(together);
        joined
    }

    fn join_by(&mut self, together: &mut Together) -> Result<(), MeasureError> {
        let run = &mut self.run;
        together.gather_setups(run)?;
        let workloads = run.plan.stages.iter_mut().flat_map(|it| &mut it.workloads);
        workloads.for_each(|it| *it = together.of_all(it));
        run.rows = Row::all_of(&run.plan);
        run.hosts = together.hosts();
        if together.reads_shifted() {
            let lent = together.file_of_next(self.subject.lent())?;
            together.read_from(self.subject.borrow(&lent)?);
            // It is a file like the own one.
            self.own = 1;
        }
        Ok(())
    }

    /// Who is lost, where that has ended the measurement while nobody waited for the others, as in
    /// a pause between rows.
    pub(crate) fn loss(&mut self) -> Option<MeasureError> {
        self.subject.together.as_mut()?.loss()
    }

    /// Leaves the others, who stop: this process measures no more.
    pub(crate) fn part(&mut self) {
        if let Some(together) = self.subject.together.take() {
            together.stop();
            together.leave();
        }
    }

    /// Makes all trials, as the schedule has them. An error that ended them before their
    /// time comes back where something had been measured.
    ///
    /// # Errors
    /// When nothing could be measured.
    pub fn measure(
        &mut self,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Option<MeasureError>, MeasureError> {
        self.subject.clock = RunClock::start();
        let Run { plan, schedule, .. } = &self.run;
        let choosing = Choosing {
            schedule,
            any_backend: self.any_backend,
            before: &self.before,
        };
        let MeasuredRows { mut rows, ended_by } =
            backends::run(plan, choosing, &mut self.subject, control, listener)?;
        let is_nothing = rows.iter().all(|row| row.trials.is_empty());
        let begins = self.before.is_empty() && self.run.burn_in.is_none();
        if is_nothing && begins && control.is_cancelled() {
            return Err(MeasureError::Interrupted);
        }
        if ended_by.is_none() && !control.is_cancelled() {
            self.is_complete = true;
            // What is tried depends on the system, and so on the host.
            let before = self.subject.passed();
            if self.subject.together.is_none() {
                pages::compare(
                    plan,
                    schedule,
                    &mut rows,
                    &mut self.subject,
                    control,
                    listener,
                );
                if plan.method.is(MethodTrait::RepeatsSlow) {
                    slow::read_again(plan, &mut rows, &mut self.subject, control, listener);
                }
            }
            self.subject.check_since(before);
        }
        self.run.spent = self.before.is_empty().then(|| self.subject.spent());
        self.run.rows = rows;
        Ok(ended_by)
    }

    /// Makes one trial of a row, for who keeps a schedule of their own. It is not put into
    /// the run.
    ///
    /// # Errors
    /// When it could not start.
    pub fn trial(
        &mut self,
        row: usize,
        trial: u32,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Trial, MeasureError> {
        let subject = &mut self.subject;
        campaign::trial(&self.run.plan, row, trial, subject, control, listener)
    }

    /// Looks at the system again, judges what was measured, and removes what was made.
    pub fn finish(mut self, control: &Control) -> Run {
        self.subject.put_caches_back();
        let mut run = self.run;
        run.conditions = self.watch.end(&run.target);
        if let Some(burn_in) = &mut run.burn_in {
            burn_in.after = drive_health::health(self.subject.infos());
        }
        self.subject.look_again();
        let own = self.subject.infos().take(self.own);
        if let Some(target) = TargetInfo::together(own) {
            run.target = target;
        }
        run.targets = several::infos(&self.subject);
        run.layout = self.subject.layout;
        let is_ended = control.is_cancelled() && !self.is_complete;
        run.interrupted = is_ended && run.stopped_by.is_none();
        if run.stopped_by.is_some() {
            end_as_meant(&mut run.rows);
        }
        note_part(&mut run, is_ended);
        if let Some(mut together) = self.subject.together {
            // Where somebody is lost, what was known of the hosts before has to do.
            let _ = together.gather_setups(&run);
            run.hosts = together.hosts();
            run.targets.clear();
            together.leave_behind(control.is_cancelled());
        }
        sokudo_analysis::judge(&mut run);
        run
    }
}

/// What a rule has ended was ended on purpose.
fn end_as_meant(rows: &mut [Row]) {
    let trials = rows.iter_mut().flat_map(|row| &mut row.trials);
    for trial in trials.filter(|trial| trial.outcome.stopped == StopReason::Cancelled) {
        trial.outcome.stopped = StopReason::Ended;
    }
}

/// Notes when a part of a run was measured that can be gone on with, where it is not all of it.
fn note_part(run: &mut Run, is_ended: bool) {
    let is_part = is_ended || !run.parts.is_empty();
    let Some(started_at) = run.started_at.filter(|_| is_part) else {
        return;
    };
    if run.plan.method.is(MethodTrait::Resumes) {
        run.parts.push(RunPart {
            started_at,
            ended_at: since_epoch(),
            kept_as: None,
        });
    }
}

/// The run of a plan of which nothing has been done.
pub(crate) fn empty_run(plan: Plan, schedule: Schedule, target: TargetInfo) -> Run {
    Run {
        sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: Some(since_epoch()),
        environment: sokudo_device::environment(&System::host()),
        rows: Row::all_of(&plan),
        ..Run::new(plan, schedule, target)
    }
}

/// The time that has passed since 1970-01-01T00:00:00Z.
pub fn since_epoch() -> Nanos {
    let elapsed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Nanos(u64::try_from(elapsed.as_nanos()).expect("it is not yet the year 2554"))
}
