//! Delivery of one crawl: tells every target once (idempotency).

use std::fmt;

use futures_util::future::join_all;
use jiff::Timestamp;
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};

use crate::channel::SendError;
use crate::notification::Stage;
use crate::retry::RetryLimits;
use crate::selection::Silence;
use crate::target::{Target, TargetName};
use recrawl_reports::Digest;

/// What became of telling one target.
#[derive(Debug)]
pub struct Delivery {
    /// The target.
    pub target: TargetName,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of telling a target.
#[derive(Debug)]
pub enum Outcome {
    /// It was told, at this attempt.
    Told {
        /// How many attempts it took.
        attempts: u32,
    },
    /// It was told, and that cannot be remembered: a later call will tell it again, under the same id.
    Unremembered(StoreError),
    /// It was told by an earlier call.
    Already,
    /// There was nothing to tell it.
    Silent(Silence),
    /// It could not be told; a later call tries again.
    Failed(SendError),
}

impl fmt::Display for Delivery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::write(formatter, &self.target, &self.outcome)
    }
}

impl Delivery {
    /// Writes what became of telling `target`.
    pub(crate) fn write(
        formatter: &mut fmt::Formatter<'_>,
        target: &TargetName,
        outcome: &Outcome,
    ) -> fmt::Result {
        write!(formatter, "{target}: ")?;
        match outcome {
            Outcome::Told { attempts: 1 } => formatter.write_str("told"),
            Outcome::Told { attempts } => write!(formatter, "told at attempt {attempts}"),
            Outcome::Unremembered(error) => {
                write!(formatter, "told, but that could not be noted ({error}), so it may be told again")
            }
            Outcome::Already => formatter.write_str("told before"),
            Outcome::Silent(silence) => write!(formatter, "not told, because {silence}"),
            Outcome::Failed(error) => write!(formatter, "not told: {error}"),
        }
    }
}

/// Tells `digest` to all `targets` at the same time, each once a crawl; returns what became of it, in their order.
///
/// It never fails: what goes wrong with one target hurts neither the others nor the crawl. It takes as long as the
/// slowest target, which [`RetryLimits`](crate::RetryLimits) bounds. A digest that is a test is not remembered.
pub async fn deliver(targets: &[Target], digest: &Digest, state_store: &dyn StateStore) -> Vec<Delivery> {
    let targets: Vec<&Target> = targets.iter().collect();
    deliver_to(&targets, digest, state_store, None).await
}

/// As [`deliver`], with this many attempts where a number is given.
pub(crate) async fn deliver_to(
    targets: &[&Target],
    digest: &Digest,
    state_store: &dyn StateStore,
    attempts: Option<u32>,
) -> Vec<Delivery> {
    let outcomes = join_all(targets.iter().map(|&target| {
        let patience =
            RetryLimits { attempts: attempts.unwrap_or(target.patience.attempts), ..target.patience };
        tell(target, digest, state_store, patience)
    }));
    let outcomes = outcomes.await;
    let named = targets.iter().map(|target| target.name.clone());
    named.zip(outcomes).map(|(target, outcome)| Delivery { target, outcome }).collect()
}

async fn tell(
    target: &Target,
    digest: &Digest,
    state_store: &dyn StateStore,
    patience: RetryLimits,
) -> Outcome {
    let notification = match target.selection.notification(digest, target.web.as_ref()) {
        Ok(notification) => notification,
        Err(silence) => return Outcome::Silent(silence),
    };
    let key = StateKey::notified(&target.name, &digest.site, digest.crawl);
    match was_notified(state_store, &key, notification.stage).await {
        Ok(false) => {}
        Ok(true) => return Outcome::Already,
        Err(error) => return Outcome::Failed(SendError::Memory(error)),
    }
    let attempts = match target.channel.send(&notification, &target.name, &patience).await {
        Ok(attempts) => attempts,
        Err(error) => return Outcome::Failed(error),
    };
    match remember(state_store, &key, notification.stage).await {
        Ok(()) => Outcome::Told { attempts },
        Err(error) => Outcome::Unremembered(error),
    }
}

/// Tells whether a notification of this stage, or a later one, was delivered.
pub(crate) async fn was_notified(
    state_store: &dyn StateStore,
    key: &StateKey,
    stage: Stage,
) -> Result<bool, StoreError> {
    let told: &[Stage] = match stage {
        Stage::Test => return Ok(false),
        Stage::Warning => &[Stage::Warning, Stage::Findings],
        Stage::Findings | Stage::Digest => &[Stage::Findings],
    };
    let memo = state_store.state(key).await?;
    Ok(memo.is_some_and(|memo| told.iter().any(|stage| stage.word() == memo.value)))
}

pub(crate) async fn remember(
    state_store: &dyn StateStore,
    key: &StateKey,
    stage: Stage,
) -> Result<(), StoreError> {
    match stage {
        Stage::Test => Ok(()),
        Stage::Findings | Stage::Warning | Stage::Digest => {
            let memo = StateEntry { saved_at: Timestamp::now(), value: stage.word().to_owned() };
            state_store.save_state(key, &memo).await
        }
    }
}
