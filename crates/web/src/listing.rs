//! A list of changes, as its address names it: of a window of time, or of one crawl; what of it, and in which order.
//!
//! A change that is opened from a list carries the address of the list with it, so that the next change of the same list can be
//! reached from there, also without a script, and by a link that somebody sent.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::kind::{Kind, Kinds};
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::{Bounds, ChangeCounts, ChangeName, Changes, Given, ReviewFilter, Row, Since};
use recrawl_reports::{ChangesFilter, Sort, crawls, reviews, sites, told_at};

use crate::address::{self, Compared};
use crate::app::Served;
use crate::error::WebError;
use crate::parameters::Parameters;

/// The name of the parameter that carries the address of a list.
pub(crate) const LIST: &str = "list";

/// A list of changes.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    /// Of what.
    pub(crate) of: ListOf,
    /// Which changes.
    pub(crate) filter: ChangesFilter,
    /// In which order.
    pub(crate) sort: Sort,
    /// Which fold is open: `around` or `noise`.
    pub(crate) open: Option<String>,
    /// Its own address, with everything that narrows or orders it, but for the page of the list.
    pub(crate) address: String,
}

/// Of what a list is.
#[derive(Debug, Clone)]
pub(crate) enum ListOf {
    /// Of a window of time, over all sites or one.
    Window(Bounds, Option<SiteId>),
    /// Of one crawl.
    Crawl(SiteId, CrawlId),
}

/// What there is in a list.
pub(crate) struct Listed {
    /// The sites that it is of.
    pub(crate) sites: Vec<Site>,
    /// Its rows, and what is said beside them.
    pub(crate) changes: Changes,
    /// How many there are of each sort, whatever is chosen of them.
    pub(crate) counts: ChangeCounts,
    /// First crawls of a window, of which what is new is not listed.
    pub(crate) first: Vec<Crawl>,
    /// How many rows have each kind of difference, the most frequent first; of a crawl.
    pub(crate) kinds: Vec<(Kind, usize)>,
}

/// Where in a list a change is.
pub(crate) struct Step {
    /// Its place, from 1.
    pub(crate) place: usize,
    /// How many changes of pages the list has.
    pub(crate) of: usize,
    /// The change before it.
    pub(crate) previous: Option<String>,
    /// The change after it.
    pub(crate) next: Option<String>,
}

impl Listing {
    /// Reads the window that a query asks for; `usual` where it names none.
    pub(crate) fn window(parameters: &Parameters, usual: Since, now: Timestamp) -> Result<Self, WebError> {
        let until = parameters.given("until")?;
        let bounds = |since: &Given| Given::bounds(since, until.as_ref(), None, now);
        let bounds = match parameters.given("since")?.filter(|since| !since.is_last_look()) {
            Some(since) => bounds(&since),
            None => Bounds { since: usual, ..bounds(&Given::LastLook) },
        };
        let site: Option<SiteId> = parameters.get("site").map(str::parse).transpose()?;
        Self::of(ListOf::Window(bounds, site), "/", parameters)
    }

    /// Reads what of a crawl a query asks for.
    pub(crate) fn crawl(site: SiteId, crawl: CrawlId, parameters: &Parameters) -> Result<Self, WebError> {
        let path = address::crawl(&site, crawl);
        Self::of(ListOf::Crawl(site, crawl), &path, parameters)
    }

    fn of(of: ListOf, path: &str, parameters: &Parameters) -> Result<Self, WebError> {
        let filter = parameters.changes_filter()?;
        let open_folders = filter.open_folders || filter.path.is_some();
        let filter = ChangesFilter { open_folders, ..filter };
        let sort = parameters.sort()?;
        let kept = parameters.pairs().filter(|(name, _)| !matches!(*name, "page" | "done" | "open"));
        let address = address::with_query(path, &kept.collect::<Vec<_>>());
        let open = parameters.get("open").map(str::to_owned);
        Ok(Self { of, filter, sort, open, address })
    }

