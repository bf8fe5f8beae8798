//! No sequence of flags leads to a write-capable open of a device without a matching
//! `--destroy`; with `--write-back` it changes nothing.
//!
//! What is opened is watched by the kernel (inotify): each close of a node that was open
//! for writing is told, however it was opened and whether or not anything was written.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use crate::keeper::Kept;
use crate::loop_device::{LoopDevice, Mounted};
use crate::sokudo::{Ended, end, program, skip, sokudo};
use crate::written::write;

const DEVICE_BYTES: usize = 8 << 20;

/// Sequences that are tried. Each starts the program once.
const CASES: u32 = 160;

/// A device that holds a file system, as far as signatures tell, and random-looking bytes.
struct Watched {
    device: LoopDevice,
    contents: Vec<u8>,
    watch: OwnedFd,
}

impl Watched {
    fn new() -> Option<Self> {
        let device = LoopDevice::new(DEVICE_BYTES as u64, true)?;
        let mut contents: Vec<u8> = (0..DEVICE_BYTES as u64)
            .map(|index| u8::try_from(sokudo_stats::mix64(index / 8) >> 56).unwrap())
            .collect();
        // ext2's magic number, where its superblock has it.
        contents[1080..1082].copy_from_slice(&[0x53, 0xef]);
        write(&device.path, &contents);
        Command::new("sync").arg(&device.path).status().unwrap();
        let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
        inotify::add_watch(&watch, &device.path, WatchFlags::CLOSE_WRITE).unwrap();
        Some(Self {
            device,
            contents,
            watch,
        })
    }

    fn path(&self) -> &str {
        self.device.path.to_str().unwrap()
    }

    /// Whether anybody had it open for writing since the last call.
    fn was_open_for_writing(&self) -> bool {
        let mut bytes = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.watch, &mut bytes);
        let mut found = false;
        while let Ok(event) = reader.next() {
            found |= event.events().contains(ReadFlags::CLOSE_WRITE);
        }
        found
    }

    fn holds_the_same(&self) -> bool {
        fs::read(&self.device.path).unwrap() == self.contents
    }
}

/// What a flag stands for: the devices are known only when the test runs.
fn filled(flag: &str, victim: &str, decoy: &str) -> String {
    flag.replace("VICTIM", victim).replace("DECOY", decoy)
}

/// Flags by which consent is given, in part, to another device, or in the wrong words.
const CONSENTS: &str = "--destroy=VICTIM --destroy=DECOY --destroy=WD-WRONG-SERIAL --destroy= \
    --destroy=/dev --destroy-contents --overwrite --write --write-only --write-back --read-only \
    --readonly --write-cache=off --allow_mounted_write=1";

/// What makes a run of each command short, and more of its flags.
const COMMANDS: [(&str, &str, &str); 9] = [
    (
        "mark",
        "VICTIM -n1 -t1ms --quiet",
        "--mix --row=RND4K,write --row=SEQ1M,Q8,T2,mix70 --size=1MiB --output=VICTIM",
    ),
    (
        "scan",
        "VICTIM --points=4 --access-count=3 --quiet",
        "--full --gnome --random --shuffle --short-stroke=2MiB --output=VICTIM",
    ),
    (
        "sweep",
        "VICTIM --sizes=4K --length=1MiB --quiet",
        "--random --verify --output=VICTIM",
    ),
    (
        "quick",
        "VICTIM -t1ms --quiet",
        "--test=write --test=direct --output=VICTIM",
    ),
    (
        "fio",
        "--name=x --filename=VICTIM --size=1m --bs=64k --rw=randwrite",
        "--overwrite=1 --rw=trim --rw=randrw --rw=read --end_fsync=1 --output=VICTIM",
    ),
    (
        "diskspd",
        "-b64K -w100 -d1 -c1M VICTIM",
        "-Sh -r -w0 -RVICTIM",
    ),
    ("run", "JOB --quiet", "--lenient --output=VICTIM"),
    ("bonnie", "VICTIM", "--size=1MiB"),
    ("info", "VICTIM", "--format json --raw"),
];

