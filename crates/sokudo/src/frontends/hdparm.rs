//! `sokudo hdparm`, and sokudo under the name of hdparm: the two timings of hdparm and what
//! disks say of themselves, in its words.
//!
//! What hdparm does is in `sokudo_tools::hdparm`; the page cache is emptied before it, as
//! hdparm does. Its timings are judged as those of any command. It changes nothing:
//! switches that do are refused.

pub(crate) mod arguments;
mod identify;

use std::ffi::OsString;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use sokudo_device::System;
use sokudo_engine::{Control, FileTarget};
use sokudo_measure::{MeasureError, Measurement, Named};
use sokudo_model::disk::Disk;
use sokudo_model::{
    Bytes, DirectMode, FailureKind, Method, Nanos, Outcome, Plan, Row, Run, Schedule, Severity,
    Stage, StopReason, Subject, TargetKind, Verdict, Workload,
};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{interrupt, output, remedies};
use sokudo_tools::hdparm;
use sokudo_words::{Text, text};

use arguments::HdparmArguments;
use identify::IdentifyPage;

/// Times every device, cached reads first, as hdparm does.
pub(crate) fn run(arguments: &HdparmArguments) -> Result<(), Exit> {
    let times = arguments.device_reads || arguments.cached_reads;
    let tells = arguments.identify || arguments.identify_shortly || arguments.write_cache;
    if !times && !tells {
        return Err(Exit::usage(text!(
            "no action is given; use -t for device reads, -T for cached reads, -I or -i for the disk's identity, -W for its write cache"
        )));
    }
    let control = Control::new();
    if times {
        interrupt::watch(&control)?;
    }
    let mut is_reported = true;
    for device in &arguments.devices {
        unopened(device, times).map_or(Ok(()), Err)?;
        output::print(&format!("\n{}:\n", device.display()))?;
        if tells {
            is_reported &= tell(device, arguments)?;
        }
        if times {
            time(device, arguments, &control)?;
        }
    }
    match is_reported {
        true => Ok(()),
        false => Err(Exit::AsReported(NO_IDENTITY)),
    }
}

/// As hdparm ends where it cannot open a device; an identity needs no right to open one.
fn unopened(device: &Path, times: bool) -> Option<Exit> {
    let opened = rustix::fs::open(device, OFlags::NONBLOCK, Mode::empty());
    let errno = opened.err().filter(|it| times || *it == Errno::NOENT)?;
    let error = io::Error::from(errno).to_string();
    let reason = error.split(" (").next().unwrap_or_default();
    exit::fault(format!("{}: {reason}", device.display()));
    let code = u8::try_from(errno.raw_os_error()).ok();
    code.map(Exit::AsReported)
}

/// How hdparm ends where a disk gives no identity: with the system's "invalid argument".
const NO_IDENTITY: u8 = 22;

/// Prints what the disk says of itself; `false` where hdparm ends with an error. Of a disk
/// that is no ATA disk hdparm prints nothing.
fn tell(device: &Path, arguments: &HdparmArguments) -> Result<bool, Exit> {
    let disk = sokudo_device::disk(&System::host(), device).map_err(Exit::failed)?;
    let Some(identity) = &disk.identity.ata else {
        exit::note(text!(
            "{} is not an ATA disk, or you may not query it; sokudo info shows every disk",
            device.display()
        ));
        if arguments.identify_shortly {
            exit::fault("HDIO_GET_IDENTITY failed: Invalid argument");
        }
        return Ok(!arguments.identify_shortly);
    };
    if arguments.write_cache {
        let state = match identity.write_cache {
            Some(true) => " 1 (on)",
            Some(false) => " 0 (off)",
            None => "not supported",
        };
        output::print(&format!(" write-caching = {state}\n"))?;
    }
    let bytes = identify_page(&disk);
    let page = bytes
        .as_deref()
        .and_then(|bytes| IdentifyPage::new(bytes, identity));
    let Some(page) = page.filter(|_| arguments.identify || arguments.identify_shortly) else {
        return Ok(true);
    };
    if arguments.identify_shortly {
        output::print(&page.brief())?;
    }
    if arguments.identify {
        output::print(&page.detailed())?;
    }
    Ok(true)
}

