//! Runs that wait.

use crate::measuring::start_slowly;
use crate::person::Person;
use crate::story::{JAPANESE, tell_in};

/// What simulated disks call themselves.
const HDD: &str = "sokudo simulated hard disk";
const SMR: &str = "sokudo simulated shingled disk";

#[test]
fn runs_wait_are_moved_and_dropped_and_follow_each_other() {
    tell_in(&[JAPANESE], async |person, site| {
        start_slowly(person).await;
        person.find("heading", "Measuring").await;
        person.press("button", "Change settings").await;
        // What follows ends by itself.
        person.set("mark-runs", "1").await;
        let targets = ["sim:ssd", "sim:hdd", "sim:smr"];
        for (index, target) in targets.into_iter().enumerate() {
            person.add_to_queue(target).await;
            waiting(person, &targets[..=index]).await;
        }
        let up = person.say_of("Move {a} up", &["mark · sim:smr"]);
        person.press("button", &up).await;
        waiting(person, &["sim:ssd", "sim:smr", "sim:hdd"]).await;
        let down = person.say_of("Move {a} down", &["mark · sim:ssd"]);
        person.press("button", &down).await;
        waiting(person, &["sim:smr", "sim:ssd", "sim:hdd"]).await;
        let drop = person.say_of("Remove {a} from the queue", &["mark · sim:ssd"]);
        person.press("button", &drop).await;
        waiting(person, &["sim:smr", "sim:hdd"]).await;

        // Whoever comes later sees the same.
        let other = Person::at(person.browser, &site.origin()).await;
        waiting(&other, &["sim:smr", "sim:hdd"]).await;
        other.press("button", "Stop").await;
        other.find("heading", "Finished").await;
        other.press("link", "History").await;
        let kept = async || {
            other.find("table", "Kept runs, the newest first").await;
            let runs = other.rows("Kept runs, the newest first").await;
            let disks: Vec<&str> = runs.iter().map(|cells| cells[3].as_str()).collect();
            let are_kept = disks == [HDD, SMR, "null:"];
            if !are_kept {
                // The list is of the moment when it was opened, and one may be measured still.
                other.browser.client.refresh().await.unwrap();
            }
            are_kept.then_some(())
        };
        other.wait("the three runs", kept).await;
        other.leave().await;
    });
}

/// Waits until these targets wait, in this order.
async fn waiting(person: &Person<'_>, targets: &[&str]) {
    let titles: Vec<String> = targets
        .iter()
        .map(|target| format!("mark · {target}"))
        .collect();
    let script = "const queue = document.getElementById('queue-title')?.closest('section');
        return [...(queue?.querySelectorAll('li strong') ?? [])].map((node) => node.innerText)";
    let look =
        async || (person.read(script, Vec::new()).await == serde_json::json!(titles)).then_some(());
    person.wait(&format!("the queue {titles:?}"), look).await;
}
