//! Where each site stands, in a line: what needs somebody first.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_core::words::{counted, grouped};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cache::Reports;
use crate::changes::{Bounds, ChangeCounts, ChangesFilter, Since, SiteFigures, Sort};
use crate::crawls::SiteStateView;
use crate::words::day;

/// What counts as lately: who comes once a week sees all.
const LATELY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Where a site stands; its JSON form is stable.
///
/// What changed lately is what the crawls of the last seven days found, or, if that is longer ago, the last whole crawl and
/// those after it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SiteLine {
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// Where crawls begin.
    #[schema(value_type = String, format = "uri")]
    pub root: PageUrl,
    /// Where it stands.
    pub state: SiteStanding,
    /// The same in words, as a mark: `7 unseen`, `no answer`.
    pub word: String,
    /// Pages of the last crawl that read the site.
    pub pages: u64,
    /// Its last crawl.
    #[schema(value_type = Option<String>)]
    pub crawl: Option<CrawlId>,
    /// When that was opened.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_crawl: Option<Timestamp>,
    /// When it is crawled next by its schedule, where that is known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_crawl: Option<Timestamp>,
    /// Since when that is.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// How many changes there were lately.
    pub changes: usize,
    /// How many shared changes there were lately.
    pub shared: usize,
    /// How many of them nobody has seen, shared ones among them.
    pub unseen: usize,
    /// It could not be read, or most of what is doubted in its last crawl failed.
    #[serde(skip)]
    pub has_failed: bool,
    /// How many changes of an unusual crawl wait for somebody to decide.
    pub waiting: usize,
    /// What there is to know, in short; often nothing.
    pub what: String,
    /// What happened, in whole sentences.
    pub sentence: String,
    /// What to do, in whole sentences, where something is to be done.
    pub advice: Option<String>,
    /// When the first of the last crawls was opened that could not read it, where it cannot be read.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub failed_since: Option<Timestamp>,
    /// Why the site could not be read, or not all of it, when it was last crawled.
    pub site_state: Option<SiteStateView>,
}

/// Where a site stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SiteStanding {
    /// It could not be read.
    Failed,
    /// Its last crawl is unusual, and somebody should decide.
    Unusual,
    /// It has changes that nobody has seen.
    Unseen,
    /// It is being crawled.
    Crawling,
    /// Its last crawl ended early, and found nothing.
    Partial,
    /// It changed, and somebody has seen all of it.
    Seen,
    /// It was read completely, and nothing changed.
    Quiet,
    /// It was crawled for the first time.
    First,
    /// It was not crawled yet.
    New,
}

impl SiteStanding {
    /// Returns its place among others: those that need somebody come first.
    const fn rank(self) -> u8 {
        match self {
            Self::Failed => 0,
            Self::Unusual => 1,
            Self::Unseen => 2,
            Self::Crawling => 3,
            Self::Partial => 4,
            Self::Seen | Self::Quiet | Self::First | Self::New => 5,
        }
    }

    /// Tells whether the site needs nobody now.
    pub const fn is_calm(self) -> bool {
        self.rank() > Self::Crawling.rank()
    }

