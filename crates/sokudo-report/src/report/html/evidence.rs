//! What the system said: how far the bytes are proven, who else was there, the trials one
//! by one, the machine and its drives.

use maud::{Markup, html};
use sokudo_model::{Bytes, Nanos};
use sokudo_words::{Text, text};

use super::elements::facts;
use super::page::HtmlPage;
use super::table::table;
use crate::document::{ResultDocument, RunDocument};
use crate::grouping::row_name;
use crate::number::{self, BYTES_PER_MB, MISSING, decimal_size, percent};
use crate::table::{Table, left, right};
use crate::wording::{phrase, row};

/// More trials are in the JSON.
const TRIALS_MAX: usize = 400;

/// What speaks for or against the rows' figures.
pub(super) fn rows(page: &HtmlPage, run: &RunDocument) -> Markup {
    let measured = run.results_by_direction().into_iter();
    let measured: Vec<&ResultDocument> = measured.filter(|it| !it.trials.is_empty()).collect();
    let size = |bytes: u64| decimal_size(Bytes(bytes), 3);
    let ratio = |ratio: f64| format!("{ratio:.2}");
    let evidence = Table::of(&measured)
        .column(left("Row"), |it| Some(row(&row_name(it))))
        .column(right("Device per engine"), |it| it.device_ratio.map(ratio))
        .column(right("Device read"), |it| Some(size(it.device?.read_bytes)))
        .column(right("Device wrote"), |it| Some(size(it.device?.written_bytes)))
        .column(right("Cached before"), |it| cached_before(it).map(size))
        .column(right("In flight"), |it| it.depth_achieved.map(ratio))
        .column(right("CPU"), |it| it.cpu_share().map(percent))
        .column(left("Others' I/O"), |it| others(it))
        .column(left("Issued by"), |it| issued_by(it))
        .table()
        .noted("Device per engine: bytes counted by the lowest devices ÷ bytes that sokudo moved; 1.00 is proof that no cache answered instead.");
    table(page, &evidence)
}

