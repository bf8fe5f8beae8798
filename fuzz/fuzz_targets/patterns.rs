#![no_main]

//! The grammar of `buffer_pattern` and `verify_pattern`, alone in a job.

#[path = "../machine.rs"]
mod machine;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for option in ["buffer_pattern", "verify=pattern --verify_pattern"] {
        let words = format!("--name=a --size=1m --rw=write --{option}");
        let mut arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
        if let Some(last) = arguments.last_mut() {
            *last += "=";
            *last += text;
        }
        machine::try_fio(&arguments, "");
    }
});
