#![no_main]

//! One value, for every option in turn: the grammar of sizes, times, lists and patterns.

#[path = "../machine.rs"]
mod machine;

use libfuzzer_sys::fuzz_target;
use sokudo_tools::fio::options;

fuzz_target!(|input: (u16, &str)| {
    let option = &options()[usize::from(input.0) % options().len()];
    let arguments = [
        "--name=a",
        "--size=1m",
        &format!("--{}={}", option.name, input.1),
    ];
    machine::try_fio(&arguments.map(str::to_owned), "");
});
