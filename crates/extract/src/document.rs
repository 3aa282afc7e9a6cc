//! Documents, such as PDF, as pages are read: lines by the rules of a site, and links to follow.

use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::model::content::{Extracted, Unreadable};
use recrawl_core::model::document::{Document, DocumentFormat, LineKind, UnreadDocument};
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::outline::{Item, MetaKind, Outline};
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::ports::{DocumentExtractor, DocumentReader};
use recrawl_core::url::{PageUrl, UrlRules};

use crate::budget::WorkBudget;
use crate::extractor::keep_first;
use crate::html::removal_log::{RemovalCause, RemovalLog};
use crate::html::text::{TextRules, semantic_hash};
use crate::noise::NoiseRule;

/// Reads documents by the rules of one site.
#[derive(Clone)]
pub struct SiteDocuments {
    text_rules: TextRules,
    url_rules: UrlRules,
    version: RulesVersion,
    reader: Arc<dyn DocumentReader>,
}

impl SiteDocuments {
    pub(crate) fn new(text_rules: TextRules, url_rules: UrlRules, reader: Arc<dyn DocumentReader>) -> Self {
        let version = RulesVersion(text_rules.document_version(reader.version()));
        Self { text_rules, url_rules, version, reader }
    }

    /// Makes of a document what a crawl makes of a page.
    fn extracted(
        &self,
        hash: ContentHash,
        format: DocumentFormat,
        document: Document,
    ) -> Result<Extracted, Unreadable> {
        let size = document.size(format);
        let Lines { text, mut outline } = self.lines(&document)?;
        if text.is_empty() {
            return Ok(Extracted::unread_document(hash, UnreadDocument::Scanned.remark(format)));
        }
        if let Some(title) = &document.title {
            outline.meta.push((MetaKind::Title, title.clone()));
        }
        let mut links: Vec<PageUrl> =
            document.links.iter().filter_map(|link| self.url_rules.page(link, None).ok()).collect();
        keep_first(&mut links);
        let item = |link: &PageUrl| Item {
            mark: Mark::CONTENT,
            address: link.as_str().to_owned(),
            words: String::new(),
            source: String::new(),
        };
        outline.links = links.iter().map(item).collect();
        Ok(Extracted {
            semantic: SemanticHash::from(semantic_hash(&text)),
            rules: self.version.clone(),
            title: document.title,
            language: document.language,
            links,
            text,
            outline: Some(outline),
            cut: document.cut,
            document: Some(size),
            ..Extracted::opaque(hash)
        })
    }

    /// Returns the lines that count, and where they stand.
    fn lines(&self, document: &Document) -> Result<Lines, Unreadable> {
        let budget = WorkBudget::for_page();
        let drops_furniture = self.text_rules.noise().contains(NoiseRule::DocumentFurniture);
        let mut removals = RemovalLog::default();
        let mut text = String::new();
        let mut marks = Vec::with_capacity(document.lines.len());
        for line in &document.lines {
            if line.kind == LineKind::Furniture && drops_furniture {
                removals.add(RemovalCause::Noise(NoiseRule::DocumentFurniture), &line.text);
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line.text);
            marks.push(mark(line.kind));
        }
        budget.work_on(&text)?;
        let cleaned = self.text_rules.lines_without_patterns(text, &mut removals, &budget)?;
        let mut outline = Outline { noise: removals.traces(), ..Outline::default() };
        match cleaned.kept {
            None => marks.into_iter().for_each(|mark| outline.push_line(mark)),
            Some(kept) => {
                let mark = |place: u32| marks.get(place as usize).copied().unwrap_or(Mark::CONTENT);
                for place in kept {
                    outline.push_line(mark(place));
                }
            }
        }
        Ok(Lines { text: cleaned.text, outline })
    }
}

/// The lines of a document that count.
struct Lines {
    text: String,
    outline: Outline,
}

const fn mark(kind: LineKind) -> Mark {
    match kind {
        LineKind::Text => Mark::CONTENT,
        LineKind::Heading => Mark { is_heading: true, ..Mark::CONTENT },
        LineKind::Margin | LineKind::Furniture => Mark::of(Region::Footer),
    }
}

