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
