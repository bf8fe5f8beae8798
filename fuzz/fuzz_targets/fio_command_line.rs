#![no_main]

#[path = "../machine.rs"]
mod machine;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let arguments: Vec<String> = text.split(['\n', '\0']).map(str::to_owned).collect();
    machine::try_fio(&arguments, "[a]\nsize=1m\n");
});