/// One call: the command, its flags in their order, the word in the environment, and
/// whether the job file allows what it can.
#[derive(Clone, Debug)]
struct Call {
    command: usize,
    flags: Vec<String>,
    variable: &'static str,
    job_allows: bool,
}

impl Call {
    fn name(&self) -> &'static str {
        COMMANDS[self.command].0
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    /// Whether the user has said all that is needed to have the victim destroyed.
    fn is_consented(&self) -> bool {
        let is_door = matches!(self.name(), "fio" | "diskspd" | "run");
        let named = self.has("--destroy=VICTIM") || is_door && self.variable == "VICTIM";
        let held_too = match is_door {
            true => self.has("--allow_mounted_write=1") || self.job_allows,
            false => self.has("--destroy-contents"),
        };
        named && held_too
    }

    /// Whether what is read may be written again.
    fn writes_back(&self) -> bool {
        self.name() == "scan" && self.has("--write") && self.has("--write-back")
    }

    fn run(&self, victim: &str, decoy: &str, directory: &Path) -> Ended {
        let allows = match self.job_allows {
            true => "allow_mounted_write=1\noverwrite=1\n",
            false => "",
        };
        let job = format!("[x]\nfilename={victim}\nsize=1m\nbs=64k\nrw=randwrite\n{allows}");
        fs::write(directory.join("job.fio"), job).unwrap();
        let (name, usual, _) = COMMANDS[self.command];
        let arguments = usual
            .split(' ')
            .chain(self.flags.iter().map(String::as_str));
        let mut command = program();
        command.arg(name).current_dir(directory);
        command.args(arguments.map(|flag| match flag {
            "JOB" => "job.fio".to_owned(),
            flag => filled(flag, victim, decoy),
        }));
        command.env("SOKUDO_DESTROY", filled(self.variable, victim, decoy));
        end(&mut command)
    }
}

fn any_call() -> impl Strategy<Value = Call> {
    (0..COMMANDS.len()).prop_flat_map(|command| {
        let own = COMMANDS[command].2;
        let flags = CONSENTS.split_whitespace().chain(own.split(' '));
        let flags: Vec<String> = flags.map(str::to_owned).collect();
        let variable = prop_oneof![
            Just(""),
            Just("VICTIM"),
            Just("DECOY,WD-WRONG"),
            Just("/dev")
        ];
        (
            proptest::sample::subsequence(flags, 0..=5).prop_shuffle(),
            variable,
            any::<bool>(),
        )
            .prop_map(move |(flags, variable, job_allows)| Call {
                command,
                flags,
                variable,
                job_allows,
            })
    })
}

