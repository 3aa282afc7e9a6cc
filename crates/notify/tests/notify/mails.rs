//! A digest as a mail: what its reader sees in the list of mails, at its top, and of each change.

use jiff::tz::TimeZone;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::edit::EditId;
use recrawl_core::model::kind::{Kind, Kinds, Tier, WordCount};
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_notify::{ChangeEntry, Digest, Look, Notification, Part, Stage, Together, format};
use recrawl_reports::SharedEntry;
use url::Url;

use crate::world::{page, time};

/// A change with title, path, size, kinds, and what went and came.
fn edit(path: &str, title: &str, words: (u32, u32), kinds: &[Kind], went: &str, came: &str) -> ChangeEntry {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ChangeEntry {
        words: WordCount { changed: words.0, of: words.1 },
        kinds: kinds.iter().copied().collect(),
        went: some(went),
        came: some(came),
        ..page(path, Verdict::Changed, Some(title))
    }
}

fn jobs() -> ChangeEntry {
    let shared = SharedChange {
        id: EditId(7),
        also: Vec::new(),
        aspect: Aspect::Text,
        by: SharedBy::Edit,
        went: String::new(),
        came: "Jobs".to_owned(),
        words: 1,
        pages: 1_182,
        urls: Vec::new(),
        region: Region::Nav,
        template: true,
        noise: false,
        tier: Tier::Around,
        weight: 100,
        kinds: Kinds::default(),
        since: None,
    };
    let crawl = "crawl-2026-11-16".parse().unwrap();
    let entry = SharedEntry::of(&"willow-bend".parse().unwrap(), crawl, &shared);
    ChangeEntry::of_shared(entry, &"https://www.willowbend.example/".parse().unwrap(), time())
}

fn willow() -> Digest {
    let changes = vec![
        edit(
            "/budget/2026-27",
            "Budget 2026/27",
            (4, 612),
            &[Kind::Numbers],
            "Consultants 95,000",
            "Consultants 195,000",
        ),
        ChangeEntry {
            kind: Verdict::Gone,
            ..edit(
                "/housing/rental-assistance",
                "Rental assistance program",
                (0, 418),
                &[],
                "Households earning up to 60 % of the area median income may apply for up to six months of rent.",
                "",
            )
        },
        ChangeEntry {
            kind: Verdict::New,
            ..edit(
                "/council/hearings/oak-street",
                "Public hearing: Oak Street rezoning",
                (0, 264),
                &[],
                "",
                "The council will hear testimony on December 3 on rezoning 14 lots from residential to mixed use.",
            )
        },
        edit(
            "/police/oversight-board",
            "Police oversight board",
            (58, 730),
            &[Kind::Headings, Kind::Text],
            "The board meets monthly, and its meetings are open to the public",
            "The board meets four times a year, behind closed doors, and its meetings are not open",
        ),
        edit(
            "/contact",
            "Contact",
            (1, 142),
            &[Kind::Numbers],
            "Telephone: 503-555-0134",
            "Telephone: 503-555-0199",
        ),
        ChangeEntry {
            kind: Verdict::Moved,
            same_text: true,
            location: Some("/permits/parking".to_owned()),
            ..edit("/parking/permit", "Apply for a parking permit", (0, 0), &[], "", "")
        },
        edit(
            "/a-very-long-path-without-any-space/that-nobody/would-ever/want-to-see-in-a-mail/but-there-it-is/index.html",
            "Antidisestablishmentarianismantidisestablishmentarianismantidisestablishmentarianism",
            (2, 310),
            &[Kind::Dates],
            "Saturdays, 9 to 2, through November 28",
            "Saturdays, 9 to 2, through October 31",
        ),
        jobs(),
    ];
    let counts = Counts::from([(Verdict::Touched, 12)]);
    let statistics = Statistics { total: 1_186, counts, ..Statistics::default() };
    let site = "willow-bend".parse().unwrap();
    Digest { is_test: false, site, changes, statistics, around: 41, ..Digest::made_up(time()) }
}

fn harbor() -> Digest {
    let dredging = edit(
        "/operations/dredging",
        "Dredging schedule",
        (12, 530),
        &[Kind::Dates],
        "Work in the inner channel begins January 4, 2027",
        "Work in the inner channel begins March 1, 2027",
    );
    let statistics = Statistics { total: 412, ..Statistics::default() };
    let (site, changes) = ("harbor-authority".parse().unwrap(), vec![dredging]);
    Digest { is_test: false, site, changes, statistics, ..Digest::made_up(time()) }
}

