//! Why an address is not connected to, in words.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use recrawl_core::address::AddressClass;

/// Why an address is not connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    host: String,
    address: IpAddr,
    /// Whether the user named the host, by a name.
    was_named: bool,
}

impl Forbidden {
    pub(super) fn new(host: &str, address: IpAddr, was_named: bool) -> Self {
        Self { host: host.to_owned(), address, was_named }
    }
}

impl Error for Forbidden {}

impl fmt::Display for Forbidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, address, was_named } = self;
        let class = AddressClass::of(*address);
        let is_the_address = host.starts_with('[') || host.starts_with(&address.to_string());
        match (is_the_address, was_named) {
            (true, _) => write!(formatter, "{host} is {class}")?,
            (false, false) => write!(formatter, "{host} leads to {address}, {class}")?,
            (false, true) => write!(formatter, "{host} now leads to {address}, {class}")?,
        }
        if class == AddressClass::Metadata {
            return formatter.write_str("; it is never visited");
        }
        formatter.write_str("; it was not visited")?;
        if *was_named && class.can_have_a_name() {
            formatter.write_str(". If that is meant, set allow-private = true")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_where_the_host_leads_and_what_to_do() {
        for (host, address, was_named, words) in [
            (
                "www.example.org",
                "127.0.0.1",
                true,
                "www.example.org now leads to 127.0.0.1, an address inside this network; it was not visited. \
                 If that is meant, set allow-private = true",
            ),
            (
                "other.example",
                "10.0.0.5",
                false,
                "other.example leads to 10.0.0.5, an address inside this network; it was not visited",
            ),
            (
                "10.0.0.5:22",
                "10.0.0.5",
                false,
                "10.0.0.5:22 is an address inside this network; it was not visited",
            ),
            ("[::1]", "::1", false, "[::1] is an address inside this network; it was not visited"),
            (
                "a.example",
                "192.0.2.1",
                true,
                "a.example now leads to 192.0.2.1, an address that no public page has; it was not visited",
            ),
            (
                "a.example",
                "169.254.169.254",
                true,
                "a.example now leads to 169.254.169.254, an address where a cloud keeps the credentials of its \
                 machines; it is never visited",
            ),
        ] {
            let forbidden = Forbidden::new(host, address.parse().unwrap(), was_named);
            assert_eq!(forbidden.to_string(), words);
        }
    }
}
