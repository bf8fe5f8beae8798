//! Runs what the README shows, so that what it shows is true.
//!
//! Its console blocks name simulated devices, whose figures are the same on every
//! machine; `...` stands for lines that differ. `TRYCMD=overwrite` renews them.

fn shows_what_sokudo_prints(readme: &str, language: &str) {
    trycmd::TestCases::new()
        .register_bin(
            "sokudo",
            std::path::Path::new(env!("CARGO_BIN_EXE_sokudo")).to_path_buf(),
        )
        .env("SOKUDO_STORE", "none")
        .env("SOKUDO_LANG", language)
        .case(format!("{}/../../{readme}", env!("CARGO_MANIFEST_DIR")))
        .run();
}

#[test]
fn the_readme_shows_what_sokudo_prints() {
    shows_what_sokudo_prints("README.md", "en");
}

#[test]
fn the_japanese_readme_shows_what_sokudo_prints_in_japanese() {
    shows_what_sokudo_prints("README.ja.md", "ja");
}
