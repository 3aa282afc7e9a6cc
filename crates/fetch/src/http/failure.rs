//! Why a request failed, in words.

use std::error::Error;
use std::time::Duration;

use recrawl_core::ports::Source;

use super::BuildError;
use crate::decode::DecodeError;
use crate::guard::{Forbidden, GuardError};
use crate::transport::TransportError;

/// Words a failure of the client; a refusal of the guard may hide in it.
pub(crate) fn of_client(error: reqwest::Error) -> TransportError {
    // The caller knows the address, and it may hold what no log should.
    let error = error.without_url();
    if let Some(forbidden) = forbidden_in(&error) {
        return TransportError::Refused(forbidden.to_string());
    }
    let during = match (error.is_connect(), error.is_timeout()) {
        (true, true) => "cannot connect in time",
        (true, false) => "cannot connect",
        (false, true) => "the server sends nothing",
        (false, false) => "the connection broke",
    };
    let reason = format!("{during}: {}", innermost(&error));
    let is_unreachable = error.is_connect();
    let source: Option<Source> = Some(Box::new(error));
    if is_unreachable {
        TransportError::Unreachable { reason, source }
    } else {
        TransportError::Broken { reason, source }
    }
}

/// Words a refusal before the request.
#[expect(clippy::needless_pass_by_value, reason = "it is what a failed step gives")]
pub(crate) fn of_guard(forbidden: Forbidden) -> TransportError {
    TransportError::Refused(forbidden.to_string())
}

/// Words that there is no client for an address; nothing was asked of its host.
pub(crate) fn of_set_up(error: &BuildError) -> TransportError {
    TransportError::Refused(format!("{error}: {}", innermost(error)))
}

/// Words a body that cannot be decoded.
pub(crate) fn of_decoder(error: DecodeError) -> TransportError {
    TransportError::Unreadable { reason: error.to_string(), source: Some(Box::new(error)) }
}

/// Words an answer that took too long as a whole.
pub(crate) fn too_slow(total: Duration) -> TransportError {
    TransportError::Broken { reason: format!("no whole answer within {total:?}"), source: None }
}

fn forbidden_in<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Forbidden> {
    causes(error).find_map(|cause| match cause.downcast_ref::<GuardError>()? {
        GuardError::Forbidden(forbidden) => Some(forbidden),
        GuardError::Lookup(_) => None,
    })
}

fn innermost(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}
