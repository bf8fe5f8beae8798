//! What a disk says of itself (ATA IDENTIFY DEVICE) in the lines of `hdparm -I` and
//! `hdparm -i` 9.65.
//!
//! It prints what the page holds and asks nothing. Texts and columns are held against
//! hdparm itself, which reads the same pages from its standard input (`--Istdin`).

use std::fmt::{self, Write as _};

mod page;
mod standard;

pub(super) use page::IdentifyPage;

/// Speeds of the link, by the bits of word 76.
const SPEEDS: [(u32, &str); 3] = [
    (1, "Gen1 signaling speed (1.5Gb/s)"),
    (2, "Gen2 signaling speed (3.0Gb/s)"),
    (3, "Gen3 signaling speed (6.0Gb/s)"),
];

/// Ways of sanitizing, by the bits of word 59.
const SANITIZES: [(u32, &str); 5] = [
    (10, "SANITIZE_ANTIFREEZE_LOCK_EXT command"),
    (12, "SANITIZE feature set"),
    (13, "CRYPTO_SCRAMBLE_EXT command"),
    (14, "OVERWRITE_EXT command"),
    (15, "BLOCK_ERASE_EXT command"),
];

/// The low byte of the last word where its high byte is a checksum.
const INTEGRITY: u16 = 0xa5;

