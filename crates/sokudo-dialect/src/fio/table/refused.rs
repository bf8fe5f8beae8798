//! Options that fio has and sokudo does not: each either changes nothing that is
//! measured, or is refused, except with a value that asks for nothing.

use super::super::option::{FioOption, OptionEffect, full};

/// A line per option: its names, its default, what it means, then why it has no effect, or
/// what it would need unless its value is the default or another that asks for nothing.
macro_rules! unread {
    ($($name:literal $(| $alias:literal)* = $default:literal, $meaning:literal,
       $support:ident $why:literal $(unless $value:literal)?;)*) => {
        &[$(
            full($name, &[$($alias),*], $default, $meaning, OptionEffect::Unread)
                .$support($why)$(.unless(&[$value]))?
        ),*]
    };
}

pub(super) const OPTIONS: &[FioOption] = unread! {
    "wait_for" = "", "waits for the job of this name to end", needs "an order between jobs beyond stonewall";
    "lockfile" = "none", "locks files while they are used", needs "locks on files";
    "opendir" = "", "uses all files below this directory", needs "looking for files in directories";
    "filetype" = "none", "takes all files for this kind", no_effect "what a path leads to is looked at";
    "bs_is_seq_rand" = "0", "bs is for sequential and random I/Os", needs "block sizes by kind of access";
    "ignore_error" = "", "errors that are no errors", needs "errors that do not end a job";
    "rw_sequencer" = "sequential", "how offsets follow one another with rw=read:N", needs "offsets that stay the same";
    "serialize_overlap" = "0", "waits for I/Os on the same place", needs "looking for overlaps among I/Os in flight";
    "io_submit_mode" = "inline", "whether other threads submit", needs "threads that only submit";
    "fill_device" | "fill_fs" = "0", "writes until the device is full", needs "writing until there is no space left";
    "file_append" = "0", "writes behind the end of files", needs "offsets from the end of a file";
    "write_barrier" = "0", "makes every Nth write a barrier", needs "barriers, which Linux no longer has";
    "sync_file_range" = "", "starts writing back after so many writes", needs "sync_file_range(2)";
    "end_syncfs" = "0", "one syncfs at the end", needs "syncfs(2)";
    "atomic" = "0", "writes all of a block or nothing", needs "RWF_ATOMIC in the backends";
    "trim_percentage" = "0", "percentage of blocks that are trimmed", needs "trims among verified writes";
    "trim_verify_zero" = "1", "checks that trimmed blocks are zero", no_effect "nothing is trimmed among verified writes";
    "trim_backlog" = "", "writes after which is trimmed", needs "trims among verified writes" unless "0";
    "trim_backlog_batch" = "", "blocks that are then trimmed", needs "trims among verified writes" unless "0";
    "verify_header_seed" = "1", "checks the seed in headers", needs "headers without a seed";
    "verify_pattern_interval" = "0", "repeats %o in every interval", needs "patterns by interval";
    "verify_policy" = "", "when what is checked", needs "other orders of checks";
    "verify_write_sequence" = "1", "checks the order of writes in headers", needs "headers without a number";
    "write_iolog" = "", "writes every I/O to a file for replay", needs "logs for replay";
    "read_iolog" = "", "replays a log of I/Os", needs "replay of logs";
    "read_iolog_chunked" = "0", "reads that log in pieces", needs "replay of logs";
    "replay_no_stall" = "0", "replays as fast as possible", no_effect "nothing is replayed";
    "replay_redirect" = "", "replays onto this device", no_effect "nothing is replayed";
    "replay_scale" = "1", "scales replayed offsets", no_effect "nothing is replayed";
    "replay_align" = "0", "aligns replayed offsets", no_effect "nothing is replayed";
    "replay_time_scale" = "100", "scales replayed times", no_effect "nothing is replayed";
    "replay_skip" = "", "leaves out replayed operations", no_effect "nothing is replayed";
    "merge_blktrace_file" = "", "merges logs of blktrace", needs "replay of logs";
    "merge_blktrace_scalars" = "", "scales merged logs", no_effect "nothing is merged";
    "merge_blktrace_iters" = "", "repeats merged logs", no_effect "nothing is merged";
    "exec_prerun" = "", "runs a command before the job", needs "running commands; run it before sokudo";
    "exec_postrun" = "", "runs a command after the job", needs "running commands; run it after sokudo";
    "ioscheduler" = "", "switches the device's I/O scheduler", needs "switching I/O schedulers; write it to /sys/block/DEVICE/queue/scheduler";
    "zonemode" = "none", "how zones are used", needs "zones";
    "zonesize" = "0", "size of a zone", needs "zones";
    "zonecapacity" = "0", "what fits into a zone", needs "zones";
    "zonerange" = "0", "distance between zones", needs "zones";
    "zoneskip" = "0", "gap between zones", needs "zones";
    "read_beyond_wp" = "0", "reads zones beyond what was written", no_effect "there are no zones";
    "max_open_zones" = "0", "zones open at once", no_effect "there are no zones";
    "job_max_open_zones" = "0", "zones of a job open at once", no_effect "there are no zones";
    "ignore_zone_limits" = "0", "ignores what the device says of zones", no_effect "there are no zones";
    "zone_reset_threshold" = "", "when zones are reset", no_effect "there are no zones";
    "zone_reset_frequency" = "", "how often zones are reset", no_effect "there are no zones";
    "lockmem" = "0", "locks this much memory away", needs "locking memory that is not used";
    "nice" = "0", "priority of the job's processes", needs "priorities of threads; run sokudo under nice(1)";
    "prio" = "", "priority of the job's I/O", needs "priorities of I/O; run sokudo under ionice(1)";
    "prioclass" = "", "class of that priority", needs "priorities of I/O; run sokudo under ionice(1)" unless "0";
    "random_sequence_stride" = "0", "leaves out random numbers", needs "fio's generators";
    "rate_min" | "ratemin" = "", "fails a job that is slower", needs "a lowest rate" unless "0";
    "rate_iops_min" = "", "fails a job that is slower", needs "a lowest rate" unless "0";
    "rate_ignore_thinktime" = "0", "catches up after pauses", needs "rates that go on during pauses";
    "max_latency" = "0", "fails a job with a higher latency", needs "a highest latency";
    "latency_target" = "0", "finds the depth for this latency", needs "a search for a depth";
    "latency_window" = "0", "how long that latency must hold", no_effect "there is no latency_target";
    "latency_percentile" = "100", "how many I/Os must hold it", no_effect "there is no latency_target";
    "latency_run" = "0", "searches on and on", no_effect "there is no latency_target";
    "write_hint" = "none", "how long what is written will live", needs "hints to the device";
    "numa_cpu_nodes" = "", "memory nodes whose processors are used", needs "memory nodes; give their processors in cpus_allowed";
    "numa_mem_policy" = "", "memory nodes of buffers", needs "memory nodes; run sokudo under numactl(8)" unless "default";
    "unlink_each_loop" = "0", "removes files after every loop", needs "loops that make files anew";
    "log_entries" = "1024", "how many entries a log begins with", no_effect "logs grow as they must";
    "log_issue_time" = "0", "logs when I/Os were issued", needs "another column in logs";
    "log_compression" = "", "compresses logs in memory", no_effect "logs are not compressed";
    "log_compression_cpus" = "", "processors for that", no_effect "logs are not compressed";
    "log_store_compressed" = "0", "writes compressed logs", needs "compressed logs";
    "block_error_percentiles" = "0", "histogram of trim errors", needs "errors by block";
    "stats" = "1", "whether the job is reported", needs "jobs that are not reported";
    "dedupe_working_set_percentage" = "5", "size of the working set", no_effect "there is no working set";
    "dedupe_global" = "0", "shares repeated blocks among jobs", needs "blocks that jobs share";
    "gtod_cpu" = "", "a processor that only reads the clock", needs "a thread that only reads the clock";
    "continue_on_error" = "none", "errors that do not end a job", needs "errors that do not end a job" unless "0";
    "error_dump" = "0", "prints every error", no_effect "errors are counted, and the first of each kind is told";
    "profile" = "", "a built-in method of fio", needs "fio's built-in profiles";
    "cgroup" = "", "runs in this control group", needs "control groups; run sokudo in one";
    "cgroup_nodelete" = "0", "leaves that group behind", no_effect "there is no control group";
    "cgroup_weight" = "", "weight of that group", no_effect "there is no control group";
    "uid" = "", "runs as this user", needs "other users; run sokudo as that user";
    "gid" = "", "runs as this group", needs "other groups; run sokudo as that group";
    "comm" = "", "name of the process", no_effect "threads have names of their own";
    "flow_id" = "0", "which flow a job belongs to", no_effect "there are no flows";
    "flow" = "0", "share of a job in its flow", needs "jobs that wait for one another";
    "flow_watermark" = "1024", "how far jobs may drift apart", no_effect "there are no flows";
    "flow_sleep" = "0", "how long a job waits for others", no_effect "there are no flows";
    "job_start_clock_id" = "0", "clock that job_start is told by", no_effect "job_start is told by CLOCK_REALTIME";
    "num_range" = "1", "ranges per trim", needs "trims of several ranges" unless "0";
    "sprandom" = "0", "prepares a device by skewed writes", needs "that order of writes";
    "thinkcycles" = "0", "computes between I/Os", needs "computing between I/Os";
};
