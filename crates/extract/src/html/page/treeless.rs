//! Reading a page without its tree.

use recrawl_core::model::content::Unreadable;

use super::reader::{Findings, PageElement, Reader};
use crate::budget::WorkBudget;
use crate::fast::KeptTexts;
use crate::fast::treeless::{self, ElementView, Listener};
use crate::html::removal_log::RemovalLog;
use crate::html::text::TextRules;
use crate::html::tree::{Flow, Hints, Meaning};

/// Reads a page whose lines end in line feeds alone, and which was `length` bytes long before; `None` if it needs a tree.
pub(super) fn read<'text>(
    text: &'text str,
    length: usize,
    kept: &'text KeptTexts,
    rules: &TextRules,
    budget: &WorkBudget,
    removals: &mut RemovalLog,
) -> Result<Option<Findings<'text>>, Unreadable> {
    // What was left out before the reader gave up does not count.
    let mut own_removals = removals.anew();
    let reader = Reader::new(rules, length, budget, &mut own_removals);
    let filter = rules.attribute_filter();
    let Ok(reader) = treeless::read(text, &filter, kept.keeper(), budget, reader) else {
        budget.work(0)?;
        return Ok(None);
    };
    let findings = reader.finish()?;
    *removals = own_removals;
    Ok(Some(findings))
}

/// Returns why a page needs a tree.
pub(super) fn needs_tree(text: &str, rules: &TextRules) -> Option<&'static str> {
    let (kept, budget, mut removals) = (KeptTexts::default(), WorkBudget::for_page(), RemovalLog::default());
    let reader = Reader::new(rules, text.len(), &budget, &mut removals);
    let filter = rules.attribute_filter();
    treeless::read(text, &filter, kept.keeper(), &budget, reader).err().map(|gave_up| gave_up.0)
}

impl<'text> Listener<'text> for Reader<'text, '_> {
    fn enter(&mut self, element: ElementView<'_, 'text>) -> Result<(), Unreadable> {
        Self::enter(self, element)
    }

    fn leave(&mut self, flow: Flow) {
        Self::leave(self, flow);
    }

    fn text(&mut self, text: &str) -> Result<(), Unreadable> {
        Self::text(self, text)
    }
}

impl<'text> PageElement<'text> for ElementView<'_, 'text> {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn meaning(&self) -> Meaning {
        Self::meaning(self)
    }

    fn hints(&self) -> Option<&Hints> {
        Self::hints(self)
    }

    /// Selectors look at the tree.
    fn ignored_by(&self) -> Option<u16> {
        None
    }

    fn is_chosen(&self) -> bool {
        false
    }

    fn attribute(&self, name: &str) -> Option<&'text str> {
        Self::attribute(self, name)
    }

    fn attributes(&self) -> impl Iterator<Item = (&'text str, &'text str)> {
        Self::attributes(self)
    }

    fn xlink_address(&self) -> Option<&'text str> {
        Self::xlink_address(self)
    }

    fn child_texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text())
    }
}