    /// Reads the list in `list`, if there is one that is a list of ours.
    pub(crate) async fn named(served: &Served, parameters: &Parameters) -> Result<Option<Self>, WebError> {
        let Some(text) = parameters.get(LIST) else { return Ok(None) };
        Self::at(served, text).await
    }

    /// Reads the list at an address of ours; none where that is no list.
    pub(crate) async fn at(served: &Served, text: &str) -> Result<Option<Self>, WebError> {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let parameters = Parameters::read(query);
        let now = (served.app.clock)();
        if path == "/" {
            let usual = usual_window(served, now).await?;
            return Self::window(&parameters, usual, now).map(Some);
        }
        let Some((site, crawl)) = path.strip_prefix("/sites/").and_then(|rest| rest.split_once("/crawls/"))
        else {
            return Ok(None);
        };
        Self::crawl(site.parse()?, crawl.parse()?, &parameters).map(Some)
    }

    /// Reads what is in the list.
    pub(crate) async fn read(&self, served: &Served) -> Result<Listed, WebError> {
        let library = &*served.app.library;
        let reports = served.reports();
        match &self.of {
            ListOf::Window(bounds, site) => {
                let sites = match site {
                    Some(site) => vec![sites::found_site(library, site).await?],
                    None => library.sites().await?,
                };
                let window = reports.window(&sites, *bounds, &self.filter, self.sort).await?;
                Ok(Listed {
                    sites,
                    changes: window.changes,
                    counts: window.counts,
                    first: window.first,
                    kinds: Vec::new(),
                })
            }
            ListOf::Crawl(site, crawl) => {
                let site = sites::found_site(library, site).await?;
                let (_, crawl) = crawls::crawl(library, &site.id, *crawl).await?;
                // What chips choose one by one is counted over all of them.
                let wide = ChangesFilter {
                    verdicts: Vec::new(),
                    kinds: Kinds::default(),
                    review: ReviewFilter::default(),
                    ..self.filter.clone()
                };
                let all = reports.change_list(&site, &crawl, &wide, self.sort).await?;
                let (counts, kinds) = (ChangeCounts::of(&all.rows), kinds_of(&all.rows));
                let changes = if wide == self.filter {
                    all
                } else {
                    reports.change_list(&site, &crawl, &self.filter, self.sort).await?
                };
                Ok(Listed { sites: vec![site], changes, counts, first: Vec::new(), kinds })
            }
        }
    }

    /// Returns the address of this list with some parameters set; an empty value takes one away.
    pub(crate) fn with(&self, pairs: &[(&str, &str)]) -> String {
        let (path, query) = self.address.split_once('?').unwrap_or((&self.address, ""));
        let before = Parameters::read(query);
        let kept = before.pairs().filter(|(name, _)| pairs.iter().all(|(set, _)| set != name));
        address::with_query(path, &kept.chain(pairs.iter().copied()).collect::<Vec<_>>())
    }

    /// Returns the address of this list as it is drawn now: what is shown since somebody last looked begins where it
    /// does now, also when that one has looked again.
    pub(crate) fn pinned(&self, now: Timestamp) -> String {
        let ListOf::Window(Bounds { since: Since::Time(since), .. }, _) = &self.of else {
            return self.address.clone();
        };
        let query = self.address.split_once('?').map_or("", |(_, query)| query);
        let given = Parameters::read(query).get("since").is_some_and(|since| since != Given::LAST_LOOK);
        if given {
            return self.address.clone();
        }
        let since = if *since == days_ago(7, now) { "7d".to_owned() } else { since.to_string() };
        self.with(&[("since", &since)])
    }

    /// Tells whether a row stood in this list at a time, for what `crawl` found. What an open crawl found is in its own
    /// list alone, and what is shared is known when it ends.
    pub(crate) fn had(&self, row: &Row, crawl: &Crawl, at: Timestamp) -> bool {
        let is_window = matches!(self.of, ListOf::Window(..));
        let known_at = |closed: &Closed| if is_window { told_at(closed) } else { closed.at };
        if crawl.closed.as_ref().is_some_and(|closed| known_at(closed) <= at) {
            return true;
        }
        !is_window && matches!(row, Row::Page(page) if page.listed.record.visit.fetched_at <= at)
    }

