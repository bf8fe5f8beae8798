//! What happens in a run as JSON lines, for whoever asks with `--events`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sokudo::{end, program, sokudo, split};
use crate::store_file::Store;

const DOCUMENTED: &str = include_str!("../../../../docs/EVENTS.md");

fn lines(text: &str) -> Vec<Value> {
    let line =
        |line: &str| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{line}"));
    text.lines().map(line).collect()
}

fn names(lines: &[Value]) -> BTreeSet<&str> {
    let names = lines.iter().map(|it| it["event"].as_str().unwrap());
    names.collect()
}

fn of_file(arguments: &str, path: &Path) -> (String, Vec<Value>) {
    let ended = sokudo(&format!("{arguments} --events {}", path.display()));
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    (ended.printed, lines(&fs::read_to_string(path).unwrap()))
}

#[test]
fn a_run_is_told_beside_its_table_from_its_plan_to_what_it_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let command = "mark sim:ssd --row RND4K,Q4,read --row SEQ1M,Q1,read --runs 2 --quiet";
    let (printed, told) = of_file(command, &folder.path().join("events"));
    assert!(printed.contains("RND4K Q4T1"), "{printed}");
    assert_eq!(told[0]["event"], "begun");
    assert_eq!(told[0]["schema"], "sokudo.events/1");
    assert_eq!(told[1]["event"], "planned");
    assert_eq!(told[1]["rows"].as_array().unwrap().len(), 2);
    let count = |name: &str| told.iter().filter(|it| it["event"] == name).count();
    assert_eq!(count("trial"), 4);
    assert_eq!(count("table"), 4);
    let elapsed: Vec<f64> = told[1..]
        .iter()
        .map(|it| it["elapsed"].as_f64().unwrap())
        .collect();
    assert!(elapsed.is_sorted(), "{elapsed:?}");
    // What was told last is what is printed.
    let last = told.last().unwrap();
    assert_eq!(last["event"], "done");
    // More trials may come until then.
    let is_doubted = |it: &Value| it["findings"].to_string().contains("are too few");
    assert!(is_doubted(last), "{last}");
    assert_eq!(told.iter().filter(|it| is_doubted(it)).count(), 1);
    let median = last["tables"][0]["rows"][0].to_string();
    assert!(median.contains("RND4K Q4T1"), "{last}");
}

#[test]
fn what_a_checkup_comes_to_has_the_word_of_its_answer_and_its_pictures() {
    let folder = tempfile::tempdir().unwrap();
    for (language, word) in [("en", "OK so far"), ("ja", "ここまでは OK")] {
        let command = format!("checkup sim:hdd --quiet --lang {language}");
        let (_, told) = of_file(&command, &folder.path().join(language));
        let done = told.last().unwrap();
        assert_eq!(done["answer"]["label"], word, "{done}");
        let text = done["answer"]["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("{word} (")), "{text}");
        let pictures = done["pictures"].as_array().unwrap();
        for kind in ["curve", "map", "seek"] {
            assert!(pictures.contains(&kind.into()), "{kind}: {done}");
        }
    }
}

#[test]
fn the_rate_that_is_drawn_of_a_trial_is_the_one_that_its_row_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    // A trial is shorter than what lies between two words on its rate, and its last I/O is slow.
    let command = format!(
        "mark sim:hdd --row RND4K,Q1,read --row SEQ128K,Q1,read --runs 3 --quiet --format json --output {}",
        path.display()
    );
    let (_, told) = of_file(&command, &folder.path().join("events"));
    let result: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for row in 0..2 {
        let drawn = told
            .iter()
            .filter(|it| it["event"] == "progress" && it["row"] == row);
        let drawn: Vec<f64> = drawn
            .filter_map(|it| it["mb_per_second"].as_f64())
            .collect();
        let trials = result["figures"][row]["trials"].as_array().unwrap();
        let rate = |trial: &Value| {
            let [bytes, nanos] = ["bytes", "elapsed_ns"].map(|it| trial[it].as_f64().unwrap());
            1e3 * bytes / nanos
        };
        let rates: Vec<f64> = trials.iter().map(rate).collect();
        assert_eq!(drawn.len(), rates.len());
        for (drawn, rate) in drawn.iter().zip(&rates) {
            assert!((drawn / rate - 1.0).abs() < 1e-6, "{drawn} {rate}");
        }
    }
}

#[test]
fn a_run_that_becomes_a_baseline_is_told_and_called_as_it_asks_for() {
    let store = Store::new();
    let path = store.beside("events");
    let events = path.display();
    let row = "mark sim:ssd?serial=B --row RND4K,Q1,read --time 100ms --quiet";
    store.ok(&format!(
        "baseline set --anyway -- {row} --label first --events {events}"
    ));
    let told = lines(&fs::read_to_string(&path).unwrap());
    assert_eq!(told[0]["event"], "begun");
    let last = told.last().unwrap();
    assert_eq!((&last["event"], &last["kept"]), (&"done".into(), &1.into()));
    assert_eq!(store.list("")[0]["tags"][0], "label=first");
    // Measured anew with the others, it writes nothing.
    fs::remove_file(&path).unwrap();
    store.ok("baseline set --all --anyway");
    assert!(!path.exists());
}

#[test]
fn every_event_that_is_told_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = BTreeSet::new();
    for (number, command) in [
        "scan sim:hdd --points 20 --quiet",
        "mark sim:ssd --row RND4K,Q4,read --runs 2 --quiet",
        "mark sim:const?slow_once_at=0+1GiB:40s --row RND4K,Q1,read --runs 2 --quiet",
    ]
    .iter()
    .enumerate()
    {
        let (_, told) = of_file(command, &folder.path().join(number.to_string()));
        seen.extend(names(&told).into_iter().map(str::to_owned));
        for line in &told {
            for field in line.as_object().unwrap().keys() {
                let is_known = field == "event" || DOCUMENTED.contains(&format!("`{field}`"));
                assert!(is_known, "{field} of {line}");
            }
        }
    }
    for name in &seen {
        assert!(DOCUMENTED.contains(&format!("| `{name}` |")), "{name}");
    }
    for name in [
        "planned", "trial", "progress", "places", "stuck", "table", "done",
    ] {
        assert!(seen.contains(name), "{name} of {seen:?}");
    }
}

