//! Keys appear nowhere: not in what is logged, printed or stored.

use std::fmt::Write;

use jiff::Timestamp;
use recrawl_testkit::log::Log;
use recrawl_testkit::save_page_now::{Fault, SavePageNow as Fake};

use crate::harness::{Harness, quick};

#[tokio::test]
async fn keys_appear_in_no_log_error_or_record() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let harness = Harness::new().await;
    let service = harness.service(Some(Fake::KEYS));
    let mut shown = format!("{service:?} ");
    drop(service);
    let faults = [
        Fault::RepeatsKeys,
        Fault::Drop,
        Fault::Hang,
        Fault::Status(500),
        Fault::Status(401),
        Fault::RetryAfter(0),
        Fault::Refusal("error:blocked-url"),
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let request = harness.change(&format!("/{number}")).await;
        harness.fake.plan(request.page.as_str(), [fault]);
        let outcome = harness.impatient_archivist(quick()).carry_out(&request, Timestamp::now()).await;
        write!(shown, "{outcome:?} {:?} ", harness.archive(&request).await).unwrap();
        if let Err(error) = outcome {
            write!(shown, "{error} {error:#?} ").unwrap();
        }
    }
    shown += &log.text();
    assert!(shown.contains("you sent LOW [hidden]:[hidden]"), "the keys were repeated, and taken out");
    assert!(shown.contains("not captured"), "something was logged");
    for part in Fake::KEYS.split(':') {
        assert!(!shown.contains(part), "{shown}");
    }
}
