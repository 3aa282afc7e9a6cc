//! Sites, crawls, records and contents for cases to write.

use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::model::archive::{Archive, ArchivePolicy, ArchiveState};
use recrawl_core::model::aspect::{Aspect, Aspects, Signature, Signatures};
use recrawl_core::model::content::{Content, Directives, Extracted, KeepBodies};
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::edit::{
    ChangeFigures, Edit, EditId, EditSide, EditState, EditTraits, Edits, LineId,
};
use recrawl_core::model::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use recrawl_core::model::kind::{Kind, Kinds, Tier, WordCount};
use recrawl_core::model::outline::{Item, MetaKind, NoiseTrace, Outline};
use recrawl_core::model::page_memory::{LinesOfVersion, PageMemory};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::record::{
    Check, ContentRef, Found, FoundBy, Headers, PageRecord, PageState, Presence, Visit,
};
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Contents, Priority, QueuedPage, Store};
use recrawl_core::url::{PageUrl, UrlRules};

/// The first crawl that [`open`] opens.
pub const FIRST: &str = "crawl-2026-11-02";
/// The second crawl that [`open`] opens.
pub const SECOND: &str = "crawl-2026-11-09";
/// The third crawl that [`open`] opens; its ordinal sorts after `-2` only as a number.
pub const THIRD: &str = "crawl-2026-11-09-10";

/// Returns the name of a site.
pub fn site_id(name: &str) -> SiteId {
    name.parse().unwrap()
}

/// Returns the name of a crawl.
pub fn crawl_id(name: &str) -> CrawlId {
    name.parse().unwrap()
}

/// Returns a page of the sample site.
pub fn page(path: &str) -> PageUrl {
    format!("https://example.org{path}").parse().unwrap()
}

/// Returns a time, to the microsecond, which every store keeps.
pub fn time(minute: i64) -> Timestamp {
    let start: Timestamp = "2026-11-02T03:04:05.123456Z".parse().unwrap();
    start + minute.minutes()
}

/// Returns a site with something in every field.
pub fn site(name: &str) -> Site {
    let scope = ScopeSettings {
        include: vec!["/a*".to_owned()],
        exclude: vec!["/a/secret*".to_owned()],
        subdomains: true,
        extra_hosts: vec!["files.example.org:8443".to_owned()],
        max_depth: Some(7),
        allow_private: true,
        list: true,
    };
    Site { id: site_id(name), root: page("/"), scope, created_at: time(0) }
}

/// Returns an open crawl.
pub fn crawl(site: &str, name: &str) -> Crawl {
    let opened_by = Some("message-17".to_owned());
    Crawl { opened_by, ..Crawl::new(site_id(site), crawl_id(name), time(1)) }
}

/// Returns how pages are visited where a test has no wish of its own.
pub fn policy() -> CrawlPolicy {
    CrawlPolicy {
        keep_bodies: KeepBodies::Changed,
        full_history: Vec::new(),
        compare: Aspects::ALL,
        url_rules: UrlRules::default(),
        obey_nofollow: true,
        archive: ArchivePolicy::Changes,
        is_first_crawl: false,
        trust_freshness: false,
        skip_if_visited_days: 0,
        head_first: false,
        checked_share: 0.0,
        recheck_share: 0.0,
        watch_images: false,
        smart_threshold: 0.2,
        retries: 2,
        page_time_out: Duration::from_mins(1),
        trap_limit: 100,
        sharing: SharingRules::default(),
        product_token: "recrawl".to_owned(),
    }
}

/// Returns the end of a crawl, with a figure in every statistic.
pub fn closed(ending: Ending) -> Closed {
    let statistics = Statistics {
        total: 55,
        counts: Counts::from([
            (Verdict::New, 1),
            (Verdict::Changed, 2),
            (Verdict::Touched, 3),
            (Verdict::Unchanged, 4),
            (Verdict::Gone, 5),
            (Verdict::Moved, 6),
            (Verdict::Missing, 7),
            (Verdict::Failed, 8),
            (Verdict::Excluded, 9),
            (Verdict::Shared, 10),
        ]),
        failed_known: 14,
        lost_content: 20,
        own_content: 21,
        around: 22,
        only_shared: 28,
        only_noise: 23,
        shared_changes: 24,
        script_pages: 25,
        lost_to_scripts: 26,
        kept_out: 27,
        stumbled: 18,
        presumed: 15,
        not_modified: 10,
        same_by_head: 19,
        checked: 16,
        refuted: 17,
        requests: 11,
        received_bytes: 12,
        saved_bytes: 13,
        last_visit: Some(time(9)),
        watched: 30,
        frequency_sum: 0.1 + 0.2,
    };
    Closed { at: time(10), ending, suspicion: None, state: None, statistics }
}

/// Returns the end of a crawl that saw everything and whose findings are doubted.
pub fn suspect() -> Closed {
    let suspicion = Suspicion::new("half of the pages have gone".to_owned());
    Closed { suspicion: Some(suspicion), ..closed(Ending::Complete) }
}

