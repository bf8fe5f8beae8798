//! Runs that were kept: listed, compared, shown and taken away.

use std::fs;

use serde_json::Value;

use crate::person::Person;
use crate::rights::only;
use crate::site::Site;
use crate::story::{ENGLISH, JAPANESE, tell, tell_in};

/// A short run of a simulated disk.
fn measure(site: &Site, target: &str, row: &str) {
    site.sokudo(&["mark", target, "--quiet", "--runs=6", "--row", row]);
}

#[test]
fn two_runs_are_compared_by_two_clicks_and_found_by_their_disk() {
    tell(async |person, site| {
        for (target, row) in [
            ("sim:ssd", "RND4K"),
            ("sim:ssd", "RND4K"),
            ("sim:hdd", "RND4K,read"),
        ] {
            measure(site, target, row);
        }
        person.press("link", "History").await;
        listed(person, &["3", "2", "1"]).await;
        person.write("searchbox", "Disk", "solid-state").await;
        listed(person, &["2", "1"]).await;
        for run in ["1", "2"] {
            person
                .press("checkbox", &person.say_of("Choose run {a}", &[run]))
                .await;
        }
        person.press("button", "Compare").await;
        person
            .find(
                "heading",
                &person.say_of("Run {a} against run {b}", &["2", "1"]),
            )
            .await;
        person.find("table", "Comparison").await;
        let rows = person.rows("Comparison").await;
        assert_eq!(rows.len(), 2, "{rows:?}");
        for cells in rows {
            let conclusion = cells.last().unwrap();
            let same = ["same", "同等"];
            let is_same = same.iter().any(|word| conclusion.contains(word));
            assert!(is_same, "{cells:?}");
        }
        person.find("link", "All runs").await;
    });
}

#[test]
fn a_run_is_marked_and_its_history_says_so() {
    tell_in(&[ENGLISH], async |person, site| {
        measure(site, "sim:ssd", "RND4K,read");
        measure(site, "sim:ssd", "RND4K,read");
        person.press("link", "History").await;
        person.press("link", "1").await;
        person.press("button", "☆ Make it the baseline").await;
        person.find("button", "★ Baseline: remove").await;
        person
            .write("textbox", "Tags, separated by commas", "desk, old\n")
            .await;
        person.sees("Saved").await;
        person.note("after the move").await;
        person.find("heading", "Trend").await;
        let marked = |cells: &[String]| {
            cells[1].starts_with('1')
                && cells[1].contains('★')
                && ["desk", "old", "after the move"]
                    .iter()
                    .all(|it| cells[8].contains(it))
        };
        let look = async || {
            person.press("link", "History").await;
            person.find("table", "Kept runs, the newest first").await;
            let rows = person.rows("Kept runs, the newest first").await;
            let found = rows.iter().any(|cells| marked(cells));
            if !found {
                person.browser.client.refresh().await.unwrap();
            }
            found.then_some(())
        };
        person.wait("what was noted", look).await;
    });
}

#[test]
fn a_run_is_taken_away_in_every_form() {
    tell_in(&[JAPANESE], async |person, site| {
        measure(site, "sim:ssd", "RND4K,read");
        person.press("link", "History").await;
        person.press("link", "1").await;
        for (name, ending) in [
            ("JSON", "json"),
            ("Markdown", "md"),
            ("PNG", "png"),
            ("SVG", "svg"),
        ] {
            person.press("link", name).await;
            let address = person.saved(ending).await;
            let bytes = std::fs::read(address.strip_prefix("file://").unwrap()).unwrap();
            match ending {
                "json" => {
                    let saved: Value = serde_json::from_slice(&bytes).unwrap();
                    let kept = site.sokudo(&["show", "1", "--format=json"]);
                    assert_eq!(saved, serde_json::from_str::<Value>(&kept).unwrap());
                }
                "md" => assert!(String::from_utf8(bytes).unwrap().contains("| RND4K Q1T1 |")),
                "png" => assert!(bytes.starts_with(b"\x89PNG\r\n")),
                _ => assert!(bytes.starts_with(b"<svg")),
            }
        }
        person.read(TAKE_NOTE, Vec::new()).await;
        person.press("button", "Copy as CrystalDiskMark").await;
        let told = vec![person.say("Copied").into()];
        let told = async || Some(person.read(WAS_TOLD, told.clone()).await).filter(|it| it == true);
        person.wait("the word that it was copied", told).await;
        person.write("textbox", "Note", "\u{e009}v\u{e000}").await;
        let pasted = person
            .read("return document.getElementById('note').value", Vec::new())
            .await;
        assert!(
            pasted.as_str().unwrap().contains("CrystalDiskMark"),
            "{pasted}"
        );

        person.press("link", "Report (HTML)").await;
        let report = person.saved("html").await;
        person.go(&report).await;
        person.sees("RND4K Q1T1").await;
        person.go(&site.origin()).await;
    });
}

#[test]
fn a_result_of_another_tool_is_imported_once_and_a_run_of_sokudos_own_is_not() {
    tell(async |person, site| {
        let corpus = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../crates/sokudo-tools/corpus/"
        );
        let corpus = fs::canonicalize(corpus).unwrap();
        let choose = async |path: &str| {
            person.press("link", "History").await;
            let chooser = fantoccini::Locator::Id("result");
            let chooser = person.browser.client.wait().for_element(chooser).await;
            chooser.unwrap().send_keys(path).await.unwrap();
        };
        for _ in 0..2 {
            choose(corpus.join("kdiskmark/1.txt").to_str().unwrap()).await;
            let run = person.say_of("Run {a}", &["1"]);
            person.find("heading", &run).await;
            person.sees("497").await;
        }
        let own = site.home_with("own").join("own.json");
        let json = site.sokudo(&["show", "1", "--format=json"]);
        fs::write(&own, json).unwrap();
        choose(own.to_str().unwrap()).await;
        person
            .sees("it is a run of sokudo's own, which the page does not take from elsewhere; use sokudo import")
            .await;
        let empty = own.with_file_name("empty.txt");
        fs::write(&empty, "nothing").unwrap();
        choose(empty.to_str().unwrap()).await;
        person.sees("empty.txt").await;
        assert!(!person.text().await.contains("/tmp"));
        listed(person, &["1"]).await;
        // What was refused is in the console as well.
        only(person, "422").await;
    });
}

/// Takes note of what the page says, however short.
const TAKE_NOTE: &str = "const said = globalThis.said = new Set();
    new MutationObserver((changes) => changes.forEach(({ target }) => said.add(target.textContent)))
        .observe(document.body, { subtree: true, childList: true, characterData: true });";
const WAS_TOLD: &str = "return [...said].some((text) => text.includes(arguments[0]))";

/// Waits until these runs are listed.
async fn listed(person: &Person<'_>, runs: &[&str]) {
    let look = async || {
        let rows = person.rows("Kept runs, the newest first").await;
        let numbers: Vec<&str> = rows.iter().map(|cells| cells[1].as_str()).collect();
        (numbers == runs).then_some(())
    };
    person.wait(&format!("the runs {runs:?}"), look).await;
}
