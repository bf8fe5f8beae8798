//! The disks that runs of the page may destroy: those that `--allow-destroy` named, each by what
//! it alone has.

use sokudo_device::System;
use sokudo_model::disk::Disk;
use sokudo_words::{Text, text};

/// Links with names that a disk keeps wherever it is attached.
const BY_ID: &str = "/dev/disk/by-id/";

/// What was named at the start.
#[derive(Clone)]
pub(crate) struct Destroyable {
    words: Vec<String>,
}

impl Destroyable {
    /// Refuses words that name no disk of this machine, or more than one.
    pub(crate) fn new(words: &[String]) -> Result<Self, Text> {
        let words = words.to_vec();
        if !words.is_empty() {
            let disks = sokudo_device::listed(&System::host());
            for word in &words {
                consent_for(word, &disks)?;
            }
        }
        Ok(Self { words })
    }

    /// The consent in the words of the command line for what was typed into the page. The command
    /// looks again whether the target is that disk.
    pub(crate) fn consent(&self, typed: &str) -> Result<String, Text> {
        if !self.words.iter().any(|word| word == typed) {
            return Err(text!(
                "{typed} may not be destroyed: the page was not started with it; start it with --allow-destroy {typed}"
            ));
        }
        consent_for(typed, &sokudo_device::listed(&System::host()))
    }
}

/// What `--destroy` is to name for the one disk that this word names.
fn consent_for(word: &str, disks: &[Disk]) -> Result<String, Text> {
    let of_serial = disks.iter().filter(|it| it.serial.as_deref() == Some(word));
    let of_serial: Vec<&Disk> = of_serial.collect();
    if let [_] = of_serial[..] {
        return Ok(word.to_owned());
    }
    let nameless = disks.iter().filter(|disk| disk.serial.is_none());
    let of_name = nameless.filter(|disk| is_name(word, disk));
    let found: Vec<&Disk> = of_serial.into_iter().chain(of_name).collect();
    match found[..] {
        [] => Err(text!(
            "--allow-destroy {word:?} is no serial number of a disk of this machine, and no WWN or by-id name of one that has none; sokudo info shows them"
        )),
        [disk] => by_id(disk).next().map(str::to_owned).ok_or_else(|| {
            text!("{} has no name that stays, so the page does not write it; use sokudo mark with --destroy", disk.path)
        }),
        [..] => Err(text!(
            "--allow-destroy {word:?} names {} disks, so the page writes none of them; use sokudo mark with --destroy and the path of one",
            found.len()
        )),
    }
}

/// Whether it is the WWN or a by-id name of the disk.
fn is_name(word: &str, disk: &Disk) -> bool {
    let mut names = by_id(disk).filter_map(|link| link.strip_prefix(BY_ID));
    disk.world_wide_name.as_deref() == Some(word) || names.any(|name| name == word)
}

fn by_id(disk: &Disk) -> impl Iterator<Item = &str> {
    let links = disk.links.iter().map(String::as_str);
    links.filter(|link| link.starts_with(BY_ID))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str, serial: Option<&str>, links: &[&str]) -> Disk {
        Disk {
            serial: serial.map(str::to_owned),
            links: links.iter().map(|link| format!("{BY_ID}{link}")).collect(),
            ..Disk::unknown(name)
        }
    }

    fn consent(word: &str, disks: &[Disk]) -> Result<String, String> {
        consent_for(word, disks).map_err(|why| why.english())
    }

    #[test]
    fn a_disk_is_named_by_its_serial_number() {
        let disks = [disk("sda", Some("A1"), &["ata-a"]), disk("sdb", None, &[])];
        assert_eq!(consent("A1", &disks).as_deref(), Ok("A1"));
        for no_serial in ["", "sda", "/dev/sda", "ata-a", "/dev/disk/by-id/ata-a"] {
            let why = consent(no_serial, &disks).unwrap_err();
            assert!(why.contains("no serial number of a disk"), "{why}");
        }
    }

    #[test]
    fn one_without_a_serial_number_has_other_names() {
        let nameless = Disk {
            world_wide_name: Some("naa.5000".to_owned()),
            ..disk("sdb", None, &["wwn-0x5000"])
        };
        let disks = [disk("sda", Some("A1"), &[]), nameless];
        let link = Ok("/dev/disk/by-id/wwn-0x5000");
        assert_eq!(consent("naa.5000", &disks).as_deref(), link);
        assert_eq!(consent("wwn-0x5000", &disks).as_deref(), link);
    }

    #[test]
    fn what_names_several_disks_names_none() {
        let twins = [disk("sda", Some("0"), &[]), disk("sdb", Some("0"), &[])];
        let why = consent("0", &twins).unwrap_err();
        assert!(why.contains("names 2 disks"), "{why}");
    }

    #[test]
    fn a_name_that_does_not_stay_is_none() {
        let nameless = Disk {
            world_wide_name: Some("naa.5000".to_owned()),
            ..disk("sdb", None, &[])
        };
        let why = consent("naa.5000", &[nameless]).unwrap_err();
        assert!(why.contains("no name that stays"), "{why}");
    }
}
