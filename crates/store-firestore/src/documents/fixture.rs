//! What is written today is what the fixtures hold, and what they hold is still read.
//!
//! A fixture is a document as the REST interface of Firestore shows it.

use std::collections::{BTreeSet, HashMap};

use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::{ArrayValue, Document, MapValue, Value};
use firestore::timestamp_utils::{from_timestamp, to_timestamp};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::ids::{ContentHash, SemanticHash};
use recrawl_core::model::record::{Check, ContentRef, PageRecord, PageSummary};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::stumble::{Aside, KeptStumble, Stumble};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::panics::Panic;
use recrawl_testkit::contract::samples;
use serde_json::{Map, Value as Json, json};

use super::details::Details;
use super::*;
use crate::contents::packing::Packed;
use crate::paths::Paths;

const DATABASE: &str = "projects/p/databases/(default)/documents";

/// Writes a value as the REST interface does; bytes in hexadecimal digits, to do without another encoding.
fn to_json(value: &Value) -> Json {
    match value.value_type.as_ref().expect("every value has a type") {
        ValueType::NullValue(_) => json!({"nullValue": null}),
        ValueType::BooleanValue(value) => json!({"booleanValue": value}),
        ValueType::IntegerValue(value) => json!({"integerValue": value.to_string()}),
        ValueType::DoubleValue(value) => json!({"doubleValue": value}),
        ValueType::TimestampValue(time) => {
            json!({"timestampValue": from_timestamp(*time).unwrap().to_string()})
        }
        ValueType::StringValue(text) => json!({"stringValue": text}),
        ValueType::BytesValue(bytes) => json!({"bytesValue": crate::paths::hex(bytes)}),
        ValueType::ReferenceValue(name) => json!({"referenceValue": name}),
        ValueType::ArrayValue(array) => {
            json!({"arrayValue": {"values": array.values.iter().map(to_json).collect::<Vec<_>>()}})
        }
        ValueType::MapValue(map) => json!({"mapValue": {"fields": fields_to_json(&map.fields)}}),
        other => panic!("{other:?} is never written"),
    }
}

fn fields_to_json(fields: &HashMap<String, Value>) -> Json {
    Json::Object(fields.iter().map(|(name, value)| (name.clone(), to_json(value))).collect())
}

fn from_json(json: &Json) -> Value {
    let (kind, value) = json.as_object().unwrap().iter().next().unwrap();
    let text = || value.as_str().unwrap().to_owned();
    let value_type = match kind.as_str() {
        "nullValue" => ValueType::NullValue(0),
        "booleanValue" => ValueType::BooleanValue(value.as_bool().unwrap()),
        "integerValue" => ValueType::IntegerValue(text().parse().unwrap()),
        "doubleValue" => ValueType::DoubleValue(value.as_f64().unwrap()),
        "timestampValue" => ValueType::TimestampValue(to_timestamp(text().parse().unwrap())),
        "stringValue" => ValueType::StringValue(text()),
        "bytesValue" => ValueType::BytesValue(bytes(&text())),
        "referenceValue" => ValueType::ReferenceValue(text()),
        "arrayValue" => {
            let values = value["values"].as_array().unwrap().iter().map(from_json).collect();
            ValueType::ArrayValue(ArrayValue { values })
        }
        "mapValue" => {
            let fields = fields_from_json(value["fields"].as_object().unwrap());
            ValueType::MapValue(MapValue { fields })
        }
        other => panic!("{other} is never read"),
    };
    Value { value_type: Some(value_type) }
}

fn fields_from_json(json: &Map<String, Json>) -> HashMap<String, Value> {
    json.iter().map(|(name, value)| (name.clone(), from_json(value))).collect()
}

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// Compares what is written with a fixture, and returns the fixture as a document.
fn pinned(written: &Document, fixture: &str) -> Document {
    let today = json!({"name": written.name, "fields": fields_to_json(&written.fields)});
    let expected: Json = serde_json::from_str(fixture).unwrap();
    assert_eq!(today, expected, "\n{}", serde_json::to_string_pretty(&today).unwrap());
    document(fixture)
}

