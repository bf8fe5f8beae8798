//! The profiles, as job files from `methods/`.

use std::fmt;
use std::str::FromStr;

use sokudo_model::{Nanos, Plan};

use super::row::{RowSpec, row};
use crate::fio::{self, JobFile};

/// A set of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// CrystalDiskMark's default rows.
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
}

/// Why a profile could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no profile \"{name}\"; choose one of {}", names())]
pub struct UnknownProfile {
    /// As written.
    pub name: String,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 7] = [
        Self::Default,
        Self::Nvme,
        Self::Flash,
        Self::Peak,
        Self::Real,
        Self::Demo,
        Self::Classic,
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
        }
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

/// The profile's job file, as it stands in `methods/`.
pub const fn job_file(profile: Profile) -> &'static str {
    match profile {
        Profile::Default => include_str!("../../../../methods/default.fio"),
        Profile::Nvme => include_str!("../../../../methods/nvme.fio"),
        Profile::Flash => include_str!("../../../../methods/flash.fio"),
        Profile::Peak => include_str!("../../../../methods/peak.fio"),
        Profile::Real => include_str!("../../../../methods/real.fio"),
        Profile::Demo => include_str!("../../../../methods/demo.fio"),
        Profile::Classic => include_str!("../../../../methods/classic.fio"),
    }
}

/// The profile's plan: all reads, then all writes, each workload by itself.
pub fn plan(profile: Profile) -> Plan {
    parsed(profile).plan
}

/// The pause between trials that the profile asks for; `None` if it asks for none
/// of its own.
pub fn interval(profile: Profile) -> Option<Nanos> {
    parsed(profile).interval
}

/// The profile's rows, in order. They name no directions.
pub fn rows(profile: Profile) -> Vec<RowSpec> {
    let plan = plan(profile);
    let mut rows: Vec<RowSpec> = Vec::new();
    for workload in plan.stages.iter().flat_map(|stage| &stage.workloads) {
        let spec = row(&workload.name).expect("a test reads every name in methods/ as a row");
        if !rows.contains(&spec) {
            rows.push(spec);
        }
    }
    rows
}

fn parsed(profile: Profile) -> JobFile {
    fio::read(job_file(profile), profile.name()).expect("a test reads every file in methods/")
}

fn names() -> String {
    Profile::ALL.map(Profile::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crystal::{Direction, stages, workloads};

    fn row_names(profile: Profile) -> Vec<String> {
        rows(profile).iter().map(RowSpec::to_string).collect()
    }

    #[test]
    fn the_rows_are_crystaldiskmarks() {
        let default = ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"];
        assert_eq!(row_names(Profile::Default), default);
        assert_eq!(row_names(Profile::Flash), default);
        assert_eq!(
            row_names(Profile::Nvme),
            ["SEQ1M Q8T1", "SEQ128K Q32T1", "RND4K Q32T16", "RND4K Q1T1"]
        );
        assert_eq!(row_names(Profile::Peak), ["SEQ1M Q8T1", "RND4K Q32T1"]);
        assert_eq!(row_names(Profile::Real), ["SEQ1M Q1T1", "RND4K Q1T1"]);
        assert_eq!(row_names(Profile::Demo), ["SEQ1M Q8T1"]);
        assert_eq!(
            row_names(Profile::Classic),
            ["SEQ1M Q1T1", "RND512K Q1T1", "RND4K Q1T1", "RND4K Q32T1"]
        );
    }

    #[test]
    fn a_profiles_plan_is_what_its_rows_come_to() {
        for profile in Profile::ALL {
            let plan = plan(profile);
            let both = [Direction::Read, Direction::Write];
            assert_eq!(plan.method, format!("mark/{profile}"));
            assert_eq!(plan.stages, stages(workloads(&rows(profile), &both, &[])));
        }
    }

    #[test]
    fn only_flash_memory_asks_for_a_pause() {
        for profile in Profile::ALL {
            let pause = (profile == Profile::Flash).then(|| Nanos::from_secs(30));
            assert_eq!(interval(profile), pause, "{profile}");
        }
    }

    #[test]
    fn an_unknown_profile_is_answered_with_all_there_are() {
        assert_eq!("NVMe".parse(), Ok(Profile::Nvme));
        assert_eq!(
            "fast".parse::<Profile>().unwrap_err().to_string(),
            "there is no profile \"fast\"; choose one of default, nvme, flash, peak, real, demo, classic"
        );
    }
}
