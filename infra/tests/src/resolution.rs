//! Whether what a configuration names is there, and nothing goes round in circles.

use std::collections::{BTreeMap, BTreeSet};

use crate::configuration::{Configuration, attribute};
use crate::references::{Found, Reference, Step};
use crate::schema::Schema;

/// What the provider fills in, as far as it is used; the schema has what people set.
const COMPUTED: [(&str, &[&str]); 1] = [("google_service_account", &["email", "member", "name"])];

/// Data sources are not part of the schema: what may be set, and what may be read.
const DATA: [(&str, &[&str], &[&str]); 1] = [("google_project", &["project_id"], &["number"])];

/// A place that holds expressions.
struct Place {
    address: String,
    found: Found,
    repeats: bool,
}

/// Checks every reference of a configuration, and that every variable and local is used.
pub fn check(configuration: &Configuration, schema: &Schema) -> Vec<String> {
    let places = places(configuration);
    let mut problems = Vec::new();
    for place in &places {
        problems.extend(place.found.unreadable.iter().map(|text| format!("{}: {text}", place.address)));
        for reference in &place.found.references {
            if let Err(problem) = resolve(configuration, schema, place.repeats, reference) {
                problems.push(format!("{}: {reference}: {problem}", place.address));
            }
        }
    }
    for ((of, name), body) in &configuration.data {
        let known = DATA.iter().find(|(known, _, _)| known == of).map(|(_, inputs, _)| *inputs);
        let fits = known.is_some_and(|inputs| body.attributes().all(|set| inputs.contains(&set.key())));
        if !fits || body.blocks().next().is_some() {
            problems.push(format!("data.{of}.{name}: not known here"));
        }
    }
    problems.extend(unused(configuration, &places));
    problems.extend(circle(&places));
    problems
}

/// Returns the names of all functions that are called.
pub fn functions(configuration: &Configuration) -> BTreeSet<String> {
    let variables = configuration.variables.values().map(Found::in_body);
    let places = places(configuration).into_iter().map(|place| place.found);
    variables.chain(places).flat_map(|found| found.functions).collect()
}

fn places(configuration: &Configuration) -> Vec<Place> {
    let mut places = Vec::new();
    for ((of, name), body) in &configuration.resources {
        let repeats = attribute(body, "for_each").is_some();
        places.push(Place { address: format!("{of}.{name}"), found: Found::in_body(body), repeats });
    }
    for ((of, name), body) in &configuration.data {
        places.push(Place {
            address: format!("data.{of}.{name}"),
            found: Found::in_body(body),
            repeats: false,
        });
    }
    for (name, expression) in &configuration.locals {
        let found = Found::in_expression(expression);
        places.push(Place { address: format!("local.{name}"), found, repeats: false });
    }
    for (kind, bodies) in [("output", &configuration.outputs), ("provider", &configuration.providers)] {
        for (name, body) in bodies {
            let found = Found::in_body(body);
            places.push(Place { address: format!("{kind}.{name}"), found, repeats: false });
        }
    }
    // Of a variable only the rules are expressions; its type is a word of its own language.
    for (name, body) in &configuration.variables {
        for rule in body.blocks() {
            let found = Found::in_body(rule.body());
            places.push(Place { address: format!("validation of var.{name}"), found, repeats: false });
        }
    }
    places
}

fn resolve(
    configuration: &Configuration,
    schema: &Schema,
    repeats: bool,
    reference: &Reference,
) -> Result<(), String> {
    let steps = reference.steps.as_slice();
    let is_declared = match (reference.root.as_str(), steps) {
        ("var", [Step::Attribute(name), ..]) => configuration.variables.contains_key(name),
        ("local", [Step::Attribute(name), ..]) => configuration.locals.contains_key(name),
        ("each", [Step::Attribute(part), ..]) if part == "key" || part == "value" => {
            return if repeats { Ok(()) } else { Err("there is no for_each".to_owned()) };
        }
        ("data", [Step::Attribute(of), Step::Attribute(name), Step::Attribute(field)]) => {
            let outputs = DATA.iter().find(|(known, _, _)| known == of).map(|(_, _, outputs)| *outputs);
            configuration.data.contains_key(&(of.clone(), name.clone()))
                && outputs.is_some_and(|outputs| outputs.contains(&field.as_str()))
        }
        (of, [Step::Attribute(name), rest @ ..]) if of.starts_with("google_") => {
            return resolve_resource(configuration, schema, of, name, rest);
        }
        (_, _) => false,
    };
    if is_declared { Ok(()) } else { Err("is not declared".to_owned()) }
}

fn resolve_resource(
    configuration: &Configuration,
    schema: &Schema,
    of: &str,
    name: &str,
    rest: &[Step],
) -> Result<(), String> {
    let body = configuration.resources.get(&(of.to_owned(), name.to_owned()));
    let Some(body) = body else { return Err("is not declared".to_owned()) };
    let is_many = attribute(body, "count").is_some() || attribute(body, "for_each").is_some();
    let field = match rest {
        // The whole resource: in depends_on, or as a collection.
        [] => return Ok(()),
        [Step::Index, Step::Attribute(field), ..] if is_many => field,
        [Step::Attribute(field), ..] if !is_many => field,
        [..] if is_many => return Err("has count or for_each, so an index is missing".to_owned()),
        [..] => return Err("has neither count nor for_each, so there is no index".to_owned()),
    };
    let is_set = schema.resources.get(of).is_some_and(|fields| fields.contains_key(field));
    let is_computed = COMPUTED.iter().any(|(known, fields)| *known == of && fields.contains(&field.as_str()));
    if is_set || is_computed { Ok(()) } else { Err(format!("there is no {field}")) }
}

