//! Who else does I/O: what every process has read and written so far (`/proc/PID/io`,
//! `proc_pid_io(5)`). A process's bytes are those of all its threads, on all devices;
//! written are bytes that it changed in memory and that a disk must write.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use sokudo_model::{ForeignUse, ForeignUser};

use crate::processors::processor_time;
use crate::system::{self, System};

/// What a look may cost; reading one process takes about 10 µs, so that this is enough for
/// a thousand. It is time of the processor, because a machine whose processors are busy is
/// one of which it matters who is.
const LOOK_TIME_MAX: Duration = Duration::from_millis(12);

/// Processes that are kept of a trial.
const USERS_MAX: usize = 8;

/// A process that moved less than this is none of those that slow a disk down.
const USER_BYTES_MIN: u64 = 64 << 10;

/// Traffic from which on the parent of a process is recorded: it inherits the counters.
const INHERITED_BYTES_MIN: u64 = 1 << 20;

/// What every process has read and written so far.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    processes: PathBuf,
    moved: BTreeMap<u32, ProcessTraffic>,
    /// The parents of those that have moved much, and of these parents.
    parents: BTreeMap<u32, u32>,
    /// Those that may not be looked at, or for which no time was left.
    hidden: BTreeSet<u32>,
    /// How many of these may not be looked at, however much time there is.
    forbidden: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProcessTraffic {
    read_bytes: u64,
    written_bytes: u64,
}

impl ProcessTraffic {
    /// Less than before is another process with the same number.
    fn is_of_another(self, then: Self) -> bool {
        self.read_bytes < then.read_bytes || self.written_bytes < then.written_bytes
    }

    fn less(self, other: Self) -> Self {
        Self {
            read_bytes: self.read_bytes.saturating_sub(other.read_bytes),
            written_bytes: self.written_bytes.saturating_sub(other.written_bytes),
        }
    }
}

