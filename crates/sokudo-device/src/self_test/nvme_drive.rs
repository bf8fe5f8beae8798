//! Self-tests of NVMe controllers: Device Self-test and its log (NVM Express Base
//! Specification 1.4, 5.8 and 5.14.1.6; later versions mean the same).

use std::fs::File;

use sokudo_model::{Nanos, SelfTestKind};
use sokudo_sys::nvme::{NvmeCommand, NvmeLog, ask_nvme, nvme_namespace};
use sokudo_sys::{AskError, SelfTestOrder};
use sokudo_words::{Text, text};

use super::drive::{
    FATAL, SHORT_EXPECTED, STEP_UNKNOWN, STOPPED, SelfTestDrive, SelfTestEntry, SelfTestError,
    SelfTestProgress, SelfTestState, failed_step, minutes,
};
use crate::page::{self, PageError};

/// Bit of OACS that says that there are self-tests.
const HAS_SELF_TESTS: u16 = 1 << 4;

/// Where OACS is in Identify Controller, and the minutes of an extended test (EDSTT).
const OACS_AT: usize = 256;
const EXTENDED_MINUTES_AT: usize = 316;

/// The first of 20 results in the log, the newest first, 28 bytes each.
const NEWEST_AT: usize = 4;
const ENTRY_BYTES: usize = 28;

/// An entry of the log that no test has filled.
const UNUSED: u8 = 0xf;

/// Command specific status "Device Self-test In Progress".
const IN_PROGRESS: (u8, u8) = (1, 0x1d);

pub(super) struct NvmeDrive {
    device: File,
    namespace: u32,
    block_bytes: Option<u64>,
    extended: Option<Nanos>,
}

impl NvmeDrive {
    /// Looks whether the controller has self-tests, or says why there are none.
    pub(super) fn open(disk: &str, device: File, block_bytes: Option<u64>) -> Result<Self, Text> {
        let silent =
            |error: AskError| text!("{disk} does not report whether it has self-tests: {error}");
        let identify = NvmeCommand::identify_controller();
        let identify = ask_nvme(&device, &identify).map_err(silent)?.data;
        if !has_self_tests(&identify) {
            return Err(text!(
                "{disk} has no self-test: its controller does not offer any"
            ));
        }
        let namespace = nvme_namespace(&device).map_err(silent)?;
        Ok(Self {
            device,
            namespace,
            block_bytes,
            extended: extended(&identify),
        })
    }
}

impl SelfTestDrive for NvmeDrive {
    fn expected(&self, kind: SelfTestKind) -> Option<Nanos> {
        match kind {
            SelfTestKind::Short => Some(SHORT_EXPECTED),
            SelfTestKind::Extended => self.extended,
        }
    }

    fn order(&self, order: SelfTestOrder) -> Result<(), SelfTestError> {
        let command = NvmeCommand::self_test(self.namespace, order);
        match ask_nvme(&self.device, &command) {
            Err(AskError::Nvme { kind, code, .. }) if (kind, code) == IN_PROGRESS => {
                Err(SelfTestError::Underway)
            }
            answer => Ok(answer.map(|_| ())?),
        }
    }

    fn look(&self) -> Result<SelfTestProgress, SelfTestError> {
        let log = ask_nvme(&self.device, &NvmeCommand::log(NvmeLog::SelfTests))?.data;
        Ok(progress(&log, self.namespace, self.block_bytes)?)
    }
}

fn has_self_tests(identify: &[u8]) -> bool {
    page::le16(identify, OACS_AT).is_some_and(|commands| commands & HAS_SELF_TESTS != 0)
}

fn extended(identify: &[u8]) -> Option<Nanos> {
    page::le16(identify, EXTENDED_MINUTES_AT).and_then(minutes)
}

/// Reads the log of self-tests (06h).
fn progress(
    log: &[u8],
    namespace: u32,
    block_bytes: Option<u64>,
) -> Result<SelfTestProgress, PageError> {
    let needed = NEWEST_AT + ENTRY_BYTES;
    let Some(newest) = log.get(NEWEST_AT..needed) else {
        return Err(PageError::Short {
            page: "the log of self-tests",
            bytes: log.len(),
            needed,
        });
    };
    let state = match log[0] & 0xf {
        0 => SelfTestState::Idle(entry(newest, namespace, block_bytes)),
        _ => SelfTestState::Running {
            percent: Some(log[1] & 0x7f).filter(|percent| *percent <= 100),
        },
    };
    Ok(SelfTestProgress {
        state,
        mark: Some(log[NEWEST_AT..].to_vec()),
    })
}

/// Reads one result; `None` of one that no test has filled.
fn entry(result: &[u8], namespace: u32, block_bytes: Option<u64>) -> Option<SelfTestEntry> {
    // Not even which test it was.
    if result[0] == 0 {
        return None;
    }
    let valid = result[2];
    let of_namespace = valid & 1 == 0 || page::le32(result, 12) == Some(namespace);
    let block = page::le64(result, 16).filter(|_| valid & 2 != 0 && of_namespace);
    let entry = match result[0] & 0xf {
        0 => SelfTestEntry::passed(),
        1 => SelfTestEntry::aborted(STOPPED),
        2 => SelfTestEntry::aborted("A reset of the controller ended the self-test"),
        3 => SelfTestEntry::aborted("The removal of a namespace ended the self-test"),
        4 => SelfTestEntry::aborted("A format command ended the self-test"),
        5 => SelfTestEntry::failed(with_status(FATAL.into(), result)),
        6 => SelfTestEntry::failed(with_status(STEP_UNKNOWN.into(), result)),
        7 => SelfTestEntry::failed(with_status(failed_step(result[1]), result)),
        8 => SelfTestEntry::aborted("The self-test ended early, and the drive does not say why"),
        9 => SelfTestEntry::aborted("A sanitize operation ended the self-test"),
        UNUSED => return None,
        code => SelfTestEntry::unknown(code),
    };
    Some(entry.at_block(block, block_bytes))
}

