use proptest::prelude::*;
use sokudo_model::Bytes;
use sokudo_model::disk::{Bus, Health, HealthState, Link, Rotation, SmartAttribute, WriteCache};
use sokudo_words::Text;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::TableStyle;
use crate::sample::style;

/// A hard disk with partitions, LVM on LUKS, and a RAID member.
fn hard_disk(name: &str) -> Disk {
    let mut disk = Disk::unknown(name);
    disk.model = Some("WDC WD40EFRX-68N32N0".into());
    disk.serial = Some("WD-WCC7K0000001".into());
    disk.size_bytes = Some(Bytes(4_000_787_030_016));
    disk.logical_block_bytes = Some(Bytes(512));
    disk.physical_block_bytes = Some(Bytes(4096));
    disk.bus = Some(Bus::Ata);
    disk.link = Some(Link {
        negotiated: Some("3.0 Gbit/s".into()),
        maximum: Some("6.0 Gbit/s".into()),
        negotiated_bytes_per_s: Some(300_000_000),
        maximum_bytes_per_s: Some(600_000_000),
        ..Link::default()
    });
    disk.rotation = Rotation::PerMinute(5400);
    disk.write_cache = WriteCache {
        present: Some(true),
        enabled: Some(true),
        ..WriteCache::default()
    };
    disk.queue.scheduler = Some("mq-deadline".into());
    disk.health = Health {
        state: HealthState::Good,
        temperature_celsius: Some(34),
        attributes: vec![SmartAttribute {
            id: 5,
            name: "reallocated sectors".into(),
            value: 200,
            worst: 200,
            threshold: Some(140),
            raw: 0,
        }],
        ..Health::default()
    };
    disk.contents = vec![
        Content::new("GPT partition table"),
        on(
            "partition",
            Some(format!("{name}1")),
            vec![mounted("FAT", "EFI", "/boot/efi")],
        ),
        on("partition", Some(format!("{name}2")), vec![raid()]),
    ];
    disk.blind_spots = vec![Text::name(format!("{name} hides its past"))];
    disk
}

fn on(what: &'static str, device: Option<String>, contents: Vec<Content>) -> Content {
    let mut content = Content::new(what);
    content.size_bytes = device.is_some().then_some(Bytes(1_000_000_000_000));
    content.device = device;
    content.contents = contents;
    content
}

fn mounted(what: &'static str, label: &str, at: &str) -> Content {
    let mut content = Content::new(what);
    content.label = Some(label.into());
    content.mounted_on = vec![at.into()];
    content.free_bytes = Some(Bytes(7_500_000_000));
    content
}

fn raid() -> Content {
    let volume = on(
        "LVM volume data/home",
        Some("dm-1".into()),
        vec![mounted("ext4", "home", "/home")],
    );
    let opened = on(
        "opened LUKS volume safe",
        Some("dm-0".into()),
        vec![on("LVM member", None, vec![volume])],
    );
    let mut array = on(
        "RAID 1",
        Some("md0".into()),
        vec![on("LUKS", None, vec![opened])],
    );
    array
        .remarks
        .push("degraded: 1 of 2 members missing".into());
    on("RAID member", None, vec![array])
}

fn document() -> InfoDocument {
    let disks = ["sda", "sdb"].map(|name| DiskDocument {
        findings: vec![Finding {
            code: "link-below-maximum".into(),
            severity: sokudo_model::Severity::Warning,
            symptom: sokudo_words::Text::name(format!("{name} is connected at 3.0 Gbit/s")),
            cause: "a bad cable".into(),
            remedy: "try another cable".into(),
        }],
        disk: hard_disk(name),
    });
    InfoDocument::new("0.1.0", disks.into())
}

