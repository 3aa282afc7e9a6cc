//! The settings as documents.
