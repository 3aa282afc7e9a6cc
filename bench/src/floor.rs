//! The floor: nothing but the download of known URLs and a hash of what came.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, ensure};
use reqwest::header::IF_NONE_MATCH;
use reqwest::{Client, StatusCode};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;

use crate::site;

const CONNECTIONS: usize = 8;

/// Fetches pages 0 to `pages` below `base` over eight connections; with `revalidate`, each
/// request says that any copy is current, so that every answer is a 304.
pub(crate) fn run(base: &str, pages: u32, revalidate: bool) -> Result<()> {
    let base = base.trim_end_matches('/').to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = Client::builder().no_proxy().pool_max_idle_per_host(CONNECTIONS).build()?;
        let next = Arc::new(AtomicU32::new(0));
        let mut workers: JoinSet<Result<()>> = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (client, base, next) = (client.clone(), base.clone(), Arc::clone(&next));
            workers.spawn(async move {
                loop {
                    let page = next.fetch_add(1, Ordering::Relaxed);
                    if page >= pages {
                        return Ok(());
                    }
                    fetch(&client, format!("{base}{}", site::path(page)), revalidate).await?;
                }
            });
        }
        for result in workers.join_all().await {
            result?;
        }
        Ok(())
    })
}

async fn fetch(client: &Client, url: String, revalidate: bool) -> Result<()> {
    let mut request = client.get(&url);
    let mut expected = StatusCode::OK;
    if revalidate {
        request = request.header(IF_NONE_MATCH, "*");
        expected = StatusCode::NOT_MODIFIED;
    }
    let mut response = request.send().await?;
    ensure!(response.status() == expected, "{url} answered {}", response.status());
    let mut hash = Sha256::new();
    while let Some(chunk) = response.chunk().await? {
        hash.update(&chunk);
    }
    std::hint::black_box(hash.finalize());
    Ok(())
}
