//! What a job was asked to do, as far as it changes what its figures are of: its options as
//! fio repeats them, read by the table that reads job files.

use sokudo_model::{BackendKind, Bytes, Operation, OperationMix, Order, PlanPart, Rate};

use crate::fio::job::Job;
use crate::fio::numbers::Amount;
use crate::fio::table::{self, job_without_options};
use crate::results::row::{PACE, WorkloadDescription};
use crate::results::text::label;

/// The options that are read, and what is open where the value of one is not understood.
const READ: [(&str, &[PlanPart]); 20] = [
    ("rw", &[]),
    ("rwmixread", &[PlanPart::Mix]),
    ("rwmixwrite", &[PlanPart::Mix]),
    ("bs", &[PlanPart::Blocks]),
    (
        KILO_BASE,
        &[PlanPart::Blocks, PlanPart::Span, PlanPart::Rate],
    ),
    ("iodepth", &[PlanPart::Depth]),
    ("numjobs", &[PlanPart::Threads]),
    ("ioengine", &[]),
    ("direct", &[]),
    ("buffered", &[]),
    ("runtime", &[PlanPart::Duration]),
    ("time_based", &[]),
    ("ramp_time", &[PlanPart::Duration]),
    ("rate_iops", &[PlanPart::Rate]),
    ("rate", &[PlanPart::Rate]),
    ("norandommap", &[]),
    ("size", &[]),
    ("filesize", &[]),
    ("filename", &[]),
    ("directory", &[]),
];

/// Options that change what is measured in ways that are not read here, unless they are 0.
const SPECIAL: &str = "bsrange bssplit sync fsync fdatasync end_fsync thinktime \
    random_distribution zonemode verify buffer_pattern zero_buffers";

/// Sizes by another base than 1024 are not read.
const KILO_BASE: &str = "kb_base";

/// Options that were told.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// By their names, in order; the last one of a name counts.
    named_values: Vec<(&'static str, String)>,
    /// Whether all options of the job are known, so that what is missing is fio's default.
    pub(super) is_whole: bool,
}

/// The job that they make.
struct JobDescription {
    job: Job,
    given: Vec<&'static str>,
    /// Options of [`SPECIAL`] are among them.
    is_special: bool,
    /// What was told in a way that is not understood, so that it is not fio's default.
    unclear: Vec<PlanPart>,
}

impl Options {
    /// Takes an option by any of its names; unknown ones are no concern.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let Some(option) = table::position(name) else {
            return;
        };
        let name = table::options()[option].name;
        let is_default = name == KILO_BASE && value == "1024";
        let is_read = READ.iter().any(|(read, _)| *read == name);
        let is_special = SPECIAL.split(' ').any(|special| special == name);
        if (is_read || is_special) && !is_default {
            self.named_values.retain(|(key, _)| *key != name);
            self.named_values.push((name, value.to_owned()));
        }
    }

    /// The options of a job in which those of all jobs count where it has none of its own.
    pub(super) fn over(self, global: &Self) -> Self {
        Self {
            named_values: [global.named_values.clone(), self.named_values].concat(),
            is_whole: self.is_whole,
        }
    }

    fn job(&self) -> JobDescription {
        let mut description = JobDescription {
            job: job_without_options(),
            given: Vec::new(),
            is_special: false,
            unclear: Vec::new(),
        };
        for (name, value) in &self.named_values {
            description.take(name, value);
        }
        description
    }

    /// How much of its files it used.
    pub(super) fn size(&self) -> Option<Bytes> {
        self.job().size()
    }

    /// Its files, or where they lie.
    pub(super) fn target(&self) -> Option<String> {
        let is_path = |(name, _): &&(&str, String)| matches!(*name, "filename" | "directory");
        self.named_values
            .iter()
            .rfind(is_path)
            .and_then(|(_, path)| label(path))
    }

    /// The mix that a direction is a share of.
    pub(super) fn mix(&self) -> Option<OperationMix> {
        self.job().mix()
    }

    /// What one direction of the job did.
    pub(super) fn workload(&self, name: &str, operation: Option<Operation>) -> WorkloadDescription {
        let description = self.job();
        let job = &description.job;
        let of_its_name = match job.access.writes {
            true => Operation::Write,
            false => Operation::Read,
        };
        let only = operation.map(OperationMix::only);
        let operations = only.or_else(|| description.mix());
        let operations = operations.unwrap_or_else(|| OperationMix::only(of_its_name));
        let mut row =
            WorkloadDescription::new(name, Bytes(job.block[0])).operations(Some(operations));
        let workload = &mut row.workload;
        if let Some(blocks) = job.blocks().filter(|_| description.has("bs")) {
            workload.blocks = blocks;
        }
        workload.order = match job.access.random {
            true => Order::Random {
                map: !job.may_repeat,
            },
            false => Order::SEQUENTIAL,
        };
        workload.depth = job.plan.depth;
        workload.threads = job.threads;
        workload.backend = description.backend();
        workload.direct = job.plan.direct;
        workload.limits.time = job.plan.limits.time;
        workload.timing.ramp = job.plan.timing.ramp;
        workload.pacing.rate = match (job.rate_iops[0], job.rate[0]) {
            (0, 0) => None,
            (0, bytes) => Some(Rate::BytesPerSecond(bytes)),
            (ios, _) => Some(Rate::Iops(ios)),
        };
        let is_backend = workload.backend != BackendKind::Auto;
        // Of a job whose options are all known, what is not given is fio's default.
        let is_clear = |part| !description.unclear.contains(&part);
        let is = |option, part| description.has(option) || self.is_whole && is_clear(part);
        let is_plain = self.is_whole && !description.is_special;
        let has_block = description.has("bs") || self.is_whole;
        let is_block = has_block && is_clear(PlanPart::Blocks) && !description.is_special;
        let is_direct = is("direct", PlanPart::Direct) || description.has("buffered");
        let is_span = description.size().is_some() && is_clear(PlanPart::Span);
        row.parts_if(description.has("rw"), &[PlanPart::Order])
            .parts_if(is_block, &[PlanPart::Blocks])
            .parts_if(is("iodepth", PlanPart::Depth), &[PlanPart::Depth])
            .parts_if(is("numjobs", PlanPart::Threads), &[PlanPart::Threads])
            .parts_if(is_backend, &[PlanPart::Backend])
            .parts_if(is_direct, &[PlanPart::Direct])
            .parts_if(is("", PlanPart::Duration), &[PlanPart::Duration])
            .parts_if(is_plain && is_clear(PlanPart::Rate), PACE)
            .parts_if(is_plain, &[PlanPart::Durability, PlanPart::Data])
            .parts_if(is_span, &[PlanPart::Span])
    }
}

