use super::*;
use crate::model::counts::Counts;
use crate::versions::tests::visited;

fn root() -> PageUrl {
    "https://example.org/".parse().unwrap()
}

/// The record of a first page that was visited with this result.
fn first(verdict: Verdict, status: Option<u16>, reason: Option<&str>) -> PageRecord {
    let mut record = visited("A=").pop().unwrap();
    record.visit.verdict = verdict;
    record.visit.status = status;
    record.visit.reason = reason.map(str::to_owned);
    record
}

fn failed(status: Option<u16>, reason: &str) -> PageRecord {
    first(Verdict::Failed, status, Some(reason))
}

/// The figures of a crawl in which so many pages answered and so many failed.
fn figures(answered: u64, failed: u64) -> Statistics {
    Statistics {
        total: answered + failed,
        counts: Counts::from([(Verdict::Unchanged, answered), (Verdict::Failed, failed)]),
        ..Statistics::default()
    }
}

fn sentence(state: Option<SiteState>) -> String {
    state.map(|state| format!("{}; {} read", state.line(), state.read)).unwrap_or_default()
}

#[test]
fn the_first_page_tells_what_keeps_us_out() {
    let kept_out = Statistics { kept_out: 40, ..figures(0, 40) };
    for (record, statistics, expected) in [
        (
            failed(Some(401), "status 401"),
            figures(0, 3),
            "failed, the first page asks for a password (401); 0 read",
        ),
        (failed(Some(401), "status 401"), figures(2, 1), "the first page asks for a password (401); 2 read"),
        (
            failed(Some(403), "status 403"),
            kept_out.clone(),
            "failed, 40 of 40 pages are forbidden to Recrawl (403); 0 read",
        ),
        (
            failed(Some(302), "asks for a login at https://example.org/login?next=%2F"),
            figures(0, 1),
            "failed, the first page leads to a sign-in form (/login); 0 read",
        ),
        (
            failed(Some(302), "asks for a login at https://login.example.com/x?y"),
            figures(0, 1),
            "failed, the first page leads to a sign-in form (https://login.example.com/x); 0 read",
        ),
        (
            failed(Some(302), REDIRECTS_TO_ITSELF),
            figures(0, 1),
            "failed, the first page redirects to itself, which usually means that it wants a cookie; 0 read",
        ),
        (
            failed(Some(200), "a block page (Cloudflare)"),
            kept_out,
            "failed, 40 of 40 pages ask whether you are a robot (a block page (Cloudflare)); 0 read",
        ),
        (
            failed(Some(200), "a maintenance page"),
            figures(0, 1),
            "failed, the first page could not be read (a maintenance page); 0 read",
        ),
        (
            failed(None, "no answer: cannot connect: Connection refused (os error 111)"),
            figures(0, 1),
            "failed, example.org does not answer (connection refused); 0 read",
        ),
        (
            failed(Some(503), "status 503 to 6 requests"),
            figures(4, 1),
            "the first page could not be read (status 503 to 6 requests); 4 read",
        ),
        (
            first(Verdict::Missing, Some(404), None),
            Statistics { total: 1, counts: Counts::from([(Verdict::Missing, 1)]), ..Statistics::default() },
            "the first page is not there (404), check the address; 0 read",
        ),
        (
            first(Verdict::Excluded, None, Some("robots.txt: Disallow: /")),
            figures(0, 0),
            "failed, robots.txt forbids the first page to Recrawl (Disallow: /); 0 read",
        ),
        (first(Verdict::Excluded, None, Some("left out by a pattern")), figures(9, 0), ""),
        (first(Verdict::Unchanged, Some(200), None), figures(9, 30), ""),
    ] {
        let state = site_state(&root(), FirstPage::Visited(&record, 0), &statistics);
        assert_eq!(sentence(state), expected, "{:?}", record.visit);
    }
}

#[test]
fn a_first_page_that_went_for_good_is_missing_also_when_nobody_asks_for_it() {
    let mut record = first(Verdict::Excluded, None, Some("gone for good"));
    record.known.presence = Presence::GoneForGood;
    let state = site_state(&root(), FirstPage::Visited(&record, 0), &figures(0, 0)).unwrap();
    assert_eq!(state.obstacle, Obstacle::RootMissing { status: 410 });
}

#[test]
fn where_the_first_page_leads_counts() {
    let one = Statistics { total: 1, counts: Counts::from([(Verdict::New, 1)]), ..Statistics::default() };
    for (first, statistics, expected) in [
        (FirstPage::Loop, figures(2, 0), "cookie-wall"),
        (FirstPage::Outside("https://example.com/", 1), one, "root-elsewhere"),
        (FirstPage::Silent("status 503"), figures(0, 0), "unreachable"),
        (FirstPage::NotVisited, figures(0, 0), ""),
    ] {
        let state = site_state(&root(), first, &statistics);
        assert_eq!(state.as_ref().map_or("", SiteState::word), expected, "{first:?}");
        assert!(state.is_none_or(|state| state.is_unread()));
    }
}

