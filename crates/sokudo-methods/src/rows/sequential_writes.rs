//! A drive written from one end to the other, and again after rests: the rows of `sokudo fill`,
//! and of the theme of `sokudo explain` that asks for fast cells.

use sokudo_model::{
    Bytes, Nanos, Operation, OperationMix, Sample, Span, Survey, Visit, Work, Workload, narrow,
};

/// Reviewers write whole drives in blocks of this size.
pub const BLOCK: Bytes = Bytes::mib(1);
/// Enough in flight that the drive never waits.
const DEPTH: u32 = 8;

/// Samples of a fill, at most: half a GB each of 1 TB.
pub const SAMPLES_MAX: u32 = 2_048;
/// A sample of fewer blocks is told by the moments at which they end, and not by a rate.
const SAMPLE_MIN: Bytes = Bytes::mib(4);

/// What is written after a rest: enough for a rate, and less than any rest makes room for.
const AFTER_REST: Bytes = Bytes::gib(2);
/// Of the fill, so that what is written after several rests is none of its own.
const AFTER_REST_DIVISOR: u64 = 8;

/// A page of memory and of most drives' maps.
const READ_BESIDE: Bytes = Bytes::kib(4);

/// What is written, and when again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequentialWrites {
    /// What comes before the names of rows.
    pub name: &'static str,
    /// So much is written from the start on, in whole blocks of it.
    pub size: Bytes,
    /// The smallest block that the target takes.
    pub block_min: Bytes,
    /// Samples at most, each with its rate.
    pub samples_max: u32,
    /// When writing ends at the latest.
    pub time_max: Option<Nanos>,
    /// Whether single blocks are read meanwhile.
    pub reads: bool,
    /// After these rests, one after the other, a little is written again.
    pub rests: Vec<Nanos>,
}

impl SequentialWrites {
    /// The rows: the fill, then one for each rest.
    pub fn workloads(&self) -> Vec<Workload> {
        let length = whole_blocks(self.size);
        let mut fill = self.writes(self.name.to_owned(), length);
        fill.work = Work::Survey(Survey {
            read_beside: self.reads.then(|| READ_BESIDE.max(self.block_min)),
            ..whole_survey(length, self.samples_max)
        });
        let after = whole_blocks(AFTER_REST.min(Bytes(length.0 / AFTER_REST_DIVISOR)));
        let after = after.max(BLOCK);
        let rested = |rest: &Nanos| {
            let name = format!("{} after {} s", self.name, rest.as_secs_f64());
            let mut rested = self.writes(name, after);
            rested.timing.starts_after = *rest;
            rested.limits.bytes = Some(after);
            rested
        };
        let rests = self.rests.iter().map(rested);
        std::iter::once(fill).chain(rests).collect()
    }

    /// Bytes written, at most.
    pub fn written(&self) -> Bytes {
        let of = |workload: &Workload| workload.span.map_or(0, |span| span.length.0);
        Bytes(self.workloads().iter().map(of).sum())
    }

    fn writes(&self, name: String, length: Bytes) -> Workload {
        let mut workload = Workload::new(name, BLOCK);
        workload.operations = OperationMix::only(Operation::Write);
        workload.depth = DEPTH;
        workload.span = Some(Span::from_start(length));
        workload.limits.time = self.time_max;
        workload
    }
}

/// All of a length, in so many samples at most.
pub(crate) fn whole_survey(length: Bytes, samples_max: u32) -> Survey {
    let samples = (length.0 / SAMPLE_MIN.0).clamp(1, samples_max.into());
    Survey::new(narrow(samples), Visit::Ascending, Sample::Whole)
}

/// Rounds down to a multiple of [`BLOCK`].
pub fn whole_blocks(bytes: Bytes) -> Bytes {
    Bytes(bytes.0 / BLOCK.0 * BLOCK.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(size: Bytes) -> SequentialWrites {
        SequentialWrites {
            name: "fill",
            size,
            block_min: Bytes(512),
            samples_max: SAMPLES_MAX,
            time_max: None,
            reads: true,
            rests: vec![Nanos::from_secs(10), Nanos::from_secs(60)],
        }
    }

    #[test]
    fn all_of_it_is_written_once_and_a_little_again_after_each_rest() {
        let rows = request(Bytes(Bytes::gib(1_000).0 + 1)).workloads();
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["fill", "fill after 10 s", "fill after 60 s"]);
        let survey = rows[0].survey().unwrap();
        assert_eq!((survey.sample_count, survey.sample), (2_048, Sample::Whole));
        assert_eq!(survey.read_beside, Some(Bytes::kib(4)));
        assert_eq!(rows[0].span.unwrap().length, Bytes::gib(1_000));
        assert_eq!(rows[1].timing.starts_after, Nanos::from_secs(10));
        assert_eq!(rows[2].limits.bytes, Some(Bytes::gib(2)));
    }

    #[test]
    fn of_little_there_are_few_samples_and_little_is_written_again() {
        let rows = request(Bytes::mib(64)).workloads();
        assert_eq!(rows[0].survey().unwrap().sample_count, 16);
        assert_eq!(rows[1].limits.bytes, Some(Bytes::mib(8)));
        assert_eq!(request(Bytes::mib(64)).written(), Bytes::mib(80));
    }
}
