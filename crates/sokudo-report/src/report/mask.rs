//! Serial numbers, world-wide names and UUIDs are replaced wherever they stand: in the
//! fields that are made for them, and in every text that repeats them, such as commands,
//! findings, names below `/dev/disk` and what somebody noted.
//!
//! The same number gets the same word throughout a report, so that two drives of a model
//! can still be told apart. No part of it is kept.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sokudo_model::with_texts_as_data;

use crate::RunDocument;

/// Shorter numbers, such as `0`, would be found everywhere; they are replaced in their
/// own fields only.
const LENGTH_MIN_IN_TEXT: usize = 3;
/// Shorter numbers are replaced in a text only where they stand alone.
const LENGTH_MIN_INSIDE: usize = 6;

/// A UUID; `0x` with 16 hexadecimal digits or more; a name with its kind (`naa.…`, `eui.…`,
/// `nvme.…`, `t10.…`).
static LOOKS: LazyLock<Regex> = LazyLock::new(|| {
    let looks = r"(?ix)
        (?P<kind>(?:(?:naa|eui|uuid|nvme|t10)\.)?)
        (?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})
        | 0x[0-9a-f]{16,}|naa\.[0-9a-z.-]{13,}|eui\.[0-9a-z.-]{13,}
            |uuid\.[0-9a-z.-]{12,}|nvme\.[0-9a-z.-]{12,}|t10\.[0-9a-z.-]{13,}";
    Regex::new(looks).expect("it is ours")
});

/// Links to devices, and `UUID=`, with what they name.
static LINKS: LazyLock<Regex> = LazyLock::new(|| {
    let links = r#"(by-id/|by-uuid/|by-partuuid/|UUID=)([^\s/'"`,;:)<>|]*)"#;
    Regex::new(links).expect("it is ours")
});

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MaskedIdentifier {
    Serial,
    WorldWideName,
    Uuid,
}

impl MaskedIdentifier {
    const fn word(self) -> &'static str {
        match self {
            Self::Serial => "SERIAL",
            Self::WorldWideName => "WWN",
            Self::Uuid => "UUID",
        }
    }

    /// What a field of this name holds.
    fn of_field(name: &str) -> Option<Self> {
        Some(match name {
            "serial" | "serial_number" => Self::Serial,
            "world_wide_name" | "wwn" | "wwid" | "eui64" | "nguid" => Self::WorldWideName,
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }
}

/// Something that is masked is a word of the format, too, such as a serial number `disk`.
#[derive(Debug, sokudo_words::Error)]
#[error(
    "the serial numbers cannot be masked: one of them is also a word of the output's format ({0}); leave --mask-serial out and replace them by hand"
)]
pub struct MaskError(serde_json::Error);

/// A document without what is masked of it, and of the runs that it is about.
///
/// # Errors
///
/// [`MaskError`], where that would make another document of it.
///
/// # Panics
///
/// Where it has a map with keys other than strings.
pub fn masked<D: Serialize + DeserializeOwned>(
    document: &D,
    runs: &[&RunDocument],
) -> Result<D, MaskError> {
    let mut mask = Mask::default();
    runs.iter().for_each(|run| mask.collect(&as_data(run)));
    let mut value = as_data(document);
    mask.collect(&value);
    mask.known
        .sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
    mask.walk(&mut value, None);
    serde_json::from_value(value).map_err(MaskError)
}

/// So that what is masked can still be said in every language.
fn as_data(document: &impl Serialize) -> Value {
    with_texts_as_data(|| serde_json::to_value(document)).expect("its keys are strings")
}

/// What is to be replaced by what.
#[derive(Default)]
struct Mask {
    /// In lower case, the longest first.
    known: Vec<(String, String)>,
    words: HashMap<String, String>,
    counts: HashMap<MaskedIdentifier, u32>,
}

