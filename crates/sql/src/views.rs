//! What the views say beside what stands in their rows: texts and bodies, which are compressed in the file. They are
//! views of the session, because no other program could read them.

use std::sync::{Arc, OnceLock};

use recrawl_core::model::ids::{RulesVersion, SiteId};
use recrawl_core::model::record::ContentRef;
use recrawl_stores::file::Guarded;
use recrawl_stores::{Access, EmbeddedStore, open_file};
use rusqlite::Error;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;

use crate::content::Contents;
use crate::crawling::Surroundings;

/// The views that gain a text and a body.
const VIEWS: [&str; 2] = ["pages", "visits"];

/// Adds them to a connection.
pub(crate) fn add_to(guarded: &Guarded, around: &Arc<Surroundings>) -> rusqlite::Result<()> {
    let store: Arc<OnceLock<Arc<dyn EmbeddedStore>>> = Arc::default();
    for (name, column) in [("page_text", "text"), ("page_body", "body")] {
        let (store, around) = (store.clone(), around.clone());
        let flags = FunctionFlags::SQLITE_UTF8;
        guarded.connection.create_scalar_function(name, 4, flags, move |context| {
            read(context, column, &store, &around).map_err(|error| Error::UserFunctionError(error.into()))
        })?;
    }
    guarded.trusted(|connection| {
        // A connection that only reads makes no views either, and these are of nobody else.
        let reads = connection.pragma_query_value(None, "query_only", |row| row.get::<_, bool>(0))?;
        connection.pragma_update(None, "query_only", false)?;
        for view in VIEWS {
            let arguments = "v.site, v.content_hash, v.semantic_hash, v.content_type";
            connection.execute_batch(&format!(
                "CREATE TEMP VIEW {view} AS SELECT v.*, page_text({arguments}) AS text, page_body({arguments}) AS body
                FROM main.{view} AS v"
            ))?;
        }
        connection.pragma_update(None, "query_only", reads)
    })
}

fn read(
    context: &Context<'_>,
    column: &str,
    store: &OnceLock<Arc<dyn EmbeddedStore>>,
    around: &Surroundings,
) -> anyhow::Result<Value> {
    let text = |argument: usize| context.get::<Option<String>>(argument);
    let (Some(site), Some(hash), Some(semantic)) = (text(0)?, text(1)?, text(2)?) else {
        return Ok(Value::Null);
    };
    let store = if let Some(store) = store.get() {
        store.clone()
    } else {
        let opened = open_file(&around.path, Access::Read)?;
        store.get_or_init(|| opened).clone()
    };
    let contents = Contents { runtime: around.runtime.clone(), store, site: site.parse::<SiteId>()? };
    let reference = ContentRef {
        hash: hash.parse()?,
        semantic: semantic.parse()?,
        rules: RulesVersion(String::new()),
        signatures: None,
    };
    contents.column(column, Some(&reference), text(3)?.as_deref())
}
