//! The settings in force for a site: flags, then environment, then `recrawl.toml`, then a preset, then defaults. The table
//! is in `recrawl-settings`.

mod edit;

use std::path::{Path, PathBuf};

use recrawl_core::address::is_written_as_inside;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::{Scope, ScopeSettings, list_root};
use recrawl_core::url::PageUrl;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::noise::NoiseRule;
use recrawl_extract::text::TextRules;
pub use recrawl_settings::SettingsFile;
use recrawl_settings::{Bad, CrawlSettings, Environment, Flags, InForce, Layers, Sources, variables};

pub use self::edit::Edit;
use crate::usage;

/// Everything that can be set about crawling one site, checked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name of the site.
    pub site: SiteId,
    /// The page that its crawls begin with.
    pub root: PageUrl,
    /// Which pages belong to it.
    pub scope: ScopeSettings,
    /// What is ignored when two versions of a page are compared.
    pub text_rules: TextRules,
    /// The rows of the table.
    pub crawl: CrawlSettings,
}

impl Settings {
    /// Returns what reads the pages of the site.
    pub fn extractor(&self) -> HtmlExtractor {
        HtmlExtractor::new(self.text_rules.clone(), self.crawl.url_rules(), self.crawl.nofollow)
    }

    /// Tells whether a site of others will be visited without a way to reach the person who does it.
    pub fn lacks_contact(&self) -> bool {
        let own = self.scope.allow_private || is_written_as_inside(self.root.host());
        !own && self.crawl.names_nobody()
    }
}

/// What the command line says about a site.
#[derive(Debug, Clone, Default)]
pub struct CommandLine {
    /// Settings that were given as flags.
    pub flags: Flags,
    /// The person owns the site, which they must say to have robots.txt ignored.
    pub owns_the_site: bool,
}

/// Returns our user agent with this contact.
pub fn user_agent(contact: Option<&str>) -> anyhow::Result<String> {
    recrawl_settings::user_agent(contact)
        .map_err(|Bad(expected)| usage(format!("contact must be {expected}")))
}

/// Settings of one site with their origins.
pub struct Resolved {
    /// The settings.
    pub settings: Settings,
    /// Each as text, and who set it.
    pub in_force: Vec<InForce>,
}

/// Where a `recrawl.toml` is looked for where none is named.
pub fn default_file() -> PathBuf {
    PathBuf::from("recrawl.toml")
}

/// Works out the settings for `target`, a URL or the name of a site in the file.
///
/// Every bad value is named at once.
pub fn resolve(target: &str, command_line: &CommandLine, file: &SettingsFile) -> anyhow::Result<Resolved> {
    resolve_in(&variables::of_this_process(), target, command_line, file)
}

/// Works out the settings for `target` as [`resolve`] does, in another environment than that of the process.
pub fn resolve_in(
    environment: &Environment,
    target: &str,
    command_line: &CommandLine,
    file: &SettingsFile,
) -> anyhow::Result<Resolved> {
    let root = page(file.root_of(target).unwrap_or(target))?;
    let name = file.site_for(target, &root);
    let layers = Layers::new(Sources { flags: &command_line.flags, environment, file: Some((file, name)) });
    let mut problems = Vec::new();
    let crawl = CrawlSettings::read(&layers, &mut problems);
    if !crawl.robots && !command_line.owns_the_site {
        problems.push("robots.txt is ignored only with the flag --i-own-this-site".to_owned());
    }
    let text_rules = recrawl_engine::text_rules(&crawl).map_err(|problem| problems.push(problem)).ok();
    let Some(text_rules) = text_rules.filter(|_| problems.is_empty()) else {
        return Err(usage(problems.join("\n         ")));
    };
    let by_table = name.and_then(|name| name.parse().ok());
    let site = crawl.site_name.clone().or(by_table).unwrap_or_else(|| SiteId::from_root(&root));
    let root_in_force =
        InForce { setting: "root", value: root.to_string(), origin: "command line".to_owned() };
    let noise_rules = format!("all: {}", NoiseRule::ALL.map(NoiseRule::name).join(", "));
    let mut in_force =
        layers.in_force(&crawl, &[("site-name", site.to_string()), ("noise-rule", noise_rules)]);
    in_force.insert(0, root_in_force);
    Ok(Resolved { settings: Settings { site, root, scope: crawl.scope(), text_rules, crawl }, in_force })
}

/// Works out the settings for a list of pages of this name ([`ScopeSettings::list`]). `named` are pages on hosts that the
/// person named; others are visited only at public addresses.
pub fn of_list(
    name: &SiteId,
    named: &[PageUrl],
    command_line: &CommandLine,
    file: &SettingsFile,
) -> anyhow::Result<Settings> {
    let root = list_root(name)?;
    let mut settings = resolve(root.as_str(), command_line, file)?.settings;
    settings.site = name.clone();
    settings.scope.list = true;
    let allow_private = settings.scope.allow_private;
    let may_be_inside = |page: &&PageUrl| allow_private || is_written_as_inside(page.host());
    settings
        .scope
        .extra_hosts
        .extend(named.iter().filter(may_be_inside).map(|page| page.host_key().to_string()));
    settings.scope.extra_hosts.sort();
    settings.scope.extra_hosts.dedup();
    scope(&settings)?;
    Ok(settings)
}

/// Works out the settings for a site of a store: by its table, or by its root and the scope that it was last crawled
/// with.
pub fn of_site(site: &Site, file: &SettingsFile) -> anyhow::Result<Settings> {
    let table = file.site_for(site.id.as_str(), &site.root);
    let settings = resolve(table.unwrap_or(site.root.as_str()), &CommandLine::default(), file)?.settings;
    let scope = if table.is_some() { settings.scope.clone() } else { site.scope.clone() };
    let settings = Settings { site: site.id.clone(), scope, ..settings };
    self::scope(&settings)?;
    Ok(settings)
}

/// Reads the settings file: the one that was named, or `recrawl.toml` if it is here.
pub fn read_file(named: Option<&Path>) -> anyhow::Result<SettingsFile> {
    let path = named.map_or_else(default_file, Path::to_path_buf);
    match std::fs::read_to_string(&path) {
        Ok(text) => SettingsFile::parse(&text, &path).map_err(usage),
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            Ok(SettingsFile::default())
        }
        Err(error) => Err(usage(format!("{} cannot be read: {error}", path.display()))),
    }
}

/// Checks that somebody reads every variable that is ours by name: the product, or the settings file by naming it.
pub fn refuse_unknown_variables(file: Option<&Path>) -> anyhow::Result<()> {
    let environment = variables::of_this_process();
    let by_file = || variables::named_in(file.unwrap_or(&default_file()));
    let unknown = variables::unknown(environment.keys().map(String::as_str), by_file);
    if unknown.is_empty() { Ok(()) } else { Err(usage(unknown.join("\n         "))) }
}

/// Reads the root of a site as people type it.
pub fn page(text: &str) -> anyhow::Result<PageUrl> {
    recrawl_settings::page(text)
        .map_err(|Bad(expected)| usage(format!("{text:?} is no site to crawl: give {expected}")))
}

/// Checks that the scope can be built, so that a bad pattern is found before anything is written.
pub fn scope(settings: &Settings) -> anyhow::Result<Scope> {
    Scope::new(&settings.root, settings.scope.clone())
        .map_err(|error| usage(format!("{:#}", anyhow::Error::new(error))))
}
