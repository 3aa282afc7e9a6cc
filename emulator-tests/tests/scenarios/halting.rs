//! A crawl that somebody stops, pauses and resumes by the commands.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::service::program;
use recrawl_testkit::site::{Page, Site};
use tokio::time::{Instant, sleep};

use crate::PATIENCE;
use crate::embedded::recrawl;

const PAGES: usize = 60;

/// How long after a command a page may still be asked for.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A home at 4 requests a second, whose crawl is under way.
async fn under_way() -> Cloud {
    let site = Site::start().await;
    let links: Vec<String> = (0..PAGES).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(links.concat()));
    for number in 0..PAGES {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}")));
    }
    let wishes = Wishes { settings: vec![("RECRAWL_DELAY", "0.25".to_owned())], ..Wishes::default() };
    let cloud = Cloud::deploy(site, Delivery::Pushed, wishes).await.unwrap();
    cloud.trigger().await.unwrap();
    wait_for_requests(&cloud, 8).await;
    cloud
}

async fn wait_for_requests(cloud: &Cloud, enough: usize) {
    let deadline = Instant::now() + PATIENCE;
    while cloud.site.log().len() < enough {
        assert!(Instant::now() < deadline, "{}", cloud.service.log());
        sleep(Duration::from_millis(50)).await;
    }
}

/// Gives a command to the open crawl as somebody does who has nothing but `recrawl`; returns what it says.
fn told(cloud: &Cloud, command: &str) -> String {
    let store = format!("firestore:{}", cloud.project);
    let output = recrawl(&[command, "--store", &store], Some(cloud));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_is_stopped_asks_for_nothing_after_five_seconds_and_the_next_trigger_works_as_ever() {
    let cloud = under_way().await;
    let said = cloud.scheduler(&["stop"]).unwrap();
    assert!(said.contains("of default is being stopped"), "{said}");
    let latest = std::time::Instant::now() + AT_ONCE;
    let stopped = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    assert!(crawls[&stopped].to_string().contains("it was stopped by hand"), "{}", crawls[&stopped]);
    assert!(cloud.verdicts(&stopped).await.unwrap().len() < PAGES, "most were not asked for");
    assert!(told(&cloud, "stop").contains("no crawl of default is open; nothing to do."));
    // Pages that waited inside the service would have been asked for by then.
    tokio::time::sleep_until((latest + AT_ONCE).into()).await;
    assert!(cloud.site.log().iter().all(|request| request.arrival < latest));
    cloud.trigger().await.unwrap();
    let next = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&next).await.unwrap().len(), PAGES + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_is_paused_rests_until_it_is_resumed_and_misses_nothing() {
    let cloud = under_way().await;
    assert!(told(&cloud, "pause").contains("of default is paused: within seconds"));
    sleep(AT_ONCE).await;
    let asked = cloud.site.log().len();
    cloud.messages.publish("tick", "tick").await.unwrap();
    assert!(told(&cloud, "pause").contains("is paused already."));
    assert_eq!(cloud.site.log().len(), asked);
    assert!(told(&cloud, "resume").contains("goes on"));
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap().len(), PAGES + 1);
}

/// The web page over the home, as somebody serves it on a laptop; it ends when it is dropped.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn over(cloud: &Cloud) -> Self {
        let mut process = Command::new(program("recrawl").unwrap())
            .args(["serve", "--listen", "127.0.0.1:0", "--store", &format!("firestore:{}", cloud.project)])
            .env("FIRESTORE_EMULATOR_HOST", &cloud.firestore)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap_or_else(|| panic!("{line}"));
        Self { process, address: format!("http://{}", rest.split_once('/').unwrap().0) }
    }

    async fn page(&self, path: &str) -> String {
        reqwest::get(format!("{}{path}", self.address)).await.unwrap().text().await.unwrap()
    }

    /// Asks for something by the API; returns the status and what is said.
    async fn ask(&self, path: &str) -> (u16, String) {
        let request = reqwest::Client::new().post(format!("{}/api/v1{path}", self.address));
        let answer = request.header("content-type", "application/json").send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_crawl_is_paused_and_stopped_on_the_page() {
    let cloud = under_way().await;
    let served = Served::over(&cloud);
    let page = served.page("/sites/default").await;
    assert!(page.contains("/sites/default/pause") && page.contains("/sites/default/stop"), "{page}");
    assert!(!page.contains("Rename") && !page.contains("Change the schedule"), "what Terraform sets: {page}");
    assert!(!served.page("/sites").await.contains("Add a site"));
    assert_eq!(served.ask("/sites/default/pause").await.0, 202);
    let page = served.page("/sites/default").await;
    assert!(
        page.contains("A crawl rests until somebody goes on with it") && page.contains("Go on"),
        "{page}"
    );
    let (status, said) = served.ask("/sites/default/stop").await;
    assert_eq!(status, 202, "{said}");
    let latest = std::time::Instant::now() + AT_ONCE;
    let stopped = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    assert!(crawls[&stopped].to_string().contains("it was stopped by hand"), "{}", crawls[&stopped]);
    tokio::time::sleep_until((latest + AT_ONCE).into()).await;
    assert!(cloud.site.log().iter().all(|request| request.arrival < latest));
    let (status, said) = served.ask("/sites/default/start").await;
    assert!((400..500).contains(&status) && said.contains("gcloud pubsub topics publish crawl"), "{said}");
}
