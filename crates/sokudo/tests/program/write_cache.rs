//! The process that puts write caches of drives back, where there is no drive: it says
//! why it keeps nothing, so that nothing is switched. Drives are switched in the lab.

use crate::sokudo::program;

#[test]
fn nothing_is_kept_of_what_is_no_drive() {
    for path in ["/dev/null", "/nonexistent", "/"] {
        let output = program()
            .args(["--keep-write-caches-of", path])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(answer.contains(path), "{answer:?}");
        assert!(!answer.starts_with("found"), "{answer:?}");
    }
}

#[test]
fn without_drives_it_ends_with_the_run() {
    let output = program().arg("--keep-write-caches-of").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}

#[test]
fn users_do_not_see_the_argument() {
    let output = program().arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(!help.contains("keep-write-caches"), "{help}");
}
