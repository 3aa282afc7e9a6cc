//! Names of topics, services and secrets, evaluated as far as files alone can tell.

use std::collections::BTreeSet;

use hcl::eval::{Context, Evaluate, FuncArgs, FuncDef, ParamType};
use hcl::{Body, Expression, Map, Value};

use crate::configuration::{Configuration, attribute};

/// What a variable without a default is taken to be: its name in capitals.
fn stand_in(name: &str) -> Value {
    Value::from(name.to_uppercase())
}

fn set_of(arguments: FuncArgs) -> Result<Value, String> {
    arguments.into_values().pop().ok_or_else(|| "toset without argument".to_owned())
}

fn text_of(arguments: FuncArgs) -> Result<Value, String> {
    match arguments.into_values().pop() {
        Some(Value::Number(number)) => Ok(Value::from(number.to_string())),
        Some(other) => Ok(other),
        None => Err("tostring without argument".to_owned()),
    }
}

/// Evaluates expressions with the defaults of variables.
pub struct Evaluator<'a> {
    configuration: &'a Configuration,
    context: Context<'a>,
}

impl<'a> Evaluator<'a> {
    /// Evaluates variables, then those locals that need no resource.
    pub fn new(configuration: &'a Configuration) -> Self {
        let mut context = Context::new();
        context.declare_func("toset", FuncDef::builder().param(ParamType::Any).build(set_of));
        context.declare_func("tostring", FuncDef::builder().param(ParamType::Any).build(text_of));
        let variables: Map<String, Value> = configuration
            .variables
            .iter()
            .map(|(name, body)| {
                let default = attribute(body, "default").and_then(|default| default.evaluate(&context).ok());
                (name.clone(), default.unwrap_or_else(|| stand_in(name)))
            })
            .collect();
        context.declare_var("var", Value::from(variables));
        let mut locals = Map::new();
        // A local may need another: as many rounds as there are locals are enough.
        for _ in &configuration.locals {
            context.declare_var("local", Value::from(locals.clone()));
            for (name, expression) in &configuration.locals {
                if let Ok(value) = expression.evaluate(&context) {
                    locals.insert(name.clone(), value);
                }
            }
        }
        context.declare_var("local", Value::from(locals));
        Self { configuration, context }
    }

    /// Evaluates an expression that needs no resource.
    pub fn value(&self, expression: &Expression) -> Option<Value> {
        expression.evaluate(&self.context).ok()
    }

    /// Evaluates an attribute of every resource of a type, once for each of its instances.
    ///
    /// Panics where that cannot be told: names are plain on purpose.
    pub fn all(&self, of: &str, field: &str) -> BTreeSet<String> {
        let resources = self.configuration.resources.iter().filter(|((known, _), _)| known == of);
        resources.flat_map(|((_, name), body)| self.instances(&format!("{of}.{name}"), body, field)).collect()
    }

    fn instances(&self, address: &str, body: &Body, field: &str) -> Vec<String> {
        let expression =
            attribute(body, field).unwrap_or_else(|| panic!("{address} has no attribute {field}"));
        let text = |context: &Context| match expression.evaluate(context) {
            Ok(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            Err(error) => panic!("{address}.{field}: {error}"),
        };
        let Some(each) = attribute(body, "for_each") else { return vec![text(&self.context)] };
        let pairs: Vec<(Value, Value)> = match self.value(each) {
            Some(Value::Array(keys)) => keys.into_iter().map(|key| (key.clone(), key)).collect(),
            Some(Value::Object(map)) => {
                map.into_iter().map(|(key, value)| (Value::from(key), value)).collect()
            }
            other => panic!("{address}.for_each: {other:?}"),
        };
        pairs
            .into_iter()
            .map(|(key, value)| {
                let mut context = self.context.clone();
                context.declare_var("each", hcl::value!({ "key" = key, "value" = value }));
                text(&context)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_evaluated_for_every_instance() {
        let text = "
            variable \"project\" {}
            variable \"suffix\" {
              default = \"x\"
            }
            locals {
              names  = toset([\"a\", \"b\"])
              suffix = \"${local.dash}${var.suffix}\"
              dash   = \"-\"
              things = { c = { name = \"d\" } }
            }
            resource \"t\" \"many\" {
              for_each = local.names
              name     = \"${each.key}${local.suffix}\"
            }
            resource \"t\" \"map\" {
              for_each = local.things
              name     = each.value.name
            }
            resource \"t\" \"one\" {
              name = \"${var.project}-one\"
            }";
        let configuration = Configuration::parse(text).unwrap();
        let names = Evaluator::new(&configuration).all("t", "name");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["PROJECT-one", "a-x", "b-x", "d"]);
    }
}
