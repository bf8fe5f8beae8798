//! `sokudo page`: the process that measures for the page, and owns the terminal, the consent and
//! the queue.
//!
//! What speaks to browsers is another process (`sokudo-page`), without root's rights. It asks for
//! wishes; each becomes a command line of this very program, carried out by a child, so that the
//! page measures what the command line measures, and nothing else.

pub(crate) mod arguments;

mod address;
mod child;
mod cost;
mod destroyable;
mod dropped_job;
mod forms;
mod page_event;
mod run_queue;
mod turns;
mod web;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use sokudo_page::{Ask, Frame, MeasurerMessage, UPLOAD_BYTES_MAX, read_frame};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{invocation, output};
use sokudo_words::text;

use crate::frontends::page::arguments::PageArguments;
use address::{Addresses, secret};
use destroyable::Destroyable;
use page_event::PageEvent;
use run_queue::{QueuedCommand, RunQueue};
use web::{Web, WebUser};

/// What the page has this program do as another user, if these arguments say so.
pub(crate) fn as_other_user(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.get(1)? == sokudo_page::ARGUMENT {
        return Some(web::serve());
    }
    web::path_to_look_at(arguments).map(web::tell_where)
}

/// Serves the page until Ctrl-C.
pub(crate) fn run(arguments: &PageArguments) -> Result<(), Exit> {
    let user = WebUser::find();
    let launched = QueuedCommand::of_launcher(&arguments.command)?;
    address::check_origin(arguments.public_origin.as_deref())?;
    let destroyable = Destroyable::new(&arguments.allow_destroy).map_err(Exit::usage)?;
    let mut addresses = Addresses::new(arguments);
    let (sender, receiver) = mpsc::channel();
    watch_signals(sender.clone())?;
    let web = Web::start(&user, addresses.hello(arguments, user.is_dropped()))?;
    watch_asks(web.reader()?, sender.clone());
    addresses.port = listening(&receiver)?;
    output::print(&addresses.printed())?;
    if arguments.open {
        let code = secret();
        web.tell(&MeasurerMessage::Code { code: code.clone() }, &[])?;
        address::open(&addresses.with_code(&code), &user);
    }
    if invocation::is_input_terminal() {
        watch_enter(sender.clone());
    }
    let mut desk = RunQueue::new(arguments, destroyable, user, &web, sender);
    if let Some(order) = launched {
        desk.launch(order);
    }
    work(&mut desk, &mut addresses, &receiver)
}

/// Does one thing after the other, until it is to end.
fn work(
    desk: &mut RunQueue,
    addresses: &mut Addresses,
    receiver: &Receiver<PageEvent>,
) -> Result<(), Exit> {
    for happening in receiver {
        match happening {
            PageEvent::Ask(Frame { message, bytes }) => desk.answer(message, bytes),
            PageEvent::Child(run, report) => desk.hear(run, report),
            PageEvent::Enter => {
                addresses.control_token = secret();
                desk.tell(&MeasurerMessage::Token {
                    control_token: addresses.control_token.clone(),
                });
                output::print(&addresses.printed())?;
            }
            PageEvent::WebEnded if desk.is_ending() => {}
            PageEvent::WebEnded => {
                desk.end();
                return Err(Exit::failed(text!(
                    "the process that serves the page has ended; start sokudo page again"
                )));
            }
            PageEvent::End if desk.is_ending() => return Ok(()),
            PageEvent::End => {
                if desk.end() {
                    exit::note(text!(
                        "the run in progress is ended and kept; Ctrl-C again leaves at once"
                    ));
                }
            }
        }
        if desk.is_ending() && !desk.is_measuring() {
            return Ok(());
        }
    }
    Ok(())
}

/// The port that it serves on.
fn listening(receiver: &Receiver<PageEvent>) -> Result<u16, Exit> {
    loop {
        match receiver.recv() {
            Ok(PageEvent::Ask(frame)) => match frame.message {
                Ask::Listening { port } => return Ok(port),
                Ask::Failed { error } => return Err(Exit::failed(anyhow::anyhow!(error))),
                _ => {}
            },
            Ok(PageEvent::End) => return Err(Exit::AsReported(0)),
            Ok(PageEvent::Enter | PageEvent::Child(..)) => {}
            Ok(PageEvent::WebEnded) | Err(_) => {
                return Err(Exit::failed(text!(
                    "the process that serves the page could not start; try another --port"
                )));
            }
        }
    }
}

fn watch_asks(reader: UnixStream, sender: Sender<PageEvent>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        while let Ok(Some(frame)) = read_frame::<Ask>(&mut reader)
            && frame.bytes.len() <= UPLOAD_BYTES_MAX
        {
            if sender.send(PageEvent::Ask(frame)).is_err() {
                return;
            }
        }
        let _ = sender.send(PageEvent::WebEnded);
    });
}

fn watch_enter(sender: Sender<PageEvent>) {
    thread::spawn(move || {
        let mut line = String::new();
        while io::stdin()
            .lock()
            .read_line(&mut line)
            .is_ok_and(|read| read > 0)
        {
            line.clear();
            if sender.send(PageEvent::Enter).is_err() {
                return;
            }
        }
    });
}

fn watch_signals(sender: Sender<PageEvent>) -> Result<(), Exit> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(Exit::failed)?;
    thread::spawn(move || {
        for _ in &mut signals {
            if sender.send(PageEvent::End).is_err() {
                return;
            }
        }
    });
    Ok(())
}
