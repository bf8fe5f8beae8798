//! What the system said around a run: limits, heat, arrays, power, and who else did I/O.
//! Facts only; what they mean for a figure is judged elsewhere.
//!
//! `None` and empty mean "could not be seen" or "there is none", never 0.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::course::Course;
use crate::disk::{Disk, FlashWrites};
use crate::units::{Bytes, Nanos};

/// What the system said around a run, as far as it concerns the devices under its target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Limits of control groups that apply to this process, for devices under the target.
    pub io_limits: Vec<IoLimit>,
    /// The drives at the bottom.
    pub drives: Vec<DriveConditions>,
    /// Arrays of Linux software RAID under the target, as they were after the run.
    pub arrays: Vec<ArrayState>,
    /// Settings of the system that save power and may cost speed.
    pub power: PowerSettings,
    /// What was seen while it went on; missing for what is no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<Course>,
    /// How much of the run somebody waited for processor, memory or I/O.
    pub pressure: Option<Pressure>,
    /// What could not be seen and why, in whole sentences.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub blind_spots: Vec<Text>,
}

/// A limit that a control group puts on the I/O of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoLimit {
    /// The file that says so.
    pub file: String,
    /// Kernel name of the device.
    pub device: String,
    /// Device number as `major:minor`.
    pub number: String,
    /// Bytes read per second.
    pub read_bytes_per_s: Option<u64>,
    /// Bytes written per second.
    pub write_bytes_per_s: Option<u64>,
    /// Reads allowed per second; `null` is no limit.
    pub read_ios_per_s: Option<u64>,
    /// Writes allowed per second; `null` is no limit.
    pub write_ios_per_s: Option<u64>,
    /// When it was seen first, on the clock of [`Course`]; missing where it was there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Nanos>,
    /// When it was seen last; missing where it was still there after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Nanos>,
}

/// A drive before and after a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveConditions {
    /// What is known of it after the run, but for its identity pages, and of what is on it
    /// only the partitions that the target is on.
    pub disk: Disk,
    /// Its heat before the run.
    pub before: Heat,
    /// Its heat after it.
    pub after: Heat,
    /// Most pieces of memory that one request may have (`max_segments`).
    pub segments_max: Option<u64>,
    /// How deep its SATA link may sleep (`link_power_management_policy`).
    pub link_power: Option<String>,
    /// Whether it may be put to sleep while it is idle (`power/control`).
    pub runtime_power: Option<String>,
    /// What it had read and written before the run, since it was attached or the machine started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_before: Option<Bytes>,
    /// What it wrote to its flash from the look before the run to that after it, whoever gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_writes: Option<FlashWrites>,
}

/// How hot a drive is and how often it has slowed itself down for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heat {
    /// Temperature of the drive, degrees Celsius.
    pub temperature_celsius: Option<i32>,
    /// Degrees Celsius from which it warns.
    pub warning_celsius: Option<i32>,
    /// Minutes of its life at or above that.
    pub warning_minutes: Option<u64>,
    /// Times in its life that it slowed itself down because it was hot.
    pub throttle_events: Option<u64>,
    /// Seconds of its life for which it was slowed down so.
    pub throttled_seconds: Option<u64>,
}

/// An array of Linux software RAID.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArrayState {
    /// Kernel name, such as `md0`.
    pub name: String,
    /// Level as the kernel names it, such as `raid5`.
    pub level: Option<String>,
    /// What lies on one member before the next one's turn.
    pub chunk_bytes: Option<Bytes>,
    /// Members that it should have.
    pub members: Option<u64>,
    /// How many of them are missing.
    pub missing: Option<u64>,
    /// What it does by itself before or after the run: `resync`, `recover`, `check`,
    /// `repair`, `reshape`; `null` where that is nothing.
    pub action: Option<String>,
}

impl ArrayState {
    /// Whether it keeps parity, so that a small write needs more than itself.
    pub fn has_parity(&self) -> bool {
        matches!(self.level.as_deref(), Some("raid4" | "raid5" | "raid6"))
    }

    /// The data of one stripe, without parity.
    pub fn stripe_bytes(&self) -> Option<Bytes> {
        let parity = match self.level.as_deref()? {
            "raid4" | "raid5" => 1,
            "raid6" => 2,
            _ => 0,
        };
        let data = self.members?.checked_sub(parity)?;
        let bytes = self.chunk_bytes?.0.checked_mul(data)?;
        (bytes > 0).then_some(Bytes(bytes))
    }
}