/// IDENTIFY DEVICE as the disk sent it, or as its host adapter passes it on (VPD 89h, behind
/// 60 bytes of its own).
fn identify_page(disk: &Disk) -> Option<Vec<u8>> {
    let bytes = |name: &str| -> Option<Vec<u8>> {
        let digits = disk.raw.get(name)?.split_whitespace();
        digits
            .map(|byte| u8::from_str_radix(byte, 16).ok())
            .collect()
    };
    bytes("IDENTIFY DEVICE").or_else(|| Some(bytes("VPD 89h")?.get(60..)?.to_vec()))
}

/// hdparm's switches that change a disk or its settings whenever they are given.
const CHANGING: &[(&str, &str)] = &[
    ("-F", "flushes the drive's cache"),
    ("-w", "resets the drive"),
    ("-X", "sets the transfer mode"),
    ("-y", "spins the drive down"),
    ("-Y", "puts the drive to sleep"),
    ("-z", "reads the partition table again"),
    ("-Z", "switches the power saving"),
    ("--dco", "changes the configuration of the drive"),
    ("--drq-hsm-error", "crashes the system"),
    ("--fallocate", "makes a file"),
    ("--fwdownload", "writes the drive's firmware"),
    ("--idle", "puts the drive into idle mode"),
    ("--make-bad-sector", "damages a sector"),
    ("--repair-sector", "overwrites a sector"),
    (
        "--sanitize",
        "erases the drive, or changes what may erase it",
    ),
    ("--security", "locks, unlocks or erases the drive"),
    ("--set-sector-size", "changes the size of sectors"),
    ("--trim-sector-ranges", "discards data"),
    ("--write-sector", "overwrites a sector"),
    (
        "--yes-i-know-what-i-am-doing",
        "confirms what destroys data",
    ),
    ("--please-destroy-my-drive", "confirms what destroys data"),
];

/// Those that set something where a number follows, and else only tell it.
const SETTING: &[(char, &str)] = &[
    ('a', "sets the read-ahead"),
    ('A', "switches the drive's look-ahead"),
    ('b', "sets the state of the bus"),
    ('B', "sets the power management"),
    ('c', "sets the transfer of the adapter"),
    ('d', "switches DMA"),
    ('D', "switches the management of defects"),
    ('E', "sets the speed of a CD drive"),
    ('J', "sets a timer of the drive"),
    ('k', "keeps settings over a reset"),
    ('K', "keeps features over a reset"),
    ('L', "locks the door"),
    ('m', "sets the sectors per interrupt"),
    ('M', "sets the acoustic management"),
    ('n', "ignores errors of writes"),
    ('N', "sets how many sectors can be seen"),
    ('p', "sets the PIO mode"),
    ('P', "sets the drive's prefetch"),
    ('Q', "sets the depth of the queue"),
    ('r', "sets the device read-only"),
    ('R', "switches the check of writes"),
    ('s', "keeps the drive in standby after power-up"),
    ('S', "sets the drive's standby timer"),
    ('u', "sets the interrupts"),
    ('W', "switches the drive's write cache"),
];

/// Those that read, or that say how to print, and that are none of ours.
const OTHERS: &str = "aAbBcCdDEgHJkKLmMnNpPqQrRsSuvV";

/// The first of hdparm's switches among these arguments that changes a disk, or else that is none
/// of ours. Letters may stand together (`-tT`).
pub(crate) fn refused(arguments: &[OsString]) -> Option<Exit> {
    let words = arguments.iter().filter_map(|argument| argument.to_str());
    let words = words.take_while(|word| *word != "--");
    let changing = words
        .clone()
        .find_map(|word| Some((word, changing(word)?)))
        .map(|(switch, what)| {
            Exit::refused(text!(
                "{switch} {}, and sokudo hdparm changes nothing; use hdparm itself",
                Text::from(what)
            ))
        });
    let is_other = |word: &&str| {
        let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
        letters.is_some_and(|it| it.contains(|letter| OTHERS.contains(letter)))
    };
    changing.or_else(|| {
        let switch = words.clone().find(is_other)?;
        Some(Exit::usage(text!(
            "sokudo hdparm has no {switch}, only -t, -T, -I, -i and -W; use hdparm itself, or sokudo info for what a disk reports"
        )))
    })
}

