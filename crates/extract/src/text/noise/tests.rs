use super::NoiseRule;
use crate::budget::WorkBudget;
use crate::text::{TextRules, TextSettings};

fn clean(rules: &[NoiseRule], text: &str) -> String {
    let settings = TextSettings { noise_rules: rules.iter().copied().collect(), ..Default::default() };
    TextRules::new(&settings)
        .expect("valid settings")
        .clean(text.to_owned(), None, &WorkBudget::for_page())
        .unwrap()
}

#[track_caller]
fn assert_cleans(rule: NoiseRule, cases: &[(&str, &str)]) {
    let others: Vec<_> = NoiseRule::ALL.into_iter().filter(|other| *other != rule).collect();
    for (text, expected) in cases {
        assert_eq!(clean(&[rule], text), *expected, "{text}");
        assert_eq!(clean(&others, text), *text, "only {rule} touches it: {text}");
    }
}

#[track_caller]
fn assert_keeps(cases: &[&str]) {
    for text in cases {
        assert_eq!(clean(&NoiseRule::ALL, text), *text);
    }
}

#[test]
fn relative_times_vanish() {
    assert_cleans(
        NoiseRule::RelativeTimes,
        &[
            ("Updated 5 minutes ago by Ann", "Updated by Ann"),
            ("Updated about an hour ago", "Updated"),
            ("1 year, 3 months ago", ""),
            ("2 hours and 5 mins ago | 3 comments", "| 3 comments"),
            ("News\n3 days ago\nMore", "News\nMore"),
            ("Posted just now", "Posted"),
            ("Last updated: yesterday", "Last updated:"),
            ("JUST NOW", ""),
            ("A few moments ago", ""),
        ],
    );
}

#[test]
fn lines_that_become_empty_vanish_wherever_they_stand() {
    assert_cleans(
        NoiseRule::RelativeTimes,
        &[
            ("1 day ago", ""),
            ("1 day ago\nx", "x"),
            ("x\n1 day ago", "x"),
            ("x\n1 day ago\ny\n2 days ago\n3 days ago\nz", "x\ny\nz"),
            ("1 day ago\n2 days ago", ""),
            ("Chicago\n1 day ago 2 days ago x\nyesterday", "Chicago\nx"),
        ],
    );
}

#[test]
fn prose_and_absolute_times_stay() {
    assert_keeps(&[
        "We have just now opened the bridge",
        "The mayor said yesterday that the road is closed",
        "Open today",
        "Posted on March 3, 2024 at 5:30 pm",
        "5 minutes away",
        "It was two weeks ago",
        "Chicago 5 minutes",
        "Founded 1851 years",
        "2024-03-03T10:00:00Z",
        "30 minutes",
    ]);
}

#[test]
fn generation_times_vanish() {
    assert_cleans(
        NoiseRule::GenerationTimes,
        &[
            ("Page generated in 0.123 seconds.", "."),
            ("Page was rendered in 3 seconds", ""),
            ("Generated in 12 ms with 5 queries", "with 5 queries"),
            ("Execution time: 0,05 s", ""),
            ("Page load time 250ms", ""),
        ],
    );
}

#[test]
fn other_durations_stay() {
    assert_keeps(&[
        "Trucks are loaded in 30 seconds",
        "Built in 1931",
        "Page 3 of 12",
        "Generated in 2024",
        "Response time: 5 minutes",
        "Walk signal time: 12 seconds",
    ]);
}

#[test]
fn times_at_which_a_page_was_made_vanish() {
    assert_cleans(
        NoiseRule::BuildTimes,
        &[
            ("Build 2026-11-16 04:12:33", ""),
            ("Build time: 2026-11-16T04:12:33Z", ""),
            ("Generated on Mon, 16 Nov 2026 04:12:33 GMT by Hugo 0.120", ""),
            ("Generated on Mon Nov 16 2026 04:12:33 for Street Data by doxygen 1.9.1", ""),
            ("Page last generated: November 16, 2026", ""),
            ("This page was generated on 11/16/2026 at 4:12 AM.", ""),
            ("Page generated at 04:12", ""),
            ("This page was cached on Monday", ""),
            ("Current time: Monday", ""),
            ("Rendered at 12:31:05", ""),
            ("Cached on 16-Nov-2026 04:12", ""),
            ("Last cached: 2026-11-16 04:12 UTC", ""),
            ("Served by web-03 at 12:33", ""),
            ("Current time: 12:33 PM", ""),
            ("The current date and time: Monday, 16 November 2026 12:33", ""),
            ("Server time: 12:33:05", ""),
            ("It is currently Mon Nov 16, 2026 4:12 am", ""),
            ("Today is Monday, November 16, 2026", ""),
            ("Today\u{2019}s date: 11/16/2026", ""),
            ("City of Portland | Rendered at 12:31 | Contact", "City of Portland | Contact"),
        ],
    );
}