impl Mask {
    /// Finds the fields that hold what is masked.
    fn collect(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.collect(value)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match (MaskedIdentifier::of_field(name), value) {
                        (Some(kind), Value::String(text)) => self.learn(kind, text),
                        _ => self.collect(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// Keeps a secret in the forms in which it is repeated: as it is, as udev writes it.
    fn learn(&mut self, kind: MaskedIdentifier, text: &str) {
        let secret = text.trim().to_ascii_lowercase();
        if secret.is_empty() {
            return;
        }
        let word = self.word(kind, &secret);
        let bare = match kind {
            MaskedIdentifier::WorldWideName => secret.rsplit(['.', ' ']).next().unwrap_or(&secret),
            MaskedIdentifier::Serial | MaskedIdentifier::Uuid => &secret,
        };
        let joined = secret.split_whitespace().collect::<Vec<_>>().join("_");
        for form in [secret.clone(), joined, bare.to_owned()] {
            let is_known = self.known.iter().any(|(known, _)| *known == form);
            if form.chars().count() >= LENGTH_MIN_IN_TEXT && !is_known {
                self.known.push((form, word.clone()));
            }
        }
    }

    /// The word for a secret: the same for the same one.
    fn word(&mut self, kind: MaskedIdentifier, secret: &str) -> String {
        let lower = secret.to_ascii_lowercase();
        let prefixes = ["0x", "naa.", "eui."].into_iter();
        let bare = prefixes
            .filter_map(|prefix| lower.strip_prefix(prefix))
            .next();
        let key = bare.unwrap_or(&lower).to_owned();
        if let Some(word) = self.words.get(&key) {
            return word.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let word = format!("{}-{count}", kind.word());
        self.words.insert(key, word.clone());
        word
    }

    fn walk(&mut self, value: &mut Value, field: Option<&str>) {
        match value {
            Value::String(text) => {
                *text = match field.and_then(MaskedIdentifier::of_field) {
                    Some(_) if text.trim().is_empty() => String::new(),
                    Some(kind) => self.word(kind, text.trim()),
                    None if field == Some("template") => self.template(text),
                    None => self.text(text),
                };
            }
            Value::Array(values) => {
                for value in values {
                    self.walk(value, field);
                }
            }
            Value::Object(fields) => {
                // Pages as the drive gave them hold its serial number in other codes; the
                // raw number of a SMART attribute is a count.
                if fields.get("raw").is_some_and(Value::is_object) {
                    fields.remove("raw");
                }
                for (name, value) in fields.iter_mut() {
                    self.walk(value, Some(name));
                }
            }
            _ => {}
        }
    }

    /// A template, whose holes keep their names.
    fn template(&mut self, template: &str) -> String {
        let mut pieces = template.split('{');
        let mut masked = self.text(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (name, rest) = piece.split_once('}').unwrap_or(("", piece));
            let end = if piece.contains('}') { "}" } else { "" };
            masked += &format!("{{{name}{end}{}", self.text(rest));
        }
        masked
    }

    /// A text without what is masked.
    fn text(&mut self, text: &str) -> String {
        let mut masked = text.to_owned();
        for index in 0..self.known.len() {
            let (secret, word) = &self.known[index];
            masked = replaced(&masked, secret, word);
        }
        let masked = self.names(&masked);
        self.links(&masked)
    }

    /// UUIDs and world-wide names by their looks.
    fn names(&mut self, text: &str) -> String {
        let word = |found: &Captures<'_>| match found.name("uuid") {
            Some(uuid) => {
                let word = self.word(MaskedIdentifier::Uuid, uuid.as_str());
                format!("{}{word}", &found["kind"])
            }
            None => self.word(MaskedIdentifier::WorldWideName, &found[0]),
        };
        LOOKS.replace_all(text, word).into_owned()
    }

    /// Names below `/dev/disk/by-id`, `by-uuid` and `by-partuuid`, which hold what
    /// identifies a device even where no field says what that is; and `UUID=`.
    fn links(&mut self, text: &str) -> String {
        let link = |found: &Captures<'_>| {
            let kind = match &found[1] {
                "by-id/" => MaskedIdentifier::Serial,
                _ => MaskedIdentifier::Uuid,
            };
            format!("{}{}", &found[1], self.link(kind, &found[2]))
        };
        LINKS.replace_all(text, link).into_owned()
    }

    fn link(&mut self, kind: MaskedIdentifier, name: &str) -> String {
        if is_masked(name) || name.is_empty() {
            return name.to_owned();
        }
        if kind == MaskedIdentifier::Uuid {
            return self.word(kind, name);
        }
        let (name, partition) = match name.rfind("-part") {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        if name.is_empty() {
            return partition.to_owned();
        }
        // What comes before is bus and model; what comes after is a number of a name space.
        let pieces: Vec<&str> = name.split('_').collect();
        let is_long = |piece: &&str| piece.len() >= LENGTH_MIN_INSIDE;
        let secret = match pieces.iter().rposition(is_long) {
            Some(at) if at > 0 => pieces[at..].join("_"),
            _ => name
                .split_once('-')
                .map_or(name, |(_, rest)| rest)
                .to_owned(),
        };
        let before = name.strip_suffix(secret.as_str()).unwrap_or_default();
        format!("{before}{}{partition}", self.word(kind, &secret))
    }
}

fn is_masked(text: &str) -> bool {
    [
        MaskedIdentifier::Serial,
        MaskedIdentifier::WorldWideName,
        MaskedIdentifier::Uuid,
    ]
    .iter()
    .any(|kind| text.contains(&format!("{}-", kind.word())))
}

/// The text with every occurrence of a secret, whatever its case, replaced.
fn replaced(text: &str, secret: &str, word: &str) -> String {
    // Only ASCII changes its case here, so that places in both texts are the same.
    let lower = text.to_ascii_lowercase();
    let must_stand_alone = secret.chars().count() < LENGTH_MIN_INSIDE;
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, found) in lower.match_indices(secret) {
        let end = at + found.len();
        let is_inside = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
        let stands_alone =
            !is_inside(text[..at].chars().next_back()) && !is_inside(text[end..].chars().next());
        if at < copied || (must_stand_alone && !stands_alone) {
            continue;
        }
        out.push_str(&text[copied..at]);
        out.push_str(word);
        copied = end;
    }
    out.push_str(&text[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::report::{Report, ReportStyle};

    const SERIAL: &str = "S5GXNF0R123456X";
    const UUID: &str = "2f1c0f2e-9c3a-4b51-8d1e-0123456789ab";
    const WWN: &str = "0x5002538e40a12345";

    /// A report in which a serial number stands wherever one can.
    fn telling() -> Report {
        let mut report = sample::report();
        let reported = &mut report.runs[0];
        reported.note = format!("the drive {} in bay 3", SERIAL.to_lowercase());
        reported.tags = vec![SERIAL.to_owned()];
        reported.source = format!("{SERIAL}.json");
        let run = &mut reported.run;
        for device in &mut run.target.devices {
            device.serial = Some(format!("  {SERIAL} "));
        }
        let by_id = format!("/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_{SERIAL}_1-part2");
        run.command = format!("sokudo mark {by_id} --destroy {SERIAL} --title UUID=AB12-34CD");
        run.target.name = by_id;
        run.target.blind_spots = vec![sokudo_words::text!(
            "wwn-{} and naa.5002538e40a12345 hide {}.",
            WWN,
            UUID
        )];
        let mut finding = run.findings[0].clone();
        finding.symptom = sokudo_words::text!(
            "The drive {drive} on {path} wrote more.",
            drive = SERIAL,
            path = format!("/dev/disk/by-uuid/{UUID}")
        );
        finding.remedy = "Look at `/dev/disk/by-id/ata-WDC_WD60EFRX_WD-WX11D1234567`.".into();
        run.findings.push(finding);
        report
    }

    #[test]
    fn no_format_tells_what_is_masked() {
        let report = telling();
        let masked = masked(&report, &[]).unwrap();
        let style = ReportStyle::default();
        let formats: [fn(&Report, ReportStyle) -> String; 6] = [
            |report, style| report.html(style),
            |report, style| report.markdown(style),
            |report, _| report.to_json(),
            |report, _| report.json_lines(),
            |report, _| report.csv(),
            |report, _| report.prometheus(),
        ];
        for (number, format) in formats.into_iter().enumerate() {
            let output = format(&report, style).to_lowercase();
            assert!(output.contains(&SERIAL.to_lowercase()), "format {number}");
            let output = format(&masked, style).to_lowercase();
            for secret in [
                SERIAL,
                UUID,
                "5002538e40a12345",
                "wx11d1234567",
                "ab12-34cd",
            ] {
                let secret = secret.to_lowercase();
                assert!(!output.contains(&secret), "format {number} tells {secret}");
            }
        }
    }

    #[test]
    fn a_number_has_one_word_and_commands_stay_readable() {
        let run = &masked(&telling(), &[]).unwrap().runs[0];
        assert_eq!(run.note, "the drive SERIAL-1 in bay 3");
        assert_eq!(
            run.run.target.devices[0].serial.as_deref(),
            Some("SERIAL-1")
        );
        assert_eq!(
            run.run.command,
            "sokudo mark /dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_SERIAL-1_1-part2 --destroy SERIAL-1 --title UUID=UUID-1"
        );
        assert_eq!(
            run.run.target.blind_spots,
            ["wwn-WWN-1 and WWN-1 hide UUID-2."]
        );
    }

    #[test]
    fn what_is_said_of_runs_has_the_words_of_their_numbers() {
        let run = &telling().runs[0].run;
        let texts = (
            format!("{SERIAL} is faster"),
            vec![format!("/dev/disk/by-uuid/{UUID}")],
        );
        let (sentence, paths) = masked(&texts, &[run]).unwrap();
        assert_eq!(sentence, "SERIAL-1 is faster");
        assert_eq!(paths, ["/dev/disk/by-uuid/UUID-1"]);
    }

    #[test]
    fn the_rest_of_a_report_stays_as_it_is() {
        let mut report = sample::report();
        for run in &mut report.runs {
            run.run.target.devices[1].serial = None;
        }
        assert_eq!(masked(&report, &[]).unwrap(), report);
    }

    #[test]
    fn a_masked_sentence_is_said_in_every_language() {
        let masked = masked(&telling(), &[]).unwrap();
        let last = masked.runs[0].run.findings.last().unwrap();
        assert_eq!(last.symptom.arguments().count(), 2);
        assert_eq!(
            last.symptom.template(),
            "The drive {drive} on {path} wrote more."
        );
    }

    #[test]
    fn a_serial_number_that_is_the_name_of_a_hole_costs_no_argument() {
        let mut mask = Mask::default();
        mask.learn(MaskedIdentifier::Serial, "drive");
        let masked = mask.template("The drive {drive} on {{path}} wrote {");
        assert_eq!(masked, "The SERIAL-1 {drive} on {{path}} wrote {");
    }

    #[test]
    fn a_serial_number_that_is_a_word_of_the_format_is_an_error() {
        let mut report = sample::report();
        report.runs[0].run.target.devices[0].serial = Some("directory".to_owned());
        let error = masked(&report, &[]).unwrap_err().to_string();
        assert!(error.contains("leave --mask-serial out"), "{error}");
    }

    #[test]
    fn a_short_number_is_not_found_inside_of_others() {
        assert_eq!(replaced("sd0 0 007", "007", "SERIAL-1"), "sd0 0 SERIAL-1");
        assert_eq!(replaced("a0070 1007", "007", "SERIAL-1"), "a0070 1007");
        assert_eq!(replaced("İS12345678", "s12345678", "X"), "İX");
    }

    #[test]
    fn any_text_can_be_looked_through() {
        let mut mask = Mask::default();
        let long = UUID.repeat(1_000);
        assert!(!mask.text(&long).contains("0123456789ab"));
        for text in [
            "",
            "by-id/",
            "by-uuid/",
            "0x",
            "naa.",
            "-----",
            "UUID=",
            "by-id/-part",
        ] {
            assert_eq!(mask.text(text), text);
        }
    }
}
