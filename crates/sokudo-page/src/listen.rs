//! Listening at addresses, and carrying connections within limits of number, size and time.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as StdListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use crate::guard::ConnectionInfo;
use crate::stall::StallGuard;

/// Ten browsers have sixty.
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
    let slots = Arc::new(ConnectionSlots {
        free: Arc::new(Semaphore::new(CONNECTIONS_MAX)),
        taken: Mutex::default(),
    });
    for listener in listeners {
        let listener = TcpListener::from_std(listener)?;
        tokio::spawn(accept(listener, router.clone(), Arc::clone(&slots)));
    }
    Ok(())
}

async fn accept(listener: TcpListener, router: Router, slots: Arc<ConnectionSlots>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let Some(permit) = slots.next().await else {
                    return;
                };
                let is_known = Arc::new(AtomicBool::new(false));
                let (router, known) = (router.clone(), Arc::clone(&is_known));
                let carried = tokio::spawn(async move {
                    carry(stream, router, known).await;
                    drop(permit);
                });
                slots.take(carried.abort_handle(), is_known);
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// The connections that may be open at once.
struct ConnectionSlots {
    free: Arc<Semaphore>,
    /// Open connections, the oldest first, each with whether it has shown a key.
    taken: Mutex<Vec<(AbortHandle, Arc<AtomicBool>)>>,
}

impl ConnectionSlots {
    /// One that is free. Where none is, the oldest connection of those on which nobody has shown a
    /// key ends: who has none could otherwise hold all of them by heads that never end.
    async fn next(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Some(permit);
        }
        self.with(|taken| {
            let is_strange = |(_, known): &(_, Arc<AtomicBool>)| !known.load(Ordering::Relaxed);
            if let Some(at) = taken.iter().position(is_strange) {
                taken.remove(at).0.abort();
            }
        });
        Arc::clone(&self.free).acquire_owned().await.ok()
    }

    fn take(&self, connection: AbortHandle, is_known: Arc<AtomicBool>) {
        self.with(|taken| taken.push((connection, is_known)));
    }

    fn with(&self, change: impl FnOnce(&mut Vec<(AbortHandle, Arc<AtomicBool>)>)) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|(connection, _)| !connection.is_finished());
        change(&mut taken);
    }
}

/// Answers the requests of a connection. How it ends is the browser's affair.
async fn carry(stream: TcpStream, router: Router, is_known: Arc<AtomicBool>) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    // Events are small and to be seen at once.
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectionInfo {
            at: local.ip(),
            is_known: Arc::clone(&is_known),
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_shows_no_key_keeps_no_place_from_others() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let slots = ConnectionSlots {
                free: Arc::new(Semaphore::new(CONNECTIONS_MAX)),
                taken: Mutex::default(),
            };
            let mut connections = Vec::new();
            for number in 0..2 * CONNECTIONS_MAX {
                let permit = slots.next().await.unwrap();
                let connection = tokio::spawn(async move {
                    let _slot = permit;
                    std::future::pending::<()>().await;
                });
                let is_known = Arc::new(AtomicBool::new(number == 0));
                slots.take(connection.abort_handle(), is_known);
                connections.push(connection);
            }
            assert!(!connections[0].is_finished(), "it has shown a key");
            let ended = connections.iter().filter(|it| it.is_finished()).count();
            assert_eq!(ended, CONNECTIONS_MAX);
            assert!(connections[1].is_finished(), "the oldest stranger");
        });
    }
}
