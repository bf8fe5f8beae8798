//! Self-tests of several drives, from their beginning to their end: all at once, each looked at
//! every few seconds. None is waited for without a bound, and what becomes of one is a result,
//! never an error of them all.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use sokudo_model::{Nanos, SelfTest, SelfTestKind, SelfTestResult};
use sokudo_sys::AskError;
use sokudo_words::{Text, text};

use super::drive::{SelfTestEntry, SelfTestError, SelfTestProgress, SelfTestState};
use super::tester::{ANSWER_TIME_MAX, SelfTestTarget, SelfTester, unanswered};
use crate::in_time;

/// Short tests of flash are over within seconds; after that there is no haste.
const HASTE: Duration = Duration::from_secs(30);
const INTERVAL_AT_FIRST: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_secs(10);

/// As soon as this who wants to stop is heard.
const SLICE: Duration = Duration::from_millis(100);

/// A drive that is busy with its test may leave a question unanswered; not three in turn.
const SILENCES_MAX: u32 = 3;

/// So long a drive may take to show a test that it has begun, or to record one that is over.
const RECORDING_TIME_MAX: Duration = Duration::from_secs(60);

/// Who watches drives test themselves.
pub trait SelfTestWatch {
    /// How far the test of a target (its index among those given) is; `None` where the drive does
    /// not say.
    fn progress(&mut self, index: usize, percent: Option<u8>);
    /// Whether the tests are to be stopped.
    fn is_stopped(&mut self) -> bool;
}

/// Has drives test themselves, all at once, and waits for the end: one result per target, in
/// their order. Two targets on one drive share its test.
pub fn self_tests(
    targets: &[SelfTestTarget],
    kind: SelfTestKind,
    watch: &mut dyn SelfTestWatch,
) -> Vec<SelfTest> {
    carry_out(targets, kind, watch, &SystemClock(Instant::now()))
}

/// Time as it passes between looks.
trait Clock {
    /// Time since an instant that stays the same; it never goes back.
    fn now(&self) -> Duration;
    fn since_1970(&self) -> Nanos;
    fn wait(&self, time: Duration);
}

struct SystemClock(Instant);

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn since_1970(&self) -> Nanos {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        since.unwrap_or_default().into()
    }

    fn wait(&self, time: Duration) {
        thread::sleep(time);
    }
}

fn carry_out(
    targets: &[SelfTestTarget],
    kind: SelfTestKind,
    watch: &mut dyn SelfTestWatch,
    clock: &dyn Clock,
) -> Vec<SelfTest> {
    let mut tests = Tests::begin(targets, kind, clock);
    while !tests.running.is_empty() {
        tests.wait(watch);
        if watch.is_stopped() {
            tests.stop();
        } else {
            tests.look(watch);
        }
    }
    tests.results()
}

/// How long a drive is waited for.
#[derive(Debug, PartialEq)]
struct SelfTestTimeout {
    /// Longest time that a whole test may take.
    whole: Duration,
    /// Without any progress, of a drive that says how far it is.
    still: Duration,
}

impl SelfTestTimeout {
    /// Other work slows a test down. A step of an ATA disk is a tenth of the whole: half of what
    /// is expected is a step five times as slow.
    fn with(expected: Option<Nanos>) -> Self {
        const MORE: Duration = Duration::from_secs(600);
        match expected.map(Duration::from) {
            Some(expected) => Self {
                whole: expected * 3 + MORE,
                still: expected / 2 + MORE,
            },
            // The largest disks of today take two days.
            None => Self {
                whole: Duration::from_secs(72 * 3_600),
                still: Duration::from_secs(6 * 3_600),
            },
        }
    }
}

/// A test that was begun here.
struct RunningTest {
    index: usize,
    tester: SelfTester,
    patience: SelfTestTimeout,
    started_at: Nanos,
    began: Duration,
    /// What the drive had recorded before.
    before: Option<Vec<u8>>,
    was_seen: bool,
    percent: Option<u8>,
    /// When it went on for the last time.
    moved: Duration,
    /// When it was seen to be over, while it is not recorded.
    idle_since: Option<Duration>,
    silences: u32,
}

struct Tests<'a> {
    targets: &'a [SelfTestTarget],
    kind: SelfTestKind,
    clock: &'a dyn Clock,
    began: Duration,
    running: Vec<RunningTest>,
    results: Vec<Option<SelfTest>>,
}

