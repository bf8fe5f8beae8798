//! Faults on demand: medium errors, places that are slow or hang, bits that change unnoticed, a
//! drive that vanishes, a drive that holds everything for a while. They make the engine's handling of bad disks testable
//! without a bad disk.

use std::ops::Range;

use rustix::io::Errno;
use sokudo_model::{Bytes, Nanos};
use sokudo_words::text;

use super::PendingRequest;
use super::spec::{Spec, SpecError, SpecValue as _};

/// Bad places are searched one by one for every request.
const BAD_EXTENTS_MAX: usize = 16;

/// Nobody waits for longer.
const YEAR: Nanos = Nanos::from_secs(365 * 86_400);

/// The largest error number that Linux can return.
const ERRNO_MAX: i32 = 4095;

/// What goes wrong, and where or when.
#[derive(Debug)]
pub(super) struct SimulatedFaults {
    bad_extents: Vec<BadExtent>,
    held_extents: Vec<HeldExtent>,
    /// What is read there is not what was written, without an error.
    rotten_extents: Vec<Range<u64>>,
    vanish_ns: Option<u64>,
    stall: Option<Stall>,
}

#[derive(Debug)]
struct BadExtent {
    offset: u64,
    /// The byte after its last.
    end: u64,
    errno: i32,
}

/// A place at which a request takes so long, whatever else the drive does.
#[derive(Debug)]
struct HeldExtent {
    offset: u64,
    end: u64,
    for_ns: u64,
    /// Only the first request does.
    once: bool,
}

/// From `at_ns` for `for_ns` the drive's own time stands still.
#[derive(Clone, Copy, Debug)]
struct Stall {
    at_ns: u64,
    for_ns: u64,
}

impl SimulatedFaults {
    /// Reads `fail_at=OFFSET:ERRNO` or `fail_at=OFFSET+LENGTH:ERRNO` (several times, if
    /// wanted),
    /// `vanish_after=TIME` and `stall=AT:FOR`.
    pub(super) fn parse(spec: &mut Spec) -> Result<Self, SpecError> {
        let bad_extents = spec
            .all("fail_at")
            .into_iter()
            .map(|text| parse_bad_extent(text).ok_or_else(|| not_a_bad_extent(text)))
            .collect::<Result<Vec<_>, _>>()?;
        check_count("fail_at", bad_extents.len())?;
        let held_extents = held_extents(spec)?;
        let rotten_extents = rotten_extents(spec)?;
        let vanish_ns = spec
            .text("vanish_after")?
            .map(|text| time_ns("vanish_after", text, Nanos::EXPECTED))
            .transpose()?;
        let stall = spec.text("stall")?.map(parse_stall).transpose()?;
        Ok(Self {
            bad_extents,
            held_extents,
            rotten_extents,
            vanish_ns,
            stall,
        })
    }

    /// How long the drive holds a request at a place that is slow.
    pub(super) fn held_ns(&mut self, job: &PendingRequest) -> Option<u64> {
        let is_there = |extent: &HeldExtent| {
            job.moved_bytes() > 0
                && extent.offset < job.offset + job.bytes
                && job.offset < extent.end
        };
        let index = self.held_extents.iter().position(is_there)?;
        let extent = &self.held_extents[index];
        let held_ns = extent.for_ns;
        if extent.once {
            self.held_extents.swap_remove(index);
        }
        Some(held_ns)
    }

    /// The error of a medium that cannot be read or written at some byte of this
    /// request.
    pub(super) fn medium_error(&self, job: &PendingRequest) -> Option<i32> {
        self.bad_extents
            .iter()
            .find(|extent| extent.offset < job.offset + job.bytes && job.offset < extent.end)
            .map(|extent| extent.errno)
    }

