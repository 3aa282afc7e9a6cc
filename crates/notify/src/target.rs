//! Targets: who is told, checked before anything is.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use lettre::message::Mailbox;
use recrawl_core::ports::Source;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

use crate::channel::{Channel, Email, File, Hook, Poster, Server};
use crate::retry::RetryLimits;
use crate::selection::{Selection, SelectionError};
use crate::settings::{
    ChannelSettings, ChatSettings, EmailSettings, Encryption, TargetSettings, WebhookSettings,
};
use crate::webhook_url::{WebhookUrl, is_this_machine};
use recrawl_core::secret::Secret;

/// The name of a target: 1 to 100 of `a-z`, `0-9`, `.`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TargetName(String);

impl FromStr for TargetName {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        let is_name = (1..=100).contains(&text.len()) && text.bytes().all(plain);
        if is_name { Ok(Self(text.to_owned())) } else { Err(Problem::Name) }
    }
}

impl TryFrom<String> for TargetName {
    type Error = Problem;

    fn try_from(text: String) -> Result<Self, Problem> {
        text.parse()
    }
}

impl From<TargetName> for String {
    fn from(name: TargetName) -> Self {
        name.0
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What targets need beside their settings.
pub struct Setup<'a> {
    /// Returns the value of an environment variable.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// The address of the web page, where there is one, for links to it.
    pub web: Option<Url>,
    /// Who we are, for webhooks.
    pub user_agent: &'a str,
    /// How often and how long targets are tried.
    pub patience: RetryLimits,
}

/// Why settings make no target.
#[derive(Debug, Error)]
#[error("[notify.{target}] {problem}")]
pub struct SetupError {
    /// The name, as it was given.
    pub target: String,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

/// What is wrong with the settings of a target. Secrets are not repeated.
#[derive(Debug, Error)]
pub enum Problem {
    /// See [`TargetName`].
    #[error("is no name: 1 to 100 of a-z, 0-9, '.', '_' and '-'")]
    Name,
    /// What it wants to hear of cannot be read.
    #[error("cannot be used: {0}")]
    Selection(#[from] SelectionError),
    /// A secret is not there.
    #[error("needs the environment variable {0}, which is not set")]
    Variable(String),
    /// An address that anybody may know is none.
    #[error("has a url that is no http or https address without user and password: {0}")]
    Url(String),
    /// A secret address is none.
    #[error("needs an https address in the environment variable {0}, or http on this machine")]
    SecretUrl(String),
    /// An address is that of a cloud's metadata service.
    #[error("has an address where a cloud keeps the credentials of its machines: nothing is ever sent there")]
    Metadata,
    /// There must be one address.
    #[error("needs either url or url-env")]
    OneUrl,
    /// A name and its password go together.
    #[error("needs both user and password-env, or none of them")]
    Login,
    /// Mail goes over the wire.
    #[error("has encryption = \"none\", which is for a server on this machine only")]
    Unencrypted,
    /// A sender or receiver is none.
    #[error("has {0:?}, which is no mail address")]
    Mailbox(String),
    /// A mail needs a receiver.
    #[error("needs a mail address in to")]
    Nobody,
    /// A pattern names no file.
    #[error("has the path {0:?}, which is no file name with {{site}} and {{crawl}}")]
    Path(String),
    /// The client of a protocol could not be made.
    #[error("cannot be set up: {0}")]
    Client(#[source] Source),
}

/// Somebody who is told what crawls find.
#[derive(Debug)]
pub struct Target {
    pub(crate) name: TargetName,
    pub(crate) channel: Channel,
    pub(crate) selection: Selection,
    pub(crate) web: Option<Url>,
    pub(crate) patience: RetryLimits,
}

impl Target {
    /// Returns its name.
    pub fn name(&self) -> &TargetName {
        &self.name
    }
}

/// Makes every target of the settings, by name, or says everything that is wrong with them.
pub fn targets(
    settings: BTreeMap<String, TargetSettings>,
    setup: &Setup<'_>,
) -> Result<Vec<Target>, Vec<SetupError>> {
    let (mut targets, mut errors) = (Vec::new(), Vec::new());
    for (name, settings) in settings {
        match target(&name, settings, setup) {
            Ok(target) => targets.push(target),
            Err(problem) => errors.push(SetupError { target: name, problem }),
        }
    }
    if errors.is_empty() { Ok(targets) } else { Err(errors) }
}

fn target(name: &str, settings: TargetSettings, setup: &Setup<'_>) -> Result<Target, Problem> {
    Ok(Target {
        name: name.parse()?,
        channel: channel(settings.channel, setup)?,
        selection: Selection::new(settings.selection)?,
        web: setup.web.clone(),
        patience: setup.patience,
    })
}

fn channel(settings: ChannelSettings, setup: &Setup<'_>) -> Result<Channel, Problem> {
    Ok(match settings {
        ChannelSettings::Webhook(settings) => Channel::Webhook(webhook(&settings, setup)?),
        ChannelSettings::Slack(settings) => Channel::Slack(chat(&settings, setup)?),
        ChannelSettings::Discord(settings) => {
            let mut hook = chat(&settings, setup)?;
            // Otherwise Discord does not say that it could not take a message.
            hook.address = hook.address.with_parameter("wait", "true");
            Channel::Discord(hook)
        }
        ChannelSettings::Email(settings) => Channel::Email(email(&settings, setup)?),
        ChannelSettings::Markdown(settings) => {
            let file = File::new(&settings.path).ok_or(Problem::Path(settings.path))?;
            Channel::Markdown(file)
        }
    })
}

fn webhook(settings: &WebhookSettings, setup: &Setup<'_>) -> Result<Hook, Problem> {
    let address = match (&settings.url, &settings.url_env) {
        (Some(url), None) => WebhookUrl::open(url).ok_or_else(|| Problem::Url(url.clone()))?,
        (None, Some(variable)) => secret_address(variable, setup)?,
        (Some(_), Some(_)) | (None, None) => return Err(Problem::OneUrl),
    };
    if address.is_metadata() {
        return Err(Problem::Metadata);
    }
    let secret = settings.secret_env.as_ref().map(|variable| secret(variable, setup)).transpose()?;
    Ok(Hook { poster: poster(setup)?, address, secret })
}

fn chat(settings: &ChatSettings, setup: &Setup<'_>) -> Result<Hook, Problem> {
    let address = secret_address(&settings.url_env, setup)?;
    if address.is_metadata() {
        return Err(Problem::Metadata);
    }
    Ok(Hook { poster: poster(setup)?, address, secret: None })
}

fn email(settings: &EmailSettings, setup: &Setup<'_>) -> Result<Email, Problem> {
    if settings.encryption == Encryption::None
        && !Host::parse(&settings.host).is_ok_and(|host| is_this_machine(&host))
    {
        return Err(Problem::Unencrypted);
    }
    let login = match (&settings.user, &settings.password_env) {
        (Some(user), Some(variable)) => Some((user.clone(), secret(variable, setup)?)),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(Problem::Login),
    };
    let mailbox = |text: &String| text.parse::<Mailbox>().map_err(|_| Problem::Mailbox(text.clone()));
    let to = settings.to.iter().map(mailbox).collect::<Result<Vec<Mailbox>, Problem>>()?;
    if to.is_empty() {
        return Err(Problem::Nobody);
    }
    let server = Server { host: &settings.host, port: settings.port, encryption: settings.encryption, login };
    Email::new(&server, mailbox(&settings.from)?, to, &setup.patience).map_err(Problem::Client)
}

fn poster(setup: &Setup<'_>) -> Result<Poster, Problem> {
    Poster::new(setup.user_agent, &setup.patience).map_err(Problem::Client)
}

fn secret_address(variable: &str, setup: &Setup<'_>) -> Result<WebhookUrl, Problem> {
    let text = secret(variable, setup)?;
    WebhookUrl::secret(text.expose()).ok_or_else(|| Problem::SecretUrl(variable.to_owned()))
}

fn secret(variable: &str, setup: &Setup<'_>) -> Result<Secret, Problem> {
    let value = (setup.environment)(variable).filter(|value| !value.is_empty());
    value.map(Secret::new).ok_or_else(|| Problem::Variable(variable.to_owned()))
}
