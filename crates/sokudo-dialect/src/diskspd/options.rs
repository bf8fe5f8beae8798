//! Every option of diskspd, once: what reading, help and documentation go by.

/// One option of diskspd-for-linux or of diskspd 2.2 on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskspdOption {
    /// What follows the dash, such as `b` or `rs`.
    pub key: &'static str,
    /// What follows the key, as help shows it.
    pub value: &'static str,
    /// The long name that diskspd-for-linux has for it.
    pub long: Option<&'static str>,
    /// Which diskspd knows it.
    pub origin: OptionOrigin,
    /// What it means, with its default.
    pub meaning: &'static str,
    /// What sokudo makes of it.
    pub support: DiskspdSupport,
}

/// Which diskspd knows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionOrigin {
    Both,
    /// diskspd-for-linux alone.
    Linux,
    /// diskspd 2.2 on Windows alone: a line with such an option is answered in the
    /// layout of Windows.
    Windows,
    /// sokudo alone.
    Sokudo,
}

/// What sokudo makes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskspdSupport {
    /// It means the same.
    Accepted,
    /// It is accepted, and this is different.
    Differs(&'static str),
    /// It is accepted and changes nothing that is measured.
    NoEffect(&'static str),
    /// It is refused, because this would be needed.
    Refused(&'static str),
}

impl DiskspdOption {
    /// The table's line of a key.
    pub(super) fn of(key: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|option| option.key == key)
    }
}

const fn row(
    key: &'static str,
    value: &'static str,
    long: Option<&'static str>,
    origin: OptionOrigin,
    meaning: &'static str,
    support: DiskspdSupport,
) -> DiskspdOption {
    DiskspdOption {
        key,
        value,
        long,
        origin,
        meaning,
        support,
    }
}

use DiskspdSupport::{Accepted, Differs, NoEffect, Refused};
use OptionOrigin::{Both, Linux, Sokudo, Windows};

/// Linux has no processor groups.
pub(super) const NO_GROUPS: &str =
    "Linux has no processor groups beyond 0; number processors through, as in -a0,1,64";

/// All options, in the order of diskspd's help.
pub const OPTIONS: &[DiskspdOption] = &[
    row("?", "", Some("help"), Both, "prints this", Accepted),
    row(
        "a",
        "#,#…",
        Some("cpu-affinity"),
        Both,
        "processors that threads are bound to, in turn; ranges such as 0-3 too [all of them]",
        Accepted,
    ),
    row(
        "ag",
        "[#,#…]",
        None,
        Windows,
        "the same with processor groups",
        Differs("only group 0 exists on Linux; others are refused"),
    ),
    row(
        "b",
        "<size>",
        Some("block-size"),
        Both,
        "size of one I/O [64K]",
        Accepted,
    ),
    row(
        "B",
        "<offset>[:length]",
        Some("base-offset"),
        Both,
        "where in the target I/O begins, and how much is used [0]",
        Accepted,
    ),
    row(
        "c",
        "<size>",
        Some("create-files"),
        Both,
        "creates the targets with this size; one that is large enough is used as it is",
        Differs(
            "an existing file that was not made so is written only with --overwrite; it is filled with random data, not with a sequence of bytes, so that no layer compresses it away",
        ),
    ),
    row(
        "C",
        "<seconds>",
        None,
        Windows,
        "goes on for so long after the measurement [0]",
        Differs(
            "the load after the measurement is a stage of its own, with a pause of about a millisecond before it",
        ),
    ),
    row(
        "d",
        "<seconds>",
        Some("duration"),
        Both,
        "how long is measured [10]",
        Accepted,
    ),
    row(
        "D",
        "[ms]",
        Some("iops-std-dev"),
        Both,
        "standard deviation of I/Os per second over intervals [1000]",
        Accepted,
    ),
    row(
        "e",
        "<q|c|s|p|EVENT>",
        None,
        Windows,
        "event tracing",
        Refused("event tracing is a service of Windows; on Linux run perf or bpftrace beside it"),
    ),
    row(
        "f",
        "<size>",
        Some("target-size"),
        Both,
        "uses only the first so many bytes of the target [all]",
        Accepted,
    ),
    row(
        "fr",
        "",
        None,
        Windows,
        "hint: random access",
        NoEffect("it steers read-ahead of the page cache; refused where the page cache is used"),
    ),
    row(
        "fs",
        "",
        None,
        Windows,
        "hint: sequential access",
        NoEffect("it steers read-ahead of the page cache; refused where the page cache is used"),
    ),
    row(
        "ft",
        "",
        None,
        Windows,
        "hint: temporary file",
        NoEffect("Linux has no such hint"),
    ),
    row(
        "F",
        "<count>",
        Some("total-threads"),
        Both,
        "threads in all, each on every target",
        Differs(
            "a thread on N targets runs as N threads with -o requests each, so that targets do not wait for each other",
        ),
    ),
    row(
        "g",
        "<bytes/ms>[i]",
        Some("throttle-throughput"),
        Both,
        "most that a thread moves on a target: bytes per millisecond, or with i I/Os per second [no limit]",
        Accepted,
    ),
    row("h", "", None, Windows, "the same as -Sh", Accepted),
    row(
        "i",
        "<count>",
        None,
        Windows,
        "I/Os per burst, with -j",
        Differs("without -j it changes nothing, and diskspd refuses it"),
    ),
    row(
        "I",
        "<1|2|3>",
        None,
        Windows,
        "I/O priority: very low, low, normal [3]",
        Refused(
            "priorities 1 and 2 need the scheduler's help; run it under `ionice -c3` or `ionice -c2 -n7`, which every thread inherits",
        ),
    ),
    row(
        "j",
        "<ms>",
        None,
        Windows,
        "pause after each burst, with -i",
        Accepted,
    ),
    row("l", "", None, Windows, "buffers in large pages", Accepted),
    row(
        "L",
        "",
        Some("latency"),
        Both,
        "prints latencies",
        Differs("they are always measured"),
    ),
    row(
        "n",
        "",
        Some("no-affinity"),
        Both,
        "does not bind threads to processors",
        Accepted,
    ),
    row(
        "Nv",
        "",
        None,
        Windows,
        "flushes each write of memory mapped I/O (-Sm)",
        Differs("by msync"),
    ),
    row(
        "Nn",
        "",
        None,
        Windows,
        "flushes persistent memory",
        Refused("it needs memory that is persistent itself; -Nv flushes through the system"),
    ),
    row(
        "Ni",
        "",
        None,
        Windows,
        "flushes persistent memory without waiting",
        Refused("it needs memory that is persistent itself; -Nv flushes through the system"),
    ),
    row(
        "o",
        "<count>",
        Some("overlap"),
        Both,
        "I/Os in flight per thread and target [2]",
        Accepted,
    ),
    row(
        "O",
        "<count>",
        None,
        Windows,
        "I/Os in flight per thread, with -F",
        Differs(
            "targets are drawn at random per I/O, and a thread's figures are of all its targets together",
        ),
    ),
    row(
        "p",
        "",
        None,
        Windows,
        "every I/O in flight runs through the target by itself, from the same offset",
        Differs("each is a thread with one I/O in flight"),
    ),
    row(
        "P",
        "[count]",
        None,
        Windows,
        "a dot after so many I/Os [65536]",
        NoEffect("sokudo shows its own progress on a terminal"),
    ),
    row(
        "r",
        "[align]",
        Some("random-align"),
        Both,
        "random I/O, aligned so [block size]",
        Accepted,
    ),
    row(
        "rs",
        "<percent>",
        None,
        Windows,
        "so many I/Os at random places, the others go on from the last",
        Differs(
            "each I/O draws by itself whether it is read or written, also within a sequential run",
        ),
    ),
    row(
        "rd",
        "<pct|abs><io%/length:…>",
        None,
        Windows,
        "random I/O by ranges of the target",
        Accepted,
    ),
    row(
        "R",
        "[p]<text|xml>",
        None,
        Windows,
        "output in the layout of Windows, or XML; with p only the profile, without running it",
        Accepted,
    ),
    row(
        "Rlinux",
        "",
        None,
        Sokudo,
        "output in the layout of diskspd-for-linux",
        Accepted,
    ),
    row(
        "s",
        "[i][size]",
        Some("sequential-stride"),
        Both,
        "distance from one I/O's start to the next [block size]; with i threads share one position",
        Differs(
            "each block of a pass is visited once, whatever -o; with i a target's threads are reported as one",
        ),
    ),
    row(
        "Sb",
        "",
        None,
        Windows,
        "uses the page cache [this]",
        Accepted,
    ),
    row(
        "Sd",
        "",
        None,
        Linux,
        "without the page cache (O_DIRECT)",
        Differs(
            "where the file system has no O_DIRECT it runs through the page cache, and the verdict says so",
        ),
    ),
    row(
        "Sh",
        "",
        None,
        Both,
        "without the page cache, writes durable: O_DIRECT and O_SYNC; O_DSYNC in a line of Windows",
        Differs("as -Sd"),
    ),
    row("Sm", "", None, Windows, "memory mapped I/O", Accepted),
    row(
        "Sr",
        "",
        None,
        Windows,
        "without the local cache of a remote file system",
        Refused("no file system of Linux can do that; -Su bypasses all caches"),
    ),
    row(
        "Ss",
        "",
        None,
        Linux,
        "writes durable, metadata too (O_SYNC)",
        Accepted,
    ),
    row(
        "Su",
        "",
        None,
        Windows,
        "without the page cache; -S is the same",
        Differs("as -Sd"),
    ),
    row(
        "Sw",
        "",
        None,
        Windows,
        "writes durable (write through, O_DSYNC)",
        Accepted,
    ),
    row(
        "t",
        "<count>",
        Some("threads-per-target"),
        Both,
        "threads per target [1]",
        Accepted,
    ),
    row(
        "T",
        "<offset>",
        Some("thread-stride"),
        Both,
        "from one thread's first offset to the next thread's [0]",
        Differs("at the end a thread goes back to its own first offset"),
    ),
    row(
        "v",
        "",
        Some("verbose"),
        Both,
        "says more",
        NoEffect("the results say all there is"),
    ),
    row(
        "vs",
        "",
        None,
        Windows,
        "statistics of waits",
        NoEffect("sokudo's threads do not wait in the ways that these count"),
    ),
    row(
        "w",
        "<percent>",
        Some("write"),
        Both,
        "percentage of writes [0]",
        Accepted,
    ),
    row(
        "W",
        "<seconds>",
        Some("warmup-time"),
        Both,
        "how long it runs before it is measured [5]",
        Accepted,
    ),
    row(
        "x",
        "",
        None,
        Windows,
        "completion routines",
        NoEffect("how completions are taken is for sokudo to choose; the run says what was used"),
    ),
    row(
        "xk",
        "",
        None,
        Linux,
        "kernel asynchronous I/O (libaio)",
        Accepted,
    ),
    row(
        "xp",
        "",
        None,
        Linux,
        "POSIX asynchronous I/O",
        Differs("a native backend runs instead; the run says which"),
    ),
    row(
        "X",
        "<file>",
        None,
        Windows,
        "reads an XML profile; further targets stand for *1, *2, …",
        Accepted,
    ),
    row(
        "y",
        "<s|f|r|p|e><event>",
        None,
        Windows,
        "events that other programs wait for",
        Refused("named events are a service of Windows; a script can wait for sokudo to end"),
    ),
    row(
        "z",
        "[seed]",
        Some("rand-seed"),
        Both,
        "seed of all chance; without a number a new one each time [0]",
        Differs("every thread draws from a stream of its own; one seed for all time spans"),
    ),
    row("Z", "", None, Both, "writes zeros", Accepted),
    row("Zz", "", None, Linux, "writes zeros", Accepted),
    row(
        "Zr",
        "",
        None,
        Both,
        "writes random data, new for each write",
        Differs("diskspd-for-linux repeats its buffers; sokudo, as Windows, does not"),
    ),
    row(
        "Zs",
        "",
        Some("io-buffers"),
        Linux,
        "separate buffers for reads and writes",
        NoEffect("buffers of I/Os are always separate"),
    ),
    row(
        "Z<size>",
        "[,file]",
        None,
        Windows,
        "writes from a buffer of random data, or of the file",
        Differs("a buffer of random data is the same for every write"),
    ),
];
