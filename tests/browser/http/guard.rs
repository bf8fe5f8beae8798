//! Every way around the guard that local servers have been passed by, as bytes.

use std::net::{Ipv6Addr, TcpListener};

use sokudo_page::MeasurerMessage;

use super::site::{CONTROL, LOOK, begin, hello, site};

/// A request of the page itself: lines to put in, and the status that comes back.
const WAYS: &[(&str, &str, u16)] = &[
    ("the page", "GET / HTTP/1.1\r\nHost: localhost:PORT", 200),
    ("an address", "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT", 200),
    ("IPv6", "GET / HTTP/1.1\r\nHost: [::1]:PORT", 200),
    (
        "a name that is bound to us",
        "GET / HTTP/1.1\r\nHost: evil.example:PORT",
        403,
    ),
    (
        "a name that begins like us",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.com:PORT",
        403,
    ),
    (
        "IPv4 as IPv6",
        "GET / HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:PORT",
        403,
    ),
    ("no host", "GET / HTTP/1.1", 400),
    ("no host in HTTP/1.0", "GET / HTTP/1.0", 400),
    (
        "two hosts",
        "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nHost: evil.example",
        400,
    ),
    ("another port", "GET / HTTP/1.1\r\nHost: localhost:1", 403),
    ("no port", "GET / HTTP/1.1\r\nHost: localhost", 403),
    (
        "a user before it",
        "GET / HTTP/1.1\r\nHost: me@localhost:PORT",
        403,
    ),
    (
        "a dot behind it",
        "GET / HTTP/1.1\r\nHost: localhost.:PORT",
        403,
    ),
    (
        "a host in the line",
        "GET http://localhost:PORT/ HTTP/1.1\r\nHost: localhost:PORT",
        400,
    ),
    (
        "another in the line",
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost:PORT",
        400,
    ),
    (
        "a foreign origin",
        "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://evil.example",
        403,
    ),
    (
        "an origin of no page",
        "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: null",
        403,
    ),
    (
        "a stream without cookie",
        "GET /api/events HTTP/1.1\r\nHost: localhost:PORT",
        401,
    ),
    (
        "a list without cookie",
        "GET /api/runs HTTP/1.1\r\nHost: localhost:PORT",
        401,
    ),
    (
        "a file that is none",
        "GET /files/../Cargo.toml HTTP/1.1\r\nHost: localhost:PORT",
        404,
    ),
    (
        "a file outside",
        "GET /files/%2e%2e%2fCargo.toml HTTP/1.1\r\nHost: localhost:PORT",
        404,
    ),
    (
        "another method",
        "DELETE / HTTP/1.1\r\nHost: localhost:PORT",
        405,
    ),
    (
        "a preflight",
        "OPTIONS /api/start HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://evil.example",
        405,
    ),
    (
        "a form of a stranger",
        "POST /api/start HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://evil.example\r\nX-Sokudo: 1\r\nCookie: CONTROL\r\nContent-Length: 0",
        403,
    ),
    (
        "a change without origin",
        "POST /api/start HTTP/1.1\r\nHost: localhost:PORT\r\nX-Sokudo: 1\r\nCookie: CONTROL\r\nContent-Length: 0",
        403,
    ),
    (
        "a change without our header",
        "POST /api/start HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://localhost:PORT\r\nCookie: CONTROL\r\nContent-Length: 0",
        403,
    ),
    (
        "a change by who may look",
        "POST /api/start HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://localhost:PORT\r\nX-Sokudo: 1\r\nCookie: LOOK\r\nContent-Length: 0",
        403,
    ),
    (
        "directories for who may look",
        "GET /api/folders?path=/ HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: LOOK",
        403,
    ),
    (
        "the cookie of another port",
        "GET /api/session HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: OTHER",
        401,
    ),
    (
        "a page of another port",
        "GET /api/session HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: CONTROL\r\nSec-Fetch-Site: same-site",
        403,
    ),
    (
        "a session",
        "GET /api/session HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: CONTROL",
        200,
    ),
    (
        "one that looks",
        "GET /api/session HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: LOOK",
        200,
    ),
];

#[test]
fn every_way_around_the_guard_is_closed_and_every_answer_carries_its_headers() {
    let site = site();
    let (control, look) = (site.enter(CONTROL), site.enter(LOOK));
    let (_, value) = control.split_once('=').unwrap();
    let other = format!("sokudo_1={value}");
    for (name, request, status) in WAYS {
        let request = request
            .replace("Cookie: CONTROL", &format!("Cookie: {control}"))
            .replace("Cookie: LOOK", &format!("Cookie: {look}"))
            .replace("Cookie: OTHER", &format!("Cookie: {other}"));
        let response = site.raw(&format!("{request}\r\nConnection: close\r\n\r\n"));
        assert_eq!(response.status, *status, "{name}: {response:?}");
        for (header, part) in [
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'",
            ),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            let value = response.header(header).unwrap_or_default();
            assert!(value.starts_with(part), "{name}: {header}: {value}");
        }
        assert_eq!(response.header("access-control-allow-origin"), None);
        if *status >= 400 {
            let error = response.json()["error"].as_str().unwrap().to_owned();
            assert!(error.contains(';'), "{name}: it names a way out: {error}");
        }
    }
}

