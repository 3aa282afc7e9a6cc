//! Where depth is limited, the same pages are visited in whatever order they are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use recrawl_core::model::crawl::{Closed, Crawl, Ending};
use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::ports::{QueuedPage, Store};
use recrawl_core::url::PageUrl;
use recrawl_engine::step::Attempt;

use super::harness::{Harness, url};

/// A small source of numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Which page links to which, and which ones a sitemap lists. Page 0 is the root.
struct Plan {
    links: Vec<Vec<usize>>,
    listed: Vec<usize>,
}

fn path(page: usize) -> String {
    if page == 0 { "/".to_owned() } else { format!("/{}", char::from(b'a' + u8::try_from(page).unwrap())) }
}

impl Plan {
    fn draw(dice: &mut Dice, pages: usize) -> Self {
        let links = (0..pages).map(|_| (0..=dice.below(2)).map(|_| dice.below(pages)).collect()).collect();
        Self { links, listed: (0..dice.below(2)).map(|_| dice.below(pages)).collect() }
    }

    fn put_up(&self, harness: &Harness) {
        for (page, links) in self.links.iter().enumerate() {
            let links: Vec<String> = links.iter().map(|link| path(*link)).collect();
            harness.web.page(&path(page), &format!("page {page} {}", links.join(" ")));
        }
    }

    /// Returns the pages within `max_depth` links, and how far away they are.
    fn within(&self, max_depth: u32) -> BTreeMap<String, u32> {
        let mut near: BTreeMap<usize, u32> = BTreeMap::new();
        let listed = self.listed.iter().map(|page| (*page, 1));
        let mut waiting: VecDeque<(usize, u32)> = std::iter::once((0, 0)).chain(listed).collect();
        while let Some((page, depth)) = waiting.pop_front() {
            if depth <= max_depth && near.get(&page).is_none_or(|known| depth < *known) {
                near.insert(page, depth);
                waiting.extend(self.links[page].iter().map(|link| (*link, depth + 1)));
            }
        }
        near.into_iter().map(|(page, depth)| (path(page), depth)).collect()
    }
}

/// Crawls to the end in an order that the dice choose; the sitemap is read at any time. Messages come to one of two
/// processes, and some of them twice.
async fn crawl(harness: &Harness, plan: &Plan, dice: &mut Dice) -> BTreeMap<String, u32> {
    let crawl: Crawl = harness.open().await;
    let steps = [harness.step(&crawl), harness.step(&crawl)];
    let seed = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    steps[0].queue([&harness.site.root], &seed).await.unwrap();
    let listed: Vec<PageUrl> = plan.listed.iter().map(|page| url(&path(*page))).collect();
    let mut sitemap = Some(Found { by: FoundBy::Sitemap, depth: 1, referrer: None });
    let mut waiting: Vec<QueuedPage> = Vec::new();
    loop {
        waiting.append(&mut harness.sent.lock().unwrap());
        let step = &steps[dice.below(2)];
        if let Some(found) = sitemap.take_if(|_| waiting.is_empty() || dice.below(4) == 0) {
            steps[0].queue(&listed, &found).await.unwrap();
        } else if !waiting.is_empty() {
            let place = dice.below(waiting.len());
            let page = if dice.below(5) == 0 { waiting[place].clone() } else { waiting.remove(place) };
            Box::pin(step.visit(&page, Attempt::default(), harness.now())).await.unwrap();
        } else {
            let found = harness.audit(step, &crawl).await;
            if found.missing.is_empty() {
                let (at, statistics) = (harness.now(), found.statistics);
                let closed =
                    Closed { at, ending: Ending::Complete, suspicion: None, state: None, statistics };
                harness.store.close_crawl(&harness.site.id, crawl.id, &closed).await.unwrap();
                break;
            }
            waiting = found.missing;
        }
    }
    let records = harness.store.records(&harness.site.id, crawl.id, &[], None, 1_000).await.unwrap();
    records.iter().map(|record| (record.url.path().to_owned(), record.found.depth)).collect()
}

async fn limited(max_depth: u32) -> Harness {
    let mut harness = Harness::new().await;
    harness.site.scope = ScopeSettings { max_depth: Some(max_depth), ..ScopeSettings::default() };
    harness
}

#[tokio::test]
async fn the_same_pages_are_visited_in_whatever_order_at_their_shortest_depth() {
    for number in 0..60 {
        let mut dice = Dice(number);
        let plan = Plan::draw(&mut dice, 9);
        for order in 0..12 {
            let harness = limited(3).await;
            plan.put_up(&harness);
            let visited = crawl(&harness, &plan, &mut Dice(1_000 + order)).await;
            assert_eq!(visited, plan.within(3), "site {number}, order {order}: {:?}", plan.links);
        }
    }
}

#[tokio::test]
async fn a_recrawl_visits_the_same_pages_in_whatever_order_orphans_included() {
    for number in 0..60 {
        let mut dice = Dice(number);
        let (before, after) = (Plan::draw(&mut dice, 9), Plan::draw(&mut dice, 9));
        let mut outcomes = BTreeSet::new();
        for order in 0..12 {
            let harness = limited(3).await;
            before.put_up(&harness);
            let mut dice = Dice(1_000 + order);
            crawl(&harness, &before, &mut dice).await;
            after.put_up(&harness);
            let visited = crawl(&harness, &after, &mut dice).await;
            for path in before.within(3).keys().chain(after.within(3).keys()) {
                assert!(visited.contains_key(path), "site {number}, order {order}: {path} is lost");
            }
            outcomes.insert(visited);
        }
        assert_eq!(outcomes.len(), 1, "site {number}: {outcomes:#?}");
    }
}
