//! Simulated devices in virtual time, behind `sim:` targets: a device of constant
//! latency, a hard disk, a shingled one, a solid-state drive, an array with parity and a
//! drive that says it is larger than it is. The same target, seed and requests give the
//! same completions to the nanosecond, on every machine: times
//! are whole numbers, and the few floats only use operations that IEEE 754 rounds
//! exactly.
//!
//! A device keeps no clock. Whoever drives it says what time it is, and may jump
//! straight to [`SimulatedDevice::next_event`]. It stores no data and judges nothing; where a
//! block would be kept, if it were, is told by [`SimulatedDevice::cell_of`].

mod agenda;
mod constant;
mod fake;
mod fault;
mod hdd;
mod job;
mod link;
mod model;
mod presentation;
mod raid5;
mod rate;
mod shingled;
mod spec;
mod ssd;
#[cfg(test)]
mod tests;

use rustix::io::Errno;
use sokudo_model::{BlockDevice, BlockDeviceKind, Bytes, DeviceCounters, Nanos, Operation};

use agenda::{Agenda, earlier};
use constant::Constant;
use fake::Fake;
use fault::SimulatedFaults;
use hdd::HardDisk;
use job::PendingRequest;
use link::SharedLink;
use model::DeviceModel;
use presentation::{PHYSICAL_BLOCK_BYTES, Presentation, count};
use raid5::Raid5;
use shingled::Shingled;
use spec::Spec;
use ssd::SolidState;

pub use presentation::SECTOR_BYTES;
pub use spec::SpecError;

/// What Linux moves at most in one call (`MAX_RW_COUNT`): larger requests are cut.
pub const REQUEST_BYTES_MAX: u64 = 0x7fff_f000;

/// 32 workloads at the largest depth that a ring has. Above it requests are
/// answered with EAGAIN, as by a kernel without free tags.
pub const IN_FLIGHT_MAX: usize = 1 << 20;

/// A kernel needs about this long to refuse a request; it is not zero, so that a
/// loop of refused requests still gets on in time.
const REFUSAL_NS: u64 = 1_000;

/// Below this a hard disk would have too few tracks to tell its zones apart.
const SIZE_MIN: Bytes = Bytes::gib(1);
/// Above this, times of a whole pass could overflow.
const SIZE_MAX: Bytes = Bytes(1_000_000_000_000_000);
const SIZE_DEFAULT: Bytes = Bytes(1_000_000_000_000);

/// One request to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedRequest {
    /// Comes back in the completion; need not be unique.
    pub id: u64,
    /// Read, write, trim or flush.
    pub operation: Operation,
    /// First byte; ignored by a flush.
    pub offset: u64,
    /// Number of bytes; ignored by a flush.
    pub bytes: u64,
}

/// The end of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Number that the request was submitted with.
    pub id: u64,
    /// Bytes moved, or Linux's error number.
    pub result: Result<u64, i32>,
}

/// A simulated device.
///
/// It is driven like this: [`advance`](Self::advance) to an instant, then
/// [`submit`](Self::submit) what is issued at that instant, then on to
/// [`next_event`](Self::next_event) or to the next submission, whichever is
/// earlier. Time never goes back.
#[derive(Debug)]
pub struct SimulatedDevice {
    size: Bytes,
    /// What tells it from others of its kind.
    serial: Option<String>,
    faults: SimulatedFaults,
    model: Box<dyn DeviceModel>,
    /// Requests that end without reaching the model.
    refusals: Agenda<PendingRequest>,
    /// What it is attached by, where that is shared with others.
    link: Option<SharedLink>,
    /// What the model has done and the link has not.
    on_link: Agenda<PendingRequest>,
    /// Emptied by every call; kept so as not to allocate it anew.
    finished: Vec<PendingRequest>,
    in_flight: usize,
    counters: DeviceCounters,
    now: Nanos,
}

