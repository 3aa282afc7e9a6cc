//! Rows that say one thing in one line: a move and the page that it leads to, and many pages below one folder.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::EventId;
use recrawl_core::model::kind::{Tier, WordCount};
use recrawl_core::model::review::ReviewMark;
use recrawl_core::model::shared_change::{MAX_SAMPLES, MAX_URLS};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;

use super::moves::Moves;
use super::reviewed::Marks;
use super::{ChangeName, FolderEntry, ListedRecord, PageRow};

/// More pages below one folder are one row.
const MANY: usize = 20;

/// Makes one row of a move and the new page that it leads to, where that says the same.
pub(super) fn fold_moves(records: &[Arc<ListedRecord>], moves: &Moves) -> Vec<PageRow> {
    let is = |listed: &ListedRecord, verdict| listed.record.visit.verdict == verdict;
    let is_listed: HashSet<&PageUrl> = records.iter().map(|listed| &listed.record.url).collect();
    let target_of = |listed: &ListedRecord| {
        let target = moves.get(&listed.record.url).filter(|_| is(listed, Verdict::Moved));
        target.filter(|target| is_listed.contains(target))
    };
    let reached: HashSet<&PageUrl> = records.iter().filter_map(|listed| target_of(listed)).collect();
    let row = |listed: &Arc<ListedRecord>| PageRow {
        same_text: target_of(listed).is_some(),
        ..PageRow::of(Arc::clone(listed))
    };
    let is_told_by_its_move =
        |listed: &ListedRecord| is(listed, Verdict::New) && reached.contains(&listed.record.url);
    records.iter().filter(|listed| !is_told_by_its_move(listed)).map(row).collect()
}

/// Takes many pages below one folder that are new, or gone, out of `rows` and returns a row for each such folder.
///
/// The deepest folder that has enough of them is named. The root of a host is no folder: that is the site.
pub(super) fn fold_folders(site: &Site, rows: &mut Vec<PageRow>, marks: &Marks) -> Vec<FolderEntry> {
    let folders = take_folders(site, rows);
    folders
        .into_iter()
        .filter_map(|(name, verdict, pages)| entry(site, name, verdict, pages, marks))
        .collect()
}

/// Makes pages seen whose folder somebody has seen, where folders are open.
pub(super) fn open_folders(site: &Site, rows: &mut Vec<PageRow>, marks: &Marks) {
    for (name, verdict, mut pages) in take_folders(site, rows) {
        for page in &mut pages {
            let crawl = page.listed.record.crawl;
            page.mark.seen |= marks.of(crawl, &EventId::of_folder(crawl, verdict, &name)).seen;
        }
        rows.extend(pages);
    }
}

fn take_folders(site: &Site, rows: &mut Vec<PageRow>) -> Vec<(String, Verdict, Vec<PageRow>)> {
    let mut folders = Vec::new();
    for verdict in [Verdict::New, Verdict::Gone] {
        let of_verdict = |row: &PageRow| row.listed.record.visit.verdict == verdict && row.more == 0;
        let (mut left, others): (Vec<PageRow>, Vec<PageRow>) =
            std::mem::take(rows).into_iter().partition(of_verdict);
        *rows = others;
        let depth = |row: &PageRow| row.listed.record.url.path().matches('/').count();
        let deepest = left.iter().map(depth).max().unwrap_or(0);
        for depth in (2..=deepest).rev() {
            let mut groups: BTreeMap<String, Vec<PageRow>> = BTreeMap::new();
            let mut elsewhere = Vec::new();
            for row in left {
                match folder_of(&site.root, &row.listed.record.url, depth) {
                    Some(folder) => groups.entry(folder).or_default().push(row),
                    None => elsewhere.push(row),
                }
            }
            left = elsewhere;
            for (folder, group) in groups {
                if group.len() > MANY {
                    folders.push((folder, verdict, group));
                } else {
                    left.extend(group);
                }
            }
        }
        rows.extend(left);
    }
    folders
}

/// Returns the folder above a page that ends with the slash of this number, if the page is below it.
fn folder_of(root: &PageUrl, url: &PageUrl, slashes: usize) -> Option<String> {
    let (place, _) = url.path().match_indices('/').nth(slashes - 1)?;
    let folder = &url.path()[..=place];
    let host = if url.authority() == root.authority() { "" } else { url.authority() };
    Some(format!("{host}{folder}"))
}

fn entry(
    site: &Site,
    folder: String,
    verdict: Verdict,
    mut group: Vec<PageRow>,
    marks: &Marks,
) -> Option<FolderEntry> {
    group.sort_by(|one, other| one.listed.record.url.cmp(&other.listed.record.url));
    let first = group.first()?;
    let urls = || group.iter().map(|row| row.listed.record.url.clone());
    let words = group.iter().map(|row| row.listed.record.visit.words);
    let crawl = first.listed.record.crawl;
    let names = group.iter().map(|row| row.listed.record.crawl).collect::<HashSet<_>>();
    let name = |crawl| ChangeName { crawl, id: EventId::of_folder(crawl, verdict, &folder) };
    let also: Vec<ChangeName> = names.into_iter().filter(|other| *other != crawl).map(name).collect();
    let id = name(crawl).id;
    let seen = |crawl| marks.of(crawl, &name(crawl).id).seen;
    let mark = ReviewMark {
        seen: group.iter().all(|row| row.mark.seen || seen(row.listed.record.crawl)),
        ..marks.of(crawl, &id)
    };
    let sum = |one: u32, other: u32| one.saturating_add(other);
    Some(FolderEntry {
        url: first.listed.record.url.clone(),
        kind: verdict,
        crawl,
        id,
        also,
        review: marks.is_known().then(|| mark.into()),
        section: first.listed.section.clone(),
        site: site.id.clone(),
        tier: Tier::Content,
        weight: group.iter().map(|row| row.listed.record.visit.weight).max().unwrap_or(0),
        words: words.fold(WordCount::default(), |all, one| WordCount {
            changed: sum(all.changed, one.changed),
            of: sum(all.of, one.of),
        }),
        folder,
        pages: group.len() as u64,
        samples: urls().take(MAX_SAMPLES).collect(),
        urls: urls().take(MAX_URLS).collect(),
        urls_cut: group.len() > MAX_URLS,
    })
}
