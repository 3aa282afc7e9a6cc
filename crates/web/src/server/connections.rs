//! Who is connected, and who makes room for others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The most connections, and the most of one address.
const MOST: Limits = Limits { total: 256, of_one: 64 };

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) total: usize,
    /// From one address. This machine has no limit of its own: a proxy on it speaks for many.
    pub(super) of_one: usize,
}

impl Limits {
    /// Returns limits that leave most of what the process may open for its other work: the store, and others whom it asks
    /// or tells.
    #[cfg(unix)]
    pub(super) fn of_this_process() -> Self {
        let open = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        Self::within(open.map_or(usize::MAX, |open| usize::try_from(open).unwrap_or(usize::MAX)))
    }

    /// Returns limits for a system that does not say how much a process may open.
    #[cfg(not(unix))]
    pub(super) fn of_this_process() -> Self {
        Self::within(usize::MAX)
    }

    fn within(open: usize) -> Self {
        let total = MOST.total.min((open / 4).max(8));
        Self { total, of_one: MOST.of_one.min(total) }
    }

    fn of(self, address: IpAddr) -> usize {
        if address.to_canonical().is_loopback() { self.total } else { self.of_one }
    }
}

/// Everybody who is connected.
#[derive(Clone)]
pub(super) struct Connections(Arc<Shared>);

struct Shared {
    limits: Limits,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    entries: HashMap<u64, Entry>,
    /// Counts what happens, so that it is known what came first.
    events: u64,
}

struct Entry {
    address: IpAddr,
    /// Requests that are being answered.
    busy: u32,
    /// The event since which nothing is.
    quiet_since: u64,
    /// Ends the connection when it is dropped.
    _end: oneshot::Sender<()>,
}

/// What a further connection comes to.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    /// There is room.
    Free,
    /// There is, if this one goes.
    InsteadOf(u64),
    /// Everybody is being answered.
    Full,
}

impl Book {
    fn next(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Decides what a connection from `address` comes to: where there are too many, the one goes that has been quiet
    /// longest, of that address if it has too many, or else of the address that has most.
    fn admission(&self, address: IpAddr, limits: Limits) -> Admission {
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for entry in self.entries.values() {
            *counts.entry(entry.address).or_default() += 1;
        }
        let has_too_many = counts.get(&address).is_some_and(|count| *count >= limits.of(address));
        if !has_too_many && self.entries.len() < limits.total {
            return Admission::Free;
        }
        let quiet = self.entries.iter().filter(|(_, entry)| entry.busy == 0);
        let may_go = quiet.filter(|(_, entry)| !has_too_many || entry.address == address);
        let first = may_go.max_by_key(|(_, entry)| {
            (counts.get(&entry.address).copied(), std::cmp::Reverse(entry.quiet_since))
        });
        first.map_or(Admission::Full, |(number, _)| Admission::InsteadOf(*number))
    }
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Self {
        Self(Arc::new(Shared { limits, book: Mutex::default() }))
    }

    /// Gives a connection its place, for which another may have to go; nothing where there is none.
    pub(super) fn admit(&self, address: IpAddr) -> Option<ConnectionSlot> {
        let mut book = self.book();
        match book.admission(address, self.0.limits) {
            Admission::Free => {}
            Admission::InsteadOf(number) => drop(book.entries.remove(&number)),
            Admission::Full => return None,
        }
        let (end, needed) = oneshot::channel();
        let number = book.next();
        book.entries.insert(number, Entry { address, busy: 0, quiet_since: number, _end: end });
        Some(ConnectionSlot { turns: RequestCounter { connections: self.clone(), number }, needed })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection, which is free again when this is dropped.
pub(super) struct ConnectionSlot {
    turns: RequestCounter,
    needed: oneshot::Receiver<()>,
}

impl ConnectionSlot {
    /// Returns what notes that requests are being answered.
    pub(super) fn turns(&self) -> RequestCounter {
        self.turns.clone()
    }

    /// Waits until somebody else needs the place.
    pub(super) async fn is_needed(&mut self) {
        // It is never sent to, but dropped.
        let _ = (&mut self.needed).await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.turns.connections.book().entries.remove(&self.turns.number);
    }
}

/// Notes that requests of a connection are being answered.
#[derive(Clone)]
pub(super) struct RequestCounter {
    connections: Connections,
    number: u64,
}

impl RequestCounter {
    /// Begins to answer a request; it is answered when what this returns is dropped.
    pub(super) fn begin(&self) -> Request {
        self.change(|entry, _| entry.busy += 1);
        Request(self.clone())
    }

    fn change(&self, change: impl FnOnce(&mut Entry, u64)) {
        let mut book = self.connections.book();
        let event = book.next();
        if let Some(entry) = book.entries.get_mut(&self.number) {
            change(entry, event);
        }
    }
}

/// A request that is being answered.
pub(super) struct Request(RequestCounter);

impl Drop for Request {
    fn drop(&mut self) {
        self.0.change(|entry, event| {
            entry.busy = entry.busy.saturating_sub(1);
            entry.quiet_since = event;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: Limits = Limits { total: 5, of_one: 3 };

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_needed(place: &mut ConnectionSlot) -> bool {
        place.needed.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    }

    #[test]
    fn limits_leave_most_of_what_a_process_may_open() {
        for (open, total, of_one) in [(usize::MAX, 256, 64), (1_024, 256, 64), (200, 50, 50), (0, 8, 8)] {
            assert_eq!(Limits::within(open), Limits { total, of_one }, "{open}");
        }
    }

    #[test]
    fn whoever_has_been_quiet_longest_makes_room() {
        let connections = Connections::new(FEW);
        let mut places: Vec<ConnectionSlot> =
            (0..5).map(|_| connections.admit(address("127.0.0.1")).unwrap()).collect();
        let answering = places[0].turns().begin();
        drop(places[1].turns().begin());
        let sixth = connections.admit(address("127.0.0.1")).unwrap();
        let needed: Vec<bool> = places.iter_mut().map(is_needed).collect();
        assert_eq!(needed, [false, false, true, false, false], "one is busy, and one asked something lately");
        drop((answering, sixth));
        assert!(connections.admit(address("127.0.0.1")).is_some());
        assert!(!places.iter_mut().skip(3).any(is_needed), "a place became free");
    }

    #[test]
    fn an_address_with_too_many_makes_room_for_itself_and_the_one_with_most_for_others() {
        let connections = Connections::new(FEW);
        let (much, little) = (address("192.0.2.1"), address("192.0.2.2"));
        let mut lone = connections.admit(little).unwrap();
        let mut many: Vec<ConnectionSlot> = (0..3).map(|_| connections.admit(much).unwrap()).collect();
        many.push(connections.admit(much).unwrap());
        assert!(is_needed(&mut many[0]), "a fourth of one address takes the place of its first");
        let mut other = connections.admit(address("192.0.2.3")).unwrap();
        let newest = connections.admit(address("192.0.2.4"));
        assert!(
            newest.is_some() && is_needed(&mut many[1]),
            "a sixth takes one of the address that has most"
        );
        assert!(!is_needed(&mut lone) && !is_needed(&mut other));
    }

    #[test]
    fn nobody_is_cut_off_who_is_being_answered() {
        let connections = Connections::new(FEW);
        let places: Vec<ConnectionSlot> =
            (0..5).map(|_| connections.admit(address("::1")).unwrap()).collect();
        let turns: Vec<Request> = places.iter().map(|place| place.turns().begin()).collect();
        assert!(connections.admit(address("::1")).is_none());
        drop(turns);
        assert!(connections.admit(address("::1")).is_some());
    }
}
