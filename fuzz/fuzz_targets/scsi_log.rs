#![no_main]

//! Log pages of SCSI.

use libfuzzer_sys::fuzz_target;
use sokudo_device::scsi;
use sokudo_model::disk::Health;

fuzz_target!(|bytes: &[u8]| {
    let mut health = Health::default();
    let mut page = bytes.to_vec();
    for number in [0x02, 0x03, 0x05, 0x0d, 0x0e, 0x11, 0x15, 0x2f] {
        if let Some(own) = page.first_mut() {
            *own = number;
        }
        let _ = scsi::add_log(&mut health, &page);
    }
    scsi::judge(&mut health);
    assert!(health.reasons.iter().all(|reason| reason.ends_with(".")));
});
