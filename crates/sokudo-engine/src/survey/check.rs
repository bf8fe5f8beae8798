//! Whether a survey can be carried out as asked.

use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Operation, Recording, Sample, Stage, Survey,
    Visit, Workload,
};
use sokudo_words::Text;

use crate::pattern::BLOCK_BYTES_MAX;
use crate::target::{Target, logical_bytes};
use crate::target_use::{stretch_of, uses};

/// More places than any picture can show; each takes 56 bytes.
pub(crate) const SAMPLES_MAX: u32 = 1_000_000;

/// Blocks are sealed everywhere, or not at all.
const SEALED_PART: &str = "sealed blocks, but where the whole span is visited from start to end";

/// Why a survey is impossible.
#[derive(Debug, sokudo_words::Error)]
pub enum SurveyError {
    /// There is something else in the stage, and no survey of another target.
    #[error(
        "beside a survey run only surveys of other targets; put other workloads into stages of their own"
    )]
    NotAlone,
    /// Too few or too many places.
    #[error("{sample_count} places; use 1 to {SAMPLES_MAX}")]
    SampleCount {
        /// How many were asked for.
        sample_count: u32,
    },
    /// Something that a survey does not do.
    #[error("a survey has no {what}; leave it out, or leave out the survey", what = Text::from(*what))]
    Without {
        /// What was asked for.
        what: &'static str,
    },
    /// It neither only reads nor only writes.
    #[error("a survey either reads or writes; make it two, one for each")]
    Mixed,
    /// It would write back what it does not write.
    #[error("only writes can be written back; ask for writes, or leave write_back out")]
    NothingToWriteBack,
    /// Writes that nobody waits for could be written after others.
    #[error("a survey that writes waits for every write; leave the timeout out, or only read")]
    TimeoutOfWrites,
    /// An I/O that waits in its system call cannot be left behind.
    #[error("with {backend} a read that hangs holds everything up; use io_uring or libaio, or leave the timeout out", backend = backend.name())]
    TimeoutInCall {
        /// How I/O was to be issued.
        backend: BackendKind,
    },
    /// Write-back in as much time as there is.
    #[error("what is written back is known before it is timed; name its bytes, not a time")]
    WriteBackForTime,
    /// Single blocks with a sample that is none.
    #[error("{visit} visits take one block each; use a sample of {block}", visit = Text::from(*visit))]
    OneBlock {
        /// Which kind of visits.
        visit: &'static str,
        /// Largest block of the workload, which the sample must equal.
        block: Bytes,
    },
    /// Single blocks, several at a time.
    #[error("{visit} visits go from one place to the next; use a depth of 1", visit = Text::from(*visit))]
    DepthOne {
        /// Which kind of visits.
        visit: &'static str,
    },
    /// Several block sizes where one is needed.
    #[error("the places of this survey have one block size; name one, or visit them at random")]
    OneBlockSize,
    /// Nothing is done at a place.
    #[error("the sample is empty; use at least one block of {block}")]
    EmptySample {
        /// Block of the workload, the smallest sample.
        block: Bytes,
    },
    /// More places than blocks.
    #[error(
        "{sample_count} places of at least {block} do not fit {length}; use fewer places or a smaller \
         block"
    )]
    TooManySamples {
        /// How many were asked for.
        sample_count: u32,
        /// Largest block of the workload; each place needs one.
        block: Bytes,
        /// The length of the span.
        length: Bytes,
    },
    /// The way is as long as anything can be.
    #[error("the approach of {approach} is too long; use 1 B to {most}")]
    Approach {
        /// What was asked for.
        approach: Bytes,
        /// The most there can be.
        most: Bytes,
    },
    /// The device takes no such block.
    #[error("blocks of {block} are no multiple of the target's {logical}; use one")]
    Unaligned {
        /// Block of the workload, or of the reads beside it.
        block: Bytes,
        /// The target's logical block.
        logical: Bytes,
    },
}

