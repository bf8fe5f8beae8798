//! Runs that are kept, those of files, and what today's rules think of both.

use crate::store_file::Store;
use crate::stored;

const IMPORT: &str = concat!(
    "import ",
    env!("CARGO_MANIFEST_DIR"),
    "/../sokudo-tools/corpus/kdiskmark/2.txt"
);

#[test]
fn a_run_of_today_is_judged_as_it_was() {
    let store = Store::new();
    for measured in [
        "mark sim:ssd --row SEQ1M,Q8 --row RND4K,Q32 --runs 8 --time 100ms --seed 1",
        "scan sim:hdd",
        "explain sim:hdd",
        IMPORT,
    ] {
        store.ok(&format!("{measured} --quiet"));
        let judged = store.ok("show --judge-again");
        assert!(judged.contains("and find the same."), "{judged:?}");
        assert_eq!(judged.lines().count(), 1, "{judged:?}");
    }
}

#[test]
fn a_file_is_judged_as_the_run_that_it_holds() {
    let store = Store::new();
    let file = store.beside("json");
    let measured =
        "mark sim:ssd --row RND4K,Q32 --runs 6 --time 20ms --no-store --quiet --format json";
    store.ok(&format!("{measured} --output {}", file.display()));
    store.ok(&format!("import {} --quiet", file.display()));
    let text = store.ok("show 1 --judge-again");
    assert!(text.contains("and find the same."), "{text}");
    assert_eq!(
        store.ok(&format!("show {} --judge-again", file.display())),
        text
    );
    let json = store.run("show 1 --judge-again -f json").json();
    assert_eq!(json["schema"], "sokudo.judgement/1");
    assert_eq!(json["run"], "run 1");
    assert_eq!(json["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn other_formats_have_no_form_for_two_judgements() {
    let store = stored::store();
    for format in ["csv", "markdown"] {
        let arguments = format!("show 1 --judge-again --format {format}");
        store.refuses(&arguments, 2, &["--judge-again prints a table or JSON"]);
    }
}
