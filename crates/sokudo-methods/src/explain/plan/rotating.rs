//! What is asked about a rotating disk. Reads only, so far as a theme does not say that
//! it writes.

use sokudo_model::{
    Bytes, Durability, LatencyLog, Limits, Measures, Nanos, Operation, OperationMix, Order, Sample,
    Span, Survey, Visit, Work, Workload, WorkloadTiming,
};
use sokudo_words::Text;

use crate::explain::plan::theme::{ExplainRequest, Theme, room, themes};

pub(super) const THEMES: &[Theme] = themes! {
    "zones", "how the transfer rate falls from the outer tracks to the inner ones",
        [Rotating], Reads, 40 => zones;
    "rotation", "how fast the platters turn",
        [Rotating], Reads, 15 => rotation;
    "seek", "how long the arm takes over which distance",
        [Rotating], Reads, 20 => seek;
    "read-cache", "how much the drive keeps of what it has read",
        [Rotating], Reads, 10 => read_cache;
    "write-cache", "whether the drive keeps writes in its memory, how many, and what a flush does",
        [Rotating], Writes, 25 => write_cache;
    "shingles", "whether small writes go to a cache on the platters that must be cleaned",
        [Rotating], Writes, 145 => shingles;
};

/// Places of the curve: four on each of some thirty zones.
const ZONE_SAMPLES: u32 = 128;
/// What is read at each: several tracks, so that the switch from one to the next weighs
/// alike at every place.
const ZONE_SAMPLE: Bytes = Bytes::mib(16);
const ZONE_BLOCK: Bytes = Bytes::mib(1);
/// Read at each place first, so that the way to it is no part of its rate.
const ZONE_APPROACH: Bytes = Bytes::kib(4);

/// Single sectors in a part of the disk that the arm crosses in next to no time, so that
/// what is left of an access is the turning. Large beside what a drive reads ahead, small
/// enough that some of the places are close neighbours.
const ROTATION_SPAN: Bytes = Bytes::mib(64);
const ROTATION_SAMPLES: u32 = 1024;

/// Random accesses over the whole disk, and the longest strokes there are.
const SEEK_SAMPLES: u32 = 1024;
/// A tenth of them is longer than nine tenths of the disk.
const STROKE_SAMPLES: u32 = 512;

/// The start of the disk is read again and again, in pieces of this size.
const CACHE_BLOCK: Bytes = Bytes::kib(64);
/// From this to [`CACHE_LARGEST`], each twice the one before: drives keep single streams
/// in segments of some hundred KiB to some ten MiB.
const CACHE_SMALLEST: Bytes = Bytes::kib(128);
const CACHE_LARGEST: Bytes = Bytes::mib(64);
/// How much is read of each, so that the way there and the first pass weigh nothing; and
/// for how long at most, for what is not kept costs a turn per pass.
const CACHE_READS: Bytes = Bytes::mib(64);
const CACHE_PASSES_MIN: u64 = 4;
const CACHE_TIME: Nanos = Nanos::from_secs(1);

/// One block is overwritten so often.
const OVERWRITES: u64 = 200;
/// What is written in one go: several times what any drive's memory holds.
const BURST: Bytes = Bytes::gib(1);
const BURST_BLOCK: Bytes = Bytes::mib(1);

/// Small writes all over the disk: so many, or for so long. Disks have been seen to map
/// some 200,000 pieces (Aghayev and Desnoyers, "Skylight", 2015).
const PIECE: Bytes = Bytes::kib(4);
const PIECES: u64 = 300_000;
const PIECES_TIME: Nanos = Nanos::from_secs(60);
/// Then the disk is left alone for so long, and asked again.
const REST: Nanos = Nanos::from_secs(60);
const AFTER_REST_TIME: Nanos = Nanos::from_secs(10);
const AFTER_REST_PIECES: u64 = 4_000;
const AFTER_REST_FLUSHED: u32 = 500;
/// Then a stream, which no shingled disk minds.
const STREAM: Bytes = Bytes::mib(512);

fn zones(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    // Twice as much as is read: places that touch would be one stream.
    room(request, Bytes(2 * u64::from(ZONE_SAMPLES) * ZONE_SAMPLE.0)).map(|()| {
        vec![Workload {
            work: Work::Survey(Survey {
                approach: Some(ZONE_APPROACH.max(request.block_min)),
                ..Survey::new(ZONE_SAMPLES, Visit::Shuffled, Sample::Bytes(ZONE_SAMPLE))
            }),
            depth: 4,
            ..Workload::new("explain/zones", ZONE_BLOCK)
        }]
    })
}

