//! Sitemaps and feeds: of a broken file what can be read is read.

use std::collections::HashSet;

use ::url::Url;
use recrawl_extract::sitemap::{self, MAX_ENTRIES, Sitemap};

use crate::first_line;

const ADDRESS: &str = "https://example.com/maps/sitemap.xml";

/// Reads the first line as a `Content-Type`, and the rest as a file.
pub fn read_sitemap(data: &[u8]) {
    let (content_type, file) = first_line(data);
    let content_type = String::from_utf8_lossy(content_type);
    let content_type = Some(&*content_type).filter(|text| !text.is_empty());
    let sitemap = sitemap::parse(file, content_type, ADDRESS);
    assert_holds(&sitemap);
    assert_eq!(sitemap::parse(file, content_type, ADDRESS), sitemap);
    assert_holds(&sitemap::parse(data, None, "no address"));
}

fn assert_holds(sitemap: &Sitemap) {
    assert!(sitemap.entries.len() <= MAX_ENTRIES);
    assert!(sitemap.warnings.len() <= 16, "{} warnings", sitemap.warnings.len());
    let mut seen = HashSet::new();
    for entry in &sitemap.entries {
        assert!(seen.insert(&entry.loc), "{} twice", entry.loc);
        let url = Url::parse(&entry.loc).expect("an address is absolute");
        assert!(matches!(url.scheme(), "http" | "https"), "{url}");
        assert!(entry.priority.is_none_or(|priority| (0.0..=1.0).contains(&priority)));
        if let Some(date) = entry.lastmod {
            assert!(!date.to_string().is_empty());
            let _ = date.latest();
        }
    }
}