impl<'a> Tests<'a> {
    fn begin(targets: &'a [SelfTestTarget], kind: SelfTestKind, clock: &'a dyn Clock) -> Self {
        let mut tests = Self {
            targets,
            kind,
            clock,
            began: clock.now(),
            running: Vec::new(),
            results: targets.iter().map(|_| None).collect(),
        };
        let (started_at, began) = (clock.since_1970(), clock.now());
        let mut drives: Vec<(usize, SelfTester)> = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            match &target.tester {
                Err(why) => {
                    let ended = SelfTestEntry::of(SelfTestResult::Absent, why.clone());
                    tests.end(index, started_at, Duration::ZERO, ended);
                }
                Ok(tester) if first_on(targets, tester) == Some(index) => {
                    drives.push((index, tester.clone()));
                }
                // Its result is that of the first target on this drive.
                Ok(_) => {}
            }
        }
        let begun = in_time::all(&drives, ANSWER_TIME_MAX, move |(_, tester)| {
            tester.begin(kind)
        });
        for ((index, tester), before) in drives.into_iter().zip(begun) {
            match before {
                Some(Ok(before)) => {
                    tests.running.push(RunningTest {
                        index,
                        patience: SelfTestTimeout::with(tester.expected(kind)),
                        tester,
                        started_at,
                        began,
                        before: before.mark,
                        was_seen: false,
                        percent: None,
                        moved: began,
                        idle_since: None,
                        silences: 0,
                    });
                }
                refused => {
                    let ended = not_begun(tester.disk(), refused.and_then(Result::err));
                    tests.end(index, started_at, Duration::ZERO, ended);
                }
            }
        }
        tests
    }

    /// Waits until it is time to look again, or somebody wants to stop.
    fn wait(&self, watch: &mut dyn SelfTestWatch) {
        let is_early = self.clock.now() - self.began < HASTE;
        let interval = if is_early {
            INTERVAL_AT_FIRST
        } else {
            INTERVAL
        };
        let end = self.clock.now() + interval;
        while self.clock.now() < end && !watch.is_stopped() {
            self.clock.wait(SLICE);
        }
    }

    fn look(&mut self, watch: &mut dyn SelfTestWatch) {
        let testers = self.testers();
        let seen = in_time::all(&testers, ANSWER_TIME_MAX, SelfTester::progress);
        let now = self.clock.now();
        let running = std::mem::take(&mut self.running);
        for (mut test, seen) in running.into_iter().zip(seen) {
            match test.take(seen, now) {
                Some(ended) => self.end(test.index, test.started_at, now - test.began, ended),
                None => {
                    watch.progress(test.index, test.percent);
                    self.running.push(test);
                }
            }
        }
    }

    /// Stops all that were begun here.
    fn stop(&mut self) {
        let stopped = in_time::all(&self.testers(), ANSWER_TIME_MAX, SelfTester::stop);
        let now = self.clock.now();
        for (test, stopped) in std::mem::take(&mut self.running).into_iter().zip(stopped) {
            let note = match stopped {
                Some(Ok(())) => "The self-test was stopped together with the run".into(),
                Some(Err(error)) => {
                    text!("The run was stopped, and the drive did not stop its self-test: {error}")
                }
                None => unanswered(test.tester.disk()),
            };
            let ended = SelfTestEntry::of(SelfTestResult::Aborted, note);
            self.end(test.index, test.started_at, now - test.began, ended);
        }
    }

    fn testers(&self) -> Vec<SelfTester> {
        let running = self.running.iter();
        running.map(|test| test.tester.clone()).collect()
    }

    fn end(&mut self, index: usize, started_at: Nanos, took: Duration, ended: SelfTestEntry) {
        let target = &self.targets[index];
        self.results[index] = Some(SelfTest {
            target: target.target,
            disk: target.disk.clone(),
            kind: self.kind,
            started_at,
            took: took.into(),
            result: ended.result,
            first_error: ended.first_error,
            note: ended.note,
        });
    }

    fn results(self) -> Vec<SelfTest> {
        let of = |(own, target): (usize, &SelfTestTarget)| {
            let tester = target.tester.as_ref().ok();
            let first = tester.and_then(|tester| first_on(self.targets, tester));
            let result = self.results[first.unwrap_or(own)].clone();
            SelfTest {
                target: target.target,
                ..result.expect("each drive's test has ended")
            }
        };
        self.targets.iter().enumerate().map(of).collect()
    }
}

