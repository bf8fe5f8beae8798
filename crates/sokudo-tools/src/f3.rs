//! F3 (f3write, f3read): the mean speed of filling a file system and reading it back, in units of
//! powers of 1024 (which it calls MB), and the sectors of 512 bytes that were kept and lost.

use sokudo_model::Operation;

use crate::results::named::{NamedFigure, NamedFigures, Quantity};
use crate::results::wrong_unit;
use crate::results::{Reader, Source};

const F3: NamedFigures = NamedFigures {
    tool: "F3",
    marks: &[
        "Average writing speed:",
        "Average reading speed:",
        "Data LOST:",
    ],
    first: None,
    last: &[],
    settings: &[],
    figures: &[
        NamedFigure::new(
            "Average writing speed:",
            0,
            "write",
            Some(Operation::Write),
            Quantity::BinaryUnit,
        ),
        NamedFigure::new(
            "Average Writing speed:",
            0,
            "write",
            Some(Operation::Write),
            Quantity::BinaryUnit,
        ),
        NamedFigure::new(
            "Data OK:",
            2,
            "read",
            Some(Operation::Read),
            Quantity::Other("kept", "sectors"),
        ),
        NamedFigure::new(
            "Data LOST:",
            2,
            "read",
            Some(Operation::Read),
            Quantity::Other("lost", "sectors"),
        ),
        NamedFigure::new(
            "Average reading speed:",
            0,
            "read",
            Some(Operation::Read),
            Quantity::BinaryUnit,
        ),
        NamedFigure::new(
            "Average Reading speed:",
            0,
            "read",
            Some(Operation::Read),
            Quantity::BinaryUnit,
        ),
    ],
    wrong: Some(("MB/s", wrong_unit::F3)),
    remark: None,
};
pub(crate) const READER: Reader = Reader::new(
    F3.tool,
    |head| F3.recognise(head),
    Source::Text(|text| F3.read(text)),
);
