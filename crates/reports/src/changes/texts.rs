//! The texts of a page's edits: those that its record keeps, and where it keeps none, from the contents.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use recrawl_core::changes::edits::{OwnMarks, line_id};
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::content::Reading;
use recrawl_core::model::edit::{Edit, EditSide, LineId, MAX_TEXT, is_whole};
use recrawl_core::model::outline::MetaKind;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Change;
use recrawl_core::ports::{History, StoreError};

use super::Conditions;
use super::tiers::{edits_of, told_edits};
use crate::difference::text_of;
use crate::text_diff::{Context, Limit, Tag, compare_within};

/// How long the comparison of one page without edits may take.
const LONGEST: Duration = Duration::from_millis(50);

/// How much of a text is looked at.
const LARGEST: usize = 1 << 20;

/// What went and what came on a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditTexts {
    /// What went, the heaviest edit first.
    pub went: Vec<String>,
    /// What came.
    pub came: Vec<String>,
}

impl EditTexts {
    /// Tells whether the words are as `conditions` ask for.
    pub fn are_admitted_by(&self, conditions: &Conditions) -> bool {
        let went: Vec<&str> = self.went.iter().map(String::as_str).collect();
        let came: Vec<&str> = self.came.iter().map(String::as_str).collect();
        conditions.admit(&went, &came)
    }

    /// Returns what became what, edit by edit, where it is known which became which; else one side at a time.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        let (went, came) = (self.went.iter().map(String::as_str), self.came.iter().map(String::as_str));
        if self.went.len() == self.came.len() {
            return went.zip(came).collect();
        }
        went.map(|text| (text, "")).chain(came.map(|text| ("", text))).collect()
    }

    /// Returns what is told of a record, whole: what a new page says, what a gone one said, what its own edits say.
    pub async fn read(history: &dyn History, record: &PageRecord) -> Result<Self, StoreError> {
        match record.visit.verdict.change() {
            Some(Change::Add) => {
                let text = text_of(history, &record.site, record.offered_content()).await?;
                Ok(Self { went: Vec::new(), came: text.map(shortened).into_iter().collect() })
            }
            Some(Change::Delete) => {
                let text = text_of(history, &record.site, record.known.content.as_ref()).await?;
                Ok(Self { went: text.map(shortened).into_iter().collect(), came: Vec::new() })
            }
            Some(Change::Move) => Ok(Self::default()),
            Some(Change::Change) | None => Self::of_edits(history, record).await,
        }
    }

    async fn of_edits(history: &dyn History, record: &PageRecord) -> Result<Self, StoreError> {
        if edits_of(record).is_empty() {
            return Self::without_edits(history, record).await;
        }
        let are_whole = |edit: &Edit| {
            let texts = edit.texts.as_ref();
            edit.count == 1 && texts.is_some_and(|(went, came)| is_whole(went) && is_whole(came))
        };
        let lines =
            if told_edits(record).all(are_whole) { None } else { PageLines::read(history, record).await? };
        let mut texts = Self::default();
        for edit in told_edits(record) {
            let (went, came) = match &lines {
                Some(lines) => lines.of(edit),
                None => (None, None),
            };
            let stored = edit.texts.clone().unwrap_or_default();
            texts.went.push(went.unwrap_or(stored.0));
            texts.came.push(came.unwrap_or(stored.1));
        }
        Ok(texts)
    }

    async fn without_edits(history: &dyn History, record: &PageRecord) -> Result<Self, StoreError> {
        let before = history.latest_before(&record.site, record.crawl, &record.url).await?;
        let older = before.as_ref().and_then(PageRecord::offered_content);
        let older = text_of(history, &record.site, older).await?;
        let newer = text_of(history, &record.site, record.offered_content()).await?;
        let Some((older, newer)) = older.zip(newer) else { return Ok(Self::default()) };
        let deadline = Instant::now() + LONGEST;
        let difference = compare_within(&older, &newer, Context::Lines(0), deadline, Limit::NONE);
        let mut texts = Self::default();
        for line in difference.hunks.iter().flat_map(|hunk| &hunk.lines) {
            let text = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
            match line.tag {
                Tag::Removed => texts.went.push(text),
                Tag::Added => texts.came.push(text),
                Tag::Same => {}
            }
        }
        Ok(texts)
    }
}

