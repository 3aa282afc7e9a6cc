//! A double of what does things: it notes what was asked, and pretends.

#![expect(clippy::unwrap_used, reason = "what is told here is known to be right")]

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::changes::noise::Said;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::site_state::{Obstacle, SiteState as ObstacleState};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::{TextRules, TextSettings};
use recrawl_reports::SiteStateView;
use recrawl_web::crawl_control::{
    Activity, ControlError, CrawlControl, FirstPage, FoundSoFar, IgnoreRules, JudgedAgain, LatestPage,
    NewSite, NextTry, Pace, Progress, ProgressStream, RefusedPage, RulesReading, Schedule, SitePreview,
    SiteState,
};

/// How many pages a pretended crawl has.
const PAGES: u64 = 40;

/// Notes what was asked, and pretends to do it.
pub(crate) struct Harness {
    /// What was asked, and what is pretended.
    pub(crate) notes: Arc<Mutex<Notes>>,
    tick: Duration,
}

/// What was asked, and what is pretended.
pub(crate) struct Notes {
    /// Every wish, in order.
    pub(crate) asked: Vec<String>,
    /// Why wishes are refused, if they are.
    pub(crate) refusal: Option<String>,
    /// What people should know.
    pub(crate) notices: Vec<String>,
    /// What goes on.
    pub(crate) activity: Activity,
    /// When a crawl that waits is tried again.
    pub(crate) next_try: Option<NextTry>,
    schedule: Option<Schedule>,
    rules: IgnoreRules,
}

impl Harness {
    /// Returns one whose crawls visit a page each `tick`.
    pub(crate) fn new(tick: Duration) -> Self {
        let schedule = Schedule { cron: "0 3 * * 0".to_owned(), time_zone: "America/Los_Angeles".to_owned() };
        let notes = Notes {
            asked: Vec::new(),
            refusal: None,
            notices: Vec::new(),
            activity: Activity::Idle,
            next_try: None,
            schedule: Some(schedule),
            rules: IgnoreRules { selectors: vec![".clock".to_owned()], patterns: Vec::new() },
        };
        Self { notes: Arc::new(Mutex::new(notes)), tick }
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap()
    }

    /// Notes a wish, and refuses it if that was asked for.
    fn ask(&self, wish: String) -> Result<MutexGuard<'_, Notes>, ControlError> {
        let mut notes = self.notes();
        notes.asked.push(wish);
        match notes.refusal.clone() {
            Some(reason) => Err(ControlError::Refused(reason)),
            None => Ok(notes),
        }
    }
}

#[async_trait]
impl CrawlControl for Harness {
    async fn state(&self, site: &SiteId) -> Result<SiteState, ControlError> {
        let notes = self.notes();
        let is_park = site.as_str() == "park.example";
        let next_crawl = notes.schedule.as_ref().map(|_| "2026-11-22T11:00:00Z".parse().unwrap());
        let activity =
            if is_park && notes.activity == Activity::Idle { Activity::Paused } else { notes.activity };
        let (pace, told) = ("1 request a second".to_owned(), vec!["newsroom".to_owned()]);
        let next_try = notes.next_try.clone().filter(|_| activity == Activity::TriedLater);
        Ok(SiteState { activity, schedule: notes.schedule.clone(), next_crawl, pace, told, next_try })
    }

    async fn start(&self, site: &SiteId) -> Result<(), ControlError> {
        self.ask(format!("start {site}"))?.activity = Activity::Crawling;
        Ok(())
    }

    async fn pause(&self, site: &SiteId) -> Result<(), ControlError> {
        self.ask(format!("pause {site}"))?.activity = Activity::Paused;
        Ok(())
    }

    async fn stop(&self, site: &SiteId) -> Result<(), ControlError> {
        self.ask(format!("stop {site}"))?.activity = Activity::Idle;
        Ok(())
    }

