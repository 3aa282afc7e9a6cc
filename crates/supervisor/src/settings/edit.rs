//! Edits `recrawl.toml` for the web page: comments and order stay, and a change is checked before it is written.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::url::PageUrl;
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::{CommandLine, Settings, SettingsFile, page, resolve, scope};
use crate::usage;

/// A settings file that is being changed.
pub struct Edit {
    path: PathBuf,
    document: DocumentMut,
    file: SettingsFile,
}

impl Edit {
    /// Reads `named`, or `recrawl.toml`; a file that is not there is empty.
    pub fn begin(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = named.map_or_else(super::default_file, Path::to_path_buf);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(usage(format!("{} cannot be read: {error}", path.display()))),
        };
        Self::of(&text, path)
    }

    /// Begins to change the text of a file at `path`.
    pub fn of(text: &str, path: PathBuf) -> anyhow::Result<Self> {
        let file = SettingsFile::parse(text, &path).map_err(usage)?;
        let document = text.parse().with_context(|| format!("{} cannot be edited", path.display()))?;
        Ok(Self { path, document, file })
    }

    /// Adds the table of a site; its name and its root must be new.
    pub fn add_site(&mut self, name: &SiteId, root: &PageUrl) -> anyhow::Result<()> {
        if self.file.root_of(name.as_str()).is_some() {
            return Err(usage(format!("there is a site {name} already; give this one another name")));
        }
        if let Some(other) = self.file.site_for(name.as_str(), root) {
            return Err(usage(format!("{root} is the site {other} already")));
        }
        self.new_table(name.as_str(), root)
    }

    /// Returns the name of the table of a site. One that is only in the store gets a table, with its scope.
    pub fn table_for(&mut self, site: &Site) -> anyhow::Result<String> {
        if let Some(name) = self.file.site_for(site.id.as_str(), &site.root) {
            return Ok(name.to_owned());
        }
        let name = site.id.to_string();
        self.new_table(&name, &site.root)?;
        let ScopeSettings { include, exclude, subdomains, extra_hosts, max_depth, allow_private, list: _ } =
            &site.scope;
        for (key, values) in [("include", include), ("exclude", exclude), ("extra-host", extra_hosts)] {
            self.set_list(&name, key, values);
        }
        for (key, is_set) in [("subdomains", *subdomains), ("allow-private", *allow_private)] {
            if is_set {
                self.set(&name, key, value(true));
            }
        }
        if let Some(depth) = max_depth {
            self.set(&name, "max-depth", value(i64::from(*depth)));
        }
        Ok(name)
    }

    /// Sets a list of a site. An empty one is left out, unless it takes back what holds for all sites.
    pub fn set_list(&mut self, name: &str, key: &'static str, values: &[String]) {
        if values.is_empty() && !self.file.says_everywhere(key) {
            self.remove(name, key);
        } else {
            self.set(name, key, value(values.iter().collect::<Array>()));
        }
    }

    /// Sets a text of a site. `None` is left out, unless it takes back what holds for all sites.
    pub fn set_text(&mut self, name: &str, key: &'static str, text: Option<&str>) {
        match text {
            Some(text) => self.set(name, key, value(text)),
            None if self.file.says_everywhere(key) => self.set(name, key, value("none")),
            None => self.remove(name, key),
        }
    }

    /// Removes a setting of a site.
    pub fn remove(&mut self, name: &str, key: &str) {
        if let Some(table) = self.document["site"][name].as_table_like_mut() {
            table.remove(key);
        }
    }

    /// Gives the table of a site another name, where there is one of its name; tells whether there was.
    pub fn rename_site(&mut self, name: &SiteId, to: &SiteId) -> bool {
        let Some(sites) = self.document.get_mut("site").and_then(Item::as_table_like_mut) else {
            return false;
        };
        let Some(table) = sites.remove(name.as_str()) else { return false };
        sites.insert(to.as_str(), table);
        true
    }

    /// Removes the table of a site, where there is one of its name; tells whether there was.
    pub fn remove_site(&mut self, name: &SiteId) -> bool {
        let sites = self.document.get_mut("site").and_then(Item::as_table_like_mut);
        sites.is_some_and(|sites| sites.remove(name.as_str()).is_some())
    }

    /// Returns the settings that the changed file would give `name`, by the code that reads it.
    pub fn check(&self, name: &str) -> anyhow::Result<Settings> {
        let file = SettingsFile::parse(&self.document.to_string(), &self.path).map_err(usage)?;
        let settings = resolve(name, &CommandLine::default(), &file)?.settings;
        scope(&settings)?;
        Ok(settings)
    }

    /// Writes the changed file beside the old one and puts it in its place, so that there is always a whole one.
    pub fn write(&self) -> anyhow::Result<()> {
        // The file itself, and not a link to it, is replaced.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let mut beside = path.clone().into_os_string();
        beside.push(format!(".{}.new", std::process::id()));
        let written = write_whole(&path, Path::new(&beside), &self.document.to_string());
        if written.is_err() {
            // Nobody would look for what was not finished.
            let _ = std::fs::remove_file(&beside);
        }
        written.with_context(|| format!("{} cannot be written", path.display()))
    }

    fn new_table(&mut self, name: &str, root: &PageUrl) -> anyhow::Result<()> {
        // What is typed in must come back as the same page.
        page(root.as_str())?;
        // What stands behind everything would otherwise come to stand behind the new table.
        let before = self.document.trailing().as_str().unwrap_or_default().to_owned();
        self.document.set_trailing("");
        let sites = self.document.entry("site").or_insert_with(|| {
            let mut sites = Table::new();
            sites.set_implicit(true);
            Item::Table(sites)
        });
        let sites = sites.as_table_like_mut().context("site must be tables such as [site.news]")?;
        let mut table = Table::new();
        table.insert("root", value(root.as_str()));
        table.decor_mut().set_prefix(format!("{before}\n"));
        sites.insert(name, Item::Table(table));
        Ok(())
    }

    fn set(&mut self, name: &str, key: &str, mut new: Item) {
        let Some(table) = self.document["site"][name].as_table_like_mut() else { return };
        // A comment behind the old value stays where it was.
        if let (Some(old), Some(new)) = (table.get(key).and_then(Item::as_value), new.as_value_mut()) {
            *new.decor_mut() = old.decor().clone();
        }
        table.insert(key, new);
    }
}

