//! Looks once a second at what goes on beside a run, in a thread of its own: a drive may let
//! whoever asks it wait.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sokudo_model::{Course, CourseMoment, Nanos, TargetInfo};
use sokudo_sys::nvme::{NvmeCommand, ask_nvme};

use super::limits::{LimitsSeen, limits};
use crate::block;
use crate::disk::bus::numbered;
use crate::disk::{IoPhase, Reading, Thermometer};
use crate::interrogate::{self, Protocol};
use crate::processors::frequency_policies;
use crate::system::{self, System};

/// Between two questions to a drive while I/O is measured. It answers with a log page, which it
/// makes.
const MEASURING_EVERY: Duration = Duration::from_secs(10);

/// Processors whose clocks are looked at: each is a file to read.
const PROCESSORS_MAX: usize = 16;

/// Drives that are asked for their power state, each by a command.
const DRIVES_MAX: usize = 16;

/// Looks until it is dropped.
pub(super) struct CourseWatch {
    monitor: DriveMonitor,
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// What is seen of drives and processors beside a run, shared by whoever takes part in it.
#[derive(Clone)]
pub struct DriveMonitor(Arc<Shared>);

struct Shared {
    since: Instant,
    is_measuring: AtomicBool,
    seen: Mutex<Observations>,
}

#[derive(Default)]
struct Observations {
    course: Course,
    limits: LimitsSeen,
    /// What the drives said last, and when.
    reading: Option<(Nanos, Reading)>,
}

impl DriveMonitor {
    /// Since the run was made ready.
    pub fn now(&self) -> Nanos {
        self.0.since.elapsed().into()
    }

    /// I/O is measured from now on, or is no more: drives that may be disturbed then are left alone.
    pub fn set_measuring(&self, is_measuring: bool) {
        self.0.is_measuring.store(is_measuring, Ordering::Relaxed);
    }

    /// What the drives said last, and when.
    pub fn reading(&self) -> Option<(Nanos, Reading)> {
        self.seen(|seen| seen.reading)
    }

