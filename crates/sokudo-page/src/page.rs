//! What all requests share.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest, Sha256};
use sokudo_words::{Language, spoken};
use tokio::sync::{Notify, Semaphore, mpsc, watch};

use crate::access::{self, AccessPolicy, NoOrigin};
use crate::keys::{KeySet, Session};
use crate::locked;
use crate::measurer::{MeasurerClient, Reply};
use crate::message::{Ask, Hello, MeasurerMessage};
use crate::pipe::Frame;
use crate::view::{Batch, SharedView};
use crate::wish::{MethodList, Methods};

/// A browser redraws no sooner, and the measurement is not disturbed more often.
const BATCH_TIME: Duration = Duration::from_millis(100);
/// What the script of the page keeps the chosen language in.
const LANGUAGE_COOKIE: &str = "sokudo_lang";
/// Windows that show the page: half of the connections, so that they leave room for requests.
const STREAMS_MAX: usize = 32;

pub(crate) struct WebUi {
    pub(crate) access: AccessPolicy,
    pub(crate) measurer: MeasurerClient,
    language: Language,
    is_language_given: bool,
    methods: [MethodList; Language::ALL.len()],
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) uploads: Semaphore,
    keys: Mutex<KeySet>,
    view: Mutex<SharedView>,
    /// Something was told that no batch has yet.
    changed: Notify,
    /// Number of batches so far; its change wakes the event streams.
    batches: watch::Sender<u64>,
    started: Instant,
    /// Tells this start from others, in the numbers of batches.
    pub(crate) start: String,
}

impl WebUi {
    /// # Errors
    /// When the public origin is none.
    pub(crate) fn new(
        hello: Hello,
        methods: Methods,
        port: u16,
        asks: mpsc::Sender<Frame<Ask>>,
    ) -> Result<Self, NoOrigin> {
        let language = Language::of_locale(&hello.lang);
        let mut keys = KeySet::new(hello.read_only);
        keys.add_control_token(&hello.control_token);
        keys.add_read_token(&hello.read_token);
        let view = SharedView::new(&hello);
        Ok(Self {
            access: AccessPolicy::new(port, hello.listen.clone(), hello.public_origin.as_deref())?,
            measurer: MeasurerClient::new(asks),
            language,
            is_language_given: hello.is_lang_given,
            methods: Language::ALL.map(methods),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            uploads: Semaphore::new(1),
            keys: Mutex::new(keys),
            view: Mutex::new(view),
            changed: Notify::new(),
            batches: watch::Sender::new(0),
            started: Instant::now(),
            start: start_of(&hello.read_token),
        })
    }

    /// The language of a request: what was chosen in its browser, what the page was started with, what
    /// the browser asks for, or else that of the terminal.
    pub(crate) fn language_of(&self, headers: &HeaderMap) -> Language {
        let chosen = access::cookies(headers, LANGUAGE_COOKIE).find_map(known);
        let accepted = headers.get(header::ACCEPT_LANGUAGE);
        let accepted = accepted.and_then(|it| it.to_str().ok()?.split(',').find_map(known));
        let accepted = accepted.filter(|_| !self.is_language_given);
        chosen.or(accepted).unwrap_or(self.language)
    }

    /// The methods in the language that is spoken.
    pub(crate) fn methods(&self) -> &MethodList {
        let all = Language::ALL.iter().zip(&self.methods);
        let mut spoken = all.filter(|(language, _)| **language == spoken());
        spoken.next().map_or(&self.methods[0], |(_, it)| it)
    }

    /// Takes in what the measurer tells.
    pub(crate) fn tell(&self, frame: Frame<MeasurerMessage>) {
        let Frame { message, bytes } = frame;
        match message {
            // The first was taken in already, and a second would change who may ask what.
            MeasurerMessage::Hello(_) => {}
            MeasurerMessage::Code { code } => self.keys(|keys, now| keys.add_code(&code, now)),
            MeasurerMessage::Token { control_token } => {
                self.keys(|keys, _| keys.add_control_token(&control_token));
            }
            MeasurerMessage::Answer { id, ok, kind, name } => self.measurer.answer(
                id,
                Reply {
                    ok,
                    kind,
                    name,
                    bytes,
                },
            ),
            other => {
                if locked(&self.view).tell(other) {
                    self.changed.notify_one();
                }
            }
        }
    }

    /// A run was asked to stop.
    pub(crate) fn stopping(&self, run: u64) {
        locked(&self.view).stopping(run);
        self.changed.notify_one();
    }

    /// Ends batches, ten a second at most, for as long as it is polled.
    pub(crate) async fn batch(&self) {
        loop {
            self.changed.notified().await;
            locked(&self.view).seal();
            self.batches.send_modify(|count| *count += 1);
            tokio::time::sleep(BATCH_TIME).await;
        }
    }

    /// Tells when there is another batch.
    pub(crate) fn batches(&self) -> watch::Receiver<u64> {
        self.batches.subscribe()
    }

    /// The next batch for who has seen this one.
    pub(crate) fn after(&self, seen: Option<u64>) -> Option<Batch> {
        locked(&self.view).after(seen)
    }

    /// What the run of the view is doing, as Prometheus reads it.
    pub(crate) fn metrics(&self) -> String {
        locked(&self.view).metrics()
    }

    /// Does something with the keys and the time since the page was started.
    pub(crate) fn keys<T>(&self, done: impl FnOnce(&mut KeySet, Duration) -> T) -> T {
        let now = self.started.elapsed();
        done(&mut locked(&self.keys), now)
    }

    /// The session of a request and the cookie that names it.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Option<(String, Session)> {
        let name = self.access.cookie_name();
        self.keys(|keys, _| {
            access::cookies(headers, &name)
                .find_map(|cookie| Some((cookie.to_owned(), keys.session(cookie)?)))
        })
    }
}

/// A language that sokudo speaks, by its code or a range of such as browsers name.
fn known(range: &str) -> Option<Language> {
    let code = range.split(['-', ';']).next()?.trim();
    let mut all = Language::ALL.into_iter();
    all.find(|language| language.code().eq_ignore_ascii_case(code))
}

/// Eight digits that come of a token and tell nothing of it.
fn start_of(token: &str) -> String {
    let digest = Sha256::digest(Sha256::digest(token.as_bytes()));
    digest
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// 256 bits that nobody can guess.
///
/// # Errors
/// When the kernel has none to give.
pub(crate) fn random() -> Result<[u8; 32], Errno> {
    let mut bytes = [0; 32];
    let mut filled = 0;
    while filled < bytes.len() {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(bytes)
}
