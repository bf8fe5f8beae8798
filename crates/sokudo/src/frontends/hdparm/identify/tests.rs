use std::io::Write as _;
use std::process::{Command, Stdio};

use super::page::WORDS;
use super::*;

/// What QEMU's disk says, and what hdparm 9.65 made of it in the lab.
const QEMU: &[u8] = include_bytes!("../../../../../sokudo-device/tests/pages/qemu-ide.identify");
const QEMU_IDENTIFY: &str =
    include_str!("../../../../../sokudo-device/tests/pages/qemu-ide.hdparm.txt");

/// Words that disks of today have.
const USUAL: &[(usize, u16)] = &[
    (0, 0x0040),
    (1, 16383),
    (3, 16),
    (6, 63),
    (47, 0x8010),
    (49, 0x2f00),
    (50, 0x4000),
    (53, 7),
    (54, 16383),
    (55, 16),
    (56, 63),
    (57, 0xfc10),
    (58, 0xfb),
    (59, 0x0110),
    (60, 0xffff),
    (61, 0x0fff),
    (63, 0x0007),
    (64, 3),
    (65, 120),
    (66, 120),
    (67, 120),
    (68, 120),
    (75, 31),
    (76, 0x850e),
    (77, 6),
    (80, 0x0ff0),
    (81, 0x006d),
    (82, 0x746b),
    (83, 0x7d01),
    (84, 0x6163),
    (85, 0x7469),
    (86, 0xbc01),
    (87, 0x6163),
    (88, 0x407f),
    (89, 120),
    (90, 120),
    (92, 0xfffe),
    (108, 0x5000),
    (109, 0xc500),
    (110, 0xcafe),
    (111, 1),
    (128, 0x29),
];
const HARD_DISK: &[(usize, u16)] = &[
    (78, 0x44),
    (79, 0x40),
    (101, 0x46c0),
    (102, 7),
    (106, 0x6003),
    (119, 0x401e),
    (120, 0x401c),
    (168, 2),
    (206, 0x25),
    (209, 0x4000),
    (217, 7200),
    (222, 0x11ff),
];
const SOLID_STATE: &[(usize, u16)] = &[
    (59, 0xb501),
    (69, 0x4020),
    (78, 0x16c),
    (79, 0x60),
    (83, 0x7d09),
    (86, 0xbc09),
    (91, 0x80fe),
    (100, 0xeab0),
    (101, 0x3a38),
    (105, 8),
    (106, 0x4000),
    (119, 0x4016),
    (120, 0x4004),
    (128, 0x12b),
    (168, 3),
    (169, 1),
    (206, 0x3d),
    (217, 1),
    (222, 0x107f),
];

fn page_of(words: &[(usize, u16)]) -> Vec<u8> {
    let mut page = vec![0_u8; 2 * WORDS];
    let mut put = |index: usize, word: u16| {
        page[2 * index..2 * index + 2].copy_from_slice(&word.to_le_bytes());
    };
    for (first, text) in [
        (27, "A DISK OF A TEST, WITH FORTY LETTERS ..."),
        (10, "SERIAL-0123456789   "),
        (23, "FW-1.0  "),
    ] {
        for (index, pair) in text.as_bytes().chunks_exact(2).enumerate() {
            put(first + index, u16::from_be_bytes([pair[0], pair[1]]));
        }
    }
    for (index, word) in USUAL.iter().chain(words) {
        put(*index, *word);
    }
    page[510] = 0xa5;
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    page[511] = 0_u8.wrapping_sub(sum);
    page
}

fn detailed(page: &[u8]) -> String {
    let identity = sokudo_device::ata::identity(page).unwrap();
    IdentifyPage::new(page, &identity).unwrap().detailed()
}

/// What hdparm prints of a page that stands on its standard input; `None` without hdparm.
fn of_hdparm(page: &[u8]) -> Option<String> {
    let mut hdparm = Command::new("hdparm")
        .arg("--Istdin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let words = page.as_chunks::<2>().0.iter();
    let words: Vec<String> = words
        .map(|pair| format!("{:04x}", u16::from_le_bytes(*pair)))
        .collect();
    let lines: Vec<String> = words.chunks(8).map(|line| line.join(" ")).collect();
    let mut input = hdparm.stdin.take().unwrap();
    input.write_all(lines.join("\n").as_bytes()).unwrap();
    drop(input);
    let output = hdparm.wait_with_output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_disk_of_qemu_is_told_as_hdparm_tells_it() {
    let (_, expected) = QEMU_IDENTIFY.split_once("/dev/sda:\n").unwrap();
    assert_eq!(detailed(QEMU).trim_end(), expected.trim_end());
}

#[test]
fn disks_of_today_are_told_as_hdparm_tells_them() {
    for words in [HARD_DISK, SOLID_STATE] {
        let page = page_of(words);
        let ours = detailed(&page);
        assert!(ours.contains("Checksum: correct"), "{ours}");
        match of_hdparm(&page) {
            Some(theirs) => assert_eq!(ours.trim(), theirs.trim()),
            None => eprintln!("SKIPPED: hdparm is not installed"),
        }
    }
}

#[test]
fn old_and_damaged_pages_are_told_as_hdparm_tells_them() {
    let without = |word: usize, value: u16| {
        let mut words = HARD_DISK.to_vec();
        words.push((word, value));
        page_of(&words)
    };
    let mut pages: Vec<Vec<u8>> = [
        (106, 0),
        (209, 0x4007),
        (80, 0x00f0),
        (81, 0x0016),
        (81, 0x001a),
        (81, 0x0022),
        (81, 0),
        (83, 0x7901),
        (128, 0),
        (59, 0x10),
        (222, 0),
        (222, 3),
        (93, 0x604b),
        (21, 512),
        (217, 0),
        (84, 0x6063),
        (76, 0),
        (53, 0),
        (50, 0x4001),
        (49, 0x0b00),
    ]
    .map(|(word, value)| without(word, value))
    .to_vec();
    let mut damaged = page_of(HARD_DISK);
    damaged[510] = 0;
    pages.push(damaged);
    for page in pages {
        let ours = detailed(&page);
        match of_hdparm(&page) {
            Some(theirs) => assert_eq!(ours.trim(), theirs.trim()),
            None => eprintln!("SKIPPED: hdparm is not installed"),
        }
    }
}

/// The lines of `hdparm -i`, whose layout is as in its source.
#[test]
fn the_short_identification_has_hdparms_lines() {
    let page = page_of(HARD_DISK);
    let identity = sokudo_device::ata::identity(&page).unwrap();
    let text = IdentifyPage::new(&page, &identity).unwrap().brief();
    for line in [
        "\n Model=A DISK OF A TEST, WITH FORTY LETTERS ..., FwRev=FW-1.0, SerialNo=SERIAL-0123456789\n",
        " Config={ Fixed }\n",
        " RawCHS=16383/16/63, TrkSize=0, SectSize=0, ECCbytes=0\n",
        " BuffType=unknown, BuffSize=unknown, MaxMultSect=16, MultSect=16\n",
        " CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects=31251759104\n",
        " IORDY=on/off, tPIO={min:120,w/IORDY:120}, tDMA={min:120,rec:120}\n",
        " PIO modes:  pio0 pio1 pio2 pio3 pio4 \n",
        " UDMA modes: udma0 udma1 udma2 udma3 udma4 udma5 *udma6 \n",
        " AdvancedPM=no WriteCache=enabled\n",
        " * signifies the current active mode\n",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
}
