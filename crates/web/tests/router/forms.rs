use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use recrawl_core::memory::MemoryStore;
use recrawl_web::access::Access;
use recrawl_web::crawl_control::Activity;
use scraper::{Html, Selector};

use super::harness::Harness;
use super::pages::{check_form, select};
use super::{Answered, BRIDGE, ask, get, get_with, history, staffed, town};

const TOWN: &str = "/sites/example.org-town";
const SUSPECT: &str = "/sites/example.org-town/crawls/crawl-2026-11-12";

/// A browser that keeps its cookie and fills in forms, without a script.
pub(super) struct Browser {
    pub(super) router: Router,
    pub(super) harness: Arc<Harness>,
    pub(super) cookie: String,
}

impl Browser {
    /// Opens the pages of a server that only this machine reaches.
    pub(super) async fn open() -> Self {
        let (router, harness) = staffed(history::town().await, Access::for_everybody());
        let first = get(&router, "/").await;
        let cookie = first.header("set-cookie").split(';').next().unwrap().to_owned();
        assert!(cookie.starts_with("recrawl_session="), "{cookie}");
        Self { router, harness, cookie }
    }

    pub(super) async fn get(&self, address: &str) -> Answered {
        get_with(&self.router, address, &[("cookie", &self.cookie)]).await
    }

    /// Sends fields with the token of the form on `page` that leads to `action`.
    pub(super) async fn fill(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> Answered {
        let shown = self.get(page).await;
        let html = Html::parse_document(&shown.body);
        let hidden = Selector::parse(&format!("form[action=\"{action}\"][method=post] input[type=hidden]"));
        let mut sent: Vec<(String, String)> = Vec::new();
        for input in html.select(&hidden.unwrap()) {
            sent.push((input.attr("name").unwrap().to_owned(), input.attr("value").unwrap().to_owned()));
        }
        assert!(!sent.is_empty(), "{page} has no form for {action}");
        sent.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(sent).finish();
        self.send(action, &body, "http://recrawl.test").await
    }

    pub(super) async fn send(&self, action: &str, body: &str, origin: &str) -> Answered {
        let request = Request::post(action)
            .header(header::HOST, "recrawl.test")
            .header(header::ORIGIN, origin)
            .header(header::COOKIE, &self.cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        ask(&self.router, request.body(Body::from(body.to_owned())).unwrap()).await
    }

    pub(super) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.harness.notes.lock().unwrap().asked)
    }

    pub(super) fn refuse(&self, reason: &str) {
        self.harness.notes.lock().unwrap().refusal = Some(reason.to_owned());
    }

    pub(super) fn be(&self, activity: Activity) {
        self.harness.notes.lock().unwrap().activity = activity;
    }
}

/// Every button: the page it is on, where it leads, what is asked, and where one lands.
fn buttons() -> Vec<(Activity, String, String, &'static str, String)> {
    let history = format!("{TOWN}/page?{BRIDGE}");
    let act = |activity, page: &str, verb: &str, asked, done: &str| {
        (activity, page.to_owned(), format!("{TOWN}/{verb}"), asked, format!("{TOWN}?done={done}"))
    };
    vec![
        act(Activity::Idle, "/sites", "start", "start example.org-town", "started"),
        act(Activity::Idle, TOWN, "start", "start example.org-town", "started"),
        act(Activity::Paused, TOWN, "start", "start example.org-town", "started"),
        act(Activity::Paused, TOWN, "stop", "stop example.org-town", "stopped"),
        act(Activity::Crawling, TOWN, "pause", "pause example.org-town", "paused"),
        act(Activity::Crawling, "/sites", "pause", "pause example.org-town", "paused"),
        act(Activity::Crawling, TOWN, "stop", "stop example.org-town", "stopped"),
        act(Activity::Waiting, TOWN, "pause", "pause example.org-town", "paused"),
        (
            Activity::Idle,
            history.clone(),
            format!("{TOWN}/archive"),
            "archive example.org-town https://example.org/town/services/bridge",
            format!("{history}&done=archive-asked"),
        ),
        (
            Activity::Idle,
            SUSPECT.to_owned(),
            format!("{SUSPECT}/accept"),
            "accept example.org-town crawl-2026-11-12",
            format!("{SUSPECT}?done=accepted"),
        ),
    ]
}

