//! A program to be started by an MPI launcher, which does what peers do and prints it: for tests
//! with real launchers, and to try out a cluster.
//!
//! `peer calls` makes each call once; `peer wait` stays in a call, `peer work` outside of any,
//! until somebody is lost or asks to stop; `peer idle SECONDS` tells what the thread costs.

#![allow(
    clippy::print_stdout,
    reason = "it prints what it sees, a line for everything"
)]

use std::fs;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use sokudo_peers::{Limits, Notice, PeerError, Peers, launch};

/// Nothing here takes longer.
const END: Duration = Duration::from_secs(60);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().unwrap_or_default();
    let Some(launch) = launch() else {
        println!("not launched");
        return;
    };
    let version = match part.as_str() {
        "version" if launch.rank == 1 => "0.0.1",
        _ => env!("CARGO_PKG_VERSION"),
    };
    let (tell, told) = channel();
    let watch = move |notice: Notice| {
        println!("notice {notice:?}");
        let _ = tell.send(notice);
    };
    let mut peers = match Peers::join_as(&launch, version, Limits::default(), watch) {
        Ok(peers) => peers,
        Err(error) => {
            println!("not joined: {error}");
            std::process::exit(1);
        }
    };
    let own = &peers.hosts()[peers.rank() as usize];
    println!(
        "joined {} of {} on {}, pid {}",
        peers.rank(),
        peers.count(),
        own.name,
        own.pid
    );
    let done = match part.as_str() {
        "wait" => wait(&mut peers),
        "work" => {
            // What the watcher is told ends the work, as it ends a measurement.
            match told.recv_timeout(END) {
                Err(RecvTimeoutError::Timeout) => println!("nothing was told"),
                _ => println!("told"),
            }
            peers.gather(Vec::new()).map(drop)
        }
        "idle" => {
            let seconds = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(5);
            idle(Duration::from_secs(seconds));
            Ok(())
        }
        _ => calls(&mut peers),
    };
    match done {
        Ok(()) => end(peers),
        Err(PeerError::Stopped) => {
            println!("error: {}", PeerError::Stopped);
            end(peers);
        }
        Err(error) => {
            println!("error: {error}");
            peers.abandon();
            std::process::exit(1);
        }
    }
}

fn end(peers: Peers) {
    match peers.leave() {
        Ok(()) => println!("left"),
        Err(error) => {
            println!("not left: {error}");
            std::process::exit(1);
        }
    }
}

fn calls(peers: &mut Peers) -> Result<(), PeerError> {
    let rank = u8::try_from(peers.rank() % 256).expect("it is less than 256");
    let begin = Instant::now();
    if let Some(all) = peers.gather(vec![rank; 1 << 20])? {
        let is_right = (all.iter().zip(0_u8..))
            .all(|(bytes, rank)| bytes.len() == 1 << 20 && bytes.iter().all(|byte| *byte == rank));
        println!("gathered {} {is_right} in {:?}", all.len(), begin.elapsed());
    }
    let begin = Instant::now();
    let firsts = peers.is_first().then(|| vec![7; 1 << 20]);
    let is_right = peers.broadcast(firsts)? == vec![7; 1 << 20];
    println!("broadcast {is_right} in {:?}", begin.elapsed());
    let begin = Instant::now();
    let clock = peers.clock()?;
    let took = begin.elapsed();
    println!(
        "clock {} {} in {took:?}",
        clock.offset_ns, clock.uncertainty_ns
    );
    for _ in 0..5 {
        start(peers)?;
    }
    Ok(())
}

/// Starts together, and tells how much apart the starts were on the first one's clock.
fn start(peers: &mut Peers) -> Result<(), PeerError> {
    let start = peers.agree_on_start(Duration::from_millis(100))?;
    let ahead = start.at.saturating_duration_since(Instant::now());
    thread::sleep(ahead);
    let late = start.at.elapsed();
    let late_ns = u64::try_from(late.as_nanos()).expect("it is late by less");
    let all = peers.gather(late_ns.to_le_bytes().to_vec())?;
    if let Some(all) = all {
        let late_ns = all.iter().filter_map(|it| it[..].try_into().ok());
        let mut late_ns: Vec<u64> = late_ns.map(u64::from_le_bytes).collect();
        late_ns.sort_unstable();
        let skew_ns = late_ns[late_ns.len() - 1] - late_ns[0];
        println!("skew {} µs, ahead {ahead:?}", skew_ns / 1000);
    }
    Ok(())
}

fn wait(peers: &mut Peers) -> Result<(), PeerError> {
    // The second one does not come to the call.
    if peers.rank() == 1 {
        thread::sleep(END);
    }
    peers.gather(Vec::new()).map(drop)
}

/// What all threads of this process cost while nothing is done.
fn idle(time: Duration) {
    thread::sleep(Duration::from_millis(500));
    let (begin, before) = (Instant::now(), processor_ns());
    thread::sleep(time);
    let took = begin.elapsed().as_secs_f64();
    for (name, ns) in processor_ns() {
        let earlier = before.iter().find(|(other, _)| *other == name);
        let ns = ns - earlier.map_or(0, |(_, ns)| *ns);
        println!("thread {name}: {:.1} µs a second", ns as f64 / 1e3 / took);
    }
}

/// Of each thread, by its name and number, as `/proc/PID/task/TID/schedstat` counts it.
fn processor_ns() -> Vec<(String, u64)> {
    let threads = fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    threads
        .filter_map(|thread| {
            let read = |file: &str| fs::read_to_string(thread.path().join(file)).ok();
            let ns = read("schedstat")?.split_whitespace().next()?.parse().ok()?;
            let name = read("comm")?.trim().to_owned();
            Some((format!("{name} {}", thread.file_name().display()), ns))
        })
        .collect()
}
