//! `sokudo bonnie`, as people use it: figures, Bonnie++'s own line, and nothing left
//! behind.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::sokudo::{Ended, directory_on_disk, has, skip, sokudo_on};

fn bonnie(directory: &Path, arguments: &str) -> Ended {
    sokudo_on("bonnie --quiet --seed 7", directory, arguments)
}

/// Small sizes for every phase.
const SMALL: &str = "--size 8:8k:200:3 --characters 64KiB --files 1:300:100:2";

#[test]
fn bonnies_own_programs_read_the_line() {
    let tools = ["bon_csv2txt", "bon_csv2html"];
    if !tools.iter().all(|tool| has(tool)) {
        return skip("bon_csv2txt and bon_csv2html, which read Bonnie++'s line, are not installed");
    }
    let directory = directory_on_disk();
    let line = bonnie(directory.path(), &format!("{SMALL} --bonnie-csv")).printed;
    for (tool, sign) in tools.into_iter().zip(["1:300:100/2", "</html>"]) {
        let [input, output, error] = [(); 3].map(|()| Stdio::piped());
        let mut command = Command::new(tool);
        command.stdin(input).stdout(output).stderr(error);
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(line.as_bytes()).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
        assert!(output.stderr.is_empty(), "{tool}: {output:?}");
        assert!(text.contains(sign), "{tool}: {text}");
    }
}

#[test]
fn what_cannot_be_measured_is_told_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let file = path.join("file");
    fs::write(&file, "mine").unwrap();
    for (target, words) in [
        (
            file.to_str().unwrap(),
            &["is not a directory", "name a directory"][..],
        ),
        ("sim:hdd", &["is not a directory"]),
        ("/no/such/place", &["/no/such/place"]),
        ("", &["is empty"]),
    ] {
        bonnie(Path::new(target), "").refused(2, words);
    }
    for (arguments, code, words) in [
        ("--size 0 --files 0", 2, &["nothing to measure"][..]),
        ("--size 8:3k", 2, &["the chunk is 3 KiB", "power of two"]),
        ("--size lots", 2, &["lots", "SIZE[:CHUNK"]),
        ("--files 1:10:20", 2, &["smallest size"]),
        ("--bonnie-csv --format json", 2, &["cannot be used with"]),
        ("--size 900PiB --files 0", 1, &["use a smaller test file"]),
        ("--size 0 --files 4000000:5GB", 2, &["the size of a file"]),
        (
            "--size 0 --files 4000000:1GB",
            1,
            &["free", "fewer or smaller"],
        ),
    ] {
        bonnie(path, arguments).refused(code, words);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}
