//! Arguments to plan: which rows, how often, in what order. Pure.

use sokudo_engine::TEST_FILE_SIZE_MIN;
use sokudo_measure::TEST_FILE_SIZE;
use sokudo_model::{
    Bytes, DirectMode, Enough, Method, MethodKind, MethodTrait, Nanos, Plan, Rate, RateProcess,
    Schedule, ScheduleName, Span, Stage, TargetKind, Workload, narrow,
};
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::{self, BLOCK_MIN, RowDirection, RowSpec};
use sokudo_words::{Text, text};

use crate::arguments::precision::{PERMILLE_DEFAULT, PrecisionDefault};
use crate::mark::arguments::{Arguments, ScheduleChoice};
use crate::rows::several::{self, DiskTests};
use crate::{argument_checks, consent};

pub static METHOD: MethodKind = MethodKind {
    name: "mark",
    command: "mark",
    is_named: true,
    traits: &[
        MethodTrait::JudgesDisk,
        MethodTrait::ComparesPages,
        MethodTrait::PairsDirections,
    ],
};

/// A row is measured for so long in any case, however well its trials agree: what happens
/// once in a second must be among them.
const ADAPTIVE_TIME_MIN: Nanos = Nanos::from_millis(1_500);

/// The shortest trial of a row whose trials are as long as it needs. Much of what disturbs a disk
/// takes some tens of milliseconds: each trial is to have its share of that.
const ADAPTIVE_TRIAL_TIME_MIN: Nanos = Nanos::from_millis(250);

/// The shortest of all, however short the time of a run is.
const SHORT_TRIAL_TIME: Nanos = Nanos::from_millis(50);

/// And the longest of one that reads: six of each of eight rows, and what shows how long a row must
/// settle, fit into [`ADAPTIVE_RUN_TIME_MAX`] on a hard disk. Writes keep the longer one: those of
/// 800 ms end in the memory of a drive (`sim:ssd` came to 1,231 MB/s ± 0.0 % instead of 1,021).
const ADAPTIVE_READ_TIME_MAX: Nanos = Nanos::from_millis(650);

/// And for so long at most.
const ADAPTIVE_TIME_MAX: Nanos = Nanos::from_secs(10);

/// What so many rows take together at most, on the noisiest disk, once the test file is written: six
/// rounds of the eight rows on a hard disk. CrystalDiskMark takes 25 s per row on any.
const ADAPTIVE_RUN_TIME_MAX: Nanos = Nanos::from_secs(59);
const ADAPTIVE_RUN_ROWS: usize = 8;

/// CrystalDiskMark 9's own schedule.
const CRYSTAL_TRIALS: u32 = 3;
const CRYSTAL_TIME: Nanos = Nanos::from_secs(5);
const CRYSTAL_PAUSE: Nanos = Nanos::from_secs(5);

/// What is measured, as far as plans depend on it.
#[derive(Clone, Copy, Debug)]
pub struct MarkTarget<'a> {
    pub name: &'a str,
    pub kind: TargetKind,
    /// Of an existing file or device.
    pub size: Option<Bytes>,
}