#[async_trait]
impl DocumentExtractor for SiteDocuments {
    async fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
        is_beginning: bool,
    ) -> Result<Option<Extracted>, Unreadable> {
        let Some(format) = DocumentFormat::of(content_type, url.path()) else { return Ok(None) };
        let hash = ContentHash::of(body);
        let read =
            if is_beginning { Err(UnreadDocument::TooLong) } else { self.reader.read(format, body).await };
        match read {
            Ok(document) => self.extracted(hash, format, document).map(Some),
            Err(reason) => Ok(Some(Extracted::unread_document(hash, reason.remark(format)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use recrawl_core::model::document::DocumentLine;

    use super::*;
    use crate::html::text::TextSettings;

    struct Fixed(Result<Document, UnreadDocument>);

    #[async_trait]
    impl DocumentReader for Fixed {
        fn version(&self) -> &'static str {
            "7"
        }

        async fn read(&self, _: DocumentFormat, _: &[u8]) -> Result<Document, UnreadDocument> {
            self.0.clone()
        }
    }

    fn documents(settings: &TextSettings, read: Result<Document, UnreadDocument>) -> SiteDocuments {
        let rules = TextRules::new(settings).unwrap();
        SiteDocuments::new(rules, UrlRules::default(), Arc::new(Fixed(read)))
    }

    fn document() -> Document {
        let line = |kind, text: &str| DocumentLine { kind, text: text.to_owned() };
        Document {
            title: Some("The plan".to_owned()),
            parts: Some(2),
            lines: vec![
                line(LineKind::Margin, "Town of Willow Bend"),
                line(LineKind::Heading, "Plan"),
                line(LineKind::Furniture, "Page 1"),
                line(LineKind::Text, "Draft 7"),
                line(LineKind::Text, "A bridge."),
                line(LineKind::Furniture, "Page 2"),
            ],
            links: vec![
                "https://example.org/a?utm_source=x".to_owned(),
                "https://example.org/a".to_owned(),
                "nonsense".to_owned(),
            ],
            ..Document::default()
        }
    }

    async fn extract(documents: &SiteDocuments, is_beginning: bool) -> Extracted {
        let url = "https://example.org/plan".parse().unwrap();
        let read = documents.extract(&url, Some("application/pdf"), b"bytes", is_beginning);
        read.await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn a_document_is_read_like_a_page() {
        let extracted = extract(&documents(&TextSettings::default(), Ok(document())), false).await;
        assert_eq!(extracted.text, "Town of Willow Bend\nPlan\nDraft 7\nA bridge.");
        assert_eq!(extracted.rules, RulesVersion("document 1.7".to_owned()));
        assert_eq!(extracted.title.as_deref(), Some("The plan"));
        assert_eq!(extracted.document.as_deref(), Some("PDF, 2 pages"));
        assert_eq!(
            extracted.links.iter().map(PageUrl::as_str).collect::<Vec<_>>(),
            ["https://example.org/a"]
        );
        let outline = extracted.outline.unwrap();
        assert_eq!(outline.noise.len(), 1);
        assert_eq!((outline.noise[0].rule.as_str(), outline.noise[0].count), ("document-furniture", 2));
        let heading = Mark { is_heading: true, ..Mark::CONTENT };
        assert_eq!(outline.lines, [(Mark::of(Region::Footer), 1), (heading, 1), (Mark::CONTENT, 2)]);
        assert_eq!((outline.links.len(), outline.meta.len()), (1, 1));
    }

    #[tokio::test]
    async fn rules_of_a_user_hold_for_documents_and_are_part_of_the_version() {
        let noise_rules: BTreeSet<NoiseRule> = BTreeSet::new();
        let settings = TextSettings {
            ignore_patterns: vec!["^Draft.*$".to_owned()],
            noise_rules,
            ..TextSettings::default()
        };
        let extracted = extract(&documents(&settings, Ok(document())), false).await;
        assert_eq!(extracted.text, "Town of Willow Bend\nPlan\nPage 1\nA bridge.\nPage 2");
        let heading = Mark { is_heading: true, ..Mark::CONTENT };
        let footer = Mark::of(Region::Footer);
        let lines = [(footer, 1), (heading, 1), (footer, 1), (Mark::CONTENT, 1), (footer, 1)];
        assert_eq!(extracted.outline.unwrap().lines, lines);
        assert!(extracted.rules.0.starts_with("document 1.7-"), "{}", extracted.rules.0);
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_judged_by_its_bytes_and_says_why() {
        for (read, is_beginning, expected) in [
            (Err(UnreadDocument::Password), false, "PDF, could not be read: password"),
            (Ok(document()), true, "PDF, could not be read: it is longer than body-limit-documents"),
        ] {
            let extracted = extract(&documents(&TextSettings::default(), read), is_beginning).await;
            let hash = ContentHash::of(b"bytes");
            assert_eq!(extracted, Extracted::unread_document(hash, expected.to_owned()));
        }
    }

    #[tokio::test]
    async fn pages_and_pictures_are_no_documents() {
        let documents = documents(&TextSettings::default(), Ok(document()));
        for (address, content_type) in
            [("https://example.org/a.pdf", "text/html"), ("https://example.org/a.png", "image/png")]
        {
            let url = address.parse().unwrap();
            assert_eq!(documents.extract(&url, Some(content_type), b"x", false).await, Ok(None), "{address}");
        }
    }
}
