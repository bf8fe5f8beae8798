//! What was measured of a disk, held against what its link carries, what such a disk does, and
//! what it stands on.

use sokudo_model::disk::{Bus, Disk, Rotation};
use sokudo_model::{
    ArrayState, AssessedPoint, Assessment, BlockDevice, BlockDeviceKind, Bytes, DiskAnswer, Enough,
    Operation, Order, Outcome, Row, Run, Severity, TargetInfo, TargetKind, Verdict, weighed,
};
use sokudo_words::{Argued, Argument, Text, text};

use crate::caches::megabytes;
use crate::case::is_platters;
use crate::code::Code;
use crate::expectations::expectations;
use crate::explain::grouped;
use crate::failures;
use crate::rule;
use crate::short_form::short_form;
use crate::surroundings::level_name;

/// The point that says that no speed could be judged.
pub const NOT_JUDGED: &str = "not-judged";
/// The point that says that other rows could be judged.
pub(super) const STREAMS_NOT_JUDGED: &str = "streams-not-judged";

/// Blocks of this and more are a stream.
const STREAM_BLOCK: Bytes = Bytes::kib(128);
const RANDOM_BLOCK: Bytes = Bytes::kib(4);

/// Every point about how fast the disk is.
pub(super) fn points(run: &Run) -> Vec<AssessedPoint> {
    let streams = FastestStreams::of(run);
    let random = random_reads(run);
    let unproven = unproven(run, random.is_some());
    let mut points: Vec<AssessedPoint> = failed_io(run).into_iter().chain(unproven).collect();
    points.extend(rotating_stream(run, &streams));
    points.extend(random);
    points.extend(file_system(run, &streams));
    points.extend(array(run, &streams));
    points.extend(virtual_disk(run));
    points
}

/// What was reached of the link of each drive, which says less than how fast the disk is.
pub(super) fn link_shares(run: &Run) -> Vec<AssessedPoint> {
    let streams = FastestStreams::of(run);
    let drives = run.conditions.drives.iter();
    let shares = drives.filter_map(|drive| link_share(&drive.disk, &streams));
    shares.collect()
}

/// The fastest streams that were read or written, where that is proven.
struct FastestStreams {
    /// Bytes per second of the target.
    target: Option<f64>,
    /// Bytes per second at which the target is read.
    read: Option<f64>,
    /// Of each target beside it: its device, the drive at its bottom where there is one alone,
    /// and bytes per second.
    beside: Vec<(String, Option<String>, f64)>,
    /// The drive at the bottom of the target, where there is one alone.
    leaf: Option<String>,
}

impl FastestStreams {
    fn of(run: &Run) -> Self {
        let of_target = |index: usize, operations: &'static [Operation]| {
            let rows = run.rows.iter().filter(move |row| {
                let operation = row.workload.operations.single();
                let is_of_it = operation.is_some_and(|it| operations.contains(&it));
                is_of_it && row.workload.targets() == [index] && is_stream(row) && is_proven(row)
            });
            rows.filter_map(rate).reduce(f64::max)
        };
        Self {
            target: of_target(0, &[Operation::Read, Operation::Write]),
            read: of_target(0, &[Operation::Read]),
            beside: (run.targets.iter().enumerate().skip(1))
                .filter_map(|(index, target)| {
                    let device = target.devices.first()?.name.clone();
                    let leaf = leaf(target).map(|it| it.name.clone());
                    Some((device, leaf, of_target(index, &[Operation::Read])?))
                })
                .collect(),
            leaf: leaf(run.targets.first().unwrap_or(&run.target)).map(|it| it.name.clone()),
        }
    }

    /// The fastest that went over the link of a drive.
    fn of_drive(&self, name: &str) -> Option<f64> {
        let own = self.target.filter(|_| self.leaf.as_deref() == Some(name));
        let beside = self.beside.iter();
        let beside = beside.filter(|(_, leaf, _)| leaf.as_deref() == Some(name));
        own.into_iter()
            .chain(beside.map(|(_, _, rate)| *rate))
            .reduce(f64::max)
    }

    fn of_device(&self, name: &str) -> Option<f64> {
        let mut beside = self.beside.iter();
        beside
            .find(|(device, ..)| device == name)
            .map(|(_, _, rate)| *rate)
    }
}

fn leaf(target: &TargetInfo) -> Option<&BlockDevice> {
    let mut leaves = target.leaves();
    leaves.next().filter(|_| leaves.next().is_none())
}

