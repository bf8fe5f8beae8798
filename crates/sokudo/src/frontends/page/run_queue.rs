//! What the page has asked for: refused, answered, put into the queue, measured one after the
//! other.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use serde_json::{Value, json};
use sokudo_history::import;
use sokudo_page::{
    Ask, DocumentForm, MeasurerMessage, MethodForm, PictureForm, Query, QueueEntry, RunEvent,
    TargetForm, Wish, replayed, write_frame,
};
use sokudo_terminal::command_line::quoted;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::language;
use sokudo_words::{Language, Text, text};

use super::child::{self, Surroundings};
use super::cost::Cost;
use super::destroyable::Destroyable;
use super::dropped_job::JobFile;
use super::forms;
use super::page_event::{ChildReport, PageEvent};
use super::turns::Turns;
use super::web::{PipeWriter, Web, WebUser};
use crate::frontends::page::arguments::PageArguments;

/// Runs that wait at most: nobody sees the end of a longer list.
const QUEUE_MAX: usize = 50;

/// The command that several processes carry out as one.
const TOGETHER: &str = "together";

/// A run that is to be.
struct Waiting {
    run: u64,
    language: Language,
    wish: Wish,
    order: QueuedCommand,
}

/// What a wish has become.
#[derive(Default)]
pub(crate) struct QueuedCommand {
    /// The launcher that the page was started with; `None` for this program.
    launcher: Option<String>,
    words: Vec<String>,
    /// The directory or file where links have led to when it was looked at.
    path: Option<String>,
    /// It is opened with the rights of the page's user, not with root's.
    is_opened_as_user: bool,
    job: Option<JobFile>,
}

/// The run in progress.
struct Current {
    run: u64,
    language: Language,
    child: Child,
    /// What it said last that was no note.
    message: String,
    cost: Cost,
    /// The command line of a launcher, whose exit code says nothing of an interruption.
    launched: Option<String>,
    is_interrupted: bool,
}

impl Current {
    fn interrupt(&mut self) {
        self.is_interrupted = true;
        child::interrupt(&self.child);
    }
}

pub(crate) struct RunQueue {
    /// This process and the one that serves.
    processes: [u32; 2],
    pipe: PipeWriter,
    sender: Sender<PageEvent>,
    user: WebUser,
    surroundings: Surroundings,
    destroyable: Destroyable,
    methods: Vec<MethodForm>,
    is_read_only: bool,
    queue: VecDeque<Waiting>,
    current: Option<Current>,
    runs: u64,
    is_ending: bool,
    answering: Turns,
}

impl RunQueue {
    pub(crate) fn new(
        arguments: &PageArguments,
        destroyable: Destroyable,
        user: WebUser,
        web: &Web,
        sender: Sender<PageEvent>,
    ) -> Self {
        Self {
            processes: [std::process::id(), web.process()],
            pipe: web.writer(),
            sender,
            user,
            surroundings: Surroundings {
                store: arguments.keeping.named(),
                language: language::current(),
            },
            destroyable,
            methods: forms::methods(Language::English),
            is_read_only: arguments.read_only,
            queue: VecDeque::new(),
            current: None,
            runs: 0,
            is_ending: false,
            answering: Turns::default(),
        }
    }

    pub(crate) const fn is_ending(&self) -> bool {
        self.is_ending
    }

    pub(crate) const fn is_measuring(&self) -> bool {
        self.current.is_some()
    }

    /// Ends the run in progress, and starts no other; whether there is one.
    pub(crate) fn end(&mut self) -> bool {
        self.is_ending = true;
        self.queue.clear();
        self.current.iter_mut().for_each(Current::interrupt);
        self.current.is_some()
    }

    /// Begins with what the page was started with.
    pub(crate) fn launch(&mut self, order: QueuedCommand) {
        let wish = Wish {
            method: TOGETHER.to_owned(),
            ..Wish::default()
        };
        self.wait_for_turn(wish, order, language::current());
    }

    pub(crate) fn tell(&self, message: &MeasurerMessage) {
        // That the other end is gone is heard where it is read.
        let _ = write_frame(
            &mut *self.pipe.lock().expect("no writer panics"),
            message,
            &[],
        );
    }

