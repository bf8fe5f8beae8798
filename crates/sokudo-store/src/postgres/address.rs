//! What the address of a server says: where it is, and how far the connection to it is to
//! be trusted.
//!
//! The words for encryption mean what they mean to libpq, and are read here: the library
//! below knows fewer.

use std::env;
use std::path::PathBuf;

use postgres::Config;
use postgres::config::{Host, SslMode, SslNegotiation};

use crate::StoreError;

/// Where libpq looks for the authorities that a user trusts, below the home.
const OWN_AUTHORITIES: &str = ".postgresql/root.crt";

/// Address of a server, with the encryption that it asks for.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) encryption: Encryption,
}

/// Whether a connection is encrypted, and whom it is trusted to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    /// `disable`: not encrypted, even where the server can.
    Never,
    /// `prefer`, which is the default: where the server can, unchecked.
    Offered,
    /// `require`: always encrypted, the certificate unchecked.
    Unchecked,
    /// `verify-ca`, and `require` with `sslrootcert`: whose certificate comes from one of
    /// these.
    FromAuthority(Authorities),
    /// `verify-full`: the same, and it is for the server's name.
    ForName(Authorities),
}

/// Whose certificates are trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Authorities {
    /// Those that the system trusts.
    System,
    /// Those in this file.
    File(PathBuf),
}

impl Address {
    /// Reads `postgresql://…`. Why one is wrong is said without quoting it, for it may hold
    /// a password.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let EncryptionOptions { plain, mode, roots } = EncryptionOptions::taken_out_of(url);
        let mut config: Config = plain.parse().map_err(|_| unread())?;
        // The rest of a password in which an @ stands as it is.
        let is_password = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
        let hosts = config.get_hosts();
        let is_nowhere = hosts.is_empty() && config.get_hostaddrs().is_empty();
        if is_nowhere || hosts.iter().any(is_password) {
            return Err(unread());
        }
        // Nobody listens between the two ends of a socket, and libpq encrypts none either.
        let sockets = hosts
            .iter()
            .filter(|host| matches!(host, Host::Unix(_)))
            .count();
        let encryption = match sockets {
            0 => encryption(mode.as_deref(), roots.as_deref())?,
            count if count == hosts.len() => Encryption::Never,
            _ => {
                return Err(refused(
                    "it names sockets and hosts, and only connections to hosts can be encrypted; name hosts alone",
                ));
            }
        };
        match encryption {
            Encryption::Never => config.ssl_mode(SslMode::Disable),
            // Whether the server encrypts is asked by our own connector.
            _ => config
                .ssl_mode(SslMode::Require)
                .ssl_negotiation(SslNegotiation::Direct),
        };
        Ok(Self { config, encryption })
    }
}

/// What is said of encryption, and the address without it.
struct EncryptionOptions {
    plain: String,
    mode: Option<String>,
    roots: Option<String>,
}

impl EncryptionOptions {
    fn taken_out_of(url: &str) -> Self {
        let mut words = Self {
            plain: url.to_owned(),
            mode: None,
            roots: None,
        };
        // A ? of a password stands before the @.
        let host = url.find('@').unwrap_or(0);
        if let Some((address, parameters)) = url[host..].split_once('?') {
            let mut others = Vec::new();
            for parameter in parameters.split('&') {
                match parameter.split_once('=') {
                    Some(("sslmode", mode)) => words.mode = Some(unescaped(mode)),
                    Some(("sslrootcert", roots)) => words.roots = Some(unescaped(roots)),
                    _ => others.push(parameter),
                }
            }
            let between = if others.is_empty() { "" } else { "?" };
            words.plain = format!("{}{address}{between}{}", &url[..host], others.join("&"));
        }
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        words.mode = words.mode.or_else(|| variable("PGSSLMODE"));
        words.roots = words.roots.or_else(|| variable("PGSSLROOTCERT"));
        words
    }
}

