//! One measurement from its plan to the exit code, the same for every command that
//! measures: the subject is made ready, the campaign run, its rows judged and printed.
//!
//! It does not decide what is measured: that is in the plan that it gets.

use std::cell::RefCell;
use std::path::Path;

use anyhow::anyhow;
use sokudo_device::{System, Watch};
use sokudo_engine::{Control, Search, left_behind};
use sokudo_model::{Bytes, DataContent, Event, Plan, Run, Schedule, StopReason, TargetKind};
use sokudo_report::RunDocument;

use crate::campaign::{self, Measured};
use crate::clean;
use crate::cli::Printing;
use crate::command_line;
use crate::exit::{self, Exit};
use crate::interrupt;
use crate::jobs::carry_out::since_epoch;
use crate::keep;
use crate::memory;
use crate::output;
use crate::progress::Progress;
use crate::requirement;
use crate::subject::{Named, Permission, Preparation, Subject};
use crate::words::{self, Reader};

/// What is to be measured, how often, and what may be written.
pub(crate) struct Measurement<'a> {
    /// The target as the user named it.
    pub(crate) target: &'a str,
    /// The target as it was recognised.
    pub(crate) named: Named,
    pub(crate) plan: Plan,
    pub(crate) schedule: Schedule,
    /// Size of the test file, for a directory.
    pub(crate) test_file_size: Bytes,
    pub(crate) permission: Permission,
    /// What the user should know before it starts.
    pub(crate) notes: Vec<String>,
    /// What the test file is filled with.
    pub(crate) data: DataContent,
    /// The command line that repeats it ([`command`]).
    pub(crate) command: String,
}

/// Carries out a plan, and may change it into what was carried out.
pub(crate) type Conduct<'a> = Box<
    dyn FnOnce(
            &mut Plan,
            &Schedule,
            &mut Subject,
            &Control,
            &mut dyn FnMut(Event),
        ) -> Result<Measured, Exit>
        + 'a,
>;

/// A measurement that has been made.
pub(crate) struct Finished {
    pub(crate) run: Run,
    pub(crate) document: RunDocument,
    /// What ended it before its time, or what it says of the target.
    pub(crate) ended_by: Option<Exit>,
}

impl Finished {
    /// Keeps, prints, and says by the exit code what came of it.
    pub(crate) fn conclude(self, printing: &Printing) -> Result<(), Exit> {
        self.conclude_by(printing, |it| output::write(&it.document, printing))
    }

    /// The same where it is printed in a way of the command's own.
    pub(crate) fn conclude_by(
        self,
        printing: &Printing,
        print: impl FnOnce(&Self) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        let Printing { keeping, quiet, .. } = printing;
        keep::keep([&self.document], keeping).print(*quiet, || print(&self))?;
        self.ended_by.map_or(Ok(()), Err)?;
        requirement::check(&self.run, printing)
    }
}

