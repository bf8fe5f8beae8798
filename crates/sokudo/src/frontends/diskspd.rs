//! `sokudo diskspd ARGUMENTS`, and sokudo under the name of diskspd: diskspd's command
//! line in, diskspd's output out.
//!
//! As through fio's door, nothing of the user's is written without consent. diskspd has
//! no words for it, so `--destroy DEVICE`, `--allow_mounted_write=1` and `--overwrite`
//! are taken out of its arguments.

use std::path::PathBuf;

use sokudo_device::System;
use sokudo_engine::Control;
use sokudo_history::keep;
use sokudo_measure::{Follower, JobTarget, Jobs, Prepared};
use sokudo_methods::consent;
use sokudo_methods::jobs::FinishedJobs;
use sokudo_methods::jobs::this_host::ThisHost;
use sokudo_model::CpuUse;
use sokudo_model::{
    Allocation, BlockDevice, Event, Nanos, Row, Run, RunState, Schedule, ScheduleName, Severity,
    Verdict,
};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{command_line, interrupt, output};
use sokudo_tools::diskspd::output::{DiskspdReport, profile_only, text};
use sokudo_tools::diskspd::{self, DiskspdAction, DiskspdPlan};
use sokudo_tools::language::host::Host as _;

/// The owner that files carry which diskspd's lines have made: lines have no names.
const OWNER: &str = "diskspd";

/// Does what diskspd would do with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), Exit> {
    let allowed = ConsentArguments::split(arguments);
    let invocation = diskspd::invocation(&allowed.rest, &ThisHost).map_err(Exit::failed)?;
    match invocation.action {
        DiskspdAction::Help => output::print(&diskspd::help("sokudo diskspd")),
        DiskspdAction::PrintProfile => output::print(&profile_only(&invocation.session)),
        DiskspdAction::Run => {
            let mut planned = invocation.plan(&ThisHost).map_err(Exit::failed)?;
            if planned.wants_random_seed() {
                planned.set_seed(ThisHost.seed());
            }
            planned.session.notes.iter().for_each(exit::note);
            measure(planned, &allowed)
        }
    }
}

fn measure(mut planned: DiskspdPlan, allowed: &ConsentArguments) -> Result<(), Exit> {
    let control = Control::new();
    interrupt::watch(&control)?;
    let targets = job_targets(&planned, allowed);
    let consent = consent::of_jobs::named(&allowed.destroy)?;
    let jobs = Jobs {
        plan: &planned.plan,
        targets: &targets,
        consent: &consent,
        schedule: Schedule {
            name: ScheduleName::Diskspd,
            ..Schedule::in_turn(1, Nanos(0))
        },
        command: command_line::as_given(),
        read_only: false,
        snapshot_every: None,
        left_out: &[],
    };
    consent::ask_at_door(&jobs)?;
    let mut processors = Processors::new(&planned);
    let prepared = jobs.prepare(&control, &mut |_| ())?;
    let finished = prepared.carry_out(None, &control, &mut processors, jobs.conduct())?;
    let finished = FinishedJobs::of(finished)?;
    for (target_state, device) in planned
        .session
        .target_states
        .iter_mut()
        .zip(processors.devices)
    {
        target_state.scheduler = device.as_ref().and_then(|device| device.scheduler.clone());
        target_state.device = device.map(|device| device.name);
    }
    let report = DiskspdReport {
        run: &finished.run,
        session: &planned.session,
        cpu: &processors.of_spans,
        verdicts: &verdicts(&finished.run),
    };
    let kept = keep::keep_at_door(|| finished.run.clone());
    kept.print(true, || output::print(&text(&report)))?;
    finished.end(Exit::Interrupted)
}

/// What the user allows, and the arguments that are diskspd's own.
#[derive(Debug, Default, PartialEq, Eq)]
struct ConsentArguments {
    destroy: Vec<String>,
    occupied: bool,
    overwrite: bool,
    rest: Vec<String>,
}

