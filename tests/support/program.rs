//! Where the program under test lies.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::sync::OnceLock;

/// Where the program lies: where cargo has told its own tests, or `tests/run` those of other
/// packages.
pub(crate) fn path() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let of_package = option_env!("CARGO_BIN_EXE_sokudo").map(str::to_owned);
        let of_runner = || std::env::var("SOKUDO_PROGRAM").ok();
        of_package
            .or_else(of_runner)
            .expect("no variable SOKUDO_PROGRAM says where sokudo is; run these tests by tests/run")
    })
}
