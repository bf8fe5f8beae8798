//! Who may do what, and what others have named.

use crate::measuring::start_slowly;
use crate::person::Person;
use crate::site::Site;
use crate::story::{ENGLISH, JAPANESE, tell_in};

/// Names that would do something where they are taken for more than names.
const LABEL: &str = "<img src=x onerror=window.taken=7>";
const NOTE: &str = "<script>window.taken=7</script>";

#[test]
fn who_may_only_look_sees_the_run_and_can_start_and_stop_nothing() {
    tell_in(&[ENGLISH], async |person, site| {
        start_slowly(person).await;
        person.add_to_queue("sim:ssd").await;
        person.find("heading", "Queue").await;
        // In the same browser the one key takes the place of the other.
        let guest = Person::at(person.browser, &site.look).await;
        guest.find("heading", "Measuring").await;
        guest.find("heading", "Queue").await;
        guest.unfold("All figures").await;
        guest.find("table", "Figures").await;
        guest.sees("Read-only").await;
        for name in ["Start now", "Stop"] {
            assert!(guest.look("button", name).await.is_none(), "{name}");
        }
        let drop = guest.say_of("Remove {a} from the queue", &["mark · sim:ssd"]);
        assert!(guest.look("button", &drop).await.is_none());
        // What the other window was about to ask may come with the guest's key by now.
        only(
            person,
            "/api/plan - Failed to load resource: the server responded with a status of 403",
        )
        .await;
        guest.leave().await;
    });
}

#[test]
fn without_its_key_the_page_is_a_door_and_a_page_that_ends_says_so() {
    tell_in(&[JAPANESE], async |person, site| {
        let client = &person.browser.client;
        person.find("button", "Start now").await;
        client.delete_all_cookies().await.unwrap();
        person.go(&site.origin()).await;
        person
            .find("heading", "This page needs its full address")
            .await;
        assert!(person.look("button", "Start now").await.is_none());
        only(person, "401 (Unauthorized)").await;
        // In the same tab: only what stands behind # changes.
        person.go(&site.address).await;
        person.find("button", "Start now").await;
        // The key stands neither in the address nor in what a script can read.
        assert_eq!(client.current_url().await.unwrap().fragment(), None);
        assert_eq!(person.read("return document.cookie", Vec::new()).await, "");

        let other = Site::start("en");
        let guest = Person::at(person.browser, &other.address).await;
        connection(&guest, "connected").await;
        person.browser.is_quiet().await;
        drop(other);
        connection(&guest, "lost").await;
        guest.leave().await;
        only(person, "ERR_").await;
        person.turn().await;
        person.browser.asked().await;
        client.refresh().await.unwrap();
    });
}

#[test]
fn names_are_shown_as_they_are_and_do_nothing() {
    tell_in(&[ENGLISH], async |person, site| {
        person.measure_at("sim:ssd").await;
        person.set("mark-row", "RND4K,read").await;
        person.set("mark-runs", "1").await;
        person.set("mark-label", LABEL).await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        person.sees(LABEL).await;
        let open = person.say_of("Open as run {a}", &["1"]);
        person.press("link", &open).await;
        person.note(NOTE).await;
        person.sees("Saved").await;
        is_untouched(person).await;
        person.press("link", "History").await;
        person.find("table", "Kept runs, the newest first").await;
        person.sees(LABEL).await;
        person.sees(NOTE).await;
        is_untouched(person).await;
        person
            .press("checkbox", &person.say_of("Choose run {a}", &["1"]))
            .await;
        person.press("link", "Report of the selected runs").await;
        person.go(&person.saved("html").await).await;
        person.sees(LABEL).await;
        is_untouched(person).await;
        person.go(&site.origin()).await;
    });
}

/// Nothing of a name has become an element, or has run.
async fn is_untouched(person: &Person<'_>) {
    let script = "const made = [...document.querySelectorAll('body script, body img')];
        const isTaken = (node) => node.src?.endsWith('/x') || node.text?.includes('taken');
        return [window.taken ?? 0, made.filter(isTaken).length]";
    let seen = person.read(script, Vec::new()).await;
    assert_eq!(seen, serde_json::json!([0, 0]));
}

/// Waits until the page says this of its connection.
async fn connection(person: &Person<'_>, state: &str) {
    let script = "return document.querySelector('[role=status][data-state]')?.dataset.state";
    let look = async || (person.read(script, Vec::new()).await == state).then_some(());
    person.wait(&format!("the connection {state}"), look).await;
}

/// The console holds such messages, and no others.
pub(crate) async fn only(person: &Person<'_>, part: &str) {
    let messages = person.browser.messages().await;
    assert!(
        messages.iter().all(|message| message.contains(part)),
        "{messages:#?}"
    );
}
