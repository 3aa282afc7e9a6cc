//! Which pages belong to a site.

mod pattern;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::pattern::Pattern;
use crate::model::ids::SiteId;
use crate::model::record::FoundBy;
use crate::url::{HostKey, PageUrl, UrlError, UrlRules};

/// What a site admits beside and below its root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScopeSettings {
    /// Globs of which a page must match one; none admits every page.
    ///
    /// `*` crosses slashes. A pattern is matched on the whole address, and one that starts with `/`
    /// on path and query.
    pub include: Vec<String>,
    /// Globs of pages that are never visited; they win over everything else.
    pub exclude: Vec<String>,
    /// Whether hosts below the root's host belong to the site, with all their paths.
    pub subdomains: bool,
    /// Further hosts (`host` or `host:port`) that belong to the site with all their paths.
    pub extra_hosts: Vec<String>,
    /// How many links away from the root a page may be.
    pub max_depth: Option<u32>,
    /// Whether the hosts of the site may be inside: on this machine, or in its network.
    ///
    /// Where nobody said so, only those may that are [written as inside](crate::address::is_written_as_inside).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_private: bool,
    /// Whether the site is a list: its crawls visit exactly the pages that they are given, on any host, and its root is
    /// nothing but a name ([`list_root`]).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub list: bool,
}

/// The host of what stands for the root of a list: no host can have it (RFC 2606).
const LIST_HOST: &str = "list.invalid";

/// Returns what stands for the root of a list of this name: an address that is never asked for.
pub fn list_root(name: &SiteId) -> Result<PageUrl, UrlError> {
    format!("http://{LIST_HOST}/{name}").parse()
}

/// Tells whether the site with this root is a list, and its root no address for people.
pub fn is_list_root(root: &PageUrl) -> bool {
    root.host() == LIST_HOST
}

impl ScopeSettings {
    /// Returns the further hosts that the person named, as pages of the root's scheme.
    pub fn named_hosts(&self, root: &PageUrl) -> Vec<PageUrl> {
        let rules = UrlRules::keep_all_parameters();
        let page = |host: &String| rules.page(&format!("{}://{host}/", root.scheme()), None).ok();
        self.extra_hosts.iter().filter_map(page).collect()
    }
}

/// Why settings make no scope.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// A glob cannot be read.
    #[error("the pattern {pattern:?} is not a glob")]
    Pattern {
        /// The pattern as it was given.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// An extra host is not one.
    #[error("an extra host cannot be used")]
    Host(#[from] UrlError),
}

/// Why a page does not belong to a site.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OutOfScope {
    /// The page is one of a capsule and the site is on the web, or the other way round.
    #[error("other protocol {0}")]
    OtherProtocol(String),
    /// The page is on a host that is not the site's.
    #[error("other host {0}")]
    OtherHost(HostKey),
    /// The page is on the root's host, but not below the root.
    #[error("outside the path {0}")]
    OutsidePath(String),
    /// There are patterns to include, and none matches.
    #[error("not included by any pattern")]
    NotIncluded,
    /// A pattern to exclude matches.
    #[error("excluded by {0}")]
    Excluded(String),
    /// The page is too many links away from the root.
    #[error("deeper than {0} links")]
    TooDeep(u32),
}

/// Which pages belong to a site: what its root and its settings admit.
#[derive(Debug, Clone)]
pub struct Scope {
    root: PageUrl,
    path: String,
    subdomain_suffix: Option<String>,
    /// Each as pages write it.
    extra_hosts: Vec<String>,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    max_depth: Option<u32>,
    is_list: bool,
}

impl Scope {
    /// Reads the scope of the site at `root`.
    pub fn new(root: &PageUrl, settings: ScopeSettings) -> Result<Self, ScopeError> {
        let mut extra_hosts = Vec::with_capacity(settings.extra_hosts.len());
        for host in settings.extra_hosts {
            extra_hosts.push(authority(root, &host)?);
        }
        Ok(Self {
            root: root.clone(),
            path: admitted_path(root.path()).to_owned(),
            subdomain_suffix: settings.subdomains.then(|| format!(".{}", root.authority())),
            extra_hosts,
            include: Pattern::read_all(settings.include)?,
            exclude: Pattern::read_all(settings.exclude)?,
            // How far pages of a list are from each other means nothing.
            max_depth: settings.max_depth.filter(|_| !settings.list),
            is_list: settings.list,
        })
    }

