//! Where a process runs.

use std::fs;

/// Where one process of several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerHost {
    pub name: String,
    /// The same for all processes of one host: its name, and the identifier that its kernel drew
    /// when it booted.
    pub key: String,
    pub pid: u32,
}

impl PeerHost {
    /// That of this process.
    pub(crate) fn own() -> Self {
        let name = rustix::system::uname();
        let name = name.nodename().to_string_lossy().into_owned();
        // proc(5): random again after each boot, and the same in all containers.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Self {
            key: format!("{name} {}", boot.trim()),
            name,
            pid: std::process::id(),
        }
    }

    /// What stands for one that has not said where it is.
    pub(crate) fn unknown() -> Self {
        Self {
            name: "?".to_owned(),
            key: String::new(),
            pid: 0,
        }
    }
}
