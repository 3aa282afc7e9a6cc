//! What is read to show a history to people.

use super::{History, StateStore};

/// A history, and a memory for figures that are costly to compute.
pub trait Library: History + StateStore {}

impl<T: History + StateStore + ?Sized> Library for T {}