impl Measurement<'_> {
    /// Measures, prints, and says by the exit code what came of it.
    pub(crate) fn run_and_print(self, printing: &Printing) -> Result<(), Exit> {
        self.run_and_print_by(printing, as_planned(), &|_, _| ())
    }

    /// The same where what is measured next depends on what was measured; `complete` adds
    /// to the document what only such a run has.
    pub(crate) fn run_and_print_by(
        self,
        printing: &Printing,
        conduct: Conduct<'_>,
        complete: &dyn Fn(&Run, &mut RunDocument),
    ) -> Result<(), Exit> {
        self.check_permission()?;
        output::check(printing)?;
        output::check_apart(self.target.as_ref(), printing)?;
        let control = Control::new();
        interrupt::watch(&control)?;
        self.finish_by(&control, printing.quiet, conduct, complete)?
            .conclude(printing)
    }

    /// Measures, and prints nothing but its progress.
    pub(crate) fn finish_by(
        self,
        control: &Control,
        quiet: bool,
        conduct: Conduct<'_>,
        complete: &dyn Fn(&Run, &mut RunDocument),
    ) -> Result<Finished, Exit> {
        self.check_permission()?;
        if !quiet {
            self.tell_left_behind();
        }
        let (run, ended_by) = self.run(control, quiet, conduct)?;
        let mut document = RunDocument::from_run(&run);
        complete(&run, &mut document);
        Ok(Finished {
            ended_by: ended_by.or_else(|| verdict(&run).err()),
            run,
            document,
        })
    }

    /// A device that is to be destroyed must be the target.
    pub(crate) fn check_permission(&self) -> Result<(), Exit> {
        let is_device = self.named.kind() == TargetKind::BlockDevice;
        if !is_device && matches!(self.permission, Permission::Destroy(_)) {
            return Err(Exit::usage(anyhow!(
                "{} is no block device, so there is nothing to --destroy; leave it out",
                self.target
            )));
        }
        Ok(())
    }

    /// Measures and judges, and prints nothing but its progress. With what was measured
    /// comes the error that ended it before its time, if one did.
    pub(crate) fn run(
        self,
        control: &Control,
        quiet: bool,
        conduct: Conduct<'_>,
    ) -> Result<(Run, Option<Exit>), Exit> {
        let size = self.size();
        let progress = Progress::new(&self.plan, &self.schedule, size, quiet);
        let progress = RefCell::new(progress);
        let carried_out = self.carry_out(control, &progress, quiet, conduct);
        progress.borrow().finish();
        carried_out
    }

    /// Size of what is measured, or will be once the test file is made.
    pub(crate) fn size(&self) -> Option<Bytes> {
        self.named.size().or(Some(self.test_file_size))
    }

    /// Makes the subject ready, lets `conduct` make the trials, and judges them.
    pub(crate) fn carry_out(
        self,
        control: &Control,
        progress: &RefCell<Progress>,
        quiet: bool,
        conduct: Conduct<'_>,
    ) -> Result<(Run, Option<Exit>), Exit> {
        let Self {
            mut plan, schedule, ..
        } = self;
        let workloads = || plan.stages.iter().flat_map(|stage| &stage.workloads);
        // What only reads gets no means to write, whatever was allowed.
        let permission = if workloads().any(|workload| workload.operations.changes_data()) {
            self.permission
        } else {
            Permission::ReadOnly
        };
        memory::check(&plan)?;
        let started_at = since_epoch();
        let environment = sokudo_device::environment(&System::host());
        let preparation = Preparation {
            name: self.target,
            size: self.test_file_size,
            permission,
            data: self.data,
            seed: plan.seed,
        };
        let mut listener = |event| progress.borrow_mut().show(&event);
        let prepared = Subject::prepare(self.named, &preparation, control, &mut listener);
        // A refusal is one line: nothing is told before.
        if prepared.is_ok() && !quiet {
            let tell = || self.notes.iter().for_each(exit::note);
            progress.borrow().aside(tell);
        }
        let measured = prepared.and_then(|mut subject| {
            let watch = Watch::begin(&System::host(), &subject.info);
            let measured = conduct(&mut plan, &schedule, &mut subject, control, &mut listener)?;
            let circumstances = watch.end(&subject.info);
            subject.look_again();
            let target = subject.info.clone();
            Ok((measured, target, circumstances, subject.layout))
        });
        let (measured, target, circumstances, layout) = measured?;
        let Measured { rows, ended_by } = measured;
        let mut run = Run {
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at,
            layout,
            environment,
            rows,
            circumstances,
            command: self.command,
            interrupted: control.is_cancelled(),
            ..Run::new(plan, schedule, target)
        };
        sokudo_analysis::judge(&mut run);
        let method = run.plan.method.clone();
        words::put_into(&mut run, Reader::of_method(&method));
        Ok((run, ended_by))
    }

    /// Test files of killed runs that lie where ours will.
    pub(crate) fn tell_left_behind(&self) {
        if self.named.kind() == TargetKind::Directory
            && let Some(directory) = self.named.path()
        {
            let directory = Path::new(directory);
            for file in left_behind(directory, Search::Named) {
                exit::note(format_args!(
                    "a killed run has left {} ({}); {} removes it",
                    file.path.display(),
                    file.size,
                    clean::command(directory, file.doubt.is_some())
                ));
            }
        }
    }
}

/// A campaign that carries out the plan as it is.
pub(crate) fn as_planned() -> Conduct<'static> {
    Box::new(|plan, schedule, subject, control, listener| {
        campaign::run(plan, schedule, subject, control, listener)
    })
}

/// The command line that repeats a run: as it was given, with the seed that was used if
/// none was asked for.
pub(crate) fn command(asked_seed: Option<u64>, used_seed: u64) -> String {
    let given = command_line::as_given();
    match asked_seed {
        Some(_) => given,
        None => format!("{given} --seed {used_seed}"),
    }
}

/// What the result means for the exit code.
pub(crate) fn verdict(run: &Run) -> Result<(), Exit> {
    if run.interrupted {
        return Err(Exit::Interrupted);
    }
    let mut outcomes = run
        .rows
        .iter()
        .flat_map(|row| &row.trials)
        .map(|trial| &trial.outcome);
    // A disk of which a part cannot be read has failed the job of being read, as badblocks
    // users expect, though the survey went on.
    let failed = outcomes.any(|outcome| {
        let is_wrong = outcome
            .verified
            .as_ref()
            .is_some_and(|check| check.wrong > 0);
        outcome.stopped == StopReason::Failed || !outcome.defects.is_empty() || is_wrong
    });
    if failed {
        Err(Exit::FailedAsReported)
    } else {
        Ok(())
    }
}