    /// Answers what is asked about these bytes.
    pub(crate) fn answer(&mut self, ask: Ask, bytes: Vec<u8>) {
        match ask {
            Ask::Listening { .. } | Ask::Failed { .. } => {}
            Ask::Plan { id, lang, wish } => {
                let language = Language::of_locale(&lang);
                match self.order(&wish) {
                    Ok(order) => self.in_background(id, language, move |surroundings| {
                        plan(surroundings, &order)
                    }),
                    Err(why) => self.refuse(id, language, &why),
                }
            }
            Ask::Start { id, lang, wish } => {
                let language = Language::of_locale(&lang);
                match self.start(wish, language) {
                    Ok(run) => self.give(id, &json!({ "run": run })),
                    Err(why) => self.refuse(id, language, &why),
                }
            }
            Ask::Stop { id, run } => {
                let current = self.current.iter_mut();
                let current = current.filter(|current| current.run == run);
                current.for_each(Current::interrupt);
                self.give(id, &json!({}));
            }
            Ask::Drop { id, run } => {
                self.queue.retain(|waiting| waiting.run != run);
                self.tell_queue();
                self.give(id, &json!({}));
            }
            Ask::Move { id, run, to } => {
                self.move_to(run, to);
                self.give(id, &json!({}));
            }
            Ask::Query { id, lang, query } if query.changes() && self.is_read_only => {
                self.refuse(id, Language::of_locale(&lang), &read_only());
            }
            Ask::Query { id, lang, query } => {
                let language = Language::of_locale(&lang);
                self.in_background(id, language, move |surroundings| {
                    question(surroundings, &query, &bytes)
                });
            }
        }
    }

    /// Hears what the run in progress tells.
    pub(crate) fn hear(&mut self, run: u64, report: ChildReport) {
        let Some(current) = self.current.as_mut().filter(|it| it.run == run) else {
            return;
        };
        match report {
            ChildReport::Event(mut event) => {
                // The first process knows its own words, and not those of its launcher.
                if let (RunEvent::Planned { command, .. }, Some(launched)) =
                    (&mut event, &current.launched)
                {
                    command.clone_from(launched);
                }
                self.tell(&MeasurerMessage::Event { run, event });
            }
            ChildReport::Line(line) => match note_of(&line, current.language) {
                Some(text) => {
                    let event = RunEvent::Note { text };
                    self.tell(&MeasurerMessage::Event { run, event });
                }
                None => current.message = line,
            },
            ChildReport::Over => self.over(),
        }
    }