pub(super) fn is_proven(row: &Row) -> bool {
    let assessment = row.assessment.as_ref();
    assessment.is_some_and(|it| it.verdict == Verdict::Verified)
}

/// Whether the disk is at least as fast as the row: it is proven, or all that speaks against it
/// only made it slower.
fn is_at_least(row: &Row) -> bool {
    let findings = row.assessment.iter().flat_map(|it| &it.findings);
    let doubts = findings.filter(|finding| finding.severity >= Severity::Warning);
    let mut codes = doubts.map(|finding| rule::code_named(&finding.code));
    let is_unverified = |it: &Assessment| it.verdict == Verdict::Unverified;
    is_proven(row)
        || row.assessment.as_ref().is_some_and(is_unverified)
            && codes.all(|code| code.is_some_and(Code::only_slows))
}

/// A point about a row that is at least as fast: of one that is not proven only what is good.
fn one_sided(point: AssessedPoint, row: &Row) -> Option<AssessedPoint> {
    match is_proven(row) {
        true => Some(point),
        false => (point.answer == Some(DiskAnswer::Ok)).then(|| AssessedPoint {
            found: text!(
                "{}, or better: the disturbance can only have slowed it down",
                point.found
            ),
            ..point
        }),
    }
}

fn is_stream(row: &Row) -> bool {
    let workload = &row.workload;
    let is_large = workload.blocks.largest() >= STREAM_BLOCK;
    is_of_speed(row) && is_large && matches!(workload.order, Order::Sequential { .. })
}

/// Whether it shows how fast a disk is: what visits positions once, or checks what was written,
/// shows something else.
pub(super) fn is_of_speed(row: &Row) -> bool {
    row.workload.work.is_of_blocks() && row.workload.verify.is_none()
}

/// Bytes per second, the median of its trials.
fn rate(row: &Row) -> Option<f64> {
    weighed(&row.trials, Outcome::bytes_per_second).median()
}

fn direction(row: &Row) -> Text {
    let operation = row.workload.operations.single();
    operation.map_or_else(Text::default, |operation| Text::from(operation.name()))
}

/// That figures cannot be judged, where none of a target's own can, or one is known to nothing.
fn unproven(run: &Run, is_any_judged: bool) -> Option<AssessedPoint> {
    let own = |row: &&Row| row.workload.targets() == [0] && is_of_speed(row);
    let measured = || {
        let rows = run.rows.iter().filter(own);
        rows.filter(|row| row.assessment.is_some())
    };
    let scattered = measured().find_map(|row| {
        let rates = weighed(&row.trials, Outcome::bytes_per_second);
        let [low, high] = rates.only_between(Enough::CONFIDENCE)?;
        let found = text!(
            "speed not judged: {} is somewhere between {low_mb_per_s:.2} and {high_mb_per_s:.2} MB/s",
            Text::list([Text::name(&*row.workload.name), direction(row)], " "),
            low_mb_per_s = low / 1e6,
            high_mb_per_s = high / 1e6
        );
        let findings = row.assessment.iter().flat_map(|it| &it.findings);
        let mut doubts = findings.filter(|finding| finding.severity >= Severity::Warning);
        let measure_longer = "close other programs, and measure again or longer";
        let remedy = doubts.next().map(|finding| finding.remedy.clone());
        Some((found, remedy.unwrap_or_else(|| measure_longer.into())))
    });
    let of_no_row = || {
        // One that fails or is disturbed leaves nothing to judge streams by, whatever the others show.
        let streams = || measured().filter(|row| is_stream(row));
        let row = match measured().any(is_proven) {
            false => measured().next()?,
            true => streams().next().filter(|_| !streams().any(is_proven))?,
        };
        let assessment = row.assessment.as_ref()?;
        // Of equals the first, which matters most.
        let doubts = assessment.findings.iter().rev();
        let doubt = doubts.max_by_key(|finding| finding.severity)?;
        Some((short_form(doubt, row), doubt.remedy.clone()))
    };
    let expected = &expectations().judged;
    if let Some((found, remedy)) = scattered {
        let point = expected.point(NOT_JUDGED, Some(DiskAnswer::OkBut), found);
        return Some(AssessedPoint { remedy, ..point });
    }
    let (why, remedy) = of_no_row()?;
    let point = match is_any_judged || measured().any(is_proven) {
        false => {
            let found = text!("speed not judged: {why}");
            expected.point(NOT_JUDGED, Some(DiskAnswer::OkBut), found)
        }
        // What is fast enough whatever disturbed it says nothing of the other rows.
        true => {
            let found = text!("sequential reads and writes are not judged: {why}");
            expected.point(STREAMS_NOT_JUDGED, None, found)
        }
    };
    Some(AssessedPoint { remedy, ..point })
}

