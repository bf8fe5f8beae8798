//! A `sokudo page`, and what a browser would ask of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Only a test that fails waits as long.
const PATIENCE: Duration = Duration::from_secs(240);

/// A page that serves, ended when dropped.
pub(crate) struct PageClient {
    page: Child,
    /// The address without what is behind `#`.
    origin: String,
    cookie: String,
    token: String,
}

impl PageClient {
    /// Starts `sokudo page …` and enters it.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut page = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(page.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap();
            let (before, token) = line.split_once("/#t=")?;
            let origin = &before[before.find("http://")?..];
            Some((origin.to_owned(), token.trim().to_owned()))
        });
        // What else it prints must not fill the pipe.
        thread::spawn(move || lines.count());
        let (origin, token) = address.unwrap();
        let mut client = Self {
            page,
            origin,
            cookie: String::new(),
            token,
        };
        let entered = json!({ "token": client.token });
        let entered = client.request("POST", "/api/enter", Some(&entered));
        assert_eq!(entered.status, 204, "{}", entered.head);
        let cookie = entered.head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_cookie = name.eq_ignore_ascii_case("set-cookie");
            is_cookie.then(|| value.split(';').next().unwrap().to_owned())
        });
        client.cookie = cookie.unwrap();
        client
    }

    /// Starts a run: its number on the page, or why not.
    pub(crate) fn begin(&self, wish: &Value) -> Result<u64, String> {
        let wish = json!({ "wish": wish });
        let response = self.request("POST", "/api/start", Some(&wish));
        let answer: Value = serde_json::from_slice(&response.body).unwrap();
        match response.status {
            200 => Ok(answer["run"].as_u64().unwrap()),
            _ => Err(answer["error"].as_str().unwrap().to_owned()),
        }
    }

    /// Measures what is wished for, to its end: what the page shows of it then.
    pub(crate) fn measure(&self, wish: &Value) -> Value {
        self.end_of(self.begin(wish).unwrap())
    }

    /// What the page shows of a run at its end.
    pub(crate) fn end_of(&self, number: u64) -> Value {
        let started = Instant::now();
        loop {
            let run = self.view()["run"].take();
            let state = run["state"].as_str().unwrap_or_default();
            if run["run"] == number && ["ended", "failed", "interrupted"].contains(&state) {
                return run;
            }
            assert!(started.elapsed() < PATIENCE, "it does not end: {run}");
            thread::park_timeout(Duration::from_millis(50));
        }
    }

    /// What the page shows of its run once this is so.
    #[allow(dead_code, reason = "the lab does not look")]
    pub(crate) fn wait_for(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let run = self.view()["run"].take();
            if is_so(&run) {
                return run;
            }
            assert!(started.elapsed() < PATIENCE, "it does not come: {run}");
            thread::park_timeout(Duration::from_millis(50));
        }
    }

    /// The view that all browsers share, as the first message of the stream of events has it.
    pub(crate) fn view(&self) -> Value {
        let mut stream = BufReader::new(self.ask("GET", "/api/events", None));
        let mut line = String::new();
        while !line.starts_with("data: ") {
            line.clear();
            assert!(stream.read_line(&mut line).unwrap() > 0, "no view came");
        }
        let mut batch: Value = serde_json::from_str(&line["data: ".len()..]).unwrap();
        batch["ops"][0][2].take()
    }

    /// The page and its children.
    #[allow(dead_code, reason = "the lab does not look")]
    pub(crate) fn processes(&self) -> Vec<u32> {
        let page = self.page.id();
        let children = std::fs::read_to_string(format!("/proc/{page}/task/{page}/children"));
        let children = children.unwrap();
        let children = children.split_ascii_whitespace();
        let mut all = vec![page];
        all.extend(children.map(|it| it.parse::<u32>().unwrap()));
        all
    }

    /// What opens it.
    #[allow(dead_code, reason = "the lab does not look")]
    pub(crate) fn secrets(&self) -> [&str; 2] {
        let (_, session) = self.cookie.split_once('=').unwrap();
        [&self.token, session]
    }

    /// What a GET answers.
    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        let response = self.request("GET", path, None);
        assert_eq!(response.status, 200, "{path}: {}", response.head);
        response.body
    }

    #[allow(dead_code, reason = "the lab does not look back")]
    pub(crate) fn get_json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.get(path)).unwrap()
    }

    /// What a program reads that shows the token.
    #[allow(dead_code, reason = "the lab does not look")]
    pub(crate) fn metrics(&self) -> String {
        let host = self.origin.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host.replace("localhost", "127.0.0.1")).unwrap();
        let token = &self.token;
        write!(
            stream,
            "GET /metrics HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
        answer
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Response {
        let mut bytes = Vec::new();
        self.ask(method, path, body)
            .read_to_end(&mut bytes)
            .unwrap();
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        Response {
            status: head[9..12].parse().unwrap(),
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// Sends a request, as HTTP/1.0, so that nothing of the answer but its body follows the head.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> TcpStream {
        let host = self.origin.trim_start_matches("http://");
        let port: u16 = host.rsplit_once(':').unwrap().1.parse().unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        let Self { origin, cookie, .. } = self;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nOrigin: {origin}\r\nCookie: {cookie}\r\nX-Sokudo: 1\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        stream
    }
}

impl Drop for PageClient {
    fn drop(&mut self) {
        let pid = i32::try_from(self.page.id()).ok().and_then(Pid::from_raw);
        // Twice: a run that goes on is not waited for.
        for _ in 0..2 {
            let _ = pid.map(|pid| kill_process(pid, Signal::INT));
        }
        let _ = self.page.wait();
    }
}

struct Response {
    status: u16,
    head: String,
    body: Vec<u8>,
}