/// Write-protects a device for as long as what is returned: it would keep that for the next file.
fn protected(device: &LoopDevice) -> Option<Kept> {
    let protect = "blockdev --setro \"$1\" && echo protected";
    let kept = Kept::new(protect, "blockdev --setrw \"$1\"", [&device.path]);
    if kept.is_none() {
        skip("blockdev cannot be run");
    }
    kept
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn no_flags_open_a_device_for_writing_without_a_matching_destroy() {
        let (Some(victim), Some(decoy)) = (Watched::new(), Watched::new()) else {
            return;
        };
        let directory = tempfile::tempdir().unwrap();
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            ..Config::default()
        };
        let check = |call: Call| {
            if call.is_consented() {
                return Ok(());
            }
            let ended = call.run(victim.path(), decoy.path(), directory.path());
            let opened = victim.was_open_for_writing();
            prop_assert!(!opened || call.writes_back(), "{call:?}: {ended:?}");
            if opened {
                prop_assert!(victim.holds_the_same(), "{call:?}: {ended:?}");
            }
            prop_assert!(!decoy.was_open_for_writing(), "{call:?}: {ended:?}");
            Ok(())
        };
        let tried = TestRunner::new(config).run(&any_call(), check);
        if let Err(why) = tried {
            panic!("{why}");
        }
        assert!(victim.holds_the_same() && decoy.holds_the_same());
    }

    #[test]
    fn consent_as_it_is_asked_for_is_taken_at_its_word_and_is_seen_by_the_watch() {
        let Some(victim) = Watched::new() else {
            return;
        };
        let path = victim.path();
        let consented = |arguments: &str| sokudo(&format!("{arguments} --quiet --destroy={path}"));
        let mark = format!("mark {path} -n1 -t1ms --row=SEQ1M,write");
        let scan = format!("scan {path} --points=4 --access-count=0 --write");
        for arguments in [&mark, &scan] {
            consented(arguments).refused(3, &["ext", "--destroy-contents"]);
            assert!(!victim.was_open_for_writing());
        }
        for arguments in [&mark, &scan] {
            consented(&format!("{arguments} --destroy-contents")).ok();
            assert!(victim.was_open_for_writing(), "{arguments:?}");
            assert!(!victim.holds_the_same(), "{arguments:?}");
            write(victim.path(), &victim.contents);
            assert!(victim.was_open_for_writing());
        }
    }

    #[test]
    fn a_scan_that_writes_back_leaves_every_byte_as_it_was() {
        let Some(victim) = Watched::new() else {
            return;
        };
        let every_byte = "--full --random --access-count=20 --write --write-back --quiet";
        sokudo(&format!("scan {} {every_byte}", victim.path())).ok();
        assert!(victim.was_open_for_writing());
        assert!(victim.holds_the_same());
    }

    #[test]
    fn a_mounted_device_is_written_by_no_command_of_our_own() {
        let Some(device) = LoopDevice::with_ext4(32 << 20, true) else {
            return;
        };
        let place = Mounted::new(&device, &[]);
        let path = device.path.to_str().unwrap();
        for arguments in [
            format!("mark {path} --row=RND4K,write --quiet"),
            format!("scan {path} --write --quiet"),
            format!("burn-in {path} --quiet"),
            format!("fill {path} --quiet"),
            format!("steady {path} --sizes 4K --mixes 0/100 --quiet"),
        ] {
            let ended = sokudo(&format!("{arguments} --destroy {path} --destroy-contents"));
            ended.refused(3, &["is mounted on", place.at(), "unmount it"]);
            let dry = sokudo(&format!("{arguments} --destroy {path} --dry-run"));
            dry.refused(3, &["is mounted on", place.at()]);
            let names_flag = ended.told.contains("--destroy");
            assert!(!names_flag, "no flag helps: {ended:?}");
        }
        for command in ["burn-in", "fill", "steady"] {
            let unnamed = sokudo(&format!("{command} {path} --dry-run"));
            unnamed.refused(3, &["name it with --destroy"]);
        }
        let back = sokudo(&format!("scan {path} --write --write-back"));
        back.refused(3, &["is mounted on", place.at()]);
        // Reading needs no consent.
        sokudo(&format!("scan {path} --points=3 --access-count=2 --quiet")).ok();
    }

    #[test]
    fn a_write_protected_device_is_refused_before_it_is_opened() {
        let Some(device) = LoopDevice::new(8 << 20, true) else {
            return;
        };
        let Some(_protected) = protected(&device) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        for arguments in [
            &format!("mark {path} --row=RND4K,write --destroy {path}"),
            &format!("scan {path} --write --destroy {path}"),
            &format!("scan {path} --write --write-back"),
        ] {
            sokudo(arguments).refused(3, &["is write-protected", path]);
        }
    }

    #[test]
    fn a_device_of_no_size_is_told_in_one_line() {
        let Some(device) = LoopDevice::new(0, false) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        sokudo(&format!("scan {path}")).refused(2, &[path, "has a size of 0"]);
        sokudo(&format!("mark {path}")).refused(2, &[path, "empty"]);
    }
}
