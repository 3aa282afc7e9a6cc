//! Fingerprints as 16 hexadecimal digits: JSON has no numbers of 64 bits.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes a number.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:016x}"))
}

/// Reads a number.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    u64::from_str_radix(&String::deserialize(deserializer)?, 16).map_err(D::Error::custom)
}
