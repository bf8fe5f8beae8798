//! What each finding is: its code, how much it matters, and what it does to the
//! verdict. This is the only place that says so.

use std::cmp::Reverse;

use sokudo_model::{Finding, Severity, Verdict};
use sokudo_words::Text;

use Severity::{Error, Info, Warning};
use Verdict::{Invalid, Unverified, Verified};

/// Every code once: its meaning, its name, its severity, and the best verdict that a row with
/// it can have.
macro_rules! codes {
    ($($(#[doc = $line:literal])+ $code:ident => $name:literal, $severity:ident, $verdict:ident;)+) => {
        /// The codes of all findings. The ones declared first change a figure most, and
        /// are shown first: by severity, then by effect on the verdict, which a test
        /// holds, then by weight.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($(#[doc = $line])+ $code,)+
            /// Of a rule that a method alone has.
            Of(&'static MethodCode),
        }

        impl Code {
            /// Every code that is of no method, in the order in which they are declared.
            pub(crate) const OF_ALL: [Self; [$($name),+].len()] = [$(Self::$code),+];

            const fn definition(self) -> (&'static str, Severity, Verdict) {
                match self {
                    $(Self::$code => ($name, $severity, $verdict),)+
                    Self::Of(code) => (code.name, code.severity, code.verdict),
                }
            }

            /// When a row has it, for docs/FINDINGS.md.
            pub fn meaning(self) -> String {
                match self {
                    $(Self::$code => concat!($($line),+).trim().to_owned(),)+
                    Self::Of(code) => code.meaning.trim().to_owned(),
                }
            }
        }
    };
}

codes! {
    /// No I/O completed, in a row that the run was not interrupted before.
    NoIo => "no-io", Error, Invalid;
    /// Blocks that were read back do not hold what was written to them.
    WrongData => "wrong-data", Error, Invalid;
    /// The target is `null:`; the figures are the cost of the engine.
    NoDevice => "no-device", Error, Invalid;
    /// Tmpfs, ramfs and their like.
    MemoryFileSystem => "memory-file-system", Error, Invalid;
    /// A leaf is zram, brd or null_blk.
    MemoryDevice => "memory-device", Error, Invalid;
    /// Holes in a file that is read.
    SparseFile => "sparse-file", Error, Invalid;
    /// Allocated but unwritten blocks in a file that is read.
    UnwrittenExtents => "unwritten-extents", Error, Invalid;
    /// Buffered reads of a cached file.
    CachedReads => "cached-reads", Error, Invalid;
    /// Read ratio too small.
    NotFromDevice => "not-from-device", Error, Invalid;
    /// Write ratio too small.
    NotOnDevice => "not-on-device", Error, Invalid;
    /// Hosts that were to measure together never ran at the same time in a trial.
    Apart => "apart", Error, Invalid;
    /// Of the run: a host that measured with others was lost; figures are of the trials before.
    HostLost => "host-lost", Error, Unverified;
    /// ENODEV, ENXIO, no bytes and no error, or ENOSPC from a block device; or a survey
    /// ended because nothing could be read any more.
    DeviceVanished => "device-vanished", Error, Unverified;
    /// Ranges of a survey that could not be read or written; figures are of what could.
    Unreadable => "unreadable", Error, Unverified;
    /// Ranges of a survey whose reads did not come back in the time that `--timeout` gives them.
    Hung => "hung", Error, Unverified;
    /// Any other failed or short I/O.
    IoErrors => "io-errors", Error, Unverified;
    /// Latencies, elapsed time and depth contradict each other.
    BreachLittle => "breach-little", Error, Unverified;
    /// Bytes are not I/Os × block size.
    BreachBytes => "breach-bytes", Error, Unverified;
    /// A latency is impossible.
    BreachLatency => "breach-latency", Error, Unverified;
    /// The histogram does not hold as many I/Os as were counted.
    BreachCounts => "breach-counts", Error, Unverified;
    /// The samples of a survey are not all of it, or faster than their I/Os.
    BreachSamples => "breach-samples", Error, Unverified;
    /// No counters; why, and what would prove it.
    CannotSeeDevice => "cannot-see-device", Warning, Unverified;
    /// Writes into a page cache, not flushed in the measured time; with the durable
    /// figure beside them.
    BufferedWrites => "buffered-writes", Warning, Unverified;
    /// Unexplained traffic on the devices.
    ForeignIo => "foreign-io", Warning, Unverified;
    /// A control group (`io.max`, `blkio.throttle`) of this process limits a device, and
    /// the row came up against the limit.
    ThrottledByCgroup => "throttled-by-cgroup", Warning, Unverified;
    /// A counter of the drive says that it throttled or was too hot during the run, or
    /// its temperature had reached the one from which it warns.
    ThrottledByHeat => "throttled-by-heat", Warning, Unverified;
    /// The threads of the row were ready to run and got no processor: a control group held
    /// them back, a hypervisor ran other machines, or other programs took it.
    ProcessorRefused => "processor-refused", Warning, Unverified;
    /// A cache below the kernel holds all that the row used, or answered it.
    DatasetInCache => "dataset-in-cache", Warning, Unverified;
    /// Blocks that were shared with other files were overwritten, where the file system
    /// writes others in place.
    SharedExtents => "shared-extents", Warning, Unverified;
    /// A file is read of which parts lie in the same places of the device.
    RepeatedExtents => "repeated-extents", Warning, Unverified;
    /// Random reads came back to a few blocks again and again.
    SmallCoverage => "small-coverage", Warning, Unverified;
    /// Flushes took less time than the medium needs.
    FlushTooFast => "flush-too-fast", Warning, Unverified;
    /// The threads of the row computed nearly all the time.
    TesterLimited => "tester-limited", Warning, Unverified;
    /// Bytes are missing that may be the ramp's or those of the measured part: the
    /// devices count both together.
    RampInCounters => "ramp-in-counters", Warning, Unverified;
    /// Too few I/Os in flight for the row's name.
    DepthNotReached => "depth-not-reached", Warning, Unverified;
    /// Fewer I/Os started than a fixed rate meant to: the figures are those of an
    /// overload. Not in `sokudo load`, which asks for more than there is on purpose and
    /// says so of each rate.
    RateNotReached => "rate-not-reached", Warning, Unverified;
    /// Hosts that measured together did so for less than half of the time.
    LittleTogether => "little-together", Warning, Unverified;
    /// Options of a fio job were left out (`--lenient`) that change what is measured.
    LeftOut => "left-out", Warning, Unverified;
    /// The row was measured by another tool; its evidence was seen by nobody.
    Imported => "imported", Warning, Unverified;
    /// Compressed or encrypted extents in a file that is read.
    CompressedFile => "compressed-file", Warning, Unverified;
    /// Direct I/O was asked for and not had, or is emulated: direct writes to btrfs with
    /// checksums on Linux 6.15 or newer, which copies them into the page cache.
    DirectUnavailable => "direct-unavailable", Warning, Verified;
    /// A host is slower than the median of those that measured together, by more than chance and
    /// by a tenth at least.
    Straggler => "straggler", Warning, Verified;
    /// The 95 % interval of the trials' median is wider than ± 10 %.
    Unsteady => "unsteady", Warning, Verified;
    /// The first of at least 6 trials is unlike the others, on either side; not after a
    /// discarded warm-up.
    FirstRunOutlier => "first-run-outlier", Warning, Verified;
    /// The speed falls from one level to another within the row, as when a cache is used
    /// up; of `steady`, a tracked row whose last two windows did not both pass.
    NotSteady => "not-steady", Warning, Verified;
    /// The trials grow or fall in order of time.
    Trend => "trend", Warning, Verified;
    /// The trials fall into two groups with a gap between them.
    TwoModes => "two-modes", Warning, Verified;
    /// A few I/Os took far longer than all others, and shape the mean.
    Stalls => "stalls", Warning, Verified;
    /// I/Os of a survey took far longer than all others, and did so again when they were repeated.
    SlowSpots => "slow-places", Warning, Verified;
    /// Of the run: a rule (`--stop-when`) ended it before its time.
    StoppedByRule => "stopped-by-rule", Warning, Verified;
    /// The row `cached` of `sokudo quick`, which is `hdparm -T`: no figure of a disk, and
    /// not meant to be one.
    CachedOnPurpose => "cached-on-purpose", Info, Invalid;
    /// The control group of the process proves what the devices, which cannot be seen, were asked for.
    ShownByGroup => "shown-by-group", Info, Verified;
    /// All trials were made or their time is over, and the interval is wider than
    /// `--precision` asks for.
    PrecisionNotReached => "precision-not-reached", Info, Verified;
    /// Of the run: a volume of a cloud has a rate that it may have on credit alone.
    CreditLikely => "credit-likely", Info, Verified;
    /// Of the run: a volume of a cloud that was hardly read may have to be fetched block by block.
    FirstTouch => "first-touch", Info, Verified;
    /// Explained surplus of writes.
    WriteAmplification => "write-amplification", Info, Verified;
    /// Explained surplus of reads.
    ReadAmplification => "read-amplification", Info, Verified;
    /// Reads that writes need.
    ReadModifyWrite => "read-modify-write", Info, Verified;
    /// Direct writes of blocks smaller than the physical block of a leaf.
    SubBlockWrites => "sub-block-writes", Info, Verified;
    /// The devices counted clearly more requests than the row made I/Os, for another
    /// reason than what the hardware takes at most; or buffered sequential reads suffered
    /// from a small read-ahead.
    SplitIo => "split-io", Info, Verified;
    /// Blocks have more pages of 4 KiB than a leaf takes pieces at once
    /// (`queue/max_segments`), and huge pages are faster by a measured factor; or buffers lay
    /// in huge pages, and a program with ordinary ones gets less.
    HugePages => "huge-pages", Info, Verified;
    /// Of the run, if a row had one I/O in flight: the machine runs on battery, its
    /// processor's governor or preference saves power, or a link of a SATA or NVMe drive
    /// sleeps deeply.
    PowerSaving => "power-saving", Info, Verified;
    /// Data in the inode.
    InlineFile => "inline-file", Info, Verified;
    /// Single trials, not the first, are unlike the others.
    Outliers => "outliers", Info, Verified;
    /// Trials begin at another speed than they go on with.
    WarmUp => "warm-up", Info, Verified;
    /// Interrupted, or ended by a controller; what was measured counts.
    StoppedEarly => "stopped-early", Info, Verified;
    /// I/Os of a survey took far longer than all others, once.
    SlowOnce => "slow-once", Info, Verified;
    /// Of the run: it was interrupted and resumed, so that it was measured in parts.
    MeasuredInParts => "measured-in-parts", Info, Verified;
    /// Fewer than 6 trials, unless the schedule is `crystal` or `peak` only tried the load.
    FewTrials => "few-trials", Info, Verified;
    /// Another backend or fewer features than asked for, and why.
    EngineFallback => "engine-fallback", Info, Verified;
    /// Threads of the kernel did I/O beside those that asked for it (io_uring's workers).
    KernelWorkers => "kernel-workers", Info, Verified;
    /// Several sequential streams: threads of a row, or rows at the same time on the same
    /// part.
    SeparateOffsets => "separate-offsets", Info, Verified;
    /// Every byte of the data is zero (`--data zero`), which disks may compress.
    ZeroData => "zero-data", Info, Verified;
    /// What is written repeats itself and can be deduplicated or compressed.
    RepeatingData => "repeating-data", Info, Verified;
    /// Of the run: proven writes to a leaf without platters, or with a volatile write
    /// cache, which was not written through twice before (SNIA PTS); not of `steady`,
    /// `fill`, `explain` and simulated devices.
    NotPreconditioned => "not-preconditioned", Info, Verified;
    /// Of the run: a simulated device.
    Simulated => "simulated", Info, Verified;
    /// Of the run: a leaf is a disk of a virtual machine.
    VirtualDisk => "virtual-disk", Info, Verified;
    /// Of the run: figures that another tool is known to print wrong were put right;
    /// which and why.
    CorrectedImport => "corrected-import", Info, Verified;
}

/// Codes of rules that a method alone has, as those of all methods are declared: a `static` for each,
/// and `CODES`. `Stalls + 2` is the second rank behind that code, whose severity and verdict it has.
#[macro_export]
macro_rules! method_codes {
    ($($(#[doc = $line:literal])+
        $code:ident => $name:literal, $severity:ident, $verdict:ident, $behind:ident + $rank:literal;)+) => {
        $(
            $(#[doc = $line])+
            static $code: $crate::code::MethodCode = $crate::code::MethodCode {
                name: $name,
                severity: sokudo_model::Severity::$severity,
                verdict: sokudo_model::Verdict::$verdict,
                behind: ($crate::code::Code::$behind, $rank),
                meaning: concat!($($line),+),
            };
        )+

        const CODES: &[&$crate::code::MethodCode] = &[$(&$code),+];
    };
}

/// A code of a rule that a method alone has.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodCode {
    /// The word that scripts know it by.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The best verdict that a row with it can have.
    pub verdict: Verdict,
    /// The code of no method that it stands behind, and its rank there, from 1 on.
    pub behind: (Code, u8),
    /// When a row has it, for docs/FINDINGS.md.
    pub meaning: &'static str,
}

impl Code {
    /// What changes the figure more is less.
    pub(crate) fn weight(self) -> (Reverse<Severity>, Reverse<Verdict>, (Self, u8)) {
        let rank = match self {
            Self::Of(code) => code.behind,
            code => (code, 0),
        };
        (Reverse(self.severity()), Reverse(self.verdict()), rank)
    }

    /// The word that scripts know it by.
    pub const fn name(self) -> &'static str {
        self.definition().0
    }

    /// How much it matters.
    pub const fn severity(self) -> Severity {
        self.definition().1
    }

    /// The best verdict that a row with this finding can have.
    pub const fn verdict(self) -> Verdict {
        self.definition().2
    }

    /// Whether the disk may be faster than its row shows, and cannot be slower: others used it, or
    /// something held the row back. A rate that is enough is enough then, and a latency that is
    /// short enough; what is too slow is not proven (docs/METHOD.md, One-sided answers).
    pub const fn only_slows(self) -> bool {
        matches!(
            self,
            Self::ForeignIo
                | Self::ThrottledByCgroup
                | Self::ThrottledByHeat
                | Self::ProcessorRefused
                | Self::TesterLimited
        )
    }

    /// Whether a row that it is found of may have had fewer I/Os in flight than it asked for, which
    /// makes latencies shorter.
    pub const fn may_shorten_latencies(self) -> bool {
        matches!(self, Self::ProcessorRefused | Self::TesterLimited)
    }

    /// Whether reads that it is found of may have been answered by something else than the disk.
    pub const fn may_be_of_cache(self) -> bool {
        matches!(
            self,
            Self::MemoryFileSystem
                | Self::SparseFile
                | Self::UnwrittenExtents
                | Self::CachedReads
                | Self::NotFromDevice
                | Self::CannotSeeDevice
                | Self::DatasetInCache
        )
    }

    /// Whether it is met by who looks for caches, or writes until the speed falls.
    pub const fn is_of_caches(self) -> bool {
        matches!(
            self,
            Self::DatasetInCache
                | Self::SmallCoverage
                | Self::FlushTooFast
                | Self::TesterLimited
                | Self::DepthNotReached
                | Self::NotPreconditioned
        )
    }

    /// Whether it tells how a figure came about from trial to trial and from I/O to I/O. Of a
    /// figure that is none of a device nobody needs to know that.
    pub const fn is_about_steadiness(self) -> bool {
        matches!(
            self,
            Self::Unsteady
                | Self::FirstRunOutlier
                | Self::NotSteady
                | Self::Trend
                | Self::TwoModes
                | Self::Stalls
                | Self::Outliers
                | Self::WarmUp
                | Self::PrecisionNotReached
                | Self::FewTrials
        )
    }
}

/// What a rule says when it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleResult {
    /// Which finding it is.
    pub code: Code,
    /// What was seen, with its figures.
    pub symptom: Text,
    /// What most likely causes it.
    pub cause: Text,
    /// What to do about it.
    pub remedy: Text,
}

impl RuleResult {
    /// A ruling on what was seen, why, and what to do about it.
    pub fn new(
        code: Code,
        symptom: impl Into<Text>,
        cause: impl Into<Text>,
        remedy: impl Into<Text>,
    ) -> Self {
        Self {
            code,
            symptom: symptom.into(),
            cause: cause.into(),
            remedy: remedy.into(),
        }
    }
}

impl From<RuleResult> for Finding {
    fn from(ruling: RuleResult) -> Self {
        Self {
            code: ruling.code.name().to_owned(),
            severity: ruling.code.severity(),
            symptom: ruling.symptom,
            cause: ruling.cause,
            remedy: ruling.remedy,
        }
    }
}

/// What changes the figure most comes first: the order in which codes are
/// declared, with those of methods between them.
pub fn in_order(mut rulings: Vec<RuleResult>) -> Vec<Finding> {
    rulings.sort_by_key(|ruling| ruling.code.weight());
    rulings.into_iter().map(Finding::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_declared_by_severity_and_then_by_effect() {
        assert!(Code::OF_ALL.is_sorted_by_key(|code| code.weight()));
    }

    #[test]
    fn the_method_names_what_only_slows() {
        let method = include_str!("../../../docs/METHOD.md");
        let (_, section) = method.split_once("### One-sided answers").unwrap();
        let (section, _) = section.split_once("\n###").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let named: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
        let only_slow = Code::OF_ALL.into_iter().filter(|code| code.only_slows());
        assert_eq!(named, only_slow.map(Code::name).collect::<Vec<_>>());
    }
}
