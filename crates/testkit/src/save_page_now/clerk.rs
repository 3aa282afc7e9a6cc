//! Decides what is answered, and keeps the books.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::SavePageNow;
use super::fault::Fault;

/// How much the service takes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Submissions in a window, with keys.
    pub authenticated: usize,
    /// Submissions in a window, without.
    pub anonymous: usize,
    /// The window.
    pub window: Duration,
    /// Captures of one page in a day.
    pub page_a_day: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { authenticated: 12, anonymous: 4, window: Duration::from_mins(1), page_a_day: 10 }
    }
}

impl Limits {
    /// Takes everything.
    pub const NONE: Self =
        Self { authenticated: usize::MAX, anonymous: usize::MAX, window: Duration::ZERO, page_a_day: 10 };
}

/// A submission, as the service saw it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// When it came.
    pub arrival: Instant,
    /// The page.
    pub url: String,
    /// What else was in the form.
    pub options: BTreeMap<String, String>,
    /// It came with the right keys.
    pub authenticated: bool,
    /// The HTTP status of the answer; none where there was no answer.
    pub status: Option<u16>,
}

#[derive(Debug)]
pub(super) struct Capture {
    pub(super) url: String,
    at: Timestamp,
}

#[derive(Debug)]
struct Job {
    url: String,
    looks_left: u32,
    end: End,
}

#[derive(Debug)]
enum End {
    Captured(Timestamp),
    Failed(&'static str),
    Never,
}

#[derive(Debug, Default)]
pub(super) struct Clerk {
    pub(super) limits: Limits,
    pub(super) pending: u32,
    pub(super) plans: HashMap<String, VecDeque<Fault>>,
    pub(super) everywhere: Option<Fault>,
    pub(super) is_nonsense: bool,
    pub(super) passed: Duration,
    pub(super) submissions: Vec<Asked>,
    pub(super) looks: usize,
    pub(super) captures: Vec<Capture>,
    jobs: HashMap<String, Job>,
}

/// What goes over the wire.
pub(super) enum Reply {
    Json(u16, Value),
    RetryAfter(u64),
    Page,
    Hang,
    Drop,
}

impl Clerk {
    fn now(&self) -> Timestamp {
        // The clock of the runtime may be ahead of that of the machine.
        let ahead = Instant::now().into_std().saturating_duration_since(std::time::Instant::now());
        Timestamp::now() + SignedDuration::try_from(self.passed + ahead).expect("tests pass days, not ages")
    }

    /// Takes a submission with its form and its `Authorization` header.
    pub(super) fn submit(&mut self, form: &[(String, String)], authorization: Option<&str>) -> Reply {
        let mut options: BTreeMap<String, String> = form.iter().cloned().collect();
        let url = options.remove("url").unwrap_or_default();
        let authenticated = is_right(authorization);
        let reply = self.answer(&url, &options, authorization);
        let status = match &reply {
            Reply::Json(status, _) => Some(*status),
            Reply::RetryAfter(_) => Some(429),
            Reply::Page => Some(200),
            Reply::Hang | Reply::Drop => None,
        };
        self.submissions.push(Asked { arrival: Instant::now(), url, options, authenticated, status });
        reply
    }

    fn answer(
        &mut self,
        url: &str,
        options: &BTreeMap<String, String>,
        authorization: Option<&str>,
    ) -> Reply {
        if authorization.is_some() && !is_right(authorization) {
            return Reply::Json(401, json!({"message": "You need to be logged in to use Save Page Now."}));
        }
        if self.is_over_the_limit(authorization.is_some()) {
            return Reply::Json(429, json!({"message": "Too many requests."}));
        }
        let planned = self.plans.get_mut(url).and_then(VecDeque::pop_front);
        let end = match self.everywhere.or(planned) {
            None => End::Captured(self.now()),
            Some(Fault::Job(code)) => End::Failed(code),
            Some(Fault::EndlessJob) => End::Never,
            Some(Fault::ForgottenJob) => return taken(url, "spn2-forgotten"),
            Some(Fault::Refusal(code)) => return declined(200, code),
            Some(Fault::Status(status)) => return Reply::Json(status, Value::Null),
            Some(Fault::RetryAfter(seconds)) => return Reply::RetryAfter(seconds),
            Some(Fault::Hang) => return Reply::Hang,
            Some(Fault::Drop) => return Reply::Drop,
            Some(Fault::NotJson) => return Reply::Page,
            Some(Fault::RepeatsKeys) => {
                let message = format!("you sent {}", authorization.unwrap_or("nothing"));
                return Reply::Json(200, json!({"status_ext": "error:job-failed", "message": message}));
            }
            Some(Fault::DropAfterCapture) => {
                if self.recent(url, options).is_none() {
                    self.captures.push(Capture { url: url.to_owned(), at: self.now() });
                }
                return Reply::Drop;
            }
        };
        if let End::Captured(now) = end {
            if let Some(reply) = self.recent(url, options) {
                return reply;
            }
            let day = |time: &Timestamp| time.as_second().div_euclid(86_400);
            let today = |capture: &&Capture| capture.url == url && day(&capture.at) == day(&now);
            if self.captures.iter().filter(today).count() >= self.limits.page_a_day {
                return declined(400, "error:too-many-daily-captures");
            }
            self.captures.push(Capture { url: url.to_owned(), at: now });
        }
        let name = format!("spn2-{:08x}", self.jobs.len() + 1);
        self.jobs.insert(name.clone(), Job { url: url.to_owned(), looks_left: self.pending, end });
        taken(url, &name)
    }

