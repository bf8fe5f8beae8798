//! Options about what is written, and when that is durable.

use sokudo_model::narrow;

use super::super::job::SyncMode;
use super::super::option::{FioOption, OptionEffect, U32_MAX, full};
use super::super::patterns;

const PATTERN: &str = "pieces such as \"text\", 0xdeadbeef, 123 or 'file', up to 512 bytes";

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "zero_buffers",
        &[],
        "",
        "writes zeros",
        OptionEffect::Flag(|j, on| j.zero = on),
    ),
    full(
        "refill_buffers",
        &[],
        "",
        "fills the buffer anew for every write",
        OptionEffect::Flag(|j, on| j.refill = on),
    ),
    full(
        "scramble_buffers",
        &[],
        "1",
        "changes a few bytes of every block that is written",
        OptionEffect::Switch(|j, on| j.scramble = on),
    )
    .differs("every block is filled anew instead, which is at least as different"),
    full(
        "buffer_pattern",
        &[],
        "",
        "what is written",
        OptionEffect::Text(PATTERN, |j, v| {
            j.pattern = patterns::bytes(v, &j.pattern_files).ok_or(PATTERN)?;
            Ok(())
        }),
    ),
    full(
        "buffer_compress_percentage",
        &[],
        "0",
        "percentage of every chunk that compresses away",
        OptionEffect::Number(0, 100, |j, v| j.compress_percent = narrow(v)),
    ),
    full(
        "buffer_compress_chunk",
        &[],
        "512",
        "size of such a chunk",
        OptionEffect::Number(0, U32_MAX, |j, v| {
            j.compress_chunk = Some(v).filter(|v| *v > 0)
        }),
    ),
    full(
        "dedupe_percentage",
        &[],
        "0",
        "percentage of writes that repeat an earlier one",
        OptionEffect::Number(0, 100, |j, v| j.dedupe_percent = narrow(v)),
    ),
    full(
        "dedupe_mode",
        &[],
        "repeat",
        "which earlier one that is",
        OptionEffect::Word(&["repeat", "working_set"], |_, _, _| Ok(())),
    )
    .needs("a working set of blocks to repeat"),
    full(
        "fsync",
        &[],
        "0",
        "fsync after so many writes; 0 is never",
        OptionEffect::Number(0, U32_MAX, |j, v| j.fsync = narrow(v)),
    )
    .differs("fio flushes again when a loop begins, and in a mix after each read that follows; sync.total_ios counts as fio does, fdatasync and the flush at the end left out, but sync.lat_ns has the latter too"),
    full(
        "fdatasync",
        &[],
        "0",
        "fdatasync after so many writes; 0 is never",
        OptionEffect::Number(0, U32_MAX, |j, v| j.fdatasync = narrow(v)),
    ),
    full(
        "end_fsync",
        &[],
        "0",
        "one fsync when all is written",
        OptionEffect::Switch(|j, on| j.end_fsync = on),
    ),
    full(
        "fsync_on_close",
        &[],
        "0",
        "one fsync when a file is closed",
        OptionEffect::Switch(|j, on| j.fsync_on_close = on),
    ),
    full(
        "sync",
        &[],
        "none",
        "whether each write returns only when it is durable",
        OptionEffect::Word(&["none", "0", "sync", "1", "dsync"], |j, word, _| {
            j.sync = match word {
                "sync" | "1" => SyncMode::All,
                "dsync" => SyncMode::Data,
                _ => SyncMode::None,
            };
            Ok(())
        }),
    ),
];