impl JobDescription {
    fn take(&mut self, name: &'static str, value: &str) {
        let Some((_, parts)) = READ.iter().find(|(read, _)| *read == name) else {
            self.is_special |= value != "0";
            return;
        };
        // Rates of each direction are no rate of all together.
        let is_unread = name == KILO_BASE || name.starts_with("rate") && value.contains(',');
        // fio repeats a flag that stands alone with an empty value.
        let value = Some(value).filter(|value| !value.is_empty());
        let option = table::position(name).map(|option| &table::options()[option]);
        match option.map(|option| option.apply(&mut self.job, value)) {
            Some(Ok(())) if !is_unread => self.given.push(name),
            _ => self.unclear.extend(*parts),
        }
    }

    fn has(&self, option: &str) -> bool {
        self.given.contains(&option)
    }

    fn size(&self) -> Option<Bytes> {
        match (self.job.size, self.job.file_size) {
            (Some(Amount::Bytes(size)), _) => Some(Bytes(size)),
            (None, Some((size, same))) if size == same => Some(Bytes(size)),
            _ => None,
        }
    }

    fn mix(&self) -> Option<OperationMix> {
        let access = self.job.access;
        let is_known = !access.reads || !self.unclear.contains(&PlanPart::Mix);
        (access.writes && (access.reads || access.trims) && is_known).then(|| self.job.operations())
    }

    fn backend(&self) -> BackendKind {
        let kind = match self.job.engine.as_str() {
            _ if !self.has("ioengine") => None,
            "pvsync" => Some(BackendKind::Vsync),
            name => BackendKind::named(name),
        };
        kind.unwrap_or(BackendKind::Auto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::BlockSizes;

    #[test]
    fn sizes_are_as_fio_reads_them() {
        let of = |name: &str, value: &str| {
            let mut options = Options::default();
            options.set(name, value);
            options
        };
        assert_eq!(of("size", "4k").size(), Some(Bytes::kib(4)));
        assert_eq!(of("filesize", "512").size(), Some(Bytes(512)));
        for text in ["", "0", "-1", "k", "1e9", "4q", "20%"] {
            assert_eq!(of("size", text).size(), None, "{text}");
        }
        let blocks = |value: &str| of("bs", value).workload("x", None).workload.blocks;
        assert_eq!(blocks("4k,8k"), blocks("4k,8k,8k"));
        assert_eq!(blocks("8k"), BlockSizes::one(Bytes::kib(8)));
    }

    #[test]
    fn what_is_not_told_is_fios_default_only_where_all_options_are_known() {
        let mut options = Options::default();
        let description = |options: &Options| options.workload("x", None);
        assert!(description(&options).knows(PlanPart::Operations));
        assert!(!description(&options).knows(PlanPart::Depth));
        options.set("rw", "randrw");
        options.set("rwmixread", "70");
        options.is_whole = true;
        assert!(description(&options).knows(PlanPart::Depth));
        assert!(
            !description(&options).knows(PlanPart::Backend),
            "fio chose one"
        );
        assert_eq!(options.mix(), OperationMix::read_write(70));
    }

    #[test]
    fn what_is_told_and_not_understood_is_never_fios_default() {
        for (name, value, part) in [
            ("bs", "4x", PlanPart::Blocks),
            ("kb_base", "1000", PlanPart::Blocks),
            ("iodepth", "deep", PlanPart::Depth),
            ("numjobs", "0", PlanPart::Threads),
            ("runtime", "5 parsecs", PlanPart::Duration),
            ("ramp_time", "-1", PlanPart::Duration),
            ("rate", "1m,500k", PlanPart::Rate),
            ("rate_iops", "100,", PlanPart::Rate),
        ] {
            let mut global = Options::default();
            global.set(name, value);
            let options = Options {
                is_whole: true,
                ..Options::default()
            };
            assert!(options.workload("x", None).knows(part), "{name}");
            assert!(
                !options.over(&global).workload("x", None).knows(part),
                "{name}"
            );
        }
        let mut options = Options::default();
        options.set("rw", "randrw");
        assert_eq!(options.mix(), OperationMix::read_write(50));
        options.set("rwmixwrite", "101");
        assert_eq!(options.mix(), None);
    }
}
