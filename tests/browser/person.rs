//! Somebody who uses the page: sees what it says, presses, types and waits.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use fantoccini::wd::WindowHandle;
use serde_json::{Value, json};
use sokudo_words::Language;

use crate::browser::Browser;

/// Nothing that a person waits for takes this long, even on a very busy machine.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Between two looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Elements that may have a role; what role they have is asked of the browser.
const OF_ROLES: &[(&str, &str)] = &[
    ("alert", "[role=alert]"),
    ("button", "button"),
    ("checkbox", "input[type=checkbox]"),
    ("combobox", "select, input[list]"),
    ("group", "[role=group]"),
    ("heading", "h1, h2, h3"),
    ("image", "[role=img], img"),
    ("link", "a[href]"),
    ("progressbar", "[role=progressbar]"),
    ("searchbox", "input[type=search]"),
    ("status", "[role=status]"),
    ("tab", "[role=tab]"),
    ("table", "table"),
    ("textbox", "textarea, input[type=text]"),
    ("DisclosureTriangle", "summary"),
];

/// Elements that are seen and whose words hold a text.
const CANDIDATES: &str = r"
    const [selector, words] = arguments;
    const texts = (node) => [node.getAttribute('aria-label'), node.getAttribute('alt'), node.textContent,
        ...[...(node.labels ?? [])].map((label) => label.textContent),
        ...(node.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)];
    return [...document.querySelectorAll(selector)].filter((node) =>
        node.checkVisibility({ visibilityProperty: true }) && texts(node).some((text) => text?.includes(words)));";

/// Brings an element out from under the head, which stays where it is, and notes until it is pressed
/// that it was missed: what is shown above it meanwhile moves it from under the pointer. A page
/// that is left knows nothing of it.
const AIM: &str = r"
    const [element] = arguments;
    element.scrollIntoView({ block: 'center' });
    window.isMissed = true;
    element.addEventListener('click', () => { window.isMissed = false; }, { capture: true, once: true });";

pub(crate) struct Person<'a> {
    pub(crate) browser: &'a Browser,
    tab: WindowHandle,
    words: BTreeMap<String, String>,
    language: Language,
}

impl<'a> Person<'a> {
    /// Opens an address in a tab of its own.
    pub(crate) async fn at(browser: &'a Browser, address: &str) -> Self {
        let tab = browser.client.new_window(true).await.unwrap();
        let tab = tab.handle;
        browser.client.switch_to_window(tab.clone()).await.unwrap();
        browser.client.goto(address).await.unwrap();
        let words = "return JSON.parse(document.getElementById('words').textContent)";
        let words = browser.client.execute(words, Vec::new()).await.unwrap();
        let language = "return document.documentElement.lang";
        let language = browser.client.execute(language, Vec::new()).await.unwrap();
        Self {
            browser,
            tab,
            words: serde_json::from_value(words).unwrap(),
            language: Language::of_locale(language.as_str().unwrap()),
        }
    }

    /// Looks at this tab, after another.
    pub(crate) async fn turn(&self) {
        let tab = self.tab.clone();
        self.browser.client.switch_to_window(tab).await.unwrap();
    }

    /// Opens another address in this tab.
    pub(crate) async fn go(&self, address: &str) {
        self.browser.client.goto(address).await.unwrap();
    }

    /// Closes the tab.
    pub(crate) async fn leave(self) {
        self.turn().await;
        let client = &self.browser.client;
        client.close_window().await.unwrap();
        let others = client.windows().await.unwrap();
        let other = others.into_iter().next().unwrap();
        client.switch_to_window(other).await.unwrap();
    }

    /// What the page says for an English text, by its scripts or of the command line; names are the
    /// same in every language.
    pub(crate) fn say(&self, text: &str) -> String {
        let by_scripts = self.words.get(text).cloned();
        by_scripts.unwrap_or_else(|| self.language.with_holes(text))
    }

    /// The same with its holes filled.
    pub(crate) fn say_of(&self, text: &str, values: &[&str]) -> String {
        let mut said = self
            .words
            .get(text)
            .expect("it is a text of the page")
            .clone();
        for (letter, value) in ('a'..='h').zip(values) {
            said = said.replace(&format!("{{{letter}}}"), value);
        }
        said
    }

