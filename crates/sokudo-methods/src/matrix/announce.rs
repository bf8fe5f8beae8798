//! What a matrix will do, before it does anything: disks, cells, every command, time, bytes.

use std::path::Path;

use sokudo_model::{Bytes, Nanos, RaidLevel, RaidPlan};
use sokudo_terminal::event_stream::Estimate;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::output;
use sokudo_volume::{Step, check_options, missing, steps};
use sokudo_words::{Text, text};

use crate::consent;
use crate::matrix::cell;
use crate::matrix::disks::PlannedDisk;
use crate::matrix::request::{DiskSource, Matrix};

/// What a volume takes besides its measurement: discards, file systems, mounts.
const VOLUME_SECONDS: f64 = 5.0;

/// A directory that is there before any volume is, to read the method with.
const ANY_DIRECTORY: &str = "/";

/// A matrix of which every command is known.
pub(super) struct PlannedMatrix<'a> {
    matrix: &'a Matrix,
    disks: &'a [PlannedDisk],
    /// Those that make sense.
    cells: Vec<PlannedCell>,
}

/// What one cell comes to.
struct PlannedCell {
    cell: usize,
    steps: Vec<Step>,
    /// `None` where the method decides while it measures.
    estimate: Option<Estimate>,
}

impl<'a> PlannedMatrix<'a> {
    /// Refuses a method that cannot be measured, before anything is done.
    pub(super) fn new(matrix: &'a Matrix, disks: &'a [PlannedDisk]) -> Result<Self, Exit> {
        let paths: Vec<&Path> = disks.iter().map(|disk| disk.path.as_path()).collect();
        let names = cell::volume_names(&matrix.id, 1)?;
        let cell = |cell: usize| {
            let volume = matrix.volume(cell);
            check_options(volume).map_err(Exit::usage)?;
            let estimate = cell::method(matrix, cell, Path::new(ANY_DIRECTORY))?.estimate()?;
            let file = estimate.as_ref().and_then(|it| it.lays_out);
            check_room(file, volume.raid, &disks[..volume.raid.disks])?;
            Ok(PlannedCell {
                cell,
                steps: steps(volume, &paths[..volume.raid.disks], &names),
                estimate,
            })
        };
        let cells: Result<Vec<PlannedCell>, Exit> = matrix.cells().map(cell).collect();
        Ok(Self {
            matrix,
            disks,
            cells: cells?,
        })
    }

    pub(super) fn print(&self) -> Result<(), Exit> {
        output::say(&self.headline())?;
        for text in self.of_disks() {
            output::say(&text)?;
        }
        for cell in &self.cells {
            self.print_cell(cell)?;
        }
        output::say(&Text::default())?;
        for text in self.left_out().chain(self.missing()) {
            output::say(&text)?;
        }
        Ok(())
    }

    fn print_cell(&self, cell: &PlannedCell) -> Result<(), Exit> {
        output::say(&Text::default())?;
        let name = self.matrix.cell_name(cell.cell);
        output::print(&format!("{}. {name}\n", cell.cell + 1))?;
        for note in &self.matrix.plan.cells[cell.cell].notes {
            output::say(&text!("   note: {note}"))?;
        }
        let names = cell::volume_names(&self.matrix.id, 1)?;
        let done = cell.steps.iter().map(|step| step.action.to_string());
        let measured = cell::command(self.matrix, cell.cell, &names.mount_point);
        let undone = cell.steps.iter().rev();
        let undone = undone.flat_map(|step| step.undo.iter().rev().map(ToString::to_string));
        for line in done.chain([measured]).chain(undone) {
            output::print(&format!("     {line}\n"))?;
        }
        Ok(())
    }

    fn headline(&self) -> Text {
        let cells: Text = match self.cells.len() {
            1 => "1 cell".into(),
            count => text!("{count} cells"),
        };
        let blocks = self.matrix.blocks;
        let Matrix { id, plan, .. } = self.matrix;
        let (method, seed) = (&plan.method, plan.seed);
        match self.seconds() {
            Some(seconds) => text!(
                "Matrix {id}: {cells}, each measured in {blocks} blocks by sokudo {method}; about {:.0} min; seed {seed}",
                (seconds / 60.0).max(1.0)
            ),
            None => text!(
                "Matrix {id}: {cells}, each measured in {blocks} blocks by sokudo {method}, whose time is not known in advance; seed {seed}"
            ),
        }
    }

    /// How long it takes; `None` where the method decides that while it measures.
    pub(super) fn seconds(&self) -> Option<f64> {
        let seconds = self.cells.iter();
        let seconds =
            seconds.map(|cell| Some(cell.estimate.as_ref()?.time.as_secs_f64() + VOLUME_SECONDS));
        let block: Option<f64> = seconds.sum();
        Some(block? * f64::from(self.matrix.blocks))
    }

    /// What is told where much is written to all disks, or for long.
    pub(super) fn much(&self) -> Option<Text> {
        let paths = self
            .disks
            .iter()
            .map(|disk| disk.path.display().to_string());
        let target = paths.collect::<Vec<_>>().join(", ");
        consent::much(&target, &self.in_all()?)
    }

