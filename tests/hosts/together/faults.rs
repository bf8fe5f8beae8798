//! One of several processes is another version, measures something else or elsewhere, has no room,
//! or is killed or stopped: who it was is told, all end, and nothing is left.

use std::io::{BufRead, BufReader};
use std::process::ChildStdout;

use sokudo_peers::{Peers, Timeouts};

use super::*;
use crate::faulty_file::{Faults, FaultyFile};
use crate::loop_device::{LoopDevice, Mounted, quietly};

/// Where a process of another version finds the directory that is measured.
const DIRECTORY: &str = "SOKUDO_TEST_DIRECTORY";

/// The place of the test below among those of this program.
const OTHER_VERSION: &str = "together::faults::a_process_of_another_version";

/// No test of its own, but what the launcher starts in the test below: a sokudo that says in its
/// first message that it is another version.
#[test]
#[ignore = "is started by the test of other versions"]
fn a_process_of_another_version() {
    let Some(launch) = sokudo_peers::launch() else {
        return skip("no launcher has started this");
    };
    let joined = Peers::join_as(&launch, "0.0.1", Timeouts::default(), |_| ());
    assert!(joined.is_err());
    // Lest the launcher end the first one before it has said why.
    let directory = std::env::var_os(DIRECTORY).unwrap();
    let is_alone = || processes_of(Path::new(&directory)).is_empty();
    wait_until(is_alone, "the first one stays");
}

#[test]
fn another_version_is_named_and_nothing_is_written() {
    for launcher in Launcher::installed() {
        let directory = directory_on_disk();
        let path = directory.path().display();
        let mut command = launcher.command(1, true, &format!("--results-here -- mark {path}"));
        command.args([":", "-n", "1", "sh", "-c", &with_host("exec \"$0\" \"$@\"")]);
        command.arg(std::env::current_exe().unwrap());
        command.args(["--exact", OTHER_VERSION, "--ignored", "--quiet"]);
        command.env(DIRECTORY, directory.path());
        let ended = end(&mut command);
        // MPICH's launcher forgets the code of who ends before all have taken leave.
        if launcher.program.ends_with("openmpi") {
            assert_ne!(ended.code(), Some(0), "{ended:?}");
        }
        holds(
            &ended.told,
            &["n01 (rank 1) has sokudo 0.0.1, and rank 0 has sokudo"],
        );
        is_empty(&directory);
    }
}

/// A script that is run on the host of its rank.
fn with_host(script: &str) -> String {
    format!("export SOKUDO_HOST=n0${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; {script}")
}