    /// The first time, it has only begun; an address with a `?` has a trouble of that name.
    async fn first_look(&self, wish: &NewSite) -> Result<SitePreview, ControlError> {
        let asked = format!("look {} {:?} {:?}", wish.root, wish.include, wish.exclude);
        let done = self.ask(asked.clone())?.asked.iter().filter(|other| **other == asked).count() > 1;
        let root: PageUrl = wish.root.parse().map_err(|_| refused("the address is no page"))?;
        let below = |path: &str| root.to_url().join(path).unwrap().as_str().parse::<PageUrl>().unwrap();
        let seen = SitePreview {
            site: "new.example".parse().unwrap(),
            robots: "robots.txt allows 212 of 214 known pages and asks for 2 s between requests".to_owned(),
            delay_seconds: 2,
            sitemaps: vec!["/sitemap.xml: 212 pages, 3 older than a year".to_owned()],
            known: 212,
            admitted: ["/news", "/news/fair", "/services/bridge"].map(below).to_vec(),
            refused: vec![RefusedPage {
                url: below("/admin"),
                reason: "disallowed by robots.txt <script>alert(1)</script>".to_owned(),
            }],
            trouble: None,
            state: None,
            first_page: Some(FirstPage {
                took_ms: 412,
                title: Some("A <b>new</b> site".to_owned()),
                words: 212,
                links: 64,
            }),
            instead: None,
            done: true,
            root,
        };
        if !done {
            let nothing = SitePreview {
                robots: String::new(),
                sitemaps: Vec::new(),
                known: 0,
                admitted: Vec::new(),
                refused: Vec::new(),
                first_page: None,
                done: false,
                ..seen
            };
            return Ok(nothing);
        }
        let above = seen.root.to_url().join("/").unwrap().as_str().parse().unwrap();
        let obstacle = match seen.root.to_url().query() {
            Some("missing") => Obstacle::RootMissing { status: 404 },
            Some("password") => Obstacle::NeedsPassword { status: 401 },
            Some("scripts") => Obstacle::NeedsScripts { pages: 1, of: 1 },
            _ => return Ok(seen),
        };
        let instead = matches!(obstacle, Obstacle::RootMissing { .. }).then_some(above);
        let state = Some(SiteStateView::from(&ObstacleState { obstacle, read: 0 }));
        Ok(SitePreview { state, instead, ..seen })
    }

    async fn rename_site(&self, site: &SiteId, name: &str) -> Result<SiteId, ControlError> {
        drop(self.ask(format!("rename {site} {name}"))?);
        // Nothing is kept here, so the site stays where it was.
        Ok(site.clone())
    }

    async fn remove_site(&self, site: &SiteId) -> Result<(), ControlError> {
        self.ask(format!("remove {site}"))?.activity = Activity::Removing;
        Ok(())
    }

    async fn judge_noise(&self, site: &SiteId, shape: &str, said: Option<Said>) -> Result<(), ControlError> {
        drop(self.ask(format!("noise {site} {shape} {said:?}"))?);
        Ok(())
    }

    async fn add_site(&self, wish: &NewSite) -> Result<Site, ControlError> {
        drop(self.ask(format!("add {} {:?} {:?}", wish.root, wish.name, wish.schedule))?);
        let root: PageUrl = wish.root.parse().map_err(|_| refused("the address is no page"))?;
        let id = wish.name.as_deref().unwrap_or("new.example").parse();
        let id =
            id.map_err(|error: recrawl_core::model::ids::IdError| ControlError::Refused(error.to_string()))?;
        Ok(Site { id, root, scope: ScopeSettings::default(), created_at: Timestamp::UNIX_EPOCH })
    }

    async fn save_schedule(&self, site: &SiteId, schedule: Option<&Schedule>) -> Result<(), ControlError> {
        self.ask(format!("schedule {site} {:?}", schedule.map(|schedule| &schedule.cron)))?.schedule =
            schedule.cloned();
        Ok(())
    }

    async fn rules(&self, _: &SiteId) -> Result<IgnoreRules, ControlError> {
        Ok(self.notes().rules.clone())
    }

