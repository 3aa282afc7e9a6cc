//! Where the server listens, as people write it.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// The port where none is named.
const PORT: u16 = 8910;

/// Where to listen: an address of this machine or a name of it, and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listen {
    host: Host,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    Name(String),
}

impl Listen {
    /// Returns the addresses that are meant: one, or those of a name.
    pub(super) fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        match &self.host {
            Host::Address(address) => Ok(vec![SocketAddr::new(*address, self.port)]),
            Host::Name(name) => Ok((name.as_str(), self.port).to_socket_addrs()?.collect()),
        }
    }
}

/// Returns the address at which a browser on this machine reaches a listener: one that listens everywhere names none.
pub(super) fn reached_at(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

impl fmt::Display for Listen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Address(address) => SocketAddr::new(*address, self.port).fmt(formatter),
            Host::Name(name) => write!(formatter, "{name}:{}", self.port),
        }
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let on_this_machine = Host::Address(Ipv4Addr::LOCALHOST.into());
        if let Ok(port) = text.parse() {
            return Ok(Self { host: on_this_machine, port });
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Self { host: Host::Address(address.ip()), port: address.port() });
        }
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = bare.parse() {
            return Ok(Self { host: Host::Address(address), port: PORT });
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) => (name, port.parse().ok()),
            None => (text, Some(PORT)),
        };
        match (name, port) {
            ("", Some(port)) if !text.is_empty() => {
                Err(format!("write {port} for this machine alone, or 0.0.0.0:{port} for all of its networks"))
            }
            (name, Some(port)) if name.eq_ignore_ascii_case("localhost") => {
                Ok(Self { host: on_this_machine, port })
            }
            (name, Some(port)) if is_name(name) => Ok(Self { host: Host::Name(name.to_owned()), port }),
            _ => Err("write a port such as 8910, or an address with one such as localhost:8910".to_owned()),
        }
    }
}

/// Tells whether this can be the name of a machine.
fn is_name(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_letter && text.bytes().all(is_sign) && !text.starts_with(['-', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_an_address_and_a_name_say_where_to_listen() {
        for (text, expected) in [
            ("8957", "127.0.0.1:8957"),
            ("0", "127.0.0.1:0"),
            ("localhost:8957", "127.0.0.1:8957"),
            ("LocalHost", "127.0.0.1:8910"),
            ("127.0.0.2", "127.0.0.2:8910"),
            ("127.0.0.2:1", "127.0.0.2:1"),
            ("0.0.0.0:8957", "0.0.0.0:8957"),
            ("::1", "[::1]:8910"),
            ("[::1]", "[::1]:8910"),
            ("[::1]:8957", "[::1]:8957"),
            ("my-desk.example:80", "my-desk.example:80"),
        ] {
            assert_eq!(
                text.parse::<Listen>().map(|listen| listen.to_string()).as_deref(),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn what_says_nothing_is_refused_with_what_to_write() {
        for (text, expected) in [
            ("", "such as 8910"),
            (":8957", "write 8957 for this machine alone"),
            ("99999", "such as 8910"),
            ("localhost:99999", "such as 8910"),
            ("localhost:", "such as 8910"),
            ("http://localhost:8957/", "such as 8910"),
            ("1.2.3.4.5:80", "such as 8910"),
            ("my desk:80", "such as 8910"),
        ] {
            let refused = text.parse::<Listen>().unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }

    #[test]
    fn people_are_told_an_address_that_they_can_open() {
        for (listening, expected) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.168.0.2:80", "192.168.0.2:80")]
        {
            assert_eq!(reached_at(listening.parse().unwrap()).to_string(), expected);
        }
    }
}
