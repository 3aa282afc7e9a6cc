//! Settings: flags, then environment, then `recrawl.toml`, then a preset, then defaults; each value knows its
//! origin.

mod conduct;
mod edit;
mod file;
mod keys;
mod layers;
mod preset;
mod timetable;
mod values;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use recrawl_core::address::{AddressClass, is_written_as_inside, literal};
use recrawl_core::archive::ArchiveWish;
use recrawl_core::content::KeepBodies;
use recrawl_core::crawl::Site;
use recrawl_core::ids::SiteId;
use recrawl_core::politeness::PaceSettings;
use recrawl_core::scope::{Scope, ScopeSettings};
use recrawl_core::traps::PageLimit;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::text::TextRules;
use serde::Serialize;

pub(crate) use self::conduct::Conduct;
pub(crate) use self::edit::Edit;
pub(crate) use self::file::SettingsFile;
pub(crate) use self::keys::SettingsArguments;
use self::layers::Layers;
pub(crate) use self::timetable::Timetable;
use crate::exit::usage;

/// The part of our user agent that robots.txt names.
pub(crate) const PRODUCT: &str = "recrawl";

/// Everything that can be set about crawling one site, checked.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) store: String,
    pub(crate) site: SiteId,
    pub(crate) root: PageUrl,
    pub(crate) delay: Duration,
    /// The shortest delay for a host that has said that it is asked too much.
    pub(crate) slowed_delay: Duration,
    pub(crate) min_delay: Duration,
    pub(crate) max_delay: Duration,
    pub(crate) parallel: usize,
    pub(crate) max_pages: PageLimit,
    pub(crate) max_time: Option<Duration>,
    pub(crate) trap_limit: u32,
    pub(crate) scope: ScopeSettings,
    pub(crate) ignored: Ignored,
    pub(crate) text_rules: TextRules,
    pub(crate) url_rules: UrlRules,
    pub(crate) user_agent: String,
    pub(crate) conduct: Conduct,
    pub(crate) keep_bodies: KeepBodies,
    pub(crate) obey_robots: bool,
    pub(crate) obey_nofollow: bool,
    pub(crate) sitemaps: bool,
    pub(crate) archive: ArchiveWish,
    pub(crate) timetable: Option<Timetable>,
    pub(crate) retries: u32,
    pub(crate) back_off: Duration,
    pub(crate) time_out: Duration,
    pub(crate) body_limit: usize,
    pub(crate) body_memory: usize,
}

/// What is left out of pages, as people wrote it; a part of the text rules.
#[derive(Debug, Clone)]
pub(crate) struct Ignored {
    pub(crate) selectors: Vec<String>,
    pub(crate) patterns: Vec<String>,
}

impl Settings {
    /// Returns how often and how many at a time servers are asked.
    pub(crate) fn pace(&self) -> PaceSettings {
        PaceSettings {
            delay: self.delay,
            slowed_delay: self.slowed_delay,
            min_delay: self.min_delay,
            max_delay: self.max_delay,
            back_off: self.back_off,
            parallel: u32::try_from(self.parallel).unwrap_or(PaceSettings::MOST_PARALLEL),
            ..PaceSettings::default()
        }
    }

    /// Tells whether a site of others will be visited without a way to reach the person who does it.
    pub(crate) fn hides_the_person(&self) -> bool {
        let own = self.scope.allow_private || is_written_as_inside(self.root.host());
        !own && self.user_agent.contains(values::CONTACT)
    }
}

/// Returns our user agent with this contact.
pub(crate) fn user_agent(contact: Option<&str>) -> anyhow::Result<String> {
    let contact = contact.unwrap_or(values::CONTACT);
    let contact = values::contact(contact);
    let contact = contact.map_err(|values::Bad(expected)| usage(format!("contact must be {expected}")))?;
    Ok(values::user_agent_with(&contact))
}

