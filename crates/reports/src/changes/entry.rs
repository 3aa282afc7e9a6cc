//! The entries of a list of changes: a page, a folder of pages that came or went together, a shared change.

use jiff::Timestamp;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::edit::EditId;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Kinds, Tier, WordCount};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::region::Region;
use recrawl_core::model::review::{ChangeId, ReviewMark};
use recrawl_core::model::shared_change::{MAX_SAMPLES, MAX_URLS, SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_core::words::counted;
use serde::Serialize;
use utoipa::ToSchema;

use super::excerpts::Details;
use super::texts::EditTexts;
use crate::digest::BriefDifference;
use crate::faults::redirect_targets;
use crate::marks::{marks, written};
use crate::section::section_of;
use crate::text_diff::Line;

/// One row of a list of changes; its JSON form is stable, in the command and in the API.
///
/// Only entries of several pages have `pages`; only those of a folder have `folder`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ChangeRow {
    /// What was found out about one page.
    Page(Box<ChangeEntry>),
    /// Many pages below one folder that are new, or gone.
    Folder(FolderEntry),
    /// The same edit on several pages.
    Shared(SharedEntry),
}

impl ChangeRow {
    /// The fields that fit into columns, in their order: those of a page, then those of several.
    pub const FIELDS: [&str; 34] = [
        "url",
        "kind",
        "crawl",
        "status",
        "fetched_at",
        "title",
        "previous_status",
        "location",
        "referrer",
        "reason",
        "aspects",
        "id",
        "section",
        "target",
        "archive",
        "wayback_url",
        "site",
        "tier",
        "weight",
        "kinds",
        "words_changed",
        "words_of",
        "went",
        "came",
        "more",
        "folder",
        "pages",
        "samples",
        "region",
        "template",
        "noise",
        "seen",
        "starred",
        "note",
    ];

    /// Returns the page of the entry, or the first of its pages.
    pub fn url(&self) -> Option<&PageUrl> {
        match self {
            Self::Page(entry) => Some(&entry.url),
            Self::Folder(entry) => Some(&entry.url),
            Self::Shared(entry) => entry.url.as_ref(),
        }
    }

    /// Returns how much it matters.
    pub fn weight(&self) -> u32 {
        match self {
            Self::Page(entry) => entry.weight,
            Self::Folder(entry) => entry.weight,
            Self::Shared(entry) => entry.weight,
        }
    }

    /// Returns the site.
    pub fn site(&self) -> Option<&SiteId> {
        match self {
            Self::Page(entry) => entry.site.as_ref(),
            Self::Folder(entry) => Some(&entry.site),
            Self::Shared(entry) => Some(&entry.site),
        }
    }

    /// Returns what people did with it, where that was asked for.
    pub fn review(&self) -> Option<&ReviewView> {
        match self {
            Self::Page(entry) => entry.review.as_ref(),
            Self::Folder(entry) => entry.review.as_ref(),
            Self::Shared(entry) => entry.review.as_ref(),
        }
    }

    /// Returns the name of the change: stars and notes are kept under it.
    pub fn change(&self) -> ChangeId {
        match self {
            Self::Page(entry) => ChangeId { crawl: entry.crawl, event: entry.id },
            Self::Folder(entry) => ChangeId { crawl: entry.crawl, event: entry.id },
            Self::Shared(entry) => ChangeId { crawl: entry.crawl, event: entry.event() },
        }
    }

    /// Returns the names of all changes that somebody who has seen the row has seen: its own, and what it stands for.
    pub fn changes(&self) -> Vec<ChangeId> {
        let also = match self {
            Self::Page(entry) => &*entry.also,
            Self::Folder(entry) => &*entry.also,
            Self::Shared(_) => &[],
        };
        let also = also.iter().map(|also| ChangeId { crawl: also.crawl, event: also.id });
        std::iter::once(self.change()).chain(also).collect()
    }

    /// Returns the entry of a page, if it is one.
    pub fn page(&self) -> Option<&ChangeEntry> {
        match self {
            Self::Page(entry) => Some(entry),
            Self::Folder(_) | Self::Shared(_) => None,
        }
    }
}

