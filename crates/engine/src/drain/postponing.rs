//! Pages that wait for another run, because their host wants to be left alone for longer than a run waits.

use jiff::Timestamp;
use recrawl_core::ports::{StateEntry, StateKey, StoreError};
use recrawl_core::url::PageUrl;

use super::queue::Task;
use super::{Account, Runner, RunnerError};

/// In how many runs of a crawl a page may be asked for in vain. A server can ask to be left alone again and again, and
/// would keep the crawl open for ever.
const RUNS: u32 = 3;

impl Runner {
    /// Leaves the host of `task` alone, which asked for that until then.
    ///
    /// Of its pages, those that this run asked for in vain have had their chance in this run; after the third
    /// they are recorded as failed.
    pub(super) async fn postpone(
        &self,
        account: &mut Account,
        task: Task,
        reason: String,
        until: Timestamp,
    ) -> Result<(), RunnerError> {
        let host = task.page.url.host_key();
        let mut tried = account.queue.drop_retries(&host);
        let runs = |runs: u32| format!("no good answer in {runs} runs, and {reason}");
        if task.attempt.number == 0 {
            self.hold(account, &task, reason.clone(), Some(until));
        } else {
            account.hosts.hold(host, reason.clone(), Some(until));
            tried.push(task);
        }
        for task in tried {
            let in_vain = self.count_run(&task.page.url).await?;
            if in_vain < RUNS {
                account.set_aside += 1;
            } else {
                self.give_up(account, task, runs(in_vain)).await?;
            }
        }
        Ok(())
    }

    /// Counts a run in which a page was asked for in vain; returns how many there were in this crawl.
    async fn count_run(&self, url: &PageUrl) -> Result<u32, StoreError> {
        let key = StateKey::postponed(&self.run.site.id, url);
        let crawl = self.run.crawl.id.to_string();
        let memo = self.state_store.state(&key).await?;
        let before = memo.as_ref().and_then(|memo| memo.value.strip_prefix(&crawl)?.trim().parse().ok());
        let runs = before.unwrap_or(0_u32).saturating_add(1);
        let memo = StateEntry { saved_at: (self.clock)(), value: format!("{crawl} {runs}") };
        self.state_store.save_state(&key, &memo).await?;
        Ok(runs)
    }
}
