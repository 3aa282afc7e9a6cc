//! What is written for chats and files: its form, its limits, and that strangers' text stays text.

use recrawl_core::decide::suspicion;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::Ending;
use recrawl_core::model::site_state::{Obstacle, SiteState};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_notify::{ChangeEntry, Digest, Notification, Part, Stage, deliver, format};
use serde_json::Value;
use url::Url;

use crate::receiver::Receiver;
use crate::world::{HOSTILE, changed, digest, page, read, word};

fn notification<'a>(digest: &'a Digest, web: Option<&'a Url>) -> Notification<'a> {
    Notification::of_crawl(Stage::Findings, part(digest, 2), web)
}

fn part(digest: &Digest, withheld: usize) -> Part<'_> {
    let changes = digest.changes.iter().collect();
    Part { digest, crawls: vec![digest], changes, first_found: digest.first_found(), withheld }
}

fn web() -> Url {
    "https://watch.example.org/recrawl".parse().unwrap()
}

/// Returns a digest with the longest texts that there can be.
fn huge() -> Digest {
    let long = |unit: &str| unit.repeat(4_000 / unit.len());
    let mut changes: Vec<ChangeEntry> = Vec::new();
    for number in 0..150 {
        let path = format!("/{number}/{}", "&".repeat(if number % 2 == 0 { 230 } else { 4_000 }));
        let title = long(HOSTILE[number % HOSTILE.len()]);
        changes.push(match number {
            0..50 => page(&path, Verdict::New, Some(&title)),
            50..100 => changed(&path, &title, &format!("-{}\n+{}", long("<&`*"), long("@👩"))),
            _ => {
                let location = Some(long("<&*_"));
                ChangeEntry { location, ..page(&path, Verdict::Moved, Some(&title)) }
            }
        });
    }
    let reason = Some(long("<&*_ "));
    Digest { changes, partial: reason.clone(), suspicion: reason, is_first: true, ..digest() }
}

fn units(value: &Value) -> usize {
    value.as_str().unwrap().encode_utf16().count()
}

#[test]
fn a_program_is_told_in_json() {
    let (digest, web) = (digest(), web());
    let notification = notification(&digest, Some(&web));
    let message: Value =
        serde_json::from_str(&format::json::write(&notification, notification.id(&"hook".parse().unwrap())))
            .unwrap();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&message).unwrap());
}

#[test]
fn slack_is_told_in_blocks() {
    let (digest, web) = (digest(), web());
    let message = format::slack::write(&notification(&digest, Some(&web)));
    insta::assert_snapshot!("slack", serde_json::to_string_pretty(&message).unwrap());
}

#[test]
fn discord_is_told_in_embeds() {
    let (digest, web) = (digest(), web());
    let message = format::discord::write(&notification(&digest, Some(&web)));
    insta::assert_snapshot!("discord", serde_json::to_string_pretty(&message).unwrap());
}

#[test]
fn a_file_is_markdown() {
    let (digest, web) = (digest(), web());
    insta::assert_snapshot!("markdown", format::markdown::write(&notification(&digest, Some(&web))));
}

#[test]
fn doubts_early_ends_first_crawls_and_quiet_weeks_are_said() {
    let base = Digest { changes: Vec::new(), ..digest() };
    let mut all = Vec::new();
    for (digest, stage) in [
        (base.clone(), Stage::Findings),
        (
            Digest { suspicion: Some("half of the pages have gone".to_owned()), ..base.clone() },
            Stage::Warning,
        ),
        (Digest { suspicion: Some("half of the pages have gone".to_owned()), ..digest() }, Stage::Findings),
        (
            Digest { told_as_unusual: Some("40 of 120 pages are gone".to_owned()), ..digest() },
            Stage::Findings,
        ),
        (Digest { partial: Some("stopped by a person".to_owned()), ..base.clone() }, Stage::Findings),
        (Digest { is_first: true, ..base.clone() }, Stage::Findings),
        (Digest::made_up(crate::world::time()), Stage::Test),
    ] {
        let notification = Notification::of_crawl(stage, part(&digest, 0), None);
        let lines =
            [vec![notification.headline()], notification.cautions(), vec![notification.figures()]].concat();
        all.push(lines.join("\n"));
    }
    insta::assert_snapshot!("cautions", all.join("\n\n"));
}

#[test]
fn a_crawl_most_of_whose_doubted_pages_failed_has_failed_or_was_blocked() {
    for (kept_out, headline, caution) in [
        (0, "failed, nothing was sent yet", "The crawl failed: 40 of 100 pages failed"),
        (40, "blocked, nothing was sent yet", "The crawl was blocked: 40 of 100 pages failed"),
    ] {
        let statistics = Statistics {
            counts: Counts::from([(Verdict::Failed, 40), (Verdict::Unchanged, 60)]),
            failed_known: 40,
            kept_out,
            ..Statistics::default()
        };
        let suspicion = suspicion(&Ending::Complete, &statistics).map(|suspicion| suspicion.reason);
        let digest = Digest { suspicion, statistics, ..digest() };
        let told = Notification::of_crawl(Stage::Warning, part(&digest, 0), None);
        assert!(told.headline().ends_with(headline), "{}", told.headline());
        assert!(told.cautions()[0].starts_with(caution), "{:?}", told.cautions());
        assert!(!told.cautions().concat().contains("unusual"), "{:?}", told.cautions());
    }
}

