//! The quick look: what people type at a shell to see how fast a disk is, as a plan.
//!
//! hdparm's two timings, and `dd` with blocks of 1 MiB past the page cache in both
//! directions. Like these tools it reads and writes from the start, in order, one I/O
//! at a time, until its time is over or the end is reached.
//!
//! `fdatasync` writes all of a file through the page cache, with a flush at the end in its time.
//! Unlike dd it calls fsync, which stores times too, and makes no new file: that of a directory
//! is emptied where nothing else is measured, and else is the one that was laid out.

use std::fmt;
use std::str::FromStr;

use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Limits, Method, MethodKind, MethodTrait, Nanos,
    Operation, OperationMix, Plan, Span, Workload,
};
use sokudo_tools::{dd, hdparm};

pub static METHOD: MethodKind = MethodKind {
    name: "quick",
    command: "quick",
    is_named: false,
    traits: &[MethodTrait::TimesPageCache],
};

/// The block that everybody gives dd (`bs=1M`).
pub const DD_BLOCK: Bytes = Bytes::mib(1);

/// How long dd's part lasts: as long as `hdparm -t`.
const DD_TIME: Nanos = hdparm::DEVICE_TIME;

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickTest {
    /// Reads from the page cache, as `hdparm -T` does.
    Cached,
    /// Reads of the device through the page cache, as `hdparm -t` does.
    Buffered,
    /// Direct reads, as `dd iflag=direct bs=1M` does.
    Direct,
    /// Direct writes, as `dd oflag=direct bs=1M` does.
    Write,
    /// Writes through the page cache with an fsync at the end, as `dd conv=fdatasync bs=1M` does.
    Fdatasync,
}

impl QuickTest {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [
        Self::Cached,
        Self::Buffered,
        Self::Direct,
        Self::Write,
        Self::Fdatasync,
    ];

    /// The word that users know it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Buffered => "buffered",
            Self::Direct => "direct",
            Self::Write => "write",
            Self::Fdatasync => "fdatasync",
        }
    }

    /// Whether it goes through the page cache, which only what the kernel holds has.
    pub const fn uses_page_cache(self) -> bool {
        !matches!(self, Self::Direct | Self::Write)
    }

    /// Whether it is dd's, which moves a number of blocks where one is given (`count=1024`).
    pub const fn is_dd(self) -> bool {
        matches!(self, Self::Direct) || self.writes()
    }

    /// Whether it changes what is there.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Fdatasync)
    }

    /// The least that must be there.
    pub const fn block(self) -> Bytes {
        match self {
            Self::Cached | Self::Buffered => hdparm::BLOCK,
            Self::Direct | Self::Write | Self::Fdatasync => DD_BLOCK,
        }
    }

    const fn row_name(self) -> &'static str {
        match self {
            Self::Cached => hdparm::CACHED_READS,
            Self::Buffered => hdparm::DEVICE_READS,
            Self::Direct | Self::Write => dd::DIRECT,
            Self::Fdatasync => dd::FLUSHED,
        }
    }
}

impl fmt::Display for QuickTest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for QuickTest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|test| test.name() == text)
            .ok_or_else(|| "use cached, buffered, direct, write or fdatasync".to_owned())
    }
}

/// What a quick look looks at.
#[derive(Clone, Debug)]
pub struct Quick {
    /// What is looked at; each once.
    pub tests: Vec<QuickTest>,
    /// The target is a file of sokudo's own, which may be emptied.
    pub is_own_file: bool,
    /// Size of the target.
    pub size: Bytes,
    /// How long each part lasts; `None` is as long as the tool that it is named after.
    pub time: Option<Nanos>,
    /// How much dd moves, whole blocks of it, however long that takes (`count=1024`); `None`
    /// is as much as it can in its time.
    pub bytes: Option<Bytes>,
    /// What dd writes: zeros are `if=/dev/zero`.
    pub data: DataContent,
    /// How I/O is issued; the tools issue it by one system call after the other.
    pub backend: BackendKind,
    /// Where all chance starts from.
    pub seed: u64,
}

/// The target has no room for a block.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("{size} are less than the {block} that {test} reads at once; name something larger")]
pub struct TooSmall {
    test: QuickTest,
    block: Bytes,
    size: Bytes,
}

impl Quick {
    /// The plan: every part alone, one after the other.
    ///
    /// # Errors
    /// [`TooSmall`], where the target has no room for a block.
    pub fn plan(&self) -> Result<Plan, TooSmall> {
        let workloads = self.tests.iter().map(|test| self.workload(*test));
        let workloads = workloads.collect::<Result<_, _>>()?;
        Ok(Plan::in_turn(Method::new(&METHOD), self.seed, workloads))
    }

    fn workload(&self, test: QuickTest) -> Result<Workload, TooSmall> {
        let too_small = TooSmall {
            test,
            block: test.block(),
            size: self.size,
        };
        if self.size < test.block() {
            return Err(too_small);
        }
        let mut workload = match test {
            QuickTest::Cached => hdparm::cached_reads(DirectMode::Off),
            QuickTest::Buffered => {
                hdparm::device_reads(DirectMode::Off, Bytes(0), self.size).ok_or(too_small)?
            }
            QuickTest::Direct | QuickTest::Write | QuickTest::Fdatasync => self.dd(test),
        };
        test.row_name().clone_into(&mut workload.name);
        workload.backend = self.backend;
        let ends_by_bytes = self.bytes.is_some() && test.is_dd();
        if !ends_by_bytes && test != QuickTest::Fdatasync {
            workload.limits.time = self.time.or(workload.limits.time);
        }
        let all = Span::from_start(self.size);
        workload.span = workload.span.filter(|span| *span != all);
        Ok(workload)
    }

