//! What the user sees while it runs: one line on the terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sokudo_model::{Bytes, Event, Nanos, Plan, Schedule, Workload};

use crate::campaign;

/// Lines drawn per second.
const DRAWS_PER_SECOND: u8 = 10;

/// One line with row, speed, share done and time left. Silent when the terminal is
/// none or `quiet` is set.
pub(crate) struct Progress {
    bar: ProgressBar,
    rows: Vec<Row>,
    trials: u32,
    done: Nanos,
    step: Nanos,
    total: Nanos,
    label: String,
    last: (Nanos, Bytes),
}

/// What is shown of a row, and how long one of its trials takes.
struct Row {
    label: String,
    trial: Nanos,
}

impl Progress {
    pub(crate) fn new(plan: &Plan, schedule: &Schedule, quiet: bool) -> Self {
        let rows = plan.stages.iter().flat_map(|stage| {
            let trial = Nanos(campaign::planned_time(stage).0 + schedule.pause.0);
            let label = move |workload| Row {
                label: label(workload),
                trial,
            };
            stage.workloads.iter().map(label)
        });
        let total = campaign::duration(plan, schedule);
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND)
        };
        let bar = ProgressBar::with_draw_target(Some(total.0), target);
        let style = ProgressStyle::with_template("{bar:20} {percent:>3} %  {msg}");
        bar.set_style(
            style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━━╌"),
        );
        Self {
            bar,
            rows: rows.collect(),
            trials: schedule.trials,
            done: Nanos(0),
            step: Nanos(0),
            total,
            label: String::new(),
            last: (Nanos(0), Bytes(0)),
        }
    }

    /// Shows an event.
    pub(crate) fn show(&mut self, event: &Event) {
        match event {
            Event::LayoutProgress { written, total } => {
                self.bar
                    .set_message(format!("writing the test file: {written} of {total}"));
            }
            Event::Pause { remaining } => {
                self.bar
                    .set_message(format!("pause, {:.0} s", remaining.as_secs_f64().ceil()));
            }
            Event::TrialStarted { row, trial } => {
                let (name, step) = self
                    .rows
                    .get(*row)
                    .map_or(("", Nanos(0)), |row| (&row.label, row.trial));
                self.label = format!("{name}  trial {}/{}", trial + 1, self.trials);
                self.step = step;
                self.last = (Nanos(0), Bytes(0));
                self.tell(Nanos(0), None);
            }
            Event::Progress { at, bytes, .. } => {
                let speed = self.speed(*at, *bytes);
                self.last = (*at, *bytes);
                self.tell(*at, speed);
            }
            Event::Snapshot { .. } => {}
            Event::RowEnough { row, left_out } => {
                let trial = self.rows.get(*row).map_or(0, |row| row.trial.0);
                let left_out = trial.saturating_mul(u64::from(*left_out));
                self.total.0 = self.total.0.saturating_sub(left_out);
                self.bar.set_length(self.total.0);
            }
            Event::TrialEnded { .. } => {
                self.done.0 += self.step.0;
                self.tell(Nanos(0), None);
            }
        }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// MB/s since the last event.
    #[expect(clippy::cast_precision_loss, reason = "a speed is a float")]
    fn speed(&self, at: Nanos, bytes: Bytes) -> Option<f64> {
        let (last_at, last_bytes) = self.last;
        let seconds = Nanos(at.0.checked_sub(last_at.0)?).as_secs_f64();
        let moved = bytes.0.checked_sub(last_bytes.0)?;
        (seconds > 0.0 && moved > 0).then(|| moved as f64 / 1e6 / seconds)
    }

    fn tell(&self, into_step: Nanos, speed: Option<f64>) {
        let position = self.done.0 + into_step.0.min(self.step.0);
        self.bar.set_position(position.min(self.total.0));
        let left = Duration::from_nanos(self.total.0.saturating_sub(position)).as_secs();
        let (minutes, seconds) = (left / 60, left % 60);
        let speed = speed.map_or(String::new(), |speed| format!("  {speed:.0} MB/s"));
        self.bar.set_message(format!(
            "{}{speed}  {minutes}:{seconds:02} left",
            self.label
        ));
    }
}

fn label(workload: &Workload) -> String {
    format!("{} {}", workload.name, workload.operations.direction())
}
