//! How a story is told: on a page of its own with nothing kept, and at its end nothing stands in
//! the console and nobody else was asked. All stories share one browser, one after the other, for
//! its start takes longer than most of them; one that fails takes it with it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::runtime::Runtime;

use crate::browser::{Browser, Tools};
use crate::person::Person;
use crate::site::Site;

pub(crate) const ENGLISH: &str = "en";
pub(crate) const JAPANESE: &str = "ja";

/// No story takes this long in one language, even on a very busy machine.
const STORY_MAX: Duration = Duration::from_secs(200);

/// The browser, and what its connection lives in; nothing before the first story.
static BROWSER: Mutex<Option<(Runtime, Browser)>> = Mutex::new(None);

/// Tells a story about words or looks, which differ by language.
pub(crate) fn tell(story: impl AsyncFn(&Person, &Site)) {
    tell_in(&[ENGLISH, JAPANESE], story);
}

/// Tells a story in these languages, each time about another page.
pub(crate) fn tell_in(languages: &[&'static str], story: impl AsyncFn(&Person, &Site)) {
    let Some(tools) = Browser::tools() else {
        return;
    };
    let mut kept = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let (runtime, browser) = kept.take().unwrap_or_else(|| started(&tools));
    for language in languages {
        let told =
            async { tokio::time::timeout(STORY_MAX, once(&browser, language, &story)).await };
        runtime.block_on(told).expect("the story ends in time");
    }
    *kept = Some((runtime, browser));
}

fn started(tools: &Tools) -> (Runtime, Browser) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let browser = runtime.block_on(Browser::start(tools));
    (runtime, browser)
}

async fn once(browser: &Browser, language: &'static str, story: &impl AsyncFn(&Person, &Site)) {
    let site = Site::start(language);
    let person = Person::at(browser, &site.address).await;
    story(&person, &site).await;
    person.leave().await;
    browser.is_quiet().await;
    browser.asked_only(&site.origin()).await;
    // The next page may be at the same address.
    let all = json!({ "origin": site.origin(), "storageTypes": "all" });
    browser.tool("Storage.clearDataForOrigin", &all).await;
}
