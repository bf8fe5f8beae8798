//! `sokudo prepare`: one disk with a partition, a file system and a mount that stays, and the
//! way back. Every command is shown before the first is carried out.

pub(crate) mod arguments;

use std::path::{Path, PathBuf};

use sokudo_engine::{Consent, Control};
use sokudo_measure::{MeasureError, Named, named_disk, volume_disks};
use sokudo_methods::arguments::destroying::Destroying;
use sokudo_model::TargetKind;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{command_line, interrupt, invoker, output};
use sokudo_volume::{
    Action, Preparation, Uuid, carry_out_on, emptying, is_prepared, missing, unmounting,
};
use sokudo_words::{Text, text};

use crate::commands::prepare::arguments::PrepareArguments;

pub(crate) fn run(arguments: &PrepareArguments) -> Result<(), Exit> {
    let disk = disk(&arguments.device)?;
    let consent = arguments.destroying.consent();
    match arguments.undo {
        true => undo(&disk, &arguments.destroying, arguments.dry_run),
        false => make(&disk, &consent, arguments),
    }
}

/// The node of the disk that a word names.
fn disk(word: &str) -> Result<PathBuf, Exit> {
    let named = Named::recognise(word)?;
    let path = named
        .path()
        .filter(|_| named.kind() == TargetKind::BlockDevice);
    let path =
        path.ok_or_else(|| Exit::usage(text!("{word} is no block device; name a whole disk")))?;
    // What is shown is what is done: by the kernel's name.
    std::fs::canonicalize(path).map_err(Exit::failed)
}

fn make(disk: &Path, consent: &Consent, arguments: &PrepareArguments) -> Result<(), Exit> {
    let preparation = preparation(arguments)?;
    let steps = preparation.steps(disk);
    let shown = || show(steps.iter().map(|step| &step.action));
    if arguments.dry_run {
        return shown();
    }
    preparation.check().map_err(MeasureError::from)?;
    let missing = missing(&steps);
    if !missing.is_empty() {
        let missing = missing.iter().map(|it| text!("{it}"));
        return Err(Exit::Failed(Text::list(missing, "; ").into()));
    }
    let control = Control::default();
    interrupt::watch(&control)?;
    let disks = volume_disks(&[disk.to_owned()], consent)?;
    shown()?;
    let mut report = |_: &Action| ();
    let named = command_line::quoted(&disk.to_string_lossy());
    for disk in &disks {
        preparation
            .make(disk, &mut report, &|| control.is_cancelled())
            .map_err(MeasureError::from)?;
    }
    output::say(&text!(
        "{} is mounted on {}; sokudo prepare {named} --undo --destroy {named} unmounts and empties it",
        disk.display(),
        preparation.mount_point.display(),
    ))
}

fn preparation(arguments: &PrepareArguments) -> Result<Preparation, Exit> {
    let (Some(file_system), Some(mount_point)) = (arguments.file_system, &arguments.mount) else {
        return Err(Exit::usage(text!(
            "--fs and --mount say what is made; add both"
        )));
    };
    let mkfs = command_line::words(arguments.mkfs.as_deref().unwrap_or_default())
        .ok_or_else(|| Exit::usage(text!("a quote in --mkfs is not closed; close it")))?;
    // A link is followed once, before anything is decided by what it leads to.
    let at = sokudo_volume::mount_point(mount_point).map_err(MeasureError::from)?;
    Ok(Preparation {
        file_system,
        mount_point: at,
        label: arguments.label.clone(),
        uuid: Uuid::random().map_err(Exit::failed)?,
        mkfs,
        owner: arguments.owner.or_else(invoker::behind_sudo),
    })
}

fn undo(disk: &Path, destroying: &Destroying, is_dry_run: bool) -> Result<(), Exit> {
    let unmount = unmounting(disk);
    let empty = emptying(disk);
    let shown = || show(unmount.iter().chain(&empty));
    if is_dry_run {
        return shown();
    }
    let wrong = |error| Exit::from(MeasureError::from(error));
    let consent = &destroying.consent();
    let is_prepared = |disk: &Path| is_prepared(disk, destroying.destroy_contents).map_err(wrong);
    let held = named_disk(disk, consent)?;
    is_prepared(held.path())?;
    shown()?;
    let mut report = |_: &Action| ();
    carry_out_on(&held, unmount.clone().into_iter().collect(), &mut report).map_err(wrong)?;
    drop(held);
    // Now that nobody uses it any more, it is claimed and looked at once again.
    let disks = volume_disks(&[disk.to_owned()], &consent.for_occupied(true))?;
    for disk in &disks {
        is_prepared(disk.path())?;
        carry_out_on(disk, empty.clone(), &mut report).map_err(wrong)?;
    }
    output::say(&text!("{} is empty", disk.display()))
}

/// Shows commands as a shell would take them.
fn show<'a>(actions: impl Iterator<Item = &'a Action>) -> Result<(), Exit> {
    let lines: String = actions.map(|action| format!("{action}\n")).collect();
    output::print(&lines)
}
