//! The page without a mouse.

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use serde_json::json;

use crate::measuring::RUNS_WITHOUT_END;
use crate::person::Person;
use crate::story::{ENGLISH, JAPANESE, tell_in};

/// More than a page has.
const STOPS_MAX: usize = 200;

#[test]
fn a_disk_is_measured_and_its_run_opened_by_keyboard_alone() {
    tell_in(&[JAPANESE], async |person, _| {
        person.find("button", "Start now").await;
        // Kept for the next visit: a run that ends when it is stopped.
        person.set("mark-runs", RUNS_WITHOUT_END).await;
        person.browser.client.refresh().await.unwrap();
        person.find("button", "Start now").await;
        person.sees("connected").await;
        key(person, Key::Tab).await;
        is_at(person, "link", "Skip to the content").await;
        key(person, Key::Enter).await;
        go_to(person, "textbox", "Directory, file or device").await;
        write(person, "null:").await;
        key(person, Key::Enter).await;
        go_to(person, "tab", "mark").await;
        key(person, Key::Right).await;
        is_at(person, "tab", "scan").await;
        key(person, Key::Left).await;
        is_at(person, "tab", "mark").await;
        go_to(person, "button", "Start now").await;
        key(person, Key::Enter).await;
        person.find("heading", "Measuring").await;
        person.find("DisclosureTriangle", "All figures").await;
        // The form has folded, and the focus has gone to the line that it left.
        is_at(person, "button", "Stop").await;
        write(person, " ").await;
        person.find("heading", "Stopped early").await;
        let open = person.say_of("Open as run {a}", &["1"]);
        go_to(person, "link", &open).await;
        key(person, Key::Enter).await;
        person
            .find("heading", &person.say_of("Run {a}", &["1"]))
            .await;
        go_to(person, "link", "All runs").await;
        key(person, Key::Enter).await;
        go_to(person, "checkbox", &person.say_of("Choose run {a}", &["1"])).await;
        write(person, " ").await;
        go_to(person, "link", "Report of the selected runs").await;
    });
}

#[test]
fn what_is_typed_replaces_a_target_that_is_offered_meanwhile() {
    tell_in(&[ENGLISH], async |person, _| {
        // With a session: a page that is opened by its whole address loads twice.
        person.find("button", "Start now").await;
        let script = json!({ "source": OFFERED_LATE });
        let late = "Page.addScriptToEvaluateOnNewDocument";
        let late = person.browser.tool(late, &script).await;
        person.browser.client.refresh().await.unwrap();
        go_to(person, "textbox", "Directory, file or device").await;
        person.read("offer()", Vec::new()).await;
        let typed = "return document.getElementById('path').value";
        let offered = async || Some(person.read(typed, Vec::new()).await).filter(|it| it != "");
        person.wait("a target that is offered", offered).await;
        for sign in "null:".chars() {
            press(person, sign).await;
        }
        assert_eq!(person.read(typed, Vec::new()).await, "null:");
        let remove = "Page.removeScriptToEvaluateOnNewDocument";
        person.browser.tool(remove, &late).await;
    });
}

/// Keeps the directory to begin with back until `offer` is called.
const OFFERED_LATE: &str = "const ask = fetch;
    const late = new Promise((offer) => { globalThis.offer = offer; });
    globalThis.fetch = async (asked, how) => {
        if (String(asked).includes('/api/folders')) await late;
        return ask(asked, how);
    };";

/// Presses a key and lets it go.
async fn key(person: &Person<'_>, key: Key) {
    press(person, key.into()).await;
}

async fn press(person: &Person<'_>, value: char) {
    let down = KeyAction::Down { value };
    let actions = KeyActions::new("keyboard".to_owned()).then(down);
    let actions = actions.then(KeyAction::Up { value });
    person
        .browser
        .client
        .perform_actions(actions)
        .await
        .unwrap();
}

/// Writes over what is in the field that has the focus.
async fn write(person: &Person<'_>, text: &str) {
    person
        .read("document.activeElement.select?.()", Vec::new())
        .await;
    for sign in text.chars() {
        press(person, sign).await;
    }
}

/// Goes on with Tab to what has a role and a name. Each stop on the way can be seen.
async fn go_to(person: &Person<'_>, role: &str, name: &str) {
    // What cannot be pressed yet is no stop of the keyboard.
    let look = async || {
        let element = person.look(role, name).await?;
        element.is_enabled().await.ok()?.then_some(())
    };
    let what = format!("the {role} {name:?} to be enabled");
    person.wait(&what, look).await;
    let mut stops = Vec::new();
    for _ in 0..STOPS_MAX {
        key(person, Key::Tab).await;
        let stop = person.read(STOP, Vec::new()).await;
        let seen = |name: &str| stop[name] == json!(true);
        assert!(seen("is_outlined") && seen("is_in_sight"), "{stop}");
        if has_focus(person, role, name).await.is_some() {
            return;
        }
        stops.push(stop["text"].clone());
    }
    panic!("Tab does not come to the {role} {name:?}, but to {stops:#?}");
}

/// Where the focus is, and whether a person sees that.
const STOP: &str = "const node = document.activeElement;
    const style = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    const isPage = node === document.body;
    const isInSight = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    return {
        text: node.outerHTML.slice(0, 120),
        is_outlined: isPage || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0),
        is_in_sight: isPage || isInSight,
    };";

/// The focus is at what has a role and a name.
async fn is_at(person: &Person<'_>, role: &str, name: &str) {
    let look = async || has_focus(person, role, name).await;
    person
        .wait(&format!("the focus at the {role} {name:?}"), look)
        .await;
}

async fn has_focus(person: &Person<'_>, role: &str, name: &str) -> Option<()> {
    let element = person.browser.client.active_element().await.ok()?;
    person.is(&element, role, name).await?.then_some(())
}
