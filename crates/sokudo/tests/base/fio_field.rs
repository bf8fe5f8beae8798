//! fio's job files as people posted them, beside what fio 3.33 made of them on a file system of
//! 512-byte sectors. What chance or time decide is `?`; what is refused says why.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sokudo::{directory_on_disk, fio};

/// Reads, writes and trims of every job, as fio counted them.
const DONE: &[(&str, &[&str])] = &[
    ("j08-duplicate-sections", &["0 128 0", "128 0 0"]),
    ("j12-filesize-30k", &["7 0 0"]),
    ("j14-filename_format", &["0 160 0", "160 0 0"]),
    ("j15-filesize-then-nrfiles", &["? ? 0", "? ? 0"]),
    ("j16-bssplit-sequential", &["? 0 0"]),
    ("j30-etcd", &["0 10029 0"]),
    ("j37-mixed-name-eq", &["? ? 0"]),
    ("j38-same-place", &["1024 0 0"]),
    ("skip-wraps", &["16 0 0"]),
    // fio reports damage where nothing is damaged, and fails a trim of what it has not laid out.
    ("j06-verify-norandommap", &["? ? 0"]),
    ("j07-verify-sequencer", &["? 512 0"]),
    ("j29-trim-write-verify", &["0 0 1024"]),
];

/// What fio only reads here: it runs for seconds, or as large as the memory says.
const READ: &[&str] = &[
    "engine-linuxaio",
    "j01-startdelay-range",
    "j02-ramp-longer-than-runtime",
    "j09-kb_base-1000",
    "j11-size-percent",
    "j17-bssplit-6k-10k",
    "j19-poisson-rw-rates",
    "j20-mb_memory",
    "j21-benchmark-operator",
    "j23-percent-in-names",
    "j24-crlf-agnostics",
    "j25-mix-100",
    "j26-same-log-prefix",
    "j28-rate-write-only",
];

/// What sokudo refuses, and the words that say so.
const REFUSED: &[(&str, &str)] = &[
    ("exec_prerun", "run it before sokudo"),
    ("filecreate", "ioengine is one of"),
    ("flow", "option flow is not supported"),
    ("io_submit_mode", "option io_submit_mode is not supported"),
    (
        "j04-sync_file_range",
        "option sync_file_range is not supported",
    ),
    (
        "j05-verify-meta",
        "option continue_on_error is not supported",
    ),
    ("j31-fdp", "\"fdp\" is an option of fio 3.34 and later"),
    ("j34-nice", "run sokudo under nice(1)"),
    ("j35-max_latency", "option max_latency is not supported"),
    ("read_iolog", "option read_iolog is not supported"),
    (
        "unlink_each_loop",
        "option unlink_each_loop is not supported",
    ),
    ("write_iolog", "option write_iolog is not supported"),
];

fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field");
    format!("{}/{name}.fio", folder.display())
}

#[test]
fn every_job_file_is_expected_to_come_to_something() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field");
    let names = fs::read_dir(folder).unwrap().map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.trim_end_matches(".fio").to_owned()
    });
    let done = DONE.iter().map(|(name, _)| *name);
    let refused = REFUSED.iter().map(|(name, _)| *name);
    let expected: Vec<_> = done.chain(READ.iter().copied()).chain(refused).collect();
    let unexpected: Vec<_> = names.filter(|name| !expected.contains(&&**name)).collect();
    assert_eq!(unexpected, Vec::<String>::new());
}

#[test]
fn jobs_from_the_field_do_what_fio_did() {
    for (name, expected) in DONE {
        let directory = directory_on_disk();
        // What is counted does not depend on how often it is flushed, and a flush takes milliseconds.
        let job = fs::read_to_string(file(name)).unwrap();
        let job = job.replace("fdatasync=1\n", "fdatasync=1000\n");
        fs::write(directory.path().join("job.fio"), job).unwrap();
        let run = fio(directory.path(), "--output-format=json job.fio").json();
        let jobs = run["jobs"].as_array().unwrap();
        assert_eq!(jobs.len(), expected.len(), "{name}");
        for (job, expected) in jobs.iter().zip(*expected) {
            assert_eq!(job["error"], 0, "{name}");
            let found = ["read", "write", "trim"].map(|what| job[what]["total_ios"].clone());
            for (found, expected) in found.iter().zip(expected.split(' ')) {
                let is_so = expected == "?" || found.as_u64() == Some(expected.parse().unwrap());
                assert!(is_so, "{name}: {found} I/Os, fio did {expected}");
            }
        }
    }
}