#[test]
fn times_at_which_something_happened_stay() {
    assert_keeps(&[
        "Last updated: November 16, 2026",
        "Last updated: 2026-11-16 04:12:33",
        "Updated on Mon, 16 Nov 2026 04:12:33 GMT",
        "Published November 16, 2026 at 4:12 am",
        "Monday, November 16, 2026",
        "Meeting on November 16, 2026 at 12:33",
        "Built on May 1, 1931",
        "Built: 1931",
        "Compiled on 16 November 2026",
        "Generated on November 16, 2026",
        "Energy generated on Monday 16 November 2026 04:12 was sold",
        "Build a bridge at 12:33",
        "Lunch is served at 12:30",
        "Served by Ann at 12:30",
        "Served at 12:30",
        "Today is the deadline",
        "Today is Monday Market at 12:30 in the park",
        "Today is your day",
        "Local time: 7:00 PM",
        "Current time limit: 2 hours",
        "Current time zone",
        "It is currently 65 degrees",
        "The time is now",
        "Build 1042",
        "Today: 9:00 am - 5:00 pm",
    ]);
}

#[test]
fn counters_vanish() {
    assert_cleans(
        NoiseRule::Counters,
        &[
            ("1,234 views", ""),
            ("12.3K views", ""),
            ("1 234 567 page views", ""),
            ("Visitors: 12345", ""),
            ("Hits: 3", ""),
            ("Page views: 1.234", ""),
            ("Page views 1234", ""),
            ("Downloads: 99", ""),
            ("You are visitor number 5", ""),
            ("You are visitor #00012345", ""),
            ("You are the 1,234th visitor since May 2004", ""),
            ("Viewed 33 times", ""),
            ("This page has been accessed 12,345 times.", ""),
            ("12 users online", ""),
            ("There are currently 0 users and 5 guests online.", ""),
            ("Users online: 12", ""),
            ("3 people are viewing this page", ""),
            ("By Ann | 1,234 views | 3 comments", "By Ann | 3 comments"),
            ("33 views \u{b7} 5 comments", "5 comments"),
            ("Road closed\n5 views\nuntil May", "Road closed\nuntil May"),
        ],
    );
}

#[test]
fn other_numbers_stay() {
    assert_keeps(&[
        "5 comments",
        "Population: 650,000",
        "Page 3 of 12",
        "1,234 people visited the park",
        "1,234 visitors came to the fair",
        "The tower has 3 views of the river",
        "Views: of the council",
        "3 hits",
        "5 visits",
        "The bridge was viewed 33 times by inspectors",
        "Viewed from the east 3 times",
        "12 people were hurt",
        "Online courses: 12",
        "Register online: 503-823-4000",
        "Downloads: see below",
        "View 12 of 30",
        "Visitor center: 5 pm",
        "Visitor parking 12",
        "Read 3 times daily",
        "Open 12 times a year",
    ]);
}

#[test]
fn leaked_code_of_monitoring_vanishes() {
    assert_cleans(
        NoiseRule::Monitoring,
        &[
            ("x\nwindow.NREUM||(NREUM={});NREUM.info={\"queueTime\":3}\ny", "x\ny"),
            (";window.NREUM||(NREUM={})", ""),
            ("NREUM.info = {\"agent\":\"\",\"applicationTime\":91}", ""),
            ("window.dataLayer = window.dataLayer || []; dataLayer.push({'id': 'a1'})", ""),
            ("(function(w,d,s,l,i){w[l]=w[l]||[];})(window,document,'script','dataLayer','GTM-1')", ""),
        ],
    );
    assert_keeps(&[
        "What window.NREUM is for",
        "Push to the dataLayer with dataLayer.push(5)",
        "gtag('config', 'G-1')",
    ]);
}

#[test]
fn view_ids_vanish() {
    let id = "0123456789abcdef".repeat(4);
    let form = "aB3_-".repeat(8) + "xyz";
    assert_cleans(
        NoiseRule::ViewIds,
        &[
            (&format!("view view-dom-id-{} end", &id[..32]), "view end"),
            (&format!("js-view-dom-id-{id}"), ""),
            (&format!("id form-{form} end"), "id end"),
            (&format!("[value=form-{form}]"), "[value=]"),
            (&format!("form-{form}"), ""),
        ],
    );
    assert_keeps(&["view-dom-id-12", "form-item", &format!("form-{form}long")]);
}

#[test]
fn rules_are_known_by_name() {
    for rule in NoiseRule::ALL {
        assert_eq!(rule.name().parse(), Ok(rule));
        assert_eq!(rule.to_string(), rule.name());
    }
    let error = "all".parse::<NoiseRule>().expect_err("no such rule");
    for rule in NoiseRule::ALL {
        assert!(error.to_string().contains(rule.name()), "{error}");
    }
}
