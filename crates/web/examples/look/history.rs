//! A history of a small site, recorded week by week as a crawl would: read, judged and stored.

#![expect(clippy::unwrap_used, reason = "what is told here is known to be right")]

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan};
use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::content::{Content, Extractor};
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{Check, Found, FoundBy, Headers, PageRecord, PageState, Visit};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::Store;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;

/// What a page answers in one week.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A page with this title and these paragraphs; a link is `[/path]` alone in a paragraph.
    Page(String, Vec<String>),
    /// Other bytes.
    Bytes(&'static str, Vec<u8>),
    /// A redirect.
    Redirect(&'static str),
    /// A 404.
    Absent,
    /// Nothing.
    Failure,
    /// It is not asked, by rule.
    PassedOver,
}

/// Records crawls.
pub(crate) struct Recorder {
    store: MemoryStore,
    site: Site,
    known: BTreeMap<String, PageState>,
    extractor: HtmlExtractor,
}

/// Returns the extractor by whose rules the history is read.
pub(crate) fn extractor() -> HtmlExtractor {
    HtmlExtractor::new(TextRules::default(), UrlRules::default(), true)
}

/// Returns a page with this title and these paragraphs.
pub(crate) fn page(title: &str, paragraphs: &[&str]) -> Answer {
    Answer::Page(title.to_owned(), paragraphs.iter().map(|&text| text.to_owned()).collect())
}

impl Recorder {
    /// Begins a site in `store`.
    pub(crate) async fn new(store: MemoryStore, name: &str, root: &str) -> Self {
        let root: PageUrl = root.parse().unwrap();
        let id: SiteId = name.parse().unwrap();
        let created_at = "2026-10-19T03:00:00Z".parse().unwrap();
        let site = Site { id, root, scope: ScopeSettings::default(), created_at };
        store.save_site(&site).await.unwrap();
        Self { store, site, known: BTreeMap::new(), extractor: extractor() }
    }

    /// Records a crawl, and closes it unless it is to stay open.
    pub(crate) async fn crawl(
        &mut self,
        id: &str,
        answers: &[(&str, Answer)],
        ending: Option<Ending>,
    ) -> Statistics {
        let id: CrawlId = id.parse().unwrap();
        let opened_at: Timestamp = format!("{}T03:00:00Z", id.day()).parse().unwrap();
        self.store.open_crawl(&Crawl::new(self.site.id.clone(), id, opened_at)).await.unwrap();
        let mut statistics = Statistics::default();
        for (number, (path, answer)) in (1_i64..).zip(answers) {
            let (record, content) = self.visit(id, path, answer, opened_at + number.seconds());
            statistics.add(&record);
            self.store.record(&record, content.as_ref()).await.unwrap();
        }
        if let Some(ending) = ending {
            let at = opened_at + (i64::try_from(answers.len()).unwrap() + 60).seconds();
            let closed = Closed { at, ending, suspicion: None, state: None, statistics: statistics.clone() };
            self.store.close_crawl(&self.site.id, id, &closed).await.unwrap();
        }
        statistics
    }

    /// Records a crawl that nobody believes; what is known of the pages stays as it was.
    pub(crate) async fn suspect_crawl(&mut self, id: &str, answers: &[(&str, Answer)], reason: &str) {
        let known = self.known.clone();
        let statistics = self.crawl(id, answers, None).await;
        self.known = known;
        let crawl: CrawlId = id.parse().unwrap();
        let at: Timestamp = format!("{}T03:10:00Z", crawl.day()).parse().unwrap();
        let suspicion = Some(Suspicion::new(reason.to_owned()));
        let closed = Closed { at, ending: Ending::Complete, suspicion, state: None, statistics };
        self.store.close_crawl(&self.site.id, crawl, &closed).await.unwrap();
    }

    /// Returns the store with all that was recorded.
    pub(crate) fn into_store(self) -> MemoryStore {
        self.store
    }

    fn visit(
        &mut self,
        crawl: CrawlId,
        path: &str,
        answer: &Answer,
        now: Timestamp,
    ) -> (PageRecord, Option<Content>) {
        let url: PageUrl = self.site.root.to_url().join(path).unwrap().as_str().parse().unwrap();
        let before = self.known.get(path);
        let mut headers = Headers::default();
        let mut content = None;
        let seen = match answer {
            Answer::Page(title, paragraphs) => {
                let body = markup(title, paragraphs);
                headers.content_type = Some("text/html; charset=utf-8".to_owned());
                headers.etag = Some(format!("\"{}\"", &ContentHash::of(body.as_bytes()).to_string()[..8]));
                content = Some(self.content(&url, "text/html", body.into_bytes()));
                Self::seen(before, content.as_ref().unwrap())
            }
            Answer::Bytes(media_type, bytes) => {
                headers.content_type = Some((*media_type).to_owned());
                content = Some(self.content(&url, media_type, bytes.clone()));
                Self::seen(before, content.as_ref().unwrap())
            }
            Answer::Redirect(target) => {
                headers.location = Some((*target).to_owned());
                Observation::Redirect
            }
            Answer::Absent => Observation::Absent { for_good: false },
            Answer::Failure => Observation::NoEvidence,
            Answer::PassedOver => Observation::PassedOver,
        };
        let judgement = judge(&url, before, &seen, &headers, now);
        let (status, reason) = match answer {
            Answer::Page(..) | Answer::Bytes(..) => (Some(200), None),
            Answer::Redirect(_) => (Some(301), None),
            Answer::Absent => (Some(404), None),
            Answer::Failure => (Some(503), Some("the server answered 503 five times".to_owned())),
            Answer::PassedOver => (None, Some("disallowed by robots.txt".to_owned())),
        };
        let bytes = content.as_ref().map_or(300, |content| content.size + 300);
        let is_same = before.is_some() && judgement.verdict.change().is_none() && status == Some(200);
        let record = PageRecord {
            site: self.site.id.clone(),
            crawl,
            url,
            found: Found {
                by: if path.contains("forgotten") { FoundBy::Memory } else { FoundBy::Link },
                depth: 1,
                referrer: Some(self.site.root.clone()),
            },
            visit: Visit {
                verdict: judgement.verdict,
                aspects: judgement.aspects,
                tier: None,
                weight: 0,
                words: WordCount::default(),
                kinds: Kinds::default(),
                edits: None,
                status,
                not_modified: is_same,
                check: Check::None,
                reason,
                fetched_at: now,
                fetch_ms: u32::try_from(path.len() * 23 % 900 + 40).unwrap(),
                requests: u32::from(!matches!(answer, Answer::PassedOver)),
                received_bytes: if is_same { 200 } else { bytes },
                saved_bytes: if is_same { bytes } else { 0 },
                truncated: false,
            },
            archive: judgement.verdict.wants_archiving().then(|| Archive {
                state: ArchiveState::Captured,
                captured_at: Some(now + 1.hour()),
                wayback_url: Some(format!("https://web.archive.org/web/20261116040000/{}", self.site.root)),
                ..Archive::queued(now)
            }),
            known: judgement.known.clone(),
        };
        self.known.insert(path.to_owned(), judgement.known);
        (record, content)
    }

    fn content(&self, url: &PageUrl, media_type: &str, body: Vec<u8>) -> Content {
        Content {
            hash: ContentHash::of(&body),
            size: body.len() as u64,
            media_type: media_type.to_owned(),
            extracted: self
                .extractor
                .extract(url, Some(media_type), &body)
                .expect("a page of the demonstration"),
            body: Some(body),
        }
    }

    fn seen(before: Option<&PageState>, content: &Content) -> Observation {
        let reference = content.reference();
        let previous = before.and_then(|before| before.content.as_ref());
        Observation::Content {
            difference: previous.map(|previous| previous.differences(&reference)),
            reference,
            transfer_bytes: content.size + 300,
        }
    }
}

fn markup(title: &str, paragraphs: &[String]) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let mut body = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>{}</title></head>\n<body>\n<h1>{}</h1>\n",
        escaped(title),
        escaped(title)
    );
    for text in paragraphs {
        let link = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let written = match link {
            Some(path) => format!("<a href=\"{path}\">More</a> <img src=\"{path}.jpg\" alt=\"\">"),
            None => escaped(text),
        };
        body.extend(["<p>", &written, "</p>\n"]);
    }
    body + "<script>alert('stored scripts must not run')</script>\n</body>\n</html>\n"
}

