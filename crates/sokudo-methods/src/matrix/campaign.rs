//! The cells of a matrix, block after block, each in an order drawn by lot: whatever the machine
//! does meanwhile hits all cells alike.

use std::path::Path;
use std::time::Duration;

use sokudo_device::{ArcCounts, System};
use sokudo_engine::Control;
use sokudo_measure::{CacheGuard, age};
use sokudo_model::{FileSystemKind, Nanos};
use sokudo_report::{CellFailure, MatrixRun};
use sokudo_stats::Random;
use sokudo_terminal::arguments::printing::Asking;
use sokudo_terminal::escape;
use sokudo_terminal::exit::{self, Exit};
use sokudo_volume::{Journal, Volume, VolumeDisk, VolumeError, missing, steps};
use sokudo_words::{Text, text};

use crate::matrix::arguments::MatrixArguments;
use crate::matrix::cell::{command, method, volume_names};
use crate::matrix::kept::{Measured, keep_run};
use crate::matrix::outcome;
use crate::matrix::page_events::MatrixTelling;
use crate::matrix::progress::MatrixProgress;
use crate::matrix::request::Matrix;

/// Blocks at most where a precision is asked for: beyond, twice as many gain little.
const BLOCKS_MAX: u32 = 100;

/// A matrix on its disks.
pub(super) struct Campaign<'a> {
    pub matrix: &'a Matrix,
    pub arguments: &'a MatrixArguments,
    pub disks: Vec<VolumeDisk>,
    pub journal: Journal,
    /// The write caches of all disks, put back whatever ends the matrix.
    pub caches: CacheGuard,
    pub control: &'a Control,
    /// Volumes that were made, which tell their names apart.
    pub made: usize,
}

/// Why a cell was not measured.
enum CellEnd {
    /// Somebody wants it to end.
    Interrupted,
    /// This cell failed; the other cells go on.
    Failed {
        /// Empty where it was no command.
        command: String,
        message: Text,
    },
}

/// A cell that was measured.
struct CellDone {
    run: MatrixRun,
    notes: Vec<Text>,
    /// What the cache of ZFS answered meanwhile.
    arc: Option<ArcCounts>,
}

