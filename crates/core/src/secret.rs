//! Secrets: what must not be seen in logs, errors and settings.

use std::fmt;

/// Anything shorter is no secret, and would be found in every other word.
const SHORTEST: usize = 6;

/// A text that is shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, for the one who must have it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Takes the secret out of what a server said.
    pub fn hide_in(&self, text: &str) -> String {
        if self.0.len() < SHORTEST { text.to_owned() } else { text.replace(&self.0, "[hidden]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("hush-hush");
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        assert_eq!(secret.hide_in("you sent hush-hush!"), "you sent [hidden]!");
        assert_eq!(Secret::new("a").hide_in("a cat"), "a cat");
    }
}
