//! Which attributes and blocks a resource has.

use std::collections::BTreeMap;

use hcl::expr::TraversalOperator;
use hcl::{Block, Body, Expression};
use serde::Deserialize;

use crate::configuration::{attribute, content};

/// The schema of the provider, for the resources in use.
#[derive(Debug, Deserialize)]
pub struct Schema {
    /// The version of the provider that it was taken from.
    pub provider: String,
    /// Fields by type of resource.
    pub resources: BTreeMap<String, Fields>,
}

/// Attributes and nested blocks by name.
pub type Fields = BTreeMap<String, Field>;

/// One attribute or nested block.
#[derive(Debug, Deserialize)]
pub struct Field {
    /// Whether it must be there.
    pub required: bool,
    /// What is inside, for a nested block.
    pub block: Option<Fields>,
}

/// What Terraform itself understands in every resource.
const META_ATTRIBUTES: [&str; 4] = ["count", "for_each", "depends_on", "provider"];
const LIFECYCLE: [&str; 3] = ["create_before_destroy", "prevent_destroy", "ignore_changes"];

impl Schema {
    /// Checks a resource: type, names, nesting, and that what is required is there.
    pub fn check(&self, of: &str, name: &str, body: &Body) -> Vec<String> {
        let address = format!("{of}.{name}");
        let Some(fields) = self.resources.get(of) else {
            return vec![format!("{address}: the schema has no resource {of}")];
        };
        let mut problems = Vec::new();
        check_body(&address, fields, body, true, &mut problems);
        problems
    }
}

fn check_body(address: &str, fields: &Fields, body: &Body, is_resource: bool, problems: &mut Vec<String>) {
    for attribute in body.attributes() {
        let key = attribute.key();
        match fields.get(key) {
            Some(field) if field.block.is_some() => {
                problems.push(format!("{address}: {key} is a block, not an attribute"));
            }
            Some(_) => {}
            None if is_resource && META_ATTRIBUTES.contains(&key) => {}
            None => problems.push(format!("{address}: there is no attribute {key}")),
        }
    }
    for block in body.blocks() {
        if is_resource && block.identifier() == "lifecycle" {
            check_lifecycle(address, fields, block, problems);
            continue;
        }
        let Some((key, inner)) = content(block) else {
            problems.push(format!("{address}: a dynamic block has no label or no content"));
            continue;
        };
        if block.identifier() == "dynamic" && attribute(block.body(), "for_each").is_none() {
            problems.push(format!("{address}: dynamic {key} has no for_each"));
        }
        match fields.get(key).map(|field| &field.block) {
            Some(Some(nested)) => check_body(&format!("{address}.{key}"), nested, inner, false, problems),
            Some(None) => problems.push(format!("{address}: {key} is an attribute, not a block")),
            None => problems.push(format!("{address}: there is no block {key}")),
        }
    }
    for (key, _) in fields.iter().filter(|(_, field)| field.required) {
        let is_there = attribute(body, key).is_some()
            || body.blocks().filter_map(content).any(|(name, _)| name == key.as_str());
        if !is_there {
            problems.push(format!("{address}: {key} is required"));
        }
    }
}

fn check_lifecycle(address: &str, fields: &Fields, block: &Block, problems: &mut Vec<String>) {
    for attribute in block.body().attributes() {
        if !LIFECYCLE.contains(&attribute.key()) {
            problems.push(format!("{address}: lifecycle has no {}", attribute.key()));
        }
    }
    if let Some(Expression::Array(paths)) = attribute(block.body(), "ignore_changes") {
        for path in paths {
            if !is_path(fields, path) {
                problems.push(format!("{address}: ignore_changes names {path}, which is not there"));
            }
        }
    }
}

/// Whether an expression such as `template[0].containers[0].image` leads to a field.
fn is_path(fields: &Fields, path: &Expression) -> bool {
    let mut names = Vec::new();
    match path {
        Expression::Variable(root) => names.push(root.as_str()),
        Expression::Traversal(traversal) => {
            let Expression::Variable(root) = &traversal.expr else { return false };
            names.push(root.as_str());
            for operator in &traversal.operators {
                match operator {
                    TraversalOperator::GetAttr(name) => names.push(name.as_str()),
                    TraversalOperator::Index(_) => {}
                    _ => return false,
                }
            }
        }
        _ => return false,
    }
    let mut level = Some(fields);
    for name in names {
        let Some(field) = level.and_then(|fields| fields.get(name)) else { return false };
        level = field.block.as_ref();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"provider": "1.0.0", "resources": {"thing": {
        "name": {"required": true},
        "size": {"required": false},
        "part": {"required": true, "block": {"weight": {"required": true}, "colour": {"required": false}}}
    }}}"#;

    fn problems(of: &str, text: &str) -> Vec<String> {
        let schema: Schema = serde_json::from_str(SCHEMA).unwrap();
        schema.check(of, "a", &hcl::parse(text).unwrap())
    }

    #[test]
    fn a_resource_that_fits_has_no_problems() {
        let body = "
            count = 2
            name  = 1
            size  = 2
            part {
              weight = 3
            }
            dynamic \"part\" {
              for_each = [1]
              content {
                weight = part.value
              }
            }
            lifecycle {
              ignore_changes = [size, part[0].colour]
            }
            depends_on = [thing.b]";
        assert_eq!(problems("thing", body), Vec::<String>::new());
    }

    #[test]
    fn each_way_not_to_fit_is_told() {
        let table = [
            ("unknown", "", "no resource unknown"),
            ("thing", "name = 1\nnmae = 2\npart {\n weight = 1\n}", "no attribute nmae"),
            ("thing", "part {\n weight = 1\n}", "name is required"),
            ("thing", "name = 1", "part is required"),
            ("thing", "name = 1\npart {}", "part: weight is required"),
            ("thing", "name = 1\npart {\n weight = 1\n count = 2\n}", "no attribute count"),
            ("thing", "name = 1\npart = 2", "part is a block"),
            ("thing", "name {}\npart {\n weight = 1\n}", "name is an attribute"),
            ("thing", "name = 1\npart {\n weight = 1\n}\nparts {}", "no block parts"),
            ("thing", "name = 1\ndynamic \"part\" {\n content {\n weight = 1\n }\n}", "no for_each"),
            ("thing", "name = 1\ndynamic \"part\" {}", "no label or no content"),
            (
                "thing",
                "name = 1\npart {\n weight = 1\n}\nlifecycle {\n ignore_changes = [part[0].length]\n}",
                "ignore_changes names part[0].length",
            ),
            (
                "thing",
                "name = 1\npart {\n weight = 1\n}\nlifecycle {\n keep = true\n}",
                "lifecycle has no keep",
            ),
        ];
        for (of, body, expected) in table {
            let found = problems(of, body);
            assert!(found.iter().any(|problem| problem.contains(expected)), "{expected}: {found:?}");
        }
    }
}