fn write_whole(path: &Path, beside: &Path, text: &str) -> std::io::Result<()> {
    let mut file = std::fs::File::create(beside)?;
    if let Ok(old) = std::fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(beside, path)
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::ids::SiteId;

    use super::*;

    const TEXT: &str = "# mine\ncontact = \"https://example.org/me\" # reach me\n\n# the city\n[site.news]\n\
                        root = \"https://example.org/news\"\nexclude = [\"*/tag/*\"] # tags\n\n[notify.file]\nkind = \
                        \"markdown\"\npath = \"a.md\"\n";

    fn file(text: Option<&str>) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recrawl.toml");
        if let Some(text) = text {
            std::fs::write(&path, text).unwrap();
        }
        (folder, path)
    }

    fn stored(id: &str, root: &str) -> Site {
        Site {
            id: id.parse().unwrap(),
            root: root.parse().unwrap(),
            scope: ScopeSettings { exclude: vec!["*.zip".to_owned()], ..ScopeSettings::default() },
            created_at: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn comments_and_order_stay() {
        let (_folder, path) = file(Some(TEXT));
        let mut edit = Edit::begin(Some(&path)).unwrap();
        edit.set_list("news", "exclude", &["*/old/*".to_owned()]);
        edit.set_text("news", "schedule", Some("0 3 * * 1"));
        let id: SiteId = "more".parse().unwrap();
        edit.add_site(&id, &"https://example.org/more".parse().unwrap()).unwrap();
        assert_eq!(edit.check("more").unwrap().root.as_str(), "https://example.org/more");
        edit.write().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in [
            "# mine",
            "contact = \"https://example.org/me\" # reach me",
            "# the city",
            "exclude = [\"*/old/*\"] # tags",
            "schedule = \"0 3 * * 1\"",
            "[site.more]",
            "kind = \"markdown\"",
        ] {
            assert!(text.lines().any(|written| written == line), "{line}\n{text}");
        }
        assert!(!text.contains("[site]\n"), "{text}");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing lies beside it");
    }

    #[test]
    fn a_comment_at_the_end_stays_before_a_new_table() {
        for (text, expected) in [
            ("# mine\n", "# mine\n\n[site.a]\nroot = \"https://example.org/\"\n"),
            ("rate = 1\n# end\n", "rate = 1\n# end\n\n[site.a]\nroot = \"https://example.org/\"\n"),
        ] {
            let (_folder, path) = file(Some(text));
            let mut edit = Edit::begin(Some(&path)).unwrap();
            edit.add_site(&"a".parse().unwrap(), &"https://example.org/".parse().unwrap()).unwrap();
            assert_eq!(edit.document.to_string(), expected);
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_made() {
        let (_folder, path) = file(None);
        let mut edit = Edit::begin(Some(&path)).unwrap();
        edit.add_site(&"a".parse().unwrap(), &"https://example.org/".parse().unwrap()).unwrap();
        edit.write().unwrap();
        assert_eq!(Edit::begin(Some(&path)).unwrap().check("a").unwrap().site.as_str(), "a");
    }

    #[test]
    fn a_name_or_root_that_exists_is_refused() {
        let (_folder, path) = file(Some(TEXT));
        for (name, root, expected) in [
            ("news", "https://example.org/other", "there is a site news already"),
            ("other", "https://example.org/news", "is the site news already"),
        ] {
            let mut edit = Edit::begin(Some(&path)).unwrap();
            let error = edit.add_site(&name.parse().unwrap(), &root.parse().unwrap()).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn a_site_of_the_store_gets_a_table_with_its_scope() {
        let (_folder, path) = file(Some(TEXT));
        let mut edit = Edit::begin(Some(&path)).unwrap();
        assert_eq!(edit.table_for(&stored("renamed", "https://example.org/news")).unwrap(), "news");
        let name = edit.table_for(&stored("docs", "https://example.org/docs")).unwrap();
        assert_eq!(edit.check(&name).unwrap().scope.exclude, ["*.zip"]);
    }

    #[test]
    fn what_is_taken_away_is_left_out_or_taken_back_from_all_sites() {
        let (_folder, path) =
            file(Some(&format!("schedule = \"0 3 * * 1\"\nignore-regex = [\"x\"]\n{TEXT}")));
        let mut edit = Edit::begin(Some(&path)).unwrap();
        assert!(edit.check("news").unwrap().crawl.timetable().is_some());
        edit.set_text("news", "schedule", None);
        edit.set_list("news", "ignore-regex", &[]);
        edit.set_list("news", "exclude", &[]);
        let text = edit.document.to_string();
        assert!(text.contains("schedule = \"none\"") && text.contains("ignore-regex = []"), "{text}");
        assert!(!text.contains("exclude"), "{text}");
        assert!(edit.check("news").unwrap().crawl.timetable().is_none());
    }

    #[test]
    fn a_table_is_renamed_or_removed_with_what_belongs_to_it_and_nothing_else() {
        let (_folder, path) = file(Some(TEXT));
        let (news, new): (SiteId, SiteId) = ("news".parse().unwrap(), "city-news".parse().unwrap());
        let mut edit = Edit::begin(Some(&path)).unwrap();
        assert!(edit.rename_site(&news, &new) && !edit.rename_site(&news, &new));
        assert_eq!(edit.document.to_string(), TEXT.replace("[site.news]", "[site.city-news]"));
        assert_eq!(edit.check("city-news").unwrap().site, new);
        let mut edit = Edit::begin(Some(&path)).unwrap();
        assert!(edit.remove_site(&news) && !edit.remove_site(&news));
        let text = edit.document.to_string();
        assert!(text.starts_with("# mine\ncontact") && text.contains("[notify.file]"), "{text}");
        assert!(!text.contains("news"), "{text}");
    }

    #[test]
    fn what_cannot_be_read_back_is_refused() {
        let (_folder, path) = file(Some(TEXT));
        for (key, bad) in [("exclude", "[z-a"), ("ignore-selector", "p["), ("ignore-regex", "(")] {
            let mut edit = Edit::begin(Some(&path)).unwrap();
            edit.set_list("news", key, &[bad.to_owned()]);
            assert!(edit.check("news").is_err(), "{key}");
        }
    }
}
