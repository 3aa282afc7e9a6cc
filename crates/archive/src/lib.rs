//! Asks the Wayback Machine to archive pages, at its pace.
//!
//! [`ArchiveWorker`] carries out archive requests with [`SavePageNow`], and keeps what becomes of them with the
//! records of their pages. What an answer means and what follows from it are functions of their arguments:
//! [`codes`], [`answer`] and [`retry`].
//!
//! # One capture a change
//! A request may come twice, at the same time or after the death of the process that had it. The job is
//! saved as soon as it is known, and a later call watches the same job. A call that died before that submits
//! again, and says that any capture since the change was seen will do: then the service makes no second one.

pub mod answer;
mod archive_worker;
pub mod codes;
mod error;
mod keys;
mod pace;
pub mod retry;
mod service;

pub use archive_worker::{ArchiveOutcome, ArchiveWorker, DrainOptions, Drained};
pub use error::{ArchiveError, ServiceError, SetupError};
pub use keys::{BadKeys, Keys};
pub use pace::PaceSettings;
pub use service::{SavePageNow, SavePageNowSettings, Wire};
