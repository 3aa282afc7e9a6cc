//! What the answers of a server mean for a page: a 304, a redirect, a 404, a body, an error. Pure: what it needs to know
//! beside the answers, it asks for ([`Fact`]).

mod body;
mod comparing;

use std::time::Duration;

use jiff::Timestamp;

use self::body::read_body;
pub use self::body::{Before, Facts, KnownText};
pub use self::comparing::Compared;
use super::answer::Answer;
use super::judge::{Observation, redirect_target};
use super::soft_error::{self, Examined};
use crate::changes::noise::NoiseInForce;
use crate::model::aspect::Aspects;
use crate::model::ids::{ContentHash, RulesVersion, SemanticHash};
use crate::model::policy::CrawlPolicy;
use crate::model::record::{Check, Headers, PageState, SAME_BY_HEAD};
use crate::ports::{BodyMemory, Response};
use crate::url::{PageUrl, UrlRules};

/// What the requests of a visit brought.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one a visit")]
pub enum Answers {
    /// Nothing: the server was not asked, or did not answer.
    Silence {
        /// What happened, in words.
        reason: String,
        /// What a retry says of it; `None` where another attempt would come to the same.
        retry: Option<String>,
        /// How long the request took.
        after: Duration,
    },
    /// The page is what it was, the server says.
    Unchanged {
        /// The answer.
        response: Response,
        /// The validator that is the same, where a HEAD request showed that; `None` after a 304.
        same: Option<&'static str>,
        /// What the check of it brought, where it was checked.
        check: Option<Checked>,
    },
    /// An answer of any other kind.
    Answered(Response),
}

/// What the check of an answer brought that a page is what it was.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one a visit")]
pub enum Checked {
    /// The whole page; its bytes received count those of the answer before.
    Whole(Response),
    /// No page, so nothing is refuted.
    Nothing,
}

/// Which attempt at a page it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempt {
    /// How many requests were made before.
    pub number: u32,
    /// How long they took together.
    pub spent: Duration,
}

impl Attempt {
    fn following(self, took: Duration) -> Self {
        Self { number: self.number + 1, spent: self.spent + took }
    }

    /// Tells whether a page is asked for again after this attempt, which took so long.
    fn may_follow(self, took: Duration, policy: &CrawlPolicy) -> bool {
        self.number < policy.retries && self.spent + took < policy.page_time_out
    }
}

/// What is known before the answers are read.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The page.
    pub url: &'a PageUrl,
    /// The root of the site.
    pub root: &'a PageUrl,
    /// What is known of the page.
    pub known: Option<&'a PageState>,
    /// Which attempt it was.
    pub attempt: Attempt,
    /// The rules by which whole bodies are read.
    pub rules: &'a RulesVersion,
    /// What a person set.
    pub policy: &'a CrawlPolicy,
    /// What was learnt to be noise before this crawl.
    pub noise: &'a NoiseInForce,
    /// When the visit began.
    pub now: Timestamp,
}

/// Something that must be known before it can be said what answers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The links of a stored content.
    StoredLinks(ContentHash),
    /// What the body says, as the extractor reads it.
    Body,
    /// The previous content, as the rules in force read it.
    PreviousContent,
    /// What the previous content says, as it is stored.
    PreviousReading,
    /// The text of an earlier meaning.
    Text(SemanticHash),
    /// How the host answers for pages that it does not have.
    NotFoundAnswer,
}

/// What answers mean.
#[derive(Debug)]
pub enum Interpreted {
    /// That depends on this.
    Needs(Fact),
    /// The server is in trouble; the page should be asked for again later.
    Retry {
        /// What happened, in words.
        reason: String,
        /// The attempt that comes next.
        next: Attempt,
    },
    /// This was seen of the page.
    Seen(Box<Evidence>),
    /// The page is what it was, and what it was is not stored any more.
    Lost,
}