#[tokio::test]
async fn every_button_does_what_it_says_and_the_next_page_says_so() {
    for (activity, page, action, asked, landed) in buttons() {
        let browser = Browser::open().await;
        browser.be(activity);
        let answer = browser.fill(&page, &action, &[]).await;
        assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, &*landed), "{action}");
        assert_eq!(browser.asked(), [asked], "{action}");
        let next = browser.get(&landed).await;
        let html = Html::parse_document(&next.body);
        assert_eq!(select(&html, ".notice.done[role=status]").len(), 1, "{landed}");
    }
}

#[tokio::test]
async fn a_refused_button_gives_the_reason_and_a_way_back() {
    for (activity, page, action, asked, _) in buttons() {
        let browser = Browser::open().await;
        browser.be(activity);
        browser.refuse("another program <script>alert(1)</script> has the store");
        let answer = browser.fill(&page, &action, &[]).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{action}");
        assert!(
            answer.body.contains("Another program &lt;script&gt;alert(1)&lt;/script&gt; has"),
            "{action}"
        );
        assert!(answer.body.contains(">Back</a>"), "{action}");
        assert_eq!(browser.asked(), [asked]);
    }
}

#[tokio::test]
async fn a_form_that_is_not_ours_does_nothing() {
    let addresses = ["start", "pause", "stop", "archive", "schedule", "rules", "noise", "rename", "delete"];
    let addresses = addresses.iter().map(|verb| format!("{TOWN}/{verb}"));
    for address in addresses.chain([format!("{SUSPECT}/accept"), "/add-site".to_owned()]) {
        let browser = Browser::open().await;
        let shown = browser.get(TOWN).await;
        let html = Html::parse_document(&shown.body);
        let hidden = Selector::parse("input[name=form_token]").unwrap();
        let token = html.select(&hidden).next().unwrap().attr("value").unwrap();
        let rest = format!("&{BRIDGE}&step=save&root=https://a.example/");
        let own = format!("form_token={token}{rest}");
        let stranger = Browser { cookie: String::new(), ..Browser::open().await };
        for (what, answer) in [
            ("no token", browser.send(&address, &rest, "http://recrawl.test").await),
            (
                "a wrong token",
                browser.send(&address, &format!("form_token=00{rest}"), "http://recrawl.test").await,
            ),
            ("another site", browser.send(&address, &own, "http://evil.example").await),
            ("another session", stranger.send(&address, &own, "http://recrawl.test").await),
        ] {
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{address}: {what}");
        }
        assert_eq!((browser.asked(), stranger.asked()), (vec![], vec![]), "{address}");
    }
}

#[tokio::test]
async fn there_are_no_buttons_for_those_who_may_not_use_them() {
    let (with_token, _) = staffed(history::town().await, Access::with_token("open sesame"));
    let pages = [
        "/".to_owned(),
        "/sites".to_owned(),
        TOWN.to_owned(),
        SUSPECT.to_owned(),
        format!("{TOWN}/page?{BRIDGE}"),
    ];
    for (what, router) in [("read-only", town().await), ("without the token", with_token)] {
        for page in &pages {
            let answer = get(&router, page).await;
            let html = Html::parse_document(&answer.body);
            assert_eq!(answer.status, StatusCode::OK, "{what}: {page}");
            assert_eq!(
                select(&html, "form[method=post], button[form], a[href='/add-site']"),
                Vec::<String>::new(),
                "{what}: {page}"
            );
            assert_eq!(answer.header("set-cookie"), "", "{what}: {page} ends a session");
        }
        let forms = ["rules", "schedule", "rename", "delete"].map(|form| format!("{TOWN}/{form}"));
        for page in forms.into_iter().chain(["/add-site".to_owned()]) {
            assert_eq!(get(&router, &page).await.status, StatusCode::FORBIDDEN, "{what}: {page}");
        }
    }
    // Who has no session has no form token either; one that was made up does not help.
    let browser = Browser { router: town().await, ..Browser::open().await };
    let answer = browser.send(&format!("{TOWN}/start"), "form_token=00", "http://recrawl.test").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(answer.body.contains("nothing can be done here"), "{}", answer.body);
}

