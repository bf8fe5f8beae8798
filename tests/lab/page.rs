//! What the page does with real disks: it writes none that was not named, and shows how hot one is
//! that tells it.

use std::path::Path;

use serde_json::{Value, json};

use crate::guest::Guest;
use crate::page_client::PageClient;

fn page(guest: &Guest, arguments: &[&str]) -> PageClient {
    let mut command = guest.sokudo(&["page"]);
    PageClient::start(command.args(arguments))
}

fn mark(node: &str, serial: Option<&str>) -> Value {
    let options = json!({ "time": "100ms", "runs": 1 });
    json!({ "method": "mark", "target": node, "options": options, "serial": serial })
}

/// What a run of the page has measured.
fn directions(run: &Value) -> Vec<&str> {
    let rows = run["planned"]["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| row["direction"].as_str().unwrap())
        .collect()
}

#[test]
fn a_disk_is_written_only_if_it_was_allowed_and_its_serial_number_is_typed() {
    let Some(guest) = Guest::enter(&["nvme-a", "ata-hdd"]) else {
        return;
    };
    let [allowed, other] = ["nvme-a", "ata-hdd"].map(|name| guest.disk(name));
    let page = page(&guest, &["--allow-destroy", "nvme-a"]);
    let head = |node: &str| {
        let mut bytes = vec![0; 1 << 20];
        let mut file = std::fs::File::open(Path::new(node)).unwrap();
        std::io::Read::read_exact(&mut file, &mut bytes).unwrap();
        bytes
    };
    let before = head(&other);

    let read = page.measure(&mark(&allowed, None));
    assert!(!directions(&read).contains(&"write"), "{read}");
    let why = page.begin(&mark(&other, Some("ata-hdd"))).unwrap_err();
    assert!(why.contains("was not started with it"), "{why}");
    // The right word for the wrong disk: the command itself refuses.
    let refused = page.measure(&mark(&other, Some("nvme-a")));
    assert_eq!(refused["state"], "failed", "{refused}");
    assert_eq!(head(&other), before, "nothing was written to {other}");

    let written = page.measure(&mark(&allowed, Some("nvme-a")));
    assert_eq!(written["state"], "ended", "{written}");
    assert!(directions(&written).contains(&"write"), "{written}");
}

#[test]
fn a_disk_tells_how_hot_it_is_while_it_is_measured() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let page = page(&guest, &[]);
    let run = page.measure(&mark(&guest.disk("nvme-a"), None));
    let readings = run["temperature"].as_array().unwrap();
    assert!(!readings.is_empty(), "{run}");
    for reading in readings {
        let celsius = reading[1].as_f64().unwrap();
        assert!((0.0..150.0).contains(&celsius), "{run}");
    }
}
