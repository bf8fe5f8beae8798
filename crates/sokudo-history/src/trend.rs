//! `sokudo trend`: one device's rows over time, and where they change.
//!
//! It brings together which device and which runs are meant; where a level changes is
//! found by `sokudo-stats`, and how it is told is `sokudo-report`'s.

pub mod arguments;

use std::collections::BTreeMap;

use sokudo_model::{Nanos, Verdict};
use sokudo_report::comparison::{Figure, OtherDocument};
use sokudo_report::document::unpack;
use sokudo_report::trend::{LevelDocument, SeriesDocument, TrendDocument, TrendPoint};
use sokudo_report::{RunDocument, grouped, plot};
use sokudo_store::{Filter, HistoryPoint, Page, RunId, Store, StoredDevice};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{command_line, invocation, picture, print};
use sokudo_words::{Text, text};

use crate::keep;
use crate::trend::arguments::TrendArguments;

/// The newest runs of a device that are asked for the names of its rows: methods take
/// turns, but not so many.
const RUNS_MAX: u64 = 50;
/// Devices that are named where a word fits several.
const DEVICES_NAMED: usize = 8;

pub fn run(arguments: &TrendArguments) -> Result<(), Exit> {
    print::check_rendering(&arguments.rendering, arguments.pictures.destinations.iter())?;
    let mut store = keep::store(&arguments.keeping)?;
    let store = store.as_mut();
    let StoredDevice { identity, name } = device(store, arguments.device.as_deref())?;
    let names = row_names(store, &identity)?;
    let figure = arguments.rendering.table.unit.figure();
    let least = arguments.min_difference.0;
    let mut document = TrendDocument::new(&identity, &name, figure, least);
    for name in &names {
        let history = store.history(&identity, name).map_err(Exit::failed)?;
        document.series.extend(series(history, figure, arguments));
    }
    if document.series.is_empty() {
        return Err(Exit::usage(nothing(&names, arguments)));
    }
    if arguments.row.is_none() {
        document.leave_out_caches();
    }
    look_around(store, &mut document);
    document.command = command_line::as_given();
    print::write_document(&document, &arguments.rendering)?;
    picture::write_all(
        |language| plot::trend(&document, arguments.rendering.table.unit, language),
        &arguments.pictures,
    )
}

fn device(store: &mut dyn Store, word: Option<&str>) -> Result<StoredDevice, Exit> {
    let mut found = store.devices(word).map_err(Exit::failed)?;
    // A word that is exactly what one of them is called means that one.
    let names: [fn(&StoredDevice) -> &str; 2] = [|it| it.identity.as_str(), |it| it.name.as_str()];
    for name in names {
        let is_exact =
            |it: &StoredDevice| word.is_some_and(|word| name(it).eq_ignore_ascii_case(word));
        if found.iter().filter(|device| is_exact(device)).count() == 1 {
            found.retain(is_exact);
        }
    }
    match (found.len(), word) {
        (1, _) => Ok(found.swap_remove(0)),
        (0, None) => Err(Exit::usage(text!(
            "no run is kept yet; sokudo mark . measures one"
        ))),
        (0, Some(word)) => Err(Exit::usage(text!(
            "no run of {word} is kept; sokudo list shows the devices"
        ))),
        (_, word) => {
            // What people call it tells more than the file that a loop device was once made of.
            let is_alone = |name: &str| found.iter().filter(|it| it.name == name).count() == 1;
            let called = |it: &StoredDevice| match is_alone(&it.name) {
                true => it.name.clone(),
                false => it.identity.clone(),
            };
            let names = found.iter().take(DEVICES_NAMED).map(called);
            let names = names.collect::<Vec<_>>().join("; ");
            Err(Exit::usage(match word {
                Some(word) => text!("{word} matches several devices; name one of them: {names}"),
                None => text!("runs of several devices are kept; name one of them: {names}"),
            }))
        }
    }
}

/// The names of the rows of a device, in the order of its newest run.
fn row_names(store: &mut dyn Store, identity: &str) -> Result<Vec<String>, Exit> {
    let filter = Filter {
        device_identity: Some(identity.to_owned()),
        ..Filter::default()
    };
    let page = Page {
        skip: 0,
        count: RUNS_MAX,
    };
    let entries = store.list(&filter, page).map_err(Exit::failed)?;
    let mut names: Vec<String> = Vec::new();
    for row in entries.iter().flat_map(|entry| &entry.run.rows) {
        if !names.contains(&row.name) {
            names.push(row.name.clone());
        }
    }
    Ok(names)
}

