//! Self-tests of SCSI disks: SEND DIAGNOSTIC, log page 10h and REQUEST SENSE (SPC-5, 5.14, 6.45
//! and 7.3.21).

use std::fs::File;

use sokudo_model::{Nanos, SelfTestKind};
use sokudo_sys::scsi::{PageControl, ScsiCommand, ask_scsi};
use sokudo_sys::{AskError, SelfTestOrder};
use sokudo_words::{Text, text};

use super::drive::{
    FATAL, SHORT_EXPECTED, STEP_UNKNOWN, STOPPED, SelfTestDrive, SelfTestEntry, SelfTestError,
    SelfTestProgress, SelfTestState, failed_step, minutes,
};
use crate::page::{self, PageError};
use crate::scsi;

/// The log page of results, the newest in parameter 1.
const RESULTS_PAGE: u8 = 0x10;
const NEWEST: u16 = 1;

/// A parameter without its header of 4 bytes.
const RESULT_BYTES: usize = 16;

const IN_PROGRESS: u8 = 0xf;

/// Sense that says so: key, code and qualifier.
const SELF_TEST_SENSE: (u8, u8, u8) = (0x2, 0x04, 0x09);

/// The mode page that has the seconds of an extended test, and the page of vital product data
/// that has its minutes, where the seconds are all ones.
const CONTROL_PAGE: u8 = 0x0a;
const EXTENDED_INQUIRY: u8 = 0x86;

pub(super) struct ScsiDrive {
    device: File,
    block_bytes: Option<u64>,
    extended: Option<Nanos>,
}

impl ScsiDrive {
    /// Looks whether the disk has self-tests, or says why there are none.
    pub(super) fn open(disk: &str, device: File, block_bytes: Option<u64>) -> Result<Self, Text> {
        let list = match ask_scsi(&device, &ScsiCommand::log_sense(0, 0)) {
            Ok(answer) => answer.data,
            Err(AskError::CheckCondition { .. } | AskError::Status { .. }) => Vec::new(),
            Err(error) => {
                return Err(text!(
                    "{disk} does not report whether it has self-tests: {error}"
                ));
            }
        };
        if !list.get(4..).unwrap_or_default().contains(&RESULTS_PAGE) {
            return Err(text!(
                "{disk} has no self-test: it keeps no log of any (page 10h)"
            ));
        }
        let extended = extended(&device);
        Ok(Self {
            device,
            block_bytes,
            extended,
        })
    }

    fn percent(&self) -> Option<u8> {
        let answer = ask_scsi(&self.device, &ScsiCommand::request_sense()).ok()?;
        percent(&answer.data)
    }
}

impl SelfTestDrive for ScsiDrive {
    fn expected(&self, kind: SelfTestKind) -> Option<Nanos> {
        match kind {
            SelfTestKind::Short => Some(SHORT_EXPECTED),
            SelfTestKind::Extended => self.extended,
        }
    }

    fn order(&self, order: SelfTestOrder) -> Result<(), SelfTestError> {
        match ask_scsi(&self.device, &ScsiCommand::self_test(order)) {
            Err(AskError::CheckCondition {
                key,
                code,
                qualifier,
                ..
            }) if (key, code, qualifier) == SELF_TEST_SENSE => Err(SelfTestError::Underway),
            answer => Ok(answer.map(|_| ())?),
        }
    }

    fn look(&self) -> Result<SelfTestProgress, SelfTestError> {
        let log = ask_scsi(&self.device, &ScsiCommand::log_sense(RESULTS_PAGE, 0))?.data;
        let mut progress = progress(&log, self.block_bytes)?;
        if let SelfTestState::Running { percent } = &mut progress.state {
            *percent = self.percent();
        }
        Ok(progress)
    }
}

