//! Self-tests of ATA disks: SMART EXECUTE OFF-LINE IMMEDIATE, SMART READ DATA, and the logs
//! 06h and 07h (ACS-4, 7.48, 9.15 and 9.16; SMART data as of ATA8-ACS).

use std::fs::File;

use sokudo_model::{Nanos, SelfTestKind};
use sokudo_sys::SelfTestOrder;
use sokudo_sys::scsi::{ScsiCommand, ask_scsi};
use sokudo_words::{Text, text};

use super::drive::{
    FATAL, STEP_UNKNOWN, STOPPED, SelfTestDrive, SelfTestEntry, SelfTestError, SelfTestProgress,
    SelfTestState, minutes,
};
use crate::page;
use crate::{ata, smart};

// Bytes of SMART READ DATA.
const STATUS_AT: usize = 363;
const CAPABILITIES_AT: usize = 367;
const SHORT_MINUTES_AT: usize = 372;
const EXTENDED_MINUTES_AT: usize = 373;
const EXTENDED_MINUTES_LONG_AT: usize = 375;

/// Bit of the capabilities that says that there are self-tests.
const HAS_SELF_TESTS: u8 = 1 << 4;

/// High half of the status while a test is under way.
const IN_PROGRESS: u8 = 0xf;

/// A log that is read through SMART READ LOG, or, where the disk lists the extended one, through
/// READ LOG EXT: only that one has room for the address of every block.
const LOG: u8 = 0x06;
const EXTENDED_LOG: u8 = 0x07;

/// How a log is laid out: descriptors of this size from this byte on, so many in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LogLayout {
    first_at: usize,
    descriptor_bytes: usize,
    per_page: u16,
    /// Bytes of the address in a descriptor, from its fifth byte on.
    address_bytes: usize,
}

const SHORT_LAYOUT: LogLayout = LogLayout {
    first_at: 2,
    descriptor_bytes: 24,
    per_page: 21,
    address_bytes: 4,
};
const EXTENDED_LAYOUT: LogLayout = LogLayout {
    first_at: 4,
    descriptor_bytes: 26,
    per_page: 19,
    address_bytes: 6,
};

/// Where the index of the newest descriptor is, which counts from 1.
const INDEX_AT: usize = 508;
const EXTENDED_INDEX_AT: usize = 2;

pub(super) struct AtaDrive {
    device: File,
    block_bytes: Option<u64>,
    short: Option<Nanos>,
    extended: Option<Nanos>,
    has_extended_log: bool,
}

/// What a log has of its newest test.
#[derive(Debug, PartialEq)]
struct Newest {
    /// `None` in an empty log.
    test: Option<LoggedTest>,
    mark: Vec<u8>,
}

#[derive(Debug, PartialEq)]
struct LoggedTest {
    status: u8,
    block: Option<u64>,
}

impl AtaDrive {
    /// Looks whether the disk has self-tests, or says why there are none.
    pub(super) fn open(disk: &str, device: File, block_bytes: Option<u64>) -> Result<Self, Text> {
        let silent = |error: SelfTestError| {
            text!("{disk} does not report whether it has self-tests: {error}")
        };
        let identify = ask(&device, &ScsiCommand::ata_identify()).map_err(silent)?;
        let identity = ata::identity(&identify).map_err(|error| silent(error.into()))?;
        if !ata::is_enabled(&identity, "SMART feature set") {
            return Err(text!(
                "{disk} has no self-test: its SMART is missing or off"
            ));
        }
        let data = smart_data(&device).map_err(silent)?;
        if data[CAPABILITIES_AT] & HAS_SELF_TESTS == 0 {
            return Err(text!(
                "{disk} has no self-test: its SMART does not offer any"
            ));
        }
        let keeps_logs = ata::is_enabled(&identity, "General Purpose Logging feature set");
        let has_extended_log = keeps_logs
            && ask(&device, &ScsiCommand::ata_log(0, 0))
                .is_ok_and(|directory| smart::log_pages(&directory, EXTENDED_LOG) > 0);
        Ok(Self {
            device,
            block_bytes,
            short: minutes(u16::from(data[SHORT_MINUTES_AT])),
            extended: extended(&data),
            has_extended_log,
        })
    }

    /// The newest test in the log; `None` where the log cannot be read.
    fn newest(&self) -> Option<Newest> {
        if !self.has_extended_log {
            let log = ask(&self.device, &ScsiCommand::ata_smart_log(LOG)).ok()?;
            return newest(&log, u16::from(*log.get(INDEX_AT)?), SHORT_LAYOUT);
        }
        let read = |page| ask(&self.device, &ScsiCommand::ata_log(EXTENDED_LOG, page)).ok();
        let mut log = read(0)?;
        let index = page::le16(&log, EXTENDED_INDEX_AT)?;
        let page = index.saturating_sub(1) / EXTENDED_LAYOUT.per_page;
        if page > 0 {
            log = read(page)?;
        }
        newest(&log, index, EXTENDED_LAYOUT)
    }
}