/// The series of one name: one for each direction, of the load of which there are most
/// runs.
fn series(
    history: Vec<HistoryPoint>,
    figure: Figure,
    arguments: &TrendArguments,
) -> Vec<SeriesDocument> {
    let [since, until] = arguments.period.bounds(invocation::now());
    let (since, until) = (since.unwrap_or(Nanos(0)), until.unwrap_or(Nanos(u64::MAX)));
    let wanted = arguments.row.as_deref().map(str::to_lowercase);
    let points = history.into_iter().filter_map(|point| {
        let row = row_name(&point);
        let is_wanted = wanted.as_ref();
        let is_wanted = is_wanted.is_none_or(|wanted| row.to_lowercase().contains(wanted));
        let is_then = (since..until).contains(&point.started_at);
        (is_wanted && is_then).then_some((row, point))
    });
    grouped(points)
        .into_iter()
        .filter_map(|(row, points)| one(row, points, figure, arguments.min_difference.0))
        .collect()
}

fn one(
    row: String,
    points: Vec<HistoryPoint>,
    figure: Figure,
    least: f64,
) -> Option<SeriesDocument> {
    let all = points.len();
    let mut loads: BTreeMap<String, Vec<HistoryPoint>> = BTreeMap::new();
    for point in points {
        let fingerprint = point.row.fingerprint.clone();
        loads.entry(fingerprint).or_default().push(point);
    }
    let newest = |points: &[HistoryPoint]| points.last().map(|point| point.started_at);
    let (fingerprint, points) = loads
        .into_iter()
        .max_by_key(|(_, points)| (points.len(), newest(points)))?;
    let runs = points.len();
    let is_of_cache = points.iter().all(|point| {
        let is_valid = point.row.verdict != Some(Verdict::Invalid);
        is_valid && point.row.stands_for_disk == Some(false)
    });
    let points: Vec<TrendPoint> = points
        .iter()
        .filter(|point| point.row.verdict != Some(Verdict::Invalid))
        .filter_map(|point| {
            let value = match figure {
                Figure::Bandwidth => point.row.bytes_per_s.filter(|rate| *rate > 0.0),
                Figure::Iops => point.row.ios_per_s,
            };
            let value = value.filter(|value| value.is_finite() && *value > 0.0)?;
            // A run of an unknown time has no place among the others.
            if point.started_at == Nanos(0) {
                return None;
            }
            Some(TrendPoint::new(
                point.run.0,
                point.started_at,
                value,
                point.row.verdict,
            ))
        })
        .collect();
    let without = runs - points.len();
    (!points.is_empty()).then(|| SeriesDocument {
        runs_of_other_loads: all - runs,
        runs_without_figure: without,
        is_of_cache,
        ..SeriesDocument::new(row, fingerprint, points, least)
    })
}

/// A row's name with its direction, once.
fn row_name(point: &HistoryPoint) -> String {
    let (name, direction) = (&point.row.name, &point.row.direction);
    match name.split(' ').next_back() == Some(direction.as_str()) {
        true => name.clone(),
        false => format!("{name} {direction}"),
    }
}

fn nothing(names: &[String], arguments: &TrendArguments) -> Text {
    match &arguments.row {
        Some(row) => text!(
            "no run of that time has a row {row}; the device's rows are {}",
            names.join(", ")
        ),
        None if arguments.period.is_given() => {
            text!("no run of this device began at that time; leave --since and --until out")
        }
        None => text!(
            "no run of this device has both a date and a figure; sokudo import --date DATE gives an old log its date"
        ),
    }
}

/// Says at every change what else changed. A document that cannot be read leaves that
/// unknown, and the trend as it is.
fn look_around(store: &mut dyn Store, document: &mut TrendDocument) {
    let mut documents: BTreeMap<RunId, Option<RunDocument>> = BTreeMap::new();
    let levels: Vec<&mut LevelDocument> = document
        .series
        .iter_mut()
        .flat_map(|series| &mut series.levels)
        .collect();
    for change in levels.into_iter().filter_map(|level| level.change.as_mut()) {
        let runs = [change.run_before, change.run_after].map(RunId);
        for run in runs {
            documents.entry(run).or_insert_with(|| {
                let packed = store.document(run).ok()?;
                Some(RunDocument::new(unpack(&packed).ok()?))
            });
        }
        if let [Some(before), Some(after)] = runs.map(|run| documents[&run].as_ref()) {
            change.differs = Some(OtherDocument::differences(before, after));
        }
    }
}
