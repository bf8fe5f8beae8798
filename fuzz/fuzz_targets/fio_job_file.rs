#![no_main]

#[path = "../machine.rs"]
mod machine;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    machine::try_fio(&["x".to_owned()], text);
});
