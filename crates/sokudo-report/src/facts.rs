//! What was measured, and how, as short labelled lines. What does not apply to
//! a target is left out; what applies but could not be seen is "unknown".

use sokudo_model::disk::{Bus, Disk, WriteCache};
use sokudo_model::{
    BlockDevice, BlockDeviceKind, Bytes, DataContent, Nanos, Order, PlanPart, Rate, ScheduleName,
    SequentialOffset, Spent, TargetInfo, TargetKind, Workload,
};

use sokudo_words::{Text, text};

use crate::disk_words;
use crate::document::{ResultDocument, RunDocument};
use crate::fingerprint::words;
use crate::number::{MISSING, decimal_size, exact_time, grouped};
use crate::unique::{grouped as in_groups, unique};
use crate::view::{shows_rows, views};
use crate::wording::minutes;
use lines::{has_device, has_file, known, listed, machine_line, span_line, target_line};

pub(crate) use lines::{Fact, ended, sentences};

mod imported;
mod lines;

const UNKNOWN: &str = "unknown";

/// Everything worth knowing before reading the figures.
pub(crate) fn facts(document: &RunDocument) -> Vec<Fact> {
    if let Some(origin) = document.origin() {
        return imported::facts(document, origin);
    }
    let target = &document.target;
    let of_rows = |fact: Option<Text>| fact.filter(|_| shows_rows(document));
    let facts = [
        ("Label", document.label.as_ref().map(Text::name)),
        ("Target", Some(target_line(document))),
        ("Device", has_device(target).then(|| devices_line(document))),
        (
            "File system",
            has_file(target).then(|| file_system_line(target)),
        ),
        ("File", has_file(target).then(|| file_line(target))),
        ("Span", of_rows(span_line(document))),
        ("Places", of_rows(samples_line(document))),
        ("Write cache", special(document, PlanPart::WriteCache)),
        ("Files", special(document, PlanPart::Files)),
        ("Tree", trees_line(document)),
        ("Scatter", special(document, PlanPart::Scatter)),
        ("Load", load_line(document)),
        ("Rates", special(document, PlanPart::Rates)),
        ("Engine", Some(engine_line(document))),
        ("Threads", threads_line(document)),
        (
            "Direct I/O",
            has_device(target).then(|| direct_line(document)),
        ),
        ("Data", Some(data_line(document))),
        ("Checked", special(document, PlanPart::Check)),
        ("Batches", special(document, PlanPart::Batching)),
        ("Memory", special(document, PlanPart::Memory)),
        ("Steady", special(document, PlanPart::Steady)),
        ("Trials", Some(trials_line(document))),
        ("Time", document.spent.as_ref().and_then(spent_line)),
        // Whoever compares with hdparm must know its unit: the view of such runs says it.
        ("hdparm", None),
        ("Seed", Some(Text::name(document.plan.seed.to_string()))),
        ("Machine", machine_line(&document.environment)),
        ("Not seen", sentences(&target.blind_spots)),
    ];
    known(facts.map(|(label, value)| {
        let instead = views(document).find_map(|view| view.fact(label, document));
        (label, instead.unwrap_or(value))
    }))
}

/// Devices that differ in their names only are told once.
fn devices_line(document: &RunDocument) -> Text {
    let described = |leaf: &BlockDevice| {
        let drives = document.conditions.drives.iter();
        let mut disks = drives.map(|drive| &drive.disk);
        match disks.find(|disk| disk.name == leaf.name) {
            Some(disk) => device_description(disk, leaf.rotational),
            None => device_description(&as_seen(leaf), leaf.rotational),
        }
    };
    let leaves = document.target.leaves();
    let groups = in_groups(leaves.map(|leaf| (described(leaf), &*leaf.name)));
    let lines = groups.iter();
    let lines = lines.map(|(description, names)| match names.len() {
        1 => text!("{}: {description}", names[0]),
        count => text!("{}: {count} times {description}", names.join(", ")),
    });
    listed(lines.collect()).unwrap_or_else(|| UNKNOWN.into())
}

