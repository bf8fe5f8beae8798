//! Options that fio has and sokudo does not: each either changes nothing that is
//! measured, or is refused, except with a value that asks for nothing.

use super::*;

const fn unread(
    name: &'static str,
    aliases: &'static [&'static str],
    default: &'static str,
    meaning: &'static str,
    bare: bool,
) -> FioOption {
    full(name, aliases, default, meaning, Effect::Unread(bare))
}

pub(super) const OPTIONS: &[FioOption] = &[
    unread(
        "wait_for",
        &[],
        "",
        "waits for the job of this name to end",
        false,
    )
    .needs("an order between jobs beyond stonewall", &[]),
    unread(
        "lockfile",
        &[],
        "none",
        "locks files while they are used",
        false,
    )
    .needs("locks on files", &["none"]),
    unread(
        "opendir",
        &[],
        "",
        "uses all files below this directory",
        false,
    )
    .needs("looking for files in directories", &[]),
    unread(
        "filetype",
        &[],
        "none",
        "takes all files for this kind",
        false,
    )
    .no_effect("what a path leads to is looked at"),
    unread(
        "bs_is_seq_rand",
        &[],
        "0",
        "bs is for sequential and random I/Os",
        false,
    )
    .needs("block sizes by kind of access", &["0"]),
    unread("ignore_error", &[], "", "errors that are no errors", false)
        .needs("errors that do not end a job", &[]),
    unread(
        "rw_sequencer",
        &[],
        "sequential",
        "how offsets follow one another with rw=read:N",
        false,
    )
    .needs("offsets that stay the same", &["sequential"]),
    unread(
        "serialize_overlap",
        &[],
        "0",
        "waits for I/Os on the same place",
        false,
    )
    .needs("looking for overlaps among I/Os in flight", &["0"]),
    unread(
        "io_submit_mode",
        &[],
        "inline",
        "whether other threads submit",
        false,
    )
    .needs("threads that only submit", &["inline"]),
    unread(
        "fill_device",
        &["fill_fs"],
        "0",
        "writes until the device is full",
        false,
    )
    .needs("writing until there is no space left", &["0"]),
    unread(
        "file_append",
        &[],
        "0",
        "writes behind the end of files",
        false,
    )
    .needs("offsets from the end of a file", &["0"]),
    unread(
        "write_barrier",
        &[],
        "0",
        "makes every Nth write a barrier",
        false,
    )
    .needs("barriers, which Linux no longer has", &["0"]),
    unread(
        "sync_file_range",
        &[],
        "",
        "starts writing back after so many writes",
        false,
    )
    .needs("sync_file_range(2)", &[]),
    unread("end_syncfs", &[], "0", "one syncfs at the end", false).needs("syncfs(2)", &["0"]),
    unread(
        "atomic",
        &[],
        "0",
        "writes all of a block or nothing",
        false,
    )
    .needs("RWF_ATOMIC in the backends", &["0"]),
    unread(
        "trim_percentage",
        &[],
        "0",
        "percentage of blocks that are trimmed",
        false,
    )
    .needs("trims among verified writes", &["0"]),
    unread(
        "trim_verify_zero",
        &[],
        "1",
        "checks that trimmed blocks are zero",
        false,
    )
    .no_effect("nothing is trimmed among verified writes"),
    unread(
        "trim_backlog",
        &[],
        "",
        "writes after which is trimmed",
        false,
    )
    .needs("trims among verified writes", &["0"]),
    unread(
        "trim_backlog_batch",
        &[],
        "",
        "blocks that are then trimmed",
        false,
    )
    .needs("trims among verified writes", &["0"]),
    unread(
        "verify_header_seed",
        &[],
        "1",
        "checks the seed in headers",
        false,
    )
    .needs("headers without a seed", &["1"]),
    unread(
        "verify_pattern_interval",
        &[],
        "0",
        "repeats %o in every interval",
        false,
    )
    .needs("patterns by interval", &["0"]),
    unread("verify_policy", &[], "", "when what is checked", false)
        .needs("other orders of checks", &[]),
    unread(
        "verify_write_sequence",
        &[],
        "1",
        "checks the order of writes in headers",
        false,
    )
    .needs("headers without a number", &["1"]),
    unread(
        "write_iolog",
        &[],
        "",
        "writes every I/O to a file for replay",
        false,
    )
    .needs("logs for replay", &[]),
    unread("read_iolog", &[], "", "replays a log of I/Os", false).needs("replay of logs", &[]),
    unread(
        "read_iolog_chunked",
        &[],
        "0",
        "reads that log in pieces",
        false,
    )
    .needs("replay of logs", &["0"]),
    unread(
        "replay_no_stall",
        &[],
        "0",
        "replays as fast as possible",
        false,
    )
    .no_effect("nothing is replayed"),
    unread(
        "replay_redirect",
        &[],
        "",
        "replays onto this device",
        false,
    )
    .no_effect("nothing is replayed"),
    unread("replay_scale", &[], "1", "scales replayed offsets", false)
        .no_effect("nothing is replayed"),
    unread("replay_align", &[], "0", "aligns replayed offsets", false)
        .no_effect("nothing is replayed"),
    unread(
        "replay_time_scale",
        &[],
        "100",
        "scales replayed times",
        false,
    )
    .no_effect("nothing is replayed"),
    unread(
        "replay_skip",
        &[],
        "",
        "leaves out replayed operations",
        false,
    )
    .no_effect("nothing is replayed"),
    unread(
        "merge_blktrace_file",
        &[],
        "",
        "merges logs of blktrace",
        false,
    )
    .needs("replay of logs", &[]),
    unread(
        "merge_blktrace_scalars",
        &[],
        "",
        "scales merged logs",
        false,
    )
    .no_effect("nothing is merged"),
    unread(
        "merge_blktrace_iters",
        &[],
        "",
        "repeats merged logs",
        false,
    )
    .no_effect("nothing is merged"),
    unread(
        "exec_prerun",
        &[],
        "",
        "runs a command before the job",
        false,
    )
    .needs("running commands; run it before sokudo", &[]),
    unread(
        "exec_postrun",
        &[],
        "",
        "runs a command after the job",
        false,
    )
    .needs("running commands; run it after sokudo", &[]),
    unread(
        "ioscheduler",
        &[],
        "",
        "switches the device's I/O scheduler",
        false,
    )
    .needs(
        "switching I/O schedulers; write it to /sys/block/DEVICE/queue/scheduler",
        &[],
    ),
    unread("zonemode", &[], "none", "how zones are used", false).needs("zones", &["none"]),
    unread("zonesize", &[], "0", "size of a zone", false).needs("zones", &["0"]),
    unread("zonecapacity", &[], "0", "what fits into a zone", false).needs("zones", &["0"]),
    unread("zonerange", &[], "0", "distance between zones", false).needs("zones", &["0"]),
    unread("zoneskip", &[], "0", "gap between zones", false).needs("zones", &["0"]),
    unread(
        "read_beyond_wp",
        &[],
        "0",
        "reads zones beyond what was written",
        false,
    )
    .no_effect("there are no zones"),
    unread("max_open_zones", &[], "0", "zones open at once", false).no_effect("there are no zones"),
    unread(
        "job_max_open_zones",
        &[],
        "0",
        "zones of a job open at once",
        false,
    )
    .no_effect("there are no zones"),
    unread(
        "ignore_zone_limits",
        &[],
        "0",
        "ignores what the device says of zones",
        false,
    )
    .no_effect("there are no zones"),
    unread(
        "zone_reset_threshold",
        &[],
        "",
        "when zones are reset",
        false,
    )
    .no_effect("there are no zones"),
    unread(
        "zone_reset_frequency",
        &[],
        "",
        "how often zones are reset",
        false,
    )
    .no_effect("there are no zones"),
    unread("lockmem", &[], "0", "locks this much memory away", false)
        .needs("locking memory that is not used", &["0"]),
    unread("nice", &[], "0", "priority of the job's processes", false)
        .needs("priorities of threads; run sokudo under nice(1)", &["0"]),
    unread("prio", &[], "", "priority of the job's I/O", false)
        .needs("priorities of I/O; run sokudo under ionice(1)", &[]),
    unread("prioclass", &[], "", "class of that priority", false)
        .needs("priorities of I/O; run sokudo under ionice(1)", &["0"]),
    unread(
        "random_sequence_stride",
        &[],
        "0",
        "leaves out random numbers",
        false,
    )
    .needs("fio's generators", &["0"]),
    unread(
        "rate_min",
        &["ratemin"],
        "",
        "fails a job that is slower",
        false,
    )
    .needs("a lowest rate", &["0"]),
    unread(
        "rate_iops_min",
        &[],
        "",
        "fails a job that is slower",
        false,
    )
    .needs("a lowest rate", &["0"]),
    unread(
        "rate_ignore_thinktime",
        &[],
        "0",
        "catches up after pauses",
        false,
    )
    .needs("rates that go on during pauses", &["0"]),
    unread(
        "max_latency",
        &[],
        "0",
        "fails a job with a higher latency",
        false,
    )
    .needs("a highest latency", &["0"]),
    unread(
        "latency_target",
        &[],
        "0",
        "finds the depth for this latency",
        false,
    )
    .needs("a search for a depth", &["0"]),
    unread(
        "latency_window",
        &[],
        "0",
        "how long that latency must hold",
        false,
    )
    .no_effect("there is no latency_target"),
    unread(
        "latency_percentile",
        &[],
        "100",
        "how many I/Os must hold it",
        false,
    )
    .no_effect("there is no latency_target"),
    unread("latency_run", &[], "0", "searches on and on", false)
        .no_effect("there is no latency_target"),
    unread(
        "write_hint",
        &[],
        "none",
        "how long what is written will live",
        false,
    )
    .needs("hints to the device", &["none"]),
    unread(
        "numa_cpu_nodes",
        &[],
        "",
        "memory nodes whose processors are used",
        false,
    )
    .needs("memory nodes; give their processors in cpus_allowed", &[]),
    unread("numa_mem_policy", &[], "", "memory nodes of buffers", false)
        .needs("memory nodes; run sokudo under numactl(8)", &["default"]),
    unread(
        "unlink_each_loop",
        &[],
        "0",
        "removes files after every loop",
        false,
    )
    .needs("loops that make files anew", &["0"]),
    unread(
        "log_entries",
        &[],
        "1024",
        "how many entries a log begins with",
        false,
    )
    .no_effect("logs grow as they must"),
    unread(
        "log_issue_time",
        &[],
        "0",
        "logs when I/Os were issued",
        false,
    )
    .needs("another column in logs", &["0"]),
    unread(
        "log_compression",
        &[],
        "",
        "compresses logs in memory",
        false,
    )
    .no_effect("logs are not compressed"),
    unread(
        "log_compression_cpus",
        &[],
        "",
        "processors for that",
        false,
    )
    .no_effect("logs are not compressed"),
    unread(
        "log_store_compressed",
        &[],
        "0",
        "writes compressed logs",
        false,
    )
    .needs("compressed logs", &["0"]),
    unread(
        "block_error_percentiles",
        &[],
        "0",
        "histogram of trim errors",
        false,
    )
    .needs("errors by block", &["0"]),
    unread("stats", &[], "1", "whether the job is reported", false)
        .needs("jobs that are not reported", &["1"]),
    unread(
        "dedupe_working_set_percentage",
        &[],
        "5",
        "size of the working set",
        false,
    )
    .no_effect("there is no working set"),
    unread(
        "dedupe_global",
        &[],
        "0",
        "shares repeated blocks among jobs",
        false,
    )
    .needs("blocks that jobs share", &["0"]),
    unread(
        "gtod_cpu",
        &[],
        "",
        "a processor that only reads the clock",
        false,
    )
    .needs("a thread that only reads the clock", &[]),
    unread(
        "continue_on_error",
        &[],
        "none",
        "errors that do not end a job",
        false,
    )
    .needs("errors that do not end a job", &["none", "0"]),
    unread("error_dump", &[], "0", "prints every error", false)
        .no_effect("errors are counted, and the first of each kind is told"),
    unread("profile", &[], "", "a built-in method of fio", false)
        .needs("fio's built-in profiles", &[]),
    unread("cgroup", &[], "", "runs in this control group", false)
        .needs("control groups; run sokudo in one", &[]),
    unread(
        "cgroup_nodelete",
        &[],
        "0",
        "leaves that group behind",
        false,
    )
    .no_effect("there is no control group"),
    unread("cgroup_weight", &[], "", "weight of that group", false)
        .no_effect("there is no control group"),
    unread("uid", &[], "", "runs as this user", false)
        .needs("other users; run sokudo as that user", &[]),
    unread("gid", &[], "", "runs as this group", false)
        .needs("other groups; run sokudo as that group", &[]),
    unread("comm", &[], "", "name of the process", false)
        .no_effect("threads have names of their own"),
    unread("flow_id", &[], "0", "which flow a job belongs to", false)
        .no_effect("there are no flows"),
    unread("flow", &[], "0", "share of a job in its flow", false)
        .needs("jobs that wait for one another", &["0"]),
    unread(
        "flow_watermark",
        &[],
        "1024",
        "how far jobs may drift apart",
        false,
    )
    .no_effect("there are no flows"),
    unread(
        "flow_sleep",
        &[],
        "0",
        "how long a job waits for others",
        false,
    )
    .no_effect("there are no flows"),
    unread(
        "job_start_clock_id",
        &[],
        "0",
        "clock that job_start is told by",
        false,
    )
    .no_effect("job_start is told by CLOCK_REALTIME"),
    unread("num_range", &[], "1", "ranges per trim", false)
        .needs("trims of several ranges", &["1", "0"]),
    unread(
        "sprandom",
        &[],
        "0",
        "prepares a device by skewed writes",
        false,
    )
    .needs("that order of writes", &["0"]),
    unread("thinkcycles", &[], "0", "computes between I/Os", false)
        .needs("computing between I/Os", &["0"]),
];
