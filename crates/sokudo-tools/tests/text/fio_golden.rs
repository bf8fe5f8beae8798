//! What fio makes of the same job files and command lines.

use sokudo_model::Bytes;
use sokudo_tools::fio::{HostPathKind, invocation, options, show_command};

use crate::fio_said::{Said, VARIABLES, jobs, kept};
use crate::host::Made;

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

/// What fio says to the command lines that begin so.
fn said(beginning: &'static str) -> impl Iterator<Item = Said> {
    let said = kept();
    let of = said.into_iter();
    of.filter(move |said| said.line.starts_with(beginning))
}

#[test]
fn jobs_and_sections_are_shown_as_fio_shows_them() {
    for said in said("--showcmd") {
        let ours = invocation(&said.words(), &machine());
        let ours = ours.unwrap_or_else(|error| panic!("{}: {error}", said.line));
        assert_eq!(show_command(&ours).trim_end(), said.answer, "{}", said.line);
    }
}

#[test]
fn every_job_file_and_every_option_is_asked_about() {
    let asked: Vec<String> = kept().into_iter().map(|said| said.line).collect();
    let files = job_files();
    assert!(files.len() >= 25, "there are {} job files", files.len());
    let files = files.into_iter().map(|name| format!("--showcmd {name}"));
    // fio prints the seed by its last byte.
    let options = options().iter().filter(|option| option.name != "randseed");
    let options = options.map(|option| format!("--cmdhelp={}", option.name));
    let mut unasked = files.chain(options).filter(|line| !asked.contains(line));
    assert_eq!(
        unasked.next(),
        None,
        "add `$ ` and it to said.txt, then `SOKUDO_BLESS=1 tests/run disk fio_says`"
    );
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

fn accepted(words: &[String]) -> Result<(), String> {
    let read = invocation(words, &machine()).map_err(|error| error.to_string())?;
    read.plan(&machine())
        .map(|_| ())
        .map_err(|error| error.to_string())
}

#[test]
fn command_lines_are_accepted_and_refused_as_by_fio() {
    let all: Vec<Said> = said("--parse-only ").collect();
    assert!(all.len() >= 86, "fio's answer is kept to {}", all.len());
    for said in all {
        let ours = accepted(&said.words());
        let is_accepted = said.answer == "accepted";
        assert_eq!(ours.is_ok(), is_accepted, "{}: {ours:?}", said.line);
        let error = ours.err().unwrap_or_default();
        assert!(!error.contains('\n'), "{error}");
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
        "--name=a --size=1m --rwmixread=101%",
        "--name=a --size=1m --rwmixread=70%%",
        "--name=a --size=1m --startdelay=1:",
    ] {
        assert!(accepted(&words(line)).is_err(), "{line}");
    }
}

#[test]
fn defaults_are_fios() {
    for said in said("--cmdhelp=") {
        let name = said.line.trim_start_matches("--cmdhelp=");
        let option = options().iter().find(|option| option.name == name);
        let option = option.unwrap_or_else(|| panic!("{name} is an option of fio's"));
        if !said.answer.is_empty() {
            assert_eq!(option.default, said.answer, "{name}");
        }
    }
}
