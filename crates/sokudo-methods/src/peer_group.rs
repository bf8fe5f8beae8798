//! The others with whom a command measures.

pub mod arguments;

use std::path::Path;

use sokudo_engine::Control;
use sokudo_measure::{Agreement, JobTarget, MeasureError, Measurement, Named, Prepared, Together};
use sokudo_model::{Bytes, JobTargetKind, Plan, TargetKind};
use sokudo_terminal::arguments::printing::Printing;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::event_stream::Estimate;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::output;
use sokudo_words::{Text, text};

use crate::consent;
use crate::measurement::{Conduct, FinishedMeasurement, Following, Joined};
use crate::peer_group::arguments::TogetherArguments;

/// The others, until the measurement has them.
pub struct PeerGroup {
    together: Option<Together>,
    is_first: bool,
    command: String,
    is_separate: bool,
    is_shared: bool,
    is_shifted: bool,
    is_dry: bool,
    /// Much may be written: of several processes none has a terminal to ask on.
    may_write_much: bool,
    keeping: Keeping,
}

impl PeerGroup {
    pub fn new(together: Together, arguments: &TogetherArguments, printing: &Printing) -> Self {
        Self {
            may_write_much: printing.asking.yes || arguments.dry_run,
            keeping: (*printing.keeping).clone(),
            is_first: together.is_first(),
            together: Some(together),
            command: arguments.command.join(" "),
            is_separate: arguments.separate,
            is_shared: arguments.shared_file,
            is_shifted: arguments.read_back_shifted,
            is_dry: arguments.dry_run,
        }
    }

    /// Has the others know why this process can do nothing. The first says so for it.
    pub fn cannot(&mut self, exit: Exit) -> Exit {
        let why = exit.in_each_language();
        let answer = together_mut(&mut self.together).cannot(why.unwrap_or_default());
        match answer {
            _ if !self.is_first => Exit::AsReported(0),
            // It may not have what the others have been told.
            Some(error @ MeasureError::Disagreement { .. }) => error.into(),
            _ => exit,
        }
    }

    /// Measures as one of them.
    pub fn measure(
        &mut self,
        mut measurement: Measurement<'_>,
        control: &Control,
        quiet: bool,
        conduct: impl Conduct,
    ) -> Result<FinishedMeasurement, Exit> {
        // Processes have no common clock for the time of a run.
        measurement.schedule.time_max = None;
        let directory = measurement.check_directory().map_err(Exit::from);
        if let Err(exit) = directory.and_then(|()| self.check_writes(&measurement)) {
            return Err(self.cannot(exit));
        }
        self.check_much(consent::much(
            measurement.target,
            &Estimate::of(&measurement),
        ))?;
        self.agree(&mut measurement)?;
        if self.is_dry {
            return Err(self.tell_plans(&measurement.plan, &describe_target(&measurement))?);
        }
        measurement.has_readers = self.is_shifted;
        let keeping = self.keeping.clone();
        let following = self.following(&keeping, control, quiet);
        following.rows(measurement, |ready| self.ready(ready, control), conduct)
    }

