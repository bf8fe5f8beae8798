//! Who uses a block device and what it holds: what must be known before it may be
//! written.

/// What was found out about the use of one block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The device's number (`st_rdev`): the only name that cannot be moved to
    /// another device while we look.
    pub device_number: u64,
    /// Kernel name, such as `sdb`; `major:minor` where sysfs shows none.
    pub name: String,
    /// Serial number, where the device tells one.
    pub serial: Option<String>,
    /// Everything that speaks against writing to it.
    pub occupants: Vec<Occupant>,
}

/// One reason not to write to a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A file system on it, on a part of it or on something above it is mounted.
    Mounted {
        /// Which device: itself, a partition or a holder.
        device: String,
        /// Where.
        at: String,
    },
    /// It, a part of it or something above it is swapped to.
    Swap {
        /// Which device.
        device: String,
    },
    /// Something stands on it: RAID, device-mapper, bcache, a loop device.
    Holder {
        /// Which device: itself or a partition.
        device: String,
        /// What stands on it.
        holder: String,
    },
    /// It is divided.
    Partition {
        /// The part.
        name: String,
    },
    /// It holds something that is recognised.
    Signature {
        /// What, such as `ext4`.
        what: String,
        /// Where the sign of it is, in bytes from the start.
        offset: u64,
    },
    /// The kernel gives it to nobody else: another program or another mount
    /// namespace uses it.
    Claimed,
    /// It takes no writes at all.
    Unwritable {
        /// Why.
        sentence: String,
    },
    /// What it holds or who uses it could not be seen, which must be taken for the
    /// worst.
    Unseen {
        /// What could not be seen and why.
        sentence: String,
    },
}

impl Occupant {
    /// Whether it is only about what the device holds: nobody uses it now.
    pub const fn is_content(&self) -> bool {
        matches!(self, Self::Partition { .. } | Self::Signature { .. })
    }
}

impl std::fmt::Display for Occupant {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mounted { device, at } => write!(out, "{device} is mounted on {at}"),
            Self::Swap { device } => write!(out, "{device} is swap space in use"),
            Self::Holder { device, holder } => write!(out, "{device} is used by {holder}"),
            Self::Partition { name } => write!(out, "it has the partition {name}"),
            Self::Signature { what, offset } => {
                write!(out, "it holds {what} (at byte {offset})")
            }
            Self::Claimed => out.write_str("the kernel says that it is in use"),
            Self::Unwritable { sentence } | Self::Unseen { sentence } => out.write_str(sentence),
        }
    }
}