/// `%2F` is a slash, and so on; what is no such sign stays as it is.
fn unescaped(text: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(text);
    decoded.decode_utf8_lossy().into_owned()
}

fn encryption(mode: Option<&str>, roots: Option<&str>) -> Result<Encryption, StoreError> {
    let named = roots.map(|roots| match roots {
        "system" => Authorities::System,
        file => Authorities::File(file.into()),
    });
    let unnamed = || match env::home_dir().map(|home| home.join(OWN_AUTHORITIES)) {
        Some(own) if own.is_file() => Authorities::File(own),
        _ => Authorities::System,
    };
    let is_weak = mode.is_some_and(|mode| mode != "verify-full");
    if named == Some(Authorities::System) && is_weak {
        return Err(refused(
            "sslrootcert=system trusts any certified server unless its name is checked; use sslmode=verify-full with it",
        ));
    }
    Ok(match (mode, named) {
        (Some("disable"), _) => Encryption::Never,
        (Some("prefer"), _) | (None, None) => Encryption::Offered,
        (Some("require"), None) => Encryption::Unchecked,
        (Some("require"), Some(named)) => Encryption::FromAuthority(named),
        (Some("verify-ca"), named) => Encryption::FromAuthority(named.unwrap_or_else(unnamed)),
        (Some("verify-full"), named) => Encryption::ForName(named.unwrap_or_else(unnamed)),
        // Who names an authority wants it to be asked.
        (None, Some(Authorities::System)) => Encryption::ForName(Authorities::System),
        (None, Some(named)) => Encryption::FromAuthority(named),
        (Some(_), _) => {
            return Err(refused(
                "its sslmode is not one of disable, prefer, require, verify-ca and verify-full; use one of them",
            ));
        }
    })
}

fn unread() -> StoreError {
    refused(
        "its address is not one such as postgresql://USER:PASSWORD@HOST/DATABASE, with other characters than letters and digits as %40 and the like",
    )
}

fn refused(reason: &'static str) -> StoreError {
    StoreError::Database {
        store: "the server of --store".into(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Encryption {
        Address::parse(url).unwrap().encryption
    }

    #[test]
    fn the_words_mean_what_they_mean_to_libpq() {
        let file = || Authorities::File("/a b.crt".into());
        for (parameters, expected) in [
            ("sslmode=disable", Encryption::Never),
            ("sslmode=prefer", Encryption::Offered),
            ("sslmode=require", Encryption::Unchecked),
            (
                "sslmode=require&sslrootcert=/a%20b.crt",
                Encryption::FromAuthority(file()),
            ),
            (
                "sslrootcert=/a%20b.crt&sslmode=verify-ca",
                Encryption::FromAuthority(file()),
            ),
            (
                "connect_timeout=3&sslmode=verify-full&sslrootcert=/a%20b.crt",
                Encryption::ForName(file()),
            ),
            (
                "sslmode=verify-full&sslrootcert=system",
                Encryption::ForName(Authorities::System),
            ),
        ] {
            let url = format!("postgresql://me:a?b@host/runs?{parameters}");
            assert_eq!(of(&url), expected, "{url}");
        }
        assert_eq!(
            of("postgresql:///runs?host=/run/x&sslmode=require"),
            Encryption::Never
        );
    }

    #[test]
    fn what_would_not_be_as_safe_as_it_sounds_is_refused() {
        for parameters in [
            "sslmode=verify",
            "sslmode=REQUIRE",
            "sslmode=require&sslrootcert=system",
        ] {
            let url = format!("postgresql://me:secret@host/runs?{parameters}");
            let error = Address::parse(&url).unwrap_err().to_string();
            assert!(
                error.contains("sslmode") && !error.contains("secret"),
                "{error}"
            );
        }
        let url = "postgresql://me@host,%2Frun%2Fx/runs?sslmode=require";
        assert!(Address::parse(url).is_err());
    }
}
