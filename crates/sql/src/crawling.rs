//! A crawl that a statement waits for: it runs in tasks of the runtime, and what it records comes over a channel.
//!
//! SQL runs on a thread that may block. Nothing here is called from a task.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use recrawl_core::address::is_written_as_inside;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_engine::{Choose, Ended, Event, ListItem, Observer, StopHandle, StopMode};
use recrawl_settings::SettingsFile;
use recrawl_stores::{Access, EmbeddedStore, open_file};
use recrawl_supervisor::crawl::{
    Crawled, ListInput, Opened, RunOptions, check_host_resolves, open, open_list, run, run_list,
};
use recrawl_supervisor::settings::Settings;
use recrawl_supervisor::usage;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::content::Contents;
use crate::row::{Row, Seen, Shown, shown_by};

/// How many records are read at once.
const CHUNK: usize = 300;

/// Sees what happens during a crawl, and is told when it is over.
pub trait Watch: Observer {
    /// The crawl is over.
    fn finish(&self);
}

/// What every crawl of a session needs.
pub(crate) struct Surroundings {
    /// Where crawls run.
    pub runtime: Handle,
    /// The store.
    pub path: PathBuf,
    /// What `recrawl.toml` says.
    pub file: SettingsFile,
    /// Makes what people see of a crawl.
    pub watch: Box<dyn Fn() -> Arc<dyn Watch> + Send + Sync>,
    /// What stops the crawls that run now.
    pub stops: Stops,
    /// This process has asked servers before, maybe the same ones.
    pub has_crawled: AtomicBool,
}

/// Stops what runs now: the person pressed Ctrl-C.
#[derive(Clone, Default)]
pub(crate) struct Stops(Arc<Mutex<Vec<(StopHandle, StopMode)>>>);

impl Stops {
    /// Stops every crawl that runs now; tells whether there was any.
    pub(crate) fn stop(&self) -> bool {
        let running = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (stop_handle, stop_mode) in &running {
            stop_handle.ask(*stop_mode);
        }
        !running.is_empty()
    }

    fn add(&self, stop_handle: StopHandle, stop_mode: StopMode) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((stop_handle, stop_mode));
    }

    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What becomes of a crawl of the list that a process before this one left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// It is gone on with, if it is this one.
    GoesOn(CrawlId),
    /// It is closed.
    IsClosed,
}

/// A crawl that a statement waits for.
pub(crate) struct Crawling {
    /// Where what it reads is kept.
    pub contents: Contents,
    /// Its name.
    pub crawl: CrawlId,
    stop: StopHandle,
    items: Option<UnboundedSender<ListItem>>,
    events: Receiver<Seen>,
    seen: HashMap<PageUrl, Seen>,
    /// The pages in the order in which they came.
    order: Vec<PageUrl>,
    given: HashSet<PageUrl>,
    task: Option<JoinHandle<anyhow::Result<Crawled>>>,
    /// It was stopped, or waits for another run.
    pub is_open: bool,
    stops: Stops,
    watch: Arc<dyn Watch>,
}

/// What came of waiting for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// A page was recorded.
    Page,
    /// None was, in this time.
    Nothing,
    /// The crawl is over.
    Over,
}

/// Passes on what is recorded.
struct Teller {
    sender: Mutex<Sender<Seen>>,
    watch: Arc<dyn Watch>,
}

impl Observer for Teller {
    fn on(&self, event: Event<'_>) {
        if let Event::Recorded { record, .. } = &event {
            let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody may want more.
            let _ = sender.send(Seen::of(record));
        }
        self.watch.on(event);
    }
}

/// Refuses to crawl pages of others without a way to reach the person who does it.
pub(crate) fn check_contact<'a>(
    settings: &Settings,
    mut pages: impl Iterator<Item = &'a PageUrl>,
) -> anyhow::Result<()> {
    let is_of_others = |page: &PageUrl| !settings.scope.allow_private && !is_written_as_inside(page.host());
    if settings.crawl.names_nobody() && pages.any(is_of_others) {
        return Err(usage(
            "site owners must be able to reach you: say WITH (user_agent 'MyBot/1.0 (+https://example.com/bot)'), SET \
             crawler_user_agent = '...', or contact in recrawl.toml",
        ));
    }
    Ok(())
}

