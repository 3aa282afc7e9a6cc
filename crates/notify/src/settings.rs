//! What can be set about a target: a table `[notify.NAME]` of `recrawl.toml`.

use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::kind::{Kind, NotAKind, Tier};
use recrawl_core::model::verdict::Verdict;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// One target: how it is reached, what it wants to hear of, and when.
///
/// All of it stands in one table. A setting that its kind does not have is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSettings {
    /// How it is reached.
    pub channel: ChannelSettings,
    /// What it wants to hear of.
    pub selection: SelectionSettings,
    /// When.
    pub timing: TimingSettings,
}

/// How a target is reached, by its `kind`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ChannelSettings {
    /// JSON for a program.
    Webhook(WebhookSettings),
    /// An incoming webhook of Slack, Mattermost, Rocket.Chat.
    Slack(ChatSettings),
    /// An incoming webhook of Discord.
    Discord(ChatSettings),
    /// A workflow webhook of Microsoft Teams.
    Teams(ChatSettings),
    /// A chat of Telegram, by a bot.
    Telegram(TelegramSettings),
    /// A room of Matrix.
    Matrix(MatrixSettings),
    /// A topic of ntfy.
    Ntfy(NtfySettings),
    /// An issue on GitHub.
    GithubIssue(GithubIssueSettings),
    /// An e-mail by SMTP.
    Email(EmailSettings),
    /// A Markdown file.
    Markdown(MarkdownSettings),
}

/// Settings of `kind = "webhook"`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WebhookSettings {
    /// The address to call.
    pub url: Option<String>,
    /// The variable that holds the address, if that is a secret.
    pub url_env: Option<String>,
    /// The variable that holds the secret that signs messages.
    pub secret_env: Option<String>,
}

/// Settings of `kind = "slack"`, `kind = "discord"` and `kind = "teams"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChatSettings {
    /// The variable that holds the address of the incoming webhook: anyone who knows it can write there.
    pub url_env: String,
}

/// Settings of `kind = "telegram"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TelegramSettings {
    /// The variable that holds the token of the bot.
    pub token_env: String,
    /// The chat: its number, or `@name` of a channel.
    pub chat: String,
    /// The address of the server, if it is another than `https://api.telegram.org`.
    pub url: Option<String>,
}

/// Settings of `kind = "matrix"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatrixSettings {
    /// The address of the homeserver, such as `https://matrix.org`.
    pub url: String,
    /// The room, such as `!abc:matrix.org`: its settings name it. The account of the token must be in it.
    pub room: String,
    /// The variable that holds the access token.
    pub token_env: String,
}

/// Settings of `kind = "ntfy"`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NtfySettings {
    /// The address of the server, if it is another than `https://ntfy.sh`.
    pub url: Option<String>,
    /// The topic.
    pub topic: Option<String>,
    /// The variable that holds the topic, if that is a secret: on a public server, anyone who knows it can read it.
    pub topic_env: Option<String>,
    /// The variable that holds an access token, if the server asks for one.
    pub token_env: Option<String>,
}

/// Settings of `kind = "github-issue"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GithubIssueSettings {
    /// The repository: `owner/name`.
    pub repository: String,
    /// The variable that holds a token that may write issues there.
    pub token_env: String,
    /// Labels of the issues.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The address of the API, if it is another than `https://api.github.com`.
    pub url: Option<String>,
}

/// Settings of `kind = "email"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EmailSettings {
    /// The mail server.
    pub host: String,
    /// Its port; the default follows from the encryption.
    pub port: Option<u16>,
    /// How the connection is encrypted: `starttls` on port 587, `tls` on port 465, `none` on port 25.
    #[serde(default)]
    pub encryption: Encryption,
    /// The user name, if the server asks for one.
    pub user: Option<String>,
    /// The variable that holds the password.
    pub password_env: Option<String>,
    /// The sender: `name@example.org` or `Name <name@example.org>`.
    pub from: String,
    /// The receivers.
    pub to: Vec<String>,
}

/// How the way to a mail server is protected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encryption {
    /// The conversation begins in the clear and must then be encrypted. Port 587.
    #[default]
    Starttls,
    /// It is encrypted from the beginning. Port 465.
    Tls,
    /// Not at all, for a server on this machine only. Port 25.
    None,
}

/// Settings of `kind = "markdown"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarkdownSettings {
    /// The file; `{site}` and `{crawl}` stand for their names. In a digest, they stand for the name of the target and the day.
    pub path: String,
}

