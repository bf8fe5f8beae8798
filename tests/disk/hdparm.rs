//! hdparm's two timings, in its words.

use std::process::Command;

use crate::loop_device::LoopDevice;
use crate::sokudo::{end, has, shell, skip, sokudo};

/// Digits become `9`, and numbers of any length alike, so that two lines of different
/// figures compare.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for character in text.chars() {
        let character = if character.is_ascii_digit() {
            '9'
        } else {
            character
        };
        if character != '9' || !shape.ends_with('9') {
            shape.push(character);
        }
    }
    shape
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn lines_are_those_of_hdparm() {
        let Some(device) = LoopDevice::new(64 << 20, false) else {
            return;
        };
        let ours = sokudo(&format!("hdparm -tT {}", device.path.display()))
            .ok()
            .prints(&[" Timing buffered disk reads:  64 MB in "]);
        if !has("hdparm") {
            skip("hdparm is not installed");
            return;
        }
        let theirs = end(Command::new("hdparm").arg("-tT").arg(&device.path));
        let without_blanks = |text: &str| shape(text).replace(' ', "");
        assert_eq!(
            without_blanks(&ours.printed),
            without_blanks(&theirs.printed)
        );
    }

    /// What a loop device reads is in the page cache of the file behind it, so that its disk
    /// has nothing to do. The timing of the cache is not meant to be one of a disk.
    #[test]
    fn a_timing_that_is_none_of_the_disk_is_called_so_behind_the_lines() {
        let Some(device) = LoopDevice::new(64 << 20, false) else {
            return;
        };
        let time = |switch| sokudo(&format!("hdparm {switch} {}", device.path.display()));
        let timed = time("-t");
        let name = device.path.display().to_string();
        let verdicts = ["INVALID", "UNVERIFIED"].map(|it| format!("note: {name}: {it}: "));
        assert!(
            verdicts.iter().any(|it| timed.told.contains(it)),
            "{timed:?}"
        );
        assert!(!timed.printed.contains("note"), "{timed:?}");
        assert_eq!(time("-T").told, "");
    }

    #[test]
    fn the_script_of_the_article_finds_its_fields() {
        let Some(device) = LoopDevice::new(64 << 20, false) else {
            return;
        };
        // Its script cuts at every blank: `-f12` stands behind the seconds.
        let script = format!(
            "$SOKUDO hdparm -t {} | grep Timing | cut -d' ' -f7,8,11,12",
            device.path.display()
        );
        end(&mut shell(&script)).ok().prints(&["MB", "seconds"]);
    }

    /// The script of document 004, whose hdparm is a link to sokudo.
    #[test]
    fn a_link_named_hdparm_is_hdparm() {
        let Some(device) = LoopDevice::new(64 << 20, false) else {
            return;
        };
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(crate::sokudo::path(), directory.path().join("hdparm")).unwrap();
        let script = format!(
            "PATH=$PWD:$PATH; for i in 1 2; do hdparm -tT {} | grep 'disk reads' | awk '{{print $11}}'; done",
            device.path.display()
        );
        let ended = end(shell(&script).current_dir(directory.path())).ok();
        let figures: Vec<f64> = ended
            .printed
            .lines()
            .map(|it| it.parse().unwrap())
            .collect();
        assert!(
            figures.len() == 2 && figures.iter().all(|it| *it > 0.0),
            "{ended:?}"
        );
    }

    /// Of a disk that is not ATA hdparm prints its name, and with -i an error.
    #[test]
    fn a_disk_that_is_not_ata_says_what_hdparm_says() {
        let Some(device) = LoopDevice::new(4 << 20, false) else {
            return;
        };
        for (switch, code) in [("-I", 0), ("-W", 0), ("-i", 22)] {
            let ours = sokudo(&format!("hdparm {switch} {}", device.path.display()));
            assert_eq!(ours.code(), Some(code), "{ours:?}");
            assert!(ours.told.contains("not an ATA disk"), "{ours:?}");
            if !has("hdparm") {
                skip("hdparm is not installed");
                continue;
            }
            let theirs = end(Command::new("hdparm").arg(switch).arg(&device.path));
            assert_eq!(ours.printed, theirs.printed, "{switch}");
            assert_eq!(ours.code(), theirs.code(), "{switch}");
        }
    }
}