impl Crawling {
    /// Begins a crawl of a list, to which pages are given by and by.
    pub(crate) fn of_list(
        around: &Surroundings,
        settings: Settings,
        before: Before,
        stop_mode: StopMode,
        choose: Arc<dyn Choose>,
    ) -> anyhow::Result<Self> {
        let store = open_file(&around.path, Access::Crawl)?;
        let options = around.run_options();
        let opened = around.runtime.block_on(async {
            let under_way = store.crawl_under_way(&settings.site).await?.map(|crawl| crawl.id);
            if let Some(open) = under_way
                && before != Before::GoesOn(open)
            {
                close_unfinished(&settings, options, store.clone()).await?;
            }
            open_list(&settings, options, &*store).await
        })?;
        let (items, receiver) = unbounded_channel();
        let input = ListInput { items: receiver, choose };
        let mut crawling = Self::begin(around, store, opened, stop_mode, |opened, store, stop, teller| {
            around
                .runtime
                .spawn(async move { run_list(&settings, opened, options, store, stop, teller, input).await })
        })?;
        crawling.items = Some(items);
        Ok(crawling)
    }

    /// Begins a crawl of a whole site, or goes on with its open one.
    pub(crate) fn of_site(around: &Surroundings, settings: Settings) -> anyhow::Result<Self> {
        around.runtime.block_on(check_host_resolves(&settings))?;
        let store = open_file(&around.path, Access::Crawl)?;
        let options = RunOptions { closes_silent: true, ..around.run_options() };
        let opened = around.runtime.block_on(open(&settings, options, &*store))?;
        // What somebody else began stays open.
        let stop_mode =
            if opened.resumed { StopMode::Pause } else { StopMode::Close("no further row was wanted") };
        Self::begin(around, store, opened, stop_mode, |opened, store, stop, teller| {
            around.runtime.spawn(async move { run(&settings, opened, options, store, stop, teller).await })
        })
    }

    fn begin(
        around: &Surroundings,
        store: Arc<dyn EmbeddedStore>,
        opened: Opened,
        stop_mode: StopMode,
        spawn: impl FnOnce(
            Opened,
            Arc<dyn EmbeddedStore>,
            StopHandle,
            Arc<dyn Observer>,
        ) -> JoinHandle<anyhow::Result<Crawled>>,
    ) -> anyhow::Result<Self> {
        around.has_crawled.store(true, Ordering::SeqCst);
        let (stop, watch, (sender, events)) = (StopHandle::default(), (around.watch)(), channel());
        let contents = Contents { runtime: around.runtime.clone(), store, site: opened.site.id.clone() };
        let mut crawling = Self {
            crawl: opened.crawl.id,
            contents,
            stop: stop.clone(),
            items: None,
            events,
            seen: HashMap::new(),
            order: Vec::new(),
            given: HashSet::new(),
            task: None,
            is_open: false,
            stops: around.stops.clone(),
            watch: watch.clone(),
        };
        if opened.resumed {
            crawling.recall()?;
        }
        around.stops.add(stop.clone(), stop_mode);
        let teller = Arc::new(Teller { sender: Mutex::new(sender), watch });
        crawling.task = Some(spawn(opened, crawling.contents.store.clone(), stop, teller));
        Ok(crawling)
    }

    /// Takes in what an earlier process of the crawl recorded.
    fn recall(&mut self) -> Result<(), StoreError> {
        let mut last = None;
        loop {
            let Contents { runtime, store, site } = &self.contents;
            let records = runtime.block_on(store.records(site, self.crawl, &[], last.as_ref(), CHUNK))?;
            let Some(record) = records.last() else { return Ok(()) };
            last = Some(record.url.clone());
            for record in &records {
                self.take_in(Seen::of(record));
            }
        }
    }

    /// Gives these pages to the crawl, unless it has them.
    pub(crate) fn give(&mut self, pages: impl IntoIterator<Item = PageUrl>) {
        let new: Vec<PageUrl> = pages.into_iter().filter(|page| self.given.insert(page.clone())).collect();
        if let Some(items) = self.items.as_ref().filter(|_| !new.is_empty()) {
            // A crawl that is over takes nothing.
            let _ = items.send(ListItem::Pages(new));
        }
    }

    /// Has the sitemaps of the host of a page searched.
    pub(crate) fn give_host(&mut self, root: PageUrl) {
        if let Some(items) = &self.items {
            let _ = items.send(ListItem::SitemapsOf(root));
        }
    }

