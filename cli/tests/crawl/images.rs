//! Images that were replaced at the same address, where they are watched.

use recrawl_testkit::site::{Page, Site};
use serde_json::Value;

use crate::harness::Harness;

fn image(pixels: &str) -> Page {
    Page::bytes("image/png", format!("PNG {pixels}"))
}

/// A town of two pages that show a hall; one shows a private image and one of another host, too.
fn town() -> Site {
    let site = Site::start_blocking();
    site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /private/\n"));
    site.page(
        "/",
        Page::html(
            "<h1>Town</h1><p>The hall stands on the square.</p><a href=/hall>The hall</a>\
             <img src=/img/hall.png?v=7 alt='The hall'><img src=/private/plan.png>\
             <img src=http://127.0.0.9:1/elsewhere.png><img src=/img/lost.png>",
        ),
    );
    site.page("/hall", Page::html("<h1>Hall</h1><p>Built in 1911.</p><img src=/img/hall.png?v=7>"));
    site.page("/img/hall.png?v=7", image("the old hall"));
    site
}

fn asked(site: &Site) -> Vec<String> {
    let mut paths: Vec<String> = site.log().into_iter().map(|request| request.path).collect();
    paths.retain(|path| path.contains(".png"));
    paths.sort();
    paths
}

fn rows(harness: &Harness, flags: &[&str]) -> Vec<Value> {
    let json = harness.expect(0, &[&["changes", "--format", "json"], flags].concat());
    serde_json::from_str(&json).unwrap()
}

#[test]
fn an_image_that_was_replaced_at_the_same_address_is_a_change_of_media_where_images_are_watched() {
    let (harness, site) = (Harness::new(), town());
    harness.crawl_in_order(&site, &["--soft-404", "false"]);
    assert!(asked(&site).is_empty(), "nobody watches images unless told to: {:?}", asked(&site));

    // The pages answer 304 now; what they show is known all the same.
    let watched = ["--soft-404", "false", "--watch-images"];
    site.clear_log();
    harness.crawl_in_order(&site, &watched);
    assert_eq!(asked(&site), ["/img/hall.png?v=7", "/img/lost.png"], "each once, by the rules of robots.txt");
    assert!(
        rows(&harness, &["--tier", "3"]).is_empty(),
        "an image that is seen for the first time is no news"
    );
    let verdicts = harness.verdicts();
    assert_eq!(verdicts["/img/hall.png?v=7"], "unchanged");
    assert_eq!(verdicts["/img/lost.png"], "missing");
    assert_eq!(verdicts["/private/plan.png"], "excluded");

    site.page("/img/hall.png?v=7", image("the new hall"));
    harness.crawl_in_order(&site, &watched);
    let changes = rows(&harness, &["--tier", "2"]);
    let [change] = &*changes else { panic!("{changes:#?}") };
    assert_eq!(change["url"], site.at("/img/hall.png?v=7").as_str());
    assert_eq!(
        (&change["kind"], &change["kinds"], &change["tier"]),
        (&"changed".into(), &serde_json::json!(["media"]), &2.into())
    );
    assert!(rows(&harness, &[]).is_empty(), "images alone stand around the content");
    assert_eq!(harness.announced(), 0);

    site.clear_log();
    harness.crawl_in_order(&site, &watched);
    let again = site.requests_for("/img/hall.png?v=7");
    let [request] = &*again else { panic!("{again:?}") };
    assert_eq!(request.status, Some(304), "it is asked for conditionally");
    assert!(rows(&harness, &["--tier", "3"]).is_empty());

    // Nobody shows it any more.
    site.page(
        "/",
        Page::html("<h1>Town</h1><p>The hall stands on the square.</p><a href=/hall>The hall</a>"),
    );
    site.page("/hall", Page::html("<h1>Hall</h1><p>Built in 1911.</p>"));
    site.clear_log();
    harness.crawl_in_order(&site, &watched);
    assert!(asked(&site).is_empty(), "what no page shows is not asked for: {:?}", asked(&site));
}

#[test]
fn both_versions_of_an_image_are_kept_and_an_image_leads_nowhere() {
    let (harness, site) = (Harness::new(), Site::start_blocking());
    site.page("/", Page::html("<h1>Town</h1><img src=/hall.png><img src=/old.png>"));
    site.page("/hall.png", image("the old hall"));
    site.redirect("/old.png", "/moved.png", 301);
    let watched = ["--soft-404", "false", "--watch-images"];
    harness.crawl_in_order(&site, &watched);
    assert!(site.requests_for("/moved.png").is_empty(), "a redirect of an image is not followed");
    site.page("/hall.png", image("the new hall"));
    harness.crawl_in_order(&site, &watched);
    let bodies = |at: &[&str]| {
        let arguments = [&["show", "/hall.png", "--as", "html"], at].concat();
        harness.expect(0, &arguments)
    };
    assert_eq!(bodies(&[]), "PNG the new hall");
    let crawls: Vec<Value> =
        serde_json::from_str(&harness.expect(0, &["crawls", "--format", "json"])).unwrap();
    assert_eq!(bodies(&["--at", crawls[0]["crawl"].as_str().unwrap()]), "PNG the old hall");
    // Once nobody watches them, they are passed over, and what is known of them stays.
    site.clear_log();
    harness.crawl_in_order(&site, &["--soft-404", "false"]);
    assert!(asked(&site).is_empty());
    assert_eq!(bodies(&[]), "PNG the new hall");
}
