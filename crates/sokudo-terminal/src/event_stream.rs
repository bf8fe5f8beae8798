//! What happens in a run, told as JSON lines to the page that has started it, or where somebody
//! has asked for them with `--events`: the same as the progress line shows, and what every trial
//! has come to, judged.
//!
//! The page is told on the standard output, where the result would be printed otherwise. Nothing is
//! told while no I/O may be disturbed: at most four times a second, from the thread that only waits.

mod planned;
mod stream;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sokudo_analysis::{Code, judge};
use sokudo_device::DriveMonitor;
use sokudo_engine::Control;
use sokudo_measure::Prepared;
use sokudo_model::{
    Bytes, Doing, Event, Moved, Nanos, Operation, Outcome, Phase, Plan, Probe, Run, RunState,
    Schedule, Trial,
};
use sokudo_page::{RunEvent, RunPhase, SampleUnit, StuckRequest};
use sokudo_report::{CheckDocument, ComparisonDocument, LiveRun, RunDocument};
use sokudo_words::Text;

use crate::arguments::printing::Rendering;
use crate::exit::Exit;
use crate::stuck::stuck;
use crate::{invocation, language, remedies};

use planned::planned;
pub use planned::{Estimate, carried_out};
pub use stream::{is_printed, open};

/// Set by the page: `events` for all that happens, `plan` for what would be done, and no more.
pub const VARIABLE: &str = "SOKUDO_TELL";

/// Between two words on how far it is.
const EVERY: Duration = Duration::from_millis(250);

/// Between two looks at latencies and places: their histograms and lists are copied for it.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Between two words on what is stuck, and how much of it is listed.
const STUCK_EVERY: Duration = Duration::from_secs(1);
const STUCK_MAX: usize = 8;

/// An interval that is shorter than this, as the last of a trial may be, has no rate of its own.
const RATE_SECONDS_MIN: f64 = 0.05;

/// Buckets of latency: four to each doubling from here on.
const LATENCY_NS_MIN: f64 = 100.0;
const LATENCY_BUCKETS: u8 = 128;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Plan,
    Events,
}

/// What the program that has started this one wants to be told, or whoever has typed the command.
pub fn wanted() -> Option<Wanted> {
    wanted_by_page().or_else(|| stream::is_open().then_some(Wanted::Events))
}

/// Whether the page has started this program.
pub fn is_for_page() -> bool {
    wanted_by_page().is_some()
}

fn wanted_by_page() -> Option<Wanted> {
    match invocation::variable_os(VARIABLE)?.to_str()? {
        "plan" => Some(Wanted::Plan),
        "events" => Some(Wanted::Events),
        _ => None,
    }
}

/// Whether what is told takes the place of a result that would be printed here.
pub fn replaces_result(rendering: &Rendering) -> bool {
    wanted_by_page().is_some() || is_printed() && rendering.output().is_none()
}

/// From now on no measurement tells what happens in it.
pub fn leave_to_another() {
    let here = invocation::current();
    here.is_left_to_another.store(true, Ordering::Relaxed);
}

/// What is wanted to be told of one measurement by itself.
fn wanted_of_one() -> Option<Wanted> {
    let here = invocation::current();
    wanted().filter(|_| !here.is_left_to_another.load(Ordering::Relaxed))
}

/// Whether only the plan is wanted, which has been told by then.
pub fn is_plan() -> bool {
    wanted_of_one() == Some(Wanted::Plan)
}

/// Tells what will be done, where somebody wants to know.
pub fn announce(plan: &Plan, schedule: &Schedule, estimate: &Estimate) {
    if wanted_of_one().is_some() {
        tell(&planned(plan, schedule, estimate));
    }
}

/// Tells a run while it is measured.
#[derive(Default)]
pub struct EventTeller {
    control: Control,
    /// What is seen beside the run.
    drive_monitor: Option<DriveMonitor>,
    /// When the temperature was taken that was told last.
    heat_at: Option<Nanos>,
    /// The target is known.
    is_prepared: bool,
    /// Measured time of the trials before.
    before: Nanos,
    moved_before: Bytes,
    in_trial: InTrial,
    /// A share of the expected time, and how much is left of it.
    done: f64,
    left: Duration,
    reported_at: Option<Instant>,
    looked_at: Option<Instant>,
    /// When it was told last what is stuck.
    stuck_at: Option<Instant>,
}

