//! Part of Recrawl.

pub mod contract;
pub mod fetcher;
pub mod site;
