//! `recrawl serve`: what was found as a web page, an API and feeds, and a worker that crawls.

mod host;
mod listen;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::middleware::from_fn;
use jiff::Timestamp;
use recrawl_engine::StopMode;
use recrawl_settings::ProcessSettings;
use recrawl_stores::AnyStore;
use recrawl_supervisor::{ServiceControl, Sites, Supervisor, reader};
use recrawl_web::access::Access;
use recrawl_web::crawl_control::CrawlControl;
use recrawl_web::{App, router};
use tokio::net::TcpListener;
use url::Url;

use self::listen::{Listen, reached_at};
use crate::exit::{ExitStatus, usage};
use crate::interrupt::stop_on_interrupt;
use crate::output;
use crate::read::source::StoreArguments;

/// How long answers that are under way may take once the command shall stop.
const PATIENCE: Duration = Duration::from_secs(3);

/// Shorter tokens are not taken: guesses are not slowed down much, because that would lock their owner out, too.
const SHORTEST_TOKEN: usize = 8;

/// Show what was found as a web page, with an API and feeds, and crawl sites on schedule or on request
///
/// `recrawl crawl` works meanwhile. Over a history on Firestore, where a service crawls, open crawls can be stopped, paused
/// and resumed, and what was found can be marked and decided about; nothing else is set there. The server listens on this machine
/// only, unless --listen says otherwise; then `RECRAWL_ADMIN_TOKEN` must hold a token, unless --read-only is
/// given.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// Settings file; what you set on the page goes there, too [default: recrawl.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Show only: crawl nothing, change nothing
    #[arg(long)]
    read_only: bool,

    /// Where to listen: a port of this machine, or an address and a port; port 0 takes a free one
    #[arg(long, value_name = "PORT|ADDRESS:PORT", default_value = "127.0.0.1:8910")]
    listen: Listen,

    /// The address that people use, for feeds and Memento, if it differs from that of their requests
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,

    /// Open it in the browser
    #[arg(long)]
    open: bool,
}