    /// What a script returns.
    pub(crate) async fn read(&self, script: &str, arguments: Vec<Value>) -> Value {
        let read = self.browser.client.execute(script, arguments).await;
        read.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits for what is told as `what`.
    pub(crate) async fn wait<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(seen) = look().await {
                return seen;
            }
            if started.elapsed() > WAIT_MAX {
                let text = self.text().await;
                let messages = self.browser.messages().await;
                panic!("in vain waited for {what}; the page shows:\n{text}\n{messages:#?}");
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// All that is read on the page.
    pub(crate) async fn text(&self) -> String {
        let text = self
            .read("return document.body.innerText", Vec::new())
            .await;
        text.as_str().unwrap().to_owned()
    }

    /// Waits until the page shows a text.
    pub(crate) async fn sees(&self, text: &str) {
        let said = self.say(text);
        let shown = async || self.text().await.contains(&said).then_some(());
        self.wait(&format!("the text {said:?}"), shown).await;
    }

    /// The element of a role and a name that is shown, now.
    pub(crate) async fn look(&self, role: &str, name: &str) -> Option<Element> {
        let selector = OF_ROLES.iter().find(|(known, _)| *known == role);
        let (_, selector) = selector.unwrap_or_else(|| panic!("no element has the role {role}"));
        let shown = self.name_of(role, name);
        let found = self
            .read(CANDIDATES, vec![json!(selector), json!(shown)])
            .await;
        for element in found.as_array().unwrap() {
            let id = element.as_object().unwrap().values().next().unwrap();
            let id = id.as_str().unwrap().to_owned();
            let element = Element::from_element_id(self.browser.client.clone(), id.into());
            if self.is(&element, role, name).await? {
                return Some(element);
            }
        }
        None
    }

    /// The tabs are commands, which have one name in every language.
    fn name_of(&self, role: &str, name: &str) -> String {
        match role {
            "tab" => name.to_owned(),
            _ => self.say(name),
        }
    }

    /// Whether an element has a role and a name; none where it is gone.
    pub(crate) async fn is(&self, element: &Element, role: &str, name: &str) -> Option<bool> {
        let is_such = self.computed(element, "role").await? == role;
        Some(is_such && self.computed(element, "label").await? == self.name_of(role, name))
    }

    /// What the browser tells a screen reader of an element; none where it is gone.
    async fn computed(&self, element: &Element, what: &'static str) -> Option<String> {
        let path = format!("element/{}/computed{what}", element.element_id());
        let told = self.browser.get(path).await?;
        Some(told.as_str().unwrap().to_owned())
    }

    /// Waits for the element of a role and a name.
    pub(crate) async fn find(&self, role: &str, name: &str) -> Element {
        let what = format!("the {role} {name:?}");
        self.wait(&what, async || self.look(role, name).await).await
    }

    /// Presses what has a role and a name, as soon as it can be.
    pub(crate) async fn press(&self, role: &str, name: &str) {
        let press = async || {
            let element = self.look(role, name).await?;
            let client = &self.browser.client;
            let aimed = vec![serde_json::to_value(&element).unwrap()];
            client.execute(AIM, aimed).await.ok()?;
            // What is built anew meanwhile is found again.
            if !element.is_enabled().await.unwrap_or(false) || element.click().await.is_err() {
                return None;
            }
            let missed = client.execute("return window.isMissed", Vec::new()).await;
            (missed.ok() != Some(json!(true))).then_some(())
        };
        self.wait(&format!("the {role} {name:?} to press"), press)
            .await;
    }

    /// Writes into a field in the place of what is in it.
    pub(crate) async fn write(&self, role: &str, name: &str, text: &str) {
        let field = self.find(role, name).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Sets a setting of a method, wherever it stands.
    pub(crate) async fn set(&self, id: &str, text: &str) {
        let client = &self.browser.client;
        let locator = fantoccini::Locator::Id(id);
        let field = client.wait().for_element(locator).await.unwrap();
        if !field.is_displayed().await.unwrap() {
            self.press("DisclosureTriangle", "More settings").await;
        }
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Opens what is folded under a name, where it is closed.
    pub(crate) async fn unfold(&self, name: &str) {
        let folded = self.find("DisclosureTriangle", name).await;
        let folded = vec![serde_json::to_value(folded).unwrap()];
        let is_open = "return arguments[0].parentElement.open";
        if self.read(is_open, folded).await != json!(true) {
            self.press("DisclosureTriangle", name).await;
        }
    }

    /// Takes one of the choices of a setting of a method.
    pub(crate) async fn choose(&self, id: &str, choice: &str) {
        let client = &self.browser.client;
        let locator = fantoccini::Locator::Id(id);
        let field = client.wait().for_element(locator).await.unwrap();
        field.select_by_value(choice).await.unwrap();
    }

    /// Chooses a target by typing it, once the page has offered one.
    pub(crate) async fn measure_at(&self, target: &str) {
        let offered = "return document.getElementById('path')?.value || null";
        let look = async || Some(self.read(offered, Vec::new()).await).filter(|it| !it.is_null());
        self.wait("a target to begin with", look).await;
        self.write("textbox", "Directory, file or device", target)
            .await;
        self.press("button", "Use").await;
    }

    /// Has a target measured after what is measured now.
    pub(crate) async fn add_to_queue(&self, target: &str) {
        self.measure_at(target).await;
        let named = format!("mark · {target}");
        let name = self.say_of("Add to the queue: {a}", &[&named]);
        self.press("button", &name).await;
    }

    /// Keeps a note of the run that is shown.
    pub(crate) async fn note(&self, text: &str) {
        self.write("textbox", "Note", text).await;
        // There is a button of this name for the tags, too.
        let save = fantoccini::Locator::Css("form:has(#note) button");
        let save = self.browser.client.find(save).await.unwrap();
        save.click().await.unwrap();
    }

    /// Waits for a file that is saved, with this ending, and takes it: its address.
    pub(crate) async fn saved(&self, ending: &str) -> String {
        let folder = self.browser.downloads();
        let look = async || {
            let entries = fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let mut saved = entries.filter(|path| path.extension().is_some_and(|it| it == ending));
            // The name is taken before the file is there.
            saved.find(|path| fs::metadata(path).is_ok_and(|it| it.len() > 0))
        };
        let path = self
            .wait(&format!("a file that ends in {ending}"), look)
            .await;
        let taken = folder.with_file_name(path.file_name().unwrap());
        fs::rename(path, &taken).unwrap();
        format!("file://{}", taken.display())
    }

    /// The cells of a table's rows, as it is at one moment; none where there is no table.
    pub(crate) async fn rows(&self, table: &str) -> Vec<Vec<String>> {
        let script = "return [...arguments[0].tBodies[0].rows].map((row) =>
            [...row.cells].map((cell) => cell.innerText.trim()))";
        let client = &self.browser.client;
        // One that is built anew meanwhile is found again.
        while let Some(found) = self.look("table", table).await {
            let found = vec![serde_json::to_value(found).unwrap()];
            if let Ok(rows) = client.execute(script, found).await {
                return serde_json::from_value(rows).unwrap();
            }
        }
        Vec::new()
    }
}