#[tokio::test]
async fn more_forms_than_people_send_are_refused() {
    let browser = Browser::open().await;
    for _ in 0..60 {
        browser.be(Activity::Idle);
        let answer = browser.fill(TOWN, &format!("{TOWN}/start"), &[]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
    }
    browser.be(Activity::Idle);
    let answer = browser.fill(TOWN, &format!("{TOWN}/start"), &[]).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(browser.asked().len(), 60);
}

const SITE: [(&str, &str); 8] = [
    ("root", "https://new.example/start"),
    ("name", "fresh"),
    ("include", "/a/**\r\n\r\n /b/** "),
    ("exclude", "**/<script>"),
    ("often", "weekly"),
    ("day", "1"),
    ("hour", "4"),
    ("time_zone", "Europe/Berlin"),
];

fn site_with(step: &'static str) -> Vec<(&'static str, &'static str)> {
    [("step", step)].into_iter().chain(SITE).collect()
}

#[tokio::test]
async fn a_site_is_added_at_once_and_a_look_at_it_fills_in_beside() {
    let browser = Browser::open().await;
    let begun = browser.fill("/add-site", "/add-site", &site_with("look")).await;
    assert_eq!(begun.status, StatusCode::OK);
    check_form("/add-site", &begun.body);
    let html = Html::parse_document(&begun.body);
    assert_eq!(select(&html, "[data-goes-on] .wait"), [""], "it has only begun");
    assert_eq!(select(&html, ".acts .main"), ["Add and crawl now"], "and nobody has to wait");
    assert_eq!(select(&html, "#include, #exclude"), ["/a/** /b/**", "**/<script>"], "what was typed is kept");
    assert_eq!(select(&html, "select[name=day] option[selected]"), ["Monday"]);
    // Without a script, a button looks again.
    assert_eq!(select(&html, "button[value=again]"), ["Look again"]);
    let seen = browser.fill("/add-site", "/add-site", &site_with("again")).await;
    let html = Html::parse_document(&seen.body);
    assert_eq!(select(&html, "[data-goes-on], button[value=again]").len(), 0, "it is over");
    let shown = select(&html, "[data-looked]").concat();
    for expected in [
        "It answers in 0.5 s: “A <b>new</b> site”, 212 words, 64 links",
        "robots.txt allows 212 of 214",
        "2 seconds between requests",
        "/sitemap.xml: 212",
        "About 212 pages, so the first crawl takes about 7 min 4 s",
        "and 209 more",
        "disallowed by robots.txt <script>",
    ] {
        assert!(shown.contains(expected), "{expected} is not in {shown}");
    }
    assert_eq!(select(&html, "script:not([src])").len(), 0);
    let added = browser.fill("/add-site", "/add-site", &site_with("add")).await;
    assert_eq!(added.header("location"), "/sites/fresh?done=added");
    let crawled = browser.fill("/add-site", "/add-site", &site_with("crawl")).await;
    assert_eq!(crawled.header("location"), "/sites/fresh/crawling?done=added-and-started");
    let root = "https://new.example/start";
    let schedule = "Some(Schedule { cron: \"0 4 * * 1\", time_zone: \"Europe/Berlin\" })";
    let add = format!("add {root} Some(\"fresh\") {schedule}");
    let look = format!("look {root} [\"/a/**\", \"/b/**\"] [\"**/<script>\"]");
    assert_eq!(browser.asked(), [&look, &look, &add, &add, "start fresh"]);
}

#[tokio::test]
async fn a_look_that_finds_a_trouble_says_what_to_do_and_adding_stays_possible() {
    for (trouble, word, expected) in [
        ("missing", "root-missing", "The first page is not there (404), check the address."),
        ("password", "needs-password", "The first page asks for a password (401)."),
        ("scripts", "needs-scripts", "The first page has next to no text without JavaScript"),
    ] {
        let browser = Browser::open().await;
        let root = format!("https://new.example/start?{trouble}");
        for step in ["look", "again"] {
            let fields = [("step", step), ("root", &*root), ("fragment", "yes")];
            let answer = browser.fill("/add-site", "/add-site", &fields).await;
            assert_eq!(answer.status, StatusCode::OK, "{trouble}");
            let html = Html::parse_fragment(&answer.body);
            if step == "again" {
                let told = select(&html, &format!("[data-state={word}]"));
                assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
                let instead = select(&html, "button[name=use][value='https://new.example/']");
                assert_eq!(instead.len(), usize::from(trouble == "missing"), "{trouble}");
                assert!(!answer.body.contains("can be read"), "{trouble}");
            }
        }
        let used = [("use", "https://new.example/"), ("root", &*root)];
        let used = browser.fill("/add-site", "/add-site", &used).await;
        let html = Html::parse_document(&used.body);
        let field = Selector::parse("#root").unwrap();
        assert_eq!(html.select(&field).next().unwrap().attr("value"), Some("https://new.example/"));
        assert_eq!(select(&html, ".acts .main"), ["Add and crawl now"]);
    }
}

#[tokio::test]
async fn a_site_that_is_refused_keeps_what_was_typed() {
    for step in ["look", "add", "crawl"] {
        let browser = Browser::open().await;
        browser.refuse("there is a site of this name");
        let mut fields = site_with(step);
        fields.retain(|(name, _)| *name != "root");
        fields.push(("root", "\"><script>"));
        let answer = browser.fill("/add-site", "/add-site", &fields).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{step}");
        check_form("/add-site", &answer.body);
        let html = Html::parse_document(&answer.body);
        assert_eq!(select(&html, "[role=alert]"), ["There is a site of this name."], "{step}");
        let value = |field: &str| {
            let field = Selector::parse(field).unwrap();
            html.select(&field).next().unwrap().attr("value").unwrap().to_owned()
        };
        assert_eq!(
            (value("#root"), value("#name")),
            ("\"><script>".to_owned(), "fresh".to_owned()),
            "{step}"
        );
    }
}

#[tokio::test]
async fn a_schedule_is_shown_chosen_and_refused() {
    let browser = Browser::open().await;
    let page = format!("{TOWN}/schedule");
    let site = browser.get(TOWN).await;
    let said = "every Sunday at 03:00 (America/Los_Angeles)";
    assert!(site.body.contains(said), "{}", site.body);
    let shown = browser.get(&page).await;
    check_form(&page, &shown.body);
    assert_eq!(
        select(&Html::parse_document(&shown.body), "option[selected]"),
        ["Every week", "Sunday", "03:00"]
    );
    for (often, asked) in [
        ("by-hand", "schedule example.org-town None"),
        ("daily", "schedule example.org-town Some(\"0 5 * * *\")"),
        ("cron", "schedule example.org-town Some(\"*/5 * * * *\")"),
    ] {
        let fields =
            [("often", often), ("day", "2"), ("hour", "5"), ("cron", "*/5 * * * *"), ("time_zone", "UTC")];
        let answer = browser.fill(&page, &page, &fields).await;
        assert_eq!(answer.header("location"), format!("{TOWN}?done=scheduled"));
        assert_eq!(browser.asked(), [asked]);
    }
    browser.refuse("there is no time zone Mars/Olympus");
    let fields = [("often", "cron"), ("cron", "\"<script>"), ("time_zone", "Mars/Olympus")];
    let answer = browser.fill(&page, &page, &fields).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.body.contains("value=\"&quot;&lt;script&gt;\""), "{}", answer.body);
    let html = Html::parse_document(&answer.body);
    assert_eq!(select(&html, "[role=alert]"), ["There is no time zone Mars/Olympus."]);
    assert!(select(&html, "option[selected]").contains(&"By a cron expression".to_owned()));
}

