//! One thing that is done to a disk, an array or a file system; its `Display` is the line
//! that a shell would take.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use sokudo_model::FileSystemKind;

use crate::shell::quoted;

/// What is done, and what takes it back. The undoing is begun with the last step, and each
/// with its own last action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub action: Action,
    pub undo: Vec<Action>,
}

/// One thing that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A program that makes something and leaves nothing else.
    Run(CommandLine),
    /// Every signature on a disk or array is wiped off, so that nothing is found on it.
    Wipe(PathBuf),
    /// What a disk holds is discarded; left out where it cannot.
    Discard(PathBuf),
    /// Set, after what was set before has been noted.
    Scheduler {
        disk: PathBuf,
        name: String,
    },
    /// Set as it was noted.
    SchedulerBack(PathBuf),
    CreateArray {
        array: PathBuf,
        command: CommandLine,
    },
    /// Until a new array has been synchronised.
    AwaitArray(PathBuf),
    StopArray(PathBuf),
    CreatePool {
        name: String,
        command: CommandLine,
    },
    DestroyPool(String),
    /// The label of a pool on a partition that `zpool` has made.
    ClearLabel(PathBuf),
    /// The kernel forgets the partitions of a disk.
    ForgetPartitions(PathBuf),
    MakeDirectory(PathBuf),
    /// Only what `MakeDirectory` has made, and only if it is empty.
    RemoveDirectory(PathBuf),
    Mount {
        kind: FileSystemKind,
        at: PathBuf,
        command: CommandLine,
    },
    Unmount(PathBuf),
    Owner {
        path: PathBuf,
        user: u32,
        group: u32,
    },
}

/// A program, its arguments, and what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    pub program: &'static str,
    pub arguments: Vec<OsString>,
    pub input: Option<String>,
}

impl CommandLine {
    pub(crate) fn new<W: Into<OsString>>(
        program: &'static str,
        arguments: impl IntoIterator<Item = W>,
    ) -> Self {
        Self {
            program,
            arguments: arguments.into_iter().map(Into::into).collect(),
            input: None,
        }
    }

    #[must_use]
    pub(crate) fn with<W: Into<OsString>>(mut self, more: impl IntoIterator<Item = W>) -> Self {
        self.arguments.extend(more.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub(crate) fn reading(self, input: String) -> Self {
        Self {
            input: Some(input),
            ..self
        }
    }
}

impl Action {
    /// The command that does it; `None` where sokudo does it itself.
    pub fn command(&self) -> Option<CommandLine> {
        let on = |program, options: &[&str], path: &Path| {
            CommandLine::new(program, options).with([path])
        };
        match self {
            Self::Run(command)
            | Self::CreateArray { command, .. }
            | Self::CreatePool { command, .. }
            | Self::Mount { command, .. } => Some(command.clone()),
            Self::Wipe(path) => Some(on("wipefs", &["--all"], path)),
            Self::Discard(disk) => Some(on("blkdiscard", &[], disk)),
            Self::StopArray(array) => Some(on("mdadm", &["--stop"], array)),
            Self::DestroyPool(name) => Some(CommandLine::new("zpool", ["destroy", "-f", name])),
            Self::ClearLabel(path) => Some(on("zpool", &["labelclear", "-f"], path)),
            Self::ForgetPartitions(disk) => Some(on("partx", &["--delete"], disk)),
            Self::Unmount(at) => Some(on("umount", &[], at)),
            Self::AwaitArray(_)
            | Self::Scheduler { .. }
            | Self::SchedulerBack(_)
            | Self::MakeDirectory(_)
            | Self::RemoveDirectory(_)
            | Self::Owner { .. } => None,
        }
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(input) = &self.input {
            write!(f, "printf %s {} | ", quoted(input))?;
        }
        f.write_str(self.program)?;
        for argument in &self.arguments {
            write!(f, " {}", quoted(&argument.to_string_lossy()))?;
        }
        Ok(())
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = |path: &Path| quoted(&path.to_string_lossy());
        if let Some(command) = self.command() {
            return command.fmt(f);
        }
        match self {
            Self::AwaitArray(array) => write!(f, "mdadm --wait {}", path(array)),
            Self::Scheduler { disk, name } => {
                write!(f, "echo {} > {}", quoted(name), path(&scheduler_file(disk)))
            }
            Self::SchedulerBack(disk) => {
                write!(f, "echo \"$BEFORE\" > {}", path(&scheduler_file(disk)))
            }
            Self::MakeDirectory(directory) => write!(f, "mkdir -p {}", path(directory)),
            Self::RemoveDirectory(directory) => write!(f, "rmdir {}", path(directory)),
            Self::Owner {
                path: of,
                user,
                group,
            } => write!(f, "chown {user}:{group} {}", path(of)),
            _ => unreachable!("all others are commands"),
        }
    }
}

/// As people would write it; what is written to is found by the number of the device.
fn scheduler_file(disk: &Path) -> PathBuf {
    let name = disk.file_name().unwrap_or_default();
    Path::new("/sys/block").join(name).join("queue/scheduler")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_a_shell_would_take() {
        let hostile = CommandLine::new("mkfs.ext4", ["-L", "a'b; rm -rf /"]).with(["/dev/a b\n"]);
        assert_eq!(
            hostile.to_string(),
            r"mkfs.ext4 -L 'a'\''b; rm -rf /' $'/dev/a b\012'"
        );
        let disk = PathBuf::from("/dev/sdb");
        let name = "none".to_owned();
        assert_eq!(
            Action::Scheduler { disk, name }.to_string(),
            "echo none > /sys/block/sdb/queue/scheduler"
        );
    }
}