    /// Only the first one keeps what all have measured.
    pub fn following<'a>(
        &self,
        keeping: &'a Keeping,
        control: &'a Control,
        quiet: bool,
    ) -> Following<'a> {
        Following {
            control,
            quiet,
            keeping: self.is_first.then_some(keeping),
            asks: false,
            is_of_many: true,
        }
    }

    /// Waits until all have made ready what they measure. Where one cannot, the first says why.
    pub fn ready(
        &mut self,
        prepared: Result<Prepared, Exit>,
        control: &Control,
    ) -> Result<Joined, Exit> {
        // Who is interrupted has all others stop; where somebody is lost, that has interrupted it.
        if control.is_cancelled()
            && let Err(exit) = prepared
        {
            let loss = together_mut(&mut self.together).loss();
            return Err(loss.map_or(exit, Exit::from));
        }
        let failure = prepared.as_ref().err();
        let failure = failure.map(|exit| exit.in_each_language().unwrap_or_default());
        let all = together_mut(&mut self.together).ready(failure);
        match (prepared, all) {
            (prepared, Ok(())) => Ok((prepared?, self.together.take())),
            (Ok(_), Err(error)) => Err(error.into()),
            (Err(_), Err(MeasureError::FailedThere { .. })) if !self.is_first => {
                Err(Exit::AsReported(0))
            }
            (Err(exit), Err(_)) => Err(exit),
        }
    }

    /// Several processes write one thing only in parts of their own.
    fn check_writes(&self, measurement: &Measurement<'_>) -> Result<(), Exit> {
        let kind = measurement.named.kind();
        let is_one = matches!(kind, TargetKind::File | TargetKind::BlockDevice);
        let mut workloads = measurement.plan.stages.iter().flat_map(|it| &it.workloads);
        let writes = workloads.any(|it| it.operations.changes_data());
        if is_one && writes && !self.is_shared && !self.is_separate {
            return Err(written_by_all(measurement.target));
        }
        Ok(())
    }

    /// Refuses to write much, where that was not allowed beforehand.
    pub fn check_much(&mut self, much: Option<Text>) -> Result<(), Exit> {
        match much.filter(|_| !self.may_write_much) {
            Some(line) => Err(self.cannot(consent::without_consent(&line))),
            None => Ok(()),
        }
    }

    /// A file that jobs make gets a name for each process.
    pub fn give_own_names(&self, targets: &mut [JobTarget]) {
        let rank = together(&self.together).rank();
        let made = targets
            .iter_mut()
            .filter(|it| it.is_made() && !self.is_shared);
        for target in made {
            let mut name = target.path.clone().into_os_string();
            name.push(format!(".rank-{rank}"));
            target.path = name.into();
        }
    }

    /// The same for jobs.
    pub fn agree_on_jobs(&mut self, plan: &mut Plan, targets: &[JobTarget]) -> Result<(), Exit> {
        let one = targets
            .iter()
            .find(|it| it.kind == JobTargetKind::BlockDevice && it.written && !self.is_shared);
        if let Some(one) = one.filter(|_| !self.is_separate) {
            let exit = written_by_all(&one.path.display().to_string());
            return Err(self.cannot(exit));
        }
        let made = targets.iter().filter(|it| it.kind == JobTargetKind::File);
        let writes = made.map(|it| it.bytes.0).fold(0, u64::saturating_add);
        let folder = targets
            .first()
            .and_then(|it| it.path.parent())
            .map(existing);
        let inspected = folder.and_then(|it| Named::recognise(it.to_str()?).ok());
        let agreement = Agreement {
            command: &self.command,
            plan,
            kind: TargetKind::Directory,
            size: None,
            file_system: inspected
                .as_ref()
                .and_then(|it| it.info()?.file_system.as_ref()),
            writes: Bytes(writes),
            is_separate: self.is_separate,
        };
        let seed = together_mut(&mut self.together).agree(&agreement)?;
        plan.seed = seed;
        if self.is_dry {
            let files = targets.iter();
            let files = files.map(|it| text!("{} ({})", it.path.display(), it.bytes));
            return Err(self.tell_plans(plan, &Text::list(files, ", "))?);
        }
        Ok(())
    }

    fn agree(&mut self, measurement: &mut Measurement<'_>) -> Result<(), Exit> {
        let info = measurement.named.info();
        let kind = measurement.named.kind();
        let agreement = Agreement {
            command: &self.command,
            plan: &measurement.plan,
            kind,
            size: measurement
                .named
                .size()
                .filter(|_| kind != TargetKind::Directory),
            file_system: info.and_then(|it| it.file_system.as_ref()),
            writes: measurement.lays_out().unwrap_or_default(),
            is_separate: self.is_separate,
        };
        let seed = together_mut(&mut self.together).agree(&agreement)?;
        measurement.plan.seed = seed;
        Ok(())
    }

    /// What every process would do, told by the first.
    fn tell_plans(&mut self, plan: &Plan, own: &Text) -> Result<Exit, Exit> {
        let together = together_mut(&mut self.together);
        let Some(descriptions) = together.gather_words(own)? else {
            return Ok(Exit::AsReported(0));
        };
        let (hosts, ranks) = (together.host_names(), together.ranks());
        let rows = rows(plan);
        let mut lines = vec![text!(
            "{ranks} processes would carry this out together, each its part: {}",
            self.command
        )];
        lines.push(text!("rows, alternating: {rows}"));
        let processes = hosts.iter().zip(&descriptions).zip(0_u32..);
        lines.extend(
            processes
                .map(|((host, description), rank)| text!("rank {rank} on {host}: {description}")),
        );
        lines.iter().try_for_each(output::say)?;
        Ok(Exit::AsReported(0))
    }

    /// Leaves those who are still there.
    pub fn part(&mut self, failed: bool) {
        if let Some(together) = self.together.take() {
            if failed {
                together.stop();
            }
            together.leave();
        }
    }
}

fn together_mut(together: &mut Option<Together>) -> &mut Together {
    together.as_mut().expect("the measurement has not begun")
}

fn together(together: &Option<Together>) -> &Together {
    together.as_ref().expect("the measurement has not begun")
}

fn written_by_all(target: &str) -> Exit {
    Exit::refused(text!(
        "all processes would write to {target}, each over what the others write; say --shared-file to give each a part of its own, or --separate if every host has its own"
    ))
}

/// The next folder upwards that is there.
fn existing(folder: &Path) -> &Path {
    let mut above = folder.ancestors();
    let found = above.find(|it| it.is_dir());
    found.unwrap_or(Path::new("."))
}

/// What a process measures, and what it writes for that.
fn describe_target(measurement: &Measurement<'_>) -> Text {
    let file_system = measurement
        .named
        .info()
        .and_then(|it| it.file_system.as_ref());
    let target = match file_system {
        Some(it) => text!("{} ({}, {})", measurement.target, it.kind, it.source),
        None => Text::name(measurement.target),
    };
    match measurement.lays_out() {
        Some(Bytes(0)) | None => target,
        Some(bytes) => text!("{target}, a test file of {bytes}"),
    }
}

fn rows(plan: &Plan) -> Text {
    let workloads = plan.stages.iter().flat_map(|it| &it.workloads);
    let names = workloads.map(|it| {
        let direction = Text::from(it.operations.direction());
        text!("{} {direction}", it.name)
    });
    Text::list(names, ", ")
}
