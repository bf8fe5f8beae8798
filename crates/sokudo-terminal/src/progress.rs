//! What the user sees while it runs: one line on the terminal, and below it what each row
//! has come to.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sokudo_engine::Control;
use sokudo_measure::{Expectation, Prepared, duration};
use sokudo_model::{Bytes, Event, Nanos, Plan, Row, RunState, Schedule, Workload, narrow};
use sokudo_report::rate;
use sokudo_stats::Summary;
use sokudo_words::{Text, text};
use unicode_width::UnicodeWidthStr;

use crate::event_stream::{EventTeller, is_for_page, probing};
use crate::stuck::stuck;
use crate::{escape, exit, invocation, language};

/// Lines drawn per second.
const DRAWS_PER_SECOND: u8 = 10;

/// From one line to the next where each stays.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// One line with row, speed, share done and time left; below it the median of each row's
/// trials so far. Silent when the terminal is none or `quiet` is set.
pub struct ProgressLine {
    bar: ProgressBar,
    /// Tells it to the page that has started this program.
    telling: Option<EventTeller>,
    /// What a trial of each row is expected to do.
    rows: Vec<Expectation>,
    /// Rows end before that once they are known well enough.
    is_adaptive: bool,
    /// After which the run ends in any case, and since when.
    time_max: Option<Nanos>,
    began: Option<Instant>,
    done: Nanos,
    step: Nanos,
    total: Nanos,
    label: String,
    /// A line for each row of which something is known, each after a line break.
    figures: String,
    /// Every row has a figure.
    is_known: bool,
    last: (Nanos, Bytes),
    /// What the trial in progress is expected to move, where its end is not a time.
    bytes: Option<Bytes>,
    /// How many times as long as expected the trial in progress takes.
    pace: f64,
    /// What has not come back in time, behind a line break.
    stuck: String,
    /// Nobody sees the line, and a note stays where something is stuck.
    notes_stuck: bool,
    /// When the last line was told that stays; `None` where none is.
    last_line: Option<Instant>,
}

/// What a row has come to, once a trial of it has been made.
fn figure(row: &Row) -> Option<String> {
    let trials = row.trials.iter();
    let rates: Vec<f64> = trials
        .filter_map(|trial| trial.outcome.bytes_per_second())
        .collect();
    let median = Summary::of(&rates)?.median;
    Some(format!("{:>9} MB/s  {}", rate(median / 1e6), label(row)))
}

/// Minutes and seconds, from an hour on with hours.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// What is done while nothing is measured; `None` of what is measured.
fn meanwhile(event: &Event) -> Option<Text> {
    Some(match event {
        Event::LayoutProgress { written, total } => {
            text!("writing the test file: {written} of {total}")
        }
        Event::Probing(probe) => probing(*probe),
        Event::Pause { remaining } => {
            text!("pause, {:.0} s", remaining.as_secs_f64().ceil())
        }
        Event::SelfTesting {
            kind,
            drives,
            percent,
        } => {
            let kind = Text::from(kind.name());
            match percent {
                Some(percent) => text!("{kind} self-test of {drives} drives, {percent} %"),
                None => text!("{kind} self-test of {drives} drives"),
            }
        }
        _ => return None,
    })
}

/// A share of a trial below which its pace tells nothing.
const PACE_SHARE_MIN: f64 = 0.02;
/// A pace beyond which there is no telling how long anything takes.
const PACE_MAX: f64 = 1_000.0;

impl ProgressLine {
    /// For targets of these sizes, where they are known.
    pub fn new(
        plan: &Plan,
        schedule: &Schedule,
        sizes: &[Bytes],
        quiet: bool,
        control: &Control,
    ) -> Self {
        let rows = plan.stages.iter().flat_map(|stage| {
            let mut expected = Expectation::of_stage(stage, sizes);
            expected.time.0 = expected.time.0.saturating_add(schedule.pause.0);
            std::iter::repeat_n(expected, stage.workloads.len())
        });
        let at_most = duration(plan, schedule, sizes);
        let unlimited = Schedule {
            time_max: None,
            ..schedule.clone()
        };
        let total = duration(plan, &unlimited, sizes);
        Self {
            bar: bar(at_most.0, quiet),
            telling: EventTeller::begin(at_most, control),
            rows: rows.collect(),
            is_adaptive: schedule.enough.is_some(),
            time_max: schedule.time_max.map(|max| max.max(at_most)),
            began: None,
            done: Nanos(0),
            step: Nanos(0),
            total,
            label: String::new(),
            figures: String::new(),
            is_known: false,
            last: (Nanos(0), Bytes(0)),
            bytes: None,
            pace: 1.0,
            stuck: String::new(),
            notes_stuck: !quiet && !invocation::is_error_terminal() && !is_for_page(),
            last_line: None,
        }
    }

    /// Where errors are not written to a terminal but somebody may watch all the same, as under a
    /// launcher that passes them on: a line that stays, now and then.
    pub fn tell_in_lines(&mut self, quiet: bool) {
        let is_reported = quiet || self.telling.is_some() || invocation::is_error_terminal();
        self.last_line = (!is_reported).then(Instant::now);
    }

