//! What a matrix varies, as it is written on a command line or in a file, and the cells that
//! follow from it.
//!
//! It knows which combinations make sense. What disks there are, and which programs, it does not.

mod combination;
mod file;
mod value;

use sokudo_model::{MatrixAxis, MatrixCell, MatrixPlan};

use combination::cell;
pub use file::{FILE_BYTES_MAX, MatrixFile};
pub use value::{AxisValue, values};

/// A file of a matrix, as `--example` prints it.
pub const EXAMPLE: &str = include_str!("matrix/example.toml");

/// A table with more cells takes days, and nobody reads it.
pub const CELLS_MAX: usize = 1_000;

/// A name of an axis or a value stands in tags and at the head of columns.
const NAME_CHARACTERS_MAX: usize = 40;

/// What an axis is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisKind {
    Raid,
    FileSystem,
    Mount,
    Scheduler,
    WriteCache,
    Ageing,
    /// Its values have nothing but options.
    Own(String),
}

impl AxisKind {
    /// Those that the command line knows, with the words of their options.
    pub const KNOWN: [(Self, &'static str); 6] = [
        (Self::Raid, "raid"),
        (Self::FileSystem, "fs"),
        (Self::Mount, "mount"),
        (Self::Scheduler, "scheduler"),
        (Self::WriteCache, "write-cache"),
        (Self::Ageing, "ageing"),
    ];

    /// The axis of this name.
    pub fn named(name: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|(_, word)| *word == name);
        known.map_or_else(|| Self::Own(name.to_owned()), |(kind, _)| kind)
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Own(name) => name,
            known => {
                let mut words = Self::KNOWN.iter();
                let word = words.find(|(kind, _)| kind == known);
                word.expect("every kind but one's own has a word").1
            }
        }
    }
}

/// An axis as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    pub kind: AxisKind,
    pub values: Vec<AxisValue>,
}

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

/// It cannot be a matrix.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum MatrixError {
    #[error(
        "--raid {word}: write a level, with the number of disks if not all: none, 0, 1, 5, 6, 10, 0@2, md:0 for mdadm below any file system"
    )]
    Raid { word: String },
    #[error("--fs {word}: use {known}")]
    FileSystem { word: String, known: String },
    #[error("--write-cache {word}: use on or off")]
    WriteCache { word: String },
    #[error("--ageing {word}: write fresh, or how full the file system is made, such as 60%")]
    Ageing { word: String },
    #[error(
        "--scheduler {word:?} is no name of a scheduler; write one of /sys/block/DISK/queue/scheduler, such as none"
    )]
    Scheduler { word: String },
    #[error(
        "the mount option {word:?} cannot be given: it contains a space or belongs to the matrix itself; leave it out"
    )]
    MountOption { word: String },
    #[error(
        "the value {text:?} of {axis}: {word:?} is none of name=, mkfs=, mount=, mdadm=, zpool=, method="
    )]
    UnknownOption {
        axis: String,
        text: String,
        word: String,
    },
    #[error("{axis} has the value {name:?} twice; give one of them another name with name=")]
    Twice { axis: String, name: String },
    #[error("{axis} has no values; name at least one")]
    Empty { axis: String },
    #[error(
        "{name:?} cannot be a name of a value: it needs 1 to {NAME_CHARACTERS_MAX} printable characters; give another with name="
    )]
    Name { name: String },
    #[error(
        "{name:?} cannot be an axis: use letters, digits, - and _, and no name that a matrix tags itself (matrix, block, label)"
    )]
    AxisName { name: String },
    #[error(
        "the axes make {count} cells, and at most {CELLS_MAX} are possible; leave some values out"
    )]
    TooMany { count: usize },
    #[error(
        "{what} cannot be read as a matrix: {why}; sokudo matrix --example prints one that can"
    )]
    File { what: String, why: String },
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
        let count = self
            .axes
            .iter()
            .try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()));
        let count = count.unwrap_or(usize::MAX);
        if count > CELLS_MAX {
            return Err(MatrixError::TooMany { count });
        }
        let cells: Result<Vec<MatrixCell>, MatrixError> = (0..count)
            .map(|index| cell(self, self.values_at(index)))
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
    for (place, value) in axis.values.iter().enumerate() {
        let length = value.name.chars().count();
        if !(1..=NAME_CHARACTERS_MAX).contains(&length) || value.name.chars().any(char::is_control)
        {
            return Err(MatrixError::Name {
                name: value.name.clone(),
            });
        }
        if axis.values[..place].iter().any(|it| it.name == value.name) {
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
