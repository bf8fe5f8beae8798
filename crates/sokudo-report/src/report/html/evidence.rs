//! What the system said: how far the bytes are proven, who else was there, the trials one
//! by one, the machine and its drives.

use maud::{Markup, html};
use sokudo_model::{Bytes, Nanos};

use super::elements::facts;
use super::page::Page;
use super::table::table;
use crate::document::{ResultDocument, RunDocument};
use crate::grouping::row_name;
use crate::number::{self, MISSING, decimal_size, percent};
use crate::table::{Cell, Table, left, right};

/// More trials are in the JSON.
const TRIALS_MAX: usize = 400;
const BYTES_PER_MB: f64 = 1e6;

/// What speaks for or against the rows' figures.
pub(super) fn rows(page: &Page, run: &RunDocument) -> Markup {
    let measured = run.results_by_direction().into_iter();
    let measured: Vec<&ResultDocument> = measured.filter(|it| !it.trials.is_empty()).collect();
    let size = |bytes: u64| decimal_size(Bytes(bytes), 3);
    let ratio = |ratio: f64| format!("{ratio:.2}");
    let evidence = Table::of(&measured)
        .column(left("Row"), |it| Some(row_name(it)))
        .column(right("Device per engine"), |it| it.device_ratio.map(ratio))
        .column(right("Device read"), |it| Some(size(it.device?.read_bytes)))
        .column(right("Device wrote"), |it| Some(size(it.device?.written_bytes)))
        .column(right("Cached before"), |it| cached_before(it).map(size))
        .column(right("In flight"), |it| it.depth_achieved.map(ratio))
        .column(right("CPU"), |it| it.cpu_share().map(percent))
        .column(left("Others' I/O"), others)
        .column(left("Issued by"), |it| issued_by(it))
        .table()
        .noted("Device per engine: bytes that the devices at the bottom counted ÷ bytes that sokudo moved; 1.00 is proof that no cache answered instead.");
    table(page, &evidence)
}

