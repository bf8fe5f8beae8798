//! What a matrix varies, as it is written on a command line or in a file, and the cells that
//! follow from it.
//!
//! It knows which combinations make sense. What disks there are, and which programs, it does not.

mod axis;
mod combination;
mod file;
mod value;

use sokudo_model::{MatrixAxis, MatrixCell, MatrixPlan};

use axis::NAME_CHARACTERS_MAX;

pub use axis::{AxisKind, CELLS_MAX, MatrixError};
use combination::Combining;
pub use file::{FILE_BYTES_MAX, MatrixFile};
pub use value::{Axis, AxisValue, values};

/// A file of a matrix, as `--example` prints it.
pub const EXAMPLE: &str = include_str!("plan/example.toml");

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRequest {
    pub axes: Vec<Axis>,
    /// The command that measures, without its target.
    pub method: String,
    /// How many disks there are.
    pub disks: usize,
    pub seed: u64,
    /// Wait for new arrays to be synchronised.
    pub initial_sync: bool,
}

impl MatrixRequest {
    /// All combinations, those that make no sense without a volume.
    ///
    /// # Errors
    /// When a value cannot be understood.
    pub fn plan(&self) -> Result<MatrixPlan, MatrixError> {
        for axis in &self.axes {
            check(axis)?;
        }
        let counts = self.axes.iter().map(|axis| axis.values.len());
        let count = counts.fold(1, usize::saturating_mul);
        if count > CELLS_MAX {
            return Err(MatrixError::TooMany { count });
        }
        let combining = Combining {
            axes: &self.axes,
            disks: self.disks,
            seed: self.seed,
            initial_sync: self.initial_sync,
        };
        let cells: Result<Vec<MatrixCell>, MatrixError> = (0..count)
            .map(|index| combining.cell(self.values_at(index)))
            .collect();
        let axes = self.axes.iter().map(|axis| MatrixAxis {
            name: axis.kind.name().to_owned(),
            values: axis.values.iter().map(|it| it.name.clone()).collect(),
        });
        Ok(MatrixPlan {
            axes: axes.collect(),
            method: self.method.clone(),
            seed: self.seed,
            cells: cells?,
        })
    }

    /// The last axis changes fastest.
    fn values_at(&self, mut index: usize) -> Vec<usize> {
        let mut values = vec![0; self.axes.len()];
        for (value, axis) in values.iter_mut().zip(&self.axes).rev() {
            *value = index % axis.values.len();
            index /= axis.values.len();
        }
        values
    }
}

fn check(axis: &Axis) -> Result<(), MatrixError> {
    let name = axis.kind.name();
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
    let is_ours = ["matrix", "block", "label"].contains(&name);
    let length = name.chars().count();
    if is_ours || !name.chars().all(is_sign) || !(1..=NAME_CHARACTERS_MAX).contains(&length) {
        return Err(MatrixError::AxisName {
            name: name.to_owned(),
        });
    }
    if axis.values.is_empty() {
        return Err(MatrixError::Empty {
            axis: name.to_owned(),
        });
    }
    for (index, value) in axis.values.iter().enumerate() {
        let length = value.name.chars().count();
        if !(1..=NAME_CHARACTERS_MAX).contains(&length) || value.name.chars().any(char::is_control)
        {
            return Err(MatrixError::Name {
                name: value.name.clone(),
            });
        }
        if axis.values[..index].iter().any(|it| it.name == value.name) {
            return Err(MatrixError::Twice {
                axis: name.to_owned(),
                name: value.name.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
