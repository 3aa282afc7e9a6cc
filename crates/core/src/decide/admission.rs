//! Which of several sites a page belongs to that somebody asks for.

use std::cmp::Reverse;

use crate::model::ids::SiteId;
use crate::model::scope::Scope;
use crate::url::PageUrl;

/// Returns the site that `page` belongs to, of those that a deployment watches: the one whose root it is; else, of those that
/// admit it, the one whose root is the longest, and so the nearest; else the first.
pub fn site_of<'a>(
    sites: impl IntoIterator<Item = (&'a SiteId, &'a PageUrl, &'a Scope)>,
    page: &PageUrl,
) -> Option<&'a SiteId> {
    let admits = |scope: &Scope| scope.admits(page).is_ok() && scope.admits_depth(0).is_ok();
    let admitting = sites.into_iter().filter(|(_, _, scope)| admits(scope));
    let nearness = |root: &PageUrl| {
        let is_on_its_host = root.host_key() == page.host_key();
        (*root == *page, is_on_its_host, if is_on_its_host { root.path().len() } else { 0 })
    };
    // Of equals, `min_by_key` returns the first.
    admitting.min_by_key(|(_, root, _)| Reverse(nearness(root))).map(|(id, _, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scope::ScopeSettings;

    #[test]
    fn a_page_belongs_to_the_nearest_site_that_admits_it() {
        let sites: Vec<(SiteId, PageUrl, Scope)> = [
            ("default", "https://town.example/", ScopeSettings::default()),
            ("news", "https://town.example/news/", ScopeSettings::default()),
            ("news2", "https://town.example/news/", ScopeSettings::default()),
            (
                "port",
                "https://port.example/",
                ScopeSettings { extra_hosts: vec!["files.example".to_owned()], ..ScopeSettings::default() },
            ),
            (
                "fair",
                "https://fair.example/",
                ScopeSettings { exclude: vec!["/old/*".to_owned()], ..ScopeSettings::default() },
            ),
            (
                "wide",
                "https://example/",
                ScopeSettings { extra_hosts: vec!["fair.example".to_owned()], ..ScopeSettings::default() },
            ),
        ]
        .into_iter()
        .map(|(name, root, settings)| {
            let root: PageUrl = root.parse().unwrap();
            let scope = Scope::new(&root, settings).unwrap();
            (name.parse().unwrap(), root, scope)
        })
        .collect();
        for (page, expected) in [
            ("https://town.example/", Some("default")),
            ("https://town.example/a", Some("default")),
            ("https://town.example/news/", Some("news")),
            ("https://town.example/news/today", Some("news")),
            ("http://town.example/news/today", Some("news")),
            ("https://files.example/a.pdf", Some("port")),
            ("https://fair.example/new", Some("fair")),
            ("https://fair.example/old/1", Some("wide")),
            ("https://town.example:8443/", None),
            ("https://nobody.example/", None),
        ] {
            let named = sites.iter().map(|(id, root, scope)| (id, root, scope));
            let found = site_of(named, &page.parse().unwrap());
            assert_eq!(found.map(SiteId::as_str), expected, "{page}");
        }
    }
}
