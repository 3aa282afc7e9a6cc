//! Panics that are caught where they cost least, together with the place that they came from.
//!
//! What unwinds must leave nothing half done. Here that holds because of two habits: what is shared between visits is
//! behind locks that are held for one insert or removal, and what must be undone is undone when it is dropped.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo};
use std::pin::pin;
use std::sync::Once;
use std::task::Poll;

use crate::model::content::Unreadable;

/// The longest message that is kept: some quote the text that they are about.
const LONGEST: usize = 300;

/// What a panic said, and where; or why a body could not be read, which costs a page as much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panic {
    /// What it said, in one line.
    pub message: String,
    /// The file and line, where that is known.
    pub place: Option<String>,
}

impl fmt::Display for Panic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.place {
            Some(place) => write!(formatter, " ({place})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Panic {}

impl From<Unreadable> for Panic {
    fn from(unreadable: Unreadable) -> Self {
        Self { message: unreadable.to_string(), place: None }
    }
}

impl Panic {
    fn of(info: &PanicHookInfo<'_>) -> Self {
        let message = info.payload_as_str().unwrap_or("a panic without a message");
        Self { message: one_line(message), place: info.location().map(place) }
    }
}

thread_local! {
    /// How many callers on this thread are going to catch a panic.
    static CATCHING: Cell<u32> = const { Cell::new(0) };
    /// The panic that is on its way to one of them.
    static CAUGHT: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Calls `work`; a panic in it is returned and not printed.
pub fn caught_in<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    remember_places();
    CATCHING.set(CATCHING.get() + 1);
    CAUGHT.take();
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(CATCHING.get() - 1);
    result.map_err(|_| {
        let unknown = || Panic { message: "a panic of unknown origin".to_owned(), place: None };
        CAUGHT.take().unwrap_or_else(unknown)
    })
}

/// Awaits `future`; a panic in it is returned and not printed.
pub async fn caught<F: Future>(future: F) -> Result<F::Output, Panic> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| match caught_in(|| future.as_mut().poll(context)) {
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Lets this process remember where panics come from that somebody catches. Others are printed as before.
fn remember_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A second panic while one is under way ends the process: that is not caught.
            let is_caught = CATCHING.get() > 0 && CAUGHT.with_borrow(Option::is_none);
            if is_caught {
                CAUGHT.set(Some(Panic::of(info)));
            } else {
                others(info);
            }
        }));
    });
}

fn place(location: &Location<'_>) -> String {
    format!("{}:{}", shortened(location.file()), location.line())
}

/// Returns the path of a source file without what only the machine says that built the program.
fn shortened(file: &str) -> &str {
    let within = |mark: &str| file.split_once(mark).and_then(|(_, rest)| rest.split_once('/'));
    // A registry and the sources of the compiler both stand in a directory named after a hash.
    let shorter = within("/registry/src/").or_else(|| within("/rustc/"));
    shorter.map_or(file, |(_, rest)| rest)
}

fn one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_message_and_place() {
        let line = line!() + 1;
        let caught = caught_in(|| -> u8 { panic!("one\n  {}", "two") }).unwrap_err();
        assert_eq!(caught.message, "one two");
        assert_eq!(caught.place, Some(format!("crates/core/src/panics.rs:{line}")));
        assert_eq!(caught_in(|| 7), Ok(7));
    }

    #[test]
    fn a_panic_of_the_library_has_the_place_of_its_caller() {
        let caught = caught_in(|| "é"[1..].len()).unwrap_err();
        assert!(caught.message.contains("char boundary"), "{caught}");
        assert!(caught.place.unwrap().starts_with("crates/core/src/panics.rs:"));
    }

    #[tokio::test]
    async fn a_panic_in_a_future_is_caught_wherever_it_goes_on() {
        let works = caught(async {
            tokio::task::yield_now().await;
            7
        });
        assert_eq!(works.await, Ok(7));
        let breaks = caught(async {
            tokio::task::yield_now().await;
            assert_eq!(1, 2, "on purpose");
        });
        let panic = breaks.await.unwrap_err();
        assert!(panic.message.contains("on purpose"), "{panic}");
        assert!(panic.to_string().contains("(crates/core/src/panics.rs:"), "{panic}");
    }

    #[test]
    fn one_caught_within_another_is_that_of_the_inner() {
        let outer = caught_in(|| {
            let inner = caught_in(|| panic!("inner"));
            assert_eq!(inner.unwrap_err().message, "inner");
            panic!("outer");
        });
        assert_eq!(outer.unwrap_err().message, "outer");
    }

    #[test]
    fn a_place_does_not_tell_who_built_the_program() {
        for (file, expected) in [
            ("crates/extract/src/text.rs", "crates/extract/src/text.rs"),
            (
                "/home/ann/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/html5ever-0.40.0/src/lib.rs",
                "html5ever-0.40.0/src/lib.rs",
            ),
            ("/rustc/4a4ef493e3a1488c/library/core/src/str/mod.rs", "library/core/src/str/mod.rs"),
        ] {
            assert_eq!(shortened(file), expected);
        }
    }

    #[test]
    fn a_long_message_is_cut() {
        let message = one_line(&"é".repeat(1_000));
        assert_eq!(message.chars().count(), LONGEST + 3);
    }
}
