//! Reads what Save Page Now answers.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use url::Url;

use crate::codes::{Remedy, remedy};
use crate::error::ServiceError;

/// As much of a message as is kept.
const WORDS: usize = 300;

/// An answer as it came over the wire.
#[derive(Debug, Clone, Default)]
pub struct Raw {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` header.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why a page was not captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What can be done about it.
    pub remedy: Remedy,
    /// What the service said, in one line.
    pub words: String,
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submission {
    /// The capture is under way as this job.
    Job(String),
    /// There is a capture that is recent enough, made at this time if the service says so.
    Earlier(Option<Timestamp>),
    /// There will be none, at least not now.
    Refused(Refusal),
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// It is under way.
    Pending,
    /// There is a capture.
    Captured {
        /// When it was made.
        at: Option<Timestamp>,
        /// What was captured, after redirects.
        original_url: Option<String>,
    },
    /// It failed.
    Refused(Refusal),
    /// The service does not know it; it forgets jobs after about an hour.
    Lost,
}

/// The fields of both answers that matter; every one may be missing or `null`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    job_id: Option<String>,
    status: Option<String>,
    status_ext: Option<String>,
    message: Option<String>,
    timestamp: Option<String>,
    original_url: Option<String>,
}

/// Reads the answer to a submission.
pub fn submission(raw: &Raw) -> Result<Submission, ServiceError> {
    let fields = fields(raw)?;
    if let Some(refusal) = fields.refusal() {
        return Ok(Submission::Refused(refusal));
    }
    if let Some(job) = fields.job_id.as_ref().filter(|job| is_plain(job)) {
        return Ok(Submission::Job(job.clone()));
    }
    let at = fields.timestamp.as_deref().and_then(read_time);
    let message = fields.message.as_deref().unwrap_or_default();
    if at.is_some() || message.contains("same snapshot had been made") {
        return Ok(Submission::Earlier(at));
    }
    let words = if message.is_empty() {
        format!("an answer without a job (HTTP {})", raw.status)
    } else {
        one_line(message)
    };
    Ok(Submission::Refused(Refusal { remedy: Remedy::Retry, words }))
}

/// Reads the answer to a question about a job.
pub fn progress(raw: &Raw) -> Result<Progress, ServiceError> {
    if raw.status == 404 {
        return Ok(Progress::Lost);
    }
    let fields = fields(raw)?;
    match fields.status.as_deref() {
        Some("success") => Ok(Progress::Captured {
            at: fields.timestamp.as_deref().and_then(read_time),
            original_url: fields.original_url.filter(|url| is_web_address(url)),
        }),
        Some("error") => {
            let unnamed = || Refusal {
                remedy: Remedy::Retry,
                words: one_line(fields.message.as_deref().unwrap_or("an error without a name")),
            };
            Ok(Progress::Refused(fields.refusal().unwrap_or_else(unnamed)))
        }
        Some(_) | None => Ok(Progress::Pending),
    }
}

/// Reads the newest timestamp of a list of captures, as the CDX server gives it in JSON.
pub fn newest_capture(raw: &Raw) -> Option<Timestamp> {
    let rows: Vec<Vec<String>> = serde_json::from_slice(&raw.body).ok()?;
    rows.iter().filter_map(|row| read_time(row.first()?)).max()
}

impl Fields {
    fn refusal(&self) -> Option<Refusal> {
        let code = self.status_ext.as_deref().filter(|code| !code.is_empty())?;
        let name = one_line(code.trim_start_matches("error:"));
        let words = match self.message.as_deref() {
            Some(message) if !message.is_empty() => format!("{name}: {}", one_line(message)),
            Some(_) | None => name,
        };
        Some(Refusal { remedy: remedy(code), words })
    }
}

fn fields(raw: &Raw) -> Result<Fields, ServiceError> {
    let read = serde_json::from_slice::<Fields>(&raw.body).ok();
    // A code says more than the status: daily limits come as 429, too.
    let has_code = read.as_ref().is_some_and(|fields| fields.refusal().is_some());
    match raw.status {
        _ if has_code => Ok(read.unwrap_or_default()),
        401 => Err(ServiceError::KeysRefused),
        429 => Err(ServiceError::TooFast { retry_after: raw.retry_after }),
        200..=299 => read.ok_or_else(|| ServiceError::Trouble("an answer that is not JSON".to_owned())),
        400 | 402 | 404..=428 | 430..=499 => Ok(read.unwrap_or_default()),
        status => Err(ServiceError::Trouble(format!("HTTP {status}"))),
    }
}

/// Reads a `Retry-After` header: seconds, or a date.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    httpdate::parse_http_date(value.trim()).ok()?.duration_since(now).ok()
}

/// Reads `20180326070330`.
pub fn read_time(text: &str) -> Option<Timestamp> {
    let time = DateTime::strptime("%Y%m%d%H%M%S", text).ok().filter(|_| text.len() == 14)?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Writes a time as the Wayback Machine does in addresses.
pub fn write_time(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// A job's name becomes part of an address and of a stored record.
fn is_plain(job: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=200).contains(&job.len()) && job.bytes().all(plain)
}

fn is_web_address(text: &str) -> bool {
    text.len() <= 4096 && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Makes what a stranger said short, and one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|character: char| character.is_whitespace() || character.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WORDS { line } else { line.chars().take(WORDS).chain(['…']).collect() }
}

#[cfg(test)]
mod tests;
