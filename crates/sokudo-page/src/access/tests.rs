use super::*;
use crate::keys::Session;

const PORT: u16 = 8417;
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A guard with a session that controls, and one that looks.
struct House {
    access: AccessPolicy,
    keys: KeySet,
    control: String,
    read: String,
}

fn house(listen: &[&str], public_origin: Option<&str>) -> House {
    let mut keys = KeySet::new(false);
    let listen = listen.iter().map(|address| address.parse().unwrap());
    let begin = |keys: &mut KeySet, is_read_only, random| {
        let cookie = keys.begin(Session { is_read_only }, [random; 32]);
        format!("sokudo_{PORT}={cookie}")
    };
    House {
        access: AccessPolicy::new(PORT, listen.collect(), public_origin).unwrap(),
        control: begin(&mut keys, false, 1),
        read: begin(&mut keys, true, 2),
        keys,
    }
}

impl House {
    fn ask(&self, line: &str, lines: &[(&'static str, &str)]) -> Result<Admission, Refusal> {
        self.ask_at(line, lines, LOOPBACK)
    }

    fn ask_at(
        &self,
        line: &str,
        lines: &[(&'static str, &str)],
        local: IpAddr,
    ) -> Result<Admission, Refusal> {
        let (method, uri) = line.split_once(' ').unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        let head = RequestHead {
            method: &method.parse().unwrap(),
            uri: &uri.parse().unwrap(),
            headers: &headers,
            local,
        };
        self.access.judge(head, &self.keys)
    }
}

#[test]
fn only_our_own_names_are_hosts() {
    let house = house(&[], None);
    for (host, is_ours) in [
        ("localhost:8417", true),
        ("LOCALHOST:8417", true),
        ("127.0.0.1:8417", true),
        ("127.0.0.53:8417", true),
        ("[::1]:8417", true),
        ("[0:0:0:0:0:0:0:1]:8417", true),
        // Names that were bound to our address.
        ("evil.example:8417", false),
        ("127.0.0.1.evil.com:8417", false),
        ("localhost.evil.com:8417", false),
        ("evil-localhost:8417", false),
        ("localhost.:8417", false),
        ("127.0.0.1.:8417", false),
        // Other spellings.
        ("[::ffff:127.0.0.1]:8417", false),
        ("[::ffff:7f00:1]:8417", false),
        ("::1:8417", false),
        ("127.1:8417", false),
        ("2130706433:8417", false),
        ("0x7f.0.0.1:8417", false),
        ("0177.0.0.1:8417", false),
        ("[127.0.0.1]:8417", false),
        ("0.0.0.0:8417", false),
        ("[::]:8417", false),
        ("[::1%25lo]:8417", false),
        // Other ports.
        ("localhost", false),
        ("localhost:80", false),
        ("localhost:8418", false),
        ("localhost:", false),
        ("localhost:+8417", false),
        ("localhost:08417", false),
        ("localhost:8417:8417", false),
        ("[::1]", false),
        // What is no host.
        ("", false),
        (":8417", false),
        ("me@localhost:8417", false),
        ("localhost:8417@evil.com", false),
        ("localhost:8417/", false),
        ("localhost:8417, evil.com", false),
        ("192.168.1.5:8417", false),
    ] {
        let admission = house.ask("GET /", &[("host", host)]);
        let expected = match is_ours {
            true => Ok(Admission::Anybody),
            false => Err(Refusal::ForeignHost),
        };
        assert_eq!(admission, expected, "{host:?}");
    }
}

#[test]
fn a_request_names_one_host_and_no_other_in_its_line() {
    let house = house(&[], None);
    assert_eq!(house.ask("GET /", &[]), Err(Refusal::NoHost));
    let two = [("host", "localhost:8417"), ("host", "localhost:8417")];
    assert_eq!(house.ask("GET /", &two), Err(Refusal::NoHost));
    let one = [("host", "localhost:8417")];
    for line in ["GET http://evil.com/", "GET http://localhost:8417/"] {
        assert_eq!(house.ask(line, &one), Err(Refusal::NoHost), "{line}");
    }
}

#[test]
fn another_address_is_a_host_only_where_it_is_listened_at() {
    let here: IpAddr = "192.168.1.5".parse().unwrap();
    for (listen, host, is_ours) in [
        ("192.168.1.5", "192.168.1.5:8417", true),
        ("192.168.1.5", "192.168.1.6:8417", false),
        ("0.0.0.0", "192.168.1.5:8417", true),
        ("::", "192.168.1.5:8417", true),
        ("0.0.0.0", "192.168.1.6:8417", false),
        ("0.0.0.0", "0.0.0.0:8417", false),
        ("0.0.0.0", "evil.example:8417", false),
        ("fe80::1", "[fe80::1]:8417", true),
    ] {
        let house = house(&[listen], None);
        let admission = house.ask_at("GET /", &[("host", host)], here);
        assert_eq!(admission.is_ok(), is_ours, "{listen} {host}: {admission:?}");
    }
}

#[test]
fn a_public_origin_is_a_name_of_ours_and_no_other_is() {
    let house = house(&[], Some("https://Disks.example/"));
    let ask = |host: &str, origin: &str| {
        let lines = [("host", host), ("origin", origin)];
        house.ask("GET /", &lines)
    };
    let ours = Ok(Admission::Anybody);
    assert_eq!(ask("disks.example", "https://disks.example"), ours);
    assert_eq!(ask("localhost:8417", "https://disks.example"), ours);
    assert_eq!(ask("localhost:8417", "http://localhost:8417"), ours);
    let foreign = Err(Refusal::ForeignOrigin);
    assert_eq!(ask("disks.example", "http://disks.example"), foreign);
    assert_eq!(ask("disks.example", "http://localhost:8417"), foreign);
    let host = ask("disks.example:8417", "https://disks.example");
    assert_eq!(host, Err(Refusal::ForeignHost));
    for wrong in [
        "disks.example",
        "ftp://x",
        "https://",
        "https://a/b",
        "https://me@a",
    ] {
        assert!(
            AccessPolicy::new(PORT, Vec::new(), Some(wrong)).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn an_origin_is_ours_and_a_change_has_one() {
    let house = house(&[], None);
    let own = [("host", "localhost:8417"), ("x-sokudo", "1")];
    for (line, origin, expected) in [
        ("GET /", None, Ok(Admission::Anybody)),
        (
            "GET /",
            Some("http://localhost:8417"),
            Ok(Admission::Anybody),
        ),
        (
            "GET /",
            Some("http://evil.example"),
            Err(Refusal::ForeignOrigin),
        ),
        ("GET /", Some("null"), Err(Refusal::ForeignOrigin)),
        ("POST /api/enter", None, Err(Refusal::ForeignOrigin)),
        ("POST /api/enter", Some("null"), Err(Refusal::ForeignOrigin)),
        ("POST /api/enter", Some(""), Err(Refusal::ForeignOrigin)),
        (
            "POST /api/enter",
            Some("http://localhost:8417"),
            Ok(Admission::Entering),
        ),
        (
            "POST /api/enter",
            Some("https://localhost:8417"),
            Err(Refusal::ForeignOrigin),
        ),
        (
            "POST /api/enter",
            Some("http://localhost:8418"),
            Err(Refusal::ForeignOrigin),
        ),
        (
            "POST /api/enter",
            Some("http://localhost"),
            Err(Refusal::ForeignOrigin),
        ),
        (
            "POST /api/enter",
            Some("http://127.0.0.1:8417"),
            Err(Refusal::ForeignOrigin),
        ),
        (
            "POST /api/enter",
            Some("http://localhost:8417.evil.com"),
            Err(Refusal::ForeignOrigin),
        ),
    ] {
        let mut lines = own.to_vec();
        lines.extend(origin.map(|origin| ("origin", origin)));
        assert_eq!(house.ask(line, &lines), expected, "{line} {origin:?}");
    }
    let twice = [
        own[0],
        own[1],
        ("origin", "http://localhost:8417"),
        ("origin", "http://localhost:8417"),
    ];
    let admission = house.ask("POST /api/enter", &twice);
    assert_eq!(admission, Err(Refusal::ForeignOrigin));
}

#[test]
fn everything_but_the_shell_and_its_files_needs_the_cookie_of_this_port() {
    let house = house(&[], None);
    let value = house.control.split_once('=').unwrap().1;
    let other_port = format!("sokudo_8418={value}");
    let ask = |line: &str, cookie: &str| {
        let lines = [("host", "localhost:8417"), ("cookie", cookie)];
        house.ask(line, &lines)
    };
    for path in [
        "/api/events",
        "/api/session",
        "/api/runs/1",
        "/api/folders?path=/",
        "/api/enter",
        "/api/no-such",
    ] {
        let line = format!("GET {path}");
        for cookie in [
            "",
            "sokudo_8417=",
            "sokudo_8417=00",
            "sokudo=1",
            &other_port,
            &format!("xsokudo_8417={value}"),
        ] {
            assert_eq!(
                ask(&line, cookie),
                Err(Refusal::NoSession),
                "{line} {cookie}"
            );
        }
        let admitted = |is_read_only| Ok(Admission::Session(Session { is_read_only }));
        assert_eq!(ask(&line, &house.control), admitted(false), "{line}");
        assert_eq!(ask(&line, &house.read), admitted(true), "{line}");
        let tossed = format!("sokudo_8417=00; a=b; {}", house.control);
        assert_eq!(ask(&line, &tossed), admitted(false), "{line}");
    }
    for path in ["/", "/files/app.js", "/files/../api/events", "/apis"] {
        assert_eq!(ask(&format!("GET {path}"), ""), Ok(Admission::Anybody));
    }
}

#[test]
fn only_a_post_of_the_page_by_who_controls_changes_anything() {
    let house = house(&[], None);
    let origin = ("origin", "http://localhost:8417");
    let ask = |line: &str, cookie: &str, own: Option<&str>| {
        let mut lines = vec![("host", "localhost:8417"), origin, ("cookie", cookie)];
        lines.extend(own.map(|own| ("x-sokudo", own)));
        house.ask(line, &lines)
    };
    let (control, read) = (&house.control, &house.read);
    let start = "POST /api/start";
    let admitted = |is_read_only| Ok(Admission::Session(Session { is_read_only }));
    assert_eq!(ask(start, control, Some("1")), admitted(false));
    assert_eq!(ask(start, control, None), Err(Refusal::NoOwnHeader));
    assert_eq!(ask(start, control, Some("2")), Err(Refusal::NoOwnHeader));
    assert_eq!(ask(start, read, Some("1")), Err(Refusal::ReadOnly));
    assert_eq!(ask(start, "", Some("1")), Err(Refusal::NoSession));
    assert_eq!(ask("POST /api/leave", read, Some("1")), admitted(true));
    for line in ["PUT /api/start", "DELETE /", "OPTIONS /api/start", "POST /"] {
        assert_eq!(
            ask(line, control, Some("1")),
            Err(Refusal::Method),
            "{line}"
        );
    }
}

#[test]
fn a_browser_that_tells_of_another_site_is_believed() {
    let house = house(&[], None);
    for (site, is_ours) in [
        ("same-origin", true),
        ("none", true),
        ("same-site", false),
        ("cross-site", false),
    ] {
        let lines = [
            ("host", "localhost:8417"),
            ("cookie", &house.control),
            ("sec-fetch-site", site),
        ];
        assert_eq!(
            house.ask("GET /api/disks", &lines).is_ok(),
            is_ours,
            "{site}"
        );
        assert!(
            house.ask("GET /", &lines).is_ok(),
            "a link leads to the page"
        );
    }
}

#[test]
fn programs_read_metrics_with_a_token_and_nothing_else() {
    let mut house = house(&[], None);
    house.keys.add_read_token("read");
    house.keys.add_control_token("control");
    let host = ("host", "localhost:8417");
    let ask = |token: &str, more: &[(&'static str, &str)]| {
        let mut lines = vec![host, ("authorization", token)];
        lines.extend_from_slice(more);
        house.ask("GET /metrics", &lines)
    };
    for token in ["Bearer read", "bearer control"] {
        assert_eq!(ask(token, &[]), Ok(Admission::Reader), "{token}");
    }
    for token in ["Bearer other", "Bearer ", "Basic read", "read", ""] {
        assert_eq!(ask(token, &[]), Err(Refusal::NoToken), "{token}");
    }
    let cookie = ("cookie", house.control.as_str());
    let by_cookie = house.ask("GET /metrics", &[host, cookie]);
    assert_eq!(by_cookie, Err(Refusal::NoToken));
    let twice = ask("Bearer read", &[("authorization", "Bearer read")]);
    assert_eq!(twice, Err(Refusal::NoToken));
    let site = ask("Bearer read", &[("sec-fetch-site", "cross-site")]);
    assert_eq!(site, Err(Refusal::ForeignOrigin));
    let stranger = house.ask(
        "GET /metrics",
        &[
            ("host", "evil.example:8417"),
            ("authorization", "Bearer read"),
        ],
    );
    assert_eq!(stranger, Err(Refusal::ForeignHost));
    let changed = house.ask(
        "POST /metrics",
        &[
            host,
            ("origin", "http://localhost:8417"),
            ("authorization", "Bearer read"),
        ],
    );
    assert_eq!(changed, Err(Refusal::Method));
    // What a token reads is metrics alone.
    let other = house.ask("GET /api/events", &[host, ("authorization", "Bearer read")]);
    assert_eq!(other, Err(Refusal::NoSession));
}
