//! What the expressions of a block name: variables, locals, resources, functions.

use std::collections::BTreeSet;

use hcl::expr::{ForExpr, Operation, TemplateExpr, TraversalOperator};
use hcl::template::{Directive, Element, Template};
use hcl::{Block, Body, Expression};

/// One step of a reference behind its root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// `.name`
    Attribute(String),
    /// `[0]`, `["key"]`, `[*]`
    Index,
}

/// A name that an expression uses, such as `var.project` or `google_x.y[0].id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The first name.
    pub root: String,
    /// What follows.
    pub steps: Vec<Step>,
}

/// What was found in a block.
#[derive(Debug, Default)]
pub struct Found {
    /// Names that no surrounding expression binds.
    pub references: BTreeSet<Reference>,
    /// Functions that are called.
    pub functions: BTreeSet<String>,
    /// Templates that cannot be read.
    pub unreadable: Vec<String>,
}

impl Found {
    /// Collects what a body names, `lifecycle` left out: it names fields of its own resource.
    pub fn in_body(body: &Body) -> Self {
        let mut walk = Walk::default();
        walk.body(body);
        walk.found
    }

    /// Collects what an expression names.
    pub fn in_expression(expression: &Expression) -> Self {
        let mut walk = Walk::default();
        walk.expression(expression);
        walk.found
    }
}

#[derive(Default)]
struct Walk {
    found: Found,
    /// Names bound by `for` and `dynamic` around the current place.
    bound: Vec<String>,
}

impl Walk {
    fn body(&mut self, body: &Body) {
        for attribute in body.attributes() {
            self.expression(attribute.expr());
        }
        for block in body.blocks().filter(|block| block.identifier() != "lifecycle") {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        if block.identifier() != "dynamic" {
            self.body(block.body());
            return;
        }
        for attribute in block.body().attributes() {
            self.expression(attribute.expr());
        }
        let name = block.labels().first().map(|label| label.as_str().to_owned());
        self.with_bound(name, |walk| {
            for inner in block.body().blocks() {
                walk.body(inner.body());
            }
        });
    }

    fn with_bound(&mut self, names: impl IntoIterator<Item = String>, inside: impl FnOnce(&mut Self)) {
        let before = self.bound.len();
        self.bound.extend(names);
        inside(self);
        self.bound.truncate(before);
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Array(items) => items.iter().for_each(|item| self.expression(item)),
            Expression::Object(object) => {
                for (key, value) in object {
                    // A bare word as a key is text, not a name.
                    if let hcl::expr::ObjectKey::Expression(key) = key {
                        self.expression(key);
                    }
                    self.expression(value);
                }
            }
            Expression::TemplateExpr(template) => self.template_expression(template),
            Expression::Variable(name) => self.reference(name.as_str(), &[]),
            Expression::Traversal(traversal) => {
                for operator in &traversal.operators {
                    if let TraversalOperator::Index(index) = operator {
                        self.expression(index);
                    }
                }
                match &traversal.expr {
                    Expression::Variable(root) => self.reference(root.as_str(), &traversal.operators),
                    other => self.expression(other),
                }
            }
            Expression::FuncCall(call) => {
                self.found.functions.insert(call.name.to_string());
                call.args.iter().for_each(|argument| self.expression(argument));
            }
            Expression::Parenthesis(inner) => self.expression(inner),
            Expression::Conditional(conditional) => {
                self.expression(&conditional.cond_expr);
                self.expression(&conditional.true_expr);
                self.expression(&conditional.false_expr);
            }
            Expression::Operation(operation) => match &**operation {
                Operation::Unary(unary) => self.expression(&unary.expr),
                Operation::Binary(binary) => {
                    self.expression(&binary.lhs_expr);
                    self.expression(&binary.rhs_expr);
                }
            },
            Expression::ForExpr(each) => self.for_expression(each),
            // Literals. The enum belongs to the parser and may grow.
            _ => {}
        }
    }

