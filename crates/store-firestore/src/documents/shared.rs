//! `crawls/{crawl id}/shared/{number}`: shared changes of a crawl, as many as fit.

use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{Binary, cut, unreadable};
use crate::compression;

/// How long the frame of a document is at most.
const FRAME: usize = 900_000;
/// How many bytes are compressed at once.
const PLAIN: usize = 4_000_000;
/// The longest texts of a change that fits into no document.
const TEXT: usize = 10_000;

/// Shared changes of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedDocument {
    /// How many there are.
    count: u64,
    changes: Binary,
}

impl SharedDocument {
    /// Makes changes fit into documents, in their order.
    pub(crate) fn of(changes: &[SharedChange]) -> Result<Vec<Self>, StoreError> {
        let mut documents = Vec::new();
        let mut rest = changes;
        while !rest.is_empty() {
            let mut bytes = 0;
            let mut count = 0;
            for change in rest {
                bytes += size(change);
                if count > 0 && bytes > PLAIN {
                    break;
                }
                count += 1;
            }
            let (now, later) = rest.split_at(count);
            add(&mut documents, now)?;
            rest = later;
        }
        Ok(documents)
    }

    /// Reads the changes.
    pub(crate) fn read(&self) -> Result<Vec<SharedChange>, StoreError> {
        let json = compression::decompress(&self.changes.0).map_err(unreadable)?;
        serde_json::from_slice(&json).map_err(unreadable)
    }
}

/// Returns how many bytes a change takes, roughly.
fn size(change: &SharedChange) -> usize {
    let addresses: usize = change.urls.iter().map(|url| url.as_str().len() + 3).sum();
    addresses + change.went.len() + change.came.len() + 19 * change.also.len() + 300
}

/// Writes changes into one document, or into several where that is too long.
fn add(documents: &mut Vec<SharedDocument>, changes: &[SharedChange]) -> Result<(), StoreError> {
    let frame = compression::compress(&serde_json::to_vec(changes).map_err(unreadable)?);
    match changes {
        _ if frame.len() <= FRAME => {
            documents.push(SharedDocument { count: changes.len() as u64, changes: Binary(frame) });
            Ok(())
        }
        [change] => add(documents, &[shortened(change)]),
        _ => {
            let (first, second) = changes.split_at(changes.len() / 2);
            add(documents, first)?;
            add(documents, second)
        }
    }
}

/// Returns a change that fits into no document with half of its addresses, and with texts that do.
fn shortened(change: &SharedChange) -> SharedChange {
    let mut change = change.clone();
    change.urls.truncate(change.urls.len() / 2);
    change.also.truncate(change.also.len() / 2);
    (change.went, change.came) = (cut(&change.went, TEXT), cut(&change.came, TEXT));
    change
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::ids::ContentHash;
    use recrawl_core::model::shared_change::MAX_URLS;
    use recrawl_core::url::PageUrl;
    use recrawl_testkit::contract::samples;

    use super::*;

    fn addresses(length: usize) -> Vec<PageUrl> {
        let name = |number: usize| {
            let hash = ContentHash::of(&number.to_le_bytes()).to_string();
            samples::page(&format!("/{number}/{}", hash.repeat(length / 64 + 1)))
        };
        (0..MAX_URLS).map(name).collect()
    }

    fn read(documents: &[SharedDocument]) -> Vec<SharedChange> {
        assert!(documents.iter().all(|document| document.changes.0.len() <= FRAME));
        documents.iter().flat_map(|document| document.read().unwrap()).collect()
    }

    #[test]
    fn three_thousand_changes_with_a_thousand_addresses_each_are_kept_whole() {
        let urls = addresses(1);
        let change = |id| SharedChange { urls: urls.clone(), ..samples::shared_change(id) };
        let changes: Vec<SharedChange> = (0..3_000).map(change).collect();
        let documents = SharedDocument::of(&changes).unwrap();
        let counts = documents.iter().map(|document| document.count).sum::<u64>();
        assert!(documents.len() > 1 && counts == 3_000);
        assert!(documents.iter().all(|document| document.changes.0.len() <= FRAME));
        // Reading all of them back takes a while.
        let last = documents.last().unwrap().read().unwrap();
        assert!(last == changes[changes.len() - last.len()..]);
    }

    #[test]
    fn a_change_that_fits_into_no_document_loses_addresses_and_nothing_else() {
        let mut long = samples::shared_change(1);
        let hash = |number: u64| ContentHash::of(&number.to_le_bytes()).to_string();
        long.urls = (0..MAX_URLS as u64)
            .map(|number| {
                samples::page(&format!(
                    "/{}",
                    (0..60).map(|part| hash(number * 100 + part)).collect::<String>()
                ))
            })
            .collect();
        let changes = [samples::shared_change(0), long, samples::shared_change(2)];
        let read = read(&SharedDocument::of(&changes).unwrap());
        assert_eq!(read.iter().map(|change| change.id.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(!read[1].urls.is_empty() && read[1].urls.len() < MAX_URLS && read[1].is_cut());
        let whole =
            SharedChange { urls: changes[1].urls.clone(), also: changes[1].also.clone(), ..read[1].clone() };
        assert!(whole == changes[1]);
    }

    #[test]
    fn no_changes_take_no_document() {
        assert_eq!(SharedDocument::of(&[]).unwrap(), []);
    }
}
