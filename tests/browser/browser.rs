//! Chromium with its driver, both gone when dropped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use url::{ParseError, Url};

use crate::keeper::Keeper;

const DRIVER: &str = "chromedriver";
const CHROMIUM: &str = "chromium";

/// Ends the driver when its input ends; chromium ends when its pipe to the driver does, and goes on
/// writing into its folder for a moment.
const KEEPER: &str = "\"$@\" & read -r _; kill \"$!\"; wait
    for _ in $(seq 100); do rm -rf \"$HOME\" 2>/dev/null; sleep 0.1; [ -e \"$HOME\" ] || break; done";

/// What is needed.
pub(crate) struct Tools {
    driver: PathBuf,
    chromium: PathBuf,
    axe: PathBuf,
}

pub(crate) struct Browser {
    pub(crate) client: Client,
    /// Looks for what people who see or move otherwise cannot use.
    pub(crate) axe: String,
    _keeper: Keeper,
    _printed: BufReader<ChildStdout>,
    /// All that chromium writes is in it.
    folder: PathBuf,
}

impl Browser {
    /// None, said loudly, where something is missing.
    pub(crate) fn tools() -> Option<Tools> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
        let axe = folder.join("node_modules/axe-core/axe.min.js");
        if !axe.is_file() {
            skip(&format!(
                "axe-core is missing; npm ci in {}",
                folder.display()
            ));
            return None;
        }
        let [Some(driver), Some(chromium)] = [DRIVER, CHROMIUM].map(program) else {
            skip("the page is tested with chromium and chromium-driver");
            return None;
        };
        Some(Tools {
            driver,
            chromium,
            axe,
        })
    }

    pub(crate) async fn start(tools: &Tools) -> Self {
        let folder = tempfile::tempdir().unwrap().keep();
        let mut command = Keeper::command(KEEPER);
        command
            .arg(&tools.driver)
            .arg("--port=0")
            .env("HOME", &folder)
            .env("XDG_CONFIG_HOME", &folder)
            .env("XDG_CACHE_HOME", &folder)
            .env("TMPDIR", &folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut keeper = Keeper::start(&mut command);
        let mut printed = BufReader::new(keeper.0.stdout.take().unwrap());
        let port = port_in(&mut printed);
        let Value::Object(capabilities) = capabilities(tools, &folder) else {
            unreachable!("capabilities are an object");
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("chromium starts");
        Self {
            client,
            axe: fs::read_to_string(&tools.axe).unwrap(),
            _keeper: keeper,
            _printed: printed,
            folder,
        }
    }

    /// Where it puts what is saved.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.folder.join("downloads")
    }

    /// What stands in the console since the last look.
    pub(crate) async fn messages(&self) -> Vec<String> {
        let entries = self.log("browser").await;
        let text = |entry: &Value| entry["message"].as_str().unwrap().to_owned();
        entries.iter().map(text).collect()
    }

    /// Nothing stands in the console.
    pub(crate) async fn is_quiet(&self) {
        let messages = self.messages().await;
        assert!(messages.is_empty(), "in the console: {messages:#?}");
    }

    /// Nobody but this origin was asked for anything since the last look.
    pub(crate) async fn asked_only(&self, origin: &str) {
        let (ours, foreign): (Vec<Url>, Vec<Url>) = self
            .asked()
            .await
            .into_iter()
            .partition(|url| url.origin().ascii_serialization() == origin);
        assert!(!ours.is_empty(), "the log tells of requests");
        let foreign: Vec<&str> = foreign.iter().map(Url::as_str).collect();
        assert!(foreign.is_empty(), "{foreign:#?}");
    }

    /// What was asked for over the network since the last look.
    pub(crate) async fn asked(&self) -> Vec<Url> {
        let log = self.log("performance").await;
        let entries = log.iter().map(|entry| entry["message"].as_str().unwrap());
        entries.filter_map(asked_in).collect()
    }

    async fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.ask("se/log", &json!({ "type": kind })).await;
        entries.as_array().unwrap().clone()
    }

    /// A command of the browser's own tools for developers.
    pub(crate) async fn tool(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.ask("goog/cdp/execute", &body).await
    }

    /// A command of the driver that is no part of the standard.
    async fn ask(&self, path: &str, body: &Value) -> Value {
        let command = Command {
            path: path.to_owned(),
            body: Some(body.to_string()),
        };
        self.client.issue_cmd(command).await.unwrap()
    }

    /// What the driver tells; none where what is asked about is gone.
    pub(crate) async fn get(&self, path: String) -> Option<Value> {
        let command = Command { path, body: None };
        self.client.issue_cmd(command).await.ok()
    }
}

fn capabilities(tools: &Tools, folder: &Path) -> Value {
    let downloads = folder.join("downloads");
    fs::create_dir(&downloads).unwrap();
    let profile = folder.join("profile").display().to_string();
    json!({
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        "goog:chromeOptions": {
            "binary": tools.chromium,
            "args": [
                "--headless=new",
                // Root has no other way, and it opens our page alone.
                "--no-sandbox",
                "--remote-debugging-pipe",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--window-size=1280,900",
                format!("--user-data-dir={profile}"),
            ],
            "prefs": {
                "download.default_directory": downloads,
                "download.prompt_for_download": false,
            },
        },
    })
}

/// A command by its path in the session.
#[derive(Debug)]
struct Command {
    path: String,
    /// None where something is only asked.
    body: Option<String>,
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        let session = session.expect("the browser has started");
        base.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let method = match self.body {
            Some(_) => Method::POST,
            None => Method::GET,
        };
        (method, self.body.clone())
    }
}

/// The address of a request over the network that an entry of the log tells of.
fn asked_in(entry: &str) -> Option<Url> {
    let entry: Value = serde_json::from_str(entry).unwrap();
    let message = &entry["message"];
    let name = message["method"].as_str()?;
    let parameters = &message["params"];
    let address = match name {
        "Network.requestWillBeSent" => &parameters["request"]["url"],
        "Network.webSocketCreated" => &parameters["url"],
        _ => return None,
    };
    let url = Url::parse(address.as_str().unwrap()).unwrap();
    // The browser has pages of its own.
    matches!(url.scheme(), "http" | "https" | "ws" | "wss").then_some(url)
}

/// The port that the driver says it has taken.
fn port_in(printed: &mut BufReader<ChildStdout>) -> u16 {
    let mut lines = printed.lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains("started successfully on port"));
    let line = line.expect("the driver says its port");
    let port = line.trim_end_matches('.').rsplit(' ').next().unwrap();
    port.parse().unwrap()
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|directory| directory.join(name));
    found.into_iter().find(|path| path.is_file())
}

fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}
