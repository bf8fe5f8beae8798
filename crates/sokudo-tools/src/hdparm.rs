//! hdparm's two timings as workloads.
//!
//! hdparm's method: `-t` reads a device from its start through the page cache, in
//! blocks of 2 MiB one after the other, for 3 seconds or to the end, after the cache
//! was emptied. `-T` reads its first 2 MiB again and again for 2 seconds: the cache,
//! not the disk. Its "MB" are MiB.
//!
//! hdparm subtracts from `-T` what its `lseek` and its clock cost; the engine's own
//! loop has neither inside the measured time, so there is nothing to subtract. Where
//! hdparm sleeps before it begins, so that earlier I/O ends, this waits for that I/O
//! by syncing. Emptying the cache is the business of whoever runs these.

pub(crate) mod import;

use sokudo_model::{BackendKind, Bytes, DirectMode, Limits, Measures, Nanos, Span, Workload};

pub static METHOD: sokudo_model::MethodKind = sokudo_model::MethodKind {
    name: "hdparm",
    command: "hdparm",
    is_named: false,
    traits: &[],
};

/// Size of one of hdparm's reads (`TIMING_BUF_MB`).
pub const BLOCK: Bytes = Bytes::mib(2);

/// How long hdparm reads a device.
pub const DEVICE_TIME: Nanos = Nanos::from_secs(3);

/// How long hdparm reads the cache.
pub const CACHE_TIME: Nanos = Nanos::from_secs(2);

/// What rows of the two timings are called.
pub const CACHED_READS: &str = "cached (hdparm -T)";
pub const DEVICE_READS: &str = "buffered (hdparm -t)";

/// `hdparm -T`: the first block again and again.
pub fn cached_reads(direct: DirectMode) -> Workload {
    Workload {
        span: Some(Span::from_start(BLOCK)),
        measures: Measures::CACHE,
        limits: Limits::of_time(CACHE_TIME),
        ..reads(direct)
    }
}

/// `hdparm -t`: from `offset` to the end of a device of `size`, once. `None` where no
/// block is left to read.
pub fn device_reads(direct: DirectMode, offset: Bytes, size: Bytes) -> Option<Workload> {
    let length = Bytes(size.0.saturating_sub(offset.0) / BLOCK.0 * BLOCK.0);
    (length.0 > 0).then(|| Workload {
        span: Some(Span { offset, length }),
        limits: Limits {
            time: Some(DEVICE_TIME),
            bytes: Some(length),
            ..Limits::default()
        },
        ..reads(direct)
    })
}

fn reads(direct: DirectMode) -> Workload {
    Workload {
        backend: BackendKind::Psync,
        direct,
        ..Workload::new("hdparm", BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_read_once_in_whole_blocks_from_the_offset() {
        let size = Bytes(Bytes::mib(11).0 + 512);
        let workload = device_reads(DirectMode::Off, Bytes::mib(4), size).unwrap();
        let span = workload.span.unwrap();
        assert_eq!((span.offset, span.length), (Bytes::mib(4), Bytes::mib(6)));
        assert_eq!(workload.limits.bytes, Some(Bytes::mib(6)));
        assert_eq!(workload.limits.time, Some(DEVICE_TIME));
    }

    #[test]
    fn without_a_whole_block_there_is_nothing_to_read() {
        let reads = |offset, size| device_reads(DirectMode::Off, offset, size);
        assert_eq!(reads(Bytes(0), Bytes::mib(1)), None);
        assert_eq!(reads(Bytes::mib(3), Bytes::mib(4)), None);
        assert_eq!(reads(Bytes::gib(9), Bytes::mib(4)), None);
    }

    #[test]
    fn the_cache_is_read_for_ever_at_one_place() {
        let workload = cached_reads(DirectMode::On);
        assert_eq!(workload.span.unwrap().length, BLOCK);
        assert_eq!(workload.limits.bytes, None);
        assert_eq!(workload.direct, DirectMode::On);
        assert_eq!(workload.measures, Measures::CACHE);
    }
}
