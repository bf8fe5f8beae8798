//! What is around the whole run: settings that save power, arrays that are not whole,
//! drives that are slower than they could be. It changes no verdict: what it did to a row
//! shows in the row.

use std::cmp::Reverse;

use sokudo_model::disk::Bus;
use sokudo_model::{
    ArrayState, BlockDeviceKind, DriveConditions, Finding, Run, Severity, TargetKind, Workload,
};
use sokudo_words::{Text, text};

use crate::code::{Code, RuleResult};
use crate::disk::examine;
use crate::rule::RunRule;

pub const RULES: &[RunRule] = &[power_saving];

/// What is noticed about disks and bears on what they can do. Wear and errors of the past
/// do not, and heat is told of the rows.
const DISK_CODES_IN_RUN: [&str; 5] = [
    "disk-failing",
    "link-below-maximum",
    "slow-usb",
    "write-cache-off",
    "partition-misaligned",
];

/// Drivers that let the processor choose its frequency itself: their governor `powersave`
/// is the usual one, and the preference says what it comes to.
const CHOOSES_ITSELF: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

/// What the system around a run says about its disks and arrays, the gravest first.
pub(crate) fn about_disks(run: &Run) -> Vec<Finding> {
    let arrays = &run.conditions.arrays;
    let mut findings: Vec<Finding> = drives(run)
        .flat_map(|drive| examine(&drive.disk))
        .filter(|finding| DISK_CODES_IN_RUN.contains(&finding.code.as_str()))
        .chain(
            arrays
                .iter()
                .filter(|array| is_under(run, &array.name))
                .filter_map(not_whole),
        )
        .collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    findings
}

/// The drives under the target of this run.
fn drives(run: &Run) -> impl Iterator<Item = &DriveConditions> {
    let drives = run.conditions.drives.iter();
    drives.filter(|drive| is_under(run, &drive.disk.name))
}

fn is_under(run: &Run, name: &str) -> bool {
    let mut devices = run.target.devices.iter();
    devices.any(|device| device.name == name)
}

/// `RAID 5` for `raid5`.
pub fn level_name(array: &ArrayState) -> String {
    match array.level.as_deref() {
        Some(level) => match level.strip_prefix("raid") {
            Some(number) => format!("RAID {number}"),
            None => format!("RAID ({level})"),
        },
        None => "RAID".to_owned(),
    }
}

/// What an array does by itself, in words.
pub(crate) fn action_name(action: &str) -> Text {
    Text::from(match action {
        "recover" => "being rebuilt",
        "resync" => "being synchronised",
        "check" => "being checked",
        "repair" => "being checked and repaired",
        "reshape" => "being reshaped",
        other => return Text::name(other),
    })
}

pub(crate) fn not_whole(array: &ArrayState) -> Option<Finding> {
    let missing = array.missing.filter(|missing| *missing > 0);
    let (name, level) = (&array.name, level_name(array));
    let symptom = match (missing, &array.action, array.members) {
        (None, None, _) => return None,
        (Some(missing), None, Some(members)) => {
            text!("{name} ({level}) lacks {missing} of {members} members")
        }
        (Some(missing), None, None) => text!("{name} ({level}) lacks {missing} members"),
        (_, Some(action), _) => text!(
            "{name} ({level}) was {action} around the run",
            action = action_name(action)
        ),
    };
    let (cause, remedy) = match array.action {
        Some(_) => (
            "an array that compares or rebuilds its members uses them beside what is measured",
            text!(
                "wait until it has ended (cat /proc/mdstat), or stop it for the time being (echo idle > /sys/block/{name}/md/sync_action), and measure again"
            ),
        ),
        None => (
            "a member has failed, or was taken out; what it held is computed from the others",
            Text::from(
                "replace it (with mdadm) and wait for the rebuild: until then figures are not those of the whole array",
            ),
        ),
    };
    Some(Finding {
        code: "array-degraded".to_owned(),
        severity: Severity::Warning,
        symptom,
        cause: Text::from(cause),
        remedy,
    })
}

