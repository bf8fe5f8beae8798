//! fio writes to whatever it is given. sokudo in its clothes does not.

use std::fs;
use std::path::Path;

use crate::loop_device::{LoopDevice, Mounted};
use crate::nobody::Nobody;
use crate::sokudo::fio;
use crate::sokudo::{Ended, directory_on_disk, end, program, shell, sokudo_in, split};
use crate::written::write;

const WRITE: &str = "--name=w --rw=write --bs=1m --size=8m";

fn write_to(device: &Path, arguments: &str, destroy: Option<&str>) -> Ended {
    let mut command = program();
    command.arg("fio");
    command.args(split(&format!("{WRITE} {arguments}")));
    command.arg(format!("--filename={}", device.display()));
    command.env_remove("SOKUDO_DESTROY");
    if let Some(word) = destroy {
        command.env("SOKUDO_DESTROY", word);
    }
    end(&mut command)
}

#[test]
fn any_job_writes_what_a_job_has_laid_out_until_its_user_writes_it() {
    let directory = directory_on_disk();
    let job = |name: &str| {
        let job = format!("--name={name} --filename=shared --size=1m --rw=write");
        fio(directory.path(), &job)
    };
    for name in ["mine", "mine", "other"] {
        job(name).ok();
    }
    // A copy is a file of the user's, even with all attributes.
    let script = "cp -a shared copy && mv copy shared";
    end(shell(script).current_dir(directory.path())).ok();
    let words = ["shared", "has been changed since", "SOKUDO_OVERWRITE=files"];
    job("mine").refused(1, &words);
}

/// What the device holds, read through it: what lies in its page cache has not
/// reached the image yet while anybody else, such as udev, has it open, too.
fn contents(device: &LoopDevice) -> Vec<u8> {
    fs::read(&device.path).unwrap()
}

fn holds_only_zeros(device: &LoopDevice) -> bool {
    contents(device).iter().all(|byte| *byte == 0)
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn an_empty_device_is_written_only_when_it_is_named() {
        let Some(device) = LoopDevice::new(32 << 20, true) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        write_to(&device.path, "", None).refused(1, &["SOKUDO_DESTROY", path]);
        write_to(&device.path, "--allow_mounted_write=1", None).refused(1, &["SOKUDO_DESTROY"]);
        write_to(&device.path, "--overwrite=1", None).refused(1, &["SOKUDO_DESTROY"]);
        write_to(&device.path, "", Some("/dev/loop-of-somebody-else")).refused(1, &[path]);
        assert!(holds_only_zeros(&device));
        write_to(&device.path, "", Some(path)).ok();
        assert!(!holds_only_zeros(&device));
        write_to(&device.path, &format!("--destroy={path}"), None).ok();
    }

    #[test]
    fn a_device_that_holds_something_needs_both_consents() {
        let Some(device) = LoopDevice::with_ext4(32 << 20, true) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        let before = contents(&device);
        write_to(&device.path, "", None)
            .refused(1, &["ext4", "SOKUDO_DESTROY", "allow_mounted_write"]);
        write_to(&device.path, "", Some(path)).refused(1, &["ext4", "allow_mounted_write"]);
        write_to(&device.path, "--allow_mounted_write=1", None).refused(1, &["SOKUDO_DESTROY"]);
        for rw in ["--rw=randrw", "--rw=trim", "--rw=randwrite"] {
            write_to(&device.path, rw, Some(path)).refused(1, &["ext4"]);
        }
        assert!(contents(&device) == before, "it was written");
        write_to(&device.path, "--rw=read", None).ok();
        write_to(&device.path, "--allow_mounted_write=1", Some(path)).ok();
    }

    #[test]
    fn a_mounted_device_says_where_it_is_mounted() {
        let Some(device) = LoopDevice::with_ext4(32 << 20, true) else {
            return;
        };
        let place = Mounted::new(&device, &[]);
        let named = write_to(&device.path, "", device.path.to_str());
        named.refused(1, &["is mounted on", place.at()]);
        let unnamed = write_to(&device.path, "--allow_mounted_write=1", None);
        unnamed.refused(1, &["is mounted on", "SOKUDO_DESTROY"]);
    }

    #[test]
    fn what_another_user_has_laid_out_is_not_written() {
        let Some(nobody) = Nobody::new() else {
            return;
        };
        let job = "--name=x --filename=shared --size=1m --rw=write";
        end(&mut nobody.shell(&format!("$SOKUDO fio {job} > /dev/null"))).ok();
        fio(&nobody.home(), job).refused(1, &["shared", "for another user"]);
    }

    #[test]
    fn the_environment_allows_files_to_be_overwritten_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("precious");
        write(&file, b"precious words\n\n".repeat(1 << 16));
        let job = |word: &str| {
            let mut command = program();
            command.env("SOKUDO_OVERWRITE", word);
            command.current_dir(directory.path()).arg("fio");
            end(command.args(["--name=x", "--filename=precious", "--size=1m", "--rw=write"]))
        };
        job("").refused(1, &["precious", "SOKUDO_OVERWRITE=files"]);
        for word in ["1", "yes", "devices", "precious"] {
            job(word).refused(1, &["SOKUDO_OVERWRITE", "set it to files"]);
        }
        assert!(fs::read(&file).unwrap().starts_with(b"precious"));
        job("files").ok();
        assert!(!fs::read(&file).unwrap().starts_with(b"precious"));
        let Some(device) = LoopDevice::new(32 << 20, true) else {
            return;
        };
        let mut command = program();
        command.env("SOKUDO_OVERWRITE", "files").arg("fio");
        command
            .args(split(WRITE))
            .arg(format!("--filename={}", device.path.display()));
        end(command.env_remove("SOKUDO_DESTROY")).refused(1, &["SOKUDO_DESTROY"]);
        assert!(holds_only_zeros(&device));
    }

    #[test]
    fn results_are_never_written_to_a_device() {
        let Some(device) = LoopDevice::new(32 << 20, true) else {
            return;
        };
        let path = device.path.to_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path();
        let null = "--name=x --ioengine=null --size=1m";
        fio(here, &format!("{null} --output={path}")).refused(1, &[path, "block device"]);
        fs::write(here.join("job.fio"), "[x]\nioengine=null\nsize=1m\n").unwrap();
        for arguments in [
            &format!("run job.fio --output {path}"),
            &format!("mark null: -n 1 -t 20ms --output {path}"),
        ] {
            let ended = sokudo_in(here, arguments);
            ended.refused(3, &[path, "block device"]);
        }
        // A log's name is the user's up to its end, so it may be a link.
        std::os::unix::fs::symlink(path, here.join("l_lat.1.log")).unwrap();
        fio(here, &format!("{null} --write_lat_log=l")).ends(1);
        assert!(holds_only_zeros(&device));
    }
}
