#![no_main]

//! Logs 01h, 02h and 03h of NVMe.

use libfuzzer_sys::fuzz_target;
use sokudo_device::nvme;

fuzz_target!(|bytes: &[u8]| {
    let mut page = bytes.to_vec();
    page.resize(512, 0);
    for page in [bytes, &page[..]] {
        if let Ok(health) = nvme::health(page, None) {
            assert!(health.temperature_celsius.is_none_or(|it| (-60..=150).contains(&it)));
        }
        nvme::newest_error(page);
        nvme::firmware_slots(page);
    }
});
