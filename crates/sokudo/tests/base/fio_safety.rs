//! fio writes to whatever it is given. sokudo in its clothes does not.

use std::fs;
use std::path::Path;

use crate::sokudo::fio;
use crate::sokudo::{end, shell};
use crate::written;

#[test]
fn a_file_of_the_users_is_not_written_without_consent() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("precious");
    let contents = b"precious words\n\n".repeat(1 << 16);
    written::write(&file, &contents);
    let job = "--name=precious --filename=precious --size=1m";
    for rw in ["--rw=write", "--rw=randrw", "--rw=trim", "--rw=randwrite"] {
        fio(directory.path(), &format!("{job} {rw}")).refused(1, &["precious", "overwrite=1"]);
    }
    // Too small for the job: fio would write it anew.
    let larger = "--name=r --filename=precious --size=2m --rw=read";
    fio(directory.path(), larger).refused(1, &["precious"]);
    assert!(fs::read(&file).unwrap() == contents);
    fio(directory.path(), &format!("{job} --rw=read")).ok();
    assert!(fs::read(&file).unwrap() == contents);
    fio(directory.path(), &format!("{job} --rw=write --overwrite=1")).ok();
    assert!(fs::read(&file).unwrap() != contents);
}

#[test]
fn nothing_is_made_when_one_of_several_targets_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    written::write(directory.path().join("precious"), "dear");
    let ended = fio(
        directory.path(),
        "--name=a --size=1m --rw=write --name=b --filename=precious --size=4k --rw=write",
    );
    ended.refused(1, &["precious"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_misspelt_device_does_not_become_a_file_among_devices() {
    let directory = tempfile::tempdir().unwrap();
    let path = "/dev/sokudo-test-no-such-device";
    for rw in ["write", "read"] {
        let job = format!("--name=x --size=64k --rw={rw} --filename={path}");
        fio(directory.path(), &job).refused(1, &[path, "holds devices"]);
        assert!(!Path::new(path).exists());
    }
}

#[test]
fn switches_of_the_kernel_are_not_written_whatever_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    // Its own name: harmless, should it be written after all.
    let job = "--name=x --size=4k --filename=/proc/self/comm --rw=write --overwrite=1";
    fio(directory.path(), job).refused(1, &["/proc/self/comm", "kernel"]);
}

#[test]
fn a_mapped_file_that_shrinks_fails_its_job() {
    let directory = tempfile::tempdir().unwrap();
    let script = "$SOKUDO fio --name=x --ioengine=mmap --size=8m --rw=randread --time_based \
                  --runtime=60 --output-format=json & \
                  until [ -e x.0.0 ] && grep -q x.0.0 /proc/$!/maps; do :; done; \
                  truncate -s 0 x.0.0; wait $!";
    let ended = end(shell(script).current_dir(directory.path())).ends(1);
    let run: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["jobs"][0]["error"], 5, "EIO");
}

/// Scripts read `error` and the exit code; fio has both for jobs that cannot start.
#[test]
fn a_refusal_is_json_with_the_errors_number() {
    let directory = tempfile::tempdir().unwrap();
    written::write(directory.path().join("precious"), "dear");
    let job = "--name=x --size=4k --rw=write --filename=precious";
    for output in ["json", "json+", "normal,json"] {
        let ended = fio(directory.path(), &format!("{job} --output-format={output}"))
            .ends(1)
            .tells(&["overwrite=1"]);
        let run: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(run["jobs"][0]["error"], 1, "EPERM: {output}");
        assert_eq!(run["jobs"][0]["write"]["total_ios"], 0, "{output}");
    }
    let terse = fio(directory.path(), &format!("{job} --minimal"));
    let fields: Vec<_> = terse.printed.split(';').collect();
    assert_eq!((fields[2], fields[4]), ("x", "1"), "{terse:?}");
    let kept = fs::read(directory.path().join("precious")).unwrap();
    assert_eq!(kept, b"dear");
    let missing = fio(
        directory.path(),
        "--name=x --size=4k --filename=none/x --allow_file_create=0 --output-format=json",
    )
    .ends(1);
    let run: serde_json::Value = serde_json::from_str(&missing.printed).unwrap();
    assert_ne!(run["jobs"][0]["error"], 0);
}