/// What is found where I/O failed, what says most first.
const FAILED: [&str; 5] = [
    "wrong-data",
    "unreadable",
    "io-errors",
    "hung",
    "device-vanished",
];
/// The point that says that a full file system ended what was to be judged.
pub(super) const NO_ROOM: &str = "no-room";

/// A drive that fails to read or to write is not well, however fast. A file system that was full
/// says nothing of the drive.
pub fn failed_io(run: &Run) -> Option<AssessedPoint> {
    let failed = |is_full: bool| {
        FAILED.iter().find_map(|code| {
            run.rows.iter().find_map(|row| {
                let mut findings = row.assessment.iter().flat_map(|it| &it.findings);
                let finding = findings.find(|it| it.code == *code)?;
                let is_of_full = *code == "io-errors" && failures::lacks_room(row);
                (is_of_full == is_full).then_some((row, finding))
            })
        })
    };
    let reads = |row: &Row| row.workload.operations.single() == Some(Operation::Read);
    let (code, answer, finding) = match failed(false) {
        Some((row, finding)) if reads(row) => ("read-errors", Some(DiskAnswer::NotOk), finding),
        Some((_, finding)) => ("write-errors", Some(DiskAnswer::NotOk), finding),
        None => (NO_ROOM, None, failed(true)?.1),
    };
    let expected = &expectations().unreadable_sectors;
    Some(AssessedPoint {
        remedy: finding.remedy.clone(),
        ..expected.point(code, answer, finding.symptom.clone())
    })
}

fn link_share(disk: &Disk, streams: &FastestStreams) -> Option<AssessedPoint> {
    let link = disk.link.as_ref()?;
    let carries = link.negotiated_bytes_per_s.filter(|speed| *speed > 0)? as f64;
    let speed = link.negotiated.as_deref()?;
    let speed = match &link.controller {
        Some(controller) => format!("{speed} ({controller})"),
        None => speed.to_owned(),
    };
    let reached = streams.of_drive(&disk.name)?;
    let percent = reached / carries * 100.0;
    let expected = &expectations().link_share;
    let figures = &expected.figures;
    let bus = match disk.bus {
        Some(Bus::Ata) => "SATA",
        Some(Bus::Sas) => "SAS",
        Some(Bus::Usb) => "USB",
        _ => "PCIe",
    };
    let share = text!(
        "{percent:.0} % of what {bus} {speed} carries ({} of {} MB/s)",
        megabytes(reached),
        megabytes(carries)
    );
    let answer = (percent <= figures.impossible_percent).then_some(DiskAnswer::Ok);
    let found = match percent {
        it if it > figures.impossible_percent => text!(
            "{share}: more than the link carries, so a cache answered, or the virtual machine reports a false link"
        ),
        it if it >= figures.limit_percent => text!("{share}: the link is the limit"),
        _ => text!("{share}: the link is not the limit"),
    };
    Some(expected.point("link-share", answer, found))
}

/// Single random reads of the target, against what a disk of its kind does.
fn random_reads(run: &Run) -> Option<AssessedPoint> {
    let row = run.rows.iter().find(|row| {
        let workload = &row.workload;
        is_of_speed(row)
            && workload.operations.single() == Some(Operation::Read)
            && workload.targets() == [0]
            && matches!(workload.order, Order::Random { .. })
            && workload.blocks.largest() == RANDOM_BLOCK
            && (workload.depth, workload.threads) == (1, 1)
            && is_at_least(row)
    })?;
    one_sided(random_reads_of(run, row)?, row)
}

