//! What documents look like: separate types, so that the words of the domain may change and what is stored
//! may not. Fixtures in `test-data` pin them.

mod archive;
mod binary;
mod content;
mod crawl;
mod details;
mod operations;
mod page;
mod page_index;
mod shared;
mod signatures;
mod site;
mod state;
mod stumble;

use firestore::gcloud_sdk::google::firestore::v1::Document;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::{
    FirestoreTimestamp, firestore_document_from_serializable, firestore_document_to_serializable,
};
use jiff::Timestamp;
use recrawl_core::ports::{Source, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use self::archive::ArchiveMap;
pub(crate) use self::binary::Binary;
pub(crate) use self::content::{
    BODY_FIELDS, BodyFields, ContentDocument, LinksDocument, MEANINGS, OUTLINE_FIELDS, ReadingFields,
    TEXT_FIELDS, TextDocument, TitleFields, USED_BY,
};
pub(crate) use self::crawl::{CLOSING_FIELDS, CrawlDocument, CrawlOrder, SuspicionMap};
pub(crate) use self::operations::OperationsDocument;
pub(crate) use self::page::{FORMER_FIELDS, FOUND_FIELDS, PageDocument, SETTLED_FIELDS, SUMMARY_FIELDS};
pub(crate) use self::page_index::PageIndexDocument;
pub(crate) use self::shared::SharedDocument;
pub(crate) use self::signatures::SignaturesMap;
pub(crate) use self::site::{PlanFields, SiteDocument};
pub(crate) use self::state::StateDocument;
pub(crate) use self::stumble::{StumbleDocument, StumbledBody};

/// Makes a document of this name.
pub(crate) fn write(name: String, shape: &impl Serialize) -> Result<Document, StoreError> {
    firestore_document_from_serializable(name, shape).map_err(unreadable)
}

/// Reads a document.
pub(crate) fn read<T: DeserializeOwned>(document: &Document) -> Result<T, StoreError> {
    firestore_document_to_serializable(document).map_err(unreadable)
}

/// Reports something stored that cannot be read.
pub(crate) fn unreadable(why: impl Into<Source>) -> StoreError {
    StoreError::Corrupt(why.into())
}

/// Returns a time as Firestore keeps it: to the microsecond.
pub(crate) fn time(time: Timestamp) -> FirestoreTimestamp {
    FirestoreTimestamp(time).truncated_to_firestore_precision()
}

/// Returns a time as a value to compare with.
pub(crate) fn time_value(time: Timestamp) -> ValueType {
    ValueType::TimestampValue(firestore::timestamp_utils::to_timestamp(time))
}

/// Returns as much of a text as has at most `limit` bytes.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    text[..text.floor_char_boundary(limit)].to_owned()
}

/// A boolean that is left out where it is not set.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_unset(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod fixture;
