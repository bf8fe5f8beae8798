//! What is said of a question behind its name: `video:dpx-4k@24`, `backup:2TB/8`.

use std::ops::RangeInclusive;

use sokudo_model::{Bytes, FitLimit, FitMetric, FitSide, Nanos, Rate};
use sokudo_words::{Text, text};

use super::table::{
    BLOCK_MAX, Count, DirectionWord, FrameFormat, Model, Parameter, QuestionTable, SIZE_MAX,
    SizeWithin,
};

/// A frame is a file of its own, which takes whole blocks of a file system.
const FILE_BLOCK: u64 = 4_096;
/// Frames of a test file. Players and recorders come back to none, but the file has an end.
const FRAMES: u64 = 64;

const FRAMES_PER_SECOND: RangeInclusive<f64> = 1.0..=1_000.0;
const HOURS: RangeInclusive<f64> = 0.001..=10_000.0;
const SIZES: RangeInclusive<Bytes> = Bytes::mib(1)..=Bytes(SIZE_MAX);

/// What a question is asked of, put into its rows and thresholds; `None` where it cannot be read.
pub(super) fn put_into(
    question: &mut QuestionTable,
    given: &str,
    formats: &[FrameFormat],
    models: &[Model],
) -> Option<()> {
    match question.parameter? {
        Parameter::Frames => {
            let (format, rate) = given.split_once('@')?;
            let format = formats.iter().find(|it| it.name.0 == format)?;
            let rate = number(rate, FRAMES_PER_SECOND)?;
            frames(question, format, rate)?;
        }
        Parameter::SizeInHours => {
            let (size, hours) = given.split_once('/')?;
            let seconds = number(hours, HOURS)? * 3_600.0;
            at_least(question, size_of(size)?.0, seconds);
        }
        Parameter::SizeInTime => {
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
        Parameter::Model => {
            let model = models.iter().find(|it| it.name.0 == given)?;
            for row in &mut question.rows {
                row.jobs = Count(model.read_threads.0);
            }
            let batch = u64::from(model.batch.0) * u64::from(model.sample_bytes.0);
            let share = f64::from(model.utilization_percent.0) / 100.0;
            at_least(question, batch, model.computation.0.as_secs_f64() / share);
        }
    }
    Some(())
}

/// What can be written in the place of a parameter, in words.
pub(super) fn choices(parameter: Parameter, formats: &[FrameFormat], models: &[Model]) -> Text {
    let list = |names: Vec<&str>| names.join(", ");
    match parameter {
        Parameter::Frames => {
            let names = formats.iter().map(|it| &*it.name.0);
            text!(
                "{}, such as dpx-4k@24; formats: {}",
                parameter.form(),
                list(names.collect())
            )
        }
        Parameter::SizeInHours => text!("{}, such as 2TB/8", parameter.form()),
        Parameter::SizeInTime => text!("{}, such as 105GB or 105GB/2m", parameter.form()),
        Parameter::Model => {
            let names = models.iter().map(|it| &*it.name.0);
            text!("{}: {}", parameter.form(), list(names.collect()))
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
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "whole frames and bytes, within bounds"
)]
fn frames(question: &mut QuestionTable, format: &FrameFormat, per_second: f64) -> Option<()> {
    let frame = format.frame_bytes().next_multiple_of(FILE_BLOCK);
    if frame > BLOCK_MAX {
        return None;
    }
    for row in &mut question.rows {
        row.block = SizeWithin(Bytes(frame));
        row.size = SizeWithin(Bytes(frame * FRAMES));
        row.rate = Some(Rate::BytesPerSecond(
            (frame as f64 * per_second).round() as u64
        ));
        row.ios = Some((row.time.0.as_secs_f64() * per_second).ceil() as u64);
    }
    Some(())
}

/// Every bandwidth without a threshold has to be so much in so many seconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a rate in whole bytes per second, of sizes below 2^53"
)]
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
