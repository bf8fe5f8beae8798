//! The virtual machine that the tests run in: its disks, its programs, and sokudo.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::turns::{Share, Turn};

/// Nothing that a program does in the lab takes this long, even without KVM.
const TIME_MAX: Duration = Duration::from_secs(600);

/// How often something is looked at that is waited for.
const PAUSE: Duration = Duration::from_millis(20);

/// Proof that we are in the lab, where every disk may be overwritten.
pub(crate) struct Guest {
    sokudo: PathBuf,
    turn: Turn,
}

impl Guest {
    /// For a test that has these disks and names for itself, once it has them. None, said loudly,
    /// anywhere but in the lab.
    pub(crate) fn enter(names: &'static [&'static str]) -> Option<Self> {
        Self::enter_with(Share::Of(names))
    }

    /// The same for a test beside which none may run: it changes what is the machine's, looks at all
    /// disks, takes them away, or needs the processors for itself.
    pub(crate) fn enter_alone() -> Option<Self> {
        Self::enter_with(Share::All)
    }

    fn enter_with(share: Share) -> Option<Self> {
        let Some(sokudo) = std::env::var_os("SOKUDO_LAB") else {
            eprintln!("SKIPPED: this needs the disks of the lab; lab/run runs it there");
            return None;
        };
        Some(Self {
            sokudo: sokudo.into(),
            turn: Turn::wait_for(share),
        })
    }

    /// Whether the machine was started again, as a test named `restart` wants it.
    pub(crate) fn is_second_start(&self) -> bool {
        std::env::var("SOKUDO_LAB_START").unwrap() == "2"
    }

    /// Where files are put for who runs the lab.
    pub(crate) fn file(&self, name: &str) -> String {
        let folder = std::env::var("SOKUDO_LAB_FILES").unwrap();
        format!("{folder}/{name}")
    }

    /// The node of the disk that lab/boot calls `name`.
    pub(crate) fn disk(&self, name: &str) -> String {
        assert!(self.turn.share.has(name), "{name} may be another test's");
        let node = fs::canonicalize(Path::new("/dev/lab").join(name))
            .unwrap_or_else(|error| panic!("the disk {name} has not come: {error}"));
        node.into_os_string().into_string().unwrap()
    }

    /// Where sokudo is.
    pub(crate) fn program(&self) -> &str {
        self.sokudo.to_str().unwrap()
    }

    /// sokudo itself, yet to be given arguments.
    pub(crate) fn sokudo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.sokudo);
        command.args(arguments);
        command
    }

    /// Runs sokudo to its end.
    pub(crate) fn end(&self, arguments: &[&str]) -> Ended {
        Running::new(&mut self.sokudo(arguments)).end()
    }

    /// Starts sokudo.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::new(&mut self.sokudo(arguments))
    }

    /// Starts a scan of every byte of a disk, the curve alone.
    pub(crate) fn scan(&self, node: &str, more: &[&str]) -> Running {
        let curve = ["scan", node, "--full", "--access-count", "0"];
        let how = ["--format", "json", "--quiet"];
        self.start(&[&curve[..], more, &how].concat())
    }

    /// What sokudo prints as JSON, after a success.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.end(arguments).json()
    }

    /// What a program of the guest prints. Its exit code is not looked at: smartctl
    /// tells the state of the disk in it.
    pub(crate) fn told(&self, program: &str, arguments: &[&str]) -> String {
        self.run(program, arguments).printed
    }

    /// The same as JSON.
    pub(crate) fn reported_json(&self, program: &str, arguments: &[&str]) -> Value {
        let told = self.told(program, arguments);
        serde_json::from_str(&told)
            .unwrap_or_else(|error| panic!("{program} {arguments:?}: {error}: {told}"))
    }

    /// Runs a program that must succeed.
    pub(crate) fn must(&self, program: &str, arguments: &[&str]) -> String {
        let ended = self.run(program, arguments);
        assert_eq!(ended.code, Some(0), "{program} {arguments:?}: {ended:?}");
        ended.printed
    }

    /// Waits until `what` is true of the machine.
    pub(crate) fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < TIME_MAX, "{what} does not come");
            thread::sleep(PAUSE);
        }
    }

    /// The first disk of `sokudo info NODE --format json`.
    pub(crate) fn info(&self, name: &str) -> Value {
        let disks = &self.json(&["info", &self.disk(name), "--format", "json"])["disks"];
        assert_eq!(disks.as_array().map(Vec::len), Some(1), "{disks}");
        disks[0].clone()
    }

    /// How many tests an ATA disk has logged, as smartctl reads it, and those of its log, the newest
    /// first: what they were and whether they passed.
    pub(crate) fn logged_tests(&self, node: &str) -> (u64, Vec<(String, bool)>) {
        let told = self.reported_json("smartctl", &["-j", "-l", "selftest", node]);
        let log = &told["ata_smart_self_test_log"]["standard"];
        let tests = log["table"].as_array().cloned().unwrap_or_default();
        let of_test = |test: &Value| {
            let kind = test["type"]["string"].as_str().unwrap().to_owned();
            (kind, test["status"]["passed"] == true)
        };
        let tests = tests.iter().map(of_test).collect();
        (log["count"].as_u64().unwrap_or(0), tests)
    }

    /// What hdparm prints. QEMU keeps an error of hdparm's that the kernel would meet
    /// in the next queued command; another command takes it away.
    pub(crate) fn hdparm(&self, arguments: &[&str], node: &str) -> String {
        let told = self.told("hdparm", &[arguments, &[node]].concat());
        self.told("smartctl", &["-i", node]);
        told
    }

    /// Pulls a disk out of the machine.
    pub(crate) fn unplug(&self, name: &str) {
        let mut console = File::options().write(true).open("/dev/console").unwrap();
        // A line of its own, whatever was printed before.
        write!(console, "\n@@unplug {name}\n").unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Ended {
        Running::new(Command::new(program).args(arguments)).end()
    }
}

