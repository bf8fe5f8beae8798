//! What the installed fio makes of the same job files and command lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sokudo_dialect::fio::{HostPathKind, invocation, options, show_command};
use sokudo_model::Bytes;

use crate::host::Made;

const VARIABLES: [(&str, &str); 2] = [("SOKUDO_SIZE", "2m"), ("SOKUDO_DIRECTORY", "/tmp")];

/// The machine, with paths counted from the directory of the test's job files, and a file whose
/// percentages mean something.
fn machine() -> Made<'static> {
    let known = |name: &str| VARIABLES.iter().find(|(known, _)| *known == name);
    Made {
        text: Box::new(|path| {
            std::fs::read_to_string(jobs().join(path)).map_err(|error| error.to_string())
        }),
        variable: Box::new(move |name| Some(known(name)?.1.to_owned())),
        processors: u32::try_from(std::thread::available_parallelism().unwrap().get()).unwrap(),
        ..Made::with(HostPathKind::File, "/tmp/there", Bytes::mib(100))
    }
}

fn jobs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio_jobs")
}

fn job_files() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(jobs())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".fio"))
        .collect();
    names.sort();
    names
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn fio(arguments: &[String]) -> Output {
    Command::new("fio")
        .args(arguments)
        .current_dir(jobs())
        .envs(VARIABLES)
        .output()
        .unwrap()
}

/// Whether the fio is here that the rules were taken from; says loudly when it is not.
fn fio_is_installed() -> bool {
    let version = Command::new("fio").arg("--version").output();
    let found = version.is_ok_and(|output| output.stdout.starts_with(b"fio-3.33"));
    if !found {
        eprintln!("SKIPPED: fio 3.33 is not installed, so nothing is compared with it");
    }
    found
}

#[test]
fn every_job_file_is_shown_as_fio_shows_it() {
    assert!(job_files().len() >= 25);
    if !fio_is_installed() {
        return;
    }
    for name in job_files() {
        let arguments = words(&format!("--showcmd {name}"));
        let output = fio(&arguments);
        assert!(output.status.success(), "{name}");
        let ours = invocation(&arguments, &machine()).unwrap_or_else(|error| panic!("{error}"));
        let theirs = String::from_utf8(output.stdout).unwrap();
        assert_eq!(show_command(&ours), theirs, "{name}");
    }
}

