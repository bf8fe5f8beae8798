//! The web process from its first message to its end.

use std::io::{self, BufReader};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sokudo_words::{Error, Language, speaking};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

use crate::access::NoOrigin;
use crate::listen::{self, ListenError};
use crate::message::{Ask, Hello, MeasurerMessage};
use crate::page::WebUi;
use crate::pipe::{Frame, PipeError, read_frame, write_frame};
use crate::routes::router;
use crate::wish::Methods;

/// What the measurer sends faster than it is taken in waits in the pipe.
const FRAMES_MAX: usize = 64;
/// Directories are listed beside each other by no more threads.
const BLOCKING_THREADS_MAX: usize = 4;
/// The measurer says its first word at once.
const HELLO_TIME: Duration = Duration::from_secs(10);

#[derive(Debug, Error)]
enum ServeError {
    #[error(transparent)]
    Pipe(#[from] PipeError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error(transparent)]
    Origin(#[from] NoOrigin),
    #[error("the page cannot be served: {0}; free memory or processes, and start it again")]
    System(#[from] io::Error),
    #[error(
        "the first message does not say what to serve; both processes must be the same version of sokudo"
    )]
    NoHello,
}

/// Serves the page until the pipe to the measurer is closed. What goes wrong before is told
/// through the pipe; nothing is printed.
pub fn serve(pipe: UnixStream, methods: Methods) -> ExitCode {
    let mut answers = match pipe.try_clone() {
        Ok(answers) => answers,
        Err(_) => return ExitCode::FAILURE,
    };
    match serve_until_closed(pipe, methods) {
        Ok(()) => ExitCode::SUCCESS,
        Err((language, error)) => {
            let error = speaking(language, || error.to_string());
            // Nobody is left to be told where it fails.
            let _ = write_frame(&mut answers, &Ask::Failed { error }, &[]);
            ExitCode::FAILURE
        }
    }
}

fn serve_until_closed(pipe: UnixStream, methods: Methods) -> Result<(), (Language, ServeError)> {
    let english = |error: ServeError| (Language::English, error);
    let (reader, hello) = greeted(&pipe).map_err(english)?;
    let language = Language::of_locale(&hello.lang);
    speaking(language, || serve_page(pipe, reader, hello, methods))
        .map_err(|error| (language, error))
}

/// The first message, and the reader of the others.
fn greeted(pipe: &UnixStream) -> Result<(BufReader<UnixStream>, Hello), ServeError> {
    let input = pipe.try_clone()?;
    input.set_read_timeout(Some(HELLO_TIME))?;
    let mut reader = BufReader::new(input);
    let frame = read_frame::<MeasurerMessage>(&mut reader)?;
    reader.get_ref().set_read_timeout(None)?;
    match frame.map(|frame| frame.message) {
        Some(MeasurerMessage::Hello(hello)) => Ok((reader, hello)),
        _ => Err(ServeError::NoHello),
    }
}

fn serve_page(
    mut pipe: UnixStream,
    reader: BufReader<UnixStream>,
    hello: Hello,
    methods: Methods,
) -> Result<(), ServeError> {
    let (port, listeners) = listen::bind(hello.port, &hello.listen)?;
    let (asks, to_write) = mpsc::channel(FRAMES_MAX);
    let page = Arc::new(WebUi::new(hello, methods, port, asks)?);
    let runtime = runtime()?;
    let (frames, receiver) = mpsc::channel(FRAMES_MAX);
    runtime
        .block_on(async {
            listen::serve(listeners, &router(Arc::clone(&page)))?;
            write_frame(&mut pipe, &Ask::Listening { port }, &[])?;
            thread::Builder::new().spawn(move || read_all(reader, &frames))?;
            thread::Builder::new().spawn(move || write_all(pipe, to_write))?;
            follow(&page, receiver).await;
            Ok(())
        })
        .inspect(|()| runtime.shutdown_background())
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .build()
}

/// Takes in what is told until the pipe is closed.
async fn follow(page: &Arc<WebUi>, mut receiver: mpsc::Receiver<Frame<MeasurerMessage>>) {
    let batching = Arc::clone(page);
    tokio::spawn(async move { batching.batch().await });
    while let Some(frame) = receiver.recv().await {
        page.tell(frame);
    }
}

/// Ends with the pipe, and where the measurer sends what is no message.
fn read_all(mut reader: BufReader<UnixStream>, frames: &mpsc::Sender<Frame<MeasurerMessage>>) {
    while let Ok(Some(frame)) = read_frame(&mut reader) {
        if frames.blocking_send(frame).is_err() {
            return;
        }
    }
}

/// Ends with the page, and where the pipe is closed.
fn write_all(mut pipe: UnixStream, mut asks: mpsc::Receiver<Frame<Ask>>) {
    while let Some(Frame { message, bytes }) = asks.blocking_recv() {
        if write_frame(&mut pipe, &message, &bytes).is_err() {
            return;
        }
    }
}
