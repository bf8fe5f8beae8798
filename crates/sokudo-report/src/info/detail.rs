//! One disk, or what a path stands on: everything that is known of it, in sections.

use sokudo_model::disk::{Disk, Health, Identity, NvmeIdentity};
use sokudo_model::{Bytes, TargetInfo};
use sokudo_words::Text;

use super::tree::{self, Forest};
use super::{DiskDocument, InfoDocument, words};
use crate::facts::sentences;
use crate::grouping::FindingGroup;
use crate::layout::wrapped;
use crate::number::grouped;
use crate::style::TableStyle;
use crate::table::{Table, left, right};
use crate::text::{finding_lines, table_text};

use super::words::UNKNOWN;

/// Columns of the labels of facts.
const LABEL_WIDTH: usize = 20;

/// What is told under one heading.
type Section = (&'static str, Vec<(&'static str, String)>);

/// The chain from what was named down to its disks, then each disk.
pub fn render(document: &InfoDocument, style: &TableStyle) -> String {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    let named = document.target.as_ref().map(|target| chain(target, style));
    let mut named = named.unwrap_or_default();
    if let Some(device) = &document.device {
        let rows = Forest::default().rows(std::slice::from_ref(device));
        named.extend(tree::lines(&rows, style));
    }
    blocks.push(named);
    for entry in &document.disks {
        blocks.extend(disk_blocks(entry, style));
    }
    let blocks: Vec<String> = blocks
        .into_iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.join("\n"))
        .collect();
    blocks.join("\n\n") + "\n"
}

/// Path, file system, volumes, disks. Of a whole disk there is no chain.
fn chain(target: &TargetInfo, style: &TableStyle) -> Vec<String> {
    if target.file_system.is_none() && target.devices.len() == 1 && target.blind_spots.is_empty() {
        return Vec::new();
    }
    let mut facts = vec![("Path", target.path.clone().unwrap_or(target.name.clone()))];
    if let Some(system) = &target.file_system {
        facts.push((
            "File system",
            format!(
                "{} on {} ({}), {} of {} free",
                system.kind,
                system.mount_point,
                system.source,
                words::size(system.available_bytes),
                words::size(system.total_bytes)
            ),
        ));
    }
    for device in &target.devices {
        let on = match &device.parents[..] {
            [] if device.is_leaf => String::new(),
            [] => ", on what is not seen".to_owned(),
            parents => format!(", on {}", parents.join(", ")),
        };
        let text = format!(
            "{}, {}, {}{on}",
            device.name,
            words::kind(device.kind),
            words::size(device.size_bytes)
        );
        facts.push(("Stands on", text));
    }
    if let Some(unseen) = sentences(&target.blind_spots) {
        facts.push(("Not seen", unseen));
    }
    section_lines(&("What was named", facts), style)
}

fn disk_blocks(entry: &DiskDocument, style: &TableStyle) -> Vec<Vec<String>> {
    let disk = &entry.disk;
    let mut title = format!(
        "{} · {} · {}",
        disk.path,
        words::model(disk),
        words::size(disk.size_bytes)
    );
    if let Some(serial) = &disk.serial {
        title.push_str(&format!(" · serial {serial}"));
    }
    let mut blocks = vec![vec![style.text(&title)]];
    let findings: Vec<String> = entry
        .findings
        .iter()
        .flat_map(|finding| finding_lines(&FindingGroup::alone(finding), style))
        .collect();
    blocks.push(findings);
    let sections = [
        ("Identity", identity(disk)),
        ("Connection", connection(disk)),
        ("Geometry", geometry(disk)),
        ("Cache and queue", cache_and_queue(disk)),
        ("Health", health(&disk.health)),
    ];
    blocks.extend(sections.iter().map(|section| section_lines(section, style)));
    if !disk.health.attributes.is_empty() {
        blocks.push(attributes(&disk.health, style));
    }
    let mut contents = vec![style.text("What is on it")];
    let rows = Forest::default().rows(&disk.contents);
    if let Some(facts) = tables(disk) {
        contents.extend(fact_lines("Partition table", &facts, style));
    }
    if rows.is_empty() {
        contents.push(format!("  {}", style.text("nothing that was recognised")));
    }
    contents.extend(tree::lines(&rows, style));
    blocks.push(contents);
    if !disk.blind_spots.is_empty() {
        let mut unseen = vec![style.text("What could not be seen")];
        unseen.extend(disk.blind_spots.iter().flat_map(|sentence| {
            let sentence = format!("{}.", sentence.english().trim_end_matches('.'));
            wrapped("  ", &style.text(&sentence), style.width)
        }));
        blocks.push(unseen);
    }
    blocks
}