fn part(digest: &Digest) -> Part<'_> {
    Part {
        digest,
        crawls: vec![digest],
        changes: digest.changes.iter().collect(),
        first_found: 0,
        withheld: 0,
    }
}

fn looks() -> Vec<Look> {
    let look = |site: &str, is_failed, mark: &str, sentence: &str| Look {
        site: site.parse().unwrap(),
        is_failed,
        mark: mark.to_owned(),
        sentence: sentence.to_owned(),
    };
    vec![
        look(
            "school-district",
            true,
            "failed",
            "The first page asks for a password (401). Last read on 9 November: 318 pages, kept.",
        ),
        look(
            "harbor-authority",
            false,
            "unusual",
            "151 of 412 pages lost most of their text. Nothing was sent yet.",
        ),
    ]
}

fn notification<'a>(parts: Vec<Part<'a>>, looks: Vec<Look>, web: Option<&'a Url>) -> Notification<'a> {
    let together = Together {
        at: "2026-11-17T07:00:00Z".parse().unwrap(),
        since: "2026-11-10T06:00:00Z".parse().unwrap(),
        zone: TimeZone::UTC,
        crawls: parts.iter().map(|part| (part.digest.site.clone(), part.digest.crawl)).collect(),
        looks,
        sites: 4,
    };
    Notification { stage: Stage::Digest, parts, together: Some(together), web }
}

#[test]
fn a_digest_is_a_mail_as_it_was_drawn() {
    let (willow, harbor) = (willow(), harbor());
    let web: Url = "https://recrawl.example/".parse().unwrap();
    let notification = notification(vec![part(&willow), part(&harbor)], looks(), Some(&web));
    assert_eq!(notification.headline(), "8 changes on 2 sites this week; 2 sites need a look");
    insta::assert_snapshot!("digest_mail_text", format::mail::write_text(&notification));
    insta::assert_snapshot!("digest_mail_html", format::mail::write_html(&notification));
}

#[test]
fn a_subject_says_the_change_itself_or_the_numbers() {
    let (willow, harbor) = (willow(), harbor());
    let quiet = Digest { changes: Vec::new(), ..harbor.clone() };
    for (parts, looks, expected) in [
        (
            vec![part(&harbor)],
            vec![],
            "harbor-authority: Dredging schedule: Work in the inner channel begins January 4 → March 1, 2027",
        ),
        (vec![part(&harbor)], looks(), "harbor-authority: 1 change; 2 sites need a look"),
        (vec![part(&willow)], vec![], "willow-bend: 7 changes, 1 shared"),
        (vec![], looks().split_off(1), "harbor-authority needs a look"),
        (vec![part(&quiet)], vec![], "nothing changed this week"),
    ] {
        assert_eq!(notification(parts, looks, None).headline(), expected);
    }
}

#[test]
fn whatever_has_a_colour_in_the_light_has_one_in_the_dark() {
    let (willow, web) = (willow(), Url::parse("https://recrawl.example/").unwrap());
    let together = notification(vec![part(&willow)], looks(), Some(&web));
    let html = format::mail::write_html(&together);
    let (head, body) = html.split_once("</style>").unwrap();
    let dark = head.split_once("@media (prefers-color-scheme:dark)").unwrap().1;
    let tags: Vec<&str> = body.split('<').filter_map(|tag| tag.split('>').next()).collect();
    let attribute = |tag: &str, name: &str| -> Option<String> {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split('"').next().map(str::to_owned)
    };
    let mut coloured = 0;
    for tag in tags {
        let Some(style) = attribute(tag, "style") else { continue };
        for property in ["color", "background", "border-top", "border"] {
            if !style.split(';').any(|set| set.split(':').next() == Some(property)) {
                continue;
            }
            let property = if property.starts_with("border") { "border-color" } else { property };
            let classes = attribute(tag, "class").unwrap_or_else(|| panic!("no class: {tag}"));
            let rules = dark.lines().filter(|rule| {
                let selector = rule.split('{').next().unwrap_or_default();
                let named: Vec<&str> = selector.split('.').filter(|name| !name.is_empty()).collect();
                !named.is_empty() && named.iter().all(|name| classes.split(' ').any(|class| class == *name))
            });
            let is_set = |rule: &str| {
                rule.contains(&format!("{{{property}:")) || rule.contains(&format!(";{property}:"))
            };
            assert!(rules.clone().any(is_set), "{property} of {classes}: {tag}");
            coloured += 1;
        }
    }
    assert!(coloured > 50, "{coloured}");
}