    /// Returns where sites like this stand, to be counted: `quiet`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Unusual => "unusual",
            Self::Unseen => "with unseen changes",
            Self::Crawling => "crawling",
            Self::Partial => "partial",
            Self::Seen => "seen",
            Self::Quiet => "quiet",
            Self::First => "crawled once",
            Self::New => "not crawled",
        }
    }

    /// Tells whether somebody should look at the site, whatever changed on it.
    pub const fn needs_a_look(self) -> bool {
        matches!(self, Self::Failed | Self::Unusual)
    }

    fn decide(crawls: &[Crawl], figures: &SiteFigures) -> Self {
        let Some(latest) = crawls.last() else { return Self::New };
        let counts = &figures.counts;
        let closed = crawls.iter().rev().find_map(|crawl| Some((crawl, crawl.closed.as_ref()?)));
        let Some((last, closed)) = closed else { return Self::Crawling };
        if hides_site(closed) {
            Self::Failed
        } else if last.is_unusual(None) {
            Self::Unusual
        } else if counts.unseen > 0 {
            Self::Unseen
        } else if latest.is_open() {
            Self::Crawling
        } else if counts.all + counts.shared > 0 {
            Self::Seen
        } else if closed.ending != Ending::Complete {
            Self::Partial
        } else if crawls.len() == 1 {
            Self::First
        } else {
            Self::Quiet
        }
    }

    fn word(self, unseen: usize, closed: Option<&Closed>) -> String {
        let state = closed.and_then(|closed| closed.state.as_ref());
        match self {
            Self::Failed => state.map_or("failed", SiteState::mark).to_owned(),
            Self::Unusual => doubt_word(closed).word().to_owned(),
            Self::Unseen => format!("{} unseen", grouped(unseen as u64)),
            Self::Crawling => "crawling".to_owned(),
            Self::Partial => "partial".to_owned(),
            Self::Seen => "seen".to_owned(),
            Self::Quiet => "quiet".to_owned(),
            Self::First => "first crawl".to_owned(),
            Self::New => "not crawled".to_owned(),
        }
    }
}

impl Reports<'_> {
    /// Returns where these sites stand, those that need somebody first, then by name. Whoever knows the schedules adds when
    /// each is crawled next.
    pub async fn site_lines(&self, sites: &[Site]) -> Result<Vec<SiteLine>, StoreError> {
        let mut lines = Vec::with_capacity(sites.len());
        for site in sites {
            lines.push(self.site_line(site).await?);
        }
        lines.sort_by(|one, other| (one.state.rank(), &one.site).cmp(&(other.state.rank(), &other.site)));
        Ok(lines)
    }

    /// Returns where a site stands.
    pub async fn site_line(&self, site: &Site) -> Result<SiteLine, StoreError> {
        let crawls = self.history.crawls(&site.id).await?;
        let filter = ChangesFilter::default();
        let since = since(&crawls, self.now);
        let bounds = Bounds::since(Since::Time(since));
        let window = self.window(std::slice::from_ref(site), bounds, &filter, Sort::Weight).await?;
        let noise = window.changes.figures.noise;
        let nothing = || SiteFigures {
            site: site.id.clone(),
            counts: ChangeCounts::default(),
            waiting: 0,
            last_crawl: None,
            last_crawl_at: None,
        };
        let figures = window.sites.into_iter().next().unwrap_or_else(nothing);
        let facts = Facts { crawls: &crawls, figures: &figures, noise, since, now: self.now };
        Ok(facts.line(site))
    }
}

/// Returns since when changes count as late ones, given the crawls of a site in order of opening.
pub fn lately(crawls: &[Crawl], now: Timestamp) -> Bounds {
    Bounds::since(Since::Time(since(crawls, now)))
}

fn since(crawls: &[Crawl], now: Timestamp) -> Timestamp {
    let week = now.checked_sub(LATELY).unwrap_or(Timestamp::MIN);
    let whole =
        crawls.iter().rev().filter_map(|crawl| crawl.closed.as_ref()).find(|closed| closed.is_whole());
    whole.map_or(week, |whole| whole.at.min(week))
}

/// Tells whether a crawl could not read the site.
fn hides_site(closed: &Closed) -> bool {
    let statistics = &closed.statistics;
    let all_failed = statistics.total > 0 && statistics.counts[Verdict::Failed] == statistics.total;
    all_failed || closed.state.as_ref().is_some_and(SiteState::hides_site)
}

/// Returns what is said of the last crawl, which is doubted.
fn doubt_word(closed: Option<&Closed>) -> DoubtWord {
    closed.map_or(DoubtWord::Unusual, |closed| DoubtWord::of(&closed.statistics))
}

