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
    /// diskspd-for-linux has it, diskspd of Windows does not.
    Linux,
    /// diskspd 2.2 on Windows alone: a line with such an option is answered in the
    /// layout of Windows.
    Windows,
    /// sokudo has it, no diskspd does.
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
    /// Whether a word without its dash is an option, alone or with what these options take.
    pub(super) fn is_spelled(word: &str) -> bool {
        let values = ["text", "xml", "ptext", "pxml"];
        let is_value =
            |rest: &str| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit());
        OPTIONS.iter().any(|option| {
            let rest = word.strip_prefix(option.key);
            rest.is_some_and(|rest| is_value(rest) || (option.key == "R" && values.contains(&rest)))
        })
    }

    /// The table's line of a key.
    pub(super) fn of(key: &str) -> Option<&'static Self> {
        OPTIONS.iter().find(|option| option.key == key)
    }
}

/// A line per option: its key, what follows it, its long name if it has one; which diskspd
/// knows it, what it means, and what sokudo makes of it.
macro_rules! options {
    ($($key:literal $value:literal $($long:literal)?, $origin:expr, $meaning:literal, $support:expr;)*) => {
        &[$(DiskspdOption {
            key: $key,
            value: $value,
            long: [$($long)?].first().copied(),
            origin: $origin,
            meaning: $meaning,
            support: $support,
        }),*]
    };
}

use DiskspdSupport::{Accepted, Differs, NoEffect, Refused};
use OptionOrigin::{Both, Linux, Sokudo, Windows};

/// Linux has no processor groups.
pub(super) const NO_GROUPS: &str =
    "Linux has no processor groups beyond 0; number processors through, as in -a0,1,64";

/// Windows alone can trace events.
pub(super) const NO_TRACING: &str =
    "event tracing is a service of Windows; on Linux run perf or bpftrace beside it";

/// Highest number of a processor that is read; Linux has at most 8192.
pub(super) const PROCESSOR_MAX: u32 = 8_191;