    /// `dd bs=1M` from the start: what is asked for, or all of the target once. A time would end
    /// `conv=fdatasync` in memory, so it has none.
    fn dd(&self, test: QuickTest) -> Workload {
        let final_flush = test == QuickTest::Fdatasync;
        let operation = [Operation::Read, Operation::Write][usize::from(test.writes())];
        let length = self.bytes.unwrap_or(self.size).min(self.size);
        let length = Bytes(length.0 / DD_BLOCK.0 * DD_BLOCK.0);
        let mut workload = Workload {
            operations: OperationMix::only(operation),
            data: self.data.clone(),
            span: Some(Span::from_start(length)),
            limits: Limits {
                time: (self.bytes.is_none() && !final_flush).then_some(DD_TIME),
                bytes: Some(length),
                ..Limits::default()
            },
            ..Workload::new("dd", DD_BLOCK)
        };
        if final_flush {
            workload.direct = DirectMode::Off;
            workload.durability.final_flush = true;
            // What else is measured reads the file that is there.
            workload.files.from_empty = self.is_own_file && self.tests == [test];
        }
        workload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick(tests: &[QuickTest], size: Bytes) -> Quick {
        Quick {
            tests: tests.to_vec(),
            is_own_file: true,
            size,
            time: None,
            bytes: None,
            data: DataContent::Random,
            backend: BackendKind::Psync,
            seed: 1,
        }
    }

    #[test]
    fn each_part_is_as_the_tool_does_it() {
        let plan = quick(&QuickTest::ALL, Bytes::gib(1)).plan().unwrap();
        let workloads: Vec<&Workload> = plan.stages.iter().map(|s| &s.workloads[0]).collect();
        let figures: Vec<_> = workloads
            .iter()
            .map(|w| (w.blocks.largest(), w.direct, w.limits.time, w.limits.bytes))
            .collect();
        let once = Some(Bytes::gib(1));
        let seconds = |seconds| Some(Nanos::from_secs(seconds));
        assert_eq!(
            figures,
            [
                (Bytes::mib(2), DirectMode::Off, seconds(2), None),
                (Bytes::mib(2), DirectMode::Off, seconds(3), once),
                (Bytes::mib(1), DirectMode::Auto, seconds(3), once),
                (Bytes::mib(1), DirectMode::Auto, seconds(3), once),
                (Bytes::mib(1), DirectMode::Off, None, once),
            ]
        );
        assert!(workloads.iter().all(|w| w.depth == 1 && w.threads == 1));
        let writes: Vec<bool> = workloads
            .iter()
            .map(|w| w.operations.changes_data())
            .collect();
        assert_eq!(writes, [false, false, false, true, true]);
        let flushes = workloads.iter().map(|w| w.durability.final_flush);
        assert_eq!(flushes.filter(|flushes| *flushes).count(), 1);
    }

    #[test]
    fn a_file_is_emptied_where_it_is_ours_and_nothing_else_is_measured() {
        let empties = |tests: &[QuickTest], is_own_file| {
            let quick = Quick {
                is_own_file,
                ..quick(tests, Bytes::gib(1))
            };
            let plan = quick.plan().unwrap();
            let mut workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
            workloads.any(|workload| workload.files.from_empty)
        };
        assert!(empties(&[QuickTest::Fdatasync], true));
        assert!(!empties(&[QuickTest::Fdatasync], false));
        assert!(!empties(&[QuickTest::Direct, QuickTest::Fdatasync], true));
    }

    #[test]
    fn dd_moves_as_many_blocks_as_it_is_told_whatever_time_that_takes() {
        let mut quick = quick(&QuickTest::ALL, Bytes::gib(1));
        quick.bytes = Some(Bytes::mib(64));
        quick.data = DataContent::Zero;
        let plan = quick.plan().unwrap();
        let limits = plan.stages.iter().map(|stage| stage.workloads[0].limits);
        let limits: Vec<_> = limits.map(|it| (it.time.is_some(), it.bytes)).collect();
        let expected = (false, Some(Bytes::mib(64)));
        assert_eq!(limits[..2], [(true, None), (true, Some(Bytes::gib(1)))]);
        assert_eq!(limits[2..], [expected; 3]);
        assert_eq!(plan.stages[3].workloads[0].data, DataContent::Zero);
    }

    #[test]
    fn a_time_of_ones_own_holds_for_every_part_but_a_file_that_is_written_whole() {
        let mut quick = quick(&QuickTest::ALL, Bytes::gib(1));
        quick.time = Some(Nanos::from_millis(50));
        for stage in quick.plan().unwrap().stages {
            let [workload] = &stage.workloads[..] else {
                panic!("{stage:?}");
            };
            let is_whole = workload.durability.final_flush;
            assert_eq!(workload.limits.time, quick.time.filter(|_| !is_whole));
        }
    }

    #[test]
    fn what_has_no_room_for_a_block_is_refused() {
        let error = quick(&[QuickTest::Buffered], Bytes::mib(1))
            .plan()
            .unwrap_err();
        assert!(
            error.to_string().contains("2 MiB that buffered reads"),
            "{error}"
        );
        assert!(quick(&[QuickTest::Direct], Bytes::mib(1)).plan().is_ok());
        assert!(quick(&[QuickTest::Direct], Bytes::kib(1)).plan().is_err());
    }

    #[test]
    fn names_are_read_back() {
        for test in QuickTest::ALL {
            assert_eq!(test.to_string().parse(), Ok(test));
        }
        assert!("Direct".parse::<QuickTest>().is_err());
    }
}