/// Saves a site of this name and opens [`FIRST`], [`SECOND`] and [`THIRD`] of it.
pub async fn open(store: &impl Store, name: &str) {
    store.save_site(&site(name)).await.unwrap();
    for id in [FIRST, SECOND, THIRD] {
        store.open_crawl(&crawl(name, id)).await.unwrap();
    }
}

/// Returns the newest record of a page before a crawl, and makes sure that what is known is told alike.
pub async fn latest_before(
    store: &impl Store,
    site: &SiteId,
    crawl: CrawlId,
    url: &PageUrl,
) -> Option<PageRecord> {
    let latest = store.latest_before(site, crawl, url).await.unwrap();
    let known = store.page_state_before(site, crawl, url).await.unwrap();
    // As text, because there are figures that are not equal to themselves.
    assert_eq!(format!("{known:?}"), format!("{:?}", latest.as_ref().map(|record| &record.known)));
    latest
}

/// Returns the links of one content of a site.
pub async fn links_of(store: &impl Contents, site: &str, content: &ContentHash) -> Option<Vec<PageUrl>> {
    store.links(&site_id(site), &[*content]).await.unwrap().remove(0)
}

/// Returns how a link leads to a page.
pub fn linked() -> Found {
    Found { by: FoundBy::Link, depth: 2, referrer: Some(page("/")) }
}

/// Returns a page as it is queued, as important as every other.
pub fn queued(site: &str, crawl: &str, path: &str) -> QueuedPage {
    QueuedPage {
        site: site_id(site),
        crawl: crawl_id(crawl),
        url: page(path),
        found: linked(),
        priority: Priority::default(),
    }
}

/// Returns a record with something in every field but the content.
pub fn record(site: &str, crawl: &str, path: &str) -> PageRecord {
    PageRecord {
        site: site_id(site),
        crawl: crawl_id(crawl),
        url: page(path),
        found: linked(),
        visit: Visit {
            verdict: Verdict::New,
            aspects: Aspects::TEXT.with(Aspect::Media),
            tier: Some(Tier::Content),
            weight: 321,
            words: WordCount { changed: 12, of: 480 },
            kinds: [Kind::Headings, Kind::Document].into_iter().collect(),
            edits: Some(Box::new(edits())),
            status: Some(200),
            not_modified: true,
            check: Check::False304,
            reason: Some("because".to_owned()),
            fetched_at: time(2),
            fetch_ms: 321,
            requests: 2,
            received_bytes: 12_345,
            saved_bytes: 6_789,
            truncated: true,
        },
        known: PageState {
            presence: Presence::Present,
            headers: Headers {
                etag: Some("W/\"abc\"".to_owned()),
                last_modified: Some("Mon, 02 Nov 2026 03:04:05 GMT".to_owned()),
                location: Some("../elsewhere?a=b#c".to_owned()),
                content_type: Some("text/html; charset=utf-8".to_owned()),
                robots_tag: Some("noarchive".to_owned()),
            },
            content: None,
            transfer_bytes: 54_321,
            first_seen: time(-5),
            last_changed: Some(time(-1)),
            last_seen: time(2),
            fresh_until: Some(time(62)),
            changes_detected: 3,
            observations: 5,
            mean_interval: 6.5,
            change_frequency: 1.0 / 7.0,
            memory: Some(Box::new(memory())),
        },
        archive: Some(archive(ArchiveState::Submitted)),
    }
}

/// Returns what a visit records of a difference, with something in every field.
pub fn edits() -> Edits {
    let side = |line| Some(EditSide { line: LineId(line), shape: LineId(line / 2), words: 7 });
    let traits = EditTraits { is_sentence: true, has_figures: true, ..EditTraits::default() };
    let own = Edit {
        aspect: Aspect::Text,
        region: Region::Content,
        went: side(u64::MAX),
        came: side(1),
        traits,
        texts: Some(("A \"quoted\" fee: 3 €".to_owned(), "A \"quoted\" fee: 4 €".to_owned())),
        count: 1,
        state: EditState::Own,
    };
    let shared = Edit {
        aspect: Aspect::Links,
        region: Region::Footer,
        went: None,
        texts: None,
        count: 9,
        state: EditState::Template,
        ..own.clone()
    };
    let figures = |changes_detected| ChangeFigures {
        last_changed: Some(time(3)),
        changes_detected,
        change_frequency: 0.25,
        mean_interval: 7.5,
    };
    Edits {
        list: vec![own, shared],
        noise: vec![("years".to_owned(), 2)],
        lines_before: 40,
        lines_left: 39,
        lines_now: 41,
        words_before: 300,
        words_now: 310,
        figures: Some((figures(3), figures(2))),
    }
}

