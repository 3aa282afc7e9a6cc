//! What a site costs where its store is billed.

use recrawl_core::model::crawl::Operations;
use recrawl_core::model::prices::PriceTable;

use super::{App, app, get, history, router};

#[tokio::test]
async fn a_site_whose_store_is_billed_says_what_it_costs_week_by_week() {
    let store = history::town().await;
    let site = "example.org-town".parse().unwrap();
    let used = Operations {
        reads: 25_000,
        writes: 3_600,
        deletes: 0,
        messages: 3_700,
        stored_bytes: 17_000_000,
        busy_ms: 3_500_400,
    };
    for crawl in ["crawl-2026-11-09", "crawl-2026-11-16"] {
        store.bill(&site, crawl.parse().unwrap(), used);
    }
    let prices: PriceTable = "2027-02-03 reads=30".parse().unwrap();
    let router = router(App { prices, ..app(store) });
    let shown = get(&router, "/sites/example.org-town").await.body;
    let cost = &shown[shown.find("What it costs").expect("there is a section")..];
    for said in ["2026-11-16", "2026-11-09", "25,000", "(50 %)", "3,501", "$7.59", "2027-02-03"] {
        assert!(cost.contains(said), "{said}: {cost}");
    }
    assert!(cost.find("2026-11-16") < cost.find("2026-11-09"), "the newest first");
}

#[tokio::test]
async fn a_site_whose_store_is_a_file_says_nothing_of_costs() {
    let router = router(app(history::town().await));
    assert!(!get(&router, "/sites/example.org-town").await.body.contains("What it costs"));
}
