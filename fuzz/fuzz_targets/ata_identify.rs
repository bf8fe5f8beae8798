#![no_main]

//! IDENTIFY DEVICE of an ATA disk, with its checksum made right.

use libfuzzer_sys::fuzz_target;
use sokudo_device::ata;

fuzz_target!(|bytes: &[u8]| {
    let _ = ata::identity(bytes);
    // Behind the checksum.
    let mut page = bytes.to_vec();
    page.resize(ata::PAGE_BYTES, 0);
    page[510] = 0;
    if let Ok(disk) = ata::identity(&page) {
        assert_eq!(disk.physical_sector_bytes % disk.logical_sector_bytes, 0);
        assert!(disk.sectors < 1 << 48);
    }
});
