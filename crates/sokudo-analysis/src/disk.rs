//! What is worth knowing of a disk before it is measured: things about its connection,
//! its cache, its health and what lies on it that make it slower than it could be, or
//! that will soon make it no disk at all.

use sokudo_model::disk::{Bus, Content, Disk, HealthState, Rotation};
use sokudo_model::{Finding, Severity};
use sokudo_words::{Text, text};

use crate::expectations::expectations;

/// A rule about a disk.
type Rule = fn(&Disk) -> Option<Noticed>;

/// The codes of all findings about disks with their rules, the gravest first.
const RULES: [(&str, Rule); 9] = [
    ("disk-failing", failing),
    ("array-degraded", degraded),
    ("disk-worn", worn),
    ("disk-hot", hot),
    ("link-below-maximum", link_below_maximum),
    ("slow-usb", slow_usb),
    ("link-errors", cable_errors),
    ("write-cache-off", cache_off),
    ("partition-misaligned", misaligned),
];

/// The codes of what can be noticed.
#[cfg(any(test, feature = "testing"))]
pub fn codes() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(code, _)| *code)
}

/// What is noticed about a disk, the gravest first.
pub fn examine(disk: &Disk) -> Vec<Finding> {
    let rules = RULES.iter();
    let noticed = rules.filter_map(|(code, rule)| Some((code, rule(disk)?)));
    noticed
        .map(
            |(code, Noticed(severity, symptom, cause, remedy))| Finding {
                code: (*code).to_owned(),
                severity,
                symptom,
                cause,
                remedy,
            },
        )
        .collect()
}

/// How much it matters, what is seen, what most likely causes it, and what to do about it.
struct Noticed(Severity, Text, Text, Text);

fn warning(symptom: Text, cause: impl Into<Text>, remedy: impl Into<Text>) -> Noticed {
    Noticed(Severity::Warning, symptom, cause.into(), remedy.into())
}

fn failing(disk: &Disk) -> Option<Noticed> {
    let device = &disk.name;
    let (severity, symptom) = match disk.health.state {
        HealthState::Failing => (
            Severity::Error,
            text!("{device} reports that it is failing"),
        ),
        HealthState::Warning => (
            Severity::Warning,
            text!("{device} works, but reports a warning"),
        ),
        HealthState::Good | HealthState::Unknown => return None,
    };
    let reasons = match &disk.health.reasons[..] {
        [] => Text::from("it gives no reason"),
        reasons => Text::list(reasons.iter().map(|it| text!("{}", it)), "; "),
    };
    let remedy = Text::from("back up its data first, then measure; plan to replace the drive");
    Some(Noticed(severity, symptom, reasons, remedy))
}

/// Everything in a tree, from the top down.
fn each<'a>(contents: &'a [Content], found: &mut Vec<&'a Content>) {
    for content in contents {
        found.push(content);
        each(&content.contents, found);
    }
}

fn everything(disk: &Disk) -> Vec<&Content> {
    let mut found = Vec::new();
    each(&disk.contents, &mut found);
    found
}

fn degraded(disk: &Disk) -> Option<Noticed> {
    let all = everything(disk);
    let (array, remark) = all.iter().find_map(|content| {
        let remark = content
            .remarks
            .iter()
            .find(|remark| remark.template().starts_with("degraded"))?;
        Some((content, remark))
    })?;
    let array = array.device.as_deref();
    let array = array.map_or_else(|| Text::from("an array"), Text::name);
    Some(warning(
        text!("{array} on {device} is {remark}", device = disk.name),
        "a member has failed, or was taken out",
        "replace it (mdadm --add) and wait for the rebuild: until then data is at risk, and figures are not those of the whole array",
    ))
}

fn worn(disk: &Disk) -> Option<Noticed> {
    let used = disk.health.used_percent?;
    (used >= expectations().wear.figures.used_percent_max).then(|| {
        warning(
            text!(
                "{percent} % of {device}'s life is used, as its maker counts",
                percent = used,
                device = disk.name
            ),
            "its flash has been written about as often as it is rated for",
            "plan its replacement; writes may be slower than when it was new",
        )
    })
}

