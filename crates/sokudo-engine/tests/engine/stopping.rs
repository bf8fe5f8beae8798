//! Stopped from outside: what was measured so far is kept, and nothing stays
//! behind (invariant 17).

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use sokudo_engine::{Control, Search, Target, TestFile, left_behind};
use sokudo_model::{Bytes, DataContent, Event, Nanos, Outcome, Rate, StopReason, Think, Workload};

use crate::setup::{OwnFile, random_reads, run_one, run_reported, simulated};

/// Runs workloads without limits until each has done something.
fn run_until_progress<const COUNT: usize>(
    workloads: [Workload; COUNT],
    target: &mut Target,
    stop: impl Fn(&Control),
) -> Vec<Outcome> {
    let control = Control::new();
    let mut begun = [false; COUNT];
    let mut listener = |event| {
        if let Event::Progress { workload, ios, .. } = event {
            begun[workload] |= ios > 0;
        }
        if begun.iter().all(|it| *it) {
            stop(&control);
        }
    };
    run_reported(workloads, target, &control, &mut listener)
}

#[test]
fn a_stopped_trial_keeps_its_figures() {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let workloads = [random_reads(1), with!(random_reads(8), threads = 2)];
    let stops: [fn(&Control); 2] = [Control::end, Control::cancel];
    for (stop, reason) in stops
        .into_iter()
        .zip([StopReason::Ended, StopReason::Cancelled])
    {
        for mut target in [own.target(), Target::Null(Bytes::gib(1))] {
            for outcome in run_until_progress(workloads.clone(), &mut target, stop) {
                assert_eq!((outcome.stopped, outcome.failures.len()), (reason, 0));
                assert!(outcome.ios() > 0);
                assert_eq!(outcome.operations[0].latency.count(), outcome.ios());
            }
        }
    }
}

#[test]
fn a_pause_does_not_hold_up_a_stop() {
    let hour = Think::new(Nanos::from_secs(3_600), 1);
    let workloads = [
        with!(random_reads(1), pacing.think = Some(hour)),
        with!(random_reads(1), pacing.rate = Some(Rate::BytesPerSecond(1))),
    ];
    let mut target = Target::Null(Bytes::gib(1));
    let outcomes = run_until_progress(workloads, &mut target, Control::cancel);
    assert!(
        outcomes.iter().all(|outcome| outcome.ios() == 1),
        "{outcomes:?}"
    );
}

#[test]
fn virtual_time_can_be_stopped_from_another_thread() {
    let control = Control::new();
    let mut target = simulated("sim:hdd");
    let outcomes = thread::scope(|scope| {
        scope.spawn(|| control.end());
        let workloads = [random_reads(4), random_reads(1)];
        run_reported(workloads, &mut target, &control, &mut |_| {})
    });
    for outcome in outcomes {
        assert_eq!(outcome.stopped, StopReason::Ended);
        assert!(outcome.ios() > 0, "what was in flight still counts");
    }
}

#[test]
fn a_control_that_is_used_twice_cancels_and_can_be_armed_again_only_after_an_end() {
    let control = Control::new();
    control.end();
    control.rearm();
    control.cancel();
    control.end();
    control.rearm();
    assert!(control.is_cancelled());
}

/// Names the directory in which the child holds a test file.
const CHILD_DIRECTORY: &str = "SOKUDO_ENGINE_TEST_DIRECTORY";

#[test]
#[ignore = "is the process that the next test kills"]
fn child_that_holds_a_test_file() {
    let Some(directory) = std::env::var_os(CHILD_DIRECTORY) else {
        return;
    };
    let file = TestFile::create(Path::new(&directory), Bytes::mib(1)).unwrap();
    println!("\nready");
    run_one(crate::setup::writes(4), &mut file.target().unwrap());
}

#[test]
fn a_killed_process_leaves_no_test_file_or_one_that_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("stopping::child_that_holds_a_test_file")
        .env(CHILD_DIRECTORY, directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.any(|line| line.is_ok_and(|line| line.contains("ready")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ready, "the child did not make its file");
    let entries = std::fs::read_dir(directory.path()).unwrap().count();
    let found = || left_behind(directory.path(), Search::All).len();
    // The kernel ends a ring, which holds the file, after the process.
    let give_up = Instant::now() + Duration::from_secs(30);
    while found() != entries && Instant::now() < give_up {
        thread::park_timeout(Duration::from_millis(5));
    }
    assert_eq!(found(), entries);
}
