//! Finds the page that a person means by a URL.

use std::borrow::Cow;

use anyhow::{Context, anyhow};
use recrawl_core::model::crawl::Site;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_reports::history::PageVisits;

use super::source::{Source, only};
use crate::exit::usage;

/// How many stored pages are looked at for similar addresses.
const LOOKED_AT: usize = 20_000;

/// How many similar addresses are suggested.
const SUGGESTED: usize = 3;

/// How much of two paths has to be equal for them to be similar, from 0 to 1.
const LIKENESS: f32 = 0.75;

/// A page with all its visits.
pub(crate) struct Page {
    pub(crate) site: Site,
    pub(crate) url: PageUrl,
    pub(crate) visits: PageVisits,
}

impl Source {
    /// Returns the page that `text` names, in the site that has visits of it.
    pub(crate) async fn page(&self, text: &str) -> anyhow::Result<Page> {
        let mut found: Vec<Page> = Vec::new();
        let sites = self.sites().await?;
        let mut is_url = false;
        for site in &sites {
            for url in readings(text, &site.root) {
                is_url = true;
                if let Some(visits) = PageVisits::read(&*self.history, &site.id, &url).await? {
                    found.push(Page { site: site.clone(), url, visits });
                    break;
                }
            }
        }
        if !is_url {
            let error = UrlRules::default().page(text, None).err();
            let reason = error.map_or_else(String::new, |error| format!(": {error}"));
            return Err(usage(format!("{text:?} is not the URL of a page{reason}")));
        }
        if found.is_empty() {
            return Err(self.unknown(text, &sites).await?);
        }
        let site = only(found.iter().map(|page| page.site.clone()).collect())?;
        found.retain(|page| page.site.id == site.id);
        found.pop().context("the site was found with its page")
    }

    async fn unknown(&self, text: &str, sites: &[Site]) -> anyhow::Result<anyhow::Error> {
        let mut known: Vec<PageUrl> = Vec::new();
        for site in sites {
            if let Some(crawl) = self.history.crawls(&site.id).await?.last() {
                let room = LOOKED_AT.saturating_sub(known.len());
                let records = self.history.records(&site.id, crawl.id, &[], None, room).await?;
                known.extend(records.into_iter().map(|record| record.url));
            }
        }
        let wanted = sites.first().and_then(|site| readings(text, &site.root).pop());
        let Some(wanted) = wanted else {
            return Ok(anyhow!("{text:?} was never visited"));
        };
        let mut message = format!("{wanted} was never visited");
        for (place, near) in nearest(&wanted, &known).into_iter().enumerate() {
            message.push_str(if place == 0 { "; similar pages:\n  " } else { "\n  " });
            message.push_str(near.as_str());
        }
        Ok(anyhow!(message))
    }
}

/// Returns the pages that `text` may name, the most literal first.
fn readings(text: &str, root: &PageUrl) -> Vec<PageUrl> {
    let text = text.trim();
    let has_scheme = text
        .split_once(':')
        .is_some_and(|(scheme, rest)| !scheme.contains(['.', '/']) && rest.starts_with('/'));
    let spelling = if text.starts_with(['/', '?']) || has_scheme {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{}://{text}", root.scheme()))
    };
    let base = root.to_url();
    let mut readings = Vec::new();
    for rules in [UrlRules::keep_all_parameters(), UrlRules::default()] {
        if let Ok(url) = rules.page(&spelling, Some(&base))
            && !readings.contains(&url)
        {
            readings.push(url);
        }
    }
    readings
}

/// Returns the pages whose paths are most like that of `wanted`, the nearest first.
fn nearest<'a>(wanted: &PageUrl, known: &'a [PageUrl]) -> Vec<&'a PageUrl> {
    let paths: Vec<&str> = known.iter().map(PageUrl::path_and_query).collect();
    let near = similar::get_close_matches(wanted.path_and_query(), &paths, SUGGESTED, LIKENESS);
    near.into_iter().filter_map(|path| known.iter().find(|url| url.path_and_query() == path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_in_full_or_by_its_path() {
        let root: PageUrl = "https://example.org/news".parse().unwrap();
        for (text, expected) in [
            ("https://example.org/news/a", vec!["https://example.org/news/a"]),
            ("HTTPS://Example.org/news/a#top", vec!["https://example.org/news/a"]),
            ("/news/a", vec!["https://example.org/news/a"]),
            ("example.org/news/a", vec!["https://example.org/news/a"]),
            ("example.org:8080/a", vec!["https://example.org:8080/a"]),
            ("/a?utm_source=x", vec!["https://example.org/a?utm_source=x", "https://example.org/a"]),
            ("ftp://example.org/", vec![]),
            ("http://", vec![]),
        ] {
            let readings = readings(text, &root);
            assert_eq!(readings.iter().map(PageUrl::as_str).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn similar_addresses_are_suggested() {
        let known = [
            "https://example.org/",
            "https://example.org/about",
            "https://example.org/old",
            "https://example.org/abuot-us",
        ];
        let known = known.map(|url| url.parse().unwrap());
        for (wanted, expected) in [
            ("https://example.org/abuot", vec!["https://example.org/about", "https://example.org/abuot-us"]),
            ("http://www.example.org/old", vec!["https://example.org/old"]),
            ("https://example.org/x", vec![]),
        ] {
            let near = nearest(&wanted.parse().unwrap(), &known);
            assert_eq!(near.iter().map(|url| url.as_str()).collect::<Vec<_>>(), expected, "{wanted}");
        }
    }
}