#[tokio::test]
async fn time_zones_are_offered_and_one_that_was_chosen_is_kept() {
    let browser = Browser::open().await;
    let schedule = format!("{TOWN}/schedule");
    let field = |body: &str| {
        let html = Html::parse_document(body);
        let zones = Selector::parse("datalist#time-zones option").unwrap();
        let zones: Vec<&str> = html.select(&zones).filter_map(|option| option.attr("value")).collect();
        for zone in ["UTC", "America/Los_Angeles", "Europe/Berlin"] {
            assert!(zones.contains(&zone), "{zone} of {}", zones.len());
        }
        assert!(!zones.iter().any(|zone| zone.starts_with("Etc/")), "{zones:?}");
        let field = Selector::parse("input[name=time_zone][list=time-zones]").unwrap();
        let field = html.select(&field).next().unwrap();
        (field.attr("value").unwrap().to_owned(), field.attr("data-own-zone").is_some())
    };
    let is_free = |zone: &str| (zone.to_owned(), true);
    let is_chosen = |zone: &str| (zone.to_owned(), false);
    assert_eq!(field(&browser.get("/add-site").await.body), is_free("UTC"));
    assert_eq!(field(&browser.get(&schedule).await.body), is_chosen("America/Los_Angeles"));
    let typed = [("step", "look"), ("root", "https://new.example/"), ("time_zone", "UTC")];
    assert_eq!(field(&browser.fill("/add-site", "/add-site", &typed).await.body), is_chosen("UTC"));
    browser.fill(&schedule, &schedule, &[("often", "by-hand")]).await;
    assert_eq!(field(&browser.get(&schedule).await.body), is_free("UTC"));
}

