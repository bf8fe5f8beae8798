//! `sokudo info`: what it shows, and the names by which devices are found.

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::nobody::Nobody;
use crate::sokudo::{Ended, directory_on_disk, end, measured, skip, sokudo};

fn info(arguments: &str) -> Ended {
    sokudo(&format!("info {arguments}"))
}

#[test]
fn mark_describes_a_device_as_info_does() {
    let directory = directory_on_disk();
    let path = directory.path().to_str().unwrap();
    let disk = info(path).printed;
    let fact = |label: &str| {
        let mut lines = disk.lines().map(str::trim);
        let line = lines.find_map(|line| line.strip_prefix(label));
        line.map(|value| value.trim().to_owned())
    };
    let (Some(model), Some(cache)) = (fact("Model "), fact("Write cache ")) else {
        return skip("no disk is seen under the directory");
    };
    let run = crate::sokudo::mark(path, "--row RND4K,read --format markdown");
    let device = run.printed.lines().find(|line| line.contains("**Device**"));
    let device = device.unwrap();
    assert!(device.contains(&model), "{device}\n{disk}");
    assert!(
        device.contains(&format!("write cache {cache}")),
        "{device}\n{disk}"
    );
}

#[test]
fn a_directory_and_a_file_are_followed_to_their_disks() {
    let directory = directory_on_disk();
    let file = directory.path().join("file");
    std::fs::write(&file, "x").unwrap();
    for path in [directory.path(), &file] {
        let path = path.to_str().unwrap();
        let printed = info(&format!("{path} --format json")).json();
        assert!(
            printed["target"]["file_system"]["kind"].is_string(),
            "{printed}"
        );
        info(path).ok().prints(&["File system"]);
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_loop_device_shows_what_is_on_it_by_every_name() {
        let Some(device) = LoopDevice::new(64 << 20, false) else {
            return;
        };
        let path = device.path.to_str().unwrap().to_owned();
        let made = std::process::Command::new("mkfs.ext4")
            .args(["-q", "-F", "-L", "kept", &path])
            .status();
        if !made.is_ok_and(|status| status.success()) {
            skip("mkfs.ext4 cannot be run");
            return;
        }
        let name = path.trim_start_matches("/dev/");
        for word in [name, &path] {
            let printed = info(&format!("{word} --format json")).json();
            let content: &Value = &printed["disks"][0]["contents"][0];
            assert_eq!(content["what"], "ext4", "{printed}");
            assert_eq!(content["label"], "kept");
            assert_eq!(printed["target"]["path"], path.as_str());
            assert_eq!(printed["target"]["name"], word);
        }
        let run = measured(name, "");
        assert_eq!(run["target"]["path"], path.as_str());
        assert_eq!(run["target"]["name"], name);
        assert!(
            run["command"]
                .as_str()
                .unwrap()
                .contains(&format!("mark {name}"))
        );
    }

    #[test]
    fn nobody_is_told_what_sysfs_tells() {
        let Some(nobody) = Nobody::new() else { return };
        let ended = end(&mut nobody.shell("$SOKUDO info --format json"));
        let printed = ended.json();
        assert_eq!(printed["schema"], "sokudo.info/1");
    }
}