/// What a target wants to hear of. Without any setting: every change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SelectionSettings {
    /// The sites; none means all.
    pub sites: Vec<SiteId>,
    /// The kinds of change: `new`, `changed`, `moved`, `gone`, `shared`, or what changed on a page: `title`, `headings`, `text`, `numbers`,
    /// `dates`, `links`, `media`, `description`, `canonical`, `robots`, `document`. One of them is enough; none means all.
    pub kinds: Vec<WantedKind>,
    /// Only pages that changed in one of these aspects: `text`, `links`, `media`.
    pub aspects: Vec<Aspect>,
    /// How near a change must be to what the page is about: `1` its content, `2` also what stands around it, `3` also noise. The default
    /// is 1, or 2 where `kinds` or `aspects` name what stands around the content.
    pub tier: Option<Tier>,
    /// How much a change must matter, from 0 to 1000.
    pub min_weight: u32,
    /// Globs; a page must match one of them. None means all pages.
    pub include: Vec<String>,
    /// Globs of pages to leave out.
    pub exclude: Vec<String>,
    /// A regular expression, in any case of letters, for the words that came or went.
    pub r#match: Option<String>,
    /// One for the words that came.
    pub match_added: Option<String>,
    /// One for the words that went.
    pub match_removed: Option<String>,
    /// Leave out changes whose words, come or gone, match this one.
    pub exclude_match: Option<String>,
    /// Send nothing if there are fewer changes than this.
    pub min_changes: usize,
    /// Leave out pages whose text alone changed by fewer characters than this. Counted are the words that came and
    /// went, in the first 4,000 bytes of the difference.
    pub min_difference: usize,
    /// Send a message even if nothing changed.
    pub quiet: bool,
    /// What to send about an unusual crawl: `warn` says only that it is and why, `tell` sends what it found, `skip` nothing.
    pub suspect: WhenSuspect,
}

/// When a target is told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct TimingSettings {
    /// Not after each crawl, but everything since the last time as one digest over all sites, on this schedule: minute, hour, day, month,
    /// day of the week, such as `0 7 * * 1` for Mondays at 7:00.
    pub schedule: Option<String>,
    /// The time zone of the schedule; UTC by default.
    pub time_zone: Option<String>,
}

/// A kind of change that is wanted: what happened to a page, or what changed on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WantedKind {
    /// What happened to a page.
    Page(Verdict),
    /// What changed on it.
    Change(Kind),
}

impl WantedKind {
    /// Returns what must have happened to a page, if it is that.
    pub const fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Page(verdict) => Some(verdict),
            Self::Change(_) => None,
        }
    }

    /// Returns what must have changed on a page, if it is that.
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Self::Page(_) => None,
            Self::Change(kind) => Some(kind),
        }
    }
}

impl TryFrom<String> for WantedKind {
    type Error = NotAKind;

    fn try_from(text: String) -> Result<Self, NotAKind> {
        match text.parse() {
            Ok(verdict) => Ok(Self::Page(verdict)),
            Err(_) => text.parse().map(Self::Change),
        }
    }
}

impl From<WantedKind> for String {
    fn from(kind: WantedKind) -> Self {
        match kind {
            WantedKind::Page(verdict) => verdict.word().to_owned(),
            WantedKind::Change(kind) => kind.word().to_owned(),
        }
    }
}

/// What is told of an unusual crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenSuspect {
    /// Only that they are, and why; the findings once somebody accepts them.
    #[default]
    Warn,
    /// The findings, and that they are unusual.
    Tell,
    /// Nothing.
    Skip,
}

impl<'de> Deserialize<'de> for TargetSettings {
    /// Reads one flat table. Serde cannot flatten structures and refuse unknown names at the same time, so the table is
    /// split by the names that selection and timing have.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Map::deserialize(deserializer)?;
        let (selection, rest) = split::<SelectionSettings>(table).map_err(D::Error::custom)?;
        let (timing, channel) = split::<TimingSettings>(rest).map_err(D::Error::custom)?;
        Ok(Self {
            channel: serde_json::from_value(channel.into()).map_err(D::Error::custom)?,
            selection: serde_json::from_value(selection.into()).map_err(D::Error::custom)?,
            timing: serde_json::from_value(timing.into()).map_err(D::Error::custom)?,
        })
    }
}

type Table = Map<String, Value>;