/// All options, in the order of diskspd's help.
pub const OPTIONS: &[DiskspdOption] = options! {
    "?" "" "help", Both, "prints this", Accepted;
    "a" "#,#…" "cpu-affinity", Both,
        "processors that threads are bound to, in turn; ranges such as 0-3 too [all of them]",
        Accepted;
    "ag" "[#,#…]", Windows, "the same with processor groups",
        Differs("only group 0 exists on Linux; others are refused");
    "b" "<size>" "block-size", Both, "size of one I/O [64K]", Accepted;
    "B" "<offset>[:length]" "base-offset", Both,
        "where in the target I/O begins, and how much is used [0]", Accepted;
    "c" "<size>" "create-files", Both,
        "creates the targets with this size; one that is large enough is used as it is",
        Differs("an existing file that was not made so is written only with --overwrite; it is filled with random data, not with a sequence of bytes, so that no layer compresses it away");
    "C" "<seconds>", Windows, "goes on for so long after the measurement [0]",
        Differs("the load after the measurement is a stage of its own, with a pause of about a millisecond before it");
    "d" "<seconds>" "duration", Both, "how long is measured [10]", Accepted;
    "D" "[ms]" "iops-std-dev", Both, "standard deviation of I/Os per second over intervals [1000]",
        Accepted;
    "e" "<q|c|s|p|EVENT>", Windows, "event tracing",
        Refused(NO_TRACING);
    "f" "<size>" "target-size", Both, "uses only the first so many bytes of the target [all]",
        Accepted;
    "fr" "", Windows, "hint: random access",
        NoEffect("the kernel is told nothing; it sees the pattern itself");
    "fs" "", Windows, "hint: sequential access",
        NoEffect("the kernel is told nothing; it sees the pattern itself");
    "ft" "", Windows, "hint: temporary file", NoEffect("Linux has no such hint");
    "F" "<count>" "total-threads", Both, "threads in all, each on every target",
        Differs("a thread on N targets runs as N threads with -o requests each, so that targets do not wait for each other");
    "g" "<bytes/ms>[i]" "throttle-throughput", Both,
        "most that a thread moves on a target: bytes per millisecond, or with i I/Os per second [no limit]",
        Accepted;
    "h" "", Windows, "the same as -Sh", Accepted;
    "i" "<count>", Windows, "I/Os per burst, with -j",
        Differs("without -j it changes nothing, and diskspd refuses it");
    "I" "<1|2|3>", Windows, "I/O priority: very low, low, normal [3]",
        Refused("priorities 1 and 2 need the scheduler's help; run it under `ionice -c3` or `ionice -c2 -n7`, which every thread inherits");
    "j" "<ms>", Windows, "pause after each burst, with -i", Accepted;
    "l" "", Windows, "buffers in large pages", Accepted;
    "L" "" "latency", Both, "prints latencies", Differs("they are always measured");
    "n" "" "no-affinity", Both, "does not bind threads to processors", Accepted;
    "Nv" "", Windows, "flushes each write of memory mapped I/O (-Sm)", Differs("by msync");
    "Nn" "", Windows, "flushes persistent memory",
        Refused("it needs memory that is persistent itself; -Nv flushes through the system");
    "Ni" "", Windows, "flushes persistent memory without waiting",
        Refused("it needs memory that is persistent itself; -Nv flushes through the system");
    "o" "<count>" "overlap", Both, "I/Os in flight per thread and target [2]", Accepted;
    "O" "<count>", Windows, "I/Os in flight per thread, with -F",
        Differs("targets are drawn at random per I/O, and a thread's figures are of all its targets together");
    "p" "", Windows, "every I/O in flight runs through the target by itself, from the same offset",
        Differs("each is a thread with one I/O in flight");
    "P" "[count]", Windows, "a dot after so many I/Os [65536]",
        NoEffect("sokudo shows its own progress on a terminal");
    "r" "[align]" "random-align", Both, "random I/O, aligned so [block size]", Accepted;
    "rs" "<percent>", Windows, "so many I/Os at random places, the others go on from the last",
        Differs("each I/O draws by itself whether it is read or written, also within a sequential run");
    "rd" "<pct|abs><io%/length:…>", Windows, "random I/O by ranges of the target", Accepted;
    "R" "[p]<text|xml>", Windows,
        "output in the layout of Windows, or XML; with p only the profile, without running it",
        Accepted;
    "Rlinux" "", Sokudo, "output in the layout of diskspd-for-linux", Accepted;
    "s" "[i][size]" "sequential-stride", Both,
        "distance from one I/O's start to the next [block size]; with i threads share one position",
        Differs("each block of a pass is visited once, whatever -o; with i a target's threads are reported as one");
    "Sb" "", Windows, "uses the page cache [this]", Accepted;
    "Sd" "", Linux, "without the page cache (O_DIRECT)",
        Differs("where the file system has no O_DIRECT it runs through the page cache, and the verdict says so");
    "Sh" "", Both,
        "without the page cache, writes durable: O_DIRECT and O_SYNC; O_DSYNC in a line of Windows",
        Differs("as -Sd");
    "Sm" "", Windows, "memory mapped I/O", Accepted;
    "Sr" "", Windows, "without the local cache of a remote file system",
        Refused("no file system of Linux can do that; -Su bypasses all caches");
    "Ss" "", Linux, "writes durable, metadata too (O_SYNC)", Accepted;
    "Su" "", Windows, "without the page cache; -S is the same", Differs("as -Sd");
    "Sw" "", Windows, "writes durable (write through, O_DSYNC)", Accepted;
    "t" "<count>" "threads-per-target", Both, "threads per target [1]", Accepted;
    "T" "<offset>" "thread-stride", Both, "from one thread's first offset to the next thread's [0]",
        Differs("at the end a thread goes back to its own first offset");
    "v" "" "verbose", Both, "says more", NoEffect("the results say all there is");
    "vs" "", Windows, "statistics of waits",
        NoEffect("sokudo's threads do not wait in the ways that these count");
    "w" "<percent>" "write", Both, "percentage of writes [0]", Accepted;
    "W" "<seconds>" "warmup-time", Both, "how long it runs before it is measured [5]", Accepted;
    "x" "", Windows, "completion routines",
        NoEffect("how completions are taken is for sokudo to choose; the run says what was used");
    "xk" "", Linux, "kernel asynchronous I/O (libaio)", Accepted;
    "xp" "", Linux, "POSIX asynchronous I/O",
        Differs("a native backend runs instead; the run says which");
    "X" "<file>", Windows, "reads an XML profile; further targets stand for *1, *2, …", Accepted;
    "y" "<s|f|r|p|e><event>", Windows, "events that other programs wait for",
        Refused("named events are a service of Windows; a script can wait for sokudo to end");
    "z" "[seed]" "rand-seed", Both, "seed of all chance; without a number a new one each time [0]",
        Differs("every thread draws from a stream of its own; one seed for all time spans");
    "Z" "", Both, "writes zeros", Accepted;
    "Zz" "", Linux, "writes zeros", Accepted;
    "Zr" "", Both, "writes random data, new for each write",
        Differs("diskspd-for-linux repeats its buffers; sokudo, as Windows, does not");
    "Zs" "" "io-buffers", Linux, "separate buffers for reads and writes",
        NoEffect("buffers of I/Os are always separate");
    "Z<size>" "[,file]", Windows, "writes from a buffer of random data, or of the file",
        Differs("a buffer of random data is the same for every write");
};
