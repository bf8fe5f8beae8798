use super::*;

fn wish(json: &str) -> Wish {
    serde_json::from_str(json).unwrap()
}

fn words(json: &str) -> Result<String, WishError> {
    let words = wish(json).words(Path::new("/run/job.fio"))?;
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
fn what_no_table_holds_is_refused_by_name() {
    for option in [
        "destroy",
        "destroy-contents",
        "overwrite",
        "output",
        "store",
        "plot",
        "lang",
        "write-back",
        "file",
    ] {
        for form in methods() {
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
fn names_are_unique_and_choices_begin_with_the_default() {
    for form in methods() {
        let mut names: Vec<&str> = form.options().map(|option| option.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", form.name);
        for option in form
            .options()
            .filter(|option| option.kind == OptionKind::Choice)
        {
            assert!(!option.choices.is_empty(), "{}", option.name);
        }
    }
}

#[test]
fn every_label_of_a_form_is_said_in_japanese() {
    let labels = methods()
        .iter()
        .flat_map(|form| form.options().map(|it| it.label).chain([form.label]));
    let is_unsaid = |label: &&'static str| sokudo_words::Language::Japanese.word(label) == *label;
    let unsaid: Vec<&str> = labels.filter(is_unsaid).collect();
    assert!(unsaid.is_empty(), "{unsaid:?}");
}