    /// Returns the address of this list with one fold open, or with none.
    pub(crate) fn opening(&self, fold: &str) -> String {
        if fold.is_empty() { self.address.clone() } else { self.with(&[("open", fold)]) }
    }

    /// Returns where the change of a page is shown, as one of this list.
    pub(crate) fn change(
        &self,
        site: &SiteId,
        url: &PageUrl,
        from: Option<CrawlId>,
        crawl: CrawlId,
    ) -> String {
        let address = address::difference(site, url, from, Some(crawl), Compared::Inline);
        address::and_query(&address, &[(LIST, &self.address)])
    }

    /// Returns where in this list the change of a page is, that `crawl` found or was compared with last; none where it is not
    /// in it.
    pub(crate) async fn step(
        &self,
        served: &Served,
        site: &SiteId,
        url: &PageUrl,
    ) -> Result<Option<Step>, WebError> {
        let listed = self.read(served).await?;
        let pages: Vec<(&SiteId, &PageUrl, String)> = listed
            .changes
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Page(page) => {
                    let record = &page.listed.record;
                    let address = self.change(&record.site, &record.url, page.before, record.crawl);
                    Some((&record.site, &record.url, address))
                }
                Row::Folder(_) | Row::Shared(_) => None,
            })
            .collect();
        let place = pages.iter().position(|(of, page, _)| *of == site && *page == url);
        Ok(place.map(|place| Step {
            place: place + 1,
            of: pages.len(),
            previous: place.checked_sub(1).and_then(|place| pages.get(place)).map(|(.., to)| to.clone()),
            next: pages.get(place + 1).map(|(.., to)| to.clone()),
        }))
    }
}

impl Listed {
    /// Returns every change that the rows stand for, by site: a row of a window may stand for several.
    pub(crate) fn names(&self) -> Vec<(SiteId, ChangeName)> {
        self.changes
            .rows
            .iter()
            .flat_map(|row| names(row).into_iter().map(|name| (row.site().clone(), name)))
            .collect()
    }

    /// Returns how many of the rows nobody has seen.
    pub(crate) fn unseen(&self) -> usize {
        ChangeCounts::of(&self.changes.rows).unseen
    }

    /// Returns the address of a site's root.
    pub(crate) fn root(&self, site: &SiteId) -> Option<&PageUrl> {
        self.sites.iter().find(|found| found.id == *site).map(|site| &site.root)
    }
}

/// Returns how many rows of pages have each kind of difference, the most frequent first.
fn kinds_of(rows: &[Row]) -> Vec<(Kind, usize)> {
    let mut counts: Vec<(Kind, usize)> = Vec::new();
    for row in rows {
        let Row::Page(page) = row else { continue };
        for kind in page.listed.record.visit.kinds.iter() {
            match counts.iter_mut().find(|(found, _)| *found == kind) {
                Some((_, count)) => *count += 1,
                None => counts.push((kind, 1)),
            }
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Returns the changes that a row stands for, the one that names it first.
pub(crate) fn names(row: &Row) -> Vec<ChangeName> {
    row.changes().into_iter().map(|change| ChangeName { crawl: change.crawl, id: change.event }).collect()
}

/// Returns the window that is shown unless another is asked for: since somebody last looked, if anything came since; else a week.
pub(crate) async fn usual_window(served: &Served, now: Timestamp) -> Result<Since, WebError> {
    let week = Since::Time(days_ago(7, now));
    let Some(looked) = reviews::last_looked(&*served.app.library, now).await? else { return Ok(week) };
    let since = Since::Time(looked);
    let sites = served.app.library.sites().await?;
    let filter = ChangesFilter::default();
    let window = served.reports().window(&sites, Bounds::since(since), &filter, Sort::Weight).await?;
    Ok(if window.changes.rows.is_empty() { week } else { since })
}

/// Returns the time so many days before `now`.
pub(crate) fn days_ago(days: i64, now: Timestamp) -> Timestamp {
    now - SignedDuration::from_hours(days * 24)
}
