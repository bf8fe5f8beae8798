//! What each finding is: its code, how much it matters, and what it does to the
//! verdict. This is the only place that says so.

use sokudo_model::{Finding, Severity, Verdict};

use crate::remedy;

/// The codes of all findings. The ones declared first change a figure most, and
/// are shown first: by severity, then by effect on the verdict, which a test
/// holds, then by weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// No I/O completed.
    NoIo,
    /// What was read back is not what was written.
    WrongData,
    /// The target is no device.
    NoDevice,
    /// The file system lives in memory.
    MemoryFileSystem,
    /// The block device lives in memory.
    MemoryDevice,
    /// The file has holes, which are read from nowhere.
    SparseFile,
    /// The file has blocks that were never written, which are read from nowhere.
    UnwrittenExtents,
    /// The file was in the page cache before it was read through it.
    CachedReads,
    /// Fewer bytes were read from the devices than sokudo read.
    NotFromDevice,
    /// Fewer bytes were written to the devices than sokudo wrote.
    NotOnDevice,
    /// The device stopped answering.
    DeviceVanished,
    /// Ranges of a survey could not be read or written.
    Unreadable,
    /// I/O failed or was cut short.
    IoErrors,
    /// Latencies, elapsed time and depth contradict each other.
    BreachLittle,
    /// Bytes are not I/Os × block size.
    BreachBytes,
    /// A latency is impossible.
    BreachLatency,
    /// The histogram does not hold as many I/Os as were counted.
    BreachCounts,
    /// The samples of a survey are not all of it, or faster than their I/Os.
    BreachSamples,
    /// No counter shows what the devices did.
    CannotSeeDevice,
    /// Writes went into a cache and were not made durable in the measured time.
    BufferedWrites,
    /// Somebody else used the devices.
    ForeignIo,
    /// A limit of a control group held the I/O back.
    ThrottledByCgroup,
    /// The drive slowed itself down because it was hot.
    ThrottledByHeat,
    /// What was accessed fits a cache of the drive or its controller.
    DatasetInCache,
    /// Random reads met the same few blocks again and again.
    SmallCoverage,
    /// Flushes were acknowledged faster than the device can make anything durable.
    FlushTooFast,
    /// The tester and not the device set the figure.
    TesterLimited,
    /// Bytes are missing that may be the ramp's.
    RampInCounters,
    /// The row did not reach the depth that its name promises.
    DepthNotReached,
    /// I/Os did not start as fast as the fixed rate meant them to.
    RateNotReached,
    /// Options that change what is measured were left out.
    LeftOut,
    /// Another tool has measured, and its evidence was seen by nobody.
    Imported,
    /// The file system stores the file compressed or encrypted.
    CompressedFile,
    /// Direct I/O was asked for and not had.
    DirectUnavailable,
    /// The trials differ much.
    Unsteady,
    /// The first trial is unlike the others.
    FirstRunOutlier,
    /// The speed fell during the row and did not come back: a cache was used up.
    NotSteady,
    /// The trials grow or fall in order of time.
    Trend,
    /// The trials fall into two groups.
    TwoModes,
    /// A few I/Os took far longer than all others.
    Stalls,
    /// The row shows the page cache because it is meant to.
    CachedOnPurpose,
    /// The row was not measured as precisely as asked for.
    PrecisionNotReached,
    /// The file system or the array wrote more than it was given.
    WriteAmplification,
    /// More was read from the devices than was asked for.
    ReadAmplification,
    /// Writes made the devices read.
    ReadModifyWrite,
    /// Writes are smaller than the physical block.
    SubBlockWrites,
    /// The kernel cuts the row's I/Os into smaller ones.
    SplitIo,
    /// The kernel would cut the row's I/Os of a program with ordinary buffers.
    HugePages,
    /// Something saves power at the cost of speed.
    PowerSaving,
    /// Part of the file is stored in the inode.
    InlineFile,
    /// Part of the file is shared with other files.
    SharedExtents,
    /// Single trials are unlike the others.
    Outliers,
    /// Trials begin slower or faster than they go on.
    WarmUp,
    /// A trial ended before its time.
    StoppedEarly,
    /// Too few trials for an interval.
    FewTrials,
    /// Another backend than the one asked for, or with fewer features.
    EngineFallback,
    /// Several clones walk the same span, each by itself.
    SeparateOffsets,
    /// The data is zeros.
    ZeroData,
    /// The data repeats itself.
    RepeatingData,
    /// Writes are those of a burst to a device that may slow down.
    NotPreconditioned,
    /// The device is simulated.
    Simulated,
    /// The device is a virtual disk.
    VirtualDisk,
    /// What another tool is known to print wrong was put right.
    CorrectedImport,
}

