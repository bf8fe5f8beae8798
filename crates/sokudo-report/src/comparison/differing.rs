//! What differs between two runs: of what was done in a row, and of what surrounded it, target,
//! machine and program.

use sokudo_model::{Bytes, PartDifference, PlanParts, TargetInfo};
use sokudo_words::Text;

use crate::document::RunDocument;
use crate::fingerprint::words;
use crate::wording::{device, phrase};

/// A part: its name and what a run has of it.
pub(super) type Part = (&'static str, fn(&RunDocument) -> Option<Text>);

/// Every part, in the order in which people look for causes.
const PARTS: [Part; 24] = [
    ("target", |run| {
        let target = &run.target;
        Some(Text::name(target.path.as_ref().unwrap_or(&target.name)))
    }),
    ("device", |run| {
        let identity = run.target.identity();
        leaves(&run.target, |leaf| {
            Some(device(&identity, leaf.model.as_ref()?))
        })
    }),
    ("serial number", |run| {
        leaves(&run.target, |leaf| named(&leaf.serial))
    }),
    ("devices", |run| {
        let stack = run.target.devices.iter().map(|device| word(&device.kind));
        joined(stack)
    }),
    ("device size", |run| {
        leaves(&run.target, |leaf| leaf.size_bytes.map(shown))
    }),
    ("scheduler", |run| {
        leaves(&run.target, |leaf| named(&leaf.scheduler))
    }),
    ("write cache", |run| {
        leaves(&run.target, |leaf| Some(phrase(leaf.write_cache.as_ref()?)))
    }),
    ("largest I/O", |run| {
        leaves(&run.target, |leaf| leaf.max_io_bytes.map(shown))
    }),
    ("read-ahead", |run| {
        leaves(&run.target, |leaf| leaf.read_ahead_bytes.map(shown))
    }),
    ("file system", |run| {
        Some(Text::name(&run.target.file_system.as_ref()?.kind))
    }),
    ("mounted from", |run| {
        Some(Text::name(&run.target.file_system.as_ref()?.source))
    }),
    ("mount options", |run| {
        let mut options = run.target.file_system.as_ref()?.mount_options.clone();
        options.sort();
        joined(options.into_iter().map(Text::name))
    }),
    ("engine", |run| {
        let mut kinds: Vec<String> = run
            .results
            .iter()
            .filter_map(|result| Some(result.backend.as_ref()?.kind.name().to_owned()))
            .collect();
        kinds.sort();
        kinds.dedup();
        joined(kinds.into_iter().map(Text::name))
    }),
    ("hosts", |run| {
        (!run.hosts.is_empty()).then(|| shown(run.hosts.len()))
    }),
    ("machine", |run| named(&run.environment.host)),
    ("kernel", |run| named(&run.environment.kernel)),
    ("distribution", |run| named(&run.environment.distribution)),
    ("processor", |run| named(&run.environment.cpu_model)),
    ("processors", |run| {
        // Another tool has not told how many there were.
        let cpus = run.environment.cpus;
        (cpus > 0).then(|| shown(cpus))
    }),
    ("governor", |run| named(&run.environment.governor)),
    ("memory", |run| run.environment.memory_bytes.map(gibibytes)),
    ("virtual machine", |run| {
        run.environment
            .virtual_machine
            .map(|is| if is { "yes" } else { "no" }.into())
    }),
    ("clock", |run| named(&run.environment.clock_source)),
    ("sokudo", |run| Some(Text::name(&run.sokudo_version))),
];

/// Every part in which both runs differ.
pub(super) fn environments(reference: &RunDocument, other: &RunDocument) -> Vec<PartDifference> {
    differing(&PARTS, reference, other)
}

/// Those of the parts in which both runs differ.
pub(super) fn differing(
    parts: &[Part],
    reference: &RunDocument,
    other: &RunDocument,
) -> Vec<PartDifference> {
    let parts = parts.iter().map(|(name, of)| PartDifference {
        name: (*name).to_owned(),
        reference: of(reference),
        other: of(other),
    });
    parts.filter(|part| part.reference != part.other).collect()
}

/// Every part in which two plans differ, in words.
pub(super) fn plans(reference: &PlanParts, other: &PlanParts) -> Vec<PartDifference> {
    let differing = reference.differing(other).into_iter();
    let differing = differing.map(|part| PartDifference {
        name: part.name().to_owned(),
        reference: words::of_part(reference, part),
        other: words::of_part(other, part),
    });
    differing.collect()
}

/// What the leaf devices have, one after the other.
fn leaves(
    target: &TargetInfo,
    of: impl Fn(&sokudo_model::BlockDevice) -> Option<Text>,
) -> Option<Text> {
    joined(target.leaves().filter_map(of))
}

fn joined(texts: impl Iterator<Item = Text>) -> Option<Text> {
    let texts: Vec<Text> = texts.collect();
    (!texts.is_empty()).then(|| Text::list(texts, ", "))
}

/// What others have named.
pub(super) fn named(name: &Option<String>) -> Option<Text> {
    name.as_ref().map(Text::name)
}

fn shown(figure: impl ToString) -> Text {
    Text::name(figure.to_string())
}

/// A name as the JSON document has it, with spaces.
pub(super) fn word(value: &impl serde::Serialize) -> Text {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => phrase(&word.replace('_', " ")),
        _ => Text::default(),
    }
}

/// Memory is told apart by GiB: the kernel keeps a little more or less of it for itself.
fn gibibytes(bytes: Bytes) -> Text {
    Text::name(format!("{} GiB", (bytes.0 + (1 << 29)) >> 30))
}
