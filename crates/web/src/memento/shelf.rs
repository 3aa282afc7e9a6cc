//! The versions of a page in all sites, by time.

use jiff::Timestamp;
use recrawl_core::model::record::PageRecord;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::versions;
use recrawl_reports::history::PageVisits;

use crate::app::App;
use crate::error::WebError;

/// One version of a page.
pub(super) struct Memento {
    /// When it was first seen.
    pub(super) time: Timestamp,
    /// The visit that found it.
    pub(super) record: PageRecord,
}

/// The versions of a page, oldest first; never none.
pub(super) struct Shelf(Vec<Memento>);

impl Shelf {
    /// Gathers the versions of a page that have content. A page without any is not found.
    pub(super) async fn of(app: &App, url: &PageUrl) -> Result<Self, WebError> {
        let mut mementos: Vec<Memento> = Vec::new();
        for site in app.library.sites().await? {
            let Some(visits) = PageVisits::read(&*app.library, &site.id, url).await? else { continue };
            let found = versions(&visits.trusted);
            let found = found.into_iter().filter(|version| version.first.offered_content().is_some());
            mementos.extend(
                found.map(|version| Memento { time: version.first_seen(), record: version.first.clone() }),
            );
        }
        mementos.sort_by_key(|memento| memento.time);
        mementos.dedup_by_key(|memento| memento.time.as_second());
        if mementos.is_empty() {
            return Err(WebError::NotFound(format!("there is no stored version of {url}")));
        }
        Ok(Self(mementos))
    }

    /// Returns every version, oldest first.
    pub(super) fn all(&self) -> &[Memento] {
        &self.0
    }

    /// Returns the oldest version.
    pub(super) fn first(&self) -> &Memento {
        &self.0[0]
    }

    /// Returns the newest version.
    pub(super) fn last(&self) -> &Memento {
        &self.0[self.0.len() - 1]
    }

    /// Returns the version that was current at `time`: the last one seen until then, or else the first.
    pub(super) fn at(&self, time: Timestamp) -> &Memento {
        let until = self.0.partition_point(|memento| memento.time.as_second() <= time.as_second());
        &self.0[until.saturating_sub(1)]
    }

    /// Returns the versions before and after `memento`.
    pub(super) fn beside(&self, memento: &Memento) -> (Option<&Memento>, Option<&Memento>) {
        let place = self.0.partition_point(|other| other.time < memento.time);
        (place.checked_sub(1).and_then(|before| self.0.get(before)), self.0.get(place + 1))
    }
}
