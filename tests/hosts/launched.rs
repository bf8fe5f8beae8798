//! Peers that are started by real launchers, Open MPI's and MPICH's: calls, the clock, wrong
//! libraries, other versions, and processes that are killed or stopped. It has no harness, for
//! the launchers start this program itself as the peer.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and says what it sees and skips"
)]

#[path = "../support/network_hosts.rs"]
mod hosts;
#[path = "../support/keeper.rs"]
mod keeper;
#[path = "launched/launcher.rs"]
mod launcher;
#[path = "launched/namespaces.rs"]
mod namespaces;
#[path = "launched/part.rs"]
mod part;
#[path = "../support/written.rs"]
mod written;

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use launcher::{Launcher, MPICH, OPEN_MPI, User, skip};
use rustix::process::Signal;

/// Makes this program a peer.
const PEER: &str = "--peer";

/// From a fault until everybody has been told, on a machine on which launchers wait for processors.
const TOLD_MAX: Duration = Duration::from_secs(300);

/// Launchers that are at work at once; each starts a few processes.
const AT_ONCE: usize = 3;

type Case = (String, Box<dyn Fn() + Send + Sync>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, part] = &arguments[..]
        && word == PEER
    {
        std::process::exit(part::play(part));
    }
    // `cargo test -- --list` and the like ask for nothing that is here.
    if arguments.iter().any(|word| word == "--list") {
        return;
    }
    let filters = arguments.iter().filter(|word| !word.starts_with('-'));
    let filters: Vec<&String> = filters.collect();
    let mut cases = cases();
    cases.retain(|(name, _)| filters.is_empty() || filters.iter().any(|it| name.contains(*it)));
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((name, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let is_good = panic::catch_unwind(AssertUnwindSafe(case)).is_ok();
                    println!("test {name} ... {}", if is_good { "ok" } else { "FAILED" });
                    failed.fetch_add(usize::from(!is_good), Ordering::Relaxed);
                }
            });
        }
    });
    let (count, failed) = (cases.len(), failed.into_inner());
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {} passed; {failed} failed; 0 measured",
        count - failed
    );
    std::process::exit(i32::from(failed > 0));
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for launcher in [&OPEN_MPI, &MPICH] {
        if !launcher.is_installed() {
            skip(&format!("{} is not installed", launcher.program));
            continue;
        }
        let mut add = |name: &str, case: Box<dyn Fn() + Send + Sync>| {
            cases.push((format!("{}: {name}", launcher.name), case));
        };
        for user in [User::Own, User::Nobody] {
            let name = format!("calls and clock as {user:?}");
            add(&name, Box::new(move || calls_and_clock(launcher, user)));
        }
        add("a stop", Box::new(|| a_stop_reaches_all(launcher)));
        add("another version", Box::new(|| another_version(launcher)));
        add("wrong libraries", Box::new(|| wrong_libraries(launcher)));
        for part in ["work", "wait"] {
            for rank in [0, 1] {
                for (word, signal) in [("killed", Signal::KILL), ("stopped", Signal::STOP)] {
                    let name = format!("rank {rank} {word} at {part}");
                    let case = move || whoever_fails_is_named(launcher, part, rank, signal);
                    add(&name, Box::new(case));
                }
            }
        }
        let across = || namespaces::two_hosts(launcher);
        add("two hosts, then none", Box::new(across));
    }
    cases
}

fn calls_and_clock(launcher: &'static Launcher, user: User) {
    let Some(job) = launcher.start(4, &[], user, "calls") else {
        return;
    };
    let ended = job.end();
    check_calls(&ended, 4);
}

/// What four of them have printed.
fn check_calls(ended: &launcher::Ended, count: usize) {
    assert_eq!(ended.code, Some(0), "{}", ended.text);
    let lines = |start: &'static str| {
        let lines = ended.text.lines();
        lines.filter(move |line| line.starts_with(start))
    };
    let gathered = format!("gathered {count} true");
    assert_eq!(ended.count(&gathered), 1, "{}", ended.text);
    assert_eq!(ended.count("broadcast true"), count, "{}", ended.text);
    assert_eq!(ended.count("left"), count, "{}", ended.text);
    for line in lines("clock") {
        // One machine has one clock: the true offset is 0.
        let words: Vec<&str> = line.split(' ').collect();
        let (offset, uncertainty) = (words[1], words[4]);
        let offset_ns: i64 = offset.parse().unwrap();
        assert!(
            offset_ns.unsigned_abs() <= uncertainty.parse().unwrap(),
            "{line}"
        );
        println!("    {line}");
    }
    lines("skew").for_each(|line| println!("    {line}"));
}

fn a_stop_reaches_all(launcher: &'static Launcher) {
    let ended = launcher.start(3, &[], User::Own, "stop").unwrap().end();
    assert_eq!(ended.code, Some(0), "{}", ended.text);
    for line in ["notice Stop", "error: somebody has asked all", "left"] {
        assert_eq!(ended.count(line), 3, "{line}: {}", ended.text);
    }
}

fn another_version(launcher: &'static Launcher) {
    let ended = launcher.start(3, &[], User::Own, "version").unwrap().end();
    let said = "(rank 1) has sokudo 0.0.1, and rank 0 has sokudo";
    assert_ne!(ended.code, Some(0), "{}", ended.text);
    let told = ended.not_joined();
    assert!(told.contains(said), "{told}\n{}", ended.text);
    assert_eq!(ended.count("joined"), 0, "{}", ended.text);
}

fn wrong_libraries(launcher: &'static Launcher) {
    let with = |library: &'static str| {
        let variables = [("SOKUDO_MPI", library)];
        launcher
            .start(2, &variables, User::Own, "calls")
            .unwrap()
            .end()
    };
    let other = if launcher.name == OPEN_MPI.name {
        &MPICH
    } else {
        &OPEN_MPI
    };
    if other.is_installed() {
        let ended = with(other.library);
        assert!(
            ended
                .text
                .contains("sees 1: it is not the MPI of that launcher"),
            "{}",
            ended.text
        );
        assert!(ended.text.contains("SOKUDO_MPI=PATH"), "{}", ended.text);
    }
    let ended = with("/nowhere/libmpi.so");
    let said = "not joined: /nowhere/libmpi.so cannot be loaded";
    assert!(ended.text.contains(said), "{}", ended.text);
}

/// One of three is killed or stopped. Launchers end the others at once when one is killed, and
/// name it themselves; of one that is only stopped they notice nothing.
fn whoever_fails_is_named(
    launcher: &'static Launcher,
    part: &'static str,
    rank: u32,
    signal: Signal,
) {
    let mut job = launcher.start(3, &[], User::Own, part).unwrap();
    job.wait_for("begun", 3);
    let pid = job.pid_of(rank);
    rustix::process::kill_process(pid, signal).unwrap();
    let by_a_peer = format!("error: rank {rank} on ");
    let by_its_launcher = launcher.says_killed;
    let is_reported = |text: &str| {
        text.contains(&by_a_peer) || signal == Signal::KILL && text.contains(by_its_launcher)
    };
    let took = job.wait_until(is_reported, TOLD_MAX);
    println!("    rank {rank} {signal:?} at {part}: told after {took:?}");
    // The launcher ends whatever is left, the stopped one, too.
    let ended = job.end();
    assert_ne!(ended.code, Some(0), "{}", ended.text);
}
