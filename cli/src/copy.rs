//! `recrawl copy`: moves a history between stores, and goes on where it stopped.

use recrawl_core::model::ids::SiteId;
use recrawl_stores::copy::{Copied, copy_site, name_in};
use recrawl_stores::{Access, StoreAddress, open};

use crate::exit::{ExitStatus, usage};
use crate::output::{self, counted};
use crate::read::wait_for;

/// Copy a history from one store to another, such as from SQLite to Firestore or back
///
/// What the other store already has stays as it is, so the same command finishes a copy that was interrupted,
/// and copies nothing once it is complete.
#[derive(Debug, clap::Args)]
pub(crate) struct CopyArguments {
    /// The store to read: sqlite:PATH or firestore:PROJECT
    #[arg(long, value_name = "STORE")]
    from: StoreAddress,

    /// The store to write: sqlite:PATH or firestore:PROJECT
    #[arg(long, value_name = "STORE")]
    to: StoreAddress,

    /// The site to copy [default: all]
    #[arg(long, value_name = "NAME")]
    site: Option<SiteId>,

    /// The name of the site in the other store [default: that of the site with the same root there, or its own]
    #[arg(long = "as", alias = "site-name", value_name = "NAME")]
    name: Option<SiteId>,
}

impl CopyArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        if self.from == self.to {
            return Err(usage("a store cannot be copied onto itself: --from and --to are the same"));
        }
        wait_for(async {
            self.from.expect_existing()?;
            let from = open(&self.from, Access::Read).await?.ports();
            let sites = from.sites().await?;
            let wanted: Vec<_> =
                sites.iter().filter(|site| self.site.as_ref().is_none_or(|name| *name == site.id)).collect();
            if wanted.is_empty() {
                let names: Vec<&str> = sites.iter().map(|site| site.id.as_str()).collect();
                return Err(match &self.site {
                    Some(name) if !names.is_empty() => {
                        usage(format!("the store has no site {name}: it holds {}", names.join(", ")))
                    }
                    Some(_) | None => usage("the store holds no site yet, so there is nothing to copy"),
                });
            }
            if self.name.is_some() && wanted.len() > 1 {
                return Err(usage("one name is not enough for several sites: say which one with --site"));
            }
            // A crawl that goes on meanwhile would find its own site half there.
            let to = open(&self.to, Access::Crawl).await?.ports();
            let mut copied = Copied::default();
            for site in wanted {
                let name = name_in(&*to, site, self.name.as_ref()).await?;
                if name != site.id {
                    output::note(&format!("{} is {name} there.", site.id))?;
                }
                copied = copied + copy_site(&*from, &*to, site, &name).await?;
            }
            let were = |count, what| {
                if count == 1 { format!("1 {what} was") } else { format!("{} were", counted(count, what)) }
            };
            output::note(&format!(
                "copied {} of {}; {} there already{}",
                counted(copied.records, "visit"),
                counted(copied.crawls, "crawl"),
                were(copied.present, "visit"),
                match copied.present_crawls {
                    0 => String::new(),
                    whole => format!(", {} as a whole", counted(whole, "crawl")),
                },
            ))?;
            Ok(ExitStatus::Success)
        })
    }
}