/// What a crawl found out about one page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangeEntry {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// What was found.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// When the page was visited.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// The title of the page.
    pub title: Option<String>,
    /// The HTTP status of the visit that it was compared with.
    pub previous_status: Option<u16>,
    /// Where the page redirects: an absolute address, or what was sent if it is none.
    pub location: Option<String>,
    /// The page that led here first.
    #[schema(value_type = Option<String>, format = "uri")]
    pub referrer: Option<PageUrl>,
    /// Why the visit failed or did not take place.
    pub reason: Option<String>,
    /// What differs: `text`, `links`, `media`, `meta`.
    #[schema(value_type = Vec<String>)]
    pub aspects: Aspects,
    /// Its stable id: the SHA-256 of crawl, line feed and address.
    #[schema(value_type = String)]
    pub id: EventId,
    /// The section of the site that the page is in.
    pub section: String,
    /// The page that it redirects to.
    #[schema(value_type = Option<String>, format = "uri")]
    pub target: Option<PageUrl>,
    /// How far the archiving of the change has come.
    #[schema(value_type = Option<String>)]
    pub archive: Option<ArchiveState>,
    /// Where its capture can be seen.
    pub wayback_url: Option<String>,
    /// The site.
    #[schema(value_type = Option<String>)]
    pub site: Option<SiteId>,
    /// How near the change is to what the page is about: 1 its content, 2 around it, 3 noise; null where there is none.
    #[schema(value_type = Option<u8>)]
    pub tier: Option<Tier>,
    /// How much the change matters, from 0 to 1,000.
    pub weight: u32,
    /// What kinds of change it is: `title`, `headings`, `text`, `numbers`, `dates`, `links`, `media`, `description`,
    /// `canonical`, `robots`, `document`.
    #[schema(value_type = Vec<String>)]
    pub kinds: Kinds,
    /// How large it is, in words of the content.
    #[schema(value_type = Words)]
    pub words: WordCount,
    /// What went, in its heaviest own edit, in short.
    pub went: Option<String>,
    /// What came, in its heaviest own edit, in short.
    pub came: Option<String>,
    /// The page moved, and the page that it leads to has the same text; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_text: bool,
    /// How many more changes of the page there are in the window; 0 where it is absent.
    #[serde(skip_serializing_if = "is_none")]
    pub more: usize,
    /// The other changes that the row stands for: earlier ones of the page in the window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ChangeName>,
    /// The crawl whose version of the page shows what was known before the window, where that is not the one before
    /// `crawl`: what the difference of the row is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub before: Option<CrawlId>,
    /// It changed in the window, and is back as it was before; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed_back: bool,
    /// What people did with it.
    #[serde(flatten)]
    #[schema(value_type = ReviewView)]
    pub review: Option<ReviewView>,
    /// Two lines of what came and went.
    pub excerpt: Vec<Line>,
    /// What differs in its text, in brief: read for digests alone.
    #[serde(skip)]
    pub difference: Option<BriefDifference>,
    /// The shared change that it is, where a shared change has to have the form of a page.
    #[serde(skip)]
    pub shared: Option<Box<SharedEntry>>,
    /// All that went and came: read for feeds, and for digests that ask for words.
    #[serde(skip)]
    pub texts: Option<Box<EditTexts>>,
}

/// What people did with a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReviewView {
    /// Somebody has seen it.
    pub seen: bool,
    /// Somebody marked it, to find it again.
    pub starred: bool,
    /// What somebody wrote about it.
    pub note: Option<String>,
}

impl From<ReviewMark> for ReviewView {
    fn from(mark: ReviewMark) -> Self {
        Self { seen: mark.seen, starred: mark.starred, note: mark.note.map(String::from) }
    }
}

/// Names a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangeName {
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Its id.
    #[schema(value_type = String)]
    pub id: EventId,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_none(number: &usize) -> bool {
    *number == 0
}

/// How large a change is, in words of the content.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it documents the form of another type")]
struct Words {
    /// How many went or came.
    changed: u32,
    /// How many there are; of a page that is gone, how many there were.
    of: u32,
}

