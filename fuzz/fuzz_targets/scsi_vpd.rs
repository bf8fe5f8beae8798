#![no_main]

//! Pages of vital product data of SCSI.

use libfuzzer_sys::fuzz_target;
use sokudo_device::{ata, scsi};
use sokudo_model::disk::ScsiIdentity;

fuzz_target!(|bytes: &[u8]| {
    let mut disk = ScsiIdentity {
        logical_block_bytes: Some(512),
        ..ScsiIdentity::default()
    };
    scsi::pages(bytes);
    let mut page = bytes.to_vec();
    for number in [0x80, 0x83, 0x89, 0xb0, 0xb1, 0xb2] {
        if let Some(own) = page.get_mut(1) {
            *own = number;
        }
        let _ = scsi::add_vital_product_data(&mut disk, number, &page);
        if let Some(identify) = scsi::ata_identify(&page) {
            let _ = ata::identity(identify);
        }
    }
    assert!(disk.designators.iter().all(|name| !name.contains(char::is_control)));
});
