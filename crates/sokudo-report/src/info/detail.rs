//! One disk, or what a path stands on: everything that is known of it, in sections.

use sokudo_model::disk::{Disk, Health, HealthState, Identity, NvmeIdentity};
use sokudo_model::{Bytes, TargetInfo};
use sokudo_words::{Text, text};

use super::tree::{self, Forest};
use super::{DiskDocument, InfoDocument};
use crate::disk_words::{self as words, UNKNOWN};
use crate::facts::{ended, sentences};
use crate::grouping::FindingGroup;
use crate::layout::wrapped;
use crate::number::grouped;
use crate::style::TableStyle;
use crate::table::{Table, left, right};
use crate::text::{finding_lines, table_text};
use crate::wording::phrase;

/// Columns of the labels of facts.
const LABEL_WIDTH: usize = 20;

/// What is told under one heading.
type Section = (&'static str, Vec<Fact>);

type Fact = (&'static str, Text);

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
    let path = target.path.as_ref().unwrap_or(&target.name);
    let mut facts = vec![("Path", Text::name(path.clone()))];
    if let Some(system) = &target.file_system {
        let system = text!(
            "{} on {} ({}), {} of {} free",
            system.kind,
            system.mount_point,
            system.source,
            words::size(system.available_bytes),
            words::size(system.total_bytes)
        );
        facts.push(("File system", system));
    }
    for device in &target.devices {
        let on = match &device.parents[..] {
            [] if device.is_leaf => None,
            [] => Some("on an unknown device".into()),
            parents => Some(text!("on {}", parents.join(", "))),
        };
        let parts = [
            Text::name(device.name.clone()),
            words::kind(device.kind).into(),
            words::size(device.size_bytes),
        ];
        facts.push(("Stands on", Text::list(parts.into_iter().chain(on), ", ")));
    }
    if let Some(unseen) = sentences(&target.blind_spots) {
        facts.push(("Not seen", unseen));
    }
    section_lines(&("What was named", facts), style)
}

fn disk_blocks(entry: &DiskDocument, style: &TableStyle) -> Vec<Vec<String>> {
    let disk = &entry.disk;
    let serial = disk.serial.as_ref().map(|serial| text!("serial {serial}"));
    let title = [
        Text::name(disk.path.clone()),
        words::model(disk),
        words::size(disk.size_bytes),
    ];
    let title = Text::list(title.into_iter().chain(serial), " · ");
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
    let mut contents = vec![style.word("What is on it")];
    let rows = Forest::default().rows(&disk.contents);
    if let Some(facts) = tables(disk) {
        contents.extend(fact_lines("Partition table", &facts, style));
    }
    if rows.is_empty() {
        contents.push(format!("  {}", style.word("nothing that was recognised")));
    }
    contents.extend(tree::lines(&rows, style));
    blocks.push(contents);
    if !disk.blind_spots.is_empty() {
        let mut unseen = vec![style.word("What could not be seen")];
        unseen.extend(disk.blind_spots.iter().flat_map(|sentence| {
            let sentence = ended(sentence);
            wrapped("  ", &style.text(&sentence), style.width)
        }));
        blocks.push(unseen);
    }
    blocks
}

fn tables(disk: &Disk) -> Option<Text> {
    let tables: Vec<String> = disk
        .contents
        .iter()
        .filter_map(|content| {
            let kind = words::partition_table(content)?;
            Some(match &content.uuid {
                Some(uuid) => format!("{kind} {uuid}"),
                None => kind,
            })
        })
        .collect();
    (!tables.is_empty()).then(|| Text::name(tables.join(", ")))
}

fn section_lines(section: &Section, style: &TableStyle) -> Vec<String> {
    let (title, facts) = section;
    let mut lines = vec![style.word(title)];
    for (label, value) in facts {
        lines.extend(fact_lines(label, value, style));
    }
    lines
}

fn fact_lines(label: &'static str, value: &Text, style: &TableStyle) -> Vec<String> {
    let first = format!("  {}  ", style.label(label, LABEL_WIDTH));
    wrapped(&first, &style.text(value), style.width)
}

fn or_unknown(name: Option<&String>) -> Text {
    name.map_or_else(|| UNKNOWN.into(), Text::name)
}

fn yes_or_no(flag: Option<bool>) -> Text {
    match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNKNOWN,
    }
    .into()
}

