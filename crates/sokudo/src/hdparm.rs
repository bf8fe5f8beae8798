//! `sokudo hdparm`: the two timings of hdparm, in its words.
//!
//! What hdparm does is in `sokudo_dialect::hdparm`; this empties the page cache before
//! it, as hdparm does, and prints.

use std::path::Path;

use anyhow::anyhow;
use sokudo_dialect::hdparm;
use sokudo_engine::{Control, FileTarget, StageOptions, Target, run_stage};
use sokudo_model::{Bytes, DirectMode, Outcome, Stage, StopReason, Workload};

use crate::cli::HdparmArguments;
use crate::exit::Exit;
use crate::subject::{from_stage, from_target};
use crate::{interrupt, output};

/// Times every device, cached reads first, as hdparm does.
pub(crate) fn run(arguments: &HdparmArguments) -> Result<(), Exit> {
    if !arguments.device_reads && !arguments.cached_reads {
        return Err(Exit::usage(anyhow!(
            "nothing is to be timed; use -t for device reads, -T for cached reads"
        )));
    }
    let control = Control::new();
    interrupt::watch(&control)?;
    for device in &arguments.devices {
        output::print(&format!("\n{}:\n", device.display()))?;
        let timing = Timing {
            device,
            direct: arguments.direct,
            offset: Bytes(arguments.offset_gib.saturating_mul(Bytes::GIB)),
            control: &control,
        };
        if arguments.cached_reads {
            timing.cached_reads()?;
        }
        if arguments.device_reads {
            timing.device_reads()?;
        }
    }
    Ok(())
}

struct Timing<'a> {
    device: &'a Path,
    direct: bool,
    offset: Bytes,
    control: &'a Control,
}

impl Timing<'_> {
    fn cached_reads(&self) -> Result<(), Exit> {
        let kind = if self.direct { "O_DIRECT " } else { "" };
        let outcome = self.measure(hdparm::cached_reads(self.direct_mode()))?;
        output::print(&format!(
            " Timing {kind}cached reads:   {}\n",
            figures(&outcome)
        ))
    }

    fn device_reads(&self) -> Result<(), Exit> {
        let kind = if self.direct { "O_DIRECT" } else { "buffered" };
        let offset = match self.offset.0 / Bytes::GIB {
            0 => String::new(),
            gib => format!(" (offset {gib} GB)"),
        };
        let size = self.open()?.size();
        let workload = hdparm::device_reads(self.direct_mode(), self.offset, size);
        let workload = workload.ok_or_else(|| {
            Exit::usage(anyhow!(
                "{} has less than 2 MiB there to read; name a larger device or a smaller --offset",
                self.device.display()
            ))
        })?;
        let outcome = self.measure(workload)?;
        output::print(&format!(
            " Timing {kind} disk reads{offset}: {}\n",
            figures(&outcome)
        ))
    }

    fn direct_mode(&self) -> DirectMode {
        if self.direct {
            DirectMode::On
        } else {
            DirectMode::Off
        }
    }

    fn open(&self) -> Result<FileTarget, Exit> {
        FileTarget::read_only(self.device).map_err(from_target)
    }

    fn measure(&self, workload: Workload) -> Result<Outcome, Exit> {
        let target = self.open()?;
        sokudo_device::drop_cached_device(target.handle()).map_err(|error| {
            Exit::Failed(anyhow!(
                "the page cache of {} cannot be emptied: {error}; name a block device",
                self.device.display()
            ))
        })?;
        let stage = Stage {
            workloads: vec![workload],
        };
        let outcomes = run_stage(
            &stage,
            StageOptions::default(),
            &mut [Target::File(target)],
            self.control,
            &mut |_| {},
        )
        .map_err(from_stage)?;
        let outcome = outcomes.into_iter().next();
        let outcome = outcome.ok_or_else(|| Exit::Failed(anyhow!("nothing was measured")))?;
        if outcome.stopped == StopReason::Cancelled {
            return Err(Exit::Interrupted);
        }
        if let Some(failure) = outcome.failures.first() {
            return Err(Exit::Failed(anyhow!(
                "reading {} failed at byte {}: {:?}; see the kernel's log (dmesg)",
                self.device.display(),
                failure.offset.0,
                failure.kind
            )));
        }
        Ok(outcome)
    }
}

/// `222 MB in  3.01 seconds =  73.79 MB/sec`, as hdparm prints it.
#[expect(clippy::cast_precision_loss, reason = "a rate is a float")]
fn figures(outcome: &Outcome) -> String {
    let mebibytes = outcome.bytes_moved().0 / Bytes::MIB;
    let seconds = outcome.elapsed.as_secs_f64();
    let rate = mebibytes as f64 / seconds.max(f64::MIN_POSITIVE);
    let (rate, unit) = if rate > 1.0 {
        (rate, "MB")
    } else {
        (rate * 1024.0, "kB")
    };
    format!("{mebibytes:3} MB in {seconds:5.2} seconds = {rate:6.2} {unit}/sec")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, BackendUse, Nanos, Operation, OperationTally};

    fn outcome(mebibytes: u64, elapsed: Nanos) -> Outcome {
        let backend = BackendUse {
            kind: BackendKind::Psync,
            features: Vec::new(),
            notes: Vec::new(),
        };
        let mut outcome = Outcome::new(backend, StopReason::Time);
        outcome.elapsed = elapsed;
        outcome.operations.push(OperationTally {
            bytes: Bytes::mib(mebibytes),
            ..OperationTally::new(Operation::Read)
        });
        outcome
    }

    #[test]
    fn figures_are_spaced_as_hdparm_spaces_them() {
        assert_eq!(
            figures(&outcome(222, Nanos::from_millis(3_009))),
            "222 MB in  3.01 seconds =  73.78 MB/sec"
        );
        assert_eq!(
            figures(&outcome(36_792, Nanos::from_millis(1_990))),
            "36792 MB in  1.99 seconds = 18488.44 MB/sec"
        );
        assert_eq!(
            figures(&outcome(2, Nanos::from_secs(4))),
            "  2 MB in  4.00 seconds = 512.00 kB/sec"
        );
    }
}
