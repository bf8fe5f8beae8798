//! What a job's options come to together: a [`Workload`], and what is reported of it.

use sokudo_model::{
    BackendKind, Batching, BlockChoice, BlockShare, BlockSizes, Bytes, CpuPolicy, DataContent,
    DirectMode, Distribution, Files, IssueOptions, LatencyLog, LeastRates, Limits, Nanos,
    Operation, OperationMix, Order, Pacing, Rate, Rates, Recording, Reducible, Scatter, SteadyRule,
    Think, Verify, Workload, WorkloadTiming, WriteCheck,
};

use crate::fio::session::{FioLogs, FioReporting};

use super::files::{Placement, mixed};
use super::job::Job;
use super::numbers::{Amount, KiloBase};

impl Job {
    /// The smallest block of any direction.
    pub(super) fn smallest_block(&self) -> u64 {
        self.blocks().map_or(1, |blocks| blocks.smallest().0)
    }

    /// The backend, and what is to be said of it.
    pub(super) fn backend(&self) -> (BackendKind, Option<&'static str>) {
        match self.engine.as_str() {
            "pvsync" => {
                let note = "ioengine=pvsync runs as pvsync2, which does the same without flags";
                (BackendKind::Pvsync2, Some(note))
            }
            "posixaio" => {
                let note = "ioengine=posixaio runs on the fastest native backend: io_uring where it is allowed, else libaio";
                (BackendKind::Auto, Some(note))
            }
            name => {
                let kind = BackendKind::named(name);
                (kind.expect("the option table admits no other engine"), None)
            }
        }
    }

    /// Whether its engine does one I/O at a time, whatever `iodepth` says.
    pub(super) fn is_synchronous(&self) -> bool {
        matches!(
            self.engine.as_str(),
            "psync" | "sync" | "vsync" | "pvsync" | "pvsync2" | "mmap"
        )
    }

    /// The workload of one thread; `Err` says what a plan cannot express.
    pub(super) fn workload(
        &self,
        name: &str,
        number: u32,
        seed: u64,
        placement: &Placement,
    ) -> Result<Workload, String> {
        let (backend, _) = self.backend();
        let plan = &self.plan;
        let depth = match self.is_synchronous() {
            true => 1,
            false => plan.depth,
        };
        let blocks = self.blocks().ok_or("its block sizes are not valid")?;
        if self.unaligned && plan.direct == DirectMode::On {
            return Err("bs_unaligned does not go with direct=1, which moves whole sectors; leave one of them out".to_owned());
        }
        if self.unaligned && self.check.is_some() {
            return Err("bs_unaligned does not go with verify, which checks whole blocks; leave one of them out".to_owned());
        }
        let is_part = |open: &u32| (*open as usize) < placement.uses.len();
        // Commands to a drive know no page cache.
        let is_direct = plan.direct == DirectMode::On || backend == BackendKind::IoUringCmd;
        Ok(Workload {
            name: name.to_owned(),
            backend,
            direct: is_direct.into(),
            operations: self.operations(),
            order: self.order(),
            blocks,
            files: Files {
                uses: placement.uses.clone(),
                open_max: plan.files.open_max.filter(is_part),
                ..plan.files
            },
            scatter: self.scatter()?,
            depth,
            issuing: IssueOptions {
                polled: plan.issuing.polled && backend != BackendKind::Pvsync2,
                batching: self.batching(depth),
                cpus: self.processors(number),
                cpu_policy: CpuPolicy::Shared,
                ..plan.issuing.clone()
            },
            limits: self.limits(placement),
            timing: WorkloadTiming {
                starts_after: self.starts_after(seed),
                steady: self.steadiness(),
                ..plan.timing
            },
            pacing: Pacing {
                rates: self.rates()?,
                least: self.least(),
                think: self.pause(),
                ..plan.pacing
            },
            data: self.data(),
            verify: self.verification().map(Verify::Writes),
            recording: self.recording(),
            ..plan.clone()
        })
    }

