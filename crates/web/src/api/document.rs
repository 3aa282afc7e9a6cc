//! What the document of the API says beside what its handlers declare: what a value looks like, and how a request fails.
//!
//! Both follow from the name of a parameter and from what an operation takes, so they stand here once.

use recrawl_core::model::kind::Kind;
use recrawl_core::model::verdict::Verdict;
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

/// The name of a site.
const SITE: &str = "[a-z0-9][a-z0-9._-]{0,99}";

/// A day. That a year has a 29 February is not checked here.
const DAY: &str = "[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))";

/// What stands behind the day in the name of a second crawl of it, and of later ones.
const ORDINAL: &str = "(-([2-9]|[1-9][0-9]{1,7}))?";

/// One of these, or several with commas between them.
fn some_of(pattern: &str) -> Value {
    json!({ "pattern": format!("^({pattern})(,({pattern}))*$") })
}

/// What begins the schema of each parameter of this name; empty values count as absent. A list has commas between its
/// values.
fn bounds(name: &str, is_list: bool) -> Option<Value> {
    Some(match name {
        "site" if is_list => some_of(SITE),
        "site" => json!({ "pattern": format!("^{SITE}$"), "minLength": 1, "maxLength": 100 }),
        "kind" => some_of(&Verdict::ALL.map(Verdict::word).join("|")),
        "kinds" => some_of(&Kind::ALL.map(Kind::word).join("|")),
        "since" | "until" => json!({
            "pattern": format!(
                "^(now|today|yesterday|last-look|[0-9]{{1,3}} ?(hours|days|weeks) ago|[0-9]{{1,3}}[hdw]|{DAY}|\
                 {DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{{1,9}})?Z|crawl-{DAY}{ORDINAL})$"
            ),
            "examples": ["7d", "2026-11-16", "crawl-2026-11-16", "last-look"],
        }),
        "crawl" | "from" | "to" => json!({
            "pattern": format!("^crawl-{DAY}{ORDINAL}$"),
            "examples": ["crawl-2026-11-16", "crawl-2026-11-16-2"],
        }),
        "url" => json!({ "format": "uri", "minLength": 1, "pattern": "^https?://" }),
        "limit" => json!({ "minimum": 1, "maximum": 500, "default": 100 }),
        "tier" => json!({ "minimum": 1, "maximum": 3, "default": 1 }),
        "min-weight" => json!({ "minimum": 1, "maximum": 1000 }),
        "match" | "match-added" | "match-removed" | "exclude-match" => json!({ "format": "regex" }),
        "sort" => json!({ "enum": ["weight", "size", "path", "time"], "default": "weight" }),
        "aspect" => json!({ "enum": ["text", "links", "media", "meta"] }),
        "of" => json!({ "enum": ["text", "html"], "default": "text" }),
        "context" => json!({ "enum": ["all"] }),
        "cursor" => json!({ "pattern": "^[A-Za-z0-9_-]+$" }),
        _ => return None,
    })
}

/// The answers by which an operation fails, with what they mean.
fn failures(operation: &Value, demands_token: bool) -> Vec<(&'static str, &'static str)> {
    let has_parameters = operation["parameters"].as_array().is_some_and(|list| !list.is_empty());
    let (does_things, has_body) =
        (operation.get("security").is_some(), operation.get("requestBody").is_some());
    let mut failures = Vec::new();
    if has_parameters || has_body {
        failures.push((
            "400",
            "The request makes no sense: a parameter is missing or wrong, or what was sent is no JSON",
        ));
    }
    if does_things && demands_token {
        failures.push(("401", "The admin token is missing or wrong"));
    }
    if does_things {
        failures.push(("403", "The request comes from a page of another web site"));
    }
    if has_parameters || does_things {
        failures.push((
            "404",
            "There is no such thing, or nothing can be done here because the server only shows",
        ));
    }
    if does_things {
        failures.push(("409", "It cannot be done as things are"));
        failures.push(("413", "More was sent than is read"));
        failures.push(("415", "What was sent is not `Content-Type: application/json`"));
    }
    if does_things || has_parameters {
        failures.push(("422", "What was sent can be read, but not be done; the answer says why"));
    }
    if does_things {
        failures.push(("429", "Too many requests that do things: try again in a minute"));
    }
    failures.push(("500", "The store is damaged"));
    failures.push(("503", "The store cannot be read just now"));
    failures
}

