//! What a check found.

use std::borrow::Cow;

use serde::Serialize;

/// What was looked at, and what came of it; its JSON form is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub what: Cow<'static, str>,
    /// It is as it should be.
    pub ok: bool,
    /// What was found.
    pub found: String,
    /// What to do, where something is wrong.
    pub advice: Option<String>,
}

impl Finding {
    /// Says that something is as it should be.
    pub fn ok(what: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Self {
        Self { what: what.into(), ok: true, found: found.into(), advice: None }
    }

    /// Says that something is wrong, and what to do.
    pub fn wrong(
        what: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { what: what.into(), ok: false, found: found.into(), advice: Some(advice.into()) }
    }
}
