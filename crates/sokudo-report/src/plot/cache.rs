//! The rate of what is read again and again over how much that is: where a drive's cache ends.

use std::collections::{BTreeMap, BTreeSet};

use sokudo_model::{Bytes, DriveCache, Subject};
use sokudo_words::text;

use super::curve::ink_of;
use super::figure::{Body, Chart, Layer, PlotFigure, Shape, heights};
use super::heading;
use super::scale::{PlotAxis, Scale, Tick, float};
use crate::document::{ResultDocument, RunDocument};
use crate::number::{BYTES_PER_MB, rate};
use crate::unique::unique;

/// `None` unless several regions of different size were read so.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let shown: Vec<&ResultDocument> = document.results.iter().filter(|it| is_again(it)).collect();
    let sizes: BTreeSet<Bytes> = shown.iter().filter_map(|result| region(result)).collect();
    let sizes = Vec::from_iter(sizes);
    let [smallest, .., largest] = sizes[..] else {
        return None;
    };
    let states = unique(shown.iter().map(|result| result.workload.drive_cache));
    let layers = states.iter().filter_map(|state| line(&shown, *state));
    let layers: Vec<Layer> = layers.collect();
    let highest = heights(&layers).reduce(f64::max)?;
    let left = PlotAxis::from_zero(text!("Rate, MB/s"), highest, 8);
    let tick = |size: &Bytes| Tick {
        at: float(size.0),
        name: size.to_string(),
    };
    let bottom = PlotAxis {
        label: text!("Read again and again").into(),
        scale: Scale {
            low: float(smallest.0),
            high: float(largest.0),
            is_logarithmic: true,
        },
        ticks: sizes.iter().map(tick).collect(),
    };
    let body = Body::Chart(Box::new(Chart::new(bottom, left, layers)));
    let what = text!("rate of the drive's cache");
    Some(heading::picture(document, &what, &shown, body))
}

fn is_again(result: &ResultDocument) -> bool {
    result.workload.measures.subject == Subject::Cache && result.bandwidth_bytes_per_s.is_some()
}

fn region(result: &ResultDocument) -> Option<Bytes> {
    Some(result.workload.span?.length)
}

/// What was read in one state of the drive's write cache.
fn line(shown: &[&ResultDocument], state: DriveCache) -> Option<Layer> {
    let of_state = shown.iter().filter(|it| it.workload.drive_cache == state);
    let first = of_state.clone().next()?;
    let name = heading::cache(&first.workload).unwrap_or_else(|| text!("read again"));
    let median = |result: &&ResultDocument| {
        let median = result.bandwidth_bytes_per_s.as_ref()?.bytes_per_s.median;
        Some((region(result)?, median / BYTES_PER_MB))
    };
    // The burst rate comes first, and is of the smallest region, too.
    let rates: BTreeMap<Bytes, f64> = of_state.filter_map(median).collect();
    let all = || rates.values().copied();
    let [low, high] = [all().reduce(f64::min)?, all().reduce(f64::max)?].map(rate);
    let ink = ink_of(first.direction).dashed(state == DriveCache::Off);
    let points = rates.iter().map(|(region, rate)| [float(region.0), *rate]);
    let layer = Layer::new(ink, Shape::Lines(vec![points.collect()]));
    Some(layer.named(name, text!("{low} to {high} MB/s")))
}
