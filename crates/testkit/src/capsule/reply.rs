//! What a capsule answers, and how the connection ends.

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) bytes: Vec<u8>,
    pub(super) ending: Ending,
}

/// What happens behind the bytes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// TLS says farewell.
    Whole,
    /// The connection is cut.
    Cut,
    /// Nothing more comes, and the connection stays.
    Silence,
    /// The same bytes once more, for ever.
    Endless,
}

impl Reply {
    /// Answers with these bytes, whatever they mean.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), ending: Ending::Whole }
    }

    /// Answers with a status and what it is about, such as `51 Not found`.
    pub fn status(line: &str) -> Self {
        Self::raw(format!("{line}\r\n"))
    }

    /// Answers with a body of this media type.
    pub fn content(media_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self::raw([format!("20 {media_type}\r\n").as_bytes(), body.as_ref()].concat())
    }

    /// Cuts the connection behind the answer, without a farewell.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.ending = Ending::Cut;
        self
    }

    /// Sends nothing behind the answer, and leaves the connection open.
    #[must_use]
    pub fn stalling(mut self) -> Self {
        self.ending = Ending::Silence;
        self
    }

    /// Sends the answer again and again, as long as somebody reads.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.ending = Ending::Endless;
        self
    }
}

impl From<&str> for Reply {
    /// Answers with gemtext.
    fn from(text: &str) -> Self {
        Self::content("text/gemini", text)
    }
}