fn random_reads_of(run: &Run, row: &Row) -> Option<AssessedPoint> {
    let reads = rate(row)? / RANDOM_BLOCK.0 as f64;
    let leaf = leaf(run.targets.first().unwrap_or(&run.target))?;
    let drives = run.conditions.drives.iter().map(|drive| &drive.disk);
    let drive = drives.into_iter().find(|disk| disk.name == leaf.name);
    let bus = drive.and_then(|disk| disk.bus);
    let rpm = match drive.map(|disk| disk.rotation) {
        Some(Rotation::PerMinute(rpm)) => Some(f64::from(rpm)),
        _ => leaf.rotation_rpm.map(f64::from),
    };
    if is_platters(leaf) && bus != Some(Bus::Virtio) {
        return Some(rotating(reads, rpm));
    }
    let is_solid = leaf.kind == BlockDeviceKind::Disk && leaf.rotational == Some(false);
    let is_known = run.target.kind == TargetKind::Simulated
        || matches!(bus, Some(Bus::Ata | Bus::Sas | Bus::Nvme));
    let all = expectations();
    let (code, expected, what) = match bus {
        Some(Bus::Mmc) => ("card-random", &all.card_random, "a card"),
        _ if is_solid && is_known => ("solid-random", &all.solid_random, "a solid-state disk"),
        _ => return None,
    };
    let least = expected.figures.least_iops;
    let what = Text::from(what);
    let found = match reads >= least {
        true => text!(
            "{} single random reads a second: normal for {what}",
            count(reads)
        ),
        false => text!(
            "{} single random reads a second: {what} does {} or more",
            count(reads),
            count(least)
        ),
    };
    Some(expected.point(code, Some(held_against(reads, least)), found))
}

/// What a figure comes to: as is expected, less, or not half of it.
fn held_against(figure: f64, least: f64) -> DiskAnswer {
    match figure {
        it if it >= least => DiskAnswer::Ok,
        it if it >= least / 2.0 => DiskAnswer::OkBut,
        _ => DiskAnswer::NotOk,
    }
}

/// How many a second, with thousands grouped.
fn count(per_s: f64) -> Argument {
    match per_s {
        few if few < 999.5 => few.written(format!("{few:.0}")),
        many => grouped(many.round()),
    }
}

fn rotating(reads: f64, rpm: Option<f64>) -> AssessedPoint {
    let expected = &expectations().rotating_random;
    let turns = rpm.unwrap_or(expected.figures.rpm);
    let (least, most) = expected.figures.reads_per_s(turns);
    let such = match rpm {
        Some(rpm) => text!("a disk of {} rpm", grouped(rpm)),
        None => "a rotating disk".into(),
    };
    let is_impossible = reads > most && rpm.is_some();
    let answer = (!is_impossible).then(|| held_against(reads, least));
    let found = match reads {
        _ if is_impossible => text!(
            "{such} does {} random reads a second: more than its rotation allows ({}), so a cache answered, or it is virtual or its label untrue",
            count(reads),
            count(most)
        ),
        it if it >= least => text!("{such} does {} random reads a second: normal", count(reads)),
        _ => text!(
            "{such} does {} random reads a second: {} or more is normal",
            count(reads),
            count(least)
        ),
    };
    expected.point("rotating-random", answer, found)
}

fn rotating_stream(run: &Run, streams: &FastestStreams) -> Option<AssessedPoint> {
    let leaf = leaf(run.targets.first().unwrap_or(&run.target))?;
    let read = streams.read.filter(|_| is_platters(leaf))?;
    let expected = &expectations().rotating_sequential;
    let least = expected.figures.least_mb_per_s;
    let reads = megabytes(read);
    let found = match read / 1e6 >= least {
        true => text!("{reads} MB/s in sequential reads: normal for a rotating disk"),
        false => {
            text!("only {reads} MB/s in sequential reads: rotating disks do {least:.0} or more")
        }
    };
    let answer = held_against(read / 1e6, least);
    Some(expected.point("rotating-sequential", Some(answer), found))
}

/// The file against the device that its file system is on.
fn file_system(run: &Run, streams: &FastestStreams) -> Option<AssessedPoint> {
    let target = run.targets.first()?;
    let kind = &target.file_system.as_ref()?.kind;
    let device = &target.devices.first()?.name;
    let (file, raw) = (streams.read?, streams.of_device(device)?);
    let expected = &expectations().file_system_share;
    let turns = target.leaves().any(is_platters);
    let least = match turns {
        true => expected.figures.rotating_percent,
        false => expected.figures.solid_percent,
    };
    let percent = file / raw * 100.0;
    let share = text!(
        "{kind} reaches {percent:.0} % of {device} itself ({} of {} MB/s, sequential reads)",
        megabytes(file),
        megabytes(raw)
    );
    Some(match percent >= least {
        true => expected.point("file-system-share", Some(DiskAnswer::Ok), share),
        false => AssessedPoint {
            remedy: "a fragmented file, compression, encryption, checksums or a full file system can cost this much; compare with another file on it, and with sokudo mark on the device".into(),
            ..expected.point("file-system-share", Some(DiskAnswer::OkBut), share)
        },
    })
}

