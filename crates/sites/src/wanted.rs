//! Sites that the environment of the service names (`RECRAWL_SITES`), as Terraform writes them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_plan::{PlannedSite, SitePlan, WrittenBy};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_settings::{Bad, Environment, page};
use serde::Deserialize;
use serde_json::Value;

use crate::config::SiteConfig;
use crate::keeping::{SiteStore, begin_schedule, of_root, site_of};
use crate::targets::SiteTargets;

/// A site that the environment names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedSite {
    /// Its name.
    pub id: SiteId,
    /// Its root; `None` of the site whose root the environment says elsewhere.
    pub root: Option<PageUrl>,
    /// What is written about it.
    pub plan: SitePlan,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    root: Option<String>,
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    #[serde(default)]
    notify: Value,
}

impl WantedSite {
    /// Reads the value of the variable, a site by its name; `own` is the site of `RECRAWL_ROOT`. Everything that is wrong is
    /// said at once, with the site it is about.
    pub fn read_all(json: &str, own: &SiteId, environment: &Environment) -> Result<Vec<Self>, Vec<String>> {
        let written: BTreeMap<String, Written> =
            serde_json::from_str(json).map_err(|error| vec![format!("cannot be read: {error}")])?;
        let (mut wanted, mut problems) = (Vec::new(), Vec::new());
        for (name, written) in written {
            match read(&name, written, own, environment) {
                Ok(site) => wanted.push(site),
                Err(why) => problems.extend(why.into_iter().map(|why| format!("site {name}: {why}"))),
            }
        }
        if problems.is_empty() { Ok(wanted) } else { Err(problems) }
    }

    /// Reads tables `[notify.NAME]` that stand as one JSON object.
    pub fn tables(json: &str) -> Result<BTreeMap<String, String>, Vec<String>> {
        let value = serde_json::from_str(json).map_err(|error| vec![error.to_string()])?;
        let tables = tables(&value).map_err(|why| vec![why])?;
        let problems = SiteTargets::problems(&tables);
        if problems.is_empty() { Ok(tables) } else { Err(problems) }
    }
}

