//! `recrawl sites add`, `list` and `set`: the sites that a service watches.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_plan::{PlannedSite, SitePlan, WrittenBy};
use recrawl_core::url::PageUrl;
use recrawl_settings::{Bad, Environment, SettingsFile, SiteSettings, page};
use recrawl_sites::{SiteConfig, SiteError, SiteTargets};
use recrawl_stores::{Access, OpenStore, RemoteStore, open};
use serde::Serialize;

use crate::exit::{ExitStatus, usage};
use crate::output::{self, Column, PlainFormat, Sheet};
use crate::read::source::StoreArguments;
use crate::read::wait_for;

/// Let a service watch a further site
///
/// A history of the site that was copied into the store before is recognised by its root, and the next crawl goes on with it.
/// The service sees the site with its next tick, or as soon as somebody asks for one of its pages.
#[derive(Debug, clap::Args)]
pub(crate) struct AddArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The root of the site
    #[arg(value_name = "URL")]
    root: String,

    /// Settings of the site, such as `delay=2` or `'schedule=0 3 * * 1'`; a list has one for each value
    #[arg(value_name = "NAME=VALUE")]
    settings: Vec<String>,

    /// The name that it gets [default: one that follows from the root]
    #[arg(long, value_name = "NAME")]
    name: Option<SiteId>,

    /// A file with the tables `[notify.NAME]` of those who are told of its crawls, as in recrawl.toml
    #[arg(long, value_name = "FILE")]
    notify: Option<PathBuf>,
}

/// Change what is set about a site that a service watches
///
/// What is changed while the site is crawled counts from the next crawl on.
#[derive(Debug, clap::Args)]
pub(crate) struct SetArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The site
    #[arg(value_name = "SITE")]
    name: SiteId,

    /// Settings, such as `delay=2`; without a value, as `delay=`, what is set is taken back
    #[arg(value_name = "NAME=VALUE")]
    settings: Vec<String>,

    /// A file with the tables `[notify.NAME]` of those who are told, in place of those who were
    #[arg(long, value_name = "FILE")]
    notify: Option<PathBuf>,

    /// Watch the site no more; its history stays
    #[arg(long, conflicts_with_all = ["settings", "notify"])]
    unwatch: bool,
}

/// List the sites that a service watches, and what is set about each
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// A site as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    site: SiteId,
    root: PageUrl,
    /// What is set about it; nothing where nobody watches it, or the environment of the service says all.
    settings: SiteSettings,
    notify: Vec<String>,
    watched: bool,
    written_by: Option<WrittenBy>,
}

impl AddArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let root = page(&self.root).map_err(|Bad(expected)| usage(format!("the root must be {expected}")))?;
        let mut plan = SitePlan::default();
        apply(&mut plan.settings, &self.settings)?;
        if let Some(file) = self.notify.as_deref() {
            plan.notify = tables(file)?;
        }
        let name = self.name.clone().unwrap_or_else(|| SiteId::from_root(&root));
        check(&name, &root, &plan)?;
        wait_for(async {
            let store = remote(&self.store).await?;
            let added = recrawl_sites::add(&*store, self.name.as_ref(), &root, &plan, Timestamp::now());
            let added = added.await.map_err(refused)?;
            let goes_on = if added.has_history {
                "; its history was recognised by the root, and the next crawl goes on with it"
            } else {
                ""
            };
            output::note(&format!("{} is watched from now on{goes_on}.", added.id))?;
            let when = match plan.settings.get("schedule").and_then(|values| values.first()) {
                Some(schedule) => format!("It is crawled by its schedule, {schedule}"),
                None => "It has no schedule".to_owned(),
            };
            output::note(&format!(
                "{when}; to crawl it now: gcloud pubsub topics publish crawl --message={root}"
            ))?;
            Ok(ExitStatus::Success)
        })
    }
}

impl SetArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let notify = self.notify.as_deref().map(tables).transpose()?;
        wait_for(async {
            let store = remote(&self.store).await?;
            let stored = of_name(&*store, &self.name).await?;
            let now = Timestamp::now();
            if self.unwatch {
                recrawl_sites::change(&*store, &stored, None, now).await.map_err(refused)?;
                output::note(&format!("{} is watched no more; its history stays.", self.name))?;
                return Ok(ExitStatus::Success);
            }
            if self.settings.is_empty() && notify.is_none() {
                return Err(usage("say what to set, such as delay=2, --notify FILE or --unwatch"));
            }
            let mut plan = stored.plan.clone().unwrap_or_default();
            apply(&mut plan.settings, &self.settings)?;
            if let Some(notify) = notify {
                plan.notify = notify;
            }
            check(&self.name, &stored.site.root, &plan)?;
            recrawl_sites::change(&*store, &stored, Some(&plan), now).await.map_err(refused)?;
            output::note(&format!("What is set about {} counts from its next crawl on.", self.name))?;
            Ok(ExitStatus::Success)
        })
    }
}

