//! Has drives test themselves, and prints what came of it:
//! `cargo run -p sokudo-device --example self_test -- short|extended|look DEVICE…`.
//! `look` begins nothing.

#![expect(clippy::print_stdout, reason = "the results are what it is for")]

use std::path::PathBuf;
use std::process::ExitCode;

use sokudo_device::{SelfTestTarget, SelfTestWatch, System, self_tests};
use sokudo_model::{SelfTest, SelfTestKind};

struct Printing;

impl SelfTestWatch for Printing {
    fn progress(&mut self, index: usize, percent: Option<u8>) {
        println!("progress: {index} {percent:?}");
    }

    fn is_stopped(&mut self) -> bool {
        false
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let kind = match arguments.next().as_deref() {
        Some("short") => Some(SelfTestKind::Short),
        Some("extended") => Some(SelfTestKind::Extended),
        Some("look") => None,
        _ => return ExitCode::from(2),
    };
    let paths: Vec<(u32, PathBuf)> = (0..).zip(arguments.map(PathBuf::from)).collect();
    let targets = SelfTestTarget::open_all(&System::host(), &paths);
    let Some(kind) = kind else {
        targets.iter().for_each(print_state);
        return ExitCode::SUCCESS;
    };
    for test in self_tests(&targets, kind, &mut Printing) {
        print_test(&test);
    }
    ExitCode::SUCCESS
}

fn print_state(target: &SelfTestTarget) {
    let told = target.tester.as_ref().map(|tester| {
        let short = tester.expected(SelfTestKind::Short);
        let extended = tester.expected(SelfTestKind::Extended);
        (short, extended, tester.progress())
    });
    println!("{}: {told:?}", target.disk);
}

fn print_test(test: &SelfTest) {
    println!(
        "{}: {:?} {:?} in {}, first error {:?}, note: {}",
        test.disk,
        test.kind,
        test.result,
        test.took,
        test.first_error,
        test.note
            .as_ref()
            .map_or_else(String::new, |note| note.english())
    );
}