/// What a visit saw, before it is judged.
#[derive(Debug)]
pub struct Evidence {
    /// What it comes to.
    pub observation: Observation,
    /// The headers of the answer.
    pub headers: Headers,
    /// Its status.
    pub status: Option<u16>,
    /// The answer was a 304.
    pub not_modified: bool,
    /// Whether that was checked.
    pub check: Check,
    /// Until when the server says that the answer stays fresh.
    pub fresh_until: Option<Timestamp>,
    /// The previous content was read by other rules.
    pub rebased: bool,
    /// How the body differs from the previous one, where both can be read.
    pub compared: Option<Box<Compared>>,
    /// What is to be said of the visit, in words.
    pub reason: Option<String>,
    /// Where the page leads. Stored links that were queued before are left out; links of a body may be queued already.
    pub links: Vec<PageUrl>,
    /// The body that was read is stored, as meaning this if it takes over the meaning of another.
    pub stores: Option<Stored>,
    /// When the answer came.
    pub fetched_at: Timestamp,
    /// How long the request took.
    pub fetch_ms: u32,
    /// Bytes received.
    pub received_bytes: u64,
    /// Only a part of the body was read.
    pub truncated: bool,
    /// Counts the memory of the body that was read.
    pub memory: BodyMemory,
}

/// How a body that was read is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// As it was read.
    AsRead,
    /// As meaning what the previous content meant: only the limit fell elsewhere.
    AsMeaning(SemanticHash, String),
}

impl Evidence {
    /// Nothing: the page was not asked for, by rule.
    pub fn excluded(reason: String, now: Timestamp) -> Self {
        Self { reason: Some(reason), ..Self::nothing(Observation::PassedOver, now) }
    }

    /// What was there before: nobody asked.
    pub fn presumed(reason: String, links: Vec<PageUrl>, now: Timestamp) -> Self {
        let status = Some(200);
        Self { reason: Some(reason), links, status, ..Self::nothing(Observation::Presumed, now) }
    }

    /// Nothing, for this reason: no good answer came, or Recrawl itself stumbled.
    pub fn gave_up(reason: String, now: Timestamp) -> Self {
        Self { reason: Some(reason), ..Self::nothing(Observation::NoEvidence, now) }
    }

    fn nothing(observation: Observation, now: Timestamp) -> Self {
        Self {
            observation,
            headers: Headers::default(),
            status: None,
            not_modified: false,
            check: Check::None,
            fresh_until: None,
            rebased: false,
            compared: None,
            reason: None,
            links: Vec::new(),
            stores: None,
            fetched_at: now,
            fetch_ms: 0,
            received_bytes: 0,
            truncated: false,
            memory: BodyMemory::default(),
        }
    }

    fn answered(response: &Response, observation: Observation) -> Self {
        Self {
            headers: response.headers.clone(),
            fresh_until: response.fresh_until,
            status: Some(response.status),
            fetch_ms: response.fetch_ms,
            received_bytes: response.received_bytes,
            truncated: response.truncated,
            memory: response.memory.clone(),
            ..Self::nothing(observation, response.fetched_at)
        }
    }

    fn no_evidence(response: &Response, reason: String) -> Interpreted {
        let seen = Self::answered(response, Observation::NoEvidence);
        Interpreted::seen(Self { reason: Some(reason), ..seen })
    }
}

impl Interpreted {
    fn seen(seen: Evidence) -> Self {
        Self::Seen(Box::new(seen))
    }
}

/// Says what answers mean, as far as `facts` suffice.
pub fn interpret(asked: &Asked<'_>, answers: &Answers, facts: &Facts) -> Interpreted {
    match answers {
        Answers::Silence { reason, retry, after } => match retry {
            Some(retry) if asked.attempt.may_follow(*after, asked.policy) => {
                Interpreted::Retry { reason: retry.clone(), next: asked.attempt.following(*after) }
            }
            Some(_) | None => Interpreted::seen(Evidence::gave_up(reason.clone(), asked.now)),
        },
        Answers::Unchanged { response, same, check } => {
            unchanged(asked, response, *same, check.as_ref(), facts)
        }
        Answers::Answered(response) => answered(asked, response, facts),
    }
}

