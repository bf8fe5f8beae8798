//! Whose certificate is believed.

use std::io;
use std::sync::Arc;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use super::address::{Authorities, Encryption};

/// How connections of this kind are encrypted.
///
/// # Errors
/// When the certificates that are to be trusted cannot be read.
pub(super) fn client(encryption: &Encryption) -> io::Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let chain = match encryption {
        Encryption::Never | Encryption::Offered | Encryption::Unchecked => None,
        Encryption::FromAuthority(authorities) => Some((authorities, false)),
        Encryption::ForName(authorities) => Some((authorities, true)),
    };
    let chain = chain
        .map(|(authorities, checks_name)| Chain::of(authorities, checks_name, &provider))
        .transpose()?;
    let judge = Judge {
        provider: Arc::clone(&provider),
        chain,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(judge))
        .with_no_client_auth();
    Ok(config)
}

/// What is wrong with a certificate, and what to do about it.
pub(super) fn explained(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|it| it.downcast_ref::<Error>());
    let message = match cause {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "its certificate was not issued by a trusted authority; name the certificate of the authority that issued it with sslrootcert=FILE".to_owned()
        }
        Some(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => {
            "its certificate is for another name; name the server as the certificate does".to_owned()
        }
        Some(Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        )) => "its certificate has expired; renew it there".to_owned(),
        _ => return error,
    };
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// Who vouches for a server.
#[derive(Debug)]
struct Chain {
    verifier: Arc<WebPkiServerVerifier>,
    authorities: Vec<CertificateDer<'static>>,
    checks_name: bool,
}

impl Chain {
    fn of(
        authorities: &Authorities,
        checks_name: bool,
        provider: &Arc<CryptoProvider>,
    ) -> io::Result<Self> {
        let authorities = read(authorities)?;
        let mut roots = RootCertStore::empty();
        // Systems hold some that are too old to be understood.
        roots.add_parsable_certificates(authorities.iter().cloned());
        let verifier =
            WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(provider)).build();
        Ok(Self {
            verifier: verifier.map_err(|_| nobody("no certificate of an authority can be used"))?,
            authorities,
            checks_name,
        })
    }

    fn verify(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), Error> {
        use CertificateError as Wrong;
        let Chain {
            verifier,
            authorities,
            checks_name,
        } = self;
        match verifier.verify_server_cert(certificate, between, name, &[], now) {
            Ok(_) => Ok(()),
            // The name is looked at last, when all else is well.
            Err(Error::InvalidCertificate(
                Wrong::NotValidForName | Wrong::NotValidForNameContext { .. },
            )) if !checks_name => Ok(()),
            // A server that vouches for itself is an authority only to who names it so. When
            // it was valid was looked at before who has signed it.
            Err(Error::InvalidCertificate(Wrong::UnknownIssuer | Wrong::Other(_)))
                if authorities.contains(certificate) =>
            {
                match checks_name {
                    true => verify_server_name(&ParsedCertificate::try_from(certificate)?, name),
                    false => Ok(()),
                }
            }
            Err(error) => Err(error),
        }
    }
}

fn read(authorities: &Authorities) -> io::Result<Vec<CertificateDer<'static>>> {
    match authorities {
        Authorities::System => Ok(rustls_native_certs::load_native_certs().certs),
        Authorities::File(path) => CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|error| nobody(&format!("{} cannot be read: {error}", path.display()))),
    }
}

fn nobody(why: &str) -> io::Error {
    io::Error::other(format!(
        "{why}, so that no server can be trusted; name a file of certificates with sslrootcert=FILE"
    ))
}

/// Believes a certificate, or not.
#[derive(Debug)]
struct Judge {
    provider: Arc<CryptoProvider>,
    /// `None` where any will do.
    chain: Option<Chain>,
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(chain) = &self.chain {
            chain.verify(certificate, between, name, now)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