impl SimulatedDevice {
    /// Understands a target such as `sim:hdd?size=4TB&rpm=5900`. The device starts
    /// at time 0 with seed 0.
    ///
    /// # Errors
    /// An unknown model or key, with the list of what there is, and any value that
    /// cannot be read or that no device has.
    pub fn parse(spec: &str) -> Result<Self, SpecError> {
        let mut spec = Spec::parse(spec)?;
        let faults = SimulatedFaults::parse(&mut spec)?;
        let serial = spec.text("serial")?.map(str::to_owned);
        let link = SharedLink::parse(&mut spec)?;
        let size = spec.value("size", SIZE_MIN..=SIZE_MAX, SIZE_DEFAULT)?;
        let size = Bytes(size.0 - size.0 % PHYSICAL_BLOCK_BYTES);
        let model = parse_model(&mut spec, size)?;
        spec.finish()?;
        Ok(Self {
            size,
            serial,
            faults,
            model,
            refusals: Agenda::new(),
            link,
            on_link: Agenda::new(),
            finished: Vec::new(),
            in_flight: 0,
            counters: DeviceCounters::default(),
            now: Nanos(0),
        })
    }

    /// Chooses what is left to chance. To be called before the first request.
    pub fn seed(&mut self, seed: u64) {
        assert!(
            self.now == Nanos(0) && self.in_flight == 0,
            "too late to seed"
        );
        self.model.seed(seed);
    }

    /// Takes a request at an instant. It is completed by a later
    /// [`advance`](Self::advance), always after `now`.
    pub fn submit(&mut self, now: Nanos, request: SimulatedRequest) {
        self.submit_as(now, request, false);
    }

    /// The same for a write that ends when it is durable. The device knows no FUA: as the
    /// kernel does for such, it flushes behind the write.
    pub fn submit_durable(&mut self, now: Nanos, request: SimulatedRequest) {
        self.submit_as(now, request, true);
    }

    fn submit_as(&mut self, now: Nanos, request: SimulatedRequest, is_durable: bool) {
        self.pass_to(now);
        assert!(
            self.next_event().is_none_or(|event| event >= now),
            "advance to {now:?} before submitting at it"
        );
        let drive_ns = self.faults.drive_ns(now);
        let job = PendingRequest {
            id: request.id,
            operation: request.operation,
            offset: request.offset,
            bytes: request.bytes,
            result: Ok(0),
            is_durable,
        };
        match self.check(now, job) {
            Ok(job) => match self.faults.held_ns(&job) {
                Some(held_ns) => self.refusals.enter(drive_ns + held_ns, job),
                None => self.model.submit(drive_ns, job),
            },
            Err(job) => self.refusals.enter(drive_ns + REFUSAL_NS, job),
        }
        self.in_flight += 1;
    }

    /// The earliest instant at which [`advance`](Self::advance) would do anything;
    /// `None` when the device is at rest.
    pub fn next_event(&self) -> Option<Nanos> {
        Some(self.faults.outside(self.next_ns()?))
    }

    /// The same in the drive's own time.
    fn next_ns(&self) -> Option<u64> {
        let beside_model = earlier(self.refusals.next_ns(), self.on_link.next_ns());
        earlier(beside_model, self.model.next_ns())
    }

    /// Appends what has ended up to and including `now`, in order of time.
    pub fn advance(&mut self, now: Nanos, completed: &mut Vec<Completion>) {
        self.pass_to(now);
        let Some(past_ns) = self.faults.past_ns(now) else {
            return;
        };
        while let Some(at_ns) = self.next_ns()
            && at_ns <= past_ns
        {
            while let Some(job) = self.refusals.take_due(at_ns) {
                completed.push(self.complete(job));
            }
            while let Some(job) = self.on_link.take_due(at_ns) {
                completed.push(self.complete(job));
            }
            let mut finished = std::mem::take(&mut self.finished);
            self.model.advance(at_ns, &mut finished);
            let vanished = self.faults.has_vanished(self.faults.outside(at_ns));
            for mut job in finished.drain(..) {
                if vanished {
                    job.result = Err(Errno::IO.raw_os_error());
                }
                match (job.flush(), &self.link) {
                    (Some(flush), _) => self.model.submit(at_ns, flush),
                    (None, Some(link)) if job.moved_bytes() > 0 && job.result.is_ok() => {
                        let end_ns = link.end_ns(at_ns, job.moved_bytes());
                        self.on_link.enter(end_ns, job);
                    }
                    (None, _) => completed.push(self.complete(job)),
                }
            }
            self.finished = finished;
        }
    }

