//! Help, from the one table of options.

use super::options::{DiskspdSupport, OPTIONS};

/// What `-?` prints, with the name that the program was called by.
pub fn help(program: &str) -> String {
    let mut text = format!(
        "Usage: {program} [options] target [target …]\n\n\
         A target is a file or a block device. Sizes take K, M, G, T (powers of 1024) or b (blocks).\n\
         Options of diskspd-for-linux and of diskspd 2.2 on Windows:\n\n"
    );
    for option in OPTIONS {
        let shown = format!("-{}{}", option.key, option.value);
        let note = match option.support {
            DiskspdSupport::Accepted => String::new(),
            DiskspdSupport::Differs(how) => format!("; {how}"),
            DiskspdSupport::NoEffect(why) => format!("; changes nothing: {why}"),
            DiskspdSupport::Refused(needs) => format!("; refused: {needs}"),
        };
        text.push_str(&format!("  {shown:<26} {}{note}\n", option.meaning));
    }
    text.push_str(&format!(
        "\nExamples:\n\
         \x20 {program} -c1G -b1M -o8 -Sd -d5 -L file      sequential reads of 1 MiB, 8 in flight\n\
         \x20 {program} -c1G -b4K -o32 -t4 -r -w30 -Sh file  random, 30 % writes, durable\n"
    ));
    text
}
