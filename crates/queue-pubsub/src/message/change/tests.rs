//! Messages of topic `changed-pages`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use recrawl_core::model::crawl::Suspicion;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Change;
use recrawl_core::ports::AnnouncementDetails;
use recrawl_core::url::PageUrl;

use super::*;

fn announcement(diff: Option<String>) -> Announcement {
    let crawl = "crawl-2026-11-16".parse().unwrap();
    let page: PageUrl = "https://a.example/x".parse().unwrap();
    let (id, site) = (EventId::new(crawl, &page), "default".parse().unwrap());
    let (aspects, details) = (Aspects::NONE, AnnouncementDetails::default());
    Announcement { id, site, crawl, page, change: Change::Delete, aspects, diff, details }
}

fn web() -> Url {
    "https://web.example/".parse().unwrap()
}

#[test]
fn a_change_is_flat() {
    let message = ChangeMessage::of(&announcement(Some("-old\n+new".to_owned())), None);
    let json: serde_json::Value = serde_json::from_str(&message.to_json()).unwrap();
    let expected = serde_json::json!({
        "id": message.id.to_string(),
        "site": "default",
        "crawl": "crawl-2026-11-16",
        "page": "https://a.example/x",
        "change": "DEL",
        "aspects": null,
        "diff": "-old\n+new",
        "title": null,
        "status": null,
        "tier": null,
        "weight": null,
        "target": null,
        "pages": null,
        "link": null,
    });
    assert_eq!(json, expected);
    let attributes = message.attributes();
    let mut attributes: Vec<(&str, &str)> =
        attributes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    attributes.sort_unstable();
    let expected =
        [("change", "DEL"), ("crawl", "crawl-2026-11-16"), ("site", "default"), ("type", "change")];
    assert_eq!(attributes, expected);
}

#[test]
fn an_id_names_the_site_unless_it_is_the_default_one() {
    let of = |site: &str| {
        let announcement = Announcement { site: site.parse().unwrap(), ..announcement(None) };
        ChangeMessage::of(&announcement, None).id
    };
    assert_eq!(of("default"), announcement(None).id, "as it was before there were other sites");
    let ids: BTreeSet<String> = ["default", "port", "fair"].map(|site| of(site).to_string()).into();
    assert_eq!(ids.len(), 3, "two sites may have one page");
    assert_eq!(of("port"), of("port"));
}

#[test]
fn the_sides_of_a_change_are_one_text() {
    for (aspects, expected) in [
        (Aspects::NONE, None),
        (Aspects::TEXT, Some("text")),
        (Aspects::TEXT.with(Aspect::Links), Some("text,links")),
        (Aspects::ALL, Some("text,links,media,meta")),
    ] {
        let message = ChangeMessage::of(&Announcement { aspects, ..announcement(None) }, None);
        assert_eq!(message.aspects.as_deref(), expected);
    }
}

#[test]
fn a_message_of_before_is_still_read() {
    let id = announcement(None).id;
    let old = format!(r#"{{"id":"{id}","site":"s","crawl":"c","page":"p","change":"ADD","diff":null}}"#);
    let message: ChangeMessage = serde_json::from_str(&old).unwrap();
    assert_eq!((message.id, message.aspects), (id, None));
}

#[test]
fn a_long_difference_fits_and_ends_between_characters() {
    let message = ChangeMessage::of(&announcement(Some("é".repeat(20_000_000))), None);
    let diff = message.diff.unwrap();
    assert!((LONGEST_DIFF - 1..=LONGEST_DIFF).contains(&diff.len()), "{}", diff.len());
}

#[test]
fn a_summary_has_the_shape_of_a_change() {
    let site = Site {
        id: "default".parse().unwrap(),
        root: "https://a.example/".parse().unwrap(),
        scope: recrawl_core::model::scope::ScopeSettings::default(),
        created_at: Timestamp::UNIX_EPOCH,
    };
    let ending = Ending::Partial("stopped".to_owned());
    let suspicion = Some(Suspicion::new("much is gone".to_owned()));
    let closed = Closed {
        at: Timestamp::UNIX_EPOCH,
        ending,
        suspicion,
        state: None,
        statistics: Statistics::default(),
    };
    let message = ChangeMessage::summary(&site, "crawl-2026-11-16".parse().unwrap(), &closed, Some(&web()));
    assert_eq!((message.change.as_str(), message.page.as_str()), (SUMMARY, "https://a.example/"));
    assert_eq!(message.attributes()["type"], "summary");
    let shown = "https://web.example/sites/default/crawls/crawl-2026-11-16";
    assert_eq!(message.link.as_deref(), Some(shown));
    let figures: serde_json::Value = serde_json::from_str(message.diff.as_ref().unwrap()).unwrap();
    assert_eq!((&figures["partial"], &figures["suspicion"]), (&"stopped".into(), &"much is gone".into()));
    assert_eq!(figures["closed_at"], "1970-01-01T00:00:00Z");
    assert!(figures["statistics"].is_object());
}

#[test]
fn a_change_says_what_a_reader_wants_to_know() {
    let details = AnnouncementDetails {
        title: Some("Fees".to_owned()),
        status: Some(301),
        tier: Some(Tier::Content),
        weight: Some(420),
        target: Some("https://a.example/y".to_owned()),
        shared_by: None,
    };
    let announcement = Announcement { change: Change::Move, details, ..announcement(None) };
    let message = ChangeMessage::of(&announcement, Some(&web()));
    let json: serde_json::Value = serde_json::from_str(&message.to_json()).unwrap();
    let link = "https://web.example/sites/default/page?url=https%3A%2F%2Fa.example%2Fx";
    for (name, expected) in [
        ("change", serde_json::json!("MOVE")),
        ("title", "Fees".into()),
        ("status", 301.into()),
        ("tier", 1.into()),
        ("weight", 420.into()),
        ("target", "https://a.example/y".into()),
        ("pages", serde_json::Value::Null),
        ("link", link.into()),
    ] {
        assert_eq!(json[name], expected, "{name}");
    }
}

#[test]
fn a_shared_change_has_a_word_of_its_own() {
    let details = AnnouncementDetails { shared_by: Some(7), ..AnnouncementDetails::default() };
    let announcement = Announcement { change: Change::Change, details, ..announcement(None) };
    let message = ChangeMessage::of(&announcement, Some(&web()));
    assert_eq!((message.change.as_str(), message.pages), (SHARED, Some(7)));
    assert_eq!((&*message.attributes()["type"], &*message.attributes()["change"]), ("change", SHARED));
    let shown = "https://web.example/sites/default/crawls/crawl-2026-11-16";
    assert_eq!(message.link.as_deref(), Some(shown), "there is no difference of all its pages");
}

#[test]
fn the_table_in_infra_has_a_column_for_each_field() {
    let table = include_str!("../../../../../infra/bigquery.tf");
    let columns: BTreeSet<(&str, &str)> = table
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.trim().strip_prefix("{ name = \"")?.split_once('"')?;
            let (kind, _) = rest.strip_prefix(", type = \"")?.split_once('"')?;
            Some((name, kind))
        })
        .collect();
    let message = ChangeMessage::of(&announcement(None), None);
    let json: serde_json::Value = serde_json::from_str(&message.to_json()).unwrap();
    let kind = |name: &str| match name {
        "status" | "tier" | "weight" | "pages" => "INTEGER",
        _ => "STRING",
    };
    let fields: BTreeSet<(&str, &str)> =
        json.as_object().unwrap().keys().map(|name| (name.as_str(), kind(name))).collect();
    assert_eq!(columns, fields);
}
