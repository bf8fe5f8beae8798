//! Options about what is written, and when that is durable.

use super::super::option::OptionEffect::{Flag, Number, Percent, Switch, Text, Word};
use super::super::option::{FioOption, U32_MAX, above_0, options};
use super::super::patterns;
use super::access::SIGN;

const PATTERN: &str = "pieces such as \"text\", 0xdeadbeef, 123 or 'file', up to 512 bytes";

pub(super) const OPTIONS: &[FioOption] = options! {
    "zero_buffers" = "", "writes zeros", Flag(|j, on| j.zero = on);
    "refill_buffers" = "", "fills the buffer anew for every write", Flag(|j, on| j.refill = on);
    "scramble_buffers" = "1", "changes a few bytes of every block that is written",
        Switch(|j, on| j.scramble = on),
        differs("every block is filled anew instead, which is at least as different");
    "buffer_pattern" = "", "what is written",
        Text(PATTERN, |j, v| patterns::bytes(v, &j.pattern_files).map(|bytes| j.pattern = bytes));
    "buffer_compress_percentage" = "0", "percentage of every chunk that compresses away",
        Percent(|j, v| j.compress_percent = v), differs(SIGN);
    "buffer_compress_chunk" = "512", "size of such a chunk",
        Number(0, U32_MAX, |j, v| j.compress_chunk = Some(v).filter(|v| *v > 0));
    "dedupe_percentage" = "0", "percentage of writes that repeat an earlier one",
        Percent(|j, v| j.dedupe_percent = v), differs(SIGN);
    "dedupe_mode" = "repeat", "which earlier one that is",
        Word(&["repeat", "working_set"], |_, _, _| Ok(())),
        needs("a working set of blocks to repeat");
    "fsync" = "0", "fsync after so many writes; 0 is never",
        Number(0, U32_MAX, |j, v| j.plan.durability.fsync_every = above_0(v)),
        differs("fio flushes again when a loop begins, and in a mix after each read that follows; sync.total_ios counts as fio does, fdatasync and the flush at the end left out, but sync.lat_ns has the latter too");
    "fdatasync" = "0", "fdatasync after so many writes; 0 is never",
        Number(0, U32_MAX, |j, v| j.plan.durability.fdatasync_every = above_0(v));
    "end_fsync" = "0", "one fsync when all is written", Switch(|j, on| j.plan.durability.final_flush = on);
    "fsync_on_close" = "0", "one fsync when a file is closed",
        Switch(|j, on| j.plan.durability.flush_on_close = on);
    "sync" = "none", "whether each write returns only when it is durable",
        Word(&["none", "0", "sync", "1", "dsync"], |j, word, _| {
            j.plan.durability.write_through = !matches!(word, "none" | "0");
            j.plan.durability.with_metadata = matches!(word, "sync" | "1");
            Ok(())
        });
};
