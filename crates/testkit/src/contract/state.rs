//! The contract of [`StateStore`].

use recrawl_core::ports::{StateEntry, StateGroup, StateKey, StateStore};

use super::Subject;
use super::samples::{page, site_id, time};

fn entry(value: &str) -> StateEntry {
    StateEntry { saved_at: time(0), value: value.to_owned() }
}

pub async fn an_entry_is_read_back_and_replaced<S: Subject<Port: StateStore>>(subject: S) {
    let store = subject.port();
    let (robots, job) = (StateKey::document(&page("/robots.txt")), StateKey::job(&site_id("a")));
    assert_eq!(store.state(&robots).await.unwrap(), None);
    let first = entry("User-agent: *\0👾\r\n");
    let second = StateEntry { saved_at: time(1), value: String::new() };
    store.save_state(&robots, &first).await.unwrap();
    store.save_state(&job, &second).await.unwrap();
    assert_eq!(store.state(&robots).await.unwrap(), Some(first));
    assert_eq!(store.state(&job).await.unwrap(), Some(second.clone()));
    assert_eq!(store.state(&StateKey::document(&page("/Robots.txt"))).await.unwrap(), None);
    store.save_state(&robots, &second).await.unwrap();
    assert_eq!(store.state(&robots).await.unwrap(), Some(second));
}

pub async fn the_entries_of_a_group_are_listed_by_key<S: Subject<Port: StateStore>>(subject: S) {
    let store = subject.port();
    let (site, other) = (site_id("a"), site_id("a2"));
    for path in ["/b", "/%C3%A9", "/", "/%25", "/a", "/A"] {
        store.save_state(&StateKey::first_doubt(&site, &page(path)), &entry(path)).await.unwrap();
    }
    store.save_state(&StateKey::first_doubt(&other, &page("/")), &entry("of another site")).await.unwrap();
    store.save_state(&StateKey::postponed(&site, &page("/")), &entry("of another group")).await.unwrap();
    let expected = ["/", "/%25", "/%C3%A9", "/A", "/a", "/b"].map(entry);
    assert_eq!(store.states(&StateGroup::first_doubts(&site)).await.unwrap(), expected);
    assert_eq!(store.states(&StateGroup::pending_notifications()).await.unwrap(), []);
}

pub async fn an_entry_that_is_deleted_is_forgotten<S: Subject<Port: StateStore>>(subject: S) {
    let store = subject.port();
    let (a, b) = (StateKey::job(&site_id("a")), StateKey::job(&site_id("b")));
    for key in [&a, &b] {
        store.save_state(key, &entry("x")).await.unwrap();
    }
    store.delete_state(&a).await.unwrap();
    store.delete_state(&a).await.unwrap();
    store.delete_state(&StateKey::job(&site_id("never-there"))).await.unwrap();
    assert_eq!(store.state(&a).await.unwrap(), None);
    assert_eq!(store.state(&b).await.unwrap(), Some(entry("x")));
    store.save_state(&a, &entry("y")).await.unwrap();
    assert_eq!(store.state(&a).await.unwrap(), Some(entry("y")));
}

pub async fn a_group_is_forgotten_and_no_other<S: Subject<Port: StateStore>>(subject: S) {
    let store = subject.port();
    let (site, other) = (site_id("a"), site_id("a2"));
    for number in 0..700 {
        let key = StateKey::first_doubt(&site, &page(&format!("/{number}")));
        store.save_state(&key, &entry("x")).await.unwrap();
    }
    let kept = [StateKey::first_doubt(&other, &page("/")), StateKey::postponed(&site, &page("/"))];
    for key in &kept {
        store.save_state(key, &entry("kept")).await.unwrap();
    }
    let group = StateGroup::first_doubts(&site);
    store.delete_states(&group).await.unwrap();
    store.delete_states(&group).await.unwrap();
    assert_eq!(store.states(&group).await.unwrap(), []);
    for key in &kept {
        assert_eq!(store.state(key).await.unwrap(), Some(entry("kept")));
    }
}

pub async fn an_entry_is_replaced_only_where_it_is_as_it_was<S: Subject<Port: StateStore>>(subject: S) {
    let store = subject.port();
    let key = StateKey::last_look();
    let (a, b) = (entry("a"), StateEntry { saved_at: time(1), value: "b".to_owned() });
    assert!(!store.replace_state(&key, Some(&a), &b).await.unwrap(), "nothing is there");
    assert_eq!(store.state(&key).await.unwrap(), None);
    assert!(store.replace_state(&key, None, &a).await.unwrap());
    assert!(!store.replace_state(&key, None, &b).await.unwrap(), "something is there");
    let later = StateEntry { saved_at: time(1), ..a.clone() };
    assert!(!store.replace_state(&key, Some(&later), &b).await.unwrap(), "it was saved at another time");
    assert_eq!(store.state(&key).await.unwrap(), Some(a.clone()));
    assert!(store.replace_state(&key, Some(&a), &b).await.unwrap());
    assert_eq!(store.state(&key).await.unwrap(), Some(b));
}

pub async fn of_several_who_replace_an_entry_at_once_nobody_undoes_another<S: Subject<Port: StateStore>>(
    subject: S,
) {
    let key = &StateKey::last_look();
    let append = async |letter: char| {
        for tries in 0.. {
            assert!(tries < 100, "it comes to an end");
            let before = subject.port().state(key).await.unwrap();
            let mut value = before.as_ref().map(|before| before.value.clone()).unwrap_or_default();
            value.push(letter);
            let entry = StateEntry { saved_at: time(0), value };
            if subject.port().replace_state(key, before.as_ref(), &entry).await.unwrap() {
                return;
            }
        }
    };
    tokio::join!(append('a'), append('b'), append('c'), append('d'), append('e'));
    let mut letters: Vec<char> = subject.port().state(key).await.unwrap().unwrap().value.chars().collect();
    letters.sort_unstable();
    assert_eq!(letters.iter().collect::<String>(), "abcde");
}

/// Adds the tests of [`StateStore`] on the subject that the expression makes.
#[macro_export]
macro_rules! state_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { state, $fresh;
            an_entry_is_read_back_and_replaced
            the_entries_of_a_group_are_listed_by_key
            an_entry_that_is_deleted_is_forgotten
            a_group_is_forgotten_and_no_other
            an_entry_is_replaced_only_where_it_is_as_it_was
            of_several_who_replace_an_entry_at_once_nobody_undoes_another
        }
    };
}