/// How long the disk expects an extended test to take.
fn extended(device: &File) -> Option<Nanos> {
    let ask = |command: &ScsiCommand| Some(ask_scsi(device, command).ok()?.data);
    let control = ScsiCommand::mode_sense_10(CONTROL_PAGE, PageControl::Current);
    match extended_seconds(&ask(&control)?)? {
        0 => None,
        u16::MAX => {
            let list = ask(&ScsiCommand::vital_product_data(0))?;
            let is_there = scsi::pages(&list).contains(&EXTENDED_INQUIRY);
            let command = is_there.then(|| ScsiCommand::vital_product_data(EXTENDED_INQUIRY))?;
            page::be16(&ask(&command)?, 10).and_then(minutes)
        }
        seconds => Some(Nanos::from_secs(u64::from(seconds))),
    }
}

/// Reads the control mode page in an answer to MODE SENSE (10).
fn extended_seconds(answer: &[u8]) -> Option<u16> {
    let at = 8 + usize::from(page::be16(answer, 6)?);
    let page = answer.get(at..)?;
    (page.first()? & 0x7f == CONTROL_PAGE).then_some(())?;
    page::be16(page, 10).filter(|_| page[1] >= 10)
}

/// Reads the log page of results.
fn progress(log: &[u8], block_bytes: Option<u64>) -> Result<SelfTestProgress, PageError> {
    page::at_least(log, 4, "LOG SENSE")?;
    if log[0] & 0x3f != RESULTS_PAGE {
        return Err(PageError::Other { page: "LOG SENSE" });
    }
    let newest = scsi::parameters(log).find(|(code, _)| *code == NEWEST);
    let newest = newest.map(|(_, value)| value);
    let newest = newest.filter(|value| value.len() >= RESULT_BYTES && page::is_set(value));
    let state = match newest {
        Some(value) if value[0] & 0xf == IN_PROGRESS => SelfTestState::Running { percent: None },
        Some(value) => SelfTestState::Idle(Some(entry(value, block_bytes))),
        None => SelfTestState::Idle(None),
    };
    Ok(SelfTestProgress {
        state,
        mark: Some(log.to_vec()),
    })
}

fn entry(value: &[u8], block_bytes: Option<u64>) -> SelfTestEntry {
    // All ones is no address.
    let block = page::be64(value, 4).filter(|block| *block != u64::MAX);
    let step = |number: u8| SelfTestEntry::failed(with_sense(failed_step(number), value));
    let entry = match value[0] & 0xf {
        0 => SelfTestEntry::passed(),
        1 => SelfTestEntry::aborted(STOPPED),
        2 => SelfTestEntry::aborted("Another command or a reset ended the self-test"),
        3 => SelfTestEntry::failed(with_sense(FATAL.into(), value)),
        4 => SelfTestEntry::failed(with_sense(STEP_UNKNOWN.into(), value)),
        5 => step(1),
        6 => step(2),
        7 => step(value[1]),
        code => SelfTestEntry::unknown(code),
    };
    entry.at_block(block, block_bytes)
}

/// With what the disk says of the failure.
fn with_sense(step: Text, value: &[u8]) -> Text {
    let (key, code, qualifier) = (value[12] & 0xf, value[13], value[14]);
    match key {
        0 => step,
        _ => text!("{step} (sense {key:x}h/{code:02x}h/{qualifier:02x}h)"),
    }
}

/// Reads sense data of the fixed format for how far a test is: a part of 65536.
fn percent(sense: &[u8]) -> Option<u8> {
    let sense_code = (sense.get(2)? & 0xf, *sense.get(12)?, *sense.get(13)?);
    // Some disks tell no more than the number while they work beside the test.
    let is_test = sense_code == SELF_TEST_SENSE || sense_code == (0, 0, 0);
    let is_fixed = sense[0] & 0x7f == 0x70;
    let is_valid = sense.get(15)? >> 7 == 1;
    let part = page::be16(sense, 16).filter(|_| is_test && is_fixed && is_valid)?;
    u8::try_from(u32::from(part) * 100 / 65_536).ok()
}

#[cfg(test)]
mod tests {
    use sokudo_model::{Bytes, SelfTestResult};

    use super::*;

