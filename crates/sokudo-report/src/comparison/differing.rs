//! What differs between two runs: of what was done in a row, and of what surrounded it, target,
//! machine and program.

use sokudo_model::{Bytes, PartDifference, PlanPart, PlanParts, TargetInfo};

use crate::document::RunDocument;
use crate::fingerprint::words;

/// A part: its name and what a run has of it.
pub(super) type Part = (&'static str, fn(&RunDocument) -> Option<String>);

/// Every part, in the order in which people look for causes.
const PARTS: [Part; 23] = [
    ("target", |run| {
        let target = &run.target;
        Some(target.path.clone().unwrap_or_else(|| target.name.clone()))
    }),
    ("device", |run| {
        leaves(&run.target, |leaf| leaf.model.clone())
    }),
    ("serial number", |run| {
        leaves(&run.target, |leaf| leaf.serial.clone())
    }),
    ("devices", |run| {
        let stack = run.target.devices.iter().map(|device| word(&device.kind));
        joined(stack.collect())
    }),
    ("device size", |run| {
        leaves(&run.target, |leaf| leaf.size_bytes.map(|it| it.to_string()))
    }),
    ("scheduler", |run| {
        leaves(&run.target, |leaf| leaf.scheduler.clone())
    }),
    ("write cache", |run| {
        leaves(&run.target, |leaf| leaf.write_cache.clone())
    }),
    ("largest I/O", |run| {
        leaves(&run.target, |leaf| {
            leaf.max_io_bytes.map(|it| it.to_string())
        })
    }),
    ("read-ahead", |run| {
        leaves(&run.target, |leaf| {
            leaf.read_ahead_bytes.map(|it| it.to_string())
        })
    }),
    ("file system", |run| {
        Some(run.target.file_system.as_ref()?.kind.clone())
    }),
    ("mounted from", |run| {
        Some(run.target.file_system.as_ref()?.source.clone())
    }),
    ("mount options", |run| {
        let mut options = run.target.file_system.as_ref()?.mount_options.clone();
        options.sort();
        joined(options)
    }),
    ("engine", |run| {
        let mut kinds: Vec<String> = run
            .results
            .iter()
            .filter_map(|result| Some(result.backend.as_ref()?.kind.name().to_owned()))
            .collect();
        kinds.sort();
        kinds.dedup();
        joined(kinds)
    }),
    ("machine", |run| run.environment.host.clone()),
    ("kernel", |run| run.environment.kernel.clone()),
    ("distribution", |run| run.environment.distribution.clone()),
    ("processor", |run| run.environment.cpu_model.clone()),
    ("processors", |run| {
        // Another tool has not told how many there were.
        let cpus = run.environment.cpus;
        (cpus > 0).then(|| cpus.to_string())
    }),
    ("governor", |run| run.environment.governor.clone()),
    ("memory", |run| run.environment.memory_bytes.map(gibibytes)),
    ("virtual machine", |run| {
        run.environment
            .virtual_machine
            .map(|is| if is { "yes" } else { "no" }.to_owned())
    }),
    ("clock", |run| run.environment.clock_source.clone()),
    ("sokudo", |run| Some(run.sokudo_version.clone())),
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
    let (before, now) = (words::of_all(reference), words::of_all(other));
    let differing = reference.differing(other).into_iter().map(PlanPart::name);
    let differing = differing.map(|name| PartDifference {
        name: name.to_owned(),
        reference: before.get(name).cloned(),
        other: now.get(name).cloned(),
    });
    differing.collect()
}

/// What the leaf devices have, one after the other.
fn leaves(
    target: &TargetInfo,
    of: impl Fn(&sokudo_model::BlockDevice) -> Option<String>,
) -> Option<String> {
    joined(target.leaves().filter_map(of).collect())
}

fn joined(texts: Vec<String>) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// A name as the JSON document has it, with spaces.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word.replace('_', " "),
        _ => String::new(),
    }
}

/// Memory is told apart by GiB: the kernel keeps a little more or less of it for itself.
fn gibibytes(bytes: Bytes) -> String {
    format!("{} GiB", (bytes.0 + (1 << 29)) >> 30)
}
