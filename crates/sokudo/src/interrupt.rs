//! Ctrl-C and its kin.

use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use sokudo_engine::Control;

use crate::exit::Exit;

/// Cancels the run at the first interruption, so that it is cleaned up and what
/// was measured is printed; the second one ends the program at once.
///
/// # Errors
/// When the system lets us watch no signals.
pub(crate) fn watch(control: &Control) -> Result<(), Exit> {
    // A file that grows beyond `ulimit -f` is an error to report, not a reason to
    // be killed.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXFSZ]).map_err(Exit::failed)?;
    let control = control.clone();
    thread::Builder::new()
        .name("sokudo-signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                match signal {
                    SIGXFSZ => {}
                    _ if control.is_cancelled() => std::process::exit(130),
                    _ => control.cancel(),
                }
            }
        })
        .map_err(Exit::failed)?;
    Ok(())
}