/// What has been told of the trial in progress.
#[derive(Default)]
struct InTrial {
    phase: Phase,
    at: Nanos,
    bytes: Bytes,
    ios: u64,
    /// What had been moved when it was told last.
    reported: (Nanos, Bytes, u64),
    latencies: Vec<u64>,
    /// The last place: which, and where it begins.
    last_sample: Option<(usize, Bytes)>,
    /// First byte and length of each.
    defects: Vec<(u64, u64)>,
}

impl EventTeller {
    /// Where somebody has asked for it.
    pub fn begin(time: Nanos, control: &Control) -> Option<Self> {
        wanted_of_one()?;
        Some(Self {
            control: control.clone(),
            left: Duration::from(time),
            ..Self::default()
        })
    }

    /// The target has been made ready.
    pub fn prepared(&mut self, prepared: &Prepared) {
        self.is_prepared = true;
        self.drive_monitor = prepared.drive_monitor();
    }

    /// Tells what happened; the progress line knows how much of the time is done, and how much is
    /// left.
    pub fn show(&mut self, event: &Event, state: &RunState, done: f64, left: Duration) {
        self.tell_heat();
        match event {
            Event::LayoutProgress { written, total } if self.is_due() => tell(&RunEvent::Layout {
                written: written.0,
                total: total.0,
            }),
            Event::Pause { remaining } | Event::RoundAwaited { remaining, .. } if self.is_due() => {
                tell(&RunEvent::Waiting {
                    seconds: remaining.as_secs_f64(),
                });
            }
            Event::SelfTesting {
                kind,
                drives,
                percent,
            } if self.is_due() => tell(&RunEvent::SelfTest {
                kind: kind.name().to_owned(),
                drives: *drives,
                percent: *percent,
            }),
            Event::SelfTestEnded(test) => tell(&RunEvent::SelfTestEnded {
                test: serde_json::to_value(test).unwrap_or_default(),
            }),
            Event::Probing(probe) => tell(&RunEvent::Checking {
                text: probing(*probe).in_language(language::current()),
            }),
            Event::Stuck { .. } => self.report_stuck(state),
            Event::RowNamed { row, name } => tell(&RunEvent::RowNamed {
                row: *row,
                name: name.clone(),
            }),
            Event::StageStarted { .. } | Event::TrialStarted { .. } => self.start(state),
            // The first workload of a stage stands for the others.
            Event::Progress { workload: 0, .. } => self.progress(state, done, left),
            Event::Snapshot {
                workload: 0,
                outcome,
            } => self.look(state, outcome),
            Event::TrialCounted { row, trial, .. } => self.count(*row, trial, state),
            _ => {}
        }
    }

    /// What is stuck, once a second at most, and that nothing is any more.
    fn report_stuck(&mut self, state: &RunState) {
        let is_early = self.stuck_at.is_some_and(|at| at.elapsed() < STUCK_EVERY);
        if is_early && !state.stuck.is_empty() {
            return;
        }
        self.stuck_at = Some(Instant::now());
        let is_at_byte = |it: Operation| it != Operation::Flush && !it.is_on_files();
        let ios = state.stuck.iter().take(STUCK_MAX);
        let ios = ios.map(|(row, io)| StuckRequest {
            row: *row,
            operation: io.operation.name().to_owned(),
            offset: is_at_byte(io.operation).then_some(io.offset.0),
            length: io.length.0,
            seconds: io.age.as_secs_f64(),
        });
        let text = stuck(&state.stuck).map(|text| text.in_language(language::current()));
        tell(&RunEvent::Stuck {
            ios: ios.collect(),
            count: state.stuck.len(),
            text: text.unwrap_or_default(),
        });
    }

    fn start(&mut self, state: &RunState) {
        self.end_trial();
        self.in_trial = InTrial::default();
        // A look at the trial before is none at this one.
        self.looked_at = Some(Instant::now());
        tell(&RunEvent::Trial {
            row: state.first,
            trial: state.trial,
        });
    }