/// The most of any trial, where it is known of all.
fn cached_before(result: &ResultDocument) -> Option<u64> {
    let cached = result.trials.iter().map(|trial| trial.cached_before_bytes);
    cached.collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn others(result: &&ResultDocument) -> Option<Cell> {
    let others = result.foreign_users.iter().take(3);
    let others: Vec<String> = others
        .map(|user| format!("{} ({})", user.name, user.pid))
        .collect();
    (!others.is_empty()).then(|| Cell::Name(others.join(", ")))
}

fn issued_by(result: &ResultDocument) -> Option<String> {
    let kind = result.backend.as_ref()?.kind.name();
    Some(match result.direct {
        Some(true) => format!("{kind}, direct I/O"),
        Some(false) => format!("{kind}, through the page cache"),
        None => kind.to_owned(),
    })
}

/// Every trial of every row.
pub(super) fn trials(page: &Page, run: &RunDocument) -> Markup {
    let results = run.results_by_direction();
    let count: usize = results.iter().map(|result| result.trials.len()).sum();
    if count > TRIALS_MAX {
        let said = format!("{count} trials are too many to be shown; they are in the JSON.");
        return html! { p { (page.say(&said)) } };
    }
    // The table of figures has them.
    if results.iter().all(|result| result.trials.len() <= 1) {
        return html! {};
    }
    let with_rates = results
        .into_iter()
        .filter(|it| it.bandwidth_bytes_per_s.is_some());
    let trials = Table::of(&with_rates.collect::<Vec<_>>())
        .column(left("Row"), |it| Some(row_name(it)))
        .column(left("MB/s of each trial, in order of time"), |it| {
            let rates = &it.bandwidth_bytes_per_s.as_ref()?.bytes_per_s.trials;
            let rates = rates.iter().map(|rate| number::rate(rate / BYTES_PER_MB));
            Some(Cell::Name(rates.collect::<Vec<_>>().join(" · ")))
        })
        .table();
    table(page, &trials)
}

/// The machine and the state of its drives.
pub(super) fn environment(page: &Page, run: &RunDocument) -> Markup {
    let environment = &run.environment;
    let mut known: Vec<(&'static str, Option<String>)> = vec![
        ("Host", environment.host.clone()),
        ("Distribution", environment.distribution.clone()),
        ("Kernel", environment.kernel.clone()),
        ("Processor", processor(run)),
        (
            "Memory",
            environment.memory_bytes.map(|bytes| bytes.to_string()),
        ),
        ("Frequency governor", environment.governor.clone()),
        ("Clock source", environment.clock_source.clone()),
        (
            "Load before the run",
            environment.load_average.map(|load| format!("{load:.2}")),
        ),
        (
            "Virtual machine",
            environment.virtual_machine.map(yes_or_no),
        ),
    ];
    if run.origin.is_none() {
        known.push(("Root", Some(yes_or_no(environment.root))));
    }
    if let Some(system) = &run.target.file_system {
        known.push(("Mount options", Some(system.mount_options.join(", "))));
        let sizes = system.available_bytes.zip(system.total_bytes);
        known.push((
            "Free space",
            sizes.map(|(free, total)| format!("{free} of {total}")),
        ));
    }
    known.extend(devices(run));
    known.extend(circumstances(run));
    let told = known
        .into_iter()
        .filter_map(|(label, value)| Some((label, value.filter(|value| !value.is_empty())?)))
        .map(|(label, value)| (label.to_owned(), Cell::Text(value)));
    facts(page, &told.collect::<Vec<_>>())
}

fn yes_or_no(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

fn processor(run: &RunDocument) -> Option<String> {
    let environment = &run.environment;
    let model = environment.cpu_model.as_ref()?;
    Some(format!("{model}, {} usable", environment.cpus))
}

/// Each device of the stack, from the top down.
fn devices(run: &RunDocument) -> Vec<(&'static str, Option<String>)> {
    let device = |device: &sokudo_model::BlockDevice| {
        let serial = device
            .serial
            .as_ref()
            .map(|serial| format!("serial number {}", serial.trim()));
        let parts = [
            Some(device.name.clone()),
            device.model.as_ref().map(|model| model.trim().to_owned()),
            serial,
            device.size_bytes.map(|size| decimal_size(size, 3)),
            device
                .scheduler
                .as_ref()
                .map(|scheduler| format!("scheduler {scheduler}")),
            device
                .write_cache
                .as_ref()
                .map(|cache| format!("cache {cache}")),
            device
                .backing_file
                .as_ref()
                .map(|file| format!("kept in {file}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        ("Device", Some(parts.join(", ")))
    };
    run.target.devices.iter().map(device).collect()
}

fn circumstances(run: &RunDocument) -> Vec<(&'static str, Option<String>)> {
    let around = &run.circumstances;
    let mut told = Vec::new();
    for drive in &around.drives {
        let degrees = |heat: &sokudo_model::Heat| {
            heat.temperature_celsius
                .map_or_else(|| MISSING.to_owned(), |degrees| format!("{degrees} °C"))
        };
        let is_known = drive
            .before
            .temperature_celsius
            .or(drive.after.temperature_celsius);
        told.push((
            "Temperature",
            is_known.map(|_| {
                format!(
                    "{}: {} → {}",
                    drive.disk.name,
                    degrees(&drive.before),
                    degrees(&drive.after)
                )
            }),
        ));
        let firmware = drive.disk.firmware.as_ref();
        told.push((
            "Firmware",
            firmware.map(|firmware| format!("{}: {firmware}", drive.disk.name)),
        ));
    }
    for array in &around.arrays {
        let level = array.level.as_deref().unwrap_or("RAID");
        let action = array
            .action
            .as_ref()
            .map(|action| format!(", {action}"))
            .unwrap_or_default();
        told.push(("Array", Some(format!("{}: {level}{action}", array.name))));
    }
    for limit in &around.io_limits {
        told.push((
            "I/O limit",
            Some(format!("{} ({})", limit.device, limit.file)),
        ));
    }
    let power = &around.power;
    told.push(("On battery", power.on_battery.map(yes_or_no)));
    told.push(("Energy preference", power.energy_preference.clone()));
    told.push(("PCI Express links", power.pcie_policy.clone()));
    let pressure = around.pressure.as_ref();
    let waited = |time: Option<Nanos>| time.map(|time| time.to_string());
    told.push((
        "Waited for processors",
        pressure.and_then(|it| waited(it.processor)),
    ));
    told.push((
        "Waited for memory",
        pressure.and_then(|it| waited(it.memory)),
    ));
    told.push((
        "Taken by other machines",
        pressure.and_then(|it| waited(it.stolen)),
    ));
    for blind_spot in &around.blind_spots {
        told.push(("Not seen", Some(blind_spot.english())));
    }
    told
}