fn tables(disk: &Disk) -> Option<String> {
    let tables: Vec<String> = disk
        .contents
        .iter()
        .filter_map(|content| {
            let kind = content.what.strip_suffix(" partition table")?;
            Some(match &content.uuid {
                Some(uuid) => format!("{kind} {uuid}"),
                None => kind.to_owned(),
            })
        })
        .collect();
    (!tables.is_empty()).then(|| tables.join(", "))
}

fn section_lines(section: &Section, style: &TableStyle) -> Vec<String> {
    let (title, facts) = section;
    let mut lines = vec![style.text(title)];
    for (label, value) in facts {
        lines.extend(fact_lines(label, value, style));
    }
    lines
}

fn fact_lines(label: &str, value: &str, style: &TableStyle) -> Vec<String> {
    let first = format!("  {}  ", style.label(label, LABEL_WIDTH));
    wrapped(&first, &style.text(value), style.width)
}

/// A phrase without the words that the label before it says already.
fn without(words: &str, phrase: &str) -> String {
    phrase.strip_prefix(words).unwrap_or(phrase).to_owned()
}

fn or_unknown(text: Option<&String>) -> String {
    text.cloned().unwrap_or_else(|| UNKNOWN.to_owned())
}

fn yes_or_no(flag: Option<bool>) -> String {
    match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNKNOWN,
    }
    .to_owned()
}

/// Facts of which only those that are known are told: what most disks have no word for.
fn known<const N: usize>(
    facts: [(&'static str, Option<String>); N],
) -> Vec<(&'static str, String)> {
    facts
        .into_iter()
        .filter_map(|(label, value)| Some((label, value.filter(|value| !value.is_empty())?)))
        .collect()
}

fn identity(disk: &Disk) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Kind", words::kind(disk.kind).to_owned()),
        ("Model", words::model(disk)),
        ("Serial number", or_unknown(disk.serial.as_ref())),
        ("Firmware", or_unknown(disk.firmware.as_ref())),
        ("World-wide name", or_unknown(disk.world_wide_name.as_ref())),
    ];
    facts.extend(
        disk.links
            .iter()
            .map(|link| ("Name that stays", link.clone())),
    );
    facts.extend(language(&disk.identity));
    facts
}

/// What is told only in the disk's own language.
fn language(identity: &Identity) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(ata) = &identity.ata {
        let switches: Vec<String> = ata
            .features
            .iter()
            .map(|(name, enabled)| match enabled {
                Some(true) => format!("{name} (on)"),
                Some(false) => format!("{name} (off)"),
                None => name.clone(),
            })
            .collect();
        facts.extend(known([
            ("Standard", ata.standard.clone()),
            ("Transport", ata.transport.clone()),
            ("ATA features", Some(switches.join(", "))),
            ("Security", Some(ata.security.join(", "))),
            (
                "Power management",
                ata.power_management_level
                    .map(|level| format!("level {level} of 254")),
            ),
            (
                "TRIM",
                ata.trim
                    .as_ref()
                    .map(|reads| format!("yes, then reads {reads}")),
            ),
        ]));
    }
    if let Some(nvme) = &identity.nvme {
        facts.extend(nvme_identity(nvme));
    }
    if let Some(scsi) = &identity.scsi {
        facts.extend(known([
            (
                "SCSI product",
                Some(format!(
                    "{} {} {}",
                    scsi.vendor, scsi.product, scsi.revision
                )),
            ),
            ("Designators", Some(scsi.designators.join(", "))),
            ("UNMAP", scsi.unmap.map(|takes| yes_or_no(Some(takes)))),
            ("Thin", scsi.thin.map(|thin| yes_or_no(Some(thin)))),
        ]));
    }
    facts
}

