//! Where the web page shows what was found, below its own address.

use ::url::Url;

use crate::model::ids::{CrawlId, SiteId};
use crate::model::verdict::Change;
use crate::url::PageUrl;

/// Returns where the web page at `web` shows a crawl.
pub fn of_crawl(web: &Url, site: &SiteId, crawl: CrawlId) -> Option<Url> {
    below(web, &["sites", site.as_str(), "crawls", &crawl.to_string()])
}

/// Returns where the web page at `web` shows best what a crawl found about a page.
pub fn of_change(web: &Url, site: &SiteId, crawl: CrawlId, page: &PageUrl, change: Change) -> Option<Url> {
    let (page, crawl) = (("url", page.as_str()), crawl.to_string());
    let (place, query) = match change {
        Change::Change => ("diff", vec![page, ("to", &crawl)]),
        Change::Add => ("version", vec![page, ("crawl", &crawl)]),
        Change::Move | Change::Delete => ("page", vec![page]),
    };
    let mut url = below(web, &["sites", site.as_str(), place])?;
    url.query_pairs_mut().extend_pairs(query);
    Some(url)
}

fn below(web: &Url, segments: &[&str]) -> Option<Url> {
    let mut url = web.clone();
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_change_is_shown_where_it_is_seen_best() {
        let site = "default".parse().unwrap();
        let crawl = "crawl-2026-11-16".parse().unwrap();
        let page = "https://a.example/x?y=1&z".parse().unwrap();
        let encoded = "https%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z";
        for web in ["https://web.example/below", "https://web.example/below/"] {
            let web: Url = web.parse().unwrap();
            for (change, expected) in [
                (Change::Change, format!("diff?url={encoded}&to=crawl-2026-11-16")),
                (Change::Add, format!("version?url={encoded}&crawl=crawl-2026-11-16")),
                (Change::Move, format!("page?url={encoded}")),
                (Change::Delete, format!("page?url={encoded}")),
            ] {
                let shown = of_change(&web, &site, crawl, &page, change).unwrap();
                let expected = format!("https://web.example/below/sites/default/{expected}");
                assert_eq!(shown.as_str(), expected);
            }
            let shown = of_crawl(&web, &site, crawl).unwrap();
            assert_eq!(shown.as_str(), "https://web.example/below/sites/default/crawls/crawl-2026-11-16");
        }
    }
}
