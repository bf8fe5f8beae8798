//! A disk is measured, and looked at while it is.

use std::fs;

use serde_json::Value;
use sokudo_page::{MeasurerMessage, RunEvent, Wish};

use crate::http::site::{CONTROL, begin, hello};
use crate::person::Person;
use crate::story::{ENGLISH, JAPANESE, tell, tell_in};

/// Rows of `null:` that take some seconds of real time.
const SLOW_ROWS: &str = "RND4K,Q1,read\nRND4K,Q32,read\nSEQ1M,Q8,read";

/// Trials of a run that no test waits for.
pub(crate) const RUNS_WITHOUT_END: &str = "9999";

#[test]
fn a_run_shows_the_figures_of_the_command_line_and_again_when_it_is_opened() {
    tell(async |person, site| {
        let try_it = "Try it on a simulated disk";
        person.press("DisclosureTriangle", try_it).await;
        person.press("button", "sim:ssd").await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        person.unfold("All figures").await;
        let shown = person.rows("Figures").await;
        let document = site.sokudo(&["show", "1", "--format=json"]);
        let document: Value = serde_json::from_str(&document).unwrap();
        let results = document["figures"].as_array().unwrap();
        assert_eq!(shown.len(), results.len());
        for (cells, result) in shown.iter().zip(results) {
            assert_eq!(cells[0], result["name"].as_str().unwrap());
            let verdict = person.say(result["verdict"].as_str().unwrap());
            assert!(
                cells.iter().any(|cell| cell.contains(&verdict)),
                "{cells:?}"
            );
        }
        let open = person.say_of("Open as run {a}", &["1"]);
        person.press("link", &open).await;
        person
            .find("heading", &person.say_of("Run {a}", &["1"]))
            .await;
        person.unfold("All figures").await;
        assert_eq!(person.rows("Figures").await, shown);
    });
}

#[test]
fn a_run_is_measured_again_from_its_line_and_is_the_last_one_while_another_is_chosen() {
    tell_in(&[JAPANESE], async |person, _| {
        person.measure_at("sim:ssd").await;
        person.set("mark-row", "RND4K,read").await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        assert!(person.look("button", "Start now").await.is_none());
        person.press("button", "Measure again").await;
        person
            .find("link", &person.say_of("Open as run {a}", &["2"]))
            .await;
        assert!(person.look("button", "Start now").await.is_none());
        person.measure_at("sim:hdd").await;
        person.find("heading", "Last run").await;
        person.find("button", "Start now").await;
        person.press("button", "Change settings").await;
        person.find("heading", "Finished").await;
    });
}

/// What the remedy of too few trials names.
const REMEDY: &str = "Trials per row: 6";

/// Who is asked whether it is meant says no the first time.
const REFUSE_ONCE: &str = "window.confirm = (text) => {
        const isAgain = window.question !== undefined;
        window.question = text;
        return isAgain;
    };
    delete window.question;";

#[test]
fn what_fill_writes_is_asked_for_first() {
    tell_in(&[ENGLISH], async |person, site| {
        let folder = site.home_with("filled");
        person.press("tab", "fill").await;
        person.measure_at(folder.to_str().unwrap()).await;
        person.set("fill-size", "64MiB").await;
        person.set("fill-recovery", "off").await;
        person.read(REFUSE_ONCE, Vec::new()).await;
        person.press("button", "Start now").await;
        let question = "return window.question ?? null";
        let look = async || Some(person.read(question, Vec::new()).await).filter(Value::is_string);
        let question = person.wait("a question", look).await;
        assert!(question.as_str().unwrap().contains("67 MB"), "{question}");
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    });
}