impl SelfTestDrive for AtaDrive {
    fn expected(&self, kind: SelfTestKind) -> Option<Nanos> {
        match kind {
            SelfTestKind::Short => self.short,
            SelfTestKind::Extended => self.extended,
        }
    }

    fn order(&self, order: SelfTestOrder) -> Result<(), SelfTestError> {
        ask_scsi(&self.device, &ScsiCommand::ata_self_test(order))?;
        Ok(())
    }

    fn look(&self) -> Result<SelfTestProgress, SelfTestError> {
        let status = smart_data(&self.device)?[STATUS_AT];
        Ok(progress(status, self.newest(), self.block_bytes))
    }
}

fn ask(device: &File, command: &ScsiCommand) -> Result<Vec<u8>, SelfTestError> {
    Ok(ask_scsi(device, command)?.data)
}

/// A whole page of SMART READ DATA.
fn smart_data(device: &File) -> Result<Vec<u8>, SelfTestError> {
    let data = ask(device, &ScsiCommand::ata_smart_data())?;
    smart::check(&data, "SMART READ DATA")?;
    Ok(data)
}

/// A byte, or, where that is all ones, the word behind it.
fn extended(data: &[u8]) -> Option<Nanos> {
    match *data.get(EXTENDED_MINUTES_AT)? {
        u8::MAX => page::le16(data, EXTENDED_MINUTES_LONG_AT).and_then(minutes),
        short => minutes(u16::from(short)),
    }
}

fn progress(status: u8, newest: Option<Newest>, block_bytes: Option<u64>) -> SelfTestProgress {
    let (test, mark) = newest.map_or((None, None), |it| (it.test, Some(it.mark)));
    let state = if status >> 4 == IN_PROGRESS {
        // Tenths that remain.
        let remaining = (status & 0xf).min(10) * 10;
        SelfTestState::Running {
            percent: Some(100 - remaining),
        }
    } else {
        let (status, block) = test.map_or((status, None), |it| (it.status, it.block));
        SelfTestState::Idle(entry(status).map(|entry| entry.at_block(block, block_bytes)))
    };
    SelfTestProgress { state, mark }
}

/// Reads the descriptor of this index, which counts from 1 over all pages and is 0 in an empty
/// log; `None` of a damaged page.
fn newest(log: &[u8], index: u16, layout: LogLayout) -> Option<Newest> {
    smart::check(log, "the log of self-tests").ok()?;
    let mut mark = index.to_le_bytes().to_vec();
    let Some(before) = index.checked_sub(1) else {
        return Some(Newest { test: None, mark });
    };
    let at = layout.first_at + usize::from(before % layout.per_page) * layout.descriptor_bytes;
    let bytes = log.get(at..at + layout.descriptor_bytes)?;
    mark.extend_from_slice(bytes);
    let address = bytes.get(5..5 + layout.address_bytes)?;
    // All ones is no address.
    let is_address = address.iter().any(|byte| *byte != u8::MAX);
    let bytes_of_number = address.iter().rev();
    let number = bytes_of_number.fold(0, |number, byte| number << 8 | u64::from(*byte));
    let test = LoggedTest {
        status: bytes[1],
        block: is_address.then_some(number),
    };
    Some(Newest {
        test: Some(test),
        mark,
    })
}

/// Reads a status byte; `None` of a test that the log takes for one that is under way.
fn entry(status: u8) -> Option<SelfTestEntry> {
    Some(match status >> 4 {
        0 => SelfTestEntry::passed(),
        1 => SelfTestEntry::aborted(STOPPED),
        2 => SelfTestEntry::aborted("A reset ended the self-test"),
        3 => SelfTestEntry::failed(FATAL),
        4 => SelfTestEntry::failed(STEP_UNKNOWN),
        5 => SelfTestEntry::failed("The test of the electronics failed"),
        6 => SelfTestEntry::failed("The test of servo and seeks failed"),
        7 => SelfTestEntry::failed("The test that reads failed"),
        8 => SelfTestEntry::failed("The drive suspects damage by handling"),
        IN_PROGRESS => return None,
        code => SelfTestEntry::unknown(code),
    })
}

#[cfg(test)]
mod tests {
    use sokudo_model::{Bytes, SelfTestResult};

    use super::*;

    fn with_checksum(mut page: Vec<u8>) -> Vec<u8> {
        page[511] = 0;
        let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        page[511] = sum.wrapping_neg();
        page
    }

    /// Log 06h with one test at this index.
    fn log(index: u8, status: u8, address: [u8; 4]) -> Vec<u8> {
        let mut log = vec![0; 512];
        log[0] = 1;
        let at = 2 + (usize::from(index) - 1) * 24;
        log[at] = 2;
        log[at + 1] = status;
        log[at + 5..at + 9].copy_from_slice(&address);
        log[508] = index;
        with_checksum(log)
    }

