#![no_main]

//! SMART data, thresholds, device statistics and the directory of logs of an ATA disk.

use libfuzzer_sys::fuzz_target;
use sokudo_device::smart;
use sokudo_model::disk::Health;

fuzz_target!(|bytes: &[u8]| {
    let mut page = bytes.to_vec();
    page.resize(512, 0);
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    page[511] = page[511].wrapping_sub(sum);
    if let Ok(attributes) = smart::attributes(&page, Some(&page)) {
        let _ = smart::health(attributes, bytes.first().map(|byte| byte & 1 == 1));
    }
    let _ = smart::attributes(bytes, None);
    let mut health = Health::default();
    smart::add_statistics(&mut health, bytes);
    smart::statistics_pages(bytes);
    smart::log_pages(bytes, 4);
});
