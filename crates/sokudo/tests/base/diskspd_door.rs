//! diskspd's command lines, as scripts use them.

use std::path::Path;

use crate::sokudo::{Ended, end, program, split};

fn diskspd(directory: &Path, arguments: &str) -> Ended {
    let mut command = program();
    command
        .arg("diskspd")
        .args(split(arguments))
        .env_remove("SOKUDO_DESTROY")
        .current_dir(directory);
    end(&mut command)
}

#[test]
fn wrong_arguments_are_told_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    diskspd(directory.path(), "-b4K missing").refused(1, &["missing", "-c"]);
    diskspd(directory.path(), "-Q7 file").refused(1, &["-Q"]);
    diskspd(directory.path(), "").refused(1, &["target"]);
}

#[test]
fn what_changes_nothing_and_what_is_given_twice_is_told_beside_the_result() {
    let directory = tempfile::tempdir().unwrap();
    let ended = diskspd(directory.path(), "-c1M -d1 -d1 -W0 -Sh -p f.dat").ok();
    assert!(
        ended
            .told
            .contains("-d1 is given again; the last one counts."),
        "{ended:?}"
    );
    assert!(!ended.printed.contains("given again"), "{ended:?}");
}
