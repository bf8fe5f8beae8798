//! The HTML of a report as a browser shows it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::sokudo::{Ended, end, has, mark, program, skip, split};

/// A short run with a result kept as JSON, in a directory of its own.
fn kept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, target) in [("one.json", "sim:ssd"), ("two.json", "sim:hdd")] {
        let path = directory.path().join(name);
        let path = path.to_str().unwrap();
        mark(target, &format!("--format json --output {path}")).ok();
    }
    directory
}

fn report(directory: &tempfile::TempDir, arguments: &str) -> Ended {
    let mut command = program();
    command
        .current_dir(directory.path())
        .arg("report")
        .args(split(arguments));
    end(&mut command)
}

fn read(directory: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(directory.path().join(name)).unwrap()
}

/// What strangers may have written, wherever a kept result has a text of theirs.
fn hostile(text: &str) -> String {
    text.replace(
        "\"name\": \"RND4K Q1T1\"",
        "\"name\": \"<script>document.title='owned'</script><img src=x onerror=alert(1)>\\\"onload=\"",
    )
}

#[test]
fn a_browser_shows_the_page_without_a_complaint_and_nothing_is_wider_than_a_phone() {
    if !has("chromium") {
        skip("the page in a browser, which needs chromium");
        return;
    }
    let directory = kept();
    let spoilt = hostile(&read(&directory, "one.json"));
    assert!(spoilt.contains("<script>"));
    fs::write(directory.path().join("one.json"), spoilt).unwrap();
    for (arguments, said) in [
        ("one.json", "How it was measured"),
        ("one.json two.json", "Overview"),
    ] {
        let arguments = format!("{arguments} -o page.html");
        report(&directory, &arguments).ok();
        let (shown, complaints) = shown(directory.path(), "page.html");
        assert!(
            shown.contains(said) && shown.contains("Fastest read"),
            "{said}"
        );
        assert!(shown.contains("&lt;script&gt;document.title='owned'&lt;/script&gt;"));
        assert!(!shown.contains("<title>owned"));
        assert_eq!(complaints, Vec::<String>::new());
        // The page forbids scripts, so one around it looks at how wide it is.
        let phone = around(&read(&directory, "page.html"), 390);
        fs::write(directory.path().join("phone.html"), phone).unwrap();
        let (phone, _) = self::shown(directory.path(), "phone.html");
        assert!(phone.contains("data-width=\"fits\""), "{}", tail(&phone));
        assert!(phone.contains("data-wider=\"\""), "{}", tail(&phone));
        assert!(phone.contains("data-clipped=\"\""), "{}", tail(&phone));
    }
}

#[test]
fn rows_of_five_runs_beside_each_other_fit_into_the_page() {
    if !has("chromium") {
        skip("the page in a browser, which needs chromium");
        return;
    }
    let directory = kept();
    let runs = "one.json two.json one.json two.json one.json";
    report(&directory, &format!("{runs} -o page.html")).ok();
    let wide = around(&read(&directory, "page.html"), 1_200);
    fs::write(directory.path().join("wide.html"), wide).unwrap();
    let (shown, _) = shown(directory.path(), "wide.html");
    assert!(shown.contains("data-scrolled=\"0\""), "{}", tail(&shown));
}

/// The document as a browser has it at the end, and what it complained of: errors,
/// things that the page's policy forbids, requests that failed.
fn shown(directory: &Path, name: &str) -> (String, Vec<String>) {
    let output = Command::new("chromium")
        .args(split(
            "--headless --no-sandbox --disable-gpu --enable-logging=stderr",
        ))
        .args(split(
            "--disable-background-networking --no-first-run --window-size=1400,1000",
        ))
        .arg(format!(
            "--user-data-dir={}",
            directory.join("profile").display()
        ))
        .arg("--dump-dom")
        .arg(format!("file://{}", directory.join(name).display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    let complaints = told.lines().filter(|line| line.contains("CONSOLE"));
    let complaints = complaints.map(str::to_owned).collect();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        complaints,
    )
}

/// A page that shows another one on a screen of this width, and says how wide that is, what
/// stands out of it, but for what scrolls by itself, and how many tables must be scrolled.
fn around(page: &str, width: u32) -> String {
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!DOCTYPE html><iframe style=\"width:{width}px;height:900px;border:0\" srcdoc=\"{page}\"></iframe>\
         <script>onload=()=>{{const d=document.querySelector('iframe').contentDocument;\
         const data=document.body.dataset,all=what=>[...d.querySelectorAll(what)];\
         const out=e=>e.getBoundingClientRect().right>{width}.5;\
         data.width=d.documentElement.scrollWidth>{width}?'wider':'fits';\
         data.wider=all('body *').filter(e=>out(e)&&!e.closest('.scroll,pre,svg'))\
         .map(e=>e.tagName+'.'+e.className).join(' ');\
         data.clipped=all('svg.narrow text').filter(out).map(e=>e.textContent).join(' ');\
         data.scrolled=all('.scroll').filter(e=>e.scrollWidth>e.clientWidth).length}}</script>"
    )
}

fn tail(text: &str) -> &str {
    &text[text.rfind("data-w").unwrap_or(0)..]
}