fn rotation(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, ROTATION_SPAN)?;
    // Away from the very start, which is what drives keep in their memory first of all.
    let offset = (request.size.0 - ROTATION_SPAN.0) / 16 / Bytes::MIB * Bytes::MIB;
    Ok(vec![Workload {
        span: Some(Span {
            offset: Bytes(offset),
            length: ROTATION_SPAN,
        }),
        ..single(
            "explain/rotation",
            ROTATION_SAMPLES,
            Visit::Random,
            request.block_min,
        )
    }])
}

fn seek(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, Bytes(2 * ROTATION_SPAN.0))?;
    let block = request.block_min;
    Ok(vec![
        single("explain/seek", SEEK_SAMPLES, Visit::Random, block),
        single("explain/stroke", STROKE_SAMPLES, Visit::Butterfly, block),
    ])
}

/// One sector at a time.
fn single(name: &str, sample_count: u32, visit: Visit, block: Bytes) -> Workload {
    Workload {
        order: Order::Random { map: false },
        work: Work::Survey(Survey::new(sample_count, visit, Sample::Bytes(block))),
        ..Workload::new(name, block)
    }
}

fn read_cache(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    let block = CACHE_BLOCK.max(request.block_min);
    room(request, Bytes(2 * CACHE_SMALLEST.0))?;
    let spans = std::iter::successors(Some(CACHE_SMALLEST), |span| Some(Bytes(span.0 * 2)));
    let fitting = spans.take_while(|span| *span <= CACHE_LARGEST && *span <= request.size);
    let again = |span: Bytes| {
        let mut workload = Workload::new(format!("explain/read-again {span}"), block);
        workload.measures = Measures::CACHE;
        workload.span = Some(Span::from_start(span));
        workload.limits.bytes = Some(CACHE_READS.max(Bytes(span.0 * CACHE_PASSES_MIN)));
        workload.limits.time = Some(CACHE_TIME);
        workload
    };
    Ok(fitting.map(again).collect())
}

fn write_cache(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, Bytes(64 * Bytes::MIB))?;
    let block = PIECE.max(request.block_min);
    let overwrite = |name: &str, fdatasync_every: Option<u32>| Workload {
        measures: Measures::CACHE,
        operations: OperationMix::only(Operation::Write),
        span: Some(Span::from_start(block)),
        limits: Limits {
            ios: Some(OVERWRITES),
            time: Some(Nanos::from_secs(5)),
            ..Limits::default()
        },
        durability: Durability {
            fdatasync_every,
            ..Durability::default()
        },
        ..Workload::new(name, block)
    };
    let mut burst = Workload {
        measures: Measures::CACHE,
        operations: OperationMix::only(Operation::Write),
        limits: Limits {
            bytes: Some(Bytes(
                BURST.0.min(request.size.0 / BURST_BLOCK.0 * BURST_BLOCK.0),
            )),
            time: Some(Nanos::from_secs(12)),
            ..Limits::default()
        },
        ..Workload::new("explain/write-burst", BURST_BLOCK)
    };
    // Every write by itself: the moment at which the drive's memory is full must be seen.
    burst.recording.latency_log = Some(LatencyLog { interval: None });
    Ok(vec![
        overwrite("explain/overwrite", None),
        overwrite("explain/overwrite-durably", Some(1)),
        burst,
    ])
}

fn shingles(request: &ExplainRequest) -> Result<Vec<Workload>, Text> {
    room(request, Bytes(2 * STREAM.0))?;
    let block = PIECE.max(request.block_min);
    let pieces = |name: &str, limits: Limits| Workload {
        operations: OperationMix::only(Operation::Write),
        order: Order::Random { map: false },
        limits,
        ..Workload::new(name, block)
    };
    let within = |ios: u64, time: Nanos| Limits {
        ios: Some(ios),
        time: Some(time),
        ..Limits::default()
    };
    Ok(vec![
        pieces("explain/pieces", within(PIECES, PIECES_TIME)),
        Workload {
            timing: WorkloadTiming {
                starts_after: REST,
                ..WorkloadTiming::default()
            },
            // What is only in the drive's memory is none of a cache on the platters.
            durability: Durability {
                fdatasync_every: Some(AFTER_REST_FLUSHED),
                ..Durability::default()
            },
            ..pieces(
                "explain/pieces-after-rest",
                within(AFTER_REST_PIECES, AFTER_REST_TIME),
            )
        },
        Workload {
            operations: OperationMix::only(Operation::Write),
            limits: Limits {
                bytes: Some(STREAM),
                time: Some(Nanos::from_secs(10)),
                ..Limits::default()
            },
            depth: 4,
            ..Workload::new("explain/stream", BURST_BLOCK)
        },
    ])
}
