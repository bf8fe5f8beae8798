//! What makes two rows comparable, as data: the parts of a fingerprint.
//!
//! The hash is taken of these values, and comparisons are made of them. What people read of a
//! part is made of its value at the last step, and is no part of anything.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::method::ScheduleName;
use crate::plan::{
    Batching, BlockSizes, BufferMemory, CpuPolicy, DataContent, DriveCache, Durability, EndsOthers,
    Estimand, FileService, FileTree, Limits, OperationMix, Order, Rate, Rates, Recording, Scatter,
    Span, SteadyRule, Survey, Think, WriteCheck,
};
use crate::units::Nanos;

/// One line for each part, in the order of their names. A name, and what a value is written
/// as, is never changed: fingerprints that are kept are made of both.
macro_rules! parts {
    ($($(#[$meaning:meta])* $part:ident($data:ty) = $name:literal;)*) => {
        /// A part of a fingerprint, by its name.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum PlanPart {
            $($(#[$meaning])* #[serde(rename = $name)] $part,)*
        }

        impl PlanPart {
            /// As documents and people call it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$part => $name,)*
                }
            }
        }

        /// The value of a part.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum PlanData {
            $($(#[$meaning])* $part($data),)*
        }

        impl PlanData {
            /// Which part it is of.
            pub const fn part(&self) -> PlanPart {
                match self {
                    $(Self::$part(_) => PlanPart::$part,)*
                }
            }
        }
    };
}

parts! {
    /// How I/O is issued.
    Backend(BackendClass) = "backend";
    /// How I/Os are submitted and reaped together.
    Batching(Batching) = "batching";
    /// How many others ran at the same time, and the sum of their fingerprints.
    Beside((usize, u64)) = "beside";
    /// How large one I/O is.
    Blocks(BlockSizes) = "blocks";
    /// Whether all of the target is written and then read back.
    Capacity(bool) = "capacity";
    /// How what was written is checked.
    Check(WriteCheck) = "check";
    /// How many threads do the same at once.
    Threads(u32) = "clones";
    /// Processors that threads are bound to.
    Cpus((CpuPolicy, Vec<u32>)) = "cpus";
    /// Content of the blocks that are written.
    Data(DataContent) = "data";
    /// I/Os in flight per thread.
    Depth(u32) = "depth";
    /// Whether the page cache was bypassed.
    Direct(DirectUse) = "direct";
    /// When writes are made durable.
    Durability(Durability) = "durability";
    /// When it stops, and what is run unmeasured before.
    Duration((Limits, Nanos)) = "duration";
    /// Whether the file is emptied first.
    Emptied(bool) = "emptied";
    /// What its rate is the rate of.
    Estimand(Estimand) = "estimand";
    /// How many targets, in which turn, and how many of them are open at once.
    Files((usize, FileService, Option<u32>)) = "files";
    /// How many hosts measured it together: eight machines with a thread each are not one with
    /// eight.
    Hosts(u32) = "hosts";
    /// What memory buffers lie in.
    Memory(BufferMemory) = "memory";
    /// All operations that ran together, where the row tells of one of them.
    Mix(OperationMix) = "mix";
    /// Which operations, in which shares.
    Operations(OperationMix) = "operations";
    /// In which order blocks are visited.
    Order(Order) = "order";
    /// Whether completions are asked for, instead of coming by interrupt.
    Polled(bool) = "polled";
    /// The fixed rate of all operations together.
    Rate(Option<Rate>) = "rate";
    /// Fixed rates of single operations, and how I/Os are spaced.
    Rates(Rates) = "rates";
    /// What is recorded of I/Os, as far as that costs something for each.
    Recording(Recording) = "recording";
    /// Percentage of what is read that is changed and written back.
    Rewritten(u32) = "rewritten";
    /// The fingerprints of a run's rows, those that ran together in one list.
    Rows(Vec<Vec<String>>) = "rows";
    /// How random I/Os are spread.
    Scatter(Scatter) = "scatter";
    /// In which order trials are made, the pause between them, and whether one is run first
    /// and thrown away: pauses and warm-up give a drive time and reason to change its state.
    Schedule((ScheduleName, Nanos, bool)) = "schedule";
    /// What is used of each target; `None` is all of one whose size is not known.
    Span(Vec<Option<Span>>) = "span";
    /// Over which time rounds of trials are spread: a drive rests between them.
    Spread(Nanos) = "spread";
    /// When it starts, and what its end ends.
    Start((Nanos, EndsOthers)) = "start";
    /// When it is steady enough to stop.
    Steady(SteadyRule) = "steady";
    /// Which places are measured one by one.
    Survey(SurveyedSamples) = "survey";
    /// Pauses between I/Os, and after how many I/Os each.
    Think(Option<Think>) = "think";
    /// The tool that measured, where sokudo has not: no two do the same.
    Tool(String) = "tool";
    /// Which files are created, looked up or deleted.
    Tree(FileTree) = "tree";
    /// The state of the drive's own write cache.
    WriteCache(DriveCache) = "write cache";
}

/// Which places are measured one by one, and whether their blocks are sealed: with 0, for the
/// number makes no other row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "they are as in a plan")]
pub struct SurveyedSamples {
    #[serde(flatten)]
    pub survey: Survey,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed: Option<u64>,
}

/// Backends of one class keep as many I/Os in flight in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are called like their backends")]
pub enum BackendClass {
    /// Several I/Os are in flight at once.
    Async,
    /// Several at once, past the block layer.
    Passthrough,
    /// One after the other.
    Sync,
    Mmap,
    Null,
    Sim,
}

/// Whether the page cache was bypassed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectUse {
    /// Bypassed in all trials.
    On,
    /// Bypassed in no trial.
    Off,
    /// Bypassed in some trials and not in others.
    Differs,
}

/// The parts of one row; one that is `None` is not known, and one that is missing was not
/// asked for. All copies share one map, so that rows of thousands of runs are compared at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanParts(Arc<BTreeMap<PlanPart, Option<PlanData>>>);

impl PlanParts {
    /// Those that every row has, of what sokudo measures and of what other tools tell.
    pub const OF_ALL: [PlanPart; 14] = [
        PlanPart::Backend,
        PlanPart::Blocks,
        PlanPart::Threads,
        PlanPart::Data,
        PlanPart::Depth,
        PlanPart::Direct,
        PlanPart::Duration,
        PlanPart::Durability,
        PlanPart::Operations,
        PlanPart::Order,
        PlanPart::Rate,
        PlanPart::Schedule,
        PlanPart::Span,
        PlanPart::Think,
    ];

    /// Puts a value in.
    pub fn set(&mut self, data: PlanData) {
        Arc::make_mut(&mut self.0).insert(data.part(), Some(data));
    }

    /// Takes a part out.
    pub fn remove(&mut self, part: PlanPart) {
        Arc::make_mut(&mut self.0).remove(&part);
    }

    /// Has it that nobody knows a part.
    pub fn set_unknown(&mut self, part: PlanPart) {
        Arc::make_mut(&mut self.0).insert(part, None);
    }

    /// The value of a part; `None` where it is not known, or was not asked for.
    pub fn get(&self, part: PlanPart) -> Option<&PlanData> {
        self.0.get(&part)?.as_ref()
    }

    /// Whether a part is there although nobody knows it.
    pub fn is_unknown(&self, part: PlanPart) -> bool {
        matches!(self.0.get(&part), Some(None))
    }

    /// Every part in the order of the names, with its value where that is known.
    pub fn iter(&self) -> impl Iterator<Item = (PlanPart, Option<&PlanData>)> {
        self.0.iter().map(|(part, data)| (*part, data.as_ref()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether another tool has measured.
    pub fn is_foreign(&self) -> bool {
        self.0.contains_key(&PlanPart::Tool)
    }

    /// The parts in which both differ. Two that nobody knows are alike.
    pub fn differing(&self, other: &Self) -> Vec<PlanPart> {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Vec::new();
        }
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut parts = Vec::new();
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some((one, _)), Some((other, _))) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return parts,
            };
            let ours = (order != Ordering::Greater).then(|| ours.next()).flatten();
            let theirs = (order != Ordering::Less).then(|| theirs.next()).flatten();
            if ours != theirs {
                parts.extend(ours.or(theirs).map(|(part, _)| *part));
            }
        }
    }
}

/// A value stands in a list of its own, which is empty where it is not known: no value can be
/// taken for that.
impl Serialize for PlanParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(part, data)| (part, data.as_slice())))
    }
}

impl FromIterator<PlanData> for PlanParts {
    fn from_iter<T: IntoIterator<Item = PlanData>>(data: T) -> Self {
        let parts = data.into_iter().map(|it| (it.part(), Some(it)));
        Self(Arc::new(parts.collect()))
    }
}