/// Facts of which only those that are known are told: what most disks have no word for.
fn known<const N: usize>(facts: [(&'static str, Option<Text>); N]) -> Vec<Fact> {
    facts
        .into_iter()
        .filter_map(|(label, value)| Some((label, value.filter(|value| !value.is_empty())?)))
        .collect()
}

fn identity(disk: &Disk) -> Vec<Fact> {
    let mut facts = vec![
        ("Kind", words::kind(disk.kind).into()),
        ("Model", words::model(disk)),
        ("Serial number", or_unknown(disk.serial.as_ref())),
        ("Firmware", or_unknown(disk.firmware.as_ref())),
        ("World-wide name", or_unknown(disk.world_wide_name.as_ref())),
    ];
    let links = disk.links.iter();
    facts.extend(links.map(|link| ("Persistent name", Text::name(link))));
    facts.extend(language(&disk.identity));
    facts
}

/// What is told only in the disk's own language.
fn language(identity: &Identity) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(ata) = &identity.ata {
        let switches = ata.features.iter();
        let switches = switches.map(|(name, enabled)| match enabled {
            Some(true) => text!("{} (on)", phrase(name)),
            Some(false) => text!("{} (off)", phrase(name)),
            None => phrase(name),
        });
        let level = ata.power_management_level;
        let level = level.map(|level| text!("level {level} of 254"));
        let trim = ata.trim.as_ref();
        let trim = trim.map(|reads| text!("yes, then reads {}", phrase(reads)));
        facts.extend(known([
            ("Standard", ata.standard.clone().map(Text::name)),
            ("Transport", ata.transport.clone().map(Text::name)),
            ("ATA features", Some(Text::list(switches, ", "))),
            ("Security", listed(&ata.security)),
            ("Power management", level),
            ("TRIM", trim),
        ]));
    }
    if let Some(nvme) = &identity.nvme {
        facts.extend(nvme_identity(nvme));
    }
    if let Some(scsi) = &identity.scsi {
        let product = format!("{} {} {}", scsi.vendor, scsi.product, scsi.revision);
        facts.extend(known([
            ("SCSI product", Some(Text::name(product))),
            ("Designators", listed(&scsi.designators)),
            ("UNMAP", scsi.unmap.map(|takes| yes_or_no(Some(takes)))),
            ("Thin", scsi.thin.map(|thin| yes_or_no(Some(thin)))),
        ]));
    }
    facts
}

/// Phrases one behind the other.
fn listed(phrases: &[String]) -> Option<Text> {
    let phrases = phrases.iter().map(|it| phrase(it));
    (phrases.len() > 0).then(|| Text::list(phrases, ", "))
}

fn nvme_identity(nvme: &NvmeIdentity) -> Vec<Fact> {
    let controller = &nvme.controller;
    let subsystem = controller.subsystem_name.clone();
    let transfer = controller.transfer_bytes_max;
    let transfer = transfer.map(|size| text!("{size}"));
    let mut facts = known([
        ("NVMe version", Some(Text::name(&controller.version))),
        ("PCI vendor", Some(text!("{:04x}", controller.vendor_id))),
        ("Subsystem", subsystem.map(Text::name)),
        ("Commands", listed(&controller.commands)),
        ("Largest transfer", transfer),
    ]);
    for (number, state) in controller.power_states.iter().enumerate() {
        let power = state
            .power_watt_max
            .map_or_else(|| "power unknown".into(), |watt| text!("{watt} W"));
        let works = if state.operational { "works" } else { "idle" };
        let latency = match (state.entry_latency_us, state.exit_latency_us) {
            (0, 0) => None,
            (entry, exit) => Some(text!("{entry} µs to enter, {exit} µs to leave")),
        };
        let state = [text!("{number}: at most {power}"), works.into()];
        let state = Text::list(state.into_iter().chain(latency), ", ");
        facts.push(("Power state", state));
    }
    if let Some(namespace) = &nvme.namespace {
        let formats = namespace.formats.iter().enumerate();
        let formats = formats.map(|(index, format)| {
            let bytes = format!("{}+{}", format.data_bytes, format.metadata_bytes);
            match index == usize::from(namespace.format_in_use) {
                true => text!("{bytes} (in use)"),
                false => Text::name(bytes),
            }
        });
        facts.push(("Namespace", text!("{}", namespace.id)));
        facts.push(("Formats", Text::list(formats, ", ")));
    }
    facts
}

fn connection(disk: &Disk) -> Vec<Fact> {
    let mut facts = vec![("Bus", disk.bus.map_or(UNKNOWN, words::bus).into())];
    if let Some(link) = &disk.link {
        let with_payload = |speed: &Option<String>, payload: Option<u64>| match (speed, payload) {
            (Some(speed), Some(payload)) => text!(
                "{speed}, at most {} MB/s of payload",
                grouped(&(payload / 1_000_000).to_string())
            ),
            (speed, _) => or_unknown(speed.as_ref()),
        };
        let now = with_payload(&link.negotiated, link.negotiated_bytes_per_s);
        let most = with_payload(&link.maximum, link.maximum_bytes_per_s);
        facts.extend([("Link now", now), ("Fastest link", most)]);
    }
    facts.push(("Removable", yes_or_no(disk.removable)));
    facts.push(("Read-only", yes_or_no(disk.read_only)));
    facts
}

fn geometry(disk: &Disk) -> Vec<Fact> {
    let unless_unknown = |text: Option<Text>| text.unwrap_or_else(|| UNKNOWN.into());
    let bytes = |size: Option<Bytes>| unless_unknown(size.map(|size| text!("{} bytes", size.0)));
    let io = |size: Option<Bytes>| size.map(|size| text!("{size}"));
    let size = unless_unknown(disk.size_bytes.map(words::exact_size));
    let rotation = unless_unknown(words::rotation(disk.rotation));
    let mut facts = vec![
        ("Size", size),
        ("Logical block", bytes(disk.logical_block_bytes)),
        ("Physical block", bytes(disk.physical_block_bytes)),
        ("Rotation", rotation),
    ];
    facts.extend(known([
        ("Form factor", disk.form_factor.as_deref().map(phrase)),
        ("Zoned", disk.zoned.as_deref().map(phrase)),
        ("Minimum I/O size", io(disk.queue.io_bytes_minimum)),
        ("Optimal I/O size", io(disk.queue.io_bytes_optimal)),
    ]));
    facts
}

fn cache_and_queue(disk: &Disk) -> Vec<Fact> {
    let queue = &disk.queue;
    let count = |number: Option<u64>| {
        let name = number.map(|number| Text::name(grouped(&number.to_string())));
        name.unwrap_or_else(|| UNKNOWN.into())
    };
    let size = |size: Option<Bytes>| size.map_or_else(|| UNKNOWN.into(), |size| text!("{size}"));
    let scheduler = match (&queue.scheduler, queue.schedulers.len()) {
        (Some(chosen), 2..) => text!("{chosen} (choices: {})", queue.schedulers.join(" ")),
        (chosen, _) => or_unknown(chosen.as_ref()),
    };
    let kernel_view = disk.write_cache.kernel_view.as_deref();
    let largest = size(queue.io_bytes_max);
    let of_hardware = size(queue.hardware_io_bytes_max);
    let discard = match queue.discard_bytes_max {
        Some(Bytes(0)) => "no".into(),
        other => size(other),
    };
    vec![
        ("Write cache", words::cache_state(&disk.write_cache)),
        ("Can be switched", yes_or_no(disk.write_cache.switchable)),
        (
            "Kernel treats it as",
            phrase(kernel_view.unwrap_or(UNKNOWN)),
        ),
        ("Reads ahead itself", yes_or_no(disk.read_look_ahead)),
        ("Kernel reads ahead", size(queue.read_ahead_bytes)),
        ("Scheduler", scheduler),
        ("Requests", count(queue.requests)),
        ("Hardware queues", count(queue.hardware_queues)),
        ("Device's depth", count(queue.device_depth)),
        (
            "Largest I/O",
            text!("{} (hardware: {})", largest, of_hardware),
        ),
        ("Largest discard", discard),
        ("Forced unit access", yes_or_no(queue.forced_unit_access)),
        ("Polling", yes_or_no(queue.polls)),
        ("Kernel counts I/O", yes_or_no(queue.counts_io)),
    ]
}

fn health(health: &Health) -> Vec<Fact> {
    let state = Text::from(match health.state {
        HealthState::Unknown => UNKNOWN,
        HealthState::Good => "good",
        HealthState::Warning => "WARNING",
        HealthState::Failing => "FAILING",
    });
    let reasons = health.reasons.iter().cloned();
    let state = match reasons.len() {
        0 => state,
        _ => text!("{state}: {}", Text::list(reasons, "; ")),
    };
    let warning = health.temperature_warning_celsius;
    let temperature = match (health.temperature_celsius, warning) {
        (Some(now), Some(warning)) => text!("{now} °C (warns from {warning} °C on)"),
        (now, _) => words::temperature(now).unwrap_or_else(|| UNKNOWN.into()),
    };
    let mut facts = vec![("State", state), ("Temperature", temperature)];
    let count = |number: Option<u64>| number.map(|it| Text::name(grouped(&it.to_string())));
    let percent = |number: Option<u32>| number.map(|number| text!("{number} %"));
    let bytes = |number: Option<u64>| number.map(|number| words::size(Some(Bytes(number))));
    let slowed = health.throttled_minutes;
    let slowed = slowed.map(|minutes| text!("{minutes} min"));
    facts.extend(known([
        ("Power-on hours", count(health.power_on_hours)),
        ("Power cycles", count(health.power_cycles)),
        ("Life used", percent(health.used_percent)),
        ("Spare blocks left", percent(health.spare_percent)),
        ("Total read", bytes(health.read_bytes)),
        ("Total written", bytes(health.written_bytes)),
        ("Media errors", count(health.media_errors)),
        ("Reallocated sectors", count(health.reallocated_sectors)),
        ("Pending sectors", count(health.pending_sectors)),
        ("Link errors", count(health.link_errors)),
        ("Unsafe shutdowns", count(health.unsafe_shutdowns)),
        ("Thermal throttling", slowed),
    ]));
    facts
}

fn attributes(health: &Health, style: &TableStyle) -> Vec<String> {
    let table = Table::of(&health.attributes)
        .column(right("id"), |it| Some(it.id.to_string()))
        .column(left("SMART attribute"), |it| Some(phrase(&it.name)))
        .column(right("value"), |it| Some(it.value.to_string()))
        .column(right("worst"), |it| Some(it.worst.to_string()))
        .column(right("threshold"), |it| {
            let at = it.threshold.map(|at| text!("{at}"));
            Some(at.unwrap_or_else(|| UNKNOWN.into()))
        })
        .column(right("raw"), |it| Some(it.raw.to_string()))
        .table();
    let lines = table_text(&table, style).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}
