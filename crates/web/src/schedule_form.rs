//! A schedule as people choose it: by hand, daily, weekly, or in the words of cron.

use crate::crawl_control::Schedule;
use crate::parameters::Parameters;

/// The days of the week, from the one that cron calls 0.
pub(crate) const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// How often a site is crawled by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Often {
    /// Never: somebody starts it.
    ByHand,
    /// Every day at an hour.
    Daily,
    /// Every week, on a day, at an hour.
    Weekly,
    /// As a cron expression says.
    Cron,
}

impl Often {
    /// Every choice, in the order in which they are offered.
    pub(crate) const ALL: [Self; 4] = [Self::Weekly, Self::Daily, Self::ByHand, Self::Cron];

    /// Returns its word in forms.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::ByHand => "by-hand",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Cron => "cron",
        }
    }

    /// Returns what is shown.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::ByHand => "Only by hand",
            Self::Daily => "Every day",
            Self::Weekly => "Every week",
            Self::Cron => "By a cron expression",
        }
    }
}

/// What the fields of a schedule hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScheduleFields {
    /// How often.
    pub(crate) often: Often,
    /// The day, for every week; counted from Sunday, 0.
    pub(crate) day: usize,
    /// The hour, for every day and week.
    pub(crate) hour: usize,
    /// The cron expression.
    pub(crate) cron: String,
    /// The time zone; UTC where it is empty.
    pub(crate) time_zone: String,
    /// Nobody has chosen anything yet.
    pub(crate) is_untouched: bool,
}

impl Default for ScheduleFields {
    /// Returns what is offered first: the night to Sunday, when few look at a site.
    fn default() -> Self {
        let time_zone = "UTC".to_owned();
        Self { often: Often::ByHand, day: 0, hour: 3, cron: String::new(), time_zone, is_untouched: true }
    }
}

impl ScheduleFields {
    /// Reads what was typed; what no browser sends is as if it were not there.
    pub(crate) fn read(typed: &Parameters) -> Self {
        let usual = Self::default();
        let text = |name: &str| typed.get(name).unwrap_or_default().to_owned();
        let number =
            |name: &str, usual: usize| typed.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
        let chosen = Often::ALL.into_iter().find(|often| typed.get("often") == Some(often.word()));
        Self {
            often: chosen.unwrap_or(usual.often),
            day: number("day", usual.day),
            hour: number("hour", usual.hour),
            cron: text("cron"),
            time_zone: text("time_zone"),
            is_untouched: false,
        }
    }

    /// Returns the fields that stand for `schedule`.
    pub(crate) fn of(schedule: Option<&Schedule>) -> Self {
        let Some(schedule) = schedule else { return Self::default() };
        let fields = Self {
            cron: schedule.cron.clone(),
            time_zone: schedule.time_zone.clone(),
            is_untouched: false,
            ..Self::default()
        };
        match simple(&schedule.cron) {
            Some((hour, Some(day))) => Self { often: Often::Weekly, day, hour, ..fields },
            Some((hour, None)) => Self { often: Often::Daily, hour, ..fields },
            None => Self { often: Often::Cron, ..fields },
        }
    }

    /// Returns the schedule that the fields stand for. Whether it can be kept, the one who keeps it says.
    pub(crate) fn schedule(&self) -> Option<Schedule> {
        let hour = self.hour.min(23);
        let cron = match self.often {
            Often::ByHand => return None,
            Often::Daily => format!("0 {hour} * * *"),
            Often::Weekly => format!("0 {hour} * * {}", self.day.min(6)),
            Often::Cron => self.cron.trim().to_owned(),
        };
        let time_zone = self.time_zone.trim();
        Some(Schedule { cron, time_zone: if time_zone.is_empty() { "UTC" } else { time_zone }.to_owned() })
    }
}

/// Returns the names of time zones that are offered: places, as people know them, and UTC.
pub(crate) fn time_zones() -> Vec<String> {
    let is_offered = |name: &str| {
        let area = name.split_once('/').map(|(area, _)| area);
        name == "UTC" || area.is_some_and(|area| !["Etc", "posix", "right", "SystemV"].contains(&area))
    };
    let names = jiff::tz::db().available().map(|name| name.as_str().to_owned());
    names.filter(|name| is_offered(name)).collect()
}

/// Returns a schedule in words.
pub(crate) fn words(schedule: &Schedule) -> String {
    let zone = &schedule.time_zone;
    match simple(&schedule.cron) {
        Some((hour, Some(day))) => format!("every {} at {hour:02}:00 ({zone})", DAYS[day]),
        Some((hour, None)) => format!("every day at {hour:02}:00 ({zone})"),
        None => format!("by cron, {} ({zone})", schedule.cron),
    }
}

/// Returns hour and day of a cron expression that says no more than these.
fn simple(cron: &str) -> Option<(usize, Option<usize>)> {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    let ["0", hour, "*", "*", day] = fields[..] else { return None };
    let number = |text: &str, most: usize| text.parse().ok().filter(|number| *number <= most);
    let hour = number(hour, 23)?;
    if day == "*" { Some((hour, None)) } else { Some((hour, Some(number(day, 6)?))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_schedules_are_chosen_and_others_are_cron() {
        for (cron, often, said) in [
            ("0 3 * * 0", Often::Weekly, "every Sunday at 03:00 (UTC)"),
            ("0 23 * * 6", Often::Weekly, "every Saturday at 23:00 (UTC)"),
            ("0 4 * * *", Often::Daily, "every day at 04:00 (UTC)"),
            ("30 4 * * *", Often::Cron, "by cron, 30 4 * * * (UTC)"),
            ("0 24 * * *", Often::Cron, "by cron, 0 24 * * * (UTC)"),
            ("0 4 * * 7", Often::Cron, "by cron, 0 4 * * 7 (UTC)"),
            ("nonsense", Often::Cron, "by cron, nonsense (UTC)"),
        ] {
            let schedule = Schedule { cron: cron.to_owned(), time_zone: "UTC".to_owned() };
            let fields = ScheduleFields::of(Some(&schedule));
            assert_eq!((fields.often, words(&schedule)), (often, said.to_owned()), "{cron}");
            assert_eq!(fields.schedule(), Some(schedule), "{cron} reads back");
        }
        assert_eq!(ScheduleFields::of(None).schedule(), None);
    }

    #[test]
    fn what_a_browser_would_not_send_does_no_harm() {
        for (typed, expected) in [
            ("often=weekly&day=99&hour=99&time_zone=+", Some("0 23 * * 6")),
            ("often=weekly&day=x&hour=-1", Some("0 3 * * 0")),
            ("often=hourly", None),
            ("", None),
        ] {
            let schedule = ScheduleFields::read(&Parameters::read(typed)).schedule();
            assert_eq!(schedule.as_ref().map(|schedule| schedule.cron.as_str()), expected, "{typed}");
            assert!(schedule.is_none_or(|schedule| schedule.time_zone == "UTC"), "{typed}");
        }
    }
}