fn answered(asked: &Asked<'_>, response: &Response, facts: &Facts) -> Interpreted {
    match response.answer {
        Answer::Trouble => {
            let took = Duration::from_millis(response.fetch_ms.into());
            if asked.attempt.may_follow(took, asked.policy) {
                let next = asked.attempt.following(took);
                return Interpreted::Retry { reason: response.said(), next };
            }
            let requests = asked.attempt.number + 1;
            Evidence::no_evidence(response, format!("{} to {requests} requests", response.said()))
        }
        Answer::Denied => Evidence::no_evidence(response, response.said()),
        Answer::Wants(wanted) => Interpreted::seen(Evidence {
            reason: Some(format!("{}, {}", wanted.reason(), response.said())),
            ..Evidence::answered(response, Observation::PassedOver)
        }),
        Answer::NotThePage => Evidence::no_evidence(response, oddity(response.status)),
        Answer::NotModified => {
            Evidence::no_evidence(response, "status 304 to an unconditional request".to_owned())
        }
        Answer::Absent { for_good } => {
            Interpreted::seen(Evidence::answered(response, Observation::Absent { for_good }))
        }
        Answer::Redirect => redirect(asked, response, facts),
        Answer::Content => read_body(asked, response, facts),
    }
}

fn redirect(asked: &Asked<'_>, response: &Response, facts: &Facts) -> Interpreted {
    let plain = UrlRules::keep_all_parameters();
    if let Some(target) = redirect_target(asked.url, &response.headers, &plain) {
        if target == *asked.url {
            return Evidence::no_evidence(response, soft_error::REDIRECTS_TO_ITSELF.to_owned());
        }
        match soft_error::examine_redirect(
            asked.url,
            asked.root,
            asked.known,
            &target,
            facts.not_found.as_ref(),
        ) {
            Examined::Needs(fact) => return Interpreted::Needs(fact),
            Examined::NotThePage(reason) => return Evidence::no_evidence(response, reason),
            Examined::Page => {}
        }
    }
    let target = redirect_target(asked.url, &response.headers, &asked.policy.url_rules);
    Interpreted::seen(Evidence {
        reason: target.is_none().then(|| "a redirect that leads nowhere".to_owned()),
        links: target.into_iter().collect(),
        ..Evidence::answered(response, Observation::Redirect)
    })
}

/// Says what it means that the page is what it was, and what a check of that found.
fn unchanged(
    asked: &Asked<'_>,
    response: &Response,
    same: Option<&'static str>,
    check: Option<&Checked>,
    facts: &Facts,
) -> Interpreted {
    let mut seen = Evidence {
        // Only an answer of 200 carries the validators that led here.
        status: Some(200),
        not_modified: same.is_none(),
        reason: same.map(|validator| format!("{SAME_BY_HEAD}{validator}")),
        ..Evidence::answered(response, Observation::NotModified)
    };
    let Some(stored) = asked.known.and_then(|known| known.content.as_ref()) else {
        return Interpreted::Lost;
    };
    if let Some(Checked::Whole(whole)) = check {
        match read_body(asked, whole, facts) {
            Interpreted::Seen(read) => {
                if is_changed(&read.observation) {
                    let reason = Some("the server said that nothing changed, and it had".to_owned());
                    return Interpreted::seen(Evidence { check: Check::False304, reason, ..*read });
                }
                (seen.check, seen.received_bytes) = (Check::Confirmed, whole.received_bytes);
            }
            other => return other,
        }
    }
    match facts.links_of(&stored.hash) {
        None => Interpreted::Needs(Fact::StoredLinks(stored.hash)),
        Some(None) => Interpreted::Lost,
        Some(Some(links)) => Interpreted::seen(Evidence { links: links.clone(), ..seen }),
    }
}

fn is_changed(observation: &Observation) -> bool {
    match observation {
        Observation::Content { difference, .. } => !difference.is_none_or(Aspects::is_empty),
        Observation::NotModified
        | Observation::Presumed
        | Observation::Redirect
        | Observation::Absent { .. }
        | Observation::NoEvidence
        | Observation::PassedOver => false,
    }
}

/// Returns the name of a validator that two answers have in common, if all that they carry are the same.
pub fn same_validator(before: &Headers, now: &Headers) -> Option<&'static str> {
    let validators = before.validators().filter(|before| now.validators().as_ref() == Some(before))?;
    Some(if validators.etag.is_some() { "ETag" } else { "Last-Modified" })
}

/// Returns why a success is not the page, in words.
fn oddity(status: u16) -> String {
    let why = match status {
        202 => "the answer is not ready",
        204 | 205 => "no content",
        206 => "a part of the page, and nobody asked for a part",
        _ => "not the page itself",
    };
    format!("status {status}: {why}")
}

#[cfg(test)]
mod tests;
