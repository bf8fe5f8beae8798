//! Options that say where I/O goes and on which processors: `-r`, `-s`, `-a`.

use sokudo_model::Bytes;

use crate::diskspd::session::DiskspdDistribution;

use super::apply::{AppliedOptions, bad};
use super::error::{DiskspdError, DiskspdProblem};
use super::options::{NO_GROUPS, PROCESSOR_MAX};
use super::scan::WrittenOption;
use super::value;

impl AppliedOptions {
    pub(super) fn random(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        if let Some(percent) = option.value.strip_prefix('s') {
            self.take("rs", option)?;
            let percent = value::number_within(percent, 1, 100).and_then(|p| u8::try_from(p).ok());
            let expected = "a percentage of random I/Os from 1 to 100";
            self.target.random_percent = percent.ok_or_else(|| bad(option, expected))?;
            return Ok(());
        }
        if let Some(ranges) = option.value.strip_prefix('d') {
            self.take("rd", option)?;
            self.target.distribution = Some(distribution(option, ranges, self.target.block.0)?);
            return Ok(());
        }
        self.take("r", option)?;
        if self.target.random_percent == 0 {
            self.target.random_percent = 100;
        }
        if !option.value.is_empty() {
            let size = value::size(&option.value, self.target.block.0).filter(|bytes| *bytes > 0);
            let expected = "an alignment above 0 such as 4K, or nothing for the block size";
            self.target.stride = Some(Bytes(size.ok_or_else(|| bad(option, expected))?));
        }
        Ok(())
    }

    pub(super) fn sequential(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let text = match option.value.strip_prefix('i') {
            Some(text) => {
                self.target.interlocked = true;
                text
            }
            None => &option.value,
        };
        if !text.is_empty() {
            let size = value::size(text, self.target.block.0);
            let expected = "a distance such as 64K, with i before it for -si";
            self.target.stride = Some(Bytes(size.ok_or_else(|| bad(option, expected))?));
        }
        Ok(())
    }

    pub(super) fn affinity(&mut self, option: &WrittenOption) -> Result<(), DiskspdError> {
        let grouped = option.value.contains('g');
        self.take(if grouped { "ag" } else { "a" }, option)?;
        let listed = option.value.trim_start_matches(' ');
        if listed.is_empty() || listed == "g" {
            return Ok(());
        }
        self.span.affinity.extend(processors(option, listed)?);
        Ok(())
    }
}

/// `0,1,4-7` of Linux, `g0,0,1` of Windows.
fn processors(option: &WrittenOption, listed: &str) -> Result<Vec<u32>, DiskspdError> {
    let expected = "numbers of processors, such as 0,1,4-7";
    let mut found = Vec::new();
    for part in listed.split(',') {
        if let Some(group) = part.strip_prefix('g') {
            match value::number(group) {
                Some(0) => continue,
                Some(_) => {
                    let problem = DiskspdProblem::Refused { needs: NO_GROUPS };
                    return Err(DiskspdError::new(&option.text, problem));
                }
                None => return Err(bad(option, expected)),
            }
        }
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let within = |text| value::number_within(text, 0, PROCESSOR_MAX);
        match (within(first), within(last)) {
            (Some(first), Some(last)) if first <= last => found.extend(first..=last),
            _ => return Err(bad(option, expected)),
        }
    }
    match found.is_empty() {
        true => Err(bad(option, expected)),
        false => Ok(found),
    }
}

/// Reads a distribution such as `pct90/10:0/10:5/20` or `abs90/10G:…`.
fn distribution(
    option: &WrittenOption,
    text: &str,
    block: u64,
) -> Result<DiskspdDistribution, DiskspdError> {
    let wrong = |what| DiskspdError::new(&option.text, DiskspdProblem::Distribution { what });
    let (absolute, ranges) = match (text.strip_prefix("pct"), text.strip_prefix("abs")) {
        (Some(ranges), _) => (false, ranges),
        (_, Some(ranges)) => (true, ranges),
        _ => return Err(wrong("it starts with pct or abs")),
    };
    let range = |part: &str| {
        let (share, length) = part.split_once('/')?;
        let share = u8::try_from(value::number_within(share, 0, 100)?).ok()?;
        let length = match absolute {
            true => value::size(length, block)?,
            false => u64::from(value::number_within(length, 1, 100)?),
        };
        Some((share, length))
    };
    let ranges: Option<Vec<_>> = ranges.split(':').map(range).collect();
    let ranges = ranges.ok_or_else(|| wrong("each range is a percentage of I/Os / a length"))?;
    Ok(DiskspdDistribution { absolute, ranges })
}