    /// Whether a byte has changed since it was written, and up to where that is so.
    pub(super) fn rot_at(&self, offset: u64) -> (bool, u64) {
        let mut ranges = self.rotten_extents.iter();
        if let Some(range) = ranges.find(|range| range.contains(&offset)) {
            return (true, range.end);
        }
        let starts = self.rotten_extents.iter().map(|range| range.start);
        let next = starts.filter(|start| *start > offset).min();
        (false, next.unwrap_or(u64::MAX))
    }

    /// Whether the drive is gone at this instant.
    pub(super) fn has_vanished(&self, now: Nanos) -> bool {
        self.vanish_ns.is_some_and(|vanish_ns| now.0 >= vanish_ns)
    }

    /// The drive's own time at an instant of the outside world.
    pub(super) fn drive_ns(&self, now: Nanos) -> u64 {
        match self.stall {
            Some(stall) if now.0 >= stall.at_ns => {
                stall.at_ns + now.0.saturating_sub(stall.at_ns + stall.for_ns)
            }
            _ => now.0,
        }
    }

    /// The last instant of the drive's own time that is wholly past; `None`
    /// before the first. While it stands still that is the one before the stall,
    /// so that nothing ends during it.
    pub(super) fn past_ns(&self, now: Nanos) -> Option<u64> {
        match self.stall {
            Some(stall) if (stall.at_ns..stall.at_ns + stall.for_ns).contains(&now.0) => {
                stall.at_ns.checked_sub(1)
            }
            _ => Some(self.drive_ns(now)),
        }
    }

    /// When an instant of the drive's own time comes in the outside world.
    pub(super) fn outside(&self, drive_ns: u64) -> Nanos {
        match self.stall {
            Some(stall) if drive_ns >= stall.at_ns => Nanos(drive_ns + stall.for_ns),
            _ => Nanos(drive_ns),
        }
    }
}

/// Reads `slow_at=OFFSET[+LENGTH]:TIME`, `slow_once_at=…` and `hang_at=OFFSET[+LENGTH]`.
fn held_extents(spec: &mut Spec) -> Result<Vec<HeldExtent>, SpecError> {
    let mut extents = Vec::new();
    for (key, once) in [("slow_at", false), ("slow_once_at", true)] {
        for text in spec.all(key) {
            const EXPECTED: &str = "an offset and a time such as 1GiB:2s or 1GiB+64KiB:500ms";
            let extent = text.split_once(':').and_then(|(range, time)| {
                let (offset, end) = parse_range(range)?;
                let for_ns = time_ns(key, time, EXPECTED).ok()?;
                Some(HeldExtent {
                    offset,
                    end,
                    for_ns,
                    once,
                })
            });
            extents.push(extent.ok_or_else(|| SpecError::not_a_value(key, text, EXPECTED))?);
        }
    }
    for text in spec.all("hang_at") {
        const EXPECTED: &str = "an offset such as 1GiB or 1GiB+64KiB";
        let range = parse_range(text);
        let (offset, end) =
            range.ok_or_else(|| SpecError::not_a_value("hang_at", text, EXPECTED))?;
        extents.push(HeldExtent {
            offset,
            end,
            for_ns: YEAR.0,
            once: false,
        });
    }
    Ok(extents)
}

fn check_count(key: &'static str, count: usize) -> Result<(), SpecError> {
    if count <= BAD_EXTENTS_MAX {
        return Ok(());
    }
    Err(SpecError::OutOfRange {
        key,
        value: format!("… ({count} times)"),
        least: Box::new("none".into()),
        most: Box::new(text!("{} of them", BAD_EXTENTS_MAX)),
    })
}

/// Reads `rot_at=OFFSET[+LENGTH]`, several times, if wanted.
fn rotten_extents(spec: &mut Spec) -> Result<Vec<Range<u64>>, SpecError> {
    const EXPECTED: &str = "an offset such as 1GiB or 1GiB+64KiB";
    let texts = spec.all("rot_at");
    check_count("rot_at", texts.len())?;
    let range_of = |text: &str| {
        let (offset, end) =
            parse_range(text).ok_or_else(|| SpecError::not_a_value("rot_at", text, EXPECTED))?;
        Ok(offset..end)
    };
    texts.into_iter().map(range_of).collect()
}

