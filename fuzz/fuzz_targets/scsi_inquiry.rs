#![no_main]

//! INQUIRY and READ CAPACITY (16) of SCSI.

use libfuzzer_sys::fuzz_target;
use sokudo_device::scsi;

fuzz_target!(|bytes: &[u8]| {
    let mut disk = scsi::identity(bytes).unwrap_or_default();
    let _ = scsi::add_capacity(&mut disk, bytes);
    if let (Some(logical), Some(physical)) = (disk.logical_block_bytes, disk.physical_block_bytes) {
        assert_eq!(physical % logical, 0);
    }
});
