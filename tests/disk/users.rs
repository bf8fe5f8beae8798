//! What somebody else uses is not written, also where its name does not say so: bytes are
//! compared before and after.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::loop_device::{LoopDevice, Mounted};
use crate::sokudo::{directory_on_disk, end, program, sokudo, split};
use crate::written::write;

/// Opens a file for reading and writing until its input ends.
const HOLD: &str = "exec 3<>\"$1\"; echo ready; read -r _";

/// A process that has something open for writing until it is dropped.
struct Holder(Child);

impl Holder {
    fn of(path: &Path) -> Self {
        let mut process = Command::new("sh")
            .args(["-c", HOLD, "sh"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let told = process.stdout.take().unwrap();
        BufReader::new(told).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(process)
    }

    fn told(&self) -> String {
        format!("process {} (sh) has", self.0.id())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Commands that write to a device, with all consent that there is.
fn commands(path: &str) -> [String; 4] {
    let destroy = format!("--destroy {path} --destroy-contents --quiet");
    [
        format!("mark {path} --row=RND4K,write -n1 -t1ms {destroy}"),
        format!("scan {path} --write {destroy}"),
        format!("sweep {path} --sizes=4K --length=1MiB {destroy}"),
        format!("scan {path} --write --write-back --quiet"),
    ]
}

fn fio(path: &str, arguments: &str) -> Command {
    let mut command = program();
    command
        .args(["fio", "--name=w", "--rw=write", "--bs=1m", "--size=4m"])
        .args(split(arguments))
        .arg(format!("--filename={path}"))
        .env("SOKUDO_DESTROY", path);
    command
}

#[test]
fn a_file_that_a_process_may_write_is_not_written() {
    let directory = directory_on_disk();
    let file = directory.path().join("disk of a virtual machine");
    write(&file, vec![7; 4 << 20]);
    let path = file.to_str().unwrap();
    let holder = Holder::of(&file);
    for arguments in [
        format!("mark '{path}' --overwrite -n1 -t1ms"),
        format!("scan '{path}' --write --overwrite"),
        format!("scan '{path}' --write --write-back"),
    ] {
        sokudo(&arguments).refused(3, &[&holder.told(), "it open for writing"]);
    }
    let door = end(&mut fio(path, "--overwrite=1"));
    door.refused(1, &[&holder.told(), "it open for writing"]);
    let after = fs::read(&file).unwrap();
    assert!(after == vec![7; 4 << 20], "it was written");
    drop(holder);
    end(&mut fio(path, "--overwrite=1")).ok();
    assert!(fs::read(&file).unwrap() != vec![7; 4 << 20]);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_mounted_file_system_is_not_overwritten_through_a_second_loop_device() {
        let Some(first) = LoopDevice::with_ext4(32 << 20, false) else {
            return;
        };
        let _mounted = Mounted::new(&first, &["-o", "ro"]);
        let second = LoopDevice::over(&first.image(), false).unwrap();
        let above = LoopDevice::over(&second.path, false).unwrap();
        // Through every device: what is written to one may stay in its page cache.
        let image = first.image();
        let read = || [&image, &second.path, &above.path].map(|path| fs::read(path).unwrap());
        let before = read();
        let name = first.path.file_name().unwrap().to_str().unwrap();
        let shown = format!("the loop device {name} is backed by the file behind");
        let mut refused = Vec::new();
        for device in [&second, &above] {
            let path = device.path.to_str().unwrap();
            refused.extend(commands(path).map(|line| sokudo(&line)));
        }
        let door = end(&mut fio(second.path.to_str().unwrap(), ""));
        let after = read();
        for ended in refused {
            ended.refused(3, &[&shown, "whatever is allowed", "losetup -d"]);
            let names_flag = ended.told.contains("--destroy");
            assert!(!names_flag, "no flag helps: {ended:?}");
        }
        door.refused(1, &[&shown, "--allow_mounted_write=1"]);
        assert!(before == after, "the file system was written");
    }

    #[test]
    fn a_device_that_a_process_may_write_is_not_written() {
        let Some(device) = LoopDevice::new(8 << 20, false) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        let holder = Holder::of(&device.path);
        let before = fs::read(path).unwrap();
        for line in commands(path) {
            let words = [&*holder.told(), "whatever is allowed", "stop that first"];
            sokudo(&line).refused(3, &words);
        }
        end(&mut fio(path, "")).refused(1, &[&holder.told(), "--allow_mounted_write=1"]);
        assert!(fs::read(path).unwrap() == before, "it was written");
        sokudo(&format!("scan {path} --points=3 --access-count=2 --quiet")).ok();
        end(&mut fio(path, "--allow_mounted_write=1")).ok();
        assert!(fs::read(path).unwrap() != before);
    }
}
