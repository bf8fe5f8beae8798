//! Runs what the README shows, so that what it shows is true.
//!
//! Its console blocks name simulated devices, whose figures are the same on every
//! machine; `...` stands for lines that differ. `TRYCMD=overwrite` renews them.

#[test]
fn the_readme_shows_what_sokudo_prints() {
    trycmd::TestCases::new()
        .register_bin(
            "sokudo",
            std::path::Path::new(env!("CARGO_BIN_EXE_sokudo")).to_path_buf(),
        )
        .env("SOKUDO_STORE", "none")
        .case(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"))
        .run();
}