    fn in_log(log: &[u8]) -> Option<Newest> {
        newest(log, u16::from(log[508]), SHORT_LAYOUT)
    }

    #[test]
    fn every_status_of_the_standard_is_told() {
        use SelfTestResult::{Aborted, Failed, Passed, Unknown};
        let results = [
            Passed, Aborted, Aborted, Failed, Failed, Failed, Failed, Failed, Failed, Unknown,
            Unknown, Unknown, Unknown, Unknown, Unknown,
        ];
        for (code, result) in (0..).zip(results) {
            let entry = entry(code << 4 | 3).unwrap();
            assert_eq!(entry.result, result, "{code}");
            assert_eq!(entry.note.is_none(), result == Passed, "{code}");
        }
        assert_eq!(entry(0xf3), None);
    }

    #[test]
    fn a_test_that_runs_says_how_many_tenths_remain() {
        for (status, percent) in [(0xf9, 10), (0xf0, 100), (0xfa, 0), (0xff, 0)] {
            let percent = Some(percent);
            let state = progress(status, None, None).state;
            assert_eq!(state, SelfTestState::Running { percent }, "{status:x}");
        }
    }

    #[test]
    fn the_failing_block_stands_in_the_log() {
        let log = log(21, 0x70, 1_000_u32.to_le_bytes());
        let state = progress(0x70, in_log(&log), Some(512)).state;
        let SelfTestState::Idle(Some(entry)) = state else {
            panic!("{state:?}");
        };
        assert_eq!(entry.result, SelfTestResult::Failed);
        assert_eq!(entry.first_error, Some(Bytes(512_000)));
        assert_eq!(entry.note.unwrap(), "The test that reads failed");
    }

    #[test]
    fn an_address_of_all_ones_and_that_of_a_passed_test_are_none() {
        let error = |log: &[u8]| match progress(0, in_log(log), Some(512)).state {
            SelfTestState::Idle(entry) => entry.unwrap().first_error,
            SelfTestState::Running { .. } => panic!("nothing runs"),
        };
        assert_eq!(error(&log(1, 0x70, [0xff; 4])), None);
        assert_eq!(error(&log(1, 0x00, [1, 0, 0, 0])), None);
        assert_eq!(error(&log(1, 0x70, [1, 0, 0, 0])), Some(Bytes(512)));
    }

    #[test]
    fn the_extended_log_has_room_for_large_disks_and_many_pages() {
        let mut page = vec![0; 512];
        page[0] = 1;
        // Index 20: the first of the second page.
        page[4] = 2;
        page[5] = 0x74;
        page[9..15].copy_from_slice(&[0, 0, 0, 0, 1, 0]);
        let page = with_checksum(page);
        let found = newest(&page, 20, EXTENDED_LAYOUT).unwrap();
        let test = found.test.as_ref().unwrap();
        assert_eq!((test.status, test.block), (0x74, Some(1 << 32)));
        assert_ne!(found.mark, newest(&page, 39, EXTENDED_LAYOUT).unwrap().mark);
    }

    #[test]
    fn an_empty_or_damaged_log_leaves_the_status_byte() {
        let whole = log(3, 0x70, [1, 0, 0, 0]);
        let empty = newest(&whole, 0, SHORT_LAYOUT).unwrap();
        assert_eq!((empty.test, empty.mark), (None, vec![0, 0]));
        assert_eq!(newest(&whole[..511], 3, SHORT_LAYOUT), None);
        let mut damaged = whole.clone();
        damaged[300] ^= 1;
        assert_eq!(in_log(&damaged), None);
        let idle = progress(0x20, None, Some(512));
        assert_eq!(idle.mark, None);
        let SelfTestState::Idle(Some(entry)) = idle.state else {
            panic!("{idle:?}");
        };
        assert_eq!(entry.result, SelfTestResult::Aborted);
    }

    #[test]
    fn a_repeated_test_makes_another_mark() {
        let mark = |index| in_log(&log(index, 0, [0; 4])).unwrap().mark;
        assert_ne!(mark(1), mark(2));
        assert_eq!(mark(2), mark(2));
    }

    #[test]
    fn minutes_of_long_tests_are_in_a_word() {
        let mut data = vec![0; 512];
        assert_eq!(extended(&data), None);
        data[373] = 54;
        assert_eq!(extended(&data), Some(Nanos::from_secs(54 * 60)));
        data[373] = 0xff;
        data[375..377].copy_from_slice(&1_800_u16.to_le_bytes());
        assert_eq!(extended(&data), Some(Nanos::from_secs(1_800 * 60)));
        assert_eq!(extended(&data[..374]), None);
    }
}
