//! The contract of [`Memos`].

use recrawl_core::ports::{Memo, Memos};

use super::Subject;
use super::samples::time;

pub async fn a_memo_is_read_back_and_replaced<S: Subject<Port: Memos>>(subject: S) {
    let memos = subject.port();
    assert_eq!(memos.memo("robots").await.unwrap(), None);
    let first = Memo { saved_at: time(0), value: "User-agent: *\0👾\r\n".to_owned() };
    let second = Memo { saved_at: time(1), value: String::new() };
    memos.save_memo("robots", &first).await.unwrap();
    memos.save_memo("", &second).await.unwrap();
    assert_eq!(memos.memo("robots").await.unwrap(), Some(first));
    assert_eq!(memos.memo("").await.unwrap(), Some(second.clone()));
    assert_eq!(memos.memo("Robots").await.unwrap(), None);
    memos.save_memo("robots", &second).await.unwrap();
    assert_eq!(memos.memo("robots").await.unwrap(), Some(second));
}

/// Adds the tests of [`Memos`] on the subject that the expression makes.
#[macro_export]
macro_rules! memos_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { memos, $fresh;
            a_memo_is_read_back_and_replaced
        }
    };
}