/// Records five weeks of a town's site, as `example.org-town`, and one crawl of another.
pub(crate) async fn town() -> MemoryStore {
    let mut town =
        Recorder::new(MemoryStore::default(), "example.org-town", "https://example.org/town").await;
    for (number, id) in
        ["crawl-2026-10-19", "crawl-2026-10-26", "crawl-2026-11-02", "crawl-2026-11-09"].iter().enumerate()
    {
        town.crawl(id, &week(number), Some(Ending::Complete)).await;
    }
    let storm: Vec<(&str, Answer)> = week(3).into_iter().map(|(path, _)| (path, Answer::Absent)).collect();
    town.suspect_crawl("crawl-2026-11-12", &storm, "23 of 25 known pages have gone").await;
    town.crawl("crawl-2026-11-16", &week(4), Some(Ending::Complete)).await;
    let mut park = Recorder::new(town.into_store(), "park.example", "https://park.example/").await;
    park.crawl("crawl-2026-11-16", &[("/", page("The park", &["Open from dawn to dusk."]))], None).await;
    park.into_store()
}

/// Returns what the pages of the town answer in a week, counted from 0.
fn week(number: usize) -> Vec<(&'static str, Answer)> {
    let hours = ["9 to 17", "9 to 17", "9 to 17", "9 to 18", "10 to 18"][number];
    let mut answers = vec![
        (
            "/town",
            page(
                "Town of Example",
                &["Welcome to the town.", "[/town/news]", "[/town/bridge]", "[/town/broken]"],
            ),
        ),
        (
            "/town/news",
            page(
                "News",
                &[
                    "All the news of the town.",
                    &format!("{} stories this year.", 12 + number),
                    "[/town/news/fair]",
                ],
            ),
        ),
        (
            "/town/news/fair",
            if number < 3 {
                page(
                    "The autumn fair",
                    &["The fair is on the green until the end of October.", "Bring an umbrella."],
                )
            } else {
                Answer::Absent
            },
        ),
        (
            "/town/services/bridge",
            page(
                "Bridge opening hours",
                &[
                    &format!("The bridge is open from {hours}, except on public holidays."),
                    "Boats higher than four metres ring the bell twice and wait at the buoy until the keeper waves; the keeper has lunch from 12 to 13.",
                    "A crossing is free for residents. Visitors pay at the booth.",
                    "Questions are answered at the town hall.",
                    "The bridge was built in 1911 and repaired in 1987.",
                    "[/town/services/parking]",
                ],
            ),
        ),
        (
            "/town/services/parking",
            if number < 4 {
                page("Parking", &["Two hours are free."])
            } else {
                Answer::Redirect("/town/services/mobility")
            },
        ),
        (
            "/town/services/mobility",
            page(
                "Mobility",
                &["Cars, trams and bicycles.", if number < 4 { "[/town/trams]" } else { "[/town/bicycles]" }],
            ),
        ),
        ("/town/broken", Answer::Absent),
        (
            "/town/documents/budget.pdf",
            Answer::Bytes("application/pdf", format!("%PDF-1.7 budget {}\0", number / 2).into_bytes()),
        ),
        ("/town/forgotten", page("A forgotten page", &["Nobody links here."])),
        (
            "/town/council/minutes",
            if number == 4 { Answer::Failure } else { page("Minutes", &["The council met."]) },
        ),
        ("/town/private", Answer::PassedOver),
        ("/town/loop", Answer::Redirect("/town/loop2")),
        ("/town/loop2", Answer::Redirect("/town/loop")),
    ];
    if number == 4 {
        answers.push((
            "/town/news/bike-lane",
            page("A new bike lane", &["The lane on Main Street opens on Monday.", "It is two metres wide."]),
        ));
        answers.push((
            "/town/news/script",
            page(
                "<script>alert(1)</script>",
                &["A title that would like to be a script & \"more\".", "<img src=x onerror=alert(2)>"],
            ),
        ));
    }
    answers
}
