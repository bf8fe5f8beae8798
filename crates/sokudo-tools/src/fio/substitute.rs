//! What stands for something else in a job file's line: `${VARIABLE}`, `$pagesize`,
//! `$mb_memory` and `$ncpus`, and the arithmetic around them.
//!
//! fio does this to lines of job files only; on the command line that is the shell's.

use crate::language::host::Host;

use super::arithmetic::evaluate;

/// fio's own limit on a line with everything put in (OPT_LEN_MAX).
const LINE_BYTES_MAX: usize = 4096;

/// The line with everything put in; `Err` says why that cannot be.
pub(super) fn substitute(line: &str, host: &dyn Host) -> Result<String, String> {
    let line = with_variables(line, host)?;
    Ok(with_keywords(line, host))
}

/// An unknown variable is nothing at all, as in fio.
fn with_variables(line: &str, host: &dyn Host) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start + 2..].find('}') else {
            break;
        };
        let name = &rest[start + 2..start + 2 + length];
        text += &rest[..start];
        text += &host.variable(name).unwrap_or_default();
        rest = &rest[start + 3 + length..];
        if text.len() > LINE_BYTES_MAX {
            break;
        }
    }
    text += rest;
    if text.len() > LINE_BYTES_MAX {
        return Err(format!(
            "the line has {} bytes with its variables; {LINE_BYTES_MAX} are read at most",
            text.len()
        ));
    }
    Ok(text)
}

fn with_keywords(line: String, host: &dyn Host) -> String {
    let keywords = [
        ("$pagesize", host.page_bytes()),
        ("$mb_memory", host.memory_bytes() >> 20),
        ("$ncpus", u64::from(host.processors())),
    ];
    if !keywords.iter().any(|(word, _)| line.contains(word)) {
        return line;
    }
    let replace = |text: String, (word, value): (&str, u64)| text.replace(word, &value.to_string());
    let line = keywords.into_iter().fold(line, replace);
    let Some((option, value)) = line.split_once('=') else {
        return line;
    };
    match evaluate(value, &|_| None) {
        Some(result) => format!("{option}={result}"),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::host::{HostPath, NoHost};

    struct Here;

    impl Host for Here {
        fn read_text(&self, path: &str) -> Result<String, String> {
            NoHost.read_text(path)
        }
        fn variable(&self, name: &str) -> Option<String> {
            (name == "SIZE").then(|| "1m".to_owned())
        }
        fn found(&self, _path: &str) -> Option<HostPath> {
            None
        }
        fn processors(&self) -> u32 {
            2
        }
        fn page_bytes(&self) -> u64 {
            4096
        }
        fn memory_bytes(&self) -> u64 {
            4105 << 20
        }
        fn seed(&self) -> u64 {
            7
        }
    }

    /// What `fio --showcmd` of 3.33 makes of the same lines.
    #[test]
    fn lines_become_what_fio_makes_of_them() {
        for (line, expected) in [
            ("size=${SIZE}", "size=1m"),
            ("size=${NONE}", "size="),
            ("size=${SIZE", "size=${SIZE"),
            ("size=10*1024*$pagesize", "size=41943040"),
            ("filename=$ncpus.x", "filename=2.x"),
            ("size=1$mb_memory", "size=14105"),
            ("size=2*4k", "size=2*4k"),
        ] {
            assert_eq!(substitute(line, &Here), Ok(expected.to_owned()), "{line}");
        }
    }

    #[test]
    fn a_line_cannot_grow_without_end() {
        assert!(substitute(&"x".repeat(5000), &Here).is_err());
        assert!(substitute(&"${SIZE}".repeat(3000), &Here).is_err());
    }
}
