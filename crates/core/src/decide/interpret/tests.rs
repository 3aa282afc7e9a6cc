use super::*;
use crate::changes::settle::SharingRules;
use crate::decide::judge::judge;
use crate::model::archive::ArchivePolicy;
use crate::model::content::{Content, Extracted, KeepBodies};
use crate::model::record::{ContentRef, Presence};
use crate::model::verdict::Verdict;
use crate::ports::NotFoundAnswer;

fn policy() -> CrawlPolicy {
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
        recheck_share: 0.01,
        watch_images: false,
        smart_threshold: 0.2,
        retries: 2,
        page_time_out: Duration::from_mins(1),
        trap_limit: 100,
        sharing: SharingRules::default(),
        product_token: "recrawl".to_owned(),
    }
}

fn response(status: u16, location: Option<&str>) -> Response {
    Response {
        status_in_words: None,
        answer: Answer::of(status),
        status,
        headers: Headers { location: location.map(str::to_owned), ..Headers::default() },
        body: Vec::new(),
        truncated: false,
        fetched_at: Timestamp::UNIX_EPOCH,
        fetch_ms: 5,
        received_bytes: 100,
        fresh_until: None,
        memory: BodyMemory::default(),
    }
}

/// Returns a content with this body, read as text of the same words.
fn content(body: &str) -> Content {
    let hash = ContentHash::of(body.as_bytes());
    let text = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let semantic = SemanticHash::of(text.as_bytes());
    let extracted = Extracted { semantic, text, ..Extracted::opaque(hash) };
    Content { hash, size: body.len() as u64, media_type: String::new(), extracted, body: None }
}

fn known(presence: Presence, location: Option<&str>) -> PageState {
    let observation = Observation::Content {
        reference: content("before").reference(),
        difference: None,
        transfer_bytes: 7,
    };
    let url = "https://example.org/a".parse().unwrap();
    let judged = judge(&url, None, &observation, &Headers::default(), Timestamp::UNIX_EPOCH);
    let headers = Headers { location: location.map(str::to_owned), ..Headers::default() };
    PageState { presence, headers, ..judged.known }
}