/// The lines of a page before and after a visit, by the names that edits give them.
#[derive(Debug)]
pub(crate) struct PageLines {
    before: HashMap<LineId, String>,
    after: HashMap<LineId, String>,
}

impl PageLines {
    /// Reads both contents; `None` where one is not there.
    pub(crate) async fn read(history: &dyn History, record: &PageRecord) -> Result<Option<Self>, StoreError> {
        let previous = history.latest_before(&record.site, record.crawl, &record.url).await?;
        let contents = previous.and_then(|previous| previous.known.content).zip(record.known.content.clone());
        let Some((before, after)) = contents else { return Ok(None) };
        let hashes = [before.hash, after.hash];
        let readings = history.readings(&record.site, &[before, after]).await?;
        let Ok([Some(before), Some(after)]) = <[Option<Reading>; 2]>::try_from(readings) else {
            return Ok(None);
        };
        let stored = history.titles(&record.site, &hashes).await?;
        let title = |reading: &Reading, place: usize| {
            let meta = reading.outline.as_ref().map(|outline| &outline.meta);
            let said = meta.and_then(|meta| meta.iter().find(|(kind, _)| *kind == MetaKind::Title));
            said.map(|(_, title)| title.clone()).or_else(|| stored.get(&hashes[place]).cloned())
        };
        let titles = [title(&before, 0), title(&after, 1)];
        let own = OwnMarks::new(&record.url, &[titles[0].as_deref(), titles[1].as_deref()]);
        Ok(Some(Self { before: lines(&before, &own), after: lines(&after, &own) }))
    }

    /// Returns what went and what came in an edit of the text, as far as it is found.
    pub(crate) fn of(&self, edit: &Edit) -> (Option<String>, Option<String>) {
        if edit.aspect != Aspect::Text {
            return (None, None);
        }
        let find = |lines: &HashMap<LineId, String>, side: &Option<EditSide>| {
            side.as_ref().and_then(|side| lines.get(&side.line)).cloned()
        };
        (find(&self.before, &edit.went), find(&self.after, &edit.came))
    }
}

/// What became of the lines of a page that went and came, by their words.
#[derive(Debug, Clone, Default)]
pub struct LineEdits {
    /// The edits of lines that went.
    pub went: HashMap<String, Edit>,
    /// The edits of lines that came.
    pub came: HashMap<String, Edit>,
}

impl LineEdits {
    /// Reads them for the edits of a record; none where it has no edits or a content is not there.
    pub async fn read(history: &dyn History, record: &PageRecord) -> Result<Self, StoreError> {
        let mut edits = Self::default();
        if edits_of(record).is_empty() {
            return Ok(edits);
        }
        let Some(lines) = PageLines::read(history, record).await? else { return Ok(edits) };
        for edit in edits_of(record) {
            let (went, came) = lines.of(edit);
            edits.went.extend(went.map(|line| (line, edit.clone())));
            edits.came.extend(came.map(|line| (line, edit.clone())));
        }
        Ok(edits)
    }
}

fn lines(reading: &Reading, own: &OwnMarks) -> HashMap<LineId, String> {
    reading.text.lines().map(|line| (line_id(line, own), line.to_owned())).collect()
}

fn shortened(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LARGEST));
    text
}

/// Returns what went and what came in the heaviest edit that is told of a page, in short.
pub(crate) async fn heaviest(
    history: &dyn History,
    record: &PageRecord,
) -> Result<Option<(String, String)>, StoreError> {
    let stored = told_edits(record).find_map(|edit| edit.texts.clone());
    if stored.is_some() || told_edits(record).next().is_none() {
        return Ok(stored);
    }
    let Some(lines) = PageLines::read(history, record).await? else { return Ok(None) };
    let cut = |text: Option<String>| -> String {
        text.map(|text| text.chars().take(MAX_TEXT).collect()).unwrap_or_default()
    };
    let found =
        told_edits(record).map(|edit| lines.of(edit)).find(|(went, came)| went.is_some() || came.is_some());
    Ok(found.map(|(went, came)| (cut(went), cut(came))))
}
