//! IP addresses (SSRF): which class an address has, which hosts a person means to be inside, and in [`admitted`] which
//! addresses a request may connect to.
//!
//! One table for everything that connects somewhere: pages, robots.txt, sitemaps, webhooks.

mod guard;
mod metadata;

pub use self::guard::{Forbidden, Reach, admitted};

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressClass {
    /// Anybody can reach it.
    Public,
    /// This machine.
    Loopback,
    /// A network of one's own: RFC 1918, carrier NAT, unique-local and site-local IPv6.
    Private,
    /// The nearest network.
    LinkLocal,
    /// Nothing one fetches pages from: multicast, reserved, documentation, or another address in
    /// disguise.
    Special,
    /// Where a cloud tells its machines their credentials, in any disguise. Nobody means to connect there.
    Metadata,
}

impl AddressClass {
    /// Returns the class of an address.
    pub fn of(address: IpAddr) -> Self {
        if metadata::is_metadata(address) {
            return Self::Metadata;
        }
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }

    /// Tells whether a name that a person meant to be inside may stand for such an address.
    pub const fn can_have_a_name(self) -> bool {
        match self {
            Self::Public | Self::Loopback | Self::Private => true,
            Self::LinkLocal | Self::Special | Self::Metadata => false,
        }
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback | Self::Private | Self::LinkLocal => "an address inside this network",
            Self::Special => "an address that no public page has",
            Self::Metadata => "an address where a cloud keeps the credentials of its machines",
        })
    }
}

/// Tells whether whoever wrote `host`, as it stands in an address, means a place inside: an IP address, `localhost`
/// and names below it, and names below `local`.
///
/// What a name resolves to does not count: that is decided by whoever owns the name, and may be another thing
/// tomorrow.
pub fn is_written_as_inside(host: &str) -> bool {
    if literal(host).is_some() {
        return true;
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    match name.rsplit_once('.') {
        Some((_, top)) => matches!(top, "localhost" | "local"),
        None => name == "localhost",
    }
}

/// Reads a host that is an address and no name, as it stands in a URL: IPv6 has brackets there.
pub fn literal(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    bare.parse().ok()
}

fn of_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        [127, ..] => AddressClass::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => AddressClass::Private,
        [169, 254, ..] => AddressClass::LinkLocal,
        // This network, protocol assignments, documentation, 6to4 relays, benchmarks, multicast and
        // everything above.
        [0 | 224..=255, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => AddressClass::Special,
        _ => AddressClass::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressClass {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressClass::Loopback,
        // Both ends of a Teredo tunnel (RFC 4380), the one of the client inverted.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            innermost(embedded(server_high, server_low), embedded(!high, !low))
        }
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => AddressClass::Private,
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        // Benchmarks, ORCHID, documentation and the other assignments of 2001::/23.
        [0x2001, 1..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressClass::Special,
        // 6to4 (RFC 3056), and ISATAP behind any prefix (RFC 5214).
        [0x2002, high, low, ..] | [0x2000..=0x3fff, _, _, _, 0 | 0x200, 0x5efe, high, low] => {
            embedded(high, low)
        }
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        // Only 2000::/3 is given out. Among the rest are the unspecified address, multicast, and IPv4 in
        // disguise: compatible, mapped, translated, NAT64.
        _ => AddressClass::Special,
    }
}

fn embedded(high: u16, low: u16) -> AddressClass {
    let ([first, second], [third, fourth]) = (high.to_be_bytes(), low.to_be_bytes());
    of_v4(Ipv4Addr::new(first, second, third, fourth))
}

fn innermost(one: AddressClass, other: AddressClass) -> AddressClass {
    if one == AddressClass::Public { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_class() {
        use AddressClass::{LinkLocal, Loopback, Metadata, Private, Public, Special};
        for (class, addresses) in [
            (
                Public,
                "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.0.0.1 128.0.0.1 \
                 168.63.129.15 168.63.129.17 169.253.0.1 169.255.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.167.0.1 \
                 192.169.0.1 198.17.0.1 198.20.0.1 198.51.99.1 203.0.112.1 223.255.255.255 2606:4700::1111 \
                 2a00:1450:4001:80b::200e 2001:4860:4860::8888 2002:808:808::1 2001:200::1 3ffe::1",
            ),
            (Loopback, "127.0.0.1 127.255.255.255 127.1.2.3 ::1 2002:7f00:1::"),
            (
                Private,
                "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 \
                 100.64.0.0 100.100.100.199 100.127.255.255 fc00:: fd00:ec2::253 fdff:ffff::1 fec0::1 feff::1 \
                 2002:a00:1:: 2001:0:a00:1::1 2001:0:808:808::f5ff:fffe 2606::5efe:a00:1 2606::200:5efe:a00:1",
            ),
            (LinkLocal, "169.254.0.0 169.254.169.253 169.254.255.255 fe80::1 febf::1 2002:a9fe:a9fd::"),
            (
                Special,
                "0.0.0.0 0.1.2.3 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 \
                 203.0.113.255 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::7f00:1 ::808:808 \
                 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808 \
                 64:ff9b:1::1 100::1 2001:2::1 2001:db8::1 3fff::1 ff02::1 ff0e::1 4000::1 e000::1",
            ),
            (Metadata, "168.63.129.16 100.100.100.200 169.254.169.254 fd00:ec2::254"),
        ] {
            for address in addresses.split_whitespace() {
                assert_eq!(AddressClass::of(address.parse().unwrap()), class, "{address}");
            }
        }
    }

    #[test]
    fn a_host_is_inside_by_how_it_is_written() {
        for (host, inside) in [
            ("127.0.0.1", true),
            ("8.8.8.8", true),
            ("[::1]", true),
            ("[2606:4700::1111]", true),
            ("localhost", true),
            ("localhost.", true),
            ("LOCALHOST", true),
            ("a.b.localhost", true),
            ("printer.local", true),
            ("printer.local.", true),
            ("intranet", false),
            ("local", false),
            ("www.example.org", false),
            ("localhost.example.org", false),
            ("notlocalhost", false),
            ("example.notlocal", false),
            ("10.0.0.1.example.org", false),
            ("", false),
        ] {
            assert_eq!(is_written_as_inside(host), inside, "{host}");
        }
    }
}
