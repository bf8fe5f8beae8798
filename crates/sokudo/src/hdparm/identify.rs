//! What a disk says of itself (ATA IDENTIFY DEVICE) in the lines of `hdparm -I` and
//! `hdparm -i` 9.65.
//!
//! It prints what the page holds and asks nothing. Texts and columns are held against
//! hdparm itself, which reads the same pages from its standard input (`--Istdin`).

use std::fmt::Write as _;

mod page;
mod standard;

use page::line;

pub(super) use page::IdentifyPage;

/// The low byte of the last word where its high byte is a checksum.
const INTEGRITY: u16 = 0xa5;

impl IdentifyPage<'_> {
    /// What `hdparm -I` prints behind the device's name.
    pub(super) fn detailed(&self) -> String {
        let mut text = String::new();
        self.title(&mut text);
        standard::lines(&mut text, self);
        self.configuration_lines(&mut text);
        self.sizes(&mut text);
        self.capabilities(&mut text);
        self.features(&mut text);
        self.security(&mut text);
        self.name_and_state(&mut text);
        text
    }

    /// What `hdparm -i` prints behind the device's name.
    pub(super) fn brief(&self) -> String {
        let [heads, sectors, cylinders] = [3, 6, 1].map(|word| self.at(word));
        let shown = |on: bool| if on { "yes" } else { "no" };
        let mut text = String::new();
        line(
            &mut text,
            format_args!(
                "\n Model={}, FwRev={}, SerialNo={}",
                self.text(27, 46).trim(),
                self.text(23, 26).trim(),
                self.text(10, 19).trim()
            ),
        );
        line(
            &mut text,
            format_args!(" Config={{{} }}", self.configuration()),
        );
        line(
            &mut text,
            format_args!(
                " RawCHS={cylinders}/{heads}/{sectors}, TrkSize={}, SectSize={}, ECCbytes={}",
                self.at(4),
                self.at(5),
                self.at(22)
            ),
        );
        let size = match self.at(21) {
            0 => "unknown".to_owned(),
            halves => format!("{}kB", halves / 2),
        };
        let multiple = match self.at(59) {
            word if word & 0x100 == 0 => format!("?{}?", word & 0xff),
            word if word & 0xff == 0 => "off".to_owned(),
            word => (word & 0xff).to_string(),
        };
        line(
            &mut text,
            format_args!(
                " BuffType={}, BuffSize={size}, MaxMultSect={}, MultSect={multiple}",
                self.buffer().unwrap_or("unknown"),
                self.at(47) & 0xff
            ),
        );
        line(
            &mut text,
            format_args!(
                " CurCHS={}/{}/{}, CurSects={}, LBA={}, LBAsects={}",
                self.at(54),
                self.at(55),
                self.at(56),
                self.number(57, 2),
                shown(self.bit(49, 9)),
                self.identity.sectors
            ),
        );
        self.brief_modes(&mut text);
        text
    }

    fn brief_modes(&self, text: &mut String) {
        let ready = match (self.bit(49, 11), self.bit(49, 10)) {
            (false, _) => "no",
            (true, true) => "on/off",
            (true, false) => "yes",
        };
        line(
            text,
            format_args!(
                " IORDY={ready}, tPIO={{min:{},w/IORDY:{}}}, tDMA={{min:{},rec:{}}}",
                self.at(67),
                self.at(68),
                self.at(65),
                self.at(66)
            ),
        );
        line(text, format_args!(" PIO modes:  {}", self.pio_modes()));
        line(
            text,
            format_args!(
                " DMA modes:  {}{}",
                modes("sdma", self.at(62)),
                modes("mdma", self.at(63))
            ),
        );
        line(
            text,
            format_args!(" UDMA modes: {}", modes("udma", self.at(88))),
        );
        let managed = match (self.bit(83, 3), self.bit(86, 3)) {
            (false, _) => "no".to_owned(),
            (true, false) => "yes: disabled (255)".to_owned(),
            (true, true) if self.at(91) >> 8 != 0x40 => "yes: unknown setting".to_owned(),
            (true, true) => format!("yes: mode=0x{:02X} ({0})", self.at(91) & 0xff),
        };
        let cache = match self.identity.write_cache {
            Some(true) => " WriteCache=enabled",
            Some(false) => " WriteCache=disabled",
            None => "",
        };
        line(text, format_args!(" AdvancedPM={managed}{cache}"));
        let versions: Vec<String> = (1..=14)
            .filter(|version| self.stated(80).is_some_and(|word| word >> version & 1 == 1))
            .map(|version: u32| version.to_string())
            .collect();
        line(
            text,
            format_args!(
                " Drive conforms to: {}:  ATA/ATAPI-{}",
                match self.at(81) {
                    0 => "Unspecified",
                    minor => standard::name(minor).unwrap_or("unknown"),
                },
                versions.join(",")
            ),
        );
        line(
            text,
            format_args!("\n * signifies the current active mode\n"),
        );
    }

    /// The words of `Config={ … }`, by the bits of word 0.
    fn configuration(&self) -> String {
        const WORDS: [&str; 16] = [
            "Non-Removable?",
            "HardSect",
            "SoftSect",
            "NotMFM",
            "HdSw>15uSec",
            "SpinMotCtl",
            "Fixed",
            "Removeable",
            "DTR<=5Mbs",
            "DTR>5Mbs",
            "DTR>10Mbs",
            "RotSpdTol>.5%",
            "dStbOff",
            "TrkOff",
            "FmtGapReq",
            "nonMagnetic",
        ];
        let named = WORDS.iter().enumerate().skip(1);
        named
            .filter(|(bit, _)| self.words[0] >> bit & 1 == 1)
            .map(|(_, word)| format!(" {word}"))
            .collect()
    }

    fn title(&self, text: &mut String) {
        let media = if self.bit(0, 7) {
            "removable"
        } else {
            "non-removable"
        };
        line(text, format_args!("\nATA device, with {media} media"));
        for (title, first, last) in [
            ("Model Number:      ", 27, 46),
            ("Serial Number:     ", 10, 19),
            ("Firmware Revision: ", 23, 26),
        ] {
            line(text, format_args!("\t{title} {}", self.text(first, last)));
        }
    }

    fn configuration_lines(&self, text: &mut String) {
        line(
            text,
            format_args!("Configuration:\n\tLogical\t\tmax\tcurrent"),
        );
        let is_valid = self.bit(53, 0);
        for (title, max, current) in [
            ("cylinders", 1, 54),
            ("heads\t", 3, 55),
            ("sectors/track", 6, 56),
        ] {
            let current = if is_valid { self.at(current) } else { 0 };
            line(text, format_args!("\t{title}\t{}\t{current}", self.at(max)));
        }
        line(text, format_args!("\t--"));
        if is_valid {
            let sectors = self.number(57, 2);
            line(
                text,
                format_args!("\tCHS current addressable sectors:{sectors:12}"),
            );
        }
        line(
            text,
            format_args!(
                "\tLBA    user addressable sectors:{:12}",
                self.number(60, 2)
            ),
        );
        if self.has(83, 10) {
            line(
                text,
                format_args!(
                    "\tLBA48  user addressable sectors:{:12}",
                    self.number(100, 4)
                ),
            );
        }
    }

    fn sizes(&self, text: &mut String) {
        let logical = self.identity.logical_sector_bytes;
        if self.marked(106).is_none() {
            line(
                text,
                format_args!("\tLogical/Physical Sector size:{logical:14} bytes"),
            );
        } else {
            let physical = self.identity.physical_sector_bytes;
            line(
                text,
                format_args!("\tLogical  Sector size:{logical:22} bytes"),
            );
            line(
                text,
                format_args!("\tPhysical Sector size:{physical:22} bytes"),
            );
            if self.marked(209).is_some() {
                let offset = u64::from(self.at(209) & 0x3fff) * u64::from(logical);
                line(
                    text,
                    format_args!("\tLogical Sector-0 offset:{offset:19} bytes"),
                );
            }
        }
        let bytes = u128::from(self.identity.sectors) * u128::from(logical);
        let millions = bytes / 1_000_000;
        line(
            text,
            format_args!("\tdevice size with M = 1024*1024:{:12} MBytes", bytes >> 20),
        );
        line(
            text,
            format_args!(
                "\tdevice size with M = 1000*1000:{millions:12} MBytes ({} GB)",
                millions / 1000
            ),
        );
        self.shape(text);
    }

    fn shape(&self, text: &mut String) {
        match (self.at(21), self.buffer()) {
            (0, _) => line(text, format_args!("\tcache/buffer size  = unknown")),
            (halves, kind) => {
                let kind = kind.map_or(String::new(), |kind| format!(" (type={kind})"));
                line(
                    text,
                    format_args!("\tcache/buffer size  = {} KBytes{kind}", halves / 2),
                );
            }
        }
        if let Some(name) = sokudo_device::ata::form_factor(self.identity.form_factor) {
            line(text, format_args!("\tForm Factor: {name}"));
        }
        match self.stated(217) {
            Some(1) => line(
                text,
                format_args!("\tNominal Media Rotation Rate: Solid State Device"),
            ),
            Some(rate) => line(text, format_args!("\tNominal Media Rotation Rate: {rate}")),
            None => {}
        }
    }

    fn capabilities(&self, text: &mut String) {
        let ready = match (self.bit(49, 11), self.bit(49, 10)) {
            (true, true) => ", IORDY(can be disabled)",
            (true, false) => ", IORDY(cannot be disabled)",
            (false, _) => "",
        };
        line(text, format_args!("Capabilities:\n\tLBA{ready}"));
        if let Some(depth) = self.identity.queue_depth {
            line(text, format_args!("\tQueue depth: {depth}"));
        }
        let by = if self.bit(49, 13) {
            "Standard"
        } else {
            "Vendor"
        };
        let minimum = match self.marked(50) {
            Some(word) if word & 1 == 1 => ", with device specific minimum",
            Some(_) => ", no device specific minimum",
            None => "",
        };
        line(
            text,
            format_args!("\tStandby timer values: spec'd by {by}{minimum}"),
        );
        let current = match self.at(59) {
            word if word & 0x100 == 0 => "?".to_owned(),
            word => (word & 0xff).to_string(),
        };
        line(
            text,
            format_args!(
                "\tR/W multiple sector transfer: Max = {}\tCurrent = {current}",
                self.at(47) & 0xff
            ),
        );
        if self.has(83, 3) {
            match self.bit(86, 3) {
                true => line(
                    text,
                    format_args!("\tAdvanced power management level: {}", self.at(91) & 0xff),
                ),
                false => line(
                    text,
                    format_args!("\tAdvanced power management level: disabled"),
                ),
            }
        }
        if self.has(83, 9) {
            let [recommended, current] = self.at(94).to_be_bytes();
            line(
                text,
                format_args!(
                    "\tRecommended acoustic management value: {recommended}, current value: {current}"
                ),
            );
        }
        self.transfer_modes(text);
    }

    fn transfer_modes(&self, text: &mut String) {
        let ultra = if self.bit(53, 2) { self.at(88) } else { 0 };
        let all = [
            ("sdma", self.at(62)),
            ("mdma", self.at(63)),
            ("udma", ultra),
        ];
        let mut dma: String = all.map(|(kind, word)| modes(kind, word)).concat();
        if all.iter().all(|(_, word)| word >> 8 == 0) {
            dma += "(?)";
        }
        line(text, format_args!("\tDMA: {dma}"));
        if !self.bit(53, 1) {
            line(text, format_args!("\tPIO: unknown"));
            return;
        }
        line(
            text,
            format_args!(
                "\t     Cycle time: min={}ns recommended={}ns",
                self.at(65),
                self.at(66)
            ),
        );
        line(text, format_args!("\tPIO: {}", self.pio_modes()));
        line(
            text,
            format_args!(
                "\t     Cycle time: no flow control={}ns  IORDY flow control={}ns",
                self.at(67),
                self.at(68)
            ),
        );
    }

    fn pio_modes(&self) -> String {
        let further = (3..=4).filter(|mode| self.bit(64, mode - 3));
        (0..=2)
            .chain(further)
            .map(|mode| format!("pio{mode} "))
            .collect()
    }

    fn features(&self, text: &mut String) {
        line(
            text,
            format_args!("Commands/features:\n\tEnabled\tSupported:"),
        );
        let mut feature = |name: &str, on: bool| {
            let mark = if on { '*' } else { ' ' };
            line(text, format_args!("\t   {mark}\t{name}"));
        };
        let trims = standard::followed(self) > 7;
        for (name, on) in &self.identity.features {
            match name.as_str() {
                name if name.contains("TRIM") && !trims => {}
                "Native Command Queueing (NCQ)" => {
                    for (bit, generation) in [(1, "Gen1"), (2, "Gen2"), (3, "Gen3")] {
                        let rate = ["1.5", "3.0", "6.0"][bit as usize - 1];
                        if self.bit(76, bit) {
                            feature(&format!("{generation} signaling speed ({rate}Gb/s)"), true);
                        }
                    }
                    feature(name, true);
                }
                "SANITIZE feature set" => {
                    for (bit, name) in [
                        (10, "SANITIZE_ANTIFREEZE_LOCK_EXT command"),
                        (12, "SANITIZE feature set"),
                        (13, "CRYPTO_SCRAMBLE_EXT command"),
                        (14, "OVERWRITE_EXT command"),
                        (15, "BLOCK_ERASE_EXT command"),
                    ] {
                        if self.bit(59, bit) {
                            feature(name, true);
                        }
                    }
                }
                "Data Set Management TRIM supported" => {
                    let limit = match self.at(105) {
                        0 => "unknown".to_owned(),
                        1 => "1 block".to_owned(),
                        blocks => format!("{blocks} blocks"),
                    };
                    feature(&format!("{name} (limit {limit})"), true);
                }
                "Deterministic read data after TRIM" if self.bit(69, 5) => {
                    feature("Deterministic read ZEROs after TRIM", true);
                }
                name => feature(name, on.unwrap_or(true)),
            }
        }
    }

    fn security(&self, text: &mut String) {
        let is_stated = self.bit(128, 0) && self.at(128) != 0xffff;
        if !is_stated && !self.has(82, 1) {
            return;
        }
        line(text, format_args!("Security: "));
        if let Some(revision) = self.stated(92) {
            line(
                text,
                format_args!("\tMaster password revision code = {revision}"),
            );
        }
        let states = [
            (0, "supported"),
            (1, "enabled"),
            (2, "locked"),
            (3, "frozen"),
            (4, "expired: security count"),
            (5, "supported: enhanced erase"),
        ];
        for (bit, name) in states.into_iter().filter(|_| is_stated) {
            let word = if self.bit(128, bit) { "" } else { "not" };
            line(text, format_args!("\t{word}\t{name}"));
        }
        if self.bit(128, 1) {
            let level = if self.bit(128, 8) { "maximum" } else { "high" };
            line(text, format_args!("\tSecurity level {level}"));
        }
        let minutes = |word: u16| match word {
            word if word >> 15 == 1 => u32::from(word & 0x7fff) * 2,
            word => u32::from(word & 0xff) * 2,
        };
        let [plain, enhanced] = [self.at(89), self.at(90)];
        let mut times = String::new();
        if plain > 0 {
            let _ = write!(times, "{}min for SECURITY ERASE UNIT. ", minutes(plain));
        }
        if enhanced > 0 {
            let _ = write!(
                times,
                "{}min for ENHANCED SECURITY ERASE UNIT.",
                minutes(enhanced)
            );
        }
        line(text, format_args!("\t{times}"));
    }

    fn name_and_state(&self, text: &mut String) {
        if self.has(84, 8) {
            let name = (108..=111).fold(0u64, |name, word| name << 16 | u64::from(self.at(word)));
            line(
                text,
                format_args!("Logical Unit WWN Device Identifier: {name:016x}"),
            );
            line(text, format_args!("\tNAA\t\t: {:x}", name >> 60));
            line(
                text,
                format_args!("\tIEEE OUI\t: {:06x}", name >> 36 & 0xff_ffff),
            );
            line(
                text,
                format_args!("\tUnique ID\t: {:09x}", name & 0xf_ffff_ffff),
            );
        }
        if self.marked(93).is_some() {
            let level = if self.bit(93, 13) { "above" } else { "below" };
            let device = u8::from(!self.bit(93, 0));
            let by = match self.at(93) >> 1 & 3 {
                1 => " determined by the jumper",
                2 => " determined by CSEL",
                _ => "",
            };
            line(
                text,
                format_args!(
                    "HW reset results:\n\tCBLID- {level} Vih\n\tDevice num = {device}{by}"
                ),
            );
        }
        let found = self.at(255);
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        let sum = bytes.fold(0_u8, u8::wrapping_add);
        let expected = 0_u8.wrapping_sub(sum);
        let is_set = found & 0xff == INTEGRITY;
        match sum {
            0 if is_set => line(text, format_args!("Checksum: correct")),
            _ if is_set => line(
                text,
                format_args!("Checksum: incorrect (0x{sum:02x}), expected 0x{expected:02x}"),
            ),
            _ => line(
                text,
                format_args!(
                    "Integrity word not set (found 0x{found:04x}, expected 0x{expected:02x}a5)"
                ),
            ),
        }
    }

    fn buffer(&self) -> Option<&'static str> {
        match self.at(20) {
            1 => Some("SinglePort"),
            2 => Some("DualPort"),
            3 => Some("DualPortCache"),
            _ => None,
        }
    }
}

/// Supported modes of a word's low byte, the selected one of its high byte marked.
fn modes(kind: &str, word: u16) -> String {
    (0..8)
        .filter(|mode| word >> mode & 1 == 1)
        .map(|mode| {
            let mark = if word >> (8 + mode) & 1 == 1 { "*" } else { "" };
            format!("{mark}{kind}{mode} ")
        })
        .collect()
}

#[cfg(test)]
mod tests;
