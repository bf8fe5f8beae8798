use std::path::Path;

use clap::CommandFactory;
use sokudo_page::{Wish, WishError};

use super::*;
use crate::cli::Cli;

fn forms_in(language: Language) -> Vec<MethodForm> {
    definition::hand_over(Cli::command);
    methods(language)
}

fn wish(json: &str) -> Wish {
    serde_json::from_str(json).unwrap()
}

fn words(json: &str) -> Result<String, WishError> {
    let (wish, methods) = (wish(json), forms_in(Language::English));
    let words = wish.words(wish.form(&methods)?, Path::new("/run/job.fio"))?;
    Ok(words.join(" "))
}

#[test]
fn a_wish_becomes_the_words_of_a_command_line() {
    for (json, expected) in [
        (
            r#"{"method":"mark","target":"/mnt/x","options":{"size":"1GiB","runs":5,"row":["SEQ1M,Q8","RND4K"],"read-only":true,"polled":false,"rate":""}}"#,
            "mark --read-only --row=SEQ1M,Q8 --row=RND4K --runs=5 --size=1GiB /mnt/x",
        ),
        (
            r#"{"method":"fit","target":"/mnt/x","options":{"what":"video:dpx-4k@24","runs":"6"}}"#,
            "fit --runs=6 video:dpx-4k@24 /mnt/x",
        ),
        (
            r#"{"method":"job","job":"[a]\nrw=read\n","options":{"readonly":true}}"#,
            "run --readonly /run/job.fio",
        ),
        // Consent is no word of the form: the measurer adds it.
        (
            r#"{"method":"burn-in","target":"/dev/sdb","serial":"WD-1","options":{"passes":2,"self-test":"short"}}"#,
            "burn-in --passes=2 --self-test=short /dev/sdb",
        ),
        (r#"{"method":"check"}"#, "check"),
        // What the form shows unasked is no default of the command.
        (
            r#"{"method":"matrix","target":"/mnt/x","options":{"fs":["ext4","xfs"],"loop":"4x1GiB"}}"#,
            "matrix --fs=ext4 --fs=xfs --loop=4x1GiB --method=mark --size=256MiB --runs=3 --in=/mnt/x",
        ),
        (
            r#"{"method":"matrix","target":"/mnt/x","options":{"method":"quick --size=256MiB"}}"#,
            "matrix --method=quick --size=256MiB --loop=2x1GiB --in=/mnt/x",
        ),
        (
            r#"{"method":"scan","target":"/dev/sdb","serial":"WD-1"}"#,
            "scan /dev/sdb",
        ),
    ] {
        assert_eq!(words(json), Ok(expected.to_owned()), "{json}");
    }
}

#[test]
fn what_no_form_holds_is_refused_by_name() {
    for option in [
        "destroy",
        "destroy-contents",
        "overwrite",
        "output",
        "store",
        "plot",
        "lang",
        "write-back",
        "notify",
        "resume",
        "file",
    ] {
        for form in forms_in(Language::English) {
            let json = format!(
                r#"{{"method":"{}","target":"/x","job":"[a]","options":{{"{option}":"1"}}}}"#,
                form.name
            );
            let error = words(&json).unwrap_err();
            assert!(
                matches!(&error, WishError::UnknownOption { option: named, .. } if named == option),
                "{json}: {error}"
            );
        }
    }
    let error = words(r#"{"method":"fio","target":"/x"}"#).unwrap_err();
    assert!(matches!(error, WishError::UnknownMethod { .. }));
}

#[test]
fn no_target_and_no_value_begins_an_option() {
    for target in ["", "-", "--destroy=x", "mnt", "~", "sim", "null", "./x"] {
        let json = format!(r#"{{"method":"mark","target":"{target}"}}"#);
        assert!(words(&json).is_err(), "{target}");
    }
    for (option, value) in [
        ("runs", "\"--overwrite\""),
        ("runs", "\"+5\""),
        ("size", "\"-1\""),
        ("profile", "\"--x\""),
        ("read-only", "\"yes\""),
        ("size", "true"),
        ("size", "[\"1GiB\"]"),
        ("row", "[\"a\\nb\"]"),
    ] {
        let json = format!(r#"{{"method":"mark","target":"/x","options":{{"{option}":{value}}}}}"#);
        let error = words(&json).unwrap_err();
        assert!(matches!(error, WishError::WrongValue { .. }), "{json}");
    }
    let json = r#"{"method":"fit","target":"/x","options":{"what":"--file=/etc/shadow"}}"#;
    assert!(words(json).is_err());
    let json = r#"{"method":"mark","target":"/x","options":{"label":"--overwrite"}}"#;
    assert_eq!(words(json), Ok("mark --label=--overwrite /x".to_owned()));
}

#[test]
#[rustfmt::skip]
fn forms_are_made_of_what_the_command_line_says() {
    let methods = forms_in(Language::English);
    for (method, name, kind, default, label) in [
        ("mark", "size", OptionKind::Size, "1GiB", "Size to use"),
        ("mark", "row", OptionKind::Repeated, "", "Row to measure instead of the profile"),
        ("mark", "engine", OptionKind::Choice, "auto", "Engine"),
        ("mark", "polled", OptionKind::Flag, "", "Poll the device for completions instead of waiting for its interrupts"),
        ("mark", "poisson", OptionKind::Flag, "", "start I/Os at random instants"),
        ("mark", "precision", OptionKind::Text, "", "Repeat trials until a row's ± is this small"),
        ("mark", "max-time", OptionKind::Time, "", "End after this time"),
        ("scan", "hdtune", OptionKind::Choice, "", "As HD Tune"),
        ("scan", "points", OptionKind::Number, "200", "Points of the curve"),
        ("steady", "active-range", OptionKind::Number, "75", "Percentage of the capacity to use"),
        ("fit", "what", OptionKind::Text, "etcd", "What the disk is for"),
        ("check", "wait-idle", OptionKind::Time, "", "First wait until the machine is idle"),
        ("matrix", "loop", OptionKind::Choice, "2x1GiB", "Use files as disks"),
        ("job", "pages", OptionKind::Choice, "small", "Pages of buffers"),
    ] {
        let method = methods.iter().find(|it| it.name == method).unwrap();
        let option = method.options.iter().find(|it| it.name == name).unwrap();
        let made = (option.kind, &*option.default, &*option.label);
        assert_eq!(made, (kind, default, label), "{} {name}", method.name);
    }
}

#[test]
fn every_option_that_a_remedy_points_at_is_a_field_of_mark() {
    definition::hand_over(Cli::command);
    let list = list(Language::English);
    let mark = list.forms.iter().find(|it| it.name == "mark").unwrap();
    let names = list.remedies.values();
    let names = names.filter_map(|it| it.strip_prefix("--")?.split(' ').next());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        assert!(mark.options.iter().any(|it| it.name == name), "{name}");
    }
}

#[test]
fn names_are_unique_and_every_value_that_is_offered_is_taken() {
    let cli = Cli::command();
    for form in forms_in(Language::English) {
        let mut names: Vec<&String> = form.options.iter().map(|option| &option.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", form.name);
        for option in &form.options {
            let has_choices = !option.choices.is_empty();
            assert!(has_choices || option.kind != OptionKind::Choice);
            assert!(!has_choices || option.kind != OptionKind::Flag);
            for choice in &option.choices {
                let command = cli.find_subcommand(&form.command).unwrap().clone();
                let word = format!("--{}={choice}", option.name);
                let read = command
                    .ignore_errors(false)
                    .try_get_matches_from(["", &word, "/x"]);
                let wrong = read
                    .err()
                    .filter(|it| it.kind() == clap::error::ErrorKind::ValueValidation);
                assert!(wrong.is_none(), "{} {word}: {wrong:?}", form.name);
            }
        }
    }
}

#[test]
fn every_label_of_a_form_is_said_in_japanese() {
    let of = |language| {
        let methods = methods(language);
        let labels = methods.into_iter().flat_map(|form| {
            let options = form.options.into_iter().map(|it| it.label);
            options.chain([form.group, form.about]).collect::<Vec<_>>()
        });
        labels.collect::<Vec<String>>()
    };
    let (english, japanese) = (of(Language::English), of(Language::Japanese));
    let both = english.iter().zip(&japanese);
    let unsaid: Vec<_> = both
        .filter(|(one, other)| one == other || other.is_empty())
        .collect();
    assert!(unsaid.is_empty(), "{unsaid:?}");
}