fn unused(configuration: &Configuration, places: &[Place]) -> Vec<String> {
    let used: BTreeSet<String> = places
        .iter()
        .filter(|place| !place.address.starts_with("validation of "))
        .flat_map(|place| &place.found.references)
        .filter_map(target)
        .collect();
    let variables = configuration.variables.keys().map(|name| format!("var.{name}"));
    let locals = configuration.locals.keys().map(|name| format!("local.{name}"));
    let declared = variables.chain(locals);
    declared.filter(|name| !used.contains(name)).map(|name| format!("{name}: nobody uses it")).collect()
}

/// Returns the address of what a reference leads to.
fn target(reference: &Reference) -> Option<String> {
    let attributes = reference.steps.iter().map_while(|step| match step {
        Step::Attribute(name) => Some(name.as_str()),
        Step::Index => None,
    });
    let names: Vec<&str> = attributes.collect();
    match (reference.root.as_str(), names.as_slice()) {
        ("data", [of, name, ..]) => Some(format!("data.{of}.{name}")),
        (root, [name, ..]) => Some(format!("{root}.{name}")),
        (_, []) => None,
    }
}

/// Looks for something that needs itself, such as a service whose settings hold its own address.
fn circle(places: &[Place]) -> Option<String> {
    let edges: BTreeMap<&str, BTreeSet<String>> = places
        .iter()
        .map(|place| (place.address.as_str(), place.found.references.iter().filter_map(target).collect()))
        .collect();
    let mut done = BTreeSet::new();
    edges.keys().find_map(|start| descend(start, &edges, &mut Vec::new(), &mut done))
}

fn descend(
    at: &str,
    edges: &BTreeMap<&str, BTreeSet<String>>,
    path: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<String> {
    if let Some(start) = path.iter().position(|earlier| earlier == at) {
        return Some(format!("{} -> {at}: goes round in a circle", path[start..].join(" -> ")));
    }
    if done.contains(at) {
        return None;
    }
    path.push(at.to_owned());
    let found = edges.get(at).and_then(|next| next.iter().find_map(|next| descend(next, edges, path, done)));
    path.pop();
    done.insert(at.to_owned());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let schema = r#"{"provider": "1.0.0", "resources": {"google_thing": {"id": {"required": false}}}}"#;
        let schema: Schema = serde_json::from_str(schema).unwrap();
        check(&Configuration::parse(text).unwrap(), &schema)
    }

    #[test]
    fn what_is_declared_is_found() {
        let text = "
            variable \"v\" {
              type = string
            }
            locals {
              l = var.v
            }
            data \"google_project\" \"p\" {
              project_id = local.l
            }
            resource \"google_thing\" \"many\" {
              for_each = toset([\"a\"])
              id       = \"${each.key}${data.google_project.p.number}\"
            }
            resource \"google_thing\" \"one\" {
              id         = google_thing.many[\"a\"].id
              depends_on = [google_thing.many]
            }";
        assert_eq!(problems(text), Vec::<String>::new());
    }

    #[test]
    fn each_broken_reference_is_told() {
        let table = [
            ("output \"o\" {\n value = var.x\n}", "var.x: is not declared"),
            ("output \"o\" {\n value = \"${local.x}\"\n}", "local.x: is not declared"),
            ("output \"o\" {\n value = data.google_project.p.number\n}", "is not declared"),
            ("output \"o\" {\n value = google_thing.x.id\n}", "google_thing.x.id: is not declared"),
            ("output \"o\" {\n value = stray\n}", "stray: is not declared"),
            ("resource \"google_thing\" \"a\" {\n depends_on = [google_thing.b]\n}", "is not declared"),
            ("resource \"google_thing\" \"a\" {\n id = each.key\n}", "there is no for_each"),
            ("resource \"google_thing\" \"a\" {}\noutput \"o\" {\n value = google_thing.a.uri\n}", "no uri"),
            (
                "resource \"google_thing\" \"a\" {\n count = 1\n}\noutput \"o\" {\n value = google_thing.a.id\n}",
                "an index is missing",
            ),
            (
                "resource \"google_thing\" \"a\" {}\noutput \"o\" {\n value = google_thing.a[0].id\n}",
                "there is no index",
            ),
            ("variable \"x\" {}", "var.x: nobody uses it"),
            ("locals {\n x = 1\n}", "local.x: nobody uses it"),
            ("data \"google_secret\" \"s\" {}", "not known here"),
            ("data \"google_project\" \"p\" {\n name = 1\n}", "not known here"),
            ("resource \"google_thing\" \"a\" {\n id = google_thing.a.id\n}", "a circle"),
            ("locals {\n a = local.b\n b = \"${local.a}\"\n}", "local.a -> local.b -> local.a: goes round"),
        ];
        for (text, expected) in table {
            let found = problems(text);
            assert!(found.iter().any(|problem| problem.contains(expected)), "{expected}: {found:?}");
        }
    }
}
