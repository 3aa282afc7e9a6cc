//! What waits in a crawl of a list, by host: every host has its own pace, so none of them waits for another.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use recrawl_core::ports::Priority;
use recrawl_core::url::HostKey;

use super::queue::Task;

/// Pages that wait, by host. Hosts take turns, and each has so many visits at a time and not more.
#[derive(Debug)]
pub(super) struct ListQueue {
    hosts: HashMap<HostKey, HostQueue>,
    /// Hosts with a page that may be visited now, each once.
    ready: VecDeque<HostKey>,
    at_a_time: usize,
    pushed: u64,
}

#[derive(Debug, Default)]
struct HostQueue {
    pages: BinaryHeap<Entry>,
    under_way: usize,
    is_ready: bool,
}

/// A page of a host: the one of the highest priority first, and among equals the one that came first.
#[derive(Debug)]
struct Entry {
    place: (Priority, Reverse<u64>),
    task: Task,
}

impl ListQueue {
    /// Lets each host have so many visits at a time.
    pub(super) fn new(at_a_time: usize) -> Self {
        Self { hosts: HashMap::new(), ready: VecDeque::new(), at_a_time: at_a_time.max(1), pushed: 0 }
    }

    /// Takes in a page that waits.
    pub(super) fn push(&mut self, task: Task) {
        self.pushed += 1;
        let host = task.page.url.host_key();
        let queue = self.hosts.entry(host.clone()).or_default();
        queue.pages.push(Entry { place: (task.page.priority, Reverse(self.pushed)), task });
        self.make_ready(&host);
    }

    /// Returns a page to visit, of the host whose turn it is; `None` where no host may have another visit now.
    pub(super) fn next(&mut self) -> Option<Task> {
        let host = self.ready.pop_front()?;
        let queue = self.hosts.get_mut(&host)?;
        queue.is_ready = false;
        let Entry { task, .. } = queue.pages.pop()?;
        queue.under_way += 1;
        self.make_ready(&host);
        Some(task)
    }

    /// Notes that a visit of a host has ended.
    pub(super) fn done(&mut self, host: &HostKey) {
        let Some(queue) = self.hosts.get_mut(host) else { return };
        queue.under_way = queue.under_way.saturating_sub(1);
        if queue.under_way == 0 && queue.pages.is_empty() {
            self.hosts.remove(host);
        } else {
            self.make_ready(host);
        }
    }

    fn make_ready(&mut self, host: &HostKey) {
        let Some(queue) = self.hosts.get_mut(host) else { return };
        if !queue.is_ready && !queue.pages.is_empty() && queue.under_way < self.at_a_time {
            queue.is_ready = true;
            self.ready.push_back(host.clone());
        }
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.place.cmp(&other.place)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use recrawl_core::model::record::{Found, FoundBy};
    use recrawl_core::ports::QueuedPage;

    use super::*;
    use crate::step::Attempt;

    fn task(url: &str, priority: i64) -> Task {
        let page = QueuedPage {
            site: "list".parse().unwrap(),
            crawl: "crawl-2026-11-19".parse().unwrap(),
            url: url.parse().unwrap(),
            found: Found { by: FoundBy::Seed, depth: 0, referrer: None },
            priority: Priority(priority),
        };
        Task { page, attempt: Attempt::default() }
    }

    fn next(queue: &mut ListQueue) -> Option<String> {
        queue.next().map(|task| task.page.url.as_str().trim_start_matches("http://").to_owned())
    }

    #[test]
    fn hosts_take_turns_and_each_has_so_many_visits_at_a_time() {
        let mut queue = ListQueue::new(2);
        for url in ["http://a/1", "http://a/2", "http://a/3", "http://b/1"] {
            queue.push(task(url, 1));
        }
        for expected in [Some("a/1"), Some("b/1"), Some("a/2"), None] {
            assert_eq!(next(&mut queue).as_deref(), expected);
        }
        queue.done(&"b".parse().unwrap());
        assert_eq!(next(&mut queue), None);
        queue.done(&"a".parse().unwrap());
        assert_eq!(next(&mut queue).as_deref(), Some("a/3"));
        for _ in 0..2 {
            queue.done(&"a".parse().unwrap());
        }
        assert!(queue.hosts.is_empty(), "a host without pages takes no memory");
    }

    #[test]
    fn what_has_a_higher_priority_comes_first_and_then_what_came_first() {
        let mut queue = ListQueue::new(9);
        for (url, priority) in [("http://a/1", 1), ("http://a/2", 2), ("http://a/3", 1), ("http://a/4", 2)] {
            queue.push(task(url, priority));
        }
        let order: Vec<String> = std::iter::from_fn(|| next(&mut queue)).collect();
        assert_eq!(order, ["a/2", "a/4", "a/1", "a/3"]);
    }
}