fn hot(disk: &Disk) -> Option<Noticed> {
    let temperature = disk.health.temperature_celsius?;
    let limit = disk.health.temperature_warning_celsius?;
    (temperature >= limit).then(|| {
        warning(
            text!(
                "{device} is at {celsius} °C; it warns from {warning} °C",
                device = disk.name,
                celsius = temperature,
                warning = limit
            ),
            "too little air, or long heavy use",
            "cool it before measuring: drives slow down when they are hot",
        )
    })
}

fn link_below_maximum(disk: &Disk) -> Option<Noticed> {
    let link = disk.link.as_ref()?;
    let (now, most) = (link.negotiated_bytes_per_s?, link.maximum_bytes_per_s?);
    let figures = &expectations().link_below_maximum.figures;
    let share = 1.0 - figures.difference_min_percent / 100.0;
    if most == 0 || (now as f64) > (most as f64) * share {
        return None;
    }
    let words = |link: &Option<String>| match link {
        Some(link) => text!("{}", link),
        None => Text::from("unknown"),
    };
    let (cause, remedy) = match disk.bus {
        Some(Bus::Nvme) => (
            "the slot has fewer or slower lanes than the drive, the drive saves power, or the contact is bad",
            "read from the drive and check its link again; if it stays slow, clean and reseat the drive, or use another slot",
        ),
        _ => (
            "a bad cable or contact, errors at full speed, or a limit set at boot (libata.force)",
            "try another cable and port, and look for link errors",
        ),
    };
    Some(warning(
        text!(
            "{device} is connected at {link}, though {link_max} would be possible: at most \
             {mb_per_s} MB/s instead of {mb_per_s_max}",
            device = disk.name,
            link = words(&link.negotiated),
            link_max = words(&link.maximum),
            mb_per_s = now / 1_000_000,
            mb_per_s_max = most / 1_000_000
        ),
        cause,
        remedy,
    ))
}

fn slow_usb(disk: &Disk) -> Option<Noticed> {
    let speed = disk.link.as_ref()?.negotiated_bytes_per_s?;
    let limit = expectations().usb_speed.figures.limit_bytes_per_s;
    (disk.bus == Some(Bus::Usb) && speed < limit).then(|| {
        warning(
            text!(
                "{device} is connected by USB that carries at most {mb_per_s} MB/s",
                device = disk.name,
                mb_per_s = speed / 1_000_000
            ),
            "a port, cable, hub or device of USB 2 or older",
            "plug it into a USB 3 port, with a USB 3 cable and no hub between",
        )
    })
}

fn cable_errors(disk: &Disk) -> Option<Noticed> {
    let errors = disk.health.link_errors.filter(|errors| *errors > 0)?;
    Some(Noticed(
        Severity::Info,
        text!(
            "{errors} transfers to {device} failed on the cable in its life",
            device = disk.name
        ),
        "a bad cable or contact, now or at some time".into(),
        "look again later: if the number grows, change the cable".into(),
    ))
}

fn cache_off(disk: &Disk) -> Option<Noticed> {
    let turns = matches!(disk.rotation, Rotation::Turns | Rotation::PerMinute(_));
    (turns && disk.write_cache.enabled == Some(false)).then(|| {
        warning(
            text!("the write cache of {device} is off", device = disk.name),
            "somebody switched it off, or a controller with a cache of its own did",
            "without it, small writes are several times slower; switch it on (hdparm -W1, sdparm --set=WCE) if you can accept that a power loss loses the last writes",
        )
    })
}

