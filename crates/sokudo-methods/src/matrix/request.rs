//! What a matrix is to be: of arguments, a file, or the runs of one that was stopped.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::FromArgMatches;
use sokudo_measure::random_u32;
use sokudo_model::{MatrixPlan, Nanos, VolumePlan};
use sokudo_terminal::arguments::mistake::mistake;
use sokudo_terminal::arguments::percent::percent;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{command_line, definition};
use sokudo_words::text;

use crate::matrix::arguments::{LoopDisks, MatrixArguments, loop_disks};
use crate::matrix::plan::{Axis, AxisKind, FILE_BYTES_MAX, MatrixFile, MatrixRequest, values};

/// What a cell is measured by unasked.
const METHOD: &str = "mark";

/// Every cell so often, unless told otherwise: the fewest blocks that tell chance from effect.
pub(super) const BLOCKS: u32 = 3;

/// Where the disks come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DiskSource {
    /// Serial numbers or paths.
    Named(Vec<String>),
    /// Files in a folder.
    Files { disks: LoopDisks, folder: PathBuf },
}

/// A matrix that can begin or go on.
pub(super) struct Matrix {
    /// Its runs are tagged with it.
    pub id: String,
    pub plan: MatrixPlan,
    pub source: DiskSource,
    pub blocks: u32,
    /// The distance from a figure to the farther end of its interval, as a share.
    pub precision: Option<f64>,
    pub time_max: Option<Nanos>,
    /// The command line that repeats it.
    pub command: String,
}

impl Matrix {
    /// A new campaign, with a random id and seed.
    pub(super) fn new(arguments: &MatrixArguments) -> Result<Self, Exit> {
        let seed = u64::from(random_u32());
        let id = format!("{:08x}", random_u32());
        Self::read(arguments, id, seed, command_line::as_given())
    }

    /// The one that this command line began.
    pub(super) fn repeated(id: &str, command: &str) -> Result<Self, Exit> {
        let unread = |reason| Exit::usage(text!("matrix {id} cannot be resumed: {reason}"));
        let words = command_line::words(command).unwrap_or_default();
        let words = command_line::without_program(words);
        let given = definition::read_later(&words).map_err(unread)?;
        let Some(("matrix", given)) = given.subcommand() else {
            return Err(unread(text!(
                "its runs come from another command ({command})"
            )));
        };
        let arguments =
            MatrixArguments::from_arg_matches(given).map_err(|it| unread(mistake(&it)))?;
        Self::read(&arguments, id.to_owned(), 0, command.to_owned())
    }

    fn read(
        arguments: &MatrixArguments,
        id: String,
        random_seed: u64,
        command: String,
    ) -> Result<Self, Exit> {
        let file = arguments.file.as_deref().map(read).transpose()?;
        let (name, file) = file.unwrap_or_default();
        let source = source(arguments, &file)?;
        let seed = arguments.seed.or(file.seed);
        let request = MatrixRequest {
            axes: axes(arguments, &name, &file)?,
            method: method(arguments, &file)?,
            disks: match &source {
                DiskSource::Named(disks) => disks.len(),
                DiskSource::Files { disks, .. } => disks.count,
            },
            seed: seed.unwrap_or(random_seed),
            initial_sync: arguments.initial_sync || file.initial_sync,
        };
        let plan = request.plan().map_err(Exit::usage)?;
        if plan.cells.iter().all(|cell| cell.volume.is_none()) {
            let mut notes = plan.cells.iter().flat_map(|cell| cell.notes.first());
            let why = notes.next().cloned().unwrap_or_default();
            return Err(Exit::usage(text!(
                "no combination of these values is possible: {why}; name other values, or more disks with --disk"
            )));
        }
        Ok(Self {
            id,
            command: match seed {
                Some(_) => command,
                None => format!("{command} --seed {}", plan.seed),
            },
            plan,
            source,
            blocks: arguments
                .blocks
                .or(file.blocks)
                .unwrap_or(BLOCKS)
                .max(BLOCKS),
            precision: match arguments.precision {
                Some(precision) => Some(precision.0),
                None => FileValue::new(&file.precision, &name, "precision")
                    .parsed(|text| percent(text).ok().map(|it| it.0))?,
            },
            time_max: match arguments.max_time {
                Some(time) => Some(time),
                None => FileValue::new(&file.max_time, &name, "max-time")
                    .parsed(|text| text.parse().ok())?,
            },
        })
    }

    /// What a cell is called.
    pub(super) fn cell_name(&self, cell: usize) -> String {
        let values = &self.plan.cells[cell].values;
        let named = self.plan.axes.iter().zip(values);
        let named: Vec<String> = named
            .map(|(axis, value)| format!("{} {}", axis.name, axis.values[*value]))
            .collect();
        named.join(" · ")
    }

