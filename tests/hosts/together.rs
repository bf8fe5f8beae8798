//! Several processes that measure as one, started by real launchers: Open MPI's and MPICH's,
//! whichever are installed.

mod faults;
mod hosts;

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::run_json::view;
use crate::sokudo::{
    Ended, codes, directory_on_disk, end, has, holds, is_root, program, results, skip, sokudo,
    split, start, wait,
};
use crate::written::write;

/// From the loss of a process until all of the run is gone, on whatever machine.
const GONE_MAX: Duration = Duration::from_secs(300);

/// Names each process a host of its own, as if it were one.
const HOST_OF_RANK: &str =
    "SOKUDO_HOST=n0${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec \"$SOKUDO\" \"$@\"";

/// Adds up what hosts have moved in the window of every trial, as somebody would who has the
/// document and not sokudo: from the intervals, cut where the window begins and ends, and from what
/// each host says that it has moved in it.
const RECOMPUTE: &str = r#"
import itertools, json, statistics, sys
run = json.load(sys.stdin)
together = next(view for view in run["views"] if view["view"] == "together")
for number, result in enumerate(run["figures"]):
    rates, told, whole = [], [], 0
    for trial in (it for it in together["trials"] if it["result"] == number):
        begin, end = trial["window_ns"]
        moved = 0
        for host in trial["hosts"]:
            before = host["began_ns"]
            its = run["rows"][number]["trials"][trial["trial"] - 1]["together"]["hosts"]
            steps, blocks, ios, rests = next(it for it in its if it["host"] == host["host"])["outcome"]["series"]
            blocks = itertools.accumulate(blocks)
            for step, block, ios, rest in zip(steps, blocks, ios, rests):
                after = before + step
                inside = max(0, min(after, end) - max(before, begin))
                moved += (block * ios + rest) * inside / max(1, step)
                before = after
        # What a process has moved in the window is told in whole I/Os.
        block = result["workload"]["blocks"][0]["bytes"]
        whole = max(whole, together["ranks"] * block / moved)
        rates.append(moved / (end - begin) * 1e9)
        told.append(sum(host["bytes_in_window"] for host in trial["hosts"]) / (end - begin) * 1e9)
    headline = result["bandwidth_bytes_per_s"]["median"]
    print(headline / statistics.median(rates), headline / statistics.median(told), whole)
"#;

#[derive(Clone, Copy)]
struct Launcher {
    program: &'static str,
    arguments: &'static str,
}

const LAUNCHERS: [Launcher; 2] = [
    Launcher {
        program: "mpirun.openmpi",
        arguments: "--oversubscribe",
    },
    Launcher {
        program: "mpirun.mpich",
        arguments: "",
    },
];

impl Launcher {
    /// Those that are here.
    fn installed() -> Vec<Self> {
        let installed: Vec<Self> = LAUNCHERS.into_iter().filter(|it| has(it.program)).collect();
        if installed.len() < LAUNCHERS.len() {
            skip("not both of Open MPI and MPICH are installed (openmpi-bin, mpich)");
        }
        installed
    }

    /// What it is always told.
    fn own_arguments(self) -> Vec<String> {
        let mut arguments = split(self.arguments);
        if is_root() && self.program.ends_with("openmpi") {
            arguments.push("--allow-run-as-root".to_owned());
        }
        arguments
    }

    /// `RANKS × sokudo together ARGUMENTS`, each on a host of its own if so wanted.
    fn command(self, ranks: u32, has_hosts: bool, arguments: &str) -> Command {
        let sokudo = program();
        let mut command = Command::new(self.program);
        command.args(self.own_arguments());
        command.args(["-n", &ranks.to_string()]);
        match has_hosts {
            true => command.args(["sh", "-c", HOST_OF_RANK, "sh"]),
            false => command.arg(sokudo.get_program()),
        };
        command.arg("together").args(split(arguments));
        command.env("SOKUDO", sokudo.get_program());
        command.env("SOKUDO_STORE", "none").env("SOKUDO_LANG", "en");
        command
    }

    fn end(self, ranks: u32, arguments: &str) -> Ended {
        end(&mut self.command(ranks, true, arguments))
    }
}

