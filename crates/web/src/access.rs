//! Who may do things: a token, a session, and a proof that a form is ours.

mod attempts;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, HeaderValue, header};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use self::attempts::Attempts;
use crate::caller::Caller;

const COOKIE: &str = "recrawl_session";
const LASTS: SignedDuration = SignedDuration::from_hours(12);

/// Most people who are logged in at a time; the oldest makes room.
const MOST_SESSIONS: usize = 1000;

/// Who may do things.
///
/// A browser has a session: a random name in a cookie that no script reads and that no other site sends. The
/// token of its forms is derived from that name and a secret of this process, so that nothing is stored for
/// people who only look. Who has shown the admin token is remembered here, by the hash of the name.
pub struct Access {
    token: Option<[u8; 32]>,
    secret: [u8; 32],
    sessions: Mutex<HashMap<[u8; 32], Timestamp>>,
    /// Wrong tokens, by who sent them.
    guesses: Attempts<Caller>,
    writes: Attempts<()>,
    previews: Attempts<()>,
}

/// The name of a browser's session.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Session(String);

/// What came of an attempt to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Login {
    /// The token is right.
    Right,
    /// The token is wrong.
    Wrong,
    /// The token is wrong, as many were that came from there lately.
    TooMany,
}

/// The token that a program sent with its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearer {
    /// None.
    Absent,
    /// The right one.
    Right,
    /// A wrong one.
    Wrong,
    /// A wrong one, as many were that came from there lately.
    TooMany,
}

impl Access {
    /// Lets everybody do things who can reach the pages: for a server that only this machine reaches.
    pub fn for_everybody() -> Self {
        Self::new(None)
    }

    /// Lets those do things who know `token`.
    pub fn with_token(token: &str) -> Self {
        Self::new(Some(Sha256::digest(token).into()))
    }

    fn new(token: Option<[u8; 32]>) -> Self {
        Self {
            token,
            secret: random(),
            sessions: Mutex::default(),
            guesses: Attempts::per_minute(10),
            writes: Attempts::per_minute(60),
            previews: Attempts::per_minute(120),
        }
    }

    /// Tells whether there is anything to log in to.
    pub fn demands_token(&self) -> bool {
        self.token.is_some()
    }

    /// Looks at the token that a program sent.
    ///
    /// The right one is always taken, whatever else came from there or from elsewhere: guesses of strangers must not lock
    /// anybody out. What protects a token is its length.
    pub(crate) fn bearer(&self, headers: &HeaderMap, caller: Caller, now: Timestamp) -> Bearer {
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some((scheme, token)) = sent.and_then(|value| value.split_once(' ')) else {
            return Bearer::Absent;
        };
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Bearer::Absent;
        }
        match self.checked(token.trim_matches(' '), caller, now) {
            Login::Right => Bearer::Right,
            Login::Wrong => Bearer::Wrong,
            Login::TooMany => Bearer::TooMany,
        }
    }

    /// Checks a token; wrong ones are counted.
    fn checked(&self, token: &str, caller: Caller, now: Timestamp) -> Login {
        if self.is_token(token) {
            return Login::Right;
        }
        if self.guesses.count(caller, now) { Login::Wrong } else { Login::TooMany }
    }

    /// Tells whether the browser that sent `headers` may do things: by its session, or because everybody may.
    pub fn admits(&self, headers: &HeaderMap, now: Timestamp) -> bool {
        let session = Session::of(headers);
        let known = session.and_then(|session| self.sessions().get(&session.digest()).copied());
        self.token.is_none() || known.is_some_and(|until| now < until)
    }

    /// Tells whether one more write is within the limit, and counts it.
    pub fn admits_write(&self, now: Timestamp) -> bool {
        self.writes.count((), now)
    }

    /// Tells whether one more preview, which changes nothing, is within the limit, and counts it.
    pub(crate) fn admits_preview(&self, now: Timestamp) -> bool {
        self.previews.count((), now)
    }

    /// Checks `token`; if it is right, `session` may do things from now on.
    pub(crate) fn log_in(&self, session: &Session, token: &str, caller: Caller, now: Timestamp) -> Login {
        match self.checked(token, caller, now) {
            Login::Right => {}
            wrong @ (Login::Wrong | Login::TooMany) => return wrong,
        }
        let mut sessions = self.sessions();
        sessions.retain(|_, until| now < *until);
        let oldest = sessions.iter().min_by_key(|(_, until)| **until).map(|(digest, _)| *digest);
        if let Some(oldest) = oldest.filter(|_| sessions.len() >= MOST_SESSIONS) {
            sessions.remove(&oldest);
        }
        sessions.insert(session.digest(), now + LASTS);
        Login::Right
    }

    /// Forgets that a session may do things.
    pub(crate) fn log_out(&self, session: &Session) {
        self.sessions().remove(&session.digest());
    }

    /// Returns what a form of this session must carry.
    pub(crate) fn form_token(&self, session: &Session) -> String {
        let mut hash = Sha256::new_with_prefix(self.secret);
        hash.update(session.0.as_bytes());
        hexadecimal(&hash.finalize())
    }

    /// Tells whether a form was made for the session of the one who sent `headers`.
    pub(crate) fn is_own_form(&self, headers: &HeaderMap, form_token: &str) -> bool {
        Session::of(headers).is_some_and(|session| {
            bool::from(self.form_token(&session).as_bytes().ct_eq(form_token.as_bytes()))
        })
    }

    fn is_token(&self, token: &str) -> bool {
        // Digests have one length, so that not even that of the token can be measured.
        let shown: [u8; 32] = Sha256::digest(token).into();
        self.token.is_some_and(|token| bool::from(token.ct_eq(&shown)))
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<[u8; 32], Timestamp>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Makes a session with a name that nobody can guess.
    pub(crate) fn fresh() -> Self {
        Self(hexadecimal(&random()))
    }

    /// Returns the session of the one who sent `headers`.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let name = pairs.find(|(key, _)| *key == COOKIE).map(|(_, name)| name)?;
        (name.len() == 64).then(|| Self(name.to_owned()))
    }

    /// Returns the header that makes a browser remember the session; `is_secure` where it speaks https.
    pub(crate) fn cookie(&self, is_secure: bool) -> HeaderValue {
        let secure = if is_secure { "; Secure" } else { "" };
        let text = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.0);
        HeaderValue::from_str(&text).expect("the name of a session is hexadecimal or came in a header")
    }

    fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    bytes
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