    pub(super) fn operations(&self) -> OperationMix {
        let only = OperationMix::only;
        match (self.access.reads, self.access.writes) {
            (true, true) => OperationMix::read_write(self.read_percent)
                .expect("the option table admits no percentage above 100"),
            (true, false) => only(Operation::Read),
            (false, true) if self.access.trims => OperationMix::trim_write(),
            (false, true) => only(Operation::Write),
            (false, false) => only(Operation::Trim),
        }
    }

    fn order(&self) -> Order {
        if !self.access.random {
            return Order::SEQUENTIAL;
        }
        // fio has no map for blocks that are not aligned to their size, nor for
        // places that are not all alike.
        let is_even = self.plan.scatter.distribution == Distribution::Uniform;
        let is_aligned = self.alignment.is_none_or(|alignment| {
            let smallest = self.choices().map(|choice| choice.smallest().0);
            alignment == smallest
        });
        Order::Random {
            map: (!self.may_repeat || self.visits_once) && is_even && is_aligned,
        }
    }

    fn choices(&self) -> [BlockChoice; 3] {
        [0, 1, 2].map(|index| {
            let split = &self.block_split[index];
            if !split.is_empty() {
                return BlockChoice::Shares(split.clone());
            }
            match self.block_range[index] {
                Some((smallest, largest)) if smallest < largest && self.unaligned => {
                    BlockChoice::AnyBytes {
                        smallest: Bytes(smallest),
                        largest: Bytes(largest),
                    }
                }
                Some((smallest, largest)) if smallest < largest => BlockChoice::Range {
                    smallest: Bytes(smallest),
                    largest: Bytes(largest),
                },
                range => BlockChoice::Shares(vec![BlockShare {
                    bytes: Bytes(range.map_or(self.block[index], |(size, _)| size)),
                    weight: 1,
                }]),
            }
        })
    }

    pub(super) fn blocks(&self) -> Option<BlockSizes> {
        let [read, write, trim] = self.choices();
        BlockSizes::per_direction(read, write, trim)
    }

    fn scatter(&self) -> Result<Scatter, String> {
        let trims_first = self.access.writes && self.access.trims;
        if !self.access.random {
            let stride = self.access_number.unwrap_or(0);
            return Ok(Scatter {
                stride,
                trims_first,
                ..Scatter::default()
            });
        }
        let run = self.access_number.unwrap_or(1);
        let run_ios = u32::try_from(run).map_err(|_| {
            format!("rw with :{run} stays that many I/Os at a random place; give a number from 0")
        })?;
        let is_mixed = self.random_percent.iter().any(|percent| *percent < 100);
        let percents = self
            .random_percent
            .map(|percent| u8::try_from(percent).expect("the table admits none above 100"));
        Ok(Scatter {
            random_percent: is_mixed.then_some(percents),
            run_ios,
            trims_first,
            alignment: self.alignment.map(|each| each.map(Bytes)),
            ..self.plan.scatter.clone()
        })
    }

    /// fio 3.33, seen in its system calls: without a maximum it reaps as many at once
    /// as its minimum, which is one, so that the queue is full whenever it submits.
    fn batching(&self, depth: u32) -> Batching {
        let submit = match self.batch {
            0 => depth,
            batch => batch.min(depth),
        };
        Batching {
            submit: Some(submit),
            complete_min: Some(self.complete_min.min(depth)),
            // fio takes one at a time unless told otherwise, which keeps its queue full.
            complete_max: (depth > 1)
                .then(|| self.complete_max.unwrap_or(0).max(self.complete_min).max(1)),
            low_depth: Some(self.low_depth).filter(|low| *low > 0 && *low < depth),
        }
    }

