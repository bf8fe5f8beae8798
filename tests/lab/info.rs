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

/// Fields of ours, by JSON pointers, with what the other tool says.
#[track_caller]
fn assert_same(ours: &Value, fields: &[(&str, Value)]) {
    for (pointer, theirs) in fields {
        let ours = ours.pointer(pointer).unwrap_or(&Value::Null);
        assert_eq!(*ours, plain(theirs, ours), "{pointer}");
    }
}

#[test]
fn an_ata_disk_is_what_hdparm_says() {
    let Some(guest) = Guest::enter(&["ata-hdd", "ata-ssd"]) else {
        return;
    };
    for name in ["ata-hdd", "ata-ssd"] {
        let told = guest.hdparm(&["-I"], &guest.disk(name));
        let disk = guest.info(name);
        let text = |label| json!(after(label, &told));
        let count = |label| number(after(label, &told));
        let sectors = count("LBA48  user addressable sectors");
        let write_cache = told.lines().any(|line| line.contains("*\tWrite cache"));
        let (rate, rotation) = match after("Nominal Media Rotation Rate", &told) {
            "Solid State Device" => (1, json!("none")),
            rate => (number(rate), json!({ "per_minute": number(rate) })),
        };
        assert_same(
            &disk,
            &[
                ("/identity/ata/model", text("Model Number")),
                ("/identity/ata/serial", text("Serial Number")),
                ("/identity/ata/firmware", text("Firmware Revision")),
                ("/identity/ata/sectors", json!(sectors)),
                ("/identity/ata/logical_sector_bytes", json!(512)),
                ("/identity/ata/queue_depth", json!(count("Queue depth"))),
                ("/identity/ata/write_cache", json!(write_cache)),
                ("/identity/ata/rotation_rate", json!(rate)),
                ("/model", text("Model Number")),
                ("/serial", json!(name)),
                ("/size_bytes", json!(sectors * 512)),
                ("/bus", json!("ata")),
                ("/rotation", rotation),
            ],
        );
    }
}

/// Line by line, but for blanks at their ends.
#[test]
fn sokudos_hdparm_prints_what_hdparm_prints() {
    let Some(guest) = Guest::enter(&["ata-hdd", "ata-ssd"]) else {
        return;
    };
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
    let Some(guest) = Guest::enter(&["ata-hdd"]) else {
        return;
    };
    let node = guest.disk("ata-hdd");
    let told = guest.reported_json("smartctl", &["-j", "-a", &node]);
    let disk = guest.info("ata-hdd");
    assert_eq!(told["smart_status"]["passed"], true);
    let theirs = |pointer: &str| told.pointer(pointer).unwrap().clone();
    assert_same(
        &disk,
        &[
            ("/health/state", json!("good")),
            (
                "/health/temperature_celsius",
                theirs("/temperature/current"),
            ),
            ("/health/power_on_hours", theirs("/power_on_time/hours")),
            ("/health/power_cycles", theirs("/power_cycle_count")),
            ("/size_bytes", theirs("/user_capacity/bytes")),
            ("/logical_block_bytes", theirs("/logical_block_size")),
            ("/physical_block_bytes", theirs("/physical_block_size")),
        ],
    );
    let theirs = told["ata_smart_attributes"]["table"].as_array().unwrap();
    let ours = disk["health"]["attributes"].as_array().unwrap();
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        for field in ["id", "value", "worst"] {
            assert_eq!(ours[field], theirs[field], "{field}");
        }
        assert_eq!(ours["raw"], theirs["raw"]["value"]);
    }
}