    /// What is measured has been made ready.
    pub fn prepared(&mut self, prepared: &Prepared) {
        if let Some(telling) = &mut self.telling {
            telling.prepared(prepared);
        }
    }

    pub fn show(&mut self, event: &Event, state: &RunState) {
        self.draw(event, state);
        self.tell_line();
        let all = self.all();
        if let Some(telling) = &mut self.telling {
            let (position, total) = (self.bar.position(), all.0.max(1));
            let left = left(position, all, self.pace);
            telling.show(event, state, share(position, total), left);
        }
    }

    fn tell_line(&mut self) {
        let is_due = |last: Instant| last.elapsed() >= LINE_EVERY;
        if !self.last_line.is_some_and(is_due) {
            return;
        }
        self.last_line = Some(Instant::now());
        let share = share(self.bar.position(), self.all().0.max(1));
        let message = self.bar.message();
        let line = message.lines().next().unwrap_or_default();
        exit::fault(format!("{:.0} %  {line}", share * 100.0));
    }

    fn draw(&mut self, event: &Event, state: &RunState) {
        if let Some(text) = meanwhile(event) {
            return self.say(&text);
        }
        match event {
            Event::RoundAwaited {
                remaining,
                round,
                rounds,
                elapsed,
            } => {
                self.done = *elapsed;
                let left = Nanos(self.total.0.saturating_sub(elapsed.0));
                let [next, left] = [*remaining, left].map(|time| clock(time.into()));
                self.bar.set_position(elapsed.0.min(self.total.0));
                self.say(&text!(
                    "idle: round {round} of {rounds} in {next}, {left} left; Ctrl-C stops and keeps what was measured"
                ));
            }
            Event::StageStarted { .. } | Event::TrialStarted { .. } => self.start(state),
            // The first workload of a stage stands for the others.
            Event::Progress {
                workload: 0,
                at,
                bytes,
                ..
            } => {
                let speed = self.speed(*at, *bytes);
                self.last = (*at, *bytes);
                let into_step = self.time_into_step(*at, *bytes);
                self.tell(into_step, speed);
            }
            Event::RowTimed {
                row,
                trial,
                all_before,
                all,
            } => {
                if let Some(row) = self.rows.get_mut(*row) {
                    row.time = *trial;
                }
                self.expect(*all_before, *all);
            }
            Event::RowEnough { row, left_out } => {
                let trial = self.rows.get(*row).map_or(0, |row| row.time.0);
                let left_out = trial.saturating_mul(u64::from(*left_out));
                self.expect(Nanos(left_out), Nanos(0));
            }
            Event::TrialCounted { .. } => self.show_rows(&state.run.rows),
            Event::Stuck { .. } => self.show_stuck(state),
            Event::TrialEnded { .. } | Event::StageEnded => {
                self.done.0 += self.step.0;
                self.tell(Nanos(0), None);
            }
            _ => {}
        }
    }

    /// A part of all takes another time than was expected.
    fn expect(&mut self, before: Nanos, now: Nanos) {
        let others = self.total.0.saturating_sub(before.0);
        self.total.0 = others.saturating_add(now.0);
    }

    fn start(&mut self, state: &RunState) {
        let row = state.run.rows.get(state.first);
        let Some((row, expected)) = row.zip(self.rows.get(state.first)) else {
            return;
        };
        self.began.get_or_insert_with(Instant::now);
        self.is_known = state.trial > 0;
        let up_to = if self.is_adaptive { "≤ " } else { "" };
        let trials = state.run.schedule.trials_of(&row.workload);
        let trial = text!("trial {}/{up_to}{trials}", state.trial + 1);
        self.label = format!("{}  {}", label(row), trial.in_language(language::current()));
        self.step = expected.time;
        self.bytes = expected.moved;
        self.pace = 1.0;
        self.last = (Nanos(0), Bytes(0));
        self.tell(Nanos(0), None);
    }

    /// Shows what each row has come to with one more trial.
    fn show_rows(&mut self, rows: &[Row]) {
        let figures: Vec<String> = rows.iter().filter_map(figure).collect();
        let left_out = figures.len().saturating_sub(figures_at_most());
        let figures = figures[left_out..].iter();
        self.figures = figures.map(|figure| format!("\n{figure}")).collect();
        self.tell(Nanos(0), None);
    }

    /// From now on the line says what is stuck, or nothing of it any more.
    fn show_stuck(&mut self, state: &RunState) {
        let text = stuck(&state.stuck);
        if let Some(text) = text
            .as_ref()
            .filter(|_| self.notes_stuck && self.stuck.is_empty())
        {
            exit::note(text);
        }
        let line = text.map(|text| format!("\n{}", text.in_language(language::current())));
        self.stuck = line.unwrap_or_default();
    }

