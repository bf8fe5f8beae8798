//! Gives an importer millions of damaged texts: `fuzz FORMAT COUNT SEED`, where FORMAT is a
//! folder of `corpus/`, or `all`.
//!
//! The same seed gives the same texts. Each processor gets a process of its own
//! (`FUZZ_PROCESSES` says how many), so that the death of one is seen. A text that panics or
//! takes too long is written beside the corpus as `crash-FORMAT-NUMBER` and named; a process
//! whose memory has grown beyond what any text may cost has failed.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]
#![allow(
    clippy::cast_possible_truncation,
    reason = "random numbers below bounds that are small"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// No damaged text is longer: what is long is the affair of `bench/import`.
const BYTES_MAX: usize = 64 << 10;
/// No text of that length may take longer.
const TIME_MAX: Duration = Duration::from_secs(5);
/// No text of that length may cost more memory, the corpus included.
const MEMORY_KIB_MAX: u64 = 256 << 10;
/// Damages of one text at most.
const DAMAGES_MAX: u64 = 8;
/// What formats tell apart, and numbers that break arithmetic.
const TOKENS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "0x7f",
    "1.7976931348623157e308",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    ";",
    "|",
    "<",
    ">",
    "&",
    "%",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "null",
    "true",
    "\\u0000",
    "\\ud800",
    "MiB/s",
    "MB/s",
    "KB/s",
    "read",
    "write",
    "\"bins\"",
    "\"jobs\"",
    "&lt;",
    "<!--",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE a [",
    "1970-01-01T00:00:00",
    "9999-12-31 23:59:59",
    "total:",
    "速度",
    "\u{1b}[31m",
    "(",
    ")",
    "=",
    "/",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format, count, seed, rest @ ..] = &arguments[..] else {
        eprintln!(
            "fuzz FORMAT COUNT SEED; FORMAT is all, or of {}",
            formats().join(", ")
        );
        return ExitCode::from(2);
    };
    let (Ok(count), Ok(seed)) = (count.parse::<u64>(), seed.parse::<u64>()) else {
        eprintln!("COUNT and SEED are whole numbers");
        return ExitCode::from(2);
    };
    let formats = if format == "all" {
        formats()
    } else {
        vec![format.clone()]
    };
    // A child has its share as further arguments.
    if let [share, shares] = rest {
        let (Ok(share), Ok(shares)) = (share.parse(), shares.parse()) else {
            return ExitCode::from(2);
        };
        return work(
            &formats[0],
            Share {
                count,
                seed,
                share,
                shares,
            },
        );
    }
    let mut is_clean = true;
    for format in formats {
        is_clean &= spread(&format, count, seed);
    }
    if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

