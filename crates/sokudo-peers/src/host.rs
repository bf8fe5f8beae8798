//! Where a process runs.

use std::{env, fs};

/// What the host of this process is called, in the place of its own name.
const VARIABLE: &str = "SOKUDO_HOST";

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
    /// That of this process. Containers often have names that say nothing, or all the same one:
    /// a variable names the host then.
    pub(crate) fn own() -> Self {
        let named = env::var(VARIABLE).ok().filter(|name| !name.is_empty());
        let name = named.unwrap_or_else(|| {
            let name = rustix::system::uname();
            name.nodename().to_string_lossy().into_owned()
        });
        // proc(5): random again after each boot, and the same in all containers.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Self {
            key: format!("{name} {}", boot.trim()),
            name,
            pid: std::process::id(),
        }
    }

    /// The same for all that share its processors, whatever they are called.
    pub(crate) fn machine(&self) -> &str {
        let key = self.key.trim_end();
        key.rsplit_once(' ').map_or(key, |(_, boot)| boot)
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
