use jiff::ToSpan;

use super::*;
use crate::caller::caller;

fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn owner() -> Caller {
    caller("192.0.2.1")
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
    assert_eq!(access.log_in(&session, "open barley", owner(), now()), Login::Wrong);
    assert!(!access.admits(&headers, now()));
    assert_eq!(access.log_in(&session, "open sesame", owner(), now()), Login::Right);
    assert!(access.admits(&headers, now()));
    assert!(!access.admits(&sent_by(&Session::fresh()), now()));
    assert!(!access.admits(&headers, now() + 13.hours()));
    access.log_out(&session);
    assert!(!access.admits(&headers, now()));
}

fn sent(value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))])
}

#[test]
fn the_token_itself_is_enough_for_programs() {
    let access = Access::with_token("open sesame");
    for (value, expected) in [
        ("Bearer open sesame", Bearer::Right),
        ("bearer open sesame", Bearer::Right),
        ("BEARER   open sesame", Bearer::Right),
        ("Bearer open", Bearer::Wrong),
        ("Bearer", Bearer::Absent),
        ("Basic open sesame", Bearer::Absent),
        ("open sesame", Bearer::Absent),
    ] {
        assert_eq!(access.bearer(&sent(value), owner(), now()), expected, "{value}");
    }
    assert_eq!(Access::for_everybody().bearer(&sent("Bearer open sesame"), owner(), now()), Bearer::Wrong);
}

#[test]
fn who_guesses_much_is_told_so_and_nobody_is_locked_out() {
    let (access, stranger) = (Access::with_token("open sesame"), caller("198.51.100.7"));
    let session = Session::fresh();
    for _ in 0..10 {
        assert_eq!(access.bearer(&sent("Bearer guess"), stranger, now()), Bearer::Wrong);
    }
    assert_eq!(access.bearer(&sent("Bearer guess"), stranger, now()), Bearer::TooMany);
    assert_eq!(access.log_in(&session, "guess", stranger, now()), Login::TooMany);
    assert_eq!(access.bearer(&sent("Bearer guess"), stranger, now() + 61.seconds()), Bearer::Wrong);
    assert_eq!(access.log_in(&session, "guess", owner(), now()), Login::Wrong, "others are counted apart");
    for who in [owner(), stranger, caller("unknown")] {
        assert_eq!(access.bearer(&sent("Bearer open sesame"), who, now()), Bearer::Right);
        assert_eq!(access.log_in(&session, "open sesame", who, now()), Login::Right);
    }
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
fn writes_are_limited() {
    let access = Access::with_token("open sesame");
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
