//! fio's command lines and job files, as scripts use them.

use std::fs;

use crate::sokudo::{directory_on_disk, end, shell};

/// The job file of source document 000, with files and times that suit a test.
fn article() -> String {
    include_str!("../../crates/sokudo-tools/tests/fio_jobs/document-000.fio")
        .replace("size=1g", "size=4m\nfilename=fio-test")
        .replace("runtime=60", "runtime=1")
}

#[test]
fn the_articles_job_file_and_its_awk_print_eight_speeds() {
    let directory = directory_on_disk();
    fs::write(directory.path().join("article.fio"), article()).unwrap();
    let script = "$SOKUDO fio --directory=. article.fio --output-format=terse \
                  | awk -F ';' '{print $3, ($7+$48) / 1000 }'";
    let ended = end(shell(script).current_dir(directory.path())).ok();
    let mut told = ended.told.lines();
    assert!(told.all(|it| it.starts_with("sokudo: note: ")), "{ended:?}");
    let lines = ended
        .printed
        .lines()
        .map(|line| line.split_once(' ').unwrap());
    let lines: Vec<(&str, f64)> = lines
        .map(|(name, speed)| (name, speed.parse().unwrap()))
        .collect();
    let article = article();
    let sections = article
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, sections.skip(1).collect::<Vec<_>>());
    assert_eq!(names.len(), 8);
    assert!(lines.iter().all(|(_, speed)| *speed > 0.0), "{lines:?}");
}

#[test]
fn under_nohup_a_run_outlives_its_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap '' HUP; $SOKUDO fio --name=x --size=1m --rw=write --time_based \
                  --runtime=1 --output-format=json & \
                  until [ -s x.0.0 ]; do :; done; kill -HUP $!; wait $!";
    let run = end(shell(script).current_dir(directory.path())).json();
    let runtime = run["jobs"][0]["job_runtime"].as_u64();
    assert!(runtime >= Some(1000), "{run}");
}
