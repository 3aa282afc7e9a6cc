use super::*;

fn raw(status: u16, body: &str) -> Raw {
    Raw { status, retry_after: None, body: body.as_bytes().to_vec() }
}

fn refused(remedy: Remedy, words: &str) -> Submission {
    Submission::Refused(Refusal { remedy, words: words.to_owned() })
}

#[test]
fn a_submission_leads_to_a_job_an_earlier_capture_or_a_refusal() {
    let at = "2018-03-26T07:03:30Z".parse().unwrap();
    let cases = [
        (r#"{"url":"http://a/","job_id":"ac58789b-f3ca"}"#, Submission::Job("ac58789b-f3ca".to_owned())),
        (r#"{"url":"http://a/","job_id":"spn2-0a"}"#, Submission::Job("spn2-0a".to_owned())),
        (
            r#"{"job_id":null,"message":"The same snapshot had been made 4 hours, 45 minutes ago. Wait."}"#,
            Submission::Earlier(None),
        ),
        (r#"{"message":"recent","timestamp":"20180326070330"}"#, Submission::Earlier(Some(at))),
        (
            r#"{"status":"error","status_ext":"error:blocked-url","message":"This URL\n is  blocked."}"#,
            refused(Remedy::Never, "blocked-url: This URL is blocked."),
        ),
        (r#"{"status_ext":"error:celery","job_id":"x"}"#, refused(Remedy::Retry, "celery")),
        (r#"{"message":"Maintenance"}"#, refused(Remedy::Retry, "Maintenance")),
        ("{}", refused(Remedy::Retry, "an answer without a job (HTTP 200)")),
        (r#"{"job_id":"../../login"}"#, refused(Remedy::Retry, "an answer without a job (HTTP 200)")),
    ];
    for (body, expected) in cases {
        assert_eq!(submission(&raw(200, body)).unwrap(), expected, "{body}");
    }
}

#[test]
fn a_job_is_pending_captured_refused_or_lost() {
    let at = "2018-03-26T07:03:30Z".parse().ok();
    let success = |at, url: Option<&str>| Progress::Captured { at, original_url: url.map(str::to_owned) };
    let refused = |remedy, words: &str| Progress::Refused(Refusal { remedy, words: words.to_owned() });
    let cases = [
        (200, r#"{"status":"pending","resources":[]}"#, Progress::Pending),
        (200, r#"{"status":null}"#, Progress::Pending),
        (
            200,
            r#"{"status":"success","timestamp":"20180326070330","original_url":"http://a/","outlinks":{}}"#,
            success(at, Some("http://a/")),
        ),
        (
            200,
            r#"{"status":"success","timestamp":"soon","original_url":"javascript:x"}"#,
            success(None, None),
        ),
        (
            200,
            r#"{"status":"error","status_ext":"error:no-access","message":"403"}"#,
            refused(Remedy::Never, "no-access: 403"),
        ),
        (200, r#"{"status":"error","exception":"x"}"#, refused(Remedy::Retry, "an error without a name")),
        (404, "", Progress::Lost),
    ];
    for (status, body, expected) in cases {
        assert_eq!(progress(&raw(status, body)).unwrap(), expected, "{body}");
    }
}

#[test]
fn the_status_counts_where_there_is_no_code() {
    let named = |status, body: &str| match submission(&raw(status, body)) {
        Err(ServiceError::KeysRefused) => "keys".to_owned(),
        Err(ServiceError::TooFast { .. }) => "too fast".to_owned(),
        Err(ServiceError::Trouble(words)) => words,
        Err(ServiceError::Unreachable(_)) => "unreachable".to_owned(),
        Ok(Submission::Refused(Refusal { remedy, .. })) => format!("{remedy:?}"),
        Ok(other) => format!("{other:?}"),
    };
    let cases = [
        (401, r#"{"message":"You need to be logged in to use Save Page Now."}"#, "keys"),
        (429, "", "too fast"),
        (429, r#"{"status_ext":"error:user-session-limit"}"#, "Pause"),
        (400, r#"{"status_ext":"error:too-many-daily-captures"}"#, "Tomorrow"),
        (400, "<html>", "Retry"),
        (500, r#"{"message":"no"}"#, "HTTP 500"),
        (502, "", "HTTP 502"),
        (520, "", "HTTP 520"),
        (403, "", "HTTP 403"),
        (302, "", "HTTP 302"),
        (200, "<html>", "an answer that is not JSON"),
    ];
    for (status, body, expected) in cases {
        assert_eq!(named(status, body), expected, "{status} {body}");
    }
}

#[test]
fn times_are_written_as_they_are_read() {
    let time = read_time("20180326070330").unwrap();
    assert_eq!(write_time(time), "20180326070330");
    for text in ["", "2018", "20181326070330", "201803260703300", "2018032607033x"] {
        assert_eq!(read_time(text), None, "{text}");
    }
}

#[test]
fn the_newest_of_several_captures_counts() {
    let body = r#"[["timestamp"],["20180326070330"],["20200326070330"],["20190326070330"]]"#;
    assert_eq!(newest_capture(&raw(200, body)), read_time("20200326070330"));
    for body in ["", "[]", r#"[["timestamp"]]"#, "<html>"] {
        assert_eq!(newest_capture(&raw(200, body)), None, "{body}");
    }
}

#[test]
fn what_strangers_say_is_one_short_line() {
    assert_eq!(one_line("a\r\n\tb\u{7} c"), "a b c");
    assert_eq!(one_line(&"ä".repeat(1000)).chars().count(), WORDS + 1);
}

#[test]
fn a_pause_is_asked_for_in_seconds_or_until_a_date() {
    // Sun, 06 Nov 1994 08:49:37 GMT
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    for (value, seconds) in [
        ("3", Some(3)),
        (" 0 ", Some(0)),
        ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
        ("Sun, 06 Nov 1994 08:49:27 GMT", None),
        ("-1", None),
        ("soon", None),
    ] {
        assert_eq!(retry_after(value, now), seconds.map(Duration::from_secs), "{value:?}");
    }
}
