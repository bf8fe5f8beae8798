//! Which processes have a file or device open or mapped for writing.
//!
//! `/proc/PID/fd` and `/proc/PID/map_files` are links to what is open, also where its name
//! is gone or another's; their modes say how it was opened (`proc_pid_fd(5)`,
//! `proc_pid_map_files(5)`). What may not be looked at, or was not for want of time, is
//! never taken for nobody.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, makedev, statx};
use rustix::io::Errno;
use sokudo_model::Occupant;
use sokudo_words::{Text, text};

use super::FileIdentity;
use crate::processors::processor_time;
use crate::system::{self, System};

/// What somebody has open for a moment is looked at again. A file that was just closed may
/// still be open in the kernel (`delayed_fput`), which takes a few milliseconds to notice, and in a
/// program that is just being started: until it is, it holds what its parent held.
const CLOSING_LOOKS: u32 = 10;
const CLOSING_PAUSE: Duration = Duration::from_millis(20);

/// The pause before each look, each longer than the last: 0.9 s in all.
pub(super) fn closing_pauses() -> impl Iterator<Item = Duration> {
    (0..CLOSING_LOOKS).map(|look| CLOSING_PAUSE * look)
}

/// What a look may cost. A descriptor takes about 3 µs, so that this is enough for five
/// million. It is time of the processor, because on a busy machine it matters who is.
const LOOK_TIME_MAX: Duration = Duration::from_secs(20);

/// How long it may take: a file on a server that does not answer can hold it for ever.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// Who waits longer is told why.
const REPORTED_AFTER: Duration = Duration::from_secs(2);

/// A ring does not say what is registered with it while somebody submits to it.
const RING_LOOKS: u32 = 50;
const RING_PAUSE: Duration = Duration::from_millis(1);

/// Descriptors between two readings of the clock.
const DESCRIPTORS_PER_READING: usize = 256;

/// The largest table of mappings that is read: a million of them.
const MAPS_BYTES_MAX: u64 = 128 << 20;

/// `PROC_PID_INIT_INO` of the kernel's `include/linux/proc_ns.h`: who is in this namespace
/// sees all processes of the machine.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// The first process of a machine. Of its own namespace's it is known to be that.
const INIT: u32 = 1;

/// Files and devices whose writers are looked for, each as the message calls it.
#[derive(Default)]
pub(super) struct WatchedTargets(Vec<(WatchedTarget, Text)>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum WatchedTarget {
    File(FileIdentity),
    /// A block device, by its device number.
    Device(u64),
}

impl WatchedTargets {
    pub(super) fn add_file(&mut self, file: FileIdentity, name: Text) {
        self.0.push((WatchedTarget::File(file), name));
    }

    /// Adds the device with this number (`major:minor`).
    pub(super) fn add_device(&mut self, number: &str, name: Text) {
        let parsed = number
            .split_once(':')
            .and_then(|(major, minor)| Some(makedev(major.parse().ok()?, minor.parse().ok()?)));
        if let Some(number) = parsed {
            self.0.push((WatchedTarget::Device(number), name));
        }
    }

    fn index_of(&self, thing: WatchedTarget) -> Option<usize> {
        self.0.iter().position(|(wanted, _)| *wanted == thing)
    }

    fn has_devices(&self) -> bool {
        let mut things = self.0.iter();
        things.any(|(thing, _)| matches!(thing, WatchedTarget::Device(_)))
    }
}

/// Who has something open for writing.
#[derive(Default)]
pub(super) struct Writers {
    /// Processes other than this one.
    pub(super) opened: Vec<Occupant>,
    /// Why not every process was seen, if so.
    pub(super) unseen: Option<UnseenProcesses>,
    /// Whether the machine's first process may not be looked at.
    pub(super) is_init_hidden: bool,
    /// Whether this process has it open for writing itself.
    pub(super) is_ours: bool,
}

/// Why not every process was seen, and what makes them seen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnseenProcesses {
    pub(super) sentence: Text,
    pub(super) way_out: &'static str,
}

/// Who tells that a look takes its time.
static TELL: OnceLock<fn(Text)> = OnceLock::new();

