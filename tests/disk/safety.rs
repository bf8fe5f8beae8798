//! Nothing of the user's is ever lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

use crate::loop_device::LoopDevice;
use crate::sokudo::{directory_on_disk, mark, measured, results, sokudo};
use crate::written::write;

/// Every way to ask for writes.
const WRITES: [&str; 5] = [
    "--write-only",
    "--row RND4K,write",
    "--row SEQ1M,Q8,T2,mix70",
    "--mix",
    "--profile demo --mix R1/W99",
];

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
