//! diskspd's command lines, as scripts use them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_on_disk, end, program, shell, split};
use crate::written::write;

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
fn the_articles_lines_and_their_awk_print_eight_speeds() {
    let directory = directory_on_disk();
    let mut script = String::from("{\n");
    for line in ARTICLE {
        script.push_str(&format!(
            "echo 'Executing {line}'; $SOKUDO diskspd {line} file\n"
        ));
    }
    script.push_str(
        "} | awk '/^Executing/ { print } /^Total IO/ { line = NR } NR == line + 3 && line { print $7 }'",
    );
    let ended = end(shell(&script).current_dir(directory.path()));
    assert_eq!(ended.told, "");
    let lines: Vec<&str> = ended.printed.lines().collect();
    assert_eq!(lines.len(), 16, "{ended:?}");
    for pair in lines.chunks(2) {
        assert!(pair[0].starts_with("Executing -c4M"), "{ended:?}");
        assert!(pair[1].parse::<f64>().unwrap() > 0.0, "{ended:?}");
    }
}

#[test]
fn a_link_named_diskspd_is_diskspd() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("diskspd");
    std::os::unix::fs::symlink(crate::sokudo::path(), &link).unwrap();
    end(Command::new(&link)
        .args(["-c1M", "-b4K", "-d1", "-W0", "-w50", "file"])
        .current_dir(directory.path()))
    .ok()
    .prints(&["Results for job 1:", "sokudo: "]);
}

#[test]
fn a_file_that_diskspd_has_not_made_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("precious");
    let contents = b"precious words\n\n".repeat(1 << 16);
    write(&file, &contents);
    for arguments in ["-w100 -c1M", "-w1 -b4K", "-w0 -c2M"] {
        let arguments = format!("{arguments} -d1 -W0 precious");
        diskspd(directory.path(), &arguments).refused(3, &["precious", "--overwrite"]);
    }
    assert!(fs::read(&file).unwrap() == contents);
    let allowed = "--overwrite -w100 -b4K -d1 -W0 precious";
    diskspd(directory.path(), allowed).ok();
}

#[test]
fn xml_comes_out_and_profiles_are_printed() {
    let directory = tempfile::tempdir().unwrap();
    diskspd(directory.path(), "-Rxml -c1M -b4K -d1 -W0 -L file")
        .ok()
        .prints(&["<Results>"]);
    diskspd(directory.path(), "-Rpxml -c1M -b4K other")
        .ok()
        .prints(&["<Profile>"]);
    assert!(!directory.path().join("other").exists());
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_device_is_written_only_when_it_is_named() {
        let Some(device) = LoopDevice::new(16 << 20, true) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        let here = Path::new(".");
        let write = format!("-w100 -b64K -d1 -W0 {path}");
        diskspd(here, &write).refused(3, &["SOKUDO_DESTROY", path]);
        diskspd(here, &format!("-w0 -b64K -d1 -W0 {path}")).ok();
        diskspd(here, &format!("--destroy {path} {write}")).ok();
    }
}