fn nvme_identity(nvme: &NvmeIdentity) -> Vec<(&'static str, String)> {
    let controller = &nvme.controller;
    let mut facts = known([
        ("NVMe version", Some(controller.version.clone())),
        ("PCI vendor", Some(format!("{:04x}", controller.vendor_id))),
        ("Subsystem", controller.subsystem_name.clone()),
        ("Commands", Some(controller.commands.join(", "))),
        (
            "Largest transfer",
            controller.transfer_bytes_max.map(|size| size.to_string()),
        ),
    ]);
    for (number, state) in controller.power_states.iter().enumerate() {
        let power = state
            .power_watt_max
            .map_or_else(|| "power unknown".to_owned(), |watt| format!("{watt} W"));
        let works = if state.operational { "works" } else { "idle" };
        let latency = match (state.entry_latency_us, state.exit_latency_us) {
            (0, 0) => String::new(),
            (entry, exit) => format!(", {entry} µs to enter, {exit} µs to leave"),
        };
        facts.push((
            "Power state",
            format!("{number}: at most {power}, {works}{latency}"),
        ));
    }
    if let Some(namespace) = &nvme.namespace {
        let formats: Vec<String> = namespace
            .formats
            .iter()
            .enumerate()
            .map(|(index, format)| {
                let in_use = if index == usize::from(namespace.format_in_use) {
                    " (in use)"
                } else {
                    ""
                };
                format!("{}+{}{in_use}", format.data_bytes, format.metadata_bytes)
            })
            .collect();
        facts.push(("Namespace", namespace.id.to_string()));
        facts.push(("Formats", formats.join(", ")));
    }
    facts
}

fn connection(disk: &Disk) -> Vec<(&'static str, String)> {
    let mut facts = vec![(
        "Bus",
        disk.bus
            .map_or_else(|| UNKNOWN.to_owned(), |bus| words::bus(bus).to_owned()),
    )];
    if let Some(link) = &disk.link {
        let with_payload = |text: &Option<String>, payload: Option<u64>| match (text, payload) {
            (Some(text), Some(payload)) => format!(
                "{text}, at most {} MB/s of payload",
                grouped(&(payload / 1_000_000).to_string())
            ),
            (Some(text), None) => text.clone(),
            (None, _) => UNKNOWN.to_owned(),
        };
        facts.push((
            "Link now",
            with_payload(&link.negotiated, link.negotiated_bytes_per_s),
        ));
        facts.push((
            "Link at most",
            with_payload(&link.maximum, link.maximum_bytes_per_s),
        ));
    }
    facts.push(("Removable", yes_or_no(disk.removable)));
    facts.push(("Read-only", yes_or_no(disk.read_only)));
    facts
}

fn geometry(disk: &Disk) -> Vec<(&'static str, String)> {
    let bytes = |size: Option<Bytes>| {
        size.map_or_else(|| UNKNOWN.to_owned(), |size| format!("{} bytes", size.0))
    };
    let mut facts = vec![
        (
            "Size",
            disk.size_bytes
                .map_or_else(|| UNKNOWN.to_owned(), words::exact_size),
        ),
        ("Logical block", bytes(disk.logical_block_bytes)),
        ("Physical block", bytes(disk.physical_block_bytes)),
        (
            "Rotation",
            without("rotation ", &words::rotation(disk.rotation)),
        ),
    ];
    facts.extend(known([
        ("Form factor", disk.form_factor.clone()),
        ("Zoned", disk.zoned.clone()),
        (
            "Smallest good I/O",
            disk.queue.io_bytes_minimum.map(|size| size.to_string()),
        ),
        (
            "Best I/O",
            disk.queue.io_bytes_optimal.map(|size| size.to_string()),
        ),
    ]));
    facts
}

