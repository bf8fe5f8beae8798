//! Whether a disk is fast enough: on simulated devices just fast enough and just too slow, and on
//! a real directory.

use std::fs;

use crate::sokudo::{Ended, directory_on_disk, holds, is_root, sokudo_on};

/// `sokudo fit WHAT TARGET ARGUMENTS`.
fn fit(what: &str, target: &str, arguments: &str) -> Ended {
    sokudo_on(&format!("fit --quiet --no-store {what}"), target, arguments)
}

fn first_line(ended: &Ended) -> &str {
    ended.printed.lines().next().unwrap_or_default()
}

#[test]
fn a_real_directory_is_answered_for_and_left_as_it_was() {
    let place = directory_on_disk();
    for what in ["etcd", "proxmox", "postgres"] {
        let ended = fit(what, place.path().to_str().unwrap(), "--time 100ms");
        let answers = [
            ("FAST ENOUGH", 0),
            ("TOO SLOW", 1),
            ("CANNOT SAY", 4),
            ("No threshold", 0),
        ];
        let (_, code) = answers
            .into_iter()
            .find(|(words, _)| first_line(&ended).starts_with(words))
            .unwrap_or_else(|| panic!("{ended:?}"));
        assert_eq!(ended.code(), Some(code), "{ended:?}");
        holds(&ended.printed, &["With fio:", "--directory="]);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
    if is_root() {
        return;
    }
    let mut permissions = fs::metadata(place.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(place.path(), permissions).unwrap();
    fit("etcd", place.path().to_str().unwrap(), "").refused(1, &["Permission denied"]);
}
