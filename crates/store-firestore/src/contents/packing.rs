//! How a content is made to fit into documents of at most 1 MiB, whatever a web page does.
//!
//! Links come first, because a crawl lives on them; then the text, which people read; then the body; then the outline,
//! which can be made anew from it.

use jiff::Timestamp;
use recrawl_core::model::content::Content;
use recrawl_core::url::PageUrl;
use sha2::{Digest, Sha256};

use crate::compression;
use crate::documents::{Binary, ContentDocument, LinksDocument, SignaturesMap, TextDocument, cut, time};
use crate::paths::hex;
use crate::settings::BucketUse;

/// What a document may hold beside its name, the names of its fields and its short fields.
const DOCUMENT: usize = 980_000;
/// How many bytes of links are written into a content itself.
const LINKS: usize = 500_000;
/// How many links are written into one document, which has an index entry for each at worst.
const LINK_COUNT: usize = 18_000;
/// How many further documents of links a content has at most: a page with more is a trap.
const LINK_DOCUMENTS: usize = 64;
/// The longest text that people can read in the console.
const PLAIN_TEXT: usize = 200_000;
/// The longest title that is stored as it is, and the longest frame of one.
const TITLE: usize = 20_000;
/// The longest value of an attribute or header that is kept in short fields.
const SHORT: usize = 1_000;

/// A content as it is written: documents, and a body that goes into the bucket.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) document: ContentDocument,
    /// Documents of the collection `links` below the content, by id.
    pub(crate) links: Vec<(String, LinksDocument)>,
    /// The compressed body, where it goes into the bucket.
    pub(crate) for_bucket: Option<Vec<u8>>,
}

impl Packed {
    /// Makes a content fit that is named at `named_at`.
    pub(crate) fn new(content: &Content, named_at: Timestamp, bucket: Option<BucketUse>) -> Self {
        let extracted = &content.extracted;
        let mut room = DOCUMENT;
        let (title, title_zstd) = match &extracted.title {
            Some(title) => long_text(title, TITLE, TITLE),
            None => (None, None),
        };
        let title_dropped = extracted.title.is_some() && title.is_none() && title_zstd.is_none();
        let mut chunks = LinkChunks::of(&extracted.links);
        let outbound_links = chunks.next(LINKS);
        room -= size_of_links(&outbound_links);
        let links = chunks.into_documents();
        let text = pack_text(&extracted.text, &mut room);
        let mut packed = Self {
            document: ContentDocument {
                outbound_links,
                more_links: links.documents.iter().map(|(id, _)| id.clone()).collect(),
                links_dropped: links.dropped,
                semantic_hash: extracted.semantic.to_string(),
                rules: extracted.rules.0.clone(),
                signatures: extracted.signatures.map(SignaturesMap::from),
                title,
                title_zstd,
                title_dropped,
                language: extracted.language.as_deref().map(|language| cut(language, SHORT)),
                canonical: extracted.canonical.as_ref().map(PageUrl::to_string),
                directives: extracted.directives,
                text,
                outline: None,
                outline_dropped: false,
                size: content.size,
                media_type: cut(&content.media_type, SHORT),
                has_body: false,
                body: None,
                body_in_bucket: false,
                body_dropped: false,
                named_at: time(named_at),
            },
            links: links.documents,
            for_bucket: None,
        };
        if let Some(body) = &content.body {
            packed.put_body(compression::compress(body), &mut room, bucket);
        }
        if let Some(outline) = &extracted.outline {
            let frame = compression::compress(outline.encode().as_bytes());
            packed.document.outline_dropped = frame.len() > room;
            packed.document.outline = (frame.len() <= room).then_some(Binary(frame));
        }
        packed
    }

    fn put_body(&mut self, frame: Vec<u8>, room: &mut usize, bucket: Option<BucketUse>) {
        if frame.len() <= *room && bucket != Some(BucketUse::AllBodies) {
            *room -= frame.len();
            self.document.has_body = true;
            self.document.body = Some(Binary(frame));
        } else if bucket.is_some() {
            self.document.has_body = true;
            self.document.body_in_bucket = true;
            self.for_bucket = Some(frame);
        } else {
            self.document.body_dropped = true;
        }
    }
}

/// Makes a text fit that has a document to itself.
pub(crate) fn text_document(text: &str) -> TextDocument {
    pack_text(text, &mut DOCUMENT.clone())
}

fn pack_text(text: &str, room: &mut usize) -> TextDocument {
    if text.is_empty() {
        return TextDocument::default();
    }
    let (plain, frame) = long_text(text, PLAIN_TEXT.min(*room), *room);
    *room -= plain.as_ref().map_or(0, String::len) + frame.as_ref().map_or(0, |frame| frame.0.len());
    TextDocument { text_dropped: plain.is_none() && frame.is_none(), text: plain, text_zstd: frame }
}

/// Returns a text as it is, or compressed, or neither if it is too long.
fn long_text(text: &str, plain_limit: usize, frame_limit: usize) -> (Option<String>, Option<Binary>) {
    if text.len() <= plain_limit {
        return (Some(text.to_owned()), None);
    }
    let frame = compression::compress(text.as_bytes());
    (None, (frame.len() <= frame_limit).then_some(Binary(frame)))
}

/// Links in parts, each for one document.
struct LinkChunks<'a> {
    rest: &'a [PageUrl],
    /// Names the parts after the whole list: the same bytes at another address may have other links.
    name: String,
}

struct LinkDocuments {
    documents: Vec<(String, LinksDocument)>,
    dropped: bool,
}

impl<'a> LinkChunks<'a> {
    fn of(links: &'a [PageUrl]) -> Self {
        Self { rest: links, name: String::new() }
    }

    fn next(&mut self, limit: usize) -> Vec<String> {
        let mut bytes = 0;
        let fits = |link: &&PageUrl| {
            bytes += link.as_str().len() + 1;
            bytes <= limit
        };
        let count = self.rest.iter().take(LINK_COUNT).take_while(fits).count();
        let (now, later) = self.rest.split_at(count);
        self.rest = later;
        now.iter().map(PageUrl::to_string).collect()
    }

    fn into_documents(mut self) -> LinkDocuments {
        if !self.rest.is_empty() {
            let mut digest = Sha256::new();
            self.rest.iter().for_each(|link| digest.update(link.as_str()));
            self.name = hex(&digest.finalize()[..8]);
        }
        let mut documents = Vec::new();
        while !self.rest.is_empty() && documents.len() < LINK_DOCUMENTS {
            let outbound_links = self.next(DOCUMENT);
            let id = format!("{}-{}", self.name, documents.len());
            documents.push((id, LinksDocument { outbound_links, more_links: Vec::new() }));
        }
        LinkDocuments { documents, dropped: !self.rest.is_empty() }
    }
}

fn size_of_links(links: &[String]) -> usize {
    links.iter().map(|link| link.len() + 1).sum()
}

#[cfg(test)]
mod tests;
