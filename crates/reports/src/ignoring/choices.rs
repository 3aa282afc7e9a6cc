//! The rules by which a line can be ignored, from narrow to wide.

use std::sync::Arc;

use recrawl_core::changes::shape::Shape;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::region::Region;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_extract::HtmlExtractor;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::EditedLine;
use crate::cache::Reports;

/// A rule that leaves something out of every page of a site.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum IgnoreRule {
    /// A CSS selector of elements.
    Selector(String),
    /// A regular expression of text.
    Pattern(String),
}

/// How much a rule leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wide {
    /// This line, word by word.
    Line,
    /// Lines like it, whatever their numbers are.
    Shape,
    /// An element of the page.
    Element,
    /// Everything around the content.
    Frame,
}

/// Rules that may leave a line out, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// Where the line stands.
    pub region: Region,
    /// The rules, from narrow to wide.
    pub choices: Vec<Choice>,
}

/// A rule that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Choice {
    /// How much it leaves out.
    pub wide: Wide,
    /// The rule.
    pub rule: IgnoreRule,
}

impl Reports<'_> {
    /// Returns the line of this number of what a page said, counted from 1: after a crawl, or before it.
    pub async fn edited_line(
        &self,
        site: &Site,
        url: &PageUrl,
        crawl: CrawlId,
        (came, number): (bool, usize),
    ) -> Result<Option<EditedLine>, StoreError> {
        let record = if came {
            self.history.page(&site.id, crawl, url).await?
        } else {
            self.history.latest_before(&site.id, crawl, url).await?
        };
        let Some(content) = record.and_then(|record| record.known.content) else { return Ok(None) };
        let text = self.history.text(&site.id, &content.semantic).await?.unwrap_or_default();
        let line = number.checked_sub(1).and_then(|place| text.lines().nth(place));
        let line = line.filter(|line| !line.trim().is_empty());
        Ok(line.map(|line| EditedLine { url: url.clone(), crawl, came, text: line.to_owned() }))
    }

    /// Finds rules for a line on its page, which `base` reads by the rules in force.
    pub async fn candidates(
        &self,
        site: &Site,
        line: &EditedLine,
        base: &HtmlExtractor,
    ) -> Result<Candidates, StoreError> {
        let mut found = Candidates { region: Region::Content, choices: Vec::new() };
        let Some((record, body)) = self.page_with(site, line).await? else { return Ok(found) };
        let content_type = record.known.headers.content_type.as_deref();
        let Ok(page) = base.extract(&record.url, content_type, &body) else { return Ok(found) };
        let outline = page.outline.unwrap_or_default();
        let place = page.text.lines().position(|text| text == line.text);
        if let Some(mark) = place.and_then(|place| outline.marks().nth(place)) {
            found.region = mark.region;
        }
        found.choices = patterns(&line.text);
        let selectors = base.selectors_around(content_type, &body, &line.text, 0).unwrap_or_default();
        found.choices.extend(selectors.into_iter().map(|selector| Choice {
            wide: if selector.contains(", ") { Wide::Frame } else { Wide::Element },
            rule: IgnoreRule::Selector(selector),
        }));
        Ok(found)
    }

    /// Returns those of the rules that hide the line on its own page: one that does not hides it nowhere.
    pub(super) async fn fitting_choices(
        &self,
        site: &Site,
        line: &EditedLine,
        mut tried: Vec<(Choice, Arc<HtmlExtractor>)>,
    ) -> Result<Vec<(Choice, Arc<HtmlExtractor>)>, StoreError> {
        let Some((record, body)) = self.page_with(site, line).await? else { return Ok(Vec::new()) };
        let content_type = record.known.headers.content_type.as_deref();
        tried.retain(|(_, reader)| {
            let page = reader.extract(&record.url, content_type, &body);
            page.is_ok_and(|page| !page.text.lines().any(|text| text == line.text))
        });
        Ok(tried)
    }

    /// Returns the page that says a line, with its body, where that is kept.
    async fn page_with(
        &self,
        site: &Site,
        line: &EditedLine,
    ) -> Result<Option<(PageRecord, Vec<u8>)>, StoreError> {
        let record = if line.came {
            self.history.page(&site.id, line.crawl, &line.url).await?
        } else {
            self.history.latest_before(&site.id, line.crawl, &line.url).await?
        };
        self.body_of(record).await
    }

    async fn body_of(&self, record: Option<PageRecord>) -> Result<Option<(PageRecord, Vec<u8>)>, StoreError> {
        let Some(record) = record else { return Ok(None) };
        let Some(content) = record.offered_content() else { return Ok(None) };
        let body = self.history.body(&record.site, content).await?;
        Ok(body.map(|body| (record, body)))
    }
}

/// Returns the patterns of a line: word by word, and whatever its numbers are, where it has any.
fn patterns(line: &str) -> Vec<Choice> {
    if line.trim().is_empty() {
        return Vec::new();
    }
    let exact = format!("^{}$", escaped(line));
    let alike = format!("^{}$", with_any_numbers(line));
    let mut choices = vec![Choice { wide: Wide::Line, rule: IgnoreRule::Pattern(exact.clone()) }];
    // What changes by itself is seen by its shape: numbers, dates, ids.
    if alike != exact && Shape::of(line).text != line {
        choices.push(Choice { wide: Wide::Shape, rule: IgnoreRule::Pattern(alike) });
    }
    choices
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Returns a pattern of a line in which each run of digits may be any other.
fn with_any_numbers(line: &str) -> String {
    let mut pattern = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        pattern.push_str(&escaped(&rest[..start]));
        pattern.push_str(r"\d+");
        rest = rest[start..].trim_start_matches(|character: char| character.is_ascii_digit());
    }
    pattern + &escaped(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_matched_word_by_word_or_whatever_its_numbers_are() {
        let of = |line: &str| -> Vec<String> {
            let rule = |choice: Choice| match choice.rule {
                IgnoreRule::Pattern(pattern) | IgnoreRule::Selector(pattern) => pattern,
            };
            patterns(line).into_iter().map(rule).collect()
        };
        for (line, expected) in [
            ("Jobs", vec!["^Jobs$"]),
            ("12 people (now)", vec![r"^12 people \(now\)$", r"^\d+ people \(now\)$"]),
            ("Built 2026-11-16", vec![r"^Built 2026\-11\-16$", r"^Built \d+\-\d+\-\d+$"]),
            (" ", vec![]),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}
