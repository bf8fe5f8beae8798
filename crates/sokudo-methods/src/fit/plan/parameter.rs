//! What is said of a question behind its name: `video:dpx-4k@24`, `backup:2TB/8`.

use std::ops::RangeInclusive;

use sokudo_model::{Bytes, FitLimit, FitMetric, FitSide, Nanos, Rate};
use sokudo_words::{Text, text};

use crate::fit::plan::table::{Count, DirectionWord, QuestionTable, SIZE_MAX, SizeWithin};

/// A frame is a file of its own, which takes whole blocks of a file system.
const FILE_BLOCK: u64 = 4_096;
/// Frames of a test file. Players and recorders come back to none, but the file has an end.
const FRAMES: u64 = 64;

const FRAMES_PER_SECOND: RangeInclusive<f64> = 1.0..=1_000.0;
const HOURS: RangeInclusive<f64> = 0.001..=10_000.0;
const SIZES: RangeInclusive<Bytes> = Bytes::mib(1)..=Bytes(SIZE_MAX);

/// What is said behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Frames,
    SizeInHours,
    SizeInTime,
    Model,
}

/// Frames of a video.
struct FrameFormat {
    name: &'static str,
    width: u64,
    height: u64,
    /// So many pixels of a line are packed together, the last ones of a line filled up, into so many bytes.
    pixels_in_bytes: (u64, u64),
    /// What stands before them.
    header: u64,
}

const fn format(
    name: &'static str,
    [width, height]: [u64; 2],
    pixels_in_bytes: (u64, u64),
    header: u64,
) -> FrameFormat {
    FrameFormat {
        name,
        width,
        height,
        pixels_in_bytes,
        header,
    }
}

/// DPX: 10 bits of three colours in 4 bytes; 12 bits in 6 bytes, filled up to 16 bits each.
/// v210: 10 bits, 4:2:2, 48 pixels in 128 bytes.
const FORMATS: [FrameFormat; 6] = [
    format("dpx-2k", [2_048, 1_556], (1, 4), 2_048),
    format("dpx-4k", [4_096, 3_112], (1, 4), 2_048),
    format("dpx-uhd", [3_840, 2_160], (1, 4), 2_048),
    format("dpx12-4k", [4_096, 3_112], (1, 6), 2_048),
    format("v210-hd", [1_920, 1_080], (48, 128), 0),
    format("v210-uhd", [3_840, 2_160], (48, 128), 0),
];

/// How an accelerator takes training data.
struct Model {
    name: &'static str,
    /// Samples that are computed together.
    batch: u64,
    sample_bytes: u64,
    /// How long that takes.
    computation: Nanos,
    /// The part of the time that has to be computed in.
    utilization: f64,
    read_threads: u32,
}

const fn model(
    name: &'static str,
    [batch, sample_bytes]: [u64; 2],
    computation: Nanos,
    utilization: f64,
    read_threads: u32,
) -> Model {
    Model {
        name,
        batch,
        sample_bytes,
        computation,
        utilization,
        read_threads,
    }
}

const MODELS: [Model; 4] = [
    model(
        "unet3d-h100",
        [7, 146_600_628],
        Nanos::from_millis(323),
        0.9,
        4,
    ),
    model(
        "resnet50-h100",
        [400, 114_660],
        Nanos::from_millis(224),
        0.9,
        8,
    ),
    model(
        "cosmoflow-h100",
        [1, 2_828_486],
        Nanos::from_micros(3_500),
        0.7,
        4,
    ),
    model(
        "retinanet-b200",
        [24, 322_957],
        Nanos::from_micros(47_550),
        0.85,
        8,
    ),
];

impl Parameter {
    /// Of the questions that sokudo knows by itself.
    pub(super) fn of(question: &str) -> Option<Self> {
        Some(match question {
            "video" => Self::Frames,
            "backup" => Self::SizeInHours,
            "checkpoint" => Self::SizeInTime,
            "dataloader" => Self::Model,
            _ => return None,
        })
    }