/// Returns the document as it is served where a token is demanded, or where none is.
pub(super) fn finished(document: &OpenApi, demands_token: bool) -> Value {
    let mut document = serde_json::to_value(document).expect("a document of plain values is JSON");
    let paths = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        finish(operation, demands_token);
    }
    if !demands_token && let Some(components) = document["components"].as_object_mut() {
        components.remove("securitySchemes");
    }
    document
}

fn finish(operation: &mut Value, demands_token: bool) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let is_list = parameter["description"].as_str().is_some_and(|text| text.contains("with commas"));
        let is_query = parameter["in"] == "query";
        let is_required = parameter["required"] == true;
        if is_query && !is_required {
            // As forms send what nobody filled in.
            parameter["allowEmptyValue"] = json!(true);
        }
        let Some(schema) = parameter["schema"].as_object_mut() else { continue };
        if let Some(Value::Object(bounds)) = bounds(&name, is_list) {
            schema.extend(bounds);
        } else if is_query && is_required {
            schema.insert("pattern".to_owned(), json!("\\S"));
        }
    }
    for (status, description) in failures(operation, demands_token) {
        let schema = json!({ "$ref": "#/components/schemas/ProblemDocument" });
        operation["responses"][status] = json!({ "description": description, "content": { "application/problem+json": { "schema": schema } } });
    }
    if let Some(responses) = operation["responses"].as_object_mut() {
        responses.remove("4XX");
    }
    let Some(operation) = operation.as_object_mut() else { return };
    if let Some(Value::Object(body)) = operation.get_mut("requestBody") {
        // Also where the body may be `null`.
        body.insert("required".to_owned(), json!(true));
    }
    if !demands_token && operation.remove("security").is_some() && !operation.contains_key("requestBody") {
        // No form of another web site can send it, which is what counts.
        operation.insert(
            "requestBody".to_owned(),
            json!({
                "required": true,
                "description": "Not read. That it is JSON shows that no form of another web site sent it.",
                "content": { "application/json": { "schema": {}, "example": {} } },
            }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::DOCUMENT;

    fn operations(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
        let paths = document["paths"].as_object().into_iter().flatten();
        paths.flat_map(|(path, item)| {
            item.as_object().into_iter().flatten().map(move |(_, operation)| (path, operation))
        })
    }

    #[test]
    fn every_operation_says_how_it_fails() {
        for demands_token in [false, true] {
            let document = finished(&DOCUMENT, demands_token);
            for (path, operation) in operations(&document) {
                let responses = operation["responses"].as_object().unwrap();
                assert!(
                    responses.contains_key("503") && !responses.contains_key("4XX"),
                    "{path}: {responses:?}"
                );
                assert_eq!(responses.contains_key("401"), operation.get("security").is_some(), "{path}");
                if responses.contains_key("415") {
                    assert!(responses.contains_key("429") && responses.contains_key("409"), "{path}");
                    assert!(demands_token || operation.get("requestBody").is_some(), "{path}");
                }
            }
            assert_eq!(document["components"].get("securitySchemes").is_some(), demands_token);
        }
    }

    #[test]
    fn an_operation_without_parameters_has_none() {
        for (path, operation) in operations(&finished(&DOCUMENT, true)) {
            let parameters = operation.get("parameters");
            assert!(parameters.is_none_or(Value::is_array), "{path}: {parameters:?}");
        }
    }

    #[test]
    fn every_parameter_says_what_it_takes() {
        let document = finished(&DOCUMENT, true);
        for (path, operation) in operations(&document) {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let schema = &parameter["schema"];
                let is_bounded =
                    ["pattern", "enum", "minimum", "format"].iter().any(|word| schema.get(word).is_some());
                let is_required = parameter["required"] == true;
                assert!(is_bounded || !is_required, "{path}: {parameter}");
            }
        }
    }
}
