//! A burn-in for people: what it will take, and what has come of each disk.

use sokudo_model::{
    BurnIn, BurnInDisk, BurnInWork, Bytes, Nanos, Run, RunAnswer, SelfTest, SelfTestResult, narrow,
};
use sokudo_report::article::Article;
use sokudo_report::assessment_table::{self, JudgedDisk};
use sokudo_report::disk_words;
use sokudo_report::document::RunDocument;
use sokudo_report::number::{BYTES_PER_MB, decimal_size};
use sokudo_report::table::{Cell, Table, left, right};
use sokudo_report::view::ShownView;
use sokudo_report::wording::duration;
use sokudo_words::{Text, text};

use crate::rows::writing_cost::{time_of, wear};

const LEGEND: &str = "Written, read back: in all passes, with the mean rate while all disks worked. \
    Wrong: blocks that did not hold what was written to them. Failed: bytes that could not be \
    written or read. Slow: places that took far longer than others each time. Health: what the drive \
    says of itself at the end.";

/// What a burn-in takes, before it is begun.
#[derive(Clone, Debug)]
pub(crate) struct BurnInEstimate {
    /// The disks, as they were named.
    pub disks: Vec<BurnInDiskEstimate>,
    /// How often everything is still written and read back, at most.
    pub passes: u32,
    /// Nothing wears, and the time is virtual.
    pub is_virtual: bool,
}

/// What it takes of one disk.
#[derive(Clone, Debug)]
pub(crate) struct BurnInDiskEstimate {
    /// As it was named, and which it is.
    pub name: Text,
    /// Capacity of the disk, or size of the test file.
    pub size: Bytes,
    /// How fast it is taken to be, sequentially.
    pub assumed_bytes_per_s: u64,
    /// What that is taken from, such as `an NVMe drive`.
    pub assumed_of: Text,
    /// Whether its cells may wear.
    pub wears: bool,
}

impl BurnInDiskEstimate {
    fn time(&self, passes: u32) -> Nanos {
        // Written, and read back.
        let bytes = u128::from(self.size.0) * u128::from(passes) * 2;
        time_of(bytes, self.assumed_bytes_per_s)
    }
}

impl BurnInEstimate {
    /// One sentence a line, without an end.
    pub(crate) fn lines(&self) -> Vec<Text> {
        let passes = self.passes;
        let of_disk = |disk: &BurnInDiskEstimate| {
            let size = Text::name(decimal_size(disk.size, 3));
            let (name, rate) = (disk.name.clone(), disk.assumed_bytes_per_s / 1_000_000);
            let time = duration(disk.time(passes));
            let of = disk.assumed_of.clone();
            match passes {
                1 => text!(
                    "{name}: all {size} will be written and read back, and everything on it is lost; expected: {time} at {rate} MB/s, as for {of}, without its own tests"
                ),
                _ => text!(
                    "{name}: all {size} will be written and read back {passes} times, and everything on it is lost; expected: {time} at {rate} MB/s, as for {of}, without its own tests"
                ),
            }
        };
        let mut lines: Vec<Text> = self.disks.iter().map(of_disk).collect();
        if !self.is_virtual && self.disks.iter().any(|disk| disk.wears) {
            lines.push(wear(f64::from(passes)));
        }
        lines
    }
}

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    document.burn_in.as_ref()?;
    Some(&ShownBurnIn)
}

struct ShownBurnIn;

impl ShownView for ShownBurnIn {
    fn add_answer<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
    ) -> Option<RunAnswer> {
        let disks = assessment_table::judged_disks(document);
        let table = table(document, document.burn_in.as_ref()?, &disks).noted(LEGEND);
        assessment_table::add_all(article, &disks, table)
    }

    fn add_sources<'a>(&'a self, article: &mut Article<'a>, document: &'a RunDocument) {
        let disks = document.burn_in.iter().flat_map(|it| &it.disks);
        let points = disks.flat_map(|disk| &disk.assessment.points);
        assessment_table::add_sources(article, points);
    }

    fn has_brief_figures(&self) -> bool {
        false
    }
}

fn table(run: &Run, burn_in: &BurnIn, disks: &[JudgedDisk<'_>]) -> Table {
    let size = |work: &BurnInWork| Some(Cell::Name(decimal_size(work.done, 3)));
    let rate = |work: &BurnInWork| Some(Cell::rate(work.bytes_per_s()? / BYTES_PER_MB));
    let rows: Vec<(JudgedDisk<'_>, &BurnInDisk)> =
        disks.iter().copied().zip(&burn_in.disks).collect();
    assessment_table::identified(Table::of(&rows), run, |(disk, _)| *disk)
        .column(right("Written"), move |(_, disk)| size(&disk.written))
        .column(right("MB/s").rank(2), move |(_, disk)| rate(&disk.written))
        .column(right("Read back"), move |(_, disk)| size(&disk.read_back))
        .column(right("MB/s").rank(2), move |(_, disk)| {
            rate(&disk.read_back)
        })
        .column(right("Wrong"), |(_, disk)| {
            Some(Cell::Name(disk.wrong_blocks.to_string()))
        })
        .column(right("Failed"), |(_, disk)| {
            let failed = disk.unwritable.bytes.max(disk.unreadable.bytes);
            Some(Cell::Name(match failed.0 {
                0 => "0".to_owned(),
                _ => failed.to_string(),
            }))
        })
        .column(right("Slow").rank(1), |(_, disk)| {
            Some(Cell::Name(disk.slow_samples.to_string()))
        })
        .column(left("Self-test").rank(1), |(disk, _)| {
            self_test(burn_in.tests_of(narrow(disk.target)))
        })
        .column(left("Health").rank(3), |(disk, _)| {
            let drives = burn_in.after.iter();
            let drives = drives.filter(|it| narrow::<u32, usize>(it.target) == disk.target);
            let states = drives.map(|it| it.health.state);
            let worst = states.max_by_key(|state| *state as u8)?;
            Some(Text::from(disk_words::health(worst)))
        })
        .table()
}

/// The gravest result of a disk's own tests; `None` where none was made.
fn self_test<'a>(tests: impl Iterator<Item = &'a SelfTest>) -> Option<Text> {
    let rank = |result: SelfTestResult| match result {
        SelfTestResult::Failed => 4,
        SelfTestResult::Aborted => 3,
        SelfTestResult::Unknown => 2,
        SelfTestResult::Absent => 1,
        SelfTestResult::Passed => 0,
    };
    let worst = tests.map(|test| test.result).max_by_key(|it| rank(*it))?;
    Some(Text::from(match worst {
        SelfTestResult::Passed => "passed",
        SelfTestResult::Failed => "not passed",
        SelfTestResult::Aborted => "aborted",
        SelfTestResult::Absent => "has none",
        SelfTestResult::Unknown => "unknown",
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_flash_is_said_to_wear() {
        let lines = |wears| {
            let disk = BurnInDiskEstimate {
                name: "/dev/sdb (MODEL, serial S1)".into(),
                size: Bytes(1_000_000_000),
                assumed_bytes_per_s: 100_000_000,
                assumed_of: "a drive".into(),
                wears,
            };
            let estimate = BurnInEstimate {
                disks: vec![disk],
                passes: 1,
                is_virtual: false,
            };
            let lines = estimate.lines().into_iter();
            lines.map(|line| line.english()).collect::<Vec<_>>()
        };
        let (flash, turning) = (lines(true), lines(false));
        assert!(flash[1].starts_with("flash wears"), "{flash:?}");
        assert_eq!(turning, flash[..1]);
        assert!(turning[0].starts_with("/dev/sdb (MODEL, serial S1): all "));
    }
}
