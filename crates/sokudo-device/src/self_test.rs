//! Has drives test themselves: begins their self-tests, watches them, and says what came of
//! them. A drive tests itself beside its other work and writes nothing of its user's; it is
//! opened for reading only. A test that somebody else has begun is left alone.
//! Whether a drive may be loaded so is not decided here: the caller asks.

mod ata_drive;
mod carried_out;
mod drive;
mod nvme_drive;
mod scsi_drive;
mod tester;

pub use carried_out::{SelfTestWatch, self_tests};
pub use drive::{SelfTestEntry, SelfTestError, SelfTestProgress, SelfTestState};
pub use tester::{SelfTestTarget, SelfTester};
