//! What a matrix has come to, as far as it was measured.

use sokudo_report::{CellFailure, MatrixDocument, MatrixRun, matrix as written, plot};
use sokudo_words::text;

use super::campaign::Measured;
use super::request::{DiskSource, Matrix};
use crate::cli::{Format, MatrixArguments};
use crate::exit::Exit;
use crate::{language, output, picture};
