//! What a user of fio sees while it runs: the lines before, the status line, interim
//! results.

use std::time::Instant;

use sokudo_measure::{Follower, JobTarget, Prepared};
use sokudo_methods::jobs::FinishedJobs;
use sokudo_model::{Event, Nanos, Plan, Run, RunState, narrow};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{escape, invocation};
use sokudo_tools::fio::output::{DiskUse, FioReport, StatusLine, layout_line, start_lines};
use sokudo_tools::fio::session::{EtaMode, FioSession};

use super::disks::Disks;
use super::print::Printer;

/// Where the status line goes, if anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatusTo {
    Nowhere,
    Output,
    /// A terminal on standard error, while standard output is read by a program.
    Error,
}

/// What is shown of a session.
pub(crate) struct View<'a> {
    plan: &'a Plan,
    session: &'a FioSession,
    targets: &'a [JobTarget],
    printer: Printer,
    status: StatusLine,
    status_to: StatusTo,
    status_shown_at: Option<Instant>,
    /// Characters of the last line, which the next one covers.
    status_width: usize,
    started_at: Instant,
    /// Watched from the first stage's start.
    disks: Option<Disks>,
    /// What they have counted by the last one's end, and how long that took.
    ending: (Vec<DiskUse>, Nanos),
    /// The first thing that could not be written.
    failed: Option<Exit>,
    /// The lines before the jobs have been printed.
    has_begun: bool,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        session: &'a FioSession,
        targets: &'a [JobTarget],
        printer: Printer,
    ) -> Self {
        let output = &session.output;
        let status_to =
            if printer.leaves_output_free() && shows_status(output.eta, printer.is_terminal()) {
                StatusTo::Output
            } else if !printer.leaves_output_free()
                && shows_status(output.eta, true)
                && invocation::is_error_terminal()
            {
                StatusTo::Error
            } else {
                StatusTo::Nowhere
            };
        Self {
            plan,
            session,
            targets,
            printer,
            status: StatusLine::new(plan, session),
            status_to,
            status_shown_at: None,
            status_width: 0,
            started_at: Instant::now(),
            disks: None,
            ending: Default::default(),
            failed: None,
            has_begun: false,
        }
    }

    /// Something happened while targets are made ready.
    pub(crate) fn prepares(&mut self, event: &Event) {
        if let Event::LayoutStarted { target } = event {
            self.lays_out(&self.targets[*target]);
        }
    }

    fn lays_out(&mut self, target: &JobTarget) {
        self.begin();
        if !self.printer.is_for_people() {
            return;
        }
        let job = target.jobs.first();
        let job = job.and_then(|name| self.session.jobs.iter().find(|job| job.name == *name));
        if let Some(job) = job {
            let line = layout_line(job, 1, target.bytes);
            self.write(&format!("{line}\n"));
        }
    }

    /// What fio prints before anything else; after a refusal nothing is printed.
    fn begin(&mut self) {
        if !self.has_begun && self.printer.is_for_people() {
            self.write(&start_lines(self.session, self.plan));
        }
        self.has_begun = true;
    }

    /// Prints results and logs.
    pub(crate) fn ends(mut self, finished: &FinishedJobs) -> Result<(), Exit> {
        self.clear_status();
        if finished.run.interrupted && self.printer.is_for_people() {
            self.write("\nfio: terminating on signal 2\n");
        }
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let errors = finished.errors.iter();
        let report = FioReport {
            not_started: errors.filter_map(Exit::error_number).next().unwrap_or(0),
            ..report(&finished.run, self.session, &self.ending.0, self.ending.1)
        };
        self.printer.report(&report)?;
        self.printer.logs(&report)
    }

    /// Prints results of jobs that could not start, for programs that read them: nothing
    /// was done, and the error's number. People are told on standard error.
    pub(crate) fn refuses(mut self, run: &Run, number: i32) -> Result<(), Exit> {
        self.clear_status();
        let report = FioReport {
            not_started: number,
            ..report(run, self.session, &[], Nanos(0))
        };
        self.printer.report_to_programs(&report)
    }

    fn write(&mut self, text: &str) {
        if let Err(error) = self.printer.write(text) {
            self.failed.get_or_insert(error);
        }
    }

    /// Shows the line when its interval has passed.
    fn show_status(&mut self, state: &RunState) {
        if self.status_to == StatusTo::Nowhere {
            return;
        }
        let output = &self.session.output;
        let is_due = self
            .status_shown_at
            .is_none_or(|at| at.elapsed() >= output.eta_interval.into());
        if !is_due {
            return;
        }
        self.status_shown_at = Some(Instant::now());
        let line = escape::line(&self.status.line(self.elapsed(), state));
        self.status_width = line.chars().count();
        self.put_status(&format!("{line}\r"));
    }

    fn clear_status(&mut self) {
        if self.status_width > 0 {
            let blank = " ".repeat(self.status_width);
            self.put_status(&format!("{blank}\r"));
            self.status.begin_new_line();
            self.status_width = 0;
        }
    }

    /// A terminal that has gone away is no reason to fail.
    fn put_status(&self, text: &str) {
        let _ = match self.status_to {
            StatusTo::Nowhere => Ok(()),
            StatusTo::Output => invocation::write_output(text.as_bytes()),
            StatusTo::Error => invocation::write_error(text.as_bytes()),
        };
    }

    fn elapsed(&self) -> Nanos {
        Nanos(narrow(self.started_at.elapsed().as_nanos()))
    }

    /// Prints what has been done so far.
    fn print_interim(&mut self, state: &RunState) {
        let mut run = state.run.clone();
        for (row, trial) in state.unfinished_trials() {
            run.rows[row].trials = vec![trial];
        }
        self.clear_status();
        let elapsed = self.elapsed();
        let report = FioReport {
            remaining: self.status.remaining(elapsed, state),
            ..report(&run, self.session, &[], elapsed)
        };
        if let Err(error) = self.printer.report(&report) {
            self.failed.get_or_insert(error);
        }
    }
}

