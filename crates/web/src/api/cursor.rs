//! Places in lists, in a form that nobody should look into.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::WebError;

/// Writes a place down.
pub(super) fn write(place: &impl Serialize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_string(place).unwrap_or_default())
}

/// Reads a place that [`write`] wrote down.
pub(super) fn read<T: DeserializeOwned>(cursor: &str) -> Result<T, WebError> {
    let place = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    place.ok_or_else(|| WebError::Invalid("the cursor is none that this API gave".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_others_are_refused() {
        let place = ("news".to_owned(), "https://example.org/é".to_owned());
        assert_eq!(read::<(String, String)>(&write(&place)).unwrap(), place);
        for cursor in ["", "x", "bm90IGpzb24", &write(&1)] {
            assert!(read::<(String, String)>(cursor).is_err(), "{cursor}");
        }
    }
}
