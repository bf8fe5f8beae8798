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
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use crate::loop_device::{LoopDevice, Mounted};
use crate::sokudo::{Ended, end, program, skip, sokudo};

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
        fs::write(&device.path, &contents).unwrap();
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
    ("info", "VICTIM", "--json --raw"),
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

/// Write-protected until dropped: a loop device keeps that for the next file.
struct Protected(LoopDevice);

impl Protected {
    fn new() -> Option<Self> {
        let device = LoopDevice::new(8 << 20, true)?;
        let protected = Self(device);
        if protected.set("--setro") {
            return Some(protected);
        }
        skip("blockdev cannot be run");
        None
    }

    fn set(&self, mode: &str) -> bool {
        let status = Command::new("blockdev")
            .arg(mode)
            .arg(&self.0.path)
            .status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Protected {
    fn drop(&mut self) {
        self.set("--setrw");
    }
}

#[test]
fn a_destroy_that_allows_nothing_is_a_slip_and_told() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().to_str().unwrap();
    for arguments in [
        &*format!("mark {here} --destroy WD-1"),
        &*format!("scan {here} --write --destroy WD-1"),
        "scan sim:hdd --write --destroy WD-1",
    ] {
        sokudo(arguments).refused(2, &["no block device", "--destroy"]);
    }
    sokudo(&format!("scan {here} --destroy WD-1")).refused(2, &["--write"]);
    sokudo(&format!("scan {here} --destroy-contents")).refused(2, &["--destroy"]);
}
