//! `recrawl serve` as a process, and one who asks it.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::measure::Guard;

/// What came of asking for a page.
pub(crate) struct Asked {
    /// Milliseconds to the last byte of the first request.
    pub(crate) first_ms: f64,
    /// Of those that followed.
    pub(crate) times: Vec<f64>,
    /// Bytes of the last answer, not compressed.
    pub(crate) bytes: u64,
}

/// The web page over a store, ended when dropped.
pub(crate) struct Served {
    _process: Guard,
    base: String,
    client: Client,
    runtime: Runtime,
}

impl Served {
    /// Starts the program and waits until it listens.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut process = Guard(process.context("cannot start recrawl serve")?);
        let mut said = BufReader::new(process.0.stderr.take().context("recrawl serve has no output")?);
        let mut text = String::new();
        let base = loop {
            let read = said.read_line(&mut text)?;
            ensure!(read > 0, "recrawl serve did not say where it listens: {text}");
            let found = text.split_whitespace().find(|word| word.starts_with("http://127.0.0.1:"));
            if let Some(base) = found {
                break base.trim_end_matches('/').to_owned();
            }
        };
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { _process: process, base, client: Client::builder().no_proxy().build()?, runtime })
    }

    /// Returns where it listens, without a slash at the end.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Returns the pages to measure: two lists of changes of the site `shown`, and the difference of the page `large`.
    pub(super) fn addresses(&self, shown: &str, large: &str) -> Result<Vec<(&'static str, String)>> {
        let site = self.site_of(shown)?;
        let crawls = self.json(&format!("/api/v1/sites/{site}/crawls"))?;
        let mut crawls = names(&crawls);
        // The second of a day is called like the first, with a number behind it.
        crawls.sort_by_key(|name| (name.len(), name.clone()));
        let [_, some, all] = crawls.as_slice() else {
            anyhow::bail!("three crawls were wanted: {crawls:?}");
        };
        let other = self.site_of(large)?;
        let address: String = reqwest::Url::parse_with_params("http://none/", [("url", large)])?
            .query()
            .map(str::to_owned)
            .context("a query was given")?;
        Ok(vec![
            ("changes, 5 % of the pages", format!("{}/sites/{site}/crawls/{some}", self.base)),
            ("changes, all pages", format!("{}/sites/{site}/crawls/{all}", self.base)),
            ("difference of two 200 KB pages", format!("{}/sites/{other}/diff?{address}", self.base)),
        ]
        .into_iter()
        .map(|(name, address)| (name, address.replacen(&self.base, "", 1)))
        .collect())
    }

    /// Asks for a page again and again over one connection: once, and `requests` times more. It must hold one of `texts` to
    /// be the one that was meant.
    ///
    /// The first request opens the connection, and finds nothing that was read before.
    pub(crate) fn ask(&self, path: &str, requests: u32, texts: &[&str]) -> Result<Asked> {
        let url = format!("{}{path}", self.base);
        self.runtime.block_on(async {
            let mut asked = Asked { first_ms: 0.0, times: Vec::new(), bytes: 0 };
            for _ in 0..=requests {
                let started = Instant::now();
                let response = self.client.get(&url).send().await?;
                let (status, text) = (response.status(), response.text().await?);
                asked.times.push(started.elapsed().as_secs_f64() * 1e3);
                asked.bytes = u64::try_from(text.len())?;
                ensure!(status == StatusCode::OK, "{path} answered {status}");
                ensure!(texts.iter().any(|wanted| text.contains(wanted)), "{path} has none of {texts:?}");
            }
            asked.first_ms = asked.times.remove(0);
            Ok(asked)
        })
    }

    fn site_of(&self, url: &str) -> Result<String> {
        let sites = self.json("/api/v1/sites")?;
        let items = sites["items"].as_array().context("the API lists sites")?;
        let is_meant = |site: &&Value| site["root"].as_str().is_some_and(|root| url.starts_with(root));
        let site = items.iter().find(is_meant).and_then(|site| site["id"].as_str());
        site.map(str::to_owned).with_context(|| format!("{url} belongs to no site"))
    }

    pub(crate) fn json(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let text = self
            .runtime
            .block_on(async { self.client.get(&url).send().await?.error_for_status()?.text().await })?;
        Ok(serde_json::from_str(&text)?)
    }
}

fn names(listed: &Value) -> Vec<String> {
    let items = listed["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item["id"].as_str()).map(str::to_owned).collect()
}
