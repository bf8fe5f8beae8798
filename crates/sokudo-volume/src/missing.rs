//! What a machine lacks for a volume: programs, and parts of the kernel.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sokudo_model::FileSystemKind;

use crate::action::{Action, CommandLine, Step};
use crate::program::{self, PATH, ProgramLimits};

/// Something that is not there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, sokudo_words::Error)]
pub enum Missing {
    #[error("the program {program} is missing; Debian's package {package} brings it")]
    Program {
        program: &'static str,
        package: &'static str,
    },
    #[error("this kernel has no {0}")]
    FileSystem(&'static str),
    #[error("this kernel makes no arrays of RAID level {0}")]
    Array(String),
}

/// What these steps need and this machine has not. Modules of the kernel that can be loaded
/// are loaded.
pub fn missing(steps: &[Step]) -> Vec<Missing> {
    let actions = steps
        .iter()
        .flat_map(|step| std::iter::once(&step.action).chain(&step.undo));
    let found: BTreeSet<Missing> = actions.flat_map(missing_of).collect();
    found.into_iter().collect()
}

fn missing_of(action: &Action) -> Vec<Missing> {
    let command = action.command();
    let program = command.and_then(|command| missing_program(command.program));
    let kernel = match action {
        Action::Mount { kind, .. } => missing_file_system(*kind),
        Action::CreatePool { .. } => missing_file_system(FileSystemKind::Zfs),
        Action::CreateArray { command, .. } => missing_array(command),
        _ => None,
    };
    program.into_iter().chain(kernel).collect()
}

fn missing_program(program: &'static str) -> Option<Missing> {
    let is_there = PATH
        .split(':')
        .any(|directory| Path::new(directory).join(program).exists());
    let package = package(program);
    (!is_there).then_some(Missing::Program { program, package })
}

/// Debian's package of a program.
fn package(program: &str) -> &'static str {
    match program {
        "mdadm" => "mdadm",
        "mkfs.ext2" | "mkfs.ext3" | "mkfs.ext4" => "e2fsprogs",
        "mkfs.xfs" => "xfsprogs",
        "mkfs.btrfs" => "btrfs-progs",
        "mkfs.jfs" | "jfs_tune" => "jfsutils",
        "mkfs.f2fs" => "f2fs-tools",
        "zpool" => "zfsutils-linux",
        "sfdisk" => "fdisk",
        "mount" | "umount" => "mount",
        _ => "util-linux",
    }
}

fn missing_file_system(kind: FileSystemKind) -> Option<Missing> {
    let word = kind.word();
    let is_there = || {
        let all = fs::read_to_string("/proc/filesystems").unwrap_or_default();
        let mut names = all
            .lines()
            .filter_map(|line| line.split_whitespace().last());
        names.any(|name| name == word)
    };
    let has = is_there() || (load(word), is_there()).1;
    (!has).then_some(Missing::FileSystem(word))
}

/// The kernel lists the levels that are loaded: `Personalities : [raid1] [raid6] [raid5]`.
fn missing_array(command: &CommandLine) -> Option<Missing> {
    let words = command.arguments.iter().filter_map(|word| word.to_str());
    let level = words
        .filter_map(|word| word.strip_prefix("--level="))
        .next()?;
    let is_there = || {
        let status = fs::read_to_string("/proc/mdstat").unwrap_or_default();
        status.contains(&format!("[raid{level}]"))
    };
    let module = match level {
        "5" | "6" => "raid456".to_owned(),
        level => format!("raid{level}"),
    };
    let has = is_there() || (load(&module), is_there()).1;
    (!has).then(|| Missing::Array(level.to_owned()))
}

fn load(module: &str) {
    // A kernel without modules has no modprobe; it is looked at afterwards what there is.
    let _ = program::run(
        &CommandLine::new("modprobe", [module]),
        ProgramLimits::undoing(),
    );
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn run(program: &'static str) -> Step {
        Step {
            action: Action::Run(CommandLine::new(program, ["/dev/null"])),
            undo: Vec::new(),
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_told_once_with_its_package() {
        let steps = [run("sh"), run("sokudo-none"), run("sokudo-none")];
        let missing = missing(&steps);
        let [only] = &missing[..] else {
            panic!("{missing:?}");
        };
        assert_eq!(
            only.to_string(),
            "the program sokudo-none is missing; Debian's package util-linux brings it"
        );
        assert_eq!(package("mkfs.f2fs"), "f2fs-tools");
    }

    #[test]
    fn a_file_system_that_the_kernel_has_is_not_missing() {
        assert_eq!(missing_file_system(FileSystemKind::Ext4), None);
    }

    #[test]
    fn an_array_of_a_level_that_no_kernel_has_is_told() {
        let command = CommandLine::new("mdadm", ["--create", "--level=99"]);
        let array = PathBuf::from("/dev/md/none");
        let found = missing_of(&Action::CreateArray { array, command });
        assert!(
            found.contains(&Missing::Array("99".to_owned())),
            "{found:?}"
        );
    }
}