impl ListArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let store = remote(&self.store).await?;
            let sites = store.planned_sites().await?;
            let listed: Vec<Listed> = sites.into_iter().map(Listed::from).collect();
            match self.format {
                PlainFormat::Json => output::print_json(&listed)?,
                PlainFormat::Table => {
                    let mut out = output::styled();
                    sheet(&listed).write_table(&mut out, output::terminal_width())?;
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

impl From<PlannedSite> for Listed {
    fn from(PlannedSite { site, plan }: PlannedSite) -> Self {
        let written_by = plan.as_ref().map(|plan| plan.written_by);
        let SitePlan { settings, notify, .. } = plan.unwrap_or_default();
        Self {
            site: site.id,
            root: site.root,
            settings,
            notify: notify.into_keys().collect(),
            watched: written_by.is_some(),
            written_by,
        }
    }
}

fn sheet(listed: &[Listed]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::new("site"),
        Column::new("root"),
        Column::new("schedule"),
        Column::new("told"),
        Column::flexible("settings"),
    ]);
    for Listed { site, root, settings, notify, written_by, .. } in listed {
        let of = |name: &str| settings.get(name).map(|values| values.join(", ")).unwrap_or_default();
        let schedule = format!("{} {}", of("schedule"), of("time-zone"));
        let others = settings.iter().filter(|(name, _)| !matches!(name.as_str(), "schedule" | "time-zone"));
        let others: Vec<String> =
            others.map(|(name, values)| format!("{name}={}", values.join(", "))).collect();
        let settings = match written_by {
            None => "as the environment of the service says, if that names it".to_owned(),
            Some(WrittenBy::Environment) => format!("{} (from RECRAWL_SITES)", others.join(" ")),
            Some(WrittenBy::Person) => others.join(" "),
        };
        sheet.push([
            site.as_str().into(),
            root.as_str().into(),
            schedule.trim().into(),
            notify.join(", ").into(),
            settings.trim().into(),
        ]);
    }
    sheet
}

/// Opens a store that a service keeps. The sites of a file stand in recrawl.toml.
async fn remote(arguments: &StoreArguments) -> anyhow::Result<Arc<dyn RemoteStore>> {
    let address = &arguments.store;
    if address.file().is_some() {
        return Err(usage(format!(
            "{address} is a file, whose sites stand in recrawl.toml: write [site.NAME] there; this is for the sites of a \
             service, as with --store firestore:PROJECT"
        )));
    }
    match open(address, Access::Write).await? {
        OpenStore::Remote(store) => Ok(store),
        OpenStore::Embedded(_) => Err(usage(format!("{address} is a file"))),
    }
}

async fn of_name(store: &dyn RemoteStore, name: &SiteId) -> anyhow::Result<PlannedSite> {
    let sites = store.planned_sites().await?;
    let names: Vec<String> = sites.iter().map(|stored| stored.site.id.to_string()).collect();
    let found = sites.into_iter().find(|stored| stored.site.id == *name);
    found.ok_or_else(|| usage(format!("the store has no site {name}: it holds {}", names.join(", "))))
}

/// Takes in settings that are written as `NAME=VALUE`; those that are said in place of what was set before.
fn apply(settings: &mut SiteSettings, said: &[String]) -> anyhow::Result<()> {
    let mut new: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for one in said {
        let (name, value) = one
            .split_once('=')
            .ok_or_else(|| usage(format!("{one:?} is no setting: write NAME=VALUE, such as delay=2")))?;
        let values = new.entry(name.trim()).or_default();
        if !value.is_empty() {
            values.push(value.to_owned());
        }
    }
    for (name, values) in new {
        if values.is_empty() {
            settings.remove(name);
        } else {
            settings.insert(name.to_owned(), values);
        }
    }
    Ok(())
}

/// Reads the tables of a file.
fn tables(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| usage(format!("{shown}: {error}")))?;
    let file = SettingsFile::parse(&text, path).map_err(usage)?;
    if file.notify().is_empty() {
        return Err(usage(format!("{shown} has no table [notify.NAME]")));
    }
    let table = |(name, table)| Ok((String::clone(name), serde_json::to_string(table)?));
    file.notify().iter().map(table).collect()
}

/// Checks all that can be wrong with what is written, but for the secrets, which the service has.
fn check(name: &SiteId, root: &PageUrl, plan: &SitePlan) -> anyhow::Result<()> {
    let read = SiteConfig::read(name, root, &plan.settings, &Environment::default(), false);
    let mut problems = read.err().unwrap_or_default();
    problems.extend(SiteTargets::problems(&plan.notify));
    if problems.is_empty() { Ok(()) } else { Err(usage(problems.join("\n"))) }
}

fn refused(error: SiteError) -> anyhow::Error {
    match error {
        SiteError::Refused(reason) => usage(reason),
        SiteError::Store(error) => error.into(),
    }
}

/// Refuses to remove what would come back: the service writes it anew when it starts.
pub(super) async fn refuse_what_comes_back(store: &OpenStore, name: &SiteId) -> anyhow::Result<()> {
    let OpenStore::Remote(store) = store else { return Ok(()) };
    let stored = of_name(&**store, name).await?;
    if stored.plan.is_some_and(|plan| plan.written_by == WrittenBy::Environment) {
        return Err(usage(format!(
            "{name} stands in the environment of the service (RECRAWL_SITES, which Terraform writes as `sites`): take it \
             out there before"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_said_one_by_one_and_taken_back() {
        let mut settings = SiteSettings::new();
        let say = |settings: &mut SiteSettings, said: &[&str]| {
            let said: Vec<String> = said.iter().map(|one| (*one).to_owned()).collect();
            apply(settings, &said)
        };
        say(&mut settings, &["delay=2", "exclude=*/a/*", "exclude=*?b=1", "schedule=0 3 * * 1"]).unwrap();
        assert_eq!(settings["exclude"], ["*/a/*", "*?b=1"]);
        assert_eq!(settings["schedule"], ["0 3 * * 1"]);
        say(&mut settings, &["delay=", "exclude=*.zip"]).unwrap();
        assert_eq!(settings.keys().collect::<Vec<_>>(), ["exclude", "schedule"]);
        assert_eq!(settings["exclude"], ["*.zip"]);
        assert!(say(&mut settings, &["delay"]).unwrap_err().to_string().contains("write NAME=VALUE"));
    }
}
