//! What a peer does: `calls` makes each call a few times, `wait` stays in a call and `work` outside
//! of any until somebody is lost, `stop` has one of them ask all to stop, `version` has one of
//! another version.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use sokudo_peers::{Notice, PeerError, Peers, Timeouts, launch};

/// Nothing here takes longer, on whatever machine.
const END: Duration = Duration::from_secs(600);

const MIB: usize = 1 << 20;

/// Its exit code.
pub(crate) fn play(part: &str) -> i32 {
    let Some(launch) = launch() else {
        println!("not launched; start it by mpirun");
        return 2;
    };
    let version = match part {
        "version" if launch.rank == 1 => "0.0.1",
        _ => env!("CARGO_PKG_VERSION"),
    };
    let (tell, told) = channel();
    let watch = move |notice: Notice| {
        println!("notice {notice:?}");
        let _ = tell.send(notice);
    };
    let mut peers = match Peers::join_as(&launch, version, Timeouts::default(), watch) {
        Ok(peers) => peers,
        Err(error) => {
            let said = format!("not joined: {error}");
            println!("{said}");
            // A launcher that ends all because one has gone may lose what that one has printed.
            fs::write(env::temp_dir().join(format!("said-{}", launch.rank)), said).unwrap();
            return 1;
        }
    };
    let own = &peers.hosts()[peers.rank() as usize];
    let (rank, count) = (peers.rank(), peers.count());
    println!("joined {rank} of {count} on {}, pid {}", own.name, own.pid);
    match act(&mut peers, part, &told) {
        Ok(()) => end(peers),
        Err(error) => {
            println!("error: {error}");
            if matches!(error, PeerError::Stopped) {
                return end(peers);
            }
            peers.abandon();
            1
        }
    }
}

fn act(peers: &mut Peers, part: &str, told: &Receiver<Notice>) -> Result<(), PeerError> {
    match part {
        "wait" | "stop" => {
            println!("begun");
            if peers.rank() == 1 && part == "stop" {
                peers.stop();
            }
            // The second one does not come to the call.
            if peers.rank() == 1 {
                let _ = told.recv_timeout(END);
            }
            peers.gather(Vec::new()).map(drop)
        }
        "work" => {
            println!("begun");
            // What the watcher is told ends the work, as it ends a measurement.
            let _ = told.recv_timeout(END);
            peers.gather(Vec::new()).map(drop)
        }
        _ => calls(peers),
    }
}

fn end(peers: Peers) -> i32 {
    match peers.leave() {
        Ok(()) => {
            println!("left");
            0
        }
        Err(error) => {
            println!("not left: {error}");
            1
        }
    }
}

fn calls(peers: &mut Peers) -> Result<(), PeerError> {
    let rank = u8::try_from(peers.rank() % 256).unwrap_or_default();
    let begin = Instant::now();
    if let Some(all) = peers.gather(vec![rank; MIB])? {
        let is_its = |(bytes, rank): (&Vec<u8>, u8)| *bytes == [rank].repeat(MIB);
        let is_right = all.iter().zip(0..).all(is_its);
        println!("gathered {} {is_right} in {:?}", all.len(), begin.elapsed());
    }
    let begin = Instant::now();
    let firsts = peers.is_first().then(|| vec![7; MIB]);
    let is_right = peers.broadcast(firsts)? == vec![7; MIB];
    println!("broadcast {is_right} in {:?}", begin.elapsed());
    let begin = Instant::now();
    let clock = peers.clock()?;
    let took = begin.elapsed();
    println!(
        "clock {} ns ± {} ns in {took:?}",
        clock.offset_ns, clock.uncertainty_ns
    );
    (0..5).try_for_each(|_| start(peers))
}

/// Starts together, and tells how far apart the starts were.
fn start(peers: &mut Peers) -> Result<(), PeerError> {
    let start = peers.agree_on_start(Duration::from_millis(100))?;
    let ahead = start.at.saturating_duration_since(Instant::now());
    thread::sleep(ahead);
    let late_ns = u64::try_from(start.at.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let Some(all) = peers.gather(late_ns.to_le_bytes().to_vec())? else {
        return Ok(());
    };
    let late_ns = all.iter().filter_map(|bytes| bytes[..].try_into().ok());
    let mut late_ns: Vec<u64> = late_ns.map(u64::from_le_bytes).collect();
    late_ns.sort_unstable();
    let skew_ns = late_ns[late_ns.len() - 1] - late_ns[0];
    println!("skew {} µs, ahead {ahead:?}", skew_ns / 1000);
    Ok(())
}
