//! What contradicts itself in a time span, from a command line or a profile alike.

use sokudo_model::Bytes;
use sokudo_model::diskspd::{DiskspdContent, DiskspdDistribution, DiskspdSpan, DiskspdTarget};

use super::error::{DiskspdError, DiskspdProblem};

/// No device has a smaller sector.
const SECTOR_BYTES: u64 = 512;
/// Threads of one time span. Beyond that Linux runs out of threads and of asynchronous
/// requests (65,536 for all processes by default, `fs.aio-max-nr`) before anything is learnt.
const THREADS_MAX: u64 = 4_096;
/// Threads of all time spans: each is a row of the results, kept to the end.
const THREADS_OF_ALL_MAX: u64 = 32_768;

/// Refuses what cannot be meant; returns what is worth a note.
pub(super) fn spans(spans: &[DiskspdSpan]) -> Result<Vec<String>, DiskspdError> {
    let mut notes = Vec::new();
    for one in spans {
        notes.extend(span(one)?);
    }
    let threads = spans.iter().map(threads_total).fold(0, u64::saturating_add);
    at_most(threads, THREADS_OF_ALL_MAX)?;
    Ok(notes)
}

fn at_most(threads: u64, limit: u64) -> Result<(), DiskspdError> {
    if threads > limit {
        let problem = DiskspdProblem::TooManyThreads { threads, limit };
        return Err(DiskspdError::new("-t, -F and targets", problem));
    }
    Ok(())
}

fn span(span: &DiskspdSpan) -> Result<Vec<String>, DiskspdError> {
    let mut notes = Vec::new();
    if span.disable_affinity && !span.affinity.is_empty() {
        return Err(conflict("-n", "-a", "leave out one of them"));
    }
    if span.request_count > 0 && span.thread_count == 0 {
        return Err(alone("-O", "-F<threads>"));
    }
    for target in &span.targets {
        let threads = match span.thread_count {
            0 => target.threads,
            _ if target.threads > 1 => {
                let way_out = "keep -t (threads per target) or -F (threads in all)";
                return Err(conflict("-t", "-F", way_out));
            }
            count => count,
        };
        pace(span, target, &mut notes)?;
        order(target, threads, &mut notes)?;
        memory(span, target)?;
        alignment(target)?;
        if let Some(distribution) = &target.distribution {
            ranges(target, distribution)?;
        }
    }
    at_most(threads_total(span), THREADS_MAX)?;
    Ok(notes)
}

/// Threads of sokudo that the time span will run as.
pub(super) fn threads_total(span: &DiskspdSpan) -> u64 {
    let of = |target: &DiskspdTarget| {
        let threads = match span.thread_count {
            0 => target.threads,
            count => count,
        };
        let slots = if target.parallel { target.requests } else { 1 };
        u64::from(threads) * u64::from(slots)
    };
    span.targets.iter().map(of).fold(0, u64::saturating_add)
}

fn pace(
    span: &DiskspdSpan,
    target: &DiskspdTarget,
    notes: &mut Vec<String>,
) -> Result<(), DiskspdError> {
    if target.throughput.is_some() && span.completion_routines {
        let way_out = "leave out one of them";
        return Err(conflict("-g", "-x (completion routines)", way_out));
    }
    match (target.burst, target.think_ms) {
        (0, 1..) => return Err(alone("-j", "-i<I/Os per burst>")),
        (1.., 0) => notes.push(
            "-i changes nothing without -j: bursts follow one another without a pause.".to_owned(),
        ),
        _ => {}
    }
    if span.request_count > 0 {
        let way_out = "use -o, requests per target";
        if target.throughput.is_some() {
            return Err(conflict("-g", "-O", way_out));
        }
        if target.think_ms > 0 {
            return Err(conflict("-j", "-O", way_out));
        }
        if target.parallel {
            return Err(conflict("-p", "-O", way_out));
        }
        // One thread has one position, block size and mix for all of its targets.
        let mut like_first = target.clone();
        if let Some(first) = span.targets.first() {
            like_first.path.clone_from(&first.path);
            like_first.create = first.create;
            if like_first != *first {
                let way_out = "give all targets the same options, or use -o";
                return Err(conflict("-O", "targets that differ", way_out));
            }
        }
    }
    Ok(())
}