impl IdentifyPage<'_> {
    /// What `hdparm -I` prints behind the device's name.
    pub(super) fn detailed(&self) -> String {
        let parts = [
            Self::title,
            standard::lines,
            Self::geometry,
            Self::sizes,
            Self::shape,
            Self::capabilities,
            Self::transfer_modes,
            Self::features,
            Self::security,
            Self::name_and_state,
        ];
        self.written(&parts)
    }

    /// What `hdparm -i` prints behind the device's name.
    pub(super) fn brief(&self) -> String {
        self.written(&[Self::brief_geometry, Self::brief_modes])
    }

    fn written(&self, parts: &[fn(&Self, &mut String) -> fmt::Result]) -> String {
        let mut text = String::new();
        for part in parts {
            part(self, &mut text).expect("a String takes all text");
        }
        text
    }

    fn brief_geometry(&self, out: &mut String) -> fmt::Result {
        let [model, firmware, serial] =
            [(27, 46), (23, 26), (10, 19)].map(|(first, last)| self.text(first, last));
        let [model, firmware, serial] = [&model, &firmware, &serial].map(|text| text.trim());
        writeln!(out, "\n Model={model}, FwRev={firmware}, SerialNo={serial}")?;
        writeln!(out, " Config={{{} }}", self.configuration())?;
        let [cylinders, heads, sectors, track, sector, correction] =
            [1, 3, 6, 4, 5, 22].map(|word| self.at(word));
        write!(
            out,
            " RawCHS={cylinders}/{heads}/{sectors}, TrkSize={track}"
        )?;
        writeln!(out, ", SectSize={sector}, ECCbytes={correction}")?;
        let size = match self.at(21) {
            0 => "unknown".to_owned(),
            halves => format!("{}kB", halves / 2),
        };
        let kind = self.buffer().unwrap_or("unknown");
        let multiple = match self.at(59) {
            word if word & 0x100 == 0 => format!("?{}?", word & 0xff),
            word if word & 0xff == 0 => "off".to_owned(),
            word => (word & 0xff).to_string(),
        };
        let most = self.at(47) & 0xff;
        write!(out, " BuffType={kind}, BuffSize={size}")?;
        writeln!(out, ", MaxMultSect={most}, MultSect={multiple}")?;
        let [cylinders, heads, sectors] = [54, 55, 56].map(|word| self.at(word));
        let addressable = self.number(57, 2);
        let by_block = if self.bit(49, 9) { "yes" } else { "no" };
        let all = self.identity.sectors;
        write!(
            out,
            " CurCHS={cylinders}/{heads}/{sectors}, CurSects={addressable}"
        )?;
        writeln!(out, ", LBA={by_block}, LBAsects={all}")
    }

    fn brief_modes(&self, out: &mut String) -> fmt::Result {
        let ready = match (self.bit(49, 11), self.bit(49, 10)) {
            (false, _) => "no",
            (true, true) => "on/off",
            (true, false) => "yes",
        };
        let [least, with_flow, dma, advised] = [67, 68, 65, 66].map(|word| self.at(word));
        write!(
            out,
            " IORDY={ready}, tPIO={{min:{least},w/IORDY:{with_flow}}}"
        )?;
        writeln!(out, ", tDMA={{min:{dma},rec:{advised}}}")?;
        writeln!(out, " PIO modes:  {}", self.pio_modes())?;
        let [single, multiple, ultra] = [("sdma", 62), ("mdma", 63), ("udma", 88)]
            .map(|(kind, word)| modes(kind, self.at(word)));
        writeln!(out, " DMA modes:  {single}{multiple}\n UDMA modes: {ultra}")?;
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
        writeln!(out, " AdvancedPM={managed}{cache}")?;
        let followed = match self.at(81) {
            0 => "Unspecified",
            minor => standard::name(minor).unwrap_or("unknown"),
        };
        let versions: Vec<String> = (1..=14)
            .filter(|version| self.stated(80).is_some_and(|word| word >> version & 1 == 1))
            .map(|version: u32| version.to_string())
            .collect();
        let versions = versions.join(",");
        writeln!(out, " Drive conforms to: {followed}:  ATA/ATAPI-{versions}")?;
        writeln!(out, "\n * signifies the current active mode\n")
    }

    /// The words of `Config={ … }`, by the bits of word 0.
    fn configuration(&self) -> String {
        const WORDS: &str = "Non-Removable? HardSect SoftSect NotMFM HdSw>15uSec SpinMotCtl Fixed \
            Removeable DTR<=5Mbs DTR>5Mbs DTR>10Mbs RotSpdTol>.5% dStbOff TrkOff FmtGapReq \
            nonMagnetic";
        let named = WORDS.split(' ').enumerate().skip(1);
        named
            .filter(|(bit, _)| self.words[0] >> bit & 1 == 1)
            .map(|(_, word)| format!(" {word}"))
            .collect()
    }

    fn title(&self, out: &mut String) -> fmt::Result {
        let removable = if self.bit(0, 7) { "" } else { "non-" };
        writeln!(out, "\nATA device, with {removable}removable media")?;
        writeln!(out, "\tModel Number:       {}", self.text(27, 46))?;
        writeln!(out, "\tSerial Number:      {}", self.text(10, 19))?;
        writeln!(out, "\tFirmware Revision:  {}", self.text(23, 26))
    }

    fn geometry(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "Configuration:\n\tLogical\t\tmax\tcurrent")?;
        let is_valid = self.bit(53, 0);
        for (title, max, current) in [
            ("cylinders", 1, 54),
            ("heads\t", 3, 55),
            ("sectors/track", 6, 56),
        ] {
            let current = if is_valid { self.at(current) } else { 0 };
            writeln!(out, "\t{title}\t{}\t{current}", self.at(max))?;
        }
        writeln!(out, "\t--")?;
        for (title, word, words, is_reported) in [
            ("CHS current addressable", 57, 2, is_valid),
            ("LBA    user addressable", 60, 2, true),
            ("LBA48  user addressable", 100, 4, self.has(83, 10)),
        ] {
            if is_reported {
                writeln!(out, "\t{title} sectors:{:12}", self.number(word, words))?;
            }
        }
        Ok(())
    }

    fn sizes(&self, out: &mut String) -> fmt::Result {
        let logical = self.identity.logical_sector_bytes;
        if self.marked(106).is_none() {
            writeln!(out, "\tLogical/Physical Sector size:{logical:14} bytes")?;
        } else {
            let physical = self.identity.physical_sector_bytes;
            writeln!(out, "\tLogical  Sector size:{logical:22} bytes")?;
            writeln!(out, "\tPhysical Sector size:{physical:22} bytes")?;
            if let Some(word) = self.marked(209) {
                let offset = u64::from(word & 0x3fff) * u64::from(logical);
                writeln!(out, "\tLogical Sector-0 offset:{offset:19} bytes")?;
            }
        }
        let bytes = u128::from(self.identity.sectors) * u128::from(logical);
        let (binary, millions) = (bytes >> 20, bytes / 1_000_000);
        let billions = millions / 1000;
        writeln!(out, "\tdevice size with M = 1024*1024:{binary:12} MBytes")?;
        writeln!(
            out,
            "\tdevice size with M = 1000*1000:{millions:12} MBytes ({billions} GB)"
        )
    }

    fn shape(&self, out: &mut String) -> fmt::Result {
        let kind = self.buffer().map(|kind| format!(" (type={kind})"));
        match (self.at(21), kind.unwrap_or_default()) {
            (0, _) => writeln!(out, "\tcache/buffer size  = unknown")?,
            (halves, kind) => writeln!(out, "\tcache/buffer size  = {} KBytes{kind}", halves / 2)?,
        }
        if let Some(name) = sokudo_device::ata::form_factor(self.identity.form_factor) {
            writeln!(out, "\tForm Factor: {name}")?;
        }
        match self.stated(217) {
            Some(1) => writeln!(out, "\tNominal Media Rotation Rate: Solid State Device"),
            Some(rate) => writeln!(out, "\tNominal Media Rotation Rate: {rate}"),
            None => Ok(()),
        }
    }

    fn capabilities(&self, out: &mut String) -> fmt::Result {
        let ready = match (self.bit(49, 11), self.bit(49, 10)) {
            (true, true) => ", IORDY(can be disabled)",
            (true, false) => ", IORDY(cannot be disabled)",
            (false, _) => "",
        };
        writeln!(out, "Capabilities:\n\tLBA{ready}")?;
        if let Some(depth) = self.identity.queue_depth {
            writeln!(out, "\tQueue depth: {depth}")?;
        }
        let by = ["Vendor", "Standard"][usize::from(self.bit(49, 13))];
        let minimum = match self.marked(50) {
            Some(word) if word & 1 == 1 => ", with device specific minimum",
            Some(_) => ", no device specific minimum",
            None => "",
        };
        writeln!(out, "\tStandby timer values: spec'd by {by}{minimum}")?;
        let most = self.at(47) & 0xff;
        let current = match self.at(59) {
            word if word & 0x100 == 0 => "?".to_owned(),
            word => (word & 0xff).to_string(),
        };
        writeln!(
            out,
            "\tR/W multiple sector transfer: Max = {most}\tCurrent = {current}"
        )?;
        if self.has(83, 3) {
            let level = match self.bit(86, 3) {
                true => (self.at(91) & 0xff).to_string(),
                false => "disabled".to_owned(),
            };
            writeln!(out, "\tAdvanced power management level: {level}")?;
        }
        if self.has(83, 9) {
            let [advised, current] = self.at(94).to_be_bytes();
            write!(out, "\tRecommended acoustic management value: {advised}")?;
            writeln!(out, ", current value: {current}")?;
        }
        Ok(())
    }

    fn transfer_modes(&self, out: &mut String) -> fmt::Result {
        let ultra = if self.bit(53, 2) { self.at(88) } else { 0 };
        let all = [
            ("sdma", self.at(62)),
            ("mdma", self.at(63)),
            ("udma", ultra),
        ];
        let dma = all.map(|(kind, word)| modes(kind, word)).concat();
        let is_selected = all.iter().any(|(_, word)| word >> 8 != 0);
        writeln!(out, "\tDMA: {dma}{}", if is_selected { "" } else { "(?)" })?;
        if !self.bit(53, 1) {
            return writeln!(out, "\tPIO: unknown");
        }
        let [least, advised, without, with_flow] = [65, 66, 67, 68].map(|word| self.at(word));
        writeln!(
            out,
            "\t     Cycle time: min={least}ns recommended={advised}ns"
        )?;
        writeln!(out, "\tPIO: {}", self.pio_modes())?;
        write!(out, "\t     Cycle time: no flow control={without}ns")?;
        writeln!(out, "  IORDY flow control={with_flow}ns")
    }

    fn pio_modes(&self) -> String {
        let further = (3..=4).filter(|mode| self.bit(64, mode - 3));
        (0..=2)
            .chain(further)
            .map(|mode| format!("pio{mode} "))
            .collect()
    }

    fn features(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "Commands/features:\n\tEnabled\tSupported:")?;
        let trims = standard::followed(self) > 7;
        // Those of these names whose bit in the word is set.
        let of_word = |word: usize, names: &[(u32, &str)]| -> Vec<String> {
            let set = names.iter().filter(|(bit, _)| self.bit(word, *bit));
            set.map(|(_, name)| (*name).to_owned()).collect()
        };
        for (name, on) in &self.identity.features {
            let (names, on) = match name.as_str() {
                name if name.contains("TRIM") && !trims => continue,
                "Native Command Queueing (NCQ)" => {
                    let mut names = of_word(76, &SPEEDS);
                    names.push(name.clone());
                    (names, true)
                }
                "SANITIZE feature set" => (of_word(59, &SANITIZES), true),
                "Data Set Management TRIM supported" => {
                    let limit = match self.at(105) {
                        0 => "unknown".to_owned(),
                        1 => "1 block".to_owned(),
                        blocks => format!("{blocks} blocks"),
                    };
                    (vec![format!("{name} (limit {limit})")], true)
                }
                "Deterministic read data after TRIM" if self.bit(69, 5) => {
                    (vec!["Deterministic read ZEROs after TRIM".to_owned()], true)
                }
                name => (vec![name.to_owned()], on.unwrap_or(true)),
            };
            let mark = if on { '*' } else { ' ' };
            for name in names {
                writeln!(out, "\t   {mark}\t{name}")?;
            }
        }
        Ok(())
    }

    fn security(&self, out: &mut String) -> fmt::Result {
        let is_stated = self.bit(128, 0) && self.at(128) != 0xffff;
        if !is_stated && !self.has(82, 1) {
            return Ok(());
        }
        writeln!(out, "Security: ")?;
        if let Some(revision) = self.stated(92) {
            writeln!(out, "\tMaster password revision code = {revision}")?;
        }
        let states = [
            "supported",
            "enabled",
            "locked",
            "frozen",
            "expired: security count",
            "supported: enhanced erase",
        ];
        for (bit, name) in (0..).zip(states).filter(|_| is_stated) {
            let word = if self.bit(128, bit) { "" } else { "not" };
            writeln!(out, "\t{word}\t{name}")?;
        }
        if self.bit(128, 1) {
            let level = if self.bit(128, 8) { "maximum" } else { "high" };
            writeln!(out, "\tSecurity level {level}")?;
        }
        let minutes = |word: u16| match word {
            word if word >> 15 == 1 => u32::from(word & 0x7fff) * 2,
            word => u32::from(word & 0xff) * 2,
        };
        write!(out, "\t")?;
        if self.at(89) > 0 {
            write!(out, "{}min for SECURITY ERASE UNIT. ", minutes(self.at(89)))?;
        }
        if self.at(90) > 0 {
            let minutes = minutes(self.at(90));
            write!(out, "{minutes}min for ENHANCED SECURITY ERASE UNIT.")?;
        }
        writeln!(out)
    }

    fn name_and_state(&self, out: &mut String) -> fmt::Result {
        if self.has(84, 8) {
            let name = (108..=111).fold(0u64, |name, word| name << 16 | u64::from(self.at(word)));
            let (maker, unique) = (name >> 36 & 0xff_ffff, name & 0xf_ffff_ffff);
            writeln!(out, "Logical Unit WWN Device Identifier: {name:016x}")?;
            writeln!(out, "\tNAA\t\t: {:x}", name >> 60)?;
            writeln!(out, "\tIEEE OUI\t: {maker:06x}")?;
            writeln!(out, "\tUnique ID\t: {unique:09x}")?;
        }
        if let Some(word) = self.marked(93) {
            let level = if self.bit(93, 13) { "above" } else { "below" };
            let device = u8::from(!self.bit(93, 0));
            let by = match word >> 1 & 3 {
                1 => " determined by the jumper",
                2 => " determined by CSEL",
                _ => "",
            };
            writeln!(out, "HW reset results:\n\tCBLID- {level} Vih")?;
            writeln!(out, "\tDevice num = {device}{by}")?;
        }
        let found = self.at(255);
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        let sum = bytes.fold(0_u8, u8::wrapping_add);
        let expected = 0_u8.wrapping_sub(sum);
        if found & 0xff != INTEGRITY {
            write!(out, "Integrity word not set (found 0x{found:04x}")?;
            return writeln!(out, ", expected 0x{expected:02x}a5)");
        }
        match sum {
            0 => writeln!(out, "Checksum: correct"),
            _ => writeln!(
                out,
                "Checksum: incorrect (0x{sum:02x}), expected 0x{expected:02x}"
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