#[tokio::test]
async fn whoever_begins_or_is_not_logged_in_is_led_on() {
    let (router, _) = staffed(MemoryStore::default(), Access::for_everybody());
    let html = Html::parse_document(&get(&router, "/").await.body);
    assert_eq!(select(&html, "h1"), ["Which web site do you want to watch?"]);
    assert_eq!(select(&html, "main form[action='/add-site'] button"), ["Add and crawl"]);
    let (router, _) = staffed(MemoryStore::default(), Access::with_token("open sesame"));
    let refused = get(&router, "/add-site").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(select(&Html::parse_document(&refused.body), "main a[href='/login']"), ["Log in"]);
}

#[tokio::test]
async fn rules_are_tried_on_pages_that_have_a_text() {
    let browser = Browser::open().await;
    let shown = browser.get(&format!("{TOWN}/rules")).await;
    let offered = select(&Html::parse_document(&shown.body), "select[name=url] option");
    assert_eq!(offered, ["/town/news", "/town/services/bridge", "/town/services/mobility"]);
    let file = "url=https%3A%2F%2Fexample.org%2Ftown%2Fdocuments%2Fbudget.pdf";
    for (page, can_be_ignored) in [(BRIDGE, true), (file, false)] {
        let difference = browser.get(&format!("{TOWN}/diff?{page}")).await;
        assert_eq!(difference.body.contains("Ignore…"), can_be_ignored, "{page}");
    }
}

#[tokio::test]
async fn rules_show_their_effect_before_they_are_saved() {
    let browser = Browser::open().await;
    let page = format!("{TOWN}/rules");
    let shown = browser.get(&format!("{page}?{BRIDGE}")).await;
    check_form(&page, &shown.body);
    let html = Html::parse_document(&shown.body);
    assert_eq!(select(&html, "select[name=url] option[selected]"), ["/town/services/bridge"]);
    assert_eq!(select(&html, "#selectors"), [".clock"]);
    assert_eq!(select(&html, "#effect .lead"), ["The last change looks the same by both."]);
    let typed = [("url", "https://example.org/town/services/bridge"), ("patterns", "Open from\n")];
    let with = |step: &'static str| [("step", step)].into_iter().chain(typed).collect::<Vec<_>>();
    let preview = browser.fill(&page, &page, &with("preview")).await;
    let html = Html::parse_document(&preview.body);
    let ignored = "By these rules, the last change would not have been reported.";
    assert_eq!(select(&html, "#effect .lead"), [ignored]);
    assert_eq!(select(&html, "#patterns"), ["Open from"], "what was typed is kept");
    assert!(preview.body.contains("took 3 ms by these rules, 3 ms by the saved ones"), "{}", preview.body);
    let fragment = browser.fill(&page, &page, &with("fragment")).await;
    assert!(fragment.body.starts_with("<h2>") && fragment.body.contains(ignored), "{}", fragment.body);
    assert!(!fragment.body.contains("<script"), "{}", fragment.body);
    assert_eq!(browser.asked(), Vec::<String>::new(), "nothing is saved by looking");
    let saved = browser.fill(&page, &page, &with("save")).await;
    assert_eq!(saved.header("location"), format!("{page}?{BRIDGE}&done=rules-saved"));
    assert_eq!(browser.asked(), ["rules example.org-town [] [\"Open from\"]"]);
    let landed = browser.get(saved.header("location")).await;
    assert_eq!(select(&Html::parse_document(&landed.body), ".notice.done").len(), 1);
}

