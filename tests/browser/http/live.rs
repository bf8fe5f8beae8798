//! The stream: whoever looks, however he came, sees the same.

use serde_json::{Value, json};
use sokudo_page::{MeasurerMessage, RunEvent, RunPhase, Wish};

use super::site::{CONTROL, Follower, LOOK, Site, site};

fn began(site: &Site, run: u64) {
    site.tell(&MeasurerMessage::Began {
        run,
        wish: Wish {
            method: "mark".to_owned(),
            target: "/mnt/<script>alert(1)</script>".to_owned(),
            ..Wish::default()
        },
        command: "sokudo mark".to_owned(),
    });
}

fn progress(site: &Site, run: u64, at: u32) {
    site.tell(&MeasurerMessage::Event {
        run,
        event: RunEvent::Progress {
            row: 0,
            at: f64::from(at),
            mb_per_second: Some(100.0),
            iops: None,
            phase: RunPhase::Running,
            done: 0.1,
            seconds_left: 9.0,
            moved_bytes: 1,
        },
    });
}

/// Whether so many rates were shown.
fn has(count: usize) -> impl Fn(&Value) -> bool {
    move |view| {
        view["run"]["rate"]
            .as_array()
            .is_some_and(|rates| rates.len() == count)
    }
}

#[test]
fn a_reload_a_second_browser_and_a_lost_connection_show_the_same() {
    let site = site();
    let (control, look) = (site.enter(CONTROL), site.enter(LOOK));
    let mut first = Follower::new(&site, &control, None);
    first.until(|view| view["version"] == "0.1.0");
    began(&site, 1);
    progress(&site, 1, 1);
    first.until(has(1));
    // It loses its connection, and the run goes on.
    let (last, view) = (first.last.clone(), first.view.clone());
    drop(first);
    for at in 2..=5 {
        progress(&site, 1, at);
    }
    let mut second = Follower::new(&site, &look, None);
    second.until(has(5));
    let mut again = Follower::new(&site, &control, last);
    again.view = view;
    let missed = again.next().unwrap();
    assert!(
        !missed.contains(r#"["set",[],"#),
        "only what is new: {missed}"
    );
    again.until(has(5));
    assert_eq!(again.view, second.view);
    // Numbers that nobody has given, and one of a server before this one.
    let start = second.last.as_ref().unwrap().split_once('-').unwrap().0;
    for strange in ["1000000", "1", "00000000-1", &format!("{start}-1000000")] {
        let mut lost = Follower::new(&site, &control, Some(strange.to_owned()));
        lost.until(has(5));
        assert_eq!(lost.view, second.view, "{strange}");
    }
    assert_eq!(
        second.view["run"]["target"],
        json!("/mnt/<script>alert(1)</script>")
    );
}

#[test]
fn what_happens_between_two_batches_is_in_one() {
    let site = site();
    let mut follower = Follower::new(&site, &site.enter(CONTROL), None);
    follower.until(|view| !view.is_null());
    began(&site, 1);
    for at in 0..500 {
        progress(&site, 1, at);
    }
    let number = |follower: &Follower| -> u64 {
        let (_, number) = follower.last.as_ref().unwrap().split_once('-').unwrap();
        number.parse().unwrap()
    };
    let before = number(&follower);
    follower.until(has(500));
    let batches = number(&follower) - before;
    assert!(batches < 500, "{batches} batches for 500 events");
}

#[test]
fn a_stream_ends_with_its_session() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let mut follower = Follower::new(&site, &cookie, None);
    assert!(follower.next().is_some());
    assert_eq!(site.post("/api/leave", &cookie, "").status, 204);
    began(&site, 1);
    let mut more = 0;
    while follower.next().is_some() {
        more += 1;
    }
    assert_eq!(more, 0, "nothing is sent to who has left");
}

#[test]
fn windows_leave_room_for_requests() {
    let site = site();
    let cookie = site.enter(CONTROL);
    let followers: Vec<Follower> = (0..32)
        .map(|_| {
            let mut follower = Follower::new(&site, &cookie, None);
            follower.next().unwrap();
            follower
        })
        .collect();
    assert_eq!(site.get("/api/events", &cookie).status, 503);
    assert_eq!(site.get("/api/session", &cookie).status, 200);
    drop(followers);
}
