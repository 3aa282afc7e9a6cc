//! Noise in lines of canonical text.

use recrawl_core::model::content::Unreadable;
use regex::Regex;

use crate::budget::WorkBudget;
use crate::fast::{LikelyKinds, SuspectLines};
use crate::html::removal_log::{RemovalCause, RemovalLog};
use crate::html::text::tidy;
use crate::noise::{BARS, NoiseRuleSet, Removes, TEXT_KINDS, TextKind, TextRule};

/// What is longer says more than when a page was made or how often it was read.
const MAX_PART: usize = 1_000;

/// Removes what `rules` call noise from canonical text, which stays canonical.
pub(crate) fn remove_noise(
    text: String,
    rules: NoiseRuleSet,
    mut removals: Option<&mut RemovalLog>,
    budget: &WorkBudget,
) -> Result<String, Unreadable> {
    let mut cleaned = String::new();
    let mut copied = 0;
    for (start, end) in SuspectLines::of(&text) {
        if let Some(line) = clean_line(&text[start..end], rules, removals.as_deref_mut(), budget)? {
            cleaned.push_str(&text[copied..start]);
            cleaned.push_str(&line);
            // A line that became empty takes its line end with it.
            copied = if line.is_empty() { text.len().min(end + 1) } else { end };
        }
    }
    if copied == 0 {
        return Ok(text);
    }
    cleaned.push_str(&text[copied..]);
    cleaned.truncate(cleaned.trim_end_matches('\n').len());
    Ok(cleaned)
}

/// Removes noise from one line; `None` if there is none.
fn clean_line(
    line: &str,
    rules: NoiseRuleSet,
    mut removals: Option<&mut RemovalLog>,
    budget: &WorkBudget,
) -> Result<Option<String>, Unreadable> {
    let mut cleaned: Option<String> = None;
    let mut likely = LikelyKinds::of(line);
    for (at, TextKind { rule, text, pattern }) in TEXT_KINDS.iter().enumerate() {
        if !rules.contains(*rule) || !likely.contains(at) {
            continue;
        }
        let current = cleaned.as_deref().unwrap_or(line);
        budget.work_on(current)?;
        let log = |removed: &str| {
            if let Some(removals) = &mut removals {
                removals.add(RemovalCause::Noise(*rule), removed);
            }
        };
        let changed = match text.removes {
            Removes::Match => without_matches(current, text, pattern, log),
            Removes::Part => {
                let is_noise = |part: &str| {
                    budget.work_on(part)?;
                    Ok(part.len() <= MAX_PART && pattern.is_match(part) && !text.spares(part))
                };
                without_parts(current, is_noise, log)?
            }
        };
        if let Some(changed) = changed {
            likely = LikelyKinds::of(&changed);
            cleaned = Some(changed);
        }
    }
    Ok(cleaned.map(|cleaned| tidy(&cleaned)))
}

/// Returns the line without what the pattern matches, but for what is kept of it; `None` if nothing is removed.
fn without_matches(
    line: &str,
    in_text: &TextRule,
    pattern: &Regex,
    mut log: impl FnMut(&str),
) -> Option<String> {
    let mut kept = String::new();
    let mut copied = None;
    for found in pattern.captures_iter(line) {
        let whole = found.get_match();
        if in_text.spares(whole.as_str()) {
            continue;
        }
        log(whole.as_str());
        kept.push_str(&line[copied.unwrap_or_default()..whole.start()]);
        for group in ["keep", "rest"] {
            kept.push_str(found.name(group).map_or("", |group| group.as_str()));
        }
        copied = Some(whole.end());
    }
    kept.push_str(&line[copied?..]);
    Some(kept)
}

/// Returns the line without the parts between bars that are noise; `None` if none is.
fn without_parts(
    line: &str,
    is_noise: impl Fn(&str) -> Result<bool, Unreadable>,
    mut log: impl FnMut(&str),
) -> Result<Option<String>, Unreadable> {
    let mut kept = String::new();
    let mut has_noise = false;
    let mut bar = None;
    for piece in line.split_inclusive(BARS) {
        let part = piece.trim_end_matches(BARS);
        let next_bar = piece.strip_prefix(part).and_then(|bars| bars.chars().next());
        let part = part.trim();
        if is_noise(part)? {
            log(part);
            has_noise = true;
        } else {
            if let Some(bar) = bar.filter(|_| !kept.is_empty()) {
                kept.extend([' ', bar, ' ']);
            }
            kept.push_str(part);
        }
        bar = next_bar;
    }
    Ok(has_noise.then_some(kept))
}
