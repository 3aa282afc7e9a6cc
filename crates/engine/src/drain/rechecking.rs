//! Asking again for pages that changed by a few words, when nothing else is left to do.

use super::{Account, Done, Runner, RunnerError};
use crate::observer::Event;
use crate::step::{Rechecked, StepError};

impl Runner {
    /// Chooses the pages that are asked for again, as far as the budget goes; tells whether there are any.
    ///
    /// They are recorded as they were seen first, so nothing is lost if a run ends before it comes to them.
    pub(super) fn choose_rechecks(&self, account: &mut Account) -> bool {
        let mut pages = account.rechecks.choose();
        if let Some(request_budget) = &self.run.budget.requests {
            pages.truncate(usize::try_from(request_budget.left()).unwrap_or(usize::MAX));
        }
        if pages.is_empty() {
            return false;
        }
        self.observer.on(Event::Rechecking(pages.len()));
        account.confirming = false;
        account.rechecked = pages.into();
        true
    }

    /// Begins to ask for the next page again; tells whether there is one.
    pub(super) fn begin_recheck(&self, account: &mut Account) -> bool {
        let Some(page) = account.rechecked.pop_front() else { return false };
        let (step, now) = (self.step.clone(), (self.clock)());
        account
            .tasks
            .spawn(async move { Done::Rechecked(step.recheck(&page, now).await.map(|it| it.map(Box::new))) });
        true
    }

    /// Takes in what a second answer came to. Where there was none, the record says what was seen first.
    pub(super) fn note_rechecked(
        account: &mut Account,
        outcome: Result<Option<Box<Rechecked>>, StepError>,
    ) -> Result<(), RunnerError> {
        match outcome {
            Ok(Some(rechecked)) => account.recorded.replace(&rechecked.before, &rechecked.after),
            Err(StepError::Store(error)) => return Err(error.into()),
            Err(StepError::Queue(error)) => return Err(error.into()),
            Ok(None) | Err(StepError::Robots(_) | StepError::NotBegun(_) | StepError::Stumbled(_)) => {}
        }
        Ok(())
    }
}
