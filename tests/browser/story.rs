//! How a story is told: in a browser of its own, once in each language, and at its end nothing
//! stands in the console and nobody else was asked.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::browser::{Browser, Tools};
use crate::person::Person;
use crate::site::Site;

/// The languages of the page.
const LANGUAGES: [&str; 2] = ["en", "ja"];

/// No story takes this long, even on a very busy machine.
const STORY_MAX: Duration = Duration::from_secs(400);

/// Two cores carry one browser at a time, beside what is measured.
static ALONE: Mutex<()> = Mutex::new(());

/// Tells a story about a page with nothing kept.
pub(crate) fn tell(story: impl AsyncFn(&Person, &Site)) {
    let Some(tools) = Browser::tools() else {
        return;
    };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let told =
        runtime.block_on(async { tokio::time::timeout(STORY_MAX, tell_with(&tools, story)).await });
    told.expect("the story ends in time");
}

async fn tell_with(tools: &Tools, story: impl AsyncFn(&Person, &Site)) {
    let browser = Browser::start(tools).await;
    for language in LANGUAGES {
        let site = Site::start(language);
        let person = Person::at(&browser, &site.address).await;
        story(&person, &site).await;
        person.leave().await;
        browser.is_quiet().await;
        browser.asked_only(&site.origin()).await;
    }
    browser.close().await;
}