impl Neighbours {
    /// Looks at every process but this one.
    pub fn look(system: &System) -> Self {
        let mut seen = Self {
            processes: system.path("proc"),
            ..Self::default()
        };
        let end = processor_time() + LOOK_TIME_MAX;
        // If time ends, it ends at the kernel's own threads.
        let others = system::processes(&seen.processes, &[std::process::id()]);
        for pid in others.unwrap_or_default() {
            if processor_time() >= end {
                seen.hidden.insert(pid);
                continue;
            }
            match std::fs::read_to_string(seen.processes.join(format!("{pid}/io"))) {
                Ok(text) => {
                    let moved = moved(&text);
                    seen.moved.insert(pid, moved);
                    if moved.read_bytes.max(moved.written_bytes) >= INHERITED_BYTES_MIN {
                        seen.remember_ancestors(pid);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    seen.hidden.insert(pid);
                    seen.forbidden += 1;
                }
                // It has ended.
                Err(_) => {}
            }
        }
        seen
    }

    fn remember_ancestors(&mut self, mut pid: u32) {
        while !self.parents.contains_key(&pid) {
            let stat = system::text(self.processes.join(format!("{pid}/stat")));
            let Some(parent) = stat.as_deref().and_then(parent).filter(|pid| *pid > 0) else {
                return;
            };
            self.parents.insert(pid, parent);
            pid = parent;
        }
    }

    /// Who has moved how much since `earlier`, the most first. A process that has begun
    /// since then counts from its beginning; one that has ended cannot be seen.
    pub fn since(&self, earlier: &Self) -> ForeignUse {
        let inherited = self.inherited(earlier);
        let mut grown: Vec<(u32, ProcessTraffic)> = self
            .moved
            .iter()
            .filter(|(pid, _)| !earlier.hidden.contains(pid))
            .map(|(pid, now)| {
                let then = earlier.moved.get(pid).copied().unwrap_or_default();
                let then = if now.is_of_another(then) {
                    ProcessTraffic::default()
                } else {
                    then
                };
                let inherited = inherited.get(pid).copied().unwrap_or_default();
                (*pid, now.less(then).less(inherited))
            })
            .filter(|(_, grown)| grown.read_bytes.max(grown.written_bytes) >= USER_BYTES_MIN)
            .collect();
        let size = |moved: &ProcessTraffic| moved.read_bytes.saturating_add(moved.written_bytes);
        grown.sort_by_key(|(pid, grown)| (std::cmp::Reverse(size(grown)), *pid));
        grown.truncate(USERS_MAX);
        ForeignUse {
            users: grown
                .into_iter()
                .map(|(pid, grown)| self.user(pid, grown))
                .collect(),
            hidden: self.forbidden,
        }
    }

    /// What had been moved before `earlier` by those that have ended since, by who has it
    /// now: the kernel adds what a process has moved in its life to its parent, when that
    /// waits for it (`wait_task_zombie` in `kernel/exit.c`).
    fn inherited(&self, earlier: &Self) -> BTreeMap<u32, ProcessTraffic> {
        let mut inherited = BTreeMap::<u32, ProcessTraffic>::new();
        for (pid, then) in &earlier.moved {
            let Some(heir) = self.heir(*pid, earlier) else {
                continue;
            };
            let sum = inherited.entry(heir).or_default();
            sum.read_bytes += then.read_bytes;
            sum.written_bytes += then.written_bytes;
        }
        inherited
    }

    /// The nearest ancestor that is still there of a process that is not.
    fn heir(&self, pid: u32, earlier: &Self) -> Option<u32> {
        if !self.has_ended(pid, earlier) {
            return None;
        }
        let mut heir = pid;
        // A number that was used again while we looked could make a circle.
        for _ in 0..earlier.parents.len() {
            heir = *earlier.parents.get(&heir)?;
            if !self.has_ended(heir, earlier) {
                return Some(heir);
            }
        }
        None
    }

    fn has_ended(&self, pid: u32, earlier: &Self) -> bool {
        let then = earlier.moved.get(&pid).copied().unwrap_or_default();
        match self.moved.get(&pid) {
            Some(now) => now.is_of_another(then),
            None => !self.hidden.contains(&pid),
        }
    }

    fn user(&self, pid: u32, grown: ProcessTraffic) -> ForeignUser {
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

/// Whether the flags of a process say that it is a thread of the kernel.
fn is_kernel(stat: &str) -> bool {
    /// `PF_KTHREAD` of the kernel's `include/linux/sched.h`.
    const THREAD_OF_KERNEL: u64 = 0x0020_0000;
    /// Where the flags are, after the name.
    const FLAGS: usize = 6;
    number(stat, FLAGS).is_some_and(|flags| flags & THREAD_OF_KERNEL != 0)
}

/// Who started a process, or whom it was given to.
fn parent(stat: &str) -> Option<u32> {
    /// Where the parent is, after the name.
    const PARENT: usize = 1;
    number(stat, PARENT)?.try_into().ok()
}

/// A number of `/proc/PID/stat`, by its place after the name, which is in brackets and may
/// hold anything.
fn number(stat: &str, index: usize) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(index)?.parse().ok()
}

/// What was written and taken back before it reached a disk does not count.
fn moved(text: &str) -> ProcessTraffic {
    let field = |name: &str| {
        let value = system::field(text, name).and_then(|value| value.parse::<u64>().ok());
        value.unwrap_or(0)
    };
    let cancelled = field("cancelled_write_bytes");
    ProcessTraffic {
        read_bytes: field("read_bytes"),
        written_bytes: field("write_bytes").saturating_sub(cancelled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    impl Machine {
        fn moving(&self, pid: u32, name: &str, read: u64, written: u64) {
            let directory = self.process(pid, name);
            let io = format!(
                "rchar: 1\nread_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n"
            );
            std::fs::write(directory.join("io"), io).unwrap();
        }
    }

    fn look(machine: &Machine) -> Neighbours {
        Neighbours::look(&machine.system())
    }

    #[test]
    fn who_moved_most_comes_first_and_the_quiet_are_left_out() {
        let machine = Machine::new();
        machine.moving(10, "quiet", 5 << 30, 5 << 30);
        machine.moving(11, "reader", 1 << 20, 0);
        machine.moving(12, "writer", 0, 1 << 20);
        let before = look(&machine);
        machine.moving(10, "quiet", (5 << 30) + 4096, 5 << 30);
        machine.moving(11, "reader", 3 << 20, 0);
        machine.moving(12, "writer", 0, 9 << 20);
        machine.moving(13, "new", 1 << 20, 0);
        let since = look(&machine).since(&before);
        let names: Vec<_> = since.users.iter().map(|user| user.name.as_str()).collect();
        assert_eq!(names, ["writer", "reader", "new"]);
        assert_eq!(since.users[0].written_bytes, 8 << 20);
        assert_eq!(since.users[1].read_bytes, 2 << 20);
        assert_eq!(since.hidden, 0);
    }

    #[test]
    fn a_number_that_is_used_again_counts_from_nothing() {
        let machine = Machine::new();
        machine.moving(10, "old", 5 << 30, 0);
        let before = look(&machine);
        machine.moving(10, "young", 1 << 20, 0);
        let since = look(&machine).since(&before);
        assert_eq!(since.users[0].read_bytes, 1 << 20);
    }

    #[test]
    fn what_an_ended_child_had_moved_before_is_not_its_parents() {
        let machine = Machine::new();
        let child_of = |pid: u32, parent: u32| {
            let stat = format!("{pid} (a) b) c) S {parent} 0 0 0 -1 4194560 0 0 0");
            machine.write(&format!("proc/{pid}/stat"), stat);
        };
        machine.moving(10, "bash", 5 << 20, 0);
        machine.moving(11, "timeout", 0, 0);
        machine.moving(12, "writer", 1 << 30, 14 << 30);
        child_of(10, 1);
        child_of(11, 10);
        child_of(12, 11);
        let before = look(&machine);
        // The writer went on with 3 MiB, ended, and was waited for; so was its parent.
        for ended in [11, 12] {
            std::fs::remove_dir_all(machine.path(&format!("proc/{ended}"))).unwrap();
        }
        machine.moving(10, "bash", (5 << 20) + (1 << 30), (14 << 30) + (3 << 20));
        let since = look(&machine).since(&before);
        assert_eq!(since.users.len(), 1);
        assert_eq!(since.users[0].read_bytes, 0);
        assert_eq!(since.users[0].written_bytes, 3 << 20);
    }

    #[test]
    fn a_thread_of_the_kernel_is_known_by_its_flags() {
        let machine = Machine::new();
        let before = look(&machine);
        machine.moving(10, "kworker/0:1", 1 << 20, 0);
        let flags = |flags: u64| {
            let stat = format!("10 (a) b) c) S 2 0 0 0 -1 {flags} 0 0 0");
            machine.write("proc/10/stat", stat);
            look(&machine).since(&before).users[0].kernel
        };
        assert!(flags(69_238_880));
        assert!(!flags(4_194_560));
        assert!(!is_kernel("hostile"));
    }

    #[test]
    fn those_that_were_hidden_before_are_no_newcomers() {
        let machine = Machine::new();
        let mut before = look(&machine);
        before.hidden.insert(10);
        machine.moving(10, "other user's", 1 << 30, 0);
        assert_eq!(look(&machine).since(&before).users, []);
    }

    #[test]
    fn those_for_which_no_time_was_left_are_none_that_may_not_be_looked_at() {
        let before = look(&Machine::new());
        let mut now = look(&Machine::new());
        now.hidden.insert(10);
        assert_eq!(now.since(&before).hidden, 0);
        now.forbidden = 1;
        assert_eq!(now.since(&before).hidden, 1);
    }

    #[test]
    fn writes_that_were_taken_back_do_not_count() {
        let text = "read_bytes: 1\nwrite_bytes: 10\ncancelled_write_bytes: 12\n";
        assert_eq!(moved(text).written_bytes, 0);
        assert_eq!(moved("hostile"), ProcessTraffic::default());
    }
}
