//! `recrawl serve`: what was found, as a web page, an API and feeds.

mod host;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::middleware::from_fn;
use jiff::Timestamp;
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_store_sqlite::SqliteStore;
use recrawl_web::access::Access;
use recrawl_web::{App, Library, router};
use tokio::net::TcpListener;
use url::Url;

use crate::crawl::Stop;
use crate::exit::{Done, usage};
use crate::output;
use crate::read::source::{StoreAddress, StoreArguments, connect, not_opened};

/// How long answers that are under way may take once the command shall stop.
const PATIENCE: Duration = Duration::from_secs(3);

/// Show what was found as a web page, with an API and feeds
///
/// Read-only: sites are crawled by `recrawl crawl`, also while this runs. It is reached from this machine alone, unless
/// --listen says otherwise; then `RECRAWL_ADMIN_TOKEN` must hold a token.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8910")]
    listen: SocketAddr,

    /// The address that people use, for feeds and Memento, where it is not the one of their requests
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,

    /// Open it in the browser
    #[arg(long)]
    open: bool,
}

impl ServeArguments {
    pub(crate) fn run(self) -> anyhow::Result<Done> {
        let token = std::env::var("RECRAWL_ADMIN_TOKEN").ok().filter(|token| !token.is_empty());
        if !self.listen.ip().is_loopback() && token.is_none() {
            return Err(usage(format!(
                "{} can be reached from other machines: set a token in RECRAWL_ADMIN_TOKEN first",
                self.listen
            )));
        }
        let access = token.map_or_else(Access::for_everybody, |token| Access::with_token(&token));
        tokio::runtime::Runtime::new()?.block_on(self.serve(access))
    }

    async fn serve(self, access: Access) -> anyhow::Result<Done> {
        let app = App {
            library: self.library().await?,
            search: None,
            controls: None,
            access: Arc::new(access),
            extractor: Arc::new(HtmlExtractor::new(TextRules::default(), UrlRules::default(), true)),
            public_url: self.public_url,
            clock: Arc::new(Timestamp::now),
        };
        let pages = router(app);
        // A name that somebody points at this machine must not let a web site read what is served here.
        let pages = if self.listen.ip().is_loopback() { pages.layer(from_fn(host::is_local)) } else { pages };
        let stop = Stop::on_interrupt();
        let listener = TcpListener::bind(self.listen).await;
        let listener = listener.with_context(|| format!("cannot listen on {}", self.listen))?;
        let address = format!("http://{}/", listener.local_addr()?);
        output::note(&format!("{address} shows what was found; Ctrl-C ends it"))?;
        if self.open {
            open(&address);
        }
        let (mut asked, mut ended) = (stop.clone(), stop);
        let served = axum::serve(listener, pages).with_graceful_shutdown(async move { asked.wait().await });
        tokio::select! {
            served = served => served.context("the server failed")?,
            // Somebody may watch a page that never ends.
            () = async { ended.wait().await; tokio::time::sleep(PATIENCE).await } => {}
        }
        Ok(Done::Well)
    }

    async fn library(&self) -> anyhow::Result<Arc<dyn Library>> {
        Ok(match &self.store.store {
            address @ StoreAddress::Sqlite(_) => {
                Arc::new(SqliteStore::open_read_only(address.existing_path()?).map_err(not_opened)?)
            }
            StoreAddress::Firestore(project) => Arc::new(connect(project).await?),
        })
    }
}

/// Opens the browser, where the system knows how; otherwise the address was printed.
fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if let Err(error) = std::process::Command::new(opener).arg(address).spawn() {
        tracing::debug!(%error, opener, "no browser was opened");
    }
}