    /// As it is shown.
    pub(super) const fn form(self) -> &'static str {
        match self {
            Self::Frames => "FORMAT@FPS",
            Self::SizeInHours => "SIZE/HOURS",
            Self::SizeInTime => "SIZE[/TIME]",
            Self::Model => "MODEL",
        }
    }

    /// What a question is asked of, put into its rows and thresholds; `None` where it cannot be read.
    pub(super) fn put_into(self, question: &mut QuestionTable, given: &str) -> Option<()> {
        match self {
            Self::Frames => {
                let (format, rate) = given.split_once('@')?;
                let format = FORMATS.iter().find(|it| it.name == format)?;
                let rate = number(rate, FRAMES_PER_SECOND)?;
                frames(question, format, rate);
            }
            Self::SizeInHours => {
                let (size, hours) = given.split_once('/')?;
                let seconds = number(hours, HOURS)? * 3_600.0;
                at_least(question, size_of(size)?.0, seconds);
            }
            Self::SizeInTime => {
                let (size, time) = match given.split_once('/') {
                    Some((size, time)) => (size, Some(time)),
                    None => (given, None),
                };
                let size = size_of(size)?;
                for row in &mut question.rows {
                    (row.size, row.amount) = (SizeWithin(size), Some(SizeWithin(size)));
                }
                if let Some(time) = time {
                    let time: Nanos = time.parse().ok().filter(|time: &Nanos| time.0 > 0)?;
                    at_least(question, size.0, time.as_secs_f64());
                }
            }
            Self::Model => {
                let model = MODELS.iter().find(|it| it.name == given)?;
                for row in &mut question.rows {
                    row.jobs = Count(model.read_threads);
                }
                let batch = model.batch * model.sample_bytes;
                at_least(
                    question,
                    batch,
                    model.computation.as_secs_f64() / model.utilization,
                );
            }
        }
        Some(())
    }

    /// What can be written in the place of a parameter, in words.
    pub(super) fn choices(self) -> Text {
        match self {
            Self::Frames => {
                text!(
                    "{}, such as dpx-4k@24; formats: {}",
                    self.form(),
                    FORMATS.map(|it| it.name).join(", ")
                )
            }
            Self::SizeInHours => text!("{}, such as 2TB/8", self.form()),
            Self::SizeInTime => text!("{}, such as 105GB or 105GB/2m", self.form()),
            Self::Model => {
                text!("{}: {}", self.form(), MODELS.map(|it| it.name).join(", "))
            }
        }
    }
}

fn number(text: &str, bounds: RangeInclusive<f64>) -> Option<f64> {
    text.parse().ok().filter(|number| bounds.contains(number))
}

fn size_of(text: &str) -> Option<Bytes> {
    text.parse().ok().filter(|size| SIZES.contains(size))
}

/// Rows of frames at their rate.
#[expect(clippy::cast_possible_truncation, reason = "whole frames and bytes")]
fn frames(question: &mut QuestionTable, format: &FrameFormat, per_second: f64) {
    let (pixels, bytes) = format.pixels_in_bytes;
    let line = format.width.div_ceil(pixels) * bytes;
    let frame = (line * format.height + format.header).next_multiple_of(FILE_BLOCK);
    for row in &mut question.rows {
        row.block = SizeWithin(Bytes(frame));
        row.size = SizeWithin(Bytes(frame * FRAMES));
        row.rate = Some(Rate::BytesPerSecond(
            (frame as f64 * per_second).round() as u64
        ));
        row.ios = Some((row.time.0.as_secs_f64() * per_second).ceil() as u64);
    }
}

/// Every bandwidth without a threshold has to be so much in so many seconds.
#[expect(clippy::cast_possible_truncation, reason = "whole bytes per second")]
fn at_least(question: &mut QuestionTable, bytes: u64, seconds: f64) {
    let limit = FitLimit {
        must_be: FitSide::AtLeast,
        value: (bytes as f64 / seconds).round() as u64,
    };
    let has_write = |direction| direction == DirectionWord::Write;
    let written = question.rows.iter().any(|row| has_write(row.direction));
    for row in &mut question.rows {
        // What is written and read back is asked to be written in time.
        if written && !has_write(row.direction) {
            continue;
        }
        for figure in &mut row.figures {
            if figure.metric == FitMetric::Bandwidth && figure.limit.is_none() {
                figure.limit = Some(limit);
            }
        }
    }
}
