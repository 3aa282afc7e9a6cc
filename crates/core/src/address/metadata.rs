//! Where clouds tell their machines their credentials: the addresses, and every way to write IPv4 in IPv6.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Amazon, Google, Microsoft and most others; Amazon's containers; Tencent; Microsoft's wire server; Alibaba; Oracle.
const V4: [[u8; 4]; 7] = [
    [169, 254, 169, 254],
    [169, 254, 170, 2],
    [169, 254, 170, 23],
    [169, 254, 0, 23],
    [168, 63, 129, 16],
    [100, 100, 100, 200],
    [192, 0, 0, 192],
];

/// Amazon, and its containers; Google; Oracle; Scaleway.
const V6: [[u16; 8]; 5] = [
    [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254],
    [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23],
    [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
    [0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe],
    [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42],
];

/// Tells whether an address is one of them, written as itself or within an IPv6 address.
pub(super) fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_metadata_v4(address),
        IpAddr::V6(address) => {
            V6.contains(&address.segments()) || embedded(address).into_iter().any(is_metadata_v4)
        }
    }
}

fn is_metadata_v4(address: Ipv4Addr) -> bool {
    V4.contains(&address.octets())
}

/// Returns every IPv4 address that an IPv6 address may stand for.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bytes = address.octets();
    let at = |places: [usize; 4]| Ipv4Addr::from(places.map(|place| bytes[place]));
    let last = || at([12, 13, 14, 15]);
    match address.segments() {
        // Compatible and mapped (RFC 4291), translated (RFC 2765), ISATAP behind any prefix (RFC 5214).
        [0, 0, 0, 0, 0, 0 | 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, ..] => vec![last()],
        // NAT64 (RFC 6052), and its prefixes for local use (RFC 8215): one may be of any of six lengths.
        [0x64, 0xff9b, ..] => vec![
            last(),
            at([9, 10, 11, 12]),
            at([7, 9, 10, 11]),
            at([6, 7, 9, 10]),
            at([5, 6, 7, 9]),
            at([4, 5, 6, 7]),
        ],
        // Both ends of a Teredo tunnel (RFC 4380), the one of the client inverted.
        [0x2001, 0, ..] => vec![at([4, 5, 6, 7]), Ipv4Addr::from_bits(!last().to_bits())],
        // 6to4 (RFC 3056).
        [0x2002, ..] => vec![at([2, 3, 4, 5])],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_of_clouds_is_recognised_in_every_disguise() {
        let inside = "::169.254.169.254 ::ffff:169.254.169.254 ::ffff:0:169.254.169.254 ::ffff:168.63.129.16 \
            ::ffff:100.100.100.200 64:ff9b::169.254.169.254 64:ff9b::a83f:8110 64:ff9b:1::169.254.169.254 \
            64:ff9b:1:a9fe:a9:fe00:: 64:ff9b:1:a9:fe:a9fe:: 64:ff9b:1:ff:a9:fea9:fe00:0 64:ff9b:a9fe:a9fe:: \
            64:ff9b:64:6464:c8:: 2002:a9fe:a9fe:: 2002:a83f:8110::1 2002:6464:64c8::1 2001:0:a9fe:a9fe::1 \
            2001:0:808:808::5601:5601 fe80::5efe:a9fe:a9fe 2606::200:5efe:a83f:8110 fd00:ec2::254 fd20:ce::254 \
            fd00:c1::a9fe:a9fe 169.254.170.2 169.254.170.23 169.254.0.23 192.0.0.192";
        for address in inside.split_whitespace() {
            assert!(is_metadata(address.parse().unwrap()), "{address}");
        }
        let others = "169.254.169.253 168.63.129.17 100.100.100.201 fd00:ec2::255 ::ffff:169.254.169.253 \
            2002:a9fe:a9ff:: 64:ff9b::808:808 2606:4700::a9fe:a9fe 8.8.8.8 ::1 127.0.0.1";
        for address in others.split_whitespace() {
            assert!(!is_metadata(address.parse().unwrap()), "{address}");
        }
    }
}