#[test]
fn a_known_site_whose_first_page_leads_elsewhere_is_read_and_says_so() {
    let moved = Statistics {
        total: 41,
        counts: Counts::from([(Verdict::Unchanged, 40), (Verdict::Moved, 1)]),
        ..Statistics::default()
    };
    let all = Statistics { total: 41, counts: Counts::from([(Verdict::Moved, 41)]), ..Statistics::default() };
    for (case, statistics, redirects, read) in [
        ("since this week", moved, 0, 40),
        ("as last week", figures(41, 0), 1, 40),
        ("every page does", all, 0, 0),
    ] {
        let first = FirstPage::Outside("https://example.com/", redirects);
        let state = site_state(&root(), first, &statistics).unwrap();
        assert_eq!((state.word(), state.read), ("root-elsewhere", read), "{case}");
        assert_eq!((state.hides_site(), state.is_never_whole()), (read == 0, true), "{case}");
    }
}

#[test]
fn text_that_scripts_make_is_told_where_it_is_most_of_the_site_or_the_first_page() {
    let plain = first(Verdict::Unchanged, Some(200), None);
    let mut scripted = plain.clone();
    scripted.known.note_scripts(true);
    let lost = failed(Some(200), NEEDS_SCRIPTS);
    let count = |script_pages, lost_to_scripts, statistics| Statistics {
        script_pages,
        lost_to_scripts,
        ..statistics
    };
    for (record, statistics, expected) in [
        (&plain, count(12, 0, figures(14, 0)), Some((12, 14, 2))),
        (&plain, count(7, 0, figures(14, 0)), None),
        (&plain, count(0, 8, figures(6, 8)), Some((8, 14, 6))),
        (&scripted, count(1, 0, figures(1, 0)), Some((1, 1, 0))),
        (&scripted, count(1, 0, figures(14, 0)), Some((1, 14, 13))),
        (&lost, count(0, 1, figures(13, 1)), Some((1, 14, 13))),
    ] {
        let state = site_state(&root(), FirstPage::Visited(record, 0), &statistics);
        let expected = expected
            .map(|(pages, of, read)| SiteState { obstacle: Obstacle::NeedsScripts { pages, of }, read });
        assert_eq!(state, expected);
    }
    scripted.known.note_scripts(false);
    assert_eq!(scripted, plain, "nothing is remembered of a page with text");
}

#[test]
fn silence_is_told_in_few_words() {
    for (reason, expected) in [
        ("no answer: cannot connect: Connection refused (os error 111)", "connection refused"),
        ("cannot connect in time: deadline has elapsed", "no answer in time"),
        ("no whole answer within 30s", "no answer in time"),
        (
            "cannot connect: failed to lookup address information: Name or service not known",
            "its name cannot be found",
        ),
        ("cannot connect: invalid peer certificate: Expired", "its certificate is not valid"),
        ("status 503", "status 503"),
    ] {
        assert_eq!(silence(reason), expected);
    }
}

#[test]
fn the_first_answer_tells_before_anybody_crawls() {
    let (itself, login, inside) = (root(), "https://example.org/login?x", "https://example.org/en/");
    let [login, inside]: [PageUrl; 2] = [login, inside].map(|address| address.parse().unwrap());
    let elsewhere: PageUrl = "https://example.com/".parse().unwrap();
    let page = FirstAnswer { status: 200, ..FirstAnswer::default() };
    let moved = FirstAnswer { status: 302, ..page };
    for (answer, expected) in [
        (page, ""),
        (FirstAnswer { status: 401, ..page }, "needs-password"),
        (FirstAnswer { status: 403, ..page }, "forbidden"),
        (FirstAnswer { status: 404, ..page }, "root-missing"),
        (FirstAnswer { status: 503, ..page }, "unreadable"),
        (FirstAnswer { target: Some(&itself), ..moved }, "cookie-wall"),
        (FirstAnswer { target: Some(&login), ..moved }, "login"),
        (FirstAnswer { target: Some(&inside), ..moved }, ""),
        (FirstAnswer { target: Some(&elsewhere), leads_outside: true, ..moved }, "root-elsewhere"),
        (FirstAnswer { block_page: Some("a captcha page (reCAPTCHA)"), ..page }, "block-page"),
        (FirstAnswer { block_page: Some("a maintenance page"), ..page }, "unreadable"),
        (FirstAnswer { needs_scripts: true, ..page }, "needs-scripts"),
    ] {
        let state = state_of_answer(&itself, &answer);
        assert_eq!(state.as_ref().map_or("", SiteState::word), expected, "{answer:?}");
    }
}