fn misaligned(disk: &Disk) -> Option<Noticed> {
    let all = everything(disk);
    let devices: Vec<Text> = all
        .iter()
        .filter(|content| {
            let is_remark = |remark: &Text| remark.template().starts_with("not aligned");
            content.remarks.iter().any(is_remark)
        })
        .filter_map(|content| content.device.as_deref().map(Text::name))
        .collect();
    (!devices.is_empty()).then(|| {
        warning(
            text!(
                "not at a multiple of the physical block: {devices}",
                devices = Text::list(devices, ", ")
            ),
            "the partitions were made by an old program, for disks with blocks of 512 bytes",
            "every small write to such a partition first costs a read; when the data can be moved, make the partitions again, at multiples of 1 MiB",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::disk::Link;

    /// The finding with this code about a disk that `spoil` has changed.
    fn found(code: &str, spoil: impl Fn(&mut Disk)) -> Option<Finding> {
        let mut disk = Disk::unknown("sda");
        assert_eq!(examine(&disk), [], "nothing is said of what is not known");
        spoil(&mut disk);
        let mut findings = examine(&disk).into_iter();
        findings.find(|finding| finding.code == code)
    }

    fn link(negotiated: u64, maximum: u64) -> Option<Link> {
        Some(Link {
            negotiated: Some("3.0 Gbit/s".into()),
            maximum: Some("6.0 Gbit/s".into()),
            negotiated_bytes_per_s: Some(negotiated),
            maximum_bytes_per_s: Some(maximum),
            ..Link::default()
        })
    }

    #[test]
    fn a_slow_link_is_told_with_both_speeds() {
        let slow = |negotiated| {
            found("link-below-maximum", |disk| {
                disk.link = link(negotiated, 600_000_000);
            })
        };
        let symptom = slow(300_000_000).unwrap().symptom;
        let symptom = symptom.english();
        assert!(symptom.contains("3.0 Gbit/s"), "{symptom}");
        assert!(symptom.contains("300 MB/s instead of 600"), "{symptom}");
        assert_eq!(slow(600_000_000), None);
        assert_eq!(slow(590_000_000), None);
    }

    #[test]
    fn only_disks_that_turn_suffer_without_a_cache() {
        let off = |rotation| {
            found("write-cache-off", |disk| {
                disk.rotation = rotation;
                disk.write_cache.enabled = Some(false);
            })
        };
        assert!(off(Rotation::PerMinute(7200)).is_some());
        assert!(off(Rotation::Turns).is_some());
        assert_eq!(off(Rotation::None), None);
        assert_eq!(off(Rotation::Unknown), None);
    }

    #[test]
    fn a_disk_that_fails_says_why() {
        let failing = found("disk-failing", |disk| {
            disk.health.state = HealthState::Failing;
            disk.health.reasons = vec!["12 sectors were moved".into()];
        })
        .unwrap();
        assert_eq!(failing.severity, Severity::Error);
        assert!(failing.cause.english().contains("12 sectors"));
    }

    #[test]
    fn what_lies_deep_in_the_tree_is_seen() {
        let with_remark = |remark: &'static str| {
            move |disk: &mut Disk| {
                let mut array = Content::new("RAID 1");
                array.device = Some("md0".into());
                array.remarks.push(remark.into());
                let mut member = Content::new("RAID member");
                member.contents.push(array);
                disk.contents.push(member);
            }
        };
        let degraded = found(
            "array-degraded",
            with_remark("degraded: 1 of 2 members missing"),
        );
        assert!(degraded.unwrap().symptom.english().contains("md0"));
        assert!(found("partition-misaligned", with_remark("not aligned to 4 KiB")).is_some());
    }

    #[test]
    fn heat_wear_usb_and_cables_are_told() {
        assert!(
            found("disk-hot", |disk| {
                disk.health.temperature_celsius = Some(71);
                disk.health.temperature_warning_celsius = Some(70);
            })
            .is_some()
        );
        assert!(found("disk-worn", |disk| disk.health.used_percent = Some(104)).is_some());
        assert!(found("disk-worn", |disk| disk.health.used_percent = Some(3)).is_none());
        assert!(found("link-errors", |disk| disk.health.link_errors = Some(2)).is_some());
        assert!(found("link-errors", |disk| disk.health.link_errors = Some(0)).is_none());
        assert!(
            found("slow-usb", |disk| {
                disk.bus = Some(Bus::Usb);
                disk.link = link(60_000_000, 60_000_000);
            })
            .is_some()
        );
    }
}