impl Code {
    /// Every code, in the order in which they are declared.
    pub const ALL: [Self; 63] = [
        Self::NoIo,
        Self::WrongData,
        Self::NoDevice,
        Self::MemoryFileSystem,
        Self::MemoryDevice,
        Self::SparseFile,
        Self::UnwrittenExtents,
        Self::CachedReads,
        Self::NotFromDevice,
        Self::NotOnDevice,
        Self::DeviceVanished,
        Self::Unreadable,
        Self::IoErrors,
        Self::BreachLittle,
        Self::BreachBytes,
        Self::BreachLatency,
        Self::BreachCounts,
        Self::BreachSamples,
        Self::CannotSeeDevice,
        Self::BufferedWrites,
        Self::ForeignIo,
        Self::ThrottledByCgroup,
        Self::ThrottledByHeat,
        Self::DatasetInCache,
        Self::SmallCoverage,
        Self::FlushTooFast,
        Self::TesterLimited,
        Self::RampInCounters,
        Self::DepthNotReached,
        Self::RateNotReached,
        Self::LeftOut,
        Self::Imported,
        Self::CompressedFile,
        Self::DirectUnavailable,
        Self::Unsteady,
        Self::FirstRunOutlier,
        Self::NotSteady,
        Self::Trend,
        Self::TwoModes,
        Self::Stalls,
        Self::CachedOnPurpose,
        Self::PrecisionNotReached,
        Self::WriteAmplification,
        Self::ReadAmplification,
        Self::ReadModifyWrite,
        Self::SubBlockWrites,
        Self::SplitIo,
        Self::HugePages,
        Self::PowerSaving,
        Self::InlineFile,
        Self::SharedExtents,
        Self::Outliers,
        Self::WarmUp,
        Self::StoppedEarly,
        Self::FewTrials,
        Self::EngineFallback,
        Self::SeparateOffsets,
        Self::ZeroData,
        Self::RepeatingData,
        Self::NotPreconditioned,
        Self::Simulated,
        Self::VirtualDisk,
        Self::CorrectedImport,
    ];

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

