//! What stands on disks and is a device itself: RAID by md, and what the device mapper
//! makes of them: LVM, LUKS, multipath.

use std::path::Path;

use sokudo_model::disk::Content;
use sokudo_words::{Text, text};

use crate::block;
use crate::system;

/// A device that stands on others, without what is on it.
pub(crate) fn describe(directory: &Path) -> Content {
    let mut content = if directory.join("md").is_dir() {
        raid(directory)
    } else if directory.join("dm").is_dir() {
        mapped(directory)
    } else if let Some(file) = system::text(directory.join("loop/backing_file")) {
        let mut content = Content::new("loop device");
        content.label = Some(file);
        content
    } else {
        Content::new("device")
    };
    content.device = Some(block::name(directory));
    content.size_bytes = block::size(directory);
    if system::flag(directory.join("ro")) == Some(true) {
        content.remarks.push("read-only".into());
    }
    content
}

/// `Documentation/admin-guide/md.rst` of the kernel names the files.
fn raid(directory: &Path) -> Content {
    let md = directory.join("md");
    let word = |file: &str| system::text(md.join(file));
    let mut content = Content::new(level_name(word("level").as_deref()));
    content.uuid =
        word("uuid").filter(|uuid| uuid.bytes().any(|byte| !matches!(byte, b'0' | b'-')));
    let disks = system::number(md.join("raid_disks"));
    let missing = system::number(md.join("degraded")).filter(|missing| *missing > 0);
    if let Some(missing) = missing {
        content.remarks.push(match disks {
            Some(disks) => text!("degraded: {missing} of {disks} members missing"),
            None => text!("degraded: {missing} members missing"),
        });
    }
    if let Some(action) = word("sync_action").filter(|action| action != "idle") {
        let done = word("sync_completed").and_then(|text| percent_done(&text));
        content.remarks.push(match done {
            Some(percent) => text!("{action} under way, {percent} % done"),
            None => text!("{action} under way"),
        });
    }
    let state = word("array_state").unwrap_or_default();
    let stopped = ["inactive", "clear", "suspended", "broken"];
    let stopped = stopped.into_iter().filter(|it| *it == state);
    content.remarks.extend(stopped.map(Text::from));
    content
}

fn level_name(level: Option<&str>) -> Text {
    match level {
        Some(level) => match level.strip_prefix("raid") {
            Some(number) => text!("RAID {number}"),
            None => text!("RAID ({level})"),
        },
        None => Text::name("RAID"),
    }
}

/// Of `done / all`, in sectors.
fn percent_done(text: &str) -> Option<u64> {
    let (done, all) = text.split_once('/')?;
    let (done, all): (u64, u64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
    done.checked_mul(100)?.checked_div(all)
}

/// What an array says of one of its members, where that is not simply that it works.
pub(crate) fn member_remark(array: &Path, member: &str) -> Option<Text> {
    let name = member.replace('/', "!");
    let state = system::text(array.join(format!("md/dev-{name}/state")))?;
    let words = state.split(',');
    let words = words.filter(|word| !matches!(*word, "in_sync" | "writemostly" | ""));
    let words: Vec<Text> = words
        .map(|word| Text::phrase(&word.replace('_', " ")))
        .collect();
    (!words.is_empty()).then(|| Text::list(words, ", "))
}

/// The owner of a mapped device begins its identifier with its own name.
fn mapped(directory: &Path) -> Content {
    let name = system::text(directory.join("dm/name")).unwrap_or_default();
    let id = system::text(directory.join("dm/uuid")).unwrap_or_default();
    let (owner, rest) = id.split_once('-').unwrap_or((&id, ""));
    let mut content = match owner {
        "LVM" => Content::new(text!("LVM volume {}", volume_name(&name))),
        "CRYPT" => {
            let kind = rest.split('-').next().unwrap_or_default();
            let kind = if kind.starts_with("LUKS") {
                "LUKS"
            } else {
                kind
            };
            Content::new(text!("opened {kind} volume {name}"))
        }
        "mpath" => Content::new(text!("multipath {name}")),
        part if part.starts_with("part") && rest.starts_with("mpath") => {
            Content::new(text!("partition {name}"))
        }
        _ => Content::new(text!("mapped device {name}")),
    };
    content.label = (!name.is_empty()).then_some(name);
    content.uuid = (!id.is_empty()).then_some(id);
    content
}

/// LVM joins group and volume by `-` and doubles each `-` within them.
fn volume_name(name: &str) -> String {
    let mut parts = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(sign) = rest.next() {
        match (sign, rest.peek()) {
            ('-', Some('-')) => {
                parts.push('-');
                rest.next();
            }
            ('-', _) => parts.push('/'),
            _ => parts.push(sign),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_have_the_names_that_lvm_gives_them() {
        assert_eq!(volume_name("data-home"), "data/home");
        assert_eq!(volume_name("my--data-old--home"), "my-data/old-home");
        assert_eq!(volume_name("odd---x"), "odd-/x");
        assert_eq!(volume_name(""), "");
    }

    #[test]
    fn levels_are_named() {
        assert_eq!(level_name(Some("raid1")), "RAID 1");
        assert_eq!(level_name(Some("linear")), "RAID (linear)");
        assert_eq!(level_name(None), "RAID");
    }

    #[test]
    fn progress_is_told_in_percent() {
        assert_eq!(percent_done("50 / 200"), Some(25));
        assert_eq!(percent_done("none"), None);
        assert_eq!(percent_done("1 / 0"), None);
        assert_eq!(percent_done("18446744073709551615 / 2"), None);
    }

    #[test]
    fn members_that_work_are_not_spoken_of() {
        let array = tempfile::tempdir().unwrap();
        let member = array.path().join("md/dev-sda1");
        std::fs::create_dir_all(&member).unwrap();
        for (state, remark) in [
            ("in_sync\n", None),
            ("faulty,blocked\n", Some("faulty, blocked")),
            ("spare\n", Some("spare")),
        ] {
            std::fs::write(member.join("state"), state).unwrap();
            assert_eq!(
                member_remark(array.path(), "sda1")
                    .map(|it| it.english())
                    .as_deref(),
                remark
            );
        }
        assert_eq!(member_remark(array.path(), "sdb"), None);
    }
}
