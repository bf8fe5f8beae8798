//! Questions to SCSI and ATA disks through `SG_IO`, the few settings that are no data (the
//! drive's cache), and the order to test themselves.
//!
//! A [`ScsiCommand`] can only be made by the constructors of its file, and none of them
//! makes one that writes, erases or formats.

#![expect(unsafe_code, reason = "SG_IO is reached only through a raw ioctl")]

mod command;
mod sense;

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::question::AskError;

pub use command::{CachingPage, PageControl, ScsiCommand};
pub use sense::{AtaRegisters, Sense};

use command::Transfer;

/// A disk that has to spin up first answers within some seconds; one that takes longer
/// does not answer.
const TIMEOUT_MS: u32 = 10_000;

/// Sends a SCSI command and waits for its answer (<scsi/sg.h>).
const SG_IO: libc::Ioctl = 0x2285;

// From <scsi/sg.h>.
const SG_DXFER_NONE: i32 = -1;
const SG_DXFER_TO_DEV: i32 = -2;
const SG_DXFER_FROM_DEV: i32 = -3;

/// The kernel's own sense buffer has this size.
const SENSE_BYTES: u8 = 96;

/// What a disk answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScsiAnswer {
    /// What it sent, as long as it said it was.
    pub data: Vec<u8>,
    /// Registers of an ATA disk after the command, where they were asked for.
    pub registers: Option<AtaRegisters>,
}

/// Asks a disk.
///
/// # Errors
/// If the system refuses, nobody answers in time, or the disk does not do it.
pub fn ask_scsi(device: impl AsFd, command: &ScsiCommand) -> Result<ScsiAnswer, AskError> {
    let name = command.name;
    let (mut data, direction) = match &command.transfer {
        Transfer::None => (Vec::new(), SG_DXFER_NONE),
        Transfer::From(bytes) => (vec![0; usize::from(*bytes)], SG_DXFER_FROM_DEV),
        Transfer::To(data) => (data.clone(), SG_DXFER_TO_DEV),
    };
    let mut block = command.block;
    let mut sense = [0_u8; SENSE_BYTES as usize];
    let mut header = SgIoHeader::new(direction, command.block_bytes);
    header.transfer_bytes = u32::try_from(data.len()).unwrap_or(0);
    header.transfer = data.as_mut_ptr().cast();
    header.command = block.as_mut_ptr();
    header.sense = sense.as_mut_ptr();
    let pointer: *mut SgIoHeader = &raw mut header;
    // SAFETY: the descriptor is borrowed for the call; the header and what it points to
    // (data, command and sense, each as long as the header says) live until it returns,
    // which it does only when the kernel is done with them.
    let status = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), SG_IO, pointer) };
    if status < 0 {
        return Err(AskError::from_io(name, io::Error::last_os_error()));
    }
    let sense_bytes = usize::from(header.sense_written.min(SENSE_BYTES));
    let registers = header.judge(name, Sense::parse(&sense[..sense_bytes]))?;
    if direction == SG_DXFER_FROM_DEV {
        // What was not transferred is not an answer.
        let missing = usize::try_from(header.missing_bytes).unwrap_or(0);
        data.truncate(data.len().saturating_sub(missing));
    } else {
        data.clear();
    }
    Ok(ScsiAnswer { data, registers })
}

/// `struct sg_io_hdr` of <scsi/sg.h>, interface version 3.
#[repr(C)]
#[derive(Default)]
struct SgIoHeader {
    interface: i32,
    direction: i32,
    command_bytes: u8,
    sense_bytes_max: u8,
    vectors: u16,
    transfer_bytes: u32,
    transfer: *mut libc::c_void,
    command: *mut u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    user: *mut libc::c_void,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_written: u8,
    host_status: u16,
    driver_status: u16,
    missing_bytes: i32,
    duration_ms: u32,
    info: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<SgIoHeader>() == 88);
    assert!(std::mem::offset_of!(SgIoHeader, transfer) == 16);
    assert!(std::mem::offset_of!(SgIoHeader, status) == 64);
    assert!(std::mem::offset_of!(SgIoHeader, missing_bytes) == 72);
};

