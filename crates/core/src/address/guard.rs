//! SSRF: which addresses a request may connect to. This is the one place where private addresses are refused.
//!
//! Pages, robots.txt, sitemaps and webhooks ask here whenever they connect, with the very addresses that they connect to:
//! a name may lead to another address tomorrow (DNS rebinding), and that is decided by whoever owns the name.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use super::AddressClass;

/// How far a request may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses: for whatever the web leads to.
    Public,
    /// Addresses inside, too: for a host of which the user said so.
    Inside,
    /// Everything but the metadata service of a cloud: for webhooks, which whoever runs the program named.
    AllButMetadata,
}

/// Decides which of the addresses of a host may be connected to; none, where there was none.
///
/// The metadata service of a cloud is never connected to. Of a name that has public and other addresses only the public
/// ones are used, unless all are admitted. A name may stand for this machine and its networks where the request may
/// reach inside; an address that the URL itself holds may also be of the nearest network or a special one.
pub fn admitted(host: &str, found: &[IpAddr], reach: Reach) -> Result<Vec<IpAddr>, Forbidden> {
    let of_class = |admits: fn(AddressClass) -> bool| -> Vec<IpAddr> {
        found.iter().copied().filter(|address| admits(AddressClass::of(*address))).collect()
    };
    let public = of_class(|class| class == AddressClass::Public);
    let is_literal = found.first().is_some_and(|address| is_the_address(host, *address));
    let admitted = match reach {
        Reach::Inside if public.is_empty() && !is_literal => of_class(AddressClass::can_have_a_name),
        Reach::Inside if is_literal => of_class(|class| class != AddressClass::Metadata),
        Reach::Inside | Reach::Public => public,
        Reach::AllButMetadata => of_class(|class| class != AddressClass::Metadata),
    };
    match found.first().filter(|_| admitted.is_empty()) {
        Some(address) => Err(Forbidden { host: host.to_owned(), address: *address, was_named: false }),
        None => Ok(admitted),
    }
}

/// Tells whether a host, as it stands in a URL with or without its port, is this address and no name.
fn is_the_address(host: &str, address: IpAddr) -> bool {
    let bare = match host.strip_prefix('[') {
        Some(in_brackets) => in_brackets.split(']').next(),
        None => host.split(':').next(),
    };
    bare.and_then(|bare| bare.parse().ok()) == Some(address)
}

/// Why an address is not connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    host: String,
    address: IpAddr,
    /// Whether the user named the host, by a name.
    was_named: bool,
}

impl Forbidden {
    /// Sets whether the user named the host, by a name.
    #[must_use]
    pub fn of_named_host(self, was_named: bool) -> Self {
        Self { was_named, ..self }
    }

    /// Returns where the host leads, in words, without what follows from it.
    pub fn reason(&self) -> String {
        let Self { host, address, was_named } = self;
        let class = AddressClass::of(*address);
        match (is_the_address(host, *address), was_named) {
            (true, _) => format!("{host} is {class}"),
            (false, false) => format!("{host} leads to {address}, {class}"),
            (false, true) => format!("{host} now leads to {address}, {class}"),
        }
    }
}

impl Error for Forbidden {}

impl fmt::Display for Forbidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason())?;
        let class = AddressClass::of(self.address);
        if class == AddressClass::Metadata {
            return formatter.write_str("; it is never visited");
        }
        formatter.write_str("; it was not visited")?;
        if self.was_named && class.can_have_a_name() {
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
            let forbidden = Forbidden { host: host.to_owned(), address: address.parse().unwrap(), was_named };
            assert_eq!(forbidden.to_string(), words);
        }
    }

    #[test]
    fn what_is_admitted_follows_from_the_class_of_an_address_and_the_reach() {
        use Reach::{AllButMetadata, Inside, Public};
        for (host, found, reach, expected) in [
            ("a.example", vec!["8.8.8.8"], Public, Some(vec!["8.8.8.8"])),
            ("a.example", vec!["10.0.0.1", "8.8.8.8", "::1"], Public, Some(vec!["8.8.8.8"])),
            ("a.example", vec!["10.0.0.1"], Public, None),
            ("a.example", vec!["10.0.0.1", "8.8.8.8"], Inside, Some(vec!["8.8.8.8"])),
            ("a.example", vec!["10.0.0.1", "127.0.0.1"], Inside, Some(vec!["10.0.0.1", "127.0.0.1"])),
            ("a.example", vec!["169.254.0.1"], Inside, None),
            ("a.example", vec!["169.254.169.254"], Inside, None),
            ("a.example", vec![], Inside, Some(vec![])),
            ("8.8.8.8", vec!["8.8.8.8"], Public, Some(vec!["8.8.8.8"])),
            ("10.0.0.1:81", vec!["10.0.0.1"], Public, None),
            ("10.0.0.1:81", vec!["10.0.0.1"], Inside, Some(vec!["10.0.0.1"])),
            ("169.254.0.1", vec!["169.254.0.1"], Inside, Some(vec!["169.254.0.1"])),
            ("[fe80::1]:81", vec!["fe80::1"], Inside, Some(vec!["fe80::1"])),
            ("169.254.169.254", vec!["169.254.169.254"], Inside, None),
            ("169.254.0.1.a.example", vec!["169.254.0.1"], Inside, None),
            ("a.example", vec!["10.0.0.1", "8.8.8.8"], AllButMetadata, Some(vec!["10.0.0.1", "8.8.8.8"])),
            ("a.example", vec!["169.254.169.254", "8.8.8.8"], AllButMetadata, Some(vec!["8.8.8.8"])),
            ("a.example", vec!["::ffff:169.254.169.254", "fd00:ec2::254"], AllButMetadata, None),
            ("a.example", vec![], AllButMetadata, Some(vec![])),
        ] {
            let parse = |addresses: &[&str]| -> Vec<IpAddr> {
                addresses.iter().map(|address| address.parse().unwrap()).collect()
            };
            let expected = expected.map(|expected| parse(&expected));
            assert_eq!(admitted(host, &parse(&found), reach).ok(), expected, "{host} {found:?} {reach:?}");
        }
    }
}
