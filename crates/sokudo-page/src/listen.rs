//! Listening at addresses, and carrying connections within limits of number, size and time.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use sokudo_words::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::guard::Arrival;
use crate::stall::StallGuard;

/// Ten browsers have sixty. More wait until one is closed.
const CONNECTIONS_MAX: usize = 64;
/// Also ends a connection on which nothing is asked any more.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// A cookie, a filter and what browsers add are some 2 KiB.
const HEADER_BYTES_MAX: usize = 16 << 10;
const HEADERS_MAX: usize = 64;
/// Another program may have one of the ports that the kernel chose for our first address.
const PORT_ATTEMPTS_MAX: usize = 16;
/// Where no connection can be accepted, as where no file can be opened.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Error)]
#[error(
    "cannot listen at {address}: {reason}; choose another port with --port, or another address with --listen"
)]
pub(crate) struct ListenError {
    address: SocketAddr,
    reason: io::Error,
}

/// Listens at one port of all addresses; with port 0 at one that is free.
///
/// # Errors
/// When one of them is taken. It must be ours on both loopback addresses: `localhost` leads to
/// either, and a program that had the other would be shown the token.
pub(crate) fn bind(port: u16, more: &[IpAddr]) -> Result<(u16, Vec<StdListener>), ListenError> {
    let addresses = addresses(more);
    let mut attempt = 1;
    loop {
        match bind_all(port, &addresses) {
            Err(error)
                if port == 0
                    && attempt < PORT_ATTEMPTS_MAX
                    && error.reason.kind() == io::ErrorKind::AddrInUse =>
            {
                attempt += 1;
            }
            bound => return bound,
        }
    }
}

/// Both loopback addresses and those that were named; where all are, only these.
fn addresses(more: &[IpAddr]) -> Vec<IpAddr> {
    let everywhere = more.iter().find(|address| address.is_unspecified());
    if let Some(everywhere) = everywhere {
        return vec![*everywhere];
    }
    let mut addresses: Vec<IpAddr> = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    for address in more {
        if !addresses.contains(address) {
            addresses.push(*address);
        }
    }
    addresses
}

fn bind_all(mut port: u16, addresses: &[IpAddr]) -> Result<(u16, Vec<StdListener>), ListenError> {
    let mut listeners = Vec::new();
    for ip in addresses {
        let address = SocketAddr::new(*ip, port);
        let failed = |reason| ListenError { address, reason };
        let listener = match StdListener::bind(address) {
            // A machine without IPv6.
            Err(error) if ip.is_loopback() && ip.is_ipv6() && is_missing(&error) => continue,
            bound => bound.map_err(failed)?,
        };
        listener.set_nonblocking(true).map_err(failed)?;
        port = listener.local_addr().map_err(failed)?.port();
        listeners.push(listener);
    }
    Ok((port, listeners))
}

fn is_missing(error: &io::Error) -> bool {
    let missing = [
        rustix::io::Errno::ADDRNOTAVAIL,
        rustix::io::Errno::AFNOSUPPORT,
    ];
    missing
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Accepts connections at all listeners, for as long as the runtime runs.
///
/// # Errors
/// When a listener cannot be waited for.
pub(crate) fn serve(listeners: Vec<StdListener>, router: &Router) -> io::Result<()> {
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    for listener in listeners {
        let listener = TcpListener::from_std(listener)?;
        tokio::spawn(accept(listener, router.clone(), Arc::clone(&connections)));
    }
    Ok(())
}

async fn accept(listener: TcpListener, router: Router, connections: Arc<Semaphore>) {
    loop {
        let Ok(place) = Arc::clone(&connections).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    carry(stream, router).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers the requests of a connection. How it ends is the browser's affair.
async fn carry(stream: TcpStream, router: Router) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    // Events are small and to be seen at once.
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Arrival(local.ip()));
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(StallGuard::new(stream)), service);
    let _ = connection.await;
}
