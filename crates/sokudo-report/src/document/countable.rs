//! Whether what a document says was counted can be added up.

use sokudo_model::{COUNTED_MAX, are_countable};

use super::RunDocument;
use super::result::ResultDocument;

impl RunDocument {
    /// Whether sums over its counts stay within 64 bits, as of a run's.
    pub(crate) fn is_countable(&self) -> bool {
        let results = || self.results.iter();
        let sizes = results().map(|result| result.workload.blocks.largest().0);
        let together = || self.together.iter();
        are_countable(
            results()
                .flat_map(counts)
                .chain(together().flat_map(|it| it.counts()))
                .chain(self.beside.iter().flat_map(|it| it.counts())),
        ) && results()
            .flat_map(marks)
            .chain(together().flat_map(|it| it.marks()))
            .chain(sizes)
            .all(|mark| mark <= COUNTED_MAX)
    }
}

fn counts(result: &ResultDocument) -> impl Iterator<Item = u64> + '_ {
    let trials = result.trials.iter();
    let places = result.places.iter();
    let device = result.device.iter();
    let cpu = result.cpu.iter();
    let users = result.foreign_users.iter();
    let surface = result.surface.iter();
    trials
        .flat_map(|trial| {
            [
                trial.elapsed_ns,
                trial.bytes,
                trial.ios,
                trial.unmeasured_bytes,
            ]
        })
        .chain(places.flat_map(|it| [it.bytes, it.elapsed_ns, it.ios.unwrap_or(0)]))
        .chain(result.series.iter().flat_map(|it| [it.bytes, it.ios]))
        .chain(result.histogram.iter().map(|[_, _, count]| *count))
        .chain(result.defects.iter().map(|defect| defect.length))
        .chain(result.failures.iter().map(|failure| failure.count))
        .chain(device.flat_map(|it| [it.read_bytes, it.written_bytes, it.flushes]))
        .chain(cpu.flat_map(|cpu| [cpu.user.0, cpu.system.0]))
        .chain(users.flat_map(|user| [user.read_bytes, user.written_bytes]))
        .chain(surface.flat_map(|it| [it.defect_ranges, it.defect_bytes]))
}

/// Where and when something was, to which lengths are added.
fn marks(result: &ResultDocument) -> impl Iterator<Item = u64> + '_ {
    let places = result.places.iter();
    let trials = result.trials.iter();
    places
        .flat_map(|place| [place.offset, place.latency_max_ns.unwrap_or(0)])
        .chain(result.series.iter().map(|point| point.at_ns))
        .chain(result.defects.iter().map(|defect| defect.offset))
        .chain(result.failures.iter().map(|failure| failure.offset_bytes))
        .chain(trials.clone().filter_map(|trial| trial.durable_after_ns))
        .chain(trials.filter_map(|trial| trial.settled_ns))
}