    fn progress(&mut self, state: &RunState, done: f64, left: Duration) {
        let Doing {
            at, moved, phase, ..
        } = state.doing(state.first);
        let Moved { bytes, ios } = moved;
        if bytes < self.in_trial.bytes {
            // The measured part begins behind a ramp, and is counted anew.
            self.in_trial.reported = (at, bytes, ios);
            self.moved_before.0 += self.in_trial.bytes.0;
        }
        if at < self.in_trial.at {
            self.before.0 += self.in_trial.at.0;
        }
        (self.in_trial.at, self.in_trial.bytes, self.in_trial.ios) = (at, bytes, ios);
        (self.done, self.left) = (done, left);
        self.in_trial.phase = phase;
        if self.is_due() {
            let is_measured = matches!(phase, Phase::Ramp | Phase::Running | Phase::Verifying);
            self.tell_rate(state.first, is_measured);
            let is_time = self.looked_at.is_none_or(|at| at.elapsed() >= LOOK_EVERY);
            if is_time {
                self.looked_at = Some(Instant::now());
                self.control.ask_for_snapshot();
            }
        }
    }

    /// How far it is, and how fast it has been since that was told last; while a trial finishes it
    /// only waits, and the rate of its last part is told when the trial is known.
    fn tell_rate(&mut self, row: usize, is_measured: bool) {
        let InTrial { at, bytes, ios, .. } = self.in_trial;
        let (reported_at, reported_bytes, reported_ios) = self.in_trial.reported;
        let seconds = Nanos(at.0.saturating_sub(reported_at.0)).as_secs_f64();
        let rate = |now: u64, then: u64| {
            let moved = now.checked_sub(then).filter(|moved| *moved > 0)?;
            // What completes at once at the end of an interval is the rate of no short one.
            let is_long = reported_at == Nanos(0) || seconds >= RATE_SECONDS_MIN;
            (is_measured && is_long && seconds > 0.0).then(|| moved as f64 / seconds)
        };
        tell(&RunEvent::Progress {
            row,
            at: self.at(),
            mb_per_second: rate(bytes.0, reported_bytes.0).map(|rate| rate / 1e6),
            iops: rate(ios, reported_ios),
            phase: reported_phase(self.in_trial.phase),
            done: self.done,
            seconds_left: self.left.as_secs_f64(),
            moved_bytes: self.moved_before.0 + bytes.0,
        });
        if is_measured {
            self.in_trial.reported = (at, bytes, ios);
        }
    }

    /// Seconds of measured time since the run began.
    fn at(&self) -> f64 {
        Nanos(self.before.0 + self.in_trial.at.0).as_secs_f64()
    }

    fn look(&mut self, state: &RunState, outcome: &Outcome) {
        self.report_samples(state, outcome);
        self.tell_latencies(state.first, outcome);
    }

    /// Latencies since the last look.
    fn tell_latencies(&mut self, row: usize, outcome: &Outcome) {
        let tallies = outcome.operations.iter();
        let tallies = tallies.filter(|tally| tally.operation != Operation::Flush);
        let buckets = tallies.flat_map(|tally| tally.latency.buckets());
        let now = latency_counts(buckets.map(|bucket| (bucket.low, bucket.count)));
        let before = std::mem::replace(&mut self.in_trial.latencies, now.clone());
        let counts: Vec<(u8, u64)> = (0..LATENCY_BUCKETS)
            .zip(&now)
            .map(|(bucket, count)| {
                let before = before.get(usize::from(bucket)).copied().unwrap_or(0);
                (bucket, count.saturating_sub(before))
            })
            .filter(|(_, count)| *count > 0)
            .collect();
        if !counts.is_empty() {
            tell(&RunEvent::Latency {
                row,
                at: self.at(),
                counts,
            });
        }
    }

