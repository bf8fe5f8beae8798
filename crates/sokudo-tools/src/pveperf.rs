//! pveperf, of Proxmox VE: reads in MiB/s (which it calls MB), the mean seek in milliseconds, and
//! flushes of a file per second.

use sokudo_model::Operation;

use crate::results::named::{NamedFigure, NamedFigures, Quantity, Setting};
use crate::results::wrong_unit::PVEPERF as WRONG;
use crate::results::{Reader, Source};

const PVEPERF: NamedFigures = NamedFigures {
    tool: "pveperf",
    marks: &["FSYNCS/SECOND:"],
    first: Some("CPU BOGOMIPS:"),
    last: &[],
    settings: &[("HD SIZE:", Setting::TargetInBrackets)],
    figures: &[
        NamedFigure::new(
            "BUFFERED READS:",
            0,
            "buffered reads",
            Some(Operation::Read),
            Quantity::Bandwidth(WRONG.scale),
        ),
        NamedFigure::new(
            "AVERAGE SEEK TIME:",
            0,
            "seek",
            Some(Operation::Read),
            Quantity::Latency(1e6),
        ),
        NamedFigure::new(
            "FSYNCS/SECOND:",
            0,
            "fsync",
            Some(Operation::Flush),
            Quantity::Iops,
        ),
    ],
    wrong: Some(("MB/sec", WRONG)),
    remark: None,
};
pub(crate) const READER: Reader = Reader::new(
    PVEPERF.tool,
    |head| PVEPERF.recognise(head),
    Source::Text(|text| PVEPERF.read(text)),
);
