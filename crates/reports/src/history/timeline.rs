//! The history of a page as one time line: its versions, and what lay between them.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::verdict::{Sight, Verdict};

use super::{FailuresEntry, HistoryView, VersionEntry, VisitEntry};

/// One item of a time line.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment<'a> {
    /// A version that people made.
    Version(&'a VersionEntry),
    /// Visits that saw nothing that people made.
    Rest(Rest<'a>),
    /// The page was found gone.
    Gone(Timestamp),
}

/// What lay between two versions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rest<'a> {
    /// Visits without a change.
    pub same: usize,
    /// When the first of them was, and the last.
    pub same_from: Option<(Timestamp, Timestamp)>,
    /// Versions that changed only around the content, or that many pages share.
    pub around: Vec<&'a VersionEntry>,
    /// Versions that changed only by noise.
    pub noise: Vec<&'a VersionEntry>,
    /// Visits that failed.
    pub failed: Option<&'a FailuresEntry>,
}

impl Rest<'_> {
    fn is_empty(&self) -> bool {
        self.same == 0 && self.around.is_empty() && self.noise.is_empty() && self.failed.is_none()
    }
}

/// What one week of a year shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Nobody visited the page.
    Nothing,
    /// It was visited, and nothing changed but what is shared or noise.
    Same,
    /// It was not read.
    Missed,
    /// It was seen for the first time.
    First,
    /// It changed by so much, from 0 to 1,000.
    Changed(u32),
    /// It was found gone.
    Gone,
}

impl Mark {
    /// Of several marks in a week, the one that is told.
    const fn rank(self) -> (u8, u32) {
        match self {
            Self::Nothing => (0, 0),
            Self::Same => (1, 0),
            Self::Missed => (2, 0),
            Self::Changed(weight) => (3, weight),
            Self::First => (4, 0),
            Self::Gone => (5, 0),
        }
    }
}

/// One week of the calendar strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Week {
    /// Its first day.
    pub begins: Date,
    /// What happened in it.
    pub mark: Mark,
    /// When that was.
    pub at: Option<Timestamp>,
    /// The version that it leads to.
    pub version: Option<usize>,
}

/// Tells whether people made this version: what is shared, around the content or noise is folded.
fn is_made(version: &VersionEntry) -> bool {
    match version.kind {
        Verdict::Touched | Verdict::Shared => false,
        _ => version.number == 1 || !matches!(version.tier, Some(Tier::Around | Tier::Noise)),
    }
}

/// Returns the time line, the newest first.
pub fn moments(view: &HistoryView) -> Vec<Moment<'_>> {
    let mut moments = Vec::new();
    let mut rest = Rest::default();
    for version in &view.versions {
        if let Some(gone) = version.gone_at {
            lay(&mut rest, &mut moments);
            moments.push(Moment::Gone(gone));
        }
        rest.failed = rest.failed.or(view.failures.iter().find(|failures| failures.after == version.number));
        let mut later = view.visits.iter().filter(|visit| saw(visit, version));
        if let Some(newest) = later.next() {
            let oldest = later.next_back().unwrap_or(newest);
            rest.same += version.visits.saturating_sub(1);
            let until = rest.same_from.map_or(newest.fetched_at, |(_, until)| until);
            rest.same_from = Some((oldest.fetched_at, until));
        }
        if is_made(version) {
            lay(&mut rest, &mut moments);
            moments.push(Moment::Version(version));
        } else if version.tier == Some(Tier::Around) || version.kind == Verdict::Shared {
            rest.around.push(version);
        } else {
            rest.noise.push(version);
        }
    }
    rest.failed = rest.failed.or(view.failures.iter().find(|failures| failures.after == 0));
    lay(&mut rest, &mut moments);
    moments
}

/// Puts what lay in between into the time line, and begins anew.
fn lay<'a>(rest: &mut Rest<'a>, moments: &mut Vec<Moment<'a>>) {
    if !rest.is_empty() {
        moments.push(Moment::Rest(std::mem::take(rest)));
    }
}

/// Tells whether a visit saw a version again.
fn saw(visit: &VisitEntry, version: &VersionEntry) -> bool {
    visit.fetched_at > version.first_seen
        && visit.fetched_at <= version.last_seen
        && !matches!(visit.kind.sight(), Sight::Nothing)
}

/// Returns the years in which the page was visited, the oldest first.
pub fn years(view: &HistoryView) -> Vec<i16> {
    let mut years: Vec<i16> = view.visits.iter().map(|visit| date(visit.fetched_at).year()).collect();
    years.sort_unstable();
    years.dedup();
    years
}

/// Returns the weeks of a year, each with what is most worth knowing of it: from the first of January, seven days each.
pub fn weeks(view: &HistoryView, year: i16) -> Vec<Week> {
    let Ok(first) = Date::new(year, 1, 1) else { return Vec::new() };
    let nothing = |number: i32| Week {
        begins: first.saturating_add((7 * i64::from(number)).days()),
        mark: Mark::Nothing,
        at: None,
        version: None,
    };
    let mut weeks: Vec<Week> = (0..53).map(nothing).collect();
    for visit in &view.visits {
        let day = date(visit.fetched_at);
        if day.year() != year {
            continue;
        }
        let found = view.versions.iter().find(|version| version.first_seen == visit.fetched_at);
        let (mark, version) = match found {
            Some(version) if version.number == 1 => (Mark::First, Some(version.number)),
            Some(version) if is_made(version) => (Mark::Changed(version.weight), Some(version.number)),
            None if view.versions.iter().any(|version| version.gone_at == Some(visit.fetched_at)) => {
                (Mark::Gone, None)
            }
            None if visit.kind.sight() == Sight::Nothing => (Mark::Missed, None),
            Some(_) | None => (Mark::Same, None),
        };
        let place = usize::from(day.day_of_year().unsigned_abs() - 1) / 7;
        if let Some(week) = weeks.get_mut(place)
            && mark.rank() > week.mark.rank()
        {
            *week = Week { mark, version, at: Some(visit.fetched_at), ..*week };
        }
    }
    weeks
}

