//! A matrix in a file: the same as on the command line, and axes of one's own.

use serde::Deserialize;
use toml::{Table, Value};

use crate::matrix::plan::axis::{AxisKind, MatrixError};
use crate::matrix::plan::value::{Axis, AxisValue};

/// A longer file is none of a matrix.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// What a file says; what it does not say is for the command line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MatrixFile {
    /// Serial numbers or paths.
    pub disks: Vec<String>,
    /// Number and size of loop devices, such as `4x8GiB`.
    pub r#loop: Option<String>,
    /// The folder of the files of loop devices.
    pub r#in: Option<String>,
    pub method: Option<String>,
    pub blocks: Option<u32>,
    pub precision: Option<String>,
    pub max_time: Option<String>,
    pub seed: Option<u64>,
    pub initial_sync: bool,
    axes: Table,
}

impl MatrixFile {
    /// Reads the text of a file, which `what` names.
    ///
    /// # Errors
    /// When it is none of a matrix.
    pub fn read(what: &str, text: &str) -> Result<Self, MatrixError> {
        toml::from_str(text).map_err(|error| MatrixError::File {
            what: what.to_owned(),
            why: error
                .to_string()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        })
    }

    /// Its axes: those that the command line knows in its order, then its own.
    ///
    /// # Errors
    /// When a value cannot be read.
    pub fn axes(&self, what: &str) -> Result<Vec<Axis>, MatrixError> {
        let refused = |axis: &str, why: &str| MatrixError::File {
            what: what.to_owned(),
            why: format!("{axis}: {why}"),
        };
        let mut axes = Vec::new();
        for (name, values) in &self.axes {
            let Value::Array(values) = values else {
                return Err(refused(name, "its values must stand in [ ]"));
            };
            let values: Result<Vec<AxisValue>, &str> = values.iter().map(value).collect();
            axes.push(Axis {
                kind: AxisKind::named(name),
                values: values.map_err(|why| refused(name, why))?,
            });
        }
        let order = |axis: &Axis| {
            let mut known = AxisKind::KNOWN.iter();
            let known = known.position(|(kind, _)| *kind == axis.kind);
            known.unwrap_or(AxisKind::KNOWN.len())
        };
        axes.sort_by_key(order);
        Ok(axes)
    }
}

fn value(value: &Value) -> Result<AxisValue, &'static str> {
    let table = match value {
        Value::String(word) => return Ok(AxisValue::of_word(word)),
        Value::Integer(number) => return Ok(AxisValue::of_word(&number.to_string())),
        Value::Table(table) => table,
        _ => return Err("a value must be a string or a table"),
    };
    let mut read = AxisValue::default();
    let mut name = None;
    for (key, entry) in table {
        let argument = entry
            .as_str()
            .ok_or("the options of a value must be strings")?;
        match key.as_str() {
            "name" => name = Some(argument),
            "value" => argument.clone_into(&mut read.word),
            key if read.take(key, argument) => {}
            _ => {
                return Err(
                    "a value takes only the keys name, value, mkfs, mount, mdadm, zpool and method",
                );
            }
        }
    }
    name.unwrap_or(&read.word.clone())
        .clone_into(&mut read.name);
    Ok(read)
}