    /// Whether it tells how a figure came about from trial to trial and from I/O to I/O. Of a
    /// figure that is none of a device nobody needs to know that.
    pub(crate) const fn is_about_steadiness(self) -> bool {
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

    const fn definition(self) -> (&'static str, Severity, Verdict) {
        use Severity::{Error, Info, Warning};
        use Verdict::{Invalid, Unverified, Verified};
        match self {
            Self::NoIo => ("no-io", Error, Invalid),
            Self::WrongData => ("wrong-data", Error, Invalid),
            Self::NoDevice => ("no-device", Error, Invalid),
            Self::MemoryFileSystem => ("memory-file-system", Error, Invalid),
            Self::MemoryDevice => ("memory-device", Error, Invalid),
            Self::SparseFile => ("sparse-file", Error, Invalid),
            Self::UnwrittenExtents => ("unwritten-extents", Error, Invalid),
            Self::CachedReads => ("cached-reads", Error, Invalid),
            Self::NotFromDevice => ("not-from-device", Error, Invalid),
            Self::NotOnDevice => ("not-on-device", Error, Invalid),
            Self::DeviceVanished => ("device-vanished", Error, Unverified),
            Self::Unreadable => ("unreadable", Error, Unverified),
            Self::IoErrors => ("io-errors", Error, Unverified),
            Self::BreachLittle => ("breach-little", Error, Unverified),
            Self::BreachBytes => ("breach-bytes", Error, Unverified),
            Self::BreachLatency => ("breach-latency", Error, Unverified),
            Self::BreachCounts => ("breach-counts", Error, Unverified),
            Self::BreachSamples => ("breach-samples", Error, Unverified),
            Self::CannotSeeDevice => ("cannot-see-device", Warning, Unverified),
            Self::BufferedWrites => ("buffered-writes", Warning, Unverified),
            Self::ForeignIo => ("foreign-io", Warning, Unverified),
            Self::ThrottledByCgroup => ("throttled-by-cgroup", Warning, Unverified),
            Self::ThrottledByHeat => ("throttled-by-heat", Warning, Unverified),
            Self::DatasetInCache => ("dataset-in-cache", Warning, Unverified),
            Self::SmallCoverage => ("small-coverage", Warning, Unverified),
            Self::FlushTooFast => ("flush-too-fast", Warning, Unverified),
            Self::TesterLimited => ("tester-limited", Warning, Unverified),
            Self::RampInCounters => ("ramp-in-counters", Warning, Unverified),
            Self::DepthNotReached => ("depth-not-reached", Warning, Unverified),
            Self::RateNotReached => ("rate-not-reached", Warning, Unverified),
            Self::LeftOut => ("left-out", Warning, Unverified),
            Self::Imported => ("imported", Warning, Unverified),
            Self::CompressedFile => ("compressed-file", Warning, Unverified),
            Self::DirectUnavailable => ("direct-unavailable", Warning, Verified),
            Self::Unsteady => ("unsteady", Warning, Verified),
            Self::FirstRunOutlier => ("first-run-outlier", Warning, Verified),
            Self::NotSteady => ("not-steady", Warning, Verified),
            Self::Trend => ("trend", Warning, Verified),
            Self::TwoModes => ("two-modes", Warning, Verified),
            Self::Stalls => ("stalls", Warning, Verified),
            Self::CachedOnPurpose => ("cached-on-purpose", Info, Invalid),
            Self::PrecisionNotReached => ("precision-not-reached", Info, Verified),
            Self::WriteAmplification => ("write-amplification", Info, Verified),
            Self::ReadAmplification => ("read-amplification", Info, Verified),
            Self::ReadModifyWrite => ("read-modify-write", Info, Verified),
            Self::SubBlockWrites => ("sub-block-writes", Info, Verified),
            Self::SplitIo => ("split-io", Info, Verified),
            Self::HugePages => ("huge-pages", Info, Verified),
            Self::PowerSaving => ("power-saving", Info, Verified),
            Self::InlineFile => ("inline-file", Info, Verified),
            Self::SharedExtents => ("shared-extents", Info, Verified),
            Self::Outliers => ("outliers", Info, Verified),
            Self::WarmUp => ("warm-up", Info, Verified),
            Self::StoppedEarly => ("stopped-early", Info, Verified),
            Self::FewTrials => ("few-trials", Info, Verified),
            Self::EngineFallback => ("engine-fallback", Info, Verified),
            Self::SeparateOffsets => ("separate-offsets", Info, Verified),
            Self::ZeroData => ("zero-data", Info, Verified),
            Self::RepeatingData => ("repeating-data", Info, Verified),
            Self::NotPreconditioned => ("not-preconditioned", Info, Verified),
            Self::Simulated => ("simulated", Info, Verified),
            Self::VirtualDisk => ("virtual-disk", Info, Verified),
            Self::CorrectedImport => ("corrected-import", Info, Verified),
        }
    }
}

/// What a rule says when it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ruling {
    /// Which finding it is.
    pub(crate) code: Code,
    /// What was seen, with its figures.
    pub(crate) symptom: String,
    /// What most likely causes it.
    pub(crate) cause: String,
    /// What to do about it.
    pub(crate) remedy: String,
}

impl Ruling {
    /// A ruling on what was seen, why, and what to do about it.
    pub(crate) fn new(
        code: Code,
        symptom: impl Into<String>,
        cause: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let remedy = remedy.into();
        debug_assert!(
            remedy::is_walked(&remedy),
            "no command is asked for {remedy}"
        );
        Self {
            code,
            symptom: symptom.into(),
            cause: cause.into(),
            remedy,
        }
    }
}

impl From<Ruling> for Finding {
    fn from(ruling: Ruling) -> Self {
        Self {
            code: ruling.code.name().to_owned(),
            severity: ruling.code.severity(),
            symptom: ruling.symptom,
            cause: ruling.cause,
            remedy: ruling.remedy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;

    #[test]
    fn every_code_is_listed_once_in_the_order_of_declaration() {
        assert!(Code::ALL.is_sorted());
        let mut names = Code::ALL.map(Code::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        assert_eq!(Code::ALL[Code::ALL.len() - 1], Code::CorrectedImport);
        assert_eq!(Code::CorrectedImport as usize, Code::ALL.len() - 1);
    }

    #[test]
    fn codes_are_declared_by_severity_and_then_by_effect() {
        let weight = |code: &Code| (Reverse(code.severity()), Reverse(code.verdict()));
        assert!(Code::ALL.is_sorted_by_key(weight));
    }

    #[test]
    fn only_errors_make_a_row_invalid_and_info_changes_no_verdict_but_of_what_is_meant_so() {
        for code in Code::ALL {
            match code.severity() {
                _ if code == Code::CachedOnPurpose => assert_eq!(code.verdict(), Verdict::Invalid),
                Severity::Info => assert_eq!(code.verdict(), Verdict::Verified, "{code:?}"),
                Severity::Warning => assert_ne!(code.verdict(), Verdict::Invalid, "{code:?}"),
                Severity::Error => assert_ne!(code.verdict(), Verdict::Verified, "{code:?}"),
            }
        }
    }
}
