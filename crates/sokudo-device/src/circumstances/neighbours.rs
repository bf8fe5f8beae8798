//! Who else does I/O: what every process has read and written so far (`/proc/PID/io`,
//! `proc_pid_io(5)`). A process's bytes are those of all its threads, on all devices;
//! written are bytes that it changed in memory and that a disk must write.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sokudo_model::{ForeignUse, ForeignUser};

use crate::system::{self, System};

/// How long a look may take; reading one process takes about 10 µs, so that this is enough
/// for a thousand.
const LOOK_TIME_MAX: Duration = Duration::from_millis(12);

/// Processes that are kept of a trial.
const USERS_MAX: usize = 8;

/// A process that moved less than this is none of those that slow a disk down.
const USER_BYTES_MIN: u64 = 64 << 10;

/// What every process has read and written so far.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    processes: PathBuf,
    moved: BTreeMap<u32, Moved>,
    /// Those that may not be looked at, or for which no time was left.
    hidden: BTreeSet<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moved {
    read_bytes: u64,
    written_bytes: u64,
}

impl Neighbours {
    /// Looks at every process but this one.
    pub fn look(system: &System) -> Self {
        let mut seen = Self {
            processes: system.path("proc"),
            ..Self::default()
        };
        let Ok(entries) = std::fs::read_dir(&seen.processes) else {
            return seen;
        };
        let end = Instant::now() + LOOK_TIME_MAX;
        let own = std::process::id();
        let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        for pid in numbers.filter(|pid: &u32| *pid != own) {
            if Instant::now() >= end {
                seen.hidden.insert(pid);
                continue;
            }
            match std::fs::read_to_string(seen.processes.join(format!("{pid}/io"))) {
                Ok(text) => {
                    seen.moved.insert(pid, moved(&text));
                }
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    seen.hidden.insert(pid);
                }
                // It has ended.
                Err(_) => {}
            }
        }
        seen
    }

    /// Who has moved how much on this machine since this was looked at.
    pub fn since_then(self) -> ForeignUse {
        Self::look(&System::host()).since(&self)
    }

    /// Who has moved how much since `earlier`, the most first. A process that has begun
    /// since then counts from its beginning; one that has ended cannot be seen.
    pub fn since(&self, earlier: &Self) -> ForeignUse {
        let mut grown: Vec<(u32, Moved)> = self
            .moved
            .iter()
            .filter(|(pid, _)| !earlier.hidden.contains(pid))
            .map(|(pid, now)| {
                let then = earlier.moved.get(pid).copied().unwrap_or_default();
                // Less than before is another process with the same number.
                let is_new =
                    now.read_bytes < then.read_bytes || now.written_bytes < then.written_bytes;
                let then = if is_new { Moved::default() } else { then };
                let grown = Moved {
                    read_bytes: now.read_bytes - then.read_bytes,
                    written_bytes: now.written_bytes - then.written_bytes,
                };
                (*pid, grown)
            })
            .filter(|(_, grown)| grown.read_bytes.max(grown.written_bytes) >= USER_BYTES_MIN)
            .collect();
        let size = |moved: &Moved| moved.read_bytes.saturating_add(moved.written_bytes);
        grown.sort_by_key(|(pid, grown)| (std::cmp::Reverse(size(grown)), *pid));
        grown.truncate(USERS_MAX);
        ForeignUse {
            users: grown
                .into_iter()
                .map(|(pid, grown)| self.user(pid, grown))
                .collect(),
            hidden: self.hidden.len() as u64,
        }
    }

    fn user(&self, pid: u32, grown: Moved) -> ForeignUser {
        let directory = self.processes.join(pid.to_string());
        let name = system::text(directory.join("comm"));
        let is_kernel = system::text(directory.join("stat")).is_some_and(|stat| is_kernel(&stat));
        ForeignUser {
            pid,
            name: name.unwrap_or_else(|| "a process that has ended".to_owned()),
            kernel: is_kernel,
            read_bytes: grown.read_bytes,
            written_bytes: grown.written_bytes,
        }
    }
}

