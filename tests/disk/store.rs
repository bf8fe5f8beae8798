//! Runs are kept, and where they cannot be, that is told and changes nothing else.

use std::fs;
use std::path::Path;

use sokudo_store::{Filter, Page, Sqlite, Store};

use crate::sokudo::{Ended, end, program, split};

const RUN: &str = "mark sim:ssd --runs 1 --time 20ms --why --quiet";

/// `sokudo ARGUMENTS` with a store, given by the variable.
fn with_store(store: &Path, arguments: &str) -> Ended {
    end(program().args(split(arguments)).env("SOKUDO_STORE", store))
}

fn numbers(store: &Path) -> Vec<u64> {
    let all = Page {
        skip: 0,
        count: 100,
    };
    let found = Sqlite::open(store).unwrap().list(&Filter::default(), all);
    found.unwrap().iter().map(|entry| entry.id.0).collect()
}

#[test]
fn every_command_that_measures_keeps_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("data/runs.db");
    let job = folder.path().join("job.fio");
    let text = format!(
        "[a]\ndirectory={}\nsize=1m\nrw=read\nbs=64k\n",
        folder.path().display()
    );
    fs::write(&job, text).unwrap();
    let job = job.to_str().unwrap();
    let file = folder.path().join("file.dat");
    let file = file.to_str().unwrap();
    let commands = [
        RUN,
        "quick sim:ssd --quiet",
        "scan sim:ssd --quiet",
        &format!("run {job} --quiet"),
        &format!("fio {job}"),
        &format!("diskspd -c1M -b64K -d1 -W0 {file}"),
    ];
    for (index, arguments) in commands.iter().enumerate() {
        let ended = with_store(&store, arguments).ok();
        assert_eq!(ended.told, "", "{arguments:?}");
        assert_eq!(numbers(&store).len(), index + 1, "{arguments:?}");
    }
    // One file, and it is the owner's alone.
    use std::os::unix::fs::MetadataExt;
    assert_eq!(store.metadata().unwrap().mode() & 0o777, 0o600);
    let data = store.parent().unwrap();
    assert_eq!(data.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(data).unwrap().count(), 1);
}
