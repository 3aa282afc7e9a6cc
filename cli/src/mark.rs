//! `recrawl mark`: what a person did with changes: seen, starred, a note.

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, EventId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::review::{ChangeId, Note, NoteTooLong, ReviewEdit};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::changes::Given;
use recrawl_reports::{ChangesFilter, ReportCache, Reports, reviews};
use recrawl_stores::{Access, open};

use crate::exit::{ExitStatus, usage};
use crate::output::{self, counted};
use crate::read::source::{Source, SourceArguments};
use crate::read::wait_for;

/// Mark changes as seen, star them, or write a note about them
///
/// Without another flag, the change is seen. The web page shows the same marks. They are kept with the crawl, and go with it
/// when `recrawl prune` forgets it, starred or not.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).multiple(false),
    group = clap::ArgGroup::new("seeing").multiple(false),
    group = clap::ArgGroup::new("starring").multiple(false)
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct MarkArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The page, by its URL or path, or the `id` of a change from `recrawl changes --format json`; several are possible
    #[arg(value_name = "PAGE|ID", group = "what")]
    changes: Vec<String>,

    /// All changes of a time, of all sites unless --site names one
    #[arg(long, group = "what", conflicts_with_all = ["seeing", "starring", "note", "crawl"])]
    all: bool,

    /// Since when: 7d, 2w, a date, a crawl, or last-look
    #[arg(long, value_name = "WHEN", conflicts_with = "changes", default_value = "7d")]
    since: Given,

    /// Until when, the day or the crawl included [default: now]
    #[arg(long, value_name = "WHEN", conflicts_with = "changes")]
    until: Option<Given>,

    /// Only pages whose path begins so
    #[arg(long, value_name = "PATH", conflicts_with = "changes")]
    path: Option<String>,

    /// The crawl that found the change [default: the latest that found one]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// It is seen
    #[arg(long, group = "seeing")]
    seen: bool,

    /// It is not seen yet
    #[arg(long, group = "seeing")]
    unseen: bool,

    /// Star it, to find it again with `recrawl changes --starred`
    #[arg(long, group = "starring")]
    star: bool,

    /// Take its star away
    #[arg(long, group = "starring")]
    unstar: bool,

    /// Write a note about it, at most 1,000 characters; an empty one takes it away
    #[arg(long, value_name = "TEXT", value_parser = note)]
    note: Option<NoteArgument>,
}

/// What is to be noted: nothing takes a note away.
#[derive(Debug, Clone)]
struct NoteArgument(Option<Note>);

fn note(text: &str) -> Result<NoteArgument, NoteTooLong> {
    Note::of(text).map(NoteArgument)
}

impl MarkArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            if self.all {
                self.see_all(source, now).await?;
            } else {
                self.mark(source, now).await?;
            }
            Ok(ExitStatus::Success)
        })
    }

    fn edit(&self) -> ReviewEdit {
        let either = |yes: bool, no: bool| (yes || no).then_some(yes);
        let edit = ReviewEdit {
            seen: either(self.seen, self.unseen),
            starred: either(self.star, self.unstar),
            note: self.note.clone().map(|note| note.0),
        };
        if edit.is_empty() { ReviewEdit::SEEN } else { edit }
    }

    async fn mark(&self, source: Source, now: Timestamp) -> anyhow::Result<()> {
        let mut found: Vec<(Site, ChangeId, String)> = Vec::new();
        for text in &self.changes {
            found.push(self.find(&source, text).await?);
        }
        drop(source);
        let (edit, store) = (self.edit(), open(self.source.address(), Access::Write).await?.ports());
        for (site, change, name) in &found {
            reviews::edit(&*store, &site.id, &[*change], &edit, now).await?;
            output::note(&format!("{name}, {}: {}.", change.crawl, told(&edit)))?;
        }
        Ok(())
    }

    /// Finds the change that is meant, and its name for people.
    async fn find(&self, source: &Source, text: &str) -> anyhow::Result<(Site, ChangeId, String)> {
        let is_id = [16, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id {
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let change = ChangeId::read(crawl.id, text).map_err(|error| usage(error.to_string()))?;
            return Ok((site, change, format!("Change {text}")));
        }
        let page = source.page(text).await?;
        let all = || page.visits.trusted.iter().chain(&page.visits.doubted);
        let is_meant = |visit: &&PageRecord| match self.crawl {
            Some(crawl) => visit.crawl == crawl,
            None => visit.visit.verdict.change().is_some() || visit.visit.verdict == Verdict::Shared,
        };
        let newest = all().filter(is_meant).max_by_key(|visit| page.visits.order.place(visit.crawl));
        let Some(visit) = newest else {
            let url = page.url;
            return Err(usage(match self.crawl {
                Some(crawl) => format!("{crawl} did not visit {url}"),
                None => format!("no crawl found a change of {url}"),
            }));
        };
        let event = EventId::new(visit.crawl, &visit.url);
        let name = page.url.path_and_query().to_owned();
        Ok((page.site, ChangeId { crawl: visit.crawl, event }, name))
    }

    async fn see_all(&self, source: Source, now: Timestamp) -> anyhow::Result<()> {
        let sites = source.sites().await?;
        let looked = reviews::last_looked(&*source.state_store, now).await?;
        drop(source);
        let store = open(self.source.address(), Access::Write).await?.ports();
        let bounds = Given::bounds(&self.since, self.until.as_ref(), looked, now);
        let filter = ChangesFilter { path: self.path.clone(), ..ChangesFilter::default() };
        let cache = ReportCache::default();
        let reports = Reports { history: &*store, reviews: Some(&*store), cache: &cache, now };
        let seen = reports.see_window(&*store, &sites, bounds, &filter).await?;
        output::note(&match seen {
            0 => "All of these changes were seen before.".to_owned(),
            seen => format!("Seen: {}.", counted(seen as u64, "change")),
        })?;
        Ok(())
    }
}

/// Says what was done.
fn told(edit: &ReviewEdit) -> String {
    let seen = edit.seen.map(|seen| if seen { "seen" } else { "unseen" });
    let starred = edit.starred.map(|starred| if starred { "starred" } else { "no star" });
    let note = edit.note.as_ref().map(|note| if note.is_some() { "noted" } else { "no note" });
    [seen, starred, note].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
