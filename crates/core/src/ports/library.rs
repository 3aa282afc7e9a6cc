//! What is read to show a history to people.

use super::{History, Memos};

/// A history, and a memory for figures that are costly to compute.
pub trait Library: History + Memos {}

impl<T: History + Memos + ?Sized> Library for T {}