/// Has this told, once for each, of looks at the processes that take their time.
pub fn tell_long_looks(tell: fn(Text)) {
    // Whoever was first tells all.
    let _ = TELL.set(tell);
}

/// Looks at all processes but those in `excused`.
pub(super) fn writers(system: &System, wanted: WatchedTargets, excused: &[u32]) -> Writers {
    let mut look = ProcessSearch {
        processes: system.path("proc"),
        wanted,
        seen: Writers::default(),
        hidden: 0,
        is_cut_short: false,
        end: Duration::ZERO,
    };
    let excused = excused.to_vec();
    let (tell, reports) = mpsc::channel();
    let started = thread::Builder::new()
        .name("processes".to_owned())
        .spawn(move || {
            look.go(&excused);
            // Nobody listens any more when it took too long.
            let _ = tell.send(look.seen);
        });
    let seen = started.ok().and_then(|_| {
        reports.recv_timeout(REPORTED_AFTER).ok().or_else(|| {
            if let Some(tell) = TELL.get() {
                tell(text!(
                    "checking the open files of all processes; this ends within {} s",
                    WAIT_MAX.as_secs()
                ));
            }
            reports
                .recv_timeout(WAIT_MAX.saturating_sub(REPORTED_AFTER))
                .ok()
        })
    });
    seen.unwrap_or_else(|| Writers {
        unseen: Some(cut_short()),
        ..Writers::default()
    })
}

fn cut_short() -> UnseenProcesses {
    UnseenProcesses {
        sentence: "the check of the processes was cut short".into(),
        way_out: "try again when the machine is less busy, or stop programs with very many open files",
    }
}

struct ProcessSearch {
    processes: PathBuf,
    wanted: WatchedTargets,
    seen: Writers,
    /// Processes that may not be looked at.
    hidden: u64,
    is_cut_short: bool,
    /// When it ends, in this thread's time of the processor.
    end: Duration,
}

impl ProcessSearch {
    fn go(&mut self, excused: &[u32]) {
        self.end = processor_time() + LOOK_TIME_MAX;
        let Ok(numbers) = system::processes(&self.processes, excused) else {
            self.seen.unseen = Some(UnseenProcesses {
                sentence: "/proc does not show the processes".into(),
                way_out: "mount /proc (mount -t proc proc /proc)",
            });
            return;
        };
        let sees_all = self.sees_all();
        let own = std::process::id();
        for pid in numbers {
            self.check_time();
            if self.is_cut_short {
                break;
            }
            match self.process(pid) {
                Ok(indices) if pid == own => self.seen.is_ours = !indices.is_empty(),
                Ok(indices) => self.note(pid, &indices),
                Err(error) if has_ended(&error) => {}
                Err(_) if pid == INIT && sees_all => self.seen.is_init_hidden = true,
                Err(_) => self.hidden += 1,
            }
        }
        self.seen.unseen = if self.is_cut_short {
            Some(cut_short())
        } else if self.hidden > 0 {
            Some(UnseenProcesses {
                sentence: text!("{} processes may not be looked at", self.hidden),
                way_out: match rustix::process::geteuid().is_root() {
                    true => "let it look at all processes (CAP_SYS_PTRACE, outside of containers)",
                    false => "run as root, who may look at them",
                },
            })
        } else {
            (!sees_all).then(|| UnseenProcesses {
                sentence: "/proc shows only some of the machine's processes".into(),
                way_out: "run it outside of the container, or where that shows all (docker run --pid=host)",
            })
        };
    }

    /// Whether this process is in the machine's first namespace of processes, so that proc
    /// lists all, and nothing hides them (`hidepid`).
    fn sees_all(&self) -> bool {
        let namespace = std::fs::read_link(self.processes.join("self/ns/pid"));
        namespace.is_ok_and(|namespace| namespace == Path::new(FIRST_NAMESPACE))
            && self.processes.join(INIT.to_string()).exists()
    }