/// Returns a fixture as a document.
fn document(fixture: &str) -> Document {
    let fixture: Json = serde_json::from_str(fixture).unwrap();
    Document {
        name: fixture["name"].as_str().unwrap().to_owned(),
        fields: fields_from_json(fixture["fields"].as_object().unwrap()),
        ..Document::default()
    }
}

/// Returns a page with something in every field.
fn page() -> PageRecord {
    let mut record = samples::record("default", samples::SECOND, "/a");
    record.known.content = Some(ContentRef {
        hash: ContentHash::of(b"body"),
        semantic: SemanticHash::of(b"text"),
        rules: recrawl_core::model::ids::RulesVersion("1".to_owned()),
        signatures: samples::content("text").extracted.signatures,
    });
    record
}

/// Reads a page in every way in which it is read.
fn read_page(stored: &Document, expected: &PageRecord) -> PageRecord {
    assert_eq!(PageDocument::read_summary(stored).unwrap(), PageSummary::from(expected));
    assert_eq!(PageDocument::read_found(stored).unwrap(), expected.found);
    PageDocument::read(stored, &expected.site, expected.crawl).unwrap()
}

/// Puts details into a page of a fixture: the frame may differ with the version of the compressor.
fn with_details(mut stored: Document, details: Vec<u8>) -> Document {
    let details = Value { value_type: Some(ValueType::BytesValue(details)) };
    stored.fields.insert("details".to_owned(), details);
    stored
}

#[test]
fn a_page_is_pinned() {
    let record = page();
    let paths = Paths::new(DATABASE);
    let content = paths.content(&record.site, &ContentHash::of(b"body"));
    let name = paths.page(&record.site, record.crawl, &record.url);
    let mut document = PageDocument::new(&record, Some(content)).unwrap();
    let details = document.details.replace(Binary(b"frame".to_vec()));
    let stored = pinned(&write(name, &document).unwrap(), include_str!("../../test-data/page/v4.json"));
    let mut stored = with_details(stored, details.unwrap().0);
    assert_eq!(read_page(&stored, &record), record);
    let mut nearer = record;
    nearer.found.depth = 1;
    stored.fields.insert("depth".to_owned(), Value { value_type: Some(ValueType::IntegerValue(1)) });
    assert_eq!(read_page(&stored, &nearer), nearer, "a shorter way was found later");
}

#[test]
fn the_details_of_a_page_are_pinned() {
    let details = Details::of(&page());
    let json: Json = serde_json::to_value(&details).unwrap();
    let pinned: Json = serde_json::from_str(include_str!("../../test-data/page/details-v4.json")).unwrap();
    assert_eq!(json, pinned, "\n{}", serde_json::to_string_pretty(&json).unwrap());
    assert_eq!(Details::unpack(Some(&details.clone().pack().unwrap())).unwrap(), details);
}

#[test]
fn figures_that_are_not_numbers_are_read_as_they_were_written() {
    let mut record = page();
    for figure in [f64::NAN, f64::INFINITY, -0.0, 0.1 + 0.2, f64::MIN_POSITIVE] {
        record.known.change_frequency = figure;
        let frame = Details::of(&record).pack().unwrap();
        let facts = Details::unpack(Some(&frame)).unwrap().facts.unwrap();
        assert_eq!(facts.change_frequency.to_bits(), figure.to_bits());
    }
}

/// Returns a page as the first two versions could tell it.
fn page_without_details() -> PageRecord {
    let mut record = page();
    let bare = samples::bare_record("default", samples::SECOND, "/a");
    let visit = &mut record.visit;
    (visit.tier, visit.weight, visit.words) = (None, 0, bare.visit.words);
    (visit.kinds, visit.edits, record.known.memory) = (bare.visit.kinds, None, None);
    let signatures = record.known.content.as_mut().unwrap().signatures.as_mut();
    signatures.unwrap().meta = None;
    record
}

#[test]
fn a_page_of_the_third_version_is_read() {
    let stored = document(include_str!("../../test-data/page/v3.json"));
    let details = include_bytes!("../../test-data/page/details-v3.json");
    let stored = with_details(stored, crate::compression::compress(details));
    let mut expected = page();
    let edits = expected.visit.edits.as_mut().unwrap();
    (edits.lines_now, edits.words_before, edits.words_now) = (0, 0, 0);
    expected.known.memory.as_mut().unwrap().document = None;
    assert_eq!(read_page(&stored, &expected), expected);
}

