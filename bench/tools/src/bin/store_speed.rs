//! How fast a store with many runs is: `bench/store` runs it.
//!
//! `store_speed FOLDER RUNS DOCUMENT_BYTES` makes FOLDER/store-speed.db where it is not
//! there, of runs like those of `mark` with eight rows, whose documents are noise of this
//! size, and says how long what people do with it takes: the median of several, and the
//! longest.

#![expect(clippy::unwrap_used, reason = "whoever runs this reads the panic")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::time::{Duration, Instant};

use sokudo_model::{ListedRow, Nanos, Verdict};
use sokudo_store::{Filter, NewRun, Page, Sqlite, Store};

/// Runs that are written at once while the store is made.
const AT_ONCE: u64 = 5_000;
/// One device in so many runs has this one's history of 10,000 of a million.
const OF_ONE_DEVICE: u64 = 100;
const TIMES: usize = 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap();
    let runs: u64 = arguments.next().unwrap().parse().unwrap();
    let bytes: usize = arguments.next().unwrap().parse().unwrap();
    let path = Path::new(&folder).join("store-speed.db");
    let mut store = Sqlite::open(&path).unwrap();
    fill(&mut store, runs, bytes);
    drop(store);
    let size = path.metadata().unwrap().len();
    println!("{runs} runs, {size} bytes, {} bytes a run", size / runs);
    measure(&path, runs, bytes);
}

fn fill(store: &mut Sqlite, runs: u64, bytes: usize) {
    let newest = Page { skip: 0, count: 1 };
    let newest = store.list(&Filter::default(), newest).unwrap();
    let mut next = newest.first().map_or(0, |entry| entry.id.0);
    let start = Instant::now();
    while next < runs {
        let until = (next + AT_ONCE).min(runs);
        let batch: Vec<NewRun> = (next..until).map(|number| run(number, bytes)).collect();
        store.keep_all(&batch).unwrap();
        next = until;
    }
    println!("made in {:.0} s", start.elapsed().as_secs_f64());
}

fn measure(path: &Path, runs: u64, bytes: usize) {
    for (what, filter, skip) in cases(runs) {
        let page = Page { skip, count: 50 };
        let times = timed(path, |store| drop(store.list(&filter, page).unwrap()));
        say(what, times, 50.0);
    }
    let identity = run(0, 0).device;
    let mut points = 0;
    let times = timed(path, |store| {
        points = store.history(&identity, "RND4K Q32T1").unwrap().len();
    });
    say(
        &format!("history of one row, {points} figures"),
        times,
        200.0,
    );
    let new = run(runs + 1, bytes);
    let times = timed(path, |store| {
        store.keep(&new).unwrap();
    });
    say("keep one run", times, 5.0);
}

/// The median and the longest of several times, from opening the store to closing it.
fn timed(path: &Path, mut work: impl FnMut(&mut Sqlite)) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let start = Instant::now();
            let mut store = Sqlite::open(path).unwrap();
            work(&mut store);
            drop(store);
            start.elapsed()
        })
        .collect();
    times.sort();
    (times[TIMES / 2], times[TIMES - 1])
}

fn say(what: &str, (median, longest): (Duration, Duration), most: f64) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{what:<40} {:>8.2} ms (longest {:>8.2}), at most {most}: {}",
        ms(median),
        ms(longest),
        if ms(median) <= most { "ok" } else { "TOO SLOW" }
    );
}

/// What is listed, and how many of the newest are left out.
fn cases(runs: u64) -> Vec<(&'static str, Filter, u64)> {
    let none = Filter::default;
    let device = |text: &str| Filter {
        device: Some(text.to_owned()),
        ..none()
    };
    let verdict = |verdict| Filter {
        verdict: Some(verdict),
        ..none()
    };
    let method = |text: &str| Filter {
        method: Some(text.to_owned()),
        ..none()
    };
    let tagged = Filter {
        tags: vec!["rare".to_owned()],
        ..method("mark")
    };
    let identity = Filter {
        device_identity: Some(run(0, 0).device),
        ..none()
    };
    let long_ago = Filter {
        since: Some(Nanos(1_000_000_000)),
        until: Some(Nanos(9_000_000_000)),
        ..none()
    };
    vec![
        ("list", none(), 0),
        ("list, page in the middle", none(), runs / 2),
        ("list, oldest page", none(), runs.saturating_sub(50)),
        ("list --device, of all", device("example"), 0),
        ("list --device, of all, middle", device("example"), runs / 2),
        ("list --device, of one", device("SERIAL-77 "), 0),
        ("list of one device by its identity", identity, 0),
        ("list --device, of none", device("no such device"), 0),
        ("list --device, by target", device("/mnt/12"), 0),
        ("list --method, usual", method("mark"), 0),
        ("list --method, usual, middle", method("mark"), runs / 2),
        ("list --method, rare", method("scan"), 0),
        ("list --verdict, usual", verdict(Verdict::Verified), 0),
        ("list --verdict, rare", verdict(Verdict::Invalid), 0),
        ("list --tag, rare, and usual method", tagged, 0),
        ("list --since --until, long ago", long_ago, 0),
    ]
}

fn run(number: u64, bytes: usize) -> NewRun {
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let device = match number % OF_ONE_DEVICE {
        0 => 0,
        _ => 1 + next() % 2_000,
    };
    let is_rare = number % 5_000 == 7;
    let names = ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"];
    let rows = names
        .iter()
        .flat_map(|name| ["read", "write"].map(|direction| (*name, direction)));
    let noise = |next: &mut dyn FnMut() -> u64| 1e8 + f64::from((next() & 0xffff) as u16);
    NewRun {
        started_at: Nanos(number * 1_000_000),
        method: if is_rare {
            "scan/surface"
        } else {
            "mark/default"
        }
        .to_owned(),
        target: format!("/mnt/{device}"),
        device: format!("Example 1000 SERIAL-{device} · partition 1 · ext4 {device:032x}"),
        device_name: "Example 1000".to_owned(),
        host: Some("workstation".to_owned()),
        verdict: Some(if is_rare {
            Verdict::Invalid
        } else {
            Verdict::Verified
        }),
        fingerprint: "0123456789abcdef".to_owned(),
        sokudo_version: "0.1.0".to_owned(),
        origin: None,
        command: format!("sokudo mark /mnt/{device}"),
        interrupted: false,
        answer: None,
        rows: rows
            .map(|(name, direction)| ListedRow {
                name: name.to_owned(),
                direction: direction.to_owned(),
                fingerprint: format!("{name}{direction}"),
                verdict: Some(Verdict::Verified),
                bytes_per_s: Some(noise(&mut next)),
                ios_per_s: Some(noise(&mut next)),
                latency_ns: Some(noise(&mut next)),
                trials: 6,
                stands_for_disk: Some(true),
            })
            .collect(),
        document: std::iter::repeat_with(|| next().to_le_bytes())
            .flatten()
            .take(bytes)
            .collect(),
        summary: Vec::new(),
    }
}
