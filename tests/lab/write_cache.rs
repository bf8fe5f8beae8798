//! Switching a drive's own write cache: it is switched while sokudo measures, and as it
//! was afterwards, however sokudo ends.

use rustix::process::Signal;
use serde_json::Value;

use crate::guest::{Guest, Running, after};

/// A drive and the tool that shows its cache.
#[derive(Clone, Copy)]
struct Drive {
    name: &'static str,
    is_on: fn(&Guest, &str) -> bool,
    switch: fn(&Guest, &str, bool),
}

const DRIVES: [Drive; 3] = [
    Drive {
        name: "ata-hdd",
        is_on: |guest, node| after("write-caching", &guest.hdparm(&["-W"], node)).starts_with('1'),
        switch: |guest, node, on| {
            guest.hdparm(&[if on { "-W1" } else { "-W0" }], node);
        },
    },
    Drive {
        name: "scsi-a",
        is_on: is_on_scsi,
        switch: |guest, node, on| {
            // A disk that was pulled out beside it is what it tells first.
            guest.told("sg_turs", &[node]);
            guest.must(
                "sdparm",
                &[if on { "--set=WCE" } else { "--clear=WCE" }, node],
            );
        },
    },
    Drive {
        name: "nvme-a",
        is_on: |guest, node| {
            let told = guest.must("nvme", &["get-feature", node, "--feature-id=6"]);
            after("Current value", &told).ends_with('1')
        },
        switch: |guest, node, on| {
            let value = format!("--value={}", u8::from(on));
            // The feature is the controller's, not the namespace's: nvme0 of nvme0n1.
            let (controller, _) = node.rsplit_once('n').unwrap();
            guest.must(
                "nvme",
                &["set-feature", controller, "--feature-id=6", &value],
            );
        },
    },
];

/// Whether the write cache of a SCSI disk is on, as it says itself.
pub(crate) fn is_on_scsi(guest: &Guest, node: &str) -> bool {
    after("WCE", &guest.told("sdparm", &["--get=WCE", node])).starts_with('1')
}

/// How long a scan takes.
#[derive(Clone, Copy)]
enum Length {
    /// Long enough to look at the cache meanwhile.
    Seconds,
    /// Longer than any test waits.
    Minutes,
}

impl Drive {
    fn is_on(self, guest: &Guest) -> bool {
        (self.is_on)(guest, &guest.disk(self.name))
    }

    fn switch(self, guest: &Guest, on: bool) {
        (self.switch)(guest, &guest.disk(self.name), on);
        assert_eq!(self.is_on(guest), on, "the lab's drive {}", self.name);
    }

    /// A scan with the cache `word`, which takes as long as `length` says, however fast
    /// the disk is.
    fn scan(self, guest: &Guest, word: &str, length: Length) -> Running {
        let node = guest.disk(self.name);
        let places = match length {
            Length::Seconds => ["--hdtune", "1", "--points", "40"],
            Length::Minutes => ["--hdtune", "5", "--points", "200"],
        };
        let what = ["scan", &node, "--access-count", "0", "--write-cache", word];
        let how = ["--format", "json", "--quiet"];
        guest.start(&[&what[..], &places, &how].concat())
    }
}

#[test]
fn a_cache_is_switched_for_the_run_and_back() {
    let Some(guest) = Guest::enter(&["ata-hdd", "scsi-a", "nvme-a"]) else {
        return;
    };
    for drive in DRIVES {
        for (word, before) in [("off", true), ("on", false)] {
            drive.switch(&guest, before);
            let mut scan = drive.scan(&guest, word, Length::Seconds);
            scan.wait_until("the cache is switched", || drive.is_on(&guest) != before);
            let ended = scan.end();
            assert_eq!(ended.code, Some(0), "{ended:?}");
            assert_eq!(drive.is_on(&guest), before, "{} after {word}", drive.name);
        }
        drive.switch(&guest, true);
    }
}

#[test]
fn a_cache_that_is_to_be_kept_is_kept() {
    let Some(guest) = Guest::enter(&["ata-hdd", "scsi-a", "nvme-a"]) else {
        return;
    };
    for drive in DRIVES {
        drive.switch(&guest, false);
        let ended = drive.scan(&guest, "keep", Length::Seconds).end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(!drive.is_on(&guest), "{}", drive.name);
        drive.switch(&guest, true);
    }
}

#[test]
fn both_states_are_measured_by_one_command() {
    let Some(guest) = Guest::enter(&["ata-hdd", "scsi-a", "nvme-a"]) else {
        return;
    };
    for drive in DRIVES {
        drive.switch(&guest, true);
        let run = drive.scan(&guest, "both", Length::Seconds).end().json();
        let results = run["figures"].as_array().unwrap().iter();
        let mut states: Vec<&Value> = results
            .map(|result| &result["workload"]["drive_cache"])
            .collect();
        states.sort_by_key(|state| state.to_string());
        assert_eq!(states, ["off", "on"], "{}", drive.name);
        assert!(drive.is_on(&guest), "{}", drive.name);
    }
}

#[test]
fn however_it_ends_the_cache_is_put_back() {
    let Some(guest) = Guest::enter(&["ata-hdd", "scsi-a", "nvme-a"]) else {
        return;
    };
    let ends = [
        (Signal::INT, Some(130)),
        (Signal::TERM, Some(130)),
        (Signal::KILL, None),
    ];
    for ((signal, code), drive) in ends
        .iter()
        .flat_map(|end| DRIVES.map(|drive| (*end, drive)))
    {
        drive.switch(&guest, true);
        let mut scan = drive.scan(&guest, "off", Length::Minutes);
        scan.wait_until("the cache is off", || !drive.is_on(&guest));
        scan.signal(signal);
        let ended = scan.end();
        assert_eq!(ended.code, code, "{ended:?}");
        // After a kill another process has to notice first.
        guest.wait_until("the cache is on again", || drive.is_on(&guest));
    }
}