fn date(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::record::Presence;

    use super::*;
    use crate::Frequency;

    const FREQUENCY: Frequency = Frequency {
        changes_a_day: None,
        estimated_changes_a_day: None,
        meaning: "",
        suggested_interval_hours: 0.0,
        suggested_interval_seconds: 0,
        observations: 0,
        changes: 0,
    };

    fn time(day: &str) -> Timestamp {
        format!("{day}T06:00:00Z").parse().unwrap()
    }

    fn visit(day: &str, kind: Verdict) -> VisitEntry {
        VisitEntry {
            crawl: format!("crawl-{day}").parse().unwrap(),
            kind,
            status: Some(200),
            not_modified: false,
            reason: None,
            fetched_at: time(day),
            fetch_ms: 1,
            received_bytes: 1,
            trusted: true,
        }
    }

    fn version(number: usize, days: [&str; 2], kind: Verdict, tier: Tier, visits: usize) -> VersionEntry {
        let crawl = format!("crawl-{}", days[0]).parse().unwrap();
        VersionEntry {
            url: "https://example.org/".parse().unwrap(),
            version: Some(number),
            kind,
            aspects: recrawl_core::model::aspect::Aspects::NONE,
            status: Some(200),
            from: time(days[0]),
            to: time(days[1]),
            first_crawl: crawl,
            last_crawl: crawl,
            visits,
            gone_at: None,
            failures: None,
            title: None,
            location: None,
            media_type: None,
            size: None,
            semantic_hash: None,
            content_hash: None,
            frequency: FREQUENCY,
            archive: None,
            unusual: None,
            tier: Some(tier),
            weight: 400,
            words: recrawl_core::model::kind::WordCount::default(),
            went: None,
            came: None,
            number,
            crawl,
            first_seen: time(days[0]),
            last_seen: time(days[1]),
        }
    }

    fn view(versions: Vec<VersionEntry>, visits: Vec<VisitEntry>) -> HistoryView {
        HistoryView {
            site: "a".parse().unwrap(),
            url: "https://example.org/".parse().unwrap(),
            title: None,
            presence: Presence::Present,
            first_seen: time("2026-01-05"),
            last_changed: None,
            frequency: FREQUENCY,
            versions,
            failures: Vec::new(),
            visits,
        }
    }

    #[test]
    fn what_is_shared_or_noise_and_what_did_not_change_is_one_rest_between_versions() {
        let days = ["2026-01-05", "2026-01-12", "2026-01-19", "2026-01-26", "2026-02-02", "2026-02-09"];
        let kinds = [
            Verdict::New,
            Verdict::Unchanged,
            Verdict::Touched,
            Verdict::Unchanged,
            Verdict::Changed,
            Verdict::Unchanged,
        ];
        let visits = days.iter().zip(kinds).rev().map(|(day, kind)| visit(day, kind)).collect();
        let view = view(
            vec![
                version(3, [days[4], days[5]], Verdict::Changed, Tier::Content, 2),
                version(2, [days[2], days[3]], Verdict::Touched, Tier::Noise, 2),
                version(1, [days[0], days[1]], Verdict::New, Tier::Content, 2),
            ],
            visits,
        );
        let told: Vec<String> = moments(&view)
            .iter()
            .map(|moment| match moment {
                Moment::Version(version) => format!("version {}", version.number),
                Moment::Rest(rest) => format!("{} same, {} noise", rest.same, rest.noise.len()),
                Moment::Gone(_) => "gone".to_owned(),
            })
            .collect();
        assert_eq!(told, ["1 same, 0 noise", "version 3", "2 same, 1 noise", "version 1"]);
        let Moment::Rest(rest) = &moments(&view)[2] else { panic!("a rest lies there") };
        assert_eq!(rest.same_from, Some((time(days[1]), time(days[3]))));
        let marks: Vec<Mark> = weeks(&view, 2026).iter().map(|week| week.mark).take(7).collect();
        let same = Mark::Same;
        assert_eq!(marks, [Mark::First, same, same, same, Mark::Changed(400), same, Mark::Nothing]);
        assert_eq!(years(&view), [2026]);
    }

    #[test]
    fn a_week_tells_what_is_most_worth_knowing_of_its_days() {
        let days = ["2026-01-01", "2026-01-02", "2026-01-03"];
        let visits = vec![
            visit(days[2], Verdict::Failed),
            visit(days[1], Verdict::Changed),
            visit(days[0], Verdict::Unchanged),
        ];
        let view = view(vec![version(2, [days[1], days[1]], Verdict::Changed, Tier::Content, 1)], visits);
        let first = weeks(&view, 2026)[0];
        assert_eq!((first.mark, first.version, first.at), (Mark::Changed(400), Some(2), Some(time(days[1]))));
        assert_eq!(weeks(&view, 2025).iter().filter(|week| week.mark != Mark::Nothing).count(), 0);
    }
}