    fn note(&mut self, pid: u32, indices: &BTreeSet<usize>) {
        let name = system::text(self.processes.join(format!("{pid}/comm")));
        for index in indices {
            self.seen.opened.push(Occupant::Opened {
                what: self.wanted.0[*index].1.clone(),
                pid,
                program: name.as_deref().map_or_else(|| "?".to_owned(), harmless),
            });
        }
    }

    fn check_time(&mut self) {
        self.is_cut_short |= processor_time() >= self.end;
    }

    /// What of the wanted the process has open for writing.
    fn process(&mut self, pid: u32) -> io::Result<BTreeSet<usize>> {
        let mut found = BTreeSet::new();
        let directory = self.processes.join(pid.to_string());
        let threads = system::names(directory.join("task"));
        let threads: Vec<u32> = threads
            .iter()
            .filter_map(|name| name.parse().ok())
            .filter(|thread| *thread != pid)
            .collect();
        self.descriptors(&directory, &mut found)?;
        for thread in &threads {
            // Threads have one table of files, unless they are made otherwise, or the first
            // of them has ended.
            if sokudo_sys::share_files(pid, *thread).is_ok_and(|is_shared| is_shared) {
                continue;
            }
            match self.descriptors(&directory.join(format!("task/{thread}")), &mut found) {
                Err(error) if has_ended(&error) => {}
                other => other?,
            }
        }
        if !self.mappings(&directory, &mut found)? {
            // The first thread has ended; another's number leads to the same memory.
            for thread in &threads {
                match self.mappings(&self.processes.join(thread.to_string()), &mut found) {
                    Ok(true) => break,
                    Ok(false) => {}
                    Err(error) if has_ended(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(found)
    }

    fn descriptors(&mut self, thread: &Path, found: &mut BTreeSet<usize>) -> io::Result<()> {
        for (index, entry) in std::fs::read_dir(thread.join("fd"))?.enumerate() {
            if index % DESCRIPTORS_PER_READING == DESCRIPTORS_PER_READING - 1 {
                self.check_time();
                if self.is_cut_short {
                    break;
                }
            }
            let link = entry?.path();
            if opened_for_writing(&link)? {
                found.extend(self.wanted_behind(&link)?);
                if self.wanted.has_devices() && is_ring(&link) {
                    let number = link.file_name().unwrap_or_default();
                    self.registered(&thread.join("fdinfo").join(number), found)?;
                }
            }
        }
        Ok(())
    }

    /// Adds what is registered with a ring of io_uring, which needs no descriptor: the kernel tells
    /// names alone, and not what it was opened for, which is taken for writing.
    fn registered(&self, info: &Path, found: &mut BTreeSet<usize>) -> io::Result<()> {
        for _ in 0..RING_LOOKS {
            let text = match std::fs::read_to_string(info) {
                Err(error) if has_ended(&error) => return Ok(()),
                result => result?,
            };
            let names = registered_files(&text);
            if let Some(names) = names {
                for name in names {
                    found.extend(self.wanted_behind(Path::new(name)).ok().flatten());
                }
                return Ok(());
            }
            thread::sleep(RING_PAUSE);
        }
        // Who polls without a pause never tells; no reason to refuse every device of the machine.
        Ok(())
    }

    /// Adds what is mapped so that writing to the memory writes to it, and says whether
    /// anything is mapped at all.
    fn mappings(&self, thread: &Path, found: &mut BTreeSet<usize>) -> io::Result<bool> {
        let mut table = Vec::new();
        let read = File::open(thread.join("maps"))
            .and_then(|maps| maps.take(MAPS_BYTES_MAX).read_to_end(&mut table));
        match read {
            // A thread of the kernel has no memory of its own.
            Err(error) if has_ended(&error) => return Ok(false),
            other => other?,
        };
        for line in table.split(|byte| *byte == b'\n') {
            let Some(mapping) = SharedMapping::parse(line) else {
                continue;
            };
            let link = thread.join(&mapping.link);
            if !opened_for_writing(&link)? {
                continue;
            }
            match self.wanted_behind(&link) {
                Ok(index) => found.extend(index),
                // Following these links takes more rights than seeing them.
                Err(error) if self.wanted.has_devices() => return Err(error),
                Err(_) => found.extend(self.wanted.index_of(WatchedTarget::File(mapping.file))),
            }
        }
        Ok(!table.is_empty())
    }

    /// Which of the wanted the link leads to.
    fn wanted_behind(&self, link: &Path) -> io::Result<Option<usize>> {
        // A server need not be asked what is known already.
        let answer = statx(
            CWD,
            link,
            AtFlags::STATX_DONT_SYNC,
            StatxFlags::TYPE | StatxFlags::INO,
        );
        let answer = match answer {
            Ok(answer) => answer,
            Err(errno @ (Errno::ACCESS | Errno::PERM)) => return Err(errno.into()),
            // It is closed, or the file's own file system is gone.
            Err(_) => return Ok(None),
        };
        let thing = match FileType::from_raw_mode(answer.stx_mode.into()) {
            FileType::BlockDevice => {
                WatchedTarget::Device(makedev(answer.stx_rdev_major, answer.stx_rdev_minor))
            }
            FileType::RegularFile => WatchedTarget::File(FileIdentity {
                file_system: makedev(answer.stx_dev_major, answer.stx_dev_minor),
                inode: answer.stx_ino,
            }),
            _ => return Ok(None),
        };
        Ok(self.wanted.index_of(thing))
    }
}

/// A line of `/proc/PID/maps` that is shared with others and has a file.
struct SharedMapping {
    /// Below the directory of the process.
    link: String,
    file: FileIdentity,
}

impl SharedMapping {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .map(|word| std::str::from_utf8(word).unwrap_or_default());
        let (range, rights, _offset) = (words.next()?, words.next()?, words.next()?);
        let (device, inode) = (words.next()?, words.next()?.parse().ok()?);
        if !rights.ends_with('s') || inode == 0 {
            return None;
        }
        let number = |text| u64::from_str_radix(text, 16).ok();
        let (begin, end) = range.split_once('-')?;
        let (major, minor) = device.split_once(':')?;
        Some(Self {
            // There without the zeros in front.
            link: format!("map_files/{:x}-{:x}", number(begin)?, number(end)?),
            file: FileIdentity {
                file_system: makedev(
                    u32::from_str_radix(major, 16).ok()?,
                    u32::from_str_radix(minor, 16).ok()?,
                ),
                inode,
            },
        })
    }
}

/// Whether what the link leads to was opened for writing, as its mode says. What is closed
/// meanwhile is not.
fn opened_for_writing(link: &Path) -> io::Result<bool> {
    match link.symlink_metadata() {
        Ok(metadata) => Ok(metadata.mode() & 0o200 != 0),
        Err(error) if has_ended(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_ring(link: &Path) -> bool {
    std::fs::read_link(link).is_ok_and(|leads| leads == Path::new("anon_inode:[io_uring]"))
}

/// The files that a ring's `fdinfo` lists (`io_uring/fdinfo.c`): `UserFiles: 1`, and then a line
/// `    0: /dev/sdb` for each. `None` where it says nothing of them now.
fn registered_files(text: &str) -> Option<Vec<&str>> {
    let (_, list) = text.split_once("UserFiles:")?;
    let lines = list.lines().skip(1);
    let names = lines.map_while(|line| {
        let (number, name) = line.trim_start().split_once(": ")?;
        number.parse::<u32>().ok().map(|_| name)
    });
    Some(names.collect())
}

/// Whether the process, or what it had open, is no longer there.
fn has_ended(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(Errno::SRCH.raw_os_error())
}

/// A name without signs that command a terminal or show nothing.
fn harmless(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for sign in name.chars() {
        match sign {
            '\'' | '"' => shown.push(sign),
            _ => shown.extend(sign.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::invented::Machine;

    /// A machine on which `data/file` is looked for.
    fn machine() -> Machine {
        let machine = Machine::with(&[("data/file", "x")]);
        machine.process(INIT, "init");
        machine.in_namespace(FIRST_NAMESPACE);
        machine
    }

    fn look(machine: &Machine) -> Writers {
        let mut wanted = WatchedTargets::default();
        let file = machine.path("data/file").metadata().unwrap();
        wanted.add_file(FileIdentity::of(&file), "it".into());
        writers(&machine.system(), wanted, &[])
    }

    /// Processes have lower numbers (PID_MAX_LIMIT, linux/threads.h).
    const PID_LIMIT: u32 = 1 << 22;

    #[test]
    fn who_has_it_open_is_named_without_signs_that_command_a_terminal() {
        let machine = machine();
        let directory = machine.process(10, "a\u{1b}[2J\n\u{202e}b'c");
        symlink(machine.path("data/file"), directory.join("fd/3")).unwrap();
        let seen = look(&machine);
        let sentence = seen.opened[0].to_string();
        assert_eq!(
            sentence,
            "process 10 (a\\u{1b}[2J\\n\\u{202e}b'c) has it open for writing"
        );
        assert_eq!((seen.opened.len(), seen.unseen), (1, None));
    }

    #[test]
    fn a_table_of_files_of_one_thread_is_looked_at() {
        let machine = machine();
        // The kernel is asked whether the two share their files, so these are numbers that
        // it gives to nobody.
        machine.process(PID_LIMIT + 1, "x");
        let [process, thread] = [PID_LIMIT + 1, PID_LIMIT + 2];
        let open = format!("proc/{process}/task/{thread}/fd/3");
        machine.link(&open, machine.path("data/file"));
        assert_eq!(look(&machine).opened.len(), 1);
    }

    #[test]
    fn nobody_is_said_only_where_all_are_seen() {
        let machine = machine();
        assert_eq!(look(&machine).unseen, None);
        let spoil: [(&str, &str, &dyn Fn()); 3] = [
            ("only some", "--pid=host", &|| {
                machine.in_namespace("pid:[4026532000]");
            }),
            ("only some", "--pid=host", &|| {
                machine.in_namespace(FIRST_NAMESPACE);
                std::fs::remove_dir_all(machine.path("proc/1")).unwrap();
            }),
            ("does not show", "mount /proc", &|| {
                std::fs::remove_dir_all(machine.path("proc")).unwrap();
            }),
        ];
        for (words, way_out, spoil) in spoil {
            spoil();
            let unseen = look(&machine).unseen.unwrap();
            assert!(unseen.sentence.english().contains(words), "{unseen:?}");
            assert!(unseen.way_out.contains(way_out), "{unseen:?}");
        }
    }

    #[test]
    fn what_is_registered_with_a_ring_is_found_without_a_descriptor() {
        let text =
            "pos:\t0\nCqTail:\t0\nUserFiles:\t2\n    0: /dev/sdb\n    1: <none>\nUserBufs:\t0\n";
        assert_eq!(registered_files(text), Some(vec!["/dev/sdb", "<none>"]));
        assert_eq!(
            registered_files("pos:\t0\n"),
            None,
            "somebody submits to it"
        );
        let machine = machine();
        let directory = machine.process(10, "ring");
        symlink("anon_inode:[io_uring]", directory.join("fd/3")).unwrap();
        let device = Path::new("/dev/loop0").metadata();
        let Some(number) = device.ok().map(|it| it.rdev()) else {
            eprintln!("SKIPPED: there is no loop device");
            return;
        };
        let file = "proc/10/fdinfo/3";
        machine.write(file, "UserFiles:\t1\n    0: /dev/loop0\n");
        let mut wanted = WatchedTargets::default();
        wanted.add_device(&crate::block::number_text(number), "loop0".into());
        let seen = writers(&machine.system(), wanted, &[]);
        assert_eq!(seen.opened.len(), 1);
        assert_eq!(seen.unseen, None);
    }

    #[test]
    fn only_mappings_that_write_to_a_file_are_looked_at() {
        let parse = |line: &str| SharedMapping::parse(line.as_bytes()).map(|mapping| mapping.link);
        let line = "0040a000-0040b000 rw-s 00000000 fe:00 97376   /tmp/a file";
        assert_eq!(parse(line).as_deref(), Some("map_files/40a000-40b000"));
        for other in [
            "0040a000-0040b000 rw-p 00000000 fe:00 97376   /tmp/file",
            "0040a000-0040b000 rw-s 00000000 00:00 0",
            "hostile",
            "",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
