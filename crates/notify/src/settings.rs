//! What can be set about a target: a table `[notify.NAME]` of `recrawl.toml`.

use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::verdict::Verdict;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// One target: how it is reached, and what it wants to hear of.
///
/// Both stand in one table. A setting that its kind does not have is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSettings {
    /// How it is reached.
    pub channel: ChannelSettings,
    /// What it wants to hear of.
    pub selection: SelectionSettings,
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

/// Settings of `kind = "slack"` and `kind = "discord"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChatSettings {
    /// The variable that holds the address of the incoming webhook: anyone who knows it can write there.
    pub url_env: String,
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
    /// The file; `{site}` and `{crawl}` stand for their names.
    pub path: String,
}

/// What a target wants to hear of. Without any setting: every change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SelectionSettings {
    /// The sites; none means all.
    pub sites: Vec<SiteId>,
    /// The kinds of change: `new`, `changed`, `moved`, `gone`; none means all.
    pub kinds: Vec<Verdict>,
    /// Only pages that changed in one of these aspects: `text`, `links`, `media`.
    pub aspects: Vec<Aspect>,
    /// Globs; a page must match one of them. None means all pages.
    pub include: Vec<String>,
    /// Globs of pages to leave out.
    pub exclude: Vec<String>,
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
    /// Reads one flat table. Serde cannot flatten two structures and refuse unknown names at the same time, so
    /// the table is split by the names that a selection has.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Map::deserialize(deserializer)?;
        let known = serde_json::to_value(SelectionSettings::default()).map_err(D::Error::custom)?;
        let (selection, channel): (Map<String, Value>, Map<String, Value>) =
            table.into_iter().partition(|(name, _)| known.get(name).is_some());
        Ok(Self {
            channel: serde_json::from_value(channel.into()).map_err(D::Error::custom)?,
            selection: serde_json::from_value(selection.into()).map_err(D::Error::custom)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn read(text: &str) -> Result<BTreeMap<String, TargetSettings>, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn every_kind_is_read_from_one_flat_table() {
        let targets = read(
            r#"
            [hook]
            kind = "webhook"
            url = "https://example.org/hook"
            secret-env = "HOOK_SECRET"
            [team]
            kind = "slack"
            url-env = "TEAM"
            kinds = ["new", "gone"]
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
            [mail]
            kind = "email"
            host = "mail.example.org"
            encryption = "tls"
            from = "Recrawl <a@example.org>"
            to = ["b@example.org"]
            [file]
            kind = "markdown"
            path = "digests/{site}-{crawl}.md"
            "#,
        )
        .unwrap();
        let team = &targets["team"];
        assert_eq!(team.channel, ChannelSettings::Slack(ChatSettings { url_env: "TEAM".to_owned() }));
        assert_eq!(
            team.selection,
            SelectionSettings {
                sites: vec!["example.org".parse().unwrap()],
                kinds: vec![Verdict::New, Verdict::Gone],
                aspects: vec![Aspect::Text],
                include: vec!["/news*".to_owned()],
                exclude: vec!["/news/old*".to_owned()],
                min_changes: 3,
                min_difference: 20,
                quiet: true,
                suspect: WhenSuspect::Skip,
            }
        );
        assert_eq!(targets["hook"].selection, SelectionSettings::default());
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
            ("kind = 'email'\nhost = 'a'\nfrom = 'a@b'\nto = []\npassword = 'x'", "password"),
        ] {
            let error = read(&format!("[a]\n{table}")).unwrap_err().to_string();
            assert!(error.contains(named), "{table}: {error}");
        }
    }
}