impl ServeArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let token = admin_token(std::env::var("RECRAWL_ADMIN_TOKEN").ok())?;
        let addresses = self.listen.addresses();
        let addresses = addresses.with_context(|| format!("cannot listen on {}", self.listen))?;
        let is_local = addresses.iter().all(|address| address.ip().is_loopback());
        // The token is for doing things: where nothing can be done, it would guard nothing.
        if !is_local && token.is_none() && !self.only_shows() {
            return Err(usage(format!(
                "{} can be reached from other machines: set a token in RECRAWL_ADMIN_TOKEN first, or only show with \
                 --read-only",
                self.listen
            )));
        }
        let access = token.map_or_else(Access::for_everybody, |token| Access::with_token(&token));
        tokio::runtime::Runtime::new()?.block_on(self.serve(access, &addresses))
    }

    /// Tells whether there is nothing to do on the pages.
    fn only_shows(&self) -> bool {
        self.read_only
    }

    /// Says why nothing listens, and what to do where the port is taken.
    fn not_listening(&self, error: io::Error) -> anyhow::Error {
        let is_taken = error.kind() == io::ErrorKind::AddrInUse;
        let failed = anyhow::Error::new(error).context(format!("cannot listen on {}", self.listen));
        if is_taken {
            failed.context(
                "another program has this port, maybe another `recrawl serve`; --listen 0 takes a free one",
            )
        } else {
            failed
        }
    }

    async fn serve(self, access: Access, addresses: &[SocketAddr]) -> anyhow::Result<ExitStatus> {
        let stop = stop_on_interrupt();
        let path = self.store.store.file().filter(|_| !self.read_only).map(Path::to_path_buf);
        let is_new = path.as_ref().is_some_and(|path| !path.exists());
        let sites = path.map(|path| Sites::open(path, self.config.clone())).transpose()?;
        if let Some(sites) = &sites {
            sites.register(Timestamp::now()).await?;
        }
        let listener = TcpListener::bind(addresses).await;
        let listener = listener.map_err(|error| self.not_listening(error))?;
        let listening = listener.local_addr()?;
        let address = format!("http://{}/", reached_at(listening));
        let web = self.public_url.clone().or_else(|| address.parse().ok());
        let library: Arc<dyn AnyStore> = if let Some(sites) = &sites {
            sites.store().clone()
        } else {
            self.store.store.expect_existing()?;
            let wanted =
                if self.read_only { recrawl_stores::Access::Read } else { recrawl_stores::Access::Write };
            recrawl_stores::open(&self.store.store, wanted).await?.ports()
        };
        let clock: recrawl_web::Clock = Arc::new(Timestamp::now);
        let supervisor =
            sites.map(|sites| Supervisor::new(sites, clock.clone(), web, stop.clone(), Arc::new(say)));
        let crawl_control: Option<Arc<dyn CrawlControl>> = match &supervisor {
            Some(supervisor) => Some(supervisor.control()),
            None if self.only_shows() => None,
            None => {
                let address = self.store.store.clone();
                Some(Arc::new(ServiceControl::new(library.clone(), address, clock.clone())))
            }
        };
        let app = App {
            library: library.clone(),
            search: Some(library),
            crawl_control,
            access: Arc::new(access),
            reader: reader(self.config.clone()),
            public_url: self.public_url.clone(),
            prices: ProcessSettings::of_this_process().prices,
            clock,
        };
        let pages = router(app);
        // A name that somebody points at this machine must not let a web site read what is served here.
        let pages = if listening.ip().is_loopback() { pages.layer(from_fn(host::is_local)) } else { pages };
        output::note(&format!("{address} shows what was found; Ctrl-C ends it"))?;
        if !listening.ip().is_loopback() {
            let doing = if self.only_shows() { "" } else { "; doing things takes the token" };
            say(&format!("listening on {listening}: whoever reaches it may look at everything{doing}"));
        }
        if is_new {
            say(&format!("{} was not there, so it is made", self.store.store.expect_file()?.display()));
        }
        if self.open {
            open(&address);
        }
        let workers = match &supervisor {
            Some(supervisor) => Some(supervisor.start().await?),
            None => None,
        };
        let (asked, ended) = (stop.clone(), stop);
        let served =
            recrawl_web::serve(listener, pages, async move { asked.wait_for(StopMode::Pause).await });
        tokio::select! {
            () = served => {}
            // Somebody may watch a page that never ends.
            () = async { ended.wait_for(StopMode::Pause).await; tokio::time::sleep(PATIENCE).await } => {}
        }
        for worker in workers.into_iter().flatten() {
            // Joined one by one, so that a panic is an error: the pages in flight are recorded first, and notifications
            // under way are finished. Who does not want to wait presses Ctrl-C again.
            worker.await.context("the worker failed")?;
        }
        Ok(ExitStatus::Success)
    }
}

/// Returns the token of the environment, where one is set; one that is none, or that can be guessed, is an error of usage.
fn admin_token(set: Option<String>) -> anyhow::Result<Option<String>> {
    let Some(token) = set.filter(|token| !token.is_empty()) else { return Ok(None) };
    let problem = if token.trim().is_empty() {
        "holds nothing but blanks"
    } else if token.trim() != token {
        "begins or ends with a blank, which no program can send"
    } else if token.chars().count() < SHORTEST_TOKEN {
        "is shorter than 8 characters, which can be guessed"
    } else {
        return Ok(Some(token));
    };
    Err(usage(format!(
        "RECRAWL_ADMIN_TOKEN {problem}: set a long random one, such as `openssl rand -hex 24` makes, or unset it"
    )))
}

/// Tells the person at the terminal something; whether anybody is there does not matter.
fn say(line: &str) {
    let _ = output::note(line);
}

/// Opens the browser, where the system knows how; otherwise the address was printed.
fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    // What it has to say is not for somebody who reads the lines of a server.
    let spawned = Command::new(opener).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = spawned {
        tracing::debug!(%error, opener, "no browser was opened");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_without_blanks_around_it() {
        let token = |text: &str| admin_token(Some(text.to_owned()));
        assert_eq!(admin_token(None).unwrap(), None);
        assert_eq!(token("").unwrap(), None);
        for good in ["12345678", "a token that nobody guesses"] {
            assert_eq!(token(good).unwrap().as_deref(), Some(good));
        }
        for (bad, problem) in [
            (" ", "blanks"),
            ("\t\n ", "blanks"),
            ("long enough\n", "begins or ends"),
            ("1234567", "shorter"),
        ] {
            let error = token(bad).unwrap_err();
            assert!(
                error.is::<recrawl_supervisor::Usage>() && error.to_string().contains(problem),
                "{bad:?}: {error}"
            );
        }
    }
}
