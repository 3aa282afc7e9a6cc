//! What is wrong with a site, and what was wrong with a crawl.

use insta::assert_snapshot;
use recrawl_core::model::crawl::Ending;
use recrawl_core::ports::StateKey;

use super::fixture::Answer::{
    Confirmed, Failed, Html, NotFound, NotModified, Passing, Presumed, Redirect, Refuted, Remembered,
};
use super::fixture::Fixture;

const HOME: &str = "<title>Home</title><h1>Home</h1><a href=/story>Story</a> <a href=/past>Past</a> \
    <a href=/shut>Shut</a> <a href=/hop>Hop</a> <a href=/twin>Twin</a> <a href=/lie>Lie</a>";
const STORY: &str = "<title>Story</title><h1>Story</h1><p>Read <a href=/plan-a>the plan</a>, and <a href=/past>the \
    past</a>.</p><img src=/bridge.jpg alt=Bridge><p>Posted 5 minutes ago</p>";
const STORY_ELSEWHERE: &str = "<title>Story</title><h1>Story</h1><p>Read <a href=/plan-b>the plan</a>, and <a href=/past>the \
    past</a>.</p><img src=/bridge.jpg alt=Bridge><p>Posted 7 days ago</p>";
const STORY_IN_PICTURES: &str = "<title>Story</title><h1>Story</h1><p>Read <a href=/plan-b>the plan</a>, and <a href=/past>the \
    past</a>.</p><img src=/tower.jpg alt=Tower><p>Posted 14 days ago</p>";
const LAMP: &str = "<title>Lamp</title><p>A lamp.</p>";
const LAMP_AGAIN: &str = "<title>Lamp</title> <p>A  lamp.</p>";

/// What changes with the rules of reading, and not with what is tested here; as long as what it stands for.
const OF_THE_RULES: [(&str, &str); 2] =
    [(r"\b\d-[0-9a-f]{12}\b", "[rules in use]"), (r"\b[0-9a-f]{16}\b", "[some signature]")];

const DOUBT: &str = "6 of 9 known pages changed at once (67 %)";

