//! Texts that live as long as the page they come from, so that what is read of it can refer to them.
//!
//! Nearly all values of attributes stand in the page as they are read, and are slices of it. The few with references to
//! characters are kept here, beside the page, and are slices as well.

use std::borrow::Cow;
use std::cell::OnceCell;

/// The first texts take no more memory than so many.
const FIRST: usize = 16;

/// Room for texts, which only grows.
#[derive(Debug)]
pub(crate) struct KeptTexts {
    texts: Box<[OnceCell<String>]>,
    /// Twice as much room.
    next: OnceCell<Box<KeptTexts>>,
}

impl Default for KeptTexts {
    fn default() -> Self {
        Self::with_room_for(FIRST)
    }
}

impl KeptTexts {
    fn with_room_for(count: usize) -> Self {
        Self { texts: (0..count).map(|_| OnceCell::new()).collect(), next: OnceCell::new() }
    }

    /// Returns what puts texts into this room.
    pub(crate) fn keeper(&self) -> TextKeeper<'_> {
        TextKeeper { room: self, used: 0 }
    }
}

/// Puts texts into a room.
#[derive(Debug)]
pub(crate) struct TextKeeper<'room> {
    room: &'room KeptTexts,
    used: usize,
}

impl<'room> TextKeeper<'room> {
    /// Keeps a text.
    pub(crate) fn keep(&mut self, mut text: String) -> &'room str {
        loop {
            let room = self.room;
            let Some(place) = room.texts.get(self.used) else {
                let next = || Box::new(KeptTexts::with_room_for(2 * room.texts.len()));
                (self.room, self.used) = (room.next.get_or_init(next), 0);
                continue;
            };
            self.used += 1;
            // A place may have been taken by an earlier keeper.
            match place.set(text) {
                Ok(()) => return place.get().map_or("", String::as_str),
                Err(back) => text = back,
            }
        }
    }

    /// Keeps a text, unless it lives long enough already.
    pub(crate) fn keep_owned(&mut self, text: Cow<'room, str>) -> &'room str {
        match text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => self.keep(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_where_they_are() {
        let room = KeptTexts::default();
        let mut keeper = room.keeper();
        let early: Vec<&str> = (0..1_000).map(|number: u32| keeper.keep(number.to_string())).collect();
        let late = room.keeper().keep("late".to_owned());
        assert!(early.iter().enumerate().all(|(number, text)| *text == number.to_string()));
        assert_eq!(late, "late");
        assert_eq!(keeper.keep_owned(Cow::Borrowed("a")), "a");
    }
}
