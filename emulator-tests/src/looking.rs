//! Looks at pages of a history on Firestore, as `recrawl serve` does, and counts what each costs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use jiff::Timestamp;
use recrawl_core::model::prices::PriceTable;
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_store_firestore::FirestoreStore;
use recrawl_web::access::Access;
use recrawl_web::{App, router};
use tower::ServiceExt;

use crate::cloud::Cloud;

/// Pages over a history that nobody has looked at yet.
pub struct Looking {
    store: Arc<FirestoreStore>,
    pages: Router,
}

/// What one look took.
#[derive(Debug, Clone)]
pub struct Look {
    /// Until the whole page was there.
    pub took: Duration,
    /// What this process took of the processor meanwhile; the emulator has its own.
    pub processor: Duration,
    /// Reads that are billed.
    pub reads: u64,
    /// The page.
    pub page: String,
}

impl Looking {
    /// Serves the history of a home, as a process does that has just begun.
    pub async fn at(cloud: &Cloud) -> Result<Self> {
        let store = Arc::new(cloud.store().await?);
        let app = App {
            library: store.clone(),
            search: Some(store.clone()),
            crawl_control: None,
            access: Arc::new(Access::for_everybody()),
            reader: Arc::new(|_| {
                Arc::new(HtmlExtractor::new(TextRules::default(), UrlRules::default(), true))
            }),
            public_url: None,
            prices: PriceTable::default(),
            clock: Arc::new(Timestamp::now),
        };
        Ok(Self { store, pages: router(app) })
    }

    /// Looks at an address.
    pub async fn look(&self, address: &str) -> Result<Look> {
        let (before, begin, busy) = (self.store.counted().reads, Instant::now(), processor_time()?);
        let request = Request::get(address).header("host", "localhost").body(Body::empty())?;
        let answer = self.pages.clone().oneshot(request).await?;
        let status = answer.status();
        let body = to_bytes(answer.into_body(), usize::MAX).await?;
        let page = String::from_utf8_lossy(&body).into_owned();
        ensure!(status.is_success(), "{address}: {status}\n{page}");
        let processor = processor_time()?.saturating_sub(busy);
        Ok(Look { took: begin.elapsed(), processor, reads: self.store.counted().reads - before, page })
    }
}

/// Returns the processor time of this process, to a hundredth of a second.
fn processor_time() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("a process has a name")?;
    // User and system time are the 14th and 15th field, in hundredths of a second.
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(Duration::from_millis(10 * ticks.sum::<Result<u64, _>>()?))
}