/// Whether the flags of a process say that it is a thread of the kernel. They are the
/// seventh number after the name, which is in brackets and may hold anything.
fn is_kernel(stat: &str) -> bool {
    /// `PF_KTHREAD` of the kernel's `include/linux/sched.h`.
    const THREAD_OF_KERNEL: u64 = 0x0020_0000;
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest);
    let flags = after_name.and_then(|rest| rest.split_whitespace().nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & THREAD_OF_KERNEL != 0)
}

/// What was written and taken back before it reached a disk does not count.
fn moved(text: &str) -> Moved {
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        let value = lines.find(|(key, _)| *key == name).map(|(_, value)| value);
        value
            .and_then(|value| value.trim().parse::<u64>().ok())
            .unwrap_or(0)
    };
    let cancelled = field("cancelled_write_bytes");
    Moved {
        read_bytes: field("read_bytes"),
        written_bytes: field("write_bytes").saturating_sub(cancelled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine {
        root: tempfile::TempDir,
    }

    impl Machine {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            std::fs::create_dir(root.path().join("proc")).unwrap();
            Self { root }
        }

        fn process(&self, pid: u32, name: &str, read: u64, written: u64) {
            let directory = self.root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&directory).unwrap();
            let io = format!(
                "rchar: 1\nread_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n"
            );
            std::fs::write(directory.join("io"), io).unwrap();
            std::fs::write(directory.join("comm"), format!("{name}\n")).unwrap();
        }

        fn look(&self) -> Neighbours {
            Neighbours::look(&System::at(self.root.path()))
        }
    }

    #[test]
    fn who_moved_most_comes_first_and_the_quiet_are_left_out() {
        let machine = Machine::new();
        machine.process(10, "quiet", 5 << 30, 5 << 30);
        machine.process(11, "reader", 1 << 20, 0);
        machine.process(12, "writer", 0, 1 << 20);
        let before = machine.look();
        machine.process(10, "quiet", (5 << 30) + 4096, 5 << 30);
        machine.process(11, "reader", 3 << 20, 0);
        machine.process(12, "writer", 0, 9 << 20);
        machine.process(13, "new", 1 << 20, 0);
        let since = machine.look().since(&before);
        let names: Vec<_> = since.users.iter().map(|user| user.name.as_str()).collect();
        assert_eq!(names, ["writer", "reader", "new"]);
        assert_eq!(since.users[0].written_bytes, 8 << 20);
        assert_eq!(since.users[1].read_bytes, 2 << 20);
        assert_eq!(since.hidden, 0);
    }

    #[test]
    fn a_number_that_is_used_again_counts_from_nothing() {
        let machine = Machine::new();
        machine.process(10, "old", 5 << 30, 0);
        let before = machine.look();
        machine.process(10, "young", 1 << 20, 0);
        let since = machine.look().since(&before);
        assert_eq!(since.users[0].read_bytes, 1 << 20);
    }

    #[test]
    fn a_thread_of_the_kernel_is_known_by_its_flags() {
        let machine = Machine::new();
        let before = machine.look();
        machine.process(10, "kworker/0:1", 1 << 20, 0);
        let flags = |flags: u64| {
            let stat = format!("10 (a) b) c) S 2 0 0 0 -1 {flags} 0 0 0");
            std::fs::write(machine.root.path().join("proc/10/stat"), stat).unwrap();
            machine.look().since(&before).users[0].kernel
        };
        assert!(flags(69_238_880));
        assert!(!flags(4_194_560));
        assert!(!is_kernel("hostile"));
    }

    #[test]
    fn those_that_were_hidden_before_are_no_newcomers() {
        let machine = Machine::new();
        let mut before = machine.look();
        before.hidden.insert(10);
        machine.process(10, "other user's", 1 << 30, 0);
        assert_eq!(machine.look().since(&before).users, []);
    }

    #[test]
    fn writes_that_were_taken_back_do_not_count() {
        let text = "read_bytes: 1\nwrite_bytes: 10\ncancelled_write_bytes: 12\n";
        assert_eq!(moved(text).written_bytes, 0);
        assert_eq!(moved("hostile"), Moved::default());
    }
}
