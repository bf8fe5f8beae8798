//! What the user sees while phases run: one line on the terminal. How long a phase takes
//! is not known, but how much of it is done is.

use indicatif::ProgressBar;
use sokudo_model::{Bytes, Event, Nanos, Plan, Workload};

use crate::progress::bar;

/// The line shows percent.
const PERCENT_MAX: u64 = 100;

/// One line with the phase, how much of it is done, and its speed. Silent when the
/// terminal is none or `quiet` is set.
pub(super) struct Watching {
    bar: ProgressBar,
    phases: Vec<Workload>,
    label: String,
    /// I/Os or bytes that the phase does.
    of: PhaseWork,
}

/// What a phase is to do.
#[derive(Clone, Copy)]
enum PhaseWork {
    Ios(u64),
    Bytes(u64),
}

impl Watching {
    pub(super) fn new(plan: &Plan, quiet: bool) -> Self {
        let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
        Self {
            bar: bar(PERCENT_MAX, quiet),
            phases: workloads.cloned().collect(),
            label: String::new(),
            of: PhaseWork::Ios(0),
        }
    }

    pub(super) fn show(&mut self, event: &Event) {
        match event {
            Event::TrialStarted { row, .. } => self.begin(*row),
            Event::Progress { at, bytes, ios, .. } => self.tell(*at, *bytes, *ios),
            _ => {}
        }
    }

    fn begin(&mut self, phase: usize) {
        let workload = &self.phases[phase];
        let limits = workload.limits;
        self.of = match (workload.tree, limits.ios, limits.bytes) {
            (Some(tree), ..) => PhaseWork::Ios(tree.files),
            (_, Some(ios), _) => PhaseWork::Ios(ios * u64::from(workload.clones)),
            (_, _, Some(bytes)) if workload.rewritten_percent > 0 => PhaseWork::Bytes(bytes.0 * 2),
            (_, _, bytes) => PhaseWork::Bytes(bytes.unwrap_or_default().0),
        };
        self.label = format!("{} ({}/{})", workload.name, phase + 1, self.phases.len());
        self.bar.set_position(0);
        self.bar.set_message(self.label.clone());
    }

    /// Shows how far it is.
    #[expect(clippy::cast_precision_loss, reason = "a speed is a float")]
    fn tell(&self, at: Nanos, bytes: Bytes, ios: u64) {
        let seconds = at.as_secs_f64().max(1e-3);
        let (done, all, speed) = match self.of {
            PhaseWork::Ios(all) => (ios, all, format!("{:.0}/s", ios as f64 / seconds)),
            PhaseWork::Bytes(all) => {
                let speed = format!("{:.0} MB/s", bytes.0 as f64 / 1e6 / seconds);
                (bytes.0, all, speed)
            }
        };
        let percent = u128::from(done) * u128::from(PERCENT_MAX) / u128::from(all.max(1));
        let percent = u64::try_from(percent).unwrap_or(PERCENT_MAX);
        self.bar.set_position(percent.min(PERCENT_MAX));
        self.bar.set_message(format!("{}  {speed}", self.label));
    }

    /// Takes the line away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