/// What the kernel knows of a device that was not asked itself.
fn as_seen(leaf: &BlockDevice) -> Disk {
    let is_made = !matches!(
        leaf.kind,
        BlockDeviceKind::Disk | BlockDeviceKind::VirtualDisk | BlockDeviceKind::Partition
    );
    Disk {
        kind: leaf.kind,
        bus: is_made.then_some(Bus::Kernel),
        model: leaf.model.clone().or_else(|| leaf.backing_file.clone()),
        size_bytes: leaf.size_bytes,
        write_cache: WriteCache {
            kernel_view: leaf.write_cache.clone(),
            ..WriteCache::default()
        },
        ..Disk::unknown(&leaf.name)
    }
}

/// In the words of `sokudo info`.
fn device_description(disk: &Disk, rotational: Option<bool>) -> Text {
    let model = disk_words::model(disk);
    let kind = match disk.kind {
        BlockDeviceKind::Disk if rotational == Some(true) => Some("rotating disk"),
        BlockDeviceKind::Disk | BlockDeviceKind::Partition => None,
        // A device that has no other name is called by its kind.
        kind => Some(disk_words::kind(kind)).filter(|kind| !model.english().starts_with(kind)),
    };
    let size = disk
        .size_bytes
        .map(|size| Text::name(decimal_size(size, 2)));
    // Memory has none.
    let cache =
        (disk.kind != BlockDeviceKind::Memory).then(|| disk_words::write_cache(&disk.write_cache));
    let parts = [Some(model), kind.map(Text::from), size, cache];
    Text::list(parts.into_iter().flatten(), ", ")
}

fn file_system_line(target: &TargetInfo) -> Text {
    let system = target.file_system.as_ref().map(|system| {
        let (kind, at, source) = (&system.kind, &system.mount_point, &system.source);
        text!("{kind} on {at} ({source})")
    });
    system.unwrap_or_else(|| UNKNOWN.into())
}

fn file_line(target: &TargetInfo) -> Text {
    let size = target
        .size_bytes
        .map_or_else(|| "size unknown".into(), |size| text!("{size}"));
    let Some(state) = &target.file_state else {
        return text!("{size}, extents unknown");
    };
    let extents = match state.extents {
        1 => text!("{size} in 1 extent"),
        many => text!("{size} in {} extents", grouped(&many.to_string())),
    };
    let holes = [
        (state.hole_bytes, text!("{} hole", state.hole_bytes)),
        (
            state.unwritten_bytes,
            text!("{} unwritten", state.unwritten_bytes),
        ),
        (
            state.encoded_bytes,
            text!("{} compressed or encrypted", state.encoded_bytes),
        ),
        (state.inline_bytes, text!("{} inline", state.inline_bytes)),
        (state.shared_bytes, text!("{} shared", state.shared_bytes)),
    ];
    let holes = holes.into_iter().filter(|(bytes, _)| *bytes > Bytes(0));
    let parts = std::iter::once(extents).chain(holes.map(|(_, text)| text));
    Text::list(parts, ", ")
}

fn engine_line(document: &RunDocument) -> Text {
    let backends = || {
        document
            .results
            .iter()
            .filter_map(|result| result.backend.as_ref())
    };
    let kinds = unique(backends().map(|backend| backend.kind));
    let engines = kinds.into_iter().map(|kind| {
        let same = backends().filter(|backend| backend.kind == kind);
        let features = unique(same.flat_map(|backend| backend.features.clone()));
        match features.is_empty() {
            true => Text::name(kind.name()),
            false => {
                let features = features.iter().map(Text::from);
                text!("{} ({})", kind.name(), Text::list(features, ", "))
            }
        }
    });
    let engines: Vec<Text> = engines.collect();
    if engines.is_empty() {
        return UNKNOWN.into();
    }
    let notes = unique(backends().flat_map(|backend| backend.notes.clone()));
    let engines = Text::list(engines, ", ");
    Text::list(std::iter::once(engines).chain(notes), "; ")
}

