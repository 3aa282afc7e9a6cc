//! `recrawl demo`: a small site on this machine, crawled, changed and crawled again.

mod capsule;
mod site;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use recrawl_engine::{Ended, Event, Observer, StopHandle};
use recrawl_stores::file::Scratch;
use recrawl_stores::{Access, StoreAddress, open_file};
use recrawl_supervisor::crawl::{Crawled, RunOptions, crawl};
use recrawl_supervisor::settings::CommandLine;

use self::capsule::DemoCapsule;
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

    /// Show it in the browser, too, until Ctrl-C; the small site can be crawled again from there
    #[arg(long)]
    open: bool,

    /// Serve and crawl a Gemini capsule in place of a web site
    #[arg(long)]
    gemini: bool,
}

/// The town whose pages are served.
enum Town {
    Site(DemoSite),
    Capsule(DemoCapsule),
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
        // It serves the site until the end.
        let runtime = tokio::runtime::Runtime::new()?;
        let root = runtime.block_on(crawl_twice(&path, self.gemini))?;
        let store = format!("sqlite:{}", path.display());
        command(&["changes"], &store)?;
        command(&["diff", &format!("{root}bridge")], &store)?;
        command(&["crawls"], &store)?;
        if self.gemini {
            command(&["history", &format!("{root}bridge")], &store)?;
            command(&["certificate", &root], &store)?;
        }
        if self.open {
            return open(&store, &scratch);
        }
        say(&next_steps(kept.as_deref(), self.gemini))?;
        Ok(ExitStatus::Success)
    }
}

/// Crawls the site in its first week and in its second, and returns its root.
async fn crawl_twice(path: &Path, gemini: bool) -> anyhow::Result<String> {
    let town = if gemini {
        Town::Capsule(DemoCapsule::serve().await?)
    } else {
        Town::Site(DemoSite::serve().await?)
    };
    let (root, what) = match &town {
        Town::Site(site) => (site.root.clone(), "site"),
        Town::Capsule(capsule) => (capsule.root.clone(), "capsule"),
    };
    let resolved = settings::resolve(&root, &CommandLine::default(), &SettingsFile::default())?;
    let mut settings = resolved.settings;
    settings.crawl.delay = Some(DELAY);
    say(&format!("A small {what} is served at {root}. It is crawled for the first time:\n"))?;
    crawl_once(&settings, path).await?;
    match &town {
        Town::Site(site) => site.change(),
        Town::Capsule(capsule) => capsule.change(),
    }
    say("\nA week goes by: the bridge opens later, the fair is over, parking moved, there is a bike lane.")?;
    say(&format!("The {what} is crawled again:\n"))?;
    crawl_once(&settings, path).await?;
    Ok(root)
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

/// Shows a store in the browser until somebody ends it. The settings are its own: those of this folder name other sites,
/// which nobody asked to crawl.
fn open(store: &str, scratch: &Scratch) -> anyhow::Result<ExitStatus> {
    let settings = scratch.settings();
    std::fs::write(&settings, "").with_context(|| format!("cannot write {}", settings.display()))?;
    say("")?;
    let words =
        ["recrawl", "serve", "--open", "--listen", "0", "--store", store, "--config"].map(OsString::from);
    run(words.into_iter().chain([settings.into_os_string()]))
}

/// Runs a reading command as a person would, and shows how to type it.
fn command(words: &[&str], store: &str) -> anyhow::Result<()> {
    say(&format!("\n$ recrawl {}\n", words.join(" ")))?;
    run(["recrawl"].iter().chain(words).chain(&["--store", store]).map(OsString::from))?;
    Ok(())
}

fn run(words: impl Iterator<Item = OsString>) -> anyhow::Result<ExitStatus> {
    <Arguments as clap::Parser>::try_parse_from(words)?.run()
}

fn say(line: &str) -> anyhow::Result<()> {
    let mut out = output::styled();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}

/// Says how to go on; what is printed can be typed as it stands.
fn next_steps(kept: Option<&Path>, gemini: bool) -> String {
    let (kept, browser) = match kept {
        Some(path) => {
            let address = format!("sqlite:{}", path.display());
            (
                format!("\nEverything is in {}.", path.display()),
                format!("recrawl serve --open --store {}", in_shell(&address)),
            )
        }
        None => (String::new(), format!("recrawl demo --open{}", if gemini { " --gemini" } else { "" })),
    };
    let (kind, example) =
        if gemini { ("capsule", "gemini://example.org/") } else { ("site", "https://example.org/news") };
    format!(
        "{kept}\nNow a real {kind}, at one request a second: recrawl crawl {example}\nAnd all of this in the \
         browser: {browser}"
    )
}

/// Writes a word as shells take it.
fn in_shell(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "/.:_-+,@%".contains(sign);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_shows_what_was_just_crawled() {
        for (kept, expected) in [
            (None, "recrawl demo --open"),
            (Some("town.db"), "recrawl serve --open --store sqlite:town.db"),
            (Some("/my files/it's.db"), r"recrawl serve --open --store 'sqlite:/my files/it'\''s.db'"),
        ] {
            let told = next_steps(kept.map(Path::new), false);
            let last = told.lines().last().unwrap();
            assert_eq!(last.strip_prefix("And all of this in the browser: "), Some(expected), "{told}");
        }
    }
}
