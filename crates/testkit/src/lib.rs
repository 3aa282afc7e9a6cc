//! Part of Recrawl.

pub mod capsule;
pub mod contract;
pub mod documents;
pub mod faulty_store;
pub mod fetcher;
pub mod log;
pub mod planted;
pub mod save_page_now;
pub mod site;
