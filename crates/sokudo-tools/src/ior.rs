//! IOR's table of transfers and mdtest's summary of files, which are of one project.
//!
//! ```text
//! access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)
//! write     2030.54    519844     0.030358    1024.00    4.00       0.001463   8.07       1.13
//! ```
//!
//! Bandwidth is in MiB/s; iterations are trials. Of mdtest, in operations per second, the mean of
//! its iterations is read. Tables of IOR before 3.3, without IOPS, are not known.

use sokudo_model::{Operation, Order};

use crate::results::named::{NamedFigure, NamedFigures, PER_RANK, Quantity, Setting};
use crate::results::row::RANDOM;
use crate::results::{Reader, Source};

const MIB: Quantity = Quantity::Bandwidth(1_048_576.0);

const IOR: NamedFigures = NamedFigures {
    tool: "IOR",
    marks: &["access    bw(MiB/s)  IOPS"],
    first: Some("access    bw(MiB/s)"),
    last: &["Summary of all tests"],
    settings: &[
        ("test filename", Setting::Target),
        ("tasks", Setting::Threads),
        ("xfersize", Setting::Block),
        (
            "ordering in a file  : sequential",
            Setting::Order(Order::SEQUENTIAL),
        ),
        ("ordering in a file  : random", Setting::Order(RANDOM)),
    ],
    figures: &[
        NamedFigure::new("write ", 0, "write", Some(Operation::Write), MIB),
        NamedFigure::new("write ", 1, "write", Some(Operation::Write), Quantity::Iops),
        NamedFigure::new("read ", 0, "read", Some(Operation::Read), MIB),
        NamedFigure::new("read ", 1, "read", Some(Operation::Read), Quantity::Iops),
    ],
    wrong: None,
    remark: Some(
        "IOR's Latency(s) is not read: it is not that of a transfer, as its IOPS and tasks show",
    ),
};
pub(crate) const READER: Reader = Reader::new(
    IOR.tool,
    |head| IOR.recognise(head),
    Source::Text(|text| IOR.read(text)),
);

const MDTEST: NamedFigures = NamedFigures {
    tool: "mdtest",
    marks: &["SUMMARY rate"],
    first: Some("SUMMARY rate"),
    last: &["-- finished at", "SUMMARY time", PER_RANK],
    settings: &[("Path", Setting::Target)],
    figures: &[
        NamedFigure::new(
            "File creation",
            2,
            "File creation",
            Some(Operation::Create),
            Quantity::Iops,
        ),
        NamedFigure::new(
            "File stat",
            2,
            "File stat",
            Some(Operation::Stat),
            Quantity::Iops,
        ),
        NamedFigure::new("File read", 2, "File read", None, Quantity::Iops),
        NamedFigure::new(
            "File removal",
            2,
            "File removal",
            Some(Operation::Delete),
            Quantity::Iops,
        ),
        NamedFigure::new(
            "Directory creation",
            2,
            "Directory creation",
            Some(Operation::Create),
            Quantity::Iops,
        ),
        NamedFigure::new(
            "Directory stat",
            2,
            "Directory stat",
            Some(Operation::Stat),
            Quantity::Iops,
        ),
        NamedFigure::new(
            "Directory removal",
            2,
            "Directory removal",
            Some(Operation::Delete),
            Quantity::Iops,
        ),
        NamedFigure::new(
            "Tree creation",
            2,
            "Tree creation",
            Some(Operation::Create),
            Quantity::Iops,
        ),
        NamedFigure::new(
            "Tree removal",
            2,
            "Tree removal",
            Some(Operation::Delete),
            Quantity::Iops,
        ),
    ],
    wrong: None,
    remark: Some("the rates are mdtest's means of its iterations"),
};
pub(crate) const MDTEST_READER: Reader = Reader::new(
    MDTEST.tool,
    |head| MDTEST.recognise(head),
    Source::Text(|text| MDTEST.read(text)),
);

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: &str = "SUMMARY rate: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   File stat                 :      47499.280      46180.116      46829.212        536.436
";

    #[test]
    fn times_and_figures_of_single_ranks_are_no_rates_of_all() {
        let rates = |text: &str| {
            let import = MDTEST.read(text).unwrap();
            let rows = import.runs.into_iter().flat_map(|run| run.rows);
            let rates = rows.map(|row| row.reported.iops.unwrap().value);
            (rates.collect::<Vec<_>>(), import.left_out.len())
        };
        let before = "   File stat : 2.1 sec, 12345.6 ops/sec\n";
        let time = RATE.replace("rate", "time");
        assert_eq!(rates(&format!("{before}{RATE}{time}")).0, [46829.212]);
        let heads = RATE.replace("   Operation  ", "   Operation  per Rank: Max Min Mean");
        assert_eq!(rates(&format!("{RATE}{heads}")), (vec![46829.212], 1));
    }
}
