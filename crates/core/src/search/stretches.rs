//! When pages said something: visits folded into stretches of time.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A stretch of visits in which a page said what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch<V> {
    /// The visit that saw it first.
    pub first: V,
    /// The last visit that saw it.
    pub last: V,
    /// No later visit saw anything else.
    pub is_current: bool,
}

/// Folds visits of many pages into stretches. They come crawl by crawl, **the newest first**.
///
/// A visit without evidence is left out: it neither begins nor ends a stretch.
#[derive(Debug)]
pub struct Stretches<P, V> {
    seen: HashSet<P>,
    /// The stretches of pages that have some, and whether the last of them may go on.
    found: HashMap<P, (Vec<Stretch<V>>, bool)>,
}

impl<P, V> Default for Stretches<P, V> {
    fn default() -> Self {
        Self { seen: HashSet::new(), found: HashMap::new() }
    }
}

impl<P: Eq + Hash + Copy, V: Copy> Stretches<P, V> {
    /// Adds what a visit saw of a page: that it says so, or that it does not.
    pub fn push(&mut self, page: P, visit: V, says_it: bool) {
        let is_current = self.seen.insert(page);
        if !says_it {
            if let Some((_, goes_on)) = self.found.get_mut(&page) {
                *goes_on = false;
            }
            return;
        }
        let (stretches, goes_on) = self.found.entry(page).or_default();
        match stretches.last_mut().filter(|_| *goes_on) {
            Some(stretch) => stretch.first = visit,
            None => stretches.push(Stretch { first: visit, last: visit, is_current }),
        }
        *goes_on = true;
    }

    /// Returns the stretches of every page, those of a page from the newest to the oldest.
    pub fn finish(self) -> impl Iterator<Item = (P, Stretch<V>)> {
        let of_page = |(page, (stretches, _)): (P, (Vec<Stretch<V>>, bool))| {
            stretches.into_iter().map(move |stretch| (page, stretch))
        };
        self.found.into_iter().flat_map(of_page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folds one letter a visit, the oldest first: `+` says it, `-` does not, `?` is no evidence.
    fn folded(letters: &str) -> String {
        let mut stretches = Stretches::default();
        for (place, letter) in letters.char_indices().rev() {
            if letter != '?' {
                stretches.push('p', place, letter == '+');
            }
        }
        let show = |(_, stretch): (_, Stretch<usize>)| {
            format!("{}-{}{}", stretch.first, stretch.last, if stretch.is_current { " now" } else { "" })
        };
        stretches.finish().map(show).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn visits_fold_into_stretches() {
        for (letters, expected) in [
            ("", ""),
            ("---", ""),
            ("+", "0-0 now"),
            ("-++", "1-2 now"),
            ("++-", "0-1"),
            ("+-+", "2-2 now, 0-0"),
            ("+??+-", "0-3"),
            ("-+??", "1-1 now"),
            ("+-??-+?", "5-5 now, 0-0"),
        ] {
            assert_eq!(folded(letters), expected, "{letters}");
        }
    }
}