/// What saves power, and may cost speed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PowerSettings {
    /// Whether the machine runs on its battery; `null` where it has none, or no mains is
    /// seen.
    pub on_battery: Option<bool>,
    /// Driver of the processor's frequencies, such as `intel_pstate`.
    pub frequency_driver: Option<String>,
    /// What the processor prefers where it chooses its frequency itself, such as
    /// `balance_performance`.
    pub energy_preference: Option<String>,
    /// Sleep of PCI Express links (ASPM), such as `default` or `powersave`.
    pub pcie_policy: Option<String>,
    /// The longest latency, in microseconds, for which NVMe drives may sleep by themselves;
    /// 0 forbids it.
    pub nvme_sleep_latency_us_max: Option<u64>,
}

/// Time for which somebody waited (pressure stall information), and time that the
/// hypervisor gave to others, during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pressure {
    /// From the first look to the second.
    pub elapsed: Nanos,
    /// Some task waited for a processor.
    pub processor: Option<Nanos>,
    /// Some task waited for I/O: our own waits included.
    pub io: Option<Nanos>,
    /// Some task waited for memory.
    pub memory: Option<Nanos>,
    /// Processor time that was ready to be used and was given to other machines, summed
    /// over processors.
    pub stolen: Option<Nanos>,
    /// Processor time that other programs used outside the kernel, summed over processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Nanos>,
}

/// What processors did during a trial besides its row, and what was refused to this process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessorEvidence {
    /// From the first look to the second.
    pub elapsed: Nanos,
    /// What this process has used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<Nanos>,
    /// What other programs used outside the kernel, summed over processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programs: Option<Nanos>,
    /// What was used inside the kernel and not by this process: what the kernel did for our
    /// I/O in threads of its own, and for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Nanos>,
    /// What was ready to be used and was given to other machines, summed over processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stolen: Option<Nanos>,
    /// The control group of this process, or the one above it, that was held back most;
    /// missing where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<Throttling>,
}

/// What a limit on processor time did to a control group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Throttling {
    /// The file that holds the limit: `cpu.max`, or `cpu.cfs_quota_us` of version 1.
    pub file: String,
    /// Periods in which it was held back.
    pub periods: u64,
    /// For how long, summed over processors.
    pub time: Nanos,
}

/// Who else did I/O during a trial, as far as it can be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignUse {
    /// The processes with the most bytes, on whatever device.
    pub users: Vec<ForeignUser>,
    /// Processes whose I/O may not be seen from here, such as those of other users.
    pub hidden: u64,
}

impl ForeignUse {
    /// Adds what was seen in another trial.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for user in &other.users {
            match self.users.iter_mut().find(|known| known.pid == user.pid) {
                Some(known) => {
                    known.read_bytes += user.read_bytes;
                    known.written_bytes += user.written_bytes;
                }
                None => self.users.push(user.clone()),
            }
        }
        self.hidden = self.hidden.max(other.hidden);
        self
    }
}

/// A process that did I/O.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignUser {
    /// Process ID, as `/proc` names it.
    pub pid: u32,
    /// Its name, as the kernel has it.
    pub name: String,
    /// Whether it is a thread of the kernel.
    pub kernel: bool,
    /// Bytes that it made disks read.
    pub read_bytes: u64,
    /// Bytes that it changed and that disks must write.
    pub written_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripe_is_what_its_data_members_hold() {
        let array = |level: &str, members| ArrayState {
            level: Some(level.to_owned()),
            chunk_bytes: Some(Bytes::kib(512)),
            members: Some(members),
            ..ArrayState::default()
        };
        assert_eq!(array("raid5", 4).stripe_bytes(), Some(Bytes::kib(1536)));
        assert_eq!(array("raid6", 4).stripe_bytes(), Some(Bytes::mib(1)));
        assert_eq!(array("raid6", 1).stripe_bytes(), None);
        assert!(array("raid6", 4).has_parity());
        assert!(!array("raid1", 2).has_parity());
        assert_eq!(ArrayState::default().stripe_bytes(), None);
    }

    #[test]
    fn users_of_several_trials_are_added_by_their_number() {
        let user = |pid, read_bytes| ForeignUser {
            pid,
            read_bytes,
            ..ForeignUser::default()
        };
        let one = ForeignUse {
            users: vec![user(1, 10)],
            hidden: 3,
        };
        let two = ForeignUse {
            users: vec![user(2, 1), user(1, 5)],
            hidden: 2,
        };
        let both = one.plus(&two);
        assert_eq!(both.users, [user(1, 15), user(2, 1)]);
        assert_eq!(both.hidden, 3);
    }
}
