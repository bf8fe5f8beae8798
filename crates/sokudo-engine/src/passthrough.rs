//! Drives that take commands past the block layer, which would cut what is too large for one.

use std::path::PathBuf;

use sokudo_model::{BufferMemory, Bytes, Workload};
use sokudo_sys::BUFFER_ALIGNMENT;

use crate::kernel_settings::queue_setting;
use crate::target::FileTarget;

/// Why a block cannot be moved by one command.
#[derive(Debug, sokudo_words::Error)]
pub enum TransferError {
    /// The drive does not take so much.
    #[error("{path} takes at most {most} per command, and nothing here splits blocks of {block}; use smaller blocks", path = path.display())]
    Bytes {
        /// Path of the drive, as it was given.
        path: PathBuf,
        /// Largest block of the workload, in bytes.
        block: Bytes,
        /// What one command moves.
        most: Bytes,
    },
    /// Its pages are too many: the kernel would copy them, in the time that is measured.
    #[error("{path} takes at most {most} pages of memory per command, and a block of {block} needs more; use smaller blocks, or buffers in huge pages", path = path.display())]
    Pages {
        /// Path of the drive, as it was given.
        path: PathBuf,
        /// Largest block of the workload, in bytes.
        block: Bytes,
        /// How many pieces of memory one command names.
        most: u64,
    },
}

/// Checks that the drive takes each block of a workload by one command.
pub(crate) fn check_transfer(workload: &Workload, file: &FileTarget) -> Result<(), TransferError> {
    let block = workload.blocks.largest();
    let path = || file.path().to_owned();
    let most = queue_setting(file, "max_hw_sectors_kb").map(Bytes::kib);
    if let Some(most) = most.filter(|most| block > *most) {
        let path = path();
        return Err(TransferError::Bytes { path, block, most });
    }
    let pages = block.0.div_ceil(BUFFER_ALIGNMENT as u64);
    let is_in_pages = workload.issuing.memory == BufferMemory::SmallPages;
    let most = queue_setting(file, "max_segments").filter(|most| is_in_pages && pages > *most);
    most.map_or(Ok(()), |most| {
        let path = path();
        Err(TransferError::Pages { path, block, most })
    })
}