/// One value in force, for people to read.
#[derive(Debug, Serialize)]
pub(crate) struct InForce {
    pub(crate) setting: &'static str,
    pub(crate) value: String,
    pub(crate) origin: String,
}

/// Settings of one site with their origins.
pub(crate) struct Resolved {
    pub(crate) settings: Settings,
    pub(crate) in_force: Vec<InForce>,
}

/// Where a `recrawl.toml` is looked for where none is named.
pub(crate) fn default_file() -> PathBuf {
    PathBuf::from("recrawl.toml")
}

/// Works out the settings for `target`, a URL or the name of a site in the file.
///
/// Every bad value is named at once.
pub(crate) fn resolve(
    target: &str,
    arguments: &SettingsArguments,
    file: &SettingsFile,
) -> anyhow::Result<Resolved> {
    resolve_in(&std::env::vars().collect(), target, arguments, file)
}

/// Works out the settings for `target` as [`resolve`] does, in another environment than that of the process.
pub(crate) fn resolve_in(
    environment: &HashMap<String, String>,
    target: &str,
    arguments: &SettingsArguments,
    file: &SettingsFile,
) -> anyhow::Result<Resolved> {
    let (root, named) = root_of(target, file)?;
    let site = file.site_for(target, &root);
    let layers = Layers::new(arguments, environment, file, site);
    let mut problems = Vec::new();
    let settings = layers.typed(root, named, &mut problems);
    match (settings, problems.as_slice()) {
        (Some(settings), []) => Ok(Resolved { in_force: layers.in_force(&settings), settings }),
        _ => Err(usage(problems.join("\n         "))),
    }
}

/// Works out the settings for a site of a store: by its table, or by its root and the scope that it was last crawled
/// with.
pub(crate) fn of_site(site: &Site, file: &SettingsFile) -> anyhow::Result<Settings> {
    let table = file.site_for(site.id.as_str(), &site.root).map(|(name, _)| name);
    let arguments = SettingsArguments::default();
    let settings = resolve(table.unwrap_or(site.root.as_str()), &arguments, file)?.settings;
    let scope = if table.is_some() { settings.scope.clone() } else { site.scope.clone() };
    let settings = Settings { site: site.id.clone(), scope, ..settings };
    self::scope(&settings)?;
    Ok(settings)
}

/// Reads the settings file: the one that was named, or `recrawl.toml` if it is here.
pub(crate) fn read_file(named: Option<&Path>) -> anyhow::Result<SettingsFile> {
    SettingsFile::read(named)
}

fn root_of(target: &str, file: &SettingsFile) -> anyhow::Result<(PageUrl, Option<SiteId>)> {
    if let Some(root) = file.root_of(target) {
        let id = target.parse().map_err(|error| usage(format!("{error}")))?;
        return Ok((page(&root)?, Some(id)));
    }
    Ok((page(target)?, None))
}

/// Reads the root of a site as people type it.
pub(crate) fn page(text: &str) -> anyhow::Result<PageUrl> {
    let with_scheme = if text.contains("://") || !looks_like_host(text) {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let page = UrlRules::default().page(&with_scheme, None).map_err(|error| {
        usage(format!("{text:?} is no site to crawl: {error}; give a URL such as https://example.org/news"))
    })?;
    match literal(page.host()).map(AddressClass::of) {
        Some(class @ AddressClass::Metadata) => {
            Err(usage(format!("{text:?} is no site to crawl: it is {class}, and is never visited")))
        }
        Some(_) | None => Ok(page),
    }
}

fn looks_like_host(text: &str) -> bool {
    let host = text.split(['/', '?']).next().unwrap_or_default();
    host.contains('.') && !host.contains(':') && !host.starts_with('.')
}

/// Checks that the scope can be built, so that a bad pattern is found before anything is written.
pub(crate) fn scope(settings: &Settings) -> anyhow::Result<Scope> {
    Scope::new(&settings.root, settings.scope.clone())
        .map_err(|error| usage(format!("{:#}", anyhow::Error::new(error))))
}
