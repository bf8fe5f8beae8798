//! `sokudo info` and the tools that people know say the same, field by field.

use serde_json::{Value, json};

use crate::guest::{Guest, after, number};

/// What the other tool says, in the form of ours: without the padding that some leave,
/// and as a number where some print the text of one.
fn plain(theirs: &Value, ours: &Value) -> Value {
    let Some(text) = theirs.as_str().map(str::trim) else {
        return theirs.clone();
    };
    match text.parse::<u64>() {
        Ok(figure) if ours.is_number() => json!(figure),
        _ => json!(text),
    }
}

#[track_caller]
fn assert_same(pairs: &[(&Value, Value)]) {
    for (place, (ours, theirs)) in pairs.iter().enumerate() {
        assert_eq!(**ours, plain(theirs, ours), "pair {place}");
    }
}

#[test]
fn an_ata_disk_is_what_hdparm_says() {
    let Some(guest) = Guest::enter() else { return };
    for name in ["ata-hdd", "ata-ssd"] {
        let node = guest.disk(name);
        let told = guest.hdparm(&["-I"], &node);
        let disk = guest.info(name);
        let ata = &disk["identity"]["ata"];
        let sectors = number(after("LBA48  user addressable sectors", &told));
        let rotation = after("Nominal Media Rotation Rate", &told);
        let write_cache = told.lines().any(|line| line.contains("*\tWrite cache"));
        assert_same(&[
            (&ata["model"], json!(after("Model Number", &told))),
            (&ata["serial"], json!(after("Serial Number", &told))),
            (&ata["firmware"], json!(after("Firmware Revision", &told))),
            (&ata["sectors"], json!(sectors)),
            (&ata["logical_sector_bytes"], json!(512)),
            (
                &ata["queue_depth"],
                json!(number(after("Queue depth", &told))),
            ),
            (&ata["write_cache"], json!(write_cache)),
            (&disk["model"], json!(after("Model Number", &told))),
            (&disk["serial"], json!(name)),
            (&disk["size_bytes"], json!(sectors * 512)),
            (&disk["bus"], json!("ata")),
        ]);
        let expected = match rotation {
            "Solid State Device" => (1, json!("none")),
            rate => (number(rate), json!({ "per_minute": number(rate) })),
        };
        assert_eq!(ata["rotation_rate"], expected.0, "{rotation}");
        assert_eq!(disk["rotation"], expected.1, "{rotation}");
    }
}

/// Line by line, but for blanks at their ends.
#[test]
fn sokudos_hdparm_prints_what_hdparm_prints() {
    let Some(guest) = Guest::enter() else { return };
    let lines = |text: &str| -> Vec<String> {
        text.trim()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    };
    for name in ["ata-hdd", "ata-ssd"] {
        let node = guest.disk(name);
        for switch in ["-W", "-i", "-I"] {
            let ours = guest.end(&["hdparm", switch, &node]);
            assert_eq!(ours.code, Some(0), "{ours:?}");
            let theirs = guest.hdparm(&[switch], &node);
            assert_eq!(lines(&ours.printed), lines(&theirs), "{name} {switch}");
        }
    }
}

#[test]
fn an_ata_disk_feels_as_smartctl_says() {
    let Some(guest) = Guest::enter() else { return };
    let node = guest.disk("ata-hdd");
    let told = guest.told_json("smartctl", &["-j", "-a", &node]);
    let disk = guest.info("ata-hdd");
    let health = &disk["health"];
    assert_eq!(told["smart_status"]["passed"], true);
    assert_same(&[
        (&health["state"], json!("good")),
        (
            &health["temperature_celsius"],
            told["temperature"]["current"].clone(),
        ),
        (
            &health["power_on_hours"],
            told["power_on_time"]["hours"].clone(),
        ),
        (&health["power_cycles"], told["power_cycle_count"].clone()),
        (&disk["size_bytes"], told["user_capacity"]["bytes"].clone()),
        (
            &disk["logical_block_bytes"],
            told["logical_block_size"].clone(),
        ),
        (
            &disk["physical_block_bytes"],
            told["physical_block_size"].clone(),
        ),
    ]);
    let theirs = told["ata_smart_attributes"]["table"].as_array().unwrap();
    let ours = health["attributes"].as_array().unwrap();
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_same(&[
            (&ours["id"], theirs["id"].clone()),
            (&ours["value"], theirs["value"].clone()),
            (&ours["worst"], theirs["worst"].clone()),
            (&ours["raw"], theirs["raw"]["value"].clone()),
        ]);
    }
}