impl ChangeEntry {
    /// Returns an entry of which no more is known than what happened to which page.
    pub fn bare(crawl: CrawlId, url: PageUrl, kind: Verdict) -> Self {
        Self {
            id: EventId::new(crawl, &url),
            url,
            kind,
            crawl,
            status: None,
            fetched_at: Timestamp::UNIX_EPOCH,
            title: None,
            previous_status: None,
            location: None,
            referrer: None,
            reason: None,
            aspects: Aspects::NONE,
            section: String::new(),
            target: None,
            archive: None,
            wayback_url: None,
            site: None,
            tier: None,
            weight: 0,
            kinds: Kinds::default(),
            words: WordCount::default(),
            went: None,
            came: None,
            same_text: false,
            more: 0,
            also: Vec::new(),
            before: None,
            changed_back: false,
            review: None,
            excerpt: Vec::new(),
            difference: None,
            shared: None,
            texts: None,
        }
    }

    /// Returns a shared change as the entry of its first page, or of the root, where one form for all has to do: its
    /// title says what is shared, and on how many pages.
    pub fn of_shared(entry: SharedEntry, root: &PageUrl, found_at: Timestamp) -> Self {
        let told = written(&marks(entry.went.as_deref(), entry.came.as_deref(), 120));
        let lines = [(&entry.went, '-'), (&entry.came, '+')];
        let lines = lines.iter().filter_map(|(text, sign)| text.as_ref().map(|text| format!("{sign}{text}")));
        let brief = lines.collect::<Vec<_>>().join("\n");
        let url = entry.url.clone().unwrap_or_else(|| root.clone());
        let texts = EditTexts {
            went: entry.went.iter().cloned().collect(),
            came: entry.came.iter().cloned().collect(),
        };
        Self {
            id: entry.event(),
            title: Some(format!("{told} on {}", counted(entry.pages, "page"))),
            fetched_at: found_at,
            site: Some(entry.site.clone()),
            tier: Some(entry.tier),
            weight: entry.weight,
            kinds: entry.kinds,
            went: entry.went.clone(),
            came: entry.came.clone(),
            difference: (!brief.is_empty()).then(|| BriefDifference::new(brief)),
            texts: Some(Box::new(texts)),
            ..Self::bare(entry.crawl, url, Verdict::Shared)
        }
        .with_shared(entry)
    }

    fn with_shared(self, entry: SharedEntry) -> Self {
        Self { shared: Some(Box::new(entry)), ..self }
    }

    pub(super) fn of(site: &Site, record: &PageRecord, title: Option<String>, details: Details) -> Self {
        let archive = record.archive.as_ref();
        let visit = &record.visit;
        Self {
            status: visit.status,
            fetched_at: visit.fetched_at,
            title,
            previous_status: details.previous_status,
            location: record.location(),
            referrer: record.found.referrer.clone(),
            reason: visit.reason.clone(),
            aspects: visit.aspects,
            section: section_of(&site.root, &record.url),
            target: redirect_targets(record).into_iter().next(),
            archive: archive.map(|archive| archive.state),
            wayback_url: archive.and_then(|archive| archive.wayback_url.clone()),
            site: Some(site.id.clone()),
            tier: super::tiers::tier_of(record),
            weight: visit.weight,
            kinds: visit.kinds,
            words: visit.words,
            went: details.went,
            came: details.came,
            excerpt: details.excerpt,
            ..Self::bare(record.crawl, record.url.clone(), visit.verdict)
        }
    }
}

/// Many pages below one folder that are new, or gone.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FolderEntry {
    /// The first of the pages.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// What happened to them: `new` or `gone`.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The crawl that found it; the first, where several did.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Its stable id.
    #[schema(value_type = String)]
    pub id: EventId,
    /// The same in other crawls of the window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ChangeName>,
    /// What people did with it.
    #[serde(flatten)]
    #[schema(value_type = ReviewView)]
    pub review: Option<ReviewView>,
    /// The section of the site that the folder is in.
    pub section: String,
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// Always 1.
    #[schema(value_type = u8)]
    pub tier: Tier,
    /// How much the heaviest of the pages matters, from 0 to 1,000.
    pub weight: u32,
    /// How large they are together.
    #[schema(value_type = Words)]
    pub words: WordCount,
    /// The path of the folder, such as `/news/`; on another host than the site's, with that.
    pub folder: String,
    /// How many pages.
    pub pages: u64,
    /// The first of them, at most ten.
    #[schema(value_type = Vec<String>)]
    pub samples: Vec<PageUrl>,
    /// All of them, at most a thousand.
    #[schema(value_type = Vec<String>)]
    pub urls: Vec<PageUrl>,
    /// There are more; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub urls_cut: bool,
}

