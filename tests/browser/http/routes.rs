//! What is asked of the measurer, and how its answers are passed on.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sokudo_page::{Ask, DocumentForm, PictureForm, Query};

use super::site::{CONTROL, Site, begin, hello, site};

fn query(site: &Site) -> Query {
    match site.asked.recv().unwrap() {
        Ask::Query { query, .. } => query,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wish_is_passed_on_and_one_that_is_none_is_not() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let post = |path: &str, wish: &str| site.post(path, &cookie, &format!(r#"{{"wish":{wish}}}"#));
    for (wish, status) in [
        (
            r#"{"method":"mark","target":"/x","options":{"destroy":"/dev/sda"}}"#,
            422,
        ),
        (r#"{"method":"mark","target":"--overwrite"}"#, 422),
        (r#"{"method":"clean","target":"/x"}"#, 422),
        (
            r#"{"method":"mark","target":"/x","words":["--overwrite"]}"#,
            400,
        ),
        (r#"{"method":"mark","target":["/x"]}"#, 400),
        ("7", 400),
    ] {
        assert_eq!(post("/api/start", wish).status, status, "{wish}");
        // Whether it could be started is a question, to which no is an answer.
        let planned = post("/api/plan", wish);
        let is_no = planned.status == 200 && planned.json()["error"].is_string();
        assert!(is_no || status == planned.status, "{wish}");
    }
    assert_eq!(
        post("/api/plan", r#"{"method":"mark","target":"/x"}"#).status,
        200
    );
    let start = r#"{"wish":{"method":"scan","target":"/dev/sdb","serial":"WD-1"}}"#;
    assert_eq!(site.post("/api/start", &cookie, start).status, 200);
    assert_eq!(site.post("/api/stop", &cookie, r#"{"run":3}"#).status, 200);
    assert_eq!(
        site.post("/api/move", &cookie, r#"{"run":3,"to":0}"#)
            .status,
        200
    );
    assert!(matches!(site.asked.recv().unwrap(), Ask::Plan { wish, .. } if wish.target == "/x"));
    let asked = site.asked.recv().unwrap();
    assert!(matches!(asked, Ask::Start { wish, .. } if wish.serial.as_deref() == Some("WD-1")));
    assert!(matches!(
        site.asked.recv().unwrap(),
        Ask::Stop { run: 3, .. }
    ));
    assert!(matches!(
        site.asked.recv().unwrap(),
        Ask::Move { run: 3, to: 0, .. }
    ));
}

#[test]
fn questions_about_kept_runs_are_passed_on() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let get = |path: &str| assert_eq!(site.get(path, &cookie).status, 200, "{path}");
    get("/api/disks");
    assert_eq!(query(&site), Query::Disks);
    get("/api/runs?device=WD%2040&limit=50&skip=10");
    let Query::List(filter) = query(&site) else {
        panic!("no list");
    };
    assert_eq!(filter.device.as_deref(), Some("WD 40"));
    assert_eq!((filter.limit, filter.skip), (Some(50), Some(10)));
    get("/api/runs/7");
    let form = DocumentForm::Json;
    assert_eq!(query(&site), Query::Show { run: 7, form });
    get("/api/runs/7/as/crystal");
    let form = DocumentForm::Crystal;
    assert_eq!(query(&site), Query::Show { run: 7, form });
    get("/api/runs/7/view");
    assert_eq!(query(&site), Query::View { run: 7 });
    get("/api/report?runs=1,2,3");
    assert_eq!(
        query(&site),
        Query::Report {
            runs: vec![1, 2, 3]
        }
    );
    get("/api/compare?left=1&right=2");
    assert_eq!(query(&site), Query::Compare { left: 1, right: 2 });
    get("/api/baselines");
    assert_eq!(query(&site), Query::BaselineList);
    for (path, status) in [
        ("/api/runs/x", 404),
        ("/api/runs/7/as/exe", 404),
        ("/api/report?runs=", 404),
        ("/api/report", 400),
        ("/api/runs?store=x", 400),
        ("/api/runs/7/picture?kind=pie", 422),
        ("/api/runs/7/picture?as=exe", 400),
        ("/api/no-such", 404),
    ] {
        assert_eq!(site.get(path, &cookie).status, status, "{path}");
    }
}

#[test]
fn a_change_of_what_is_kept_has_no_answer_but_that_it_is_done() {
    let site = begin(hello(), |ask| match ask {
        Ask::Query {
            query: Query::Note { .. },
            ..
        } => (true, "application/json", b"run 3: noted\n".to_vec()),
        _ => (
            false,
            "application/json",
            br#"{"error":"no run 3; sokudo list shows all"}"#.to_vec(),
        ),
    })
    .unwrap();
    let cookie = site.enter(CONTROL);
    let noted = site.post("/api/runs/3/note", &cookie, r#"{"text":"<b>"}"#);
    assert_eq!((noted.status, &*noted.body), (204, ""));
    let refused = site.post("/api/runs/3/baseline", &cookie, r#"{"set":true}"#);
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["error"], "no run 3; sokudo list shows all");
}

#[test]
fn documents_are_saved_and_can_do_nothing_when_they_are_opened() {
    let site = begin(hello(), |ask| {
        let Ask::Query { query, .. } = ask else {
            panic!("{ask:?}");
        };
        let script = b"<script>alert(1)</script>".to_vec();
        match query {
            Query::Report { .. } => (true, "text/html; charset=utf-8", script),
            Query::Picture {
                form: PictureForm::Svg,
                ..
            } => (true, "image/svg+xml", script),
            _ => (true, "text/x-unknown", script),
        }
    })
    .unwrap();
    let cookie = site.enter(CONTROL);
    for (path, kind) in [
        ("/api/report?runs=1", "text/html; charset=utf-8"),
        ("/api/runs/1/picture?theme=dark", "image/svg+xml"),
        ("/api/runs/1/as/table", "application/octet-stream"),
    ] {
        let document = site.get(path, &cookie);
        assert_eq!(document.header("content-type"), Some(kind), "{path}");
        let disposition = document.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment"), "{path}");
        let policy = document.header("content-security-policy").unwrap();
        assert!(policy.starts_with("sandbox; default-src 'none'"), "{path}");
        assert_eq!(document.header("x-content-type-options"), Some("nosniff"));
    }
}

#[test]
fn directories_are_listed_as_data_and_only_what_may_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let name = "<script>alert(1)<";
    fs::create_dir(folder.path().join(name)).unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let site = site();
    let cookie = site.enter(CONTROL);
    let path = folder.path().to_str().unwrap();
    let list = |path: &str| site.get(&format!("/api/folders?path={path}"), &cookie);
    let listed = list(path);
    assert_eq!(listed.header("content-type"), Some("application/json"));
    assert_eq!(listed.json()["folders"][0]["name"], name);
    assert_eq!(site.get("/api/folders", &cookie).status, 200, "at home");
    assert_eq!(list("relative").status, 400);
    assert_eq!(list(&format!("{path}/none")).status, 404);
    if fs::read_dir(&closed).is_ok() {
        eprintln!("SKIPPED: root may read every directory");
        return;
    }
    let refused = list(closed.to_str().unwrap());
    assert_eq!(refused.status, 403);
    assert!(refused.json()["error"].as_str().unwrap().contains("closed"));
}

#[test]
fn the_shell_speaks_its_language_and_names_nothing_of_this_machine() {
    let mut japanese = hello();
    japanese.lang = "ja".to_owned();
    let site = begin(japanese, |_| (true, "application/json", b"{}".to_vec())).unwrap();
    let shell = site.get("/", "");
    assert!(shell.body.contains("<html lang=\"ja\">"));
    assert!(
        !shell.body.contains(&site.port.to_string()),
        "it is the same for everybody"
    );
    let refused = site.get("/api/disks", "").json();
    let error = refused["error"].as_str().unwrap();
    assert!(!error.is_empty());
}

#[test]
fn the_page_speaks_as_its_browser_unless_somebody_has_chosen() {
    let language = |site: &Site, cookie: &str, accepted: &str| {
        let shell = site.raw(&format!(
            "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nCookie: {cookie}\r\nAccept-Language: {accepted}\r\nConnection: close\r\n\r\n"
        ));
        let (_, rest) = shell.body.split_once("<html lang=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let page = site();
    for (cookie, accepted, expected) in [
        ("", "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("", "de,en;q=0.8,ja;q=0.5", "en"),
        ("", "ja", "ja"),
        ("", "de", "en"),
        ("sokudo_lang=en", "ja", "en"),
        ("sokudo_lang=ja", "en", "ja"),
        ("sokudo_lang=<x>", "ja", "ja"),
    ] {
        let found = language(&page, cookie, accepted);
        assert_eq!(found, expected, "{cookie} {accepted}");
    }
    let mut given = hello();
    given.is_lang_given = true;
    let page = begin(given, |_| (true, "application/json", b"{}".to_vec())).unwrap();
    assert_eq!(language(&page, "", "ja"), "en");
    assert_eq!(language(&page, "sokudo_lang=ja", "en"), "ja");
    // What is refused is refused in the language of who asks.
    let refused = page.get(
        "/nowhere",
        &format!("{}; sokudo_lang=ja", page.enter(CONTROL)),
    );
    assert!(refused.body.contains("ページ"), "{}", refused.body);
    let cookie = format!("{}; sokudo_lang=ja", page.enter(CONTROL));
    let wish = r#"{"wish":{"method":"mark","target":"/x"}}"#;
    assert_eq!(page.post("/api/start", &cookie, wish).status, 200);
    let asked = page.asked.recv().unwrap();
    assert!(matches!(asked, Ask::Start { lang, .. } if lang == "ja"));
}
