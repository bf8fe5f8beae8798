#![no_main]

//! Identify Controller and Identify Namespace of NVMe.

use libfuzzer_sys::fuzz_target;
use sokudo_device::nvme;

fuzz_target!(|bytes: &[u8]| {
    let _ = nvme::controller(bytes);
    // The fields lie far apart: the input is laid over the places that are read.
    let mut page = vec![0_u8; 4096];
    let mut rest = bytes;
    for (at, length) in [(0, 144), (240, 96), (512, 32), (768, 16), (2048, 128)] {
        let (now, later) = rest.split_at(length.min(rest.len()));
        page[at..at + now.len()].copy_from_slice(now);
        rest = later;
    }
    let _ = nvme::controller(&page);
    if let Ok(namespace) = nvme::namespace(&page, 1) {
        assert!(namespace.formats.len() <= 64);
    }
});
