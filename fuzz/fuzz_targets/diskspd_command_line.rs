#![no_main]

//! diskspd's command line, one argument a line; `-X` reads an empty file.

#[path = "../machine.rs"]
mod machine;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let arguments: Vec<String> = text.split(['\n', '\0']).map(str::to_owned).collect();
    machine::try_diskspd(&arguments, "");
});