/// One launcher, where it makes no difference which.
/// Beside each other, for what mostly waits.
fn with_each_launcher(test: impl Fn(Launcher) + Sync) {
    thread::scope(|scope| {
        for launcher in Launcher::installed() {
            let test = &test;
            scope.spawn(move || test(launcher));
        }
    });
}

fn any() -> Option<Launcher> {
    Launcher::installed().first().copied()
}

fn together(run: &Value) -> &Value {
    assert_eq!(run["schema"], "sokudo.run/1", "{run}");
    assert!(view(run, "together").is_object(), "{run}");
    view(run, "together")
}

fn hosts(run: &Value) -> &[Value] {
    together(run)["hosts"].as_array().unwrap()
}

#[test]
fn without_a_launcher_it_says_how_to_start_it() {
    let mut command = program();
    for variable in [
        "OMPI_COMM_WORLD_SIZE",
        "PMI_SIZE",
        "PMIX_RANK",
        "SLURM_PROCID",
    ] {
        command.env_remove(variable);
    }
    end(command.args(["together", "--", "mark", "."])).refused(2, &["mpirun -n 4"]);
}

#[test]
fn what_all_have_moved_is_computed_again_from_the_document() {
    for launcher in Launcher::installed() {
        let directory = directory_on_disk();
        let row = "--row RND4K,Q4,read --row SEQ1M,Q2,write --size 16MiB --time 2s --runs 3";
        let path = directory.path().display();
        let run = launcher.end(
            3,
            &format!("--results-here -- mark {path} {row} --format json --quiet"),
        );
        let json = run.json();
        assert_eq!(hosts(&json).len(), 3);
        assert_eq!(together(&json)["ranks"], 3);
        assert_eq!(results(&json)[0]["workload"]["clones"], 3);
        for trial in together(&json)["trials"].as_array().unwrap() {
            let window = trial["window_ns"].as_array().unwrap();
            let [from, to] = [&window[0], &window[1]].map(|it| it.as_u64().unwrap());
            assert!(to > from && from >= trial["first_began_ns"].as_u64().unwrap());
            assert!(to <= trial["last_ended_ns"].as_u64().unwrap());
        }
        is_computed_again(&run.printed, 0.01);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

/// The headline of every result is what comes of the hosts' bytes, and, as far as intervals tell, of
/// these.
fn is_computed_again(printed: &str, of_intervals: f64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    fs::write(&file, printed).unwrap();
    let mut command = Command::new("python3");
    command.args(["-c", RECOMPUTE]);
    let output = command
        .stdin(fs::File::open(&file).unwrap())
        .output()
        .unwrap();
    let lines = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !lines.is_empty(), "{output:?}");
    for line in lines.lines() {
        let figures = line.split(' ').map(|it| it.parse::<f64>().unwrap());
        let [by_intervals, by_hosts, whole] = figures.collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let is_near = (by_intervals - 1.0).abs() < of_intervals + whole;
        let is_same = (by_hosts - 1.0).abs() < 1e-9;
        assert!(is_near && is_same, "{line}: {printed}");
    }
}

#[test]
fn processes_of_one_host_are_its_threads() {
    let Some(launcher) = any() else { return };
    let arguments = "-- mark sim:ssd --row RND4K,Q4,T2,read --runs 3 --format json --quiet";
    let run = end(&mut launcher.command(4, false, arguments)).json();
    assert_eq!(hosts(&run).len(), 1);
    assert_eq!(hosts(&run)[0]["ranks"], 4);
    assert_eq!(results(&run)[0]["workload"]["clones"], 8);
    assert_eq!(results(&run)[0]["verdict"], "VERIFIED", "{run}");
    // Each has a simulated device of its own, so that they are as fast as so many.
    let alone = sokudo("mark sim:ssd --row RND4K,Q4,T2,read --runs 3 --format json --quiet").json();
    let rate = |run: &Value| results(run)[0]["iops"]["median"].as_f64().unwrap();
    let ratio = rate(&run) / rate(&alone);
    assert!((3.8..4.2).contains(&ratio), "{ratio}");
}

#[test]
fn who_does_something_else_is_named_and_nothing_is_written() {
    for launcher in Launcher::installed() {
        let directory = directory_on_disk();
        let path = directory.path().display().to_string();
        let mut command = launcher.command(1, true, &format!("--results-here -- mark {path}"));
        // Another command line for the second process.
        command.args([":", "-n", "1", "sh", "-c", HOST_OF_RANK, "sh", "together"]);
        command.args(["--results-here", "--", "mark", &path, "--size", "32MiB"]);
        let ended = end(&mut command);
        assert_eq!(ended.code(), Some(3), "{ended:?}");
        holds(
            &ended.told,
            &["n01 (rank 1) is to do", "--size 32MiB", "same command line"],
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_target_that_is_missing_on_one_host_ends_all() {
    let Some(launcher) = any() else { return };
    let mut command = launcher.command(1, true, "-- mark sim:ssd --runs 1");
    command.args([
        ":",
        "-n",
        "1",
        "sh",
        "-c",
        HOST_OF_RANK,
        "sh",
        "together",
        "--",
    ]);
    command.args(["mark", "/not/there", "--runs", "1"]);
    let ended = end(&mut command);
    assert_ne!(ended.code(), Some(0), "{ended:?}");
    holds(&ended.told, &["n01 (rank 1): ", "/not/there"]);
}

/// Rows that are decided while others are measured are of all processes, as planned ones are.
#[test]
fn what_is_decided_meanwhile_is_of_all_processes() {
    let Some(launcher) = any() else { return };
    for command in [
        "peak sim:ssd --row RND4K --runs 2 --time 50ms",
        "load sim:ssd --row RND4K,Q8 --runs 1 --time 50ms",
    ] {
        let run = launcher.end(3, &format!("-- {command} --format json --quiet"));
        let run = run.ok().json();
        for result in results(&run) {
            let clones = result["workload"]["clones"].as_u64().unwrap();
            assert_eq!(clones % 3, 0, "{command}: {result}");
            assert!(!codes(result).contains(&"breach-little"), "{result}");
        }
    }
}

#[test]
fn places_that_processes_survey_side_by_side_have_the_rate_of_all() {
    let Some(launcher) = any() else { return };
    let scan = "scan sim:hdd --points 20";
    let run = launcher.end(3, &format!("-- {scan} --format json --quiet"));
    let run = run.ok().json();
    let alone = sokudo(&format!("{scan} --format json --quiet")).json();
    let mean = |run: &Value| {
        let rates = |it: &Value| it["surface"]["rate_bytes_per_s"]["mean"].as_f64();
        results(run).iter().find_map(rates).unwrap()
    };
    // Each has a simulated disk of its own.
    let ratio = mean(&run) / mean(&alone);
    assert!((2.7..3.3).contains(&ratio), "{ratio}");
    for result in results(&run) {
        assert!(!codes(result).contains(&"breach-samples"), "{result}");
    }
    let told = launcher.end(3, &format!("-- {scan} --quiet")).ok();
    assert!(!told.printed.contains("CPU: 100 % is one CPU"), "{told:?}");
}

#[test]
fn who_was_started_with_other_options_is_named_and_nothing_is_written() {
    for launcher in Launcher::installed() {
        let directory = directory_on_disk();
        let mark = format!("-- mark {} --size 16MiB", directory.path().display());
        for (first, other, said) in [
            ("", " --dry-run", "n01 (rank 1) was started with --dry-run"),
            (
                " --dry-run",
                "",
                "n01 (rank 1) was started without --dry-run",
            ),
            (
                "",
                " --shared-file",
                "with --shared-file, and rank 0 was not",
            ),
            ("", " --separate", "with --separate, and rank 0 was not"),
        ] {
            let mut command = launcher.command(1, true, &format!("--results-here{first} {mark}"));
            command.args([":", "-n", "1", "sh", "-c", HOST_OF_RANK, "sh", "together"]);
            command.args(split(&format!("--results-here{other} {mark}")));
            end(&mut command).ends(3).tells(&[said]);
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        }
    }
}

/// A file that has to be laid out before it can be read is made, too.
#[test]
fn jobs_that_read_have_files_of_their_own_where_these_are_made() {
    let Some(launcher) = any() else { return };
    let directory = directory_on_disk();
    let path = directory.path();
    fs::write(path.join("large"), vec![7; 4 << 20]).unwrap();
    let names = |file: &str| {
        let jobs = format!(
            "[a]\nfilename={}\nsize=4m\nbs=4k\nrw=randread\nnumber_ios=20\n",
            path.join(file).display()
        );
        let job = tempfile::NamedTempFile::new().unwrap();
        fs::write(job.path(), jobs).unwrap();
        let run = format!("--results-here -- run {} --quiet", job.path().display());
        launcher.end(2, &run).ok();
        let found = fs::read_dir(path).unwrap();
        let mut names: Vec<_> = found
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("large"), ["large"]);
    let made = ["large", "missing.rank-0", "missing.rank-1"];
    assert_eq!(names("missing"), made);
    assert_eq!(names("missing"), made);
}

#[test]
fn a_slow_host_is_named() {
    let Some(launcher) = any() else { return };
    let row = ["--row", "RND4K,Q1,read", "--format", "json", "--quiet"];
    let mut command = launcher.command(9, true, "--separate -- mark sim:const?latency=200us");
    command.args(row);
    command.args([":", "-n", "1", "sh", "-c", HOST_OF_RANK, "sh"]);
    command.args([
        "together",
        "--separate",
        "--",
        "mark",
        "sim:const?latency=330us",
    ]);
    let run = end(command.args(row)).json();
    assert!(codes(&results(&run)[0]).contains(&"straggler"), "{run}");
    let findings = results(&run)[0]["findings"].as_array().unwrap();
    let slow = findings
        .iter()
        .find(|it| it["code"] == "straggler")
        .unwrap();
    holds(slow["symptom"].as_str().unwrap(), &["n09 moves 61 %"]);
}

#[test]
fn every_method_is_carried_out_together() {
    let Some(launcher) = any() else { return };
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job.fio");
    let directory = directory_on_disk();
    let jobs = format!(
        "[global]\ndirectory={}\nsize=4m\nbs=4k\nrw=randrw\ntime_based=1\nruntime=200ms\n[a]\nnumjobs=2\n[b]\nstonewall\n",
        directory.path().display()
    );
    fs::write(&job, jobs).unwrap();
    for command in [
        "mark sim:ssd --row RND4K,Q4 --runs 2".to_owned(),
        "scan sim:hdd --points 20".to_owned(),
        "sweep sim:ssd --sizes 4KiB,64KiB --time 20ms".to_owned(),
        "load sim:ssd --row RND4K,Q8 --runs 1 --time 50ms".to_owned(),
        "peak sim:ssd --row RND4K --runs 2 --time 50ms".to_owned(),
        "steady sim:ssd --size 64MiB --test throughput --round-time 10ms --rounds-max 6".to_owned(),
        format!("run {} --runs 2", job.display()),
    ] {
        let run = launcher.end(
            2,
            &format!("--results-here -- {command} --format json --quiet"),
        );
        assert_eq!(run.code(), Some(0), "{command}: {run:?}");
        let json = run.json();
        assert_eq!(hosts(&json).len(), 2, "{command}");
        assert!(!results(&json).is_empty(), "{command}");
    }
    // Each process has had files of its own.
    let names = fs::read_dir(directory.path()).unwrap();
    let names: Vec<_> = names
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    for rank in 0..2 {
        let end = format!(".rank-{rank}");
        assert_eq!(
            names.iter().filter(|it| it.ends_with(&end)).count(),
            3,
            "{names:?}"
        );
    }
}

#[test]
fn what_cannot_be_done_together_is_refused() {
    let Some(launcher) = any() else { return };
    let file = tempfile::NamedTempFile::new().unwrap();
    write(file.path(), vec![7; 1 << 20]);
    let path = file.path().display();
    for (arguments, code, words) in [
        (
            "-- list".to_owned(),
            2,
            "sokudo list cannot be carried out by several",
        ),
        (
            "-- explain sim:ssd".to_owned(),
            2,
            "use one of mark, quick, scan, sweep, load, peak",
        ),
        (
            format!("-- mark {path} --rnus 3"),
            2,
            "sokudo: unexpected argument '--rnus'",
        ),
        (format!("-- bonnie {path}"), 2, "together"),
        (
            format!("-- mark {path} --stop-when rate>1GB/s"),
            2,
            "--stop-when is for one process alone",
        ),
        (
            format!("-- scan {path} --resume"),
            2,
            "--resume is for one process alone",
        ),
        (
            format!("--results-here -- mark {path} --overwrite --size 1MiB --runs 1"),
            3,
            "--shared-file",
        ),
        (
            format!("--results-here --read-back-shifted -- mark {path} --runs 1"),
            2,
            "--read-back-shifted",
        ),
        // Behind a launcher there is no terminal to ask on.
        (
            format!(
                "--results-here --shared-file -- mark {path} --overwrite --row SEQ4K,write --time 2h"
            ),
            2,
            "the disk will be written at full speed; there is no terminal to ask on: use --yes",
        ),
    ] {
        let ended = launcher.end(2, &arguments);
        assert_eq!(ended.code(), Some(code), "{arguments}: {ended:?}");
        holds(&ended.told, &[words]);
    }
    assert_eq!(fs::read(file.path()).unwrap(), vec![7; 1 << 20]);
}

#[test]
fn parts_of_one_file_are_disjoint() {
    let Some(launcher) = any() else { return };
    let directory = directory_on_disk();
    let file = directory.path().join("shared");
    write(&file, vec![0; 4 << 20]);
    let run = launcher.end(
        2,
        &format!(
            "--results-here --shared-file -- mark {} --overwrite --row SEQ1M,Q1,write --time 100ms --runs 1 --format json --quiet",
            file.display()
        ),
    );
    assert_eq!(hosts(&run.json()).len(), 2);
    assert_eq!(fs::metadata(&file).unwrap().len(), 4 << 20);
}

#[test]
fn a_neighbours_file_is_read_and_goes() {
    for launcher in Launcher::installed() {
        let directory = directory_on_disk();
        let run = launcher.end(
            3,
            &format!(
                "--results-here --read-back-shifted -- mark {} --size 16MiB --row SEQ1M,Q1,read --time 100ms --runs 2 --format json --quiet",
                directory.path().display()
            ),
        );
        assert_eq!(hosts(&run.json()).len(), 3);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn there_must_be_room_for_all_test_files() {
    let Some(launcher) = any() else { return };
    let directory = directory_on_disk();
    let space = rustix::fs::statvfs(directory.path()).unwrap();
    let size = (space.f_bavail * space.f_frsize * 3 / 5) & !((1 << 20) - 1);
    let path = directory.path().display();
    let ended = launcher.end(
        2,
        &format!("--results-here -- mark {path} --size {size} --runs 1"),
    );
    ended.ends(1).tells(&["2 processes need"]);
}

#[test]
fn a_dry_run_says_what_all_would_do() {
    let Some(launcher) = any() else { return };
    let directory = directory_on_disk();
    let path = directory.path().display();
    let ended = launcher.end(
        2,
        &format!("--results-here --dry-run -- mark {path} --size 64MiB"),
    );
    ended
        .ok()
        .prints(&["2 processes", "rank 1 on n01: ", "a test file of 64 MiB"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn results_are_not_written_onto_what_is_measured() {
    let Some(launcher) = any() else { return };
    let directory = directory_on_disk();
    let path = directory.path().display();
    let ended = launcher.end(2, &format!("-- mark {path} --runs 1 -o {path}/result.txt"));
    ended.ends(3).tells(&[
        "result.txt is on the storage that is measured",
        "--results-here",
    ]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// A run of three processes that lasts longer than anybody waits, once its first trial is kept.
struct Long {
    child: Child,
    store: tempfile::TempDir,
    directory: tempfile::TempDir,
}

impl Long {
    fn start(launcher: Launcher) -> Self {
        let (store, directory) = (tempfile::tempdir().unwrap(), directory_on_disk());
        let arguments = format!(
            "--results-here -- mark {} --size 16MiB --row RND4K,Q2,read --time 300ms --runs 500 --precision 0",
            directory.path().display()
        );
        let mut command = launcher.command(3, true, &arguments);
        command.env("SOKUDO_STORE", store.path().join("runs.db"));
        let mut long = Self {
            child: start(&mut command),
            store,
            directory,
        };
        let begin = Instant::now();
        while long.kept().is_none_or(|run| trials(&run) < 2) {
            assert!(begin.elapsed() < GONE_MAX);
            assert!(long.child.try_wait().unwrap().is_none(), "it has ended");
            std::thread::sleep(Duration::from_millis(50));
        }
        long
    }

    /// The kept run.
    fn kept(&self) -> Option<Value> {
        let file = self.store.path().join("runs.db");
        let mut show = program();
        show.args(["show", "1", "--format", "json"])
            .env("SOKUDO_STORE", &file);
        let ended = end(&mut show);
        (file.exists() && ended.code() == Some(0)).then(|| ended.json())
    }

    /// Processes of the run, the one of the last rank at the end.
    fn processes(&self) -> Vec<i32> {
        let mut found = processes_of(self.directory.path());
        // Numbers of processes begin anew.
        found.sort_by_key(|pid| rank_of(*pid));
        assert_eq!(found.len(), 3, "{found:?}");
        found
    }

    fn signal(pid: i32, signal: Signal) {
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Soon over, with what was measured kept, and nothing left where it was measured.
    fn ends(self) -> (Ended, Value) {
        let begin = Instant::now();
        let kept = |it: &Self| it.kept().unwrap();
        let run = kept(&self);
        let Self {
            child,
            store,
            directory,
        } = self;
        let ended = wait(child);
        assert!(begin.elapsed() < GONE_MAX, "{ended:?}");
        assert!(trials(&run) >= 2);
        let begin = Instant::now();
        while fs::read_dir(directory.path()).unwrap().count() > 0 {
            assert!(begin.elapsed() < GONE_MAX, "files stay");
            std::thread::sleep(Duration::from_millis(50));
        }
        drop(store);
        (ended, run)
    }
}

/// The processes of sokudo whose command line names a directory.
fn processes_of(directory: &Path) -> Vec<i32> {
    let wanted = directory.to_str().unwrap().as_bytes();
    let processes = fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            let is_sokudo = program == Path::new(crate::sokudo::path());
            is_sokudo && words.windows(wanted.len()).any(|it| it == wanted)
        })
        .collect()
}

/// Which of them a process is, as its launcher has told it.
fn rank_of(pid: i32) -> u32 {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
    let mut words = environment.split(|byte| *byte == 0);
    let rank = words.find_map(|word| {
        let word = std::str::from_utf8(word).ok()?;
        let (name, value) = word.split_once('=')?;
        ["OMPI_COMM_WORLD_RANK", "PMI_RANK"]
            .contains(&name)
            .then(|| value.parse().unwrap())
    });
    rank.unwrap()
}

fn trials(run: &Value) -> usize {
    results(run)[0]["trials"].as_array().unwrap().len()
}

#[test]
fn a_killed_process_ends_all_and_what_was_measured_is_kept() {
    for launcher in Launcher::installed() {
        let long = Long::start(launcher);
        let pid = *long.processes().last().unwrap();
        Long::signal(pid, Signal::KILL);
        let (_, run) = long.ends();
        assert_eq!(run["interrupted"], true);
    }
}

#[test]
fn a_process_that_hangs_is_named() {
    with_each_launcher(|launcher| {
        let long = Long::start(launcher);
        let pid = *long.processes().last().unwrap();
        Long::signal(pid, Signal::STOP);
        let (ended, _) = long.ends();
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        holds(&ended.told, &["is lost: it has sent no sign of life"]);
        holds(&ended.told, &["on n0"]);
    });
}

#[test]
fn the_second_process_names_the_first_that_hangs() {
    with_each_launcher(|launcher| {
        let long = Long::start(launcher);
        let pid = *long.processes().first().unwrap();
        Long::signal(pid, Signal::STOP);
        let (ended, _) = long.ends();
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        holds(
            &ended.told,
            &["rank 0 on n00 is lost: it has sent no sign of life"],
        );
    });
}

#[test]
fn ctrl_c_at_the_launcher_leaves_nothing() {
    for launcher in Launcher::installed() {
        let long = Long::start(launcher);
        let pid = i32::try_from(long.child.id()).unwrap();
        Long::signal(pid, Signal::INT);
        let (_, run) = long.ends();
        assert_eq!(run["interrupted"], true);
    }
}

#[test]
fn results_are_not_written_onto_what_job_files_measure() {
    let Some(launcher) = any() else { return };
    let directory = directory_on_disk();
    let path = directory.path().display();
    let job = tempfile::NamedTempFile::new().unwrap();
    let jobs = format!("[a]\ndirectory={path}\nsize=4m\nbs=4k\nrw=randread\n");
    fs::write(job.path(), jobs).unwrap();
    let job = job.path().display();
    let ended = launcher.end(2, &format!("-- run {job} -o {path}/result.txt"));
    ended.ends(3).tells(&[
        "result.txt is on the storage that is measured",
        "--results-here",
    ]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn only_the_first_process_tells_what_happens() {
    for launcher in Launcher::installed() {
        let arguments = "-- mark sim:ssd --row RND4K,Q4,read --runs 2";
        let mut command = launcher.command(3, true, arguments);
        let ended = end(command.env("SOKUDO_TELL", "events")).ok();
        let lines = ended.printed.lines();
        let events: Vec<Value> = lines.map(|it| serde_json::from_str(it).unwrap()).collect();
        let count = |event: &str| events.iter().filter(|it| it["event"] == event).count();
        assert_eq!((count("planned"), count("trial"), count("done")), (1, 2, 1));
        // What hosts did stands in what is told after every trial.
        let mut tables = events.iter().filter(|it| it["event"] == "table");
        let first = tables.next().unwrap();
        assert_eq!(first["hosts"], 3, "{first}");
        let titles = first["tables"].as_array().unwrap().iter();
        let titles: Vec<&str> = titles.map(|it| it["title"].as_str().unwrap()).collect();
        assert!(
            titles.iter().any(|it| it.starts_with("Hosts, RND4K")),
            "{titles:?}"
        );
    }
}

#[test]
fn a_launchers_terminal_gets_no_colours_unless_they_are_asked_for() {
    let Some(launcher) = LAUNCHERS.into_iter().find(|it| has(it.program)) else {
        return skip("no launcher is installed");
    };
    let arguments = "-- mark sim:ssd --row RND4K,Q4,read --runs 2 --quiet";
    let plain = launcher.end(2, arguments).ok();
    assert!(!plain.printed.contains('\u{1b}'), "{plain:?}");
    // Only Open MPI gives its processes a terminal.
    if launcher.program.ends_with("openmpi") {
        let mut command = launcher.command(2, true, arguments);
        let coloured = end(command.env("CLICOLOR_FORCE", "1")).ok();
        assert!(coloured.printed.contains('\u{1b}'), "{coloured:?}");
    }
}

#[test]
fn a_document_of_hosts_is_judged_again_host_by_host() {
    let Some(launcher) = any() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let row = "--row RND4K,Q1,read --format json --quiet --output";
    let slow = |latency: &str| format!("--separate -- mark sim:const?latency={latency} {row}");
    let mut command = launcher.command(4, true, &slow("200us"));
    command.arg(&file);
    command.args([":", "-n", "1", "sh", "-c", HOST_OF_RANK, "sh", "together"]);
    command.args(split(&slow("330us"))).arg(&file);
    end(&mut command).ok();
    let run: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let result = &results(&run)[0];
    assert!(codes(result).contains(&"straggler"), "{result}");
    let mut again = program();
    again.arg("show").arg(&file);
    let again = end(again.args(["--judge-again", "--format", "json"])).json();
    let row = &again["rows"][0];
    assert_eq!(row["verdict_now"], result["verdict"], "{again}");
    assert_eq!(row["verdict_then"], row["verdict_now"], "{again}");
    for changed in ["new", "gone"] {
        assert_eq!(row[changed].as_array().map_or(0, Vec::len), 0, "{again}");
    }
}
