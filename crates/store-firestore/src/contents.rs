//! What pages said: links, texts and bodies.

pub(crate) mod packing;
mod readings;

use std::collections::HashMap;

use async_trait::async_trait;
use firestore::gcloud_sdk::google::firestore::v1::Document;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use object_store::ObjectStoreExt;
use recrawl_core::model::content::{Content, Reading};
use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::model::record::ContentRef;
use recrawl_core::ports::{Contents, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::words::short_title;

use crate::client::Query;
use crate::compression;
use crate::documents::{
    self, BodyFields, ContentDocument, LinksDocument, TextDocument, TitleFields, unreadable,
};
use crate::paths::{Paths, id};
use crate::store::FirestoreStore;

/// How many contents of one meaning are looked at for its text; a text that was dropped is dropped in all.
const OF_ONE_MEANING: usize = 3;

#[async_trait]
impl Contents for FirestoreStore {
    async fn links(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        self.read_links(site, contents).await
    }

    async fn unqueued_links(
        &self,
        site: &SiteId,
        _: CrawlId,
        content: &ContentHash,
    ) -> Result<Option<Vec<PageUrl>>, StoreError> {
        Ok(self.read_links(site, &[*content]).await?.into_iter().next().flatten())
    }

    async fn text(&self, site: &SiteId, semantic: &SemanticHash) -> Result<Option<String>, StoreError> {
        self.read_text(site, semantic).await
    }

    async fn readings(
        &self,
        site: &SiteId,
        contents: &[ContentRef],
    ) -> Result<Vec<Option<Reading>>, StoreError> {
        self.read_readings(site, contents).await
    }

    async fn body(&self, site: &SiteId, content: &ContentRef) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_body(site, content).await
    }
}

impl FirestoreStore {
    pub(crate) async fn read_links(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<Vec<Option<Vec<PageUrl>>>, StoreError> {
        let found = self.find_contents(site, contents, &LinksDocument::FIELDS).await?;
        let mut documents = HashMap::new();
        for (hash, document) in found {
            documents.insert(hash, (document.name.clone(), documents::read::<LinksDocument>(&document)?));
        }
        let more = documents.values().flat_map(|(name, links)| links.names_of_more(name)).collect();
        let more = self.client.get_all(more, &["outbound_links"]).await?;
        let mut links = Vec::with_capacity(contents.len());
        for hash in contents {
            let found = documents.get(hash).map(|(name, links)| links.read(name, &more));
            links.push(found.transpose()?);
        }
        Ok(links)
    }

    pub(crate) async fn read_titles(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<HashMap<ContentHash, String>, StoreError> {
        let mut titles = HashMap::new();
        for (hash, document) in self.find_contents(site, contents, &TitleFields::NAMES).await? {
            if let Some(title) = documents::read::<TitleFields>(&document)?.read()? {
                titles.insert(hash, short_title(title));
            }
        }
        Ok(titles)
    }

    pub(crate) async fn read_text(
        &self,
        site: &SiteId,
        semantic: &SemanticHash,
    ) -> Result<Option<String>, StoreError> {
        let mut found = self.find_texts(site, semantic).await?;
        found.extend(self.text_beside(site, semantic, &found).await?);
        first_text(&found)
    }

    /// Returns contents of a meaning, with their texts.
    async fn find_texts(&self, site: &SiteId, semantic: &SemanticHash) -> Result<Vec<Document>, StoreError> {
        let query = of_meaning(semantic).fields(&TextDocument::FIELDS).limit(OF_ONE_MEANING);
        Ok(self.client.query(&self.paths.base(site), query).await?)
    }

    /// Returns the document of a text that no content of its meaning has.
    async fn text_beside(
        &self,
        site: &SiteId,
        semantic: &SemanticHash,
        found: &[Document],
    ) -> Result<Option<Document>, StoreError> {
        let has_text = |document: &Document| !document.fields.is_empty();
        if found.iter().any(has_text) {
            return Ok(None);
        }
        Ok(self.client.get(&self.paths.text(site, semantic), &[]).await?)
    }

    pub(crate) async fn read_body(
        &self,
        site: &SiteId,
        content: &ContentRef,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let exact = self.client.get(&self.paths.content(site, &content.hash), &BodyFields::NAMES).await?;
        if let Some(document) = exact
            && let Some(body) = self.body_of(site, content.hash, documents::read(&document)?).await?
        {
            return Ok(Some(body));
        }
        let query = of_meaning(&content.semantic)
            .equal("has_body", ValueType::BooleanValue(true))
            .fields(&BodyFields::NAMES)
            .limit(1);
        for document in self.client.query(&self.paths.base(site), query).await? {
            let hash = id(&document.name).parse().map_err(unreadable)?;
            if let Some(body) = self.body_of(site, hash, documents::read(&document)?).await? {
                return Ok(Some(body));
            }
        }
        Ok(None)
    }

    pub(crate) async fn read_content(
        &self,
        site: &SiteId,
        hash: &ContentHash,
    ) -> Result<Option<Content>, StoreError> {
        let Some(document) = self.client.get(&self.paths.content(site, hash), &[]).await? else {
            return Ok(None);
        };
        let content: ContentDocument = documents::read(&document)?;
        let first: LinksDocument = documents::read(&document)?;
        let more = self.client.get_all(first.names_of_more(&document.name).collect(), &[]).await?;
        let links = first.read(&document.name, &more)?;
        let body = self.body_of(site, *hash, documents::read(&document)?).await?;
        content.into_content(*hash, links, body).map(Some)
    }

    /// Returns those of a site's contents that are stored, with these of their fields.
    async fn find_contents(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
        fields: &[&str],
    ) -> Result<HashMap<ContentHash, Document>, StoreError> {
        let names = contents.iter().map(|hash| self.paths.content(site, hash)).collect();
        let mut found = HashMap::with_capacity(contents.len());
        for (name, document) in self.client.get_all(names, fields).await? {
            found.insert(id(&name).parse().map_err(unreadable)?, document);
        }
        Ok(found)
    }

    async fn body_of(
        &self,
        site: &SiteId,
        hash: ContentHash,
        fields: BodyFields,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let frame = match (fields.body, &self.bodies) {
            (Some(body), _) => body.0,
            (None, Some(bucket)) if fields.body_in_bucket => {
                let path = Paths::body(site, &hash);
                let getting = async { bucket.get(&path).await?.bytes().await };
                let got = tokio::time::timeout(self.time_out, getting).await;
                match got.map_err(|error| StoreError::Unavailable(error.into()))? {
                    Ok(bytes) => bytes.to_vec(),
                    Err(object_store::Error::NotFound { .. }) => return Ok(None),
                    Err(error) => return Err(StoreError::Unavailable(error.into())),
                }
            }
            (None, _) => return Ok(None),
        };
        compression::decompress(&frame).map(Some).map_err(unreadable)
    }
}

fn first_text(found: &[Document]) -> Result<Option<String>, StoreError> {
    for document in found {
        if let Some(text) = documents::read::<TextDocument>(document)?.read()? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

fn of_meaning(semantic: &SemanticHash) -> Query {
    Query::of("content").equal("semantic_hash", ValueType::StringValue(semantic.to_string()))
}
