//! The table of options in docs/DISKSPD.md is the one that the reader goes by.

use std::path::Path;

const BEGIN: &str = "cargo test -p sokudo-tools --test text diskspd_page` -->\n";
const END: &str = "<!-- end of options -->";

#[test]
fn the_page_has_the_table_of_options() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/DISKSPD.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("the page has a place for options");
    let (_, after) = rest.split_once(END).expect("the options have an end");
    let table = sokudo_tools::diskspd::option_table();
    let expected = format!("{before}{BEGIN}\n{table}\n{END}{after}");
    if std::env::var_os("SOKUDO_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(
        page == expected,
        "docs/DISKSPD.md is not what the options say; run SOKUDO_BLESS=1 cargo test -p sokudo-tools --test text diskspd_page"
    );
}
