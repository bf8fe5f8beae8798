//! How it joins the others, and leaves in order with them.

use std::time::Instant;

use super::{CROWD_MAX, CallResult, GOODBYE, PeerSession, State};
use crate::error::PeerError;
use crate::host::PeerHost;
use crate::message::Message;

impl PeerSession<'_> {
    /// What belongs to the joining would take it back there later, and whoever waits would wait
    /// for ever.
    pub(super) fn is_joining(&self) -> bool {
        matches!(self.state, State::Joining(..))
    }

    /// Takes in the hello of a rank that joins; only the first gets one.
    pub(super) fn hello(&mut self, from: u32, version: String, host: PeerHost) {
        if version != self.me.version {
            let (theirs, firsts) = (version, self.me.version.clone());
            let (rank, host) = (from, host.name);
            self.post_to_others(&Message::OtherVersion {
                rank,
                host: host.clone(),
                theirs: theirs.clone(),
                firsts: firsts.clone(),
            });
            self.not_joined(PeerError::OtherVersion {
                rank,
                host,
                theirs,
                firsts,
            });
            return;
        }
        self.hosts[from as usize] = Some(host);
        let Some(hosts) = self.hosts.iter().cloned().collect::<Option<Vec<_>>>() else {
            return;
        };
        self.post_to_others(&Message::Welcome {
            hosts: hosts.clone(),
        });
        self.joined(hosts);
    }

    pub(super) fn joined(&mut self, hosts: Vec<PeerHost>) {
        let own = self.me.host.machine();
        let beside = hosts.iter().filter(|host| host.machine() == own).count();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.crowd = u32::try_from(beside.div_ceil(processors)).unwrap_or(CROWD_MAX);
        self.hosts = hosts.iter().cloned().map(Some).collect();
        self.beats.heard_all(Instant::now());
        if let State::Joining(answer, _) = std::mem::replace(&mut self.state, State::Joined) {
            let _ = answer.send(Ok(hosts));
        }
    }

    pub(super) fn not_joined(&mut self, error: PeerError) {
        if !matches!(self.state, State::Joining(..)) {
            return;
        }
        // What the others are told is sent first; then the caller may end this process.
        let until = Instant::now() + GOODBYE;
        while !self.mail.is_sent(self.transport) && Instant::now() < until {
            if self.mail.send(self.transport).is_err() {
                break;
            }
            std::thread::sleep(self.me.timeouts.pause_in_call);
        }
        // Then all go in order: launchers complain of who does not.
        self.everybody_knows = matches!(error, PeerError::OtherVersion { .. });
        if let State::Joining(answer, _) = std::mem::replace(&mut self.state, State::Over) {
            let _ = answer.send(Err(error));
        }
    }

    pub(super) fn leave_if_sent(&mut self) {
        let State::Leaving(_, farewell) = &self.state else {
            return;
        };
        let now = Instant::now();
        let is_late = now > farewell.until;
        if !is_late && (now < farewell.quiet_from || !self.mail.is_sent(self.transport)) {
            return;
        }
        std::thread::sleep(farewell.leave_at.saturating_duration_since(now));
        if let State::Leaving(answer, ..) = std::mem::replace(&mut self.state, State::Over) {
            let left = match is_late {
                true => Err(PeerError::NotLeft(self.me.timeouts.leave)),
                false => (self.transport.leave())
                    .map(|()| CallResult::Bytes(Vec::new()))
                    .map_err(PeerError::End),
            };
            let _ = answer.send(left);
        }
    }
}