/// Takes what a `T` has names for out of a table; returns that and the rest.
fn split<T: Default + Serialize>(table: Table) -> serde_json::Result<(Table, Table)> {
    let known = serde_json::to_value(T::default())?;
    Ok(table.into_iter().partition(|(name, _)| known.get(name).is_some()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn read(text: &str) -> Result<BTreeMap<String, TargetSettings>, toml::de::Error> {
        toml::from_str(text)
    }

    const EVERY_KIND: &str = r#"
            [hook]
            kind = "webhook"
            url = "https://example.org/hook"
            secret-env = "HOOK_SECRET"
            [team]
            kind = "slack"
            url-env = "TEAM"
            kinds = ["new", "gone", "numbers"]
            tier = 2
            min-weight = 300
            match = "fee|price"
            match-added = "closed"
            match-removed = "open"
            exclude-match = "weather"
            schedule = "0 7 * * 1"
            time-zone = "America/Los_Angeles"
            aspects = ["text"]
            include = ["/news*"]
            exclude = ["/news/old*"]
            min-changes = 3
            min-difference = 20
            quiet = true
            suspect = "skip"
            sites = ["example.org"]
            [friends]
            kind = "discord"
            url-env = "FRIENDS"
            [work]
            kind = "teams"
            url-env = "WORK"
            [phone]
            kind = "telegram"
            token-env = "BOT"
            chat = "@changes"
            [room]
            kind = "matrix"
            url = "https://matrix.example"
            room = "!a:matrix.example"
            token-env = "ROOM"
            [push]
            kind = "ntfy"
            topic = "changes"
            [issue]
            kind = "github-issue"
            repository = "town/watch"
            token-env = "ISSUES"
            labels = ["changes"]
            [mail]
            kind = "email"
            host = "mail.example.org"
            encryption = "tls"
            from = "Recrawl <a@example.org>"
            to = ["b@example.org"]
            [file]
            kind = "markdown"
            path = "digests/{site}-{crawl}.md"
            "#;

    #[test]
    fn every_kind_is_read_from_one_flat_table() {
        let targets = read(EVERY_KIND).unwrap();
        let team = &targets["team"];
        assert_eq!(team.channel, ChannelSettings::Slack(ChatSettings { url_env: "TEAM".to_owned() }));
        assert_eq!(
            team.selection,
            SelectionSettings {
                sites: vec!["example.org".parse().unwrap()],
                kinds: vec![
                    WantedKind::Page(Verdict::New),
                    WantedKind::Page(Verdict::Gone),
                    WantedKind::Change(Kind::Numbers),
                ],
                aspects: vec![Aspect::Text],
                tier: Some(Tier::Around),
                min_weight: 300,
                r#match: Some("fee|price".to_owned()),
                match_added: Some("closed".to_owned()),
                match_removed: Some("open".to_owned()),
                exclude_match: Some("weather".to_owned()),
                include: vec!["/news*".to_owned()],
                exclude: vec!["/news/old*".to_owned()],
                min_changes: 3,
                min_difference: 20,
                quiet: true,
                suspect: WhenSuspect::Skip,
            }
        );
        assert_eq!(team.timing.schedule.as_deref(), Some("0 7 * * 1"));
        assert_eq!(team.timing.time_zone.as_deref(), Some("America/Los_Angeles"));
        assert_eq!(
            targets["work"].channel,
            ChannelSettings::Teams(ChatSettings { url_env: "WORK".to_owned() })
        );
        let topic = Some("changes".to_owned());
        assert_eq!(
            targets["push"].channel,
            ChannelSettings::Ntfy(NtfySettings { topic, ..NtfySettings::default() })
        );
        assert_eq!(targets["hook"].selection, SelectionSettings::default());
        assert_eq!(targets["hook"].timing, TimingSettings::default());
        let ChannelSettings::Email(mail) = &targets["mail"].channel else { panic!("{targets:?}") };
        assert_eq!((mail.encryption, mail.port), (Encryption::Tls, None));
    }

    #[test]
    fn what_a_kind_does_not_have_is_refused() {
        for (table, named) in [
            ("kind = 'slack'\nurl-env = 'A'\nurl = 'https://a/'", "url"),
            ("kind = 'slack'\nurl-env = 'A'\nsecret = 'x'", "secret"),
            ("kind = 'webhook'\nsecret = 'x'", "secret"),
            ("kind = 'markdown'\npath = 'x'\nmin-change = 3", "min-change"),
            ("kind = 'pigeon'", "pigeon"),
            ("path = 'x'", "kind"),
            ("kind = 'markdown'", "path"),
            ("kind = 'markdown'\npath = 'x'\nkinds = ['newish']", "newish"),
            ("kind = 'markdown'\npath = 'x'\nquiet = 3", "3"),
            ("kind = 'markdown'\npath = 'x'\ntier = 4", "tier"),
            ("kind = 'telegram'\ntoken = 'x'\nchat = 'y'", "token"),
            ("kind = 'github-issue'\nrepository = 'a/b'", "token-env"),
            ("kind = 'email'\nhost = 'a'\nfrom = 'a@b'\nto = []\npassword = 'x'", "password"),
        ] {
            let error = read(&format!("[a]\n{table}")).unwrap_err().to_string();
            assert!(error.contains(named), "{table}: {error}");
        }
    }
}
