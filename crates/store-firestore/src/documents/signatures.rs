//! Where a content leads, what it shows and what it says of itself, as a page and a content have it.

use recrawl_core::model::aspect::{Signature, Signatures};
use serde::{Deserialize, Serialize};

/// Fingerprints of 64 bits, in the signed numbers that Firestore has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignaturesMap {
    links: i64,
    media: i64,
    /// Not in pages, which have it among their details, and not in contents of the first two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    meta: Option<i64>,
}

impl From<Signatures> for SignaturesMap {
    fn from(signatures: Signatures) -> Self {
        Self {
            links: signatures.links.0.cast_signed(),
            media: signatures.media.0.cast_signed(),
            meta: signatures.meta.map(|meta| meta.0.cast_signed()),
        }
    }
}

impl From<SignaturesMap> for Signatures {
    fn from(map: SignaturesMap) -> Self {
        let signature = |number: i64| Signature(number.cast_unsigned());
        Self { links: signature(map.links), media: signature(map.media), meta: map.meta.map(signature) }
    }
}
