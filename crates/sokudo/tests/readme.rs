//! Runs what the README and the guide show, so that what they show is true.
//!
//! Their console blocks name simulated devices, whose figures are the same on every
//! machine; `...` stands for lines that differ. `TRYCMD=overwrite` renews them. Those of a
//! page are carried out in their order with one store, so that runs have the numbers shown.

fn shows_what_sokudo_prints(page: &str, language: &str) {
    // Where a reader of it is.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .expect("the project has a folder");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    trycmd::TestCases::new()
        .register_bin(
            "sokudo",
            std::path::Path::new(env!("CARGO_BIN_EXE_sokudo")).to_path_buf(),
        )
        .env(
            "SOKUDO_STORE",
            folder.path().join("runs.db").to_string_lossy(),
        )
        .env("SOKUDO_LANG", language)
        .case(page)
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

#[test]
fn the_guide_shows_what_sokudo_prints() {
    shows_what_sokudo_prints("docs/GUIDE.md", "en");
}

#[test]
fn the_japanese_guide_shows_what_sokudo_prints_in_japanese() {
    shows_what_sokudo_prints("docs/GUIDE.ja.md", "ja");
}