#[test]
fn an_nvme_disk_is_what_nvme_cli_says() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let ask = |command: &str| guest.reported_json("nvme", &[command, &node, "-o", "json"]);
    let [controller, namespace, log] = ["id-ctrl", "id-ns", "smart-log"].map(ask);
    let disk = guest.info("nvme-a");
    let [theirs, space, health] =
        [&controller, &namespace, &log].map(|told| move |field: &str| told[field].clone());
    assert_same(
        &disk["identity"]["nvme"]["controller"],
        &[
            ("/vendor_id", theirs("vid")),
            ("/model", theirs("mn")),
            ("/serial", theirs("sn")),
            ("/firmware", theirs("fr")),
            (
                "/volatile_write_cache",
                json!(number_of(&controller, "vwc") & 1 == 1),
            ),
            ("/warning_temperature_kelvin", theirs("wctemp")),
            ("/critical_temperature_kelvin", theirs("cctemp")),
        ],
    );
    let format = number_of(&namespace, "flbas") & 0xf;
    assert_same(
        &disk["identity"]["nvme"]["namespace"],
        &[
            ("/size_blocks", space("nsze")),
            ("/capacity_blocks", space("ncap")),
            ("/used_blocks", space("nuse")),
            ("/format_in_use", json!(format)),
        ],
    );
    let ours = disk["identity"]["nvme"]["namespace"]["formats"].as_array();
    let formats = namespace["lbafs"].as_array().unwrap();
    assert_eq!(ours.map(Vec::len), Some(formats.len()));
    for (ours, theirs) in ours.into_iter().flatten().zip(formats) {
        assert_same(
            ours,
            &[
                ("/data_bytes", json!(1_u64 << number_of(theirs, "ds"))),
                ("/metadata_bytes", theirs["ms"].clone()),
                ("/relative_performance", theirs["rp"].clone()),
            ],
        );
    }
    let celsius = i64::try_from(number_of(&log, "temperature")).unwrap() - 273;
    assert_same(
        &disk,
        &[
            ("/model", theirs("mn")),
            ("/serial", json!("nvme-a")),
            ("/bus", json!("nvme")),
            ("/rotation", json!("none")),
            ("/health/temperature_celsius", json!(celsius)),
            ("/health/power_on_hours", health("power_on_hours")),
            ("/health/power_cycles", health("power_cycles")),
            ("/health/used_percent", health("percent_used")),
            ("/health/spare_percent", health("avail_spare")),
            ("/health/media_errors", health("media_errors")),
            ("/health/unsafe_shutdowns", health("unsafe_shutdowns")),
            ("/health/state", json!("good")),
        ],
    );
}

fn number_of(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} is no number in {value}"))
}

#[test]
fn a_scsi_disk_is_what_sg3_utils_say() {
    let Some(guest) = Guest::enter(&["scsi-a", "sas-a"]) else {
        return;
    };
    for name in ["scsi-a", "sas-a"] {
        let node = guest.disk(name);
        let inquiry = guest.must("sg_inq", &[&node]);
        let capacity = guest.must("sg_readcap", &["--long", &node]);
        let characteristics = guest.must("sg_vpd", &["--page=bdc", &node]);
        let serial = guest.must("sg_vpd", &["--page=sn", &node]);
        let told = guest.told("sdparm", &["--get=WCE", &node]);
        let disk = guest.info(name);
        let text = |label| json!(after(label, &inquiry));
        let count = |label| number(after(label, &capacity));
        let block = count("Logical block length");
        let exponent = count("Logical blocks per physical block exponent");
        let blocks = count("Number of logical blocks");
        let rate = number(after("Nominal rotation rate", &characteristics));
        let on = json!(after("WCE", &told).starts_with('1'));
        assert_same(
            &disk["identity"]["scsi"],
            &[
                ("/vendor", text("Vendor identification")),
                ("/product", text("Product identification")),
                ("/revision", text("Product revision level")),
                ("/serial", json!(after("Unit serial number:", &serial))),
                ("/logical_block_bytes", json!(block)),
                ("/physical_block_bytes", json!(block << exponent)),
                ("/blocks", json!(blocks)),
                ("/rotation_rate", json!(rate)),
                ("/write_cache", on.clone()),
            ],
        );
        assert_same(
            &disk,
            &[
                ("/rotation", json!({ "per_minute": rate })),
                ("/size_bytes", json!(block * blocks)),
                ("/serial", json!(name)),
                ("/write_cache/enabled", on),
            ],
        );
    }
}

#[test]
fn a_disk_is_found_by_its_serial_number() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    for name in ["ata-hdd", "nvme-a", "scsi-a", "virtio-a"] {
        let found = guest.json(&["info", name, "--format", "json"]);
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
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let all = guest.json(&["info", "--format", "json"]);
    let mut serials: Vec<&str> = all["disks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|disk| disk["serial"].as_str())
        .collect();
    serials.sort_unstable();
    for name in "ata-hdd nvme-a scsi-a sas-a raid-1 slow-count".split(' ') {
        assert!(serials.contains(&name), "{name} is not among {serials:?}");
    }
}
