//! Where a run sets out: what is known, what an earlier run did, what the sitemaps list, what comes first.

use std::collections::HashSet;

use recrawl_core::model::crawl::CrawlKind;
use recrawl_core::model::record::PageRecord;
use recrawl_core::plan::sample::Sample;
use tokio::time::timeout_at;

use super::{Account, Done, Runner, RunnerError};
use crate::observer::Event;
use crate::session::{History, ListedPages, Resumed, divide, queue_root, resume};

/// The sample of a crawl in mode smart, for people to see.
#[derive(Debug)]
pub(super) struct Sampled {
    pages: HashSet<u128>,
    changed: usize,
    is_told: bool,
}

impl Sampled {
    /// Takes in a record of this crawl.
    pub(super) fn note(&mut self, record: &PageRecord) {
        let counts =
            self.pages.contains(&record.url.fingerprint()) && record.visit.verdict.change().is_some();
        self.changed += usize::from(counts);
    }
}

impl Runner {
    /// Fills in what is known, and queues what is visited first.
    pub(super) async fn prepare(&self, account: &mut Account) -> Result<(), RunnerError> {
        let (run, step) = (&self.run, &self.step);
        let (is_due, scope) = (run.crawl.kind == CrawlKind::Due, step.scope());
        let keeps_live = is_due || run.budget.requests.is_some();
        let history =
            History::load(&*self.store, &run.crawl, scope, step.planner(), run.sample_size, keeps_live);
        let mut history = history.await?;
        account.page_limit = run.budget.max_pages.of(history.known);
        if is_due {
            let (mut due, others) = divide(history.live, run.crawl.opened_at, run.most_due);
            for page in others {
                if page.url == run.site.root {
                    due.push(page);
                } else {
                    // No link leads there in this crawl.
                    step.seen().finish(&page.url, 0);
                }
            }
            history.live = due;
        }
        if !history.sample.is_empty() {
            let pages = history.sample.iter().map(|page| page.url.fingerprint()).collect();
            account.sampled = Some(Sampled { pages, changed: 0, is_told: false });
            step.decide_by(Sample::of(history.sample.iter().map(|page| &page.url)));
        }
        if run.resumed {
            self.resume(account).await?;
        }
        step.queue_first(history.first(&run.crawl)).await?;
        queue_root(step, &run.site.root).await?;
        self.search_sitemaps(account);
        if history.known > 0 {
            // What the sitemaps say decides the order of known pages.
            while let Some(done) = account.tasks.join_next().await {
                if let Done::Searched(result) = done? {
                    result?;
                }
            }
        }
        Ok(step.queue_first(history.known_pages(&run.crawl, scope)).await?)
    }

    /// Fills in what an earlier run recorded and queued.
    pub(super) async fn resume(&self, account: &mut Account) -> Result<(), RunnerError> {
        let (crawl, budget) = (&self.run.crawl, self.run.budget.requests.as_deref());
        let mut sampled = account.sampled.take();
        let rechecks = &mut account.rechecks;
        let mut each = |record: &PageRecord| {
            rechecks.resume(record);
            if let Some(sampled) = &mut sampled {
                sampled.note(record);
            }
        };
        let Resumed { recorded, asked, statistics } =
            resume(&*self.store, crawl, &self.step, budget, &mut each).await?;
        account.asked += asked;
        account.recorded = statistics;
        account.sampled = sampled;
        if let Some(sampled) = &mut account.sampled {
            self.tell_turn(sampled);
        }
        let waiting = self.pull_frontier.waiting_pages(&crawl.site, crawl.id).await?;
        self.step.seen().not_yet_queued(&waiting, |_| true);
        self.observer.on(Event::Resumed { recorded, waiting: waiting.len() as u64 });
        Ok(())
    }

    /// Says what the sample of a crawl in mode smart has decided, once it has.
    pub(super) fn tell_turn(&self, sampled: &mut Sampled) {
        if let Some(turn) = self.step.turn().filter(|_| !sampled.is_told) {
            sampled.is_told = true;
            let Sampled { changed, pages, .. } = sampled;
            self.observer.on(Event::Decided { turn, changed: *changed, sampled: pages.len() });
        }
    }

    fn search_sitemaps(&self, account: &mut Account) {
        let Some(finder) = self.sitemaps.clone().filter(|_| self.stop_handle.asked().is_none()) else {
            return;
        };
        let (stop_handle, state_store) = (self.stop_handle.clone(), self.state_store.clone());
        let (step, observer, root) = (self.step.clone(), self.observer.clone(), self.run.site.root.clone());
        let searching = async move {
            let mut listed = ListedPages::new(&finder, &step, &root, state_store, &*observer);
            while let Some(pages) = listed.next().await {
                if let Err(error) = step.queue(&pages, &ListedPages::FOUND).await {
                    return Done::Searched(Err(error));
                }
                if stop_handle.asked().is_some() {
                    break;
                }
            }
            Done::Searched(Ok(()))
        };
        let deadline = account.deadline;
        account.tasks.spawn(async move {
            match deadline {
                // A search that takes too long is no reason to go on.
                Some(deadline) => timeout_at(deadline, searching).await.unwrap_or(Done::Searched(Ok(()))),
                None => searching.await,
            }
        });
    }
}
