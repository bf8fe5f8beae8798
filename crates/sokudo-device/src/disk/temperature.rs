//! The temperature that the kernel measures by itself (hwmon: the drivers `drivetemp` and
//! `nvme`), for those who may not ask the disk.

use std::path::{Path, PathBuf};

use crate::system;

/// Degrees Celsius, and above which the disk warns.
pub(crate) fn temperature(directory: &Path) -> (Option<i32>, Option<i32>) {
    let Some(sensor) = sensor(directory) else {
        return (None, None);
    };
    let degrees = |file: &str| thousandths(&system::text(sensor.join(file))?);
    (degrees("temp1_input"), degrees("temp1_max"))
}

/// SCSI disks and newer NVMe drivers have it below `hwmon`, older NVMe drivers directly.
fn sensor(directory: &Path) -> Option<PathBuf> {
    let device = directory.join("device");
    [device.join("hwmon"), device]
        .iter()
        .flat_map(|place| {
            system::names(place)
                .into_iter()
                .filter(|name| name.starts_with("hwmon"))
                .map(|name| place.join(name))
                .collect::<Vec<_>>()
        })
        .find(|sensor| sensor.join("temp1_input").exists())
}

/// Thousandths of a degree, rounded; what no disk survives is not believed.
fn thousandths(text: &str) -> Option<i32> {
    let thousandths: i32 = text.parse().ok()?;
    let degrees = thousandths.checked_add(500)?.div_euclid(1000);
    (-60..=200).contains(&degrees).then_some(degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_rounded_and_the_absurd_is_not_believed() {
        assert_eq!(thousandths("34850"), Some(35));
        assert_eq!(thousandths("-10000"), Some(-10));
        assert_eq!(thousandths("65261850"), None);
        assert_eq!(thousandths("2147483647"), None);
        assert_eq!(thousandths(""), None);
    }
}