/// Checks the survey of a workload, if it has one.
pub(crate) fn check_survey(
    stage: &Stage,
    workload: &Workload,
    target: &Target,
) -> Result<(), SurveyError> {
    let Some(survey) = &workload.survey() else {
        return match workload.seal() {
            Some(_) => Err(SurveyError::Without { what: SEALED_PART }),
            None => Ok(()),
        };
    };
    if !is_alone_on_its_target(stage, workload) {
        return Err(SurveyError::NotAlone);
    }
    if survey.sample_count == 0 || survey.sample_count > SAMPLES_MAX {
        let sample_count = survey.sample_count;
        return Err(SurveyError::SampleCount { sample_count });
    }
    if let Some((_, what)) = beyond(workload)
        .into_iter()
        .find(|(is_requested, _)| *is_requested)
    {
        return Err(SurveyError::Without { what });
    }
    check_operations(workload, survey)?;
    check_timeout(workload, survey)?;
    check_beside(workload, survey, target)?;
    check_sealed(workload, survey)?;
    check_visits(workload, survey)?;
    check_room(workload, survey, target)
}

/// Whether all else in the stage are surveys of other targets: each is one thread with a ring of its
/// own, so that they meet nowhere but in the hardware.
fn is_alone_on_its_target(stage: &Stage, workload: &Workload) -> bool {
    let others = stage.workloads.iter();
    let mut others = others.filter(|other| !std::ptr::eq(*other, workload));
    let own = workload.targets();
    others.all(|other| {
        let is_elsewhere = other.targets().iter().all(|target| !own.contains(target));
        other.survey().is_some() && is_elsewhere
    })
}

