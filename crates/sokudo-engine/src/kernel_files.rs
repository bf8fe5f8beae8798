//! Files that are no storage but switches of the kernel: `/proc`, `/sys` and their kin.
//!
//! They look like regular files, and writing to one does whatever it stands for. No
//! consent makes that a measurement, so they are refused whatever the user allows.

use std::fs::File;
use std::path::Path;

/// Kinds of file systems, by the number that statfs gives (linux/magic.h), whose files
/// are an interface of the kernel's.
const KINDS: [(u64, &str); 19] = [
    (0x9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x7363_6673, "securityfs"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x4341_5d53, "smackfs"),
    (0x5a3c_69f0, "apparmorfs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0xde5e_81e4, "efivarfs"),
    (0xcafe_4a11, "bpf"),
    (0x6265_6570, "configfs"),
    (0x1cd1, "devpts"),
    (0x6165_676c, "pstore"),
    (0x0765_5821, "resctrl"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x6573_5543, "fusectl"),
    (0x6e73_6673, "nsfs"),
];

/// The kind of the kernel's own file system that this file or directory is on; `None`
/// if it is on one for storage, or the system does not say.
pub(crate) fn kind_of(file: &File) -> Option<&'static str> {
    let statistics = rustix::fs::fstatfs(file).ok()?;
    let number = u64::try_from(statistics.f_type).ok()?;
    KINDS
        .iter()
        .find(|(known, _)| *known == number)
        .map(|(_, name)| *name)
}

/// Why no file is to be made in a directory, if none is: it is the kernel's own, or
/// the directory of devices, where a device's misspelt name would fill memory.
pub fn unfit_for_files(directory: &Path) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let handle = File::open(directory).ok()?;
    if kind_of(&handle).is_some() {
        return Some("is an interface of the kernel's, not storage");
    }
    let real = directory.canonicalize().ok()?;
    if !real.starts_with("/dev") || real.starts_with("/dev/shm") {
        return None;
    }
    // What is mounted below /dev may well be storage.
    let file_system = |path: &Path| path.metadata().ok().map(|metadata| metadata.dev());
    (file_system(&real) == file_system(Path::new("/dev")))
        .then_some("holds devices, and files in it take up memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_kernel_are_known_from_storage() {
        let kind = |path: &str| kind_of(&File::open(path).unwrap());
        assert_eq!(kind("/proc/self/status"), Some("proc"));
        assert_eq!(kind("/sys/kernel"), Some("sysfs"));
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(kind_of(&File::open(directory.path()).unwrap()), None);
    }

    #[test]
    fn files_are_made_neither_among_devices_nor_in_the_kernel() {
        let reason = |path: &str| unfit_for_files(Path::new(path));
        assert!(reason("/dev").unwrap().contains("devices"));
        assert!(reason("/proc/self").unwrap().contains("kernel"));
        assert_eq!(reason("/dev/shm"), None);
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(unfit_for_files(directory.path()), None);
    }
}
