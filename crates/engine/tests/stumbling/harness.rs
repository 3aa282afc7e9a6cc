//! A web server, a SQLite file, and runs that read pages with whatever the test brings.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::content::{Extracted, Extractor, Unreadable};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_engine::step::Ports;
use recrawl_engine::{Ended, Event, Observer, RunnerError, SoftErrorCache};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_testkit::contract::samples::policy;

use crate::world::{World, ports};

/// Reads HTML, and panics over pages whose address holds one of these words; if that is `stubborn`, once more when
/// somebody notes it.
pub(crate) struct Panicking {
    html: HtmlExtractor,
    words: &'static [&'static str],
    again: AtomicBool,
}

impl Extractor for Panicking {
    fn rules(&self) -> &RulesVersion {
        assert!(!self.again.swap(false, Ordering::SeqCst), "on purpose, again");
        self.html.rules()
    }

    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable> {
        let path = url.path();
        if let Some(word) = self.words.iter().find(|word| path.contains(**word)) {
            self.again.store(*word == "stubborn", Ordering::SeqCst);
            panic!("on purpose, at {path}");
        }
        self.html.extract(url, content_type, body)
    }
}

/// Remembers what a run warned of.
#[derive(Default)]
pub(crate) struct Listener(Mutex<Vec<String>>);

impl Listener {
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Listener {
    fn on(&self, event: Event<'_>) {
        if let Event::Warning(warning) = event {
            self.0.lock().unwrap().push(warning);
        }
    }
}

pub(crate) struct Harness {
    pub(crate) world: World,
    pub(crate) listener: Arc<Listener>,
}

impl Harness {
    /// Plants a root that leads to these pages.
    pub(crate) async fn new(paths: &[String]) -> Self {
        Self { world: World::new(paths, Timestamp::now).await, listener: Arc::default() }
    }

    /// Goes on with the open crawl, or opens the next, in a store that is opened anew as by another process.
    pub(crate) async fn run(&self, words: &'static [&'static str]) -> (Result<Ended, RunnerError>, Crawl) {
        let store = self.world.store();
        let (fetcher, robots) = self.world.web(&store, PaceSettings::unlimited());
        let html = HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
        let extractor: Arc<dyn Extractor> =
            Arc::new(Panicking { html, words, again: AtomicBool::new(false) });
        let absence = Arc::new(SoftErrorCache::new(
            fetcher.clone(),
            store.clone(),
            robots.clone(),
            extractor.clone(),
            self.world.site.root.clone(),
            Timestamp::now,
        ));
        let ports = Ports { absence, extractor, ..ports(&store, fetcher, robots) };
        let policy = CrawlPolicy { archive: ArchivePolicy::Never, ..policy() };
        let mut runner = self.world.runner(&store, ports, policy, self.listener.clone()).await;
        runner.run.parallel = 2;
        let crawl = runner.run.crawl.clone();
        (runner.run().await, crawl)
    }
}
