//! A log of what was left out of a page and why: for a crawl a count and a fingerprint a rule, for people who ask all of it.

use recrawl_core::model::outline::NoiseTrace;
use xxhash_rust::xxh3::xxh3_64;

use crate::noise::NoiseRule;

/// A longer text is shortened: it is to be recognised, not to be read.
const MAX_LENGTH: usize = 200;

/// Why something does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemovalCause {
    /// A rule about noise.
    Noise(NoiseRule),
    /// The user's selector of this number.
    IgnoreSelector(usize),
    /// The user's regular expression of this number.
    IgnorePattern(usize),
    /// It stands outside of what the user limits the page to.
    Outside,
}

/// What was left out of one page: always what each noise rule removed, in short, and for people who ask all of it.
#[derive(Debug, Default)]
pub(crate) struct RemovalLog {
    /// By rule: how many pieces it removed, and the sum of their hashes.
    traces: [(u32, u32); NoiseRule::ALL.len()],
    /// The rule by which an element is being left out.
    open: Option<NoiseRule>,
    details: Option<Details>,
}

/// What was left out, in the order of the page.
#[derive(Debug, Default)]
struct Details {
    removals: Vec<(RemovalCause, String)>,
    /// The text of the element that is being left out.
    open: Option<(RemovalCause, String)>,
    outside: String,
}

impl RemovalLog {
    /// Makes a log for people.
    pub(crate) fn detailed() -> Self {
        Self { details: Some(Details::default()), ..Self::default() }
    }

    /// Makes an empty log for the same people.
    pub(crate) fn anew(&self) -> Self {
        if self.details.is_some() { Self::detailed() } else { Self::default() }
    }

    /// Logs something that was left out.
    pub(crate) fn add(&mut self, cause: RemovalCause, what: &str) {
        if let RemovalCause::Noise(rule) = cause {
            self.traces[rule as usize].0 += 1;
            self.trace(rule, what);
        }
        if let Some(details) = &mut self.details {
            details.add(cause, what);
        }
    }

    /// Logs an address of which only a part counts.
    pub(crate) fn add_reduced(&mut self, rule: NoiseRule, address: &str, counted: &str) {
        self.traces[rule as usize].0 += 1;
        self.trace(rule, address);
        if let Some(details) = &mut self.details {
            details.add(RemovalCause::Noise(rule), &format!("{address} -> {counted}"));
        }
    }

    /// An element begins that is left out as a whole.
    pub(crate) fn begin(&mut self, cause: RemovalCause) {
        if let RemovalCause::Noise(rule) = cause {
            self.traces[rule as usize].0 += 1;
            self.open = Some(rule);
        }
        if let Some(details) = &mut self.details {
            details.open = Some((cause, String::new()));
        }
    }

    /// Logs what the element says or shows.
    pub(crate) fn continue_with(&mut self, what: &str) {
        if let Some(rule) = self.open {
            self.trace(rule, what);
        }
        if let Some((_, text)) = self.details.as_mut().and_then(|details| details.open.as_mut()) {
            text.push_str(what);
            text.push(' ');
        }
    }

    /// The element ends.
    pub(crate) fn end(&mut self) {
        self.open = None;
        if let Some(details) = &mut self.details
            && let Some((cause, text)) = details.open.take()
        {
            details.add(cause, &text);
        }
    }

    /// Logs text outside of what the page is limited to.
    pub(crate) fn add_outside(&mut self, text: &str) {
        // Most of a page stands there, and only the beginning is shown.
        if let Some(details) = &mut self.details
            && details.outside.len() <= MAX_LENGTH
        {
            details.outside.extend(text.split_whitespace().flat_map(|word| [word, " "]));
        }
    }

    /// The page ends.
    pub(crate) fn finish(&mut self) {
        if let Some(details) = &mut self.details {
            let outside = std::mem::take(&mut details.outside);
            details.add(RemovalCause::Outside, &outside);
        }
    }

    /// Returns what each noise rule removed, in short.
    pub(crate) fn traces(&self) -> Vec<NoiseTrace> {
        let used = NoiseRule::ALL.into_iter().zip(self.traces).filter(|(_, (count, _))| *count > 0);
        let trace = |(rule, (count, fingerprint)): (NoiseRule, _)| NoiseTrace {
            rule: rule.name().to_owned(),
            count,
            fingerprint,
        };
        used.map(trace).collect()
    }

    /// Returns all that was left out, in the order of the page.
    pub(crate) fn into_removals(self) -> Vec<(RemovalCause, String)> {
        self.details.map(|details| details.removals).unwrap_or_default()
    }

    /// Adds a piece to the fingerprint of what a rule removed, in which their order does not count.
    fn trace(&mut self, rule: NoiseRule, what: &str) {
        let hash = xxh3_64(what.trim_ascii().as_bytes());
        let trace = &mut self.traces[rule as usize].1;
        *trace = trace.wrapping_add((hash >> 32) as u32);
    }
}

impl Details {
    fn add(&mut self, cause: RemovalCause, what: &str) {
        let what = shorten(what);
        if !what.is_empty() {
            self.removals.push((cause, what));
        }
    }
}

fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    if text.len() > MAX_LENGTH {
        text.truncate(text.floor_char_boundary(MAX_LENGTH));
        text.push('\u{2026}');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_short_and_empty_ones_are_none() {
        let mut log = RemovalLog::detailed();
        log.add(RemovalCause::Outside, " \n");
        log.begin(RemovalCause::Noise(NoiseRule::Ads));
        log.continue_with("Buy");
        log.continue_with(" now\n");
        log.end();
        log.add(RemovalCause::IgnorePattern(0), &"é".repeat(300));
        let removals = log.into_removals();
        assert_eq!(removals.len(), 2);
        assert_eq!(removals[0], (RemovalCause::Noise(NoiseRule::Ads), "Buy now".to_owned()));
        assert_eq!(removals[1].1, "é".repeat(100) + "…");
    }

    #[test]
    fn traces_tell_what_each_rule_removed_whoever_asks() {
        let traces = |mut log: RemovalLog, pieces: &[&str]| {
            log.begin(RemovalCause::Noise(NoiseRule::Ads));
            log.continue_with("Buy");
            log.end();
            log.begin(RemovalCause::IgnoreSelector(0));
            log.continue_with("not traced");
            log.end();
            for piece in pieces {
                log.add(RemovalCause::Noise(NoiseRule::Counters), piece);
            }
            log.add(RemovalCause::IgnorePattern(0), "nor this");
            log.traces()
        };
        let first = traces(RemovalLog::default(), &["7 views", "8 views"]);
        let counts: Vec<(&str, u32)> = first.iter().map(|trace| (&*trace.rule, trace.count)).collect();
        assert_eq!(counts, [("ads", 1), ("counters", 2)]);
        assert_eq!(traces(RemovalLog::detailed(), &["8 views", "7 views"]), first);
        let other = traces(RemovalLog::default(), &["7 views", "9 views"]);
        assert_eq!(other[0], first[0]);
        assert_ne!(other[1].fingerprint, first[1].fingerprint);
    }
}
