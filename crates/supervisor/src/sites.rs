//! The sites of a store, and their settings as `recrawl.toml` has them now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_stores::{Access, EmbeddedStore, StoreAddress, open_file};
use recrawl_web::Reader;

use crate::settings::{self, CommandLine, Edit, Settings, SettingsFile};
use crate::{notify, usage};

/// The sites of a store, and the file with their settings.
///
/// The file is read anew each time, so that what people write there counts at once.
pub struct Sites {
    pub(crate) store: Arc<dyn EmbeddedStore>,
    pub(crate) path: PathBuf,
    pub(crate) config: Option<PathBuf>,
}

impl Sites {
    /// Opens the store, and makes it where it is not there; not before the settings are known to be good.
    pub fn open(path: PathBuf, config: Option<PathBuf>) -> anyhow::Result<Self> {
        let file = read(config.as_deref())?;
        notify::targets(&file, None)?;
        for name in file.names() {
            settings::scope(&settings::resolve(name, &CommandLine::default(), &file)?.settings)?;
        }
        let store = open_file(&path, Access::Write)?;
        Ok(Self { store, path, config })
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn EmbeddedStore> {
        &self.store
    }

    /// Reads the settings file.
    pub(crate) fn file(&self) -> anyhow::Result<SettingsFile> {
        read(self.config.as_deref())
    }

    /// Begins to change the settings file.
    pub(crate) fn edit(&self) -> anyhow::Result<Edit> {
        Edit::begin(self.config.as_deref())
    }

    /// Returns the site of this name; one that is not there is an error of usage.
    pub(crate) async fn site(&self, id: &SiteId) -> anyhow::Result<Site> {
        let site = self.store.site(id).await?;
        site.ok_or_else(|| usage(format!("there is no site {id}")))
    }

    /// Returns the settings in force for a site, which is crawled into this store.
    pub(crate) fn settings(&self, site: &Site) -> anyhow::Result<Settings> {
        let mut settings = settings::of_site(site, &self.file()?)?;
        settings.crawl.store = format!("sqlite:{}", self.path.display());
        Ok(settings)
    }

    /// Saves the sites of the file that belong to this store and are not in it, so that they can be seen and started;
    /// returns what is wrong with others.
    pub async fn register(&self, now: Timestamp) -> anyhow::Result<BTreeSet<String>> {
        let file = self.file()?;
        let known = self.store.sites().await?;
        let (unknown, mut problems) = unknown(&file, &known);
        for settings in unknown.iter().filter(|settings| is_at(&settings.crawl.store, &self.path)) {
            let Settings { site: id, root, scope, .. } = settings.clone();
            self.store.save_site(&Site { id, root, scope, created_at: now }).await?;
        }
        problems.extend(self.left_out(&unknown));
        Ok(problems)
    }

    /// Says which sites of the file are not here because they belong to another store.
    pub(crate) async fn of_other_stores(&self) -> anyhow::Result<Vec<String>> {
        let (unknown, _) = unknown(&self.file()?, &self.store.sites().await?);
        Ok(self.left_out(&unknown))
    }

    fn left_out(&self, unknown: &[Settings]) -> Vec<String> {
        let mut by_store: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for settings in unknown.iter().filter(|settings| !is_at(&settings.crawl.store, &self.path)) {
            by_store.entry(&settings.crawl.store).or_default().push(settings.site.as_str());
        }
        let here = self.path.display();
        let sentence = |(store, names): (&str, Vec<&str>)| {
            let (names, belong) = (names.join(", "), if names.len() == 1 { "belongs" } else { "belong" });
            format!(
                "{names} {belong} to {store} by the settings and not to {here}, so nothing of that is shown or crawled \
                 here: see it with `recrawl serve --store {store}`, or change `store` in the settings"
            )
        };
        by_store.into_iter().map(sentence).collect()
    }
}

/// Returns the settings of sites of a file that are not `known`, and what is wrong with others.
fn unknown(file: &SettingsFile, known: &[Site]) -> (Vec<Settings>, BTreeSet<String>) {
    let (mut unknown, mut problems) = (Vec::new(), BTreeSet::new());
    for name in file.names() {
        match settings::resolve(name, &CommandLine::default(), file) {
            Ok(resolved) => unknown.push(resolved.settings),
            Err(error) => {
                problems.insert(format!("{name} is not crawled by itself: {error:#}"));
            }
        }
    }
    unknown
        .retain(|settings| !known.iter().any(|site| site.id == settings.site || site.root == settings.root));
    (unknown, problems)
}

/// Returns what reads the pages of a site: by its settings as they stand, or the usual ones where those cannot be read.
pub fn reader(config: Option<PathBuf>) -> Reader {
    Arc::new(move |site| {
        let settings = read(config.as_deref()).and_then(|file| settings::of_site(site, &file));
        let extractor = settings.map(|settings| settings.extractor());
        let usual = || HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
        Arc::new(extractor.unwrap_or_else(|_| usual()))
    })
}

/// Reads the settings file; one that was named and does not exist yet is empty.
fn read(named: Option<&Path>) -> anyhow::Result<SettingsFile> {
    if named.is_some_and(|path| !path.exists()) {
        return Ok(SettingsFile::default());
    }
    settings::read_file(named)
}

fn is_at(store: &str, path: &Path) -> bool {
    store.parse().is_ok_and(|address: StoreAddress| address.is_at(path))
}

#[cfg(test)]
mod tests {
    use crate::harness::Harness;

    #[tokio::test]
    async fn sites_of_another_store_are_named_and_not_left_out_in_silence() {
        let harness = Harness::new("", "2026-11-15T12:00:00Z");
        let sites = &harness.supervisor.sites;
        let own = sites.path.display().to_string();
        let settings = format!(
            "[site.here]\nroot = \"https://here.example/\"\nstore = \"sqlite:{own}\"\n\
             [site.one]\nroot = \"https://one.example/\"\nstore = \"sqlite:/elsewhere/x.db\"\n\
             [site.two]\nroot = \"https://two.example/\"\nstore = \"sqlite:/elsewhere/x.db\"\n"
        );
        std::fs::write(sites.config.as_ref().unwrap(), settings).unwrap();
        let problems: Vec<String> =
            sites.register(harness.supervisor.now()).await.unwrap().into_iter().collect();
        let known: Vec<String> =
            sites.store.sites().await.unwrap().into_iter().map(|site| site.id.to_string()).collect();
        assert_eq!(known, ["here"]);
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert!(problem.starts_with("one, two belong to sqlite:/elsewhere/x.db"), "{problem}");
        assert_eq!(sites.of_other_stores().await.unwrap(), problems);
        assert_eq!(crate::notify::notices(&harness.supervisor).await.unwrap(), problems);
    }
}