    /// What the drive has moved, as a kernel counts it: at completion, without
    /// requests that failed. For an array it is the sum over its members.
    pub fn counters(&self) -> DeviceCounters {
        self.model.member_counters().unwrap_or(self.counters)
    }

    /// Where the block at an address is really kept: on a drive that is larger in
    /// name than in fact at another address, or nowhere (`None`).
    pub fn cell_of(&self, offset: u64) -> Option<u64> {
        self.model.cell_of(offset)
    }

    /// Up to where the blocks from an address on are kept one behind the other.
    pub fn cells_until(&self, offset: u64) -> u64 {
        self.model.cells_until(offset)
    }

    /// Whether what is read at an offset is silently not what was written there, and up to where
    /// that is so.
    pub fn rot_at(&self, offset: u64) -> (bool, u64) {
        self.faults.rot_at(offset)
    }

    /// So many bytes that were written last are read from memory, wherever they are
    /// kept.
    pub fn remembered_bytes(&self) -> u64 {
        self.model.remembered_bytes()
    }

    /// How the device and the members that it stands on present themselves, from the top
    /// down.
    pub fn block_devices(&self) -> Vec<BlockDevice> {
        let members = self.model.presentation().members as u64;
        let mut devices = vec![self.block_device()];
        let member = |number| BlockDevice {
            name: format!("sim{number}"),
            number: format!("0:{number}"),
            model: Some("sokudo simulated device of constant latency".to_owned()),
            serial: self
                .serial
                .as_ref()
                .map(|serial| format!("{serial}-{number}")),
            // One of them holds parity.
            size_bytes: Some(Bytes(self.size.0 / members.saturating_sub(1).max(1))),
            ..self.block_device()
        };
        devices.extend((1..=members).map(|number| BlockDevice {
            kind: BlockDeviceKind::Disk,
            is_leaf: true,
            parents: Vec::new(),
            ..member(number)
        }));
        devices
    }

    /// How the device presents itself.
    pub fn block_device(&self) -> BlockDevice {
        let presentation = self.model.presentation();
        let write_cache = match presentation.write_back {
            true => "write back",
            false => "write through",
        };
        BlockDevice {
            name: "sim".to_owned(),
            number: "0:0".to_owned(),
            kind: match presentation.members {
                0 => BlockDeviceKind::Disk,
                _ => BlockDeviceKind::Raid,
            },
            is_leaf: presentation.members == 0,
            parents: (1..=presentation.members)
                .map(|number| format!("sim{number}"))
                .collect(),
            model: Some(presentation.model.to_owned()),
            serial: self.serial.clone(),
            size_bytes: Some(self.size),
            logical_block_bytes: Some(Bytes(SECTOR_BYTES)),
            physical_block_bytes: Some(Bytes(PHYSICAL_BLOCK_BYTES)),
            rotational: Some(presentation.rotation_rpm.is_some()),
            rotation_rpm: presentation.rotation_rpm,
            cache_bytes: presentation.cache,
            scheduler: Some("none".to_owned()),
            write_cache: Some(write_cache.to_owned()),
            max_io_bytes: Some(Bytes(REQUEST_BYTES_MAX)),
            counts_io: Some(true),
            attached_by: self.link.iter().map(SharedLink::attachment).collect(),
            ..BlockDevice::default()
        }
    }

    /// Number of bytes, in whole physical blocks.
    pub fn size(&self) -> Bytes {
        self.size
    }

    fn pass_to(&mut self, now: Nanos) {
        assert!(
            now >= self.now,
            "time goes back from {:?} to {now:?}",
            self.now
        );
        self.now = now;
    }

