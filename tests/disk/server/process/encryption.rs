//! How far connections are encrypted and whose certificate is believed, against a server.

use std::path::Path;
use std::process::Command;

use sokudo_store::Postgres;

use super::{Network, Server};
use crate::sokudo::skip;

fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{arguments}: {made:?}");
}

/// An authority, another one, and a certificate of the first for `localhost` alone.
fn certificates(folder: &Path) {
    const NEW: &str = "req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256";
    for name in ["authority", "other"] {
        openssl(
            folder,
            &format!("{NEW} -keyout {name}.key -out {name}.crt -subj /CN={name}"),
        );
    }
    openssl(
        folder,
        &format!(
            "{NEW} -CA authority.crt -CAkey authority.key -keyout server.key -out server.crt \
             -subj /CN=server -addext subjectAltName=DNS:localhost \
             -addext basicConstraints=critical,CA:FALSE"
        ),
    );
}

impl Server {
    /// What comes of opening a store there under a name, with these words.
    fn opened(&self, host: &str, words: &str) -> Result<(), String> {
        let folder = self.folder.path().display();
        let words = words.replace("FOLDER", &folder.to_string());
        let url = format!(
            "postgresql://tester@{host}:{}/postgres?{words}",
            self.port.number
        );
        let opened = Postgres::open(&url);
        opened.map(|_| ()).map_err(|error| error.to_string())
    }
}

#[test]
fn a_server_that_encrypts_is_believed_as_far_as_was_asked() {
    if Command::new("openssl").arg("version").output().is_err() {
        skip("there is no openssl to make certificates with");
        return;
    }
    // It lets nobody in without encryption.
    let Some(server) = Server::start_on(Network::Encrypted, certificates) else {
        return;
    };
    accepts(&server);
    refuses(&server);
}

fn accepts(server: &Server) {
    for (host, words) in [
        ("localhost", ""),
        ("localhost", "sslmode=prefer"),
        ("127.0.0.1", "sslmode=require"),
        (
            "127.0.0.1",
            "sslmode=require&sslrootcert=FOLDER/authority.crt",
        ),
        (
            "127.0.0.1",
            "sslmode=verify-ca&sslrootcert=FOLDER/authority.crt",
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=FOLDER/authority.crt",
        ),
        // It vouches for itself to who names it.
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=FOLDER/server.crt",
        ),
    ] {
        assert_eq!(server.opened(host, words), Ok(()), "{host} {words}");
    }
}

fn refuses(server: &Server) {
    for (host, words, why) in [
        ("localhost", "sslmode=disable", "no encryption"),
        (
            "127.0.0.1",
            "sslmode=verify-full&sslrootcert=FOLDER/authority.crt",
            "is for another name",
        ),
        (
            "127.0.0.1",
            "sslmode=verify-full&sslrootcert=FOLDER/server.crt",
            "is for another name",
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=FOLDER/other.crt",
            "not issued by a trusted authority",
        ),
        (
            "localhost",
            "sslmode=require&sslrootcert=FOLDER/other.crt",
            "not issued by a trusted authority",
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=system",
            "not issued by a trusted authority",
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=FOLDER/none.crt",
            "none.crt cannot be read",
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=FOLDER/server.key",
            "name a file of certificates",
        ),
    ] {
        let refused = server.opened(host, words).unwrap_err();
        assert!(refused.contains(why), "{host} {words}: {refused}");
    }
}

#[test]
fn a_server_that_does_not_encrypt_is_refused_where_encryption_is_required() {
    let Some(server) = Server::start_on(Network::Plain, |_| ()) else {
        return;
    };
    for words in ["", "sslmode=disable", "sslmode=prefer"] {
        assert_eq!(server.opened("localhost", words), Ok(()), "{words}");
    }
    for words in ["sslmode=require", "sslmode=verify-full&sslrootcert=system"] {
        let refused = server.opened("127.0.0.1", words).unwrap_err();
        assert!(
            refused.contains("does not encrypt connections"),
            "{words}: {refused}"
        );
    }
}