/// Which places were measured, and by which rows.
fn samples_line<'a>(document: &'a RunDocument) -> Option<Text> {
    let of_row = |result: &'a ResultDocument| {
        let survey = words::of(result.plan.get(PlanPart::Survey)?);
        // Rows of several states of the write cache differ in nothing else.
        Some((survey, result.name.split(", ").next().unwrap_or_default()))
    };
    let groups = in_groups(document.results.iter().filter_map(of_row)).into_iter();
    let texts = groups.map(|(text, names)| {
        let names = unique(names.into_iter());
        text!("{text} ({})", names.join(", "))
    });
    listed(texts.collect())
}

/// What the trees of all phases have in common.
fn trees_line(document: &RunDocument) -> Option<Text> {
    let results = document.results.iter();
    let trees =
        unique(results.filter_map(|result| result.workload.tree().as_ref().map(words::tree_files)));
    listed(trees)
}

/// What is special about workloads, where anything is.
fn special(document: &RunDocument, part: PlanPart) -> Option<Text> {
    let results = document.results.iter();
    let texts = unique(results.filter_map(|result| result.plan.get(part).map(words::of)));
    listed(texts)
}

/// What "sequential with N threads" means, where there is any.
fn threads_line(document: &RunDocument) -> Option<Text> {
    let shared = Order::Sequential {
        offset: SequentialOffset::Interlocked,
    };
    let mut workloads = document.results.iter().map(|result| &result.workload);
    workloads
        .any(|workload| workload.threads > 1 && workload.order == shared)
        .then(|| "those of a sequential row share one position (interlocked)".into())
}

fn direct_line(document: &RunDocument) -> Text {
    let measured = document
        .results
        .iter()
        .filter(|result| !result.trials.is_empty());
    let used = unique(measured.map(|result| result.direct));
    match used[..] {
        [] => UNKNOWN,
        [Some(true)] => "on",
        [Some(false)] => "off (through the page cache)",
        _ if measured_alike(document) => "on in some rows, off in others",
        _ => "on in some trials, off in others",
    }
    .into()
}

/// Whether all trials of each row that has any went the same way.
fn measured_alike(document: &RunDocument) -> bool {
    let mut results = document.results.iter();
    results.all(|result| result.trials.is_empty() || result.direct.is_some())
}

fn data_line(document: &RunDocument) -> Text {
    let contents = unique(
        document
            .results
            .iter()
            .map(|result| match &result.workload.data {
                _ if found_as_it_is(document, &result.workload) => "read as found",
                _ if is_written_back(&result.workload) => "written as it was read",
                DataContent::Random => "random, every 4 KiB unique",
                DataContent::Zero => "zeros",
                DataContent::Repeated => "random, the same in every I/O",
                DataContent::Pattern(_) => "a given pattern",
                DataContent::Reducible(_) => "random, made to compress or to repeat in part",
            }),
    );
    let contents = contents.into_iter().map(Text::from);
    listed(contents.collect()).unwrap_or_else(|| Text::name(MISSING))
}

fn is_written_back(workload: &Workload) -> bool {
    workload.survey().is_some_and(|survey| survey.write_back)
}

/// Whether a row reads what somebody else has written.
fn found_as_it_is(document: &RunDocument, workload: &Workload) -> bool {
    let existing = matches!(
        document.target.kind,
        TargetKind::File | TargetKind::BlockDevice
    );
    existing && !workload.operations.changes_data()
}