/// What has no meaning at places that are measured one by one.
fn beyond(workload: &Workload) -> [(bool, &'static str); 9] {
    let limits = &workload.limits;
    let durability = &workload.durability;
    [
        (workload.threads > 1, "threads beside its own"),
        (workload.files.uses.len() > 1, "second target"),
        (
            workload.verify.is_some() && workload.seal().is_none(),
            "checking of what was written",
        ),
        (workload.timing.steady.is_some(), "rule of steadiness"),
        (workload.timing.ramp.0 > 0, "ramp"),
        (workload.timing.starts_after.0 > 0, "start of its own"),
        (
            limits.bytes.is_some() || limits.ios.is_some() || limits.repeats > 0,
            "limit of bytes, I/Os or repetitions: its places are its limit",
        ),
        (
            durability.fsync_every.is_some() || durability.fdatasync_every.is_some(),
            "flush after so many writes (a final flush ends each place)",
        ),
        (
            workload.recording != Recording::default(),
            "recording beside that of its places",
        ),
    ]
}

fn check_operations(workload: &Workload, survey: &Survey) -> Result<(), SurveyError> {
    match workload.operations.single() {
        Some(Operation::Write) if survey.write_back => match survey.sample {
            Sample::Time(_) => Err(SurveyError::WriteBackForTime),
            Sample::Bytes(_) | Sample::Whole => Ok(()),
        },
        Some(Operation::Read) if survey.write_back => Err(SurveyError::NothingToWriteBack),
        Some(Operation::Read | Operation::Write) => Ok(()),
        _ => Err(SurveyError::Mixed),
    }
}

fn check_timeout(workload: &Workload, survey: &Survey) -> Result<(), SurveyError> {
    use BackendKind::{Auto, IoUring, Libaio, Sim};
    let backend = workload.backend;
    match survey.timeout {
        Some(_) if workload.operations.changes_data() => Err(SurveyError::TimeoutOfWrites),
        Some(_) if !matches!(backend, Auto | IoUring | Libaio | Sim) => {
            Err(SurveyError::TimeoutInCall { backend })
        }
        _ => Ok(()),
    }
}

/// Reads beside are of what was written before, on the way through the span.
fn check_beside(workload: &Workload, survey: &Survey, target: &Target) -> Result<(), SurveyError> {
    let Some(block) = survey.read_beside else {
        return Ok(());
    };
    let writes_on = workload.operations.single() == Some(Operation::Write)
        && survey.visit == Visit::Ascending
        && !survey.write_back;
    let is_held = (1..=workload.blocks.largest().0).contains(&block.0);
    if !writes_on || !is_held {
        let what = "reads beside, but of at most its block, and where it writes from start to end";
        return Err(SurveyError::Without { what });
    }
    let logical = Bytes(logical_bytes(target, true));
    match block.0.is_multiple_of(logical.0) {
        true => Ok(()),
        false => Err(SurveyError::Unaligned { block, logical }),
    }
}

/// What a sealed block holds is known of every byte of the span, and of nothing else.
fn check_sealed(workload: &Workload, survey: &Survey) -> Result<(), SurveyError> {
    if workload.seal().is_none() {
        return Ok(());
    }
    let visits_all = survey.visit == Visit::Ascending && survey.sample == Sample::Whole;
    let without = [
        (!visits_all, SEALED_PART),
        (survey.write_back, "sealed blocks that are written back"),
        (
            survey.approach.is_some(),
            "approach to places whose blocks are sealed",
        ),
        (
            workload.data != DataContent::Random,
            "contents of its own for blocks that are sealed",
        ),
    ];
    match without.into_iter().find(|(is_requested, _)| *is_requested) {
        Some((_, what)) => Err(SurveyError::Without { what }),
        None => Ok(()),
    }
}

fn check_visits(workload: &Workload, survey: &Survey) -> Result<(), SurveyError> {
    let block = workload.blocks.largest();
    let visit = match survey.visit {
        Visit::Ascending | Visit::Shuffled => {
            let is_empty = matches!(survey.sample, Sample::Bytes(Bytes(0)))
                || matches!(survey.sample, Sample::Time(time) if time.0 == 0);
            return match (workload.blocks.single(), is_empty) {
                (None, _) => Err(SurveyError::OneBlockSize),
                (_, true) => Err(SurveyError::EmptySample { block }),
                (Some(_), false) => Ok(()),
            };
        }
        Visit::Random => "random",
        Visit::Butterfly => "butterfly",
    };
    if survey.sample != Sample::Bytes(block) {
        return Err(SurveyError::OneBlock { visit, block });
    }
    if workload.depth > 1 {
        return Err(SurveyError::DepthOne { visit });
    }
    // Random ones may be of any size.
    if survey.visit == Visit::Butterfly && workload.blocks.single().is_none() {
        return Err(SurveyError::OneBlockSize);
    }
    if survey.approach.is_some() {
        let what = "approach to places of one block";
        return Err(SurveyError::Without { what });
    }
    Ok(())
}

fn check_room(workload: &Workload, survey: &Survey, target: &Target) -> Result<(), SurveyError> {
    let (smallest, block) = (workload.blocks.smallest(), workload.blocks.largest());
    // A file may turn out to be read through the page cache, which takes any block.
    let is_strict = match workload.direct {
        DirectMode::On => true,
        DirectMode::Off => false,
        DirectMode::Auto => !matches!(target, Target::File(file) if file.is_regular()),
    };
    let logical = Bytes(logical_bytes(target, true));
    let is_aligned = [smallest, block]
        .iter()
        .all(|size| size.0.is_multiple_of(logical.0));
    if !is_aligned && is_strict {
        let block = smallest;
        return Err(SurveyError::Unaligned { block, logical });
    }
    if let Some(approach) = survey.approach
        && !(1..=BLOCK_BYTES_MAX).contains(&approach.0)
    {
        let most = Bytes(BLOCK_BYTES_MAX);
        return Err(SurveyError::Approach { approach, most });
    }
    for file_use in uses(workload) {
        let length = Bytes(stretch_of(&file_use, target.size()).length);
        let needed = u128::from(block.0) * u128::from(survey.sample_count);
        if survey.sample == Sample::Whole && needed > u128::from(length.0) {
            return Err(SurveyError::TooManySamples {
                sample_count: survey.sample_count,
                block,
                length,
            });
        }
    }
    Ok(())
}
