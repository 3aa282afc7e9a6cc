//! When a site is crawled by itself.

use recrawl_schedule::{Schedule, ScheduleError};

use super::layers::Layers;
use super::values::{self, Bad};

/// When a site is crawled by itself: as it was written, and as it is understood.
#[derive(Debug, Clone)]
pub(crate) struct Timetable {
    pub(crate) cron: String,
    pub(crate) time_zone: String,
    pub(crate) schedule: Schedule,
}

impl Layers {
    /// Reads when the site is crawled by itself.
    pub(super) fn timetable(&self, problems: &mut Vec<String>) -> Option<Timetable> {
        let time_zone = self.one("time-zone", "UTC".to_owned(), time_zone, problems);
        let cron = self.one("schedule", None, |text| values::some(text, cron), problems)?;
        // Each was found to be good by itself; a bad one is named already.
        let schedule = Schedule::new(&cron, &time_zone).ok()?;
        Some(Timetable { cron, time_zone, schedule })
    }
}

fn cron(text: &str) -> Result<String, Bad> {
    match Schedule::new(text, "UTC") {
        Ok(_) => Ok(text.to_owned()),
        Err(ScheduleError::Never(_)) => Err(Bad("a time that comes".to_owned())),
        Err(ScheduleError::Expression { .. } | ScheduleError::Zone(_)) => {
            Err(Bad("a cron expression of five fields, like \"0 3 * * 1\" for Mondays at 3:00, or none"
                .to_owned()))
        }
    }
}

fn time_zone(text: &str) -> Result<String, Bad> {
    match Schedule::new("0 0 * * *", text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(Bad("a time zone, like UTC or America/Los_Angeles".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::settings::{SettingsArguments, SettingsFile};

    fn read(cron: Option<&str>, zone: Option<&str>) -> (Option<Timetable>, Vec<String>) {
        let set = [("RECRAWL_SCHEDULE", cron), ("RECRAWL_TIME_ZONE", zone)];
        let set = set.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let environment: HashMap<String, String> = set.collect();
        let (arguments, file) = (SettingsArguments::default(), SettingsFile::default());
        let mut problems = Vec::new();
        let timetable = Layers::new(&arguments, &environment, &file, None).timetable(&mut problems);
        (timetable, problems)
    }

    #[test]
    fn a_schedule_is_read_in_its_time_zone() {
        for (cron, zone, expected) in [
            (None, None, None),
            (None, Some("Europe/Berlin"), None),
            (Some("none"), None, None),
            (Some("0 3 * * 1"), None, Some("2026-11-16T03:00:00Z")),
            (Some("0 3 * * 1"), Some("America/Los_Angeles"), Some("2026-11-16T11:00:00Z")),
        ] {
            let (timetable, problems) = read(cron, zone);
            let sunday = "2026-11-15T12:00:00Z".parse().unwrap();
            let next = timetable.and_then(|timetable| timetable.schedule.next_run(sunday));
            assert_eq!(next.map(|next| next.to_string()).as_deref(), expected, "{cron:?} {zone:?}");
            assert_eq!(problems, Vec::<String>::new());
        }
    }

    #[test]
    fn a_bad_schedule_is_named_with_what_it_must_be() {
        for (cron, zone, expected) in [
            ("every monday", "UTC", "schedule must be a cron expression of five fields"),
            ("0 0 3 * * 1", "UTC", "schedule must be a cron expression of five fields"),
            ("0 0 30 2 *", "UTC", "schedule must be a time that comes"),
            ("0 3 * * 1", "Mars/Olympus_Mons", "time-zone must be a time zone"),
        ] {
            let (timetable, problems) = read(Some(cron), Some(zone));
            assert!(timetable.is_none() || zone != "UTC", "{cron} {zone}");
            assert!(problems.len() == 1 && problems[0].contains(expected), "{cron} {zone}: {problems:?}");
        }
    }
}