impl Campaign<'_> {
    /// Measures what is missing.
    pub(super) fn carry_out(&mut self, measured: &mut Measured) {
        let telling = MatrixTelling::begin();
        let progress = MatrixProgress::begin(self.matrix, measured);
        let cells: Vec<usize> = self.matrix.cells().collect();
        let mut block = 0;
        while block < BLOCKS_MAX && self.is_to_go_on(block, measured, progress.elapsed()) {
            let order = order(self.matrix.plan.seed, block, &cells);
            for (index, cell) in order.into_iter().enumerate() {
                if self.control.is_cancelled() {
                    return;
                }
                let is_measured = |it: &MatrixRun| (it.cell, it.block) == (cell, block);
                let has_failed = |it: &CellFailure| it.cell == cell;
                if measured.runs.iter().any(is_measured) || measured.failures.iter().any(has_failed)
                {
                    continue;
                }
                let left = progress.left(self.matrix, measured);
                self.announce(cell, block, (index + 1, cells.len()), left);
                if let Some(telling) = &telling {
                    telling.cell(self.matrix, (cell, block), &progress, measured);
                }
                match self.cell(cell, block) {
                    Ok(done) => {
                        measured.runs.push(done.run);
                        measured.note(cell, done.notes);
                        if let Some(counts) = done.arc {
                            measured.count_arc(cell, counts);
                        }
                    }
                    Err(CellEnd::Interrupted) => return,
                    Err(CellEnd::Failed { command, message }) => {
                        self.tell(&text!("{} failed: {message}", self.matrix.cell_name(cell)));
                        measured.failures.push(CellFailure {
                            cell,
                            block,
                            command,
                            message,
                        });
                    }
                }
                if let Some(telling) = &telling {
                    telling.table(self.matrix, measured);
                }
            }
            block += 1;
        }
    }

    /// Whether a block is still to be made, so many having been.
    fn is_to_go_on(&self, made: u32, measured: &Measured, spent: Duration) -> bool {
        let Matrix {
            blocks,
            precision,
            time_max,
            ..
        } = self.matrix;
        if measured.failures.len() == self.matrix.cells().count() {
            return false;
        }
        if made < *blocks {
            return made == 0 || self.is_time_left(made, *time_max, spent);
        }
        let is_precise = |wanted: f64| outcome::is_precise(self.matrix, measured, made, wanted);
        precision.is_some_and(|wanted| !is_precise(wanted))
            && self.is_time_left(made, *time_max, spent)
    }

    /// A block takes as long as those before it.
    fn is_time_left(&self, made: u32, time_max: Option<Nanos>, spent: Duration) -> bool {
        let Some(time_max) = time_max.map(Duration::from) else {
            return true;
        };
        let is_left = spent + spent / made <= time_max;
        if !is_left {
            self.tell(&text!(
                "another block would end after --max-time; {made} are made"
            ));
        }
        is_left
    }

    fn announce(
        &self,
        cell: usize,
        block: u32,
        (number, of): (usize, usize),
        left: Option<Duration>,
    ) {
        let name = self.matrix.cell_name(cell);
        let (block, blocks) = (block + 1, self.matrix.blocks);
        self.tell(&match left {
            Some(left) => text!(
                "block {block} of {blocks}, cell {number} of {of}: {name}; about {} min left",
                left.as_secs().div_ceil(60)
            ),
            None => text!("block {block} of {blocks}, cell {number} of {of}: {name}"),
        });
    }

    fn tell(&self, text: &Text) {
        if !self.arguments.asking.quiet {
            exit::progress(text.clone());
        }
    }

    /// Makes the volume of a cell, measures it and dissolves it.
    fn cell(&mut self, cell: usize, block: u32) -> Result<CellDone, CellEnd> {
        self.switch_caches(cell)?;
        let volume = self.volume(cell)?;
        let notes = volume.notes().to_vec();
        let measured = self.aged(cell, volume.mount_point()).and_then(|()| {
            let before = self.arc(cell);
            let finished = self.measure(cell, volume.mount_point())?;
            let arc = before.zip(self.arc(cell));
            Ok((finished, arc.map(|(before, after)| after.since(before))))
        });
        if let Err(error) = volume.dissolve(&mut |_| {}) {
            exit::fault(text!("{error}"));
        }
        let (finished, arc) = measured?;
        let is_interrupted = finished.run.interrupted;
        if is_interrupted {
            return Err(CellEnd::Interrupted);
        }
        let run = keep_run(
            self.matrix,
            (cell, block),
            finished,
            &self.arguments.keeping,
        );
        Ok(CellDone { run, notes, arc })
    }

    /// The counts of the cache of ZFS, where the cell is on it.
    fn arc(&self, cell: usize) -> Option<ArcCounts> {
        let is_on_zfs = self.matrix.volume(cell).file_system == FileSystemKind::Zfs;
        is_on_zfs.then(|| ArcCounts::now(&System::host()))?
    }

    fn switch_caches(&mut self, cell: usize) -> Result<(), CellEnd> {
        let wish = self.matrix.plan.cells[cell].drive_cache;
        self.caches.ensure(wish).map_err(|error| CellEnd::Failed {
            command: String::new(),
            message: text!("{error}"),
        })
    }

    fn volume(&mut self, cell: usize) -> Result<Volume, CellEnd> {
        let plan = self.matrix.volume(cell);
        self.made += 1;
        let names = volume_names(&self.matrix.id, self.made).map_err(|exit| CellEnd::Failed {
            command: String::new(),
            message: exit.message().unwrap_or_default(),
        })?;
        // A program that is missing is told with what brings it.
        let disks = &self.disks[..plan.raid.disks];
        let paths: Vec<&Path> = disks.iter().map(VolumeDisk::path).collect();
        let missing = missing(&steps(plan, &paths, &names));
        if !missing.is_empty() {
            let missing = missing.iter().map(|it| text!("{it}"));
            return Err(CellEnd::Failed {
                command: String::new(),
                message: Text::list(missing, "; "),
            });
        }
        let control = self.control;
        let made = Volume::make(plan, disks, names, &mut self.journal, &mut |_| {}, &|| {
            control.is_cancelled()
        });
        made.map_err(|error| failed(error, control))
    }

    fn aged(&self, cell: usize, mount_point: &Path) -> Result<(), CellEnd> {
        let Some(ageing) = self.matrix.volume(cell).ageing else {
            return Ok(());
        };
        let aged = age(mount_point, ageing, self.control);
        aged.map_err(|error| match self.control.is_cancelled() {
            true => CellEnd::Interrupted,
            false => CellEnd::Failed {
                command: String::new(),
                message: text!("{error}"),
            },
        })
    }

    fn measure(
        &self,
        cell: usize,
        mount_point: &Path,
    ) -> Result<crate::measurement::FinishedMeasurement, CellEnd> {
        let method = method(self.matrix, cell, mount_point);
        // It was asked for all of them.
        let (yes, quiet) = (true, self.arguments.asking.quiet);
        let asking = Asking { quiet, yes };
        let measured = method.and_then(|repeat| repeat.measure(self.control, asking));
        match measured {
            Ok(finished) => match finished.ended_by {
                Some(Exit::Interrupted) => Err(CellEnd::Interrupted),
                _ => Ok(finished),
            },
            Err(_) if self.control.is_cancelled() => Err(CellEnd::Interrupted),
            Err(exit) => Err(CellEnd::Failed {
                command: command(self.matrix, cell, mount_point),
                message: exit
                    .message()
                    .unwrap_or_else(|| "the measurement failed".into()),
            }),
        }
    }
}

fn failed(error: VolumeError, control: &Control) -> CellEnd {
    match control.is_cancelled() {
        true => CellEnd::Interrupted,
        false => CellEnd::Failed {
            command: command_of(&error).map(escape::line).unwrap_or_default(),
            message: text!("{error}"),
        },
    }
}

fn command_of(error: &VolumeError) -> Option<&str> {
    match error {
        VolumeError::NotRun { command, .. }
        | VolumeError::Failed { command, .. }
        | VolumeError::TooLong { command, .. }
        | VolumeError::NotAsWanted { command, .. } => Some(command),
        VolumeError::LeftBehind { first, .. } => command_of(first),
        _ => None,
    }
}

/// The cells of a block in an order drawn by lot (Fisher and Yates).
fn order(seed: u64, block: u32, cells: &[usize]) -> Vec<usize> {
    let mut lot = Random::stream(seed, block.into());
    let mut order = cells.to_vec();
    for last in (1..order.len()).rev() {
        let chosen = lot.below(last as u64 + 1);
        order.swap(last, usize::try_from(chosen).expect("below a length"));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_every_cell_once_in_an_order_of_its_own() {
        let cells = [0, 2, 3, 5, 7, 8];
        let blocks: Vec<Vec<usize>> = (0..4).map(|block| order(7, block, &cells)).collect();
        for block in &blocks {
            let mut sorted = block.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, cells);
        }
        assert!(blocks.windows(2).any(|pair| pair[0] != pair[1]));
        assert_eq!(order(7, 0, &cells), blocks[0]);
    }
}