/// The same edit on several pages.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SharedEntry {
    /// The first of its pages.
    #[schema(value_type = Option<String>, format = "uri")]
    pub url: Option<PageUrl>,
    /// Always `shared`.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Its id: 16 hexadecimal digits, the same wherever the same words went and came.
    #[schema(value_type = String)]
    pub id: EditId,
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The tier of the place where it stands: 1 content, 2 around it, 3 noise.
    #[schema(value_type = u8)]
    pub tier: Tier,
    /// How much it matters, from 0 to 1,000.
    pub weight: u32,
    /// What kinds of change it is.
    #[schema(value_type = Vec<String>)]
    pub kinds: Kinds,
    /// What differs: `text`, `links`, `media` or `meta`.
    #[schema(value_type = String)]
    pub aspect: Aspect,
    /// What the pages have in common: `edit` (the same words), `shape` (words of the same shape), `shift` (a list moved
    /// on), `loss` (they lost their text), `return` (they say again what they said before), `rule` (a noise rule removed
    /// something else; `came` names it).
    #[schema(value_type = String)]
    pub by: SharedBy,
    /// What went, in short.
    pub went: Option<String>,
    /// What came, in short.
    pub came: Option<String>,
    /// On how many pages.
    pub pages: u64,
    /// Some of them, at most ten.
    #[schema(value_type = Vec<String>)]
    pub samples: Vec<PageUrl>,
    /// Where it stands: `content`, `nav`, `header`, `footer`, `aside`, `other`.
    #[schema(value_type = String)]
    pub region: Region,
    /// It is an edit of the site's frame.
    pub template: bool,
    /// It happens by itself.
    pub noise: bool,
    /// What people did with it.
    #[serde(flatten)]
    #[schema(value_type = ReviewView)]
    pub review: Option<ReviewView>,
    /// All of its pages, at most a thousand; in tier 1 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub urls: Option<Vec<PageUrl>>,
    /// There are more; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub urls_cut: bool,
}

impl SharedEntry {
    /// Returns a shared change of a crawl as it is listed.
    pub fn of(site: &SiteId, crawl: CrawlId, change: &SharedChange) -> Self {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let has_urls = change.tier == Tier::Content;
        Self {
            url: change.urls.first().cloned(),
            kind: Verdict::Shared,
            crawl,
            id: change.id,
            site: site.clone(),
            tier: change.tier,
            weight: change.weight,
            kinds: change.kinds,
            aspect: change.aspect,
            by: change.by,
            went: some(&change.went),
            came: some(&change.came),
            pages: change.pages,
            samples: change.urls.iter().take(MAX_SAMPLES).cloned().collect(),
            region: change.region,
            template: change.template,
            noise: change.noise,
            review: None,
            urls: has_urls.then(|| change.urls.iter().take(MAX_URLS).cloned().collect()),
            urls_cut: has_urls && change.is_cut(),
        }
    }

    /// Returns the stable id of what is told of it: the SHA-256 of crawl, line feed and its own id.
    pub fn event(&self) -> EventId {
        EventId::of_shared(self.crawl, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_fields_of_a_page_in_their_order_and_then_of_several() {
        let url = "https://example.org/a".parse().unwrap();
        let entry = ChangeEntry::bare("crawl-2026-11-16".parse().unwrap(), url, Verdict::New);
        let json = serde_json::to_value(&entry).unwrap();
        let of_page: Vec<&str> = ChangeRow::FIELDS.into_iter().take(24).collect();
        for field in of_page.iter().filter(|field| !field.starts_with("words_")) {
            assert!(json.get(field).is_some(), "{field}");
        }
        let text = serde_json::to_string(&entry).unwrap();
        let places: Vec<usize> =
            of_page.iter().filter_map(|field| text.find(&format!("\"{field}\":"))).collect();
        assert!(places.is_sorted(), "{text}");
    }
}
