//! A machine of which a test says what it has: a `sys`, a `proc`, a `dev` and a `run` in a
//! temporary directory. Tests beside the code and those in `tests/described` use it.

#![allow(dead_code, reason = "each of them uses a part of it")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Inspected, System, inspect};

pub(crate) struct Machine {
    root: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let machine = Self { root };
        for directory in [
            "sys/dev/block",
            "sys/class/block",
            "proc/self",
            "dev/disk",
            "data",
        ] {
            fs::create_dir_all(machine.path(directory)).unwrap();
        }
        machine
    }

    /// A machine with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let machine = Self::new();
        for (path, text) in files {
            machine.write(path, text);
        }
        machine
    }

    /// Adds a process in the machine's first namespace, which has nothing open.
    pub(crate) fn process(&self, pid: u32, name: &str) -> PathBuf {
        let directory = format!("proc/{pid}");
        self.write(&format!("{directory}/comm"), format!("{name}\n"));
        self.write(&format!("{directory}/maps"), "");
        fs::create_dir_all(self.path(&directory).join("fd")).unwrap();
        self.path(&directory)
    }

    /// Puts the tests into a namespace of processes.
    pub(crate) fn in_namespace(&self, namespace: &str) -> &Self {
        let _ = fs::remove_file(self.path("proc/self/ns/pid"));
        self.link("proc/self/ns/pid", namespace)
    }

    pub(crate) fn system(&self) -> System {
        System::at(self.root.path())
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Makes `link` lead to `target`, as it stands there.
    pub(crate) fn link(&self, link: &str, target: impl AsRef<Path>) -> &Self {
        let link = self.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
        self
    }

    /// Adds a device at `place` below `sys/devices`, such as `sda/sda1`, with files of
    /// `name: text`.
    pub(crate) fn device(
        &self,
        device_path: &str,
        number: &str,
        size: u64,
        files: &[(&str, &str)],
    ) -> &Self {
        let base = format!("sys/devices/{device_path}");
        self.write(&format!("{base}/dev"), number);
        self.write(&format!("{base}/size"), format!("{}\n", size / 512));
        for (file, text) in files {
            self.write(&format!("{base}/{file}"), text);
        }
        for link in [
            format!("dev/block/{number}"),
            format!("class/block/{}", name(device_path)),
        ] {
            self.link(&format!("sys/{link}"), self.path(&base));
        }
        self
    }

    /// `above` stands on `below`, both places below `sys/devices`.
    pub(crate) fn stands_on(&self, above: &str, below: &str) -> &Self {
        for (of, kind, other) in [(below, "holders", above), (above, "slaves", below)] {
            let link = format!("sys/devices/{of}/{kind}/{}", name(other));
            self.link(&link, self.path(&format!("sys/devices/{other}")));
        }
        self
    }

    pub(crate) fn slaves(&self, device: &str, members: &[&str]) -> &Self {
        members.iter().for_each(|member| {
            self.stands_on(device, member);
        });
        self
    }

    /// The btrfs of this identifier has a member.
    pub(crate) fn btrfs(&self, uuid: &str, device_path: &str) -> &Self {
        let link = format!("sys/fs/btrfs/{uuid}/devices/{}", name(device_path));
        self.link(&link, self.path(&format!("sys/devices/{device_path}")))
    }

    /// A line of the mount table, after those that are there.
    pub(crate) fn mount_at(&self, point: impl AsRef<Path>, number: &str, rest: &str) -> &Self {
        let table = self.path("proc/self/mountinfo");
        let before = fs::read_to_string(table).unwrap_or_default();
        let point = point.as_ref().display();
        let all = format!("{before}1 1 {number} / {point} rw - {rest}\n");
        self.write("proc/self/mountinfo", all)
    }

    /// Mounts onto a directory of this machine.
    pub(crate) fn mount(&self, directory: &str, number: &str, rest: &str) -> &Self {
        let point = self.path(directory);
        fs::create_dir_all(&point).unwrap();
        self.mount_at(point, number, rest)
    }

    pub(crate) fn inspect(&self, path: &str) -> Inspected {
        inspect(&self.system(), self.path(path).to_str().unwrap()).unwrap()
    }
}

fn name(device_path: &str) -> &str {
    device_path.rsplit('/').next().unwrap_or(device_path)
}
