//! Numbers, times and sizes.

use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::decide::traps::{BadPageLimit, PageLimit};
use recrawl_core::model::prices::{PriceTable, PricesError};

use super::{Bad, bad};

/// Reads requests a second as the delay between them.
pub(crate) fn rate(text: &str) -> Result<Duration, Bad> {
    if text == "unlimited" {
        return Ok(Duration::ZERO);
    }
    match text.parse::<f64>() {
        Ok(rate) if (0.000_1..=1_000.0).contains(&rate) => Ok(Duration::from_secs_f64(1.0 / rate)),
        Ok(_) | Err(_) => bad("requests a second, such as 1 or 0.5, or unlimited"),
    }
}

/// Reads a time: seconds, or with units as in `500ms` or `2m`.
pub(crate) fn seconds(text: &str) -> Result<Duration, Bad> {
    let plain =
        text.parse::<f64>().ok().filter(|seconds| (0.0..=1e9).contains(seconds)).map(Duration::from_secs_f64);
    let with_units = || text.parse::<SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    plain.or_else(with_units).map_or_else(|| bad("a time, such as 1.5, 500ms, 10m or 2h"), Ok)
}

pub(crate) fn positive_seconds(text: &str) -> Result<Duration, Bad> {
    seconds(text).and_then(|time| if time.is_zero() { bad("more than 0 seconds") } else { Ok(time) })
}

pub(crate) fn quiet(text: &str) -> Result<Duration, Bad> {
    let time = seconds(text).ok().filter(|time| *time <= Duration::from_hours(7 * 24));
    time.map_or_else(|| bad("a time of at most a week, such as 600 or 10m"), Ok)
}

/// Reads how long Pub/Sub waits for an answer: it waits no longer than ten minutes.
pub(crate) fn ack_deadline(text: &str) -> Result<Duration, Bad> {
    let allowed = Duration::from_secs(1)..=Duration::from_mins(10);
    let time = seconds(text).ok().filter(|time| allowed.contains(time));
    time.map_or_else(|| bad("a time from 1 to 600 seconds"), Ok)
}

pub(crate) fn kept_crawls(text: &str) -> Result<usize, Bad> {
    let kept = text.parse().ok().filter(|count| *count >= 2);
    kept.map_or_else(|| bad("a whole number, at least 2"), Ok)
}

pub(crate) fn prices(text: &str) -> Result<PriceTable, Bad> {
    text.parse().map_err(|error: PricesError| Bad(error.to_string()))
}

pub(crate) fn number<T: FromStr>(text: &str) -> Result<T, Bad> {
    text.parse().or_else(|_| bad("a whole number"))
}

pub(crate) fn page_limit(text: &str) -> Result<PageLimit, Bad> {
    text.parse().map_err(|error: BadPageLimit| Bad(error.to_string()))
}

pub(crate) fn budget(text: &str) -> Result<u64, Bad> {
    let requests = text.parse().ok().filter(|requests| *requests > 0);
    requests.map_or_else(|| bad("a whole number of requests, at least 1"), Ok)
}

pub(crate) fn share(text: &str) -> Result<f64, Bad> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.map_or_else(|| bad("a share from 0 to 1, such as 0.2"), Ok)
}

pub(crate) fn weight(text: &str) -> Result<f64, Bad> {
    let weight = text.parse().ok().filter(|weight| (0.0..=1e6).contains(weight));
    weight.map_or_else(|| bad("a number from 0 to 1000000"), Ok)
}

/// Reads how many points something gives towards the weight of a change.
pub(crate) fn points(text: &str) -> Result<f64, Bad> {
    let points = text.parse().ok().filter(|points| (0.0..=1_000.0).contains(points));
    points.map_or_else(|| bad("a number of points from 0 to 1000"), Ok)
}

pub(crate) fn hours(text: &str) -> Result<Duration, Bad> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.0..=87_600.0).contains(hours));
    hours.map_or_else(|| bad("a number of hours"), |hours| Ok(Duration::from_secs_f64(hours * 3_600.0)))
}

pub(crate) fn bytes(text: &str) -> Result<usize, Bad> {
    match text.parse() {
        Ok(bytes) if (1..=1 << 30).contains(&bytes) => Ok(bytes),
        Ok(_) | Err(_) => bad("a number of bytes, at most 1073741824"),
    }
}

pub(crate) fn parallel(text: &str) -> Result<u32, Bad> {
    match text.parse() {
        Ok(number) if (1..=PaceSettings::MOST_PARALLEL).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(Bad(format!("a whole number from 1 to {}", PaceSettings::MOST_PARALLEL))),
    }
}