impl Follower for View<'_> {
    fn see(&mut self, event: &Event, state: &RunState) {
        match event {
            Event::StageStarted { .. } => {
                let now = self.elapsed();
                self.status.stage_started(state.stage, now);
            }
            Event::StageEnded => self.status.stage_ended(),
            Event::Snapshot { workload, .. } => {
                // Once the last one of its stage has told.
                if workload + 1 == self.plan.stages[state.stage].workloads.len() {
                    self.print_interim(state);
                }
            }
            _ => self.show_status(state),
        }
    }

    /// Files are ready, and the first stage begins.
    fn ready(&mut self, prepared: &Prepared) {
        self.disks = Some(Disks::watch(prepared.targets()));
        self.begin();
        self.started_at = Instant::now();
    }

    fn measured(&mut self) {
        let disks = self.disks.as_ref();
        self.ending = (disks.map_or_else(Vec::new, Disks::counted), self.elapsed());
    }
}

/// A report of a run that has ended.
fn report<'a>(
    run: &'a Run,
    session: &'a FioSession,
    disks: &'a [DiskUse],
    elapsed: Nanos,
) -> FioReport<'a> {
    let seconds = i64::try_from(run.started_at.unwrap_or_default().0 / 1_000_000_000).unwrap_or(0);
    FioReport {
        run,
        session,
        disks,
        elapsed,
        remaining: None,
        not_started: 0,
        utc_offset_seconds: sokudo_device::utc_offset_seconds(seconds),
        process: std::process::id(),
    }
}

/// Whether the status line is to be shown, given where it would go.
fn shows_status(eta: EtaMode, is_terminal: bool) -> bool {
    match eta {
        EtaMode::Always => true,
        EtaMode::Auto => is_terminal,
        EtaMode::Never => false,
    }
}