/// Undoes what a test did to the machine, last thing first, whatever becomes of the
/// test.
pub(crate) struct Undo<'a> {
    guest: &'a Guest,
    commands: Vec<Vec<String>>,
}

impl<'a> Undo<'a> {
    pub(crate) fn new(guest: &'a Guest) -> Self {
        Self {
            guest,
            commands: Vec::new(),
        }
    }

    /// Runs this command in the end.
    pub(crate) fn by(&mut self, command: &[&str]) {
        let words = command.iter().map(|word| (*word).to_owned());
        self.commands.push(words.collect());
    }

    /// Makes a device of device-mapper, which goes in the end; the system has looked into it.
    pub(crate) fn map(&mut self, name: &str, table: &str) {
        self.guest
            .must("dmsetup", &["create", name, "--table", table]);
        self.by(&["dmsetup", "remove", "--retry", name]);
        self.guest.must("udevadm", &["settle"]);
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        for command in self.commands.iter().rev() {
            let arguments: Vec<&str> = command[1..].iter().map(String::as_str).collect();
            self.guest.told(&command[0], &arguments);
        }
    }
}

/// sokudo, or another program, under way.
pub(crate) struct Running {
    child: Child,
    printed: File,
    told: File,
}

impl Running {
    pub(crate) fn new(command: &mut Command) -> Self {
        let printed = tempfile::tempfile().unwrap();
        let told = tempfile::tempfile().unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(printed.try_clone().unwrap())
            .stderr(told.try_clone().unwrap())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self {
            child,
            printed,
            told,
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal)
            .unwrap();
    }

    /// Whether it still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until `what` is true of the machine, while it runs.
    pub(crate) fn wait_until(&mut self, what: &str, mut holds: impl FnMut() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(
                self.runs(),
                "it has ended before {what}: {:?}",
                self.output()
            );
            assert!(started.elapsed() < TIME_MAX, "{what} does not come");
            thread::sleep(PAUSE);
        }
    }

    /// Waits for its end. One that does not come is a failure of its own.
    pub(crate) fn end(mut self) -> Ended {
        let started = Instant::now();
        while self.runs() {
            if started.elapsed() > TIME_MAX {
                self.child.kill().unwrap();
                panic!("it hangs: {:?}", self.output());
            }
            thread::sleep(PAUSE);
        }
        let code = self.child.wait().unwrap().code();
        let (printed, told) = self.output();
        assert!(!told.contains("panicked"), "{told}");
        Ended {
            code,
            printed,
            told,
        }
    }

    fn output(&self) -> (String, String) {
        (content(&self.printed), content(&self.told))
    }
}

