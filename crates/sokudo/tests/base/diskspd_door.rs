//! diskspd's command lines, as scripts use them.

use std::path::Path;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, end, program, split};

/// The eight lines of source document 000, with a size and a time that suit a test.
const ARTICLE: [&str; 8] = [
    "-c4M -Zr -b1M -d1 -o8 -t1 -W0 -Sd -w0 -L",
    "-c4M -Zr -b1M -d1 -o1 -t1 -W0 -Sd -w0 -L",
    "-c4M -Zr -b4K -d1 -o32 -t1 -W0 -Sd -r -w0 -L",
    "-c4M -Zr -b4K -d1 -o1 -t1 -W0 -Sd -r -w0 -L",
    "-c4M -Zr -b1M -d1 -o8 -t1 -W0 -Sd -w100 -L",
    "-c4M -Zr -b1M -d1 -o1 -t1 -W0 -Sd -w100 -L",
    "-c4M -Zr -b4K -d1 -o32 -t1 -W0 -Sd -r -w100 -L",
    "-c4M -Zr -b4K -d1 -o1 -t1 -W0 -Sd -r -w100 -L",
];

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
