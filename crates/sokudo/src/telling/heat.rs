//! How hot the drives are while a run goes on, asked in a thread of its own: a drive may let
//! whoever asks it wait.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use sokudo_device::{Moment, Reading, System, Thermometer};
use sokudo_model::TargetInfo;

/// Between two looks while I/O is measured. A drive answers with a log page, which it makes.
const MEASURING_EVERY: Duration = Duration::from_secs(10);
/// Between two looks between trials. Drives renew their temperature once a second.
const BETWEEN_EVERY: Duration = Duration::from_secs(1);

/// Asks and hears.
pub(super) struct Heat {
    ask: SyncSender<Moment>,
    heard: Receiver<Reading>,
    asked_at: Option<Instant>,
}

impl Heat {
    /// `None` where no drive tells it.
    pub(super) fn of(target: &TargetInfo) -> Option<Self> {
        let thermometer = Thermometer::find(&System::host(), target)?;
        let (ask, asked) = sync_channel(1);
        let (tell, heard) = channel();
        thread::spawn(move || {
            let readings = asked.iter().filter_map(|moment| thermometer.read(moment));
            readings.take_while(|it| tell.send(*it).is_ok()).count()
        });
        Some(Self {
            ask,
            heard,
            asked_at: None,
        })
    }

    /// Asks if it is time to.
    pub(super) fn ask(&mut self, moment: Moment) {
        let every = match moment {
            Moment::Measuring => MEASURING_EVERY,
            Moment::Between => BETWEEN_EVERY,
        };
        if self.asked_at.is_none_or(|at| at.elapsed() >= every) {
            self.asked_at = Some(Instant::now());
            // Where it has not answered yet, it is not asked again.
            let _ = self.ask.try_send(moment);
        }
    }

    /// What has been heard since.
    pub(super) fn heard(&self) -> impl Iterator<Item = Reading> {
        self.heard.try_iter()
    }
}
