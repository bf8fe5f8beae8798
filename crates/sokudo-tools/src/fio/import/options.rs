//! What a job was asked to do, as far as it changes what its figures are of.

use sokudo_model::{
    BackendKind, BlockChoice, BlockShare, BlockSizes, Bytes, Nanos, Operation, OperationMix, Order,
    PlanPart, Rate,
};

use crate::results::row::{PACE, ToldWorkload};
use crate::results::text::label;

/// fio's default block.
const BLOCK: Bytes = Bytes(4_096);
/// No job has more I/Os in flight, and no more clones.
const DEPTH_MAX: u32 = 1 << 20;

/// Options that were told, and what they mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// `rw`, as written.
    rw: Option<String>,
    /// Percent of reads in a mix.
    read_percent: Option<u32>,
    block: Option<BlockSizes>,
    depth: Option<u32>,
    clones: Option<u32>,
    engine: Option<String>,
    direct: Option<bool>,
    runtime: Option<Nanos>,
    is_time_based: bool,
    ramp: Option<Nanos>,
    rate: Option<Rate>,
    may_repeat: bool,
    pub(super) size: Option<Bytes>,
    pub(super) target: Option<String>,
    /// Something else that changes what is measured: its value is not read here.
    is_special: bool,
    /// What was told in a way that is not understood, so that it is not fio's default.
    unclear: Vec<PlanPart>,
    /// Whether all options of the job are known, so that what is missing is fio's default.
    pub(super) is_whole: bool,
}

