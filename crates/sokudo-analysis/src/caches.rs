//! Do the figures look like those of a memory below the kernel: of the drive, its
//! controller, or the host of a virtual machine.
//!
//! Nothing counts what such a memory answers. It is told only where something shows it:
//! its size is known, or I/O was faster than the medium can be.

use sokudo_model::{
    BlockDevice, BlockDeviceKind, Bytes, Distribution, Nanos, Operation, Order, Subject,
    TargetKind, Workload, ZoneLength,
};
use sokudo_stats::Histogram;
use sokudo_words::{Argued, Argument, Text, text};

use crate::case::{RowContext, is_platters};
use crate::code::{Code, RuleResult};
use crate::conditions::throttled_by_cgroup;
use crate::passes::Passes;
use crate::remedy;
use crate::rule::RowRule;
use crate::threshold::{
    COVERAGE_SPAN_MIN, COVERAGE_VISITS_MAX, FLUSHES_MIN, FLUSHES_PER_TURN_MAX, QUICK_READ_MAX,
    QUICK_READS_MIN, QUICK_SHARE_MAX, ROTATION_RPM_MAX, TOUCHED_AGAIN_SHARE_MAX,
};
use crate::touched::{course, span_bytes, touched};

pub(crate) const RULES: &[RowRule] = &[dataset_in_cache, small_coverage, flush_too_fast];

/// So often must all of the data be moved for later passes to have one.
const PASSES_MIN: f64 = 3.0;

/// What was accessed fits a cache, or was answered by one.
fn dataset_in_cache(case: &RowContext<'_>) -> Option<RuleResult> {
    let about_caches = case.row.workload.measures.subject == Subject::Cache;
    let moved = case.moved(Operation::Read) + case.moved(Operation::Write);
    if about_caches || moved == 0 || has_no_medium(case) {
        return None;
    }
    let (symptom, cause) = fits_a_known_cache(case)
        .or_else(|| faster_than_platters(case))
        .or_else(|| faster_after_the_first_pass(case))?;
    Some(RuleResult::new(
        Code::DatasetInCache,
        symptom,
        cause,
        remedy::far_larger_part(),
    ))
}

/// Whether there is no medium that a cache could hide: what is memory itself says so by
/// findings of its own.
fn has_no_medium(case: &RowContext<'_>) -> bool {
    let is_memory = |leaf: &BlockDevice| leaf.kind == BlockDeviceKind::Memory;
    case.target().kind == TargetKind::Null
        || case.in_memory()
        || case.target().leaves().any(is_memory)
}

/// The disk says how large its cache is.
fn fits_a_known_cache(case: &RowContext<'_>) -> Option<(Text, Text)> {
    let (span, touched) = (span_bytes(case)?, touched(case)?.bytes);
    if is_flushed_within(&case.row.workload, span) {
        return None;
    }
    let leaf = case
        .only_leaf()
        .filter(|leaf| leaf.rotational == Some(true))?;
    let cache = leaf.cache_bytes?;
    let moved = case.moved(Operation::Read) + case.moved(Operation::Write);
    let again = share(moved.saturating_sub(touched), moved);
    let symptom = if span <= cache.0 {
        text!(
            "the row used {used}, and {device} has a cache of {cache}",
            used = Bytes(span),
            device = leaf.name
        )
    } else if touched <= cache.0 && again > TOUCHED_AGAIN_SHARE_MAX {
        text!(
            "{percent:.0} % of the row's I/O repeated earlier I/O: it touched only {touched} of {span}, and {device} has a cache of {cache}",
            percent = again * 100.0,
            touched = Bytes(touched),
            span = Bytes(span),
            device = leaf.name
        )
    } else {
        return None;
    };
    Some((
        symptom,
        Text::from(
            "a disk caches what it has just read, and accepts writes before they are on the platters",
        ),
    ))
}

