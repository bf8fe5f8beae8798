//! What udev has found out about a device and kept in `/run/udev/data`: text of one
//! property a line. It is there without root, where the device itself may not be read.

use std::collections::HashMap;

use crate::system::System;

/// The record of one device; empty where udev does not run.
#[derive(Debug, Default)]
pub(crate) struct UdevRecord {
    properties: HashMap<String, String>,
    /// Links to the node, below `/dev`.
    pub(crate) links: Vec<String>,
}

impl UdevRecord {
    /// The record of the block device with this `major:minor`.
    pub(crate) fn of(system: &System, number: &str) -> Self {
        system
            .text(format!("run/udev/data/b{number}"))
            .map(|text| Self::parse(&text))
            .unwrap_or_default()
    }

    /// Lines `E:NAME=value` are properties, `S:disk/by-id/…` are links; others do not
    /// matter here.
    pub(crate) fn parse(text: &str) -> Self {
        let mut record = Self::default();
        for line in text.lines() {
            if let Some(property) = line.strip_prefix("E:")
                && let Some((name, value)) = property.split_once('=')
                && !value.trim().is_empty()
            {
                record
                    .properties
                    .insert(name.to_owned(), value.trim().to_owned());
            } else if let Some(link) = line.strip_prefix("S:") {
                record.links.push(format!("/dev/{link}"));
            }
        }
        record.links.sort();
        record
    }

    /// Whether udev knows the device at all.
    pub(crate) fn is_known(&self) -> bool {
        !self.properties.is_empty()
    }

    /// A property as it stands.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str)
    }

    /// A property that udev writes with `\x20` for a space and the like.
    pub(crate) fn decoded(&self, name: &str) -> Option<String> {
        let text = decode(self.property(name)?);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// Undoes `\xNN`; anything else stays.
pub(crate) fn decode(text: &str) -> String {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match rest {
            [b'\\', b'x', high, low, after @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default();
                let byte = digit(*high) * 16 + digit(*low);
                plain.push(u8::try_from(byte).unwrap_or(b'?'));
                rest = after;
            }
            _ => {
                plain.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_and_links_are_read() {
        let record = UdevRecord::parse(
            "S:disk/by-id/ata-X\nS:disk/by-uuid/1\nI:5\nE:ID_MODEL_ENC=A\\x20b\\x20\nE:EMPTY=\nE:ID_FS_TYPE=ext4\nG:systemd\n",
        );
        assert_eq!(
            record.links,
            ["/dev/disk/by-id/ata-X", "/dev/disk/by-uuid/1"]
        );
        assert_eq!(record.decoded("ID_MODEL_ENC").as_deref(), Some("A b"));
        assert_eq!(record.property("ID_FS_TYPE"), Some("ext4"));
        assert_eq!(record.property("EMPTY"), None);
        assert!(record.is_known());
        assert!(!UdevRecord::parse("").is_known());
    }

    #[test]
    fn what_is_no_escape_stays() {
        assert_eq!(decode("a\\x4"), "a\\x4");
        assert_eq!(decode("\\xzz\\"), "\\xzz\\");
        assert_eq!(decode("\\xe9\\x80\\x9f"), "速");
    }
}
