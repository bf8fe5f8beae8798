//! A page that is served to the tests, and a measurer that answers as it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sokudo_page::{
    Ask, Hello, MeasurerMessage, MethodForm, MethodList, TargetForm, read_frame, serve, write_frame,
};
use sokudo_words::Language;

pub(crate) const CONTROL: &str = "c0ffee0000000000000000000000000000000000000000000000000000000001";
pub(crate) const LOOK: &str = "c0ffee0000000000000000000000000000000000000000000000000000000002";

/// Only a test that fails waits as long.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Site {
    pub(crate) port: u16,
    pipe: UnixStream,
    /// What was asked, each after it was answered.
    pub(crate) asked: Receiver<Ask>,
    server: JoinHandle<ExitCode>,
}

/// What the measurer answers: whether it is so, of which type, and what.
pub(crate) type Given = (bool, &'static str, Vec<u8>);

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) fn hello() -> Hello {
    Hello {
        control_token: CONTROL.to_owned(),
        read_token: LOOK.to_owned(),
        lang: "en".to_owned(),
        is_lang_given: false,
        port: 0,
        public_origin: None,
        listen: Vec::new(),
        read_only: false,
        as_root: false,
        allow_destroy: Vec::new(),
        version: "0.1.0".to_owned(),
    }
}

/// Methods that have no options.
fn methods(_: Language) -> MethodList {
    let form = |name: &str| MethodForm {
        name: name.to_owned(),
        command: name.to_owned(),
        group: String::new(),
        about: String::new(),
        target: TargetForm::Needed,
        options: Vec::new(),
    };
    let names = ["mark", "scan"];
    MethodList {
        forms: names.map(form).into(),
        names: names.into(),
        remedies: std::collections::BTreeMap::default(),
    }
}

/// What becomes of a first message: the page, or what is wrong.
pub(crate) fn begin(
    hello: Hello,
    mut answer: impl FnMut(&Ask) -> Given + Send + 'static,
) -> Result<Site, String> {
    let (mut pipe, theirs) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || serve(theirs, methods));
    write_frame(&mut pipe, &MeasurerMessage::Hello(hello), &[]).unwrap();
    let mut reader = BufReader::new(pipe.try_clone().unwrap());
    let first = read_frame::<Ask>(&mut reader).unwrap().unwrap();
    let port = match first.message {
        Ask::Listening { port } => port,
        Ask::Failed { error } => return Err(error),
        other => panic!("{other:?}"),
    };
    let (sender, asked) = channel();
    let mut writer = pipe.try_clone().unwrap();
    thread::spawn(move || {
        while let Ok(Some(frame)) = read_frame::<Ask>(&mut reader) {
            let (ok, kind, bytes) = answer(&frame.message);
            let told = MeasurerMessage::Answer {
                id: id(&frame.message),
                ok,
                kind: kind.to_owned(),
                name: None,
            };
            if write_frame(&mut writer, &told, &bytes).is_err() {
                return;
            }
            let _ = sender.send(frame.message);
        }
    });
    Ok(Site {
        port,
        pipe,
        asked,
        server,
    })
}

/// A page whose measurer answers everything with an empty object.
pub(crate) fn site() -> Site {
    begin(hello(), |_| (true, "application/json", b"{}".to_vec())).unwrap()
}

fn id(ask: &Ask) -> u64 {
    match ask {
        Ask::Plan { id, .. }
        | Ask::Start { id, .. }
        | Ask::Stop { id, .. }
        | Ask::Drop { id, .. }
        | Ask::Move { id, .. }
        | Ask::Query { id, .. } => *id,
        Ask::Listening { .. } | Ask::Failed { .. } => 0,
    }
}

impl Site {
    pub(crate) fn tell(&self, told: &MeasurerMessage) {
        write_frame(&mut &self.pipe, told, &[]).unwrap();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are, with `PORT` for the port, and reads until the end.
    pub(crate) fn raw(&self, request: &str) -> Response {
        let mut stream = self.connect();
        let request = request.replace("PORT", &self.port.to_string());
        // A server that refuses a long request closes before all of it is written.
        let _ = stream.write_all(request.as_bytes());
        response(stream)
    }

    pub(crate) fn get(&self, path: &str, cookie: &str) -> Response {
        self.raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }

    pub(crate) fn post(&self, path: &str, cookie: &str, body: &str) -> Response {
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://localhost:PORT\r\n\
             X-Sokudo: 1\r\nCookie: {cookie}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    }

    /// The cookie that a token opens a session with.
    pub(crate) fn enter(&self, token: &str) -> String {
        let entered = self.post("/api/enter", "", &format!(r#"{{"token":"{token}"}}"#));
        assert_eq!(entered.status, 204, "{entered:?}");
        entered.cookie()
    }

    /// Closes the pipe, and waits until the server has ended.
    pub(crate) fn end(self) -> ExitCode {
        self.pipe.shutdown(std::net::Shutdown::Both).unwrap();
        self.server.join().unwrap()
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }

    pub(crate) fn cookie(&self) -> String {
        let line = self.header("set-cookie").unwrap();
        line.split(';').next().unwrap().to_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub(crate) fn response(mut stream: TcpStream) -> Response {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    // What was not read of a request that is refused resets the connection behind the answer.
    while let Ok(count @ 1..) = stream.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Response {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// A browser that follows the stream.
pub(crate) struct Follower {
    lines: BufReader<TcpStream>,
    pub(crate) last: Option<String>,
    pub(crate) view: serde_json::Value,
}

impl Follower {
    pub(crate) fn new(site: &Site, cookie: &str, last: Option<String>) -> Self {
        let mut stream = site.connect();
        let last_id = last.as_ref();
        let last_id = last_id.map_or_else(String::new, |id| format!("Last-Event-ID: {id}\r\n"));
        let request = format!(
            "GET /api/events HTTP/1.1\r\nHost: localhost:{}\r\nCookie: {cookie}\r\n{last_id}\r\n",
            site.port
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "no stream");
        }
        Self {
            lines,
            last,
            view: serde_json::Value::Null,
        }
    }

    /// The next batch; none where the stream has ended.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(id) = line.strip_prefix("id: ") {
                self.last = Some(id.trim().to_owned());
            }
            if let Some(data) = line.strip_prefix("data: ") {
                self.apply(data);
                return Some(data.to_owned());
            }
        }
    }

    /// Reads batches until the view is as it is wanted.
    pub(crate) fn until(&mut self, wanted: impl Fn(&serde_json::Value) -> bool) {
        while !wanted(&self.view) {
            assert!(self.next().is_some(), "the stream has ended");
        }
    }

    fn apply(&mut self, data: &str) {
        let batch: serde_json::Value = serde_json::from_str(data).unwrap();
        for operation in batch["ops"].as_array().unwrap() {
            let path = operation[1].as_array().unwrap();
            let target = path.iter().fold(&mut self.view, |at, step| match step {
                serde_json::Value::Number(index) => {
                    &mut at[usize::try_from(index.as_u64().unwrap()).unwrap()]
                }
                key => &mut at[key.as_str().unwrap()],
            });
            match operation[0].as_str().unwrap() {
                "push" => target.as_array_mut().unwrap().push(operation[2].clone()),
                _ => *target = operation[2].clone(),
            }
        }
    }
}
