//! `recrawl.toml`: settings for every site, and tables `[site.NAME]` for one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use recrawl_core::ids::SiteId;
use recrawl_core::url::PageUrl;
use recrawl_notify::TargetSettings;
use toml::{Table, Value};

use super::keys::{KEYS, key};
use crate::exit::usage;

/// Values by the name of their setting.
pub(super) type Section = BTreeMap<&'static str, Vec<String>>;

/// A settings file, read and checked for names; values are checked where they are used.
#[derive(Debug, Default)]
pub(crate) struct SettingsFile {
    pub(super) path: PathBuf,
    pub(super) everywhere: Section,
    pub(super) sites: BTreeMap<String, SiteSection>,
    /// The tables `[notify.NAME]`, as they stand.
    notify: Table,
}

/// The table of one site.
#[derive(Debug, Default)]
pub(super) struct SiteSection {
    pub(super) root: String,
    pub(super) values: Section,
}

impl SettingsFile {
    /// Reads `named`, or `recrawl.toml` where that is here and nothing was named.
    pub(super) fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = named.map_or_else(super::default_file, Path::to_path_buf);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(error) => Err(usage(format!("{} cannot be read: {error}", path.display()))),
        }
    }

    /// Reads the text of a file at `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> anyhow::Result<Self> {
        let refused = |what: String| usage(format!("{}: {what}", path.display()));
        let mut table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| refused(error.to_string().trim_end().to_owned()))?;
        let sites = match table.remove("site") {
            None => Table::new(),
            Some(Value::Table(sites)) => sites,
            Some(_) => {
                return Err(refused("site must be tables such as [site.news]".to_owned()));
            }
        };
        let notify = match table.remove("notify") {
            None => Table::new(),
            Some(Value::Table(targets)) => targets,
            Some(_) => return Err(refused("notify must be tables such as [notify.team]".to_owned())),
        };
        let mut file = Self {
            path: path.to_path_buf(),
            notify,
            everywhere: section(table).map_err(&refused)?,
            ..Self::default()
        };
        for (name, site) in sites {
            let (Value::Table(mut site), Ok(_)) = (site, name.parse::<SiteId>()) else {
                return Err(refused(format!("[site.{name}] is no table with a site name")));
            };
            let Some(Value::String(root)) = site.remove("root") else {
                return Err(refused(format!("[site.{name}] needs root = \"URL\"")));
            };
            let values = section(site).map_err(|what| refused(format!("[site.{name}] {what}")))?;
            file.sites.insert(name, SiteSection { root, values });
        }
        Ok(file)
    }

    /// Returns who is told when a crawl ends, by name.
    pub(crate) fn notify(&self) -> anyhow::Result<BTreeMap<String, TargetSettings>> {
        let read = |(name, value): (&String, &Value)| {
            let target = value.clone().try_into::<TargetSettings>().map_err(|error| {
                let what = error.to_string();
                usage(format!("{}: [notify.{name}] {}", self.path.display(), what.trim_end()))
            })?;
            Ok((name.clone(), target))
        };
        self.notify.iter().map(read).collect()
    }

    /// Returns the names of the sites.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(String::as_str)
    }

    /// Returns the root of the site of this name, if the file has one.
    pub(super) fn root_of(&self, name: &str) -> Option<String> {
        self.sites.get(name).map(|site| site.root.clone())
    }

    /// Returns the table for `target`, by name or else by root.
    pub(super) fn site_for(&self, target: &str, root: &PageUrl) -> Option<(&str, &SiteSection)> {
        let same_root = |site: &SiteSection| super::page(&site.root).is_ok_and(|page| page == *root);
        let mut sites = self.sites.iter();
        let found = sites.find(|(name, site)| *name == target || same_root(site));
        found.map(|(name, site)| (name.as_str(), site))
    }
}

fn section(table: Table) -> Result<Section, String> {
    let mut section = Section::new();
    for (name, value) in table {
        let Some(key) = key(&name) else {
            let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
            return Err(format!("there is no setting {name:?}; there are {}", names.join(", ")));
        };
        section.insert(
            key.name,
            texts(value).ok_or_else(|| format!("{name} is neither text, number nor list"))?,
        );
    }
    Ok(section)
}

fn texts(value: Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text]),
        Value::Integer(number) => Some(vec![number.to_string()]),
        Value::Float(number) => Some(vec![number.to_string()]),
        Value::Boolean(truth) => Some(vec![truth.to_string()]),
        Value::Array(values) => {
            let texts: Option<Vec<Vec<String>>> = values.into_iter().map(texts).collect();
            texts.map(|texts| texts.concat())
        }
        Value::Datetime(_) | Value::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_settings_for_all_sites_and_for_one() {
        let text = "rate = 2\n[site.news]\nroot = \"https://example.org/news\"\nexclude = [\"*/tag/*\", \"*.zip\"]\n";
        let file = SettingsFile::parse(text, Path::new("recrawl.toml")).unwrap();
        assert_eq!(file.everywhere["rate"], ["2"]);
        assert_eq!(file.root_of("news").as_deref(), Some("https://example.org/news"));
        let root = "https://example.org/news".parse().unwrap();
        let (name, site) = file.site_for("https://example.org/news", &root).unwrap();
        assert_eq!((name, site.values["exclude"].len()), ("news", 2));
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_name() {
        let cases = [
            ("rate = ", "recrawl.toml: "),
            ("raet = 2", "there is no setting \"raet\""),
            ("[site.x]\nrate = 1", "needs root"),
            ("[site.\"X Y\"]\nroot = \"http://x/\"", "site name"),
            ("site = 1", "must be tables"),
            ("include = 2020-01-01", "neither text"),
        ];
        for (text, expected) in cases {
            let error = SettingsFile::parse(text, Path::new("recrawl.toml")).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