impl Options {
    /// Takes an option by its name, with its aliases; unknown ones are no concern.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        match name {
            "rw" | "readwrite" => self.rw = label(value),
            "rwmixread" => self.read_percent = self.clear(PlanPart::Mix, percent(value)),
            "rwmixwrite" => {
                let writes = self.clear(PlanPart::Mix, percent(value));
                self.read_percent = writes.map(|percent| 100 - percent);
            }
            "bs" | "blocksize" => self.block = self.clear(PlanPart::Blocks, blocks(value)),
            "kb_base" if value != "1024" => {
                self.unclear
                    .extend([PlanPart::Blocks, PlanPart::Span, PlanPart::Rate]);
            }
            "bsrange" | "blocksize_range" | "bssplit" => self.is_special = true,
            "iodepth" => self.depth = self.clear(PlanPart::Depth, count(value)),
            "numjobs" => self.clones = self.clear(PlanPart::Clones, count(value)),
            "ioengine" => self.engine = label(value),
            "direct" => self.direct = Some(value != "0"),
            "buffered" => self.direct = Some(value == "0"),
            "runtime" | "timeout" => self.runtime = self.clear(PlanPart::Duration, time(value)),
            "time_based" => self.is_time_based = value != "0",
            "ramp_time" => self.ramp = self.clear(PlanPart::Duration, time(value)),
            "rate_iops" => {
                let ios = self.clear(PlanPart::Rate, count(value));
                self.rate = ios.map(|ios| Rate::Iops(ios.into()));
            }
            "rate" => {
                let bytes = self.clear(PlanPart::Rate, size(value));
                self.rate = bytes.map(|bytes| Rate::BytesPerSecond(bytes.0));
            }
            "norandommap" => self.may_repeat = value != "0",
            "size" | "filesize" => self.size = size(value),
            "filename" | "directory" => self.target = label(value),
            "sync"
            | "fsync"
            | "fdatasync"
            | "end_fsync"
            | "thinktime"
            | "random_distribution"
            | "zonemode"
            | "verify"
            | "buffer_pattern"
            | "zero_buffers" => {
                self.is_special |= value != "0";
            }
            _ => {}
        }
    }

    /// A value, and that it is unclear where it was not understood.
    fn clear<T>(&mut self, part: PlanPart, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.unclear.contains(&part) {
            self.unclear.push(part);
        }
        value
    }

    /// The options of a job in which those of all jobs count where it has none of its own.
    pub(super) fn over(mut self, global: &Self) -> Self {
        macro_rules! inherit {
            ($($field:ident),*) => { $(if self.$field.is_none() { self.$field = global.$field.clone(); })* };
        }
        inherit!(
            rw,
            read_percent,
            block,
            depth,
            clones,
            engine,
            direct,
            runtime,
            ramp,
            rate,
            size,
            target
        );
        self.is_time_based |= global.is_time_based;
        self.may_repeat |= global.may_repeat;
        self.is_special |= global.is_special;
        self.unclear.extend(&global.unclear);
        self
    }

    /// What one direction of the job did.
    pub(super) fn workload(&self, name: &str, operation: Option<Operation>) -> ToldWorkload {
        let operations = self.operations(operation);
        let mut told = ToldWorkload::new(name, BLOCK).operations(Some(operations));
        let workload = &mut told.workload;
        if let Some(blocks) = &self.block {
            workload.blocks = blocks.clone();
        }
        let rw = self.rw.as_deref().unwrap_or("read");
        workload.order = match rw.starts_with("rand") {
            true => Order::Random {
                map: !self.may_repeat,
            },
            false => Order::SEQUENTIAL,
        };
        workload.depth = self.depth.unwrap_or(1);
        workload.clones = self.clones.unwrap_or(1);
        workload.backend = backend(self.engine.as_deref());
        workload.direct = (self.direct == Some(true)).into();
        workload.limits.time = self.runtime.filter(|time| time.0 > 0);
        workload.ramp = self.ramp.unwrap_or(Nanos(0));
        workload.rate = self.rate;
        let is_backend = workload.backend != BackendKind::Auto;
        // Of a job whose options are all known, what is not given is fio's default.
        let is_clear = |part| !self.unclear.contains(&part);
        let is = |is_given, part| is_given || self.is_whole && is_clear(part);
        let is_plain = self.is_whole && !self.is_special;
        let has_block = self.block.is_some() || self.is_whole;
        let is_block = has_block && is_clear(PlanPart::Blocks) && !self.is_special;
        let of_plain = [PlanPart::Durability, PlanPart::Data];
        told.parts_if(self.rw.is_some(), &[PlanPart::Order])
            .parts_if(is_block, &[PlanPart::Blocks])
            .parts_if(
                is(self.depth.is_some(), PlanPart::Depth),
                &[PlanPart::Depth],
            )
            .parts_if(
                is(self.clones.is_some(), PlanPart::Clones),
                &[PlanPart::Clones],
            )
            .parts_if(is_backend, &[PlanPart::Backend])
            .parts_if(
                is(self.direct.is_some(), PlanPart::Direct),
                &[PlanPart::Direct],
            )
            .parts_if(is(false, PlanPart::Duration), &[PlanPart::Duration])
            .parts_if(is_plain && is_clear(PlanPart::Rate), PACE)
            .parts_if(is_plain, &of_plain)
            .parts_if(
                self.size.is_some() && is_clear(PlanPart::Span),
                &[PlanPart::Span],
            )
    }

    /// One direction, or all together.
    fn operations(&self, operation: Option<Operation>) -> OperationMix {
        let rw = self.rw.as_deref().unwrap_or_default();
        let of_name = match rw.contains("write") {
            true => Operation::Write,
            false => Operation::Read,
        };
        match operation {
            Some(operation) => OperationMix::only(operation),
            None => self.mix().unwrap_or_else(|| OperationMix::only(of_name)),
        }
    }

    /// The mix that a direction is a share of.
    pub(super) fn mix(&self) -> Option<OperationMix> {
        let rw = self.rw.as_deref()?;
        let rw = rw.split(':').next().unwrap_or(rw);
        match rw {
            "rw" | "readwrite" | "randrw" => {
                let is_default = !self.unclear.contains(&PlanPart::Mix);
                let percent = self.read_percent.or(is_default.then_some(50));
                percent.and_then(OperationMix::read_write)
            }
            "trimwrite" | "randtrimwrite" => Some(OperationMix::trim_write()),
            _ => None,
        }
    }
}