    fn over(&mut self) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        let status = current.child.wait().ok();
        let killed_by = status.and_then(|status| status.signal());
        let killed_by = killed_by.map(|signal| {
            text!("signal {signal} has ended it; where nobody sent that, the kernel's log says why (dmesg)")
        });
        self.tell(&MeasurerMessage::Ended {
            run: current.run,
            code: match current.launched.is_some() && current.is_interrupted {
                true => exit::INTERRUPTED,
                false => status.and_then(|status| status.code()).unwrap_or(1),
            },
            message: killed_by.map_or(current.message, |why| why.in_language(current.language)),
            page_share: current.cost.share(),
        });
        self.next();
    }

    /// Puts a run into the queue: its number.
    fn start(&mut self, wish: Wish, language: Language) -> Result<u64, Text> {
        if self.is_read_only {
            return Err(read_only());
        }
        if self.queue.len() >= QUEUE_MAX {
            return Err(text!(
                "{QUEUE_MAX} runs wait already; remove one, or wait until one is done"
            ));
        }
        let order = self.order(&wish)?;
        order.job.iter().try_for_each(JobFile::keep)?;
        Ok(self.wait_for_turn(wish, order, language))
    }

    /// Puts a run into the queue, and begins with it where none is measured.
    fn wait_for_turn(&mut self, wish: Wish, order: QueuedCommand, language: Language) -> u64 {
        self.runs += 1;
        self.queue.push_back(Waiting {
            run: self.runs,
            language,
            wish,
            order,
        });
        let run = self.runs;
        self.tell_queue();
        if self.current.is_none() {
            self.next();
        }
        run
    }

    /// Begins with the first of the queue.
    fn next(&mut self) {
        if self.is_ending {
            return;
        }
        let Some(waiting) = self.queue.pop_front() else {
            return;
        };
        self.tell_queue();
        let Waiting {
            run,
            language,
            wish,
            order,
        } = waiting;
        let command = order.shown();
        self.tell(&MeasurerMessage::Began { run, wish, command });
        match self.begin(run, &order, language) {
            Ok(child) => {
                self.current = Some(Current {
                    run,
                    language,
                    child,
                    message: String::new(),
                    cost: Cost::begin(self.processes),
                    launched: order.launcher.is_some().then(|| order.shown()),
                    is_interrupted: false,
                });
            }
            Err(why) => {
                self.tell(&MeasurerMessage::Ended {
                    run,
                    code: 1,
                    message: why.in_language(language),
                    page_share: None,
                });
                self.next();
            }
        }
    }

    /// Begins a run, unless its path leads elsewhere since it was looked at.
    fn begin(&self, run: u64, order: &QueuedCommand, language: Language) -> Result<Child, Text> {
        if let Some(path) = &order.path
            && self.user.leads_to(path).as_ref() != Some(path)
        {
            return Err(text!(
                "{path} has changed since the run was put into the queue; queue the run again"
            ));
        }
        let files_as = self.user.files_as().filter(|_| order.is_opened_as_user);
        let QueuedCommand {
            launcher, words, ..
        } = order;
        let surroundings = self.surroundings.speaking(language);
        let began = match launcher {
            None => surroundings.measure(run, words, files_as, &self.sender),
            Some(launcher) => surroundings.launch(run, launcher, words, &self.sender),
        };
        let program = launcher.as_deref().unwrap_or("sokudo");
        began.map_err(|error| text!("{program} cannot be started for it: {error}"))
    }

    fn move_to(&mut self, run: u64, to: usize) {
        let index = self.queue.iter().position(|waiting| waiting.run == run);
        if let Some(waiting) = index.and_then(|index| self.queue.remove(index)) {
            self.queue.insert(to.min(self.queue.len()), waiting);
        }
        self.tell_queue();
    }

    fn tell_queue(&self) {
        let entry = |waiting: &Waiting| QueueEntry {
            run: waiting.run,
            wish: waiting.wish.clone(),
            command: waiting.order.shown(),
        };
        let entries = self.queue.iter().map(entry).collect();
        self.tell(&MeasurerMessage::Queue { entries });
    }

    /// The command line of a wish, if it is allowed here.
    fn order(&self, wish: &Wish) -> Result<QueuedCommand, Text> {
        let job = self.job_file(wish)?;
        let mut wish = wish.clone();
        let mut path = None;
        if job.is_none() && wish.target.starts_with('/') {
            let (led_to, is_device) = self.led_to(&wish.target)?;
            path = Some(led_to.clone()).filter(|_| !is_device);
            wish.target = led_to;
        }
        let job_path = job.as_ref().map_or(Path::new(""), JobFile::path);
        let form = wish.form(&self.methods).map_err(text_of)?;
        let mut words = wish.words(form, job_path).map_err(text_of)?;
        if let Some(serial) = wish.serial.as_deref().filter(|serial| !serial.is_empty()) {
            let consent = self.destroyable.consent(serial)?;
            words.insert(1, format!("--destroy={consent}"));
        }
        Ok(QueuedCommand {
            words,
            path,
            // Disks made of files are mounted by root, where nobody else may write.
            is_opened_as_user: form.target != TargetForm::Folder,
            job,
            launcher: None,
        })
    }

    /// A job file. Jobs name any files, so that none is run with root's rights.
    fn job_file(&self, wish: &Wish) -> Result<Option<JobFile>, Text> {
        let Some(text) = &wish.job else {
            return Ok(None);
        };
        if self.user.is_dropped() {
            return Err(text!(
                "a job file can name any file of the machine, and the page runs as root; start sokudo page without sudo, or use sokudo run"
            ));
        }
        JobFile::new(text).map(Some)
    }

    /// Where a path leads, and whether that is a device. Refuses what whoever looks at the page may
    /// not read, though root may.
    fn led_to(&self, target: &str) -> Result<(String, bool), Text> {
        let is_device =
            |path: &Path| fs::metadata(path).is_ok_and(|it| it.file_type().is_block_device());
        let is_dropped = self.user.is_dropped();
        if is_device(Path::new(target)) {
            let device = fs::canonicalize(target).ok().filter(|_| is_dropped);
            let device = device.and_then(|path| path.into_os_string().into_string().ok());
            return Ok((device.unwrap_or_else(|| target.to_owned()), true));
        }
        self.user
            .leads_to(target)
            .map(|path| (path, false))
            .ok_or_else(|| {
                text!("{target} is not there, or you may not read it; choose another directory")
            })
    }

    /// Answers without keeping others waiting; some at a time, the next as soon as one is done.
    fn in_background(
        &self,
        id: u64,
        language: Language,
        answer: impl FnOnce(&Surroundings) -> Result<Given, Text> + Send + 'static,
    ) {
        let Some(permit) = self.answering.permit() else {
            return self.refuse(id, language, &text!("too much is asked at once; try again"));
        };
        let pipe = Arc::clone(&self.pipe);
        let surroundings = self.surroundings.speaking(language);
        thread::spawn(move || {
            let _turn = permit.turn();
            let given = answer(&surroundings).unwrap_or_else(|why| Given::error(&why, language));
            given.tell(id, &pipe);
        });
    }

    fn give(&self, id: u64, value: &Value) {
        Given::json(value).tell(id, &self.pipe);
    }

    fn refuse(&self, id: u64, language: Language, why: &Text) {
        Given::error(why, language).tell(id, &self.pipe);
    }
}

