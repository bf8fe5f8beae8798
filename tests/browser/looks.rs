//! Every view, light and dark, narrow and wide: for everybody, and never wider than the window.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::accessibility::barriers;
use crate::measuring::start_slowly;
use crate::person::{LOOK_EVERY, Person};
use crate::story::{ENGLISH, tell};

/// Widths of windows, from a small telephone to a large screen.
const WIDTHS: [u32; 4] = [360, 768, 1280, 2560];

/// The first that reach beyond the window, where the page can be moved sideways.
const TOO_WIDE: &str = "const root = document.documentElement;
    const isWide = (node) => node.getBoundingClientRect().right > root.clientWidth;
    return root.scrollWidth <= root.clientWidth ? []
        : [...document.querySelectorAll('body *')].filter(isWide).slice(0, 5).map((node) => node.outerHTML.slice(0, 200));";

/// Pictures follow the width of the window; none takes longer to.
const SETTLING_MAX: Duration = Duration::from_secs(10);

#[test]
fn every_view_is_for_everybody_and_never_wider_than_its_window() {
    tell(async |person, site| {
        let theme = if site.language == ENGLISH {
            "dark"
        } else {
            "light"
        };
        for arguments in [
            ["scan", "sim:hdd"],
            ["mark", "sim:ssd"],
            ["sweep", "sim:ssd"],
            ["mark", "sim:ssd"],
        ] {
            site.sokudo(&[&arguments[..], &["--quiet"]].concat());
        }
        let mut wrong = Vec::new();
        for place in ["#history", "#run=1", "#run=3", "#run=4", "#compare=2,4"] {
            person.go(&format!("{}/{place}", site.origin())).await;
            if place == "#run=4" {
                person.unfold("All figures").await;
            }
            person.find("table", table_of(place)).await;
            wrong.extend(faults(person, theme, place).await);
        }
        person.go(&site.origin()).await;
        for tab in ["mark", "scan", "run"] {
            person.press("tab", tab).await;
            person.press("DisclosureTriangle", "More settings").await;
            wrong.extend(faults(person, theme, tab).await);
        }
        person.press("tab", "mark").await;
        start_slowly(person).await;
        person.unfold("All figures").await;
        person.find("table", "Figures").await;
        person.add_to_queue("sim:ssd").await;
        person.find("heading", "Queue").await;
        wrong.extend(faults(person, theme, "a run that goes on").await);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// The table without which a view is not there yet.
fn table_of(place: &str) -> &'static str {
    match place {
        "#history" => "Kept runs, the newest first",
        "#run=3" => "Rate by block size",
        "#compare=2,4" => "Comparison",
        _ => "Figures",
    }
}

/// What is wrong with a view in a theme and in one of the widths.
async fn faults(person: &Person<'_>, theme: &str, view: &str) -> Vec<String> {
    let choice = person.find("combobox", "Colours").await;
    choice.select_by_value(theme).await.unwrap();
    let found = barriers(person).await;
    let mut wrong: Vec<String> = found
        .iter()
        .map(|it| format!("{view}, {theme}: {it}"))
        .collect();
    let browser = person.browser;
    for width in WIDTHS {
        let size =
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        browser
            .tool("Emulation.setDeviceMetricsOverride", &size)
            .await;
        let wide = too_wide(person).await;
        wrong.extend(
            wide.iter()
                .map(|it| format!("{view}, wider than {width}: {it}")),
        );
    }
    browser
        .tool("Emulation.clearDeviceMetricsOverride", &json!({}))
        .await;
    wrong
}

/// What makes the page wider than its window once pictures have followed it.
async fn too_wide(person: &Person<'_>) -> Vec<String> {
    let started = Instant::now();
    loop {
        let wide: Vec<String> =
            serde_json::from_value(person.read(TOO_WIDE, Vec::new()).await).unwrap();
        if wide.is_empty() || started.elapsed() > SETTLING_MAX {
            return wide;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
