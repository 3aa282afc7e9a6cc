//! Gemini: the first line of an answer, certificates, and gemtext.

use recrawl_core::model::content::Extractor as _;
use recrawl_core::url::UrlRules;
use recrawl_extract::gemtext::{Line, lines};
use recrawl_extract::text::TextRules;
use recrawl_extract::{HtmlExtractor, gemtext};
use recrawl_fetch::fuzzing;

/// Reads an input as an answer of a capsule, and as a certificate.
pub fn read_gemini(data: &[u8]) {
    if let Some((status, meta, rest)) = fuzzing::gemini_head(data) {
        assert!((10..70).contains(&status), "{status}");
        assert!(meta.len() <= 3 * 1024 && !meta.chars().any(char::is_control), "{meta:?}");
        assert!(data.ends_with(&rest) && rest.len() < data.len());
    }
    if let Some((fingerprint, key)) = fuzzing::certificate(data) {
        assert_eq!((fingerprint.len(), key.len()), (64, 64));
    }
    read_gemtext(data);
}

fn read_gemtext(data: &[u8]) {
    let media_type = Some("text/gemini");
    let text = gemtext::decoded(data, media_type);
    assert_eq!(lines(&text).count(), text.lines().count(), "a line is one thing");
    let mut is_open = false;
    for line in lines(&text) {
        match line {
            Line::Fence(_) => is_open = !is_open,
            Line::Preformatted(_) => assert!(is_open),
            Line::Heading(level, _) => assert!(!is_open && (1..=3).contains(&level)),
            Line::Link { target, .. } => assert!(!is_open && !target.is_empty()),
            Line::Text(_) | Line::Item(_) | Line::Quote(_) => assert!(!is_open),
        }
    }
    let extractor = HtmlExtractor::new(TextRules::default(), UrlRules::default(), true);
    let url = "gemini://capsule.example/a/b".parse().expect("it is in normal form");
    if let Ok(page) = extractor.extract(&url, media_type, data) {
        let mut links = page.links.clone();
        links.sort_unstable();
        links.dedup();
        assert_eq!(links.len(), page.links.len(), "each link once");
        // A second byte order mark is text only until it is the first.
        if !page.text.starts_with('\u{FEFF}') {
            let again = extractor.extract(&url, media_type, page.text.as_bytes());
            assert_eq!(again.map(|again| again.text).ok(), Some(page.text), "the text of a text is itself");
        }
    }
}
