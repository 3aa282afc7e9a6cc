//! What differs between two versions of a page: the dear part of showing it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::words::grouped;
use recrawl_extract::HtmlExtractor;

use super::side::{Fact, facts, text_of};
use super::surroundings::{Beside, Surroundings, compare_beside};
use crate::text_diff::{Context, Difference, Limit, Line, compare_within};

/// How long a comparison may take before it gets coarse.
const LONGEST: Duration = Duration::from_millis(100);

/// How many addresses that came are listed, and how many that went.
const MOST_ADDRESSES: usize = 1_000;

/// How many characters weigh as much as a line.
const OF_A_LINE: usize = 200;

/// How two versions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ComparisonOptions {
    /// The markup is compared, and not the text.
    pub markup: bool,
    /// How much is shown around a change.
    pub context: Context,
}

/// What differs between two versions of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Comparison {
    /// What differs in text or markup; empty where there is none.
    pub difference: Difference,
    /// Status, sizes, hashes and headers of both.
    pub facts: Vec<Fact>,
    /// Links and media that came and went.
    pub beside: Vec<Beside>,
    /// What cannot be told, and why.
    pub notes: Vec<String>,
    /// The older version has a text.
    pub older_has_text: bool,
    /// The newer version has a text.
    pub newer_has_text: bool,
}

impl Comparison {
    /// Compares two versions of a page; a page that was new is compared with nothing.
    pub(crate) async fn of(
        history: &dyn History,
        reader: &(dyn Fn() -> Arc<HtmlExtractor> + Send + Sync),
        before: Option<&PageRecord>,
        after: &PageRecord,
        options: ComparisonOptions,
    ) -> Result<Self, StoreError> {
        let older_text = text_of(history, &after.site, before.and_then(PageRecord::offered_content)).await?;
        let newer_text = text_of(history, &after.site, after.offered_content()).await?;
        let mut found = Self {
            older_has_text: older_text.is_some(),
            newer_has_text: newer_text.is_some(),
            facts: facts(history, before, after).await?,
            ..Self::default()
        };
        let (older, newer) = if options.markup {
            let texts = (markup(history, before).await?, markup(history, Some(after)).await?);
            if texts.1.is_none() || (before.is_some() && texts.0.is_none()) {
                found
                    .notes
                    .push("The markup of one of the versions was not kept, or is not text.".to_owned());
            }
            texts
        } else {
            (older_text, newer_text)
        };
        if let Some(newer) = newer
            && (older.is_some() || before.is_none())
        {
            let deadline = Instant::now() + LONGEST;
            let older = older.unwrap_or_default();
            found.difference = compare_within(&older, &newer, options.context, deadline, Limit::PAGE);
        }
        if let Some(before) = before {
            let reader = reader();
            let older = Surroundings::of(history, &reader, before).await?;
            let newer = Surroundings::of(history, &reader, after).await?;
            let (beside, told) = compare_beside(&older, &newer);
            found.beside = beside;
            found.notes.extend(told);
            found.notes.extend(found.beside.iter_mut().filter_map(shorten));
        }
        Ok(found)
    }

    /// Returns how many lines there are to keep; long ones count for several.
    pub(crate) fn weight(&self) -> usize {
        let lines = self.difference.hunks.iter().flat_map(|hunk| &hunk.lines);
        let length = |line: &Line| line.pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
        let lines: usize = lines.map(|line| 1 + length(line) / OF_A_LINE).sum();
        let addresses: usize = self.beside.iter().map(|beside| beside.went.len() + beside.came.len()).sum();
        1 + lines + addresses
    }
}

/// Leaves out addresses where there are too many, and says so.
fn shorten(beside: &mut Beside) -> Option<String> {
    let all = beside.went.len() + beside.came.len();
    beside.went.truncate(MOST_ADDRESSES);
    beside.came.truncate(MOST_ADDRESSES);
    let left_out = all - beside.went.len() - beside.came.len();
    let what = &beside.what;
    (left_out > 0).then(|| {
        let left_out = grouped(left_out as u64);
        format!("Of {what} that came or went, {left_out} are not listed; `recrawl diff` lists all of them.")
    })
}

async fn markup(history: &dyn History, record: Option<&PageRecord>) -> Result<Option<String>, StoreError> {
    let Some(record) = record else { return Ok(None) };
    let Some(content) = record.offered_content() else { return Ok(None) };
    let body = history.body(&record.site, content).await?;
    let is_binary = |body: &Vec<u8>| body.iter().take(1024).any(|byte| *byte == 0);
    Ok(body.filter(|body| !is_binary(body)).map(|body| broken_at_tags(&String::from_utf8_lossy(&body))))
}

/// Puts each element on a line of its own: what a program wrote on one line could not be compared by lines.
fn broken_at_tags(markup: &str) -> String {
    let mut broken = String::with_capacity(markup.len() + markup.len() / 8);
    let mut last = ' ';
    for (place, character) in markup.char_indices() {
        let begins = markup[place + character.len_utf8()..]
            .starts_with(|next: char| next.is_ascii_alphabetic() || next == '!');
        let stands_apart = last == '>' || begins;
        if character == '<' && stands_apart {
            broken.truncate(broken.trim_end_matches([' ', '\t']).len());
            if !broken.is_empty() && !broken.ends_with('\n') {
                broken.push('\n');
            }
        }
        broken.push(character);
        last = character;
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_broken_at_tags() {
        for (markup, expected) in [
            ("<p>One</p><p>Two <b>x</b> y</p>", "<p>One</p>\n<p>Two\n<b>x</b> y</p>"),
            ("<ul>\n  <li>1 < 2</li>\n</ul>", "<ul>\n<li>1 < 2</li>\n</ul>"),
            ("no tags", "no tags"),
            ("", ""),
        ] {
            assert_eq!(broken_at_tags(markup), expected, "{markup}");
        }
    }
}
