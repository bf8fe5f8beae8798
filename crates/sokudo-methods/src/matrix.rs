//! `sokudo matrix`: one method on every combination of RAID level, file system, mount options and
//! whatever else is varied; which differences are real.
//!
//! It says what is to be made and measured, and in which order. Volumes are `sokudo-volume`'s,
//! measurements those of the commands themselves, and what differs is judged by
//! `sokudo-analysis`.

pub mod arguments;
pub mod plan;

mod announce;
mod campaign;
mod cell;
mod disks;
mod kept;
mod outcome;
mod page_events;
mod progress;
mod request;

use std::collections::BTreeSet;

use announce::PlannedMatrix;
use campaign::Campaign;
use disks::PlannedDisk;
use kept::Measured;
use plan::EXAMPLE;
use request::{DiskSource, Matrix};
use sokudo_engine::Control;
use sokudo_measure::CacheGuard;
use sokudo_page::TargetForm;
use sokudo_report::{MatrixDocument, Report};
use sokudo_terminal::arguments::store::Location;
use sokudo_terminal::command_line::quoted;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{event_stream, interrupt, output, print};
use sokudo_volume::{Journal, own_mount_namespace};
use sokudo_words::{Text, text};

use crate::consent;
use crate::declared::PageForm;
use crate::matrix::arguments::MatrixArguments;

/// How the page asks for it.
pub const FORM: PageForm = PageForm {
    rank: 12,
    target: TargetForm::Folder,
    // Disks of files alone. Values that carry options for programs, and methods of one's own,
    // are for the command line: they could reach whatever root can.
    options: "loop=2x1GiB|1x1GiB|2x4GiB|4x1GiB|4x4GiB, \
              fs=ext2|ext3|ext4|xfs|btrfs|jfs|zfs|f2fs, raid=none|0|1|5|10, \
              mount=defaults|noatime, ageing=fresh|30%|60%, method=mark --size=256MiB \
              --runs=3|mark --size=256MiB --runs=3 --profile=nvme|quick --size=256MiB, \
              blocks, max-time, seed",
};

pub fn run(arguments: &MatrixArguments) -> Result<(), Exit> {
    if arguments.example {
        return output::print(EXAMPLE);
    }
    print::check_rendering(&arguments.rendering, arguments.pictures.destinations.iter())?;
    let (matrix, mut measured) = begin(arguments)?;
    if is_complete(&matrix, &measured) {
        return outcome::print(&matrix, &measured, arguments);
    }
    let disks = disks::planned(&matrix.source)?;
    let planned = PlannedMatrix::new(&matrix, &disks)?;
    if event_stream::wanted().is_some() {
        page_events::announce(&matrix, &planned);
    }
    if event_stream::is_plan() {
        return Err(Exit::AsReported(0));
    }
    if arguments.dry_run {
        return planned.print();
    }
    if !has_consent(&matrix, arguments) {
        planned.print()?;
        return Err(Exit::refused(text!(
            "nothing was done, because all data on these disks would be lost; if you want that, add {}",
            way_out(&disks)
        )));
    }
    consent::confirm(planned.much().as_slice(), arguments.asking)?;
    let control = Control::new();
    let is_over = measure(&matrix, &disks, arguments, &control, &mut measured);
    if measured.runs.is_empty() && measured.failures.is_empty() {
        is_over?;
        return Err(Exit::InterruptedEarly(anyhow::anyhow!(text!(
            "interrupted before a cell was measured"
        ))));
    }
    match event_stream::wanted() {
        Some(_) => page_events::done(&matrix, &measured),
        None => outcome::print(&matrix, &measured, arguments)?,
    }
    is_over?;
    if control.is_cancelled() {
        exit::note(match arguments.keeping.location() {
            Ok(Location::None) => text!("it cannot be resumed, because no run is kept"),
            _ => way_on(&matrix),
        });
        return Err(Exit::Interrupted);
    }
    match measured.failures.is_empty() {
        true => Ok(()),
        false => Err(Exit::FailedAsReported),
    }
}

