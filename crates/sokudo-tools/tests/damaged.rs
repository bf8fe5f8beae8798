//! Damaged texts of every format: none may panic, take long or cost much memory.
//!
//! A push reads 250 of each, `SOKUDO_TEST_SCALE=1000` a quarter of a million.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its corpus fails"
)]

#[path = "damaged/damage.rs"]
mod damage;

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use sokudo_testing::{draws, seed};

/// No text of the length that damaged ones have may take more of a processor's time.
const TIME_MAX: Duration = Duration::from_secs(5);
/// So many texts are read at once, however many processors there are.
const THREADS_MAX: usize = 8;
/// More than so many texts of that length may need.
const MEMORY_KIB_MAX: u64 = 256 << 10;
/// So many texts that are read badly say enough.
const TOLD_MAX: usize = 10;

/// A file of the corpus, its name and what it holds.
type Text = (String, Vec<u8>);

#[test]
fn many_draws_of_damaged_text_neither_panic_nor_cost_much() {
    let (count, seed) = (draws(250).into(), seed() + 1);
    let formats = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    assert!(formats.len() > 10, "{formats:?}");
    for format in formats {
        let start = Instant::now();
        let format_name = format.file_name().unwrap().display();
        let texts: Vec<Text> = entries(&format).iter().map(|file| text(file)).collect();
        let wrong = wrong_of(&texts, count, seed);
        assert!(wrong.is_empty(), "{format_name}, seed {seed}: {wrong:#?}");
        let (seconds, peak) = (start.elapsed().as_secs(), peak_kib());
        println!("{format_name}: {count} texts of seed {seed}, {seconds} s, {peak} KiB");
        assert!(peak <= MEMORY_KIB_MAX, "{format_name}: {peak} KiB");
    }
}

/// What is wrong with so many damaged texts, which the processors share.
fn wrong_of(texts: &[Text], count: u64, seed: u64) -> Vec<String> {
    let threads = thread::available_parallelism().unwrap().get();
    let threads = threads.min(THREADS_MAX);
    thread::scope(|scope| {
        let share = |share| {
            scope.spawn(move || -> Vec<String> {
                let numbers = (0..count).skip(share).step_by(threads);
                let seeds = numbers.map(|it| seed ^ it.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let wrong = seeds.filter_map(|seed| wrong_with(texts, seed));
                wrong.take(TOLD_MAX).collect()
            })
        };
        let shares: Vec<_> = (0..threads).map(share).collect();
        let told = shares.into_iter().flat_map(|share| share.join().unwrap());
        told.collect()
    })
}

/// What a folder holds, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn text(file: &Path) -> Text {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    (name, fs::read(file).unwrap())
}

/// How a damaged text is read badly, and where it is kept.
fn wrong_with(texts: &[Text], number: u64) -> Option<String> {
    let (name, text) = damage::damaged(texts, number);
    let start = processor_time();
    let read = panic::catch_unwind(|| sokudo_tools::read(name, &text[..]).is_ok());
    let why = match read {
        Err(_) => "panics",
        Ok(_) if processor_time() - start > TIME_MAX => "takes long",
        Ok(_) => return None,
    };
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("damaged-{number}-{name}"));
    fs::write(&kept, &text).unwrap();
    Some(format!("{} {why}", kept.display()))
}

/// What this thread has used of a processor: how long it waits for one is not its fault.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// The most memory that this process has had.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