#[test]
fn a_simulated_disk_is_burnt_in_and_a_disk_that_nobody_named_is_not() {
    tell_in(&[JAPANESE], async |person, _| {
        person.press("tab", "burn-in").await;
        person.measure_at("sim:ssd?size=1GiB").await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        person.sees("OK").await;
        let has_medium = |it: &fs::DirEntry| {
            fs::read_to_string(it.path().join("size")).is_ok_and(|it| it.trim() != "0")
        };
        let mut devices = fs::read_dir("/sys/block").unwrap().flatten();
        let Some(device) = devices.find(has_medium) else {
            return eprintln!("SKIPPED: the machine has no disk");
        };
        let device = format!("/dev/{}", device.file_name().display());
        person.measure_at(&device).await;
        person.sees("--allow-destroy").await;
        let start = person.find("button", "Start now").await;
        assert!(!start.is_enabled().await.unwrap());
    });
}

#[test]
fn a_request_that_hangs_is_named_until_it_comes_back() {
    tell_in(&[ENGLISH], async |person, _| {
        let nothing = br#"{"runs":[],"disks":[]}"#;
        let page = begin(hello(), |_| (true, "application/json", nothing.to_vec())).unwrap();
        let address = format!("http://localhost:{}/#t={CONTROL}", page.port);
        let guest = Person::at(person.browser, &address).await;
        page.tell(&MeasurerMessage::Began {
            run: 1,
            wish: Wish::default(),
            command: "sokudo mark /dev/sdx".to_owned(),
        });
        let text = "a read of 4 KiB at byte 12288 has not come back for 45 s";
        let tell = |text: &str| {
            let (ios, count, text) = (Vec::new(), usize::from(!text.is_empty()), text.to_owned());
            let event = RunEvent::Stuck { ios, count, text };
            page.tell(&MeasurerMessage::Event { run: 1, event });
        };
        tell(text);
        guest.sees(text).await;
        tell("");
        let is_gone = async || (!guest.text().await.contains(text)).then_some(());
        guest.wait("what hung to be gone", is_gone).await;
        guest.leave().await;
        // The story is of another page, too.
        person.turn().await;
        person.browser.asked().await;
        person.browser.client.refresh().await.unwrap();
        person.find("button", "Start now").await;
    });
}

#[test]
fn what_a_remedy_names_is_opened_in_the_form_and_starts_nothing() {
    tell_in(&[ENGLISH], async |person, _| {
        person.measure_at("sim:ssd").await;
        person.set("mark-row", "RND4K,read").await;
        person.set("mark-runs", "2").await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        person.press("button", REMEDY).await;
        let focused = "return [document.activeElement.id, document.activeElement.value]";
        let focused = person.read(focused, Vec::new()).await;
        assert_eq!(focused, serde_json::json!(["mark-runs", "6"]));
        person.find("button", "Start now").await;
    });
}

#[test]
fn a_directory_is_browsed_to_measured_and_left_as_it_was() {
    tell_in(&[JAPANESE], async |person, site| {
        let strange = site.home_with("<img src=x onerror=alert(1)>");
        person.press("button", "Browse").await;
        person
            .press("button", strange.file_name().unwrap().to_str().unwrap())
            .await;
        person.press("button", "Measure here").await;
        person.set("mark-size", "16MiB").await;
        person.set("mark-runs", "1").await;
        person.set("mark-row", "RND4K").await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        person.unfold("All figures").await;
        assert_eq!(person.rows("Figures").await.len(), 2);
        person.sees(strange.to_str().unwrap()).await;
        assert_eq!(fs::read_dir(strange).unwrap().count(), 0);
    });
}

#[test]
fn rows_arrive_in_every_tab_after_a_reload_too_until_somebody_stops_the_run() {
    tell_in(&[ENGLISH], async |person, site| {
        start_slowly(person).await;
        person.find("heading", "Measuring").await;
        let before = rows_at_least(person, 1).await;
        person.browser.client.refresh().await.unwrap();
        person.find("heading", "Measuring").await;
        rows_at_least(person, before).await;
        person.find("progressbar", "Progress").await;

        let other = Person::at(person.browser, &site.origin()).await;
        other.find("heading", "Measuring").await;
        rows_at_least(&other, before).await;

        // Who leaves does not end the run.
        person.turn().await;
        person.go("about:blank").await;
        other.turn().await;
        rows_at_least(&other, 3).await;
        other.press("button", "Stop").await;
        other.find("heading", "Stopped early").await;
        other.leave().await;

        person.turn().await;
        person.go(&site.origin()).await;
        person.find("heading", "Stopped early").await;
        rows_at_least(person, 3).await;
        person.find("button", "Measure again").await;
    });
}

