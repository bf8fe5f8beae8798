//! Who uses a block device and what it holds: what must be known before it may be
//! written.

use sokudo_words::{Text, text};

/// What was found out about the use of one block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The device's number (`st_rdev`): the only name that cannot be moved to
    /// another device while we look.
    pub device_number: u64,
    /// The kernel's count of disks, which no two share while it runs; since Linux 5.15.
    pub sequence: Option<u64>,
    /// Kernel name, such as `sdb`; `major:minor` where sysfs shows none.
    pub name: String,
    /// Serial number, where the device tells one.
    pub serial: Option<String>,
    /// Everything that speaks against writing to it.
    pub occupants: Vec<Occupant>,
}

/// Who uses a file or a device, besides ourselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// Everything that speaks against writing to it.
    pub occupants: Vec<Occupant>,
    /// What could not be seen and does not speak against it, as sentences.
    pub blind_spots: Vec<Text>,
}

/// One reason not to write to a file or a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A file system on it, on a part of it or on something above it is mounted.
    Mounted {
        /// Which device: itself, a partition or a holder.
        device: String,
        /// Mount point of the file system.
        at: String,
    },
    /// It, a part of it or something above it is swapped to.
    Swap {
        /// Which device: itself, or the file behind a loop device.
        device: Text,
    },
    /// Something stands on it: RAID, device-mapper, bcache, a loop device.
    Holder {
        /// Which device: itself or a partition.
        device: String,
        /// What stands on it.
        holder: Text,
    },
    /// A loop device shows it. Whoever mounts that relies on what it holds.
    Shown {
        /// What is shown: `it`, or the file behind another loop device.
        what: Text,
        /// Kernel name of the loop device.
        by: String,
    },
    /// A process has it, a part of it or what it stands on open or mapped for writing.
    Opened {
        /// What: `it`, a device's name, or the file behind a loop device.
        what: Text,
        /// Process ID of the process.
        pid: u32,
        /// Its name, which may be anything that the process likes, without signs that
        /// command a terminal.
        program: String,
    },
    /// Somebody who shows nowhere has it open for writing: the kernel itself, or a process
    /// elsewhere.
    OpenedUnseen,
    /// A partition of it, which writes to the whole would overwrite.
    Partition {
        /// Kernel name of the partition.
        name: String,
    },
    /// It holds something that is recognised.
    Signature {
        /// What, such as `ext4`.
        what: Text,
        /// Where the sign of it is, in bytes from the start.
        offset: u64,
    },
    /// Its end cannot be read, as on a drive that has less than it says: what it may hold there
    /// is not known.
    EndUnread {
        /// Where that begins and why.
        sentence: Text,
    },
    /// The kernel gives it to nobody else: another program or another mount
    /// namespace uses it.
    Claimed,
    /// It takes no writes at all.
    Unwritable {
        /// Why it takes no writes, as a sentence.
        sentence: Text,
    },
    /// What it holds or who uses it could not be seen, which must be taken for the
    /// worst.
    Unseen {
        /// What could not be seen and why.
        sentence: Text,
        /// What makes it seen.
        way_out: Text,
    },
}

impl Occupant {
    /// Whether it is only about what the device holds: nobody uses it now.
    pub const fn is_content(&self) -> bool {
        matches!(
            self,
            Self::Partition { .. } | Self::Signature { .. } | Self::EndUnread { .. }
        )
    }
}

impl Occupant {
    /// Whether it is that some of what the device holds could not be read.
    pub const fn is_unread(&self) -> bool {
        matches!(self, Self::EndUnread { .. })
    }
}

impl From<&Occupant> for Text {
    fn from(occupant: &Occupant) -> Self {
        match occupant {
            Occupant::Mounted { device, at } => text!("{device} is mounted on {at}"),
            Occupant::Swap { device } => text!("{device} is swap space in use"),
            Occupant::Holder { device, holder } => text!("{device} is used by {holder}"),
            Occupant::Shown { what, by } => {
                text!("the loop device {by} is backed by {what} (losetup -d /dev/{by} ends that)")
            }
            Occupant::Opened { what, pid, program } => {
                text!("process {pid} ({program}) has {what} open for writing")
            }
            Occupant::OpenedUnseen => "an unknown process has it open for writing".into(),
            Occupant::Partition { name } => text!("it has the partition {name}"),
            Occupant::Signature { what, offset } => {
                text!("it holds {what} (at byte {offset})")
            }
            Occupant::Claimed => "the kernel says that it is in use".into(),
            Occupant::Unwritable { sentence }
            | Occupant::Unseen { sentence, .. }
            | Occupant::EndUnread { sentence } => sentence.clone(),
        }
    }
}

impl std::fmt::Display for Occupant {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Text::from(self).fmt(out)
    }
}
