use jiff::Timestamp;
use recrawl_core::model::aspect::Aspect;

use super::*;
use crate::settings::WantedKind;
use recrawl_core::model::kind::Kind;
use recrawl_reports::BriefDifference;
use recrawl_reports::changes::EditTexts;

fn page(path: &str, kind: Verdict) -> ChangeEntry {
    let url = format!("https://example.org{path}").parse().unwrap();
    ChangeEntry::bare("crawl-2026-11-16".parse().unwrap(), url, kind)
}

fn changed(path: &str, aspects: Aspects, brief: &str) -> ChangeEntry {
    let difference = (!brief.is_empty()).then(|| BriefDifference::new(brief.to_owned()));
    ChangeEntry { aspects, difference, ..page(path, Verdict::Changed) }
}

fn digest() -> Digest {
    let changes = vec![
        page("/news/new", Verdict::New),
        changed("/news/little", Aspects::TEXT, "-12 pm\n+1 pm"),
        changed("/news/much", Aspects::TEXT, "+A whole new paragraph"),
        changed("/about", Aspects::TEXT.with(Aspect::Links), "-a\n+b"),
        changed("/pictures", Aspects::NONE.with(Aspect::Media), ""),
        page("/news/gone", Verdict::Gone),
    ];
    Digest { is_test: false, changes, ..Digest::made_up(Timestamp::UNIX_EPOCH) }
}

fn told(settings: SelectionSettings, digest: &Digest) -> String {
    match Selection::new(settings).unwrap().notification(digest, None) {
        Ok(notification) => {
            notification.changes().map(|(_, change)| change.url.path()).collect::<Vec<_>>().join(" ")
        }
        Err(silence) => silence.to_string(),
    }
}

fn list(patterns: &[&str]) -> Vec<String> {
    patterns.iter().map(ToString::to_string).collect()
}

#[test]
fn a_target_hears_of_what_its_settings_pick() {
    let base = SelectionSettings::default;
    for (settings, expected) in [
        (base(), "/news/new /news/little /news/much /about /pictures /news/gone"),
        (
            SelectionSettings {
                kinds: vec![WantedKind::Page(Verdict::New), WantedKind::Page(Verdict::Gone)],
                ..base()
            },
            "/news/new /news/gone",
        ),
        (
            SelectionSettings { aspects: vec![Aspect::Links, Aspect::Media], ..base() },
            "/news/new /about /pictures /news/gone",
        ),
        (
            SelectionSettings { include: list(&["/about*", "https://*/pictures"]), ..base() },
            "/about /pictures",
        ),
        (SelectionSettings { exclude: list(&["/news/*"]), ..base() }, "/about /pictures"),
        (
            SelectionSettings { include: list(&["/news/*"]), exclude: list(&["*/new", "*gone"]), ..base() },
            "/news/little /news/much",
        ),
        (
            SelectionSettings { min_difference: 10, include: list(&["/news/*"]), ..base() },
            "/news/new /news/much /news/gone",
        ),
        (SelectionSettings { min_difference: 10, include: list(&["/about"]), ..base() }, "/about"),
        (SelectionSettings { include: list(&["/nowhere"]), ..base() }, "nothing that it follows changed"),
        (SelectionSettings { include: list(&["/nowhere"]), quiet: true, min_changes: 3, ..base() }, ""),
        (
            SelectionSettings {
                include: list(&["/about", "/pictures"]),
                min_changes: 3,
                quiet: true,
                ..base()
            },
            "2 changed of what it follows, and it wants 3 at least",
        ),
        (SelectionSettings { include: list(&["/about"]), min_changes: 1, ..base() }, "/about"),
        (SelectionSettings { sites: vec!["other".parse().unwrap()], ..base() }, "it is not for this site"),
        (
            SelectionSettings {
                sites: vec!["example.org".parse().unwrap()],
                include: list(&["/about"]),
                ..base()
            },
            "/about",
        ),
    ] {
        let shown = format!("{settings:?}");
        assert_eq!(told(settings, &digest()), expected, "{shown}");
    }
}

/// Returns a page that changed so, in its content unless it is said to be elsewhere.
fn edited(path: &str, kind: Kind, tier: Tier, weight: u32, went: &str, came: &str) -> ChangeEntry {
    let texts = EditTexts { went: vec![went.to_owned()], came: vec![came.to_owned()] };
    ChangeEntry {
        kinds: [kind].into_iter().collect(),
        tier: Some(tier),
        weight,
        texts: Some(Box::new(texts)),
        ..page(path, Verdict::Changed)
    }
}

