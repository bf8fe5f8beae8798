//! Who may ask what: the rules for every request, before anything is done for it.
//!
//! A loopback address is no boundary: every page of every browser on this machine can send
//! requests to it, and a name of a stranger can be made to lead here (DNS rebinding). So a request
//! must name us in `Host`, come from our own page, and carry the cookie of a session.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use sokudo_words::Error;

use crate::keys::{KeySet, Session};

/// What programs read, with a token instead of a session.
pub(crate) const METRICS: &str = "/metrics";

/// Where results of other tools are sent, which are longer than other requests.
pub(crate) const UPLOAD: &str = "/api/import";

/// The header that no form and no link of a stranger can send.
pub(crate) const OWN_HEADER: &str = "x-sokudo";

/// Longer ones are quoted only so far.
const QUOTED_MAX: usize = 100;

/// By which names the page is reached.
#[derive(Clone, Debug)]
pub(crate) struct AccessPolicy {
    port: u16,
    listen: Vec<IpAddr>,
    public_origin: Option<String>,
}

/// What of a request's head is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestHead<'a> {
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    /// The address of ours at which it arrived.
    pub(crate) local: IpAddr,
}

/// What a request may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It gets the shell and its files, which are the same for everybody.
    Anybody,
    /// It may show a token or a code.
    Entering,
    /// A program that looks, and keeps no session.
    Reader,
    Session(Session),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error("the request names no host, or several; open the address that sokudo page prints")]
    NoHost,
    #[error(
        "the page is not reached by this name; open the address that sokudo page prints, or name this one with --public-origin"
    )]
    ForeignHost,
    #[error("the page takes GET and POST only; open the address that sokudo page prints")]
    Method,
    #[error("the request comes from another site; open the address that sokudo page prints")]
    ForeignOrigin,
    #[error("the request does not come from this page; use the page")]
    NoOwnHeader,
    #[error("nobody is signed in; open the address that sokudo page prints")]
    NoSession,
    #[error(
        "no token was sent; send Authorization: Bearer with what follows #t= in an address that sokudo page prints"
    )]
    NoToken,
    #[error("this link can only view; use the link that can also measure")]
    ReadOnly,
    #[error("the token or code is wrong, used or too old; press Enter in the terminal for another")]
    WrongKey,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{origin} is not an origin; use one such as https://disks.example:8443")]
pub(crate) struct NoOrigin {
    origin: String,
}

impl Refusal {
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::NoHost => StatusCode::BAD_REQUEST,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::NoSession | Self::NoToken | Self::WrongKey => StatusCode::UNAUTHORIZED,
            Self::ForeignHost | Self::ForeignOrigin | Self::NoOwnHeader | Self::ReadOnly => {
                StatusCode::FORBIDDEN
            }
        }
    }
}

impl AccessPolicy {
    /// # Errors
    /// When the public origin is none.
    pub(crate) fn new(
        port: u16,
        listen: Vec<IpAddr>,
        public_origin: Option<&str>,
    ) -> Result<Self, NoOrigin> {
        let public_origin = public_origin.map(origin).transpose()?;
        Ok(Self {
            port,
            listen,
            public_origin,
        })
    }

    /// Cookies are shared by all ports of a host, so that the name holds the port.
    pub(crate) fn cookie_name(&self) -> String {
        format!("sokudo_{}", self.port)
    }

    /// Whether browsers see the page by TLS at this origin.
    pub(crate) fn is_secure(&self, headers: &HeaderMap) -> bool {
        let origin = only(headers, header::ORIGIN.as_str()).unwrap_or_default();
        let is_public = self.public_origin.as_deref() == Some(&*origin.to_ascii_lowercase());
        is_public && origin.to_ascii_lowercase().starts_with("https://")
    }

    /// Judges a request.
    ///
    /// # Errors
    /// When it may do nothing.
    pub(crate) fn judge(&self, head: RequestHead<'_>, keys: &KeySet) -> Result<Admission, Refusal> {
        let host = self.host(head)?;
        let is_change = match *head.method {
            Method::GET | Method::HEAD => false,
            Method::POST => true,
            _ => return Err(Refusal::Method),
        };
        self.check_origin(head.headers, host, is_change)?;
        let path = head.uri.path();
        if path == METRICS && !is_change {
            check_site(head.headers)?;
            let token = bearer(head.headers).ok_or(Refusal::NoToken)?;
            let is_known = keys.of_token(token).is_some();
            return is_known
                .then_some(Admission::Reader)
                .ok_or(Refusal::NoToken);
        }
        if !path.starts_with("/api/") {
            return match is_change {
                true => Err(Refusal::Method),
                false => Ok(Admission::Anybody),
            };
        }
        check_site(head.headers)?;
        if is_change && only(head.headers, OWN_HEADER) != Some("1") {
            return Err(Refusal::NoOwnHeader);
        }
        if is_change && path == "/api/enter" {
            return Ok(Admission::Entering);
        }
        let name = self.cookie_name();
        let session = cookies(head.headers, &name).find_map(|cookie| keys.session(cookie));
        let session = session.ok_or(Refusal::NoSession)?;
        match is_change && session.is_read_only && path != "/api/leave" {
            true => Err(Refusal::ReadOnly),
            false => Ok(Admission::Session(session)),
        }
    }

