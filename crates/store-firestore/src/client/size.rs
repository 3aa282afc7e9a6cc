//! How much of the storage a document takes, by Google's rules
//! (<https://cloud.google.com/firestore/docs/storage-size>): itself, and its entries in indexes.

use std::collections::HashMap;

use firestore::gcloud_sdk::google::firestore::v1::precondition::ConditionType;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::write::Operation;
use firestore::gcloud_sdk::google::firestore::v1::{Document, Value, Write};

/// What every document, map and entry takes beside what it holds.
const OVERHEAD: u64 = 32;
/// What a name takes beside its parts.
const NAME: u64 = 16;
/// How many bytes of a value an entry has at most.
const LONGEST_INDEXED: u64 = 1_500;

/// The fields that no index has, as `infra/firestore.tf` says.
const NOT_INDEXED: [(&str, &[&str]); 6] = [
    (
        "content",
        &["body", "meanings", "more_links", "outbound_links", "outline", "text", "text_zstd", "title_zstd"],
    ),
    ("links", &["outbound_links"]),
    ("memos", &["value", "value_zstd"]),
    ("roll", &["pages", "sightings"]),
    ("shared", &["changes"]),
    ("texts", &["text", "text_zstd", "used_by"]),
];

/// The collections whose documents are written whole and once.
const WRITTEN_ONCE: [&str; 3] = ["links", "roll", "shared"];

/// Returns how much is stored after a write that was not before; what is written over is taken to be as long as before.
pub(super) fn added(write: &Write) -> u64 {
    let Some(Operation::Update(document)) = &write.operation else { return 0 };
    let condition = write.current_document.as_ref().and_then(|condition| condition.condition_type.as_ref());
    let is_new = matches!(condition, Some(ConditionType::Exists(false)));
    let (path, collection, _) = parts(&document.name);
    if is_new || WRITTEN_ONCE.contains(&collection) && !path.is_empty() { size_of(document) } else { 0 }
}

/// Returns how much a document takes.
fn size_of(document: &Document) -> u64 {
    let (path, collection, parent) = parts(&document.name);
    let name = size_of_name(path);
    let entry = name + size_of_name(parent) + OVERHEAD;
    let not_indexed =
        NOT_INDEXED.iter().find(|(of, _)| *of == collection).map_or(&[][..], |(_, fields)| fields);
    let indexed = document.fields.iter().filter(|(field, _)| !not_indexed.contains(&field.as_str()));
    let entries: u64 = indexed.map(|(field, value)| size_of_entries(field, value, entry)).sum();
    name + size_of_fields(&document.fields) + OVERHEAD + entries
}

/// Returns the path of a document, its collection and the path of the document above.
fn parts(name: &str) -> (&str, &str, &str) {
    let path = name.split_once("/documents/").map_or(name, |(_, path)| path);
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    let (parent, collection) = above.rsplit_once('/').unwrap_or(("", above));
    (path, collection, parent)
}

fn size_of_text(text: &str) -> u64 {
    text.len() as u64 + 1
}

fn size_of_name(path: &str) -> u64 {
    path.split('/').filter(|part| !part.is_empty()).map(size_of_text).sum::<u64>() + NAME
}

fn size_of_fields(fields: &HashMap<String, Value>) -> u64 {
    fields.iter().map(|(name, value)| size_of_text(name) + size_of_value(value)).sum()
}

fn size_of_value(value: &Value) -> u64 {
    match &value.value_type {
        Some(ValueType::StringValue(text)) => size_of_text(text),
        Some(ValueType::BytesValue(bytes)) => bytes.len() as u64,
        Some(ValueType::ReferenceValue(name)) => size_of_name(parts(name).0),
        Some(ValueType::ArrayValue(list)) => list.values.iter().map(size_of_value).sum(),
        Some(ValueType::MapValue(map)) => size_of_fields(&map.fields) + OVERHEAD,
        Some(ValueType::NullValue(_) | ValueType::BooleanValue(_)) | None => 1,
        Some(_) => 8,
    }
}

/// Returns what the entries of a field take: one in either direction for a value, one for each element of a list, and
/// those of its fields for a map.
fn size_of_entries(field: &str, value: &Value, entry: u64) -> u64 {
    let indexed = |value: &Value| entry + size_of_text(field) + size_of_value(value).min(LONGEST_INDEXED);
    match &value.value_type {
        Some(ValueType::MapValue(map)) => {
            let fields = map.fields.iter();
            fields.map(|(name, value)| size_of_entries(&format!("{field}.{name}"), value, entry)).sum()
        }
        Some(ValueType::ArrayValue(list)) => list.values.iter().map(indexed).sum(),
        _ => 2 * indexed(value),
    }
}