    /// What is made of the disks for a cell that makes sense.
    pub(super) fn volume(&self, cell: usize) -> &VolumePlan {
        let volume = self.plan.cells[cell].volume.as_ref();
        volume.expect("cells that make no sense are left out")
    }

    /// The cells that make sense.
    pub(super) fn cells(&self) -> impl Iterator<Item = usize> {
        let cells = self.plan.cells.iter().enumerate();
        cells
            .filter(|(_, cell)| cell.volume.is_some())
            .map(|(index, _)| index)
    }
}

/// A value that a file gives as a text.
struct FileValue<'a> {
    text: Option<&'a str>,
    file: &'a str,
    option: &'static str,
}

impl<'a> FileValue<'a> {
    fn new(text: &'a Option<String>, file: &'a str, option: &'static str) -> Self {
        Self {
            text: text.as_deref(),
            file,
            option,
        }
    }

    fn parsed<T>(&self, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Exit> {
        let Some(text) = self.text else {
            return Ok(None);
        };
        let parsed = parse(text).ok_or_else(|| {
            Exit::usage(text!(
                "{}: {} = {text:?} cannot be read; write it as --{} takes it (sokudo matrix --help)",
                self.file,
                self.option,
                self.option
            ))
        });
        parsed.map(Some)
    }
}

/// Reads a file of a matrix; its name comes first.
fn read(path: &Path) -> Result<(String, MatrixFile), Exit> {
    let name = path.display().to_string();
    let refused = |error: std::io::Error| {
        Exit::usage(text!(
            "{name} cannot be read: {error}; sokudo matrix --example prints a file that can"
        ))
    };
    let file = File::open(path).map_err(refused)?;
    let mut text = String::new();
    file.take(FILE_BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(refused)?;
    let file = MatrixFile::read(&name, &text).map_err(Exit::usage)?;
    Ok((name, file))
}

fn source(arguments: &MatrixArguments, file: &MatrixFile) -> Result<DiskSource, Exit> {
    if !arguments.disk.is_empty() {
        return Ok(DiskSource::Named(arguments.disk.clone()));
    }
    let of_file = file.r#loop.as_deref().map(loop_disks).transpose();
    let of_file = of_file.map_err(Exit::usage)?;
    let folder = arguments
        .r#in
        .clone()
        .or(file.r#in.clone().map(PathBuf::from));
    match (arguments.r#loop.or(of_file), folder) {
        (Some(disks), Some(folder)) => Ok(DiskSource::Files { disks, folder }),
        (Some(_), None) => Err(Exit::usage(text!(
            "--loop makes files of many GB, and no folder is named; add --in DIR, such as --in /var/tmp"
        ))),
        (None, Some(_)) => Err(Exit::usage(text!(
            "--in is the folder of --loop, which is not given; add --loop, such as --loop 3x2GiB"
        ))),
        (None, None) if !file.disks.is_empty() => Ok(DiskSource::Named(file.disks.clone())),
        (None, None) => Err(Exit::usage(text!(
            "no disks are named; add --disk SERIAL for each (sokudo info lists them), or try it on files with --loop 2x2GiB --in /var/tmp"
        ))),
    }
}

/// Those of the command line in the place of the file's; RAID and file system in any case.
fn axes(arguments: &MatrixArguments, name: &str, file: &MatrixFile) -> Result<Vec<Axis>, Exit> {
    let mut of_file = file.axes(name).map_err(Exit::usage)?;
    let given = [
        &arguments.raid,
        &arguments.fs,
        &arguments.mount,
        &arguments.scheduler,
        &arguments.write_cache,
        &arguments.ageing,
    ];
    let defaults = ["none", "ext4"];
    let mut axes = Vec::new();
    for (index, ((kind, _), texts)) in AxisKind::KNOWN.into_iter().zip(given).enumerate() {
        let found = of_file.iter().position(|axis| axis.kind == kind);
        let of_file = found.map(|found| of_file.remove(found));
        let texts = match (texts.is_empty(), &of_file, defaults.get(index)) {
            (true, None, Some(word)) => vec![(*word).to_owned()],
            _ => texts.clone(),
        };
        if !texts.is_empty() {
            let values = values(&kind, &texts, command_line::words).map_err(Exit::usage)?;
            axes.push(Axis { kind, values });
        } else if let Some(axis) = of_file {
            axes.push(axis);
        }
    }
    axes.extend(of_file);
    Ok(axes)
}

fn method(arguments: &MatrixArguments, file: &MatrixFile) -> Result<String, Exit> {
    let method = arguments.method.as_ref().or(file.method.as_ref());
    let method = method.map_or(METHOD, String::as_str);
    let words = command_line::words(method);
    let words = words
        .ok_or_else(|| Exit::usage(text!("--method {method:?} has a quote that is not closed")))?;
    let words = command_line::without_program(words);
    let quoted: Vec<String> = words.iter().map(|it| command_line::quoted(it)).collect();
    Ok(quoted.join(" "))
}
