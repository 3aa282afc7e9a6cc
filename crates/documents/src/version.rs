//! The version of everything that decides what is read of a document.

/// Differs wherever the same bytes may give another document. Raise it with every change of this crate that can, and with
/// every new version of the interpreter: stored documents are read again before they are compared, and nobody is told of
/// a change.
pub const VERSION: &str = "1";
