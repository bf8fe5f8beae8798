//! What every request passes before it reaches a route, and what every response carries.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sokudo_words::speaking;

use crate::access::{Admission, Refusal, RequestHead, UPLOAD};
use crate::measurer::Unanswered;
use crate::message::UPLOAD_BYTES_MAX;
use crate::page::WebUi;
use crate::reply::Failure;

/// A job file is a quarter of it.
const BODY_BYTES_MAX: usize = 1 << 20;
/// A body of that size comes within it also through a slow tunnel.
const BODY_TIME: Duration = Duration::from_secs(10);
/// And what is uploaded within this.
const UPLOAD_TIME: Duration = Duration::from_secs(60);
/// Longer than any answer is waited for.
const REQUEST_TIME: Duration = Duration::from_secs(190);

/// Nothing is loaded from anywhere else, nothing is framed, and no form is sent anywhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; form-action 'none'; \
     base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), usb=()",
    ),
];

/// The address of ours at which a connection arrived, and whether anything on it has shown a key.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionInfo {
    pub(crate) at: IpAddr,
    pub(crate) is_known: Arc<AtomicBool>,
}

/// Judges a request, reads its body, and has it answered within its time.
pub(crate) async fn guard(
    State(page): State<Arc<WebUi>>,
    request: Request,
    next: Next,
) -> Response {
    let language = page.language_of(request.headers());
    let mut answering = pin!(tokio::time::timeout(
        REQUEST_TIME,
        admit(&page, request, next)
    ));
    // All that is said on the way is said in the language of who asks.
    let answered = poll_fn(|context| speaking(language, || answering.as_mut().poll(context))).await;
    let mut response = speaking(language, || match answered {
        Ok(Ok(response)) => response,
        Ok(Err(failure)) => failure.into_response(),
        Err(_) => Failure::TimedOut.into_response(),
    });
    for (name, value) in &HEADERS {
        let headers = response.headers_mut();
        if !headers.contains_key(name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

async fn admit(page: &WebUi, request: Request, next: Next) -> Result<Response, Failure> {
    let (mut parts, body) = request.into_parts();
    // Without one it did not come through our listener.
    let connection = parts.extensions.get::<ConnectionInfo>();
    let connection = connection.ok_or(Failure::Refused(Refusal::NoHost))?.clone();
    let head = RequestHead {
        method: &parts.method,
        uri: &parts.uri,
        headers: &parts.headers,
        local: connection.at,
    };
    let admission = page.keys(|keys, _| page.access.judge(head, keys))?;
    if matches!(admission, Admission::Session(_) | Admission::Reader) {
        connection.is_known.store(true, Ordering::Relaxed);
    }
    if let Admission::Session(session) = admission {
        parts.extensions.insert(session);
    }
    // What is uploaded takes memory in both processes: one at a time.
    let is_upload = parts.uri.path() == UPLOAD;
    let _upload = match is_upload {
        true => Some(page.uploads.try_acquire().map_err(|_| Unanswered::Busy)?),
        false => None,
    };
    let body = match parts.method {
        Method::POST => {
            let (bytes_max, time) = match is_upload {
                true => (UPLOAD_BYTES_MAX, UPLOAD_TIME),
                false => (BODY_BYTES_MAX, BODY_TIME),
            };
            Body::from(read(body, &parts.headers, bytes_max, time).await?)
        }
        _ => Body::empty(),
    };
    Ok(next.run(Request::from_parts(parts, body)).await)
}

async fn read(
    body: Body,
    headers: &HeaderMap,
    bytes_max: usize,
    time: Duration,
) -> Result<Bytes, Failure> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_large = || Failure::TooLarge {
        mib_max: bytes_max >> 20,
    };
    if announced.is_some_and(|length| length > bytes_max) {
        return Err(too_large());
    }
    match tokio::time::timeout(time, to_bytes(body, bytes_max)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(Failure::Slow),
    }
}
