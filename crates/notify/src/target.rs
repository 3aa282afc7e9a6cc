//! Targets: who is told, checked before anything is.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use lettre::message::Mailbox;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::Source;
use recrawl_schedule::{Schedule, ScheduleError};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

use crate::channel::{Channel, Email, File, Hook, Poster, Server};
use crate::retry::RetryLimits;
use crate::selection::{Selection, SelectionError};
use crate::settings::{
    ChannelSettings, ChatSettings, EmailSettings, Encryption, GithubIssueSettings, MatrixSettings,
    NtfySettings, TargetSettings, TelegramSettings, TimingSettings, WebhookSettings,
};
use crate::webhook_url::{WebhookUrl, is_this_machine};
use recrawl_core::secret::Secret;

/// What GitHub wants its API to be asked with.
const GITHUB_HEADERS: &[(&str, &str)] =
    &[("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")];

/// The name of a target: 1 to 100 of `a-z`, `0-9`, `.`, `_` and `-`; one that a site has for itself is followed by `@` and the
/// name of the site.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TargetName(String);

impl FromStr for TargetName {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        if is_name(text) { Ok(Self(text.to_owned())) } else { Err(Problem::Name) }
    }
}

impl TargetName {
    /// Names a target that a site has for itself: another site may have one of the same name.
    pub fn of_site(name: &str, site: &SiteId) -> Result<Self, Problem> {
        if is_name(name) { Ok(Self(format!("{name}@{site}"))) } else { Err(Problem::Name) }
    }

    /// Returns the name that it has when a site has another one.
    #[must_use]
    pub(crate) fn following(&self, site: &SiteId, to: &SiteId) -> Self {
        match self.0.split_once('@') {
            Some((name, of)) if of == site.as_str() => Self(format!("{name}@{to}")),
            Some(_) | None => self.clone(),
        }
    }
}

fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    (1..=100).contains(&text.len()) && text.bytes().all(plain)
}

impl TryFrom<String> for TargetName {
    type Error = Problem;

