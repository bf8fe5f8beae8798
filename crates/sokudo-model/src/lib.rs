//! The words of sokudo as plain data with units: what to do ([`Plan`]), what
//! happens while it is done ([`Event`]), what happened ([`Run`]), what it was
//! done to ([`TargetInfo`]) and what is thought of it ([`Finding`]).
//!
//! Every front end ends in a [`Plan`] and every output starts from a [`Run`].
//! This crate holds data only: it does no I/O, measures nothing, judges nothing.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

#[macro_use]
mod named;

pub mod attachment;
pub mod burn_in;
mod burn_in_rows;
mod calendar;
pub mod capacity;
mod compact;
pub mod comparison;
pub mod conditions;
mod countable;
pub mod course;
mod cpu_use;
pub mod disk;
mod disk_assessment;
pub mod effects;
pub mod enough;
pub mod event;
pub mod fill;
pub mod finding;
pub mod fingerprint;
pub mod fit;
mod host;
pub mod hosts;
pub mod identity;
pub mod imported;
pub mod inference;
pub mod interval_rates;
mod job_target;
mod json;
pub mod label;
mod layout;
mod listed;
pub mod load;
pub mod matrix;
pub mod merge;
pub mod method;
mod narrow;
pub mod occupancy;
mod parts;
pub mod plan;
pub mod reported;
pub mod run;
mod run_answer;
pub mod self_test;
pub mod sentences;
pub mod sharing;
mod spent;
pub mod state;
mod steady;
pub mod stop;
pub mod target;
mod together;
pub mod trial;
mod turns;
pub mod units;

pub use attachment::{Attachment, AttachmentKind};
pub use burn_in::{
    BurnIn, BurnInDisk, BurnInTests, BurnInWork, DriveHealth, FailedRanges, WrongBlock,
};
pub use burn_in_rows::slow_samples;
pub use calendar::{civil_date, day_since_1970};
pub use capacity::{CapacityCheck, CheckedSample, Held, SharedBlocks};
pub use comparison::{
    Change, Compared, ComparisonTest, Conclusion, Effect, PartDifference, RunsDiffer,
};
pub use conditions::{
    ArrayState, Conditions, DriveConditions, ForeignUse, ForeignUser, Heat, IoLimit, PowerSettings,
    Pressure, ProcessorEvidence, Throttling,
};
pub use countable::{COUNTED_MAX, are_countable};
pub use course::{COURSE_MOMENTS_MAX, Course, CourseMoment};
pub use cpu_use::CpuUse;
pub use disk::Disk;
pub use disk_assessment::{
    AssessedDisk, AssessedPoint, DiskAnswer, DiskAssessment, LOOKED_AT, POSSIBLE_FAKE,
    UNCHECKED_CAPACITY, UNKNOWN_HEALTH, UNREAD_BLOCKS,
};
pub use effects::{
    CellLevel, CellRate, CombinationEffect, EffectRatio, MatrixEffects, MatrixFigures, PairEffect,
    RowEffects, RowOfMatrix,
};
pub use enough::Enough;
pub use event::{Event, Phase, Probe, StuckIo};
pub use fill::{Fill, FillCollapse, FillCurve, FillReads, FillRest, FillStretch};
pub use finding::{Assessment, Finding, Severity, Steadiness, Verdict};
pub use fingerprint::{BackendClass, DirectUse, PlanData, PlanPart, PlanParts, SurveyedSamples};
pub use fit::{FitCriterion, FitLimit, FitMetric, FitQuestion, FitSide, UnknownMetric};
pub use host::{Host, HostLost};
pub use hosts::{HostRates, RankTrial};
pub use imported::{ImportedRow, ImportedRun, ImportedTarget};
pub use inference::{Confidence, Inference, InferredFigure};
pub use interval_rates::IntervalRates;
pub use job_target::{Allocation, JobTargetKind};
pub use label::{
    LABEL_CHARACTERS_MAX, hosts_of_tags, hosts_tag, is_label, label_of_tags, label_tag,
};
pub use layout::Layout;
pub use listed::ListedRow;
pub use load::{LatencyLimit, Percentile, RateKept, Standing};
pub use matrix::{
    Ageing, FileSystemKind, MatrixAxis, MatrixCell, MatrixPlan, RaidBy, RaidLevel, RaidPlan,
    VolumeOptions, VolumePlan,
};
pub use merge::{FAILURE_KINDS_MAX, count_failure};
pub use method::{Method, MethodKind, MethodTrait, ScheduleName};
pub use narrow::narrow;
pub use occupancy::{Occupancy, Occupant, Users};
pub use plan::{
    BackendKind, Batching, BlockChoice, BlockShare, BlockSizes, BufferMemory, Check, CpuPolicy,
    DataContent, DirectMode, Distribution, DriveCache, Durability, EndsOthers, Estimand, FileOrder,
    FileService, FileTree, FileUse, Files, IssueOptions, LatencyLog, LeastRates, Limits, Measures,
    Operation, OperationMix, Order, Pacing, PatternPart, Plan, Rate, RateProcess, Rates, Recording,
    Reducible, Sample, Scatter, SequentialOffset, Span, Stage, SteadyFigure, SteadyLimit,
    SteadyRule, Subject, Survey, SurveyPosition, Think, TreeContents, TreeNames, TreeOrder, Verify,
    Visit, Work, Workload, WorkloadTiming, WriteCheck, Zone, ZoneLength,
};
pub use reported::{
    Correction, ImportedFigure, ImportedLatency, ImportedRate, Origin, Provenance, Reported,
    ReportedSample,
};
pub use run::{Run, RunPart, Schedule};
pub use run_answer::RunAnswer;
pub use self_test::{SelfTest, SelfTestKind, SelfTestResult};
pub use sentences::with_texts_as_data;
pub use sharing::{Contention, SharedRates, SharingDisk, SharingTest};
pub use spent::Spent;
pub use state::{Doing, RunState};
pub use steady::{
    RoundFigure, SteadyClass, SteadyEstimate, SteadyLabel, SteadyPhase, SteadyPhaseKind,
    SteadyProcedure, SteadyTest, SteadyWindow, WindowLook,
};
pub use stop::{STOP_LOOK, StopCause, StopFigure, StopRule, UnknownStopRule};
pub use target::{
    BlockDevice, BlockDeviceKind, DeviceCounters, DeviceMarks, DirectIoSupport, FileState,
    FileSystem, HostEnvironment, TargetInfo, TargetKind,
};
pub use trial::{
    BackendFeature, BackendUse, CpuTime, Defect, Depths, FailureKind, GroupCount, HistogramPoint,
    HostTrial, IoFailure, LogPoint, Logs, Mismatch, MismatchKind, Moved, OperationTally, Outcome,
    Row, SLOW_IOS_MAX, SeriesPoint, SlowIo, SlowSpot, SlowSpots, SteadyOutcome, StopReason,
    SurveySample, ThreadUsage, Trial, TrialEvidence, TrialSeries, TrialTogether, VerifyOutcome,
    Window, weighed,
};
pub use turns::{BackendsCompared, Faster, IssueWay, IssueWayTried, PagesCompared, PairRatios};
pub use units::{Bytes, Nanos, ParseSizeError};
