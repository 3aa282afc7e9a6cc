//! Which of the addresses that came and went are not the page's own: a new entry of the menu leads to the same page everywhere.

use std::collections::HashMap;

use recrawl_core::changes::edits::{OwnMarks, line_id};
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::edit::{Edit, LineId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::url::PageUrl;

use super::Beside;

/// Addresses that came and went on other pages, too, or that come and go by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignAddresses {
    /// What they are, and which.
    pub beside: Beside,
    /// How many pages have the first of them; 0 where nobody knows.
    pub pages: u64,
}

/// Takes what is not the page's own out of `beside`.
pub(super) fn take_foreign(
    beside: &mut Vec<Beside>,
    visit: &PageRecord,
    shared: &[SharedChange],
) -> Vec<ForeignAddresses> {
    let edits = visit.visit.edits.as_ref().map_or(&[][..], |edits| &edits.list);
    foreign_among(beside, edits, &visit.url, shared)
}

fn foreign_among(
    beside: &mut Vec<Beside>,
    edits: &[Edit],
    page: &PageUrl,
    shared: &[SharedChange],
) -> Vec<ForeignAddresses> {
    let foreign = edits.iter().filter(|edit| {
        matches!(edit.aspect, Aspect::Links | Aspect::Media)
            && (edit.state.is_noise() || edit.state.is_shared())
    });
    let mut by_line: HashMap<LineId, &Edit> = HashMap::new();
    for edit in foreign {
        by_line.extend([&edit.went, &edit.came].into_iter().flatten().map(|side| (side.line, edit)));
    }
    if by_line.is_empty() {
        return Vec::new();
    }
    let own = OwnMarks::new(page, &[]);
    let pages_of = |edit: &Edit| {
        let id = edit.id();
        let change = shared.iter().find(|change| change.id == id || change.also.contains(&id));
        change.map_or(0, |change| change.pages)
    };
    let mut found = Vec::new();
    for all in beside.iter_mut() {
        let mut pages = 0;
        let mut taken = Beside { what: all.what.clone(), went: Vec::new(), came: Vec::new() };
        for (from, to) in [(&mut all.went, &mut taken.went), (&mut all.came, &mut taken.came)] {
            from.retain(|address| {
                let Some(edit) = by_line.get(&line_id(address, &own)) else { return true };
                pages = pages_of(edit).max(pages);
                to.push(address.clone());
                false
            });
        }
        if !taken.went.is_empty() || !taken.came.is_empty() {
            found.push(ForeignAddresses { beside: taken, pages });
        }
    }
    beside.retain(|all| !all.went.is_empty() || !all.came.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::edit::{EditSide, EditState, EditTraits};
    use recrawl_core::model::region::Region;

    use super::*;

    #[test]
    fn addresses_that_other_pages_have_too_are_taken_out_and_the_pages_own_stay() {
        let own = OwnMarks::new(&"https://a.example/page".parse().unwrap(), &[]);
        let edit = |address: &str, state: EditState| {
            let line = line_id(address, &own);
            Edit {
                aspect: Aspect::Links,
                region: Region::Nav,
                went: None,
                came: Some(EditSide { line, shape: line, words: 1 }),
                traits: EditTraits::default(),
                texts: None,
                count: 1,
                state,
            }
        };
        let (jobs, form) = ("https://a.example/jobs", "https://a.example/form");
        let edits = [edit(jobs, EditState::Template), edit(form, EditState::Own)];
        let mut beside =
            vec![Beside { what: "links".to_owned(), went: Vec::new(), came: vec![form.into(), jobs.into()] }];
        let found = foreign_among(&mut beside, &edits, &"https://a.example/page".parse().unwrap(), &[]);
        assert_eq!(found.len(), 1);
        assert_eq!((&*found[0].beside.came, found[0].pages), (&[jobs.to_owned()][..], 0));
        assert_eq!(beside[0].came, [form]);
        let edits = [edit(form, EditState::Rotating)];
        assert_eq!(
            foreign_among(&mut beside, &edits, &"https://a.example/page".parse().unwrap(), &[]).len(),
            1
        );
        assert!(beside.is_empty(), "nothing is left to be told");
    }
}
