//! What processors did.

use crate::units::Nanos;

/// What one processor did in a time (`/proc/stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    /// Its number.
    pub cpu: u32,
    /// In programs.
    pub user: Nanos,
    /// In the kernel, interrupts included.
    pub kernel: Nanos,
    /// Idle while I/O was outstanding.
    pub iowait: Nanos,
    /// Idle.
    pub idle: Nanos,
}

impl CpuUse {
    /// All of its time.
    pub const fn total(&self) -> Nanos {
        Nanos(self.user.0 + self.kernel.0 + self.iowait.0 + self.idle.0)
    }
}
