//! Which standards a disk follows, as hdparm names them.

use std::fmt::{self, Write as _};

use super::page::IdentifyPage;

/// hdparm's names of the minor versions (word 81) that it knows, with the standard of each.
const NAMES: [(u16, u32, &str); 37] = [
    (0x0001, 1, "ATA-1 X3T9.2 781D prior to revision 4"),
    (0x0002, 1, "ATA-1 published, ANSI X3.221-1994"),
    (0x0003, 1, "ATA-1 X3T9.2 781D revision 4"),
    (0x0004, 2, "ATA-2 published, ANSI X3.279-1996"),
    (0x0005, 2, "ATA-2 X3T10 948D prior to revision 2k"),
    (0x0006, 3, "ATA-3 X3T10 2008D revision 1"),
    (0x0007, 2, "ATA-2 X3T10 948D revision 2k"),
    (0x0008, 3, "ATA-3 X3T10 2008D revision 0"),
    (0x0009, 2, "ATA-2 X3T10 948D revision 3"),
    (0x000a, 3, "ATA-3 published, ANSI X3.298-199x"),
    (0x000b, 3, "ATA-3 X3T10 2008D revision 6"),
    (0x000c, 3, "ATA-3 X3T13 2008D revision 7 and 7a"),
    (0x000d, 4, "ATA/ATAPI-4 X3T13 1153D revision 6"),
    (0x000e, 4, "ATA/ATAPI-4 T13 1153D revision 13"),
    (0x000f, 4, "ATA/ATAPI-4 X3T13 1153D revision 7"),
    (0x0010, 4, "ATA/ATAPI-4 T13 1153D revision 18"),
    (0x0011, 4, "ATA/ATAPI-4 T13 1153D revision 15"),
    (0x0012, 4, "ATA/ATAPI-4 published, ANSI INCITS 317-1998"),
    (0x0013, 5, "ATA/ATAPI-5 T13 1321D revision 3"),
    (0x0014, 4, "ATA/ATAPI-4 T13 1153D revision 14"),
    (0x0015, 5, "ATA/ATAPI-5 T13 1321D revision 1"),
    (0x0016, 5, "ATA/ATAPI-5 published, ANSI INCITS 340-2000"),
    (0x0017, 4, "ATA/ATAPI-4 T13 1153D revision 17"),
    (0x0018, 6, "ATA/ATAPI-6 T13 1410D revision 0"),
    (0x0019, 6, "ATA/ATAPI-6 T13 1410D revision 3a"),
    (0x001a, 7, "ATA/ATAPI-7 T13 1532D revision 1"),
    (0x001b, 6, "ATA/ATAPI-6 T13 1410D revision 2"),
    (0x001c, 6, "ATA/ATAPI-6 T13 1410D revision 1"),
    (0x001d, 7, "ATA/ATAPI-7 published, ANSI INCITS 397-2005"),
    (0x001e, 7, "ATA/ATAPI-7 T13 1532D revision 0"),
    (0x0021, 7, "ATA/ATAPI-7 T13 1532D revision 4a"),
    (0x0022, 6, "ATA/ATAPI-6 published, ANSI INCITS 361-2002"),
    (0x0027, 8, "ATA-8-ACS revision 3c"),
    (0x0033, 8, "ATA-8-ACS revision 3e"),
    (0x0042, 8, "ATA-8-ACS revision 3f"),
    (0x0052, 8, "ATA-8-ACS revision 3b"),
    (0x0107, 8, "ATA-8-ACS revision 2d"),
];

/// hdparm's name of a minor version.
pub(super) fn name(minor: u16) -> Option<&'static str> {
    known(minor).map(|(_, name)| name)
}

fn known(minor: u16) -> Option<(u32, &'static str)> {
    let mut names = NAMES.iter();
    let found = names.find(|(known, ..)| *known == minor)?;
    Some((found.1, found.2))
}

/// Appends the lines `Transport:` and `Standards:` of `hdparm -I`.
pub(super) fn lines(page: &IdentifyPage<'_>, out: &mut String) -> fmt::Result {
    if let Some(transport) = transport(page) {
        writeln!(out, "\tTransport:          {transport}")?;
    }
    let minor = page.stated(81);
    let used = minor.and_then(known);
    writeln!(out, "Standards:")?;
    match (minor, used) {
        (_, Some((_, name))) => writeln!(out, "\tUsed: {name} ")?,
        (Some(minor), None) => {
            writeln!(out, "\tUsed: unknown (minor revision code 0x{minor:04x}) ")?;
        }
        (None, None) => {}
    }
    let supported = page.stated(80).unwrap_or(0);
    let newest = newest(page);
    // A new standard gives old ones up; hdparm names none that are older than these.
    let oldest = match newest {
        0..=4 => 2,
        5 => 3,
        6 | 7 => 4,
        _ => 5,
    };
    let versions: String = (oldest..=newest)
        .rev()
        .filter(|version| supported >> version & 1 == 1)
        .map(|version| format!("{version} "))
        .collect();
    let like = followed(page);
    let rest = match used {
        None => format!("\n\tLikely used: {like}"),
        Some((standard, _)) if like > standard => format!("& some of {like}"),
        Some(_) => String::new(),
    };
    match newest {
        0 => writeln!(out, "{}", rest.trim_start_matches('\n')),
        _ => writeln!(out, "\tSupported: {versions}{rest}"),
    }
}

/// The standard that a disk is likely to follow: what it has of the next one tells where it
/// names an old one.
pub(super) fn followed(page: &IdentifyPage<'_>) -> u32 {
    let newest = newest(page);
    match known(page.at(81)).map(|(standard, _)| standard) {
        Some(old @ 1..=4) => old + 1,
        Some(5) if page.at(83) & 0x3fff > 0xff || page.at(84) & 0x3fff > 0 => 6,
        Some(7) => 8,
        // Words that came with the eighth: transport, speed of rotation, shape.
        None if [168, 217, 222]
            .iter()
            .any(|word| page.stated(*word).is_some()) =>
        {
            newest.max(8)
        }
        _ => newest,
    }
}

/// The newest standard that it supports; 0 where it names none.
fn newest(page: &IdentifyPage<'_>) -> u32 {
    let supported = page.stated(80).unwrap_or(0);
    let mut versions = (1..=14).rev();
    versions
        .find(|version| supported >> version & 1 == 1)
        .unwrap_or(0)
}

fn transport(page: &IdentifyPage<'_>) -> Option<String> {
    const SERIAL: [&str; 6] = [
        "ATA8-AST",
        "SATA 1.0a",
        "SATA II Extensions",
        "SATA Rev 2.5",
        "SATA Rev 2.6",
        "SATA Rev 3.0",
    ];
    let word = page.stated(222)?;
    let (kind, names): (&str, &[&str]) = match word >> 12 {
        0 => ("Parallel", &["ATA8-APT"]),
        1 => ("Serial", &SERIAL),
        _ => return None,
    };
    let named = names.iter().enumerate();
    let named = named.filter(|(bit, _)| word >> bit & 1 == 1);
    let named: String = named.map(|(_, name)| format!(", {name}")).collect();
    Some(format!("{kind}{named}"))
}
