//! Holds what is deployed against what it says of itself.
//!
//! `terraform validate` needs the provider, which is a download of its own for every check. These
//! tests need files only: a copy of the schema of the resources in use, and the repository.
//!
//! * [`configuration`]: the blocks of `infra/*.tf`
//! * [`schema`]: which attributes and blocks a resource has
//! * [`references`] and [`resolution`]: what an expression names, and whether it is there
//! * [`values`]: names of topics, services and secrets, evaluated
//! * [`dockerfile`], [`build`], [`document`]: the files beside `infra/`
//! * [`workspace`]: the packages and programs of this repository
//!
//! Every check returns the problems it found as sentences; none is good.

pub mod build;
pub mod configuration;
pub mod dockerfile;
pub mod document;
pub mod references;
pub mod resolution;
pub mod schema;
pub mod values;
pub mod workspace;
