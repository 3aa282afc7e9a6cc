//! `recrawl demo`: a small site on this machine, crawled, changed and crawled again.

mod site;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use recrawl_engine::{Ended, Event, Observer, StopHandle};
use recrawl_stores::file::Scratch;
use recrawl_stores::{Access, StoreAddress, open_file};
use recrawl_supervisor::crawl::{Crawled, RunOptions, crawl};
use recrawl_supervisor::settings::CommandLine;

use self::site::DemoSite;
use crate::exit::ExitStatus;
use crate::settings::{self, Settings, SettingsFile};
use crate::{Arguments, output, summary};

/// Fast enough to be a demonstration; the site is ours.
const DELAY: Duration = Duration::from_millis(50);

/// Show what recrawl does, on a small site that it serves itself; needs no network
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep what was found in this store [default: nowhere]
    #[arg(long, value_name = "sqlite:PATH")]
    store: Option<StoreAddress>,
}

/// The demo has no progress to show: it takes seconds.
struct Silent;

impl Observer for Silent {
    fn on(&self, _event: Event<'_>) {}
}

impl DemoArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let scratch = Scratch::new("demo");
        let kept =
            self.store.as_ref().map(|address| address.expect_file().map(Path::to_path_buf)).transpose()?;
        let path = kept.clone().unwrap_or_else(|| scratch.path().to_path_buf());
        let runtime = tokio::runtime::Runtime::new()?;
        let root = runtime.block_on(crawl_twice(&path))?;
        let store = format!("sqlite:{}", path.display());
        command(&["changes"], &store)?;
        command(&["diff", &format!("{root}bridge")], &store)?;
        command(&["crawls"], &store)?;
        say(&next_steps(kept.as_ref()))?;
        Ok(ExitStatus::Success)
    }
}

/// Crawls the site in its first week and in its second, and returns its root.
async fn crawl_twice(path: &Path) -> anyhow::Result<String> {
    let site = DemoSite::serve().await?;
    let resolved = settings::resolve(&site.root, &CommandLine::default(), &SettingsFile::default())?;
    let mut settings = resolved.settings;
    settings.crawl.delay = Some(DELAY);
    say(&format!("A small site is served at {}. It is crawled for the first time:\n", site.root))?;
    crawl_once(&settings, path).await?;
    site.change();
    say("\nA week goes by: the bridge opens later, the fair is over, parking moved, there is a bike lane.")?;
    say("The site is crawled again:\n")?;
    crawl_once(&settings, path).await?;
    Ok(site.root)
}

async fn crawl_once(settings: &Settings, path: &Path) -> anyhow::Result<()> {
    let store = open_file(path, Access::Write)?;
    let Crawled { site, crawl, ended } =
        crawl(settings, RunOptions::default(), store.clone(), StopHandle::default(), Arc::new(Silent))
            .await?;
    let Ended::Closed(closed) = ended else {
        anyhow::bail!("the demonstration could not be finished: {ended:?}")
    };
    let mut out = output::styled();
    summary::write(&mut out, &site, &crawl, &closed, &*store, None).await?;
    out.flush()?;
    Ok(())
}

/// Runs a reading command as a person would, and shows how to type it.
fn command(words: &[&str], store: &str) -> anyhow::Result<()> {
    say(&format!("\n$ recrawl {}\n", words.join(" ")))?;
    let arguments: Vec<OsString> =
        ["recrawl"].iter().chain(words).chain(&["--store", store]).map(OsString::from).collect();
    let arguments = <Arguments as clap::Parser>::try_parse_from(arguments)?;
    arguments.run()?;
    Ok(())
}

fn say(line: &str) -> anyhow::Result<()> {
    let mut out = output::styled();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}

fn next_steps(kept: Option<&PathBuf>) -> String {
    let kept = kept.map_or_else(String::new, |path| format!("\nEverything is in {}.", path.display()));
    format!(
        "{kept}\nNow a real site, at one request a second: recrawl crawl https://example.org/news\nAnd all of it in the \
         browser: recrawl serve --open"
    )
}