/// The fixed rate of a row's threads together, where there is one: a closed loop is what
/// people expect of a benchmark.
fn load_line(document: &RunDocument) -> Option<Text> {
    let of_row = |result: &ResultDocument| {
        let workload = &result.workload;
        let threads = u64::from(workload.threads);
        Some(match workload.pacing.rate? {
            Rate::Iops(ios) => format!("{} IOPS", grouped(&(ios * threads).to_string())),
            Rate::BytesPerSecond(bytes) => {
                format!("{}/s", decimal_size(Bytes(bytes * threads), 3))
            }
        })
    };
    let rates = unique(document.results.iter().filter_map(of_row));
    (!rates.is_empty()).then(|| {
        text!(
            "fixed rate of each row: {}; latencies are shown twice: service, and from the start that the rate intended",
            rates.join(", ")
        )
    })
}

/// What the time of a run went to.
fn spent_line(spent: &Spent) -> Option<Text> {
    let times = [
        (spent.measured, "measured"),
        (spent.settling, "settling"),
        (spent.calibration, "calibration trials"),
        (spent.layout, "for the test file"),
        (spent.checks, "for checks"),
        (spent.between(), "between trials"),
    ];
    let times = times.map(|(time, part)| (time.as_secs_f64(), Text::from(part)));
    let shown = times.into_iter().filter(|(seconds, _)| *seconds >= 0.05);
    let parts: Vec<Text> = shown
        .map(|(seconds, part)| text!("{seconds:.1} s {part}"))
        .collect();
    let whole = spent.whole.as_secs_f64();
    let parts = (parts.len() > 1).then(|| Text::list(parts, ", "))?;
    Some(text!("{whole:.1} s: {parts}"))
}

