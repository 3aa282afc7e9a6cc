//! Changes as rows: one a distinct change, in the order of the list.

use maud::{Markup, html};
use recrawl_core::model::crawl::shown_name;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Kind, Tier};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::ReviewView;
use recrawl_reports::marks::Mark;
use recrawl_reports::{ChangeEntry, ChangeRow, FolderEntry, SharedEntry, told};

use super::super::capitalised;
use super::{Icon, icon, kind, tag, verdict_kind, weight};
use crate::address;
use crate::listing::{Listed, Listing};
use crate::words::{counted, number, shortened};

/// The form that sends what people do with rows; it stands once on a page.
pub(in crate::pages) const MARKS_FORM: &str = "marks";

/// The most characters of an edit that a row shows.
const LONGEST_EDIT: usize = 160;

/// The most characters of a title and of a path.
const LONGEST_NAME: usize = 120;

/// How many pages of a shared change are named.
const SAMPLES: usize = 3;

/// What the rows of a list have in common.
pub(in crate::pages) struct Rows<'a> {
    /// The list that they are of.
    pub(in crate::pages) listing: &'a Listing,
    /// What there is in it.
    pub(in crate::pages) listed: &'a Listed,
    /// Rows name their site.
    pub(in crate::pages) names_sites: bool,
    /// Rows can be selected.
    pub(in crate::pages) can_pick: bool,
    /// Whoever looks may mark them.
    pub(in crate::pages) may_mark: bool,
}

/// What a row says of a change, whatever it is a change of.
struct Cells {
    kind: Markup,
    title: String,
    address: String,
    path: String,
    said: Markup,
    samples: Option<Markup>,
    size: String,
    bar: Option<Markup>,
    /// The change, as it is named in forms; none where it has no page to be named by.
    name: String,
    review: Option<ReviewView>,
}

impl Rows<'_> {
    /// Returns rows, one below the other.
    pub(in crate::pages) fn shown(&self, rows: &[&ChangeRow]) -> Markup {
        html! { ol.rows { @for row in rows { (self.row(row)) } } }
    }

    fn row(&self, row: &ChangeRow) -> Markup {
        let (cells, is_many) = match row {
            ChangeRow::Page(entry) => (self.page(row, entry), false),
            ChangeRow::Folder(entry) => (self.folder(row, entry), false),
            ChangeRow::Shared(entry) => (self.shared(row, entry), true),
        };
        let mark = cells.review.clone().unwrap_or_default();
        let is_fresh = cells.review.is_some() && !mark.seen;
        let title = shortened(&cells.title, LONGEST_NAME, 0);
        html! {
            li.row.pick[self.can_pick && self.may_mark].fresh[is_fresh].many[is_many] data-change {
                @if self.can_pick && self.may_mark {
                    input type="checkbox" name="change" value=(cells.name) form=(MARKS_FORM)
                        aria-label={ "Select " (title) };
                }
                span.dot { span.only-read { "Unseen" } }
                (cells.kind)
                span.page {
                    a.title dir="auto" href=(cells.address) title=[(title != cells.title).then_some(&cells.title)] {
                        (title)
                    }
                    span.path { (cells.path) }
                }
                span.said {
                    span dir="auto" { (cells.said) }
                    @if let Some(samples) = &cells.samples { span.samples { (samples) } }
                }
                span.size { (cells.size) @if let Some(bar) = &cells.bar { (bar) } }
                span.tools { @if self.may_mark { (tools(&cells.name, &title, &mark)) } }
                @if let Some(note) = &mark.note {
                    span.note { "Note: " span dir="auto" data-note { (note) } }
                }
            }
        }
    }

    fn page(&self, row: &ChangeRow, entry: &ChangeEntry) -> Cells {
        let site = entry.site.clone();
        let path = self.path_of(site.as_ref(), &entry.url);
        let kinds: Vec<&str> = entry.kinds.iter().map(Kind::word).collect();
        let says_kinds = entry.kind == Verdict::Changed && !kinds.is_empty() && entry.words.changed > 0;
        let address = match &site {
            Some(site) if entry.kind.change().is_some() => {
                self.listing.change(site, &entry.url, entry.before, entry.crawl)
            }
            Some(site) => address::page(site, &entry.url),
            None => String::new(),
        };
        let mut path = shortened(&path, LONGEST_NAME, 30).into_owned();
        if let Some(site) = site.as_ref().filter(|_| self.names_sites) {
            let root = self.listed.root(site);
            path = format!("{} · {path}", root.map_or(site.as_str(), |root| shown_name(site, root)));
        }
        if says_kinds {
            path = format!("{path} · {}", kinds.join(", "));
        }
        Cells {
            kind: if entry.kind == Verdict::Changed && entry.tier == Some(Tier::Around) {
                kind("around", "◦", "around it")
            } else {
                verdict_kind(entry.kind)
            },
            title: told::name(entry),
            address,
            path,
            said: said(row, entry),
            samples: None,
            size: told::size(row, false),
            bar: (entry.weight > 0).then(|| weight(entry.weight, &kinds.join(", "))),
            name: named(site.as_ref(), entry.crawl, entry.id),
            review: entry.review.clone(),
        }
    }

    fn folder(&self, row: &ChangeRow, entry: &FolderEntry) -> Cells {
        let list = address::crawl(&entry.site, entry.crawl);
        let kind = entry.kind.word();
        let folder = &*entry.folder;
        let pages = counted(entry.pages, "page");
        Cells {
            kind: verdict_kind(entry.kind),
            title: format!("{pages} in {folder}"),
            address: address::with_query(&list, &[("path", folder), ("kind", kind)]),
            path: if self.names_sites { format!("{} · {folder}", entry.site) } else { folder.to_owned() },
            said: html! { span.soft { (self.sample_paths(&entry.samples, &entry.site)) } },
            samples: None,
            size: told::size(row, false),
            bar: (entry.weight > 0).then(|| weight(entry.weight, "")),
            name: named(Some(&entry.site), entry.crawl, entry.id),
            review: entry.review.clone(),
        }
    }

    fn shared(&self, row: &ChangeRow, entry: &SharedEntry) -> Cells {
        let region = told::region(entry.region);
        let pages = address::with_query(
            &address::crawl(&entry.site, entry.crawl),
            &[("shared", &format!("{:016x}", entry.id.0))],
        );
        let named_pages = entry.samples.len().min(SAMPLES) as u64;
        let rest = entry.pages.saturating_sub(named_pages);
        let samples = html! {
            @for (place, url) in entry.samples.iter().take(SAMPLES).enumerate() {
                @if place > 0 { ", " }
                a href=(self.listing.change(&entry.site, url, None, entry.crawl)) {
                    (shortened(&self.path_of(Some(&entry.site), url), 60, 20))
                }
            }
            @if rest > 0 { " " a href=(pages) { "and " (number(rest)) " more" } }
        };
        Cells {
            kind: kind("shared", "≡", "shared"),
            title: capitalised(&told::of_shared(entry, 60)),
            address: pages.clone(),
            path: if self.names_sites { format!("{} · {region}", entry.site) } else { region.to_owned() },
            said: html! {
                @for mark in told::shown(row, LONGEST_EDIT) { (edit(&mark, false)) }
                @if entry.noise { " " (tag("noise")) }
            },
            samples: Some(samples),
            size: told::size(row, false),
            bar: None,
            name: named(Some(&entry.site), entry.crawl, entry.event()),
            review: entry.review.clone(),
        }
    }

    fn sample_paths(&self, urls: &[PageUrl], site: &SiteId) -> String {
        let paths = urls.iter().take(SAMPLES);
        paths
            .map(|url| shortened(&self.path_of(Some(site), url), 60, 20).into_owned())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns an address without the host where that is the one of the site.
    fn path_of(&self, site: Option<&SiteId>, url: &PageUrl) -> String {
        let root = site.and_then(|site| self.listed.root(site));
        let is_own = root.is_some_and(|root| root.authority() == url.authority());
        let shown = if is_own { url.path_and_query() } else { url.as_str().trim_start_matches("https://") };
        shown.to_owned()
    }
}

