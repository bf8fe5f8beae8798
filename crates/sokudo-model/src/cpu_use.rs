//! Time of each processor, by what it was spent on.

use crate::units::Nanos;

/// What one processor did in a time (`/proc/stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    /// Number of the processor in `/proc/stat`, from 0.
    pub cpu: u32,
    /// Time in user mode, that of niced programs included.
    pub user: Nanos,
    /// In the kernel, interrupts included.
    pub kernel: Nanos,
    /// Idle while I/O was outstanding.
    pub iowait: Nanos,
    /// Time without work and without outstanding I/O.
    pub idle: Nanos,
}

impl CpuUse {
    /// All of its time.
    pub const fn total(&self) -> Nanos {
        Nanos(self.user.0 + self.kernel.0 + self.iowait.0 + self.idle.0)
    }
}