/// With the status of the command that failed, where it is told.
fn with_status(step: Text, result: &[u8]) -> Text {
    let (kind, code) = (result[24] & 7, result[25]);
    match result[2] & 0xc {
        0xc => text!("{step} (NVMe status type {kind:x}h code {code:02x}h)"),
        _ => step,
    }
}

#[cfg(test)]
mod tests {
    use sokudo_model::{Bytes, SelfTestResult};

    use super::*;

    /// A log with one result, of namespace 1.
    fn log(operation: u8, percent: u8, status: u8) -> Vec<u8> {
        let mut log = vec![0; 564];
        log[0] = operation;
        log[1] = percent;
        for entry in log[NEWEST_AT..].chunks_exact_mut(ENTRY_BYTES) {
            entry[0] = UNUSED;
        }
        log[NEWEST_AT] = 0x10 | status;
        log
    }

    fn newest(log: &[u8]) -> Option<SelfTestEntry> {
        match progress(log, 1, Some(4_096)).unwrap().state {
            SelfTestState::Idle(entry) => entry,
            SelfTestState::Running { .. } => panic!("nothing runs"),
        }
    }

    #[test]
    fn every_result_of_the_standard_is_told() {
        use SelfTestResult::{Aborted, Failed, Passed, Unknown};
        let results = [
            Passed, Aborted, Aborted, Aborted, Aborted, Failed, Failed, Failed, Aborted, Aborted,
            Unknown, Unknown, Unknown, Unknown, Unknown,
        ];
        for (status, result) in (0..).zip(results) {
            let entry = newest(&log(0, 0, status)).unwrap();
            assert_eq!(entry.result, result, "{status}");
            assert_eq!(entry.note.is_none(), result == Passed, "{status}");
            assert_eq!(entry.first_error, None, "{status}: none is valid");
        }
        assert_eq!(newest(&log(0, 0, UNUSED)), None);
        assert_eq!(newest(&vec![0; 564]), None, "a log of zeros");
    }

    #[test]
    fn the_failing_block_counts_only_where_it_is_valid_and_of_this_namespace() {
        let mut failed = log(0, 0, 7);
        let entry = &mut failed[NEWEST_AT..];
        entry[1] = 3;
        entry[12..16].copy_from_slice(&1_u32.to_le_bytes());
        entry[16..24].copy_from_slice(&1_000_u64.to_le_bytes());
        entry[24] = 2;
        entry[25] = 0x81;
        let valid = |bits: u8, log: &[u8]| {
            let mut log = log.to_vec();
            log[NEWEST_AT + 2] = bits;
            newest(&log).unwrap()
        };
        assert_eq!(valid(0x3, &failed).first_error, Some(Bytes(4_096_000)));
        assert_eq!(valid(0x1, &failed).first_error, None);
        assert_eq!(
            valid(0x0, &failed).note.unwrap(),
            "Step 3 of the self-test failed"
        );
        assert_eq!(
            valid(0xf, &failed).note.unwrap(),
            "Step 3 of the self-test failed (NVMe status type 2h code 81h)"
        );
        failed[NEWEST_AT + 12] = 2;
        assert_eq!(valid(0x3, &failed).first_error, None, "another namespace");
        failed[NEWEST_AT + 16..NEWEST_AT + 24].fill(0xff);
        assert_eq!(valid(0x2, &failed).first_error, None, "no such block");
    }

    #[test]
    fn a_test_that_runs_says_how_far_it_is() {
        let running = |operation, percent| progress(&log(operation, percent, 0), 1, None);
        let percent = |operation, percent| running(operation, percent).unwrap().state;
        assert_eq!(
            percent(1, 0x80 | 37),
            SelfTestState::Running { percent: Some(37) }
        );
        assert_eq!(percent(2, 101), SelfTestState::Running { percent: None });
        assert_eq!(percent(0xe, 5), SelfTestState::Running { percent: Some(5) });
        for bytes in 0..NEWEST_AT + ENTRY_BYTES {
            assert!(progress(&log(1, 0, 0)[..bytes], 1, None).is_err());
        }
    }

    #[test]
    fn a_new_result_makes_another_mark() {
        let mark = |log: &[u8]| progress(log, 1, None).unwrap().mark;
        let before = log(0, 0, 0);
        assert_eq!(mark(&before), mark(&log(1, 50, 0)));
        let mut after = before.clone();
        after.copy_within(NEWEST_AT..NEWEST_AT + ENTRY_BYTES, NEWEST_AT + ENTRY_BYTES);
        assert_ne!(mark(&before), mark(&after), "two tests in one hour");
    }

    #[test]
    fn the_controller_says_whether_it_has_tests_and_for_how_long() {
        let mut identify = vec![0; 4_096];
        assert!(!has_self_tests(&identify));
        assert_eq!(extended(&identify), None);
        identify[256] = 0x10;
        identify[316] = 90;
        assert!(has_self_tests(&identify));
        assert_eq!(extended(&identify), Some(Nanos::from_secs(5_400)));
        assert!(!has_self_tests(&identify[..256]));
    }
}
