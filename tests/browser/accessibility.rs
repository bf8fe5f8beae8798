//! What axe-core finds: contrasts, roles, names, and what else those cannot use who see or move
//! otherwise.

use std::time::Duration;

use crate::person::Person;
use fantoccini::wd::TimeoutConfiguration;

/// Longer than axe-core takes for any view.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Every rule but those that are experiments; of each finding, what is wrong and where.
const RUN: &str = "const done = arguments[arguments.length - 1];
    const of = (found) => `${found.id}: ${found.help}\\n` +
        found.nodes.map((node) => `    ${node.html}\\n    ${node.failureSummary}`).join('\\n');
    axe.run(document, { resultTypes: ['violations'] })
        .then(({ violations }) => done(violations.map(of)), (error) => done([String(error)]));";

/// What on the page keeps somebody out.
pub(crate) async fn barriers(person: &Person<'_>) -> Vec<String> {
    let client = &person.browser.client;
    let timeouts = TimeoutConfiguration::new(Some(TIME_MAX), None, None);
    client.update_timeouts(timeouts).await.unwrap();
    if person.read("return typeof axe", Vec::new()).await == "undefined" {
        person.read(&person.browser.axe, Vec::new()).await;
    }
    let found = client.execute_async(RUN, Vec::new()).await.unwrap();
    serde_json::from_value(found).unwrap()
}
