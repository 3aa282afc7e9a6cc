//! The numbers under which words are stored. They are part of the format: none ever changes.

use recrawl_core::model::aspect::{Signature, Signatures};
use recrawl_core::model::record::{Check, FoundBy, Presence};
use recrawl_core::model::verdict::Verdict;

const PRESENCES: [Presence; 5] =
    [Presence::Unknown, Presence::Present, Presence::Redirect, Presence::Gone, Presence::GoneForGood];
const WAYS: [FoundBy; 6] =
    [FoundBy::Seed, FoundBy::Link, FoundBy::Redirect, FoundBy::Sitemap, FoundBy::Memory, FoundBy::Image];
const CHECKS: [Check; 3] = [Check::None, Check::Confirmed, Check::False304];

pub(crate) const fn of_verdict(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::New => 0,
        Verdict::Changed => 1,
        Verdict::Moved => 2,
        Verdict::Gone => 3,
        Verdict::Touched => 4,
        Verdict::Unchanged => 5,
        Verdict::Missing => 6,
        Verdict::Failed => 7,
        Verdict::Excluded => 8,
        Verdict::Shared => 9,
    }
}

pub(crate) fn verdict(code: i64) -> Option<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| of_verdict(*verdict) == code)
}

pub(crate) const fn of_presence(presence: Presence) -> i64 {
    match presence {
        Presence::Unknown => 0,
        Presence::Present => 1,
        Presence::Redirect => 2,
        Presence::Gone => 3,
        Presence::GoneForGood => 4,
    }
}

pub(crate) fn presence(code: i64) -> Option<Presence> {
    PRESENCES.into_iter().find(|presence| of_presence(*presence) == code)
}

pub(crate) const fn of_way(way: FoundBy) -> i64 {
    match way {
        FoundBy::Seed => 0,
        FoundBy::Link => 1,
        FoundBy::Redirect => 2,
        FoundBy::Sitemap => 3,
        FoundBy::Memory => 4,
        FoundBy::Image => 5,
    }
}

pub(crate) fn way(code: i64) -> Option<FoundBy> {
    WAYS.into_iter().find(|way| of_way(*way) == code)
}

pub(crate) const fn of_check(check: Check) -> i64 {
    match check {
        Check::None => 0,
        Check::Confirmed => 1,
        Check::False304 => 2,
    }
}

pub(crate) fn check(code: i64) -> Option<Check> {
    CHECKS.into_iter().find(|check| of_check(*check) == code)
}

/// Returns signatures as the database keeps them: each as the signed number with the same bits.
pub(crate) fn of_signatures(signatures: Option<Signatures>) -> [Option<i64>; 3] {
    let number = |signature: Signature| signature.0.cast_signed();
    [
        signatures.map(|all| number(all.links)),
        signatures.map(|all| number(all.media)),
        signatures.and_then(|all| all.meta).map(number),
    ]
}

pub(crate) fn signatures([links, media, meta]: [Option<i64>; 3]) -> Option<Signatures> {
    let signature = |number: i64| Signature(number.cast_unsigned());
    Some(Signatures { links: signature(links?), media: signature(media?), meta: meta.map(signature) })
}
