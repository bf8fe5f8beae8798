//! Every view, light and dark, narrow and wide: for everybody, and never wider than the window.

use serde_json::json;

use crate::accessibility::is_for_everybody;
use crate::measuring::start_slowly;
use crate::person::Person;
use crate::story::tell;

/// Widths of windows, from a small telephone to a large screen.
const WIDTHS: [u32; 4] = [360, 768, 1280, 2560];

#[test]
fn every_view_is_for_everybody_and_never_wider_than_its_window() {
    tell(async |person, site| {
        for arguments in [
            ["scan", "sim:hdd"],
            ["mark", "sim:ssd"],
            ["sweep", "sim:ssd"],
            ["mark", "sim:ssd"],
        ] {
            site.sokudo(&[&arguments[..], &["--quiet"]].concat());
        }
        for place in ["#history", "#run=1", "#run=3", "#run=4", "#compare=2,4"] {
            person.go(&format!("{}/{place}", site.origin())).await;
            person.find("link", "History").await;
            settled(person).await;
            looks_well(person, place).await;
        }
        person.go(&site.origin()).await;
        for tab in ["Mark", "Surface", "fio job"] {
            person.press("tab", tab).await;
            person.press("DisclosureTriangle", "More settings").await;
            looks_well(person, tab).await;
        }
        person.press("tab", "Mark").await;
        person.set("mark-profile", "").await;
        start_slowly(person).await;
        person.find("table", "Figures").await;
        person.add_to_queue("sim:ssd").await;
        person.find("heading", "Queue").await;
        looks_well(person, "a run that goes on").await;
        person.press("button", "Stop").await;
    });
}

/// In both themes and in every width.
async fn looks_well(person: &Person<'_>, view: &str) {
    for theme in ["dark", "light"] {
        let choice = person.find("combobox", "Colours").await;
        choice.select_by_value(theme).await.unwrap();
        is_for_everybody(person, &format!("{view}, {theme}")).await;
    }
    for width in WIDTHS {
        let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        person.browser.tool("Emulation.setDeviceMetricsOverride", &size).await;
        let script = "const root = document.documentElement;
            const isWide = (node) => node.getBoundingClientRect().right > root.clientWidth;
            return root.scrollWidth <= root.clientWidth ? []
                : [...document.querySelectorAll('body *')].filter(isWide).map((node) => node.outerHTML.slice(0, 200))";
        let wide = person.read(script, Vec::new()).await;
        assert_eq!(wide, json!([]), "{view} at {width}");
    }
    person.browser.tool("Emulation.clearDeviceMetricsOverride", &json!({})).await;
}

/// Waits until all that the view asks for has come.
async fn settled(person: &Person<'_>) {
    let script = "return performance.getEntriesByType('resource').length";
    let _ = script;
    let look = async || (person.text().await.len() > 400).then_some(());
    person.wait("a view", look).await;
}
