//! A drive that is written from one end to the other, held against its own counters.

use serde_json::Value;

use crate::burn_in::sectors_written;
use crate::guest::{Guest, assert_is_proven};
use crate::run_json::view;

const SIZE: u64 = 64 << 20;

/// NVMe drives count in thousands of 512 bytes, and QEMU's round up.
const UNIT_BYTES: u64 = 512_000;

/// What the drive says of itself, as smartctl reads it.
fn told(guest: &Guest, node: &str, what: &str) -> u64 {
    let told = guest.reported_json("smartctl", &["-j", "-A", node]);
    let log = &told["nvme_smart_health_information_log"];
    log[what]
        .as_u64()
        .unwrap_or_else(|| panic!("no {what}: {told}"))
}

#[test]
fn an_nvme_drive_is_filled_as_its_counters_say_and_tells_how_hot_it_is() {
    let Some(guest) = Guest::enter(&["nvme-small"]) else {
        return;
    };
    let node = guest.disk("nvme-small");
    let seen = || {
        (
            sectors_written(&node),
            told(&guest, &node, "data_units_written"),
        )
    };
    let before = seen();
    let what = ["fill", &node, "--recovery", "2s"];
    let consent = ["--destroy", &node, "--destroy-contents", "--yes"];
    let run = guest.json(&[&what[..], &consent, &["--format", "json", "--quiet"]].concat());
    let after = seen();
    let results = run["figures"].as_array().unwrap();
    let counted = |result: &Value| result["device"]["written_bytes"].as_u64().unwrap();
    let written: u64 = results.iter().map(counted).sum();
    let fill = view(&run, "fill");
    let place = usize::try_from(fill["result"].as_u64().unwrap()).unwrap();
    assert_eq!(fill["whole"]["to_bytes"], SIZE, "{fill}");
    assert_eq!(counted(&results[place]), SIZE, "{run}");
    // With what was written after the rest.
    assert!(written > SIZE, "{run}");
    assert_eq!((after.0 - before.0) * 512, written, "{run}");
    let units = after.1 - before.1;
    assert!(
        units.abs_diff(written / UNIT_BYTES) <= 1,
        "{units} units, {written} bytes"
    );
    for result in results {
        assert_is_proven(result);
    }
    // QEMU's flash is a file.
    assert_eq!(fill["write_amplification"], Value::Null, "{fill}");
    let celsius = told(&guest, &node, "temperature");
    let moments = run["circumstances"]["course"]["moments"]
        .as_array()
        .unwrap();
    let hot = moments.iter().filter(|moment| moment["celsius"] == celsius);
    assert!(hot.count() >= 1, "{moments:?}");
}
