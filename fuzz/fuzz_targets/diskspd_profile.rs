#![no_main]

//! diskspd's XML profile, with no target on the command line and with one.

#[path = "../machine.rs"]
mod machine;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let arguments = ["-Xprofile.xml", "file"].map(str::to_owned);
    machine::try_diskspd(&arguments[..1], text);
    machine::try_diskspd(&arguments, text);
});