    fn try_from(text: String) -> Result<Self, Problem> {
        match text.split_once('@') {
            Some((name, site)) => Self::of_site(name, &site.parse().map_err(|_| Problem::Name)?),
            None => text.parse(),
        }
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
    /// A secret goes to an address.
    #[error("has the url {0:?}, to which a secret would go: it must be https, or http on this machine")]
    Insecure(String),
    /// There must be one topic.
    #[error("needs either topic or topic-env, of letters, digits, '_' and '-'")]
    Topic,
    /// A room is not named by its alias.
    #[error("has the room {0:?}, which is no id such as !abc:example.org")]
    Room(String),
    /// A repository has an owner.
    #[error("has the repository {0:?}, which is no owner/name")]
    Repository(String),
    /// Nobody knows when to tell it.
    #[error("{0}")]
    Schedule(#[from] ScheduleError),
    /// A zone alone says nothing.
    #[error("has a time-zone without a schedule")]
    ZoneAlone,
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
    pub(crate) timing: Option<Timing>,
    pub(crate) web: Option<Url>,
    pub(crate) patience: RetryLimits,
}

/// When a target is told everything together.
#[derive(Debug, Clone)]
pub struct Timing {
    /// When.
    pub schedule: Schedule,
    /// Where days begin for its reader.
    pub zone: TimeZone,
}

/// Reads when a target is told; nothing where it is told after each crawl.
pub fn timing(settings: &TimingSettings) -> Result<Option<Timing>, Problem> {
    let Some(schedule) = &settings.schedule else {
        return if settings.time_zone.is_some() { Err(Problem::ZoneAlone) } else { Ok(None) };
    };
    let name = settings.time_zone.as_deref().unwrap_or("UTC");
    let schedule = Schedule::new(schedule, name)?;
    let zone = TimeZone::get(name).map_err(|_| ScheduleError::Zone(name.to_owned()))?;
    Ok(Some(Timing { schedule, zone }))
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

/// Makes a target that a site has for itself, and that hears of no other.
pub fn target_of_site(
    name: &str,
    site: &SiteId,
    mut settings: TargetSettings,
    setup: &Setup<'_>,
) -> Result<Target, Problem> {
    settings.selection.sites = vec![site.clone()];
    make(TargetName::of_site(name, site)?, settings, setup)
}

fn target(name: &str, settings: TargetSettings, setup: &Setup<'_>) -> Result<Target, Problem> {
    make(name.parse()?, settings, setup)
}

fn make(name: TargetName, settings: TargetSettings, setup: &Setup<'_>) -> Result<Target, Problem> {
    Ok(Target {
        name,
        channel: channel(settings.channel, setup)?,
        selection: Selection::new(settings.selection)?,
        timing: timing(&settings.timing)?,
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
        ChannelSettings::Teams(settings) => Channel::Teams(chat(&settings, setup)?),
        ChannelSettings::Telegram(settings) => Channel::Telegram(telegram(&settings, setup)?, settings.chat),
        ChannelSettings::Matrix(settings) => Channel::Matrix(matrix(&settings, setup)?),
        ChannelSettings::Ntfy(settings) => {
            let (hook, topic) = ntfy(&settings, setup)?;
            Channel::Ntfy(hook, topic)
        }
        ChannelSettings::GithubIssue(settings) => {
            Channel::GithubIssue(github_issue(&settings, setup)?, settings.labels)
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
    Ok(Hook { secret, ..Hook::new(poster(setup)?, address) })
}

fn chat(settings: &ChatSettings, setup: &Setup<'_>) -> Result<Hook, Problem> {
    let address = secret_address(&settings.url_env, setup)?;
    if address.is_metadata() {
        return Err(Problem::Metadata);
    }
    Ok(Hook::new(poster(setup)?, address))
}

fn telegram(settings: &TelegramSettings, setup: &Setup<'_>) -> Result<Hook, Problem> {
    let token = secret(&settings.token_env, setup)?;
    let bot = format!("bot{}", token.expose());
    let server = service(settings.url.as_deref(), "https://api.telegram.org", true)?;
    let address = server.below(&[&bot, "sendMessage"]).hidden();
    Ok(Hook { hidden: Some(token), ..Hook::new(poster(setup)?, address) })
}

fn matrix(settings: &MatrixSettings, setup: &Setup<'_>) -> Result<Hook, Problem> {
    let is_room = settings.room.starts_with('!') && settings.room.len() > 1;
    if !is_room {
        return Err(Problem::Room(settings.room.clone()));
    }
    let server = service(Some(&settings.url), "", true)?;
    let address =
        server.below(&["_matrix", "client", "v3", "rooms", &settings.room, "send", "m.room.message"]);
    Ok(Hook { bearer: Some(secret(&settings.token_env, setup)?), ..Hook::new(poster(setup)?, address) })
}

fn ntfy(settings: &NtfySettings, setup: &Setup<'_>) -> Result<(Hook, Secret), Problem> {
    let topic = match (&settings.topic, &settings.topic_env) {
        (Some(topic), None) => Secret::new(topic.as_str()),
        (None, Some(variable)) => secret(variable, setup)?,
        (Some(_), Some(_)) | (None, None) => return Err(Problem::Topic),
    };
    let is_topic = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !(1..=64).contains(&topic.expose().len()) || !topic.expose().chars().all(is_topic) {
        return Err(Problem::Topic);
    }
    let bearer = settings.token_env.as_ref().map(|variable| secret(variable, setup)).transpose()?;
    let has_secret = bearer.is_some() || settings.topic_env.is_some();
    let address = service(settings.url.as_deref(), "https://ntfy.sh", has_secret)?;
    let hidden = settings.topic_env.is_some().then(|| topic.clone());
    Ok((Hook { bearer, hidden, ..Hook::new(poster(setup)?, address) }, topic))
}

fn github_issue(settings: &GithubIssueSettings, setup: &Setup<'_>) -> Result<Hook, Problem> {
    let is_part = |part: &str| {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        !part.is_empty() && part != "." && part != ".." && part.chars().all(is_plain)
    };
    let parts = settings.repository.split_once('/').filter(|(owner, name)| is_part(owner) && is_part(name));
    let (owner, name) = parts.ok_or_else(|| Problem::Repository(settings.repository.clone()))?;
    let server = service(settings.url.as_deref(), "https://api.github.com", true)?;
    let bearer = Some(secret(&settings.token_env, setup)?);
    let address = server.below(&["repos", owner, name, "issues"]);
    Ok(Hook { bearer, headers: GITHUB_HEADERS, ..Hook::new(poster(setup)?, address) })
}

/// Returns the address of a service. Where a secret goes there, nobody must be able to read it on its way.
fn service(url: Option<&str>, usual: &str, has_secret: bool) -> Result<WebhookUrl, Problem> {
    let url = url.unwrap_or(usual);
    let address = WebhookUrl::open(url).ok_or_else(|| Problem::Url(url.to_owned()))?;
    if has_secret && WebhookUrl::secret(url).is_none() {
        return Err(Problem::Insecure(url.to_owned()));
    }
    if address.is_metadata() { Err(Problem::Metadata) } else { Ok(address) }
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
