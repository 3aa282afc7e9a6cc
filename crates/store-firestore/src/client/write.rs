//! Single writes of a commit.

use firestore::gcloud_sdk::google::firestore::v1::document_transform::FieldTransform;
use firestore::gcloud_sdk::google::firestore::v1::document_transform::field_transform::{
    ServerValue, TransformType,
};
use firestore::gcloud_sdk::google::firestore::v1::precondition::ConditionType;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::write::Operation;
use firestore::gcloud_sdk::google::firestore::v1::{
    ArrayValue, Document, DocumentMask, Precondition, Value, Write,
};
use firestore::gcloud_sdk::prost_types::Timestamp;

/// When a document was last changed, for a write that must not meet a newer one.
type Mark = Option<Timestamp>;

/// Writes a document that must not be there; else the commit fails as existing.
pub(crate) fn create(document: Document) -> Write {
    Write { current_document: condition(ConditionType::Exists(false)), ..replace(document) }
}

/// Writes a document, whatever is there.
pub(crate) fn replace(document: Document) -> Write {
    Write { operation: Some(Operation::Update(document)), ..Write::default() }
}

/// Writes these fields of a document that must be there, and leaves the others; a field that is named and
/// not in the document is removed. With a mark the document must not have changed since.
pub(crate) fn merge(document: Document, fields: &[&str], unchanged_since: Mark) -> Write {
    let field_paths = fields.iter().map(|field| (*field).to_owned()).collect();
    let condition_type = match unchanged_since {
        Some(time) => ConditionType::UpdateTime(time),
        None => ConditionType::Exists(true),
    };
    Write {
        update_mask: Some(DocumentMask { field_paths }),
        current_document: condition(condition_type),
        ..replace(document)
    }
}

/// Writes these fields of a document, there or not, and leaves the others.
pub(crate) fn overlay(document: Document, fields: &[&str]) -> Write {
    Write { current_document: None, ..merge(document, fields, None) }
}

/// Deletes a document; with a mark it must not have changed since.
pub(crate) fn delete(name: String, unchanged_since: Mark) -> Write {
    Write {
        operation: Some(Operation::Delete(name)),
        current_document: unchanged_since.and_then(|time| condition(ConditionType::UpdateTime(time))),
        ..Write::default()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the generated field is optional")]
fn condition(condition: ConditionType) -> Option<Precondition> {
    Some(Precondition { condition_type: Some(condition) })
}

/// Writes these fields of a document that must be there, and the time of the commit into another.
///
/// Whatever the fields hold, the document is a changed one afterwards: equal values alone would leave it as
/// it is, also for those who ask that it be unchanged.
pub(crate) fn touch(document: Document, fields: &[&str], time_field: &str) -> Write {
    let now = TransformType::SetToServerValue(ServerValue::RequestTime.into());
    let stamp = FieldTransform { field_path: time_field.to_owned(), transform_type: Some(now) };
    Write { update_transforms: vec![stamp], ..merge(document, fields, None) }
}

/// Lowers a field of a document that must be there to `most`, if it holds more.
pub(crate) fn lower(name: String, field: &str, most: i64) -> Write {
    let most = Value { value_type: Some(ValueType::IntegerValue(most)) };
    let least =
        FieldTransform { field_path: field.to_owned(), transform_type: Some(TransformType::Minimum(most)) };
    let document = Document { name, ..Document::default() };
    Write { update_transforms: vec![least], ..merge(document, &[], None) }
}

/// Writes these fields of a document, there or not, and adds an element to a list of it that does not have it.
pub(crate) fn gather(document: Document, fields: &[&str], list: &str, element: String) -> Write {
    Write { current_document: None, ..also_append(merge(document, fields, None), list, element) }
}

/// Makes a write of a document also add an element to a list of it that does not have it.
pub(crate) fn also_append(mut write: Write, list: &str, element: String) -> Write {
    let element = Value { value_type: Some(ValueType::StringValue(element)) };
    let appended = TransformType::AppendMissingElements(ArrayValue { values: vec![element] });
    write
        .update_transforms
        .push(FieldTransform { field_path: list.to_owned(), transform_type: Some(appended) });
    write
}

/// Writes these fields of a document, there or not, and adds to its counts.
pub(crate) fn increase<'a>(
    document: Document,
    fields: &[&str],
    amounts: impl IntoIterator<Item = (&'a str, u64)>,
) -> Write {
    let added = |(field, amount): (&str, u64)| {
        let amount = ValueType::IntegerValue(i64::try_from(amount).unwrap_or(i64::MAX));
        FieldTransform {
            field_path: field.to_owned(),
            transform_type: Some(TransformType::Increment(Value { value_type: Some(amount) })),
        }
    };
    Write {
        update_transforms: amounts.into_iter().map(added).collect(),
        current_document: None,
        ..merge(document, fields, None)
    }
}
