//! Prints what a disk answers: `cargo run -p sokudo-device --example interrogate /dev/sda`.

#![expect(clippy::print_stdout, reason = "printing is all that it does")]

use std::path::Path;

use sokudo_device::{System, interrogate};

fn main() {
    for path in std::env::args().skip(1) {
        let found = interrogate(&System::host(), Path::new(&path));
        println!("{path}: {:#?}", found.identity);
        println!("{:#?}", found.health);
        println!(
            "{:?} look-ahead {:?}",
            found.write_cache, found.read_look_ahead
        );
        for (page, bytes) in &found.raw {
            println!("{page}: {} bytes", bytes.len());
        }
        println!("{:#?}", found.blind_spots);
    }
}
