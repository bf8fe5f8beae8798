//! Serves a modelled disk as a file, so that a loop device over it can be measured.
//!
//! `foreign_disk MODEL --seed N [--KEY VALUE…] DIRECTORY` mounts a file system with one file,
//! `disk`, on the directory, prints one line of JSON that says what the truth about the disk is,
//! and serves until its input ends or SIGTERM comes; then it says on its standard error how late
//! its answers were, which on a busy machine they are. `foreign_disk --list` names the models.
//! It uses nothing of sokudo: the models are a witness beside its simulator.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a model's times and sizes are far below the limits of its numbers"
)]

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

mod contents;
mod credit;
mod false_capacity;
mod fill;
mod flash;
mod map;
mod model;
mod rotating;
mod served;
mod shingled;
mod whims;

use model::{Draw, Kind, Options};
use served::Late;

const KINDS: [&[Kind]; 8] = [
    rotating::KINDS,
    shingled::KINDS,
    flash::KINDS,
    fill::KINDS,
    map::KINDS,
    credit::KINDS,
    false_capacity::KINDS,
    whims::KINDS,
];

const USAGE: &str = "usage: foreign_disk MODEL --seed N [--KEY VALUE…] DIRECTORY, or --list";

fn main() -> ExitCode {
    let words = std::env::args().skip(1).collect::<Vec<_>>();
    let result = if words == ["--list"] {
        list()
    } else {
        serve(&words)
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}");
            ExitCode::FAILURE
        }
    }
}

fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().copied().flatten()
}

fn list() -> Result<(), String> {
    for kind in kinds() {
        print(&format!("{}\t{}\t{}", kind.name, kind.what, kind.source))?;
    }
    Ok(())
}

fn print(line: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    printed.map_err(|error| error.to_string())
}

/// What was asked for on the command line.
struct Asked {
    kind: &'static Kind,
    seed: u64,
    options: Options,
    directory: PathBuf,
}

fn asked(words: &[String]) -> Result<Asked, String> {
    let [name, pairs @ .., directory] = words else {
        return Err(USAGE.to_owned());
    };
    let kind = kinds().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(|| format!("no model is called {name}; see --list"))?;
    let mut values = BTreeMap::new();
    for pair in pairs.chunks(2) {
        let [key, value] = pair else {
            return Err(USAGE.to_owned());
        };
        let key = key.strip_prefix("--").ok_or(USAGE)?;
        values.insert(key.to_owned(), value.clone());
    }
    let seed = values.remove("seed").ok_or(USAGE)?;
    Ok(Asked {
        kind,
        seed: seed.parse().map_err(|error| format!("--seed: {error}"))?,
        options: Options::new(values),
        directory: directory.into(),
    })
}

fn serve(words: &[String]) -> Result<(), String> {
    let asked = asked(words)?;
    let model = (asked.kind.make)(&mut Draw::new(asked.seed), &asked.options)?;
    asked.options.all_asked()?;
    let line = json!({
        "model": asked.kind.name,
        "seed": asked.seed,
        "file": asked.directory.join(served::FILE_NAME),
        "rotational": model.rotational(),
        "bytes": model.bytes(),
        "source": asked.kind.source,
        "truth": model.truth(),
    });
    let directory = asked.directory;
    let signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| error.to_string())?;
    let late = Arc::new(Late::default());
    let session = served::mount(model, asked.seed, &directory, Arc::clone(&late))
        .map_err(|error| format!("cannot mount on {}: {error}", directory.display()))?;
    let printed = print(&line.to_string());
    let waited = printed.and_then(|()| wait_for_the_end(signals));
    // Lazily: who still uses it gets errors once this process is gone, and nobody hangs.
    let unmounted = Command::new("umount")
        .arg("--lazy")
        .arg(&directory)
        .status();
    std::mem::forget(session);
    let _ = writeln!(io::stderr(), "{}", late.told());
    waited?;
    match unmounted {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("umount {}: {status}", directory.display())),
        Err(error) => Err(format!("cannot run umount: {error}")),
    }
}

/// Until the input ends or a signal asks for it.
fn wait_for_the_end(mut signals: Signals) -> Result<(), String> {
    let (ends, end) = channel();
    let by_signal = ends.clone();
    thread::spawn(move || {
        signals.forever().next();
        let _ = by_signal.send(());
    });
    thread::spawn(move || {
        let mut read = [0; 64];
        while matches!(io::stdin().read(&mut read), Ok(1..)) {}
        let _ = ends.send(());
    });
    end.recv().map_err(|error| error.to_string())
}
