//! The methods of the page and their options: what may be asked for, and what forms are made of.
//! Names are those of the command line; a test of the program holds them against it.

use serde::Serialize;

/// A method, as the page offers it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodForm {
    pub name: &'static str,
    /// The command that it is.
    #[serde(skip)]
    pub command: &'static str,
    /// English; a key of the catalogue.
    pub label: &'static str,
    pub target: TargetForm,
    /// Groups, because several methods share one.
    #[serde(skip)]
    groups: &'static [&'static [OptionForm]],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetForm {
    Needed,
    Optional,
    /// A fio job file, which names its targets itself.
    Job,
    /// A folder, which is the value of an option.
    Folder,
}

/// An option of a method.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptionForm {
    pub name: &'static str,
    pub kind: OptionKind,
    /// What holds where nothing is given, as people read it; empty where it depends.
    pub default: &'static str,
    /// English; a key of the catalogue.
    pub label: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
    /// It is a word of its own before the target, and begins with a letter.
    #[serde(skip)]
    pub position: bool,
    /// The default is the page's and not the command's: it is a word of the command line, too.
    #[serde(skip)]
    pub is_own_default: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    Text,
    Number,
    Size,
    Time,
    Flag,
    Choice,
    Repeated,
}

use OptionKind::{Choice, Flag, Number, Repeated, Size, Text, Time};

impl MethodForm {
    pub fn options(&self) -> impl Iterator<Item = &'static OptionForm> {
        self.groups.iter().copied().flatten()
    }
}

/// All methods, in the order in which the page offers them.
pub const fn methods() -> &'static [MethodForm] {
    &METHODS
}

const fn option(
    name: &'static str,
    kind: OptionKind,
    default: &'static str,
    label: &'static str,
) -> OptionForm {
    OptionForm {
        name,
        kind,
        default,
        label,
        choices: &[],
        position: false,
        is_own_default: false,
    }
}

const fn choice(
    name: &'static str,
    label: &'static str,
    choices: &'static [&'static str],
) -> OptionForm {
    OptionForm {
        choices,
        ..option(name, Choice, choices[0], label)
    }
}

const fn several(
    name: &'static str,
    label: &'static str,
    choices: &'static [&'static str],
) -> OptionForm {
    OptionForm {
        choices,
        ..option(name, Repeated, "", label)
    }
}

const fn method(
    name: &'static str,
    label: &'static str,
    groups: &'static [&'static [OptionForm]],
) -> MethodForm {
    MethodForm {
        name,
        command: name,
        label,
        target: TargetForm::Needed,
        groups,
    }
}

const METHODS: [MethodForm; 13] = [
    method("mark", "Mark", &[MARK, PRECISION, MEASURING, LABEL]),
    method("scan", "Surface", &[SCAN, PRECISION, MEASURING, LABEL]),
    method("sweep", "Sweep", &[SWEEP, PRECISION, MEASURING, LABEL]),
    method("quick", "Quick", &[QUICK, PRECISION, MEASURING, LABEL]),
    method("load", "Load", &[LOAD, MEASURING, LABEL]),
    method("steady", "Steady state", &[STEADY, MEASURING, LABEL]),
    method("explain", "Explain", &[EXPLAIN, MEASURING, LABEL]),
    method("assess", "Assess", &[ASSESS, MEASURING, LABEL]),
    method("fit", "Fit", &[FIT, MEASURING, LABEL]),
    method("peak", "Peak", &[PEAK, MEASURING, LABEL]),
    MethodForm {
        target: TargetForm::Optional,
        ..method("check", "Check against the baseline", &[CHECK])
    },
    MethodForm {
        target: TargetForm::Folder,
        ..method("matrix", "File systems and RAID levels", &[MATRIX])
    },
    MethodForm {
        command: "run",
        target: TargetForm::Job,
        ..method("job", "fio job file", &[JOB, LABEL])
    },
];

const RUNS: OptionForm = option("runs", Number, "", "Trials");
const SIZE: OptionForm = option("size", Size, "1GiB", "Size");
const TIME: OptionForm = option("time", Time, "", "Length of a trial");
const READ_ONLY: OptionForm = option("read-only", Flag, "", "Reads only");
const WRITE_ONLY: OptionForm = option("write-only", Flag, "", "Writes only");
const DIRECT: OptionForm = choice("direct", "Bypass the page cache", &["auto", "on", "off"]);
const ENGINE: OptionForm = choice(
    "engine",
    "I/O engine",
    &["auto", "io_uring", "io_uring_cmd", "libaio", "psync"],
);