#[test]
fn a_session_is_opened_by_a_token_or_once_by_a_code_and_ends_when_it_is_left() {
    let site = site();
    let enter = |body: &str| site.post("/api/enter", "", body);
    for wrong in [
        r#"{"token":""}"#,
        r#"{"token":"c0ffee"}"#,
        r#"{"code":"abc"}"#,
        r#"{"token":"a","code":"b"}"#,
        "{}",
        "",
        "token=a",
    ] {
        assert_eq!(enter(wrong).status, 401, "{wrong}");
    }
    site.tell(&MeasurerMessage::Code {
        code: "once".to_owned(),
    });
    site.tell(&MeasurerMessage::Token {
        control_token: "fresh".to_owned(),
    });
    // The pipe is read beside the connections.
    let fresh = loop {
        let fresh = enter(r#"{"token":"fresh"}"#);
        if fresh.status == 204 {
            break fresh;
        }
    };
    let line = fresh.header("set-cookie").unwrap();
    let name = format!("sokudo_{}=", site.port);
    assert!(line.starts_with(&name), "{line}");
    assert!(
        line.ends_with("; HttpOnly; SameSite=Strict; Path=/"),
        "{line}"
    );
    assert_eq!(enter(r#"{"code":"once"}"#).status, 204);
    assert_eq!(enter(r#"{"code":"once"}"#).status, 401);
    let cookie = fresh.cookie();
    assert_eq!(
        site.get("/api/session", &cookie).body,
        r#"{"read_only":false}"#
    );
    assert_eq!(site.post("/api/leave", &cookie, "").status, 204);
    assert_eq!(site.get("/api/session", &cookie).status, 401);
}

#[test]
fn a_page_that_was_started_to_look_lets_nobody_change_anything() {
    let mut read_only = hello();
    read_only.read_only = true;
    let site = begin(read_only, |_| (true, "application/json", b"{}".to_vec())).unwrap();
    let cookie = site.enter(CONTROL);
    assert_eq!(
        site.get("/api/session", &cookie).body,
        r#"{"read_only":true}"#
    );
    for path in [
        "plan",
        "start",
        "stop",
        "runs/1/note",
        "runs/1/tag",
        "runs/1/baseline",
        "import?name=x",
    ] {
        let refused = site.post(&format!("/api/{path}"), &cookie, "{}");
        assert_eq!(refused.status, 403, "{path}");
    }
    assert_eq!(site.get("/api/runs/1", &cookie).status, 200);
}

#[test]
fn what_opens_sessions_is_in_no_answer() {
    let site = site();
    let (control, look) = (site.enter(CONTROL), site.enter(LOOK));
    let secrets: Vec<&str> = [&*control, &*look]
        .iter()
        .filter_map(|cookie| Some(cookie.split_once('=')?.1))
        .chain([CONTROL, LOOK])
        .collect();
    let wrong = format!(r#"{{"token":"{CONTROL}","more":1}}"#);
    let answers = [
        site.get("/", &control),
        site.get("/api/session", &control),
        site.get("/api/methods", &control),
        site.get(&format!("/api/{CONTROL}"), "").tap_status(401),
        site.post("/api/enter", &control, &wrong).tap_status(401),
        site.post("/api/start", &control, &wrong).tap_status(400),
    ];
    for answer in answers {
        for secret in &secrets {
            let is_reported = answer.head.contains(secret) || answer.body.contains(secret);
            assert!(!is_reported, "{answer:?}");
        }
    }
    let followed = super::site::Follower::new(&site, &control, None)
        .next()
        .unwrap();
    for secret in secrets {
        assert!(!followed.contains(secret));
    }
}

impl super::site::Response {
    fn tap_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

#[test]
fn the_page_is_served_at_both_loopback_addresses_or_not_at_all() {
    let Ok(taken) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else {
        eprintln!("SKIPPED: this machine has no IPv6");
        return;
    };
    let mut asked = hello();
    asked.port = taken.local_addr().unwrap().port();
    let error = begin(asked, |_| unreachable!("nothing is served"))
        .err()
        .unwrap();
    assert!(
        error.contains("[::1]") && error.contains("--port"),
        "{error}"
    );
}

#[test]
fn a_public_origin_that_is_none_is_told() {
    let mut asked = hello();
    asked.public_origin = Some("disks.example".to_owned());
    let error = begin(asked, |_| unreachable!("nothing is served"))
        .err()
        .unwrap();
    assert!(error.contains("disks.example"), "{error}");
}