    /// Tells whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.task.is_none()
    }

    /// Says that nothing more is given.
    pub(crate) fn give_no_more(&mut self) {
        self.items = None;
    }

    /// Returns the pages that were recorded, in their order.
    pub(crate) fn order(&self) -> &[PageUrl] {
        &self.order
    }

    /// Returns what was recorded of a page.
    pub(crate) fn seen(&self) -> &HashMap<PageUrl, Seen> {
        &self.seen
    }

    /// Waits for the next page, for so long at most.
    pub(crate) fn receive(&mut self, longest: Option<Duration>) -> anyhow::Result<Received> {
        let received = match longest {
            Some(longest) => self.events.recv_timeout(longest),
            None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(seen) => {
                self.take_in(seen);
                Ok(Received::Page)
            }
            Err(RecvTimeoutError::Timeout) => Ok(Received::Nothing),
            Err(RecvTimeoutError::Disconnected) => {
                self.join()?;
                Ok(Received::Over)
            }
        }
    }

    fn take_in(&mut self, seen: Seen) {
        self.order.push(seen.page().clone());
        self.seen.insert(seen.page().clone(), seen);
    }

    /// Ends the crawl, before its time if it is not over.
    pub(crate) fn end(&mut self) -> anyhow::Result<()> {
        let is_done = self.given.iter().all(|page| self.seen.contains_key(page));
        let is_list = self.items.is_some();
        if !(is_list && is_done) {
            let mode = self.stop.asked().unwrap_or(StopMode::Close("no further row was wanted"));
            self.stop.ask(mode);
        }
        self.give_no_more();
        self.join()
    }

    fn join(&mut self) -> anyhow::Result<()> {
        let Some(task) = self.task.take() else { return Ok(()) };
        let ended = self.contents.runtime.block_on(task);
        self.stops.clear();
        self.watch.finish();
        let crawled = ended??;
        self.is_open = !matches!(crawled.ended, Ended::Closed(_));
        Ok(())
    }
}

impl Drop for Crawling {
    fn drop(&mut self) {
        // What went wrong was said where somebody waited for it.
        let _ = self.end();
    }
}

impl Surroundings {
    fn run_options(&self) -> RunOptions {
        RunOptions { follows_another: self.has_crawled.load(Ordering::SeqCst), ..RunOptions::default() }
    }

    /// Returns the crawl of a list that is open, if one is.
    pub(crate) fn open_crawl(
        &self,
        store: &dyn EmbeddedStore,
        site: &SiteId,
    ) -> Result<Option<CrawlId>, StoreError> {
        Ok(self.runtime.block_on(store.crawl_under_way(site))?.map(|crawl| crawl.id))
    }
}

/// Closes what a statement that was broken off left open: nobody asks for its pages any more.
async fn close_unfinished(
    settings: &Settings,
    options: RunOptions,
    store: Arc<dyn EmbeddedStore>,
) -> anyhow::Result<()> {
    struct Quiet;
    impl Observer for Quiet {
        fn on(&self, _: Event<'_>) {}
    }
    let stop = StopHandle::default();
    stop.ask(StopMode::Close("the statement was broken off"));
    let opened = open_list(settings, options, &*store).await?;
    let nothing = ListInput::of(Vec::new());
    run_list(settings, opened, options, store, stop, Arc::new(Quiet), nothing).await?;
    Ok(())
}

/// Pages that a statement wants rows of, and which of them it can have.
#[derive(Default)]
pub(crate) struct Wanted {
    given: Vec<(String, PageUrl)>,
    /// By the page that they wait for.
    waiting: HashMap<PageUrl, Vec<usize>>,
    ready: std::collections::VecDeque<usize>,
    /// How many pages of the crawl were looked at.
    looked_at: usize,
}

impl Wanted {
    /// Wants a row for a page, whose address was given like this.
    pub(crate) fn want(&mut self, given: String, page: PageUrl, crawling: &Crawling) {
        self.given.push((given, page));
        self.sort(self.given.len() - 1, crawling.seen());
    }

    fn sort(&mut self, place: usize, seen: &HashMap<PageUrl, Seen>) {
        match shown_by(&self.given[place].1, seen) {
            Shown::By(_) => self.ready.push_back(place),
            Shown::Awaits(page) => self.waiting.entry(page.clone()).or_default().push(place),
        }
    }

    /// Returns the next row that can be had now.
    pub(crate) fn next(&mut self, crawling: &Crawling) -> Option<Row> {
        while self.looked_at < crawling.order().len() {
            let page = &crawling.order()[self.looked_at];
            self.looked_at += 1;
            for place in self.waiting.remove(page).unwrap_or_default() {
                self.sort(place, crawling.seen());
            }
        }
        let place = self.ready.pop_front()?;
        let (url, page) = &self.given[place];
        let shown = match shown_by(page, crawling.seen()) {
            Shown::By(page) => page,
            Shown::Awaits(_) => page,
        };
        Some(Row { url: url.clone(), seen: crawling.seen().get(shown)?.clone() })
    }

    /// Lets what redirects to a page that was not recorded be shown by itself: the crawl is over.
    pub(crate) fn settle(&mut self, crawling: &Crawling) {
        for place in std::mem::take(&mut self.waiting).into_values().flatten() {
            if crawling.seen().contains_key(&self.given[place].1) {
                self.ready.push_back(place);
            }
        }
    }

    /// Tells whether a row can still come.
    pub(crate) fn awaits(&self) -> bool {
        !self.waiting.is_empty()
    }
}
