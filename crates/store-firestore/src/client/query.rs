//! Queries on one collection.

use firestore::gcloud_sdk::google::firestore::v1::structured_query::{
    CollectionSelector, CompositeFilter, Direction, FieldFilter, FieldReference, Filter, Order, Projection,
    UnaryFilter, composite_filter, field_filter, filter, unary_filter,
};
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::{ArrayValue, Cursor, StructuredQuery, Value};

/// The name of a document, as a field to sort by.
const NAME: &str = "__name__";

/// A query on one collection.
///
/// Each can be answered from the indexes that Firestore keeps by itself: the collections of crawls are named
/// by their day, so no index can be made for them ahead.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    query: StructuredQuery,
    filters: Vec<Filter>,
}

impl Query {
    /// Asks for every document of a collection.
    pub(crate) fn of(collection: impl Into<String>) -> Self {
        let from = CollectionSelector { collection_id: collection.into(), all_descendants: false };
        let query = StructuredQuery { from: vec![from], ..StructuredQuery::default() };
        Self { query, filters: Vec::new() }
    }

    /// Reads only these fields, or only the name if there are none.
    pub(crate) fn fields(mut self, fields: &[&str]) -> Self {
        let names = if fields.is_empty() { &[NAME] } else { fields };
        self.query.select = Some(Projection { fields: names.iter().map(|name| reference(name)).collect() });
        self
    }

    /// Asks for those whose field has this value.
    pub(crate) fn equal(self, field: &str, value: ValueType) -> Self {
        self.compared(field, field_filter::Operator::Equal, value)
    }

    /// Asks for those whose field has one of these texts.
    pub(crate) fn one_of<'a>(self, field: &str, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let value = |text: &str| Value { value_type: Some(ValueType::StringValue(text.to_owned())) };
        let values = texts.into_iter().map(value).collect();
        self.compared(field, field_filter::Operator::In, ValueType::ArrayValue(ArrayValue { values }))
    }

    /// Asks for those whose field is at least this value.
    pub(crate) fn at_least(self, field: &str, value: ValueType) -> Self {
        self.compared(field, field_filter::Operator::GreaterThanOrEqual, value)
    }

    /// Asks for those whose field is at most this value.
    pub(crate) fn at_most(self, field: &str, value: ValueType) -> Self {
        self.compared(field, field_filter::Operator::LessThanOrEqual, value)
    }

    /// Asks for those whose field is a text that begins so, in order of it.
    pub(crate) fn beginning_with(self, field: &str, beginning: &str) -> Self {
        let first = ValueType::StringValue(beginning.to_owned());
        // Texts are in the order of their characters, and addresses have none that comes after this one.
        let last = ValueType::StringValue(format!("{beginning}\u{10ffff}"));
        self.compared(field, field_filter::Operator::GreaterThanOrEqual, first)
            .compared(field, field_filter::Operator::LessThan, last)
            .ascending(field)
    }

    /// Asks for those whose field is there and null.
    pub(crate) fn null(mut self, field: &str) -> Self {
        let filter = UnaryFilter {
            op: unary_filter::Operator::IsNull.into(),
            operand_type: Some(unary_filter::OperandType::Field(reference(field))),
        };
        self.filters.push(Filter { filter_type: Some(filter::FilterType::UnaryFilter(filter)) });
        self
    }

    /// Sorts by a field; documents without it are left out.
    pub(crate) fn ascending(self, field: &str) -> Self {
        self.sorted(field, Direction::Ascending)
    }

    /// Sorts by a field, the largest first; documents without it are left out.
    pub(crate) fn descending(self, field: &str) -> Self {
        self.sorted(field, Direction::Descending)
    }

    /// Sorts by name, and starts after the document of this name.
    pub(crate) fn after(self, name: Option<String>) -> Self {
        let mut sorted = self.ascending(NAME);
        sorted.query.start_at = name.map(|name| Cursor {
            values: vec![Value { value_type: Some(ValueType::ReferenceValue(name)) }],
            before: false,
        });
        sorted
    }

    /// Asks for no more than this many.
    pub(crate) fn limit(mut self, limit: usize) -> Self {
        self.query.limit = Some(i32::try_from(limit).unwrap_or(i32::MAX));
        self
    }

    fn compared(mut self, field: &str, operator: field_filter::Operator, value: ValueType) -> Self {
        let filter = FieldFilter {
            field: Some(reference(field)),
            op: operator.into(),
            value: Some(Value { value_type: Some(value) }),
        };
        self.filters.push(Filter { filter_type: Some(filter::FilterType::FieldFilter(filter)) });
        self
    }

    fn sorted(mut self, field: &str, direction: Direction) -> Self {
        self.query.order_by.push(Order { field: Some(reference(field)), direction: direction.into() });
        self
    }
}

impl From<Query> for StructuredQuery {
    fn from(query: Query) -> Self {
        let Query { mut query, mut filters } = query;
        query.r#where = if filters.len() > 1 {
            let all = CompositeFilter { op: composite_filter::Operator::And.into(), filters };
            Some(Filter { filter_type: Some(filter::FilterType::CompositeFilter(all)) })
        } else {
            filters.pop()
        };
        query
    }
}

fn reference(field: &str) -> FieldReference {
    FieldReference { field_path: field.to_owned() }
}