/// Interprets and judges answers, with everything known that there is to know.
fn verdict(
    known: Option<&PageState>,
    attempt: u32,
    answers: &Answers,
    body: Option<&str>,
) -> Result<Verdict, String> {
    let [url, root]: [PageUrl; 2] =
        ["a", ""].map(|path| format!("https://example.org/{path}").parse().unwrap());
    let (rules, policy, noise) = (RulesVersion::bytes(), policy(), NoiseInForce::default());
    let asked = Asked {
        url: &url,
        root: &root,
        known,
        attempt: Attempt { number: attempt, spent: Duration::ZERO },
        rules: &rules,
        policy: &policy,
        noise: &noise,
        now: Timestamp::UNIX_EPOCH,
    };
    let facts = Facts {
        content: body.map(content),
        is_read: true,
        links: Some((content("before").hash, Some(Vec::new()))),
        not_found: Some(NotFoundAnswer::Honest),
        ..Facts::default()
    };
    match interpret(&asked, answers, &facts) {
        Interpreted::Seen(seen) => {
            Ok(judge(&url, known, &seen.observation, &seen.headers, seen.fetched_at).verdict)
        }
        Interpreted::Retry { .. } => Err("retry".to_owned()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn each_answer_has_its_meaning_for_a_page_that_is_known_and_for_one_that_is_not() {
    let retry = || Err("retry".to_owned());
    let elsewhere = Some("/elsewhere");
    let present = known(Presence::Present, None);
    let redirects = known(Presence::Redirect, elsewhere);
    // A status and its body, what is known, which attempt it is, and what that comes to: a row of the table of answers.
    for (status, body, before, attempt, expected) in [
        (200, Some("new"), None, 0, Ok(Verdict::New)),
        (200, Some("before"), Some(&present), 0, Ok(Verdict::Unchanged)),
        (200, Some("before "), Some(&present), 0, Ok(Verdict::Touched)),
        (200, Some("after"), Some(&present), 0, Ok(Verdict::Changed)),
        (200, Some(""), Some(&present), 0, Ok(Verdict::Failed)),
        (204, None, Some(&present), 0, Ok(Verdict::Failed)),
        (206, None, Some(&present), 0, Ok(Verdict::Failed)),
        (301, None, None, 0, Ok(Verdict::New)),
        (302, None, Some(&present), 0, Ok(Verdict::Moved)),
        (308, None, Some(&redirects), 0, Ok(Verdict::Unchanged)),
        (304, None, Some(&present), 0, Ok(Verdict::Failed)),
        (404, None, Some(&present), 0, Ok(Verdict::Gone)),
        (410, None, Some(&present), 0, Ok(Verdict::Gone)),
        (404, None, None, 0, Ok(Verdict::Missing)),
        (410, None, None, 0, Ok(Verdict::Missing)),
        (401, None, Some(&present), 0, Ok(Verdict::Failed)),
        (403, None, Some(&present), 0, Ok(Verdict::Failed)),
        (429, None, Some(&present), 0, retry()),
        (503, None, Some(&present), 1, retry()),
        (503, None, Some(&present), 2, Ok(Verdict::Failed)),
        (522, None, None, 2, Ok(Verdict::Failed)),
    ] {
        let location = elsewhere.filter(|_| (300..400).contains(&status) && status != 304);
        let answers = Answers::Answered(response(status, location));
        let found = verdict(before, attempt, &answers, body);
        assert_eq!(found, expected, "{status} {body:?} {before:?} {attempt}");
    }
}

#[test]
fn a_page_that_redirects_to_itself_tells_nothing_and_is_not_asked_for_again() {
    let present = known(Presence::Present, None);
    for (location, expected) in [
        ("/a", Verdict::Failed),
        ("https://example.org/a", Verdict::Failed),
        ("/a#top", Verdict::Failed),
        ("/a?visited=1", Verdict::Moved),
        ("/b", Verdict::Moved),
    ] {
        let answers = Answers::Answered(response(302, Some(location)));
        assert_eq!(verdict(Some(&present), 0, &answers, None), Ok(expected), "{location}");
    }
}

#[test]
fn no_answer_is_asked_for_again_and_what_we_refuse_is_not() {
    let present = known(Presence::Present, None);
    let silence = |retry: Option<&str>| Answers::Silence {
        reason: "no answer".to_owned(),
        retry: retry.map(str::to_owned),
        after: Duration::from_secs(1),
    };
    assert_eq!(verdict(Some(&present), 0, &silence(Some("reset")), None), Err("retry".to_owned()));
    assert_eq!(verdict(Some(&present), 2, &silence(Some("reset")), None), Ok(Verdict::Failed));
    assert_eq!(verdict(Some(&present), 0, &silence(None), None), Ok(Verdict::Failed));
}

#[test]
fn a_304_is_believed_unless_a_check_refutes_it() {
    let present = known(Presence::Present, None);
    for (check, body, expected) in [
        (None, None, Verdict::Unchanged),
        (Some(Checked::Nothing), None, Verdict::Unchanged),
        (Some(Checked::Whole(response(200, None))), Some("before"), Verdict::Unchanged),
        (Some(Checked::Whole(response(200, None))), Some("after"), Verdict::Changed),
    ] {
        let answers = Answers::Unchanged { response: response(304, None), same: None, check };
        assert_eq!(verdict(Some(&present), 0, &answers, body), Ok(expected), "{body:?}");
    }
}

#[test]
fn headers_are_the_same_if_their_validators_are() {
    let headers = |etag: Option<&str>, last_modified: Option<&str>| Headers {
        etag: etag.map(str::to_owned),
        last_modified: last_modified.map(str::to_owned),
        ..Headers::default()
    };
    for (before, now, expected) in [
        (headers(Some("1"), None), headers(Some("1"), None), Some("ETag")),
        (headers(Some("1"), None), headers(Some("2"), None), None),
        (headers(Some("1"), Some("x")), headers(Some("1"), Some("y")), None),
        (headers(Some("1"), Some("x")), headers(Some("1"), Some("x")), Some("ETag")),
        (headers(None, Some("x")), headers(None, Some("x")), Some("Last-Modified")),
        (headers(None, None), headers(None, None), None),
    ] {
        assert_eq!(same_validator(&before, &now), expected, "{before:?} {now:?}");
    }
}

#[test]
fn what_is_not_known_is_asked_for() {
    let present = known(Presence::Present, None);
    let url: PageUrl = "https://example.org/a".parse().unwrap();
    let root: PageUrl = "https://example.org/".parse().unwrap();
    let (rules, policy, noise) = (RulesVersion::bytes(), policy(), NoiseInForce::default());
    let (attempt, now) = (Attempt::default(), Timestamp::UNIX_EPOCH);
    let asked = Asked {
        url: &url,
        root: &root,
        known: Some(&present),
        attempt,
        rules: &rules,
        policy: &policy,
        noise: &noise,
        now,
    };
    let needs = |answers: Answers| match interpret(&asked, &answers, &Facts::default()) {
        Interpreted::Needs(fact) => fact,
        other => panic!("{other:?}"),
    };
    let stored: ContentRef = content("before").reference();
    assert_eq!(needs(Answers::Answered(response(200, None))), Fact::Body);
    assert_eq!(needs(Answers::Answered(response(302, Some("/elsewhere")))), Fact::NotFoundAnswer);
    let unchanged = Answers::Unchanged { response: response(304, None), same: None, check: None };
    assert_eq!(needs(unchanged), Fact::StoredLinks(stored.hash));
}
