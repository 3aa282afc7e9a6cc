//! Analytics and monitoring: what services load to measure visitors, and their code where it leaks into the text.
//!
//! The code itself is meant, and not what somebody writes about it: that rarely begins a line.

use super::rule::{Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "monitoring",
    description: "What measures visitors: pixels, frames and attributes of such services, and their code where it leaks \
        into the text.",
    text: &[TextRule { words: &["nreum", "datalayer", "function(w,d,s,l,i)"], pattern, ..TextRule::NOTHING }],
    attributes: &["data-newrelic*", "data-nr-*"],
    servers: &[
        "www.googletagmanager.com",
        "www.google-analytics.com",
        "ssl.google-analytics.com",
        "stats.g.doubleclick.net",
        "bat.bing.com",
        "px.ads.linkedin.com",
        "analytics.twitter.com",
        "ct.pinterest.com",
        "tr.snapchat.com",
        "pixel.wp.com",
        "stats.wp.com",
        "pixel.quantserve.com",
        "sb.scorecardresearch.com",
        "b.scorecardresearch.com",
        "c.statcounter.com",
        "mc.yandex.ru",
        "*.nr-data.net",
        "*.newrelic.com",
        "*.hotjar.com",
        "*.clarity.ms",
        "*.siteimproveanalytics.io",
    ],
    is_noise: is_pixel,
    is_noisy_media: is_counted_image,
    ..Rule::NOTHING
};

fn pattern() -> String {
    r"(?x-u)
        ^ [;(!]* (?: window\.NREUM \|\| | NREUM\.(?:info|init|loader_config) \x20? =
            | window\.dataLayer \x20? = \x20? window\.dataLayer \x20? \|\|
            | function\(w,d,s,l,i\)\{w\[l\] ) [[:ascii:]]* $"
        .to_owned()
}

/// Tells whether an address is that of a pixel that a site may also have on a server of its own.
fn is_pixel(host: &str, path: &str, query: Option<&str>) -> bool {
    let is_known = path.ends_with("/matomo.php")
        || path.ends_with("/piwik.php")
        || (path == "/tr" && host == "www.facebook.com");
    is_known && query.is_some()
}

/// Tells whether an image is only loaded so that somebody counts it.
fn is_counted_image(_: &str, path: &str, query: Option<&str>) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    let is_tracked = path.contains("/tracking/") || path.starts_with("/b/ss/") || path.contains("/akam/");
    let is_pixel = ["pixel", "beacon", "collect", "__utm.gif", "impression"].into_iter().any(|name| {
        file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
    });
    query.is_some() && (is_tracked || is_pixel)
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{
        assert_cleans, assert_keeps, assert_keeps_links, assert_reduces_link, assert_reduces_media,
    };

    #[test]
    fn leaked_code_of_monitoring_vanishes() {
        assert_cleans(
            NoiseRule::Monitoring,
            &[
                ("x\nwindow.NREUM||(NREUM={});NREUM.info={\"queueTime\":3}\ny", "x\ny"),
                (";window.NREUM||(NREUM={})", ""),
                ("NREUM.info = {\"agent\":\"\",\"applicationTime\":91}", ""),
                ("window.dataLayer = window.dataLayer || []; dataLayer.push({'id': 'a1'})", ""),
                ("(function(w,d,s,l,i){w[l]=w[l]||[];})(window,document,'script','dataLayer','GTM-1')", ""),
            ],
        );
        assert_keeps(&[
            "What window.NREUM is for",
            "Push to the dataLayer with dataLayer.push(5)",
            "gtag('config', 'G-1')",
        ]);
    }

    #[test]
    fn what_measures_is_neither_link_nor_image() {
        assert_reduces_link(
            NoiseRule::Monitoring,
            &[("https://www.googletagmanager.com/ns.html?id=GTM-ABC123", "")],
        );
        assert_reduces_media(
            NoiseRule::Monitoring,
            &[
                ("https://www.facebook.com/tr?id=1&ev=PageView&noscript=1", ""),
                ("https://px.ads.linkedin.com/collect/?pid=1&fmt=gif", ""),
                ("https://matomo.example.org/matomo.php?idsite=1&rec=1", ""),
                ("https://bat.bing.com/action/0?ti=1", ""),
                ("https://stats.g.doubleclick.net/collect?tid=1", ""),
                ("https://a.b/api/tracking/load?page=c", ""),
                ("https://a.b/akam/13/pixel_7a8b9c?a=dD0x", ""),
                ("https://a.b/b/ss/site/1/H.27?AQB=1", ""),
                ("https://a.b/pixel.gif?id=1", ""),
            ],
        );
        assert_keeps_links(&[
            "https://www.facebook.com/portland",
            "https://www.facebook.com/transport",
            "https://analytics.google.com/",
            "https://a.b/tracking/parcel?id=12",
            "https://a.b/pixel.gif?id=1",
            "https://a.b/www.googletagmanager.com/ns.html",
            "https://www.matomo.org/",
        ]);
    }
}
