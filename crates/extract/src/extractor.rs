//! The reader of bodies that the crawl step uses.

use std::sync::Arc;

use recrawl_core::model::content::{Directives, Extracted, Extractor, Unreadable};
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::ports::DocumentReader;
use recrawl_core::url::{PageUrl, UrlRules};

use crate::document::SiteDocuments;
use crate::explain::Explanation;
use crate::gemtext;
use crate::html::around;
use crate::html::links::LinkUrl;
use crate::html::page::{ReadPage, is_html};
use crate::html::text::{TextRules, semantic_hash};
use crate::text_file::TextFile;

/// Reads HTML by the rules of one site, and other text line by line; everything else is judged by its bytes.
#[derive(Debug, Clone)]
pub struct HtmlExtractor {
    text_rules: TextRules,
    url_rules: UrlRules,
    obey_nofollow: bool,
    version: RulesVersion,
}

impl HtmlExtractor {
    /// Reads pages by these rules. Links marked `nofollow` are left out if that is obeyed.
    pub fn new(text_rules: TextRules, url_rules: UrlRules, obey_nofollow: bool) -> Self {
        let version = RulesVersion(text_rules.version());
        Self { text_rules, url_rules, obey_nofollow, version }
    }

    /// Reads `body` as [`extract`](Extractor::extract) does, slowly, and says what was left out and why.
    ///
    /// Returns `None` where the body is not HTML: no noise rule is about it.
    pub fn explain(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Option<Explanation>, Unreadable> {
        if !is_html(content_type, body) {
            return Ok(None);
        }
        let address = url.to_url();
        let explanation = Explanation::new(&self.text_rules, |observer, removals| {
            ReadPage::read(body, content_type, &address, &self.text_rules, observer, removals)
                .map(|page| self.extracted(page))
        });
        explanation.map(Some)
    }

    /// Returns CSS selectors that leave out the `number`th line of a page that says this, the narrowest first; none where
    /// the body is not HTML, or no element around the line has a name that stays.
    pub fn selectors_around(
        &self,
        content_type: Option<&str>,
        body: &[u8],
        line: &str,
        number: usize,
    ) -> Result<Vec<String>, Unreadable> {
        if !is_html(content_type, body) {
            return Ok(Vec::new());
        }
        around::selectors(body, content_type, &self.text_rules, line, number)
    }

    fn extracted(&self, page: ReadPage) -> Extracted {
        let followed = page.targets.into_iter().filter(|link| !(link.nofollow && self.obey_nofollow));
        let mut all_were_normal = true;
        let mut links: Vec<PageUrl> = followed
            .filter_map(|link| {
                all_were_normal &= matches!(link.address, LinkUrl::Page(_));
                link.address.into_page(&self.url_rules)
            })
            .collect();
        if !all_were_normal {
            keep_first(&mut links);
        }
        Extracted {
            semantic: SemanticHash::from(semantic_hash(&page.text)),
            rules: self.version.clone(),
            signatures: Some(page.signatures),
            title: page.title,
            language: page.language,
            canonical: page.canonical.and_then(|canonical| self.url_rules.normalise(canonical).ok()),
            links,
            text: page.text,
            outline: Some(page.outline),
            directives: Directives { noindex: page.robots.noindex, nofollow: page.robots.nofollow },
            block_page: page.block_page,
            needs_scripts: page.needs_scripts,
            breaks_off: page.breaks_off,
            cut: page.cut,
            document: None,
        }
    }
}

impl Extractor for HtmlExtractor {
    fn rules(&self) -> &RulesVersion {
        &self.version
    }

    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable> {
        if !is_html(content_type, body) {
            if gemtext::is_gemtext(content_type) {
                return gemtext::read(url, body, content_type, &self.text_rules, &self.url_rules);
            }
            return match TextFile::of(content_type, body) {
                Some(file) => file.read(body, content_type, &self.text_rules),
                None => Ok(Extracted::opaque(ContentHash::of(body))),
            };
        }
        let page = ReadPage::read_quickly(body, content_type, &url.to_url(), &self.text_rules)?;
        Ok(self.extracted(page))
    }
}

impl HtmlExtractor {
    /// Returns what reads documents by the rules of the site: `reader` their bytes.
    pub fn documents(&self, reader: Arc<dyn DocumentReader>) -> SiteDocuments {
        SiteDocuments::new(self.text_rules.clone(), self.url_rules.clone(), reader)
    }
}

/// Drops pages that stand earlier in the list: two links may become one page when normalised.
pub(crate) fn keep_first(links: &mut Vec<PageUrl>) {
    let mut seen = std::collections::HashSet::with_capacity(links.len());
    links.retain(|link| seen.insert(link.fingerprint()));
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::region::Mark;

    use super::*;
    use crate::html::text::TextSettings;

    fn extract(content_type: &str, body: &str, obey_nofollow: bool) -> Extracted {
        let rules = TextRules::new(&TextSettings::default()).unwrap();
        let extractor = HtmlExtractor::new(rules, UrlRules::default(), obey_nofollow);
        let url = "https://example.org/a/".parse().unwrap();
        extractor.extract(&url, Some(content_type), body.as_bytes()).unwrap()
    }

    fn links(extracted: &Extracted) -> Vec<&str> {
        extracted.links.iter().map(PageUrl::as_str).collect()
    }

    #[test]
    fn links_are_pages_in_normal_form_without_doubles() {
        let body = "<a href=b?utm_source=x>1</a><a href=b#top>2</a><a href=/c rel=nofollow>3</a>";
        assert_eq!(links(&extract("text/html", body, true)), ["https://example.org/a/b"]);
        assert_eq!(
            links(&extract("text/html", body, false)),
            ["https://example.org/a/b", "https://example.org/c"]
        );
    }

    #[test]
    fn what_is_no_text_is_judged_by_its_bytes() {
        let extracted = extract("application/pdf", "<a href=b>", true);
        assert_eq!(extracted, Extracted::opaque(ContentHash::of(b"<a href=b>")));
    }

    #[test]
    fn other_text_is_compared_line_by_line() {
        let extracted =
            extract("text/csv; charset=iso-8859-1", "name,count \r\n\r\n1,234 views,<a href=b>\r\n", true);
        assert_eq!(extracted.text, "name,count\n1,234 views,<a href=b>");
        assert_eq!(extracted.rules, RulesVersion("text 1".to_owned()));
        assert_eq!(extracted.semantic, extract("text/plain", &extracted.text, true).semantic);
        assert_eq!(extracted.outline.unwrap().lines, [(Mark::CONTENT, 2)]);
        assert_eq!((extracted.links, extracted.signatures, extracted.title), (Vec::new(), None, None));
    }

    #[test]
    fn a_users_patterns_are_about_every_text() {
        let settings = TextSettings { ignore_patterns: vec!["^# .*$".to_owned()], ..TextSettings::default() };
        let rules = TextRules::new(&settings).unwrap();
        let extractor = HtmlExtractor::new(rules, UrlRules::default(), true);
        let url = "https://example.org/robots.txt".parse().unwrap();
        let extracted = extractor.extract(&url, Some("text/plain"), b"# made at 12:00\na").unwrap();
        assert_eq!(extracted.text, "a");
        assert!(extracted.rules.0.starts_with("text 1-"), "{}", extracted.rules.0);
    }
}