    /// fio 3.33, measured: `time_based` makes it ignore every other limit; without it
    /// the job ends at `io_size`, by default `size`, or at `runtime`.
    fn limits(&self, placement: &Placement) -> Limits {
        let bytes = placement.bytes;
        if let Some(time) = self.plan.limits.time.filter(|_| self.time_based) {
            return Limits::of_time(time);
        }
        let bytes = match self.io_size {
            Some(Amount::Bytes(size)) => size,
            Some(Amount::Percent(percent)) => bytes / 100 * percent + bytes % 100 * percent / 100,
            None => self.holed_pass(placement),
        };
        // fio counts the writes alone.
        let moved_per_byte = if self.access.writes && self.access.trims {
            2
        } else {
            1
        };
        Limits {
            bytes: Some(Bytes(bytes.saturating_mul(moved_per_byte))),
            ..self.plan.limits
        }
    }

    /// What a pass over all files moves. With holes (`rw=read:8k`), fio 3.33 goes back to the
    /// start when the next I/O would begin behind the end of the file, so as to move `size` in
    /// all, but stops where one ends exactly there, or would begin behind `size` or not fit.
    fn holed_pass(&self, placement: &Placement) -> u64 {
        let hole = match self.access_number {
            Some(hole) if !self.access.random => u64::try_from(hole).unwrap_or(0),
            _ => 0,
        };
        let block = self.smallest_block();
        let one_size = self.choices().iter().all(|sizes| match sizes {
            BlockChoice::Shares(shares) => matches!(shares[..], [only] if only.bytes.0 == block),
            BlockChoice::Range { .. } | BlockChoice::AnyBytes { .. } => false,
        });
        let is_one_way = !(self.access.reads && self.access.writes);
        if hole == 0 || !one_size || !is_one_way || placement.uses.len() != 1 {
            return placement.whole_bytes;
        }
        let Some(room) = placement.bytes.checked_sub(block) else {
            return placement.whole_bytes;
        };
        let step = block.saturating_add(hole);
        let ios = room / step + 1;
        let ends_at = (ios - 1) * step + block;
        let next = ios.saturating_mul(step);
        if ends_at == placement.bytes || next < placement.file_bytes {
            ios * block
        } else {
            placement.bytes.div_ceil(block) * block
        }
    }

    fn starts_after(&self, seed: u64) -> Nanos {
        match self.delay {
            (low, Some(high)) if high > low => {
                Nanos(low.0 + mixed(seed) % (high.0 - low.0).saturating_add(1))
            }
            (low, _) => low,
        }
    }

    fn rates(&self) -> Result<Rates, String> {
        let used = [self.access.reads, self.access.writes, self.access.trims];
        let any = |rates: &[u64; 3]| rates.iter().any(|rate| *rate > 0);
        if any(&self.rate) && any(&self.rate_iops) {
            return Err("it has rate and rate_iops; keep one of them".to_owned());
        }
        let each = [0, 1, 2].map(|index| match (self.rate[index], self.rate_iops[index]) {
            _ if !used[index] => None,
            (0, 0) => None,
            (0, iops) => Some(Rate::Iops(iops)),
            (bytes, _) => Some(Rate::BytesPerSecond(bytes)),
        });
        Ok(Rates {
            each,
            ..self.plan.pacing.rates
        })
    }

    /// The rates below which it fails, of what it does.
    fn least(&self) -> LeastRates {
        let used = [self.access.reads, self.access.writes, self.access.trims];
        let of_used = |least: [Option<u64>; 3]| {
            [0, 1, 2].map(|index| least[index].filter(|least| used[index] && *least > 0))
        };
        let LeastRates { bytes, ios, cycle } = self.plan.pacing.least;
        let least = LeastRates {
            bytes: of_used(bytes),
            ios: of_used(ios),
            cycle,
        };
        match least.is_empty() {
            true => LeastRates::default(),
            false => least,
        }
    }

    fn pause(&self) -> Option<Think> {
        (self.think.0 > 0).then(|| Think {
            waits_for_completion: !self.think_on_issue,
            spin: self.think_spin.min(self.think),
            ..Think::new(self.think, self.think_ios)
        })
    }

