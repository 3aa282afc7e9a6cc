//! Looks at a deployment on Google Cloud: does its service work, and may it.
//!
//! * [`service`] judges what the service says of itself with each tick, and clocks. Pure.
//! * [`Google`] asks Google's interfaces what the service cannot say of itself: which image it runs, whether it is called,
//!   what waits, what was logged, and who may do what. It only reads.

mod google;
pub mod service;

pub use google::{Endpoints, Google, Refusal};