#[tokio::test]
async fn rules_that_cannot_be_tried_or_saved_say_why() {
    let browser = Browser::open().await;
    let page = format!("{TOWN}/rules");
    let preview = browser.fill(&page, &page, &[("step", "preview"), ("patterns", "(")]).await;
    assert_eq!(preview.status, StatusCode::OK);
    let html = Html::parse_document(&preview.body);
    assert_eq!(select(&html, "#effect [role=alert]"), ["The pattern ( is no regular expression."]);
    browser.refuse("the settings cannot be written");
    let answer = browser.fill(&page, &page, &[("step", "save"), ("patterns", "<script>")]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    let html = Html::parse_document(&answer.body);
    assert_eq!(select(&html, "main > [role=alert]"), ["The settings cannot be written."]);
    assert_eq!(select(&html, "#patterns"), ["<script>"]);
}

#[tokio::test]
async fn a_crawl_under_way_is_shown_without_a_script_too() {
    let browser = Browser::open().await;
    browser.be(Activity::Crawling);
    let shown = browser.get(TOWN).await;
    let html = Html::parse_document(&shown.body);
    assert_eq!(
        select(&html, ".standing .progress"),
        ["1 page done, 39 waiting. Found so far: 0 new, 0 changed, 0 gone, 0 failed."]
    );
    assert_eq!(
        select(&html, "[data-events='/events/example.org-town'] a[href='/sites/example.org-town/crawling']"),
        ["Follow it"]
    );
    assert_eq!(select(&html, "progress[max='40'][value='1']").len(), 1);
    assert_eq!(select(&html, ".heading button"), ["Pause example.org-town", "Stop example.org-town"]);
    let events = browser.get("/events/example.org-town").await;
    let names: Vec<&str> = events.body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!((names[0], names.len()), ("activity", 43));
    assert_eq!(names[40..], ["progress", "closed", "rest"]);
    browser.be(Activity::Paused);
    let shown = browser.get(TOWN).await;
    assert!(!shown.body.contains("data-events"), "nothing comes of a crawl that rests");
}

#[tokio::test]
async fn pages_with_forms_are_well_formed_and_messages_are_ours() {
    let browser = Browser::open().await;
    for activity in [
        Activity::Idle,
        Activity::Waiting,
        Activity::TriedLater,
        Activity::Crawling,
        Activity::Ending,
        Activity::Paused,
        Activity::Removing,
    ] {
        browser.be(activity);
        let own = [
            "crawling",
            "crawling?stop=ask",
            "rename",
            "delete",
            "page?year=2026&url=https://example.org/town",
        ];
        let own = own.map(|page| format!("{TOWN}/{page}"));
        let pages = ["/", "/sites", TOWN, SUSPECT, "/add-site", "/api", &format!("{TOWN}/page?{BRIDGE}")];
        for page in pages.into_iter().chain(own.iter().map(String::as_str)) {
            let answer = browser.get(page).await;
            // Where nothing is crawled, the page of the crawl leads to that of the site.
            if answer.status == StatusCode::OK {
                check_form(page, &answer.body);
            }
        }
    }
    let forged = browser.get("/?done=%3Cscript%3E").await;
    assert_eq!(select(&Html::parse_document(&forged.body), ".notice.done").len(), 0);
}

#[tokio::test]
async fn whoever_runs_the_server_reads_what_they_should_know_and_nobody_else() {
    let (router, harness) = staffed(history::town().await, Access::with_token("open sesame"));
    harness.notes.lock().unwrap().notices = vec!["team was never told of <b>it</b>".to_owned()];
    assert!(!get(&router, "/").await.body.contains("team was never told"));
    let (router, harness) = staffed(history::town().await, Access::for_everybody());
    harness.notes.lock().unwrap().notices =
        (0..12).map(|number| format!("team was never told of <b>{number}</b>")).collect();
    for address in ["/", "/sites"] {
        let body = get(&router, address).await.body;
        assert!(
            body.contains("<p class=\"notice doubt\">Team was never told of &lt;b&gt;0&lt;/b&gt;.</p>"),
            "{body}"
        );
        assert!(body.contains("And 2 more notices."), "{body}");
    }
}
