//! Lines that a run has whoever has measured it.

use sokudo_model::{Bytes, Environment, Span, TargetInfo, TargetKind, Workload};

use crate::document::RunDocument;

/// One thing that is known about a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Fact {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

pub(super) fn has_device(target: &TargetInfo) -> bool {
    !matches!(target.kind, TargetKind::Simulated | TargetKind::Null)
}

pub(super) fn has_file(target: &TargetInfo) -> bool {
    matches!(target.kind, TargetKind::Directory | TargetKind::File)
}

pub(super) fn target_line(target: &TargetInfo) -> String {
    let name = target.path.as_ref().unwrap_or(&target.name);
    let kind = match target.kind {
        TargetKind::Directory => "directory",
        TargetKind::File => "existing file",
        TargetKind::BlockDevice => "block device",
        TargetKind::Simulated => "simulated device, virtual time",
        TargetKind::Null => "no device: what the engine itself costs",
        TargetKind::Imported => "as the tool names it",
    };
    match target.size_bytes.filter(|_| !has_file(target)) {
        Some(size) => format!("{name} ({kind}, {size})"),
        None => format!("{name} ({kind})"),
    }
}

/// Parts of targets that are named; of more, only their number is told.
const SPANS_NAMED: usize = 4;

/// Which part of the target was used, when it was not all of it.
pub(super) fn span_line(document: &RunDocument) -> Option<String> {
    let of_workload = |workload: &Workload| {
        let of_files = workload.files.uses.iter().filter_map(|file| file.span);
        let spans: Vec<Span> = workload.span.into_iter().chain(of_files).collect();
        spans
    };
    let mut groups: Vec<(Vec<Span>, Vec<&str>)> = Vec::new();
    for result in &document.results {
        // The part that the per-character phases use is not that of the others.
        if result.workload.blocks.largest().0 <= 1 {
            continue;
        }
        let spans = unique(of_workload(&result.workload).into_iter());
        let name = result.name.as_str();
        match groups.iter_mut().find(|(other, _)| *other == spans) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => groups.push((spans, vec![name])),
        }
    }
    // What holds for all rows needs no names.
    let is_common = groups.len() == 1;
    let texts = groups
        .iter()
        .filter(|(spans, _)| !spans.is_empty())
        .map(|(spans, names)| match is_common {
            true => spans_text(spans),
            false => format!("{} ({})", spans_text(spans), names.join(", ")),
        });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| first_of(&texts))
}

/// Parts of a target or of its files, as words.
fn spans_text(spans: &[Span]) -> String {
    let span_text = |span: &Span| match span.offset {
        Bytes(0) => format!("the first {}", span.length),
        offset => format!("{} from {offset} on", span.length),
    };
    let texts: Vec<String> = spans.iter().map(span_text).collect();
    first_of(&texts)
}

/// The first few texts, and how many there are besides.
pub(super) fn first_of(texts: &[String]) -> String {
    let shown = texts.len().min(SPANS_NAMED);
    let mut line = texts[..shown].join("; ");
    if texts.len() > shown {
        line += &format!("; and {} more", texts.len() - shown);
    }
    line
}

pub(super) fn machine_line(environment: &Environment) -> Option<String> {
    let cpus = match (&environment.cpu_model, environment.cpus) {
        (Some(model), 1..) => Some(format!("{} CPUs of {model}", environment.cpus)),
        (Some(model), 0) => Some(model.clone()),
        (None, _) => None,
    };
    let parts = [
        environment.host.clone(),
        environment
            .kernel
            .as_ref()
            .map(|kernel| format!("Linux {kernel}")),
        environment.distribution.clone(),
        cpus,
        environment
            .memory_bytes
            .map(|memory| format!("{memory} of memory")),
        environment
            .virtual_machine
            .filter(|is| *is)
            .map(|_| "virtual machine".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

pub(crate) fn sentences<T: ToString>(sentences: &[T]) -> Option<String> {
    let ended = |sentence: &T| format!("{}.", sentence.to_string().trim_end_matches('.'));
    let sentences: Vec<String> = sentences.iter().map(ended).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Each value once, in order of appearance.
pub(super) fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
}