fn changing(word: &str) -> Option<&'static str> {
    let named = |is_it: &dyn Fn(&str) -> bool| {
        let found = CHANGING.iter().find(|(switch, _)| is_it(switch));
        found.map(|(_, what)| *what)
    };
    if word.starts_with("--") {
        return named(&|switch| switch.len() > 2 && word.starts_with(switch));
    }
    let letters: Vec<char> = word.strip_prefix('-')?.chars().collect();
    letters.iter().enumerate().find_map(|(at, letter)| {
        let is_set = letters.get(at + 1).is_some_and(char::is_ascii_digit);
        let sets = SETTING
            .iter()
            .find(|(setting, _)| is_set && setting == letter);
        let sets = sets.map(|(_, what)| *what);
        sets.or_else(|| named(&|switch| switch.len() == 2 && switch.ends_with(*letter)))
    })
}

/// Prints the timings of a device, and tells on standard error what speaks against them:
/// scripts take standard output apart.
fn time(device: &Path, arguments: &HdparmArguments, control: &Control) -> Result<(), Exit> {
    let name = device.to_string_lossy();
    let named = Named::recognise(&name);
    let named = named.map_err(|error| Exit::from(error).without_usage())?;
    if named.kind() != TargetKind::BlockDevice {
        return Err(Exit::failed(text!(
            "{name} is not a block device; name one"
        )));
    }
    let size = match named.size() {
        Some(size) => size,
        // Without sysfs the device itself still knows.
        None => FileTarget::read_only(device)
            .map_err(MeasureError::from)?
            .size(),
    };
    let timings = timings(&name, arguments, size)?;
    let stage = |(_, workload): &(String, Workload)| Stage {
        workloads: vec![workload.clone()],
    };
    let plan = Plan {
        method: Method::new(&sokudo_tools::hdparm::METHOD),
        seed: 0,
        stages: timings.iter().map(stage).collect(),
    };
    let measurement = Measurement {
        schedule: Schedule::in_turn(1, Nanos(0)),
        ..Measurement::new(&name, named, plan)
    };
    let mut prepared = measurement.prepare(control, &mut |_| ())?;
    for (row, (words, _)) in timings.iter().enumerate() {
        let trial = prepared.trial(row, 0, control, &mut |_| ())?;
        check(&name, &trial.outcome)?;
        output::print(&format!("{words}{}\n", figures(&trial.outcome)))?;
        prepared.run.rows[row].trials.push(trial);
    }
    tell_doubts(&name, &remedies::worded(prepared.finish(control)));
    Ok(())
}

/// What is asked for, each with hdparm's words for it.
fn timings(
    name: &str,
    arguments: &HdparmArguments,
    size: Bytes,
) -> Result<Vec<(String, Workload)>, Exit> {
    let (mode, cached, buffered) = match arguments.direct {
        true => (DirectMode::On, "O_DIRECT ", "O_DIRECT"),
        false => (DirectMode::Off, "", "buffered"),
    };
    let mut timings = Vec::new();
    if arguments.cached_reads {
        let words = format!(" Timing {cached}cached reads:   ");
        timings.push((words, hdparm::cached_reads(mode)));
    }
    if arguments.device_reads {
        let gib = arguments.offset_gib;
        let offset = match gib {
            0 => String::new(),
            gib => format!(" (offset {gib} GB)"),
        };
        let start = Bytes(gib.saturating_mul(Bytes::GIB));
        let reads = hdparm::device_reads(mode, start, size).ok_or_else(|| {
            Exit::usage(text!(
                "{name} has less than 2 MiB to read at this offset; name a larger device or a smaller --offset"
            ))
        })?;
        timings.push((format!(" Timing {buffered} disk reads{offset}: "), reads));
    }
    Ok(timings)
}

