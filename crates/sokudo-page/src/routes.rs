//! What can be asked for, and where.

mod entry;
mod input;
mod kept;
mod live;
mod measuring;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use sokudo_words::spoken;

use crate::access::{METRICS, UPLOAD};
use crate::files;
use crate::guard::guard;
use crate::page::WebUi;
use crate::reply::{Failure, typed};
use crate::shell::shell;

/// All routes behind the guard.
pub(crate) fn router(page: Arc<WebUi>) -> Router {
    Router::new()
        .route("/", get(first))
        .route("/files/{*name}", get(file))
        .route(METRICS, get(live::metrics))
        .route("/api/enter", post(entry::enter))
        .route("/api/leave", post(entry::leave))
        .route("/api/session", get(entry::session))
        .route("/api/events", get(live::events))
        .route("/api/methods", get(measuring::methods))
        .route("/api/folders", get(measuring::folders))
        .route("/api/plan", post(measuring::plan))
        .route("/api/start", post(measuring::start))
        .route("/api/stop", post(measuring::stop))
        .route("/api/drop", post(measuring::drop_run))
        .route("/api/move", post(measuring::move_run))
        .route("/api/disks", get(kept::disks))
        .route("/api/runs", get(kept::list))
        .route("/api/runs/{run}", get(kept::document))
        .route("/api/runs/{run}/as/{form}", get(kept::shown))
        .route("/api/runs/{run}/picture", get(kept::picture))
        .route("/api/runs/{run}/view", get(kept::replay))
        .route("/api/runs/{run}/note", post(kept::note))
        .route("/api/runs/{run}/tag", post(kept::tag))
        .route("/api/runs/{run}/baseline", post(kept::baseline))
        .route("/api/report", get(kept::report))
        .route("/api/compare", get(kept::compare))
        .route("/api/trend", get(kept::trend))
        .route("/api/baselines", get(kept::baselines))
        .route(UPLOAD, post(kept::import))
        .fallback(async || Failure::NotFound)
        .method_not_allowed_fallback(async || Failure::NotFound)
        // The guard knows how long each may be.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(&page), guard))
        .with_state(page)
}

async fn first() -> Response {
    typed("text/html; charset=utf-8", Body::from(shell(spoken())))
}

async fn file(Path(name): Path<String>) -> Result<Response, Failure> {
    let (kind, bytes) = files::find(&name).ok_or(Failure::NotFound)?;
    Ok(typed(kind, Body::from(bytes)))
}