/// What a line is made of.
struct Facts<'a> {
    crawls: &'a [Crawl],
    figures: &'a SiteFigures,
    noise: u64,
    since: Timestamp,
    now: Timestamp,
}

impl Facts<'_> {
    fn line(&self, site: &Site) -> SiteLine {
        let counts = &self.figures.counts;
        let latest = self.crawls.last();
        let closed = self.crawls.iter().rev().find_map(|crawl| crawl.closed.as_ref());
        let site_state = closed.and_then(|closed| closed.state.as_ref());
        let state = SiteStanding::decide(self.crawls, self.figures);
        SiteLine {
            site: site.id.clone(),
            root: site.root.clone(),
            state,
            word: state.word(counts.unseen, closed),
            has_failed: state == SiteStanding::Failed
                || state == SiteStanding::Unusual && doubt_word(closed) != DoubtWord::Unusual,
            pages: self.pages(),
            crawl: latest.map(|crawl| crawl.id),
            last_crawl: latest.map(|crawl| crawl.opened_at),
            next_crawl: None,
            since: self.since,
            changes: counts.all,
            shared: counts.shared,
            unseen: counts.unseen,
            waiting: self.figures.waiting,
            what: self.what(state, closed),
            sentence: self.sentence(state, closed),
            advice: advice(state, site_state),
            failed_since: if state == SiteStanding::Failed { self.failed_since() } else { None },
            site_state: site_state.map(SiteStateView::from),
        }
    }

    /// Returns the last crawl that read the site, as far as it goes.
    fn read(&self) -> Option<(&Crawl, &Closed)> {
        let mut closed = self.crawls.iter().rev().filter_map(|crawl| Some((crawl, crawl.closed.as_ref()?)));
        let is_whole = |closed: &Closed| closed.ending == Ending::Complete && !hides_site(closed);
        let found = closed.clone().find(|(_, closed)| is_whole(closed));
        found.or_else(|| closed.find(|(_, closed)| !hides_site(closed)))
    }

    fn failed_since(&self) -> Option<Timestamp> {
        let closed = self.crawls.iter().rev().filter_map(|crawl| Some((crawl, crawl.closed.as_ref()?)));
        let failed = closed.take_while(|(_, closed)| hides_site(closed));
        failed.last().map(|(crawl, _)| crawl.opened_at)
    }

    fn pages(&self) -> u64 {
        self.read().map_or(0, |(_, closed)| closed.statistics.total)
    }

    fn what(&self, state: SiteStanding, closed: Option<&Closed>) -> String {
        let ChangeCounts { all, shared, .. } = self.figures.counts;
        let changes = counted(all as u64, "change");
        let obstacle = closed.and_then(|closed| closed.state.as_ref()).map(SiteState::sentence);
        match (state, closed.map(|closed| &closed.ending)) {
            (SiteStanding::Failed, ending) => obstacle.unwrap_or_else(|| match ending {
                Some(Ending::Partial(reason)) => reason.clone(),
                Some(Ending::Complete) | None => "no page could be read".to_owned(),
            }),
            (SiteStanding::Unusual, _) => {
                format!("{} wait for you", counted(self.figures.waiting as u64, "change"))
            }
            (SiteStanding::Unseen | SiteStanding::Seen | SiteStanding::Crawling, _) if all + shared > 0 => {
                if shared == 0 {
                    changes
                } else {
                    format!("{changes}, {} shared", grouped(shared as u64))
                }
            }
            (SiteStanding::Partial, Some(Ending::Partial(reason))) => reason.clone(),
            (_, _) => obstacle.unwrap_or_default(),
        }
    }

    fn sentence(&self, state: SiteStanding, closed: Option<&Closed>) -> String {
        let pages = || counted(self.pages(), "page");
        let obstacle = closed.and_then(|closed| closed.state.as_ref()).map(SiteState::sentence);
        let suspicion = closed.and_then(|closed| closed.suspicion.as_ref());
        match state {
            SiteStanding::Failed => {
                let what = capitalised(&obstacle.unwrap_or_else(|| self.what(state, closed)));
                match self.read() {
                    Some((crawl, _)) => {
                        let on = day(crawl.opened_at, self.now);
                        format!("{what}. Last read on {on}: {}, kept.", pages())
                    }
                    None => format!("{what}."),
                }
            }
            SiteStanding::Unusual => {
                let reason = suspicion.map(|suspicion| capitalised(&suspicion.reason)).unwrap_or_default();
                format!("{reason}. Nothing was sent yet.")
            }
            SiteStanding::Unseen | SiteStanding::Seen => with_obstacle(self.counted(), obstacle),
            SiteStanding::Crawling => "A crawl is under way.".to_owned(),
            SiteStanding::Partial => {
                format!("The last crawl ended early: {}. It saw no change.", self.what(state, closed))
            }
            SiteStanding::Quiet => match (obstacle, self.noise) {
                (Some(obstacle), _) => format!("Nothing changed in {}. {}.", pages(), capitalised(&obstacle)),
                (None, 0) => format!("Nothing changed in {}.", pages()),
                (None, noise) => format!("Nothing changed in {}; {} only noise.", pages(), grouped(noise)),
            },
            SiteStanding::First => with_obstacle(
                format!("First crawl: {}. What changes is shown after the next.", pages()),
                obstacle,
            ),
            SiteStanding::New => "It was not crawled yet.".to_owned(),
        }
    }

    /// Says what changed lately: `8 changes in 1,186 pages: 1 new, 5 changed, 1 moved, 1 gone; and 2 shared changes.`
    fn counted(&self) -> String {
        let counts = &self.figures.counts;
        let kinds = [
            (counts.new, "new"),
            (counts.changed, "changed"),
            (counts.moved, "moved"),
            (counts.gone, "gone"),
        ];
        let kinds: Vec<String> = kinds
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, kind)| format!("{} {kind}", grouped(*number as u64)))
            .collect();
        let pages = counted(self.pages(), "page");
        let shared = counted(counts.shared as u64, "shared change");
        match (counts.all, counts.shared) {
            (0, _) => format!("{shared} in {pages}."),
            (all, 0) => format!("{} in {pages}: {}.", counted(all as u64, "change"), kinds.join(", ")),
            (all, _) => {
                format!("{} in {pages}: {}; and {shared}.", counted(all as u64, "change"), kinds.join(", "))
            }
        }
    }
}