#[test]
fn tier_weight_kinds_and_words_pick_too() {
    let changes = vec![
        edited("/budget", Kind::Numbers, Tier::Content, 800, "Consultants 95,000", "Consultants 195,000"),
        edited("/police", Kind::Text, Tier::Content, 600, "meets monthly", "meets behind closed doors"),
        edited("/menu", Kind::Links, Tier::Around, 100, "", "Jobs"),
        edited("/clock", Kind::Text, Tier::Noise, 0, "06:04", "06:05"),
        ChangeEntry { tier: Some(Tier::Content), weight: 500, ..page("/gone", Verdict::Gone) },
    ];
    let digest = Digest { is_test: false, changes, ..Digest::made_up(Timestamp::UNIX_EPOCH) };
    let base = SelectionSettings::default;
    let text = |text: &str| Some(text.to_owned());
    let kinds = |kinds: &[WantedKind]| SelectionSettings { kinds: kinds.to_vec(), ..base() };
    for (settings, expected) in [
        (base(), "/budget /police /gone"),
        (SelectionSettings { tier: Some(Tier::Around), ..base() }, "/budget /police /menu /gone"),
        (SelectionSettings { tier: Some(Tier::Noise), ..base() }, "/budget /police /menu /clock /gone"),
        (SelectionSettings { min_weight: 600, ..base() }, "/budget /police"),
        (kinds(&[WantedKind::Change(Kind::Numbers)]), "/budget"),
        (kinds(&[WantedKind::Change(Kind::Numbers), WantedKind::Page(Verdict::Gone)]), "/budget /gone"),
        // Links are around the content, so who names them means that.
        (kinds(&[WantedKind::Change(Kind::Links)]), "/menu"),
        (SelectionSettings { r#match: text("CLOSED doors|vacant"), ..base() }, "/police"),
        (SelectionSettings { match_added: text("195"), ..base() }, "/budget"),
        (SelectionSettings { match_added: text("monthly"), ..base() }, "nothing that it follows changed"),
        (SelectionSettings { match_removed: text("monthly"), ..base() }, "/police"),
        (SelectionSettings { exclude_match: text("consultants"), r#match: text("."), ..base() }, "/police"),
        (
            SelectionSettings {
                match_added: text("."),
                exclude: list(&["/police*"]),
                min_weight: 1,
                ..base()
            },
            "/budget",
        ),
    ] {
        let shown = format!("{settings:?}");
        assert_eq!(told(settings, &digest), expected, "{shown}");
    }
}

#[test]
fn a_suspect_crawl_is_warned_of_or_told_or_not() {
    let doubted = Digest { suspicion: Some("half has gone".to_owned()), ..digest() };
    for (suspect, min_changes, expected) in [
        (WhenSuspect::Warn, 100, Ok((Stage::Warning, 0))),
        (WhenSuspect::Tell, 0, Ok((Stage::Findings, 6))),
        (WhenSuspect::Skip, 0, Err(Silence::Suspect)),
    ] {
        let settings = SelectionSettings { min_changes, suspect, ..SelectionSettings::default() };
        let selection = Selection::new(settings).unwrap();
        let notification = selection.notification(&doubted, None);
        assert_eq!(
            notification.map(|notification| (notification.stage, notification.count())),
            expected,
            "{suspect:?}"
        );
    }
}

#[test]
fn a_test_reaches_every_target() {
    let test = Digest::made_up(Timestamp::UNIX_EPOCH);
    let settings = SelectionSettings {
        sites: vec!["other".parse().unwrap()],
        min_changes: 1_000,
        include: list(&["/nowhere"]),
        ..SelectionSettings::default()
    };
    let notification = Selection::new(settings).unwrap().notification(&test, None).unwrap();
    assert_eq!((notification.stage, notification.count()), (Stage::Test, test.changes.len()));
}

#[test]
fn kinds_that_are_no_change_and_bad_globs_are_refused() {
    for settings in [
        SelectionSettings {
            kinds: vec![WantedKind::Page(Verdict::New), WantedKind::Page(Verdict::Touched)],
            ..SelectionSettings::default()
        },
        SelectionSettings { include: list(&["/[a"]), ..SelectionSettings::default() },
        SelectionSettings { min_weight: 1_001, ..SelectionSettings::default() },
        SelectionSettings { r#match: Some("(".to_owned()), ..SelectionSettings::default() },
        SelectionSettings {
            exclude_match: Some("((a{100}){100}){100}".to_owned()),
            ..SelectionSettings::default()
        },
    ] {
        assert!(Selection::new(settings).is_err());
    }
}
