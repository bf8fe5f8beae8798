//! What differs between two runs: of what was done in a row, and of what surrounded it, target,
//! machine and program.

use sokudo_model::{BlockDevice, Bytes, PartDifference, PlanParts};
use sokudo_words::Text;

use crate::document::RunDocument;
use crate::fingerprint::words;
use crate::wording::{device, phrase};

/// What a run has of a part.
pub(super) type Part = (&'static str, Option<Text>);

/// Every part, in the order in which people look for causes.
fn parts(run: &RunDocument) -> Vec<Part> {
    let (target, environment) = (&run.target, &run.environment);
    let file_system = target.file_system.as_ref();
    let identity = target.identity();
    // One after the other.
    let leaves = |of: &dyn Fn(&BlockDevice) -> Option<Text>| joined(target.leaves().filter_map(of));
    let model = |leaf: &BlockDevice| Some(device(&identity, leaf.model.as_ref()?));
    let mut options = file_system.map_or_else(Vec::new, |it| it.mount_options.clone());
    options.sort();
    let backends = run.results.iter().filter_map(|it| it.backend.as_ref());
    let mut engines: Vec<&str> = backends.map(|it| it.kind.name()).collect();
    engines.sort_unstable();
    engines.dedup();
    let loops = target.devices.iter().filter_map(|it| it.backing_direct);
    // Another tool has not told how many there were.
    let cpus = Some(environment.cpus).filter(|cpus| *cpus > 0);
    vec![
        (
            "target",
            named(Some(target.path.as_ref().unwrap_or(&target.name))),
        ),
        ("device", leaves(&model)),
        ("serial number", leaves(&|leaf| named(leaf.serial.as_ref()))),
        (
            "devices",
            joined(target.devices.iter().map(|it| word(&it.kind))),
        ),
        (
            "direct I/O of the loop device",
            joined(loops.map(yes_or_no)),
        ),
        ("device size", leaves(&|leaf| leaf.size_bytes.map(shown))),
        ("scheduler", leaves(&|leaf| named(leaf.scheduler.as_ref()))),
        (
            "write cache",
            leaves(&|leaf| Some(phrase(leaf.write_cache.as_ref()?))),
        ),
        ("largest I/O", leaves(&|leaf| leaf.max_io_bytes.map(shown))),
        (
            "read-ahead",
            leaves(&|leaf| leaf.read_ahead_bytes.map(shown)),
        ),
        ("file system", named(file_system.map(|it| &it.kind))),
        ("mounted from", named(file_system.map(|it| &it.source))),
        ("mount options", joined(options.iter().map(Text::name))),
        ("engine", joined(engines.into_iter().map(Text::name))),
        (
            "hosts",
            Some(run.hosts.len()).filter(|it| *it > 0).map(shown),
        ),
        ("machine", named(environment.host.as_ref())),
        ("kernel", named(environment.kernel.as_ref())),
        ("distribution", named(environment.distribution.as_ref())),
        ("processor", named(environment.cpu_model.as_ref())),
        ("CPUs", cpus.map(shown)),
        ("governor", named(environment.governor.as_ref())),
        ("memory", environment.memory_bytes.map(gibibytes)),
        (
            "virtual machine",
            environment.virtual_machine.map(yes_or_no),
        ),
        ("clock", named(environment.clock_source.as_ref())),
        ("sokudo", named(Some(&run.sokudo_version))),
    ]
}

/// Every part in which both runs differ.
pub(super) fn environments(reference: &RunDocument, other: &RunDocument) -> Vec<PartDifference> {
    differing(parts, reference, other)
}

/// Those of the parts in which both runs differ.
pub(super) fn differing(
    parts: fn(&RunDocument) -> Vec<Part>,
    reference: &RunDocument,
    other: &RunDocument,
) -> Vec<PartDifference> {
    let both = parts(reference).into_iter().zip(parts(other));
    let both = both.map(|((name, reference), (_, other))| PartDifference {
        name: name.to_owned(),
        reference,
        other,
    });
    both.filter(|part| part.reference != part.other).collect()
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

fn joined(texts: impl Iterator<Item = Text>) -> Option<Text> {
    let texts: Vec<Text> = texts.collect();
    (!texts.is_empty()).then(|| Text::list(texts, ", "))
}

/// What others have named.
pub(super) fn named(name: Option<&String>) -> Option<Text> {
    name.map(Text::name)
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

fn yes_or_no(is_so: bool) -> Text {
    if is_so { "yes" } else { "no" }.into()
}

/// Memory is told apart by GiB: the kernel keeps a little more or less of it for itself.
fn gibibytes(bytes: Bytes) -> Text {
    Text::name(format!("{} GiB", (bytes.0 + (1 << 29)) >> 30))
}
