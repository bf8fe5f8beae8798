//! Drives that are imitated, in virtual time.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use sokudo_model::Bytes;
use sokudo_sys::SelfTestOrder;

use super::super::drive::SelfTestDrive;
use super::*;

/// What a drive says to one look; the last is said for ever.
#[derive(Clone)]
enum Said {
    Runs(Option<u8>),
    /// A result that is recorded under this number.
    Idle(u8, Option<SelfTestEntry>),
    /// An ATA disk whose log cannot be read.
    NoLog(Option<SelfTestEntry>),
    Gone,
    TimedOut,
}

struct Imitation {
    expected: Option<Nanos>,
    answers: Mutex<VecDeque<Said>>,
    orders: Mutex<Vec<SelfTestOrder>>,
    refuses: bool,
}

impl Imitation {
    fn new(answers: &[Said]) -> Self {
        Self {
            expected: Some(Nanos::from_secs(120)),
            answers: Mutex::new(answers.iter().cloned().collect()),
            orders: Mutex::default(),
            refuses: false,
        }
    }

    fn orders(&self) -> Vec<SelfTestOrder> {
        self.orders.lock().unwrap().clone()
    }
}

impl SelfTestDrive for Imitation {
    fn expected(&self, _: SelfTestKind) -> Option<Nanos> {
        self.expected
    }

    fn order(&self, order: SelfTestOrder) -> Result<(), SelfTestError> {
        self.orders.lock().unwrap().push(order);
        let command = "SEND DIAGNOSTIC";
        match self.refuses {
            true => Err(AskError::Status { command, status: 2 }.into()),
            false => Ok(()),
        }
    }

    fn look(&self) -> Result<SelfTestProgress, SelfTestError> {
        let mut answers = self.answers.lock().unwrap();
        let next = match answers.len() {
            1 => answers[0].clone(),
            _ => answers.pop_front().unwrap(),
        };
        let command = "LOG SENSE";
        let (state, mark) = match next {
            Said::Runs(percent) => (SelfTestState::Running { percent }, Some(vec![1])),
            Said::Idle(mark, entry) => (SelfTestState::Idle(entry), Some(vec![mark])),
            Said::NoLog(entry) => (SelfTestState::Idle(entry), None),
            Said::Gone => return Err(AskError::Gone { command }.into()),
            Said::TimedOut => return Err(AskError::Timeout { command }.into()),
        };
        Ok(SelfTestProgress { state, mark })
    }
}

#[derive(Default)]
struct VirtualClock(Cell<Duration>);

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        self.0.get()
    }

    fn since_1970(&self) -> Nanos {
        Nanos::from_secs(1_700_000_000)
    }

    fn wait(&self, time: Duration) {
        self.0.set(self.0.get() + time);
    }
}

#[derive(Default)]
struct Watched {
    seen: Vec<(usize, Option<u8>)>,
    /// Stops once so much was seen.
    stops_after: Option<usize>,
}

impl SelfTestWatch for Watched {
    fn progress(&mut self, index: usize, percent: Option<u8>) {
        self.seen.push((index, percent));
    }

    fn is_stopped(&mut self) -> bool {
        self.stops_after
            .is_some_and(|count| self.seen.len() >= count)
    }
}

fn target(target: u32, disk: &str, drive: &Arc<Imitation>) -> SelfTestTarget {
    SelfTestTarget {
        target,
        disk: disk.to_owned(),
        tester: Ok(SelfTester::imitated(disk, drive.clone())),
    }
}

/// One drive's short test, watched to its end.
fn tested(drive: Imitation) -> (SelfTest, Vec<SelfTestOrder>) {
    let drive = Arc::new(drive);
    let targets = [target(0, "sda", &drive)];
    let clock = VirtualClock::default();
    let mut watch = Watched::default();
    let mut results = carry_out(&targets, SelfTestKind::Short, &mut watch, &clock);
    (results.remove(0), drive.orders())
}

fn idle(mark: u8) -> Said {
    Said::Idle(mark, Some(SelfTestEntry::passed()))
}

