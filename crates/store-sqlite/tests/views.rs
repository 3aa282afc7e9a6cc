//! The views that people query: their columns are stable, and they tell what happened.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Crawl, Ending};
use recrawl_core::model::ids::RulesVersion;
use recrawl_core::model::kind::{Kind, Tier};
use recrawl_core::model::record::{Check, FoundBy, PageRecord, Presence};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_store_sqlite::{Options, Rows, SqliteStore, Value, query};
use recrawl_testkit::contract::samples::{
    closed, content, crawl, crawl_id, page, record, record_of, shared_change, site, site_id, suspect, time,
};
use tempfile::TempDir;

struct Database {
    store: SqliteStore,
    path: PathBuf,
    _directory: TempDir,
}

impl Database {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("recrawl.db");
        Self { store: SqliteStore::open(&path, &Options::default()).unwrap(), path, _directory: directory }
    }

    async fn with_crawls(crawls: &[&str]) -> Self {
        let database = Self::new();
        database.store.save_site(&site("a")).await.unwrap();
        for id in crawls {
            database.store.open_crawl(&crawl("a", id)).await.unwrap();
        }
        database
    }

    /// Answers a query as lines of values with a bar between them.
    fn lines(&self, sql: &str) -> Vec<String> {
        let Rows { rows, .. } = query(&self.path, sql).unwrap();
        rows.iter().map(|row| row.iter().map(as_text).collect::<Vec<_>>().join("|")).collect()
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => format!("{real:.3}"),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// A visit in a story: what was found out, and what the page says after it.
fn told(crawl: &str, path: &str, verdict: Verdict, presence: Presence, says: &Content) -> PageRecord {
    let mut record = record_of("a", crawl, path, says);
    record.visit.verdict = verdict;
    record.known.presence = presence;
    record
}

#[test]
fn the_columns_are_those_that_are_documented() {
    let database = Database::new();
    let expected = [
        (
            "crawls",
            "site crawl state reason mode opened_at closed_at seconds total new changed moved gone touched unchanged missing failed excluded not_modified requests received_bytes saved_bytes mean_change_frequency suspicion accepted_at presumed checked refuted stumbled number site_state",
        ),
        (
            "visits",
            "site crawl url verdict status reason title fetched_at fetch_ms requests received_bytes saved_bytes not_modified truncated found_by depth referrer presence etag last_modified location content_type robots_tag content_hash semantic_hash language first_seen last_seen last_changed changes_detected change_frequency aspects checked fresh_until observations tier weight kinds words_changed words_of domain has_body noindex duplicate_of",
        ),
        (
            "pages",
            "site url verdict presence status reason title language size content_type last_crawl last_visited first_seen last_seen last_changed changes_detected change_frequency depth referrer etag last_modified location content_hash semantic_hash observations fresh_until tier weight kinds words_changed words_of domain has_body noindex duplicate_of robots_tag fetch_ms",
        ),
        (
            "changes",
            "site crawl url kind status title fetched_at location referrer content_hash semantic_hash aspects tier weight kinds words_changed words_of",
        ),
        (
            "versions",
            "site url version since until first_crawl last_crawl visits title content_hash semantic_hash",
        ),
        ("links", "site crawl source target position"),
        ("edits", "site crawl url aspect region went came words state id shape"),
        ("shared_changes", "site crawl id tier region template noise pages went came samples"),
        ("hosts", "site domain pages present redirects gone failed excluded mean_ms bytes last_visited"),
        ("sitemap_entries", "host url lastmod changefreq priority discovered_at sitemap"),
    ];
    for (view, columns) in expected {
        let rows = query(&database.path, &format!("SELECT * FROM {view}")).unwrap();
        assert_eq!(rows.columns.join(" "), columns, "{view}");
    }
    let views = database.lines("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name");
    assert_eq!(
        views,
        [
            "changes",
            "crawls",
            "edits",
            "hosts",
            "links",
            "pages",
            "shared_changes",
            "sitemap_entries",
            "versions",
            "visits"
        ]
    );
}

#[tokio::test]
async fn a_crawl_is_listed_with_its_state_and_figures() {
    let database = Database::with_crawls(&["crawl-2026-11-02", "crawl-2026-11-09", "crawl-2026-11-16"]).await;
    let ends =
        [("crawl-2026-11-02", Ending::Complete), ("crawl-2026-11-09", Ending::Partial("stopped".to_owned()))];
    for (id, ending) in ends {
        database.store.close_crawl(&site_id("a"), crawl_id(id), &closed(ending)).await.unwrap();
    }
    let lines = database
        .lines("SELECT crawl, state, reason, mode, opened_at, closed_at, seconds FROM crawls ORDER BY crawl");
    assert_eq!(
        lines,
        [
            "crawl-2026-11-02|complete|-|incremental|2026-11-02T03:05:05.123Z|2026-11-02T03:14:05.123Z|540.000",
            "crawl-2026-11-09|partial|stopped|incremental|2026-11-02T03:05:05.123Z|2026-11-02T03:14:05.123Z|540.000",
            "crawl-2026-11-16|open|-|incremental|2026-11-02T03:05:05.123Z|-|-",
        ]
    );
    let figures = database.lines(
        "SELECT total, new, changed, touched, unchanged, gone, moved, missing, failed, excluded, not_modified,
            requests, received_bytes, saved_bytes, mean_change_frequency, presumed, checked, refuted, stumbled FROM crawls
            WHERE state = 'complete'",
    );
    assert_eq!(figures, ["55|1|2|3|4|5|6|7|8|9|10|11|12|13|0.010|15|16|17|18"]);
}

#[tokio::test]
async fn a_crawl_is_suspect_until_it_is_accepted() {
    let database = Database::with_crawls(&["crawl-2026-11-02", "crawl-2026-11-09"]).await;
    let partial = Closed { ending: Ending::Partial("stopped".to_owned()), ..suspect() };
    for (id, end) in [("crawl-2026-11-02", suspect()), ("crawl-2026-11-09", partial)] {
        database.store.close_crawl(&site_id("a"), crawl_id(id), &end).await.unwrap();
    }
    let sql = "SELECT crawl, state, reason, suspicion, accepted_at FROM crawls ORDER BY crawl";
    assert_eq!(
        database.lines(sql),
        [
            "crawl-2026-11-02|suspect|-|half of the pages have gone|-",
            "crawl-2026-11-09|suspect|stopped|half of the pages have gone|-",
        ]
    );
    for id in ["crawl-2026-11-02", "crawl-2026-11-09"] {
        database.store.accept_crawl(&site_id("a"), crawl_id(id), time(20)).await.unwrap();
    }
    assert_eq!(
        database.lines(sql),
        [
            "crawl-2026-11-02|complete|-|half of the pages have gone|2026-11-02T03:24:05.123Z",
            "crawl-2026-11-09|partial|stopped|half of the pages have gone|2026-11-02T03:24:05.123Z",
        ]
    );
}

#[tokio::test]
async fn aspects_and_checks_are_told_in_words() {
    let database = Database::with_crawls(&["crawl-2026-11-02"]).await;
    for bits in 0..=Aspects::ALL.bits() {
        let mut record = record("a", "crawl-2026-11-02", &format!("/{bits}"));
        record.visit.verdict = Verdict::Changed;
        record.visit.aspects = Aspects::from_bits(bits);
        database.store.record(&record, None).await.unwrap();
        let expected = if bits == 0 { "-".to_owned() } else { record.visit.aspects.to_string() };
        for view in ["visits", "changes"] {
            let sql = format!("SELECT aspects FROM {view} WHERE url LIKE '%/{bits}'");
            assert_eq!(database.lines(&sql), [expected.as_str()], "{view}");
        }
    }
    for (check, word) in [(Check::None, "-"), (Check::Confirmed, "confirmed"), (Check::False304, "refuted")] {
        let mut record = record("a", "crawl-2026-11-02", &format!("/check/{word}"));
        record.visit.check = check;
        database.store.record(&record, None).await.unwrap();
        let sql = format!("SELECT checked FROM visits WHERE url LIKE '%/check/{word}'");
        assert_eq!(database.lines(&sql), [word]);
    }
}

#[tokio::test]
async fn visits_say_in_words_what_is_stored_as_numbers() {
    let database = Database::with_crawls(&["crawl-2026-11-02"]).await;
    for verdict in Verdict::ALL {
        let mut record = record("a", "crawl-2026-11-02", &format!("/verdict/{verdict}"));
        record.visit.verdict = verdict;
        database.store.record(&record, None).await.unwrap();
    }
    let verdicts = "SELECT url FROM visits WHERE url NOT LIKE '%/verdict/' || verdict";
    assert_eq!(database.lines(verdicts), [""; 0]);
    assert_eq!(database.lines("SELECT url FROM pages WHERE url NOT LIKE '%/verdict/' || verdict"), [""; 0]);
    assert_eq!(database.lines("SELECT count(*) FROM visits"), ["10"]);

    let presences = [
        (Presence::Unknown, "unknown"),
        (Presence::Present, "present"),
        (Presence::Redirect, "redirect"),
        (Presence::Gone, "gone"),
        (Presence::GoneForGood, "goneforgood"),
    ];
    for (presence, word) in presences {
        let mut record = record("a", "crawl-2026-11-02", &format!("/presence/{word}"));
        record.known.presence = presence;
        database.store.record(&record, None).await.unwrap();
        for view in ["visits", "pages"] {
            let sql = format!("SELECT presence FROM {view} WHERE url LIKE '%/presence/{word}'");
            assert_eq!(database.lines(&sql), [word]);
        }
    }
    let ways = [
        (FoundBy::Seed, "seed"),
        (FoundBy::Link, "link"),
        (FoundBy::Redirect, "redirect"),
        (FoundBy::Sitemap, "sitemap"),
        (FoundBy::Memory, "memory"),
    ];
    for (by, word) in ways {
        let mut record = record("a", "crawl-2026-11-02", &format!("/found/{word}"));
        record.found.by = by;
        database.store.record(&record, None).await.unwrap();
        assert_eq!(
            database.lines(&format!("SELECT found_by FROM visits WHERE url LIKE '%/found/{word}'")),
            [word]
        );
    }
}

#[tokio::test]
async fn a_visit_shows_every_field() {
    let database = Database::with_crawls(&["crawl-2026-11-02"]).await;
    let says = content("text");
    database.store.record(&record_of("a", "crawl-2026-11-02", "/x", &says), Some(&says)).await.unwrap();
    let lines = database.lines(
        "SELECT site, crawl, url, verdict, status, reason, title, fetched_at, fetch_ms, requests, received_bytes,
            saved_bytes, not_modified, truncated, depth, referrer, etag, last_modified, location, content_type,
            robots_tag, language, first_seen, last_seen, last_changed, changes_detected, change_frequency,
            aspects, checked, fresh_until, observations FROM visits",
    );
    let expected = "a|crawl-2026-11-02|https://example.org/x|new|200|because|A title|2026-11-02T03:06:05.123Z|321|2|\
        12345|6789|1|1|2|https://example.org/|W/\"abc\"|Mon, 02 Nov 2026 03:04:05 GMT|../elsewhere?a=b#c|\
        text/html; charset=utf-8|noarchive|en|2026-11-02T02:59:05.123Z|2026-11-02T03:06:05.123Z|\
        2026-11-02T03:03:05.123Z|3|0.143|text, media|refuted|2026-11-02T04:06:05.123Z|5";
    assert_eq!(lines, [expected]);
    assert_eq!(database.lines("SELECT observations, fresh_until FROM pages"), ["5|2026-11-02T04:06:05.123Z"]);
    let hashes = format!("{}|{}", says.hash, says.extracted.semantic);
    assert_eq!(database.lines("SELECT content_hash, semantic_hash FROM visits"), [hashes]);
}

#[tokio::test]
async fn pages_show_the_latest_state_and_changes_what_led_to_it() {
    // The clock was years ahead during the first one.
    let (first, second) = ("crawl-2030-01-01", "crawl-2026-11-09-10");
    let database = Database::with_crawls(&[first, second, "crawl-2026-11-16"]).await;
    let in_order = database.lines("SELECT crawl FROM crawls ORDER BY number");
    assert_eq!(in_order, [first, second, "crawl-2026-11-16"]);
    let (old, new) = (content("old"), content("new"));
    let story = [
        (told(first, "/changes", Verdict::New, Presence::Present, &old), &old),
        (told(second, "/changes", Verdict::Changed, Presence::Present, &new), &new),
        (told(first, "/stays", Verdict::New, Presence::Present, &old), &old),
        (told(second, "/stays", Verdict::Unchanged, Presence::Present, &old), &old),
        (told(second, "/goes", Verdict::Gone, Presence::Gone, &old), &old),
        (told(first, "/goes", Verdict::New, Presence::Present, &old), &old),
    ];
    for (record, says) in story {
        database.store.record(&record, Some(says)).await.unwrap();
    }
    let pages = database.lines("SELECT url, verdict, presence, last_crawl FROM pages ORDER BY url");
    assert_eq!(
        pages,
        [
            "https://example.org/changes|changed|present|crawl-2026-11-09-10",
            "https://example.org/goes|gone|gone|crawl-2026-11-09-10",
            "https://example.org/stays|unchanged|present|crawl-2026-11-09-10",
        ]
    );
    let changes =
        database.lines("SELECT url, kind FROM changes WHERE crawl = 'crawl-2026-11-09-10' ORDER BY url");
    assert_eq!(changes, ["https://example.org/changes|changed", "https://example.org/goes|gone"]);
    assert_eq!(database.lines("SELECT count(*) FROM changes"), ["5"]);
}

#[tokio::test]
async fn versions_are_stretches_of_visits_that_say_the_same() {
    let crawls: Vec<Crawl> = (1..=9).map(|day| crawl("a", &format!("crawl-2026-11-0{day}"))).collect();
    let names: Vec<String> = crawls.iter().map(|crawl| crawl.id.to_string()).collect();
    let database = Database::with_crawls(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let (a, b) = (content("A"), content("B"));
    let mut touched = a.clone();
    touched.hash = content("other bytes").hash;
    let mut rebased = b.clone();
    rebased.extracted.rules = RulesVersion("2".to_owned());
    rebased.extracted.semantic = content("B by other rules").extracted.semantic;
    let story = [
        (Verdict::New, Presence::Present, &a),
        (Verdict::Touched, Presence::Present, &touched),
        (Verdict::Failed, Presence::Present, &a),
        (Verdict::Changed, Presence::Present, &b),
        (Verdict::Unchanged, Presence::Present, &rebased),
        (Verdict::Gone, Presence::Gone, &rebased),
        (Verdict::New, Presence::Present, &rebased),
        (Verdict::Excluded, Presence::Present, &rebased),
        (Verdict::Changed, Presence::Present, &a),
    ];
    for (name, (verdict, presence, says)) in names.iter().zip(story) {
        database.store.record(&told(name, "/x", verdict, presence, says), Some(says)).await.unwrap();
        let never_there = told(name, "/broken", Verdict::Missing, Presence::Unknown, says);
        database
            .store
            .record(&PageRecord { known: record("a", name, "/").known, ..never_there }, None)
            .await
            .unwrap();
    }
    let lines = database
        .lines("SELECT url, version, first_crawl, last_crawl, visits FROM versions ORDER BY url, version");
    let page = page("/x");
    // The last two differ by their rules as well, and are therefore not told apart.
    assert_eq!(
        lines,
        [
            format!("{page}|1|crawl-2026-11-01|crawl-2026-11-02|2"),
            format!("{page}|2|crawl-2026-11-04|crawl-2026-11-05|2"),
            format!("{page}|3|crawl-2026-11-07|crawl-2026-11-09|2"),
        ]
    );
    let hash = format!("SELECT version FROM versions WHERE semantic_hash = '{}'", a.extracted.semantic);
    assert_eq!(database.lines(&hash), ["1"], "a version is named by its first visit");
}

#[tokio::test]
async fn a_page_that_returns_to_an_earlier_text_has_three_versions() {
    let names = ["crawl-2026-11-01", "crawl-2026-11-02", "crawl-2026-11-03"];
    let database = Database::with_crawls(&names).await;
    for (name, text) in names.into_iter().zip(["A", "B", "A"]) {
        let says = content(text);
        database
            .store
            .record(&told(name, "/x", Verdict::Changed, Presence::Present, &says), Some(&says))
            .await
            .unwrap();
    }
    assert_eq!(database.lines("SELECT version, visits FROM versions"), ["1|1", "2|1", "3|1"]);
}

#[tokio::test]
async fn html_that_becomes_a_file_is_another_version() {
    let names = ["crawl-2026-11-01", "crawl-2026-11-02"];
    let database = Database::with_crawls(&names).await;
    let html = content("html");
    let mut file = content("file");
    file.extracted.rules = RulesVersion::bytes();
    for (name, says) in names.into_iter().zip([html, file]) {
        database
            .store
            .record(&told(name, "/x", Verdict::Changed, Presence::Present, &says), Some(&says))
            .await
            .unwrap();
    }
    assert_eq!(database.lines("SELECT version FROM versions"), ["1", "2"]);
}

#[tokio::test]
async fn links_are_those_of_the_content_of_each_visit() {
    let database = Database::with_crawls(&["crawl-2026-11-01", "crawl-2026-11-02", "crawl-2026-11-03"]).await;
    let says = content("text");
    let story = [
        ("crawl-2026-11-01", Verdict::New, Presence::Present),
        ("crawl-2026-11-02", Verdict::Failed, Presence::Present),
        ("crawl-2026-11-03", Verdict::Gone, Presence::Gone),
    ];
    for (name, verdict, presence) in story {
        database.store.record(&told(name, "/x", verdict, presence, &says), Some(&says)).await.unwrap();
    }
    let lines = database.lines("SELECT * FROM links ORDER BY crawl, position");
    assert_eq!(
        lines,
        [
            "a|crawl-2026-11-01|https://example.org/x|https://example.org/b|1",
            "a|crawl-2026-11-01|https://example.org/x|https://example.org/a|2",
            "a|crawl-2026-11-01|https://example.org/x|https://example.org/c?x=1&y=2|3",
        ]
    );
}

#[tokio::test]
async fn what_a_suspect_crawl_found_is_in_no_view_of_pages_until_it_is_accepted() {
    let (first, second) = ("crawl-2026-11-02", "crawl-2026-11-09");
    let database = Database::with_crawls(&[first, second]).await;
    let (old, new) = (content("old"), content("new"));
    for (record, says) in [
        (told(first, "/changes", Verdict::New, Presence::Present, &old), &old),
        (told(second, "/changes", Verdict::Changed, Presence::Present, &new), &new),
        (told(second, "/new", Verdict::New, Presence::Present, &new), &new),
    ] {
        database.store.record(&record, Some(says)).await.unwrap();
    }
    for (id, end) in [(first, closed(Ending::Complete)), (second, suspect())] {
        database.store.close_crawl(&site_id("a"), crawl_id(id), &end).await.unwrap();
    }
    let seen = || {
        let pages = database.lines("SELECT url, last_crawl, verdict FROM pages ORDER BY url");
        let changes = database.lines("SELECT crawl, kind, url FROM changes ORDER BY crawl, url");
        let versions = database.lines("SELECT url, version, visits FROM versions ORDER BY url, version");
        (pages, changes, versions)
    };
    let (pages, changes, versions) = seen();
    assert_eq!(pages, ["https://example.org/changes|crawl-2026-11-02|new"]);
    assert_eq!(changes, ["crawl-2026-11-02|new|https://example.org/changes"]);
    assert_eq!(versions, ["https://example.org/changes|1|1"]);
    assert_eq!(database.lines("SELECT count(*) FROM visits"), ["3"], "what happened is kept");
    database.store.accept_crawl(&site_id("a"), crawl_id(second), time(20)).await.unwrap();
    let (pages, changes, versions) = seen();
    assert_eq!((pages.len(), changes.len(), versions.len()), (2, 3, 3), "{pages:?} {changes:?} {versions:?}");
    assert_eq!(pages[0], "https://example.org/changes|crawl-2026-11-09|changed");
}

#[tokio::test]
async fn what_kind_of_change_it_is_is_told_in_words() {
    let database = Database::with_crawls(&["crawl-2026-11-02"]).await;
    for (number, kinds) in [vec![], vec![Kind::Title], Kind::ALL.to_vec()].into_iter().enumerate() {
        let mut record = record("a", "crawl-2026-11-02", &format!("/{number}"));
        record.visit.verdict = Verdict::Changed;
        record.visit.kinds = kinds.into_iter().collect();
        record.visit.tier = (number > 0).then_some(Tier::Around);
        database.store.record(&record, None).await.unwrap();
    }
    let all = Kind::ALL.map(Kind::word).join(", ");
    for view in ["visits", "pages", "changes"] {
        let sql = format!("SELECT tier, weight, words_changed, words_of, kinds FROM {view} ORDER BY url");
        let all = format!("2|321|12|480|{all}");
        assert_eq!(database.lines(&sql), ["-|321|12|480|-", "2|321|12|480|title", &all], "{view}");
    }
}

#[tokio::test]
async fn what_went_and_came_is_listed() {
    let database = Database::with_crawls(&["crawl-2026-11-02"]).await;
    let record = record("a", "crawl-2026-11-02", "/");
    database.store.record(&record, None).await.unwrap();
    let list = &record.visit.edits.as_ref().unwrap().list;
    let name = |number: usize| format!("{:016x}|{:016x}", list[number].id().0, list[number].shape().0);
    let sql = "SELECT aspect, region, went, came, words, state, id, shape FROM edits";
    assert_eq!(
        database.lines(sql),
        [
            format!("text|content|A \"quoted\" fee: 3 €|A \"quoted\" fee: 4 €|14|own|{}", name(0)),
            format!("links|footer|-|-|7|template|{}", name(1)),
        ]
    );
}

#[tokio::test]
async fn shared_changes_are_listed_with_samples() {
    let database = Database::with_crawls(&["crawl-2026-11-02", "crawl-2026-11-09"]).await;
    let many = SharedChange {
        urls: (0..20).map(|number| page(&format!("/{number}"))).collect(),
        ..shared_change(u64::MAX)
    };
    let crawl = crawl_id("crawl-2026-11-09");
    database.store.save_shared_changes(&site_id("a"), crawl, &[shared_change(7), many]).await.unwrap();
    let sql = "SELECT site, crawl, id, tier, region, template, noise, pages, went, came,
            json_array_length(samples), samples ->> 0, samples ->> 1 FROM shared_changes";
    let rest = "2|nav|1|0|1184|Careers|Jobs \"now\"";
    assert_eq!(
        database.lines(sql),
        [
            format!(
                "a|crawl-2026-11-09|0000000000000007|{rest}|2|https://example.org/b|https://example.org/a"
            ),
            format!(
                "a|crawl-2026-11-09|ffffffffffffffff|{rest}|10|https://example.org/0|https://example.org/1"
            ),
        ]
    );
}