    /// Leaves out the lines that have a pattern in them.
    async fn preview_rules(
        &self,
        _: &SiteId,
        url: &PageUrl,
        rules: &IgnoreRules,
    ) -> Result<RulesReading, ControlError> {
        if rules.patterns.iter().any(|pattern| pattern == "(") {
            return Err(refused("the pattern ( is no regular expression"));
        }
        let read = |hours: &str| {
            let text = format!("{}\nOpen from {hours}.\n<script>alert(1)</script>\n", url.path());
            let lines =
                text.lines().filter(|line| !rules.patterns.iter().any(|pattern| line.contains(pattern)));
            lines.flat_map(|line| [line, "\n"]).collect::<String>()
        };
        let took = Duration::from_millis(3);
        Ok(RulesReading { older: read("9 to 17"), newer: read("10 to 18"), took, unusual: None })
    }

    async fn save_rules(&self, site: &SiteId, rules: &IgnoreRules) -> Result<(), ControlError> {
        self.ask(format!("rules {site} {:?} {:?}", rules.selectors, rules.patterns))?.rules = rules.clone();
        Ok(())
    }

    async fn archive(&self, site: &SiteId, url: &PageUrl) -> Result<(), ControlError> {
        drop(self.ask(format!("archive {site} {url}"))?);
        Ok(())
    }

    async fn accept(&self, site: &SiteId, crawl: CrawlId) -> Result<(), ControlError> {
        drop(self.ask(format!("accept {site} {crawl}"))?);
        Ok(())
    }

    async fn outage(&self, site: &SiteId, crawl: CrawlId, line: &str) -> Result<JudgedAgain, ControlError> {
        drop(self.ask(format!("outage {site} {crawl} {line}"))?);
        Ok(JudgedAgain { pages: 1, doubt: None })
    }

    async fn readers(
        &self,
        _: &SiteId,
        rules: &[IgnoreRules],
    ) -> Result<Vec<Arc<HtmlExtractor>>, ControlError> {
        let reader = |rules: &IgnoreRules| {
            let settings = TextSettings {
                ignore_selectors: rules.selectors.clone(),
                ignore_patterns: rules.patterns.clone(),
                ..TextSettings::default()
            };
            let rules =
                TextRules::new(&settings).map_err(|error| ControlError::Refused(error.to_string()))?;
            Ok(Arc::new(HtmlExtractor::new(rules, UrlRules::default(), true)))
        };
        rules.iter().map(reader).collect()
    }

    async fn targets(&self) -> Result<Vec<String>, ControlError> {
        Ok(vec!["newsroom".to_owned(), "team".to_owned()])
    }

    async fn notices(&self) -> Result<Vec<String>, ControlError> {
        Ok(self.notes().notices.clone())
    }

    fn progress(&self, _: &SiteId) -> ProgressStream {
        if self.notes().activity != Activity::Crawling {
            return Box::pin(stream::empty());
        }
        let (tick, notes) = (self.tick, self.notes.clone());
        Box::pin(stream::unfold((1, notes), move |(done, notes)| async move {
            if done > PAGES + 1 {
                return None;
            }
            if done > 1 {
                tokio::time::sleep(tick).await;
            }
            if done > PAGES {
                notes.lock().unwrap().activity = Activity::Idle;
            }
            let progress = Progress {
                crawl: "crawl-2026-11-16-2".parse().unwrap(),
                done: Some(done.min(PAGES)),
                waiting: Some(PAGES.saturating_sub(done)),
                found: Some(FoundSoFar {
                    new: done / 9,
                    changed: done / 5,
                    gone: 0,
                    failed: done / 30,
                    not_modified: done / 2,
                }),
                last_visit: Some(Timestamp::now()),
                pace: Some(Pace {
                    since: Timestamp::now() - SignedDuration::from_secs(744),
                    read: done,
                    pages_a_second: Some(1.0),
                    seconds_left: Some(PAGES.saturating_sub(done)),
                }),
                latest: vec![LatestPage {
                    url: format!("https://city.example/parks/{done}").parse().unwrap(),
                    status: Some(304),
                    kind: Verdict::Unchanged,
                    fetch_ms: 41,
                }],
                waits: None,
                closed: done > PAGES,
            };
            Some((progress, (done + 1, notes)))
        }))
    }
}

fn refused(reason: &str) -> ControlError {
    ControlError::Refused(reason.to_owned())
}
