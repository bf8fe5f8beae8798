//! Lines that a run has whoever has measured it.

use sokudo_model::{Bytes, HostEnvironment, Span, TargetInfo, TargetKind, Workload};
use sokudo_words::{Text, text};

use crate::document::RunDocument;
use crate::unique::{grouped, unique};
use crate::wording;

/// One thing that is known about a run, behind its label.
pub(crate) type Fact = (&'static str, Text);

/// Those that are known.
pub(super) fn known<const N: usize>(facts: [(&'static str, Option<Text>); N]) -> Vec<Fact> {
    let facts = facts.into_iter();
    facts
        .filter_map(|(label, value)| Some((label, value?)))
        .collect()
}

pub(super) fn has_device(target: &TargetInfo) -> bool {
    !matches!(target.kind, TargetKind::Simulated | TargetKind::Null)
}

pub(super) fn has_file(target: &TargetInfo) -> bool {
    matches!(target.kind, TargetKind::Directory | TargetKind::File)
}

/// Of several disks all are named, of more than a few the first alone.
pub(super) fn target_line(document: &RunDocument) -> Text {
    let (target, disks) = (&document.target, document.several_disks());
    let name = match disks.len() {
        0 => wording::target(target.path.as_ref().unwrap_or(&target.name)),
        count if count > SPANS_NAMED => wording::target(&target.name),
        _ => Text::list(disks.iter().map(|it| wording::target(&it.1.name)), ", "),
    };
    let kind = Text::from(match target.kind {
        TargetKind::Directory => "directory",
        TargetKind::File => "existing file",
        TargetKind::BlockDevice => "block device",
        TargetKind::Simulated => "simulated device, virtual time",
        TargetKind::Null => "no device: what the engine itself costs",
        TargetKind::Imported => "as the tool names it",
    });
    let size = target.size_bytes.filter(|_| !has_file(target));
    let size = size.map(|size| match disks.is_empty() {
        true => text!("{size}"),
        false => text!("{size} together"),
    });
    let what = Text::list(std::iter::once(kind).chain(size), ", ");
    text!("{name} ({what})")
}

/// Parts of targets, and targets, that are named; of more, only their number is told.
const SPANS_NAMED: usize = 4;

/// Which part of the target was used, when it was not all of it.
pub(super) fn span_line(document: &RunDocument) -> Option<Text> {
    let of_workload = |workload: &Workload| {
        let of_files = workload.files.uses.iter().filter_map(|file| file.span);
        let spans: Vec<Span> = workload.span.into_iter().chain(of_files).collect();
        spans
    };
    let results = document.results.iter();
    // The part that the per-character phases use is not that of the others.
    let results = results.filter(|result| result.workload.blocks.largest().0 > 1);
    let groups = grouped(results.map(|result| {
        let spans = unique(of_workload(&result.workload).into_iter());
        (spans, result.name.as_str())
    }));
    // What holds for all rows needs no names.
    let is_common = groups.len() == 1;
    let texts = groups
        .iter()
        .filter(|(spans, _)| !spans.is_empty())
        .map(|(spans, names)| match is_common {
            true => spans_text(spans),
            false => {
                let names = unique(names.iter().copied());
                text!("{} ({})", spans_text(spans), names.join(", "))
            }
        });
    let texts: Vec<Text> = texts.collect();
    (!texts.is_empty()).then(|| first_of(texts))
}

/// Parts of a target or of its files, as words.
fn spans_text(spans: &[Span]) -> Text {
    let span_text = |span: &Span| match span.offset {
        Bytes(0) => text!("the first {}", span.length),
        offset => text!("{} from {offset} on", span.length),
    };
    first_of(spans.iter().map(span_text).collect())
}

/// The first few texts, and how many there are besides.
fn first_of(mut texts: Vec<Text>) -> Text {
    let more = texts.len().saturating_sub(SPANS_NAMED);
    texts.truncate(SPANS_NAMED);
    texts.extend((more > 0).then(|| text!("and {more} more")));
    Text::list(texts, "; ")
}

pub(super) fn machine_line(environment: &HostEnvironment) -> Option<Text> {
    let cpus = match (&environment.cpu_model, environment.cpus) {
        (Some(model), 1..) => Some(text!("{} CPUs of {model}", environment.cpus)),
        (Some(model), 0) => Some(Text::name(model.clone())),
        (None, _) => None,
    };
    let parts = [
        environment.host.clone().map(Text::name),
        environment
            .kernel
            .as_ref()
            .map(|kernel| text!("Linux {kernel}")),
        environment.distribution.clone().map(Text::name),
        cpus,
        environment
            .memory_bytes
            .map(|memory| text!("{memory} of memory")),
        environment
            .virtual_machine
            .filter(|is| *is)
            .map(|_| "virtual machine".into()),
    ];
    let parts: Vec<Text> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| Text::list(parts, ", "))
}

/// Texts one behind the other; `None` where there are none.
pub(super) fn listed(texts: Vec<Text>) -> Option<Text> {
    (!texts.is_empty()).then(|| Text::list(texts, "; "))
}

/// With a full stop; those of other tools may have one.
pub(crate) fn ended(sentence: &Text) -> Text {
    match sentence.english().ends_with('.') {
        true => sentence.clone(),
        false => text!("{sentence}."),
    }
}

pub(crate) fn sentences(sentences: &[Text]) -> Option<Text> {
    let ended = sentences.iter().map(ended);
    (!sentences.is_empty()).then(|| Text::list(ended, " "))
}
