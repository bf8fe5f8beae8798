//! A disk is measured and looked at while it is.

use crate::story::tell;

#[test]
fn a_simulated_disk_is_measured_in_two_clicks() {
    tell(async |person, site| {
        person.press("DisclosureTriangle", "Try it on a simulated disk").await;
        person.press("button", "sim:ssd").await;
        person.press("button", "Start now").await;
        person.find("heading", "Finished").await;
        eprintln!("{}", person.text().await);
        eprintln!("{:?}", person.rows("Figures").await);
        let _ = site;
    });
}
