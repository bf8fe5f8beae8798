//! yabs, Yet Another Bench Script: its tables of fio's mixed test, and its JSON.
//!
//! ```text
//! Block Size | 4k            (IOPS) | 64k           (IOPS)
//! Read       | 101.23 MB/s  (25.3k) | 1.12 GB/s    (17.5k)
//! ```
//!
//! The script has fio read and write at random, half and half, by two threads of depth 64 with
//! direct I/O, of which it tells nothing. JSON has KiB/s, which the tables call KB/s.

use serde_json::Value;
use sokudo_model::{Bytes, ImportedRow, ImportedRun, Operation, OperationMix};
use sokudo_words::text;

use crate::results::row::{self, RANDOM, WorkloadDescription, figure, rate};
use crate::results::text::{label, leave_out, leave_out_of, lines, lines_of_rows};
use crate::results::wrong_unit::YABS;
use crate::results::{Import, ImportError, LeftOut, Reader, Source, number};

const FORMAT: &str = "yabs";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));
const HEADING: &str = "fio Disk Speed Tests (Mixed R/W 50/50)";
/// Its JSON has few kilobytes.
const JSON_BYTES_MAX: usize = 1 << 20;
const BLOCKS_OF_A_LINE: usize = 2;
/// What the script gives fio.
const LOAD: (u32, u32) = (64, 2);

fn recognise(head: &str) -> bool {
    is_json(head) || lines(head).any(|line| line.text.trim_start().starts_with(HEADING))
}

fn is_json(text: &str) -> bool {
    let keys = ["\"fio\":", "\"speed_rw\":", "\"iops_rw\":"];
    text.trim_start().starts_with('{') && keys.iter().all(|key| text.contains(key))
}

fn read(text: &str) -> Result<Import, ImportError> {
    match is_json(text) {
        true => read_json(text),
        false => read_tables(text),
    }
}

fn read_tables(text: &str) -> Result<Import, ImportError> {
    let (mut runs, mut left_out): (Vec<ImportedRun>, Vec<LeftOut>) = Default::default();
    let mut blocks: Vec<Option<Bytes>> = Vec::new();
    for line in lines_of_rows(text, &mut left_out) {
        if let Some(rest) = line.text.trim().strip_prefix(HEADING) {
            let partition = rest.trim_end_matches(':').trim_end_matches(')');
            let partition = partition.split_once("(Partition ").map(|(_, name)| name);
            let mut run = ImportedRun {
                target: row::target(partition.and_then(label).unwrap_or_default()),
                ..new_run()
            };
            run.origin.corrections = vec![YABS.correction("MB/s", 1_000.0)];
            runs.push(run);
            blocks.clear();
        }
        let (Some(run), Some((name, cells))) = (runs.last_mut(), line.text.split_once('|')) else {
            continue;
        };
        let side = match name.trim() {
            "Block Size" => {
                let sizes = cells.split('|').map(|cell| cell.split_whitespace().next());
                let sizes = sizes.map(|it| number::block_with_unit(it?));
                blocks = sizes.take(BLOCKS_OF_A_LINE).collect();
                continue;
            }
            "Read" => Some(Operation::Read),
            "Write" => Some(Operation::Write),
            "Total" => None,
            _ => continue,
        };
        for (block, cell) in blocks.iter().zip(cells.split('|')) {
            match (block, rates(cell)) {
                (Some(block), Some(rates)) => add(run, *block, side, rates),
                _ if cell.trim().is_empty() => {}
                _ => {
                    let cell = label(cell).unwrap_or_default();
                    let why = text!("`{cell}` is not a possible figure");
                    leave_out(&mut left_out, line.number, why);
                }
            }
        }
    }
    runs.retain(|run| !run.rows.is_empty());
    Import::of(FORMAT, runs, left_out, "no line in it is complete")
}

fn new_run() -> ImportedRun {
    ImportedRun {
        method: "yabs".to_owned(),
        ..row::run("yabs", FORMAT)
    }
}

/// Bandwidth and IOPS of ` 101.23 MB/s  (25.3k) `.
fn rates(cell: &str) -> Option<[f64; 2]> {
    let words: Vec<&str> = cell.split_whitespace().collect();
    let [bandwidth, unit, iops] = words[..] else {
        return None;
    };
    let scale = match unit {
        "KB/s" => YABS.scale / 1e3,
        "MB/s" => YABS.scale,
        "GB/s" => YABS.scale * 1e3,
        _ => return None,
    };
    let iops = iops.strip_prefix('(')?.strip_suffix(')')?;
    let iops = match iops.strip_suffix('k') {
        Some(thousands) => number::rate(thousands, 1e3),
        None => number::rate(iops, 1.0),
    };
    Some([number::rate(bandwidth, scale)?, iops?])
}

/// Adds a direction of a block size, or the sum of both to the row of its reads.
fn add(run: &mut ImportedRun, block: Bytes, side: Option<Operation>, [bandwidth, iops]: [f64; 2]) {
    let name = row::crystal_name("RND", Some(block), Some(LOAD));
    let Some(operation) = side else {
        let of_block = |row: &&mut ImportedRow| row.workload.name == name;
        if let Some(row) = run.rows.iter_mut().find(of_block) {
            let total = figure("reads and writes together", "MB/s", bandwidth / 1e6);
            row.reported.others.push(total);
        }
        return;
    };
    let mut row = WorkloadDescription::new(name, block)
        .operation(Some(operation))
        .order(Some(RANDOM))
        .block(Some(block))
        .depth(Some(LOAD.0))
        .threads(Some(LOAD.1))
        .direct(Some(true))
        .row();
    row.reported.mix = OperationMix::read_write(50);
    row.reported.bandwidth = Some(rate(bandwidth, ""));
    row.reported.iops = Some(rate(iops, ""));
    run.rows.push(row);
}

fn read_json(text: &str) -> Result<Import, ImportError> {
    if text.len() > JSON_BYTES_MAX {
        let why = "it is longer than any such JSON";
        return Import::of(FORMAT, Vec::new(), Vec::new(), why);
    }
    let (mut run, mut left_out) = (new_run(), Vec::new());
    let json: Value = serde_json::from_str(text).unwrap_or_else(|error| {
        let why = text!("it is not complete JSON: {error}");
        leave_out_of(&mut left_out, None, why);
        Value::Null
    });
    run.origin.version = json["version"].as_str().and_then(label);
    for test in json["fio"].as_array().into_iter().flatten() {
        let figure = |name: &str| test[name].as_f64().filter(|it| number::is_possible(*it));
        let is_kib = test["speed_units"].as_str().is_none_or(|it| it == "KBps");
        let block = test["bs"].as_str().and_then(number::block_with_unit);
        for (side, speed, iops) in [
            (Some(Operation::Read), "speed_r", "iops_r"),
            (Some(Operation::Write), "speed_w", "iops_w"),
            (None, "speed_rw", "iops_rw"),
        ] {
            match (block.filter(|_| is_kib), figure(speed), figure(iops)) {
                (Some(block), Some(kib), Some(iops)) => {
                    add(&mut run, block, side, [kib * 1_024.0, iops]);
                }
                _ => {
                    let why = text!("a test without a usable `{speed}`, block size or unit");
                    leave_out_of(&mut left_out, None, why);
                }
            }
        }
    }
    let mut runs = vec![run];
    runs.retain(|run| !run.rows.is_empty());
    Import::of(FORMAT, runs, left_out, "no line in it is complete")
}

#[cfg(test)]
mod tests;
