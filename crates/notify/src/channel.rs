//! The ways by which targets are reached.

mod email;
mod file;
mod post;
mod resolver;

use std::time::Duration;

use recrawl_core::ports::StoreError;
use recrawl_core::secret::Secret;
use thiserror::Error;

pub(crate) use self::email::{Email, Server};
pub(crate) use self::file::File;
pub(crate) use self::post::{Hook, Poster};
use crate::figures::counted;
use crate::format;
use crate::notification::Notification;
use crate::retry::RetryLimits;
use crate::target::TargetName;

/// Why a target was not told.
#[derive(Debug, Error)]
pub enum SendError {
    /// It does not want to be: asking again helps nothing, a person has to do something.
    #[error("refused: {0}")]
    Refused(String),
    /// It could not be; a later call may succeed.
    #[error("given up after {}: {what}", counted(u64::from(*attempts), "attempt"))]
    Trouble {
        /// How often it was tried.
        attempts: u32,
        /// What went wrong the last time, in words.
        what: String,
        /// How long it wants to be left alone, where it says so.
        wait: Option<Duration>,
    },
    /// Whether it was told before cannot be found out, so it was not told.
    #[error("it is not known whether it was told before")]
    Memory(#[source] StoreError),
}

/// A way by which a target is reached.
#[derive(Debug)]
pub(crate) enum Channel {
    Webhook(Hook),
    Slack(Hook),
    Discord(Hook),
    Teams(Hook),
    /// The chat stands beside the address.
    Telegram(Hook, String),
    Matrix(Hook),
    /// The topic stands beside the address.
    Ntfy(Hook, Secret),
    /// The labels stand beside the address.
    GithubIssue(Hook, Vec<String>),
    Email(Email),
    Markdown(File),
}

impl Channel {
    /// Sends a notification; returns after how many attempts it was taken.
    pub(crate) async fn send(
        &self,
        notification: &Notification<'_>,
        target: &TargetName,
        patience: &RetryLimits,
    ) -> Result<u32, SendError> {
        let id = notification.id(target);
        match self {
            Self::Webhook(hook) => hook.post(format::json::write(notification, id), id, patience).await,
            Self::Slack(hook) => {
                hook.post(format::slack::write(notification).to_string(), id, patience).await
            }
            Self::Discord(hook) => {
                hook.post(format::discord::write(notification).to_string(), id, patience).await
            }
            Self::Teams(hook) => {
                hook.post(format::teams::write(notification).to_string(), id, patience).await
            }
            Self::Telegram(hook, chat) => {
                hook.post(format::telegram::write(notification, chat).to_string(), id, patience).await
            }
            Self::Matrix(hook) => {
                hook.put(format::matrix::write(notification).to_string(), id, patience).await
            }
            Self::Ntfy(hook, topic) => {
                let message = format::ntfy::write(notification, topic.expose());
                hook.post(message.to_string(), id, patience).await
            }
            Self::GithubIssue(hook, labels) => {
                hook.post(format::github_issue::write(notification, labels).to_string(), id, patience).await
            }
            Self::Email(email) => email.send(notification, id, patience).await,
            Self::Markdown(file) => file.write(notification, target).await,
        }
    }
}
