//! Time limit: how much work the reading of one page may be.
//!
//! A thread that parses cannot be stopped from outside, so whatever loops over a page asks here.

use std::cell::Cell;
use std::time::Duration;

use recrawl_core::model::content::Unreadable;

/// The processor time that reading one page may take. Pages that people made take milliseconds.
const READING_TIME: Duration = Duration::from_secs(5);

/// The clock is asked after so many units of work: some tenths of a millisecond.
const UNITS_BETWEEN_LOOKS: usize = 1 << 14;

/// The processor time that the reading of one page may take on the thread that made this.
#[derive(Debug)]
pub(crate) struct WorkBudget {
    limit: Duration,
    began: Duration,
    units_until_look: Cell<usize>,
    is_spent: Cell<bool>,
}

impl WorkBudget {
    /// Begins to read a page.
    pub(crate) fn for_page() -> Self {
        Self::of(READING_TIME)
    }

    /// Begins work that may take this long.
    pub(crate) fn of(limit: Duration) -> Self {
        Self {
            limit,
            began: clock::now(),
            units_until_look: Cell::new(UNITS_BETWEEN_LOOKS),
            is_spent: Cell::new(false),
        }
    }

    /// Counts work that is about to be done; one unit is an element, a token or some dozen bytes.
    ///
    /// Once it is an error, it stays one.
    #[inline]
    pub(crate) fn work(&self, units: usize) -> Result<(), Unreadable> {
        match self.units_until_look.get().checked_sub(units) {
            Some(left) => {
                self.units_until_look.set(left);
                if self.is_spent.get() { Err(self.error()) } else { Ok(()) }
            }
            None => self.look(),
        }
    }

    /// Asks the clock, after something that may have taken any time.
    pub(crate) fn check(&self) -> Result<(), Unreadable> {
        self.look()
    }

    /// Counts the work on so many bytes.
    #[inline]
    pub(crate) fn work_on(&self, bytes: &str) -> Result<(), Unreadable> {
        self.work(1 + bytes.len() / 32)
    }

    #[cold]
    fn look(&self) -> Result<(), Unreadable> {
        self.units_until_look.set(UNITS_BETWEEN_LOOKS);
        self.is_spent.set(self.is_spent.get() || clock::now().saturating_sub(self.began) > self.limit);
        if self.is_spent.get() { Err(self.error()) } else { Ok(()) }
    }

    fn error(&self) -> Unreadable {
        Unreadable::Time(self.limit)
    }
}

/// The time that this thread was running: other threads and programs do not count.
#[cfg(unix)]
mod clock {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    pub(super) fn now() -> Duration {
        Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
    }
}

/// The time that passed, where the time of a thread is not told.
#[cfg(not(unix))]
mod clock {
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

    pub(super) fn now() -> Duration {
        BEGIN.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_within_its_time_goes_on() {
        let budget = WorkBudget::of(Duration::MAX);
        for units in [0, 1, UNITS_BETWEEN_LOOKS, usize::MAX, 1] {
            assert_eq!(budget.work(units), Ok(()));
        }
    }

    #[test]
    fn work_that_takes_too_long_is_noticed_soon_and_never_forgotten() {
        let budget = WorkBudget::of(Duration::ZERO);
        let is_over = (0..=2 * UNITS_BETWEEN_LOOKS).any(|_| budget.work(1).is_err());
        assert!(is_over);
        assert_eq!(budget.work(0), Err(Unreadable::Time(Duration::ZERO)));
        assert_eq!(budget.work_on("a"), Err(Unreadable::Time(Duration::ZERO)));
    }

    #[test]
    fn a_sleeping_thread_spends_nothing() {
        let before = clock::now();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            let begin = std::time::Instant::now();
            while begin.elapsed() < Duration::from_millis(50) {
                std::hint::black_box(0);
            }
            drop(sender);
        });
        // Ends when the other thread has worked and gone.
        assert!(receiver.recv().is_err());
        other.join().unwrap();
        assert!(clock::now().saturating_sub(before) < Duration::from_millis(50));
    }
}