/// Adds what keeps some of the site from being read.
fn with_obstacle(sentence: String, obstacle: Option<String>) -> String {
    match obstacle {
        Some(obstacle) => format!("{sentence} {}.", capitalised(&obstacle)),
        None => sentence,
    }
}

fn advice(state: SiteStanding, site_state: Option<&SiteState>) -> Option<String> {
    match state {
        SiteStanding::Failed => Some(site_state.map_or_else(
            || "The next crawl tries again. No page counts as gone because of it.".to_owned(),
            |state| state.advice().to_owned(),
        )),
        SiteStanding::Unusual => Some(
            "If the site is right, accept it. If the next whole crawl finds the same, it is accepted by itself."
                .to_owned(),
        ),
        SiteStanding::Unseen
        | SiteStanding::Crawling
        | SiteStanding::Partial
        | SiteStanding::Seen
        | SiteStanding::Quiet
        | SiteStanding::First
        | SiteStanding::New => site_state.map(|state| state.advice().to_owned()),
    }
}

/// Begins a sentence; names of hosts and of robots.txt are spelt as they are.
fn capitalised(sentence: &str) -> String {
    match sentence.split_once(' ') {
        Some((first @ ("the" | "no"), rest)) => {
            let (letter, others) = first.split_at(1);
            format!("{}{others} {rest}", letter.to_uppercase())
        }
        _ => sentence.to_owned(),
    }
}