    fn seen<T>(&self, look: impl FnOnce(&mut Observations) -> T) -> T {
        look(&mut self.0.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_measuring(&self) -> bool {
        self.0.is_measuring.load(Ordering::Relaxed)
    }
}

impl CourseWatch {
    /// `None` where no thread can be had.
    pub(super) fn begin(system: &System, target: &TargetInfo) -> Option<Self> {
        let monitor = DriveMonitor(Arc::new(Shared {
            since: Instant::now(),
            is_measuring: AtomicBool::new(false),
            seen: Mutex::default(),
        }));
        let mut looker = Looker {
            monitor: monitor.clone(),
            limited: (system.clone(), target.clone()),
            thermometer: Thermometer::find(system, target),
            drives: nvme_drives(system, target),
            requested_at: None,
            clocks: clocks(system),
            throttles: throttles(system),
            throttled: None,
        };
        let (stop, stopped) = channel();
        let look = move || {
            loop {
                let every = Duration::from(looker.look());
                match stopped.recv_timeout(every) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        let thread = thread::Builder::new().name("sokudo-beside".to_owned());
        Some(Self {
            monitor,
            stop,
            thread: thread.spawn(look).ok()?,
        })
    }

    pub(super) fn monitor(&self) -> DriveMonitor {
        self.monitor.clone()
    }

    /// What was seen, the course `None` where nothing is to be seen of it. A drive that does not
    /// answer is not waited for.
    pub(super) fn end(self) -> (Option<Course>, LimitsSeen) {
        drop(self.stop);
        if self.thread.is_finished() {
            // A panic of that thread has been told.
            let _ = self.thread.join();
        }
        let Observations { course, limits, .. } = self.monitor.seen(std::mem::take);
        (course.has_figures().then_some(course), limits)
    }
}

/// What the thread knows.
struct Looker {
    monitor: DriveMonitor,
    /// Whose limits of control groups are looked at.
    limited: (System, TargetInfo),
    thermometer: Option<Thermometer>,
    /// NVMe drives, which tell their power state.
    drives: Vec<File>,
    /// When they were asked last while I/O was measured.
    requested_at: Option<Instant>,
    /// Files of clocks in kHz.
    clocks: Vec<PathBuf>,
    /// Files that count how often a processor was slowed down by heat.
    throttles: Vec<PathBuf>,
    /// What they had counted at the look before.
    throttled: Option<u64>,
}

impl Looker {
    /// Looks, and says when to look again.
    fn look(&mut self) -> Nanos {
        let at = self.monitor.now();
        let measuring = self.monitor.is_measuring();
        let (reading, power_state) = match !measuring || self.is_time() {
            true => self.ask(measuring),
            false => (None, None),
        };
        let moment = CourseMoment {
            at,
            measuring,
            celsius: reading.map(|reading| reading.celsius),
            power_state,
            cpu_mhz: self.clock(),
            cpu_throttles: self.new_throttles(),
        };
        let limits = limits(&self.limited.0, &self.limited.1);
        self.monitor.seen(|seen| {
            seen.limits.note(at, limits);
            if let Some(reading) = reading {
                seen.reading = Some((at, reading));
            }
            seen.course.add(moment);
            seen.course.every
        })
    }

    /// Whether drives may be asked while I/O is measured.
    fn is_time(&self) -> bool {
        self.requested_at
            .is_none_or(|at| at.elapsed() >= MEASURING_EVERY)
    }

    /// What drives say that are not disturbed by the question.
    fn ask(&mut self, measuring: bool) -> (Option<Reading>, Option<u8>) {
        let moment = match measuring {
            true => IoPhase::Measuring,
            false => IoPhase::Between,
        };
        if measuring {
            self.requested_at = Some(Instant::now());
        }
        let thermometer = self.thermometer.as_ref();
        let states = self
            .drives
            .iter()
            .filter(|_| measuring)
            .filter_map(power_state);
        (
            thermometer.and_then(|thermometer| thermometer.read(moment)),
            states.max(),
        )
    }

    /// The mean, in MHz.
    fn clock(&self) -> Option<u32> {
        let clocks = self.clocks.iter().filter_map(system::number);
        let (sum, count) = clocks.fold((0u64, 0u64), |(sum, count), clock| {
            (sum.saturating_add(clock), count + 1)
        });
        u32::try_from(sum.checked_div(count)? / 1_000).ok()
    }

    fn new_throttles(&mut self) -> u64 {
        if self.throttles.is_empty() {
            return 0;
        }
        let now = self.throttles.iter().filter_map(system::number).sum();
        let before = self.throttled.replace(now);
        before.map_or(0, |before| now.saturating_sub(before))
    }
}

/// Those of the target that may be asked.
fn nvme_drives(system: &System, target: &TargetInfo) -> Vec<File> {
    let leaves = target.leaves().take(DRIVES_MAX);
    let directories = leaves.filter_map(|leaf| block::directory_of_number(system, &leaf.number));
    let disks = directories.map(|directory| block::disk(&directory));
    let nvme = disks.filter(|disk| interrogate::protocol(disk) == Ok(Protocol::Nvme));
    let open = |disk: PathBuf| interrogate::open_disk(system, &disk, Path::new("")).ok();
    nvme.filter_map(open).collect()
}

fn power_state(drive: &File) -> Option<u8> {
    let answer = ask_nvme(drive, &NvmeCommand::power_state()).ok()?;
    u8::try_from(answer.result & 0x1f).ok()
}

/// cpufreq's policies; on many processors the first of them.
fn clocks(system: &System) -> Vec<PathBuf> {
    let policies = frequency_policies(system).take(PROCESSORS_MAX);
    let files = policies.map(|it| system.path(it).join("scaling_cur_freq"));
    files.collect()
}

/// Counters of processor packages.
fn throttles(system: &System) -> Vec<PathBuf> {
    let processors = "sys/devices/system/cpu";
    let names = system.names(processors).into_iter();
    let names = names.filter(|name| numbered(name, "cpu"));
    names
        .map(|name| {
            system
                .path(processors)
                .join(name)
                .join("thermal_throttle/core_throttle_count")
        })
        .filter(|file| file.exists())
        .take(PROCESSORS_MAX)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use sokudo_model::TargetKind;

    use super::*;

    #[test]
    fn clocks_and_throttles_of_an_invented_machine_are_seen() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Nobody sees half of it.
            let whole = path.with_extension("new");
            fs::write(&whole, text).unwrap();
            fs::rename(whole, path).unwrap();
        };
        let cpu = "sys/devices/system/cpu";
        put(
            &format!("{cpu}/cpufreq/policy0/scaling_cur_freq"),
            "1000000\n",
        );
        put(
            &format!("{cpu}/cpufreq/policy1/scaling_cur_freq"),
            "3000000\n",
        );
        put(
            &format!("{cpu}/cpu0/thermal_throttle/core_throttle_count"),
            "5\n",
        );
        put(
            &format!("{cpu}/cpuidle/thermal_throttle/core_throttle_count"),
            "9\n",
        );
        let system = System::at(root.path());
        let target = TargetInfo::new("x", TargetKind::File);
        let watch = CourseWatch::begin(&system, &target).unwrap();
        let monitor = watch.monitor();
        let seen = |is_it: fn(&CourseMoment) -> bool| {
            let give_up = Instant::now() + Duration::from_secs(60);
            loop {
                let found = |seen: &mut Observations| {
                    let mut moments = seen.course.moments.iter();
                    moments.find(|moment| is_it(moment)).copied()
                };
                if let Some(moment) = monitor.seen(found) {
                    return moment;
                }
                assert!(Instant::now() < give_up, "nobody looks");
                thread::sleep(Duration::from_millis(20));
            }
        };
        let first = seen(|_| true);
        monitor.set_measuring(true);
        let measuring = seen(|moment| moment.measuring);
        put(
            &format!("{cpu}/cpu0/thermal_throttle/core_throttle_count"),
            "8\n",
        );
        let slowed = seen(|moment| moment.cpu_throttles > 0);
        assert_eq!(
            (first.measuring, first.cpu_mhz, first.cpu_throttles),
            (false, Some(2_000), 0)
        );
        assert_eq!((slowed.measuring, slowed.cpu_throttles), (true, 3));
        for [before, after] in [[first, measuring], [measuring, slowed]] {
            assert!(after.at.0 - before.at.0 >= 1_000_000_000);
        }
        assert_eq!(first.celsius, None);
        assert!(watch.end().0.unwrap().moments.contains(&slowed));
    }
}