/// Saving power costs time at each I/O that has to wait for something to wake up: only
/// where a single one is in flight does that show.
fn power_saving(run: &Run) -> Option<RuleResult> {
    let is_real = !matches!(run.target.kind, TargetKind::Simulated | TargetKind::Null);
    let single = |workload: &Workload| workload.threads == 1 && workload.depth == 1;
    let row = run
        .rows
        .iter()
        .find(|row| !row.trials.is_empty() && single(&row.workload))
        .filter(|_| is_real)?;
    let saved: Vec<Text> = [battery(run), governor(run), sata_link(run), pcie_link(run)]
        .into_iter()
        .flatten()
        .collect();
    (!saved.is_empty()).then(|| {
        RuleResult::new(
            Code::PowerSaving,
            Text::list(saved, "; "),
            text!(
                "with one I/O at a time, as in {row}, CPU and link may sleep between two I/Os and take from 10 µs to 10 ms to wake",
                row = row.workload.name
            ),
            "plug the machine in and choose the profile for performance (powerprofilesctl set performance, or tuned-adm profile throughput-performance), and measure again",
        )
    })
}

fn battery(run: &Run) -> Option<Text> {
    let is_so = run.conditions.power.on_battery == Some(true);
    is_so.then(|| Text::from("the machine runs on its battery"))
}

fn governor(run: &Run) -> Option<Text> {
    let governor = run.environment.governor.as_deref()?;
    let power = &run.conditions.power;
    if !governor.split(", ").any(|word| word == "powersave") {
        return None;
    }
    let driver = power.frequency_driver.as_deref().unwrap_or_default();
    if !CHOOSES_ITSELF.contains(&driver) {
        return Some(Text::from("the CPU's governor is powersave"));
    }
    let preference = power.energy_preference.as_deref()?;
    let saves = preference
        .split(", ")
        .any(|word| matches!(word, "power" | "balance_power"));
    saves.then(|| text!("the CPU prefers to save power ({preference})"))
}

/// The policies that many systems set by themselves (`medium_power`,
/// `med_power_with_dipm`) are ordinary, and not told.
fn sata_link(run: &Run) -> Option<Text> {
    let mut sata = drives(run).filter(|drive| drive.disk.bus == Some(Bus::Ata));
    let (drive, policy) = sata.find_map(|drive| {
        let policy = drive.link_power.as_deref()?;
        policy.starts_with("min_power").then_some((drive, policy))
    })?;
    Some(text!(
        "the link of {device} uses its deepest power saving ({policy})",
        device = drive.disk.name
    ))
}

