use sokudo_history::find::Annotations;
use sokudo_model::{HostEnvironment, ImportedRun, ImportedTarget, Origin};

use super::*;

fn recalled(source: &str) -> FoundRun {
    let run = ImportedRun {
        origin: Origin::default(),
        started_at: None,
        method: "m".to_owned(),
        command: None,
        target: ImportedTarget::default(),
        environment: HostEnvironment::default(),
        rows: Vec::new(),
    };
    FoundRun {
        source: source.to_owned(),
        id: None,
        annotations: Annotations::default(),
        run: RunDocument::from_run(&run.into()),
    }
}

#[test]
fn the_reference_comes_first_and_the_others_keep_their_order() {
    for (word, expected) in [
        (None, "a.json b.json c.json"),
        (Some("1"), "a.json b.json c.json"),
        (Some("3"), "c.json a.json b.json"),
        (Some("b.j"), "b.json a.json c.json"),
    ] {
        let mut sides = ["a.json", "b.json", "c.json"].map(recalled);
        reference_first(&mut sides, word).unwrap();
        let names: Vec<&str> = sides.iter().map(|side| side.source.as_str()).collect();
        assert_eq!(names.join(" "), expected);
    }
    for word in ["0", "4", "d.json"] {
        let mut sides = ["a.json", "b.json"].map(recalled);
        assert!(reference_first(&mut sides, Some(word)).is_err(), "{word}");
    }
}
