//! The counts of a crawl as the API has them: which figures, in which order, and what each says.

use std::borrow::Cow;

use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use serde::ser::{SerializeMap, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// The last figure, the only one that is not a count.
const FREQUENCY: &str = "mean_change_frequency";

/// Returns the name of each count, what it says, and its value.
fn counts(statistics: &Statistics) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
    let by_verdict =
        Verdict::ALL.map(|verdict| (verdict.word(), verdict.meaning(), statistics.counts[verdict]));
    let by_head = "Pages of which a HEAD request showed the same ETag or Last-Modified.";
    [("total", "Pages recorded.", statistics.total)].into_iter().chain(by_verdict).chain([
        ("not_modified", "Visits answered 304.", statistics.not_modified),
        ("same_by_head", by_head, statistics.same_by_head),
        ("requests", "Requests made, retries included.", statistics.requests),
        ("received_bytes", "Bytes received.", statistics.received_bytes),
        ("saved_bytes", "Bytes saved by 304s and HEAD requests.", statistics.saved_bytes),
    ])
}

/// Writes what a crawl found, and null while it is open.
#[expect(clippy::ref_option, reason = "as serde calls it")]
pub(super) fn serialize<S: Serializer>(found: &Option<Statistics>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(statistics) = found else { return serializer.serialize_none() };
    let mut map = serializer.serialize_map(None)?;
    for (name, _, count) in counts(statistics) {
        map.serialize_entry(name, &count)?;
    }
    map.serialize_entry(FREQUENCY, &statistics.mean_change_frequency())?;
    map.end()
}

/// How [`serialize`] writes what a crawl found.
pub(super) struct Shown;

impl ToSchema for Shown {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Counts")
    }
}

impl PartialSchema for Shown {
    fn schema() -> RefOr<Schema> {
        let figure = |kind: SchemaType, format: KnownFormat, says: &str| {
            let format = Some(SchemaFormat::KnownFormat(format));
            ObjectBuilder::new().schema_type(kind).format(format).description(Some(says))
        };
        let says = "What a crawl found: pages by verdict, and what it took.";
        let mut object = ObjectBuilder::new().description(Some(says));
        for (name, says, _) in counts(&Statistics::default()) {
            let count = figure(Type::Integer.into(), KnownFormat::Int64, says).minimum(Some(0));
            object = object.property(name, count).required(name);
        }
        let says = "The mean change frequency of the pages, in changes a day; null while no visit could have seen a \
                    change.";
        let frequency = figure([Type::Number, Type::Null].into_iter().collect(), KnownFormat::Double, says);
        object.property(FREQUENCY, frequency).into()
    }
}
