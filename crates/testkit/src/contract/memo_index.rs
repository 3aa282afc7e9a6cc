//! The contract of [`MemoIndex`].

use recrawl_core::ports::{Memo, MemoIndex, Memos};

use super::Subject;
use super::samples::time;

pub async fn memos_are_listed_by_the_beginning_of_their_keys<S: Subject<Port: MemoIndex>>(subject: S) {
    let memos = subject.port();
    let memo = |value: &str| Memo { saved_at: time(0), value: value.to_owned() };
    for key in ["wait b", "wait é", "wait", "wait %", "waits", "wait a", "Wait c", "vait", "wait a\u{10ffff}"]
    {
        memos.save_memo(key, &memo(key)).await.unwrap();
    }
    let expected =
        ["wait %", "wait a", "wait a\u{10ffff}", "wait b", "wait é"].map(|key| (key.to_owned(), memo(key)));
    assert_eq!(memos.memos_with_prefix("wait ").await.unwrap(), expected);
    assert_eq!(memos.memos_with_prefix("wait b ").await.unwrap(), []);
    assert_eq!(memos.memos_with_prefix("").await.unwrap().len(), 9);
}

pub async fn a_memo_that_is_deleted_is_forgotten<S: Subject<Port: MemoIndex>>(subject: S) {
    let memos = subject.port();
    let memo = Memo { saved_at: time(0), value: "x".to_owned() };
    for key in ["a", "a b"] {
        memos.save_memo(key, &memo).await.unwrap();
    }
    memos.delete_memo("a").await.unwrap();
    memos.delete_memo("a").await.unwrap();
    memos.delete_memo("never there").await.unwrap();
    assert_eq!(memos.memo("a").await.unwrap(), None);
    assert_eq!(memos.memos_with_prefix("").await.unwrap(), [("a b".to_owned(), memo.clone())]);
    memos.save_memo("a", &memo).await.unwrap();
    assert_eq!(memos.memo("a").await.unwrap(), Some(memo));
}

/// Adds the tests of [`MemoIndex`] on the subject that the expression makes.
#[macro_export]
macro_rules! memo_index_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { memo_index, $fresh;
            memos_are_listed_by_the_beginning_of_their_keys
            a_memo_that_is_deleted_is_forgotten
        }
    };
}