#[test]
fn a_known_site_whose_first_page_leads_elsewhere_is_said() {
    let location = "https://elsewhere.example/".to_owned();
    let state = SiteState { obstacle: Obstacle::RootElsewhere { location }, read: 40 };
    let digest = Digest { state: Some(state), partial: None, ..digest() };
    let told = Notification::of_crawl(Stage::Findings, part(&digest, 0), None).cautions().concat();
    assert!(told.contains("the first page leads to https://elsewhere.example/, outside the site"), "{told}");
}

#[test]
fn the_limits_of_slack_are_kept_whatever_pages_say() {
    let (digest, web) = (huge(), web());
    let message = format::slack::write(&notification(&digest, Some(&web)));
    let blocks = message["blocks"].as_array().unwrap();
    assert!(blocks.len() <= 50, "{}", blocks.len());
    assert!(units(&blocks[0]["text"]["text"]) <= 150);
    for block in blocks {
        assert!((1..=3_000).contains(&units(&block["text"]["text"])), "{block}");
    }
    assert!(units(&message["text"]) <= 40_000);
    let last = blocks.last().unwrap()["text"]["text"].as_str().unwrap();
    let link = "https://watch.example.org/recrawl/sites/example.org/crawls/crawl-2026-11-16";
    assert_eq!(last, format!("<{link}|… and 110 more>"));
    let without = format::slack::write(&notification(&digest, None));
    assert_eq!(without["blocks"].as_array().unwrap().last().unwrap()["text"]["text"], "… and 110 more");
}

#[test]
fn the_limits_of_discord_are_kept_whatever_pages_say() {
    let (digest, web) = (huge(), web());
    let message = format::discord::write(&notification(&digest, Some(&web)));
    assert!((1..=2_000).contains(&units(&message["content"])));
    let embeds = message["embeds"].as_array().unwrap();
    let [embed] = &embeds[..] else { panic!("one site is one embed: {embeds:?}") };
    assert!(units(&embed["title"]) <= 256);
    assert!((1..=4_096).contains(&units(&embed["description"])));
    assert!(embed["description"].as_str().unwrap().contains(" more](<https://watch.example.org/"), "{embed}");
    let sum = units(&embed["title"]) + units(&embed["description"]);
    assert!((3_000..=6_000).contains(&sum), "the room is used: {sum}");
}

#[test]
fn what_there_was_no_room_for_is_counted() {
    let (digest, web) = (huge(), web());
    let message = format::discord::write(&notification(&digest, Some(&web)));
    let description = message["embeds"][0]["description"].as_str().unwrap();
    let (_, more) = description.rsplit_once("… and ").unwrap();
    let left: usize = more.split(' ').next().unwrap().parse().unwrap();
    // New pages have no difference, so that each is one line.
    assert_eq!(description.lines().count() - 1 + left, 150, "{description}");
}

#[test]
fn text_of_strangers_is_only_text_in_chats() {
    let digest = digest();
    let slack = format::slack::write(&notification(&digest, None)).to_string();
    let discord = format::discord::write(&notification(&digest, None));
    for harm in [
        "<script",
        "<!channel",
        "<@U123",
        "*bold*",
        "_it_",
        "`code`",
        "](http",
        "@everyone",
        "@all",
        "\\u001b",
    ] {
        assert!(!slack.contains(harm), "{harm}: {slack}");
    }
    assert_eq!(discord["allowed_mentions"]["parse"], Value::Array(Vec::new()));
    let discord: String = discord["embeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|embed| embed["description"].as_str().unwrap())
        .collect();
    for harm in ["[x](", " *bold*", " _it_", "[@everyone", "@all", "||hid", "\u{1b}", "\u{202e}", "```new"] {
        assert!(!discord.contains(harm), "{harm}: {discord}");
    }
}

#[test]
fn text_of_strangers_is_only_text_in_markdown() {
    let digest = digest();
    let text = format::markdown::write(&notification(&digest, None));
    for harm in
        [" <script", "[<script", " *bold*", "[x](", "\u{1b}", "\u{202e}", "\nBcc", "\n<b>", "[@everyone"]
    {
        assert!(!text.contains(harm), "{harm}: {text}");
    }
    // The difference has three backticks, so its fence has four.
    assert!(text.contains("\n  ````diff\n  -<b>old</b>"), "{text}");
}

#[tokio::test]
async fn chats_receive_their_formats_at_their_addresses() {
    let receiver = Receiver::start([]).await;
    let table = "[a]\nkind = 'slack'\nurl-env = 'S'\n[b]\nkind = 'discord'\nurl-env = 'D'";
    let (slack, discord) = (receiver.url("/services/T/B"), receiver.url("/api/webhooks/1/x"));
    let targets = read(table, &[("S", &slack), ("D", &discord)]).unwrap();
    for delivery in deliver(&targets, &digest(), &MemoryStore::default()).await {
        assert_eq!(word(&delivery.outcome), "told 1");
    }
    let mut requests = receiver.received();
    requests.sort_by(|one, other| one.uri.cmp(&other.uri));
    let body = |place: usize| serde_json::from_str::<Value>(&requests[place].body).unwrap();
    assert_eq!(requests[0].uri, "/api/webhooks/1/x?wait=true");
    assert_eq!(body(0)["embeds"].as_array().unwrap().len(), 1);
    assert_eq!(requests[1].uri, "/services/T/B");
    assert_eq!(body(1)["blocks"][0]["type"], "header");
}
