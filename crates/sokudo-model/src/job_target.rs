//! Files and devices of jobs, as their languages describe them.

/// What kind of thing a target of jobs is or will be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobTargetKind {
    /// A regular file, there or still to be made.
    #[default]
    File,
    /// A whole device, or a part of one.
    BlockDevice,
    /// Nothing: the cost of the engine itself.
    Null,
    /// A simulated device in virtual time; its path says which.
    Simulated,
}

/// How room is made for a file of jobs (fio: `fallocate`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocation {
    /// Not at all: it grows as it is written.
    None,
    /// Reserved, and the size set; nothing where the file system cannot.
    #[default]
    Reserve,
    /// Reserved, the size not set.
    ReserveKeepSize,
    /// The size is set, nothing reserved: a hole.
    Truncate,
}