#[test]
fn the_overview_at_80_columns() {
    let text = render_overview(&document(), &style(80));
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_line_a_disk_and_what_is_wrong_with_any() {
    for width in [60, 80] {
        let text = render_lines(&document(), &style(width));
        assert!(text.lines().all(|line| line.width() <= width), "{text}");
        insta::assert_snapshot!(format!("lines_at_{width}_columns"), text);
    }
    let empty = InfoDocument::new("0.1.0", Vec::new());
    assert_eq!(render_lines(&empty, &style(80)).trim(), "");
}

#[test]
fn one_disk_in_sections() {
    let mut document = document();
    document.disks.truncate(1);
    let text = render_detail(&document, &style(80));
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn colour_only_repeats_words() {
    let plain = render_overview(&document(), &style(80));
    let coloured = render_overview(
        &document(),
        &TableStyle {
            colour: true,
            ..style(80)
        },
    );
    let bare = coloured.replace("\x1b[32m", "").replace("\x1b[0m", "");
    assert_ne!(coloured, plain);
    assert_eq!(bare, plain);
}

#[test]
fn ascii_is_ascii() {
    let text = render_overview(
        &document(),
        &TableStyle {
            ascii: true,
            ..style(80)
        },
    );
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn of_a_disk_of_which_nothing_is_known_nothing_is_claimed() {
    let disk = DiskDocument {
        disk: Disk::unknown("sdx"),
        findings: Vec::new(),
    };
    let document = InfoDocument::new("0.1.0", vec![disk]);
    let text = render_overview(&document, &style(80));
    for unknown in [
        "bus unknown",
        "rotation unknown",
        "blocks ?/?",
        "write cache unknown",
        "scheduler unknown",
        "health unknown",
        "temperature unknown",
    ] {
        assert!(text.contains(unknown), "{unknown}: {text}");
    }
    let detail = render_detail(&document, &style(80));
    assert!(!detail.contains(" 0 "), "unknown is never 0: {detail}");
}

#[test]
fn pages_are_shown_byte_by_byte() {
    let mut document = document();
    document.disks.truncate(1);
    document.disks[0]
        .disk
        .raw
        .insert("ATA IDENTIFY".into(), "41 42 1b 00".into());
    let text = render_raw(&document, &style(80));
    assert!(
        text.starts_with("sda: ATA IDENTIFY\n00000000  41 42 1b 00"),
        "{text}"
    );
    assert!(text.contains("|AB..|"), "{text}");
}

#[test]
fn documents_follow_the_schema_in_the_docs_and_read_back() {
    let text = document().to_json();
    crate::kept_schema::assert_kept::<InfoDocument>("sokudo.info-1", &[text]);
}

/// Signs that terminals obey: of C0, C1, and those that turn text around.
fn commands(text: &str) -> Vec<char> {
    text.chars()
        .filter(|sign| *sign != '\n' && (sign.is_control() || is_unseen(*sign)))
        .collect()
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(draws(64)))]

        #[test]
        fn no_words_of_a_disk_command_a_terminal(
            words in prop::collection::vec(any::<char>(), 0..40),
            sign in prop::sample::select(vec!['\x1b', '\n', '\r', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}', '\0']),
            at in 0usize..40,
            ascii in any::<bool>(),
            width in 1usize..200,
        ) {
            let mut words = words;
            words.insert(at.min(words.len()), sign);
            let hostile: String = words.into_iter().collect();
            let mut document = document();
            let disk = &mut document.disks[0].disk;
            disk.model = Some(hostile.clone());
            disk.serial = Some(hostile.clone());
            disk.vendor = Some(hostile.clone());
            disk.firmware = Some(hostile.clone());
            disk.links = vec![hostile.clone()];
            disk.contents[1].label = Some(hostile.clone());
            disk.contents[1].contents[0].label = Some(hostile.clone());
            disk.contents[1].contents[0].mounted_on = vec![hostile.clone()];
            disk.health.reasons = vec![Text::name(hostile.clone())];
            disk.health.attributes[0].name.clone_from(&hostile);
            disk.raw.insert(hostile.clone(), "1b".into());
            disk.blind_spots = vec![Text::name(hostile.clone())];
            document.disks[0].findings[0].symptom = Text::name(hostile.clone());
            let style = TableStyle { ascii, ..style(width) };
            for text in [
                render_overview(&document, &style),
                render_lines(&document, &style),
                render_detail(&document, &style),
                render_raw(&document, &style),
                document.to_json(),
            ] {
                prop_assert_eq!(commands(&text), Vec::<char>::new());
            }
            let back: InfoDocument = serde_json::from_str(&document.to_json()).unwrap();
            prop_assert_eq!(back.to_json(), document.to_json());
        }
    }
}
