//! Why a disk did not answer a question, whichever language it was asked in.

use std::io;

use sokudo_words::Text;

/// Why a disk did not answer.
#[derive(Debug, sokudo_words::Error)]
pub enum AskError {
    /// The system did not pass the question on.
    #[error("{command} is refused by the system: {source}")]
    Refused {
        command: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is no longer there.
    #[error("{command} reaches no disk any more: it is gone")]
    Gone { command: &'static str },
    /// It did not answer in time.
    #[error("{command} was not answered in time")]
    Timeout { command: &'static str },
    /// It said why not (SCSI sense data).
    #[error(
        "{command} was not done: {} (sense {key:x}h/{code:02x}h/{qualifier:02x}h)",
        sense_key(*key)
    )]
    CheckCondition {
        command: &'static str,
        /// Sense key (SPC): the class of the error.
        key: u8,
        /// Additional sense code (SPC): what went wrong.
        code: u8,
        qualifier: u8,
    },
    /// It said no more than a status (SCSI).
    #[error("{command} was not done: SCSI status {status:02x}h")]
    Status { command: &'static str, status: u8 },
    /// The way to it failed.
    #[error("{command} failed on the way to the disk: host status {host_status:02x}h")]
    Transport {
        command: &'static str,
        /// The host adapter's status, as the kernel codes it.
        host_status: u16,
    },
    /// It said why not (NVMe).
    #[error("{command} was not done: NVMe status type {kind:x}h code {code:02x}h")]
    Nvme {
        command: &'static str,
        /// Status code type: which table `code` is from.
        kind: u8,
        /// Status code, within the table that `kind` names.
        code: u8,
    },
}

impl AskError {
    /// Sorts what an ioctl failed with.
    pub(crate) fn from_io(command: &'static str, source: io::Error) -> Self {
        match source.raw_os_error() {
            Some(libc::ENODEV | libc::ENXIO) => Self::Gone { command },
            Some(libc::ETIMEDOUT | libc::ETIME) => Self::Timeout { command },
            _ => Self::Refused { command, source },
        }
    }

    /// Whether a user with more rights could ask.
    pub fn is_permission(&self) -> bool {
        matches!(self, Self::Refused { source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied)
    }

    /// Whether asking for anything else is useless too.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Gone { .. } | Self::Timeout { .. })
    }
}

/// A sense key in words (SPC).
fn sense_key(key: u8) -> Text {
    let words = match key {
        0x2 => "the disk is not ready",
        0x3 => "medium error",
        0x4 => "hardware error",
        0x5 => "the disk does not have this command or page",
        0x6 => "the disk was reset",
        0x7 => "the disk is protected",
        0xb => "the disk aborted it",
        _ => "the disk did not say why",
    };
    words.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_are_told_apart() {
        let from = |code| AskError::from_io("INQUIRY", io::Error::from_raw_os_error(code));
        assert!(matches!(from(libc::ENODEV), AskError::Gone { .. }));
        assert!(matches!(from(libc::ETIMEDOUT), AskError::Timeout { .. }));
        assert!(from(libc::ENXIO).is_final());
        assert!(from(libc::EPERM).is_permission());
        assert!(from(libc::EACCES).is_permission());
        assert!(!from(libc::ENOTTY).is_permission());
    }
}