/// Returns what is most worth knowing of the change of a page.
fn said(row: &ChangeRow, entry: &ChangeEntry) -> Markup {
    let is_whole = matches!(entry.kind, Verdict::New | Verdict::Gone);
    let marks = told::shown(row, LONGEST_EDIT);
    // What has no words shows what it says of the file or of its links.
    let is_wordless = entry.went.is_none() && entry.came.is_none();
    html! {
        @match entry.kind {
            Verdict::Moved => @for mark in &marks {
                @match mark {
                    Mark::Same(text) => (moved(text)),
                    Mark::Went(_) | Mark::Came(_) => (edit(mark, is_whole)),
                }
            },
            _ if is_wordless && !entry.excerpt.is_empty() => @for line in &entry.excerpt {
                span.soft { (super::super::layout::pieces(line)) " " }
            },
            _ if is_wordless && entry.kind.change().is_some() => {},
            _ => @for mark in &marks { (edit(mark, is_whole)) },
        }
    }
}

/// Names a change in forms.
fn named(site: Option<&SiteId>, crawl: CrawlId, id: EventId) -> String {
    site.map(|site| format!("{site} {crawl}/{id}")).unwrap_or_default()
}

/// Returns the buttons of a row: each says what it will do.
fn tools(name: &str, title: &str, mark: &ReviewView) -> Markup {
    let (see, star) =
        (if mark.seen { "unseen" } else { "seen" }, if mark.starred { "unstar" } else { "star" });
    html! {
        button.icon.seen form=(MARKS_FORM) name="mark" value={ (see) " " (name) } aria-pressed=(mark.seen)
            aria-label={ "Seen: " (title) } title="Seen (e)" {
            (icon(if mark.seen { Icon::Check } else { Icon::Ring }))
        }
        button.icon.star form=(MARKS_FORM) name="mark" value={ (star) " " (name) } aria-pressed=(mark.starred)
            aria-label={ "Star: " (title) } title="Star (s)" {
            (icon(Icon::Star))
        }
    }
}

/// Returns a stretch of an edit; what is said to those who do not see colours does not turn the direction of the text.
fn edit(mark: &Mark, is_whole: bool) -> Markup {
    html! {
        @match mark {
            Mark::Same(text) => (text),
            Mark::Went(text) => {
                span.only-read dir="ltr" { " removed: " } del.whole[is_whole] { (text) }
            },
            Mark::Came(text) => {
                span.only-read dir="ltr" { " added: " } ins.whole[is_whole] { (text) }
            },
        }
    }
}

fn moved(text: &str) -> Markup {
    let target = text.strip_prefix("now at ");
    html! { @if let Some(target) = target { span.soft { "now at" } " " (target) } @else { (text) } }
}
