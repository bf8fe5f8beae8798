//! The profiles: which rows, and the pauses between trials. The job files in `methods/`
//! are printed from them.

use std::fmt;
use std::str::FromStr;

use sokudo_model::{Bytes, Method, Nanos, Plan};

use super::durability::RowDurability;
use super::row::{RowPattern, RowSpec};
use super::{RowDirection, workloads};

const SEQ1M_Q8T1: RowSpec = spec(RowPattern::Sequential, Bytes::mib(1), 8, 1);
const SEQ1M_Q1T1: RowSpec = spec(RowPattern::Sequential, Bytes::mib(1), 1, 1);
const SEQ128K_Q32T1: RowSpec = spec(RowPattern::Sequential, Bytes::kib(128), 32, 1);
const RND512K_Q1T1: RowSpec = spec(RowPattern::Random, Bytes::kib(512), 1, 1);
const RND4K_Q32T16: RowSpec = spec(RowPattern::Random, Bytes::kib(4), 32, 16);
const RND4K_Q32T1: RowSpec = spec(RowPattern::Random, Bytes::kib(4), 32, 1);
const RND4K_Q1T1: RowSpec = spec(RowPattern::Random, Bytes::kib(4), 1, 1);

/// How Ceph's journals and ZFS' log devices are chosen: `fio --direct=1 --sync=1 --rw=write
/// --bs=4k --numjobs=1 --iodepth=1` (Sébastien Han, "Ceph: how to test if your SSD is suitable
/// as a journal device?", 2014), the data alone, as `dd oflag=direct,dsync` there.
const JOURNAL: RowSpec = log(Bytes::kib(4), RowDurability::Dsync);
/// etcd's log: `fio --rw=write --ioengine=sync --fdatasync=1 --bs=2300` (IBM, "Using fio to
/// tell whether your storage is fast enough for etcd", 2019).
const ETCD: RowSpec = log(Bytes(2_300), RowDurability::Fdatasync(1));
/// `PostgreSQL`'s log: pages of 8 KiB and `wal_sync_method`'s default on Linux (`pg_test_fsync`).
const POSTGRES: RowSpec = log(Bytes::kib(8), RowDurability::Fdatasync(1));
/// A new segment of `PostgreSQL`'s log: 16 MiB, then fsync (`XLogFileInitInternal`); what copies
/// a file and makes it durable does the like.
const SEGMENT: RowSpec = log(Bytes::mib(1), RowDurability::Fsync(16));

const fn spec(pattern: RowPattern, block: Bytes, depth: u32, threads: u32) -> RowSpec {
    RowSpec {
        block,
        pattern,
        depth,
        threads,
        directions: Vec::new(),
        durability: None,
    }
}

/// One at a time, in order: as a log is written.
const fn log(block: Bytes, durability: RowDurability) -> RowSpec {
    let mut row = spec(RowPattern::Sequential, block, 1, 1);
    row.durability = Some(durability);
    row
}

/// A set of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Rows that CrystalDiskMark shows by default.
    #[default]
    Default,
    /// The rows of its preset "NVMe SSD".
    Nvme,
    /// The default rows with the pauses of its preset "Flash Memory".
    Flash,
    /// Its profile "Peak Performance".
    Peak,
    /// Its profile "Real World Performance".
    Real,
    /// Its profile "Demo": one number for each direction.
    Demo,
    /// The rows of CrystalDiskMark 3.
    Classic,
    /// Logs of databases and journals: writes that count once they are durable.
    Durable,
}

/// Why a profile could not be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
#[error("there is no profile \"{name}\"; choose one of {}", names())]
pub struct UnknownProfile {
    pub name: String,
}

impl Profile {
    pub const ALL: [Self; 8] = [
        Self::Default,
        Self::Nvme,
        Self::Flash,
        Self::Peak,
        Self::Real,
        Self::Demo,
        Self::Classic,
        Self::Durable,
    ];

    /// The name as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Nvme => "nvme",
            Self::Flash => "flash",
            Self::Peak => "peak",
            Self::Real => "real",
            Self::Demo => "demo",
            Self::Classic => "classic",
            Self::Durable => "durable",
        }
    }

    /// The rows, in order. They name no directions.
    pub fn rows(self) -> Vec<RowSpec> {
        match self {
            Self::Default | Self::Flash => {
                vec![SEQ1M_Q8T1, SEQ1M_Q1T1, RND4K_Q32T1, RND4K_Q1T1]
            }
            Self::Nvme => vec![SEQ1M_Q8T1, SEQ128K_Q32T1, RND4K_Q32T16, RND4K_Q1T1],
            Self::Peak => vec![SEQ1M_Q8T1, RND4K_Q32T1],
            Self::Real => vec![SEQ1M_Q1T1, RND4K_Q1T1],
            Self::Demo => vec![SEQ1M_Q8T1],
            Self::Classic => vec![SEQ1M_Q1T1, RND512K_Q1T1, RND4K_Q1T1, RND4K_Q32T1],
            Self::Durable => vec![JOURNAL, ETCD, POSTGRES, SEGMENT],
        }
    }

    /// The pause between trials, for a slow drive to tidy up; `None` if the profile asks
    /// for none of its own.
    pub const fn interval(self) -> Option<Nanos> {
        match self {
            Self::Flash => Some(Nanos::from_secs(30)),
            _ => None,
        }
    }

    /// All reads, then all writes, each workload by itself.
    pub fn plan(self) -> Plan {
        let both = [RowDirection::Read, RowDirection::Write];
        let workloads = workloads(&self.rows(), &both, &[]);
        Plan::in_turn(Method::from(format!("mark/{self}")), 1, workloads)
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        let named = |profile: &Self| profile.name().eq_ignore_ascii_case(text);
        Self::ALL
            .into_iter()
            .find(named)
            .ok_or_else(|| UnknownProfile {
                name: text.to_owned(),
            })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

fn names() -> String {
    Profile::ALL.map(Profile::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flash_memory_asks_for_a_pause() {
        for profile in Profile::ALL {
            let pause = (profile == Profile::Flash).then(|| Nanos::from_secs(30));
            assert_eq!(profile.interval(), pause, "{profile}");
        }
    }

    #[test]
    fn an_unknown_profile_is_answered_with_all_there_are() {
        assert_eq!("NVMe".parse(), Ok(Profile::Nvme));
        assert_eq!(
            "fast".parse::<Profile>().unwrap_err().to_string(),
            "there is no profile \"fast\"; choose one of default, nvme, flash, peak, real, demo, classic, durable"
        );
    }
}