    fn data(&self) -> DataContent {
        if self.zero || self.compress_percent == 100 {
            return DataContent::Zero;
        }
        if self.compress_percent > 0 || self.dedupe_percent > 0 {
            return DataContent::Reducible(Reducible {
                compress_percent: self.compress_percent,
                chunk: self.compress_chunk.map(Bytes),
                filler: self.pattern.clone(),
                dedupe_percent: self.dedupe_percent,
            });
        }
        if !self.pattern.is_empty() {
            return DataContent::Pattern(self.pattern.clone());
        }
        // Scrambled blocks differ from one another, as blocks that are filled anew do.
        if self.refill || self.scramble {
            DataContent::Random
        } else {
            DataContent::Repeated
        }
    }

    fn verification(&self) -> Option<WriteCheck> {
        let block = Bytes(self.smallest_block());
        Some(WriteCheck {
            check: self.check?,
            interval: self.verify.interval.map(|interval| interval.min(block)),
            ..self.verify.clone()
        })
    }

    fn steadiness(&self) -> Option<SteadyRule> {
        if self.steady_duration.0 == 0 {
            return None;
        }
        let (figure, slope, limit) = self.steady?;
        Some(SteadyRule {
            figure,
            slope,
            limit,
            duration: self.steady_duration,
            ramp: self.steady_ramp,
            interval: self.steady_interval,
        })
    }

    fn recording(&self) -> Recording {
        let (report, logs) = (&self.report, &self.logs);
        let logs_rates = logs.bandwidth.is_some() || logs.iops.is_some();
        let average = Some(logs.average).filter(|average| average.0 > 0);
        let no_latency = report.disable_lat && report.disable_clat && report.disable_slat;
        let window = average
            .filter(|_| logs_rates)
            .unwrap_or(self.bandwidth_window);
        let histogram = Some(self.histogram_interval).filter(|interval| interval.0 > 0);
        Recording {
            split_latency: !self.gtod_reduce && !no_latency,
            series_interval: Some(window).filter(|window| window.0 > 0),
            latency_log: (logs.latency.as_ref()).map(|_| LatencyLog { interval: average }),
            log_every_io: logs_rates && average.is_none(),
            histogram_interval: logs.histogram.as_ref().and(histogram),
        }
    }

    /// A thread that shares nothing has one processor of its own, in turn.
    fn processors(&self, number: u32) -> Vec<u32> {
        let cpus = &self.plan.issuing.cpus;
        if self.plan.issuing.cpu_policy == CpuPolicy::Shared || cpus.is_empty() {
            return cpus.clone();
        }
        vec![cpus[number as usize % cpus.len()]]
    }

    /// What is reported of it.
    pub(super) fn reporting(&self) -> FioReporting {
        let report = &self.report;
        let off = self.gtod_reduce;
        FioReporting {
            clat_percentiles: report.clat_percentiles && !report.disable_clat && !off,
            lat_percentiles: report.lat_percentiles && !report.disable_lat && !off,
            slat_percentiles: report.slat_percentiles && !report.disable_slat && !off,
            disable_lat: report.disable_lat || off,
            disable_clat: report.disable_clat || off,
            disable_slat: report.disable_slat || off,
            kb_base: if self.kilo_base == KiloBase::Decimal {
                1000
            } else {
                1024
            },
            ramp: self.plan.timing.ramp,
            ..report.clone()
        }
    }

    /// What is logged of it; an empty name is the job's.
    pub(super) fn logs(&self, name: &str) -> FioLogs {
        let mut logs = self.logs.clone();
        for prefix in [
            &mut logs.bandwidth,
            &mut logs.iops,
            &mut logs.latency,
            &mut logs.histogram,
        ] {
            if prefix.as_deref() == Some("") {
                *prefix = Some(name.to_owned());
            }
        }
        logs
    }
}
