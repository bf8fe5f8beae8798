//! Settings of the machine that save power.

use sokudo_model::PowerSettings;

use crate::processors::frequency_policy;
use crate::queue::bracketed;
use crate::system::System;

/// What saves power on this machine.
pub(super) fn power(system: &System) -> PowerSettings {
    PowerSettings {
        on_battery: on_battery(system),
        frequency_driver: frequency_policy(system, "scaling_driver"),
        energy_preference: frequency_policy(system, "energy_performance_preference"),
        pcie_policy: system
            .text("sys/module/pcie_aspm/parameters/policy")
            .and_then(|text| bracketed(&text).map(str::to_owned)),
        nvme_sleep_latency_us_max: system
            .text("sys/module/nvme_core/parameters/default_ps_max_latency_us")
            .and_then(|text| text.parse().ok()),
    }
}

/// A battery of the machine is discharged and no mains is on. Mice and keyboards have
/// batteries too: their scope is `Device`.
fn on_battery(system: &System) -> Option<bool> {
    let class = "sys/class/power_supply";
    let (mut mains_on, mut discharges) = (None, None);
    for name in system.names(class) {
        let text = |file: &str| system.text(format!("{class}/{name}/{file}"));
        if text("scope").as_deref() == Some("Device") {
            continue;
        }
        match text("type").as_deref() {
            Some("Mains" | "USB") => {
                let is_on = text("online").is_some_and(|online| online != "0");
                mains_on = Some(mains_on.unwrap_or(false) || is_on);
            }
            Some("Battery") => {
                let is_so = text("status").as_deref() == Some("Discharging");
                discharges = Some(discharges.unwrap_or(false) || is_so);
            }
            _ => {}
        }
    }
    Some(discharges? && mains_on != Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    fn seen(files: &[(&str, &str)]) -> PowerSettings {
        let machine = Machine::new();
        for (path, text) in files {
            machine.write(&format!("sys/{path}"), text);
        }
        power(&machine.system())
    }

    #[test]
    fn of_a_machine_that_says_nothing_nothing_is_known() {
        assert_eq!(seen(&[]), PowerSettings::default());
    }

    #[test]
    fn a_laptop_without_its_plug_runs_on_battery() {
        let laptop = |online, status| {
            seen(&[
                ("class/power_supply/AC/type", "Mains"),
                ("class/power_supply/AC/online", online),
                ("class/power_supply/BAT0/type", "Battery"),
                ("class/power_supply/BAT0/status", status),
                ("class/power_supply/hid-mouse/type", "Battery"),
                ("class/power_supply/hid-mouse/scope", "Device"),
                ("class/power_supply/hid-mouse/status", "Discharging"),
            ])
            .on_battery
        };
        assert_eq!(laptop("0", "Discharging"), Some(true));
        assert_eq!(laptop("1", "Charging"), Some(false));
        // A weak charger: the battery helps, and the firmware throttles nothing.
        assert_eq!(laptop("1", "Discharging"), Some(false));
        let mouse_only = seen(&[
            ("class/power_supply/m/type", "Battery"),
            ("class/power_supply/m/scope", "Device"),
            ("class/power_supply/m/status", "Discharging"),
        ]);
        assert_eq!(mouse_only.on_battery, None);
    }

    #[test]
    fn policies_are_read_as_they_are_chosen() {
        let all = seen(&[
            (
                "module/pcie_aspm/parameters/policy",
                "default performance [powersave] powersupersave\n",
            ),
            (
                "module/nvme_core/parameters/default_ps_max_latency_us",
                "100000\n",
            ),
            (
                "devices/system/cpu/cpufreq/policy0/scaling_driver",
                "intel_pstate\n",
            ),
            (
                "devices/system/cpu/cpufreq/policy0/energy_performance_preference",
                "power\n",
            ),
        ]);
        assert_eq!(all.pcie_policy.as_deref(), Some("powersave"));
        assert_eq!(all.nvme_sleep_latency_us_max, Some(100_000));
        assert_eq!(all.frequency_driver.as_deref(), Some("intel_pstate"));
        assert_eq!(all.energy_preference.as_deref(), Some("power"));
    }
}
