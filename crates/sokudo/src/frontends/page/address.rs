//! Where the page is, and what opens it.

use std::fmt::{Display, Write as _};
use std::process::{Command, Stdio};
use std::thread;

use sokudo_page::Hello;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::language;
use sokudo_words::text;

use super::web::WebUser;
use crate::frontends::page::arguments::PageArguments;

/// Bytes of a token: nobody guesses 256 bits.
const SECRET_BYTES: usize = 32;

/// What nobody can guess, as hexadecimal digits.
pub(crate) fn secret() -> String {
    let mut bytes = [0_u8; SECRET_BYTES];
    let mut filled = 0;
    while filled < bytes.len() {
        let flags = rustix::rand::GetRandomFlags::empty();
        filled += rustix::rand::getrandom(&mut bytes[filled..], flags)
            .expect("the kernel has random numbers since it has started");
    }
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Refuses what is no origin: a scheme, a host and perhaps a port.
pub(crate) fn check_origin(origin: Option<&str>) -> Result<(), Exit> {
    let Some(origin) = origin else { return Ok(()) };
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    let is_origin = host.is_some_and(|host| {
        let plain = |sign: char| sign.is_ascii_alphanumeric() || "-.:[]".contains(sign);
        !host.is_empty() && host.chars().all(plain)
    });
    match is_origin {
        true => Ok(()),
        false => Err(Exit::usage(text!(
            "--public-origin {origin} is not an origin; name scheme, host and port alone, such as https://disks.example"
        ))),
    }
}

/// The addresses of the page, each with what opens it.
pub(crate) struct Addresses {
    pub(crate) port: u16,
    pub(crate) control_token: String,
    read_token: String,
    origin: Option<String>,
    listen: Vec<std::net::IpAddr>,
    is_read_only: bool,
}

impl Addresses {
    pub(crate) fn new(arguments: &PageArguments) -> Self {
        Self {
            port: arguments.port,
            control_token: secret(),
            read_token: secret(),
            origin: arguments.public_origin.clone(),
            listen: arguments.listen.clone(),
            is_read_only: arguments.read_only,
        }
    }

    /// What the process that speaks to browsers has to know.
    pub(crate) fn hello(&self, arguments: &PageArguments, as_root: bool) -> Hello {
        Hello {
            control_token: self.control_token.clone(),
            read_token: self.read_token.clone(),
            lang: language::current().code().to_owned(),
            is_lang_given: language::is_given(),
            port: self.port,
            public_origin: self.origin.clone(),
            listen: self.listen.clone(),
            read_only: self.is_read_only,
            as_root,
            allow_destroy: arguments.allow_destroy.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Opens the page once.
    pub(crate) fn with_code(&self, code: &str) -> String {
        format!("{}/#c={code}", self.base())
    }

    fn base(&self) -> String {
        let local = || format!("http://localhost:{}", self.port);
        self.origin.clone().unwrap_or_else(local)
    }

    /// Lines for the terminal: each address with its token, and what it permits.
    pub(crate) fn printed(&self) -> String {
        let (base, port) = (self.base(), self.port);
        let mut lines = Vec::new();
        if !self.is_read_only {
            lines.push((
                text!("measure"),
                format!("{base}/#t={}", self.control_token),
            ));
        }
        lines.push((text!("only look"), format!("{base}/#t={}", self.read_token)));
        lines.push((
            text!("from elsewhere"),
            format!("ssh -L {port}:localhost:{port} {}", host()),
        ));
        let mut printed = String::new();
        let spoken = language::current();
        for (label, address) in lines {
            let label = console::pad_str(
                &label.in_language(spoken),
                16,
                console::Alignment::Left,
                None,
            )
            .into_owned();
            let _ = writeln!(printed, "{label}{address}");
        }
        for address in &self.listen {
            let warning = text!(
                "{address}: whoever reaches it and knows the address above can use the page, and nothing is encrypted on the way"
            );
            let _ = writeln!(printed, "{}", warning.in_language(spoken));
        }
        let rest = text!("Enter prints a fresh address, Ctrl-C ends.");
        let _ = writeln!(printed, "{}", rest.in_language(spoken));
        printed
    }
}

fn host() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

/// Opens an address in the user's browser, as that user.
pub(crate) fn open(address: &str, user: &WebUser) {
    let mut opener = Command::new("xdg-open");
    opener
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    user.become_in(&mut opener);
    let tell = |why: &dyn Display| {
        exit::note(text!(
            "no browser was opened (xdg-open: {why}); open the first address in one"
        ));
    };
    match opener.spawn() {
        // It lasts as long as the browser where it starts one itself.
        Ok(mut opening) => drop(thread::spawn(move || match opening.wait() {
            Ok(status) if !status.success() => tell(&status),
            Ok(_) | Err(_) => {}
        })),
        Err(error) => tell(&error),
    }
}
