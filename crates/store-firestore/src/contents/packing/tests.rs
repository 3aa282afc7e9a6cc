use firestore::gcloud_sdk::google::firestore::v1::Document;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use recrawl_core::model::content::Extracted;
use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::outline::{MetaKind, Outline};

use super::*;
use crate::documents;

/// The most that Firestore takes, and how it counts.
const MAXIMUM: usize = 1_048_576;

fn size_of(document: &Document) -> usize {
    document.name.len() + 48 + fields(document.fields.iter())
}

fn fields<'a>(
    fields: impl Iterator<Item = (&'a String, &'a firestore::gcloud_sdk::google::firestore::v1::Value)>,
) -> usize {
    fields.map(|(name, value)| name.len() + 1 + size_of_value(value.value_type.as_ref())).sum()
}

fn size_of_value(value: Option<&ValueType>) -> usize {
    match value {
        Some(ValueType::StringValue(text)) => text.len() + 1,
        Some(ValueType::BytesValue(bytes)) => bytes.len(),
        Some(ValueType::ArrayValue(array)) => {
            array.values.iter().map(|value| size_of_value(value.value_type.as_ref())).sum()
        }
        Some(ValueType::MapValue(map)) => fields(map.fields.iter()),
        _ => 8,
    }
}

fn noise(bytes: usize) -> String {
    let hash = |number: usize| ContentHash::of(&number.to_le_bytes()).to_string();
    let mut noise: String = (0..=bytes / 64).map(hash).collect();
    noise.truncate(bytes);
    noise
}

fn content(body: Option<Vec<u8>>, change: impl FnOnce(&mut Extracted)) -> Content {
    let hash = ContentHash::of(body.as_deref().unwrap_or_default());
    let mut extracted = Extracted::opaque(hash);
    change(&mut extracted);
    Content { hash, size: 0, media_type: noise(5_000), extracted, body }
}

fn links(number: usize, length: usize) -> Vec<PageUrl> {
    let link = |number| format!("http://a/{number}/{}", "x".repeat(length)).parse().unwrap();
    (0..number).map(link).collect()
}

fn packed(content: &Content, bucket: Option<BucketUse>) -> Packed {
    let packed = Packed::new(content, Timestamp::UNIX_EPOCH, bucket);
    let name = "n".repeat(300);
    let document = documents::write(name.clone(), &packed.document).unwrap();
    assert!(size_of(&document) < MAXIMUM - 20_000, "{} bytes", size_of(&document));
    for (_, links) in &packed.links {
        assert!(links.outbound_links.len() <= LINK_COUNT);
        assert!(size_of(&documents::write(name.clone(), links).unwrap()) < MAXIMUM - 20_000);
    }
    packed
}

#[test]
fn what_fits_is_stored_plainly() {
    let content = content(Some(b"body".to_vec()), |extracted| {
        "text".clone_into(&mut extracted.text);
        extracted.title = Some("title".to_owned());
        extracted.links = links(3, 10);
    });
    let Packed { document, links, for_bucket } = packed(&content, Some(BucketUse::LongBodies));
    assert_eq!(document.text.text.as_deref(), Some("text"));
    assert_eq!(document.title.as_deref(), Some("title"));
    assert_eq!(document.outbound_links.len(), 3);
    assert!(document.has_body && document.body.is_some() && !document.body_dropped);
    assert!(links.is_empty() && for_bucket.is_none());
    let Packed { document, for_bucket, .. } = packed(&content, Some(BucketUse::AllBodies));
    assert!(document.has_body && document.body.is_none() && document.body_in_bucket && for_bucket.is_some());
}

#[test]
fn everything_at_its_longest_still_fits() {
    let body = noise(3_000_000).into_bytes();
    let content = content(Some(body), |extracted| {
        extracted.text = noise(5_000_000);
        extracted.title = Some(noise(1_000_000));
        extracted.language = Some("é".repeat(1_000_000));
        extracted.links = links(60_000, 100);
        extracted.links.extend(links(300, 4_000));
    });
    let Packed { document, links, for_bucket } = packed(&content, None);
    assert!(document.title_dropped && document.text.text_dropped && document.body_dropped);
    assert!(!document.has_body && !document.links_dropped && for_bucket.is_none());
    let stored: usize = links.iter().map(|(_, links)| links.outbound_links.len()).sum();
    assert_eq!(stored + document.outbound_links.len(), 60_300);
    let ids: Vec<String> = links.into_iter().map(|(id, _)| id).collect();
    assert_eq!(document.more_links, ids);
    let Packed { document, for_bucket, .. } = packed(&content, Some(BucketUse::LongBodies));
    assert!(document.has_body && document.body_in_bucket && for_bucket.is_some());
}

#[test]
fn a_long_text_is_compressed_and_leaves_room_for_the_body() {
    let text = "a long text ".repeat(200_000);
    let content = content(Some(noise(500_000).into_bytes()), |extracted| extracted.text.clone_from(&text));
    let document = packed(&content, None).document;
    assert!(document.text.text.is_none() && document.has_body);
    assert_eq!(document.text.read().unwrap(), Some(text));
}

#[test]
fn the_same_bytes_with_other_links_never_share_a_part() {
    let with = |length| content(None, |extracted| extracted.links = links(30_000, length));
    let (one, other) = (packed(&with(20), None).document, packed(&with(21), None).document);
    assert!(!one.more_links.is_empty());
    assert!(one.more_links.iter().all(|id| !other.more_links.contains(id)));
}

#[test]
fn a_trap_of_links_is_cut_with_a_mark() {
    let content = content(None, |extracted| extracted.links = links(1_300_000, 1));
    let Packed { document, links, .. } = packed(&content, None);
    assert!(document.links_dropped);
    assert_eq!(links.len(), LINK_DOCUMENTS);
}

#[test]
fn an_outline_takes_what_room_the_body_leaves() {
    let body = |bytes: u32| -> Vec<u8> {
        (0..bytes / 32).flat_map(|number| *ContentHash::of(&number.to_le_bytes()).as_bytes()).collect()
    };
    for (bytes, outline, is_kept) in
        [(1_000, 10_000, true), (975_000, 20_000, false), (975_000, 300_000, false), (32, 300_000, true)]
    {
        let meta = vec![(MetaKind::Title, noise(outline))];
        let content = content(Some(body(bytes)), |extracted| {
            extracted.outline = Some(Outline { meta, ..Outline::default() });
        });
        let Packed { document, .. } = packed(&content, None);
        assert!(document.body.is_some(), "the body comes first");
        assert_eq!((document.outline.is_some(), document.outline_dropped), (is_kept, !is_kept));
    }
    let Packed { document, .. } = packed(&content(None, |_| ()), None);
    assert!(document.outline.is_none() && !document.outline_dropped, "there was none");
}