#[test]
fn every_job_file_has_a_plan() {
    for name in job_files() {
        let read = invocation(std::slice::from_ref(&name), &machine());
        let planned = read.and_then(|invocation| invocation.plan(&machine()));
        let planned = planned.unwrap_or_else(|error| panic!("{name}: {error}"));
        let workloads: usize = planned.plan.stages.iter().map(|s| s.workloads.len()).sum();
        assert_eq!(workloads, planned.session.jobs.len(), "{name}");
        assert_eq!(planned.session.left_out, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn sections_are_chosen_as_fio_chooses_them() {
    if !fio_is_installed() {
        return;
    }
    for line in [
        "--showcmd --section=b groups.fio",
        "--showcmd --section=a --section=d groups.fio",
        "--showcmd --section none groups.fio",
        "--showcmd one-job.fio groups.fio",
        "--showcmd --bs=8k one-job.fio",
        "--showcmd --bs=8k two-globals.fio comments.fio two-globals.fio",
        "--showcmd",
    ] {
        let ours = show_command(&invocation(&words(line), &machine()).unwrap());
        assert_eq!(
            ours,
            String::from_utf8(fio(&words(line)).stdout).unwrap(),
            "{line}"
        );
    }
}

/// Command lines that both accept.
const GOOD: &[&str] = &[
    "--name=a --rw=read --size=1m",
    "-name=a -rw=randread -bs=4k -size=1m -thread -direct=1",
    "-name a -rw read -size 1m -iodepth 4",
    "--name a --rw randwrite --size 1m --group_reporting --numjobs 4",
    "--bs=4k --size=1m --name=a --rw=read --name=b --rw=write",
    "--name=global --bs=8k --size=1m --name=a",
    "--name=a --size=1m --readon --rw=read",
    "--name=a --size=1m --ioeng=psync --rw=randread",
    "--output-format=json,normal --name=a --size=1m",
    "--output-format=json+ --name=a --size=1m",
    "--minimal --terse-version=5 --name=a --size=1m",
    "--append-terse --name=a --size=1m",
    "--eta=never --eta-newline=1 --eta-interval=500ms --name=a --size=1m",
    "--status-interval=10 --max-jobs=10 --warnings-fatal --name=a --size=1m",
    "--name=a --size=1m --time_based --runtime=5 --ramp_time=2s --startdelay=1-2",
    "--name=a --size=1m --thread=1 --stonewall=0 --norandommap",
    "--name=a --size=1m --ioengine=io_uring --hipri --fixedbufs --sqthread_poll=1 --registerfiles",
    "--name=a --size=1m --ioengine=libaio --iodepth=256 --iodepth_batch_submit=256 --iodepth_batch_complete_max=256",
    "--name=a --filename=/tmp/x:/tmp/y --size=2m --unlink=1 --fallocate=none",
    "--name=a --size=22m --bs=2300 --fdatasync=1 --ioengine=sync --rw=write",
    "--name=a --size=1m --write_bw_log=x --log_avg_msec=1000",
    "--bandwidth-log --name=a --size=1m",
    "one-job.fio --readonly",
    "--bs=8k one-job.fio --debug=process",
    "-- one-job.fio",
    "--name=a --size=1m --verify=crc32c-intel --rw=write --do_verify=0",
    "--name=a --size=1m --bssplit=4k/50:8k --rw=randrw --rwmixwrite=20",
    "--name=a --size=1m --rate=1m,2m, --rate_process=poisson",
    "--name=a --size=1m --mem=mmap:/tmp/m --lockmem=0 --nice=0 --zonemode=none",
    "--name=a --size=1m --cpus_allowed=0 --ss=iops:10% --ss_dur=5",
];

/// Command lines that both refuse.
const BAD: &[&str] = &[
    "--name=a --iodeph=4",
    "--name=a --iodep=4",
    "--name=a --bs",
    "--name=a --bs=0",
    "--name=a --bs=,",
    "--name=a --rw=seq",
    "--name=a --rw=rand",
    "--name=a --rw=",
    "--name=a --direct=2",
    "--name=a --direct=yes",
    "--name=a --stonewall=x",
    "--name=a --rwmixread=101",
    "--name=a --iodepth=0",
    "--name=a --runtime=",
    "--name=a --size=99999999999999999999",
    "--name=a --bssplit=x",
    "--name=a --bsrange=4k",
    "--name=a --percentile_list=101",
    "--name=a --percentile_list=x",
    "--name=a --percentage_random=101",
    "--name=a --random_distribution=zipf:1",
    "--name=a --random_distribution=pareto:1.1",
    "--name=a --random_distribution=normal:101",
    "--name=a --random_distribution=zoned:60/10",
    "--name=a --random_distribution=zoned:50/50:50/60",
    "--name=a --random_distribution=gauss",
    "--name=a --steadystate=iops",
    "--name=a --steadystate=foo:1",
    "--name=a --rate_process=x",
    "--name=a --verify=foo",
    "--name=a --verify_pattern=abc",
    "--name=a --verify_pattern=0x",
    "--name=a --buffer_pattern=%o",
    "--name=a --sync=2",
    "--name=a --fallocate=2",
    "--name=a --cpus_allowed_policy=x",
    "--name=a --kb_base=1001",
    "--name=a --mem=foo",
    "--name=a --hipri",
    "--name=a --ioengine=nonsense",
    "--name=a --significant_figures=0",
    "--name=a --unified_rw_reporting=3",
    "--name=a --clocksource=x",
    "--name=a --verify_interval=10",
    "--name=a --thread 1",
    "--name",
    "--output-format=foo --name=a",
    "--terse-version=9 --name=a",
    "--eta-newline=0 --name=a",
    "--eta-interval=10ms --name=a",
    "--section=global one-job.fio",
    "--latency-log=x --name=a",
    "--bandwidth-log=1 --name=a",
    "--name=a --readonly --rw=write",
    "no-such-file.fio",
    "--name=a --size=$ncpus",
];

fn is_accepted(line: &str) -> Result<(), String> {
    let read = invocation(&words(line), &machine()).map_err(|error| error.to_string())?;
    read.plan(&machine())
        .map(|_| ())
        .map_err(|error| error.to_string())
}

#[test]
fn command_lines_that_fio_accepts_are_accepted() {
    for line in GOOD {
        assert_eq!(is_accepted(line), Ok(()), "{line}");
    }
    if !fio_is_installed() {
        return;
    }
    for line in GOOD {
        let output = fio(&words(&format!("--parse-only {line}")));
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {complaint}");
    }
}

#[test]
fn command_lines_that_fio_refuses_are_refused() {
    for line in BAD {
        let error = is_accepted(line).expect_err(line);
        assert!(!error.contains('\n'), "{error}");
    }
    if !fio_is_installed() {
        return;
    }
    for line in BAD {
        let output = fio(&words(&format!("--parse-only {line}")));
        assert!(!output.status.success(), "{line}");
    }
}

/// What fio takes, and reads as something else than it says.
#[test]
fn what_fio_misreads_is_refused() {
    for line in [
        "--name=a --size=1.5m",
        "--name=a --size=10x",
        "--name=a --size=1m --runtime=10sec",
        "--name=a --size=1m --runtime=1min",
        "--name=a --size=1m --runtime=1h30m",
        "--name=a --size=1m --bs=4k-8k",
        "--name=a --size=1m --bs=4k:8k",
        "--name=a --size=1m --numjobs=0",
        "--name=a --size=1m --iodepth=4,8",
        "--name=a --size=110%",
        "--name=a --size=1m --cpus_allowed=x",
        "--name=a --size=1m --bssplit=4k/40:8k/40",
    ] {
        assert!(is_accepted(line).is_err(), "{line}");
    }
}

#[test]
fn defaults_are_fios() {
    if !fio_is_installed() {
        return;
    }
    // fio prints the seed by its last byte. It sleeps for 0.1 s before it ends, so that
    // many are asked at once.
    let compared = options().iter().filter(|option| option.name != "randseed");
    let compared: Vec<_> = compared.collect();
    for some in compared.chunks(32) {
        let children = some.iter().map(|option| {
            let mut asked = Command::new("fio");
            asked.arg(format!("--cmdhelp={}", option.name));
            asked.stdout(Stdio::piped()).stderr(Stdio::null());
            asked.spawn().unwrap()
        });
        let children: Vec<_> = children.collect();
        for (option, child) in some.iter().zip(children) {
            let help = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
            let default = help
                .lines()
                .find_map(|line| line.trim().strip_prefix("default: "));
            if let Some(default) = default.filter(|default| *default != "no default") {
                assert_eq!(option.default, default.trim(), "{}", option.name);
            }
        }
    }
}