#[test]
fn hung_io_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events");
    let disk = "sim:const?size=1GiB&hang_at=256MiB+256MiB";
    let command = format!("mark {disk} --row RND4K,Q4,read --runs 1 --time 1s --timeout 5s");
    let ended = sokudo(&format!("{command} --events {}", path.display()));
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    assert!(ended.told.contains("has not come back for"), "{ended:?}");
    let told = lines(&fs::read_to_string(&path).unwrap());
    let stuck: Vec<&Value> = told.iter().filter(|it| it["event"] == "stuck").collect();
    let first = &stuck[0]["ios"][0];
    assert_eq!(
        (&first["operation"], &first["length"]),
        (&"read".into(), &4096.into())
    );
    let offset = first["offset"].as_u64().unwrap();
    assert!((256 << 20..512 << 20).contains(&offset), "{first}");
    assert!(
        (5.0..8.0).contains(&first["seconds"].as_f64().unwrap()),
        "{first}"
    );
    assert_eq!(stuck[0]["count"], 4);
    assert!(stuck[0]["text"].as_str().unwrap().ends_with("and 3 more"));
    assert_eq!(stuck.last().unwrap()["count"], 0);
    sokudo("mark sim:const --timeout 0s").refused(2, &["at least 1s"]);
    sokudo("scan sim:hdd --resume --timeout 60s").refused(2, &["--timeout"]);
}

#[test]
fn printed_they_take_the_place_of_the_table_and_a_file_has_it_still() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("result");
    let command = "mark sim:const --runs 1 --quiet --events -";
    let told = lines(&sokudo(command).printed);
    assert_eq!(told.last().unwrap()["event"], "done");
    let both = sokudo(&format!("{command} --output {}", result.display()));
    assert_eq!(lines(&both.printed).last().unwrap()["event"], "done");
    let dashed = sokudo(&format!("{command} --output -"));
    assert_eq!(lines(&dashed.printed).last().unwrap()["event"], "done");
    assert!(fs::read_to_string(&result).unwrap().contains("SEQ1M"));
    sokudo(&format!("{command} --plot -")).refused(2, &["--events FILE"]);
}

#[test]
fn a_file_that_holds_something_or_is_measured_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine");
    fs::write(&path, vec![7; 1 << 20]).unwrap();
    let path = path.display();
    sokudo(&format!("mark sim:const --runs 1 --events {path}"))
        .refused(3, &["holds something already", "name a new file"]);
    sokudo(&format!(
        "mark {path} --row RND4K,read --runs 1 --events {path}"
    ))
    .refused(3, &["target"]);
    let left = fs::read(folder.path().join("mine")).unwrap();
    assert!(left == vec![7; 1 << 20], "it has been written");
}

#[test]
fn who_stops_reading_stops_no_run() {
    let mut command = program();
    command.args(split(
        "mark sim:ssd --row RND4K,Q4,read --runs 3 --quiet --events",
    ));
    command.arg("/dev/full");
    let ended = end(&mut command);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert_eq!(
        ended.told.matches("events are missing").count(),
        1,
        "{ended:?}"
    );
    assert!(ended.printed.contains("RND4K"), "{ended:?}");
}

#[test]
fn job_files_are_told_too() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job.fio");
    fs::write(
        &job,
        "[reads]\nioengine=null\nrw=randread\nbs=4k\nsize=1m\n",
    )
    .unwrap();
    let command = format!("run {} --runs 2 --quiet", job.display());
    let (_, told) = of_file(&command, &folder.path().join("events"));
    let names = names(&told);
    assert!(
        names.contains("planned") && names.contains("done"),
        "{names:?}"
    );
}
