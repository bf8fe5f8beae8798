//! What a matrix will do, before it does anything: disks, cells, every command, time, bytes.

use std::path::Path;

use sokudo_model::{Bytes, RaidLevel, RaidPlan};
use sokudo_volume::{Step, missing, steps};
use sokudo_words::{Text, text};

use super::campaign;
use super::disks::PlannedDisk;
use super::request::{DiskSource, Matrix};
use crate::exit::Exit;
use crate::output;
use crate::telling::Estimate;

/// What a volume takes besides its measurement: discards, file systems, mounts.
const VOLUME_SECONDS: f64 = 5.0;

/// A directory that is there before any volume is, to read the method with.
const ANY_DIRECTORY: &str = "/";

/// What one cell comes to.
struct PlannedCell {
    cell: usize,
    steps: Vec<Step>,
    /// `None` where the method decides while it measures.
    estimate: Option<Estimate>,
}

/// Prints the plan.
pub(super) fn print(matrix: &Matrix, disks: &[PlannedDisk]) -> Result<(), Exit> {
    let cells = planned(matrix, disks)?;
    output::say(&headline(matrix, &cells))?;
    for text in of_disks(matrix, disks, &cells) {
        output::say(&text)?;
    }
    for cell in &cells {
        output::say(&Text::default())?;
        output::say(&text!("{}. {}", cell.cell + 1, matrix.cell_name(cell.cell)))?;
        for note in &matrix.plan.cells[cell.cell].notes {
            output::say(&text!("   note: {note}"))?;
        }
        for step in &cell.steps {
            output::print(&format!("     {}\n", step.action))?;
        }
        let place = campaign::place(&matrix.id, 1)?;
        let command = campaign::command(matrix, cell.cell, &place.mount_point);
        output::print(&format!("     {command}\n"))?;
        for action in cell
            .steps
            .iter()
            .rev()
            .flat_map(|step| step.undo.iter().rev())
        {
            output::print(&format!("     {action}\n"))?;
        }
    }
    output::say(&Text::default())?;
    for text in left_out(matrix).chain(of_missing(&cells)) {
        output::say(&text)?;
    }
    Ok(())
}

/// The cells that make sense. Refuses a method that cannot be measured, before anything is done.
fn planned(matrix: &Matrix, disks: &[PlannedDisk]) -> Result<Vec<PlannedCell>, Exit> {
    let paths: Vec<&Path> = disks.iter().map(|disk| disk.path.as_path()).collect();
    let place = campaign::place(&matrix.id, 1)?;
    let cell = |cell: usize| {
        let volume = matrix.plan.cells[cell].volume.as_ref();
        let volume = volume.expect("cells that make no sense are left out");
        Ok(PlannedCell {
            cell,
            steps: steps(volume, &paths[..volume.raid.disks], &place),
            estimate: campaign::method(matrix, cell, Path::new(ANY_DIRECTORY))?.estimate()?,
        })
    };
    matrix.cells().map(cell).collect()
}

/// Refuses what cannot be carried out.
pub(super) fn check(matrix: &Matrix, disks: &[PlannedDisk]) -> Result<(), Exit> {
    planned(matrix, disks).map(|_| ())
}

fn headline(matrix: &Matrix, cells: &[PlannedCell]) -> Text {
    let (count, blocks) = (cells.len(), matrix.blocks);
    let (id, method, seed) = (&matrix.id, &matrix.plan.method, matrix.plan.seed);
    let seconds: Option<f64> = cells
        .iter()
        .map(|cell| Some(cell.estimate.as_ref()?.seconds + VOLUME_SECONDS))
        .sum();
    let seconds = seconds.map(|seconds| seconds * f64::from(blocks));
    match seconds {
        Some(seconds) => text!(
            "Matrix {id}: {count} cells, each measured in {blocks} blocks by sokudo {method}; about {:.0} minutes; seed {seed}",
            (seconds / 60.0).max(1.0)
        ),
        None => text!(
            "Matrix {id}: {count} cells, each measured in {blocks} blocks by sokudo {method}, which decides how long it takes while it measures; seed {seed}"
        ),
    }
}

/// Each disk, and what is written to it.
fn of_disks(matrix: &Matrix, disks: &[PlannedDisk], cells: &[PlannedCell]) -> Vec<Text> {
    let heading = match matrix.source {
        DiskSource::Named(_) => text!("Everything on these disks will be destroyed:"),
        DiskSource::Files { .. } => {
            text!("The disks are loop devices over files, which are removed at the end:")
        }
    };
    let disk = |(place, disk): (usize, &PlannedDisk)| {
        let size = disk.size.map_or_else(Text::default, |size| text!("{size}"));
        let path = disk.path.display();
        let description = &disk.description;
        match written(matrix, place, cells) {
            Some((bytes, 0)) => {
                text!("  {path}  {size}  {description}: about {bytes} will be written")
            }
            Some((bytes, seconds)) => text!(
                "  {path}  {size}  {description}: about {bytes} will be written, and in {seconds} s as much as it takes"
            ),
            None => text!("  {path}  {size}  {description}: how much will be written is not known"),
        }
    };
    let disks = disks.iter().enumerate().map(disk);
    [heading].into_iter().chain(disks).collect()
}

/// Bytes that a disk is to take in all blocks, and seconds of rows whose end is a time.
fn written(matrix: &Matrix, disk: usize, cells: &[PlannedCell]) -> Option<(Bytes, u64)> {
    let (mut bytes, mut seconds) = (0.0, 0.0);
    for cell in cells {
        let volume = matrix.plan.cells[cell.cell].volume.as_ref()?;
        let estimate = cell.estimate.as_ref()?;
        if disk >= volume.raid.disks {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let written = estimate.writes_bytes? as f64;
        bytes += written * share(volume.raid) * f64::from(matrix.blocks);
        seconds += estimate.writes_seconds * f64::from(matrix.blocks);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "no estimate is negative or beyond what disks take"
    )]
    let whole = (Bytes(bytes as u64), seconds as u64);
    Some(whole)
}

/// What of a byte each disk of an array takes.
fn share(raid: RaidPlan) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "few disks")]
    let disks = raid.disks as f64;
    match raid.level {
        RaidLevel::None | RaidLevel::Raid1 => 1.0,
        RaidLevel::Raid0 => 1.0 / disks,
        RaidLevel::Raid5 => 1.0 / (disks - 1.0),
        RaidLevel::Raid6 => 1.0 / (disks - 2.0),
        RaidLevel::Raid10 => 2.0 / disks,
    }
}

fn left_out(matrix: &Matrix) -> impl Iterator<Item = Text> {
    let cells = matrix.plan.cells.iter().enumerate();
    let left_out = cells.filter(|(_, cell)| cell.volume.is_none());
    left_out.map(|(index, cell)| {
        let why = Text::list(cell.notes.iter().cloned(), "; ");
        text!("Left out: {}: {why}", matrix.cell_name(index))
    })
}

/// Programs and file systems that this machine has not.
fn of_missing(cells: &[PlannedCell]) -> impl Iterator<Item = Text> {
    let steps: Vec<Step> = cells.iter().flat_map(|cell| cell.steps.clone()).collect();
    let missing = missing(&steps).into_iter();
    missing.map(|it| text!("Missing: {it}; its cells will fail"))
}
