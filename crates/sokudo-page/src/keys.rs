//! What opens sessions: tokens, codes that are used once, and cookies. Only their digests are
//! kept, so that nothing of them can be printed, and comparing them tells nothing by its time.

use std::collections::VecDeque;
use std::time::Duration;

use sha2::{Digest, Sha256};

/// How long a code is good: a browser opens within it, also on a slow machine.
pub(crate) const CODE_LIFE: Duration = Duration::from_secs(30);
/// Addresses that were printed by Enter; the oldest is forgotten.
const TOKENS_MAX: usize = 16;
const CODES_MAX: usize = 16;
/// Browsers that are signed in and may do the same; the oldest of them is signed out, so that who
/// only looks signs out nobody who controls.
const SESSIONS_MAX: usize = 64;

/// What somebody who is signed in may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// It may look and not change anything.
    pub(crate) is_read_only: bool,
}

type KeyDigest = [u8; 32];

/// All keys that open anything.
#[derive(Default)]
pub(crate) struct KeySet {
    control: VecDeque<KeyDigest>,
    read: VecDeque<KeyDigest>,
    /// With the moment at which each is too old.
    codes: VecDeque<(KeyDigest, Duration)>,
    sessions: VecDeque<(KeyDigest, Session)>,
    is_read_only: bool,
}

impl KeySet {
    /// With `is_read_only` no key opens more than a view.
    pub(crate) fn new(is_read_only: bool) -> Self {
        Self {
            is_read_only,
            ..Self::default()
        }
    }

    pub(crate) fn add_control_token(&mut self, token: &str) {
        push(&mut self.control, digest(token), TOKENS_MAX);
    }

    pub(crate) fn add_read_token(&mut self, token: &str) {
        push(&mut self.read, digest(token), TOKENS_MAX);
    }

    /// A code, which arrives at `now`: any clock that does not jump.
    pub(crate) fn add_code(&mut self, code: &str, now: Duration) {
        push(&mut self.codes, (digest(code), now + CODE_LIFE), CODES_MAX);
    }

    /// What a token opens.
    pub(crate) fn of_token(&self, token: &str) -> Option<Session> {
        let shown = digest(token);
        let opens = |keys: &VecDeque<KeyDigest>| keys.iter().any(|key| is_equal(key, &shown));
        if opens(&self.control) {
            return Some(Session {
                is_read_only: self.is_read_only,
            });
        }
        opens(&self.read).then_some(Session { is_read_only: true })
    }

    /// What a code opens, which is used up by it.
    pub(crate) fn of_code(&mut self, code: &str, now: Duration) -> Option<Session> {
        let shown = digest(code);
        self.codes.retain(|(_, end)| now <= *end);
        let found = self.codes.iter().position(|(key, _)| is_equal(key, &shown));
        self.codes.remove(found?)?;
        Some(Session {
            is_read_only: self.is_read_only,
        })
    }

    /// Begins a session; the value of its cookie is `random` in hexadecimal.
    pub(crate) fn begin(&mut self, session: Session, random: [u8; 32]) -> String {
        let cookie: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        self.sessions.push_back((digest(&cookie), session));
        let is_alike = |(_, other): &(KeyDigest, Session)| *other == session;
        if self.sessions.iter().filter(|it| is_alike(it)).count() > SESSIONS_MAX {
            let oldest = self.sessions.iter().position(is_alike);
            oldest.and_then(|at| self.sessions.remove(at));
        }
        cookie
    }

    pub(crate) fn session(&self, cookie: &str) -> Option<Session> {
        let shown = digest(cookie);
        let mut sessions = self.sessions.iter();
        let found = sessions.find(|(key, _)| is_equal(key, &shown));
        found.map(|(_, session)| *session)
    }

    pub(crate) fn end(&mut self, cookie: &str) {
        let shown = digest(cookie);
        self.sessions.retain(|(key, _)| !is_equal(key, &shown));
    }
}

fn push<T>(queue: &mut VecDeque<T>, item: T, length_max: usize) {
    queue.push_back(item);
    if queue.len() > length_max {
        queue.pop_front();
    }
}

fn digest(key: &str) -> KeyDigest {
    Sha256::digest(key.as_bytes()).into()
}

/// In the same time, however much of them is equal.
fn is_equal(left: &KeyDigest, right: &KeyDigest) -> bool {
    let pairs = left.iter().zip(right);
    pairs.fold(0, |different, (left, right)| different | (left ^ right)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_code_opens_once_and_for_thirty_seconds() {
        let mut keys = KeySet::new(false);
        keys.add_code("early", SECOND);
        keys.add_code("late", SECOND);
        let control = Some(Session {
            is_read_only: false,
        });
        assert_eq!(keys.of_code("other", SECOND), None);
        assert_eq!(keys.of_code("early", SECOND + CODE_LIFE), control);
        assert_eq!(keys.of_code("early", SECOND + CODE_LIFE), None);
        assert_eq!(keys.of_code("late", SECOND * 2 + CODE_LIFE), None);
        assert_eq!(keys.of_token("late"), None, "a code is no token");
    }

    #[test]
    fn a_token_opens_what_it_is_for() {
        let mut keys = KeySet::new(false);
        keys.add_control_token("control");
        keys.add_read_token("read");
        let opens = |token| keys.of_token(token).map(|session| session.is_read_only);
        assert_eq!(opens("control"), Some(false));
        assert_eq!(opens("read"), Some(true));
        for wrong in ["", "contro", "control ", "CONTROL"] {
            assert_eq!(opens(wrong), None, "{wrong}");
        }
        let mut keys = KeySet::new(true);
        keys.add_control_token("control");
        keys.add_code("code", SECOND);
        let looks = Some(Session { is_read_only: true });
        assert_eq!(keys.of_token("control"), looks);
        assert_eq!(keys.of_code("code", SECOND), looks);
    }

    #[test]
    fn sessions_are_bounded_and_end() {
        let mut keys = KeySet::new(false);
        let session = Session {
            is_read_only: false,
        };
        let random = |number: usize| {
            let mut random = [0; 32];
            random[..8].copy_from_slice(&number.to_le_bytes());
            random
        };
        let cookies: Vec<String> = (0..=SESSIONS_MAX)
            .map(|number| keys.begin(session, random(number)))
            .collect();
        assert_eq!(keys.session(&cookies[0]), None, "the oldest is signed out");
        assert_eq!(keys.session(&cookies[1]), Some(session));
        assert_eq!(cookies[1].len(), 64);
        for number in 0..=SESSIONS_MAX {
            keys.begin(Session { is_read_only: true }, random(1_000 + number));
        }
        assert_eq!(keys.session(&cookies[1]), Some(session), "it may do more");
        keys.end(&cookies[1]);
        assert_eq!(keys.session(&cookies[1]), None);
    }
}