/// An array against its members.
fn array(run: &Run, streams: &FastestStreams) -> Option<AssessedPoint> {
    let target = run.targets.first()?;
    let raid = target
        .devices
        .iter()
        .find(|device| device.kind == BlockDeviceKind::Raid)?;
    let mut arrays = run.conditions.arrays.iter();
    let state = arrays.find(|array| array.name == raid.name)?;
    let members = raid.parents.iter().map(|name| streams.of_device(name));
    let members: Vec<f64> = members.collect::<Option<_>>()?;
    let could = stream_of(state, &members)?;
    let reads = streams.of_device(&raid.name).or(streams.read)?;
    let expected = &expectations().array_share;
    let percent = reads / could * 100.0;
    let (name, level) = (&raid.name, level_name(state));
    let found = text!(
        "{name} ({level}) reads at {percent:.0} % of what its {} members allow ({} of {} MB/s)",
        members.len(),
        megabytes(reads),
        megabytes(could)
    );
    Some(match percent >= expected.figures.least_percent {
        true => expected.point("array-share", Some(DiskAnswer::Ok), found),
        false => AssessedPoint {
            remedy: "look for a slow member (measure each with sokudo mark), a link or controller that they share, and a chunk that is too small for the depth".into(),
            ..expected.point("array-share", Some(DiskAnswer::OkBut), found)
        },
    })
}

/// What a level allows of members that read alone at these rates, bytes per second.
fn stream_of(array: &ArrayState, members: &[f64]) -> Option<f64> {
    let slowest = members.iter().copied().reduce(f64::min)?;
    let count = f64::from(u32::try_from(members.len()).ok()?);
    let stream = match array.level.as_deref()? {
        "raid0" | "linear" => members.iter().sum(),
        "raid1" => slowest,
        "raid4" | "raid5" => (count - 1.0) * slowest,
        "raid6" => (count - 2.0) * slowest,
        "raid10" => count / 2.0 * slowest,
        _ => return None,
    };
    (stream > 0.0).then_some(stream)
}

/// That nothing is known of what a virtual disk could do.
fn virtual_disk(run: &Run) -> Option<AssessedPoint> {
    let target = run.targets.first().unwrap_or(&run.target);
    let mut leaves = target.leaves();
    let leaf = leaves.find(|leaf| leaf.kind == BlockDeviceKind::VirtualDisk)?;
    let found = text!(
        "{} is a virtual disk: only the operator of its host knows how fast it should be",
        leaf.name
    );
    let expected = &expectations().virtual_disk;
    Some(expected.point("virtual-disk", None, found))
}

/// A limit that somebody has set, where all these rates of a virtual disk, of two runs, are one:
/// bytes per second of streams in both directions.
pub fn volume_cap(run: &Run, before: &[f64]) -> Option<AssessedPoint> {
    let is_virtual = |target: &TargetInfo| {
        let mut leaves = target.leaves();
        leaves.any(|leaf| leaf.kind == BlockDeviceKind::VirtualDisk)
    };
    let own = run
        .rows
        .iter()
        .filter(|row| row.workload.targets() == [0] && is_stream(row) && is_proven(row));
    let now: Vec<f64> = own.filter_map(rate).collect();
    if !is_virtual(&run.target) || now.len() < 2 || before.len() < 2 {
        return None;
    }
    let all = || now.iter().chain(before).copied();
    let (least, most) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
    let expected = &expectations().volume_cap;
    if most > least * (1.0 + expected.figures.alike_percent / 100.0) {
        return None;
    }
    let found = text!(
        "sequential reads and writes stop at {} MB/s, in this run and the one before: a limit that somebody has set",
        megabytes(most)
    );
    Some(AssessedPoint {
        remedy:
            "compare with the rate that you pay for; sokudo peak finds the same limit in I/Os per second"
                .into(),
        ..expected.point("volume-cap", Some(DiskAnswer::OkBut), found)
    })
}