#[test]
fn a_test_passes_after_a_while_and_tells_how_far_it_is() {
    let answers = [idle(0), Said::Runs(Some(10)), Said::Runs(Some(90)), idle(1)];
    let drive = Arc::new(Imitation::new(&answers));
    let targets = [target(7, "sda", &drive)];
    let mut watch = Watched::default();
    let clock = VirtualClock::default();
    let results = carry_out(&targets, SelfTestKind::Extended, &mut watch, &clock);
    assert_eq!(
        results,
        [SelfTest {
            target: 7,
            disk: "sda".to_owned(),
            kind: SelfTestKind::Extended,
            started_at: Nanos::from_secs(1_700_000_000),
            took: Nanos::from_secs(3),
            result: SelfTestResult::Passed,
            first_error: None,
            note: None,
        }]
    );
    assert_eq!(watch.seen, [(0, Some(10)), (0, Some(90))]);
    assert_eq!(drive.orders(), [SelfTestOrder::Extended]);
}

#[test]
fn after_half_a_minute_a_drive_is_asked_every_ten_seconds() {
    let mut answers = vec![idle(0)];
    answers.extend((0..40).map(|_| Said::Runs(None)));
    answers.push(idle(1));
    let (test, _) = tested(Imitation::new(&answers));
    // 30 looks in 30 s, 11 more in 110 s.
    assert_eq!(test.took, Nanos::from_secs(140));
}

#[test]
fn a_failure_keeps_its_block() {
    let failed = SelfTestEntry::failed("The test that reads failed").at_block(Some(8), Some(512));
    let answers = [idle(0), Said::Runs(None), Said::Idle(1, Some(failed))];
    let (test, _) = tested(Imitation::new(&answers));
    assert_eq!(test.result, SelfTestResult::Failed);
    assert_eq!(test.first_error, Some(Bytes(4_096)));
    assert_eq!(test.note.unwrap(), "The test that reads failed");
}

#[test]
fn a_reset_and_a_drive_that_is_gone_abort_the_test() {
    let reset = SelfTestEntry::aborted("A reset ended the self-test");
    let answers = [idle(0), Said::Runs(None), Said::Idle(1, Some(reset))];
    let (test, orders) = tested(Imitation::new(&answers));
    assert_eq!(test.result, SelfTestResult::Aborted);
    assert_eq!(test.note.unwrap(), "A reset ended the self-test");
    assert_eq!(orders, [SelfTestOrder::Short], "nothing is left to stop");
    let (test, _) = tested(Imitation::new(&[idle(0), Said::Runs(None), Said::Gone]));
    assert_eq!(test.result, SelfTestResult::Aborted);
    let note = test.note.unwrap().english();
    assert!(note.starts_with("The drive went away"), "{note}");
}

#[test]
fn a_test_of_somebody_else_is_left_alone() {
    let (test, orders) = tested(Imitation::new(&[Said::Runs(Some(40))]));
    assert_eq!(test.result, SelfTestResult::Absent);
    assert_eq!(orders, [], "neither begun nor stopped");
    let note = test.note.unwrap().english();
    assert!(note.contains("somebody else"), "{note}");
}

#[test]
fn what_does_not_come_to_its_end_is_stopped() {
    let (test, orders) = tested(Imitation::new(&[idle(0), Said::Runs(Some(40))]));
    assert_eq!(test.result, SelfTestResult::Unknown);
    assert_eq!(orders, [SelfTestOrder::Short, SelfTestOrder::Stop]);
    // Half of the 2 minutes, and 10 more.
    let stuck = Nanos::from_secs(11 * 60);
    assert!(test.took > stuck && test.took < Nanos::from_secs(12 * 60));
    // One that does not say how far it is has 3 × 2 + 10 minutes.
    let (test, orders) = tested(Imitation::new(&[idle(0), Said::Runs(None)]));
    assert_eq!(orders.last(), Some(&SelfTestOrder::Stop));
    let long = Nanos::from_secs(16 * 60);
    assert!(test.took > long && test.took < Nanos::from_secs(17 * 60));
}

#[test]
fn one_missed_answer_is_forgiven_and_three_are_not() {
    let answers = [
        idle(0),
        Said::Runs(None),
        Said::TimedOut,
        Said::TimedOut,
        Said::Runs(None),
        idle(1),
    ];
    let (test, _) = tested(Imitation::new(&answers));
    assert_eq!(test.result, SelfTestResult::Passed);
    let (test, _) = tested(Imitation::new(&[idle(0), Said::Runs(None), Said::TimedOut]));
    assert_eq!(test.result, SelfTestResult::Unknown);
    let note = test.note.unwrap().english();
    assert!(note.contains("not answered in time"), "{note}");
}

