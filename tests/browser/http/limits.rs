//! What is too large, too slow or too much.

use std::io::{ErrorKind, Read, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use sokudo_page::{Ask, Query};

use super::site::{CONTROL, response, site};

#[test]
fn a_request_that_is_too_large_is_refused() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let long = "x".repeat(40 << 10);
    let request = format!("GET / HTTP/1.1\r\nHost: localhost:PORT\r\nX-Long: {long}\r\n\r\n");
    assert_eq!(site.raw(&request).status, 431);
    let many = "X-Many: 1\r\n".repeat(200);
    let request = format!("GET / HTTP/1.1\r\nHost: localhost:PORT\r\n{many}\r\n");
    assert_eq!(site.raw(&request).status, 431);
    let body = format!(r#"{{"wish":"{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(site.post("/api/plan", &cookie, &body).status, 413);
    let head = format!(
        "POST /api/plan HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://localhost:PORT\r\n\
         X-Sokudo: 1\r\nCookie: {cookie}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    );
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    assert_eq!(
        site.raw(&format!("{head}{chunk}{chunk}0\r\n\r\n")).status,
        413
    );
}

#[test]
fn one_result_of_8_mib_is_uploaded_at_a_time() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let largest = "x".repeat(8 << 20);
    let upload = |body: &str| site.post("/api/import?name=a.txt", &cookie, body).status;
    assert_eq!(upload(&largest), 200);
    let asked = site.asked.recv().unwrap();
    assert!(matches!(
        asked,
        Ask::Query { query: Query::Import { name }, .. } if name == "a.txt"
    ));
    assert_eq!(upload(&format!("{largest}x")), 413);
    assert_eq!(site.post("/api/plan", &cookie, &largest).status, 413);
    let mut slow = site.connect();
    let head = format!(
        "POST /api/import?name=a HTTP/1.1\r\nHost: localhost:{0}\r\nOrigin: http://localhost:{0}\r\n\
         X-Sokudo: 1\r\nCookie: {cookie}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nx",
        site.port
    );
    slow.write_all(head.as_bytes()).unwrap();
    // It has been let in once another is not.
    let begun = Instant::now();
    while upload("x") != 503 {
        assert!(begun.elapsed() < Duration::from_secs(60), "both are taken");
    }
    slow.write_all(b"x").unwrap();
    assert_eq!(response(slow).status, 200);
    assert_eq!(upload("x"), 200);
}

#[test]
fn a_request_that_does_not_come_to_its_end_is_cut_off() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let mut slow_head = site.connect();
    slow_head
        .write_all(b"GET / HTTP/1.1\r\nHost: local")
        .unwrap();
    let mut slow_body = site.connect();
    let head = format!(
        "POST /api/plan HTTP/1.1\r\nHost: localhost:{0}\r\nOrigin: http://localhost:{0}\r\n\
         X-Sokudo: 1\r\nCookie: {cookie}\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{{",
        site.port
    );
    slow_body.write_all(head.as_bytes()).unwrap();
    let mut silent = site.connect();
    assert_eq!(response(slow_body).status, 408);
    let mut rest = Vec::new();
    // Both are closed, with a word or without.
    let _ = slow_head.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
    let closed = silent.read(&mut [0; 1]);
    let waited = |error: &std::io::Error| error.kind() == ErrorKind::WouldBlock;
    assert!(!closed.as_ref().is_err_and(waited), "{closed:?}");
}

#[test]
fn who_holds_all_places_without_a_key_keeps_nobody_out() {
    let site = site();
    let _held: Vec<_> = (0..64).map(|_| site.connect()).collect();
    let mut late = site.connect();
    let request = format!(
        "GET / HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n",
        site.port
    );
    late.write_all(request.as_bytes()).unwrap();
    late.set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    assert_eq!(response(late).status, 200);
}

#[test]
fn the_server_ends_with_its_pipe_also_while_somebody_follows() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let mut follower = super::site::Follower::new(&site, &cookie, None);
    assert!(follower.next().is_some());
    let port = site.port;
    let code = site.end();
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
    // Programs that other tests start hold, for a moment, what is open here, and another of their
    // servers may have been given the same port.
    let give_up = Instant::now() + Duration::from_secs(60);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
        assert!(Instant::now() < give_up, "it still listens");
        thread::park_timeout(Duration::from_millis(10));
    }
}
