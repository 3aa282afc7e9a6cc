//! `recrawl.toml`: settings for every site, and tables `[site.NAME]` for one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use recrawl_core::model::ids::SiteId;
use recrawl_core::url::PageUrl;
use toml::{Table, Value};

use crate::read::page;
use crate::table::CRAWL;
use crate::variables::nearest;

/// The tables of a file.
const TABLES: [&str; 2] = ["site", "notify"];

/// Values by the name of their setting.
type Section = BTreeMap<&'static str, Vec<String>>;

/// A settings file, read and checked for names; values are checked where they are used.
#[derive(Debug, Default)]
pub struct SettingsFile {
    path: PathBuf,
    everywhere: Section,
    sites: BTreeMap<String, SiteSection>,
    notify: Table,
}

/// The table of one site.
#[derive(Debug, Default)]
struct SiteSection {
    root: String,
    values: Section,
}

impl SettingsFile {
    /// Reads the text of a file at `path`, or says what is wrong with it.
    pub fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let refused = |what: String| format!("{}: {what}", path.display());
        let mut table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| refused(error.to_string().trim_end().to_owned()))?;
        let sites = tables(&mut table, "site", "news").map_err(refused)?;
        let notify = tables(&mut table, "notify", "team").map_err(refused)?;
        let everywhere = section(table, &TABLES).map_err(refused)?;
        let mut file = Self { path: path.to_path_buf(), everywhere, notify, ..Self::default() };
        for (name, site) in sites {
            let (Value::Table(mut site), Ok(_)) = (site, name.parse::<SiteId>()) else {
                return Err(refused(format!("[site.{name}] is no table with a site name")));
            };
            let root = site.remove("root");
            let values = section(site, &["root"]).map_err(|what| refused(format!("[site.{name}] {what}")))?;
            let Some(Value::String(root)) = root else {
                return Err(refused(format!("[site.{name}] needs root = \"URL\"")));
            };
            file.sites.insert(name, SiteSection { root, values });
        }
        Ok(file)
    }

    /// Returns where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the tables `[notify.NAME]`, as they stand.
    pub fn notify(&self) -> &Table {
        &self.notify
    }

    /// Returns the variables that the file names, as in `url-env = "NAME"`.
    pub fn named_variables(&self) -> BTreeSet<String> {
        let targets = self.notify.values().filter_map(Value::as_table);
        let keys = targets.flatten().filter(|(key, _)| key.ends_with("-env"));
        keys.filter_map(|(_, name)| name.as_str().map(str::to_owned)).collect()
    }

    /// Returns the names of the sites.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(String::as_str)
    }

    /// Returns the root of the site of this name, if the file has one.
    pub fn root_of(&self, name: &str) -> Option<&str> {
        self.sites.get(name).map(|site| site.root.as_str())
    }

    /// Returns the name of the table for `target`, by name or else by root.
    pub fn site_for(&self, target: &str, root: &PageUrl) -> Option<&str> {
        let same_root = |site: &SiteSection| page(&site.root).is_ok_and(|page| page == *root);
        let mut sites = self.sites.iter();
        let found = sites.find(|(name, site)| *name == target || same_root(site));
        found.map(|(name, _)| name.as_str())
    }

    /// Tells whether the file says something about a setting for all sites.
    pub fn says_everywhere(&self, setting: &str) -> bool {
        self.everywhere.contains_key(setting)
    }

    /// Returns what the file says about a setting, for this site or for all, and where it stands.
    pub(crate) fn find(&self, setting: &str, site: Option<&str>) -> Option<(&[String], String)> {
        let path = self.path.display();
        let of_site = site.and_then(|name| Some((name, self.sites.get(name)?.values.get(setting)?)));
        if let Some((name, values)) = of_site {
            return Some((values, format!("{path} [site.{name}]")));
        }
        Some((self.everywhere.get(setting)?, path.to_string()))
    }
}

/// Takes the tables `[KIND.NAME]` out of a file.
fn tables(file: &mut Table, kind: &str, example: &str) -> Result<Table, String> {
    match file.remove(kind) {
        None => Ok(Table::new()),
        Some(Value::Table(tables)) => Ok(tables),
        Some(_) => Err(format!("{kind} must be tables such as [{kind}.{example}]")),
    }
}

/// Reads the settings of a table in which names of `others` can stand, too; says all at once what cannot.
fn section(table: Table, others: &[&'static str]) -> Result<Section, String> {
    let mut section = Section::new();
    let mut problems = Vec::new();
    for (name, value) in table {
        let Some(known) = CRAWL.iter().map(|setting| setting.name).find(|known| *known == name) else {
            problems.push(unknown(&name, &value, others));
            continue;
        };
        match texts(value) {
            Some(values) => drop(section.insert(known, values)),
            None => problems.push(format!("{known} is neither text, number nor list")),
        }
    }
    if problems.is_empty() { Ok(section) } else { Err(problems.join("; ")) }
}

/// Says that there is no such setting, or no such table, and what was most likely meant.
fn unknown(name: &str, value: &Value, others: &[&'static str]) -> String {
    let names = CRAWL.iter().map(|setting| setting.name);
    if value.is_table() {
        let meant = nearest(name, others.iter().copied())
            .map_or_else(String::new, |other| format!("; did you mean [{other}.NAME]?"));
        return format!(
            "there is no table [{name}]{meant}; settings for all sites stand at the top of the file, those for one below [site.NAME]"
        );
    }
    match nearest(name, names.chain(others.iter().copied())) {
        Some(nearest) => format!("there is no setting {name:?}; did you mean {nearest}?"),
        None => format!("there is no setting {name:?}; `recrawl config` lists those that there are"),
    }
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
        assert!(file.says_everywhere("rate") && !file.says_everywhere("exclude"));
        assert_eq!(file.root_of("news"), Some("https://example.org/news"));
        let root = "https://example.org/news".parse().unwrap();
        let site = file.site_for("https://example.org/news", &root);
        assert_eq!(site, Some("news"));
        let (excluded, origin) = file.find("exclude", site).unwrap();
        assert_eq!((excluded.len(), origin.as_str()), (2, "recrawl.toml [site.news]"));
        assert_eq!(file.find("rate", site).unwrap().1, "recrawl.toml");
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_name() {
        let cases = [
            ("rate = ", "recrawl.toml: "),
            ("raet = 2", "there is no setting \"raet\"; did you mean rate?"),
            ("colour = 2", "there is no setting \"colour\"; `recrawl config` lists"),
            (
                "raet = 2\nmax_pages = 3",
                "did you mean max-pages?; there is no setting \"raet\"; did you mean rate?",
            ),
            ("[default]\nrate = 2", "there is no table [default]; settings for all sites stand at the top"),
            ("[sites.news]\nrate = 2", "there is no table [sites]; did you mean [site.NAME]?"),
            ("[notifier.team]\nurl = 2", "did you mean [notify.NAME]?"),
            (
                "[site.x]\nrooot = \"https://example.org/\"",
                "[site.x] there is no setting \"rooot\"; did you mean root?",
            ),
            ("[site.x]\nrate = 1", "needs root"),
            ("[site.\"X Y\"]\nroot = \"http://x/\"", "site name"),
            ("site = 1", "must be tables"),
            ("include = 2020-01-01", "neither text"),
        ];
        for (text, expected) in cases {
            let error = SettingsFile::parse(text, Path::new("recrawl.toml")).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