const PRECISION: &[OptionForm] = &[
    option("precision", Text, "2%", "Precision to reach"),
    option("max-time", Time, "10s", "Longest time of a row"),
    option("spread-over", Time, "", "Spread the trials over"),
];

const MEASURING: &[OptionForm] = &[
    option("seed", Number, "", "Random seed"),
    choice("pages", "Pages of buffers", &["small", "huge"]),
];

const LABEL: &[OptionForm] = &[option("label", Text, "", "Name of the run")];

const MARK: &[OptionForm] = &[
    choice(
        "profile",
        "Profile",
        &[
            "default", "nvme", "flash", "peak", "real", "demo", "classic", "durable",
        ],
    ),
    SIZE,
    RUNS,
    option("row", Repeated, "", "Rows of your own"),
    option("mix", Repeated, "", "Mixed reads and writes"),
    READ_ONLY,
    WRITE_ONLY,
    TIME,
    choice("data", "Data to write", &["random", "zero"]),
    choice("schedule", "Order of trials", &["interleaved", "crystal"]),
    option("interval", Time, "", "Pause between trials"),
    choice(
        "engine",
        "I/O engine",
        &[
            "auto",
            "fastest",
            "io_uring",
            "libaio",
            "psync",
            "io_uring_cmd",
        ],
    ),
    option("polled", Flag, "", "Poll for completions"),
    option("depth", Number, "", "I/Os in flight"),
    option("threads", Number, "", "Threads"),
    DIRECT,
    option("exact-clock", Flag, "", "Read the clock around every I/O"),
    option("rate", Text, "", "Fixed rate"),
    option("poisson", Flag, "", "Random instants"),
];

const SCAN: &[OptionForm] = &[
    option("full", Flag, "", "Read every byte"),
    option("gnome", Flag, "", "As GNOME Disks"),
    OptionForm {
        default: "",
        ..choice(
            "hdtune",
            "As HD Tune",
            &["fast", "faster", "medium", "normal", "accurate"],
        )
    },
    option("points", Number, "200", "Points of the curve"),
    option("sample", Size, "10MiB", "Size at each point"),
    option("short-stroke", Size, "", "Only the first part"),
    option("from", Text, "", "From this place on"),
    option("to", Text, "", "Up to this place"),
    option("shuffle", Flag, "", "Points in random order"),
    option("access-count", Number, "200", "Access times"),
    option("access-size", Size, "4KiB", "Size of an access"),
    option("random", Flag, "", "Random access by size"),
    option("extra", Flag, "", "Extra tests"),
    SIZE,
    option("write", Flag, "", "Writes too"),
    option("block", Size, "1MiB", "Block size"),
    option("depth", Number, "8", "I/Os in flight"),
    RUNS,
    ENGINE,
    DIRECT,
];

const SWEEP: &[OptionForm] = &[
    option("minitool", Flag, "", "As MiniTool Partition Wizard"),
    option("from", Size, "512B", "Smallest block"),
    option("to", Size, "64MiB", "Largest block"),
    option("sizes", Text, "", "Block sizes"),
    option("length", Size, "256MiB", "Size moved by a cell"),
    option("depths", Text, "4", "I/Os in flight"),
    option("threads", Text, "1", "Threads"),
    option("random", Flag, "", "Random offsets"),
    READ_ONLY,
    WRITE_ONLY,
    option("data", Text, "random", "Data to write"),
    option("verify", Flag, "", "Read back and compare"),
    DIRECT,
    option("write-through", Flag, "", "Every write durable"),
    option("time", Time, "500ms", "Longest trial of a cell"),
    option("runs", Number, "12", "Trials"),
    option("cool-down", Time, "0s", "Pause between trials"),
];

const QUICK: &[OptionForm] = &[
    OptionForm {
        choices: &["cached", "buffered", "direct", "write"],
        ..option("test", Repeated, "", "Tests")
    },
    SIZE,
    option("bytes", Size, "", "Size moved by a test"),
    choice("data", "Data to write", &["random", "zero"]),
    RUNS,
    option("pause", Time, "0s", "Pause between trials"),
    option("trim", Number, "0", "Slowest and fastest left out"),
    TIME,
];