/// The most of any trial, where it is known of all.
fn cached_before(result: &ResultDocument) -> Option<u64> {
    let cached = result.trials.iter().map(|trial| trial.cached_before_bytes);
    cached.collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn others(result: &ResultDocument) -> Option<String> {
    let others = result.foreign_users.iter().take(3);
    let others: Vec<String> = others
        .map(|user| format!("{} ({})", user.name, user.pid))
        .collect();
    (!others.is_empty()).then(|| others.join(", "))
}

fn issued_by(result: &ResultDocument) -> Option<Text> {
    let kind = result.backend.as_ref()?.kind.name();
    Some(match result.direct {
        Some(true) => Text::list([Text::name(kind), "direct I/O".into()], ", "),
        Some(false) => Text::list([Text::name(kind), "through the page cache".into()], ", "),
        None => Text::name(kind),
    })
}

/// Every trial of every row.
pub(super) fn trials(page: &HtmlPage, run: &RunDocument) -> Markup {
    let results = run.results_by_direction();
    let count: usize = results.iter().map(|result| result.trials.len()).sum();
    if count > TRIALS_MAX {
        let note = text!("{count} trials are too many to be shown; they are in the JSON.");
        return html! { p { (page.text(&note)) } };
    }
    // The table of figures has them.
    if results.iter().all(|result| result.trials.len() <= 1) {
        return html! {};
    }
    let with_rates = results
        .into_iter()
        .filter(|it| it.bandwidth_bytes_per_s.is_some());
    let trials = Table::of(&with_rates.collect::<Vec<_>>())
        .column(left("Row"), |it| Some(row(&row_name(it))))
        .column(left("MB/s of each trial, in order of time"), |it| {
            let rates = &it.bandwidth_bytes_per_s.as_ref()?.bytes_per_s.trials;
            let rates = rates.iter().map(|rate| number::rate(rate / BYTES_PER_MB));
            Some(rates.collect::<Vec<_>>().join(" · "))
        })
        .table();
    table(page, &trials)
}

/// The machine and the state of its drives.
pub(super) fn environment(page: &HtmlPage, run: &RunDocument) -> Markup {
    let environment = &run.environment;
    let memory = environment.memory_bytes.map(|bytes| text!("{bytes}"));
    let load = environment.load_average.map(|load| text!("{load:.2}"));
    let mut known: Vec<Known> = vec![
        ("Host", name(environment.host.as_ref())),
        ("Distribution", name(environment.distribution.as_ref())),
        ("Kernel", name(environment.kernel.as_ref())),
        ("CPU", processor(run)),
        ("Memory", memory),
        ("Frequency governor", name(environment.governor.as_ref())),
        ("Clock source", name(environment.clock_source.as_ref())),
        ("Load before the run", load),
        (
            "Virtual machine",
            environment.virtual_machine.map(yes_or_no),
        ),
    ];
    if run.origin().is_none() {
        known.push(("Root", Some(yes_or_no(environment.root))));
    }
    if let Some(system) = &run.target.file_system {
        let options = system.mount_options.join(", ");
        let sizes = system.available_bytes.zip(system.total_bytes);
        let free = sizes.map(|(free, total)| text!("{free} of {total}"));
        known.extend([
            ("Mount options", name(Some(&options))),
            ("Free space", free),
        ]);
    }
    known.extend(devices(run));
    known.extend(conditions(run));
    let known_facts = known
        .into_iter()
        .filter_map(|(label, value)| Some((label.into(), value?.into())));
    facts(page, &known_facts.collect::<Vec<_>>())
}

/// What is known of something, where it is.
type Known = (&'static str, Option<Text>);

fn name(name: Option<&String>) -> Option<Text> {
    name.filter(|name| !name.is_empty()).map(Text::name)
}

fn yes_or_no(is_so: bool) -> Text {
    if is_so { "yes" } else { "no" }.into()
}

fn processor(run: &RunDocument) -> Option<Text> {
    let environment = &run.environment;
    let model = environment.cpu_model.as_ref()?;
    Some(text!("{model}, {} usable", environment.cpus))
}

/// Each device of the stack, from the top down.
fn devices(run: &RunDocument) -> Vec<Known> {
    let device = |device: &sokudo_model::BlockDevice| {
        let serial = device.serial.as_deref().map(str::trim);
        let (scheduler, cache) = (device.scheduler.as_deref(), device.write_cache.as_deref());
        let size = device.size_bytes.map(|size| decimal_size(size, 3));
        let parts = [
            name(Some(&device.name)),
            device.model.as_ref().map(|model| phrase(model.trim())),
            serial.map(|serial| text!("serial number {}", serial)),
            size.map(Text::name),
            scheduler.map(|scheduler| text!("scheduler {}", phrase(scheduler))),
            cache.map(|cache| text!("cache {}", phrase(cache))),
            device
                .backing_file
                .as_ref()
                .map(|file| text!("kept in {file}")),
        ];
        let parts = parts.into_iter().flatten();
        ("Device", Some(Text::list(parts, ", ")))
    };
    run.target.devices.iter().map(device).collect()
}

fn conditions(run: &RunDocument) -> Vec<Known> {
    let around = &run.conditions;
    let degrees = |celsius: Option<i32>| {
        celsius.map_or_else(|| MISSING.to_owned(), |degrees| format!("{degrees} °C"))
    };
    let drives = around.drives.iter().flat_map(|drive| {
        let name = &drive.disk.name;
        let heats = [&drive.before, &drive.after].map(|heat| heat.temperature_celsius);
        let [before, after] = heats.map(degrees);
        let heat = heats[0].or(heats[1]);
        let firmware = drive.disk.firmware.as_ref();
        [
            (
                "Temperature",
                heat.map(|_| text!("{}: {} → {}", name, before, after)),
            ),
            (
                "Firmware",
                firmware.map(|firmware| text!("{}: {firmware}", name)),
            ),
        ]
    });
    let arrays = around.arrays.iter().map(|array| {
        let level = array.level.as_deref().unwrap_or("RAID");
        let action = array.action.as_ref().map(|action| phrase(action));
        let state = text!("{}: {level}", array.name);
        let state = Text::list(std::iter::once(state).chain(action), ", ");
        ("Array", Some(state))
    });
    let limits = around.io_limits.iter();
    let limits = limits.map(|limit| {
        (
            "I/O limit",
            Some(text!("{} ({})", limit.device, limit.file)),
        )
    });
    let power = &around.power;
    let pressure = around.pressure.unwrap_or_default();
    let waited = |time: Option<Nanos>| time.map(|time| text!("{time}"));
    let others = [
        ("On battery", power.on_battery.map(yes_or_no)),
        ("Energy preference", name(power.energy_preference.as_ref())),
        ("PCI Express links", name(power.pcie_policy.as_ref())),
        ("Waited for CPUs", waited(pressure.processor)),
        ("Waited for memory", waited(pressure.memory)),
        ("CPU time taken by other machines", waited(pressure.stolen)),
    ];
    let unseen = around.blind_spots.iter();
    let unseen = unseen.map(|blind_spot| ("Not seen", Some(blind_spot.clone())));
    let known = drives.chain(arrays).chain(limits);
    known.chain(others).chain(unseen).collect()
}
