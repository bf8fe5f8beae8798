//! Nothing of the user's is ever lost.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

use crate::loop_device::LoopDevice;
use crate::sokudo::{
    directory_on_disk, is_root, mark, measured, program, results, skip, sokudo, start,
};
use crate::written::write;

/// Every way to ask for writes.
const WRITES: [&str; 5] = [
    "--write-only",
    "--row RND4K,write",
    "--row SEQ1M,Q8,T2,mix70",
    "--mix",
    "--profile demo --mix R1/W99",
];

/// Debuggers and memory of a process are nobody's but its user's, unless it gives them up.
#[test]
fn others_of_its_user_read_nothing_of_the_process_that_speaks_to_browsers() {
    if is_root() {
        return skip("root reads the memory of every process");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.arg("page").env("XDG_DATA_HOME", folder.path());
    let mut page = start(command.env("SOKUDO_STORE", folder.path().join("runs.db")));
    let mut lines = BufReader::new(page.stdout.take().unwrap()).lines();
    let address = lines.find_map(|line| {
        let line = line.unwrap();
        let (_, rest) = line.split_once("http://")?;
        Some(rest.split('/').next().unwrap().to_owned())
    });
    // What answers has begun to serve.
    let mut browser = TcpStream::connect(address.unwrap()).unwrap();
    browser
        .write_all(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        .unwrap();
    assert!(browser.read(&mut [0; 64]).unwrap() > 0);
    let environment = |pid: u32| fs::read(format!("/proc/{pid}/environ"));
    let own = environment(page.id());
    let serving = children(page.id());
    let served: Vec<_> = serving.iter().map(|pid| environment(*pid)).collect();
    page.kill().unwrap();
    page.wait().unwrap();
    // Without this the test would show nothing.
    assert!(own.is_ok_and(|it| !it.is_empty()));
    assert!(!served.is_empty());
    for served in served {
        assert_eq!(served.unwrap_err().kind(), ErrorKind::PermissionDenied);
    }
}

/// Processes that this one has started.
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap();
    let names = processes.filter_map(|it| it.unwrap().file_name().into_string().ok());
    let is_child = |pid: &u32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status"));
        status.is_ok_and(|it| it.contains(&format!("\nPPid:\t{parent}\n")))
    };
    names
        .filter_map(|it| it.parse().ok())
        .filter(is_child)
        .collect()
}

#[test]
fn an_existing_file_is_read_and_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let file = file_of_16_mib(directory.path());
    let before = state(&file);
    mark(&file, "").ok().tells(&["only reads"]);
    let run = measured(&file, "--direct off");
    let reads = results(&run).iter().filter(|it| it["direction"] == "read");
    assert_eq!(reads.count(), results(&run).len());
    assert_eq!(state(&file), before);
}

#[test]
fn consent_to_overwrite_is_taken_at_its_word() {
    let directory = tempfile::tempdir().unwrap();
    let file = file_of_16_mib(directory.path());
    let before = fs::read(&file).unwrap();
    let run = measured(&file, "--overwrite --row SEQ1M,write");
    assert_eq!(results(&run)[0]["direction"], "write");
    let after = fs::read(&file).unwrap();
    assert_eq!(after.len(), before.len(), "its size stays");
    assert_ne!(after, before);
}

fn file_of_16_mib(directory: &Path) -> std::path::PathBuf {
    let file = directory.join("precious");
    let contents = b"precious words\n\n".repeat(1 << 20);
    write(&file, contents);
    file
}

fn state(file: &Path) -> (Vec<u8>, SystemTime) {
    let modified = fs::metadata(file).unwrap().modified().unwrap();
    (fs::read(file).unwrap(), modified)
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_file_that_a_loop_device_shows_is_written_by_no_consent() {
        let directory = directory_on_disk();
        let file = file_of_16_mib(directory.path());
        let Some(_device) = LoopDevice::over(&file, false) else {
            return;
        };
        let before = fs::read(&file).unwrap();
        let path = file.to_str().unwrap();
        for arguments in [
            &format!("mark {path} --overwrite"),
            &format!("scan {path} --write --overwrite"),
            &format!("scan {path} --write --write-back"),
            &format!("quick {path} --test write --overwrite"),
            &format!("sweep {path} --overwrite"),
        ] {
            sokudo(arguments).refused(3, &["the loop device", "losetup -d"]);
        }
        let job = "--bs=4k --size=16m --name=x --rw=write --overwrite=1";
        let ended = sokudo(&format!("fio {job} --filename={path}")).tells(&["losetup -d"]);
        assert_ne!(ended.code(), Some(0), "{ended:?}");
        assert_eq!(fs::read(&file).unwrap(), before);
    }

    #[test]
    fn a_block_device_is_read_and_never_written() {
        let Some(device) = LoopDevice::new(32 << 20, true) else {
            return;
        };
        fs::write(device.image(), vec![0x5a; 32 << 20]).unwrap();
        let before = fs::read(device.image()).unwrap();
        let run = measured(&device.path, "");
        assert_eq!(results(&run).len(), 4);
        for result in results(&run) {
            assert_eq!(result["direction"], "read");
            assert!(result["latency_ns"]["count"].as_u64().unwrap() > 0);
        }
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("link");
        symlink(&device.path, &link).unwrap();
        for target in [&device.path, &link] {
            for arguments in WRITES {
                mark(target, arguments).refused(3, &["only reads", "directory"]);
                let with_consent = format!("{arguments} --overwrite");
                mark(target, &with_consent).refused(3, &["block device", "for regular files"]);
            }
            mark(target, "--overwrite").refused(3, &["block device"]);
        }
        let after = fs::read(device.image()).unwrap();
        assert!(after == before, "it was written");
    }
}
