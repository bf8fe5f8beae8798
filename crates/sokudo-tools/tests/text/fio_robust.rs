//! Whatever is written, it is read or refused.

use proptest::prelude::*;
use sokudo_model::Bytes;
use sokudo_tools::fio::{HostPath, HostPathKind, invocation, options, show_command};

use crate::host::Made;

/// A job file `x` on a machine that has something by the length of its name.
fn host(text: &str) -> Made<'_> {
    Made {
        found: Box::new(|path| {
            let kind = [HostPathKind::File, HostPathKind::BlockDevice][path.len() % 2];
            let bytes = Bytes(path.len() as u64 * 1_000_000);
            (!path.len().is_multiple_of(3)).then_some(HostPath { kind, bytes })
        }),
        variable: Box::new(|name| name.len().is_multiple_of(2).then(|| name.to_owned())),
        ..Made::default().file("x", text)
    }
}

fn read(arguments: &[String], text: &str) {
    let host = host(text);
    if let Ok(invocation) = invocation(arguments, &host) {
        let _ = show_command(&invocation);
        if let Err(error) = invocation.plan(&host) {
            assert!(!error.to_string().is_empty());
        }
    }
}

fn option() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(options().iter().flat_map(|o| o.names()).collect::<Vec<_>>())
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,20}[kmgtp%]?[ib]{0,2}",
        "[a-z_]{1,8}(:[0-9.]{1,4}){0,3}",
        "[0-9kmg/:,.%()+*-]{0,24}",
        ".{0,16}",
        proptest::sample::select(
            options()
                .iter()
                .map(|o| o.default.to_owned())
                .collect::<Vec<_>>()
        ),
    ]
}

/// The work for it grows with what is asked for, not with its square: every clone was once
/// compared with every other.
#[test]
fn as_many_clones_and_files_as_are_allowed_are_planned() {
    let text = "[a]\nsize=1g\nbs=512\nnrfiles=32\nnumjobs=4096\nexitall\nexit_what=group\n";
    let host = host(text);
    let read = invocation(&["x".to_owned()], &host).unwrap();
    let planned = read.plan(&host).unwrap();
    assert_eq!(planned.targets.len(), 1 << 17);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,400}") {
        read(&["x".to_owned()], &text);
    }

    #[test]
    fn any_options_are_read_or_refused(
        pairs in proptest::collection::vec((option(), value()), 0..12),
        size in "[1-9][0-9]{0,3}[km]",
    ) {
        let mut text = format!("[global]\nsize={size}\n[job]\n");
        let mut arguments = vec!["--name=a".to_owned(), format!("--size={size}")];
        for (name, value) in pairs {
            text += &format!("{name}={value}\n");
            arguments.push(format!("--{name}={value}"));
        }
        read(&["x".to_owned()], &text);
        arguments.push("--lenient".to_owned());
        read(&arguments, "");
    }

    #[test]
    fn any_command_line_is_read_or_refused(
        arguments in proptest::collection::vec("-{0,2}[a-z-]{0,8}(=.{0,8})?", 0..8),
    ) {
        read(&arguments, "[a]\nsize=1m\n");
    }
}

#[test]
fn files_that_include_themselves_are_refused() {
    let once = host("[a]\ninclude x\n");
    let error = invocation(&["x".to_owned()], &once).unwrap_err();
    assert!(error.to_string().contains("include"), "{error}");
    let wide = format!("[a]\n{}", "include x\n".repeat(1000));
    assert!(invocation(&["x".to_owned()], &host(&wide)).is_err());
    let doubled = host("include x\ninclude x\n");
    assert!(invocation(&["x".to_owned()], &doubled).is_err());
}
