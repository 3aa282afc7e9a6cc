//! The message of topic `crawl`: a page to visit.

use std::collections::HashMap;

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Found, FoundBy};
use recrawl_core::ports::QueuedPage;
use recrawl_core::url::{PageUrl, UrlRules};
use serde::{Deserialize, Serialize};

use super::{Delivery, Poison};

/// A page to visit, in a crawl or in whichever is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlMessage {
    /// The page.
    pub url: PageUrl,
    /// The crawl; `None` joins the open one or opens one.
    pub crawl: Option<CrawlId>,
    /// The crawl before it, if the sender knew.
    pub prev_crawl: Option<CrawlId>,
    /// The site; `None` is the one that the receiver crawls.
    pub site: Option<SiteId>,
    /// How it was found.
    pub found: Found,
}

/// The JSON of the message. Everything but the address may be missing.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crawl: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prev_crawl: Option<String>,
    #[serde(default)]
    depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    referrer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    found: Option<String>,
}

impl CrawlMessage {
    /// Reads a bare address or JSON; what the data does not say is looked for in the attributes.
    pub fn parse(delivery: &Delivery) -> Result<Self, Poison> {
        let text = delivery.text()?;
        let written = if text.starts_with('{') {
            serde_json::from_str(text)?
        } else {
            Written { url: text.to_owned(), ..Written::default() }
        };
        let said = |field: &Option<String>, name: &str| {
            let in_data = field.as_deref().filter(|value| !value.is_empty());
            in_data.or_else(|| delivery.attribute(name)).map(str::to_owned)
        };
        let crawl = said(&written.crawl, "crawl").map(|text| text.parse()).transpose()?;
        let site = said(&written.site, "site").map(|text| text.parse()).transpose()?;
        let rules = UrlRules::default();
        // The rest only adds to what people read of a page, so what cannot be read is left out.
        let referrer = written.referrer.and_then(|text| rules.page(&text, None).ok());
        let depth = written.depth.unwrap_or_default();
        let by = said(&written.found, "found").and_then(|word| found_by(&word));
        let by = by.unwrap_or(if referrer.is_some() { FoundBy::Link } else { FoundBy::Seed });
        Ok(Self {
            url: page(&written.url, &rules)?,
            crawl,
            prev_crawl: said(&written.prev_crawl, "prev_crawl").and_then(|text| text.parse().ok()),
            site,
            found: Found { by, depth, referrer },
        })
    }

    /// Writes the data of the message.
    pub fn to_json(&self) -> String {
        let written = Written {
            url: self.url.to_string(),
            crawl: self.crawl.map(|id| id.to_string()),
            prev_crawl: self.prev_crawl.map(|id| id.to_string()),
            depth: Some(self.found.depth),
            referrer: self.found.referrer.as_ref().map(ToString::to_string),
            site: self.site.as_ref().map(ToString::to_string),
            found: Some(word(self.found.by).to_owned()),
        };
        serde_json::to_string(&written).expect("texts and numbers are always JSON")
    }

    /// Returns the attributes of the message, by which subscriptions can filter.
    pub fn attributes(&self) -> HashMap<String, String> {
        let crawl = self.crawl.map(|crawl| ("crawl".to_owned(), crawl.to_string()));
        let site = self.site.as_ref().map(|site| ("site".to_owned(), site.to_string()));
        crawl.into_iter().chain(site).collect()
    }
}

impl From<&QueuedPage> for CrawlMessage {
    fn from(page: &QueuedPage) -> Self {
        Self {
            url: page.url.clone(),
            crawl: Some(page.crawl),
            prev_crawl: None,
            site: Some(page.site.clone()),
            found: page.found.clone(),
        }
    }
}

fn page(text: &str, rules: &UrlRules) -> Result<PageUrl, Poison> {
    let text = text.trim();
    // The URL Standard drops line breaks, which would make one address of two lines.
    if text.contains(['\n', '\r', '\t']) {
        return Err(Poison::Lines);
    }
    Ok(rules.page(text, None)?)
}

const FOUND_BY: [FoundBy; 6] =
    [FoundBy::Seed, FoundBy::Link, FoundBy::Redirect, FoundBy::Sitemap, FoundBy::Memory, FoundBy::Image];

const fn word(by: FoundBy) -> &'static str {
    match by {
        FoundBy::Seed => "seed",
        FoundBy::Link => "link",
        FoundBy::Redirect => "redirect",
        FoundBy::Sitemap => "sitemap",
        FoundBy::Memory => "memory",
        FoundBy::Image => "image",
    }
}

fn found_by(text: &str) -> Option<FoundBy> {
    FOUND_BY.into_iter().find(|by| word(*by) == text)
}

#[cfg(test)]
mod tests {
    use recrawl_core::ports::Priority;

    use super::*;

    fn delivery(data: &str, attributes: &[(&str, &str)]) -> Delivery {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Delivery { data: data.into(), attributes: attributes.collect(), ..Delivery::default() }
    }

    fn message(data: &str) -> CrawlMessage {
        CrawlMessage::parse(&delivery(data, &[])).unwrap()
    }