    /// Returns whether `page` belongs to the site, or why it does not.
    ///
    /// Http and https are the same site, gemini is another one; another port is another host.
    pub fn admits(&self, page: &PageUrl) -> Result<(), OutOfScope> {
        self.admits_place(page)?;
        if let Some(pattern) = self.exclude.iter().find(|pattern| pattern.matches(page)) {
            return Err(OutOfScope::Excluded(pattern.to_string()));
        }
        let is_included = self.include.is_empty()
            || *page == self.root
            || self.include.iter().any(|pattern| pattern.matches(page));
        if is_included { Ok(()) } else { Err(OutOfScope::NotIncluded) }
    }

    /// Returns whether an image that pages show belongs to the site: images of a site stand on its hosts, wherever its
    /// pages are.
    pub fn admits_image(&self, image: &PageUrl) -> Result<(), OutOfScope> {
        if !self.has_host_of(image) {
            return Err(OutOfScope::OtherHost(image.host_key()));
        }
        match self.exclude.iter().find(|pattern| pattern.matches(image)) {
            Some(pattern) => Err(OutOfScope::Excluded(pattern.to_string())),
            None => Ok(()),
        }
    }

    /// Returns whether what was found this way belongs to the site, or why it does not.
    pub fn admits_found(&self, page: &PageUrl, by: FoundBy) -> Result<(), OutOfScope> {
        match by {
            FoundBy::Image => self.admits_image(page),
            FoundBy::Seed | FoundBy::Link | FoundBy::Redirect | FoundBy::Sitemap | FoundBy::Memory => {
                self.admits(page)
            }
        }
    }

    /// Tells whether pages can be too far from the root, so that it matters which way to a page is the shortest.
    pub const fn limits_depth(&self) -> bool {
        self.max_depth.is_some()
    }

    /// Returns whether a page `depth` links away from the root is near enough.
    pub fn admits_depth(&self, depth: u32) -> Result<(), OutOfScope> {
        match self.max_depth {
            Some(limit) if depth > limit => Err(OutOfScope::TooDeep(limit)),
            Some(_) | None => Ok(()),
        }
    }

    /// Tells whether the host of `page` belongs to the site, be it with some of its paths only.
    pub fn has_host_of(&self, page: &PageUrl) -> bool {
        let is_of_root = page.authority() == self.root.authority();
        self.is_list
            || page.is_gemini() == self.root.is_gemini() && (is_of_root || self.has_further_host(page))
    }

    fn has_further_host(&self, page: &PageUrl) -> bool {
        let authority = page.authority();
        let is_subdomain = self.subdomain_suffix.as_ref().is_some_and(|suffix| authority.ends_with(suffix));
        is_subdomain || self.extra_hosts.iter().any(|host| host == authority)
    }

    fn admits_place(&self, page: &PageUrl) -> Result<(), OutOfScope> {
        if self.is_list {
            return Ok(());
        }
        if page.is_gemini() != self.root.is_gemini() {
            return Err(OutOfScope::OtherProtocol(page.scheme().to_owned()));
        }
        if page.authority() == self.root.authority() {
            return if is_at_or_below(page.path(), &self.path) {
                Ok(())
            } else {
                Err(OutOfScope::OutsidePath(self.path.clone()))
            };
        }
        if self.has_further_host(page) { Ok(()) } else { Err(OutOfScope::OtherHost(page.host_key())) }
    }
}

/// Reads `host` or `host:port` as the pages of a site write it.
fn authority(root: &PageUrl, host: &str) -> Result<String, UrlError> {
    let key: HostKey = host.parse()?;
    if !root.is_gemini() {
        return Ok(key.to_string());
    }
    let page = UrlRules::keep_all_parameters().page(&format!("gemini://{key}/"), None)?;
    Ok(page.authority().to_owned())
}