fn is_empty(directory: &tempfile::TempDir) {
    let count = || fs::read_dir(directory.path()).unwrap().count();
    wait_until(|| count() == 0, "files stay");
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < GONE_MAX, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Hosts with storage of their own may have it under other names; what is done there is the same.
#[test]
fn another_plan_is_named_and_nothing_is_written() {
    for launcher in Launcher::installed() {
        let directory = directory_on_disk();
        let arguments = |time: &str| {
            let path = directory.path().display();
            format!("--separate --results-here -- mark {path} --size 16MiB --time {time}")
        };
        let mut command = launcher.command(1, true, &arguments("100ms"));
        command.args([":", "-n", "1", "sh", "-c", HOST_OF_RANK, "sh", "together"]);
        command.args(split(&arguments("200ms")));
        let ended = end(&mut command);
        assert_eq!(ended.code(), Some(3), "{ended:?}");
        holds(&ended.told, &["n01 (rank 1) makes another plan"]);
        is_empty(&directory);
    }
}

/// Two processes, of which the second has a file system in memory where the first has its directory.
fn with_another_mount(launcher: Launcher, options: &str, arguments: &str) -> Option<Ended> {
    if !is_root() || !has("unshare") {
        skip("another mount needs root and unshare");
        return None;
    }
    let directory = directory_on_disk();
    let path = directory.path().to_str().unwrap();
    let arguments = arguments.replace("DIR", path);
    let mut command = launcher.command(1, true, &arguments);
    let script = format!("mount -t tmpfs -o {options} none {path} && exec \"$SOKUDO\" \"$@\"");
    command.args([":", "-n", "1", "unshare", "--mount", "sh", "-c"]);
    command.args([&with_host(&script), "sh", "together"]);
    command.args(split(&arguments));
    let ended = end(&mut command);
    is_empty(&directory);
    Some(ended)
}

#[test]
fn another_mount_is_named_and_nothing_is_written() {
    for launcher in Launcher::installed() {
        let arguments = "--results-here -- mark DIR --size 16MiB";
        let Some(ended) = with_another_mount(launcher, "size=64m", arguments) else {
            return;
        };
        assert_eq!(ended.code(), Some(3), "{ended:?}");
        holds(
            &ended.told,
            &[
                "n01 (rank 1) is on the file system tmpfs none, and rank 0 on",
                "--separate",
            ],
        );
    }
}

#[test]
fn a_full_disk_of_one_host_is_named_and_nothing_is_written() {
    for launcher in Launcher::installed() {
        let arguments = "--separate --results-here -- mark DIR --size 16MiB";
        let Some(ended) = with_another_mount(launcher, "size=8m", arguments) else {
            return;
        };
        assert_eq!(ended.code(), Some(1), "{ended:?}");
        holds(
            &ended.told,
            &[
                "n01 (rank 1): ",
                "has 8 MiB free, but a test file of 16 MiB needs 20 MiB",
            ],
        );
    }
}

/// Nobody has interrupted anything: what one host met is the error of all.
#[test]
fn a_host_that_can_make_no_test_file_is_named() {
    for launcher in Launcher::installed() {
        // One may not write, and one meets it only as it makes the file.
        for (options, why) in [
            ("ro,size=64m", "Read-only file system"),
            ("nr_inodes=1,size=64m", "No space left on device"),
        ] {
            let arguments = "--separate --results-here -- mark DIR --size 16MiB";
            let Some(ended) = with_another_mount(launcher, options, arguments) else {
                return;
            };
            assert_eq!(ended.code(), Some(1), "{ended:?}");
            holds(
                &ended.told,
                &["n01 (rank 1): no test file can be made", why],
            );
            assert!(!ended.told.contains("interrupted"), "{ended:?}");
        }
    }
}

/// How far a run has come, as its first process tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    LayingOut,
    /// One has not come to the start, and the others wait for it.
    Starting,
    InATrial,
    BetweenRows,
}

/// A test file that takes a while to lay out.
const LARGE_BYTES: u64 = 384 << 20;

/// What the kernel has counted of a process.
fn written_bytes(pid: i32) -> u64 {
    let counted = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    let mut lines = counted.lines();
    let written = lines.find_map(|line| line.strip_prefix("write_bytes: "));
    written.unwrap().parse().unwrap()
}

/// A run of three processes, and what its first one tells.
struct Told {
    child: Child,
    lines: BufReader<ChildStdout>,
    directory: tempfile::TempDir,
}

impl Told {
    /// Its test files have names, because each is read by another process.
    fn start(launcher: Launcher, stage: Stage) -> Self {
        let directory = directory_on_disk();
        let path = directory.path().display();
        let size = match stage {
            Stage::LayingOut | Stage::Starting => LARGE_BYTES,
            Stage::InATrial | Stage::BetweenRows => 16 << 20,
        };
        let arguments = format!(
            "--results-here --read-back-shifted -- mark {path} --size {size} --row RND4K,Q2,read --row SEQ1M,Q1,read --time 1s --runs 50 --precision 0 --pause 30s"
        );
        let mut command = launcher.command(3, true, &arguments);
        command.env("SOKUDO_TELL", "events");
        let mut child = start(&mut command);
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            lines,
            directory,
        }
    }

    /// Reads on until this happens.
    fn wait_for(&mut self, event: &str) {
        let wanted = format!("\"event\":\"{event}\"");
        let mut line = String::new();
        while !line.contains(&wanted) {
            line.clear();
            let read = self.lines.read_line(&mut line).unwrap();
            assert!(read > 0, "it has ended before {event}");
        }
    }

    /// The process of each rank.
    fn processes(&self) -> Vec<i32> {
        let mut found = processes_of(self.directory.path());
        found.sort_by_key(|pid| rank_of(*pid));
        assert_eq!(found.len(), 3, "{found:?}");
        found
    }

    /// Brings it to a stage; who is to be lost there.
    fn at(&mut self, stage: Stage) -> (i32, Vec<i32>) {
        let begin = Instant::now();
        while fs::read_dir(self.directory.path()).unwrap().count() < 3 {
            assert!(begin.elapsed() < GONE_MAX, "no files are made");
            thread::sleep(Duration::from_millis(5));
        }
        let processes = self.processes();
        let [first, second, last] = processes[..] else {
            panic!("{processes:?}");
        };
        match stage {
            Stage::LayingOut => {}
            Stage::Starting => {
                Long::signal(second, Signal::STOP);
                // The others have laid out theirs, and wait for one that does not come to the start.
                for pid in [first, last] {
                    wait_until(|| written_bytes(pid) >= LARGE_BYTES, "it is not laid out");
                }
            }
            Stage::InATrial => self.wait_for("progress"),
            Stage::BetweenRows => self.wait_for("waiting"),
        }
        (last, processes)
    }

    /// In time, with nothing left where it was measured.
    fn ends(mut self, since: Instant, processes: &[i32]) -> Ended {
        // What is told by now is of no interest.
        self.child.stdout = Some(self.lines.into_inner());
        let ended = wait(self.child);
        let took = since.elapsed();
        eprintln!("    ended after {took:.1?} with {:?}", ended.code());
        assert!(took < GONE_MAX, "{ended:?}");
        assert_ne!(ended.code(), Some(0), "{ended:?}");
        // Those that are stopped are let go, should a launcher have left them.
        for pid in processes {
            let _ = kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL);
        }
        is_empty(&self.directory);
        ended
    }
}