fn cache_and_queue(disk: &Disk) -> Vec<(&'static str, String)> {
    let queue = &disk.queue;
    let count = |number: Option<u64>| {
        number.map_or_else(|| UNKNOWN.to_owned(), |number| grouped(&number.to_string()))
    };
    let size =
        |size: Option<Bytes>| size.map_or_else(|| UNKNOWN.to_owned(), |size| size.to_string());
    let scheduler = match (&queue.scheduler, queue.schedulers.len()) {
        (Some(chosen), 2..) => format!("{chosen} (choices: {})", queue.schedulers.join(" ")),
        (Some(chosen), _) => chosen.clone(),
        (None, _) => UNKNOWN.to_owned(),
    };
    let discard = match queue.discard_bytes_max {
        Some(Bytes(0)) => "no".to_owned(),
        other => size(other),
    };
    vec![
        (
            "Write cache",
            without("write cache ", &words::write_cache(&disk.write_cache)),
        ),
        ("Can be switched", yes_or_no(disk.write_cache.switchable)),
        (
            "Kernel takes it as",
            or_unknown(disk.write_cache.kernel_view.as_ref()),
        ),
        ("Reads ahead itself", yes_or_no(disk.read_look_ahead)),
        ("Kernel reads ahead", size(queue.read_ahead_bytes)),
        ("Scheduler", scheduler),
        ("Requests", count(queue.requests)),
        ("Hardware queues", count(queue.hardware_queues)),
        ("Device's depth", count(queue.device_depth)),
        (
            "Largest I/O",
            format!(
                "{} (hardware: {})",
                size(queue.io_bytes_max),
                size(queue.hardware_io_bytes_max)
            ),
        ),
        ("Largest discard", discard),
        ("Forced unit access", yes_or_no(queue.forced_unit_access)),
        ("Polling", yes_or_no(queue.polls)),
        ("Kernel counts I/O", yes_or_no(queue.counts_io)),
    ]
}

fn health(health: &Health) -> Vec<(&'static str, String)> {
    let state = words::health(health.state).trim_start_matches("health ");
    let reasons = Text::list(health.reasons.iter().cloned(), "; ").english();
    let mut facts = vec![(
        "State",
        if reasons.is_empty() {
            state.to_owned()
        } else {
            format!("{state}: {reasons}")
        },
    )];
    let temperature = match (
        health.temperature_celsius,
        health.temperature_warning_celsius,
    ) {
        (Some(now), Some(warning)) => format!("{now} °C (warns from {warning} °C on)"),
        (now, _) => words::temperature(now)
            .trim_start_matches("temperature ")
            .to_owned(),
    };
    facts.push(("Temperature", temperature));
    let count = |number: Option<u64>| number.map(|number| grouped(&number.to_string()));
    let percent = |number: Option<u32>| number.map(|number| format!("{number} %"));
    let bytes = |number: Option<u64>| number.map(|number| words::size(Some(Bytes(number))));
    facts.extend(known([
        ("Hours on", count(health.power_on_hours)),
        ("Times switched on", count(health.power_cycles)),
        ("Life used", percent(health.used_percent)),
        ("Spare blocks left", percent(health.spare_percent)),
        ("Read in its life", bytes(health.read_bytes)),
        ("Written in its life", bytes(health.written_bytes)),
        ("Media errors", count(health.media_errors)),
        ("Moved sectors", count(health.reallocated_sectors)),
        ("Pending sectors", count(health.pending_sectors)),
        ("Link errors", count(health.link_errors)),
        ("Unsafe shutdowns", count(health.unsafe_shutdowns)),
        (
            "Slowed by heat",
            health
                .throttled_minutes
                .map(|minutes| format!("{minutes} min")),
        ),
    ]));
    facts
}

fn attributes(health: &Health, style: &TableStyle) -> Vec<String> {
    let table = Table::of(&health.attributes)
        .column(right("id"), |it| Some(it.id.to_string()))
        .column(left("SMART attribute"), |it| Some(it.name.clone()))
        .column(right("value"), |it| Some(it.value.to_string()))
        .column(right("worst"), |it| Some(it.worst.to_string()))
        .column(right("fails at"), |it| {
            let at = it.threshold.map(|at| at.to_string());
            Some(at.unwrap_or_else(|| UNKNOWN.to_owned()))
        })
        .column(right("raw"), |it| Some(it.raw.to_string()))
        .table();
    let lines = table_text(&table, style).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}
