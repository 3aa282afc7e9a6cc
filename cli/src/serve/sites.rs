//! The sites of a store, and their settings as they stand now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::crawl::Site;
use recrawl_core::ids::SiteId;
use recrawl_core::ports::{History, Store};
use recrawl_store_sqlite::{Options, SqliteStore};

use crate::exit::usage;
use crate::notify;
use crate::read::source::{StoreAddress, not_opened};
use crate::settings::{self, Edit, Settings, SettingsArguments, SettingsFile};

/// The sites of a store, and the file with their settings.
///
/// The file is read anew each time, so that what people write there counts at once.
pub(super) struct Sites {
    pub(super) store: Arc<SqliteStore>,
    pub(super) path: PathBuf,
    pub(super) config: Option<PathBuf>,
}

impl Sites {
    /// Opens the store, and makes it where it is not there; not before the settings are known to be good.
    pub(super) fn open(path: PathBuf, config: Option<PathBuf>) -> anyhow::Result<Self> {
        let file = read(config.as_deref())?;
        notify::known(&file)?;
        for name in file.names() {
            settings::scope(&settings::resolve(name, &SettingsArguments::default(), &file)?.settings)?;
        }
        let store = Arc::new(SqliteStore::open(&path, &Options::default()).map_err(not_opened)?);
        Ok(Self { store, path, config })
    }

    /// Reads the settings file.
    pub(super) fn file(&self) -> anyhow::Result<SettingsFile> {
        read(self.config.as_deref())
    }

    /// Begins to change the settings file.
    pub(super) fn edit(&self) -> anyhow::Result<Edit> {
        Edit::begin(self.config.as_deref())
    }

    /// Returns the site of this name; one that is not there is an error of usage.
    pub(super) async fn site(&self, id: &SiteId) -> anyhow::Result<Site> {
        let site = self.store.site(id).await?;
        site.ok_or_else(|| usage(format!("there is no site {id}")))
    }

    /// Returns the settings in force for a site, which is crawled into this store.
    pub(super) fn settings(&self, site: &Site) -> anyhow::Result<Settings> {
        let settings = settings::of_site(site, &self.file()?)?;
        Ok(Settings { store: format!("sqlite:{}", self.path.display()), ..settings })
    }

    /// Saves the sites of the file that belong to this store and are not in it, so that they can be seen and started;
    /// returns what is wrong with others.
    pub(super) async fn register(&self, now: Timestamp) -> anyhow::Result<BTreeSet<String>> {
        let mut problems = BTreeSet::new();
        let file = self.file()?;
        let known = self.store.sites().await?;
        for name in file.names() {
            let settings = match settings::resolve(name, &SettingsArguments::default(), &file) {
                Ok(resolved) => resolved.settings,
                Err(error) => {
                    problems.insert(format!("{name} is not crawled by itself: {error:#}"));
                    continue;
                }
            };
            let is_known = known.iter().any(|site| site.id == settings.site || site.root == settings.root);
            if !is_known && is_at(&settings.store, &self.path) {
                let Settings { site: id, root, scope, .. } = settings;
                self.store.save_site(&Site { id, root, scope, created_at: now }).await?;
            }
        }
        Ok(problems)
    }
}

/// Reads the settings file; one that was named and is not there yet is empty.
pub(super) fn read(named: Option<&Path>) -> anyhow::Result<SettingsFile> {
    if named.is_some_and(|path| !path.exists()) {
        return Ok(SettingsFile::default());
    }
    settings::read_file(named)
}

fn is_at(store: &str, path: &Path) -> bool {
    matches!(store.parse(), Ok(StoreAddress::Sqlite(named)) if named == path)
}
