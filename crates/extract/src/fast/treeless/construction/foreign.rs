//! [Foreign content](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign): SVG and MathML.

use super::{Construction, DONE, Step};
use crate::fast::treeless::GaveUp;
use crate::fast::treeless::elements::Namespace;
use crate::fast::treeless::listener::Listener;
use crate::fast::treeless::names::{BREAKS_OUT, Name};
use crate::fast::treeless::tokens::{EndTag, StartTag};

impl<'page, L: Listener<'page>> Construction<'page, '_, L> {
    /// Tells whether an element that begins here belongs to SVG or MathML.
    pub(super) fn is_foreign_start(&self, tag: &StartTag<'page>) -> bool {
        let Some(current) = self.open.current().filter(|element| element.namespace != Namespace::Html) else {
            return false;
        };
        if current.is_html_point() {
            return false;
        }
        if current.is_text_point() {
            return matches!(tag.name, Name::Mglyph | Name::Malignmark);
        }
        let is_annotation = current.namespace == Namespace::MathMl && current.name == Name::AnnotationXml;
        !(is_annotation && tag.name == Name::Svg)
    }

    pub(super) fn start_in_foreign(&mut self, tag: &StartTag<'page>) -> Step {
        let is_html = BREAKS_OUT.contains(tag.name) || tag.name == Name::Font && self.is_html_font(tag);
        if is_html {
            self.break_out()?;
            return self.start_in_mode(tag);
        }
        let namespace = self.open.current().map_or(Namespace::Html, |element| element.namespace);
        self.insert_foreign(tag, namespace)
    }

    /// An element of SVG or MathML begins.
    pub(super) fn insert_foreign(&mut self, tag: &StartTag<'page>, namespace: Namespace) -> Step {
        if tag.self_closing {
            return self.insert_void(tag, namespace, "");
        }
        self.insert(tag, namespace)?;
        DONE
    }

    pub(super) fn end_in_foreign(&mut self, tag: EndTag<'page>) -> Step {
        if matches!(tag.name, Name::Br | Name::P) {
            self.break_out()?;
            return self.end_in_mode(tag);
        }
        for place in (1..self.open.len()).rev() {
            let element = &self.open.all()[place];
            let is_innermost = place + 1 == self.open.len();
            if !is_innermost && element.namespace == Namespace::Html {
                return self.end_in_mode(tag);
            }
            let is_same = tag.name != Name::Other || element.spelled.eq_ignore_ascii_case(tag.spelled);
            if element.name == tag.name && is_same {
                self.truncate(place)?;
                return DONE;
            }
        }
        DONE
    }

    /// Whatever is foreign ends, up to where HTML may stand.
    fn break_out(&mut self) -> Result<(), GaveUp> {
        while self.open.current().is_some_and(|element| {
            let may_hold_html = element.is_text_point() || element.is_html_point() && !element.holds_html;
            element.namespace != Namespace::Html && !may_hold_html
        }) {
            self.pop()?;
        }
        Ok(())
    }

    fn is_html_font(&self, tag: &StartTag<'page>) -> bool {
        self.tokens
            .attributes(tag)
            .iter()
            .any(|attribute| matches!(attribute.name, "color" | "face" | "size"))
    }

    /// Tells whether the content of an annotation is HTML.
    pub(super) fn holds_html(&self, tag: &StartTag<'page>) -> bool {
        let is_html = |value: &str| {
            value.eq_ignore_ascii_case("text/html") || value.eq_ignore_ascii_case("application/xhtml+xml")
        };
        tag.name == Name::AnnotationXml
            && self
                .tokens
                .attributes(tag)
                .iter()
                .any(|attribute| attribute.name == "encoding" && is_html(attribute.value))
    }
}