impl ConsentArguments {
    fn split(arguments: &[String]) -> Self {
        let mut allowed = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--destroy" => allowed.destroy.extend(arguments.next().cloned()),
                "--overwrite" => allowed.overwrite = true,
                "--allow_mounted_write=1" => allowed.occupied = true,
                other => match other.strip_prefix("--destroy=") {
                    Some(device) => allowed.destroy.push(device.to_owned()),
                    None => allowed.rest.push(argument.clone()),
                },
            }
        }
        allowed
    }
}

fn job_targets(planned: &DiskspdPlan, allowed: &ConsentArguments) -> Vec<JobTarget> {
    let targets = planned.targets.iter();
    targets
        .map(|spec| JobTarget {
            path: PathBuf::from(&spec.path),
            kind: spec.kind,
            bytes: spec.bytes,
            written: spec.written,
            needs_data: true,
            overwrite: allowed.overwrite,
            create: spec.create,
            made_below: None,
            allocation: Allocation::Reserve,
            unlink: false,
            pre_read: false,
            invalidate: true,
            allow_occupied: allowed.occupied,
            jobs: vec![OWNER.to_owned()],
        })
        .collect()
}

/// What is thought of the run, a line each: the worst verdict of all threads, then why.
fn verdicts(run: &Run) -> Vec<String> {
    let assessments = || {
        run.rows
            .iter()
            .filter_map(|row: &Row| row.assessment.as_ref())
    };
    let Some(worst) = assessments().map(|assessment| assessment.verdict).max() else {
        return Vec::new();
    };
    let mut lines = vec![worst.name().to_owned()];
    let findings = assessments()
        .filter(|assessment| assessment.verdict == worst || worst == Verdict::Verified)
        .flat_map(|assessment| &assessment.findings)
        .chain(&run.findings)
        .filter(|finding| finding.severity > Severity::Info);
    for finding in findings {
        let line = format!(
            "{}; cause: {}; remedy: {}",
            finding.symptom, finding.cause, finding.remedy
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Watches the processors during each time span, and shows nothing.
struct Processors {
    /// What each place is on.
    devices: Vec<Option<BlockDevice>>,
    /// Per stage: its time span, unless it is a cool-down.
    spans: Vec<Option<usize>>,
    before: Vec<CpuUse>,
    of_spans: Vec<Vec<CpuUse>>,
}

impl Processors {
    fn new(planned: &DiskspdPlan) -> Self {
        let mut first = 0;
        let mut spans = Vec::new();
        for stage in &planned.plan.stages {
            let row = planned.session.rows.get(first);
            let measured = row.filter(|row| !row.cooldown);
            spans.push(measured.and_then(|row| usize::try_from(row.span).ok()));
            first += stage.workloads.len();
        }
        Self {
            devices: Vec::new(),
            spans,
            before: Vec::new(),
            of_spans: vec![Vec::new(); planned.session.profile.spans.len()],
        }
    }
}

impl Follower for Processors {
    fn ready(&mut self, prepared: &Prepared) {
        let targets = prepared.targets();
        self.devices = targets.map(|info| info.devices.first().cloned()).collect();
    }

    fn see(&mut self, event: &Event, state: &RunState) {
        let now = || sokudo_device::processor_times(&System::host());
        match event {
            Event::StageStarted { .. } => self.before = now(),
            Event::StageEnded => {
                let span = self.spans.get(state.stage).copied().flatten();
                if let Some(used) = span.and_then(|span| self.of_spans.get_mut(span)) {
                    *used = sokudo_device::processor_use(&self.before, &now());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consent_is_taken_out_and_the_rest_stays_in_order() {
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let allowed = ConsentArguments::split(&words(
            "-b4K --destroy /dev/sdx -w100 --overwrite --destroy=WD-1 f",
        ));
        assert_eq!(allowed.rest, words("-b4K -w100 f"));
        assert_eq!(allowed.destroy, words("/dev/sdx WD-1"));
        assert!(allowed.overwrite && !allowed.occupied);
    }
}