/// Why one of these targets is only read with these arguments.
pub fn refusal(targets: &[MarkTarget<'_>], arguments: &Arguments) -> Option<Text> {
    let permission = arguments.shared.permission();
    let mut refusals = targets
        .iter()
        .filter_map(|target| consent::refusal(target.name, target.kind, &permission));
    refusals.next()
}

/// The plan, for subjects of these kinds: the rows of one, or those of several alone and together.
pub fn resolve(arguments: &Arguments, targets: &[MarkTarget<'_>], seed: u64) -> Result<Plan, Exit> {
    check_precision(arguments)?;
    let rows = rows(arguments, targets)?;
    check_read_only(&rows, arguments)?;
    check_durable(&rows, arguments, targets)?;
    let directions = directions(arguments, targets)?;
    let workloads = crystaldiskmark::workloads(&rows, &directions, &arguments.mixes);
    if let Some(refusal) = refusal(targets, arguments)
        && workloads
            .iter()
            .any(|workload| workload.operations.changes_data())
    {
        return Err(Exit::refused(refusal));
    }
    if workloads.is_empty() {
        return Err(Exit::usage(text!(
            "no row fits the direction that is asked for; name another row, or leave --read-only or --write-only out"
        )));
    }
    // Several are measured each alone, and then together.
    let turns = if targets.len() > 1 {
        targets.len() + 1
    } else {
        1
    };
    let rows = workloads.len() * turns;
    let on_each = targets
        .iter()
        .map(|target| on_target(arguments, target, workloads.clone(), rows))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Plan {
        method: method(arguments),
        seed,
        stages: match <[Vec<Workload>; 1]>::try_from(on_each) {
            Ok([workloads]) => crystaldiskmark::stages(workloads),
            Err(on_each) => stages_of_several(targets, on_each),
        },
    })
}

fn stages_of_several(targets: &[MarkTarget<'_>], on_each: Vec<Vec<Workload>>) -> Vec<Stage> {
    let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
    let disks = several::labels(&names).into_iter().zip(on_each);
    let disks = disks.map(|(label, workloads)| DiskTests { label, workloads });
    several::stages(&disks.collect::<Vec<_>>())
}

/// The rows of one target.
fn on_target(
    arguments: &Arguments,
    target: &MarkTarget<'_>,
    mut workloads: Vec<Workload>,
    rows: usize,
) -> Result<Vec<Workload>, Exit> {
    let size = used_size(arguments, target)?;
    let length = arguments.size.map_or(size, |requested| requested.min(size));
    let longest = trial_time_within(arguments, rows);
    for workload in &mut workloads {
        check_fit(workload, length, target)?;
        adjust(workload, arguments, length, target.size);
        // A short write would see nothing but a cache of the drive.
        if let Some(longest) = longest.filter(|_| !workload.operations.changes_data()) {
            let limits = &mut workload.limits;
            limits.time = limits.time.map(|time| time.min(longest));
            limits.time_min = limits.time_min.map(|time| time.min(longest));
        }
        if let Some(rate) = arguments.rate {
            set_rate(workload, rate)?;
        }
        if arguments.poisson {
            workload.pacing.rates.process = RateProcess::Poisson;
        }
    }
    Ok(workloads)
}

/// How long a trial of reads may be so that each of so many rows has one within the time that the
/// run is given: half of it goes to filling queues and settling.
fn trial_time_within(arguments: &Arguments, rows: usize) -> Option<Nanos> {
    let max = arguments.precision.max_time;
    let max = max.filter(|_| chooses_time(arguments))?;
    Some(Nanos(max.0 / (2 * narrow::<_, u64>(rows.max(1)))).max(SHORT_TRIAL_TIME))
}

/// What becomes of a run whose time is too short for its writes.
pub fn short_time(arguments: &Arguments, plan: &Plan) -> Option<Text> {
    let max = arguments.precision.max_time;
    let max = max.filter(|_| chooses_time(arguments))?;
    let changes_data = |stage: &&Stage| {
        let mut workloads = stage.workloads.iter();
        workloads.any(|workload| workload.operations.changes_data())
    };
    let writes = plan.stages.iter().filter(changes_data).count();
    let needed = trial_time(arguments).0 * narrow::<_, u64>(writes);
    (needed > max.0).then(|| {
        text!(
            "it takes longer than {max}: each of {writes} rows writes for {} s at least, because a shorter write may see nothing but a cache of the drive",
            trial_time(arguments).as_secs_f64()
        )
    })
}

/// Size of the test file that a directory gets.
pub fn test_file_size(arguments: &Arguments) -> Bytes {
    arguments.size.unwrap_or(TEST_FILE_SIZE)
}

/// How many trials a row has, if that is given.
fn runs(arguments: &Arguments) -> Option<u32> {
    match arguments.quick {
        true => Some(1),
        false => arguments.runs,
    }
}

/// How often, and in what order.
pub fn schedule(arguments: &Arguments) -> Result<Schedule, Exit> {
    match arguments.schedule {
        ScheduleChoice::Crystal => Ok(Schedule {
            name: ScheduleName::Crystal,
            warm_up: true,
            ..Schedule::in_turn(
                arguments.runs.unwrap_or(CRYSTAL_TRIALS),
                arguments
                    .pause
                    .or(arguments.profile.interval())
                    .unwrap_or(CRYSTAL_PAUSE),
            )
        }),
        ScheduleChoice::Interleaved => {
            let default = PrecisionDefault {
                // A number of trials, given alone, is made as it is.
                permille: match runs(arguments) {
                    Some(_) => 0,
                    None => PERMILLE_DEFAULT,
                },
                time_min: ADAPTIVE_TIME_MIN,
                time_max: Some(ADAPTIVE_TIME_MAX),
                ..PrecisionDefault::trials(Enough::TRIALS_MIN)
            };
            let pause = arguments.pause.unwrap_or_default();
            arguments
                .precision
                .schedule(runs(arguments), default, pause)
        }
    }
}

/// What rows take together at most, where that is left to us.
pub fn time_max(arguments: &Arguments, stages: usize) -> Option<Nanos> {
    let is_spaced = arguments.pause.is_some_and(|pause| pause > Nanos(0));
    let is_left = chooses_time(arguments) && arguments.precision.precision.is_none() && !is_spaced;
    let times = narrow::<_, u64>(stages.div_ceil(ADAPTIVE_RUN_ROWS));
    is_left.then(|| Nanos(ADAPTIVE_RUN_TIME_MAX.0.saturating_mul(times)))
}

/// CrystalDiskMark's schedule has a number of trials of its own.
fn check_precision(arguments: &Arguments) -> Result<(), Exit> {
    let asks = arguments
        .precision
        .precision
        .is_some_and(|permille| permille > 0)
        || arguments.precision.spread_over.is_some();
    if asks && arguments.schedule == ScheduleChoice::Crystal {
        return Err(Exit::usage(text!(
            "--schedule crystal makes a fixed number of trials; leave --precision, --spread-over or --schedule out"
        )));
    }
    Ok(())
}

fn method(arguments: &Arguments) -> Method {
    let variant = match arguments.rows.is_empty() {
        true => arguments.profile.to_string(),
        false => "rows".to_owned(),
    };
    Method::named(&METHOD, variant)
}

/// Length of one trial. The flash profile keeps its short ones on any schedule.
fn trial_time(arguments: &Arguments) -> Nanos {
    let flash = arguments.profile.interval().is_some();
    arguments.time.unwrap_or(match arguments.schedule {
        ScheduleChoice::Crystal if !flash => CRYSTAL_TIME,
        _ => crystaldiskmark::TRIAL_TIME,
    })
}

/// Whether the length of trials is left to what the first ones show: where their number is, too,
/// nothing spaces I/Os or trials, and no other tool is to make them.
fn chooses_time(arguments: &Arguments) -> bool {
    arguments.time.is_none()
        && arguments.rate.is_none()
        && !arguments.print_job
        && arguments.print_as.is_none()
        && arguments.profile.interval().is_none()
        && schedule(arguments).is_ok_and(|schedule| {
            schedule.enough.is_some() && arguments.runs.is_none() && schedule.spread_over.is_none()
        })
}

/// A row that names its directions, or is about when writes are durable, and a mix are measured
/// in no other way: with `--read-only` they are refused where they write.
fn check_read_only(rows: &[RowSpec], arguments: &Arguments) -> Result<(), Exit> {
    let is_written = |direction: RowDirection| direction.operations().changes_data();
    let mut written = rows.iter().filter(|row| {
        let mut directions = row.directions.iter().copied();
        row.durability.is_some() || directions.any(is_written)
    });
    let mut mixes = arguments.mixes.iter();
    let row = written.next().map(|row| text!("row {row}"));
    let what = row.or_else(|| {
        let mix = mixes.find(|mix| is_written(RowDirection::Mix(**mix)))?;
        Some(text!("--mix {mix}"))
    });
    match what.filter(|_| arguments.read_only) {
        None => Ok(()),
        Some(what) => Err(Exit::usage(text!(
            "{what} writes, and --read-only allows only reads; leave one of them out"
        ))),
    }
}

/// What is durable is written: it is refused where nothing may be.
fn check_durable(
    rows: &[RowSpec],
    arguments: &Arguments,
    targets: &[MarkTarget<'_>],
) -> Result<(), Exit> {
    for row in rows.iter().filter(|row| row.durability.is_some()) {
        if let Some(refusal) = refusal(targets, arguments) {
            return Err(Exit::refused(refusal));
        }
        if needs_cache(row)
            && (arguments.direct == DirectMode::On || has_no_cache(targets).is_some())
        {
            return Err(Exit::usage(text!(
                "row {row} goes through the page cache, because its block is not a multiple of 512 B; leave --direct on out, or use a larger block, such as 4K"
            )));
        }
    }
    Ok(())
}

/// Whether only the page cache takes its block.
fn needs_cache(row: &RowSpec) -> bool {
    !row.block.0.is_multiple_of(BLOCK_MIN.0)
}

/// The first target that no page cache lies before.
fn has_no_cache<'a>(targets: &[MarkTarget<'a>]) -> Option<&'a str> {
    let mut bare = targets
        .iter()
        .filter(|target| matches!(target.kind, TargetKind::Simulated | TargetKind::Null));
    bare.next().map(|target| target.name)
}