    fn poison(data: &str) -> &'static str {
        CrawlMessage::parse(&delivery(data, &[])).unwrap_err().kind()
    }

    #[test]
    fn a_bare_address_is_read_however_it_was_typed() {
        for text in [
            "https://a.example/x",
            "https://a.example/x\n",
            "\u{feff}https://a.example/x\r\n",
            "  \t https://a.example/x  ",
            "\"https://a.example/x\"",
            "'https://a.example/x'\n",
            "\" https://a.example/x \"",
            "HTTPS://user:secret@A.example:443/./x?utm_source=mail#part",
        ] {
            let message = message(text);
            assert_eq!(message.url.as_str(), "https://a.example/x", "{text:?}");
            assert_eq!((message.crawl, message.site), (None, None));
            assert_eq!(message.found, Found { by: FoundBy::Seed, depth: 0, referrer: None });
        }
    }

    #[test]
    fn json_says_more_and_unknown_fields_are_ignored() {
        let message = message(
            r#"{"url":"https://a.example/x","crawl":"crawl-2026-11-16-2","prev_crawl":"crawl-2026-11-09",
                "depth":3,"referrer":"https://a.example/","site":"news","found":"redirect","colour":{"a":[1]}}"#,
        );
        assert_eq!(message.crawl.unwrap().to_string(), "crawl-2026-11-16-2");
        assert_eq!(message.prev_crawl.unwrap().to_string(), "crawl-2026-11-09");
        assert_eq!(message.site.unwrap().as_str(), "news");
        let referrer = Some("https://a.example/".parse().unwrap());
        assert_eq!(message.found, Found { by: FoundBy::Redirect, depth: 3, referrer });
    }

    #[test]
    fn what_only_describes_a_page_cannot_spoil_its_message() {
        for rest in [
            r#""referrer":"nonsense""#,
            r#""found":"luck""#,
            r#""prev_crawl":"yesterday""#,
            r#""depth":null"#,
            r#""crawl":"","site":"""#,
            r#""crawl":null,"referrer":null"#,
        ] {
            let message = message(&format!(r#"{{"url":"https://a.example/x",{rest}}}"#));
            assert_eq!(message.found, Found { by: FoundBy::Seed, depth: 0, referrer: None }, "{rest}");
            assert_eq!((message.crawl, message.prev_crawl, message.site), (None, None, None), "{rest}");
        }
    }

    #[test]
    fn attributes_say_what_the_data_does_not() {
        let attributes = [("crawl", "crawl-2026-11-16"), ("site", "news"), ("found", "sitemap")];
        let bare = CrawlMessage::parse(&delivery("https://a.example/x", &attributes)).unwrap();
        assert_eq!(bare.crawl.unwrap().to_string(), "crawl-2026-11-16");
        assert_eq!((bare.site.unwrap().as_str(), bare.found.by), ("news", FoundBy::Sitemap));
        let json = r#"{"url":"https://a.example/x","crawl":"crawl-2026-11-09"}"#;
        let said = CrawlMessage::parse(&delivery(json, &attributes)).unwrap();
        assert_eq!(said.crawl.unwrap().to_string(), "crawl-2026-11-09");
    }

    #[test]
    fn what_no_redelivery_cures_is_named_by_its_kind() {
        let long = format!("https://a.example/{}", "x".repeat(PageUrl::MAX_LENGTH));
        for (data, kind) in [
            ("", "empty"),
            (" \n", "empty"),
            ("\"\"", "empty"),
            ("{", "json"),
            ("{}", "json"),
            (r#"{"url":7}"#, "json"),
            (r#"{"url":"https://a.example/","depth":-1}"#, "json"),
            (r#"{"url":"https://a.example/"} trailing"#, "json"),
            (r#"["https://a.example/"]"#, "url"),
            ("not a page", "url"),
            ("/relative", "url"),
            ("file:///etc/passwd", "url"),
            ("gopher://a.example/", "url"),
            ("javascript:alert(1)", "url"),
            ("https://a.example/x\nhttps://a.example/y", "url"),
            (&long, "url"),
            (r#"{"url":""}"#, "url"),
            (r#"{"url":"https://a.example/","crawl":"weekly"}"#, "name"),
            (r#"{"url":"https://a.example/","site":"A B"}"#, "name"),
        ] {
            assert_eq!(poison(data), kind, "{data}");
        }
    }

    #[test]
    fn the_words_of_poison_do_not_repeat_the_message() {
        for data in [
            r#"{"url":"https://user:secret@a.example/","crawl":"secret"}"#,
            r#"{"url":["secret"]}"#,
            r#"{"secret":1}"#,
            "ftp://user:secret@a.example/",
        ] {
            let poison = CrawlMessage::parse(&delivery(data, &[])).unwrap_err();
            assert!(!format!("{poison}").contains("secret"), "{poison}");
        }
    }

    #[test]
    fn a_queued_page_reads_back() {
        for by in FOUND_BY {
            let longest = |path: &str| {
                let text = format!("https://a.example/{path}");
                format!("{text}{}", "x".repeat(PageUrl::MAX_LENGTH - text.len())).parse::<PageUrl>().unwrap()
            };
            let page = QueuedPage {
                site: "news".parse().unwrap(),
                crawl: "crawl-2026-11-16".parse().unwrap(),
                url: longest("page"),
                found: Found { by, depth: u32::MAX, referrer: Some(longest("referrer")) },
                priority: Priority(17),
            };
            let message = CrawlMessage::from(&page);
            let attributes = message.attributes();
            let delivery = Delivery { data: message.to_json().into(), attributes, ..Delivery::default() };
            assert!(delivery.data.len() < 10_000, "{}", delivery.data.len());
            assert_eq!(CrawlMessage::parse(&delivery), Ok(message));
        }
    }
}