/// Reads `OFFSET` or `OFFSET+LENGTH` as begin and end; the length is 1 byte if absent.
fn parse_range(range: &str) -> Option<(u64, u64)> {
    let (offset, length) = range.split_once('+').unwrap_or((range, "1"));
    let Bytes(offset) = offset.parse().ok()?;
    let Bytes(length) = length.parse().ok()?;
    let end = offset.checked_add(length).filter(|end| *end > offset)?;
    Some((offset, end))
}

fn parse_bad_extent(text: &str) -> Option<BadExtent> {
    let (range, errno) = text.split_once(':')?;
    let (offset, end) = parse_range(range)?;
    let errno = match errno {
        "EIO" => Errno::IO.raw_os_error(),
        "ENODATA" => Errno::NODATA.raw_os_error(),
        "ENODEV" => Errno::NODEV.raw_os_error(),
        "ENOSPC" => Errno::NOSPC.raw_os_error(),
        "EREMOTEIO" => Errno::REMOTEIO.raw_os_error(),
        "ETIMEDOUT" => Errno::TIMEDOUT.raw_os_error(),
        "EILSEQ" => Errno::ILSEQ.raw_os_error(),
        number => number.parse().ok()?,
    };
    (1..=ERRNO_MAX)
        .contains(&errno)
        .then_some(BadExtent { offset, end, errno })
}

fn not_a_bad_extent(text: &str) -> SpecError {
    const EXPECTED: &str = "an offset and an error such as 1GiB:EIO, 1GiB+64KiB:ENODATA or 1GiB:5";
    SpecError::not_a_value("fail_at", text, EXPECTED)
}

fn parse_stall(text: &str) -> Result<Stall, SpecError> {
    const EXPECTED: &str = "an instant and a length such as 10s:200ms";
    let (at, length) = text.split_once(':').unwrap_or((text, ""));
    Ok(Stall {
        at_ns: time_ns("stall", at, EXPECTED)?,
        for_ns: time_ns("stall", length, EXPECTED)?,
    })
}

/// A time of at most a year, so that sums of times cannot overflow.
fn time_ns(key: &'static str, text: &str, expected: &'static str) -> Result<u64, SpecError> {
    match text.parse::<Nanos>() {
        Ok(time) if time <= YEAR => Ok(time.0),
        _ => Err(SpecError::not_a_value(key, text, expected)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_during_a_stall() {
        let faults = SimulatedFaults {
            bad_extents: Vec::new(),
            held_extents: Vec::new(),
            rotten_extents: Vec::new(),
            vanish_ns: None,
            stall: Some(Stall {
                at_ns: 100,
                for_ns: 50,
            }),
        };
        for (outside, drive, past) in [
            (99, 99, 99),
            (100, 100, 99),
            (149, 100, 99),
            (150, 100, 100),
            (160, 110, 110),
        ] {
            assert_eq!(faults.drive_ns(Nanos(outside)), drive, "{outside}");
            assert_eq!(faults.past_ns(Nanos(outside)), Some(past), "{outside}");
        }
        assert_eq!(faults.outside(99), Nanos(99));
        assert_eq!(faults.outside(100), Nanos(150));
    }

    #[test]
    fn errors_are_known_by_name_and_number() {
        assert_eq!(parse_bad_extent("4K:EIO").unwrap().errno, 5);
        assert_eq!(parse_bad_extent("4K:61").unwrap().errno, 61);
        let extent = parse_bad_extent("4K+1MiB:EIO").unwrap();
        assert_eq!((extent.offset, extent.end), (4096, 4096 + (1 << 20)));
        for text in [
            "4K+0:EIO", "4K+:EIO", "4K", "4K:", "4K:0", "4K:-5", "4K:EWHAT", "x:EIO", "1:9999",
        ] {
            assert!(parse_bad_extent(text).is_none(), "{text}");
        }
    }
}