    fn complete(&mut self, job: PendingRequest) -> Completion {
        self.in_flight -= 1;
        if let Ok(bytes) = job.result {
            let operation = match job.is_durable {
                true => Operation::Write,
                false => job.operation,
            };
            count(&mut self.counters, operation, bytes);
        }
        Completion {
            id: job.id,
            result: job.result,
        }
    }

    /// What reaches the drive, with its result; or, as `Err`, what the kernel
    /// answers by itself. The order of the checks is that of Linux's block devices
    /// (`block/fops.c`).
    fn check(&self, now: Nanos, mut job: PendingRequest) -> Result<PendingRequest, PendingRequest> {
        if self.in_flight >= IN_FLIGHT_MAX {
            return Err(job.ending(Err(Errno::AGAIN.raw_os_error())));
        }
        // A drive that has vanished is a drive of size 0.
        let vanished = self.faults.has_vanished(now);
        let size = if vanished { 0 } else { self.size.0 };
        match job.operation {
            Operation::Read | Operation::Write => self.check_transfer(job, size),
            Operation::Trim => self.check_trim(job, size),
            Operation::Flush if vanished => Err(job.ending(Err(Errno::IO.raw_os_error()))),
            Operation::Flush => {
                (job.offset, job.bytes) = (0, 0);
                Ok(job)
            }
            _ => Err(job.ending(Err(Errno::OPNOTSUPP.raw_os_error()))),
        }
    }

    fn check_transfer(
        &self,
        mut job: PendingRequest,
        size: u64,
    ) -> Result<PendingRequest, PendingRequest> {
        if job.bytes == 0 {
            return Err(job.ending(Ok(0)));
        }
        if job.offset >= size {
            return Err(job.ending(match job.operation {
                Operation::Write => Err(Errno::NOSPC.raw_os_error()),
                _ => Ok(0),
            }));
        }
        job.bytes = job.bytes.min(REQUEST_BYTES_MAX).min(size - job.offset);
        if !(job.offset | job.bytes).is_multiple_of(SECTOR_BYTES) {
            return Err(job.ending(Err(Errno::INVAL.raw_os_error())));
        }
        let result = match self.faults.medium_error(&job) {
            Some(errno) => Err(errno),
            None => Ok(job.bytes),
        };
        Ok(job.ending(result))
    }

    fn check_trim(&self, job: PendingRequest, size: u64) -> Result<PendingRequest, PendingRequest> {
        let inside = job
            .offset
            .checked_add(job.bytes)
            .is_some_and(|end| end <= size);
        let aligned = (job.offset | job.bytes).is_multiple_of(SECTOR_BYTES);
        if job.bytes == 0 || !inside || !aligned {
            return Err(job.ending(Err(Errno::INVAL.raw_os_error())));
        }
        if !self.model.presentation().trims {
            return Err(job.ending(Err(Errno::OPNOTSUPP.raw_os_error())));
        }
        Ok(job.ending(Ok(job.bytes)))
    }
}

/// Lets devices whose links have one name share it, from now on and with nothing on it.
pub(crate) fn share_links<'a>(devices: impl Iterator<Item = &'a mut SimulatedDevice>) {
    link::share(devices.filter_map(|device| device.link.as_mut()));
}

/// The model that a target names.
fn parse_model(spec: &mut Spec, size: Bytes) -> Result<Box<dyn DeviceModel>, SpecError> {
    Ok(match spec.model() {
        "const" => Box::new(Constant::parse(spec, None)?),
        "hdd" => Box::new(HardDisk::parse(spec, size)?),
        "smr" => Box::new(Shingled::parse(spec, size)?),
        "ssd" => Box::new(SolidState::parse(spec, false)?),
        "dramless" => Box::new(SolidState::parse(spec, true)?),
        "raid5" => Box::new(Raid5::parse(spec)?),
        "fake-capacity" => Box::new(Fake::parse(spec, size)?),
        _ => return Err(spec.unknown_model()),
    })
}
