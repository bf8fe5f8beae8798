//! What contradicts itself in a time span, from a command line or a profile alike.

use sokudo_model::{Bytes, Stage};

use crate::diskspd::session::{DiskspdContent, DiskspdDistribution, DiskspdSpan, DiskspdTarget};

use super::error::{DiskspdError, DiskspdProblem};

/// No device has a smaller sector.
const SECTOR_BYTES: u64 = 512;
/// Threads of all time spans: each is a row of the results, kept to the end.
const THREADS_OF_ALL_MAX: u64 = 32_768;

const LEAVE_OUT: &str = "leave out one of them";

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
    let has_both = span.disable_affinity && !span.affinity.is_empty();
    not_both(has_both, "-n", "-a", LEAVE_OUT)?;
    let has_requests = span.request_count > 0;
    not_alone(has_requests && span.thread_count == 0, "-O", "-F<threads>")?;
    for target in &span.targets {
        let way_out = "keep -t (threads per target) or -F (threads in all)";
        not_both(
            span.thread_count > 0 && target.threads > 1,
            "-t",
            "-F",
            way_out,
        )?;
        pace(span, target, &mut notes)?;
        order(target, span.threads_on(target), &mut notes)?;
        memory(span, target)?;
        alignment(target)?;
        if let Some(distribution) = &target.distribution {
            ranges(target, distribution)?;
        }
    }
    at_most(threads_total(span), Stage::THREADS_MAX.into())?;
    Ok(notes)
}

/// Threads of sokudo that the time span will run as.
pub(super) fn threads_total(span: &DiskspdSpan) -> u64 {
    let of = |target: &DiskspdTarget| {
        let slots = if target.parallel { target.requests } else { 1 };
        u64::from(span.threads_on(target)) * u64::from(slots)
    };
    span.targets.iter().map(of).fold(0, u64::saturating_add)
}

fn pace(
    span: &DiskspdSpan,
    target: &DiskspdTarget,
    notes: &mut Vec<String>,
) -> Result<(), DiskspdError> {
    let (has_rate, has_pause) = (target.throughput.is_some(), target.think_ms > 0);
    let has_both = has_rate && span.completion_routines;
    not_both(has_both, "-g", "-x (completion routines)", LEAVE_OUT)?;
    not_alone(has_pause && target.burst == 0, "-j", "-i<I/Os per burst>")?;
    if target.burst > 0 && !has_pause {
        notes.push(
            "-i changes nothing without -j: bursts follow one another without a pause.".to_owned(),
        );
    }
    if span.request_count == 0 {
        return Ok(());
    }
    let way_out = "use -o, requests per target";
    not_both(has_rate, "-g", "-O", way_out)?;
    not_both(has_pause, "-j", "-O", way_out)?;
    not_both(target.parallel, "-p", "-O", way_out)?;
    // One thread has one position, block size and mix for all of its targets.
    let first = &span.targets[0];
    let mut like_first = target.clone();
    like_first.path.clone_from(&first.path);
    like_first.create = first.create;
    let way_out = "give all targets the same options, or use -o";
    not_both(like_first != *first, "-O", "targets that differ", way_out)
}

fn order(
    target: &DiskspdTarget,
    threads: u32,
    notes: &mut Vec<String>,
) -> Result<(), DiskspdError> {
    let has_stride = target.thread_stride > Bytes(0);
    if target.random_percent > 0 {
        not_both(has_stride, "-T", "-r", LEAVE_OUT)?;
        not_both(target.interlocked, "-si", "-r", LEAVE_OUT)?;
        return not_both(target.parallel, "-p", "-r", LEAVE_OUT);
    }
    not_alone(target.distribution.is_some(), "-rd", "-r")?;
    if target.parallel && target.requests == 1 {
        notes.push("-p changes nothing with one I/O in flight (-o1).".to_owned());
    }
    if target.interlocked {
        not_both(has_stride, "-T", "-si", LEAVE_OUT)?;
        not_both(target.parallel, "-p", "-si", LEAVE_OUT)?;
    }
    match (threads, target.interlocked, has_stride) {
        (1, true, _) => {
            notes.push("-si changes nothing with one thread per target.".to_owned());
        }
        (1, false, true) => {
            notes.push("-T changes nothing with one thread per target.".to_owned());
        }
        (2.., false, false) => {
            let path = &target.path;
            notes.push(format!(
                "{path}: each of {threads} threads walks the whole target by itself, so that the target does not see one sequential pass; -si makes it one."
            ));
        }
        _ => {}
    }
    Ok(())
}

fn memory(span: &DiskspdSpan, target: &DiskspdTarget) -> Result<(), DiskspdError> {
    let way_out = "memory mapped I/O lives in the page cache; leave out one of them";
    let has_both = target.mapped && target.unbuffered;
    not_both(has_both, "-Sm", "-S, -Su, -Sd or -Sh", way_out)?;
    let has_both = target.mapped && span.completion_routines;
    not_both(has_both, "-Sm", "-x", LEAVE_OUT)?;
    not_alone(target.flush_mapped && !target.mapped, "-Nv", "-Sm")?;
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
    for (location, bytes) in [
        ("-b", target.block),
        ("-B", target.base),
        ("-T", target.thread_stride),
        (stride, target.stride_or_block()),
    ] {
        if !bytes.0.is_multiple_of(SECTOR_BYTES) {
            return Err(DiskspdError::new(
                location,
                DiskspdProblem::Unaligned { bytes },
            ));
        }
    }
    Ok(())
}

fn ranges(target: &DiskspdTarget, ranges: &DiskspdDistribution) -> Result<(), DiskspdError> {
    let not = |is_wrong, what| match is_wrong {
        true => Err(DiskspdError::new(
            "-rd",
            DiskspdProblem::Distribution { what },
        )),
        false => Ok(()),
    };
    let absolute = ranges.absolute;
    let (mut shares, mut lengths) = (0u64, Some(0u64));
    for (index, &(share, length)) in ranges.ranges.iter().enumerate() {
        let may_be_rest = absolute && index + 1 == ranges.ranges.len();
        not(length == 0 && !may_be_rest, "a range has no length")?;
        let is_small = absolute && length > 0 && length < target.block.0;
        not(is_small, "a range is smaller than the block size")?;
        shares += u64::from(share);
        lengths = lengths.and_then(|lengths| lengths.checked_add(length));
        not(lengths.is_none(), "the ranges add up to more than 16 EiB")?;
    }
    not(
        shares > 100,
        "the percentages of I/Os add up to more than 100",
    )?;
    let percent = lengths.filter(|_| !absolute);
    not(
        percent > Some(100),
        "the percentages of the target add up to more than 100",
    )?;
    let is_short = percent == Some(100) && shares < 100;
    not(
        is_short,
        "the whole target is covered before all I/Os are given out",
    )
}

fn not_both(
    has_both: bool,
    location: &str,
    other: &'static str,
    way_out: &'static str,
) -> Result<(), DiskspdError> {
    match has_both {
        true => Err(DiskspdError::new(
            location,
            DiskspdProblem::Conflict { other, way_out },
        )),
        false => Ok(()),
    }
}

fn not_alone(is_alone: bool, location: &str, other: &'static str) -> Result<(), DiskspdError> {
    match is_alone {
        true => Err(DiskspdError::new(location, DiskspdProblem::Alone { other })),
        false => Ok(()),
    }
}