    /// The host that the request names, if it is ours.
    fn host<'a>(&self, head: RequestHead<'a>) -> Result<&'a str, Refusal> {
        // `GET http://evil.example/ HTTP/1.1` has an authority beside Host, which may differ.
        if head.uri.authority().is_some() || head.uri.scheme().is_some() {
            return Err(Refusal::NoHost);
        }
        let host = only(head.headers, header::HOST.as_str()).ok_or(Refusal::NoHost)?;
        match self.names_public(host) || self.is_own(host, head.local) {
            true => Ok(host),
            false => Err(Refusal::ForeignHost),
        }
    }

    fn names_public(&self, host: &str) -> bool {
        let origin = self.public_origin.as_deref();
        let parts = origin.and_then(|origin| origin.split_once("://"));
        parts.is_some_and(|(_, authority)| host.eq_ignore_ascii_case(authority))
    }

    /// `localhost` or an address of ours, with our port. Addresses are parsed, never compared by
    /// how they begin: `127.0.0.1.evil.example` is a name.
    fn is_own(&self, host: &str, local: IpAddr) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port),
            _ => (host, "80"),
        };
        if port != self.port.to_string() {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        literal(name).is_some_and(|address| {
            let is_named = self.listen.contains(&address) && !address.is_unspecified();
            address.is_loopback() || is_named || self.is_met(address, local)
        })
    }

    /// Where all addresses are listened at, the one at which the request arrived. A name cannot
    /// be rebound to be an address.
    fn is_met(&self, address: IpAddr, local: IpAddr) -> bool {
        let everywhere = self.listen.iter().any(IpAddr::is_unspecified);
        everywhere && address == local.to_canonical()
    }

    /// `Origin` equals ours where there is one, and a change has one.
    fn check_origin(
        &self,
        headers: &HeaderMap,
        host: &str,
        is_change: bool,
    ) -> Result<(), Refusal> {
        let count = headers.get_all(header::ORIGIN).iter().count();
        if count == 0 && !is_change {
            return Ok(());
        }
        let origin = only(headers, header::ORIGIN.as_str()).ok_or(Refusal::ForeignOrigin)?;
        let is_public = self
            .public_origin
            .as_deref()
            .is_some_and(|public| origin.eq_ignore_ascii_case(public));
        let own = format!("http://{host}");
        let is_own = !self.names_public(host) && origin.eq_ignore_ascii_case(&own);
        match is_public || is_own {
            true => Ok(()),
            false => Err(Refusal::ForeignOrigin),
        }
    }
}

/// The token of a program.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, header::AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Browsers say from where a request comes. Other ports of this host are the same *site*, and
/// cookies go there and come from there.
fn check_site(headers: &HeaderMap) -> Result<(), Refusal> {
    let sites = headers.get_all("sec-fetch-site");
    let is_ours = |site: &[u8]| site == b"same-origin" || site == b"none";
    match sites.iter().all(|site| is_ours(site.as_bytes())) {
        true => Ok(()),
        false => Err(Refusal::ForeignOrigin),
    }
}

/// An address as it stands in `Host`. An IPv4 address that is written as IPv6
/// (`::ffff:127.0.0.1`) is refused: we print none, so that nobody needs it, and a second spelling
/// of an address is what filters have been passed by.
fn literal(name: &str) -> Option<IpAddr> {
    let inside = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match inside {
        Some(address) => {
            let address: Ipv6Addr = address.parse().ok()?;
            let is_mapped = address.to_ipv4_mapped().is_some();
            (!is_mapped).then_some(IpAddr::V6(address))
        }
        None => name.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// `scheme://authority` in small letters.
fn origin(text: &str) -> Result<String, NoOrigin> {
    let lower = text.trim().trim_end_matches('/').to_ascii_lowercase();
    let (scheme, authority) = lower.split_once("://").unwrap_or_default();
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-.:[]".contains(sign);
    let is_authority = !authority.is_empty() && authority.chars().all(is_sign);
    match matches!(scheme, "http" | "https") && is_authority {
        true => Ok(lower),
        false => Err(NoOrigin {
            origin: text.chars().take(QUOTED_MAX).collect(),
        }),
    }
}

/// The value of a header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// All cookies of this name: another port of this host can set one as well.
pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines.filter_map(|line| line.to_str().ok());
    pairs
        .flat_map(|line| line.split(';'))
        .filter_map(move |pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        })
}

#[cfg(test)]
mod tests;
