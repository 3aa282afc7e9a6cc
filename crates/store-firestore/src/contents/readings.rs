//! What contents say, as pages are compared.

use std::collections::HashMap;

use recrawl_core::model::content::Reading;
use recrawl_core::model::ids::{ContentHash, SiteId};
use recrawl_core::model::record::ContentRef;
use recrawl_core::ports::StoreError;

use super::first_text;
use crate::documents::{self, ReadingFields, TextDocument};
use crate::store::FirestoreStore;

impl FirestoreStore {
    /// Reads texts and outlines by reference: a billed read a content.
    ///
    /// Only a meaning that a content gained later, by other rules, costs another one, and one whose content is not
    /// stored a query.
    pub(crate) async fn read_readings(
        &self,
        site: &SiteId,
        contents: &[ContentRef],
    ) -> Result<Vec<Option<Reading>>, StoreError> {
        let hashes: Vec<ContentHash> = contents.iter().map(|content| content.hash).collect();
        let mut stored: HashMap<ContentHash, ReadingFields> = HashMap::new();
        for (hash, document) in self.find_contents(site, &hashes, &ReadingFields::NAMES).await? {
            stored.insert(hash, documents::read(&document)?);
        }
        let has_meaning = |content: &ContentRef| {
            stored
                .get(&content.hash)
                .is_some_and(|fields| fields.semantic_hash == content.semantic.to_string())
        };
        let elsewhere = contents.iter().filter(|content| !has_meaning(content));
        let names = elsewhere.map(|content| self.paths.text(site, &content.semantic)).collect();
        let texts = self.client.get_all(names, &TextDocument::FIELDS).await?;
        let mut readings = Vec::with_capacity(contents.len());
        for content in contents {
            let fields = stored.get(&content.hash);
            let text = match (
                fields.filter(|_| has_meaning(content)),
                texts.get(&self.paths.text(site, &content.semantic)),
            ) {
                (Some(fields), _) => fields.text.clone().read()?,
                (None, Some(document)) => documents::read::<TextDocument>(document)?.read()?,
                (None, None) => first_text(&self.find_texts(site, &content.semantic).await?)?,
            };
            let outline = fields.map(ReadingFields::outline).transpose()?.flatten();
            readings.push(text.map(|text| Reading { text, outline }));
        }
        Ok(readings)
    }
}