/// Whether what is written is made durable before it is written again, so that however large a
/// cache is, all of it reached the medium. A cache that says so falsely is found by its time.
fn is_flushed_within(workload: &Workload, span: u64) -> bool {
    let durability = &workload.durability;
    let each = durability.write_through.then_some(1);
    let every = [each, durability.fsync_every, durability.fdatasync_every];
    let every = every.into_iter().flatten().min();
    let only_writes = workload.operations.single() == Some(Operation::Write);
    only_writes
        && every.is_some_and(|it| workload.blocks.largest().0.saturating_mul(it.into()) <= span)
}

/// Random reads of a disk that rotates take a movement of the arm and a part of a turn.
fn faster_than_platters(case: &RowContext<'_>) -> Option<(Text, Text)> {
    let leaf = case.only_leaf()?;
    if !is_platters(leaf) || !is_random(&case.row.workload) || !case.direct() {
        return None;
    }
    let latency = case.latency(Operation::Read)?;
    if latency.count() < QUICK_READS_MIN {
        return None;
    }
    let quick = at_most(&latency, QUICK_READ_MAX);
    let share = share(quick, latency.count());
    (share > QUICK_SHARE_MAX).then(|| {
        (
            text!(
                "{percent:.0} % of {reads} random reads took less than {limit}, in which no platter makes a revolution",
                percent = share * 100.0,
                reads = latency.count(),
                limit = QUICK_READ_MAX
            ),
            text!(
                "a cache of {device} or of its controller answered them",
                device = leaf.name
            ),
        )
    })
}

/// Reads of all the data are slow, and reading it again is fast.
fn faster_after_the_first_pass(case: &RowContext<'_>) -> Option<(Text, Text)> {
    let reads_only = case.row.workload.operations.single() == Some(Operation::Read);
    if !reads_only || !case.direct() {
        return None;
    }
    // Where a limit held it back for a time, that is told.
    if throttled_by_cgroup(case).is_some() {
        return None;
    }
    let touched = touched(case)?;
    let pass = touched.pass.saturating_mul(touched.threads);
    let (of_all, of_touched) = (case.measured(Operation::Read) as f64, pass as f64);
    if of_all / of_touched < PASSES_MIN {
        return None;
    }
    let (mut passes, mut moved) = (Passes::default(), 0.0);
    for (length, rate) in course(case) {
        moved += rate * length.as_secs_f64();
        let pass = if moved <= of_touched {
            &mut passes.first
        } else {
            &mut passes.later
        };
        pass.push(rate);
    }
    let (first, later) = passes.answered_by_a_cache()?;
    Some((
        text!(
            "the first pass over {span} ran at {first_mb_per_s} MB/s, later ones at \
             {later_mb_per_s} MB/s",
            span = Bytes(touched.pass),
            first_mb_per_s = megabytes(first.mean),
            later_mb_per_s = megabytes(later.mean)
        ),
        Text::from(
            "a memory below the kernel (of the drive, a controller, or the host of a virtual \
             machine) kept what was read and answered when it was read again",
        ),
    ))
}

/// Bytes per second as MB/s, with the decimals that a slow disk needs: never 0 of what moved.
pub(crate) fn megabytes(bytes_per_s: f64) -> Argument {
    let value = bytes_per_s / 1e6;
    value.written(match value {
        value if value >= 9.95 => format!("{value:.0}"),
        value if value >= 0.095 => format!("{value:.1}"),
        value => format!("{value:.4}"),
    })
}

/// Random reads that come back to few blocks show how fast a cache is, whichever one.
fn small_coverage(case: &RowContext<'_>) -> Option<RuleResult> {
    let workload = &case.row.workload;
    if !is_random(workload) || !case.asks(Operation::Read) || !case.direct() || has_no_medium(case)
    {
        return None;
    }
    let span = span_bytes(case)?;
    let block = workload.blocks.smallest().0.max(1);
    let block_count = (span / block).max(1);
    #[expect(clippy::cast_possible_truncation, reason = "a share of the positions")]
    let favourites =
        ((favoured_share(workload, block_count) * block_count as f64).ceil() as u64).max(1);
    let is_skewed = favourites < block_count;
    let reads = if is_skewed {
        case.ios(Operation::Read) / 2
    } else {
        case.ios(Operation::Read)
    };
    let visits = reads as f64 / favourites as f64;
    if favourites * block >= COVERAGE_SPAN_MIN || visits <= COVERAGE_VISITS_MAX {
        return None;
    }
    let (blocks, bytes) = (favourites, Bytes(favourites * block));
    Some(RuleResult::new(
        Code::SmallCoverage,
        match is_skewed {
            true => text!(
                "half of the random reads went to {blocks} blocks ({bytes}), each of which was \
                 read {visits:.0} times"
            ),
            false => text!(
                "the random reads went to {blocks} blocks ({bytes}), each of which was read \
                 {visits:.0} times"
            ),
        },
        "every disk and controller has a cache that holds as much, and may have answered",
        if is_skewed {
            remedy::even_offsets()
        } else {
            remedy::larger_part()
        },
    ))
}

