//! The process that puts write caches of drives back, where there is no drive: it says
//! why it keeps nothing, so that nothing is switched. Drives are switched in the lab.

use crate::sokudo::sokudo_apart;

#[test]
fn nothing_is_kept_of_what_is_no_drive() {
    for path in ["/dev/null", "/nonexistent", "/"] {
        let ended = sokudo_apart(&format!("--keep-write-caches-of {path}")).ends(1);
        let answer = ended.prints(&[path]).printed;
        assert!(!answer.starts_with("found"), "{answer:?}");
    }
}

#[test]
fn without_drives_it_ends_with_the_run() {
    let ended = sokudo_apart("--keep-write-caches-of").ok();
    assert_eq!((&*ended.printed, &*ended.told), ("", ""));
}

#[test]
fn users_do_not_see_the_argument() {
    let help = sokudo_apart("--help").printed;
    assert!(!help.contains("keep-write-caches"), "{help}");
}