fn backend(engine: Option<&str>) -> BackendKind {
    let kind = match engine {
        Some("pvsync") => Some(BackendKind::Vsync),
        // Which is none of fio's.
        Some("sim") | None => None,
        Some(name) => BackendKind::named(name),
    };
    kind.unwrap_or(BackendKind::Auto)
}

fn percent(value: &str) -> Option<u32> {
    value.trim().parse().ok().filter(|percent| *percent <= 100)
}

fn count(value: &str) -> Option<u32> {
    let count = value.trim().parse().ok();
    count.filter(|count| (1..=DEPTH_MAX).contains(count))
}

/// `4k`, `4KiB`, `1m`, `512`; several behind commas are of reads, writes and trims.
fn blocks(value: &str) -> Option<BlockSizes> {
    let sizes: Option<Vec<Bytes>> = value.split(',').take(3).map(size).collect();
    let choice = |bytes: Bytes| BlockChoice::Shares(vec![BlockShare { bytes, weight: 1 }]);
    match sizes?[..] {
        [all] => Some(BlockSizes::one(all)),
        [read, write] => BlockSizes::per_direction(choice(read), choice(write), choice(write)),
        [read, write, trim] => BlockSizes::per_direction(choice(read), choice(write), choice(trim)),
        _ => None,
    }
}

/// A size as fio reads it where `kb_base` is not set: powers of 1024, not 0.
pub(super) fn size(value: &str) -> Option<Bytes> {
    let value = value.trim();
    let digits = value.find(|sign: char| !sign.is_ascii_digit() && sign != '.');
    let (digits, unit) = value.split_at(digits.unwrap_or(value.len()));
    let unit = unit.to_ascii_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        "p" => 50,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    let bytes = number.checked_mul(1 << shift)?;
    (1..=1 << 60).contains(&bytes).then_some(Bytes(bytes))
}

/// `30`, `30s`, `5m`, `500ms`.
fn time(value: &str) -> Option<Nanos> {
    let value = value.trim();
    let digits = value.find(|sign: char| !sign.is_ascii_digit());
    let (digits, unit) = value.split_at(digits.unwrap_or(value.len()));
    let scale: u64 = match unit {
        "" | "s" => 1_000_000_000,
        "us" => 1_000,
        "ms" => 1_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(scale).map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_as_fio_reads_them() {
        assert_eq!(size("4k"), Some(Bytes::kib(4)));
        assert_eq!(size("1MiB"), Some(Bytes::mib(1)));
        assert_eq!(size("512"), Some(Bytes(512)));
        for text in [
            "",
            "0",
            "-1",
            "k",
            "99999999999999999999",
            "1e9",
            "4q",
            "20%",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
        assert_eq!(time("5m"), Some(Nanos(300_000_000_000)));
        assert_eq!(time("99999999999999999h"), None);
        assert_eq!(blocks("4k,8k"), blocks("4k,8k,8k"));
        assert_eq!(blocks("4k,"), None);
    }

    #[test]
    fn what_is_not_told_is_fios_default_only_where_all_options_are_known() {
        let mut options = Options::default();
        let told = |options: &Options| options.workload("x", None);
        assert!(told(&options).knows(PlanPart::Operations));
        assert!(!told(&options).knows(PlanPart::Depth));
        options.set("rw", "randrw");
        options.set("rwmixread", "70");
        options.is_whole = true;
        assert!(told(&options).knows(PlanPart::Depth));
        assert!(!told(&options).knows(PlanPart::Backend), "fio chose one");
        assert_eq!(options.mix(), OperationMix::read_write(70));
    }

    #[test]
    fn what_is_told_and_not_understood_is_never_fios_default() {
        for (name, value, part) in [
            ("bs", "4x", PlanPart::Blocks),
            ("kb_base", "1000", PlanPart::Blocks),
            ("iodepth", "deep", PlanPart::Depth),
            ("numjobs", "0", PlanPart::Clones),
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
