//! Bodies and texts of pages, read from the store when a statement asks for them.

use std::sync::Arc;

use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::ContentRef;
use recrawl_extract::charset;
use recrawl_stores::EmbeddedStore;
use rusqlite::types::Value;
use tokio::runtime::Handle;

use crate::functions;

/// Reads what pages said. It blocks, so no task of the runtime may call it.
#[derive(Clone)]
pub(crate) struct Contents {
    /// Where it runs.
    pub runtime: Handle,
    /// Where it is kept.
    pub store: Arc<dyn EmbeddedStore>,
    /// Whose it is.
    pub site: SiteId,
}

impl Contents {
    /// Returns a column that is read out of the content: body, text or title.
    pub(crate) fn column(
        &self,
        column: &str,
        content: Option<&ContentRef>,
        content_type: Option<&str>,
    ) -> anyhow::Result<Value> {
        let Some(content) = content else { return Ok(Value::Null) };
        let text = |text: Option<String>| text.map_or(Value::Null, Value::Text);
        Ok(match column {
            "body" => self.body(content, content_type)?,
            "text" => text(self.runtime.block_on(self.store.text(&self.site, &content.semantic))?),
            "title" => {
                let titles = self.runtime.block_on(self.store.titles(&self.site, &[content.hash]))?;
                text(titles.get(&content.hash).cloned())
            }
            _ => Value::Null,
        })
    }

    fn body(&self, content: &ContentRef, content_type: Option<&str>) -> anyhow::Result<Value> {
        let body = self.runtime.block_on(self.store.body(&self.site, content))?;
        Ok(body.map_or(Value::Null, |body| as_value(body, content_type)))
    }
}

/// Returns a body as text where it is text, and else as bytes.
pub(crate) fn as_value(body: Vec<u8>, content_type: Option<&str>) -> Value {
    let media_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is_text = media_type.starts_with("text/")
        || ["json", "xml", "javascript"].iter().any(|kind| media_type.ends_with(kind))
        || (media_type.is_empty() && std::str::from_utf8(&body).is_ok());
    if !is_text {
        return Value::Blob(body);
    }
    if functions::is_html(media_type) {
        return Value::Text(charset::decode(&body, content_type).text.into_owned());
    }
    match String::from_utf8(body) {
        Ok(text) => Value::Text(text),
        Err(error) => Value::Text(charset::decode(error.as_bytes(), content_type).text.into_owned()),
    }
}
