//! Documents of the Firestore emulator as anybody sees them: plain HTTP and JSON, without our code.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use reqwest::Client;
use serde_json::{Value, json};

/// The Firestore database of one project.
#[derive(Debug, Clone)]
pub struct Documents {
    client: Client,
    root: String,
}

impl Documents {
    /// Speaks to the emulator at this address, about this project.
    pub fn new(emulator: &str, project: &str) -> Self {
        let root = format!("{emulator}/v1/projects/{project}/databases/(default)/documents");
        Self { client: Client::new(), root }
    }

    /// Returns every document of a collection by its id, as plain JSON.
    pub async fn collection(&self, name: &str) -> Result<BTreeMap<String, Value>> {
        self.typed(name).await?.iter().map(plain_document).collect()
    }

    /// Returns every document of a collection as Firestore shows it: with types.
    pub async fn typed(&self, name: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut page = String::new();
        loop {
            let url = format!("{}/{name}?pageSize=300&pageToken={page}", self.root);
            let answer = self.read(self.client.get(url)).await?;
            all.extend(answer["documents"].as_array().cloned().unwrap_or_default());
            match answer["nextPageToken"].as_str() {
                Some(next) => next.clone_into(&mut page),
                None => return Ok(all),
            }
        }
    }

    /// Returns the documents of a collection whose `field` is true, as plain JSON: the query that README
    /// promises.
    pub async fn where_true(&self, collection: &str, field: &str) -> Result<Vec<Value>> {
        self.matching(collection, &[(field, true.into())]).await
    }

    /// Returns the documents of a collection whose fields equal these values, as plain JSON.
    pub async fn matching(&self, collection: &str, fields: &[(&str, Value)]) -> Result<Vec<Value>> {
        let typed = |value: &Value| match value {
            Value::Number(number) => json!({ "integerValue": number.to_string() }),
            other => json!({ "booleanValue": other }),
        };
        let filters = fields.iter().map(|(field, value)| {
            let field = json!({ "fieldPath": field });
            json!({ "fieldFilter": { "field": field, "op": "EQUAL", "value": typed(value) } })
        });
        let filters: Vec<Value> = filters.collect();
        let filter = json!({ "compositeFilter": { "op": "AND", "filters": filters } });
        let query =
            json!({ "structuredQuery": { "from": [{ "collectionId": collection }], "where": filter } });
        let request = self.client.post(format!("{}:runQuery", self.root)).body(query.to_string());
        let answer = self.read(request).await?;
        let rows = answer.as_array().cloned().unwrap_or_default();
        rows.iter()
            .filter_map(|row| row.get("document"))
            .map(|document| Ok(plain_document(document)?.1))
            .collect()
    }

    /// Removes a field of a document.
    pub async fn remove_field(&self, name: &str, field: &str) -> Result<()> {
        let url = format!("{}/{name}?updateMask.fieldPaths={field}", self.root);
        self.read(self.client.patch(url).body(json!({ "fields": {} }).to_string())).await?;
        Ok(())
    }

    async fn read(&self, request: reqwest::RequestBuilder) -> Result<Value> {
        let answer = request.header("authorization", "Bearer owner").send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        ensure!(status.is_success(), "{status} {text}");
        serde_json::from_str(&text).context("Firestore answers with JSON")
    }
}

fn plain_document(document: &Value) -> Result<(String, Value)> {
    let name = document["name"].as_str().context("a document has a name")?;
    let id = name.rsplit('/').next().unwrap_or_default().to_owned();
    Ok((id, plain_fields(&document["fields"])))
}

fn plain_fields(fields: &Value) -> Value {
    let fields = fields.as_object().cloned().unwrap_or_default();
    Value::Object(fields.into_iter().map(|(name, value)| (name, plain(&value))).collect())
}

/// Takes the type off a value, except a reference's, which stays visible.
fn plain(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|object| object.iter().next()) else {
        return Value::Null;
    };
    match kind.as_str() {
        "mapValue" => plain_fields(&inner["fields"]),
        "arrayValue" => {
            let values = inner["values"].as_array().cloned().unwrap_or_default();
            values.iter().map(plain).collect()
        }
        "integerValue" => {
            inner.as_str().and_then(|text| text.parse::<i64>().ok()).map_or(Value::Null, Into::into)
        }
        "referenceValue" => {
            let path = inner.as_str().and_then(|path| path.split_once("/documents/"));
            json!({ "reference": path.map(|(_, path)| path) })
        }
        "nullValue" => Value::Null,
        _ => inner.clone(),
    }
}