/// The first target on the same drive.
fn first_on(targets: &[SelfTestTarget], tester: &SelfTester) -> Option<usize> {
    targets.iter().position(|target| {
        let other = target.tester.as_ref();
        other.is_ok_and(|other| other.number() == tester.number())
    })
}

/// What there is to say of a test that did not begin; no error of a drive that did not answer.
fn not_begun(disk: &str, error: Option<SelfTestError>) -> SelfTestEntry {
    match error {
        None => SelfTestEntry::of(SelfTestResult::Unknown, unanswered(disk)),
        // It may have begun all the same.
        Some(error @ SelfTestError::Ask(AskError::Timeout { .. })) => {
            SelfTestEntry::of(SelfTestResult::Unknown, Text::shown(&error))
        }
        Some(error) => {
            let note = text!("{disk} did not begin a self-test: {error}");
            SelfTestEntry::of(SelfTestResult::Absent, note)
        }
    }
}

impl RunningTest {
    /// Takes what the drive said, `None` if it did not answer; what became of the test, if it is
    /// over.
    fn take(
        &mut self,
        seen: Option<Result<SelfTestProgress, SelfTestError>>,
        now: Duration,
    ) -> Option<SelfTestEntry> {
        match seen {
            Some(Ok(progress)) => {
                self.silences = 0;
                match progress.state {
                    SelfTestState::Running { percent } => self.runs(percent, now),
                    SelfTestState::Idle(entry) => self.is_idle(entry, progress.mark, now),
                }
            }
            Some(Err(SelfTestError::Ask(error @ AskError::Gone { .. }))) => {
                let note = text!("The drive went away during its self-test: {error}");
                Some(SelfTestEntry::of(SelfTestResult::Aborted, note))
            }
            Some(Err(error)) => self.is_silent(Text::shown(&error)),
            None => self.is_silent(unanswered(self.tester.disk())),
        }
    }

    fn runs(&mut self, percent: Option<u8>, now: Duration) -> Option<SelfTestEntry> {
        if !self.was_seen || percent != self.percent {
            self.moved = now;
        }
        self.was_seen = true;
        self.idle_since = None;
        self.percent = percent;
        let took = now - self.began;
        let still = now - self.moved;
        let is_stuck = percent.is_some() && still > self.patience.still;
        let minutes = |time: Duration| time.as_secs() / 60;
        if is_stuck {
            let what = text!(
                "The self-test made no progress for {} minutes",
                minutes(still)
            );
            return Some(self.given_up(&what));
        }
        (took > self.patience.whole).then(|| {
            let what = text!(
                "The self-test had not ended after {} minutes",
                minutes(took)
            );
            self.given_up(&what)
        })
    }

    fn is_idle(
        &mut self,
        entry: Option<SelfTestEntry>,
        mark: Option<Vec<u8>>,
        now: Duration,
    ) -> Option<SelfTestEntry> {
        let is_recorded = match (&self.before, &mark) {
            (Some(before), Some(after)) => before != after,
            // A drive whose log could not be read has only its state.
            (None, _) => self.was_seen,
            (Some(_), None) => false,
        };
        if is_recorded && entry.is_some() {
            return entry;
        }
        let idle = now - *self.idle_since.get_or_insert(now);
        (idle >= RECORDING_TIME_MAX).then(|| {
            let note: Text = "The drive has not recorded the result of its self-test".into();
            SelfTestEntry::of(SelfTestResult::Unknown, note)
        })
    }

    fn is_silent(&mut self, why: Text) -> Option<SelfTestEntry> {
        self.silences += 1;
        (self.silences >= SILENCES_MAX).then(|| {
            let note = text!("The drive no longer answered during its self-test: {why}");
            SelfTestEntry::of(SelfTestResult::Unknown, note)
        })
    }

    /// Stops a test that does not come to its end.
    fn given_up(&self, what: &Text) -> SelfTestEntry {
        let tester = self.tester.clone();
        let stopped = in_time::all(&[tester], ANSWER_TIME_MAX, SelfTester::stop);
        let note = match stopped[..] {
            [Some(Ok(()))] => text!("{what}, and was stopped"),
            _ => text!("{what}, and the drive does not stop it"),
        };
        SelfTestEntry::of(SelfTestResult::Unknown, note)
    }
}

#[cfg(test)]
mod tests;
