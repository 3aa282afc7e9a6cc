//! From where a request came.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;

/// From where a request came, as far as the server says so; all of whom it is not known are one.
///
/// Addresses of a network that is usually given to one household or machine (a /64 of IPv6) are one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Caller(Option<IpAddr>);

impl Caller {
    fn at(address: Option<IpAddr>) -> Self {
        Self(address.map(|address| match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        }))
    }

    /// Returns who sent the request with these parts.
    pub(crate) fn of(parts: &Parts) -> Self {
        let known = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Self::at(known.map(|ConnectInfo(address)| address.ip()))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

#[cfg(test)]
pub(crate) fn caller(address: &str) -> Caller {
    Caller::at(address.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_one_household_is_one_caller() {
        for (one, other, are_one) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
            ("unknown", "nobody", true),
        ] {
            assert_eq!(caller(one) == caller(other), are_one, "{one} {other}");
        }
    }
}
