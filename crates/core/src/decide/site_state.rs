//! Whether a site could be read, by its first page and by the figures of a crawl. A site that asks for a password or
//! sends a block page must not look like one on which nothing changed.

use super::soft_error::{ASKS_FOR_LOGIN, BLOCK_PAGES, NEEDS_SCRIPTS, REDIRECTS_TO_ITSELF, asks_for_login};
use crate::decide::certificate;
use crate::model::record::{PageRecord, Presence};
use crate::model::site_state::{Obstacle, SiteState};
use crate::model::statistics::Statistics;
use crate::model::verdict::{Sight, Verdict};
use crate::url::PageUrl;

/// The first page of a site: its root, or where that leads within the site.
#[derive(Debug, Clone, Copy)]
pub enum FirstPage<'a> {
    /// It was visited, after so many redirects.
    Visited(&'a PageRecord, u64),
    /// Its redirects lead back to one of them.
    Loop,
    /// Its redirects lead out of the site, to this address. So many of them are no news.
    Outside(&'a str, u64),
    /// It was not visited, because the host does not answer, for this reason.
    Silent(&'a str),
    /// It was not visited, for a reason that says nothing of the site.
    NotVisited,
}

/// Says why the site of this root could not be read, or not all of it, if that is so.
pub fn site_state(root: &PageUrl, first: FirstPage<'_>, statistics: &Statistics) -> Option<SiteState> {
    let seen = statistics.counts.of(|verdict| verdict.sight() == Sight::There && verdict != Verdict::Moved);
    let redirects = match first {
        FirstPage::Visited(_, redirects) | FirstPage::Outside(_, redirects) => redirects,
        FirstPage::Loop | FirstPage::Silent(_) | FirstPage::NotVisited => 0,
    };
    let answered = seen.saturating_sub(redirects);
    let read = answered.saturating_sub(statistics.script_pages);
    let of_first = match first {
        FirstPage::Visited(record, _) => of_record(root, record, statistics),
        FirstPage::Loop => Some(Obstacle::CookieWall),
        FirstPage::Outside(location, _) => Some(Obstacle::RootElsewhere { location: location.to_owned() }),
        FirstPage::Silent(reason) => Some(unreachable(root, reason)),
        FirstPage::NotVisited => None,
    };
    let read = match first {
        FirstPage::Loop => 0,
        _ => read,
    };
    let scripts = statistics.script_pages + statistics.lost_to_scripts;
    let of = answered + statistics.lost_to_scripts;
    let obstacle = match of_first {
        Some(obstacle) => obstacle,
        None if 2 * scripts > of => Obstacle::NeedsScripts { pages: scripts, of },
        None => return None,
    };
    Some(SiteState { obstacle, read })
}

/// Says what keeps Recrawl from reading the first page, if anything does.
fn of_record(root: &PageUrl, record: &PageRecord, statistics: &Statistics) -> Option<Obstacle> {
    let visit = &record.visit;
    let reason = visit.reason.as_deref().unwrap_or_default();
    let absent = match (visit.status, record.known.presence) {
        (Some(status @ (404 | 410)), _) => Some(status),
        (_, Presence::Gone) => Some(404),
        (_, Presence::GoneForGood) => Some(410),
        _ => None,
    };
    if let Some(status) = absent {
        return Some(Obstacle::RootMissing { status });
    }
    let (pages, of) = (statistics.kept_out, statistics.asked());
    match visit.verdict {
        Verdict::Excluded => {
            let rule = reason.strip_prefix("robots.txt: ")?;
            Some(Obstacle::ForbiddenByRobots { rule: rule.to_owned() })
        }
        Verdict::Failed => Some(match visit.status {
            Some(status @ 401) => Obstacle::NeedsPassword { status },
            Some(status @ (403 | 451)) => Obstacle::Forbidden { status, pages, of },
            status => {
                if let Some(target) = reason.strip_prefix(ASKS_FOR_LOGIN) {
                    Obstacle::Login { at: place(root, target) }
                } else if reason == REDIRECTS_TO_ITSELF {
                    Obstacle::CookieWall
                } else if reason == NEEDS_SCRIPTS {
                    let of = statistics.counts.of(|verdict| verdict.sight() == Sight::There)
                        + statistics.lost_to_scripts;
                    Obstacle::NeedsScripts { pages: statistics.script_pages + statistics.lost_to_scripts, of }
                } else if is_block_page(reason) {
                    Obstacle::BlockPage { what: reason.to_owned(), pages, of }
                } else if status.is_none() && !visit.is_stumble() {
                    unreachable(root, reason)
                } else {
                    Obstacle::Unreadable { reason: reason.to_owned() }
                }
            }
        }),
        _ if record.needs_scripts() => {
            let of = statistics.counts.of(|verdict| verdict.sight() == Sight::There);
            Some(Obstacle::NeedsScripts { pages: statistics.script_pages, of })
        }
        _ => None,
    }
}

/// What the first page answered, where nobody crawls the site yet.
#[derive(Debug, Clone, Copy, Default)]
pub struct FirstAnswer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// Where it redirects.
    pub target: Option<&'a PageUrl>,
    /// That is outside the site.
    pub leads_outside: bool,
    /// What a firewall sent in its place, in words.
    pub block_page: Option<&'a str>,
    /// It has next to no text without JavaScript.
    pub needs_scripts: bool,
}

/// Says by the answer of its first page why a site cannot be read, if that is so.
pub fn state_of_answer(root: &PageUrl, answer: &FirstAnswer<'_>) -> Option<SiteState> {
    let FirstAnswer { status, target, leads_outside, block_page, needs_scripts } = *answer;
    let (pages, of) = (1, 1);
    let obstacle = match (status, target) {
        (401, _) => Obstacle::NeedsPassword { status },
        (403 | 451, _) => Obstacle::Forbidden { status, pages, of },
        (404 | 410, _) => Obstacle::RootMissing { status },
        (400.., _) => Obstacle::Unreadable { reason: format!("status {status}") },
        (_, Some(target)) if target == root => Obstacle::CookieWall,
        (_, Some(target)) if asks_for_login(target) && !asks_for_login(root) => {
            Obstacle::Login { at: place(root, target.as_str()) }
        }
        (_, Some(target)) if leads_outside => {
            Obstacle::RootElsewhere { location: target.as_str().to_owned() }
        }
        (_, Some(_)) => return None,
        (_, None) => match block_page {
            Some(what) if is_block_page(what) => Obstacle::BlockPage { what: what.to_owned(), pages, of },
            Some(reason) => Obstacle::Unreadable { reason: reason.to_owned() },
            None if needs_scripts => Obstacle::NeedsScripts { pages, of },
            None => return None,
        },
    };
    Some(SiteState { obstacle, read: 0 })
}

/// Tells whether a visit failed because a firewall answered in place of the page.
pub fn is_block_page(reason: &str) -> bool {
    BLOCK_PAGES.iter().any(|page| reason.starts_with(page))
}

/// Says in few words why a host does not answer, given what the client said.
pub fn silence(reason: &str) -> &str {
    let reason = reason.strip_prefix("no answer: ").unwrap_or(reason);
    let lower = reason.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if says(&["connection refused"]) {
        "connection refused"
    } else if says(&["failed to lookup", "name or service not known", "no such host", "dns error"]) {
        "its name cannot be found"
    } else if says(&["in time", "timed out", "sends nothing", "no whole answer within"]) {
        "no answer in time"
    } else if says(&["certificate"]) {
        "its certificate is not valid"
    } else {
        reason
    }
}

/// Returns what keeps Recrawl from reading a site that does not answer, given what the client said.
pub fn unreachable(root: &PageUrl, reason: &str) -> Obstacle {
    if let Some(reason) = certificate::change_in(reason) {
        return Obstacle::CertificateChanged { reason: reason.to_owned() };
    }
    Obstacle::Unreachable { host: root.authority().to_owned(), reason: silence(reason).to_owned() }
}

/// Returns an address without its query, and without the host where that is the one of the site.
fn place(root: &PageUrl, target: &str) -> String {
    let target = target.split('?').next().unwrap_or(target);
    match target.parse::<PageUrl>() {
        Ok(page) if page.host_key() == root.host_key() => page.path().to_owned(),
        _ => target.to_owned(),
    }
}

#[cfg(test)]
mod tests;
