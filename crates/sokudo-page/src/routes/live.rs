//! The stream of what changes in the view.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::access::Refusal;
use crate::page::WebUi;
use crate::reply::{Failure, typed};

/// Tunnels close what is silent for longer.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// A browser that follows. It keeps nothing but how far it is: what it was not sent yet lies in
/// the ring of the view, which has a bound, so that a slow browser costs no memory.
struct Follower {
    page: Arc<WebUi>,
    cookie: String,
    seen: Option<u64>,
    batches: watch::Receiver<u64>,
    _slot: OwnedSemaphorePermit,
}

pub(super) async fn events(
    State(page): State<Arc<WebUi>>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let permit = Arc::clone(&page.streams).try_acquire_owned();
    let permit = permit.map_err(|_| Failure::TooMany)?;
    let (cookie, _) = page.session(&headers).ok_or(Refusal::NoSession)?;
    let seen = headers.get("last-event-id");
    let follower = Follower {
        batches: page.batches(),
        cookie,
        seen: seen.and_then(|id| seen_of(id.to_str().ok()?, &page.start)),
        page,
        _slot: permit,
    };
    let chunks = stream::unfold(follower, async |mut follower| {
        let chunk = follower.next().await?;
        Some((Ok::<_, Infallible>(chunk), follower))
    });
    Ok(typed("text/event-stream", Body::from_stream(chunks)))
}

/// What the page's run is doing, for Prometheus.
pub(super) async fn metrics(State(page): State<Arc<WebUi>>) -> Response {
    typed(
        "text/plain; version=0.0.4; charset=utf-8",
        Body::from(page.metrics()),
    )
}

/// The batch that was seen last, if it was one since this start: a browser that was connected to a
/// page before it counts that one's.
fn seen_of(id: &str, start: &str) -> Option<u64> {
    let (of, number) = id.split_once('-')?;
    number.parse().ok().filter(|_| of == start)
}

impl Follower {
    /// The next lines; none once the session has ended.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.page.keys(|keys, _| keys.session(&self.cookie))?;
            if let Some(batch) = self.page.after(self.seen) {
                self.seen = Some(batch.id);
                let start = &self.page.start;
                let lines = format!("id: {start}-{}\ndata: {}\n\n", batch.id, batch.text);
                return Some(lines.into());
            }
            match tokio::time::timeout(SILENCE_MAX, self.batches.changed()).await {
                Ok(changed) => changed.ok()?,
                Err(_) => return Some(Bytes::from_static(b":\n\n")),
            }
        }
    }
}
