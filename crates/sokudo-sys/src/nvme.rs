//! Questions to NVMe controllers through their administration queue, the one setting that
//! is no data (the volatile write cache), and the order to test themselves.
//!
//! An [`NvmeCommand`] can only be made by its constructors, and none of them makes one
//! that writes, formats, sanitises or deletes.

#![expect(unsafe_code, reason = "NVMe's ioctls need raw calls")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::question::AskError;
use crate::self_test::SelfTestOrder;

/// A healthy controller answers within milliseconds; one that is busy collecting garbage
/// within some seconds.
const TIMEOUT_MS: u32 = 10_000;

/// Returns the namespace's number (`NVME_IOCTL_ID` of <linux/nvme_ioctl.h>).
const NVME_IOCTL_ID: libc::Ioctl = 0x4e40;

/// `NVME_IOCTL_ADMIN_CMD`: `_IOWR('N', 0x41, struct nvme_admin_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl =
    rustix::ioctl::opcode::read_write::<[u64; 9]>(b'N', 0x41) as libc::Ioctl;

// Opcodes of the administration queue.
const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
const SET_FEATURES: u8 = 0x09;
const GET_FEATURES: u8 = 0x0a;
const DEVICE_SELF_TEST: u8 = 0x14;

/// The feature that has the power state.
const POWER_MANAGEMENT: u32 = 0x02;

/// The feature that switches the volatile write cache.
const VOLATILE_WRITE_CACHE: u32 = 0x06;

const ALL_NAMESPACES: u32 = u32::MAX;

const IDENTIFY_BYTES: u32 = 4096;

/// A question to a controller, a change of its write cache, or an order about its self-test.
/// Nothing else can be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NvmeCommand {
    name: &'static str,
    opcode: u8,
    namespace: u32,
    dword10: u32,
    dword11: u32,
    answer_bytes: u32,
}

/// Logs that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NvmeLog {
    /// Log 00h: which logs there are.
    Supported,
    /// Log 01h: the newest errors, 64 bytes each.
    Errors,
    /// Log 02h: temperature, wear, counts.
    Smart,
    /// Log 03h: firmware slots.
    Firmware,
    /// Log 06h: the self-test that is under way, and the newest 20 results, 28 bytes each.
    SelfTests,
    /// Log C0h: the maker's, often in the form of the Open Compute Project.
    Extended,
}

/// What a controller answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NvmeAnswer {
    pub data: Vec<u8>,
    /// Dword 0 of the completion: the value of a feature.
    pub result: u32,
}

impl NvmeCommand {
    pub fn identify_namespace(namespace: u32) -> Self {
        Self::identify("Identify Namespace", 0, namespace)
    }

    pub fn identify_controller() -> Self {
        Self::identify("Identify Controller", 1, 0)
    }

    pub fn log(log: NvmeLog) -> Self {
        let (name, number, answer_bytes) = match log {
            NvmeLog::Supported => ("Get Log Page of supported logs", 0, 1024),
            NvmeLog::Errors => ("Get Log Page of errors", 1, 64),
            NvmeLog::Smart => ("Get Log Page of health", 2, 512),
            NvmeLog::Firmware => ("Get Log Page of firmware", 3, 512),
            NvmeLog::SelfTests => ("Get Log Page of self-tests", 6, 564),
            NvmeLog::Extended => ("Get Log Page C0h", 0xc0, 512),
        };
        let dword10 = (answer_bytes / 4 - 1) << 16 | number;
        Self {
            namespace: ALL_NAMESPACES,
            answer_bytes,
            ..Self::new(name, GET_LOG_PAGE, dword10)
        }
    }

    /// Get Features: whether the write cache is on, in bit 0 of the result.
    pub fn write_cache() -> Self {
        let name = "Get Features of the write cache";
        Self::new(name, GET_FEATURES, VOLATILE_WRITE_CACHE)
    }

    /// Get Features: the power state, in bits 0 to 4 of the result. A controller that sleeps wakes
    /// up to answer.
    pub fn power_state() -> Self {
        let name = "Get Features of power management";
        Self::new(name, GET_FEATURES, POWER_MANAGEMENT)
    }

    /// Set Features: the write cache on or off, until the next reset.
    pub fn set_write_cache(on: bool) -> Self {
        let name = "Set Features of the write cache";
        Self {
            dword11: u32::from(on),
            ..Self::new(name, SET_FEATURES, VOLATILE_WRITE_CACHE)
        }
    }

    /// Device Self-test of the controller and one namespace.
    pub fn self_test(namespace: u32, order: SelfTestOrder) -> Self {
        let code = order.of([0x1, 0x2, 0xf]);
        Self {
            namespace,
            ..Self::new("Device Self-test", DEVICE_SELF_TEST, code)
        }
    }

    fn identify(name: &'static str, structure: u32, namespace: u32) -> Self {
        Self {
            namespace,
            answer_bytes: IDENTIFY_BYTES,
            ..Self::new(name, IDENTIFY, structure)
        }
    }

    fn new(name: &'static str, opcode: u8, dword10: u32) -> Self {
        Self {
            name,
            opcode,
            dword10,
            ..Self::default()
        }
    }
}

