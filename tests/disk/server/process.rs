//! A PostgreSQL server of a test's own: in a temporary directory, on a socket there, gone
//! with the test.

mod encryption;

use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::sokudo::{is_root, skip};

/// `initdb` refuses root; any other user will do.
const NOBODY: u32 = 65_534;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    folder: TempDir,
    port: Port,
    process: Child,
}

/// A port of 127.0.0.1 that nobody else is given: it is bound here, and who names it may listen
/// there, too, as the socket that has it does not.
struct Port {
    number: u16,
    _socket: OwnedFd,
}

impl Port {
    fn new() -> Self {
        use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket, sockopt};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        sockopt::set_socket_reuseaddr(&socket, true).unwrap();
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address: SocketAddrV4 = getsockname(&socket).unwrap().try_into().unwrap();
        Self {
            number: address.port(),
            _socket: socket,
        }
    }
}

/// How a server is reached besides its socket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Network {
    None,
    Plain,
    /// Not otherwise: with `server.crt` and `server.key` in its folder.
    Encrypted,
}

/// A program of the server's, which does not run as root.
fn unprivileged(program: &Path, is_root: bool) -> Command {
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([
        format!("--reuid={NOBODY}"),
        format!("--regid={NOBODY}"),
        "--clear-groups".to_owned(),
    ]);
    command.arg(program);
    command
}

impl Server {
    /// Starts one; `None`, said loudly, where PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_on(Network::None, |_| ())
    }

    /// The same, reached by 127.0.0.1 too; `prepare` puts into its folder what it needs.
    fn start_on(network: Network, prepare: impl FnOnce(&Path)) -> Option<Self> {
        let Some(programs) = programs() else {
            skip("no PostgreSQL server is installed (package postgresql)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let is_root = is_root();
        if is_root {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), all).unwrap();
        let run = |program: &str| unprivileged(&programs.join(program), is_root);
        let made = run("initdb")
            .args([
                "--no-sync",
                "--auth=trust",
                "--username=tester",
                "--encoding=UTF8",
            ])
            .args(["--locale=C.UTF-8", "-D"])
            .arg(&data)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {made:?}");
        prepare(folder.path());
        let key = folder.path().join("server.key");
        if is_root && key.exists() {
            chown(&key, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let port = Port::new();
        let (addresses, way, ssl) = match network {
            Network::None => ("", "host", "off"),
            Network::Plain => ("127.0.0.1", "hostnossl", "off"),
            Network::Encrypted => ("127.0.0.1", "hostssl", "on"),
        };
        std::fs::write(
            data.join("pg_hba.conf"),
            format!("local all all trust\n{way} all all 127.0.0.1/32 trust\n"),
        )
        .unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        let process = run("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-c", &format!("listen_addresses={addresses}")])
            .args([
                "-c",
                &format!("port={}", port.number),
                "-c",
                &format!("ssl={ssl}"),
            ])
            .args(["-c", &format!("ssl_cert_file={}", file("server.crt"))])
            .args(["-c", &format!("ssl_key_file={}", file("server.key"))])
            .args(["-c", "fsync=off", "-k"])
            .arg(folder.path())
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self {
            folder,
            port,
            process,
        };
        server.wait();
        Some(server)
    }

    fn wait(&self) {
        let start = Instant::now();
        while postgres::Client::connect(&self.url("postgres"), postgres::NoTls).is_err() {
            assert!(
                start.elapsed() < Duration::from_secs(300),
                "no server came up"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The address of a database of this name.
    pub(crate) fn url(&self, database: &str) -> String {
        let folder = self.folder.path().display();
        let port = self.port.number;
        format!("postgresql:///{database}?host={folder}&port={port}&user=tester")
    }

    /// A new, empty database.
    pub(crate) fn database(&self, name: &str) -> String {
        let mut client = postgres::Client::connect(&self.url("postgres"), postgres::NoTls).unwrap();
        client
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .unwrap();
        self.url(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGQUIT: at once, its files are thrown away.
        let process = self.process.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &process]).status();
        let _ = self.process.wait();
    }
}

/// The folder with `initdb`, of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = versions
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|folder: &PathBuf| Path::new(folder).join("initdb").exists())
        .collect();
    folders.sort();
    folders.pop()
}
