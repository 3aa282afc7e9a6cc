//! `recrawl sites rename` and `recrawl sites remove`: a site under another name, or no more; and the sites that a service
//! watches.

mod watching;

use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::PathBuf;

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_reports::Extent;
use recrawl_stores::{Access, AnyStore, OpenStore, open};
use recrawl_supervisor::settings::{Edit, default_file};
use recrawl_supervisor::site_keeping;

use self::watching::{AddArguments, ListArguments, SetArguments, refuse_what_comes_back};
use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::source::StoreArguments;
use crate::read::wait_for;

/// What is done with a site.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum SitesAction {
    Add(AddArguments),
    List(ListArguments),
    Set(SetArguments),
    Rename(RenameArguments),
    Remove(RemoveArguments),
}

/// Give a site another name
///
/// Everything that was read of it is found under the new name, and its table in recrawl.toml is renamed, too. Its old
/// addresses on the web page, feeds among them, lead to the new ones. A crawl of the site has to be closed before.
#[derive(Debug, clap::Args)]
pub(crate) struct RenameArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The site
    #[arg(value_name = "OLD")]
    old: SiteId,

    /// The name that it gets
    #[arg(value_name = "NEW")]
    new: SiteId,

    /// The settings file in which it is renamed [default: recrawl.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Delete a site with all that was read of it
///
/// Says how much that is, and asks. Its table in recrawl.toml is removed, too. What dies half-way is finished by the same
/// command. A crawl of the site has to be closed before.
#[derive(Debug, clap::Args)]
pub(crate) struct RemoveArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// The site
    #[arg(value_name = "NAME")]
    name: SiteId,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// The settings file from which it is removed [default: recrawl.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl SitesAction {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        match self {
            Self::Add(arguments) => arguments.run(),
            Self::List(arguments) => arguments.run(),
            Self::Set(arguments) => arguments.run(),
            Self::Rename(arguments) => arguments.run(),
            Self::Remove(arguments) => arguments.run(),
        }
    }
}

impl RenameArguments {
    fn run(self) -> anyhow::Result<ExitStatus> {
        let Self { store: StoreArguments { store: address }, old, new, config } = self;
        wait_for(async {
            address.expect_existing()?;
            let store = open(&address, Access::Write).await?;
            expect_site(&*store.ports(), &old).await?;
            let mut edit = Edit::begin(config.as_deref())?;
            let has_table = edit.rename_site(&old, &new);
            if has_table {
                edit.check(new.as_str())?;
            }
            site_keeping::rename(&*store.ports(), &old, &new, Timestamp::now()).await?;
            output::note(&format!(
                "{old} is called {new} from now on; its old addresses on the web page lead there."
            ))?;
            settled(&store, &edit, has_table, config, &format!("[site.{old}] is [site.{new}]"))?;
            Ok(ExitStatus::Success)
        })
    }
}

impl RemoveArguments {
    fn run(self) -> anyhow::Result<ExitStatus> {
        let Self { store: StoreArguments { store: address }, name, yes, config } = self;
        wait_for(async {
            address.expect_existing()?;
            // A crawl that goes on meanwhile would write what nobody finds any more.
            let store = open(&address, Access::Crawl).await?;
            let ports = store.ports();
            expect_site(&*ports, &name).await?;
            refuse_what_comes_back(&store, &name).await?;
            site_keeping::refuse_while_crawled(&*ports, &name, "removed").await?;
            let extent = Extent::of(&*ports, &name).await?.in_words();
            if !yes && !is_confirmed(&name, &extent)? {
                output::note("Nothing was removed.")?;
                return Ok(ExitStatus::BrokenOff);
            }
            let mut edit = Edit::begin(config.as_deref())?;
            let has_table = edit.remove_site(&name);
            // Before the site is gone: otherwise `recrawl serve` would add it once more.
            settled(&store, &edit, has_table, config, &format!("[site.{name}] is removed"))?;
            site_keeping::remove(&*ports, &name).await?;
            ports.reclaim().await?;
            output::note(&format!("{name} is removed, with {extent}."))?;
            Ok(ExitStatus::Success)
        })
    }
}

async fn expect_site(store: &dyn AnyStore, name: &SiteId) -> anyhow::Result<()> {
    if store.site(name).await?.is_some() {
        return Ok(());
    }
    let names: Vec<String> = store.sites().await?.into_iter().map(|site| site.id.to_string()).collect();
    Err(usage(format!("the store has no site {name}: it holds {}", names.join(", "))))
}

/// Asks for the name of the site: what is deleted does not come back.
fn is_confirmed(name: &SiteId, extent: &str) -> anyhow::Result<bool> {
    if !stdin().is_terminal() {
        return Err(usage(format!(
            "{name} has {extent}, which would be deleted for good: say --yes to do so"
        )));
    }
    let mut out = stdout();
    write!(out, "{name} has {extent}, which are deleted for good. Type its name to do so: ")?;
    out.flush()?;
    let mut typed = String::new();
    stdin().read_line(&mut typed)?;
    Ok(typed.trim() == name.as_str())
}

/// Writes the settings file where it has a table for the site, and says what else is to be edited.
fn settled(
    store: &OpenStore,
    edit: &Edit,
    has_table: bool,
    config: Option<PathBuf>,
    done: &str,
) -> anyhow::Result<()> {
    if has_table {
        edit.write()?;
        let file = config.unwrap_or_else(default_file);
        output::note(&format!("{done} in {}.", file.display()))?;
    }
    if matches!(store, OpenStore::Remote(_)) {
        output::note("If the service or its schedule name the site (RECRAWL_SITE), change that as well.")?;
    }
    Ok(())
}