// SCSI status bytes, from SAM.
const STATUS_GOOD: u8 = 0;
const STATUS_CHECK_CONDITION: u8 = 2;

// From the kernel's <scsi/scsi_status.h>.
const DID_NO_CONNECT: u16 = 0x01;
const DID_TIME_OUT: u16 = 0x03;
const DID_BAD_TARGET: u16 = 0x04;
const DRIVER_TIMEOUT: u16 = 0x06;

impl SgIoHeader {
    fn new(direction: i32, command_bytes: u8) -> Self {
        Self {
            interface: i32::from(b'S'),
            direction,
            command_bytes,
            sense_bytes_max: SENSE_BYTES,
            timeout_ms: TIMEOUT_MS,
            ..Self::default()
        }
    }

    /// Whether the command was done, and with which registers.
    fn judge(
        &self,
        command: &'static str,
        sense: Option<Sense>,
    ) -> Result<Option<AtaRegisters>, AskError> {
        match self.host_status {
            DID_NO_CONNECT | DID_BAD_TARGET => return Err(AskError::Gone { command }),
            DID_TIME_OUT => return Err(AskError::Timeout { command }),
            _ if self.driver_status & 0xf == DRIVER_TIMEOUT => {
                return Err(AskError::Timeout { command });
            }
            _ => {}
        }
        match (self.status & 0x3e, sense) {
            (STATUS_GOOD, _) if self.host_status != 0 => Err(AskError::Transport {
                command,
                host_status: self.host_status,
            }),
            (STATUS_GOOD, sense) => Ok(sense.and_then(|sense| sense.registers)),
            (STATUS_CHECK_CONDITION, Some(sense)) if !sense.is_failure() => Ok(sense.registers),
            (STATUS_CHECK_CONDITION, Some(sense)) => Err(AskError::CheckCondition {
                command,
                key: sense.key,
                code: sense.code,
                qualifier: sense.qualifier,
            }),
            (status, _) => Err(AskError::Status { command, status }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_disk_refuses_the_question() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let error = ask_scsi(&file, &ScsiCommand::inquiry()).unwrap_err();
        assert!(matches!(error, AskError::Refused { .. }), "{error}");
        assert!(error.to_string().starts_with("INQUIRY"), "{error}");
    }

    #[test]
    fn host_and_device_status_become_words() {
        let judge = |status, host_status, sense: Option<&[u8]>| {
            let mut header = SgIoHeader::new(SG_DXFER_NONE, 6);
            header.status = status;
            header.host_status = host_status;
            header.judge("INQUIRY", sense.and_then(Sense::parse))
        };
        assert!(matches!(judge(0, 0, None), Ok(None)));
        assert!(matches!(judge(0, 1, None), Err(AskError::Gone { .. })));
        assert!(matches!(judge(0, 3, None), Err(AskError::Timeout { .. })));
        assert!(matches!(judge(0, 7, None), Err(AskError::Transport { .. })));
        assert!(matches!(
            judge(8, 0, None),
            Err(AskError::Status { status: 8, .. })
        ));
        let illegal = [0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0];
        assert!(matches!(
            judge(2, 0, Some(&illegal)),
            Err(AskError::CheckCondition {
                key: 5,
                code: 0x20,
                qualifier: 0,
                ..
            })
        ));
        // A disk that is well: recovered error, "ATA pass through information available".
        let passed = [
            0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 0, 0, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0x40, 0x50,
        ];
        let registers = judge(2, 0, Some(&passed)).unwrap().unwrap();
        assert_eq!((registers.lba_middle, registers.lba_high), (0x4f, 0xc2));
    }
}
