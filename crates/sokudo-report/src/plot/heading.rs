//! The words around a picture: what was measured, when, by what, and how.

use sokudo_model::{
    BlockDeviceKind, Bytes, DriveCache, PlanPart, Sample, SequentialOffset, TargetKind, Verdict,
    Workload,
};
use sokudo_words::{Text, spoken, text};

use super::figure::{Body, Ink, Layer, PlotFigure, Shape};
use crate::date;
use crate::document::{ResultDocument, RunDocument};
use crate::grouping::row_name;
use crate::number::decimal_size;
use crate::run;
use crate::shortfall::{trials_made, trials_text};
use crate::wording;

/// A picture of results with its words: the device and what is shown of it above, how it was
/// measured below.
pub fn picture(
    document: &RunDocument,
    what: &Text,
    shown: &[&ResultDocument],
    body: Body,
) -> PlotFigure {
    PlotFigure {
        language: spoken(),
        title: text!("{}: {what}", device(document)).into(),
        subtitle: subtitle(document, shown),
        footer: footer(document, shown),
        body,
    }
}

/// A layer for each result, in an ink and by a name of its own.
pub fn layers(
    shown: &[&ResultDocument],
    figures: impl Fn(&ResultDocument) -> Text,
    shape: impl Fn(&ResultDocument) -> Shape,
) -> Vec<Layer> {
    let named = names(shown).into_iter().zip(shown).enumerate();
    let layer = |(number, (name, result)): (usize, (String, &&ResultDocument))| {
        Layer::new(Ink::of_number(number), shape(result)).named(name, figures(result))
    };
    named.map(layer).collect()
}

/// The label, or the model and the size of the device, or what else names the target. What is on a
/// file system is not as large as its disk.
fn device(document: &RunDocument) -> Text {
    let target = &document.target;
    if let Some(label) = &document.label {
        return Text::name(label);
    }
    let name = wording::device(target.identity().as_str(), &target.name);
    let leaves: Vec<_> = target.leaves().collect();
    let [leaf] = leaves[..] else {
        return name;
    };
    let is_named = matches!(
        target.kind,
        TargetKind::Directory | TargetKind::File | TargetKind::BlockDevice | TargetKind::Imported
    );
    // A partition has no model of its own; its disk, the leaf, has.
    let model = leaf.model.as_deref().map(str::trim);
    let size = leaf.size_bytes.map(|size| decimal_size(size, 2));
    match (model.filter(|model| !model.is_empty()), size) {
        (Some(model), Some(size)) if is_named && leaf.kind != BlockDeviceKind::Loop => {
            Text::name(format!("{model} ({size})"))
        }
        (Some(model), None) if target.kind == TargetKind::Imported => Text::name(model),
        (_, Some(size)) if target.file_system.is_none() => text!("{name} ({size})"),
        _ => name,
    }
}

/// The answer, or without one the worst verdict of the results that are shown at the end; method,
/// date and version.
fn subtitle(document: &RunDocument, shown: &[&ResultDocument]) -> String {
    let verdicts = shown.iter().filter_map(|result| result.verdict);
    let answer = run::answer(document).map(|(_, sentence)| sentence);
    let verdict = verdicts.max().filter(|_| answer.is_none());
    let verdict = verdict.map(Verdict::name).map(Text::from);
    let interrupted = document.interrupted.then(|| text!("interrupted"));
    let parts = [
        answer,
        Some(Text::name(document.plan.method.to_string())),
        Some(wording::phrase(&date::for_people(&document.began()))),
        Some(Text::name(document.measurer())),
        verdict,
        interrupted,
    ];
    joined(parts)
}

/// How a result was measured, where that is known.
const HOW: [fn(&ResultDocument) -> Option<Text>; 7] = [
    |it| it.knows(PlanPart::Blocks).then(|| blocks(&it.workload)),
    |it| {
        let is_known = it.knows(PlanPart::Depth);
        is_known.then(|| text!("depth {}", it.workload.depth))
    },
    |it| threads(&it.workload),
    |it| sample(&it.workload),
    |it| cache(&it.workload),
    |it| direct(it).map(Text::from),
    |it| Some(Text::name(it.backend.as_ref()?.kind.name())),
];

/// How what is shown was measured: what its workloads have in common.
pub fn footer(document: &RunDocument, shown: &[&ResultDocument]) -> String {
    let same = HOW.iter().map(|of| {
        let mut all = shown.iter().map(|result| of(result));
        let first = all.next()??;
        all.all(|it| it.as_ref() == Some(&first)).then_some(first)
    });
    let is_real = document.target.kind != TargetKind::Simulated;
    let target = document.target.path.as_ref().filter(|_| is_real);
    let target = target.map(Text::name);
    let trials = trials_made(shown.iter().copied());
    let trials = (trials[1] > 1).then(|| trials_text(trials));
    let unit = Some(text!("1 MB is 1,000,000 bytes"));
    joined([target].into_iter().chain(same).chain([trials, unit]))
}

/// Names for a legend, of which no two are alike: those of the rows, numbered where several
/// rows have one.
pub fn names(shown: &[&ResultDocument]) -> Vec<String> {
    let names: Vec<String> = shown
        .iter()
        .map(|result| wording::row(&row_name(result)).into())
        .collect();
    let numbered = |(at, name): (usize, &String)| {
        let before = names[..at].iter().filter(|other| *other == name).count();
        match before {
            0 => name.clone(),
            _ => format!("{name} ({})", before + 1),
        }
    };
    names.iter().enumerate().map(numbered).collect()
}

fn joined(parts: impl IntoIterator<Item = Option<Text>>) -> String {
    Text::list(parts.into_iter().flatten(), " · ").into()
}

fn blocks(workload: &Workload) -> Text {
    let (smallest, largest) = (workload.blocks.smallest(), workload.blocks.largest());
    if smallest == largest {
        text!("blocks of {smallest}")
    } else {
        text!("blocks of {smallest} to {largest}")
    }
}

fn threads(workload: &Workload) -> Option<Text> {
    let shared = sokudo_model::Order::Sequential {
        offset: SequentialOffset::Interlocked,
    };
    let threads = workload.threads;
    (threads > 1).then(|| match workload.order == shared {
        true => text!("{threads} threads with one position"),
        false => text!("{threads} threads"),
    })
}

fn sample(workload: &Workload) -> Option<Text> {
    let survey = workload.survey()?;
    Some(match survey.sample {
        Sample::Bytes(Bytes(bytes)) if bytes == workload.blocks.largest().0 => {
            text!("{} places", survey.sample_count)
        }
        Sample::Bytes(bytes) => text!("{} places of {bytes}", survey.sample_count),
        Sample::Time(time) => text!("{} places of {time}", survey.sample_count),
        Sample::Whole => text!("every byte"),
    })
}

/// The state of the drive's write cache, where it was set.
pub fn cache(workload: &Workload) -> Option<Text> {
    match workload.drive_cache {
        DriveCache::Keep => None,
        DriveCache::On => Some(text!("write cache on")),
        DriveCache::Off => Some(text!("write cache off")),
    }
}

fn direct(result: &ResultDocument) -> Option<&'static str> {
    let is_simulated = matches!(
        result.backend.as_ref()?.kind,
        sokudo_model::BackendKind::Sim | sokudo_model::BackendKind::Null
    );
    match result.direct? {
        _ if is_simulated => None,
        true => Some("direct I/O"),
        false => Some("through the page cache"),
    }
}