/// The matrix that is asked for, and what there is of it.
fn begin(arguments: &MatrixArguments) -> Result<(Matrix, Measured), Exit> {
    let Some(id) = &arguments.resume else {
        return Ok((Matrix::new(arguments)?, Measured::default()));
    };
    let (matrix, runs) = kept::resumed(id, arguments)?;
    let measured = Measured {
        runs,
        ..Measured::default()
    };
    Ok((matrix, measured))
}

/// What the runs of a report come to, of each matrix that has runs among them.
pub fn of_report(report: &Report) -> Vec<MatrixDocument> {
    let tags = report.runs.iter().flat_map(|it| &it.tags);
    let ids: BTreeSet<&str> = tags.filter_map(|tag| kept::matrix_of_tag(tag)).collect();
    let matrices = ids.into_iter().filter_map(|id| {
        let (matrix, runs) = kept::of_report(id, report)?;
        let measured = Measured {
            runs,
            ..Measured::default()
        };
        Some(outcome::document(&matrix, &measured))
    });
    matrices.collect()
}

/// Whether every cell has been measured in every block that is asked for.
fn is_complete(matrix: &Matrix, measured: &Measured) -> bool {
    let is_measured = |cell: usize, block: u32| {
        let mut runs = measured.runs.iter();
        runs.any(|run| (run.cell, run.block) == (cell, block))
    };
    let mut cells = matrix.cells();
    cells.all(|cell| (0..matrix.blocks).all(|block| is_measured(cell, block)))
}

/// Files of our own need none.
fn has_consent(matrix: &Matrix, arguments: &MatrixArguments) -> bool {
    match matrix.source {
        DiskSource::Files { .. } => true,
        DiskSource::Named(_) => !arguments.destroying.destroy.is_empty(),
    }
}

fn way_out(disks: &[PlannedDisk]) -> String {
    let options = disks.iter().map(|disk| {
        let path = disk.path.to_string_lossy();
        format!(
            "--destroy {}",
            quoted(disk.serial.as_deref().unwrap_or(&path))
        )
    });
    options.collect::<Vec<_>>().join(" ")
}

fn way_on(matrix: &Matrix) -> Text {
    match matrix.source {
        DiskSource::Files { .. } => text!("continue with sokudo matrix --resume {}", matrix.id),
        DiskSource::Named(_) => text!(
            "continue with sokudo matrix --resume {} and the same --destroy options",
            matrix.id
        ),
    }
}

/// For who does not wait until the volume has been dissolved.
fn tell_of_what_stays(journal: &Journal) {
    if journal.is_left_behind() {
        exit::note(text!(
            "what was built on the disks is still there; sudo sokudo clean removes it"
        ));
    }
}

/// Measures what is missing; what was measured stays, whatever ends it.
fn measure(
    matrix: &Matrix,
    disks: &[PlannedDisk],
    arguments: &MatrixArguments,
    control: &Control,
    measured: &mut Measured,
) -> Result<(), Exit> {
    if !rustix::process::geteuid().is_root() {
        return Err(Exit::refused(text!(
            "only root may make and mount file systems; run the command with sudo"
        )));
    }
    // Before any other thread is there: from now on what is mounted is mounted here alone, and
    // vanishes with this process.
    own_mount_namespace().map_err(Exit::failed)?;
    let journal = Journal::open(&matrix.id).map_err(Exit::failed)?;
    if matches!(matrix.source, DiskSource::Named(_)) && !journal.is_empty() {
        return Err(Exit::refused(text!(
            "a killed run of this matrix has left what it built on the disks; sudo sokudo clean removes that and nothing else"
        )));
    }
    let disks = disks::opened(&matrix.source, disks, arguments)?;
    let left = journal.clone();
    interrupt::watch_leaving(control, move || tell_of_what_stays(&left))?;
    let mut campaign = Campaign {
        matrix,
        arguments,
        caches: CacheGuard::of_drives(disks.iter().map(|it| it.path().to_owned()).collect()),
        disks,
        journal,
        control,
        made: 0,
    };
    campaign.carry_out(measured);
    // Whoever waits for Ctrl-C holds it, too.
    campaign.journal.is_left_behind();
    Ok(())
}