#[test]
fn the_curve_of_a_surface_grows_while_it_is_read() {
    tell_in(&[JAPANESE], async |person, site| {
        // Holes are read at the speed of memory: a trial takes a second or some.
        let file = site.file(16 << 30);
        person.press("tab", "scan").await;
        person.measure_at(file.to_str().unwrap()).await;
        person.set("scan-points", "16").await;
        person.set("scan-sample", "1GiB").await;
        person.set("scan-runs", "20").await;
        person.press("button", "Start now").await;
        let (few, drawn) = curve(person, 0, "").await;
        let (more, drawn) = curve(person, few, &drawn).await;
        curve(person, more, &drawn).await;
        person.press("button", "Stop").await;
        person.find("heading", "Stopped early").await;
    });
}

/// Only root makes file systems.
#[test]
fn the_table_of_a_matrix_fills_cell_by_cell() {
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED: a matrix on the page needs root");
    }
    tell(async |person, site| {
        let folder = site.home_with("disks");
        person.measure_at(folder.to_str().unwrap()).await;
        person.press("tab", "matrix").await;
        for file_system in ["ext2", "ext4"] {
            person.press("checkbox", file_system).await;
        }
        person.press("DisclosureTriangle", "More settings").await;
        person.choose("matrix-loop", "1x1GiB").await;
        person.choose("matrix-method", "quick --size=256MiB").await;
        person.sees("--fs=ext2").await;
        person.press("button", "Start now").await;
        cells_measured(person, 1).await;
        cells_measured(person, 2).await;
        person.press("button", "Stop").await;
        person.find("heading", "Stopped early").await;
        cells_measured(person, 2).await;
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    });
}

/// Waits until so many cells of a matrix have figures.
async fn cells_measured(person: &Person<'_>, count: usize) {
    let look = async || {
        let rows = person.rows("Figures").await;
        let is_measured = |cells: &&Vec<String>| {
            let mut figures = cells.iter().skip(1);
            figures.any(|cell| cell.chars().any(|sign| sign.is_ascii_digit()))
        };
        (rows.iter().filter(is_measured).count() >= count).then_some(())
    };
    person.wait(&format!("{count} cells"), look).await;
}

/// Starts a run that goes on until it is stopped.
pub(crate) async fn start_slowly(person: &Person<'_>) {
    person.measure_at("null:").await;
    person.set("mark-row", SLOW_ROWS).await;
    person.set("mark-runs", RUNS_WITHOUT_END).await;
    person.press("button", "Start now").await;
}

/// Waits for so many rows of figures: how many there are.
async fn rows_at_least(person: &Person<'_>, count: usize) -> usize {
    person.unfold("All figures").await;
    let look = async || Some(person.rows("Figures").await.len()).filter(|rows| *rows >= count);
    person.wait(&format!("{count} rows"), look).await
}

/// Waits until the curve has more places than `places`, and looks other than `drawn`: how many, and
/// how it looks.
async fn curve(person: &Person<'_>, places: u64, drawn: &str) -> (u64, String) {
    let title = person.say("Transfer rate and access time over position");
    let script = "const picture = [...document.querySelectorAll('[role=img]')]
            .find((node) => node.getAttribute('aria-label').startsWith(arguments[0]));
        const canvas = picture?.querySelector('canvas');
        return canvas ? [picture.getAttribute('aria-label'), canvas.toDataURL()] : null;";
    let look = async || {
        let seen = person.read(script, vec![title.clone().into()]).await;
        let (label, looks): (String, String) = serde_json::from_value(seen).ok()?;
        let count = label.split(|sign: char| !sign.is_ascii_digit());
        let count = count.filter_map(|digits| digits.parse().ok()).next()?;
        (count > places && looks != drawn).then_some((count, looks))
    };
    person
        .wait(&format!("a curve of more than {places} places"), look)
        .await
}