/// With both launchers, one process is killed, and one is stopped.
fn is_lost_at(stage: Stage) {
    with_each_launcher(|launcher| {
        for signal in [Signal::KILL, Signal::STOP] {
            eprintln!("{}, {stage:?}, {signal:?}", launcher.program);
            let mut told = Told::start(launcher, stage);
            let (pid, processes) = told.at(stage);
            let since = Instant::now();
            // On a machine that stood still, all may be over.
            let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
            let ended = told.ends(since, &processes);
            match signal {
                Signal::STOP => holds(&ended.told, &["is lost: it has sent no sign of life"]),
                // Open MPI's words, and MPICH's.
                _ => assert!(
                    ["exited on signal 9", "Killed (signal 9)", "is lost: "]
                        .iter()
                        .any(|it| ended.told.contains(it) || ended.printed.contains(it)),
                    "{ended:?}"
                ),
            }
        }
    });
}

#[test]
fn who_is_lost_while_files_are_laid_out_is_named() {
    is_lost_at(Stage::LayingOut);
}

/// The loss is known long before the others have laid out theirs: it has interrupted them, and nobody
/// else has.
#[test]
fn who_is_lost_while_a_slow_disk_is_laid_out_is_named() {
    let Some(launcher) = any() else { return };
    let Some(file) = FaultyFile::new(256 << 20, Faults::default()) else {
        return;
    };
    let Some(device) = LoopDevice::over(&file.path(), true) else {
        return;
    };
    quietly(Command::new("mkfs.ext4").arg("-q").arg(&device.path));
    let place = Mounted::new(&device, &[]);
    let at = Path::new(place.at());
    // 64 MiB three times take most of a minute.
    file.change(|faults| faults.bytes_per_s = Some(4 << 20));
    let arguments = format!(
        "--results-here --read-back-shifted -- mark {} --size 64MiB --row RND4K,Q2,read --time 1s --runs 1",
        at.display()
    );
    let child = start(&mut launcher.command(3, true, &arguments));
    let test_files = || {
        let entries = fs::read_dir(at).unwrap().flatten();
        entries.filter(|it| it.file_name() != "lost+found").count()
    };
    wait_until(|| test_files() == 3, "no files are made");
    let mut processes = processes_of(at);
    processes.sort_by_key(|pid| rank_of(*pid));
    let lost = *processes.last().unwrap();
    Long::signal(lost, Signal::STOP);
    let ended = wait(child);
    file.change(|faults| faults.bytes_per_s = None);
    let _ = kill_process(Pid::from_raw(lost).unwrap(), Signal::KILL);
    holds(
        &ended.told,
        &["rank 2 on n02 is lost: it has sent no sign of life"],
    );
    assert!(!ended.told.contains("interrupted"), "{ended:?}");
    wait_until(|| test_files() == 0, "files stay");
}

#[test]
fn who_is_lost_while_all_wait_for_the_start_is_named() {
    is_lost_at(Stage::Starting);
}

#[test]
fn who_is_lost_in_a_trial_is_named() {
    is_lost_at(Stage::InATrial);
}

#[test]
fn who_is_lost_between_rows_is_named() {
    is_lost_at(Stage::BetweenRows);
}
