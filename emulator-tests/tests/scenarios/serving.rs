//! What it costs to look at a history on Firestore: reads are billed, and each takes its time.

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Manner, bring_all};
use emulator_tests::looking::Looking;
use emulator_tests::town;
use recrawl_testkit::site::Site;

use crate::PATIENCE;

const PAGES: usize = 300;

#[tokio::test(flavor = "multi_thread")]
async fn no_page_reads_every_record_of_a_crawl() {
    let site = Site::start().await;
    let settings = vec![("RECRAWL_DELAY", "0.001".to_owned()), ("RECRAWL_RECHECK_SHARE", "0".to_owned())];
    let wishes = Wishes { settings, ..Wishes::default() };
    let cloud = Cloud::deploy(site, Delivery::ByTest, wishes).await.unwrap();
    let mut crawl = String::new();
    for week in 0..2 {
        town::plant(&cloud.site, PAGES, week);
        cloud.trigger().await.unwrap();
        bring_all(&cloud, &Manner::default(), |_| false).await.unwrap();
        crawl = cloud.tick_until_closed(week + 1, PATIENCE).await.unwrap();
    }
    cloud.figures_of(&crawl, PATIENCE).await.unwrap();
    let address = cloud.site.url().trim_start_matches("http://").to_owned();
    let changed = (0..PAGES).filter(|number| town::changes(*number)).count() as u64;
    let mut dear = Vec::new();
    for (name, at) in town::addresses(&cloud, &crawl) {
        let looking = Looking::at(&cloud).await.unwrap();
        let (cold, warm) = (looking.look(&at).await.unwrap(), looking.look(&at).await.unwrap());
        println!("{name}: {} reads, then {}", cold.reads, warm.reads);
        // A few for each change that is shown, and some for crawls, and what is remembered of the site.
        let most = 40 + 8 * changed;
        assert!(most < PAGES as u64 / 2, "{most}");
        if cold.reads > most || warm.reads > cold.reads.min(40) {
            dear.push(format!("{name}: {} reads of {PAGES} pages, then {}", cold.reads, warm.reads));
        }
        if ["start page", "sites", "site", "crawl"].contains(&name) {
            assert!(!warm.page.contains(">default<"), "{name} calls the site by no name: {}", warm.page);
            assert!(warm.page.contains(&address), "{name} calls the site by its address");
        }
    }
    assert!(dear.is_empty(), "{dear:#?}");
    let hint = Looking::at(&cloud).await.unwrap().look("/search?q=sentence").await.unwrap().page;
    assert!(hint.contains("the beginning of addresses is compared and nothing else"), "{hint}");
    assert!(hint.contains("recrawl copy") && !hint.contains("ever said, and when"), "{hint}");
}