/// Rows of the profile that a target of this kind cannot have.
pub fn left_out(arguments: &Arguments, targets: &[MarkTarget<'_>]) -> Option<Text> {
    let is_own = !arguments.rows.is_empty();
    let rows = arguments.profile.rows();
    let row = rows.iter().find(|row| needs_cache(row))?;
    let bare = has_no_cache(targets).filter(|_| !is_own)?;
    Some(text!(
        "row {row} is left out: its block goes through a page cache, which {bare} has not"
    ))
}

fn rows(arguments: &Arguments, targets: &[MarkTarget<'_>]) -> Result<Vec<RowSpec>, Exit> {
    let mut rows = if arguments.rows.is_empty() {
        let mut rows = arguments.profile.rows();
        rows.retain(|row| !(needs_cache(row) && has_no_cache(targets).is_some()));
        rows
    } else {
        arguments.rows.clone()
    };
    for row in &mut rows {
        row.depth = arguments.depth.unwrap_or(row.depth);
        row.threads = arguments.threads.unwrap_or(row.threads);
        row.check_depth(arguments.engine.kind)
            .map_err(Exit::usage)?;
    }
    // Overrides can make rows alike; each is measured once.
    let mut unique: Vec<RowSpec> = Vec::new();
    rows.into_iter().for_each(|row| {
        if !unique.contains(&row) {
            unique.push(row);
        }
    });
    argument_checks::check_time(trial_time(arguments))?;
    Ok(unique)
}

/// The columns of the table. What is only read, or measured with something that is, has one, unless more is
/// asked for, which is then refused.
fn directions(
    arguments: &Arguments,
    targets: &[MarkTarget<'_>],
) -> Result<Vec<RowDirection>, Exit> {
    for target in targets {
        consent::check_overwrite(target.name, target.kind, arguments.shared.overwrite)?;
    }
    Ok(match (arguments.read_only, arguments.write_only) {
        (true, _) => vec![RowDirection::Read],
        (_, true) => vec![RowDirection::Write],
        _ if refusal(targets, arguments).is_some() => vec![RowDirection::Read],
        _ => vec![RowDirection::Read, RowDirection::Write],
    })
}

/// Size of what is accessed.
fn used_size(arguments: &Arguments, target: &MarkTarget<'_>) -> Result<Bytes, Exit> {
    let MarkTarget {
        name,
        kind,
        size: known_size,
    } = *target;
    argument_checks::check_not_empty(known_size, name)?;
    if let Some(requested) = arguments.size {
        let is_made = kind == TargetKind::Directory;
        if requested.0 == 0 || is_made && requested < TEST_FILE_SIZE_MIN {
            return Err(Exit::usage(text!(
                "--size is {requested}; use at least {TEST_FILE_SIZE_MIN}"
            )));
        }
        argument_checks::check_size(requested, known_size, name)?;
    }
    Ok(known_size.unwrap_or_else(|| test_file_size(arguments)))
}

/// A test file is made of whole blocks of every row, so that each pass covers it
/// exactly; an existing file or device is as large as it is, but holds one block.
fn check_fit(workload: &Workload, length: Bytes, target: &MarkTarget<'_>) -> Result<(), Exit> {
    let block = workload.blocks.largest();
    let row = &workload.name;
    if target.kind == TargetKind::Directory {
        // What is no multiple of a sector leaves a rest of any file, and takes it as it is.
        let takes_rest = !block.0.is_multiple_of(BLOCK_MIN.0) && length >= block;
        if length.0.is_multiple_of(block.0) || takes_rest {
            return Ok(());
        }
        let down = length.0 / block.0 * block.0;
        let nearest = if down == 0 { block.0 } else { down };
        return Err(Exit::usage(text!(
            "--size {} is not a multiple of row {row}'s block of {block}; use {nearest}",
            length.0
        )));
    }
    if length < block {
        return Err(Exit::usage(text!(
            "{length} of {} is less than row {row}'s block of {block}; use a smaller block (--row), or more data",
            target.name
        )));
    }
    Ok(())
}

/// Each thread has its part of the row's rate.
pub fn set_rate(workload: &mut Workload, rate: Rate) -> Result<(), Exit> {
    let part = rate.shared_by(workload.threads);
    workload.pacing.rate = Some(part.ok_or_else(|| {
        Exit::usage(text!(
            "row {}: the rate cannot be divided evenly among {} threads; use a multiple of {}, or fewer threads (--threads)",
            workload.name,
            workload.threads,
            workload.threads
        ))
    })?);
    Ok(())
}

fn adjust(
    workload: &mut Workload,
    arguments: &Arguments,
    length: Bytes,
    known_size: Option<Bytes>,
) {
    let chooses_time = chooses_time(arguments);
    workload.limits.time = Some(match chooses_time && !workload.operations.changes_data() {
        true => ADAPTIVE_READ_TIME_MAX,
        false => trial_time(arguments),
    });
    workload.limits.time_min = chooses_time.then_some(ADAPTIVE_TRIAL_TIME_MIN);
    workload.backend = arguments.engine.kind;
    workload.issuing.polled = arguments.polled;
    if arguments.direct != DirectMode::Auto {
        workload.direct = arguments.direct;
    }
    workload.data = arguments.data.clone();
    workload.issuing.exact_clock = arguments.exact_clock;
    arguments.shared.set_buffers_of(workload);
    if known_size.is_some_and(|known| length < known) {
        workload.span = Some(Span {
            offset: Bytes(0),
            length,
        });
    }
}