/// The smallest share of the places that gets half of the I/O.
fn favoured_share(workload: &Workload, block_count: u64) -> f64 {
    match workload.scatter.distribution {
        Distribution::Uniform => 1.0,
        Distribution::Zipf { theta, .. } => zipf_half(block_count as f64, theta as f64 / 1e6),
        // A share s of the places gets s^(1/a) of the draws (sokudo_stats::Pareto).
        Distribution::Pareto { power, .. } => {
            let power = power as f64 / 1e6;
            0.5f64.powf(power.ln() / (1.0 - power).ln()).min(1.0)
        }
        // Half of a normal distribution lies within 0.6745 deviations of its middle. What is
        // drawn is the mean of twelve uniform numbers, which deviates by a twelfth, moved by
        // one more within the deviation asked for (sokudo_stats::Normal).
        Distribution::Normal { deviation, .. } => {
            let deviation_share = (deviation as f64 / 1e8).min(0.5);
            let variance = (1.0 / 12.0f64).powi(2) + deviation_share * deviation_share / 12.0;
            (2.0 * 0.6745 * variance.sqrt()).min(1.0)
        }
        Distribution::Zoned => zones_half(workload, block_count),
    }
}

/// Ranks of a Zipf distribution that get half of the draws, as a share of all. The sum of
/// k^-theta is taken for its integral from ½, which is right to a few parts in a hundred.
fn zipf_half(block_count: f64, theta: f64) -> f64 {
    let power = 1.0 - theta;
    let sum = |to: f64| match power.abs() < 1e-9 {
        true => (to / 0.5).ln(),
        false => (to.powf(power) - 0.5f64.powf(power)) / power,
    };
    let half = sum(block_count + 0.5) / 2.0;
    let rank = match power.abs() < 1e-9 {
        true => 0.5 * half.exp(),
        false => (half * power + 0.5f64.powf(power)).powf(1.0 / power),
    };
    ((rank - 0.5) / block_count).clamp(0.0, 1.0)
}