    /// Places of a survey that have come since the last look; all of them anew where the list is
    /// another one.
    fn report_samples(&mut self, state: &RunState, outcome: &Outcome) {
        let InTrial { last_sample, .. } = &self.in_trial;
        let goes_on = last_sample.is_some_and(|(index, offset)| {
            let sample = outcome.samples.get(index);
            sample.is_some_and(|sample| sample.offset == offset)
        });
        let known = self.in_trial.defects.as_slice();
        let (from, known) = match last_sample {
            Some((last, _)) if goes_on => (last + 1, known),
            _ => (0, &[][..]),
        };
        let defects = outcome.defects.iter();
        let defects = defects.map(|it| (it.offset.0, it.length.0));
        let events = samples_events(
            state.first,
            state.trial,
            from == 0,
            behind(&outcome.samples, from)
                .map(|it| [it.offset.0, it.bytes.0, it.elapsed.0, it.ios]),
            defects.clone().filter(|defect| !known.contains(defect)),
        );
        events.iter().for_each(tell);
        self.in_trial.defects = defects.collect();
        let last = outcome.samples.len().checked_sub(1);
        self.in_trial.last_sample = last.map(|last| (last, outcome.samples[last].offset));
    }

    /// The rate of what has not been told of the trial, by the figures that its result is of.
    /// Of several processes they are those of all, and what is told is this one's.
    fn tell_rest(&mut self, row: usize, trial: &Trial) {
        let outcome = &trial.outcome;
        if self.in_trial.phase == Phase::Ramp {
            self.in_trial.reported = Default::default();
        }
        self.in_trial.phase = Phase::Ended;
        if trial.together.is_none() {
            self.in_trial.at = outcome.elapsed;
            (self.in_trial.bytes, self.in_trial.ios) = (outcome.bytes_moved(), outcome.ios());
        }
        self.tell_rate(row, true);
        self.end_trial();
    }

    fn end_trial(&mut self) {
        self.before.0 += self.in_trial.at.0;
        self.moved_before.0 += self.in_trial.bytes.0;
        self.in_trial = InTrial {
            latencies: std::mem::take(&mut self.in_trial.latencies),
            ..InTrial::default()
        };
    }

    fn tell_heat(&mut self) {
        let reading = self.drive_monitor.as_ref().and_then(DriveMonitor::reading);
        let Some((at, reading)) = reading.filter(|(at, _)| self.heat_at != Some(*at)) else {
            return;
        };
        self.heat_at = Some(at);
        tell(&RunEvent::Temperature {
            at: self.at(),
            celsius: reading.celsius.into(),
            warning: reading.warning.map(f64::from),
        });
    }

    /// What the run has come to with one more trial, in the words of its result.
    fn count(&mut self, row: usize, trial: &Trial, state: &RunState) {
        if row == state.first {
            self.tell_rest(row, trial);
            self.look(state, &trial.outcome);
        }
        if self.is_prepared {
            tell(&so_far(&state.run));
        }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.reported_at.is_none_or(|at| at.elapsed() >= EVERY);
        if is_due {
            self.reported_at = Some(Instant::now());
        }
        is_due
    }
}

/// Tells a run that has been finished, and kept under this number.
pub fn done(document: &RunDocument, kept: Option<u64>) {
    tell_done(kept, &live(document.clone()).with_pictures(document));
}

/// Tells what has become of a baseline, and the run that was made for it.
pub fn checked(check: &CheckDocument, run: &RunDocument) -> Result<(), Exit> {
    let live = LiveRun::of_check(check, run, language::current());
    tell_done(check.run, &live);
    Ok(())
}

/// Tells what a comparison came to.
pub fn compared(comparison: &ComparisonDocument) -> Result<(), Exit> {
    tell_done(
        None,
        &LiveRun::of_comparison(comparison, language::current()),
    );
    Ok(())
}

fn tell_done(kept: Option<u64>, live: &LiveRun) {
    let live = value(live);
    tell(&RunEvent::Done { kept, live });
}

/// What a run has come to that is not over.
fn so_far(run: &Run) -> RunEvent {
    let mut judged = run.clone();
    judge(&mut judged);
    // Of a row that is still to come there is nothing to say.
    let to_come = judged.rows.iter_mut().filter(|row| row.trials.is_empty());
    to_come.for_each(|row| row.assessment = None);
    // More trials may come, so none are too few yet.
    let assessments = judged
        .rows
        .iter_mut()
        .filter_map(|row| row.assessment.as_mut());
    assessments.for_each(|it| it.findings.retain(|it| it.code != Code::FewTrials.name()));
    let document = RunDocument::from_run(&remedies::worded(judged));
    RunEvent::Table {
        live: value(&live(document)),
    }
}

