//! What a burn-in does beside its rows: it lets drives test themselves.

use std::path::Path;

use sokudo_device::{SelfTestTarget, SelfTestWatch, SelfTester, System, self_tests};
use sokudo_engine::Control;
use sokudo_model::{BlockDevice, BurnIn, BurnInTests, Event, SelfTestKind};
use sokudo_words::text;

use crate::error::MeasureError;
use crate::measurement::Prepared;

impl Prepared {
    /// Carries a burn-in out: the drives' own short tests, all rows, their extended tests. What
    /// ended it before its time comes back where something had been measured.
    ///
    /// # Errors
    /// When nothing could be measured.
    pub fn burn_in(
        &mut self,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Option<MeasureError>, MeasureError> {
        let tests = self.run.burn_in.as_ref().map(|burn_in| burn_in.tests);
        let tests = tests.unwrap_or_default();
        if tests != BurnInTests::Off {
            self.test_drives(SelfTestKind::Short, control, listener);
        }
        let ended_by = self.measure(control, listener)?;
        let goes_on = ended_by.is_none() && self.is_complete && !control.is_cancelled();
        if tests == BurnInTests::Both && goes_on {
            self.test_drives(SelfTestKind::Extended, control, listener);
            // A test that was cut off is a part of it that is missing.
            self.is_complete = !control.is_cancelled();
        }
        Ok(ended_by)
    }

    /// Has all drives test themselves that have not done so in an earlier part of the run.
    fn test_drives(
        &mut self,
        kind: SelfTestKind,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) {
        let Some(burn_in) = &mut self.run.burn_in else {
            return;
        };
        let is_made = |target: u32, drive: &str| {
            let mut made = burn_in.tests_of(target);
            made.any(|test| test.disk == drive && test.kind == kind)
        };
        let mut drives = Vec::new();
        for (target, info) in (0..).zip(self.subject.infos()) {
            let tested = BurnIn::tested_drives(info);
            let tested = tested.filter(|drive| !is_made(target, &drive.name));
            drives.extend(tested.map(|drive| (target, drive.clone())));
        }
        let mut watch = TestWatch {
            kind,
            percent: vec![None; drives.len()],
            control,
            listener,
        };
        for test in self_tests(&opened(&drives), kind, &mut watch) {
            (watch.listener)(Event::SelfTestEnded(Box::new(test.clone())));
            burn_in.self_tests.push(test);
        }
    }
}

/// The drives, held open. A node that is another device by now is none of them.
fn opened(drives: &[(u32, BlockDevice)]) -> Vec<SelfTestTarget> {
    // sysfs has `!` where a name has `/`.
    let path = |drive: &BlockDevice| Path::new("/dev").join(drive.name.replace('!', "/"));
    let paths = drives.iter().map(|(target, drive)| (*target, path(drive)));
    let targets = SelfTestTarget::open_all(&System::host(), &paths.collect::<Vec<_>>());
    let checked = targets.into_iter().zip(drives).map(|(target, (_, drive))| {
        let is_it = |tester: &SelfTester| tester.number() == drive.number;
        let name = &drive.name;
        SelfTestTarget {
            disk: name.clone(),
            tester: target.tester.and_then(|tester| match is_it(&tester) {
                true => Ok(tester),
                false => Err(text!("/dev/{name} is another device now")),
            }),
            ..target
        }
    });
    checked.collect()
}

/// Tells how far drives are, and ends their tests with the run.
struct TestWatch<'a> {
    kind: SelfTestKind,
    /// Of each drive; `None` where it does not say.
    percent: Vec<Option<u8>>,
    control: &'a Control,
    listener: &'a mut dyn FnMut(Event),
}

impl SelfTestWatch for TestWatch<'_> {
    fn progress(&mut self, index: usize, percent: Option<u8>) {
        self.percent[index] = percent;
        (self.listener)(Event::SelfTesting {
            kind: self.kind,
            drives: self.percent.len(),
            percent: self.percent.iter().flatten().min().copied(),
        });
    }

    fn is_stopped(&mut self) -> bool {
        self.control.is_cancelled()
    }
}