    /// Does something that writes to the terminal, with the line out of its way.
    pub fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// How far the trial in progress is, in expected time.
    #[expect(clippy::cast_possible_truncation, reason = "a bar is no more precise")]
    fn time_into_step(&mut self, at: Nanos, bytes: Bytes) -> Nanos {
        let Some(all) = self.bytes.filter(|all| all.0 > 0) else {
            return at;
        };
        let share = (bytes.0 as f64 / all.0 as f64).min(1.0);
        let expected = share * self.step.0 as f64;
        if share >= PACE_SHARE_MIN && expected > 0.0 {
            self.pace = at.0 as f64 / expected;
        }
        Nanos(expected as u64)
    }

    /// MB/s since the last event.
    fn speed(&self, at: Nanos, bytes: Bytes) -> Option<f64> {
        let (last_at, last_bytes) = self.last;
        let seconds = Nanos(at.0.checked_sub(last_at.0)?).as_secs_f64();
        let moved = bytes.0.checked_sub(last_bytes.0)?;
        (seconds > 0.0 && moved > 0).then(|| moved as f64 / 1e6 / seconds)
    }

    fn tell(&self, into_step: Nanos, speed: Option<f64>) {
        let position = self.done.0 + into_step.0.min(self.step.0);
        self.bar.set_position(position.min(self.total.0));
        let all = self.all();
        self.bar.set_length(all.0);
        let left = clock(left(position, all, self.pace));
        let left = text!("{left} left").in_language(language::current());
        let columns = invocation::error_terminal().map(|(width, _)| usize::from(width.0));
        let fits = |it: &String| columns.is_none_or(|to| fits(to, &[&self.label, it, &left]));
        let speed = speed.map(|speed| format!("  {speed:.0} MB/s"));
        let speed = speed.filter(fits).unwrap_or_default();
        let hint = match self.is_known {
            true => text!("Ctrl-C ends it now and keeps these").in_language(language::current()),
            false => String::new(),
        };
        let Self {
            label,
            stuck,
            figures,
            ..
        } = self;
        self.set(&format!("{label}{speed}  {left}{stuck}{figures}"), &hint);
    }

    /// Shows lines and a last one, with the cursor before its end. At the end a terminal would echo
    /// "^C" in the line below, and the first line would stay when the others are taken away.
    fn set(&self, lines: &str, last: &str) {
        let columns = invocation::error_terminal().map_or(0, |(width, _)| usize::from(width.0));
        let room = columns.saturating_sub(last.width());
        let message = format!("{lines}\n{last}{:room$}\u{1b}[3D", "");
        self.bar.set_message(message);
    }

    /// All that is expected, of which no more is left than of the time after which the run ends.
    fn all(&self) -> Nanos {
        let passed = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        let left_at_most = |max: Nanos| Duration::from(max).saturating_sub(passed);
        let at_most = self.time_max.map(left_at_most).map_or(self.total, |left| {
            Nanos(self.done.0.saturating_add(narrow(left.as_nanos())))
        });
        self.total.min(at_most)
    }

    /// Shows a text of our own in the current language.
    fn say(&self, text: &Text) {
        let text = text.in_language(language::current());
        let Self { stuck, figures, .. } = self;
        self.set(&format!("{text}{stuck}{figures}"), "");
    }
}

/// Takes the line away.
impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How long it still takes from a position on, at a pace.
fn left(position: u64, total: Nanos, pace: f64) -> Duration {
    let left = Duration::from_nanos(total.0.saturating_sub(position));
    left.mul_f64(pace.clamp(0.0, PACE_MAX))
}

/// Whether words stand in a line of so many columns behind the bar, with two blanks among them.
fn fits(columns: usize, words: &[&str]) -> bool {
    const COLUMNS_BEFORE: usize = 18;
    let width: usize = words.iter().map(|word| word.width()).sum();
    COLUMNS_BEFORE + width + 2 <= columns
}

fn share(position: u64, total: u64) -> f64 {
    (position as f64 / total as f64).min(1.0)
}

/// How many rows fit below the line: a terminal does not take back what has left it.
fn figures_at_most() -> usize {
    // The line itself may need two, one says how to end, and the cursor's is left free.
    const LINES_USED: u16 = 4;
    invocation::error_terminal().map_or(0, |(_, height)| height.0.saturating_sub(LINES_USED).into())
}

/// The line itself, which is full at `length`. Silent when the terminal is none or
/// `quiet` is set.
pub fn bar(length: u64, quiet: bool) -> ProgressBar {
    let target = if quiet || !invocation::is_error_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND)
    };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style = ProgressStyle::with_template("{bar:10} {percent:>3} %  {msg}");
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━━╌"),
    );
    bar
}

fn label(row: &Row) -> String {
    let Workload {
        name, operations, ..
    } = &row.workload;
    let direction = language::current().word(operations.direction());
    format!("{} {direction}", escape::line(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_line_of_a_quick_look_fits_eighty_columns() {
        let words = [
            "buffered (hdparm -t) read  trial 12/12",
            "  1234 MB/s",
            "0:04 left",
        ];
        assert!(fits(80, &words));
        assert!(!fits(77, &words));
    }
}
