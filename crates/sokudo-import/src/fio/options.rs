//! What a job was asked to do, as far as it changes what its figures are of.

use sokudo_model::{
    BackendKind, BlockChoice, BlockShare, BlockSizes, Bytes, Nanos, Operation, OperationMix, Order,
    PlanPart, Rate,
};

use crate::row::{PACE, ToldWorkload, direct};
use crate::text::label;

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
    /// Whether all options of the job are known, so that what is missing is fio's default.
    pub(super) is_whole: bool,
}

impl Options {
    /// Takes an option by its name, with its aliases; unknown ones are no concern.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        match name {
            "rw" | "readwrite" => self.rw = label(value),
            "rwmixread" => self.read_percent = percent(value),
            "rwmixwrite" => self.read_percent = percent(value).map(|percent| 100 - percent),
            "bs" | "blocksize" => self.block = blocks(value),
            "bsrange" | "blocksize_range" | "bssplit" => self.is_special = true,
            "iodepth" => self.depth = count(value),
            "numjobs" => self.clones = count(value),
            "ioengine" => self.engine = label(value),
            "direct" => self.direct = Some(value != "0"),
            "buffered" => self.direct = Some(value == "0"),
            "runtime" | "timeout" => self.runtime = time(value),
            "time_based" => self.is_time_based = value != "0",
            "ramp_time" => self.ramp = time(value),
            "rate_iops" => self.rate = count(value).map(|ios| Rate::Iops(ios.into())),
            "rate" => self.rate = size(value).map(|bytes| Rate::BytesPerSecond(bytes.0)),
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
        workload.direct = direct(self.direct == Some(true));
        workload.limits.time = self.runtime.filter(|time| time.0 > 0);
        workload.ramp = self.ramp.unwrap_or(Nanos(0));
        workload.rate = self.rate;
        let is_backend = workload.backend != BackendKind::Auto;
        // Of a job whose options are all known, what is not given is fio's default.
        let is = |is_given: bool| is_given || self.is_whole;
        let is_plain = self.is_whole && !self.is_special;
        let of_plain = [PlanPart::Durability, PlanPart::Data];
        told.parts_if(self.rw.is_some(), &[PlanPart::Order])
            .parts_if(
                is(self.block.is_some()) && !self.is_special,
                &[PlanPart::Blocks],
            )
            .parts_if(is(self.depth.is_some()), &[PlanPart::Depth])
            .parts_if(is(self.clones.is_some()), &[PlanPart::Clones])
            .parts_if(is_backend, &[PlanPart::Backend])
            .parts_if(is(self.direct.is_some()), &[PlanPart::Direct])
            .parts_if(self.is_whole, &[PlanPart::Duration])
            .parts_if(is_plain, PACE)
            .parts_if(is_plain, &of_plain)
            .parts_if(self.size.is_some(), &[PlanPart::Span])
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
                OperationMix::read_write(self.read_percent.unwrap_or(50))
            }
            "trimwrite" | "randtrimwrite" => Some(OperationMix::trim_write()),
            _ => None,
        }
    }
}

fn backend(engine: Option<&str>) -> BackendKind {
    match engine {
        Some("io_uring") => BackendKind::IoUring,
        Some("io_uring_cmd") => BackendKind::IoUringCmd,
        Some("libaio") => BackendKind::Libaio,
        Some("psync") => BackendKind::Psync,
        Some("sync") => BackendKind::Sync,
        Some("vsync" | "pvsync") => BackendKind::Vsync,
        Some("pvsync2") => BackendKind::Pvsync2,
        Some("mmap") => BackendKind::Mmap,
        Some("null") => BackendKind::Null,
        _ => BackendKind::Auto,
    }
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
        options.set("rwmixwrite", "101");
        assert_eq!(options.mix(), OperationMix::read_write(50));
    }
}