    /// Leads to a capture that is recent enough, or to the job that makes it.
    fn recent(&self, url: &str, options: &BTreeMap<String, String>) -> Option<Reply> {
        let window = options.get("if_not_archived_within").map_or(45 * 60, |text| seconds(text));
        let now = self.now();
        let age = |capture: &Capture| now.duration_since(capture.at).as_secs();
        let mut captures = self.captures.iter().rev();
        let capture = captures.find(|capture| capture.url == url && age(capture) <= window)?;
        let made_by =
            |job: &Job| matches!(job.end, End::Captured(at) if at == capture.at && job.looks_left > 0);
        let job = self.jobs.iter().find(|(_, job)| job.url == url && made_by(job));
        if let Some((name, _)) = job {
            return Some(taken(url, name));
        }
        let minutes = age(capture) / 60;
        let message = format!(
            "The same snapshot had been made {minutes} minutes ago. You can make new capture of this URL later."
        );
        Some(Reply::Json(200, json!({"url": url, "job_id": null, "message": message})))
    }

    fn is_over_the_limit(&self, authenticated: bool) -> bool {
        let limit = if authenticated { self.limits.authenticated } else { self.limits.anonymous };
        let counts = |asked: &&Asked| {
            asked.authenticated == authenticated && asked.arrival.elapsed() < self.limits.window
        };
        self.submissions.iter().filter(counts).count() >= limit
    }

    pub(super) fn end_jobs(&mut self) {
        for job in self.jobs.values_mut() {
            job.looks_left = 0;
        }
    }

    /// Says how far a job is.
    pub(super) fn look(&mut self, name: &str) -> Reply {
        self.looks += 1;
        match self.everywhere {
            Some(Fault::Hang) => return Reply::Hang,
            Some(Fault::Drop) => return Reply::Drop,
            Some(Fault::Status(status)) => return Reply::Json(status, Value::Null),
            Some(_) | None => {}
        }
        if self.is_nonsense {
            return Reply::Page;
        }
        let Some(job) = self.jobs.get_mut(name) else {
            return Reply::Json(404, json!({"message": "job not found"}));
        };
        if job.looks_left > 0 {
            job.looks_left -= 1;
            return Reply::Json(200, json!({"status": "pending", "job_id": name, "resources": []}));
        }
        let answer = match &job.end {
            End::Never => json!({"status": "pending", "job_id": name, "resources": []}),
            End::Captured(at) => json!({
                "status": "success", "job_id": name, "original_url": job.url, "timestamp": wayback(*at),
                "duration_sec": 6.203, "resources": [job.url], "outlinks": [],
            }),
            End::Failed(code) => json!({
                "status": "error", "job_id": name, "exception": "[Errno -2]", "status_ext": code,
                "message": "It did not work.", "resources": [],
            }),
        };
        Reply::Json(200, answer)
    }

    /// Lists the captures of a page since a time, as the CDX server does.
    pub(super) fn list(&self, url: &str, from: &str) -> Reply {
        let captures = self.captures.iter().filter(|capture| capture.url == url);
        let times = captures.map(|capture| wayback(capture.at)).filter(|time| time.as_str() >= from);
        let rows: Vec<Value> =
            std::iter::once("timestamp".to_owned()).chain(times).map(|time| json!([time])).collect();
        Reply::Json(200, if rows.len() > 1 { Value::Array(rows) } else { json!([]) })
    }
}

fn taken(url: &str, job: &str) -> Reply {
    Reply::Json(200, json!({"url": url, "job_id": job}))
}

fn declined(status: u16, code: &str) -> Reply {
    let answer = json!({"status": "error", "status_ext": code, "message": "It is not possible."});
    Reply::Json(status, answer)
}

fn is_right(authorization: Option<&str>) -> bool {
    authorization.is_some_and(|header| header.strip_prefix("LOW ") == Some(SavePageNow::KEYS))
}

fn wayback(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// Reads `120`, or `3d 5h 20m`.
fn seconds(text: &str) -> i64 {
    let part = |part: &str| {
        let (number, unit) =
            part.split_at(part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len());
        let unit = match unit {
            "d" => 86_400,
            "h" => 3_600,
            "m" => 60,
            _ => 1,
        };
        number.parse::<i64>().unwrap_or_default() * unit
    };
    text.split_whitespace().map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_in_seconds_or_has_units() {
        for (text, expected) in [("120", 120), ("3d 5h 20m", 3 * 86_400 + 5 * 3_600 + 20 * 60), ("", 0)] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