/// What a line that is a note says.
fn note_of(line: &str, language: Language) -> Option<String> {
    let note = format!("{}: ", text!("note").in_language(language));
    line.strip_prefix(&note).map(str::to_owned)
}

fn read_only() -> Text {
    text!("the page was started with --read-only; start it without to measure")
}

impl QueuedCommand {
    /// The command line of a launcher; `None` where the page was started without one.
    pub(crate) fn of_launcher(command: &[String]) -> Result<Option<Self>, Exit> {
        let [launcher, words @ ..] = command else {
            return Ok(None);
        };
        let order = Self {
            launcher: Some(launcher.clone()),
            words: words.to_vec(),
            ..Self::default()
        };
        match words.iter().any(|word| word == TOGETHER) {
            true => Ok(Some(order)),
            false => Err(Exit::usage(text!(
                "{} does not start sokudo together; name a launcher that does, such as mpirun -n 8 --hostfile hosts sokudo together -- mark DIR",
                order.shown()
            ))),
        }
    }

    /// A command line as people type it.
    fn shown(&self) -> String {
        let words = self.words.iter().map(|word| quoted(word));
        let program = self.launcher.as_deref().map_or("sokudo".to_owned(), quoted);
        let words: Vec<String> = std::iter::once(program).chain(words).collect();
        words.join(" ")
    }
}

/// What is given as an answer.
struct Given {
    is_good: bool,
    kind: &'static str,
    name: Option<String>,
    bytes: Vec<u8>,
}

impl Given {
    fn json(value: &Value) -> Self {
        Self {
            is_good: true,
            kind: "application/json",
            name: None,
            bytes: value.to_string().into_bytes(),
        }
    }

    fn error(why: &Text, language: Language) -> Self {
        let why = why.in_language(language);
        Self {
            is_good: false,
            ..Self::json(&json!({ "error": why }))
        }
    }

    fn tell(&self, id: u64, pipe: &PipeWriter) {
        let message = MeasurerMessage::Answer {
            id,
            ok: self.is_good,
            kind: self.kind.to_owned(),
            name: self.name.clone(),
        };
        let mut pipe = pipe.lock().expect("no writer panics");
        // An answer that is too large is one, too.
        if write_frame(&mut *pipe, &message, &self.bytes).is_err() {
            let error = json!({ "error": text!("the answer is too large; ask for less").in_language(language::current()) });
            let message = MeasurerMessage::Answer {
                id,
                ok: false,
                kind: "application/json".to_owned(),
                name: None,
            };
            let _ = write_frame(&mut *pipe, &message, error.to_string().as_bytes());
        }
    }
}

/// What a command line would do: its own words, how long it takes, what it writes.
fn plan(surroundings: &Surroundings, order: &QueuedCommand) -> Result<Given, Text> {
    // What is only planned is not kept.
    let typed = order.job.as_ref().map(JobFile::for_a_moment).transpose()?;
    let mut words = order.words.clone();
    if let (Some(typed), Some(last)) = (&typed, words.last_mut()) {
        *last = typed.path().display().to_string();
    }
    let answer = surroundings.answer(&words, Some("plan"))?;
    let planned = answer.printed.split(|byte| *byte == b'\n').next();
    let planned: Option<Value> = planned.and_then(|line| serde_json::from_slice(line).ok());
    let Some(mut planned) = planned.filter(|_| answer.is_good) else {
        return Err(last_message(&answer));
    };
    planned["command"] = order.shown().into();
    planned["notes"] = answer.messages.into();
    Ok(Given::json(&planned))
}

/// An error in the language that is spoken.
fn text_of(error: impl std::fmt::Display) -> Text {
    Text::name(language::spoken(|| error.to_string()))
}

