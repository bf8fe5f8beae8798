//! The way to a server: encrypted as far as the address wants it, and metered.
//!
//! The library below would ask for encryption itself, but then what is not encrypted would
//! pass unmetered.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use sokudo_words::text;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Encrypted;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::Encryption;
use super::certificates;
use super::meter::Meter;

/// `SSLRequest`: its length, and the number that stands for it.
const ENCRYPTION_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
const ACCEPTED: u8 = b'S';
const REFUSED: u8 = b'N';

/// Makes connections as an address wants them.
#[derive(Clone)]
pub(super) struct Connector {
    tls: Arc<ClientConfig>,
    is_required: bool,
    silence_max: Duration,
}

impl Connector {
    /// # Errors
    /// When certificates that are to be trusted cannot be read.
    pub(super) fn new(encryption: &Encryption, silence_max: Duration) -> io::Result<Self> {
        Ok(Self {
            silence_max,
            tls: Arc::new(certificates::client(encryption)?),
            is_required: !matches!(encryption, Encryption::Never | Encryption::Offered),
        })
    }

    async fn connect(self, mut socket: Socket, host: String) -> io::Result<Connection> {
        socket.write_all(&ENCRYPTION_REQUEST).await?;
        socket.flush().await?;
        let wire = match socket.read_u8().await? {
            ACCEPTED => {
                let name = ServerName::try_from(host).map_err(io::Error::other)?;
                let stream = TlsConnector::from(self.tls).connect(name, socket).await;
                Wire::Encrypted(Box::new(stream.map_err(certificates::explained)?))
            }
            REFUSED if self.is_required => {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "it does not encrypt connections; switch encryption on at the server (ssl = on), or leave sslmode out where the network is trusted",
                ));
            }
            REFUSED => Wire::Plain(socket),
            _ => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it does not speak PostgreSQL's protocol",
                ));
            }
        };
        Ok(Connection {
            wire,
            meter: Meter::default(),
            silence: Box::pin(sleep(self.silence_max)),
            silence_max: self.silence_max,
            is_requested: false,
        })
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Connection;
    type TlsConnect = ToHost;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<ToHost> {
        Ok(ToHost {
            connector: self.clone(),
            host: host.to_owned(),
        })
    }
}

/// A connector and whose certificate it expects.
pub(super) struct ToHost {
    connector: Connector,
    host: String,
}

impl TlsConnect<Socket> for ToHost {
    type Stream = Connection;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Connection>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(self.connector.connect(socket, self.host))
    }
}

enum Wire {
    Plain(Socket),
    Encrypted(Box<Encrypted<Socket>>),
}

/// A connection whose messages are counted, and whose silences are bounded.
pub(super) struct Connection {
    wire: Wire,
    meter: Meter,
    /// Begins anew with all that comes or goes.
    silence: Pin<Box<Sleep>>,
    silence_max: Duration,
    /// Whether an answer is awaited: between questions a server has nothing to say.
    is_requested: bool,
}

impl Connection {
    fn is_heard(&mut self) {
        let until = Instant::now() + self.silence_max;
        self.silence.as_mut().reset(until);
    }

    /// # Errors
    /// When an answer is awaited, and nothing has come or gone for too long.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if !self.is_requested {
            return Poll::Pending;
        }
        ready!(self.silence.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            text!(
                "it has not answered within {} s",
                self.silence_max.as_secs()
            ),
        )))
    }
}

impl TlsStream for Connection {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = match &mut self.wire {
            Wire::Plain(socket) => Pin::new(socket).poll_read(context, buffer),
            Wire::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        if read.is_pending() {
            return self.wait(context);
        }
        ready!(read)?;
        self.is_heard();
        self.meter.see(&buffer.filled()[before..])?;
        self.is_requested &= !self.meter.take_answered();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if !self.is_requested {
            self.is_requested = true;
            self.is_heard();
        }
        let written = match &mut self.wire {
            Wire::Plain(socket) => Pin::new(socket).poll_write(context, bytes),
            Wire::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        };
        if written.is_pending() {
            return self.wait(context);
        }
        self.is_heard();
        // Reading has been tried before: whoever sleeps now is woken by the silence.
        let _ = self.silence.as_mut().poll(context);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.wire {
            Wire::Plain(socket) => Pin::new(socket).poll_flush(context),
            Wire::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.wire {
            Wire::Plain(socket) => Pin::new(socket).poll_shutdown(context),
            Wire::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