fn order(
    target: &DiskspdTarget,
    threads: u32,
    notes: &mut Vec<String>,
) -> Result<(), DiskspdError> {
    let way_out = "leave out one of them";
    if target.random_percent > 0 {
        if target.thread_stride > Bytes(0) {
            return Err(conflict("-T", "-r", way_out));
        }
        if target.interlocked {
            return Err(conflict("-si", "-r", way_out));
        }
        if target.parallel {
            return Err(conflict("-p", "-r", way_out));
        }
        return Ok(());
    }
    if target.distribution.is_some() {
        return Err(alone("-rd", "-r"));
    }
    if target.parallel && target.requests == 1 {
        notes.push("-p changes nothing with one I/O in flight (-o1).".to_owned());
    }
    if !target.interlocked {
        if threads > 1 && target.thread_stride == Bytes(0) {
            let path = &target.path;
            notes.push(format!(
                "{path}: each of {threads} threads walks the whole target by itself, so that the target does not see one sequential pass; -si makes it one."
            ));
        }
        if threads == 1 && target.thread_stride > Bytes(0) {
            notes.push("-T changes nothing with one thread per target.".to_owned());
        }
        return Ok(());
    }
    if target.thread_stride > Bytes(0) {
        return Err(conflict("-T", "-si", way_out));
    }
    if target.parallel {
        return Err(conflict("-p", "-si", way_out));
    }
    if threads == 1 {
        notes.push("-si changes nothing with one thread per target.".to_owned());
    }
    Ok(())
}

fn memory(span: &DiskspdSpan, target: &DiskspdTarget) -> Result<(), DiskspdError> {
    if target.mapped {
        if target.unbuffered {
            let way_out = "memory mapped I/O lives in the page cache; leave out one of them";
            return Err(conflict("-Sm", "-S, -Su, -Sd or -Sh", way_out));
        }
        if span.completion_routines {
            return Err(conflict("-Sm", "-x", "leave out one of them"));
        }
    } else if target.flush_mapped {
        return Err(alone("-Nv", "-Sm"));
    }
    if let DiskspdContent::Source { bytes, .. } = &target.content
        && *bytes < target.block
    {
        let expected = "a buffer that is not smaller than the block size (-b)";
        return Err(DiskspdError::new(
            format!("-Z{}", bytes.0),
            DiskspdProblem::Bad { expected },
        ));
    }
    Ok(())
}

/// O_DIRECT takes whole sectors.
fn alignment(target: &DiskspdTarget) -> Result<(), DiskspdError> {
    if !target.unbuffered {
        return Ok(());
    }
    let stride = if target.random_percent > 0 {
        "-r"
    } else {
        "-s"
    };
    for (place, bytes) in [
        ("-b", target.block),
        ("-B", target.base),
        ("-T", target.thread_stride),
        (stride, target.stride_or_block()),
    ] {
        if !bytes.0.is_multiple_of(SECTOR_BYTES) {
            return Err(DiskspdError::new(
                place,
                DiskspdProblem::Unaligned { bytes },
            ));
        }
    }
    Ok(())
}

fn ranges(target: &DiskspdTarget, ranges: &DiskspdDistribution) -> Result<(), DiskspdError> {
    let wrong = |what| {
        Err(DiskspdError::new(
            "-rd",
            DiskspdProblem::Distribution { what },
        ))
    };
    let (mut shares, mut lengths) = (0u64, 0u64);
    for (index, &(share, length)) in ranges.ranges.iter().enumerate() {
        let is_last = index + 1 == ranges.ranges.len();
        if length == 0 && !(ranges.absolute && is_last) {
            return wrong("a range has no length");
        }
        if ranges.absolute && length > 0 && length < target.block.0 {
            return wrong("a range is smaller than the block size");
        }
        shares += u64::from(share);
        lengths = match lengths.checked_add(length) {
            Some(lengths) => lengths,
            None => return wrong("the ranges add up to more than 16 EiB"),
        };
    }
    if shares > 100 {
        return wrong("the percentages of I/Os add up to more than 100");
    }
    if !ranges.absolute && lengths > 100 {
        return wrong("the percentages of the target add up to more than 100");
    }
    if !ranges.absolute && lengths == 100 && shares < 100 {
        return wrong("the whole target is covered before all I/Os are given out");
    }
    Ok(())
}

fn conflict(place: &str, other: &'static str, way_out: &'static str) -> DiskspdError {
    DiskspdError::new(place, DiskspdProblem::Conflict { other, way_out })
}

fn alone(place: &str, other: &'static str) -> DiskspdError {
    DiskspdError::new(place, DiskspdProblem::Alone { other })
}