#[test]
fn an_old_result_is_not_taken_for_the_new_one() {
    let (test, _) = tested(Imitation::new(&[idle(0)]));
    assert_eq!(test.result, SelfTestResult::Unknown);
    let (test, _) = tested(Imitation::new(&[idle(0), Said::Runs(None), idle(0)]));
    assert_eq!(test.result, SelfTestResult::Unknown);
    // Without a log, the state counts once the test was seen.
    let passed = || Said::NoLog(Some(SelfTestEntry::passed()));
    let (test, _) = tested(Imitation::new(&[passed(), Said::Runs(None), passed()]));
    assert_eq!(test.result, SelfTestResult::Passed);
    let (test, _) = tested(Imitation::new(&[passed()]));
    assert_eq!(test.result, SelfTestResult::Unknown);
    // A log that is read again a little later.
    let (test, _) = tested(Imitation::new(&[
        idle(0),
        Said::Runs(None),
        passed(),
        idle(1),
    ]));
    assert_eq!(test.result, SelfTestResult::Passed);
}

#[test]
fn who_stops_the_run_stops_every_test_that_it_began() {
    let ours = Arc::new(Imitation::new(&[idle(0), Said::Runs(Some(5))]));
    let theirs = Arc::new(Imitation::new(&[Said::Runs(Some(50))]));
    let over = Arc::new(Imitation::new(&[idle(0), idle(1)]));
    let targets = [
        target(0, "sda", &ours),
        target(1, "sdb", &theirs),
        target(2, "sdc", &over),
    ];
    let mut watch = Watched {
        stops_after: Some(3),
        ..Watched::default()
    };
    let clock = VirtualClock::default();
    let results = carry_out(&targets, SelfTestKind::Short, &mut watch, &clock);
    let results: Vec<SelfTestResult> = results.iter().map(|test| test.result).collect();
    use SelfTestResult::{Aborted, Absent, Passed};
    assert_eq!(results, [Aborted, Absent, Passed]);
    assert_eq!(ours.orders(), [SelfTestOrder::Short, SelfTestOrder::Stop]);
    assert_eq!(theirs.orders(), []);
    assert_eq!(over.orders(), [SelfTestOrder::Short]);
}

#[test]
fn two_targets_on_one_drive_share_its_test_and_what_cannot_be_asked_says_why() {
    let drive = Arc::new(Imitation::new(&[idle(0), idle(1)]));
    let absent = SelfTestTarget {
        target: 1,
        disk: "vda".to_owned(),
        tester: Err("it has none".into()),
    };
    let targets = [target(0, "sda", &drive), absent, target(2, "sda", &drive)];
    let clock = VirtualClock::default();
    let mut watch = Watched::default();
    let results = carry_out(&targets, SelfTestKind::Short, &mut watch, &clock);
    assert_eq!(drive.orders(), [SelfTestOrder::Short]);
    assert_eq!(results.len(), 3);
    assert_eq!(
        (results[2].target, results[2].result),
        (2, SelfTestResult::Passed)
    );
    assert_eq!(results[1].result, SelfTestResult::Absent);
    assert_eq!(results[1].took, Nanos(0));
    assert_eq!(results[1].note.as_ref().unwrap(), &"it has none");
}

#[test]
fn a_drive_that_refuses_has_no_test() {
    let mut drive = Imitation::new(&[idle(0)]);
    drive.refuses = true;
    let (test, _) = tested(drive);
    assert_eq!(test.result, SelfTestResult::Absent);
    let note = test.note.unwrap().english();
    assert!(note.starts_with("sda did not begin a self-test"), "{note}");
}

#[test]
fn who_says_nothing_of_the_time_is_given_days() {
    let patience = SelfTestTimeout::with(None);
    assert_eq!(patience.whole, Duration::from_secs(259_200));
    let patience = SelfTestTimeout::with(Some(Nanos::from_secs(3_600)));
    assert_eq!(patience.whole, Duration::from_secs(3 * 3_600 + 600));
    assert_eq!(patience.still, Duration::from_secs(2_400));
}
