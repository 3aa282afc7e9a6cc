//! Where a content leads and what it shows, as a page and a content have it.

use recrawl_core::model::aspect::{Signature, Signatures};
use serde::{Deserialize, Serialize};

/// Fingerprints of 64 bits, in the signed numbers that Firestore has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignaturesMap {
    links: i64,
    media: i64,
}

impl From<Signatures> for SignaturesMap {
    fn from(signatures: Signatures) -> Self {
        Self { links: signatures.links.0.cast_signed(), media: signatures.media.0.cast_signed() }
    }
}

impl From<SignaturesMap> for Signatures {
    fn from(map: SignaturesMap) -> Self {
        Self { links: Signature(map.links.cast_unsigned()), media: Signature(map.media.cast_unsigned()) }
    }
}