impl Drop for Running {
    /// What a test that fails has started must not go on with what then is another's.
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The codes of the findings of a run or of one of its rows.
pub(crate) fn codes(value: &Value) -> Vec<&str> {
    let findings = value["findings"].as_array().unwrap();
    let codes = findings.iter().map(|finding| &finding["code"]);
    codes.map(|code| code.as_str().unwrap()).collect()
}

/// One part of the finding with this code.
pub(crate) fn part<'a>(value: &'a Value, code: &str, part: &str) -> &'a str {
    let findings = value["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["code"] == code);
    let finding = finding.unwrap_or_else(|| panic!("no {code}: {findings:?}"));
    finding[part].as_str().unwrap()
}

/// Kernel names of the leaves that a run has found, in order.
pub(crate) fn leaves(run: &Value) -> Vec<String> {
    let devices = run["target"]["devices"].as_array().unwrap();
    let leaves = devices.iter().filter(|device| device["is_leaf"] == true);
    let found: Vec<&str> = leaves.map(|leaf| leaf["name"].as_str().unwrap()).collect();
    names(&found)
}

/// Kernel names of nodes, in order.
pub(crate) fn names(nodes: &[impl AsRef<str>]) -> Vec<String> {
    let names = nodes
        .iter()
        .map(|node| node.as_ref().trim_start_matches("/dev/"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names
}

/// Gives the disk one partition.
pub(crate) fn partition(guest: &Guest, node: &str, first_sector: u32, sectors: u32) {
    let table = partition_table(first_sector, sectors);
    let device = File::options().write(true).open(node).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&device, &table, 0).unwrap();
    device.sync_all().unwrap();
    drop(device);
    guest.must("blockdev", &["--rereadpt", node]);
}

/// A master boot record with one partition.
fn partition_table(first_sector: u32, sectors: u32) -> Vec<u8> {
    let mut table = vec![0_u8; 512];
    table[450] = 0x83;
    table[454..458].copy_from_slice(&first_sector.to_le_bytes());
    table[458..462].copy_from_slice(&sectors.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    table
}

/// What follows `label` on its line in what a program has told, without the padding.
pub(crate) fn after<'a>(label: &str, told: &'a str) -> &'a str {
    let mut values = told.lines().filter_map(|line| line.split_once(label));
    let (_, value) = values
        .next()
        .unwrap_or_else(|| panic!("{label:?} is not in {told}"));
    value.trim().trim_start_matches([':', '=']).trim_start()
}

/// The number that begins `text`, in decimal or, after 0x, in hexadecimal.
pub(crate) fn number(text: &str) -> u64 {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let end = digits.find(|character: char| !character.is_digit(radix));
    u64::from_str_radix(&digits[..end.unwrap_or(digits.len())], radix)
        .unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn content(file: &File) -> String {
    use std::os::unix::fs::FileExt;
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a start of sokudo has left.
#[derive(Debug)]
pub(crate) struct Ended {
    /// None after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) printed: String,
    pub(crate) told: String,
}

impl Ended {
    /// The result as JSON, after a success.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.parsed()
    }

    /// The result as JSON, whatever the exit code.
    pub(crate) fn parsed(&self) -> Value {
        serde_json::from_str(&self.printed).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Refused for safety, in one line with these words, and without a result.
    pub(crate) fn refused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(3), "{self:?}");
        assert_eq!(self.printed, "", "an error prints no result: {self:?}");
        assert_eq!(self.told.trim_end().lines().count(), 1, "{self:?}");
        for word in words {
            assert!(self.told.contains(word), "{word:?} is missing: {self:?}");
        }
    }
}

/// Findings about the machine and not about a disk: emulated processors are slow, and the host
/// refuses them.
const OF_MACHINE: [&str; 3] = ["tester-limited", "depth-not-reached", "processor-refused"];

/// The figure is proven, but for what is said of the machine.
pub(crate) fn assert_is_proven(result: &Value) {
    if result["verdict"] == "VERIFIED" {
        return;
    }
    let findings = result["findings"].as_array().unwrap().iter();
    let doubts = findings.filter(|finding| finding["severity"] != "info");
    let mut doubts = doubts.map(|it| it["code"].as_str().unwrap());
    assert!(doubts.all(|code| OF_MACHINE.contains(&code)), "{result}");
}
