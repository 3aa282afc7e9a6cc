//! Messages that a test delivers in any order, often, or never.

use std::sync::Mutex;

use async_trait::async_trait;
use recrawl_core::ports::{Frontier, QueueError, QueuedPage};

/// Messages that wait to be delivered, in any order.
#[derive(Debug, Default)]
pub(crate) struct Mail(pub(crate) Mutex<Vec<QueuedPage>>);

#[async_trait]
impl Frontier for Mail {
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        self.0.lock().unwrap().extend_from_slice(pages);
        Ok(())
    }
}

impl Mail {
    /// Takes one of the messages, which the dice choose; one in five comes again.
    pub(crate) fn next(&self, dice: &mut Dice) -> Option<QueuedPage> {
        let mut waiting = self.0.lock().unwrap();
        if waiting.is_empty() {
            return None;
        }
        let place = dice.below(waiting.len());
        Some(if dice.below(5) == 0 { waiting[place].clone() } else { waiting.remove(place) })
    }

    /// Takes all messages.
    pub(crate) fn take(&self) -> Vec<QueuedPage> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Returns the paths of the pages that wait.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|page| page.url.path().to_owned()).collect()
    }
}

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