#[test]
fn a_page_of_the_second_version_is_read() {
    let stored = document(include_str!("../../test-data/page/v2.json"));
    let expected = page_without_details();
    assert_eq!(read_page(&stored, &expected), expected);
}

#[test]
fn settling_leaves_how_near_a_page_is_and_nothing_else_that_it_had_before() {
    let written =
        write("x/y".to_owned(), &PageDocument::new(&page(), Some("c/d".to_owned())).unwrap()).unwrap();
    let former = [
        include_str!("../../test-data/page/v1.json"),
        include_str!("../../test-data/page/v2.json"),
        include_str!("../../test-data/page/v3.json"),
    ];
    let former = former.map(document).map(|page| page.fields);
    let fields: BTreeSet<&str> =
        former.iter().chain([&written.fields]).flat_map(HashMap::keys).map(String::as_str).collect();
    let settled: BTreeSet<&str> = SETTLED_FIELDS.into_iter().chain(FORMER_FIELDS).collect();
    assert_eq!(fields.difference(&settled).collect::<Vec<_>>(), [&"depth", &"url"]);
    assert_eq!(settled.difference(&fields).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn a_page_of_the_first_version_is_read() {
    let mut expected = page_without_details();
    (expected.visit.aspects, expected.visit.check) = (Aspects::NONE, Check::None);
    let known = &mut expected.known;
    known.content.as_mut().unwrap().signatures = None;
    (known.fresh_until, known.observations, known.mean_interval) = (None, known.changes_detected, 7.0);
    let stored = document(include_str!("../../test-data/page/v1.json"));
    assert_eq!(read_page(&stored, &expected), expected);
}

#[test]
fn a_content_is_pinned() {
    let content = samples::content("text");
    // The frame of a body may differ with the version of the compressor.
    let mut packed = Packed::new(&content, samples::time(2), None).document;
    assert_eq!(crate::compression::decompress(&packed.body.take().unwrap().0).ok(), content.body);
    packed.body = Some(Binary(b"frame".to_vec()));
    let outline = packed.outline.replace(Binary(b"frame".to_vec()));
    let name = Paths::new(DATABASE).content(&samples::site_id("default"), &content.hash);
    let written = write(name, &packed).unwrap();
    let mut stored = pinned(&written, include_str!("../../test-data/content/v3.json"));
    let outline = ValueType::BytesValue(outline.unwrap().0);
    stored.fields.insert("outline".to_owned(), Value { value_type: Some(outline) });
    assert_eq!(read_content(&stored, &content), content);
}

#[test]
fn a_content_of_the_second_version_is_read() {
    let mut content = samples::content("text");
    content.extracted.outline = None;
    content.extracted.signatures.as_mut().unwrap().meta = None;
    let stored = document(include_str!("../../test-data/content/v2.json"));
    assert_eq!(read_content(&stored, &content), content);
}

#[test]
fn a_content_of_the_first_version_is_read() {
    let mut content = samples::content("text");
    (content.extracted.signatures, content.extracted.outline) = (None, None);
    let stored = document(include_str!("../../test-data/content/v1.json"));
    assert_eq!(read_content(&stored, &content), content);
}

fn read_content(stored: &Document, written: &Content) -> Content {
    let document: ContentDocument = read(stored).unwrap();
    assert_eq!(document.body, Some(Binary(b"frame".to_vec())));
    let links: LinksDocument = read(stored).unwrap();
    let links = links.read(&stored.name, &HashMap::new()).unwrap();
    document.into_content(written.hash, links, written.body.clone()).unwrap()
}

#[test]
fn a_crawl_is_pinned() {
    let site = samples::site("default");
    let mut crawl = samples::crawl("default", samples::SECOND);
    let name = Paths::new(DATABASE).crawl(&site.id, crawl.id);
    let open = CrawlDocument::new(&crawl, &site, 17);
    let written = write(name.clone(), &open).unwrap();
    assert!(matches!(written.fields["closed_at"].value_type, Some(ValueType::NullValue(_))));
    assert_eq!(open.clone().accepted(samples::time(20)), None, "nobody doubts an open crawl");
    let mut closed = samples::closed(Ending::Partial("stopped".to_owned()));
    assert_eq!(open.clone().closed(&closed, Some(2)).accepted(samples::time(20)), None);
    closed.suspicion = samples::suspect().suspicion;
    let accepted = open.closed(&closed, Some(2)).accepted(samples::time(20)).unwrap();
    let again = accepted.clone().accepted(samples::time(21));
    assert_eq!(again.as_ref(), Some(&accepted), "the first time counts");
    let by = "crawl-2026-11-16".parse().unwrap();
    let confirmed = accepted.confirmed(by).unwrap();
    let written = write(name, &confirmed).unwrap();
    let stored = pinned(&written, include_str!("../../test-data/crawl/v4.json"));
    let document: CrawlDocument = read(&stored).unwrap();
    assert_eq!((document.rolls, document.number), (Some(2), Some(17)));
    let suspicion = closed.suspicion.as_mut().unwrap();
    (suspicion.accepted_at, suspicion.confirmed_by) = (Some(samples::time(20)), Some(by));
    crawl.closed = Some(closed);
    assert_eq!(document.into_crawl(samples::SECOND).unwrap(), crawl);
    let before: CrawlDocument = read(&self::document(include_str!("../../test-data/crawl/v3.json"))).unwrap();
    let closed = crawl.closed.as_mut().unwrap();
    closed.suspicion.as_mut().unwrap().confirmed_by = None;
    forget_what_came_later(&mut closed.statistics);
    assert_eq!(
        before.into_crawl(samples::SECOND).unwrap(),
        crawl,
        "neither was counted by the third version"
    );
    let older: CrawlDocument = read(&self::document(include_str!("../../test-data/crawl/v2.json"))).unwrap();
    assert_eq!((older.rolls, older.number), (Some(2), None), "numbers came with the third version");
    let statistics = &mut crawl.closed.as_mut().unwrap().statistics;
    (statistics.same_by_head, statistics.watched) = (0, 0);
    assert_eq!(older.into_crawl(samples::SECOND).unwrap(), crawl);
}

#[test]
fn why_a_site_could_not_be_read_is_a_map_with_its_word() {
    use recrawl_core::model::site_state::{Obstacle, SiteState};
    let site = samples::site("default");
    for obstacle in [
        Obstacle::CookieWall,
        Obstacle::NeedsScripts { pages: 12, of: 14 },
        Obstacle::Login { at: "/login".to_owned() },
    ] {
        let word = obstacle.word();
        let mut crawl = samples::crawl("default", samples::SECOND);
        let open = CrawlDocument::new(&crawl, &site, 17);
        let mut closed = samples::closed(Ending::Partial("stopped".to_owned()));
        closed.state = Some(SiteState { obstacle, read: 2 });
        let written = write("x/y".to_owned(), &open.closed(&closed, None)).unwrap();
        let state = to_json(&written.fields["site_state"]);
        assert_eq!(state["mapValue"]["fields"]["word"], json!({"stringValue": word}), "{state}");
        crawl.closed = Some(closed);
        let read: CrawlDocument = read(&written).unwrap();
        assert_eq!(read.into_crawl(samples::SECOND).unwrap(), crawl);
    }
}

/// Takes away the figures that the fourth version of a crawl brought.
fn forget_what_came_later(statistics: &mut Statistics) {
    (statistics.lost_content, statistics.own_content) = (0, 0);
    (statistics.around, statistics.only_noise, statistics.shared_changes) = (0, 0, 0);
    statistics.only_shared = 0;
    statistics.only_shared = 0;
    (statistics.script_pages, statistics.lost_to_scripts, statistics.kept_out) = (0, 0, 0);
    statistics.total -= std::mem::take(&mut statistics.counts[Verdict::Shared]);
}

#[test]
fn a_crawl_of_the_first_version_is_read() {
    let mut crawl = samples::crawl("default", samples::SECOND);
    let mut closed = samples::closed(Ending::Partial("stopped".to_owned()));
    let statistics = &mut closed.statistics;
    (statistics.failed_known, statistics.stumbled, statistics.presumed) = (0, 0, 0);
    forget_what_came_later(statistics);
    (statistics.checked, statistics.refuted, statistics.same_by_head, statistics.watched) = (0, 0, 0, 0);
    crawl.closed = Some(closed);
    let stored = document(include_str!("../../test-data/crawl/v1.json"));
    let document: CrawlDocument = read(&stored).unwrap();
    assert_eq!(document.into_crawl(samples::SECOND).unwrap(), crawl);
}

#[test]
fn a_site_is_pinned() {
    let site = samples::site("default");
    let name = Paths::new(DATABASE).site(&site.id);
    let written = write(name, &SiteDocument::from(&site)).unwrap();
    let stored = pinned(&written, include_str!("../../test-data/site/v2.json"));
    assert_eq!(read::<SiteDocument>(&stored).unwrap().into_site("default").unwrap(), site);
    let older: SiteDocument = read(&self::document(include_str!("../../test-data/site/v1.json"))).unwrap();
    let mut older = older.into_site("default").unwrap();
    assert!(!older.scope.allow_private && !older.scope.list, "nobody said so before the second version");
    (older.scope.allow_private, older.scope.list) = (true, true);
    assert_eq!(older, site);
}

#[test]
fn a_stumble_is_pinned() {
    let stumble = Stumble {
        site: samples::site_id("default"),
        crawl: samples::crawl_id(samples::SECOND),
        url: samples::page("/a"),
        at: samples::time(3),
        fault: Panic {
            message: "begin > end when slicing".to_owned(),
            place: Some("crates/extract/src/text.rs:36".to_owned()),
        },
        rules: recrawl_core::model::ids::RulesVersion("1".to_owned()),
        content_type: Some("text/html".to_owned()),
    };
    let aside = Aside::Kept { bytes: 7 };
    let document = StumbleDocument::new(&stumble, aside, Some(b"frame".to_vec()));
    let name = Paths::new(DATABASE).stumble(&stumble.site, stumble.crawl, &stumble.url);
    let stored = pinned(&write(name, &document).unwrap(), include_str!("../../test-data/stumble/v1.json"));
    let body: StumbledBody = read(&stored).unwrap();
    assert_eq!(body.body, Some(Binary(b"frame".to_vec())));
    let read = read::<StumbleDocument>(&stored).unwrap().into_stumble(&stumble.site, stumble.crawl).unwrap();
    assert_eq!(read, KeptStumble { stumble, body: aside });
}

#[test]
fn new_and_changed_follow_from_the_verdict() {
    for verdict in Verdict::ALL {
        let mut record = samples::record("default", samples::FIRST, "/");
        record.visit.verdict = verdict;
        let written = write("x/y".to_owned(), &PageDocument::new(&record, None).unwrap()).unwrap();
        let flag = |name: &str| to_json(&written.fields[name]) == json!({"booleanValue": true});
        assert_eq!(flag("new"), verdict == Verdict::New, "{verdict}");
        assert_eq!(flag("changed"), matches!(verdict, Verdict::Changed | Verdict::Moved), "{verdict}");
    }
}

#[test]
fn what_a_server_sends_never_makes_a_page_too_long() {
    let mut record = samples::record("default", samples::FIRST, "/");
    let long = Some("é".repeat(1_000_000));
    let headers = &mut record.known.headers;
    for header in [
        &mut headers.etag,
        &mut headers.last_modified,
        &mut headers.location,
        &mut headers.content_type,
        &mut headers.robots_tag,
    ] {
        *header = Some("x".repeat(100_000));
    }
    record.visit.reason.clone_from(&long);
    let archive = record.archive.as_mut().unwrap();
    (archive.error, archive.job_id, archive.wayback_url) = (long.clone(), long.clone(), long.clone());
    let size = |record: &PageRecord| {
        let written = write("x/y".to_owned(), &PageDocument::new(record, None).unwrap()).unwrap();
        serde_json::to_string(&fields_to_json(&written.fields)).unwrap().len()
    };
    assert!((300_000..400_000).contains(&size(&record)), "{}", size(&record));
    record.known.headers.etag = long;
    assert!((200_000..300_000).contains(&size(&record)), "half an entity tag is another one");
}
