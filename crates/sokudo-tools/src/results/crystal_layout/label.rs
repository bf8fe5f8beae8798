//! What a row's label says: `SEQ    1MiB (Q=  8, T= 1)`, `Sequential 1 MiB (Q= 8, T= 1)`,
//! `Random Write 4KiB (Q=  8,T= 8)`, `Random Read 4KB (QD=32)`, `Sequential Read`.

use sokudo_model::{Bytes, Operation, OperationMix, Order, PlanPart};

use crate::results::number;
use crate::results::row::{RANDOM, WorkloadDescription, crystal_name};

/// Where the size is not told; the row says that it is unknown.
const ANY_BLOCK: Bytes = Bytes::mib(1);

/// Whether a row was read, written or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelDirection {
    Read,
    Write,
    /// In shares of which reads have so many percent, where told.
    Mix(Option<u32>),
}

impl LabelDirection {
    /// `[Read]`, `[Write]`, `[Mix]` or `[Mix] Read 70%/Write 30%`.
    pub(crate) fn of_section(line: &str) -> Option<Self> {
        match line {
            "[Read]" => Some(Self::Read),
            "[Write]" => Some(Self::Write),
            _ => {
                let shares = line.strip_prefix("[Mix]")?;
                let percent = shares.trim().strip_prefix("Read ");
                let percent = percent.and_then(|text| text.split_once('%')?.0.parse().ok());
                Some(Self::Mix(
                    percent.filter(|percent| (1..100).contains(percent)),
                ))
            }
        }
    }

    fn operations(self) -> Option<OperationMix> {
        match self {
            Self::Read => Some(OperationMix::only(Operation::Read)),
            Self::Write => Some(OperationMix::only(Operation::Write)),
            Self::Mix(percent) => OperationMix::read_write(percent?),
        }
    }
}

/// What a row measures, as far as its label tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CrystalLabel {
    pub(crate) direction: Option<LabelDirection>,
    pub(crate) is_random: bool,
    pub(crate) block: Option<Bytes>,
    pub(crate) depth: Option<u32>,
    pub(crate) threads: Option<u32>,
    /// The label without the direction.
    text: String,
}

impl CrystalLabel {
    /// Reads a label below a section; `None` where it is none.
    pub(crate) fn read(text: &str, section: Option<LabelDirection>) -> Option<Self> {
        let (words, queue) = match text.split_once('(') {
            Some((words, queue)) => (words, queue.split_once(')')?.0),
            None => (text, ""),
        };
        let mut words = words.split_whitespace();
        let is_random = match words.next()? {
            "SEQ" | "Sequential" | "Seq" => false,
            "RND" | "Random" | "Rnd" => true,
            _ => return None,
        };
        let (mut direction, mut size) = (section, String::new());
        for word in words {
            match word {
                "Read" => direction = Some(LabelDirection::Read),
                "Write" => direction = Some(LabelDirection::Write),
                "Mix" => direction = Some(LabelDirection::Mix(None)),
                _ => size.push_str(word),
            }
        }
        let of = |name: &str| {
            let mut parts = queue.split(',').filter_map(|part| part.split_once('='));
            let (_, value) = parts.find(|(part, _)| part.trim() == name)?;
            number::depth(value)
        };
        Some(Self {
            direction,
            is_random,
            block: block(&size),
            depth: of("Q").or_else(|| of("QD")),
            threads: of("T"),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    }

    /// The row's name: CrystalDiskMark's short one where the label tells all of it.
    fn name(&self) -> String {
        let (Some(_), Some(load)) = (self.block, self.depth.zip(self.threads)) else {
            let words = self.text.split(' ');
            let words = words.filter(|word| !matches!(*word, "Read" | "Write" | "Mix"));
            return words.collect::<Vec<_>>().join(" ");
        };
        let kind = if self.is_random { "RND" } else { "SEQ" };
        crystal_name(kind, self.block, Some(load))
    }

    /// The workload, as far as the label tells. Whose position it is with several threads, the
    /// tool has to tell.
    pub(crate) fn workload(&self) -> WorkloadDescription {
        let mut description = WorkloadDescription::new(self.name(), ANY_BLOCK);
        description.workload.operations =
            OperationMix::read_write(50).expect("the percentage is a constant below 100");
        description.workload.order = match self.is_random {
            true => RANDOM,
            false => Order::SEQUENTIAL,
        };
        description
            .block(self.block)
            .depth(self.depth)
            .threads(self.threads)
            .operations(self.direction.and_then(LabelDirection::operations))
            .parts_if(
                self.is_random || self.threads == Some(1),
                &[PlanPart::Order],
            )
    }
}

/// `1MiB`, `4KiB`, `512KB`: old versions wrote KB for KiB, as their IOPS show.
fn block(text: &str) -> Option<Bytes> {
    let start_of_unit = text.find(|sign: char| !sign.is_ascii_digit())?;
    let (size, unit) = text.split_at(start_of_unit);
    let scale = match unit {
        "KiB" | "KB" => 1 << 10,
        "MiB" | "MB" => 1 << 20,
        _ => return None,
    };
    number::block(size, scale)
}