fn trials_line(document: &RunDocument) -> Text {
    let schedule = &document.schedule;
    let end = document.interrupted.then(|| Text::from("interrupted"));
    let repeated =
        (document.results.iter()).filter(|result| !schedule.makes_once(&result.workload));
    let times = unique(repeated.map(|result| result.workload.limits.time));
    let least = times.iter().copied().min().flatten().map(exact_time);
    let most = times.iter().copied().max().flatten().map(exact_time);
    let count: Text = match least.zip(most) {
        None => Text::name(schedule.trials.to_string()),
        Some((least, most)) if least == most => text!("{} × {most}", schedule.trials),
        Some((least, most)) => text!("{} × {least} to {most}", schedule.trials),
    };
    let enough = schedule.enough.map(|it| f64::from(it.half_width_permille));
    let count = match enough {
        Some(_) => text!("up to {count} per row"),
        None => text!("{count} per row"),
    };
    let until = enough.map(|permille| text!("until ±{} % is reached", permille / 10.0));
    let order = match &schedule.name {
        ScheduleName::Interleaved => "rows alternating".into(),
        ScheduleName::Crystal => "row by row".into(),
        other => Text::name(other.to_string()),
    };
    let is_simulated = |it: &TargetInfo| it.kind == TargetKind::Simulated;
    let pause = match schedule.pause {
        // Simulated devices make none.
        _ if document.all_targets().iter().all(is_simulated) => "no pauses".into(),
        Nanos(0) => "no pauses".into(),
        pause => text!("pauses of {}", exact_time(pause)),
    };
    let warm_up = schedule.warm_up.then(|| "after a discarded warm-up".into());
    let over = schedule.spread_over;
    let over = over.map(|over| text!("spread over {}", minutes(over)));
    let once = schedule.surveys_once.then(|| "the surface once".into());
    let parts = [
        Some(count),
        until,
        over,
        Some(order),
        once,
        Some(pause),
        warm_up,
    ];
    let trials = Text::list(parts.into_iter().flatten(), ", ");
    Text::list(std::iter::once(trials).chain(end), "; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use sokudo_model::Run;
    use sokudo_model::Span;

    fn value_of(run: &Run, label: &str) -> Option<String> {
        let document = RunDocument::from_run(run);
        let mut facts = facts(&document).into_iter();
        let (_, value) = facts.find(|fact| fact.0 == label)?;
        Some(value.english())
    }

    #[test]
    fn what_could_not_be_seen_is_unknown() {
        let mut run = sample::run();
        run.target.devices.clear();
        run.target.file_system = None;
        run.target.file_state = None;
        run.rows.iter_mut().for_each(|row| row.trials.clear());
        for label in ["Device", "File system", "Engine", "Direct I/O"] {
            assert_eq!(value_of(&run, label).unwrap(), "unknown", "{label}");
        }
        assert_eq!(value_of(&run, "File").unwrap(), "1 GiB, extents unknown");
    }

    #[test]
    fn a_target_without_a_device_says_nothing_of_devices() {
        let run = sample::bare_run();
        for label in [
            "Device",
            "File system",
            "File",
            "Direct I/O",
            "Machine",
            "Not seen",
        ] {
            assert_eq!(value_of(&run, label), None, "{label}");
        }
        assert_eq!(value_of(&run, "Engine").unwrap(), "sim");
    }

    #[test]
    fn pauses_are_left_out_only_where_all_targets_are_simulated() {
        let mut run = sample::run();
        run.schedule.pause = Nanos::from_secs(5);
        let mut simulated = run.target.clone();
        simulated.kind = TargetKind::Simulated;
        let mut real = run.target.clone();
        real.kind = TargetKind::BlockDevice;
        run.target = simulated.clone();
        for (second, words) in [(simulated.clone(), "no pauses"), (real, "pauses of")] {
            run.targets = vec![simulated.clone(), second];
            let trials = value_of(&run, "Trials").unwrap();
            assert!(trials.contains(words), "{trials}");
        }
    }

    #[test]
    fn disks_of_a_kind_are_notes_of_rows() {
        let mut run = sample::run();
        let disk = |name| sample::device(name, BlockDeviceKind::Disk, Some("WD Red"));
        run.target.devices = vec![disk("sda"), disk("sdb")];
        assert_eq!(
            value_of(&run, "Device").unwrap(),
            "sda, sdb: 2 times WD Red, 1.0 TB, write cache unknown (the kernel says write back)"
        );
        run.target.devices[0].model = None;
        run.target.devices[0].write_cache = None;
        assert!(
            value_of(&run, "Device")
                .unwrap()
                .starts_with("sda: model unknown, 1.0 TB, write cache unknown; sdb")
        );
    }

    #[test]
    fn a_device_is_described_as_sokudo_info_does() {
        let mut run = sample::run();
        let device = |name, kind, model| sample::device(name, kind, model);
        let device_value = |run: &Run| value_of(run, "Device").unwrap();
        run.target.devices = vec![device("sda", BlockDeviceKind::Disk, Some("WD Red"))];
        let disk = Disk {
            vendor: Some("WD".to_owned()),
            model: Some("Red".to_owned()),
            write_cache: WriteCache {
                enabled: Some(false),
                kernel_view: Some("write back".to_owned()),
                ..WriteCache::default()
            },
            ..Disk::unknown("sda")
        };
        run.conditions.drives = vec![sokudo_model::DriveConditions {
            disk: disk.clone(),
            before: sokudo_model::Heat::default(),
            after: sokudo_model::Heat::default(),
            segments_max: None,
            link_power: None,
            runtime_power: None,
            moved_before: None,
            flash_writes: None,
        }];
        let text = device_value(&run);
        let model = disk_words::model(&disk).english();
        let cache = disk_words::write_cache(&disk.write_cache).english();
        assert_eq!(text, format!("sda: {model}, {cache}"));
        assert_eq!(text, "sda: WD Red, write cache off");
        // What the kernel makes is not asked.
        run.conditions.drives.clear();
        for (kind, model, begin) in [
            (
                BlockDeviceKind::VirtualDisk,
                None,
                "x: virtual disk, 1.0 TB",
            ),
            (
                BlockDeviceKind::VirtualDisk,
                Some("QEMU HARDDISK"),
                "x: QEMU HARDDISK, virtual disk, 1.0 TB",
            ),
            (
                BlockDeviceKind::Loop,
                Some("/a.img"),
                "x: loop device of /a.img, 1.0 TB",
            ),
            (BlockDeviceKind::Raid, None, "x: RAID, 1.0 TB"),
            (BlockDeviceKind::Memory, None, "x: memory disk, 1.0 TB"),
        ] {
            run.target.devices = vec![device("x", kind, model)];
            let text = device_value(&run);
            assert!(text.starts_with(begin), "{text}");
            let has_cache = text.contains("write cache");
            assert_eq!(has_cache, kind != BlockDeviceKind::Memory, "{text}");
        }
    }

    #[test]
    fn data_of_somebody_else_are_not_called_ours() {
        let mut run = sample::run();
        run.target.kind = TargetKind::BlockDevice;
        run.rows.truncate(1);
        run.rows[0].workload.operations =
            sokudo_model::OperationMix::only(sokudo_model::Operation::Read);
        assert_eq!(value_of(&run, "Data").unwrap(), "read as found");
        run.target.kind = TargetKind::Directory;
        assert_eq!(
            value_of(&run, "Data").unwrap(),
            "random, every 4 KiB unique"
        );
    }

    #[test]
    fn parts_of_files_are_told_until_there_are_too_many() {
        let mut run = sample::run();
        let uses = |count: u32| {
            let one = |index: u32| sokudo_model::FileUse {
                target: index,
                span: Some(Span {
                    offset: Bytes::mib(index.into()),
                    length: Bytes::mib(1),
                }),
            };
            (0..count).map(one).collect::<Vec<_>>()
        };
        run.rows[0].workload.files.uses = uses(2);
        let expected = "the first 1 MiB; 1 MiB from 1 MiB on";
        let others = run.rows.split_off(1);
        assert_eq!(value_of(&run, "Span").unwrap(), expected);
        run.rows[0].workload.files.uses = uses(9);
        assert!(value_of(&run, "Span").unwrap().ends_with("; and 5 more"));
        // Other rows have all of the target.
        run.rows[0].workload.files.uses = uses(1);
        let expected = format!("the first 1 MiB ({})", run.rows[0].workload.name);
        run.rows.extend(others);
        assert_eq!(value_of(&run, "Span").unwrap(), expected);
    }

    #[test]
    fn what_is_special_about_workloads_is_notes_of_rows() {
        let mut run = sample::run();
        assert_eq!(value_of(&run, "Scatter"), None);
        for row in &mut run.rows {
            row.workload.scatter.random_percent = Some([50; 3]);
        }
        run.rows[0].workload.scatter.random_percent = Some([40; 3]);
        assert_eq!(
            value_of(&run, "Scatter").unwrap(),
            "40 % random; 50 % random"
        );
    }

    #[test]
    fn what_was_not_seen_is_told_in_whole_sentences() {
        let mut run = sample::run();
        run.target.blind_spots = vec!["it hides".into(), "It lies.".into()];
        assert_eq!(value_of(&run, "Not seen").unwrap(), "it hides. It lies.");
    }

    #[test]
    fn a_file_with_holes_says_so() {
        let mut run = sample::run();
        run.target.file_state.as_mut().unwrap().hole_bytes = Bytes::mib(3);
        assert_eq!(
            value_of(&run, "File").unwrap(),
            "1 GiB in 3 extents, 3 MiB hole"
        );
    }

    #[test]
    fn why_another_engine_was_used_is_told() {
        let mut run = sample::run();
        run.rows[1].trials[3].outcome.backend.notes = vec!["io_uring is denied".into()];
        assert!(
            value_of(&run, "Engine")
                .unwrap()
                .ends_with("; io_uring is denied")
        );
    }
}