/// In the words of whoever reads it.
fn live(document: RunDocument) -> LiveRun {
    let document = match is_for_page() {
        true => remedies::on_page(document),
        false => document,
    };
    LiveRun::of(&document, language::current())
}

pub fn value(live: &LiveRun) -> serde_json::Value {
    serde_json::to_value(live).expect("it has string keys and finite numbers")
}

/// Those behind so many that have been told.
fn behind<T>(all: &[T], reported_count: usize) -> impl Iterator<Item = &T> + Clone {
    all.iter().skip(reported_count)
}

/// Places, each its first byte, bytes, nanoseconds and I/Os, and defects, each its first byte and
/// length, as events none of which is too long for a line.
pub fn samples_events(
    row: usize,
    trial: u32,
    anew: bool,
    samples: impl Iterator<Item = [u64; 4]> + Clone,
    defects: impl Iterator<Item = (u64, u64)>,
) -> Vec<RunEvent> {
    const POINTS_MAX: usize = 10_000;
    const ACCESS_BYTES_MAX: u64 = 64 << 10;
    // Many bytes at a place are a rate, one small I/O is an access.
    let is_access = samples
        .clone()
        .all(|[_, bytes, _, ios]| ios <= 1 && bytes <= ACCESS_BYTES_MAX);
    let point = |[offset, bytes, nanos, _]: [u64; 4]| match is_access {
        true => Some((offset, nanos as f64 / 1e6)),
        false => (nanos > 0).then(|| (offset, bytes as f64 * 1e3 / nanos as f64)),
    };
    let mut bytes: u64 = samples.clone().map(|[_, bytes, ..]| bytes).sum();
    let points: Vec<(u64, f64)> = samples.filter_map(point).collect();
    let mut defects: Vec<(u64, u64)> = defects.collect();
    if points.is_empty() && defects.is_empty() {
        return Vec::new();
    }
    let mut parts: Vec<&[(u64, f64)]> = points.chunks(POINTS_MAX).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let of_part = |(number, points): (usize, &[(u64, f64)])| RunEvent::Samples {
        row,
        trial,
        anew: anew && number == 0,
        unit: match is_access {
            true => SampleUnit::Milliseconds,
            false => SampleUnit::MbPerSecond,
        },
        points: points.to_vec(),
        bytes: std::mem::take(&mut bytes),
        defects: std::mem::take(&mut defects),
    };
    parts.into_iter().enumerate().map(of_part).collect()
}

/// Latencies and how many there were of each, by the buckets that are told.
pub fn latency_counts(latencies: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut counts = vec![0; LATENCY_BUCKETS.into()];
    for (nanos, count) in latencies {
        counts[latency_bucket(nanos)] += count;
    }
    counts
}

/// The bucket that a latency is told in.
#[expect(clippy::cast_possible_truncation, reason = "a bucket, and clamped")]
fn latency_bucket(nanos: u64) -> usize {
    let doublings = (nanos.max(1) as f64 / LATENCY_NS_MIN).log2();
    (doublings * 4.0).clamp(0.0, f64::from(LATENCY_BUCKETS - 1)) as usize
}

const fn reported_phase(phase: Phase) -> RunPhase {
    match phase {
        Phase::Waiting => RunPhase::Waiting,
        Phase::Ramp => RunPhase::Ramp,
        Phase::Running => RunPhase::Running,
        Phase::Verifying => RunPhase::Verifying,
        Phase::Flushing => RunPhase::Flushing,
        Phase::Finishing | Phase::Ended => RunPhase::Finishing,
    }
}

/// What is tried beside the rows.
pub(crate) fn probing(probe: Probe) -> Text {
    match probe {
        Probe::Backends => "trying which backend is faster",
        Probe::HugePages => "checking what huge pages would change",
        Probe::SlowSpots => "reading the slow places again",
    }
    .into()
}

/// A line. Who does not listen any more is no reason to stop: the run is kept.
pub fn tell(event: &RunEvent) {
    stream::tell(event);
    if wanted_by_page().is_none() {
        return;
    }
    let line = serde_json::to_string(event).expect("it has string keys and finite numbers");
    let _ = invocation::write_output(format!("{line}\n").as_bytes());
}
