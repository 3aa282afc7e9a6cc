//! Tells people and programs what a crawl found, once it is closed.
//!
//! A [`Digest`] is read from the store, one a crawl. [`deliver`] tells it to every [`Target`]: each picks what it
//! wants to hear ([`settings::SelectionSettings`]), and is told once a crawl, by a webhook, a chat, an e-mail, an issue or
//! a Markdown file. What is written is a function of the digest ([`mod@format`]); what a failed attempt is
//! followed by is one, too ([`retry`]).
//!
//! # Every crawl is told
//! Whom a crawl is to be told is noted before it is closed ([`note`]), one memo a target, and a [`Round`] makes the
//! deliveries that wait: also those that an earlier process did not get to, or that failed. What fails is tried again
//! after a while, and given up after a week ([`Pending`]).
//!
//! # Nobody is told twice
//! What was delivered is remembered, so that a later call tells nothing again. A process that dies between
//! telling and remembering tells again under the same id, which a webhook sees as its `Idempotency-Key` and a
//! mail reader as its `Message-ID`.
//!
//! # Digests
//! A target with a schedule is told everything that waits for it together, over all its sites, when a time of its schedule
//! has come. [`Round::preview`] shows what would be told.
//!
//! # Text of strangers
//! Titles, addresses and differences come from the web. Each format escapes them as its reader needs it, so that
//! none of them makes a link, a mention, a header or a sequence for a terminal.

mod channel;
mod delivery;
mod digests;
mod figures;
pub mod format;
mod notification;
mod outbox;
mod pending;
mod preview;
pub mod retry;
mod selection;
pub mod settings;
mod target;
mod text;
mod webhook_url;

pub use channel::SendError;
pub use delivery::{Delivery, Outcome, deliver};
pub use notification::{Look, Notification, NotificationId, Part, Stage, Together};
pub use outbox::{Fate, Report, Round, Which, follow, is_anything_due, note, pending};
pub use pending::{Failure, Occasion, Pending, Retry};
pub use preview::Preview;
pub use recrawl_reports::{BriefDifference, ChangeEntry, Digest, DigestDetail};
pub use retry::RetryLimits;
pub use selection::{SelectionError, Silence};
pub use settings::TargetSettings;
pub use target::{Problem, Setup, SetupError, Target, TargetName, Timing, target_of_site, targets, timing};
