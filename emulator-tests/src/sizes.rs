//! How much of Firestore's storage a document takes, by Google's rules
//! (<https://cloud.google.com/firestore/docs/storage-size>): the document, and an entry in an index for each of its fields
//! in either direction.

use std::collections::BTreeSet;

use serde_json::Value;

/// What every document, map and entry of an index takes beside what it holds.
const OVERHEAD: u64 = 32;
/// What a name takes beside its parts.
const NAME: u64 = 16;
/// How many bytes of a value an entry of an index has at most.
const LONGEST_INDEXED: u64 = 1_500;

/// The fields that no index has, by the ID of their collection, as `infra/firestore.tf` lists them.
#[derive(Debug)]
pub struct Exemptions(BTreeSet<(String, String)>);

impl Exemptions {
    /// Reads them out of `infra/`.
    pub fn of_infra() -> Self {
        let terraform = include_str!("../../infra/firestore.tf");
        let quoted = |line: &str, name: &str| {
            let value = line.split_once(&format!("{name} = \""))?.1;
            Some(value.split_once('"')?.0.to_owned())
        };
        let exempt = |line: &str| Some((quoted(line, "collection")?, quoted(line, "field")?));
        Self(terraform.lines().filter_map(exempt).collect())
    }

    fn has(&self, collection: &str, field: &str) -> bool {
        self.0.contains(&(collection.to_owned(), field.to_owned()))
    }
}

/// How many bytes something takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Documents.
    pub documents: u64,
    /// Entries in indexes.
    pub indexes: u64,
}

impl Size {
    /// Returns both together.
    pub const fn total(self) -> u64 {
        self.documents + self.indexes
    }
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.documents += other.documents;
        self.indexes += other.indexes;
    }
}

/// Returns how much a document takes, as the REST interface shows it.
pub fn size_of(document: &Value, exemptions: &Exemptions) -> Size {
    let path = document["name"]
        .as_str()
        .and_then(|name| name.split_once("/documents/"))
        .map_or("", |(_, path)| path);
    let fields = &document["fields"];
    let (parent, collection) = parts(path);
    let entry = size_of_name(path) + size_of_name(parent) + OVERHEAD;
    let mut indexes = 0;
    for (field, value) in fields.as_object().into_iter().flatten() {
        if !exemptions.has(collection, field) {
            indexes += size_of_entries(field, value, entry);
        }
    }
    Size { documents: size_of_name(path) + size_of_fields(fields) + OVERHEAD, indexes }
}

/// Returns the path of the document above, and the ID of the collection.
fn parts(path: &str) -> (&str, &str) {
    let collection = path.rsplit_once('/').map_or("", |(collection, _)| collection);
    collection.rsplit_once('/').unwrap_or(("", collection))
}

fn size_of_text(text: &str) -> u64 {
    text.len() as u64 + 1
}

fn size_of_name(path: &str) -> u64 {
    path.split('/').filter(|part| !part.is_empty()).map(size_of_text).sum::<u64>() + NAME
}

fn size_of_fields(fields: &Value) -> u64 {
    let fields = fields.as_object().into_iter().flatten();
    fields.map(|(name, value)| size_of_text(name) + size_of_value(value)).sum()
}

fn size_of_value(value: &Value) -> u64 {
    let Some((kind, inner)) = value.as_object().and_then(|value| value.iter().next()) else { return 1 };
    let text = inner.as_str().unwrap_or_default();
    match kind.as_str() {
        "stringValue" => size_of_text(text),
        "bytesValue" => text.trim_end_matches('=').len() as u64 * 3 / 4,
        "referenceValue" => size_of_name(text.split_once("/documents/").map_or(text, |(_, path)| path)),
        "arrayValue" => inner["values"].as_array().into_iter().flatten().map(size_of_value).sum(),
        "mapValue" => size_of_fields(&inner["fields"]) + OVERHEAD,
        "integerValue" | "doubleValue" | "timestampValue" => 8,
        "nullValue" | "booleanValue" => 1,
        other => panic!("{other} is never written"),
    }
}

/// Returns what the entries of a field take in indexes: one in either direction for a value, one for each element of a
/// list, and those of its fields for a map.
fn size_of_entries(field: &str, value: &Value, entry: u64) -> u64 {
    let indexed = |value: &Value| entry + size_of_text(field) + size_of_value(value).min(LONGEST_INDEXED);
    if let Some(map) = value.get("mapValue") {
        let fields = map["fields"].as_object().into_iter().flatten();
        return fields.map(|(name, value)| size_of_entries(&format!("{field}.{name}"), value, entry)).sum();
    }
    match value.get("arrayValue") {
        Some(list) => list["values"].as_array().into_iter().flatten().map(indexed).sum(),
        None => 2 * indexed(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The example of Google's documents.
    #[test]
    fn googles_example_takes_what_google_says() {
        let document = json!({
            "name": "projects/p/databases/(default)/documents/users/jeff/tasks/my_task_id",
            "fields": {
                "type": {"stringValue": "Personal"},
                "done": {"booleanValue": false},
                "priority": {"integerValue": "1"},
                "description": {"stringValue": "Learn Cloud Firestore"},
            },
        });
        let size = size_of(&document, &Exemptions(BTreeSet::new()));
        assert_eq!(size.documents, 147);
        let done = size_of_entries("done", &document["fields"]["done"], 44 + 27 + 32);
        assert_eq!(done, 2 * 109);
        let exempt = ["type", "priority", "description"].map(|field| ("tasks".to_owned(), field.to_owned()));
        assert_eq!(size_of(&document, &Exemptions(exempt.into())).indexes, done);
    }

    #[test]
    fn what_infra_exempts_is_known() {
        let exemptions = Exemptions::of_infra();
        assert!(exemptions.has("content", "outbound_links") && exemptions.has("roll", "pages"));
        assert!(!exemptions.has("crawl-2026-11-16", "details") && exemptions.0.len() > 10);
    }

    #[test]
    fn long_values_lists_and_maps_are_indexed_in_their_own_ways() {
        let long = json!({"bytesValue": "A".repeat(4_000)});
        assert_eq!((size_of_value(&long), size_of_entries("b", &long, 100)), (3_000, 2 * (100 + 2 + 1_500)));
        let list = json!({"arrayValue": {"values": [{"stringValue": "ab"}, {"integerValue": "1"}]}});
        assert_eq!((size_of_value(&list), size_of_entries("l", &list, 100)), (11, 102 + 3 + 102 + 8));
        let map = json!({"mapValue": {"fields": {"n": {"nullValue": null}}}});
        assert_eq!((size_of_value(&map), size_of_entries("m", &map, 100)), (35, 2 * (100 + 4 + 1)));
    }
}