pub(crate) fn formats() -> Vec<String> {
    let folders = std::fs::read_dir(corpus()).into_iter().flatten().flatten();
    let mut names: Vec<String> = folders
        .filter(|folder| folder.path().is_dir())
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Starts a process per processor, and waits for all.
fn spread(format: &str, count: u64, seed: u64) -> bool {
    let shares = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let shares = std::env::var("FUZZ_PROCESSES")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(shares);
    let started = Instant::now();
    let program = std::env::current_exe().expect("a program knows itself");
    let children: Vec<_> = (0..shares)
        .map(|share: u64| {
            let numbers = [count, seed, share, shares].map(|number| number.to_string());
            Command::new(&program).arg(format).args(numbers).spawn()
        })
        .collect();
    let mut is_clean = true;
    for child in children {
        let status = child.and_then(|mut child| child.wait());
        is_clean &= status.is_ok_and(|status| status.success());
    }
    let seconds = started.elapsed().as_secs_f64();
    let word = if is_clean { "clean" } else { "NOT CLEAN" };
    println!("{format}: {count} inputs, seed {seed}, {seconds:.0} s: {word}");
    is_clean
}

/// Which of all texts a process makes.
pub(crate) struct Share {
    pub(crate) count: u64,
    pub(crate) seed: u64,
    pub(crate) share: u64,
    pub(crate) shares: u64,
}

/// Reads damaged texts, and tells what is wrong.
pub(crate) fn work(format: &str, part: Share) -> ExitCode {
    let texts: Vec<(String, Vec<u8>)> = std::fs::read_dir(corpus().join(format))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            Some((name, std::fs::read(file.path()).ok()?))
        })
        .collect();
    if texts.is_empty() {
        eprintln!("there is no corpus of {format}");
        return ExitCode::from(2);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut is_clean = true;
    for number in (part.share..part.count).step_by(part.shares as usize) {
        let mut random = Random(part.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (name, text) = damaged(&texts, &mut random);
        let outcome = || std::panic::catch_unwind(|| sokudo_import::read(&name, &text[..]).is_ok());
        let is_slow = || {
            let started = Instant::now();
            outcome().is_ok() && started.elapsed() > TIME_MAX
        };
        let started = Instant::now();
        let why = match outcome() {
            Err(_) => "panics",
            // Once more, for the machine may have been busy.
            Ok(_) if started.elapsed() > TIME_MAX && is_slow() => "takes too long",
            Ok(_) => continue,
        };
        let path = corpus().join(format!("crash-{format}-{number}"));
        let _ = std::fs::write(&path, &text);
        println!(
            "{format}: input {number} of seed {} {why}: {}",
            part.seed,
            path.display()
        );
        is_clean = false;
    }
    if let Some(peak) = peak_kib() {
        println!(
            "{format}: process {} of {} had {} MiB at most",
            part.share + 1,
            part.shares,
            peak >> 10
        );
        is_clean &= peak <= MEMORY_KIB_MAX;
    }
    if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The most memory that this process has had.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A text of the corpus with some damage.
fn damaged(texts: &[(String, Vec<u8>)], random: &mut Random) -> (String, Vec<u8>) {
    // Long texts take most of the time, and say little more than short ones.
    let picks = [(); 3].map(|()| &texts[random.below(texts.len())]);
    let (name, text) = picks
        .into_iter()
        .min_by_key(|(_, text)| text.len())
        .unwrap_or(&texts[0]);
    let mut text = text.clone();
    // Whole texts hide what is at their beginning: many are made short first.
    if random.below(3) == 0 && text.len() > 64 {
        let (from, length) = (random.below(text.len()), random.below(4_096) + 1);
        let end = (from + length).min(text.len());
        text.drain(from..end);
    }
    for _ in 0..=random.below(DAMAGES_MAX as usize) {
        damage(&mut text, texts, random);
    }
    text.truncate(BYTES_MAX);
    (name.clone(), text)
}

fn damage(text: &mut Vec<u8>, texts: &[(String, Vec<u8>)], random: &mut Random) {
    let at = random.below(text.len() + 1);
    let end = (at + random.below(32)).min(text.len());
    match random.below(9) {
        0 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => text.truncate(at),
        2 => drop(text.drain(at..end)),
        3 => {
            let token = TOKENS[random.below(TOKENS.len())];
            text.splice(at..at, token.bytes());
        }
        4 => {
            let token = TOKENS[random.below(TOKENS.len())];
            text.splice(at..end, token.bytes());
        }
        // Another place of the same text once more.
        5 => {
            let from = random.below(text.len() + 1);
            let piece = text[from..(from + random.below(512)).min(text.len())].to_vec();
            text.splice(at..at, piece);
        }
        // A piece of another.
        6 => {
            let other = &texts[random.below(texts.len())].1;
            let from = random.below(other.len() + 1);
            let piece = other[from..(from + random.below(2_048)).min(other.len())].to_vec();
            text.splice(at..end, piece);
        }
        7 => number(text, at, random),
        _ => {
            let count = random.below(64);
            let byte = random.below(256) as u8;
            text.splice(at..at, std::iter::repeat_n(byte, count));
        }
    }
}

/// Another number in the place of the next one.
fn number(text: &mut Vec<u8>, from: usize, random: &mut Random) {
    let Some(start) = text[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + start;
    let length = text[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let value = match random.below(3) {
        0 => TOKENS[random.below(18)].to_owned(),
        1 => random.next().to_string(),
        _ => random.below(1_000).to_string(),
    };
    text.splice(start..start + length, value.bytes());
}

/// SplitMix64.
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    const fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
