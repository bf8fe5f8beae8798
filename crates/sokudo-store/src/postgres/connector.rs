//! The way to a server: encrypted as far as the address wants it, and metered.
//!
//! The library below would ask for encryption itself, but then what is not encrypted would
//! pass unmetered.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use postgres::Socket;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
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
}

impl Connector {
    /// # Errors
    /// When certificates that are to be trusted cannot be read.
    pub(super) fn new(encryption: &Encryption) -> io::Result<Self> {
        Ok(Self {
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
                    "it encrypts no connection; switch it on there (ssl = on), or leave sslmode out where the network is trusted",
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

/// A connection whose messages are counted.
pub(super) struct Connection {
    wire: Wire,
    meter: Meter,
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
        ready!(match &mut self.wire {
            Wire::Plain(socket) => Pin::new(socket).poll_read(context, buffer),
            Wire::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        })?;
        Poll::Ready(self.meter.see(&buffer.filled()[before..]))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.wire {
            Wire::Plain(socket) => Pin::new(socket).poll_write(context, bytes),
            Wire::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
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
