//! Where a webhook listens.

use std::fmt;

use recrawl_core::address::{AddressClass, literal};
use url::{Host, Url};

use recrawl_core::secret::Secret;

/// The address of a webhook; of a secret one only the host is ever shown.
#[derive(Clone)]
pub(crate) struct WebhookUrl {
    url: Url,
    is_secret: bool,
}

impl WebhookUrl {
    /// Reads an address that anybody may know: `http` or `https`.
    pub(crate) fn open(text: &str) -> Option<Self> {
        Self::read(text, false).filter(|address| matches!(address.url.scheme(), "http" | "https"))
    }

    /// Reads an address that is a secret: `https`, or on this machine, so that nobody reads it on its way.
    pub(crate) fn secret(text: &str) -> Option<Self> {
        let address = Self::read(text, true)?;
        let is_safe = match address.url.scheme() {
            "https" => true,
            "http" => is_this_machine(&address.url.host()?),
            _ => false,
        };
        is_safe.then_some(address)
    }

    fn read(text: &str, is_secret: bool) -> Option<Self> {
        let url = Url::parse(text.trim()).ok()?;
        let is_plain = url.has_host() && url.username().is_empty() && url.password().is_none();
        is_plain.then_some(Self { url, is_secret })
    }

    /// Tells whether it is the address of a cloud's metadata service, to which nothing is ever sent.
    pub(crate) fn is_metadata(&self) -> bool {
        let address = self.url.host_str().and_then(literal);
        address.is_some_and(|address| AddressClass::of(address) == AddressClass::Metadata)
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the address of something below this one.
    pub(crate) fn below(mut self, segments: &[&str]) -> Self {
        if let Ok(mut path) = self.url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        self
    }

    /// Returns the same address as a secret.
    pub(crate) fn hidden(self) -> Self {
        Self { is_secret: true, ..self }
    }

    pub(crate) fn with_parameter(mut self, name: &str, value: &str) -> Self {
        if !self.url.query_pairs().any(|(given, _)| given == name) {
            self.url.query_pairs_mut().append_pair(name, value);
        }
        self
    }

    /// Takes the parts of a secret address out of what a server said.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if !self.is_secret {
            return text.to_owned();
        }
        let segments = self.url.path_segments().into_iter().flatten().chain(self.url.query());
        segments.fold(text.to_owned(), |text, part| Secret::new(part).hide_in(&text))
    }
}

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.is_secret { self.url.host_str().unwrap_or_default() } else { self.url.as_str() };
        write!(formatter, "WebhookUrl({shown})")
    }
}

/// Tells whether a host is the machine that asks.
pub(crate) fn is_this_machine<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref() == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_address_is_encrypted_on_its_way() {
        for (text, open, secret) in [
            ("https://example.org/hook", true, true),
            ("http://example.org/hook", true, false),
            ("http://127.0.0.1:8080/hook", true, true),
            ("http://localhost/hook\n", true, true),
            ("http://[::1]/hook", true, true),
            ("https://user:password@example.org/", false, false),
            ("ftp://example.org/", false, false),
            ("example.org", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (WebhookUrl::open(text).is_some(), WebhookUrl::secret(text).is_some()),
                (open, secret),
                "{text}"
            );
        }
    }

    #[test]
    fn the_metadata_of_a_cloud_is_recognised_in_every_form() {
        for (text, expected) in [
            ("http://169.254.169.254/latest", true),
            ("http://2852039166/", true),
            ("https://[::ffff:169.254.169.254]/", true),
            ("http://168.63.129.16:8080/", true),
            ("http://[fd00:ec2::254]/", true),
            ("http://169.254.169.253/", false),
            ("http://127.0.0.1/", false),
            ("https://hooks.example.org/", false),
        ] {
            assert_eq!(WebhookUrl::open(text).unwrap().is_metadata(), expected, "{text}");
        }
    }

    #[test]
    fn of_a_secret_address_only_the_host_is_shown() {
        let address = WebhookUrl::secret("https://example.org/services/T0123456/abcdef").unwrap();
        assert_eq!(format!("{address:?}"), "WebhookUrl(example.org)");
        assert_eq!(address.hide_in("no such T0123456 abcdef"), "no such [hidden] [hidden]");
    }
}