    fn for_expression(&mut self, each: &ForExpr) {
        self.expression(&each.collection_expr);
        let names = each.key_var.iter().chain([&each.value_var]).map(|name| name.as_str().to_owned());
        self.with_bound(names, |walk| {
            let inside = each.key_expr.iter().chain([&each.value_expr]).chain(each.cond_expr.iter());
            inside.for_each(|expression| walk.expression(expression));
        });
    }

    fn template_expression(&mut self, template: &TemplateExpr) {
        match Template::from_expr(template) {
            Ok(template) => self.template(&template),
            Err(error) => self.found.unreadable.push(format!("{template}: {error}")),
        }
    }

    fn template(&mut self, template: &Template) {
        for element in template.elements() {
            match element {
                Element::Literal(_) => {}
                Element::Interpolation(interpolation) => self.expression(&interpolation.expr),
                Element::Directive(directive) => match &**directive {
                    Directive::If(choice) => {
                        self.expression(&choice.cond_expr);
                        self.template(&choice.true_template);
                        choice.false_template.iter().for_each(|template| self.template(template));
                    }
                    Directive::For(each) => {
                        self.expression(&each.collection_expr);
                        let names = each.key_var.iter().chain([&each.value_var]);
                        let names: Vec<String> = names.map(|name| name.as_str().to_owned()).collect();
                        self.with_bound(names, |walk| walk.template(&each.template));
                    }
                },
            }
        }
    }

    fn reference(&mut self, root: &str, operators: &[TraversalOperator]) {
        if self.bound.iter().any(|name| name == root) {
            return;
        }
        let steps = operators.iter().map(|operator| match operator {
            TraversalOperator::GetAttr(name) => Step::Attribute(name.as_str().to_owned()),
            TraversalOperator::AttrSplat
            | TraversalOperator::FullSplat
            | TraversalOperator::Index(_)
            | TraversalOperator::LegacyIndex(_) => Step::Index,
        });
        let reference = Reference { root: root.to_owned(), steps: steps.collect() };
        self.found.references.insert(reference);
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.root)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Attribute(name) => write!(formatter, ".{name}"),
            Step::Index => formatter.write_str("[]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_wherever_an_expression_can_hide_them() {
        let table = [
            ("a = var.x", "var.x"),
            ("a = \"x ${var.x} y\"", "var.x"),
            ("a = <<E\n${var.x}\nE", "var.x"),
            ("a = \"${join(\", \", [for n in local.l : \"${n}-${var.y}\"])}\"", "local.l var.y"),
            ("a = { k = var.x, (var.y) = 1 }", "var.x var.y"),
            ("a = f(var.x)", "var.x"),
            ("a = var.x ? local.y : !local.z", "local.y local.z var.x"),
            ("a = google_t.n[each.key].id", "each.key google_t.n[].id"),
            ("a = google_t.n[*].id", "google_t.n[].id"),
            ("b {\n c {\n a = (var.x + 1)\n }\n}", "var.x"),
            ("dynamic \"e\" {\n for_each = var.x\n content {\n a = e.value\n }\n}", "var.x"),
            ("a = [for k, v in var.x : v if k != var.y]", "var.x var.y"),
            ("lifecycle {\n ignore_changes = [image]\n}", ""),
        ];
        for (text, expected) in table {
            let found = Found::in_body(&hcl::parse(&format!("{text}\n")).unwrap());
            let names: Vec<String> = found.references.iter().map(ToString::to_string).collect();
            assert_eq!(names.join(" "), expected, "{text}");
            assert!(found.unreadable.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_bound_name_is_free_again_behind_its_loop() {
        let found = Found::in_body(&hcl::parse("a = [[for n in [] : n], n]\n").unwrap());
        assert_eq!(found.references.len(), 1);
    }

    #[test]
    fn functions_are_found() {
        let found = Found::in_body(&hcl::parse("a = \"${join(\",\", toset([]))}\"\n").unwrap());
        assert_eq!(found.functions.into_iter().collect::<Vec<_>>(), ["join", "toset"]);
    }
}