/// Returns the path at or below which pages belong to a root at `path`.
///
/// A root that is a file (`/about/index.html`) stands for its directory.
fn admitted_path(path: &str) -> &str {
    let directory = path.rfind('/').map_or(path, |slash| &path[..=slash]);
    let is_file = path[directory.len()..].rsplit_once('.').is_some_and(|(_, extension)| {
        ["html", "htm", "php", "asp", "aspx", "jsp", "gmi", "gemini"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    if is_file { directory } else { path }
}

/// Compares on segment borders: `/a` is above `/a/b` and not above `/ab`.
fn is_at_or_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| prefix.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(root: &str, settings: ScopeSettings) -> Scope {
        Scope::new(&root.parse().unwrap(), settings).unwrap()
    }

    /// Returns `in`, or the words that say why `page` is out.
    fn verdict(scope: &Scope, page: &str) -> String {
        scope.admits(&page.parse().unwrap()).map_or_else(|reason| reason.to_string(), |()| "in".to_owned())
    }

    fn list(patterns: &[&str]) -> Vec<String> {
        patterns.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_root_admits_what_is_at_or_below_its_path() {
        for (root, page, expected) in [
            ("/transportation", "/transportation", "in"),
            ("/transportation", "/transportation/", "in"),
            ("/transportation", "/transportation/x/y", "in"),
            ("/transportation", "/transportation?x=/", "in"),
            ("/transportation", "/transportation-foo", "outside the path /transportation"),
            ("/transportation", "/transportatio", "outside the path /transportation"),
            ("/transportation", "/Transportation", "outside the path /transportation"),
            ("/transportation", "/", "outside the path /transportation"),
            ("/transportation?all", "/transportation/x", "in"),
            ("/a/", "/a/", "in"),
            ("/a/", "/a/b", "in"),
            ("/a/", "/a", "outside the path /a/"),
            ("/a/index.html", "/a/", "in"),
            ("/a/index.html", "/a/b/c", "in"),
            ("/a/Default.ASPX", "/a/b", "in"),
            ("/a/index.html", "/ab", "outside the path /a/"),
            ("/index.php", "/x", "in"),
            ("/a/v1.2", "/a/v1.2/x", "in"),
            ("/a/v1.2", "/a/x", "outside the path /a/v1.2"),
            ("/", "/x?y", "in"),
        ] {
            let scope = scope(&format!("https://h{root}"), ScopeSettings::default());
            let page = format!("https://h{page}");
            assert_eq!(verdict(&scope, &page), expected, "{page} below {root}");
        }
    }

    #[test]
    fn a_list_has_no_place_of_its_own_and_its_patterns_hold() {
        let root = list_root(&"my-list".parse().unwrap()).unwrap();
        let settings = ScopeSettings {
            list: true,
            exclude: list(&["*/private/*"]),
            max_depth: Some(1),
            ..ScopeSettings::default()
        };
        let scope = Scope::new(&root, settings).unwrap();
        for (page, expected) in [
            ("https://one.example/a", "in"),
            ("http://other.example:8080/b", "in"),
            ("https://one.example/private/a", "excluded by */private/*"),
        ] {
            assert_eq!(verdict(&scope, page), expected, "{page}");
        }
        assert!(scope.admits_depth(7).is_ok() && !scope.limits_depth());
    }

    #[test]
    fn a_site_is_one_host_whatever_the_scheme() {
        let plain = scope("https://h.example/a", ScopeSettings::default());
        let port = scope("http://h.example:8080/", ScopeSettings::default());
        for (scope, page, expected) in [
            (&plain, "http://h.example/a/b", "in"),
            (&plain, "https://h.example:8443/a", "other host h.example:8443"),
            (&plain, "https://www.h.example/a", "other host www.h.example"),
            (&plain, "https://example/a", "other host example"),
            (&port, "http://h.example:8080/x", "in"),
            (&port, "https://h.example:8080/x", "in"),
            (&port, "http://h.example/x", "other host h.example"),
        ] {
            assert_eq!(verdict(scope, page), expected, "{page}");
        }
    }

    #[test]
    fn a_capsule_and_the_web_site_of_its_host_are_two_sites() {
        let settings = ScopeSettings { extra_hosts: list(&["b.example:1965"]), ..ScopeSettings::default() };
        let capsule = scope("gemini://a.example/x/index.gmi", settings);
        let web = scope("https://a.example/", ScopeSettings::default());
        for (scope, page, expected) in [
            (&capsule, "gemini://a.example/x/y", "in"),
            (&capsule, "gemini://b.example/y", "in"),
            (&capsule, "gemini://a.example/y", "outside the path /x/"),
            (&capsule, "gemini://a.example:1966/x/y", "other host a.example:1966"),
            (&capsule, "gemini://c.example/", "other host c.example:1965"),
            (&capsule, "https://a.example/x/y", "other protocol https"),
            (&web, "gemini://a.example/", "other protocol gemini"),
        ] {
            assert_eq!(verdict(scope, page), expected, "{page}");
            assert_eq!(scope.has_host_of(&page.parse().unwrap()), !expected.starts_with("other"), "{page}");
        }
    }

    #[test]
    fn subdomains_and_extra_hosts_are_admitted_with_all_their_paths() {
        let scope = scope(
            "https://h.example/a",
            ScopeSettings {
                subdomains: true,
                extra_hosts: list(&["Other.example", "port.example:81"]),
                ..ScopeSettings::default()
            },
        );
        for (page, expected) in [
            ("https://www.h.example/x", "in"),
            ("http://a.b.h.example/x", "in"),
            ("https://xh.example/x", "other host xh.example"),
            ("https://www.h.example:81/x", "other host www.h.example:81"),
            ("https://h.example/x", "outside the path /a"),
            ("http://other.example/x", "in"),
            ("http://other.example:81/x", "other host other.example:81"),
            ("https://port.example:81/", "in"),
            ("https://port.example/", "other host port.example"),
        ] {
            assert_eq!(verdict(&scope, page), expected, "{page}");
        }
    }

    #[test]
    fn patterns_narrow_the_site() {
        for (include, exclude, page, expected) in [
            (&["*/news/*"][..], &[][..], "https://h/a/news/1", "in"),
            (&["*/news/*"], &[], "https://h/a/news/1/2?x", "in"),
            (&["*/news/*"], &[], "https://h/a/about", "not included by any pattern"),
            (&["*/news/*"], &[], "https://h/a", "in"),
            (&["*/news/*", "/a/b*"], &[], "https://h/a/bc", "in"),
            (&["/a/b*"], &[], "https://h/a/a/b", "not included by any pattern"),
            (&["*"], &[], "https://h/b", "outside the path /a"),
            (&[], &["*.pdf"], "https://h/a/b.pdf", "excluded by *.pdf"),
            (&[], &["*.pdf"], "https://h/a/b.pdf?c", "in"),
            (&[], &["*.{pdf,zip}"], "https://h/a/b.zip", "excluded by *.{pdf,zip}"),
            (&[], &["/a/b[?]*"], "https://h/a/b?c", "excluded by /a/b[?]*"),
            (&[], &["/a/b[?]*"], "https://h/a/b", "in"),
            (&[], &["/a/ö*"], "https://h/a/%C3%B6l", "excluded by /a/ö*"),
            (&["*/news/*"], &["*/old/*"], "https://h/a/news/old/1", "excluded by */old/*"),
            (&["*"], &["https://h/a"], "https://h/a", "excluded by https://h/a"),
            (&[], &["/a"], "https://h/a/b", "in"),
        ] {
            let settings =
                ScopeSettings { include: list(include), exclude: list(exclude), ..ScopeSettings::default() };
            let scope = scope("https://h/a", settings);
            assert_eq!(verdict(&scope, page), expected, "{page} in {include:?} not {exclude:?}");
        }
    }

    #[test]
    fn depth_is_bounded_where_the_settings_say_so() {
        let settings = ScopeSettings { max_depth: Some(2), ..ScopeSettings::default() };
        let bounded = scope("https://h/", settings);
        assert_eq!(bounded.admits_depth(2), Ok(()));
        assert_eq!(bounded.admits_depth(3), Err(OutOfScope::TooDeep(2)));
        assert_eq!(scope("https://h/", ScopeSettings::default()).admits_depth(u32::MAX), Ok(()));
    }

    #[test]
    fn wrong_settings_are_named() {
        let root = "https://h/".parse().unwrap();
        let with_pattern =
            |pattern: &str| ScopeSettings { exclude: list(&[pattern]), ..ScopeSettings::default() };
        assert!(matches!(
            Scope::new(&root, with_pattern("a[")),
            Err(ScopeError::Pattern { pattern, .. }) if pattern == "a["
        ));
        let settings = ScopeSettings { extra_hosts: list(&["http://x/"]), ..ScopeSettings::default() };
        assert!(matches!(Scope::new(&root, settings), Err(ScopeError::Host(_))));
    }
}