    /// Log page 10h with these results, the newest first.
    fn log(results: &[u8]) -> Vec<u8> {
        let mut log = vec![RESULTS_PAGE, 0, 1, 0x90];
        for parameter in 1..=20_u8 {
            log.extend_from_slice(&[0, parameter, 3, 16]);
            let mut value = [0; RESULT_BYTES];
            if let Some(result) = results.get(usize::from(parameter) - 1) {
                value[0] = 0x20 | result;
                value[1] = 9;
                value[3] = 77;
                value[4..12].fill(0xff);
            }
            log.extend_from_slice(&value);
        }
        log
    }

    fn newest(log: &[u8]) -> Option<SelfTestEntry> {
        match progress(log, Some(4_096)).unwrap().state {
            SelfTestState::Idle(entry) => entry,
            SelfTestState::Running { .. } => panic!("nothing runs"),
        }
    }

    #[test]
    fn every_result_of_the_standard_is_told() {
        use SelfTestResult::{Aborted, Failed, Passed, Unknown};
        let results = [
            Passed, Aborted, Aborted, Failed, Failed, Failed, Failed, Failed, Unknown, Unknown,
            Unknown, Unknown, Unknown, Unknown, Unknown,
        ];
        for (code, result) in (0..).zip(results) {
            let entry = newest(&log(&[code])).unwrap();
            assert_eq!(entry.result, result, "{code}");
            assert_eq!(entry.note.is_none(), result == Passed, "{code}");
            assert_eq!(entry.first_error, None, "{code}: all ones is no address");
        }
        assert_eq!(newest(&log(&[])), None);
        let running = progress(&log(&[IN_PROGRESS, 0]), None).unwrap();
        assert_eq!(running.state, SelfTestState::Running { percent: None });
    }

    #[test]
    fn a_failure_names_its_step_its_sense_and_its_block() {
        let mut failed = log(&[7]);
        failed[12..20].copy_from_slice(&1_000_u64.to_be_bytes());
        failed[20..23].copy_from_slice(&[0x03, 0x11, 0x00]);
        let entry = newest(&failed).unwrap();
        assert_eq!(entry.first_error, Some(Bytes(4_096_000)));
        assert_eq!(
            entry.note.unwrap(),
            "Step 9 of the self-test failed (sense 3h/11h/00h)"
        );
    }

    #[test]
    fn a_new_result_makes_another_mark() {
        let mark = |log: &[u8]| progress(log, None).unwrap().mark;
        assert_ne!(mark(&log(&[0])), mark(&log(&[0, 0])), "two in one hour");
        assert!(progress(&[0x2f, 0, 0, 0], None).is_err(), "another page");
        assert!(progress(&[], None).is_err());
    }

    #[test]
    fn sense_data_tell_how_far_it_is() {
        let mut sense = [0; 18];
        sense[0] = 0x70;
        sense[2] = 2;
        sense[12..14].copy_from_slice(&[4, 9]);
        assert_eq!(percent(&sense), None, "no number");
        sense[15..18].copy_from_slice(&[0x80, 0x80, 0]);
        assert_eq!(percent(&sense), Some(50));
        sense[16..18].fill(0xff);
        assert_eq!(percent(&sense), Some(99));
        sense[13] = 4;
        assert_eq!(percent(&sense), None, "it formats");
        assert_eq!(percent(&sense[..17]), None);
        assert_eq!(percent(&[]), None);
    }

    #[test]
    fn the_control_page_tells_seconds_of_an_extended_test() {
        let mut answer = vec![0, 26, 0, 0, 0, 0, 0, 8];
        answer.extend_from_slice(&[0; 8]);
        answer.extend_from_slice(&[0x8a, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0x1c, 0x20]);
        assert_eq!(extended_seconds(&answer), Some(7_200));
        for bytes in 0..answer.len() {
            assert_eq!(extended_seconds(&answer[..bytes]), None);
        }
        answer[16] = 0x08;
        assert_eq!(extended_seconds(&answer), None, "another page");
    }
}