/// 4 MiB for each of two clones, whatever chance makes of it; 10 MiB in blocks of three sizes.
#[test]
fn what_chance_divides_sums_up_as_with_fio() {
    for (name, bytes) in [
        ("j15-filesize-then-nrfiles", 4 << 20),
        ("j16-bssplit-sequential", 10 << 20),
    ] {
        let directory = directory_on_disk();
        let run = fio(
            directory.path(),
            &format!("--output-format=json {}", file(name)),
        )
        .json();
        for job in run["jobs"].as_array().unwrap() {
            let moved = ["read", "write"].map(|what| job[what]["io_bytes"].as_u64().unwrap());
            assert_eq!(moved[0] + moved[1], bytes, "{name}");
        }
    }
}

#[test]
fn jobs_from_the_field_are_read_or_refused_clearly() {
    let directory = tempfile::tempdir().unwrap();
    for name in READ {
        fio(directory.path(), &format!("--parse-only {}", file(name))).ok();
    }
    for (name, words) in REFUSED {
        let ended = fio(directory.path(), &file(name)).ends(1).tells(&[*words]);
        assert_eq!(ended.printed, "", "{name}");
    }
}

/// blktests asks so whether fio knows a version of its terse output.
#[test]
fn parsing_no_job_succeeds() {
    let directory = tempfile::tempdir().unwrap();
    fio(directory.path(), "--parse-only --terse-version=4").ok();
    fio(directory.path(), "--terse-version=4").ends(1);
}

/// fio 3.33 ends with 3 and with 4: clones count.
#[test]
fn the_exit_code_is_the_number_of_jobs_that_failed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("f"), vec![7; 1 << 16]).unwrap();
    let job = "--filename=f --size=64k --verify=crc32c --rw=read";
    let three = format!("--name=a {job} --name=b {job} --name=c {job}");
    fio(directory.path(), &three).ends(3);
    fio(directory.path(), &format!("{three} --numjobs=2")).ends(4);
    fio(directory.path(), &format!("--name=a {job} --verify=0")).ok();
}

#[test]
fn json_and_json_plus_are_one_document() {
    let directory = tempfile::tempdir().unwrap();
    let line = "--name=a --size=64k --output-format";
    for formats in ["json,json+", "json+,json"] {
        let run = fio(directory.path(), &format!("{line}={formats}")).json();
        assert!(run["jobs"][0]["read"]["clat_ns"]["bins"].is_object());
    }
}

/// As fio 3.33: error 22, and a document that is complete.
#[test]
fn a_size_that_is_missing_prints_its_json() {
    let directory = tempfile::tempdir().unwrap();
    let ended = fio(directory.path(), "--output-format=json --name=a")
        .ends(1)
        .tells(&["say with size="]);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    let job = &run["jobs"][0];
    assert_eq!((&job["jobname"], &job["error"]), (&"a".into(), &22.into()));
    assert_eq!(job["read"]["total_ios"], 0);
    let people = fio(directory.path(), "--name=a").ends(1);
    assert_eq!(people.printed, "");
    let wrong = fio(directory.path(), "--output-format=json --name=a --bs=x").ends(1);
    assert_eq!(wrong.printed, "", "what cannot be read has no jobs");
}

/// fio measures two new files then, and so does sokudo.
#[test]
fn a_name_that_its_colon_divides_gets_a_hint() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("usb-X_0:0"), [7; 4096]).unwrap();
    fio(directory.path(), "--name=a --size=1m --filename=usb-X_0:0")
        .ok()
        .tells(&[
            "note: filename=usb-X_0:0 names 2 files",
            "write filename=usb-X_0\\:0",
        ]);
    assert!(directory.path().join("usb-X_0").exists());
}

#[test]
fn a_directory_as_filename_is_told_so() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("some")).unwrap();
    for line in ["--rw=read", "--rw=write --size=1m"] {
        fio(
            directory.path(),
            &format!("--name=a {line} --filename=some"),
        )
        .refused(1, &["some is a directory; use directory=some"]);
    }
}
