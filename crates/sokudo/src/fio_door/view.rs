//! What a user of fio sees while it runs: the lines before, the status line, interim
//! results.

use std::time::Instant;

use sokudo_measure::JobTarget;
use sokudo_model::fio::{EtaMode, FioSession};
use sokudo_model::{Event, Nanos, Plan, Run, Trial, TrialEvidence, narrow};
use sokudo_report::fio::{DiskUse, FioReport, StatusLine, layout_line, start_lines};

use super::print::Printer;
use crate::exit::Exit;
use crate::harmless;
use crate::invocation;
use crate::jobs::FinishedJobs;

/// Where the status line goes, if anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatusTo {
    Nowhere,
    Output,
    /// A terminal on standard error, while standard output is read by a program.
    Error,
}

/// What was counted from the first stage's start to the last one's end.
pub(crate) struct Ending {
    pub(crate) disks: Vec<DiskUse>,
    pub(crate) elapsed: Nanos,
}

/// What is shown of a session.
pub(crate) struct View<'a> {
    plan: &'a Plan,
    session: &'a FioSession,
    places: &'a [JobTarget],
    printer: Printer,
    status: StatusLine,
    /// The first row of the stage that runs.
    first: usize,
    status_to: StatusTo,
    status_shown_at: Option<Instant>,
    /// Characters of the last line, which the next one covers.
    status_width: usize,
    /// Results so far, for interim reports.
    interim: Option<Run>,
    started_at: Instant,
    /// The first thing that could not be written.
    failed: Option<Exit>,
    /// The lines before the jobs have been printed.
    has_begun: bool,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        session: &'a FioSession,
        places: &'a [JobTarget],
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
            places,
            printer,
            status: StatusLine::new(plan, session),
            first: 0,
            status_to,
            status_shown_at: None,
            status_width: 0,
            interim: None,
            started_at: Instant::now(),
            failed: None,
            has_begun: false,
        }
    }

    pub(crate) fn see(&mut self, event: &Event) {
        match event {
            Event::LayoutStarted { target } => self.lays_out(&self.places[*target]),
            Event::LayoutProgress { .. } => {}
            Event::StageStarted { stage, first } => {
                self.first = *first;
                let now = self.elapsed();
                self.status.stage_started(*stage, now);
            }
            Event::StageEnded => self.status.stage_ended(),
            Event::Snapshot { workload, outcome } => self.keep(*workload, outcome),
            event => {
                self.status.observe(event);
                self.show_status();
            }
        }
    }

    /// Files are ready, and the first stage begins.
    pub(crate) fn starts(&mut self, run: &Run) {
        self.begin();
        self.started_at = Instant::now();
        self.interim = Some(run.clone());
    }

    fn lays_out(&mut self, place: &JobTarget) {
        self.begin();
        if !self.printer.is_for_people() {
            return;
        }
        let job = place.jobs.first();
        let job = job.and_then(|name| self.session.jobs.iter().find(|job| job.name == *name));
        if let Some(job) = job {
            let line = layout_line(job, 1, place.bytes);
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
    pub(crate) fn ends(mut self, finished: &FinishedJobs, ending: &Ending) -> Result<(), Exit> {
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
            ..report(&finished.run, self.session, &ending.disks, ending.elapsed)
        };
        self.printer.report(&report)?;
        Printer::logs(&report)
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
    fn show_status(&mut self) {
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
        let line = harmless::line(&self.status.line(self.elapsed()));
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

    /// Keeps what a workload did so far; when the last of its stage has told, all of it
    /// is printed.
    fn keep(&mut self, workload: usize, outcome: &sokudo_model::Outcome) {
        let first = self.first;
        let Some(run) = &mut self.interim else { return };
        if let Some(row) = run.rows.get_mut(first + workload) {
            row.trials = vec![Trial {
                outcome: outcome.clone(),
                evidence: TrialEvidence::default(),
                together: None,
            }];
        }
        if first + workload + 1 == self.stage_end(first) {
            self.print_interim();
        }
    }

    fn print_interim(&mut self) {
        let Some(run) = self.interim.take() else {
            return;
        };
        self.clear_status();
        let elapsed = self.elapsed();
        let report = FioReport {
            remaining: self.status.remaining(elapsed),
            ..report(&run, self.session, &[], elapsed)
        };
        if let Err(error) = self.printer.report(&report) {
            self.failed.get_or_insert(error);
        }
        self.interim = Some(run);
    }

    /// The index after the last workload of the stage that begins at `first`.
    fn stage_end(&self, first: usize) -> usize {
        let mut end = 0;
        for stage in &self.plan.stages {
            end += stage.workloads.len();
            if end > first {
                break;
            }
        }
        end
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