/// Returns what a page remembers, with something in every field.
pub fn memory() -> PageMemory {
    PageMemory {
        versions: vec![LinesOfVersion { went: vec![u32::MAX, 0], came: vec![7] }, LinesOfVersion::default()],
        shapes: vec![vec![3], Vec::new()],
        lively: vec![(Region::Aside, 5)],
        noise: vec![11],
        needs_scripts: true,
        document: Some("PDF, 12 pages".to_owned()),
    }
}

/// Returns what a page holds beside its text, with something in every field.
pub fn outline() -> Outline {
    let item = |mark, address: &str, words: &str| Item {
        mark,
        address: address.to_owned(),
        words: words.to_owned(),
        source: String::new(),
    };
    Outline {
        lines: vec![(Mark { is_heading: true, ..Mark::CONTENT }, 1), (Mark::of(Region::Footer), 3)],
        links: vec![item(Mark::CONTENT, "https://example.org/fees.pdf", "the fees")],
        media: vec![item(Mark::of(Region::Header), "https://example.org/a.png \"é\"", "")],
        meta: vec![(MetaKind::Title, "A title".to_owned()), (MetaKind::Robots, "noindex".to_owned())],
        noise: vec![NoiseTrace { rule: "years".to_owned(), count: 2, fingerprint: u32::MAX }],
        is_cut: true,
    }
}

/// Returns a shared change with something in every field.
pub fn shared_change(id: u64) -> SharedChange {
    SharedChange {
        id: EditId(id),
        also: vec![EditId(u64::MAX)],
        by: SharedBy::Shape,
        tier: Tier::Around,
        aspect: Aspect::Text,
        region: Region::Nav,
        kinds: [Kind::Text].into_iter().collect(),
        template: true,
        noise: false,
        went: "Careers".to_owned(),
        came: "Jobs \"now\"".to_owned(),
        words: 3,
        weight: 17,
        pages: 1_184,
        urls: vec![page("/b"), page("/a")],
        since: Some(crawl_id(FIRST)),
    }
}

/// Returns what became of an archive request, with something in every field.
pub fn archive(state: ArchiveState) -> Archive {
    Archive {
        state,
        requested_at: time(2),
        job_id: Some("spn2-0123".to_owned()),
        captured_at: Some(time(4)),
        wayback_url: Some("https://web.archive.org/web/20261102030905/https://example.org/".to_owned()),
        error: Some("once it was slow".to_owned()),
        attempts: 2,
        not_before: Some(time(5)),
    }
}

/// Returns a record of a page that was nothing special.
pub fn bare_record(site: &str, crawl: &str, path: &str) -> PageRecord {
    let mut record = record(site, crawl, path);
    record.found = Found { by: FoundBy::Seed, depth: 0, referrer: None };
    record.visit.aspects = Aspects::NONE;
    record.visit.tier = None;
    record.visit.weight = 0;
    record.visit.words = WordCount::default();
    record.visit.kinds = Kinds::default();
    record.visit.edits = None;
    record.visit.status = None;
    record.visit.reason = None;
    record.visit.not_modified = false;
    record.visit.check = Check::None;
    record.visit.truncated = false;
    record.known.presence = Presence::Unknown;
    record.known.headers = Headers::default();
    record.known.last_changed = None;
    record.known.fresh_until = None;
    record.known.observations = 0;
    record.known.change_frequency = 0.0;
    record.known.memory = None;
    record.archive = None;
    record
}

/// Returns a record whose page has this content.
pub fn record_of(site: &str, crawl: &str, path: &str, content: &Content) -> PageRecord {
    let mut record = record(site, crawl, path);
    record.known.content = Some(content.reference());
    record
}

/// Returns a content that says `text`, with something in every field that is stored.
pub fn content(text: &str) -> Content {
    let body = format!("<title>A title</title><p>{text}");
    Content {
        hash: ContentHash::of(body.as_bytes()),
        size: body.len() as u64,
        media_type: "text/html".to_owned(),
        extracted: Extracted {
            semantic: SemanticHash::of(text.as_bytes()),
            rules: RulesVersion("1".to_owned()),
            // The one fits into a signed number, the others do not.
            signatures: Some(Signatures {
                links: Signature(u64::MAX - 1),
                media: Signature(7),
                meta: Some(Signature(u64::MAX - 2)),
            }),
            title: Some("A title".to_owned()),
            language: Some("en".to_owned()),
            canonical: Some(page("/canonical")),
            links: vec![page("/b"), page("/a"), page("/c?x=1&y=2")],
            text: text.to_owned(),
            outline: Some(outline()),
            directives: Directives { noindex: true, nofollow: false },
            block_page: None,
            needs_scripts: false,
            breaks_off: false,
            cut: None,
            document: None,
        },
        body: Some(body.into_bytes()),
    }
}

/// Returns the same content as it is written where its body is not kept.
pub fn without_body(content: &Content) -> Content {
    Content { body: None, ..content.clone() }
}

/// Returns a name for content that nobody stored.
pub fn unstored() -> ContentRef {
    content("never stored").reference()
}