fn check(name: &str, outcome: &Outcome) -> Result<(), Exit> {
    if outcome.stopped == StopReason::Cancelled {
        return Err(Exit::Interrupted);
    }
    match outcome.failures.first() {
        Some(failure) => Err(Exit::failed(text!(
            "reading {name} failed at byte {}: {}; see the kernel's log (dmesg)",
            failure.offset.0,
            reason(failure.kind)
        ))),
        None => Ok(()),
    }
}

fn reason(kind: FailureKind) -> Text {
    match kind {
        FailureKind::Errno(number) => Text::from(&io::Error::from_raw_os_error(number)),
        FailureKind::Short { requested, moved } => text!("{moved} of {requested} bytes were read"),
        FailureKind::Nothing => text!("no byte was read"),
        // Nothing here passes commands to a drive.
        FailureKind::Unanswered | FailureKind::Nvme(_) => text!("the device did not answer"),
    }
}

fn tell_doubts(name: &str, run: &Run) {
    // A timing of the cache is not meant to be one of the disk.
    let of_disk = |row: &&Row| row.workload.measures.subject == Subject::Device;
    let rows = run.rows.iter().filter(of_disk);
    for assessment in rows.filter_map(|row| row.assessment.as_ref()) {
        if assessment.verdict == Verdict::Verified {
            continue;
        }
        let findings = assessment.findings.iter();
        for finding in findings.filter(|finding| finding.severity > Severity::Info) {
            // Only what decides the verdict stands under its name.
            let code = sokudo_analysis::code_named(&finding.code);
            let decides = code.is_none_or(|it| it.verdict() == assessment.verdict);
            let head = match decides {
                true => assessment.verdict.name(),
                false => "warning",
            };
            exit::note(text!(
                "{name}: {}: {}; {}; {}",
                Text::from(head),
                finding.symptom,
                finding.cause,
                finding.remedy
            ));
        }
    }
}

/// `222 MB in  3.01 seconds =  73.79 MB/sec`, as hdparm prints it.
fn figures(outcome: &Outcome) -> String {
    let mebibytes = outcome.bytes_moved().0 / Bytes::MIB;
    let seconds = outcome.elapsed.as_secs_f64();
    let rate = mebibytes as f64 / seconds.max(f64::MIN_POSITIVE);
    let (rate, unit) = if rate > 1.0 {
        (rate, "MB")
    } else {
        (rate * 1024.0, "kB")
    };
    format!("{mebibytes:3} MB in {seconds:5.2} seconds = {rate:6.2} {unit}/sec")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, Nanos, Operation, OperationTally};

    fn outcome(mebibytes: u64, elapsed: Nanos) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
        outcome.elapsed = elapsed;
        outcome.operations.push(OperationTally {
            bytes: Bytes::mib(mebibytes),
            ..OperationTally::new(Operation::Read)
        });
        outcome
    }

    #[test]
    fn switches_that_change_a_disk_are_known_by_name() {
        let is_refused = |word: &str| changing(word).is_some();
        for word in [
            "-W0",
            "-W1",
            "-tW0",
            "-y",
            "-tY",
            "-N1000",
            "-r1",
            "--security-erase",
            "--fwdownload-mode3",
            "--sanitize-block-erase",
            "--write-sector",
            "--make-bad-sector",
            "--dco-restore",
        ] {
            assert!(is_refused(word), "{word}");
        }
        for word in [
            "-t", "-tT", "-I", "-i", "-W", "-tTIiW", "--direct", "--offset", "/dev/sda", "-V",
        ] {
            assert!(!is_refused(word), "{word}");
        }
    }

    #[test]
    fn figures_are_spaced_as_hdparm_spaces_them() {
        assert_eq!(
            figures(&outcome(222, Nanos::from_millis(3_009))),
            "222 MB in  3.01 seconds =  73.78 MB/sec"
        );
        assert_eq!(
            figures(&outcome(36_792, Nanos::from_millis(1_990))),
            "36792 MB in  1.99 seconds = 18488.44 MB/sec"
        );
        assert_eq!(
            figures(&outcome(2, Nanos::from_secs(4))),
            "  2 MB in  4.00 seconds = 512.00 kB/sec"
        );
    }
}