const LOAD: &[OptionForm] = &[
    option("row", Text, "RND4K,Q32", "Row"),
    option("limit", Text, "", "Latency limit"),
    option("beside", Text, "", "Beside this row"),
    SIZE,
    option("linear", Flag, "", "Even instants"),
    option("time", Time, "1s", "Length of a trial"),
    option("runs", Number, "6", "Trials"),
];

const STEADY: &[OptionForm] = &[
    choice("test", "Test", &["iops", "throughput", "latency", "wsat"]),
    option("enterprise", Flag, "", "As PTS-E"),
    option("sizes", Text, "", "Block sizes"),
    option("mixes", Text, "", "Percent of reads and writes"),
    SIZE,
    option("active-range", Number, "75", "Percent of the capacity"),
    option("purge", Flag, "", "Discard all blocks first"),
    option(
        "precondition",
        Number,
        "2",
        "Full writes of the capacity first",
    ),
    option("round-time", Time, "60s", "Time of a cell in a round"),
    option("rounds-max", Number, "25", "Rounds at most"),
    option("time-max", Time, "", "Longest time"),
    ENGINE,
    DIRECT,
];

const EXPLAIN: &[OptionForm] = &[
    OptionForm {
        choices: &[
            "zones",
            "rotation",
            "seek",
            "read-cache",
            "write-cache",
            "shingles",
            "map",
            "parity",
            "fast-cells",
            "capacity",
        ],
        ..option("only", Repeated, "", "Only these themes")
    },
    option("full", Flag, "", "All of its capacity"),
    SIZE,
    ENGINE,
    DIRECT,
];

const ASSESS: &[OptionForm] = &[
    SIZE,
    option("time", Time, "1s", "Length of a trial"),
    option("runs", Number, "6", "Trials"),
];

const FIT: &[OptionForm] = &[
    OptionForm {
        position: true,
        ..option("what", Text, "etcd", "What the disk is for")
    },
    TIME,
    option("runs", Number, "6", "Trials"),
];

/// Disks of files alone. Values that carry options for programs, and methods of one's own, are for
/// the command line: they could reach whatever root can.
const MATRIX: &[OptionForm] = &[
    OptionForm {
        is_own_default: true,
        ..choice(
            "loop",
            "Disks made of files",
            &["2x1GiB", "1x1GiB", "2x4GiB", "4x1GiB", "4x4GiB"],
        )
    },
    several(
        "fs",
        "File systems",
        &["ext2", "ext3", "ext4", "xfs", "btrfs", "jfs", "zfs", "f2fs"],
    ),
    several("raid", "RAID levels", &["none", "0", "1", "5", "10"]),
    several("mount", "Mount options", &["defaults", "noatime"]),
    several("ageing", "Used before", &["fresh", "30%", "60%"]),
    OptionForm {
        is_own_default: true,
        ..choice(
            "method",
            "Method",
            &[
                "mark --size=256MiB --runs=3",
                "mark --size=256MiB --runs=3 --profile=nvme",
                "quick --size=256MiB",
            ],
        )
    },
    option("blocks", Number, "3", "Times each combination"),
    option("max-time", Time, "", "Longest time"),
    option("seed", Number, "", "Seed"),
];

const PEAK: &[OptionForm] = &[
    option("row", Text, "RND4K", "Row"),
    SIZE,
    option("max-threads", Number, "", "Most threads"),
    option("max-depth", Number, "1024", "Most I/Os in flight"),
    option("time", Time, "1s", "Length of a trial"),
    option("runs", Number, "6", "Trials"),
];

const CHECK: &[OptionForm] = &[
    option("method", Text, "", "Method of the baseline"),
    option("min-difference", Text, "5%", "Ignore smaller differences"),
    option("wait-idle", Time, "", "Wait for an idle machine"),
    option("anyway", Flag, "", "Also on a busy machine"),
];

const JOB: &[OptionForm] = &[
    option("runs", Number, "1", "Trials"),
    option("section", Repeated, "", "Only these sections"),
    option("lenient", Flag, "", "Also with unknown options"),
    option("readonly", Flag, "", "Refuse to write"),
    choice("pages", "Pages of buffers", &["small", "huge"]),
];
