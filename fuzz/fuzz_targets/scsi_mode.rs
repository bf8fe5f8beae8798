#![no_main]

//! The caching mode page of SCSI, read and made ready to be given back.

use libfuzzer_sys::fuzz_target;
use sokudo_device::scsi;
use sokudo_model::disk::ScsiIdentity;
use sokudo_sys::scsi::{CachingPage, ScsiCommand};

fuzz_target!(|bytes: &[u8]| {
    for is_long in [false, true] {
        let mut disk = ScsiIdentity::default();
        let _ = scsi::add_caching_page(&mut disk, bytes, Some(bytes), is_long);
        if let Some(page) = CachingPage::from_answer(bytes, is_long) {
            assert_eq!(page.bytes()[0], 8);
            let off = page.clone().with_write_cache(false);
            assert!(!off.write_cache() && page.with_write_cache(true).write_cache());
            let _ = ScsiCommand::mode_select(&off);
        }
    }
});
