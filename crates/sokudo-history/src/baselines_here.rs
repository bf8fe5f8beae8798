//! Runs that serve as baselines: which are this machine's, and where their devices are today.

use sokudo_device::System;
use sokudo_report::RunDocument;
use sokudo_store::Baseline;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::{self, Exit};
use sokudo_words::{Text, text};

use crate::find::FoundRun;
use crate::{keep, locate};

/// Those of devices that were measured on this machine: a store may be shared.
pub fn of_this_machine(baselines: Vec<Baseline>, keeping: &Keeping) -> Result<Vec<Baseline>, Exit> {
    let host = sokudo_device::environment(&System::host()).host;
    let mut store = keep::store(keeping)?;
    let (mut here, mut elsewhere) = (Vec::new(), 0_usize);
    for baseline in baselines {
        let run = store.entry(baseline.run).map_err(Exit::of_store)?.run;
        match run.host.is_some() && host.is_some() && run.host != host {
            true => elsewhere += 1,
            false => here.push(baseline),
        }
    }
    if elsewhere > 0 {
        exit::note(text!(
            "{elsewhere} baselines were measured on other machines and are left out"
        ));
    }
    Ok(here)
}

/// The run, and its target as it is called today.
pub fn on_its_target(run: FoundRun) -> Result<(FoundRun, String), Exit> {
    refuse_imported(&run.name(), &run.run)?;
    let target = locate::target(&run.run.target)?;
    Ok((run, target))
}

/// A run of another tool is no baseline, whatever is said: nothing could be checked against
/// it.
pub fn refuse_imported(name: &Text, run: &RunDocument) -> Result<(), Exit> {
    match run.origin() {
        None => Ok(()),
        Some(origin) => Err(Exit::usage(text!(
            "{name} comes from {}, and sokudo cannot measure it again; measure a baseline with sokudo: sokudo baseline set -- mark PATH",
            origin.tool
        ))),
    }
}
