use jiff::ToSpan;

use super::*;

fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn sent_by(session: &Session) -> HeaderMap {
    HeaderMap::from_iter([(header::COOKIE, session.cookie(false))])
}

#[test]
fn who_has_shown_the_token_may_do_things_until_the_session_ends() {
    let access = Access::with_token("open sesame");
    let session = Session::fresh();
    let headers = sent_by(&session);
    assert!(!access.admits(&headers, now()));
    assert_eq!(access.log_in(&session, "open barley", now()), Login::Wrong);
    assert!(!access.admits(&headers, now()));
    assert_eq!(access.log_in(&session, "open sesame", now()), Login::Right);
    assert!(access.admits(&headers, now()));
    assert!(!access.admits(&sent_by(&Session::fresh()), now()));
    assert!(!access.admits(&headers, now() + 13.hours()));
    access.log_out(&session);
    assert!(!access.admits(&headers, now()));
}

#[test]
fn the_token_itself_is_enough_for_programs_and_cannot_be_guessed() {
    let access = Access::with_token("open sesame");
    let sent = |value| HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]);
    for (value, expected) in [
        ("Bearer open sesame", Bearer::Right),
        ("Bearer open", Bearer::Wrong),
        ("open sesame", Bearer::Absent),
    ] {
        assert_eq!(access.bearer(&sent(value), now()), expected, "{value}");
    }
    for _ in 1..60 {
        assert_eq!(access.bearer(&sent("Bearer guess"), now()), Bearer::Wrong);
    }
    assert_eq!(access.bearer(&sent("Bearer open sesame"), now()), Bearer::TooMany);
    assert_eq!(access.bearer(&sent("Bearer open sesame"), now() + 61.seconds()), Bearer::Right);
    assert_eq!(Access::for_everybody().bearer(&sent("Bearer open sesame"), now()), Bearer::Wrong);
}

#[test]
fn a_form_belongs_to_its_session_and_process() {
    let access = Access::for_everybody();
    let session = Session::fresh();
    let token = access.form_token(&session);
    assert!(access.is_own_form(&sent_by(&session), &token));
    assert!(!access.is_own_form(&sent_by(&Session::fresh()), &token));
    assert!(!access.is_own_form(&HeaderMap::new(), &token));
    assert!(!access.is_own_form(&sent_by(&session), ""));
    assert!(!Access::for_everybody().is_own_form(&sent_by(&session), &token));
}

#[test]
fn guessing_is_slow_and_so_are_writes() {
    let access = Access::with_token("open sesame");
    let session = Session::fresh();
    for _ in 0..5 {
        assert_eq!(access.log_in(&session, "guess", now()), Login::Wrong);
    }
    assert_eq!(access.log_in(&session, "open sesame", now()), Login::TooMany);
    assert_eq!(access.log_in(&session, "open sesame", now() + 61.seconds()), Login::Right);
    assert_eq!((0..100).filter(|_| access.admits_write(now())).count(), 60);
    assert!(access.admits_write(now() + 61.seconds()));
}

#[test]
fn a_cookie_is_out_of_reach_for_scripts_and_other_sites() {
    let cookie = Session::fresh().cookie(true);
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Secure"] {
        assert!(cookie.to_str().unwrap().contains(attribute), "{attribute}");
    }
}