    /// What all of it comes to, where that is known.
    pub(super) fn in_all(&self) -> Option<Estimate> {
        let (bytes, writes_seconds) = self.written_in_all()?;
        #[expect(clippy::cast_possible_truncation, reason = "whole seconds")]
        let (seconds, writes_seconds) = (self.seconds()? as u64, writes_seconds as f64);
        Some(Estimate {
            time: Nanos::from_secs(seconds),
            writes: bytes > Bytes(0) || writes_seconds > 0.0,
            writes_bytes: Some(bytes.0),
            writes_seconds,
            ..Estimate::default()
        })
    }

    /// Each disk, and what is written to it.
    fn of_disks(&self) -> Vec<Text> {
        let heading: Text = match self.matrix.source {
            DiskSource::Named(_) => "Everything on these disks will be destroyed:".into(),
            DiskSource::Files { .. } => {
                "The disks are loop devices over files, which are removed at the end:".into()
            }
        };
        let disk = |(index, disk): (usize, &PlannedDisk)| {
            let size = disk.size.map_or_else(Text::default, |size| text!("{size}"));
            let path = disk.path.display();
            let description = &disk.description;
            match self.written(index) {
                Some((bytes, 0)) => {
                    text!("  {path}  {size}  {description}: about {bytes} will be written")
                }
                Some((bytes, seconds)) => text!(
                    "  {path}  {size}  {description}: about {bytes} will be written, and what it can take in {seconds} s at full speed"
                ),
                None => {
                    text!("  {path}  {size}  {description}: how much will be written is not known")
                }
            }
        };
        let disks = self.disks.iter().enumerate();
        let disks = disks.flat_map(|it| std::iter::once(disk(it)).chain(against(it.1)));
        [heading].into_iter().chain(disks).collect()
    }

    /// Bytes that all disks are to take, and seconds of rows whose end is a time, as long as any
    /// disk writes.
    fn written_in_all(&self) -> Option<(Bytes, u64)> {
        let each = (0..self.disks.len()).map(|disk| self.written(disk));
        let each: Option<Vec<(Bytes, u64)>> = each.collect();
        let each = each?;
        let bytes = each.iter().map(|(bytes, _)| bytes.0).sum();
        let seconds = each.iter().map(|(_, seconds)| *seconds).max();
        Some((Bytes(bytes), seconds.unwrap_or_default()))
    }

    /// Bytes that a disk is to take in all blocks, and seconds of rows whose end is a time.
    fn written(&self, disk: usize) -> Option<(Bytes, u64)> {
        let blocks = f64::from(self.matrix.blocks);
        let (mut bytes, mut seconds) = (0.0, 0.0);
        for cell in &self.cells {
            let raid = self.matrix.volume(cell.cell).raid;
            let estimate = cell.estimate.as_ref()?;
            let written = estimate.writes_bytes? as f64;
            if disk < raid.disks {
                bytes += written * share(raid) * blocks;
                seconds += estimate.writes_seconds * blocks;
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "what disks take fits")]
        let whole = (Bytes(bytes as u64), seconds as u64);
        Some(whole)
    }

    fn left_out(&self) -> impl Iterator<Item = Text> {
        let cells = self.matrix.plan.cells.iter().enumerate();
        let left_out = cells.filter(|(_, cell)| cell.volume.is_none());
        left_out.map(|(index, cell)| {
            let why = Text::list(cell.notes.iter().cloned(), "; ");
            text!("Left out: {}: {why}", self.matrix.cell_name(index))
        })
    }

    /// Programs and file systems that this machine has not.
    fn missing(&self) -> impl Iterator<Item = Text> {
        let steps = self.cells.iter().flat_map(|cell| cell.steps.clone());
        let missing = missing(&steps.collect::<Vec<Step>>()).into_iter();
        missing.map(|it| text!("Missing: {it}; its cells will fail"))
    }
}

/// What speaks against writing to a disk.
fn against(disk: &PlannedDisk) -> impl Iterator<Item = Text> {
    disk.occupants
        .iter()
        .map(|(why, is_content)| match is_content {
            true => text!("    {why}: this needs --destroy-contents, too"),
            false => text!("    {why}: refused, whatever else is allowed"),
        })
}

/// Refuses a test file that is larger than what is made of the disks: each of its cells would fail.
fn check_room(file: Option<Bytes>, raid: RaidPlan, disks: &[PlannedDisk]) -> Result<(), Exit> {
    let sizes: Option<Vec<Bytes>> = disks.iter().map(|disk| disk.size).collect();
    let smallest = sizes.and_then(|it| it.into_iter().min());
    let (Some(file), Some(smallest)) = (file, smallest) else {
        return Ok(());
    };
    let is_beyond = file.0 as f64 * share(raid) >= smallest.0 as f64;
    match is_beyond {
        true => Err(Exit::usage(text!(
            "a test file of {file} has no room on disks of {smallest}; name larger disks, or a smaller file (--method 'mark --size 256MiB')"
        ))),
        false => Ok(()),
    }
}

/// What of a byte each disk of an array takes.
fn share(raid: RaidPlan) -> f64 {
    let disks = raid.disks as f64;
    match raid.level {
        RaidLevel::None | RaidLevel::Raid1 => 1.0,
        RaidLevel::Raid0 => 1.0 / disks,
        RaidLevel::Raid5 => 1.0 / (disks - 1.0),
        RaidLevel::Raid6 => 1.0 / (disks - 2.0),
        RaidLevel::Raid10 => 2.0 / disks,
    }
}