fn pcie_link(run: &Run) -> Option<Text> {
    let policy = run.conditions.power.pcie_policy.as_deref()?;
    let mut nvme = drives(run).filter(|drive| {
        drive.disk.bus == Some(Bus::Nvme) && drive.disk.kind == BlockDeviceKind::Disk
    });
    let drive = nvme.next()?;
    matches!(policy, "powersave" | "powersupersave").then(|| {
        text!(
            "the PCI Express link of {device} saves power ({policy})",
            device = drive.disk.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use crate::sample::{device, drive, reads, reads_with, spoilt};
    use sokudo_model::disk::Link;

    /// The codes and the first symptom of what is said of the run.
    fn summary(mut run: Run) -> (Vec<String>, String) {
        judge(&mut run);
        let codes = run.findings.iter().map(|found| found.code.clone());
        let symptom = run.findings.first().map(|found| found.symptom.clone());
        (codes.collect(), symptom.unwrap_or_default().english())
    }

    fn with_drive(change: impl Fn(&mut DriveConditions)) -> Run {
        reads_with(|run| {
            let mut drive = drive("nvme0n1");
            drive.disk.bus = Some(Bus::Nvme);
            change(&mut drive);
            run.conditions.drives.push(drive);
        })
    }

    #[test]
    fn of_a_quiet_machine_nothing_is_said() {
        assert_eq!(summary(reads()).0, [""; 0]);
        assert_eq!(summary(with_drive(|_| ())).0, [""; 0]);
    }

    #[test]
    fn what_saves_power_is_told_where_one_io_is_in_flight() {
        let on_battery = |run: &mut Run| run.conditions.power.on_battery = Some(true);
        let (codes, symptom) = summary(reads_with(on_battery));
        assert_eq!(codes, ["power-saving"]);
        assert!(symptom.contains("battery"), "{symptom}");
        let deep = reads_with(|run| {
            on_battery(run);
            run.rows[0].workload.depth = 32;
        });
        assert_eq!(summary(deep).0, [""; 0]);
        let simulated = reads_with(|run| {
            on_battery(run);
            run.target.kind = TargetKind::Simulated;
        });
        assert_eq!(summary(simulated).0, ["simulated"]);
    }

    #[test]
    fn a_processor_that_chooses_itself_is_judged_by_its_preference() {
        let with = |driver: &str, preference: Option<&str>| {
            summary(reads_with(|run| {
                run.environment.governor = Some("powersave".into());
                run.conditions.power.frequency_driver = Some(driver.into());
                run.conditions.power.energy_preference = preference.map(str::to_owned);
            }))
            .0
        };
        assert_eq!(with("intel_pstate", Some("balance_performance")), [""; 0]);
        assert_eq!(with("intel_pstate", Some("performance")), [""; 0]);
        assert_eq!(with("intel_pstate", None), [""; 0]);
        assert_eq!(with("intel_pstate", Some("power")), ["power-saving"]);
        assert_eq!(with("acpi-cpufreq", None), ["power-saving"]);
        let mixed = summary(reads_with(|run| {
            run.environment.governor = Some("performance, powersave".into());
        }));
        assert_eq!(mixed.0, ["power-saving"]);
    }

    #[test]
    fn links_that_sleep_deeply_are_told_and_ordinary_ones_are_not() {
        let sata = |policy: &'static str| {
            summary(with_drive(|drive| {
                drive.disk.bus = Some(Bus::Ata);
                drive.link_power = Some(policy.into());
            }))
            .0
        };
        assert_eq!(sata("min_power"), ["power-saving"]);
        assert_eq!(sata("min_power_with_partial"), ["power-saving"]);
        assert_eq!(sata("med_power_with_dipm"), [""; 0]);
        assert_eq!(sata("max_performance"), [""; 0]);
        let pcie = |policy: &str, bus| {
            let run = with_drive(|drive| drive.disk.bus = Some(bus));
            summary(spoilt(run, |run| {
                run.conditions.power.pcie_policy = Some(policy.into());
            }))
            .0
        };
        assert_eq!(pcie("powersave", Bus::Nvme), ["power-saving"]);
        assert_eq!(pcie("default", Bus::Nvme), [""; 0]);
        assert_eq!(pcie("powersave", Bus::Ata), [""; 0]);
    }

    #[test]
    fn what_is_noticed_about_the_disks_under_the_target_is_told_of_the_run() {
        let slow = |drive: &mut DriveConditions| {
            drive.disk.link = Some(Link {
                negotiated: Some("2.5 GT/s x4".into()),
                maximum: Some("8.0 GT/s x4".into()),
                negotiated_bytes_per_s: Some(1_000_000_000),
                maximum_bytes_per_s: Some(3_900_000_000),
                ..Link::default()
            });
        };
        assert_eq!(summary(with_drive(slow)).0, ["link-below-maximum"]);
        let elsewhere = spoilt(with_drive(slow), |run| {
            run.conditions.drives[0].disk.name = "nvme9n1".into();
        });
        assert_eq!(summary(elsewhere).0, [""; 0]);
        let worn = with_drive(|drive| drive.disk.health.used_percent = Some(100));
        assert_eq!(summary(worn).0, [""; 0], "wear changes no figure");
    }

    #[test]
    fn arrays_that_are_not_whole_are_told() {
        let array = |missing, action: Option<&str>| {
            summary(reads_with(|run| {
                run.target
                    .devices
                    .insert(0, device("md0", BlockDeviceKind::Raid, false));
                run.conditions.arrays.push(ArrayState {
                    name: "md0".into(),
                    level: Some("raid5".into()),
                    members: Some(4),
                    missing: Some(missing),
                    action: action.map(str::to_owned),
                    ..ArrayState::default()
                });
            }))
        };
        let (codes, symptom) = array(1, None);
        assert_eq!(codes, ["array-degraded"]);
        assert_eq!(symptom, "md0 (RAID 5) lacks 1 of 4 members");
        let (_, symptom) = array(1, Some("recover"));
        assert_eq!(symptom, "md0 (RAID 5) was being rebuilt around the run");
        assert_eq!(array(0, Some("check")).0, ["array-degraded"]);
        assert_eq!(array(0, None).0, [""; 0]);
    }
}