/// Three weekly crawls of a site with faults, and if `is_doubted`, a fourth that is suspect.
async fn faulty(is_doubted: bool) -> Fixture {
    let fixture = Fixture::new();
    fixture.add_site("example.org", "https://example.org/").await;
    let complete = || Some(Ending::Complete);
    let first = [
        ("https://example.org/", Html(HOME)),
        ("https://example.org/story", Html(STORY)),
        ("https://example.org/past", Html("<title>Past</title><p>Past.</p>")),
        ("https://example.org/shut", Html("<title>Shut</title><p>Open.</p>")),
        ("https://example.org/hop", Redirect("/hop-on")),
        ("https://example.org/hop-on", Redirect("/story")),
        ("https://example.org/round", Redirect("/about")),
        ("https://example.org/about", Redirect("/round")),
        ("https://example.org/twin", Html(LAMP)),
        ("https://example.org/lamp", Html(LAMP_AGAIN)),
        ("https://example.org/lie", Html("<title>Lie</title><p>One.</p>")),
        ("https://example.org/attic", Html("<title>Attic</title><p>Dust.</p>")),
    ];
    fixture.crawl("example.org", "crawl-2026-11-02", complete(), &first).await;
    let second = [
        ("https://example.org/", Confirmed),
        ("https://example.org/story", Html(STORY_ELSEWHERE)),
        ("https://example.org/past", NotModified),
        ("https://example.org/shut", Failed("status 503 to 6 requests")),
        ("https://example.org/hop", Redirect("/hop-on")),
        ("https://example.org/hop-on", Redirect("/story")),
        ("https://example.org/round", Redirect("/about")),
        ("https://example.org/about", Redirect("/round")),
        (
            "https://example.org/twin",
            Presumed("not asked: fresh until 2026-11-10T00:00:00Z, the server said"),
        ),
        ("https://example.org/lamp", NotModified),
        ("https://example.org/lie", Refuted("<title>Lie</title><p>Two.</p>")),
        ("https://example.org/attic", Remembered("<title>Attic</title><p>Dust.</p>")),
    ];
    fixture.crawl("example.org", "crawl-2026-11-09", complete(), &second).await;
    let third = [
        ("https://example.org/", NotModified),
        ("https://example.org/story", Html(STORY_IN_PICTURES)),
        ("https://example.org/past", NotFound),
        ("https://example.org/shut", Failed("a page of a firewall (Cloudflare)\u{1b}[2J")),
        ("https://example.org/hop", Redirect("/hop-on")),
        ("https://example.org/hop-on", Redirect("/story")),
        ("https://example.org/round", Redirect("/about")),
        ("https://example.org/about", Redirect("/round")),
        ("https://example.org/twin", NotModified),
        ("https://example.org/lamp", NotModified),
        ("https://example.org/lie", NotModified),
        ("https://example.org/attic", Remembered("<title>Attic</title><p>Dust.</p>")),
        ("https://example.org/plan-b", NotFound),
    ];
    fixture.crawl("example.org", "crawl-2026-11-16", complete(), &third).await;
    if is_doubted {
        let block = "<title>Sorry</title><p>Sorry, we are rebuilding this site.</p>";
        let fourth = [
            ("https://example.org/", Html(block)),
            ("https://example.org/story", Passing(block)),
            ("https://example.org/twin", Html(block)),
            ("https://example.org/lamp", NotModified),
        ];
        fixture.doubtful_crawl("example.org", "crawl-2026-11-23", complete(), Some(DOUBT), &fourth).await;
    }
    fixture
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_says_from_which_side_it_came() {
    let fixture = faulty(false).await;
    let _without_years = crate::days_without_years();
    let changes = |arguments: &[&str]| fixture.recrawl(&[&["changes"], arguments].concat());
    assert_snapshot!("changes_of_media", changes(&[]).shown());
    let links = ["--crawl", "crawl-2026-11-09", "--aspect", "links"];
    assert_snapshot!("changes_of_links", changes(&links).shown());
    assert_snapshot!("changes_of_links_csv", changes(&[&links[..], &["--format", "csv"]].concat()).shown());
    let markdown = changes(&[&links[..2], &["--format", "markdown"]].concat());
    assert!(markdown.stdout.contains("| changed | /story | links |"), "{}", markdown.stdout);
    let json: serde_json::Value =
        serde_json::from_str(&changes(&[&links[..], &["--format", "json"]].concat()).stdout).unwrap();
    assert_eq!(json[0]["aspects"], serde_json::json!(["links"]));
    assert_eq!(
        changes(&["--crawl", "crawl-2026-11-09", "--aspect", "media", "--format", "json"]).stdout,
        "[]\n"
    );
    assert_eq!(changes(&["--aspect", "smell"]).status, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diff_shows_links_and_images_that_came_and_went() {
    let fixture = faulty(false).await;
    let diff = |arguments: &[&str]| fixture.recrawl(&[&["diff", "/story"], arguments].concat());
    assert_snapshot!("diff_of_media", diff(&[]).shown());
    let links = ["--from", "crawl-2026-11-02", "--to", "crawl-2026-11-09"];
    assert_snapshot!("diff_of_links", diff(&links).shown());
    let whole = ["--from", "2026-11-02", "--to", "2026-11-16"];
    assert_snapshot!(
        "diff_of_links_side_by_side",
        diff(&[&whole[..], &["--format", "side-by-side"]].concat()).shown()
    );
    let html = diff(&[&whole[..], &["--format", "html"]].concat()).stdout;
    assert!(html.contains("<h2>links</h2>") && html.contains("plan-b"), "{html}");
    assert!(html.contains("<h2>images, sounds and films</h2>") && html.contains("tower.jpg"), "{html}");
}

#[tokio::test(flavor = "multi_thread")]
async fn images_are_known_though_no_body_was_kept() {
    let fixture = faulty(false).await;
    let other = "<title>Story</title><h1>Story</h1><p>Read <a href=/plan-b>the plan</a>, and <a href=/past>the past</a>.\
        </p><img src=/castle.jpg alt=Castle>";
    let pages = [("https://example.org/story", Passing(other))];
    fixture.crawl("example.org", "crawl-2026-11-23", Some(Ending::Complete), &pages).await;
    assert_snapshot!("diff_of_media_not_kept", fixture.recrawl(&["diff", "/story"]).shown());
    insta::with_settings!({filters => OF_THE_RULES}, {
        assert_snapshot!("explain_not_kept", fixture.recrawl(&["explain", "/story"]).shown());
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspect_crawl_is_announced_left_out_and_accepted() {
    let fixture = faulty(true).await;
    assert_snapshot!("changes_suspect", fixture.recrawl(&["changes"]).shown());
    // Without what is said while the clock of this machine is behind the dates of the story.
    let crawls = super::fixture::Outcome { stderr: String::new(), ..fixture.recrawl(&["crawls"]) };
    assert_snapshot!("crawls_suspect", crawls.shown());
    insta::with_settings!({filters => vec![
        (r", ([^,]* ago|ahead of this machine's clock)\n", ", [some time] ago\n"),
        (r"(?m)^clock .*\n", ""),
    ]}, {
        assert_snapshot!("status_suspect", fixture.recrawl(&["status"]).shown());
    });
    let history = fixture.recrawl(&["history", "/story"]);
    assert_snapshot!("history_beside_a_suspect_crawl", history.shown());
    assert_snapshot!(
        "history_with_a_suspect_crawl",
        fixture.recrawl(&["history", "/story", "--all"]).shown()
    );
    let shown = fixture.recrawl(&["show", "/twin"]);
    assert!(shown.stdout.contains("rebuilding"), "an unusual crawl can be judged: {}", shown.stdout);
    assert!(
        shown.stderr.contains("crawl-2026-11-23 is unusual")
            && shown.stderr.contains("No change was sent yet")
    );
    let believed = fixture.recrawl(&["show", "/twin", "--at", "crawl-2026-11-16"]);
    assert!(
        believed.stdout.contains("A lamp.") && !believed.stderr.contains("unusual"),
        "{}",
        believed.stderr
    );
    assert_snapshot!("diff_of_an_unusual_crawl", fixture.recrawl(&["diff", "/twin"]).shown());
    insta::with_settings!({filters => OF_THE_RULES}, {
        assert_snapshot!("explain_suspect", fixture.recrawl(&["explain", "/twin"]).shown());
    });

    let refused = fixture.recrawl(&["accept", "--crawl", "crawl-2026-11-16"]);
    assert_eq!((refused.status, refused.stderr.contains("not unusual")), (2, true), "{}", refused.stderr);
    let accepted = fixture.recrawl(&["accept"]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    assert!(
        accepted.stderr.contains("crawl-2026-11-23 is accepted: 3 changes announced"),
        "{}",
        accepted.stderr
    );
    let told = fixture.recrawl(&["sql", "SELECT change FROM announcement", "--format", "csv"]);
    assert_eq!(told.stdout, "change\nCHANGE\nCHANGE\nCHANGE\n", "{}", told.stderr);
    let again = fixture.recrawl(&["accept"]);
    assert_eq!((again.status, again.stderr.contains("was accepted")), (0, true), "{}", again.stderr);
    assert!(fixture.recrawl(&["show", "/twin"]).stdout.contains("rebuilding"));
    assert!(!fixture.recrawl(&["changes"]).stderr.contains("accepts it"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspect_crawl_that_a_believed_one_followed_is_accepted_only_by_force() {
    let fixture = faulty(true).await;
    let pages = [("https://example.org/", NotModified)];
    fixture.crawl("example.org", "crawl-2026-11-30", Some(Ending::Complete), &pages).await;
    let refused = fixture.recrawl(&["accept", "--crawl", "crawl-2026-11-23"]);
    assert_eq!(refused.status, 2);
    let why = "crawl-2026-11-30, which is later and believed, saw the site otherwise";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
    let named = fixture.recrawl(&["diff", "/twin", "--to", "crawl-2026-11-23"]);
    assert!(named.stdout.contains("rebuilding"), "it can still be looked at by its name: {}", named.stdout);
    let forced = fixture.recrawl(&["accept", "--crawl", "crawl-2026-11-23", "--force"]);
    assert!(forced.stderr.contains("3 changes announced"), "{}", forced.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_never_replaces_what_could_be_read() {
    let fixture = faulty(false).await;
    assert_snapshot!("history_with_failures", fixture.recrawl(&["history", "/shut"]).shown());
    assert_snapshot!("show_before_failures", fixture.recrawl(&["show", "/shut"]).shown());
    assert_snapshot!("show_at_a_failure", fixture.recrawl(&["show", "/shut", "--at", "2026-11-10"]).shown());
    assert_eq!(fixture.recrawl(&["show", "/shut", "--at", "crawl-2026-11-02"]).stderr, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_given_as_people_do() {
    let fixture = faulty(false).await;
    for (command, option, point) in [
        ("show", "--at", "crawl-2026-11-09"),
        ("show", "--at", "2026-11-09"),
        ("show", "--at", "2026-11-09T12:00:00Z"),
        ("show", "--at", "in 3 weeks"),
        ("history", "--at", "crawl-2026-11-09"),
        ("history", "--from", "crawl-2026-11-09"),
        ("history", "--to", "crawl-2026-11-09"),
        ("history", "--to", "2026-11-09"),
        ("history", "--from", "3000 weeks ago"),
        ("diff", "--to", "2026-11-09"),
        ("diff", "--to", "crawl-2026-11-09"),
    ] {
        let outcome = fixture.recrawl(&[command, "/story", option, point]);
        let expected = if point == "in 3 weeks" { 2 } else { 0 };
        assert_eq!(outcome.status, expected, "{command} {option} {point}: {}", outcome.stderr);
    }
    let versions = |arguments: &[&str]| {
        let outcome = fixture.recrawl(&[&["history", "/story", "--format", "json"], arguments].concat());
        let rows: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        rows.as_array().unwrap().iter().map(|row| row["version"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(versions(&["--at", "crawl-2026-11-09"]), [2]);
    assert_eq!(versions(&["--from", "crawl-2026-11-09"]), [2, 3]);
    assert_eq!(versions(&["--to", "crawl-2026-11-09"]), [1, 2]);
    assert_eq!(versions(&["--from", "crawl-2026-11-09", "--to", "2026-11-09"]), [2]);
    for point in ["3 weeks ago", "yesterday"] {
        for (command, option) in [("show", "--at"), ("history", "--at"), ("diff", "--from")] {
            let outcome = fixture.recrawl(&[command, "/story", option, point]);
            assert!(!outcome.stderr.contains("not a time"), "{command} {point}: {}", outcome.stderr);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_is_explained() {
    let fixture = faulty(false).await;
    let explain = |arguments: &[&str]| fixture.recrawl(&[&["explain"], arguments].concat());
    insta::with_settings!({filters => OF_THE_RULES}, {
        assert_snapshot!("explain_media", explain(&["/story"]).shown());
        assert_snapshot!("explain_failed", explain(&["/shut"]).shown());
        assert_snapshot!("explain_refuted", explain(&["/lie", "--crawl", "crawl-2026-11-09"]).shown());
        assert_snapshot!("explain_presumed", explain(&["/twin", "--crawl", "crawl-2026-11-09"]).shown());
        assert_snapshot!("explain_not_modified", explain(&["/", "--crawl", "crawl-2026-11-09"]).shown());
        assert_snapshot!("explain_redirect", explain(&["/hop"]).shown());
        assert_snapshot!("explain_json", explain(&["/story", "--format", "json"]).shown());
    });
    let unknown = explain(&["/plan-b", "--crawl", "crawl-2026-11-02"]);
    assert_eq!((unknown.status, unknown.stderr.lines().count()), (2, 1), "{}", unknown.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_knows_the_rules_of_the_site() {
    let fixture = faulty(false).await;
    std::fs::write(
        fixture.directory().join("recrawl.toml"),
        "[site.example]\nroot = \"https://example.org/\"\nignore-selector = [\"h1\"]\n",
    )
    .unwrap();
    let explained = fixture.recrawl(&["explain", "/story", "--ignore-regex", "the past"]);
    assert_eq!(explained.status, 0, "{}", explained.stderr);
    assert!(explained.stdout.contains("ignore-selector h1"), "{}", explained.stdout);
    assert!(explained.stdout.contains("ignore-regex the past"), "{}", explained.stdout);
    assert!(explained.stdout.contains("was made by rules"), "{}", explained.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_site_are_reported() {
    let fixture = faulty(false).await;
    for report in ["broken", "redirects", "orphans", "duplicates"] {
        let outcome = fixture.recrawl(&["report", report]);
        assert_snapshot!(format!("report_{report}"), outcome.shown());
        let json = fixture.recrawl(&["report", report, "--format", "json"]).stdout;
        assert!(!serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap().is_empty(), "{report}");
        let csv = fixture.recrawl(&["report", report, "--format", "csv"]).stdout;
        assert!(csv.lines().count() > 1, "{csv}");
        let markdown = fixture.recrawl(&["report", report, "--format", "markdown"]).stdout;
        assert!(markdown.contains("| --- |"), "{markdown}");
        assert!(!(outcome.stdout + &csv.replace('\u{1b}', "") + &markdown).contains('\u{1b}'));
    }
    assert_snapshot!("report_broken_csv", fixture.recrawl(&["report", "broken", "--format", "csv"]).shown());
    let earlier = fixture.recrawl(&["report", "broken", "--crawl", "crawl-2026-11-02", "--format", "json"]);
    assert_eq!(earlier.stdout, "[]\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_of_the_latest_crawl_that_saw_the_whole_site() {
    let fixture = faulty(true).await;
    let report = fixture.recrawl(&["report", "broken"]);
    assert!(report.stderr.contains("\ncrawl-2026-11-16 of"), "{}", report.stderr);
    let doubtful = fixture.recrawl(&["report", "broken", "--crawl", "crawl-2026-11-23"]);
    assert!(doubtful.stderr.contains("is unusual"), "{}", doubtful.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leaves_the_newest_crawl_out_says_so_and_the_views_leave_it_out_as_well() {
    let fixture = faulty(true).await;
    let left_out =
        format!("crawl-2026-11-23 is left out because it is unusual ({DOUBT}); if the site is right,");
    let commands: [&[&str]; 3] = [&["pages"], &["search", "lamp"], &["report", "duplicates"]];
    for command in commands {
        for format in ["table", "json", "csv", "markdown"] {
            let outcome = fixture.recrawl(&[command, &["--format", format]].concat());
            assert_eq!(outcome.stderr.matches(&left_out).count(), 1, "{command:?}: {}", outcome.stderr);
            assert!(!outcome.stdout.contains("left out"), "{}", outcome.stdout);
        }
    }
    let newest = "SELECT count(*) FROM pages WHERE last_crawl = 'crawl-2026-11-23'
        UNION ALL SELECT count(*) FROM changes WHERE crawl = 'crawl-2026-11-23'";
    let believed = |fixture: &Fixture| fixture.recrawl(&["sql", newest, "--format", "csv"]).stdout;
    assert_eq!(believed(&fixture), "count(*)\n0\n0\n");
    let pages = fixture.recrawl(&["pages", "--format", "json"]).stdout;
    let listed: Vec<serde_json::Value> = serde_json::from_str(&pages).unwrap();
    let seen = fixture.recrawl(&["sql", "SELECT count(*) FROM pages", "--format", "csv"]).stdout;
    assert_eq!(seen, format!("count(*)\n{}\n", listed.len()), "the view and the command list the same");

    assert!(fixture.recrawl(&["changes"]).stderr.contains("crawl-2026-11-23 is unusual"));
    assert_eq!(fixture.recrawl(&["accept"]).status, 0);
    for command in commands {
        assert!(!fixture.recrawl(command).stderr.contains("left out"), "{command:?}");
    }
    assert!(!believed(&fixture).contains("\n0\n"), "{}", believed(&fixture));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_listed_as_they_were_last_seen() {
    let fixture = faulty(true).await;
    let pages = |arguments: &[&str]| fixture.recrawl(&[&["pages"], arguments].concat());
    assert_snapshot!("pages_table", pages(&[]).shown());
    assert_snapshot!("pages_errors", pages(&["--sort", "errors"]).shown());
    let addresses = |arguments: &[&str]| {
        let rows: serde_json::Value =
            serde_json::from_str(&pages(&[arguments, &["--format", "json"]].concat()).stdout).unwrap();
        let path = |row: &serde_json::Value| row["url"].as_str().unwrap().replace("https://example.org", "");
        rows.as_array().unwrap().iter().map(path).collect::<Vec<_>>()
    };
    assert_eq!(addresses(&["--sort", "frequency", "--limit", "2"]), ["/story", "/lie"]);
    assert_eq!(addresses(&["--sort", "stale", "--limit", "1"]), ["/shut"]);
    assert_eq!(addresses(&["--sort", "errors"]), ["/shut", "/past", "/plan-b"]);
    assert_eq!(addresses(&["--min-frequency", "0.03", "--sort", "url"]), ["/lie", "/story"]);
    assert_eq!(addresses(&["--stale-days", "1000000"]), Vec::<String>::new());
    assert_eq!(addresses(&["--sort", "slow", "--stale-days", "0"]).len(), 11);
    let csv = pages(&["--format", "csv", "--limit", "1"]).stdout;
    assert!(csv.starts_with("url,presence,last_verdict,status,"), "{csv}");
    assert!(pages(&["--format", "markdown"]).stdout.contains("| page | state |"));
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_are_shown_over_time() {
    let fixture = faulty(true).await;
    let counts = r#"{"same_and_unchanged":118,"same_but_changed":2,"newer_and_changed":6,"newer_but_unchanged":2,"listed":130}"#;
    fixture.remember(StateKey::sitemap_reliability(&"example.org".parse().unwrap()), counts).await;
    assert_snapshot!("stats_over_time", fixture.recrawl(&["stats", "--crawl", "crawl-2026-11-16"]).shown());
    let json = fixture.recrawl(&["stats", "--format", "json", "--crawls", "2"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["over_time"].as_array().unwrap().len(), 2);
    assert_eq!(json["suspicion"]["reason"], DOUBT);
    assert_eq!(json["sitemaps"][0]["believed"], true);
}