/// The densest zones of the reads that together get half of them.
fn zones_half(workload: &Workload, block_count: u64) -> f64 {
    let span = (block_count * workload.blocks.smallest().0) as f64;
    let mut zones: Vec<(f64, f64)> = workload.scatter.zones[Operation::Read.index()]
        .iter()
        .map(|zone| {
            let length = match zone.length {
                ZoneLength::Share(share) => share as f64 / 1e8,
                ZoneLength::Size(bytes) => bytes.0 as f64 / span,
            };
            (zone.access as f64 / 1e8, length.max(f64::MIN_POSITIVE))
        })
        .collect();
    zones.sort_by(|left, right| (right.0 / right.1).total_cmp(&(left.0 / left.1)));
    let (mut missing, mut share) = (0.5, 0.0);
    for (access, length) in zones {
        let used = (missing / access.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        share += length * used;
        missing -= access * used;
    }
    share.clamp(0.0, 1.0)
}

/// Whether writes were acknowledged as durable before they can have been.
fn flush_too_fast(case: &RowContext<'_>) -> Option<RuleResult> {
    let all_write_back = case.target().leaves().count() > 0
        && case.target().leaves().all(|leaf| {
            leaf.write_cache.as_deref() == Some("write back")
                && leaf.kind != BlockDeviceKind::Memory
        });
    if !all_write_back || case.in_memory() {
        return None;
    }
    let (symptom, cause) = more_flushes_than_turns(case).or_else(|| flushes_like_writes(case))?;
    Some(RuleResult::new(
        Code::FlushTooFast,
        symptom,
        cause,
        "treat this as the speed of a memory, unless the drive or its controller has a battery or capacitors. To measure the medium, switch the drive's write cache off and measure again. Only cutting the power proves what is kept",
    ))
}

/// A flush after a write ends when the platter has come round to the place of the write.
fn more_flushes_than_turns(case: &RowContext<'_>) -> Option<(Text, Text)> {
    let leaf = case.only_leaf().filter(|leaf| is_platters(leaf))?;
    let durable = durable_writes(case)?;
    let seconds: f64 = case.outcomes().map(|it| it.elapsed.as_secs_f64()).sum();
    let per_second = durable as f64 / seconds;
    let workload = &case.row.workload;
    // Flushes that wait at the same time can end together.
    let together = f64::from(workload.threads) * f64::from(workload.depth);
    // One that does not say how fast it turns is taken for the fastest.
    let rpm = leaf.rotation_rpm.unwrap_or(ROTATION_RPM_MAX);
    let turns = f64::from(rpm) / 60.0;
    if durable < FLUSHES_MIN || per_second <= turns * FLUSHES_PER_TURN_MAX * together {
        return None;
    }
    let symptom = match leaf.rotation_rpm {
        Some(_) => text!(
            "{durable_writes_per_s:.0} writes per second were made durable; at {rpm} rpm a disk makes only {turns:.0} revolutions per second",
            durable_writes_per_s = per_second
        ),
        None => text!(
            "{durable_writes_per_s:.0} writes per second were made durable; even the fastest disks, at {rpm} rpm, make only {turns:.0} revolutions per second (this disk's speed is not known)",
            durable_writes_per_s = per_second
        ),
    };
    let cause = text!(
        "{device} acknowledges flushes without writing its cache to the platters, or has a cache \
         that survives a loss of power",
        device = leaf.name
    );
    Some((symptom, cause))
}

/// At depth 1 a flush has nothing to wait for but the medium.
fn flushes_like_writes(case: &RowContext<'_>) -> Option<(Text, Text)> {
    let workload = &case.row.workload;
    if workload.threads != 1 || workload.depth != 1 || case.only_leaf().is_some_and(is_platters) {
        return None;
    }
    let flushes = case.latency(Operation::Flush)?;
    let writes = case.latency(Operation::Write)?;
    let (flush, write) = (flushes.quantile(0.5)?, writes.quantile(0.5)?);
    (flushes.count() >= FLUSHES_MIN && flush <= write).then(|| {
        (
            text!(
                "a flush took {flush} and a write into the cache {write} (medians of {flushes} \
                 and {writes})",
                flush = Nanos(flush),
                write = Nanos(write),
                flushes = flushes.count(),
                writes = writes.count()
            ),
            Text::from(
                "the device reports a volatile cache, but flushes it in no time: as far as timing can show, it acknowledges flushes without making data durable. A cache that survives a power loss looks the same",
            ),
        )
    })
}

/// Writes that were acknowledged as durable, one by one.
fn durable_writes(case: &RowContext<'_>) -> Option<u64> {
    let durability = &case.row.workload.durability;
    if durability.write_through {
        return Some(case.ios(Operation::Write));
    }
    let every = durability.fsync_every.or(durability.fdatasync_every);
    every.map(|_| case.ios(Operation::Flush))
}

fn is_random(workload: &Workload) -> bool {
    matches!(workload.order, Order::Random { .. }) && workload.scatter.random_percent.is_none()
}

/// How many values are so small.
fn at_most(latency: &Histogram, limit: Nanos) -> u64 {
    latency
        .buckets()
        .take_while(|bucket| bucket.high <= limit.0)
        .map(|bucket| bucket.count)
        .sum()
}

fn share(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        check, device, each_outcome, histogram, judged, on_file_system, reads, reads_with, says,
        spoilt, writes_with,
    };
    use sokudo_model::Verdict::{Invalid, Unverified, Verified};
    use sokudo_model::{Durability, OperationTally, Run, SeriesPoint, Span, Zone};

    /// Makes the leaf a disk that rotates.
    fn rotating(run: &mut Run) {
        let device = leaf(run);
        device.kind = BlockDeviceKind::Disk;
        device.rotational = Some(true);
        device.write_cache = Some("write back".to_owned());
    }

    /// The part of a target from its start.
    fn first(length: Bytes) -> Option<Span> {
        let offset = Bytes(0);
        Some(Span { offset, length })
    }

    fn leaf(run: &mut Run) -> &mut BlockDevice {
        run.target.devices.iter_mut().find(|it| it.is_leaf).unwrap()
    }

    /// Every read takes this long, so that the depth stays what it is.
    fn slow(run: &mut Run, latency: Nanos) {
        each_outcome(run, |outcome| {
            outcome.operations[0].latency = histogram(10_000, latency);
            outcome.elapsed = Nanos(10_000 * latency.0);
        });
        run.rows[0].workload.limits.time = None;
    }

    #[test]
    fn what_fits_a_known_cache_of_a_rotating_disk_is_no_proof() {
        let with = |cache: u64, rotates: bool| {
            reads_with(|run| {
                if rotates {
                    rotating(run);
                }
                slow(run, Nanos::from_millis(5));
                leaf(run).cache_bytes = Some(Bytes::mib(cache));
                run.rows[0].workload.span = first(Bytes::mib(64));
            })
        };
        check! {
            "fits": with(64, true) => ["dataset-in-cache"], Unverified;
            // Of 234 MiB at random 62.4 are expected to be different ones.
            "is larger": with(62, true) => [], Verified;
            "solid state": with(64, false) => [], Verified;
        }
        says(
            with(256, true),
            "dataset-in-cache",
            &["the row used 64 MiB", "a cache of 256 MiB"],
        );
    }

    #[test]
    fn writes_that_are_made_durable_before_they_are_repeated_are_in_no_cache() {
        let with = |every: u32| {
            spoilt(flushed(Nanos::from_micros(800)), |run| {
                leaf(run).kind = BlockDeviceKind::Disk;
                leaf(run).rotational = Some(true);
                leaf(run).cache_bytes = Some(Bytes::mib(256));
                let workload = &mut run.rows[0].workload;
                workload.span = first(workload.blocks.largest());
                workload.durability.fdatasync_every = Some(every);
            })
        };
        let is_reported = |every| {
            judged(with(every))
                .0
                .contains(&"dataset-in-cache".to_owned())
        };
        assert_eq!([is_reported(1), is_reported(2)], [false, true]);
    }

    #[test]
    fn random_reads_faster_than_a_platter_turns_come_from_a_cache() {
        let quick = |share: u64, kind: BlockDeviceKind| {
            reads_with(|run| {
                rotating(run);
                leaf(run).kind = kind;
                each_outcome(run, |outcome| {
                    let latency = &mut outcome.operations[0].latency;
                    *latency = histogram(100 * share, Nanos::from_micros(100));
                    latency.merge(&histogram(100 * (100 - share), Nanos::from_millis(8)));
                    let sum = u64::try_from(latency.sum()).unwrap();
                    outcome.elapsed = Nanos(sum);
                });
                run.rows[0].workload.limits.time = None;
            })
        };
        let disk = BlockDeviceKind::Disk;
        check! {
            "half": quick(50, disk) => ["dataset-in-cache"], Unverified, "50 % of 60000";
            "few": quick(10, disk) => [], Verified;
            "virtual": quick(50, BlockDeviceKind::VirtualDisk) => [], Verified;
        }
    }

    /// Six trials of one second, in which intervals of 100 ms move so many bytes each.
    fn in_intervals(run: &mut Run, bytes: impl Fn(usize) -> u64) {
        for (index, trial) in run.rows[0].trials.iter_mut().enumerate() {
            let point = |interval: usize| SeriesPoint {
                at: Nanos::from_millis(100 * (interval as u64 + 1)),
                bytes: Bytes(bytes(10 * index + interval)),
                ios: 1_000,
            };
            trial.outcome.series = (0..10).map(point).collect();
        }
    }

    #[test]
    fn later_passes_that_are_faster_than_the_first_are_told() {
        // 10,000 reads of 4 KiB in each of six trials: 246 MB.
        let with = |factor: u64| {
            reads_with(|run| {
                run.rows[0].workload.span = first(Bytes::mib(64));
                in_intervals(run, |interval| {
                    if interval < 32 {
                        2 << 20
                    } else {
                        (2 << 20) * factor
                    }
                });
            })
        };
        check! {
            "three times": with(3) => ["dataset-in-cache"], Unverified,
                "ran at 21 MB/s, later ones at 63 MB/s";
            "as fast": with(1) => [], Verified;
            // As much faster, before all of it was read three times.
            "twice": spoilt(with(3), |run| run.rows[0].workload.span = first(Bytes::mib(100)))
                => [], Verified;
            // What is memory itself has no drive whose memory could answer.
            "tmpfs": spoilt(with(3), |run| on_file_system(run, "tmpfs"))
                => ["memory-file-system"], Invalid;
            "zram": spoilt(with(3), |run| {
                run.target.devices = vec![device(
                    "zram0",
                    BlockDeviceKind::Memory,
                    true,
                )];
            }) => ["memory-device"], Invalid;
        }
    }

    #[test]
    fn no_pass_that_moved_something_is_said_to_have_run_at_nothing() {
        let over = |span: Bytes, bytes: fn(usize) -> u64| {
            reads_with(|run| {
                run.rows[0].workload.span = first(span);
                in_intervals(run, bytes);
            })
        };
        let slow = over(Bytes::mib(1), |interval| match interval {
            0..32 => 32 << 10,
            _ => 96 << 10,
        });
        says(
            slow,
            "dataset-in-cache",
            &["ran at 0.3 MB/s, later ones at 1.0 MB/s"],
        );
        // As fast in the first pass, though most of its intervals ended no I/O.
        let uneven = over(Bytes::mib(64), |interval| match interval {
            0..32 if interval % 4 > 0 => 0,
            0..32 => 8 << 20,
            _ => 2 << 20,
        });
        check! {
            "uneven": uneven => [], Verified;
        }
        assert_eq!(text!("{}", megabytes(1_234.0)), "0.0012");
    }

    #[test]
    fn random_reads_of_few_blocks_are_no_proof() {
        let within = |mebibytes: u64| {
            reads_with(|run| {
                run.rows[0].workload.span = first(Bytes::mib(mebibytes));
            })
        };
        let few = "small-coverage";
        let sequential = |run: &mut Run| {
            run.rows[0].workload.order = Order::Sequential {
                offset: sokudo_model::SequentialOffset::Own,
            };
        };
        check! {
            "1 MiB": within(1) => [few], Unverified,
                "256 blocks (1 MiB), each of which was read 234 times";
            "16 MiB": within(16) => [], Verified;
            "all": reads() => [], Verified;
            "in order": spoilt(within(1), sequential) => [], Verified;
        }
    }

    #[test]
    fn favourites_among_many_blocks_count_as_few() {
        let scattered = |distribution: Distribution| {
            reads_with(|run| run.rows[0].workload.scatter.distribution = distribution)
        };
        let zipf = |theta: u64| Distribution::Zipf {
            theta,
            center: None,
        };
        let few = "small-coverage";
        check! {
            "zipf 1.2": scattered(zipf(1_200_000)) => [few], Unverified;
            "zipf 0.3": scattered(zipf(300_000)) => [], Verified;
        }
        let zone = |access: u64, length: u64| Zone {
            access: access * 1_000_000,
            length: ZoneLength::Share(length * 1_000_000),
        };
        let zoned = |zones: Vec<Zone>| {
            reads_with(|run| {
                let scatter = &mut run.rows[0].workload.scatter;
                scatter.distribution = Distribution::Zoned;
                scatter.zones[0] = zones;
            })
        };
        check! {
            "60 % to 1 %": zoned(vec![zone(60, 1), zone(40, 99)]) => [few], Unverified;
            "60 % to 40 %": zoned(vec![zone(40, 60), zone(60, 40)]) => [], Verified;
        }
    }

    /// Writes of 100 µs at depth 1, each flushed in as much time as given.
    fn flushed(flush: Nanos) -> Run {
        writes_with(|run| {
            run.rows[0].workload.durability = Durability {
                fdatasync_every: Some(1),
                ..Durability::default()
            };
            leaf(run).write_cache = Some("write back".to_owned());
            each_outcome(run, |outcome| {
                outcome.operations.push(OperationTally {
                    ios: 10_000,
                    latency: histogram(10_000, flush),
                    ..OperationTally::new(Operation::Flush)
                });
                outcome.elapsed = Nanos(10_000 * (100_000 + flush.0));
            });
            run.rows[0].workload.limits.time = None;
        })
    }

    #[test]
    fn a_volatile_cache_that_is_emptied_in_no_time_is_no_proof() {
        let quick = flushed(Nanos::from_micros(60));
        let through = spoilt(quick.clone(), |run| {
            leaf(run).write_cache = Some("write through".to_owned());
        });
        check! {
            "quick": quick.clone() => ["flush-too-fast"], Unverified, "as far as timing can show";
            "slow": flushed(Nanos::from_micros(800)) => [], Verified;
            "no volatile cache": through => [], Verified;
        }
    }

    #[test]
    fn more_flushes_than_turns_are_no_proof() {
        let on_platters = |flush: Nanos, rpm: Option<u32>| {
            let mut run = flushed(flush);
            rotating(&mut run);
            leaf(&mut run).rotation_rpm = rpm;
            run
        };
        let lies = on_platters(Nanos::from_millis(2), Some(5_400));
        let honest = on_platters(Nanos::from_millis(11), Some(5_400));
        let unknown = on_platters(Nanos::from_micros(500), None);
        check! {
            "lies": lies.clone() => ["flush-too-fast"], Unverified,
                "at 5400 rpm a disk makes only 90 revolutions per second";
            "honest": honest => [], Verified;
            "unknown": unknown.clone() => ["flush-too-fast"], Unverified, "this disk's speed is not known";
            "unknown, slower": on_platters(Nanos::from_millis(3), None) => [], Verified;
        }
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{draws, seed};

        #[test]
        fn favoured_shares_agree_with_what_is_drawn() {
            use sokudo_stats::{Normal, Pareto, Random, Zipf};
            const PLACES: u64 = 10_000;
            let draws = draws(100_000) as usize;
            let of = |distribution| {
                let mut workload = Workload::new("x", Bytes::kib(4));
                workload.scatter.distribution = distribution;
                favoured_share(&workload, PLACES) * PLACES as f64
            };
            let mut random = Random::stream(seed(), 1);
            let mut half = |draw: &dyn Fn(&mut Random) -> u64| {
                let mut counts = vec![0usize; PLACES as usize];
                (0..draws).for_each(|_| counts[draw(&mut random) as usize] += 1);
                counts.sort_unstable_by(|left, right| right.cmp(left));
                let mut sum = 0;
                counts
                    .iter()
                    .take_while(|count| {
                        sum += **count;
                        sum < draws / 2
                    })
                    .count() as f64
            };
            let near = |formula: f64, drawn: f64| {
                assert!(
                    (formula - drawn).abs() <= 0.15 * drawn + 3.0,
                    "{formula} {drawn}"
                );
            };
            let zipf = Zipf::new(PLACES, 1.1);
            near(
                of(Distribution::Zipf {
                    theta: 1_100_000,
                    center: None,
                }),
                half(&|it| zipf.next(it)),
            );
            let pareto = Pareto::new(PLACES, 0.2);
            near(
                of(Distribution::Pareto {
                    power: 200_000,
                    center: None,
                }),
                half(&|it| pareto.next(it)),
            );
            let normal = Normal::new(PLACES, 0.05);
            near(
                of(Distribution::Normal {
                    deviation: 5_000_000,
                    center: None,
                }),
                half(&|it| normal.next(it)),
            );
        }
    }
}