fn read(
    name: &str,
    written: Written,
    own: &SiteId,
    environment: &Environment,
) -> Result<WantedSite, Vec<String>> {
    let one = |why: String| vec![why];
    let id: SiteId = name.parse().map_err(|error| one(format!("{error}")))?;
    let root = written.root.as_deref().map(page).transpose();
    let root = root.map_err(|Bad(expected)| one(format!("root must be {expected}")))?;
    if root.is_none() && id != *own {
        return Err(one("it needs a root".to_owned()));
    }
    let settings = written.settings.into_iter().map(|(name, value)| match texts(&value) {
        Some(values) => Ok((name, values)),
        None => Err(format!("{name} is neither text, number, truth nor a list of them")),
    });
    let settings: BTreeMap<String, Vec<String>> = settings.collect::<Result<_, _>>().map_err(one)?;
    let notify = tables(&written.notify).map_err(one)?;
    let mut problems = SiteTargets::problems(&notify);
    let somewhere = "https://example.org/".parse().ok();
    if let Some(root) = root.as_ref().or(somewhere.as_ref()) {
        let checked = SiteConfig::read(&id, root, &settings, environment, id == *own);
        problems.extend(checked.err().into_iter().flatten());
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(WantedSite { id, root, plan: SitePlan { settings, notify, written_by: WrittenBy::Environment } })
}

/// Returns the tables in an object, or in the text of one: Terraform has no type for tables that differ.
fn tables(value: &Value) -> Result<BTreeMap<String, String>, String> {
    match value {
        Value::Null => Ok(BTreeMap::new()),
        Value::String(text) if text.trim().is_empty() => Ok(BTreeMap::new()),
        Value::String(text) => {
            let value = serde_json::from_str(text).map_err(|error| format!("notify: {error}"))?;
            if matches!(value, Value::String(_)) { Err(not_tables()) } else { tables(&value) }
        }
        Value::Object(tables) => {
            Ok(tables.iter().map(|(name, table)| (name.clone(), table.to_string())).collect())
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(not_tables()),
    }
}

fn not_tables() -> String {
    "notify must be tables by the names of targets".to_owned()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Number(number) => Some(vec![number.to_string()]),
        Value::Bool(truth) => Some(vec![truth.to_string()]),
        Value::Array(values) => {
            let texts: Option<Vec<Vec<String>>> = values.iter().map(texts).collect();
            texts.map(|texts| texts.concat())
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// Writes what the environment says about sites, where the store does not say the same. A site that is stored under another
/// name is recognised by its root. What it said of sites earlier and does not say any more is taken away: they are watched no
/// more, and their history stays.
pub async fn sync(
    store: &(impl SiteStore + ?Sized),
    wanted: &[WantedSite],
    own: (&SiteId, &PageUrl),
    now: Timestamp,
) -> Result<(), StoreError> {
    let there = store.planned_sites().await?;
    let mut kept = Vec::new();
    for site in wanted {
        let root = site.root.as_ref().unwrap_or(own.1);
        let stored = there.iter().find(|stored| stored.site.id == site.id).or_else(|| of_root(&there, root));
        let id = stored.map_or(&site.id, |stored| &stored.site.id);
        kept.push(id.clone());
        // What belongs to the site is written by whoever takes it up, by its settings.
        if stored.is_none_or(|stored| stored.site.root != *root) {
            let created_at = stored.map_or(now, |stored| stored.site.created_at);
            store.save_site(&site_of(id, root, created_at)).await?;
        }
        let before = stored.and_then(|stored| stored.plan.as_ref());
        if before != Some(&site.plan) {
            begin_schedule(store, id, before, &site.plan, now).await?;
            store.save_plan(id, Some(&site.plan)).await?;
        }
    }
    let is_from_here = |stored: &&PlannedSite| {
        stored.plan.as_ref().is_some_and(|plan| plan.written_by == WrittenBy::Environment)
    };
    for stored in there.iter().filter(is_from_here).filter(|stored| !kept.contains(&stored.site.id)) {
        store.save_plan(&stored.site.id, None).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use recrawl_core::memory::MemoryStore;
    use recrawl_core::model::scope::ScopeSettings;
    use recrawl_core::ports::{SitePlans, Store};

    use super::*;

    fn read(json: &str) -> Result<Vec<WantedSite>, Vec<String>> {
        WantedSite::read_all(json, &"default".parse().unwrap(), &Environment::default())
    }

    #[test]
    fn sites_are_read_as_terraform_writes_them() {
        let sites = read(
            r#"{"port": {"root": "https://port.example", "settings": {"delay": 2, "exclude": ["*/a/*", "*/b/*"],
                "subdomains": true, "schedule": "0 4 * * *"},
                "notify": "{\"team\": {\"kind\": \"slack\", \"url-env\": \"HOOK\"}}"},
                "default": {"notify": {"team": {"kind": "slack", "url-env": "HOOK"}}}}"#,
        )
        .unwrap();
        let [default, port] = &sites[..] else { panic!("{sites:?}") };
        assert_eq!((default.id.as_str(), &default.root), ("default", &None));
        assert_eq!(default.plan.notify, port.plan.notify, "as an object or as its text");
        assert_eq!(port.root.as_ref().unwrap().as_str(), "https://port.example/");
        assert_eq!(port.plan.settings["exclude"], ["*/a/*", "*/b/*"]);
        assert_eq!(
            (&port.plan.settings["delay"][0], &port.plan.settings["subdomains"][0]),
            (&"2".into(), &"true".into())
        );
        assert!(read("{}").unwrap().is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_site() {
        for (json, expected) in [
            ("[]", "cannot be read"),
            (r#"{"port": {}}"#, "site port: it needs a root"),
            (r#"{"Port": {"root": "https://port.example/"}}"#, "is not a site name"),
            (r#"{"port": {"root": "ftp://port.example/"}}"#, "site port: root must be"),
            (r#"{"port": {"root": "https://p.example/", "settings": {"dealy": 2}}}"#, "did you mean delay?"),
            (r#"{"port": {"root": "https://p.example/", "settings": {"delay": {}}}}"#, "delay is neither"),
            (r#"{"port": {"root": "https://p.example/", "notify": []}}"#, "must be tables"),
            (r#"{"port": {"root": "https://p.example/", "notify": {"a": {"kind": "smoke"}}}}"#, "[notify.a]"),
            (r#"{"port": {"root": "https://p.example/", "colour": 1}}"#, "unknown field"),
        ] {
            let problems = read(json).unwrap_err().join("\n");
            assert!(problems.contains(expected), "{json}: {problems}");
        }
    }

    async fn stored(store: &MemoryStore) -> Vec<(String, String, bool)> {
        let sites = store.planned_sites().await.unwrap().into_iter();
        sites
            .map(|stored| (stored.site.id.to_string(), stored.site.root.to_string(), stored.plan.is_some()))
            .collect()
    }

    #[tokio::test]
    async fn what_the_environment_says_is_written_and_what_it_said_before_is_taken_away() {
        let store = MemoryStore::default();
        let now = "2026-11-16T03:00:00Z".parse().unwrap();
        let (id, root) = ("default".parse().unwrap(), "https://town.example/".parse().unwrap());
        let own = (&id, &root);
        let scope = ScopeSettings::default();
        // A history that was copied here under its own name, and a site that a person added.
        let copied: PageUrl = "https://port.example/".parse().unwrap();
        store.save_site(&site_of(&"www.port".parse().unwrap(), &copied, now)).await.unwrap();
        store.save_site(&site_of(&"mine".parse().unwrap(), &root, now)).await.unwrap();
        store.save_plan(&"mine".parse().unwrap(), Some(&SitePlan::default())).await.unwrap();
        let both =
            read(r#"{"port": {"root": "https://port.example/"}, "fair": {"root": "https://fair.example/"}}"#);
        for _ in 0..2 {
            sync(&store, both.as_ref().unwrap(), own, now).await.unwrap();
        }
        let site = |name: &str, root: &str, has_plan| (name.to_owned(), root.to_owned(), has_plan);
        assert_eq!(
            stored(&store).await,
            [
                site("fair", "https://fair.example/", true),
                site("mine", "https://town.example/", true),
                site("www.port", "https://port.example/", true),
            ]
        );
        assert_eq!(store.site(&"fair".parse().unwrap()).await.unwrap().unwrap().scope, scope);
        sync(&store, &[], own, now).await.unwrap();
        let plans: Vec<bool> = stored(&store).await.into_iter().map(|(_, _, has_plan)| has_plan).collect();
        assert_eq!(plans, [false, true, false], "what a person wrote stays");
    }
}