/// The number of the namespace behind a block device.
///
/// # Errors
/// `ENOTTY` for what is no NVMe namespace.
pub fn nvme_namespace(device: impl AsFd) -> Result<u32, AskError> {
    // SAFETY: NVME_IOCTL_ID takes no argument and touches no memory of ours; the file
    // descriptor is open for as long as `device` is borrowed.
    let number = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), NVME_IOCTL_ID, 0) };
    u32::try_from(number)
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| AskError::from_io("the namespace's number", io::Error::last_os_error()))
}

/// Asks a controller.
///
/// # Errors
/// If the system refuses, nobody answers in time, or the controller does not do it.
pub fn ask_nvme(device: impl AsFd, command: &NvmeCommand) -> Result<NvmeAnswer, AskError> {
    let mut data = vec![0_u8; command.answer_bytes as usize];
    let mut raw = AdminCommand {
        opcode: command.opcode,
        namespace: command.namespace,
        address: if data.is_empty() {
            0
        } else {
            data.as_mut_ptr().expose_provenance() as u64
        },
        data_bytes: command.answer_bytes,
        dword10: command.dword10,
        dword11: command.dword11,
        timeout_ms: TIMEOUT_MS,
        ..AdminCommand::default()
    };
    let pointer: *mut AdminCommand = &raw mut raw;
    // SAFETY: the descriptor is borrowed for the call; the command and the buffer whose
    // address and length it holds live until it returns, which it does only when the
    // kernel is done with them.
    let status = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), NVME_IOCTL_ADMIN_CMD, pointer) };
    judge(command.name, status)?;
    Ok(NvmeAnswer {
        data,
        result: raw.result,
    })
}

/// Negative is the system's error; positive the controller's status, of which bits 0–7
/// are the code and 8–10 its type.
fn judge(command: &'static str, status: i32) -> Result<(), AskError> {
    match u32::try_from(status) {
        Err(_) => Err(AskError::from_io(command, io::Error::last_os_error())),
        Ok(0) => Ok(()),
        Ok(status) => Err(AskError::Nvme {
            command,
            kind: u8::try_from(status >> 8 & 7).unwrap_or(0),
            code: u8::try_from(status & 0xff).unwrap_or(0),
        }),
    }
}

/// `struct nvme_admin_cmd` of <linux/nvme_ioctl.h>: 72 bytes.
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dword2: u32,
    dword3: u32,
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    dword10: u32,
    dword11: u32,
    dword12: u32,
    dword13: u32,
    dword14: u32,
    dword15: u32,
    timeout_ms: u32,
    result: u32,
}

const _: () = {
    assert!(size_of::<AdminCommand>() == 72);
    assert!(std::mem::offset_of!(AdminCommand, address) == 24);
    assert!(std::mem::offset_of!(AdminCommand, timeout_ms) == 64);
    assert!(NVME_IOCTL_ADMIN_CMD == 0xc048_4e41 as libc::Ioctl);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_writes_data() {
        let commands = [
            NvmeCommand::identify_namespace(7),
            NvmeCommand::identify_controller(),
            NvmeCommand::log(NvmeLog::Errors),
            NvmeCommand::log(NvmeLog::Smart),
            NvmeCommand::log(NvmeLog::Firmware),
            NvmeCommand::write_cache(),
            NvmeCommand::set_write_cache(true),
            NvmeCommand::set_write_cache(false),
            NvmeCommand::log(NvmeLog::SelfTests),
            NvmeCommand::self_test(7, SelfTestOrder::Short),
            NvmeCommand::self_test(7, SelfTestOrder::Extended),
            NvmeCommand::self_test(7, SelfTestOrder::Stop),
        ];
        for command in commands {
            let harmless = match command.opcode {
                0x02 | 0x06 => command.answer_bytes > 0,
                0x0a => command.answer_bytes == 0,
                0x09 => command.dword10 == 6 && command.dword11 <= 1,
                // Not what a maker has put there (Eh).
                0x14 => matches!(command.dword10, 0x1 | 0x2 | 0xf) && command.dword11 == 0,
                _ => false,
            };
            assert!(harmless, "{command:?}");
        }
    }

    #[test]
    fn a_log_is_asked_for_by_number_and_length() {
        assert_eq!(NvmeCommand::log(NvmeLog::Smart).dword10, 0x007f_0002);
        assert_eq!(NvmeCommand::log(NvmeLog::Errors).dword10, 0x000f_0001);
        assert_eq!(NvmeCommand::log(NvmeLog::SelfTests).dword10, 0x008c_0006);
    }

    #[test]
    fn a_status_is_taken_apart() {
        assert!(judge("Identify", 0).is_ok());
        // Invalid field in command, with the bit that says not to try again.
        assert!(matches!(
            judge("Identify", 0x4002),
            Err(AskError::Nvme {
                kind: 0,
                code: 2,
                ..
            })
        ));
        assert!(matches!(
            judge("Identify", 0x0109),
            Err(AskError::Nvme {
                kind: 1,
                code: 9,
                ..
            })
        ));
    }

    #[test]
    fn what_is_no_namespace_refuses_the_question() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let error = ask_nvme(&file, &NvmeCommand::identify_controller()).unwrap_err();
        assert!(matches!(error, AskError::Refused { .. }), "{error}");
        assert!(nvme_namespace(&file).is_err());
    }
}