/// What a command said in the place of an answer.
fn last_message(answer: &child::Answer) -> Text {
    let last = answer.messages.last().cloned();
    last.map_or_else(|| text!("it ended without an answer"), Text::name)
}

fn question(surroundings: &Surroundings, query: &Query, bytes: &[u8]) -> Result<Given, Text> {
    let no_room = |error: io::Error| text!("no file can be kept: {error}; free space in TMPDIR");
    let folder = tempfile::tempdir().map_err(no_room)?;
    let file = folder.path().join(query.file_name());
    let is_import = matches!(query, Query::Import { .. });
    if is_import {
        check_foreign(bytes)?;
        fs::write(&file, bytes).map_err(no_room)?;
    }
    let words = query.words(&file).map_err(text_of)?;
    let is_reported = is_import || matches!(query, Query::View { .. } | Query::Compare { .. });
    let tell = is_reported.then_some("events");
    let mut answer = surroundings.answer(&words, tell)?;
    // Where it lay for a moment is nothing to people.
    let begin = format!("{}/", folder.path().display());
    let messages = answer.messages.iter_mut();
    messages.for_each(|it| *it = it.replace(&begin, ""));
    // Of several results some may be kept although one is not.
    let has_kept = is_import && !kept_runs(&answer).is_empty();
    if !answer.is_good && !has_kept {
        return Err(last_message(&answer));
    }
    let bytes = match query {
        Query::Picture { .. } => {
            fs::read(&file).map_err(|error| text!("the picture cannot be read: {error}"))?
        }
        Query::View { run } => replay(*run, &answer.printed),
        Query::Import { .. } => imported(&answer, surroundings.language),
        _ => answer.printed,
    };
    let (kind, name) = kind(query);
    Ok(Given {
        is_good: true,
        kind,
        name,
        bytes,
    })
}

/// Refuses a document of sokudo's own, which comes with a command line that would be repeated here
/// and a verdict that nobody here has seen: who believes it imports it at a shell.
fn check_foreign(bytes: &[u8]) -> Result<(), Text> {
    match import::is_own(bytes) {
        true => Err(text!(
            "it is a run of sokudo's own, which the page does not take from elsewhere; use sokudo import"
        )),
        false => Ok(()),
    }
}

/// Under which numbers runs are kept now, and what was said of them.
fn imported(answer: &child::Answer, language: Language) -> Vec<u8> {
    let texts = answer.messages.iter();
    let messages: Vec<String> = texts
        .map(|it| note_of(it, language).unwrap_or_else(|| it.clone()))
        .collect();
    let imported = json!({ "runs": kept_runs(answer), "messages": messages });
    imported.to_string().into_bytes()
}

fn kept_runs(answer: &child::Answer) -> Vec<u64> {
    let kept = |event| match event {
        RunEvent::Done { kept, .. } => kept,
        _ => None,
    };
    events_of(&answer.printed).filter_map(kept).collect()
}

/// A kept run in the form of the view, of the events that it is told in.
fn replay(run: i64, event_lines: &[u8]) -> Vec<u8> {
    let run = u64::try_from(run).unwrap_or_default();
    replayed(run, events_of(event_lines))
        .to_string()
        .into_bytes()
}

fn events_of(lines: &[u8]) -> impl Iterator<Item = RunEvent> {
    let lines = lines.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// What an answer is, and what a file of it is called.
fn kind(query: &Query) -> (&'static str, Option<String>) {
    match query {
        Query::Show { run, form } => {
            let (kind, end) = match form {
                DocumentForm::Json => ("application/json", "json"),
                DocumentForm::Csv => ("text/csv; charset=utf-8", "csv"),
                DocumentForm::Markdown => ("text/markdown; charset=utf-8", "md"),
                DocumentForm::Table | DocumentForm::Crystal | DocumentForm::Card => {
                    ("text/plain; charset=utf-8", "txt")
                }
            };
            (kind, Some(format!("sokudo-{run}.{end}")))
        }
        Query::Picture { run, form, .. } => match form {
            PictureForm::Svg => ("image/svg+xml", Some(format!("sokudo-{run}.svg"))),
            PictureForm::Png => ("image/png", Some(format!("sokudo-{run}.png"))),
        },
        Query::Report { .. } => (
            "text/html; charset=utf-8",
            Some("sokudo-report.html".to_owned()),
        ),
        _ => ("application/json", None),
    }
}