#[test]
fn an_nvme_disk_is_what_nvme_cli_says() {
    let Some(guest) = Guest::enter() else { return };
    let node = guest.disk("nvme-a");
    let ask = |command: &str| guest.told_json("nvme", &[command, &node, "-o", "json"]);
    let [controller, namespace, log] = ["id-ctrl", "id-ns", "smart-log"].map(ask);
    let disk = guest.info("nvme-a");
    let nvme = &disk["identity"]["nvme"];
    let [ours, space] = [&nvme["controller"], &nvme["namespace"]];
    let cache = json!(number_of(&controller, "vwc") & 1 == 1);
    assert_same(&[
        (&ours["vendor_id"], controller["vid"].clone()),
        (&ours["model"], controller["mn"].clone()),
        (&ours["serial"], controller["sn"].clone()),
        (&ours["firmware"], controller["fr"].clone()),
        (&ours["volatile_write_cache"], cache),
        (
            &ours["warning_temperature_kelvin"],
            controller["wctemp"].clone(),
        ),
        (
            &ours["critical_temperature_kelvin"],
            controller["cctemp"].clone(),
        ),
        (&space["size_blocks"], namespace["nsze"].clone()),
        (&space["capacity_blocks"], namespace["ncap"].clone()),
        (&space["used_blocks"], namespace["nuse"].clone()),
        (
            &space["format_in_use"],
            json!(number_of(&namespace, "flbas") & 0xf),
        ),
        (&disk["model"], controller["mn"].clone()),
        (&disk["serial"], json!("nvme-a")),
        (&disk["bus"], json!("nvme")),
        (&disk["rotation"], json!("none")),
    ]);
    let theirs = namespace["lbafs"].as_array().unwrap();
    let formats = space["formats"].as_array().unwrap();
    assert_eq!(formats.len(), theirs.len());
    for (ours, theirs) in formats.iter().zip(theirs) {
        assert_same(&[
            (&ours["data_bytes"], json!(1_u64 << number_of(theirs, "ds"))),
            (&ours["metadata_bytes"], theirs["ms"].clone()),
            (&ours["relative_performance"], theirs["rp"].clone()),
        ]);
    }
    let celsius = i64::try_from(number_of(&log, "temperature")).unwrap() - 273;
    let health = &disk["health"];
    assert_same(&[
        (&health["temperature_celsius"], json!(celsius)),
        (&health["power_on_hours"], log["power_on_hours"].clone()),
        (&health["power_cycles"], log["power_cycles"].clone()),
        (&health["used_percent"], log["percent_used"].clone()),
        (&health["spare_percent"], log["avail_spare"].clone()),
        (&health["media_errors"], log["media_errors"].clone()),
        (&health["unsafe_shutdowns"], log["unsafe_shutdowns"].clone()),
        (&health["state"], json!("good")),
    ]);
}

fn number_of(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} is no number in {value}"))
}

#[test]
fn a_scsi_disk_is_what_sg3_utils_say() {
    let Some(guest) = Guest::enter() else { return };
    for name in ["scsi-a", "sas-a"] {
        let node = guest.disk(name);
        let inquiry = guest.must("sg_inq", &[&node]);
        let capacity = guest.must("sg_readcap", &["--long", &node]);
        let characteristics = guest.must("sg_vpd", &["--page=bdc", &node]);
        let serial = guest.must("sg_vpd", &["--page=sn", &node]);
        let disk = guest.info(name);
        let scsi = &disk["identity"]["scsi"];
        let block = number(after("Logical block length", &capacity));
        let exponent = number(after(
            "Logical blocks per physical block exponent",
            &capacity,
        ));
        let blocks = number(after("Number of logical blocks", &capacity));
        let rate = number(after("Nominal rotation rate", &characteristics));
        assert_same(&[
            (
                &scsi["vendor"],
                json!(after("Vendor identification", &inquiry)),
            ),
            (
                &scsi["product"],
                json!(after("Product identification", &inquiry)),
            ),
            (
                &scsi["revision"],
                json!(after("Product revision level", &inquiry)),
            ),
            (
                &scsi["serial"],
                json!(after("Unit serial number:", &serial)),
            ),
            (&scsi["logical_block_bytes"], json!(block)),
            (&scsi["physical_block_bytes"], json!(block << exponent)),
            (&scsi["blocks"], json!(blocks)),
            (&scsi["rotation_rate"], json!(rate)),
            (&disk["rotation"], json!({ "per_minute": rate })),
            (&disk["size_bytes"], json!(block * blocks)),
            (&disk["serial"], json!(name)),
        ]);
        let told = guest.told("sdparm", &["--get=WCE", &node]);
        let on = after("WCE", &told).starts_with('1');
        assert_eq!(scsi["write_cache"], on, "{told}");
        assert_eq!(disk["write_cache"]["enabled"], on, "{told}");
    }
}

#[test]
fn a_disk_is_found_by_its_serial_number() {
    let Some(guest) = Guest::enter() else { return };
    for name in ["ata-hdd", "nvme-a", "scsi-a", "virtio-gone"] {
        let found = guest.json(&["info", name, "--json"]);
        assert_eq!(found["disks"][0]["path"], guest.disk(name));
    }
    let ended = guest.end(&["info", "raid-"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for candidate in ["raid-1", "raid-2", "raid-3", "raid-4"] {
        assert!(ended.told.contains(candidate), "{ended:?}");
    }
}

#[test]
fn every_disk_is_listed() {
    let Some(guest) = Guest::enter() else { return };
    let all = guest.json(&["info", "--json"]);
    let mut serials: Vec<&str> = all["disks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|disk| disk["serial"].as_str())
        .collect();
    serials.sort_unstable();
    for name in [
        "ata-hdd",
        "nvme-a",
        "scsi-a",
        "sas-a",
        "raid-1",
        "slow-count",
    ] {
        assert!(serials.contains(&name), "{name} is not among {serials:?}");
    }
}
