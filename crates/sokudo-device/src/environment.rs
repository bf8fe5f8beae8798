//! The machine and its kernel, as far as they bear on a measurement.

use sokudo_model::{Bytes, HostEnvironment, Nanos};

use crate::processors::frequency_policy;
use crate::system::{System, field};

/// What can be seen of the machine; what cannot is `None`.
pub fn environment(system: &System) -> HostEnvironment {
    let cpuinfo = system.text("proc/cpuinfo").unwrap_or_default();
    HostEnvironment {
        host: host(system),
        kernel: system.text("proc/sys/kernel/osrelease"),
        distribution: distribution(system),
        cpu_model: cpu_model(&cpuinfo).or_else(|| board_model(system)),
        cpus: usable_cpus(),
        governor: frequency_policy(system, "scaling_governor"),
        memory_bytes: memory_bytes(&system.text("proc/meminfo").unwrap_or_default()),
        virtual_machine: is_virtual_machine(system, &cpuinfo),
        clock_source: system
            .text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        load_average: load_average(&system.text("proc/loadavg").unwrap_or_default()),
        root: rustix::process::geteuid().is_root(),
    }
}

/// When the machine was started, in time since 1970; `None` where it does not say.
pub fn booted_at(system: &System) -> Option<Nanos> {
    let stat = system.text("proc/stat")?;
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    let seconds: u64 = line.trim().parse().ok()?;
    seconds.checked_mul(1_000_000_000).map(Nanos)
}

pub(crate) fn host(system: &System) -> Option<String> {
    system.text("proc/sys/kernel/hostname")
}

fn distribution(system: &System) -> Option<String> {
    let text = system
        .text("etc/os-release")
        .or_else(|| system.text("usr/lib/os-release"))?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = value.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// x86 has `model name`, POWER and s390 have names of their own.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    ["model name", "Model Name", "cpu model", "cpu", "Hardware"]
        .iter()
        .find_map(|key| field(cpuinfo, key))
        .map(str::to_owned)
}

/// 64-bit ARM names its cores by number only, but its board by name.
fn board_model(system: &System) -> Option<String> {
    let text = system.text("proc/device-tree/model")?;
    Some(text.trim_end_matches('\0').to_owned())
}

/// Processors that this process may use: affinity and the group's quota.
fn usable_cpus() -> u32 {
    std::thread::available_parallelism()
        .ok()
        .and_then(|count| u32::try_from(count.get()).ok())
        .unwrap_or(1)
}

fn memory_bytes(meminfo: &str) -> Option<Bytes> {
    let kib: u64 = field(meminfo, "MemTotal")?
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    kib.checked_mul(Bytes::KIB).map(Bytes)
}

/// x86 processors tell it by a flag. Elsewhere only a yes can be found.
fn is_virtual_machine(system: &System, cpuinfo: &str) -> Option<bool> {
    if system.text("sys/hypervisor/type").is_some() {
        return Some(true);
    }
    if let Some(flags) = field(cpuinfo, "flags") {
        return Some(flags.split_whitespace().any(|flag| flag == "hypervisor"));
    }
    let maker = system.text("sys/class/dmi/id/sys_vendor")?;
    ["QEMU", "VMware", "innotek", "Xen", "Amazon EC2", "Google"]
        .iter()
        .any(|virtual_maker| maker.starts_with(virtual_maker))
        .then_some(true)
}

fn load_average(loadavg: &str) -> Option<f64> {
    let load: f64 = loadavg.split_whitespace().next()?.parse().ok()?;
    (load.is_finite() && load >= 0.0).then_some(load)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    #[test]
    fn of_an_empty_system_nothing_is_claimed() {
        let machine = Machine::with(&[]);
        let seen = environment(&machine.system());
        assert_eq!(seen.kernel, None);
        assert_eq!(seen.virtual_machine, None);
        assert_eq!(seen.memory_bytes, None);
        assert!(seen.cpus >= 1);
    }

    #[test]
    fn a_whole_system_is_described() {
        let machine = Machine::with(&[
            ("proc/sys/kernel/hostname", "box\n"),
            ("proc/sys/kernel/osrelease", "6.18.0\n"),
            ("etc/os-release", "ID=x\nPRETTY_NAME=\"X Linux 1\"\n"),
            (
                "proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Fast CPU\nflags\t\t: fpu hypervisor\n",
            ),
            ("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n"),
            ("proc/loadavg", "0.25 0.1 0.0 1/100 42\n"),
            (
                "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
                "powersave\n",
            ),
            (
                "sys/devices/system/cpu/cpufreq/policy1/scaling_governor",
                "performance\n",
            ),
            (
                "sys/devices/system/clocksource/clocksource0/current_clocksource",
                "tsc\n",
            ),
        ]);
        let seen = environment(&machine.system());
        assert_eq!(seen.host.as_deref(), Some("box"));
        assert_eq!(seen.kernel.as_deref(), Some("6.18.0"));
        assert_eq!(seen.distribution.as_deref(), Some("X Linux 1"));
        assert_eq!(seen.cpu_model.as_deref(), Some("Fast CPU"));
        assert_eq!(seen.governor.as_deref(), Some("performance, powersave"));
        assert_eq!(seen.memory_bytes, Some(Bytes::mib(16)));
        assert_eq!(seen.virtual_machine, Some(true));
        assert_eq!(seen.clock_source.as_deref(), Some("tsc"));
        assert_eq!(seen.load_average, Some(0.25));
    }

    #[test]
    fn the_start_of_the_machine_is_read_or_unknown() {
        let at = |stat: &str| booted_at(&Machine::with(&[("proc/stat", stat)]).system());
        assert_eq!(
            at("cpu 1 2\nbtime 1700000000\n"),
            Some(Nanos::from_secs(1_700_000_000))
        );
        assert_eq!(at("btime 99999999999999999999"), None);
        assert_eq!(at("cpu 1"), None);
    }

    #[test]
    fn hostile_text_is_not_believed() {
        let machine = Machine::with(&[
            ("proc/meminfo", "MemTotal: 99999999999999999999 kB"),
            ("proc/loadavg", "nan"),
            ("etc/os-release", "PRETTY_NAME=\"\n"),
            ("proc/cpuinfo", "model name:\n::::\n\u{0}"),
        ]);
        let seen = environment(&machine.system());
        assert_eq!(seen.memory_bytes, None);
        assert_eq!(seen.load_average, None);
        assert_eq!(seen.distribution, None);
        assert_eq!(seen.cpu_model, None);
    }
}
